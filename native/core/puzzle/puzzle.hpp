// Puzzle definitions. A state is given as one byte a slot (permutation puzzles) or one byte a cell (tiles). Where a
// slot of the puzzle may hold more than 256 values it is two bytes a slot, numbers of the machine's own byte order.
//
// Constructors and `check` throw std::invalid_argument with a message that names the place of the fault; everything
// else trusts a checked state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace hstar {

using Bytes = std::span<const std::uint8_t>;
using Value = std::uint16_t;

// The value at `slot` of a state with so many bytes a slot.
inline unsigned value_at(const std::uint8_t* state, std::size_t slot, std::size_t width) noexcept {
  if (width == 1) return state[slot];
  Value value;
  std::memcpy(&value, state + slot * sizeof value, sizeof value);
  return value;
}
inline void set_value(std::uint8_t* state, std::size_t slot, std::size_t width, unsigned value) noexcept {
  const auto whole = static_cast<Value>(value);
  if (width == 1)
    state[slot] = static_cast<std::uint8_t>(value);
  else
    std::memcpy(state + slot * sizeof whole, &whole, sizeof whole);
}

class Puzzle {
 public:
  virtual ~Puzzle() = default;

  // Different for any two puzzles of the process; a copy is the same puzzle.
  std::uint64_t identity() const noexcept { return identity_; }
  std::size_t slots() const noexcept { return values_.size(); }
  // Bytes of a state: of one slot, and of all.
  std::size_t width() const noexcept { return width_; }
  std::size_t state_bytes() const noexcept { return goal_.size(); }
  // How many distinct values slot `slot` may hold.
  unsigned values(std::size_t slot) const noexcept { return values_[slot]; }
  Bytes goal() const noexcept { return goal_; }
  virtual unsigned move_count() const noexcept = 0;

  // Throws std::invalid_argument unless `state` has state_bytes(), and each value is below its slot's number of values.
  virtual void check(Bytes state, const char* what) const;
  // Sets `out` to the state after `move`; false, with `out` unchanged, if the move is not legal there. Nothing is
  // checked.
  virtual bool apply(Bytes state, unsigned move, std::uint8_t* out) const noexcept = 0;

 protected:
  Puzzle();
  std::size_t width_ = 1;
  std::vector<unsigned> values_;
  std::vector<std::uint8_t> goal_;

 private:
  std::uint64_t identity_;
};

// Pieces with orientations in slots; a move permutes the contents of slots and relabels them.
class PermutationPuzzle final : public Puzzle {
 public:
  static constexpr std::size_t kMaxSlots = 8192;  // a 33x33x33 has 6,143
  static constexpr unsigned kMaxValues = 1024;
  static constexpr std::size_t kMaxMoves = 256;
  static constexpr unsigned kNone = 256;  // "no move"

  // new[dst[i]] = maps[i][old[src[i]]], other slots unchanged. A move must be invertible: dst and src are the same set
  // of slots and every map is one-to-one.
  struct Definition {
    std::vector<std::uint16_t> dst, src;
    std::vector<std::vector<Value>> maps;
    // By slot, the values with which it is not legal.
    std::vector<std::pair<std::uint16_t, std::vector<Value>>> forbidden{};
  };
  // One slot that a move writes: new[dst] = maps()[map + old[src]]. Equal maps are one and the same.
  struct Touch {
    std::uint16_t dst, src;
    std::uint32_t map;
  };
  // The same with its map at hand: new[dst] = map[old[src]].
  struct MappedTouch {
    const Value* map;
    std::uint16_t dst, src;
  };
  // A slot that some move asks about, and where its values begin among the answers.
  struct Asked {
    std::uint32_t first;
    std::uint16_t slot;
  };

  PermutationPuzzle(std::vector<unsigned> values, std::vector<std::uint8_t> goal, std::vector<Definition> moves);

  unsigned move_count() const noexcept override { return static_cast<unsigned>(first_.size() - 1); }
  bool apply(Bytes state, unsigned move, std::uint8_t* out) const noexcept override;

  std::span<const Touch> touches(unsigned move) const noexcept {
    return {touches_.data() + first_[move], first_[move + 1] - first_[move]};
  }
  const Value* maps() const noexcept { return maps_.data(); }
  MappedTouch mapped(const Touch& touch) const noexcept { return {maps() + touch.map, touch.dst, touch.src}; }
  // Whether some move is not legal everywhere. Such a puzzle is no group: two moves may not commute although their
  // effects do.
  bool forbids() const noexcept { return !asked_.empty(); }
  bool always_legal(unsigned move) const noexcept {
    return first_asked_.empty() || first_asked_[move] == first_asked_[move + 1];
  }
  bool legal(Bytes state, unsigned move) const noexcept {
    if (first_asked_.empty()) return true;
    for (std::size_t i = first_asked_[move]; i < first_asked_[move + 1]; ++i)
      if (forbidden_[asked_[i].first + value_at(state.data(), asked_[i].slot, width_)]) return false;
    return true;
  }
  // The move with the lowest number that undoes `move` where that was legal, or kNone.
  unsigned inverse(unsigned move) const noexcept { return inverse_[move]; }
  // The same puzzle, with the inverse of each move under the move's own number: legal where the move leads.
  PermutationPuzzle reversed() const;

 private:
  class MapNumbers;

  void add(const Definition& move, std::size_t number, MapNumbers& known);
  void forbid(const Definition& move, std::size_t number);
  bool undoes(unsigned second, unsigned first, const std::vector<std::uint32_t>& opposite) const;

  std::vector<Touch> touches_;
  std::vector<std::size_t> first_{0};
  std::vector<Value> maps_;
  std::vector<unsigned> inverse_;
  // By move, if some are forbidden somewhere; then by slot and value.
  std::vector<std::size_t> first_asked_;
  std::vector<Asked> asked_;
  std::vector<bool> forbidden_;
};

// The most bytes that a state of any puzzle takes.
constexpr std::size_t kMostStateBytes = PermutationPuzzle::kMaxSlots * sizeof(Value);

// m x n sliding tiles; 0 is the blank. Moves: 0 up, 1 right, 2 down, 3 left, the way the BLANK goes.
class SlidingTiles final : public Puzzle {
 public:
  static constexpr std::size_t kMaxCells = 255;
  static constexpr unsigned kMoves = 4;
  static constexpr unsigned kNoCell = 256;

  SlidingTiles(unsigned rows, unsigned columns, std::vector<std::uint8_t> goal);

  unsigned rows() const noexcept { return rows_; }
  unsigned columns() const noexcept { return columns_; }
  unsigned move_count() const noexcept override { return kMoves; }
  void check(Bytes state, const char* what) const override;
  bool apply(Bytes state, unsigned move, std::uint8_t* out) const noexcept override;
  // The cell beside `cell` in the direction of `move`, or kNoCell at the border.
  unsigned neighbour(unsigned cell, unsigned move) const noexcept;

 private:
  unsigned rows_, columns_;
};

}  // namespace hstar
