#include "coset/coordinate.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "puzzle/refuse.hpp"

namespace hstar {

Coordinate::Coordinate(std::shared_ptr<const PieceSpace> space, Kind kind, std::vector<std::uint8_t> moves,
                       std::uint32_t most, const Stop& stop)
    : space_(std::move(space)), kind_(std::move(kind)), moves_(std::move(moves)) {
  begin();
  const Orbit& orbit = space_->orbits()[kind_.orbit];
  const unsigned n = orbit.orientations;
  // Where each move takes the content of a slot, and how it turns it there.
  struct Carried {
    unsigned to, twist;
  };
  std::vector<std::vector<Carried>> carried;
  for (const std::uint8_t move : moves_) {
    const Place* carry = space_->carry(move, kind_.orbit);
    auto& of_move = carried.emplace_back();
    for (unsigned slot = 0; slot < orbit.pieces; ++slot) {
      const unsigned there = carry[slot * n];
      of_move.push_back({there / n, (there % n + kind_.zero[slot] + n - kind_.zero[there / n] % n) % n});
    }
  }
  std::vector<Digits> values;
  const auto of_classes = orders();
  std::unordered_map<std::uint64_t, std::uint32_t> value_of;
  Numbered all;
  Digits after(orbit.pieces), alike(orbit.pieces);
  // The value of these digits, which is new if it is the last one.
  const auto find = [&](const Digits& digits) {
    const auto value = static_cast<std::uint32_t>(values.size());
    if (const auto known = value_of.find(number(digits)); known != value_of.end()) return known->second;
    for (const auto& order : of_classes) {
      for (std::size_t slot = 0; slot < digits.size(); ++slot)
        alike[slot] = static_cast<std::uint8_t>(order[digits[slot] / turns_] * turns_ + digits[slot] % turns_);
      all.emplace_back(number(alike), value);
      value_of.insert(all.back());
    }
    return value;
  };
  for (unsigned piece = 0; piece < orbit.pieces; ++piece)
    after[piece] = static_cast<std::uint8_t>(kind_.classes[piece] * turns_);
  find(after);
  values.push_back(after);
  Pace pace(stop, 1024);
  for (std::size_t value = 0; value < values.size(); ++value) {
    pace.step();
    for (const auto& of_move : carried) {
      for (unsigned slot = 0; slot < orbit.pieces; ++slot) {
        const unsigned digit = values[value][slot];
        after[of_move[slot].to] = static_cast<std::uint8_t>(
            kind_.oriented ? digit - digit % n + (digit % n + of_move[slot].twist) % n : digit);
      }
      own_next_.push_back(find(after));
      if (own_next_.back() < values.size()) continue;
      if (values.size() == most) refuse("coordinate", "there are more than " + std::to_string(most) + " values");
      values.push_back(after);
    }
  }
  next_ = own_next_;
  number_values(all);
}

Coordinate::Coordinate(std::shared_ptr<const PieceSpace> space, Kind kind, std::vector<std::uint8_t> moves,
                       StoredReader& stored, std::shared_ptr<const void> owner)
    : space_(std::move(space)), kind_(std::move(kind)), moves_(std::move(moves)), owner_(std::move(owner)) {
  begin();
  next_ = stored.take<std::uint32_t>();
  numbers_ = stored.take<std::uint64_t>();
  values_ = stored.take<std::uint32_t>(numbers_.size());
  const std::size_t numbers = size() * orders().size();
  if (next_.empty() || next_.size() % moves_.size() != 0 || numbers_.size() != std::bit_ceil(2 * numbers))
    refuse("coordinate", "what was stored is of another size");
}

void Coordinate::store(StoredArrays& arrays) const {
  arrays.add(next_);
  arrays.add(numbers_);
  arrays.add(values_);
}

void Coordinate::begin() {
  check();
  const Orbit& orbit = space_->orbits()[kind_.orbit];
  kind_.zero.resize(orbit.pieces, 0);
  if (kind_.oriented) turns_ = orbit.orientations;
  radix_ = (1u + *std::ranges::max_element(kind_.classes)) * turns_;
  std::uint64_t weight = 1;
  for (unsigned slot = 0; slot < orbit.pieces; ++slot) {
    weight_.push_back(weight);
    if (weight > std::numeric_limits<std::uint64_t>::max() / radix_)
      refuse("coordinate", "a value has no number of 64 bits");
    weight *= radix_;
  }
}

// By class the class that counts as it, for each order of the classes that are not told apart.
std::vector<std::vector<std::uint8_t>> Coordinate::orders() const {
  std::vector<std::uint8_t> order(radix_ / turns_);
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  std::vector<std::vector<std::uint8_t>> orders{order};
  if (!kind_.unordered) return orders;
  const auto pieces = [&](std::uint8_t of_class) { return std::ranges::count(kind_.classes, of_class); };
  // Classes one by one: each takes the name of any that has as many pieces and is still free.
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t known = orders.size();
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      if (pieces(order[i]) != pieces(order[j]) || pieces(order[i]) == 0) continue;
      for (std::size_t k = 0; k < known; ++k) {
        orders.push_back(orders[k]);
        std::swap(orders.back()[i], orders.back()[j]);
      }
      if (orders.size() > kMostOrders) refuse("coordinate", "too many orders of classes");
    }
  }
  return orders;
}

