// The distances to subgroups, and to their images under symmetries of the puzzle, as a lower bound.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "coset/coset_space.hpp"
#include "heuristic/database.hpp"
#include "puzzle/length_parity.hpp"
#include "puzzle/move_automaton.hpp"
#include "puzzle/symmetry.hpp"

namespace hstar {

// The distances to one subgroup, and the views of a state that are looked up: its images under some symmetries.
struct CosetTable {
  struct View {
    std::shared_ptr<const Symmetry> symmetry;  // not an inverse one
    CosetSpace::MoveImages moves;              // by number of a move: the number of its image
  };

  // The table has the residues of the space, and `owner` keeps it alive. `normal`: the subgroup is, so that a state and
  // its inverse are at the same distance. Throws std::invalid_argument for a table of another size, one that does not
  // begin at a word, or if there is no view.
  CosetTable(std::shared_ptr<const CosetSpace> space, std::span<const std::uint8_t> table,
             std::shared_ptr<const void> owner, std::vector<View> views, bool normal = false);

  // The distance of a coset that is at most one move from one at the distance `near`.
  unsigned at(std::uint64_t entry, unsigned near) const noexcept {
    return Residues::distance(Residues::get(words, entry), near);
  }
  // At most the distance of a coset.
  unsigned at_least(std::uint64_t entry) const noexcept { return Residues::at_least(words, entry); }
  void prefetch(std::uint64_t entry) const noexcept { __builtin_prefetch(words + (entry >> 6)); }
  // The distance of the coset with these values, or Database::kUnreachable; follows moves to the subgroup. One above
  // 254 is 254.
  unsigned distance(const std::uint32_t* values) const;

  std::shared_ptr<const CosetSpace> space;
  const std::uint64_t* words;
  std::shared_ptr<const void> owner;
  std::vector<View> views;
  bool normal;
};

// One view in one table; its coordinates begin at `first` among those of all lookups.
struct CosetLookup {
  const CosetTable* table;
  const CosetTable::View* view;
  std::size_t first;
};

// The coordinates of the inverse of a state, from the places of its pieces, in tables that are not normal. A
// coordinate's number is a sum over slots, of the inverse over pieces: so the numbers of up to eight coordinates of one
// orbit are found together.
class InverseCoordinates {
 public:
  InverseCoordinates(const PieceSpace& pieces, const std::vector<CosetLookup>& lookups);

  // Whether there are any: not where pieces look alike, as then states have no inverse, or if numbers are too large,
  // or all tables are normal.
  bool known() const noexcept { return !blocks_.empty(); }
  // The numbers, by coordinate of all lookups; asks for their values.
  void find(const Place* places, std::uint32_t* of) const noexcept {
    for (const Block& block : blocks_) {
      std::array<std::uint32_t, kTogether> numbers{};
      const auto* row = block.parts.data();
      for (std::size_t piece = block.first; piece < block.end; ++piece, row += block.places) {
        const auto& part = row[places[piece]];
        for (std::size_t i = 0; i < kTogether; ++i) numbers[i] += part[i];
      }
      for (std::size_t i = 0; i < block.coordinates.size(); ++i) {
        of[block.coordinates[i]] = numbers[i];
        __builtin_prefetch(block.values[i].get() + numbers[i]);
      }
    }
  }
  // Replaces the numbers by the values; those of coordinates that are reduced are multiplied by their weight.
  void look_up(std::uint32_t* of) const noexcept {
    for (const Block& block : blocks_)
      for (std::size_t i = 0; i < block.coordinates.size(); ++i) {
        std::uint32_t& number = of[block.coordinates[i]];
        number = block.values[i][number];
      }
  }

 private:
  static constexpr std::size_t kTogether = 8;
  static constexpr std::uint64_t kMostNumbers = 1 << 24;
  using Values = std::shared_ptr<std::uint32_t[]>;
  struct Block {
    std::size_t first, end, places;                            // pieces of the orbit, and how many places each has
    std::vector<std::array<std::uint32_t, kTogether>> parts{};  // of the numbers, by piece and place
    std::vector<std::size_t> coordinates{};                     // at most kTogether
    std::vector<Values> values{};                               // of each of them, by its number
  };
  std::vector<Block> blocks_;
};

// The largest distance of all views of a state in several tables.
class CosetHeuristic final : public Database {
 public:
  using Lookup = CosetLookup;

  // Tables for the same moves. `meeting`: each move is, in some view, one of the subgroup, of which there is one.
  // Throws std::invalid_argument if there is no table, or they are of other puzzles or moves.
  CosetHeuristic(std::shared_ptr<const PieceSpace> pieces, std::vector<std::shared_ptr<const CosetTable>> tables,
                 bool meeting);

  const Puzzle& puzzle() const noexcept override { return pieces_->puzzle(); }
  const PieceSpace& pieces() const noexcept { return *pieces_; }
  const std::vector<std::uint8_t>& moves() const noexcept { return tables_[0]->space->moves(); }
  const std::vector<Lookup>& lookups() const noexcept { return lookups_; }
  // Coordinates of all lookups.
  std::size_t coordinates() const noexcept { return coordinates_; }
  // The last move of a solution is one of the subgroup in some view, so that view's distance is less than the
  // solution's length: a state of which all views are at one distance, not 0, is farther than that.
  bool meeting() const noexcept { return meeting_; }
  const MoveAutomaton& automaton() const noexcept { return automaton_; }
  const LengthParity& parity() const noexcept { return parity_; }
  const InverseCoordinates& inverse() const noexcept { return *inverse_; }
  // Whether a move is one of the subgroup in a view: then the inverse of a state is in the same coset after it as
  // before.
  bool keeps(const Lookup& lookup, std::size_t move) const noexcept;

  unsigned value(Bytes state) const noexcept override;
  unsigned checked_value(Bytes state) const;
  // The coordinates of a view of a state that has every piece once; false if no moves lead to the goal.
  bool locate(Bytes state, const Lookup& lookup, std::uint32_t* values) const;

 private:
  std::shared_ptr<const PieceSpace> pieces_;
  std::vector<std::shared_ptr<const CosetTable>> tables_;
  std::vector<Lookup> lookups_;
  std::size_t coordinates_ = 0;
  bool meeting_;
  MoveAutomaton automaton_;
  LengthParity parity_;
  std::optional<InverseCoordinates> inverse_;
};

}  // namespace hstar
