#include "heuristic/heuristic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace hstar {

namespace {

// Calls visit(value) for each slot's value, in order.
template <class Visit>
void each_value(const Puzzle& puzzle, Bytes state, Visit visit) {
  if (puzzle.width() == 1)
    for (const std::uint8_t value : state) visit(value);
  else
    for (std::size_t slot = 0; slot < puzzle.slots(); ++slot) visit(value_at(state.data(), slot, puzzle.width()));
}

}  // namespace

unsigned gaps(const Puzzle& puzzle, Bytes state) noexcept {
  const auto apart = [](unsigned a, unsigned b) { return unsigned{a + 1 != b && b + 1 != a}; };
  const std::size_t slots = puzzle.slots();
  unsigned count = apart(value_at(state.data(), slots - 1, puzzle.width()), static_cast<unsigned>(slots));
  if (puzzle.width() == 1)
    for (std::size_t slot = 0; slot + 1 < slots; ++slot) count += apart(state[slot], state[slot + 1]);
  else
    for (std::size_t slot = 0; slot + 1 < slots; ++slot)
      count += apart(value_at(state.data(), slot, puzzle.width()), value_at(state.data(), slot + 1, puzzle.width()));
  return count;
}

Heuristic::Heuristic(std::shared_ptr<const Puzzle> puzzle, std::vector<Feature> features,
                     std::vector<Instruction> program, bool integer, double max_value, const Stop& stop)
    : puzzle_(std::move(puzzle)),
      tiles_(dynamic_cast<const SlidingTiles*>(puzzle_.get())),
      program_(std::move(program), features.size()),
      integer_(integer),
      max_value_(max_value) {
  if (!(max_value >= 0)) throw std::invalid_argument("max_value is not a number of at least 0");
  if (integer && std::isfinite(max_value) && max_value != std::floor(max_value))
    throw std::invalid_argument("max_value of an integer heuristic is not an integer");
  if (features.size() > kMaxFeatures)
    throw std::invalid_argument(std::to_string(features.size()) + " features, expected at most " +
                                std::to_string(kMaxFeatures));
  for (std::size_t i = 0; i < features.size(); ++i) {
    check(features[i], i);
    if (features[i].kind == Feature::Kind::walking_distance && !walking_distance_)
      walking_distance_.emplace(*tiles_, stop);
    sources_.push_back({std::move(features[i]), program_.uses(i)});
  }
  if (tiles_) {
    linear_conflict_.emplace(*tiles_);
    gaschnig_.emplace(*tiles_);
  }
  pack(stop);
}

void Heuristic::check(const Feature& feature, std::size_t number) const {
  const std::string where = "feature " + std::to_string(number) + ": ";
  switch (feature.kind) {
    case Feature::Kind::solved: return;
    case Feature::Kind::gaps: {
      unsigned expected = 0;
      each_value(*puzzle_, puzzle_->goal(), [&](unsigned value) {
        if (value != expected++) throw std::invalid_argument(where + "only defined if the goal is 0, 1, 2 ...");
      });
      return;
    }
    case Feature::Kind::database:
      if (feature.database == nullptr || &feature.database->puzzle() != puzzle_.get())
        throw std::invalid_argument(where + "the database is of another puzzle");
      return;
    case Feature::Kind::function:
      if (feature.function == nullptr) throw std::invalid_argument(where + "there is no function");
      return;
    case Feature::Kind::table:
    case Feature::Kind::maximum:
    case Feature::Kind::union_of_groups: {
      const bool groups = feature.kind == Feature::Kind::union_of_groups;
      const std::size_t entries = groups ? feature.masks.size() : feature.table.size();
      if (feature.width == 0 || entries % feature.width != 0 || entries / feature.width != puzzle_->slots())
        throw std::invalid_argument(where + "table needs one row for each of the " +
                                    std::to_string(puzzle_->slots()) + " slots");
      for (std::size_t slot = 0; slot < puzzle_->slots(); ++slot)
        if (feature.width < puzzle_->values(slot))
          throw std::invalid_argument(where + "table has " + std::to_string(feature.width) + " columns, but slot " +
                                      std::to_string(slot) + " has " + std::to_string(puzzle_->values(slot)) +
                                      " values");
      return;
    }
    default:
      if (!tiles_) throw std::invalid_argument(where + "only defined for sliding tiles");
  }
}