void Coordinate::number_values(const Numbered& all) {
  own_numbers_.assign(std::bit_ceil(2 * all.size()), kEmpty);
  own_values_.assign(own_numbers_.size(), 0);
  numbers_ = own_numbers_;
  for (const auto& [number, value] : all) {
    const std::size_t at = place(number);
    own_numbers_[at] = number;
    own_values_[at] = value;
  }
  values_ = own_values_;
}

// Where a number is, or would be.
std::size_t Coordinate::place(std::uint64_t number) const noexcept {
  const std::size_t mask = numbers_.size() - 1;
  std::size_t at = static_cast<std::size_t>((number * 0x9E37'79B9'7F4A'7C15u) >> 20) & mask;
  while (numbers_[at] != number && numbers_[at] != kEmpty) at = (at + 1) & mask;
  return at;
}

void Coordinate::check() const {
  if (kind_.orbit >= space_->orbits().size()) refuse("coordinate", "there is no orbit " + std::to_string(kind_.orbit));
  const Orbit& orbit = space_->orbits()[kind_.orbit];
  if (kind_.classes.size() != orbit.pieces)
    refuse("coordinate", "classes of " + std::to_string(kind_.classes.size()) + " pieces, expected " +
                             std::to_string(orbit.pieces));
  if (!kind_.zero.empty() && kind_.zero.size() != orbit.pieces)
    refuse("coordinate", "orientations of " + std::to_string(kind_.zero.size()) + " slots, expected " +
                             std::to_string(orbit.pieces));
  if (std::ranges::any_of(kind_.zero, [&](unsigned zero) { return zero >= orbit.orientations; }))
    refuse("coordinate", "an orientation that pieces of the orbit do not have");
  const unsigned classes = 1u + *std::ranges::max_element(kind_.classes);
  if (classes * (kind_.oriented ? orbit.orientations : 1) > 256)
    refuse("coordinate", "more than 256 classes and orientations");
  space_->check_moves(moves_);
  if (moves_.empty()) refuse("coordinate", "there are no moves");
  for (const std::uint8_t move : moves_)
    if (std::ranges::find(moves_, space_->puzzle().inverse(move)) == moves_.end())
      refuse("coordinate", "no move undoes move " + std::to_string(move));
}

std::uint64_t Coordinate::number(const Digits& digits) const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t slot = 0; slot < digits.size(); ++slot) sum += digits[slot] * weight_[slot];
  return sum;
}

std::uint64_t Coordinate::number_of(unsigned slot, unsigned content) const noexcept {
  const unsigned n = space_->orbits()[kind_.orbit].orientations, piece = content / n;
  const unsigned turned = (content % n + kind_.zero[piece] + n - kind_.zero[slot]) % n;
  return weight_[slot] * (kind_.classes[piece] * turns_ + (kind_.oriented ? turned : 0));
}

std::optional<std::uint32_t> Coordinate::of(Bytes state) const noexcept {
  const Orbit& orbit = space_->orbits()[kind_.orbit];
  std::uint64_t sum = 0;
  for (unsigned slot = 0; slot < orbit.pieces; ++slot)
    sum += number_of(slot, value_at(state.data(), orbit.first + slot, space_->puzzle().width()));
  return of(sum);
}

}  // namespace hstar
