#include "coset/coordinate.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "puzzle/refuse.hpp"

namespace hstar {

Coordinate::Coordinate(std::shared_ptr<const PieceSpace> space, Kind kind, std::vector<std::uint8_t> moves,
                       std::uint32_t most)
    : space_(std::move(space)), kind_(std::move(kind)), moves_(std::move(moves)) {
  check();
  const Orbit& orbit = space_->orbits()[kind_.orbit];
  kind_.zero.resize(orbit.pieces, 0);
  const unsigned n = orbit.orientations;
  if (kind_.oriented) turns_ = n;
  const unsigned radix = (1u + *std::ranges::max_element(kind_.classes)) * turns_;
  std::uint64_t weight = 1;
  for (unsigned slot = 0; slot < orbit.pieces; ++slot) {
    weight_.push_back(weight);
    if (weight > std::numeric_limits<std::uint64_t>::max() / radix)
      refuse("coordinate", "a value has no number of 64 bits");
    weight *= radix;
  }

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
  value_of_.emplace(number(values[0]), 0);
  Digits after(orbit.pieces);
  for (std::size_t value = 0; value < values.size(); ++value) {
    for (const auto& of_move : carried) {
      for (unsigned slot = 0; slot < orbit.pieces; ++slot) {
        const unsigned digit = values[value][slot];
        after[of_move[slot].to] = static_cast<std::uint8_t>(
            kind_.oriented ? digit - digit % n + (digit % n + of_move[slot].twist) % n : digit);
      }
      const auto [found, is_new] = value_of_.emplace(number(after), static_cast<std::uint32_t>(values.size()));
      if (is_new) {
        if (values.size() == most) refuse("coordinate", "there are more than " + std::to_string(most) + " values");
        values.push_back(after);
      }
      next_.push_back(found->second);
    }
  }
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

std::optional<std::uint32_t> Coordinate::of(Bytes state) const noexcept {
  const Orbit& orbit = space_->orbits()[kind_.orbit];
  const unsigned n = orbit.orientations;
  std::uint64_t sum = 0;
  for (unsigned slot = 0; slot < orbit.pieces; ++slot) {
    const unsigned content = value_at(state.data(), orbit.first + slot, space_->puzzle().width());
    const unsigned piece = content / n, turned = (content % n + kind_.zero[piece] + n - kind_.zero[slot]) % n;
    sum += weight_[slot] * (kind_.classes[piece] * turns_ + (kind_.oriented ? turned : 0));
  }
  const auto found = value_of_.find(sum);
  return found == value_of_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace hstar
