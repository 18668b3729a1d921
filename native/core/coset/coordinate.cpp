#include "coset/coordinate.hpp"

#include <algorithm>
#include <bit>
#include <limits>
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
  std::vector<Digits> values(1);
  for (unsigned piece = 0; piece < orbit.pieces; ++piece)
    values[0].push_back(static_cast<std::uint8_t>(kind_.classes[piece] * turns_));
  std::vector<std::uint64_t> numbers{number(values[0])};
  std::unordered_map<std::uint64_t, std::uint32_t> value_of{{numbers[0], 0}};
  Digits after(orbit.pieces);
  Pace pace(stop, 1024);
  for (std::size_t value = 0; value < values.size(); ++value) {
    pace.step();
    for (const auto& of_move : carried) {
      for (unsigned slot = 0; slot < orbit.pieces; ++slot) {
        const unsigned digit = values[value][slot];
        after[of_move[slot].to] = static_cast<std::uint8_t>(
            kind_.oriented ? digit - digit % n + (digit % n + of_move[slot].twist) % n : digit);
      }
      const std::uint64_t its = number(after);
      const auto [found, is_new] = value_of.emplace(its, static_cast<std::uint32_t>(values.size()));
      if (is_new) {
        if (values.size() == most) refuse("coordinate", "there are more than " + std::to_string(most) + " values");
        values.push_back(after);
        numbers.push_back(its);
      }
      own_next_.push_back(found->second);
    }
  }
  next_ = own_next_;
  number_values(numbers);
}

Coordinate::Coordinate(std::shared_ptr<const PieceSpace> space, Kind kind, std::vector<std::uint8_t> moves,
                       StoredReader& stored, std::shared_ptr<const void> owner)
    : space_(std::move(space)), kind_(std::move(kind)), moves_(std::move(moves)), owner_(std::move(owner)) {
  begin();
  next_ = stored.take<std::uint32_t>();
  numbers_ = stored.take<std::uint64_t>();
  values_ = stored.take<std::uint32_t>(numbers_.size());
  if (next_.empty() || next_.size() % moves_.size() != 0 || numbers_.size() != std::bit_ceil(std::size_t{2} * size()))
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

void Coordinate::number_values(const std::vector<std::uint64_t>& numbers) {
  own_numbers_.assign(std::bit_ceil(2 * numbers.size()), kEmpty);
  own_values_.assign(own_numbers_.size(), 0);
  numbers_ = own_numbers_;
  for (std::size_t value = 0; value < numbers.size(); ++value) {
    const std::size_t at = place(numbers[value]);
    own_numbers_[at] = numbers[value];
    own_values_[at] = static_cast<std::uint32_t>(value);
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