// What `value` in `slot` adds to a feature that is a sum over slots (for `solved`: to the number of misplaced slots).
std::int64_t Heuristic::term(const Feature& feature, std::size_t slot, unsigned value) const noexcept {
  if (feature.kind == Feature::Kind::solved) return value != value_at(puzzle_->goal().data(), slot, puzzle_->width());
  return feature.table[slot * feature.width + value];
}

void Heuristic::pack(const Stop& stop) {
  const std::size_t slots = puzzle_->slots();
  for (std::size_t slot = 0; slot < slots; ++slot) row_ = std::max<std::size_t>(row_, puzzle_->values(slot));
  shares_.assign(slots * row_, 0);
  std::uint64_t stride = 1;
  bool complete = true;  // raw is all the program needs
  for (Source& source : sources_) {
    if (!source.used) continue;
    const Feature& feature = source.feature;
    if (feature.kind != Feature::Kind::table && feature.kind != Feature::Kind::solved) {
      complete = false;
      continue;
    }
    std::vector<std::int64_t> least(slots);
    std::int64_t range = 0;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      std::int64_t most = least[slot] = term(feature, slot, 0);
      for (unsigned value = 1; value < puzzle_->values(slot); ++value) {
        most = std::max(most, term(feature, slot, value));
        least[slot] = std::min(least[slot], term(feature, slot, value));
      }
      range += most - least[slot];
    }
    const auto radix = static_cast<std::uint64_t>(range) + 1;
    if (radix > kRawLimit / stride) {
      complete = false;
      continue;
    }
    source.stride = static_cast<std::uint32_t>(stride);
    source.radix = static_cast<std::uint32_t>(radix);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      source.least += least[slot];
      for (unsigned value = 0; value < puzzle_->values(slot); ++value)
        shares_[slot * row_ + value] +=
            static_cast<std::uint32_t>(stride * static_cast<std::uint64_t>(term(feature, slot, value) - least[slot]));
    }
    stride *= radix;
  }
  raw_size_ = static_cast<std::uint32_t>(stride);
  if (!complete || stride > kLookupLimit) return;
  std::vector<double> lookup(stride);
  Pace pace(stop, 1 << 12);
  for (std::uint32_t raw = 0; raw < stride; ++raw) {
    pace.step();
    lookup[raw] = value(raw, {});
  }
  lookup_ = HeuristicTable(std::move(lookup));
  max_value_ = std::min(max_value_, lookup_.most());  // often tighter than the declared max_value
}

double Heuristic::read(const Source& source, std::uint32_t raw, Bytes state) const noexcept {
  const Feature& feature = source.feature;
  if (source.radix != 0) {
    const std::uint32_t digit = raw / source.stride % source.radix;
    if (feature.kind == Feature::Kind::solved) return digit == 0;
    return static_cast<double>(digit + source.least);
  }
  switch (feature.kind) {
    case Feature::Kind::linear_conflict: return (*linear_conflict_)(state);
    case Feature::Kind::conflicts: return conflicts(state, tiles_->columns());
    case Feature::Kind::inversions: return inversions(state);
    case Feature::Kind::database: return feature.database->value(state);
    case Feature::Kind::function: return feature.function->value(state);
    case Feature::Kind::gaschnig: return (*gaschnig_)(state);
    case Feature::Kind::walking_distance: return (*walking_distance_)(state);
    case Feature::Kind::clustered_misplaced: return clustered_misplaced(state, puzzle_->goal(), tiles_->columns());
    case Feature::Kind::solved: return std::ranges::equal(state, puzzle_->goal());
    case Feature::Kind::gaps: return gaps(*puzzle_, state);
    case Feature::Kind::maximum: {
      std::int32_t greatest = std::numeric_limits<std::int32_t>::min();
      const std::int32_t* row = feature.table.data();
      each_value(*puzzle_, state, [&](unsigned value) {
        greatest = std::max(greatest, row[value]);
        row += feature.width;
      });
      return greatest;
    }
    case Feature::Kind::union_of_groups: {
      std::uint64_t groups = 0;
      const std::uint64_t* row = feature.masks.data();
      each_value(*puzzle_, state, [&](unsigned value) {
        groups |= row[value];
        row += feature.width;
      });
      return std::popcount(groups);
    }
    case Feature::Kind::table: break;
  }
  std::int64_t sum = 0;
  const std::int32_t* row = feature.table.data();
  each_value(*puzzle_, state, [&](unsigned value) {
    sum += row[value];
    row += feature.width;
  });
  return static_cast<double>(sum);
}

