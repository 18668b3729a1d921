// A coordinate of a permutation puzzle: what is left of one orbit when some pieces are not told apart, and orientations
// may be forgotten. Its values are numbered from 0 (solved) as far as moves reach them.
//
//   Coordinate twist(space, {0, {0, 0, 0, 0, 0, 0, 0, 0}, true, {}}, moves, 100'000);   // 2,187 on the 3x3x3
//   value = twist.after(value, i);                                                       // after moves[i]
//
// States with equal coordinates of several kinds are a coset of the subgroup that keeps all of them solved. So
// distances over coordinates are distances between cosets, as in the first phase of Kociemba's algorithm (1992).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "coset/stored.hpp"
#include "puzzle/piece_space.hpp"

namespace hstar {

class Coordinate {
 public:
  struct Kind {
    unsigned orbit = 0;
    std::vector<std::uint8_t> classes;  // by piece of the orbit: pieces of one class are not told apart
    bool oriented = false;              // whether orientations count
    std::vector<std::uint8_t> zero;     // by slot: the orientation that counts as 0 there; empty: always 0
    bool unordered = false;             // classes of equally many pieces are not told apart either
  };

  // Throws std::invalid_argument unless the kind fits the orbit, the moves can be undone by moves, and there are at
  // most `most` values, each with a number of 64 bits; Stopped.
  Coordinate(std::shared_ptr<const PieceSpace> space, Kind kind, std::vector<std::uint8_t> moves, std::uint32_t most,
             const Stop& stop);
  // One that was stored, for the same space, kind and moves; `owner` keeps its memory. Throws std::invalid_argument if
  // it is of another size.
  Coordinate(std::shared_ptr<const PieceSpace> space, Kind kind, std::vector<std::uint8_t> moves, StoredReader& stored,
             std::shared_ptr<const void> owner);
  Coordinate(const Coordinate&) = delete;
  Coordinate& operator=(const Coordinate&) = delete;

  void store(StoredArrays& arrays) const;

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(next_.size() / moves_.size()); }
  const std::vector<std::uint8_t>& moves() const noexcept { return moves_; }
  std::uint32_t after(std::uint32_t value, std::size_t move) const noexcept {
    return next_[value * moves_.size() + move];
  }
  // The values after each of the moves.
  const std::uint32_t* row(std::uint32_t value) const noexcept { return next_.data() + value * moves_.size(); }
  // The value of a state that has every piece once; nothing if no moves lead there.
  std::optional<std::uint32_t> of(Bytes state) const noexcept;

  // A value's number is a sum over the slots of the orbit: what a slot adds with this content, and the value of a
  // number, which is less than numbers(). If classes are unordered, a value has several numbers.
  std::uint64_t number_of(unsigned slot, unsigned content) const noexcept;
  std::optional<std::uint32_t> of(std::uint64_t number) const noexcept {
    const std::size_t at = place(number);
    return numbers_[at] == number ? std::optional(values_[at]) : std::nullopt;
  }
  // visit(number, value) for all numbers.
  template <class Visit>
  void each_number(Visit visit) const {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (numbers_[i] != kEmpty) visit(numbers_[i], values_[i]);
  }
  std::uint64_t numbers() const noexcept { return weight_.back() * radix_; }
  unsigned orbit() const noexcept { return kind_.orbit; }

 private:
  using Digits = std::vector<std::uint8_t>;  // by slot: class and orientation
  using Numbered = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // numbers, and their values

  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};  // no value's number
  static constexpr std::size_t kMostOrders = 24;              // of the classes

  void begin();
  void check() const;
  std::vector<std::vector<std::uint8_t>> orders() const;
  void number_values(const Numbered& all);
  std::size_t place(std::uint64_t number) const noexcept;
  std::uint64_t number(const Digits& digits) const noexcept;

  std::shared_ptr<const PieceSpace> space_;
  Kind kind_;
  std::vector<std::uint8_t> moves_;
  std::vector<std::uint64_t> weight_;  // by slot
  unsigned turns_ = 1;                 // orientations that count
  unsigned radix_ = 1;                 // contents that are told apart
  std::span<const std::uint32_t> next_;
  // A hash table with open addressing: the numbers, and their values.
  std::span<const std::uint64_t> numbers_;
  std::span<const std::uint32_t> values_;
  // What the spans are of: own memory, or that of the owner.
  std::vector<std::uint32_t> own_next_, own_values_;
  std::vector<std::uint64_t> own_numbers_;
  std::shared_ptr<const void> owner_;
};

}  // namespace hstar