double Heuristic::clamp(double value) const noexcept {
  if (!(value > 0)) return 0;  // also NaN
  return std::min(integer_ ? std::floor(value) : value, max_value_);
}

std::uint32_t Heuristic::raw(Bytes state) const noexcept {
  std::uint32_t sum = 0;
  std::size_t slot = 0;
  each_value(*puzzle_, state, [&](unsigned value) { sum += share(slot++, value); });
  return sum;
}

double Heuristic::value(std::uint32_t raw, Bytes state) const noexcept {
  if (!lookup_.empty()) return lookup_[raw];
  double features[kMaxFeatures];
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i].used) features[i] = read(sources_[i], raw, state);
  return clamp(program_.run({features, sources_.size()}));
}

bool Heuristic::needs_at_most(std::initializer_list<Feature::Kind> kinds) const noexcept {
  return std::ranges::all_of(sources_, [&](const Source& source) {
    return !source.used || source.radix != 0 || std::ranges::find(kinds, source.feature.kind) != kinds.end();
  });
}

bool Heuristic::uses(Feature::Kind kind) const noexcept {
  return std::ranges::any_of(sources_,
                             [&](const Source& source) { return source.used && source.feature.kind == kind; });
}

double Heuristic::value(std::uint32_t raw, int linear_conflict, int walking_distance) const noexcept {
  double features[kMaxFeatures];
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (!sources_[i].used) continue;
    if (sources_[i].radix != 0)
      features[i] = read(sources_[i], raw, {});
    else
      features[i] = sources_[i].feature.kind == Feature::Kind::linear_conflict ? linear_conflict : walking_distance;
  }
  return clamp(program_.run({features, sources_.size()}));
}

std::vector<std::int32_t> Heuristic::by_gaps(double weight) const {
  constexpr double kMost = 1 << 30;
  std::size_t used = 0;
  for (const Source& source : sources_) {
    if (!source.used) continue;
    if (source.feature.kind != Feature::Kind::gaps) return {};
    ++used;
  }
  std::vector<std::int32_t> found;
  for (std::size_t count = 0; used != 0 && count <= puzzle_->slots(); ++count) {
    const std::vector<double> features(sources_.size(), static_cast<double>(count));
    const double value = weight == 0 ? 0 : weight * clamp(program_.run(features));
    if (!(value <= kMost) || value != std::floor(value)) return {};
    found.push_back(static_cast<std::int32_t>(value));
  }
  return found;
}

const Database* Heuristic::only_database() const noexcept {
  const Database* only = nullptr;
  for (const Source& source : sources_) {
    if (!source.used || source.radix != 0) continue;
    if (source.feature.kind != Feature::Kind::database || only != nullptr) return nullptr;
    only = source.feature.database.get();
  }
  return only;
}

double Heuristic::value_with(std::uint32_t raw, unsigned database) const noexcept {
  double features[kMaxFeatures];
  for (std::size_t i = 0; i < sources_.size(); ++i)
    if (sources_[i].used) features[i] = sources_[i].radix != 0 ? read(sources_[i], raw, {}) : database;
  return clamp(program_.run({features, sources_.size()}));
}

double Heuristic::evaluate(Bytes state) const {
  puzzle_->check(state, "state");
  return value(raw(state), state);
}

}  // namespace hstar
