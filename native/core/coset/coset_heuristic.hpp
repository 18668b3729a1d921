// The distances to subgroups, and to their images under symmetries of the puzzle, as a lower bound.
#pragma once

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

  // The table has the residues of the space, and `owner` keeps it alive. Throws std::invalid_argument for a table of another
  // size, one that does not begin at a word, or if there is no view.
  CosetTable(std::shared_ptr<const CosetSpace> space, std::span<const std::uint8_t> table,
             std::shared_ptr<const void> owner, std::vector<View> views);

  // The distance of a coset that is at most one move from one at the distance `near`.
  unsigned at(std::uint64_t entry, unsigned near) const noexcept {
    return Residues::distance(Residues::get(words, entry), near);
  }
  void prefetch(std::uint64_t entry) const noexcept { __builtin_prefetch(words + entry / Residues::kPerWord); }
  // The distance of the coset with these values, or Database::kUnreachable; follows moves to the subgroup.
  unsigned distance(const std::uint32_t* values) const;

  std::shared_ptr<const CosetSpace> space;
  const std::uint64_t* words;
  std::shared_ptr<const void> owner;
  std::vector<View> views;
};

// The largest distance of all views of a state in several tables.
class CosetHeuristic final : public Database {
 public:
  // One view in one table; its coordinates begin at `first` among those of all.
  struct Lookup {
    const CosetTable* table;
    const CosetTable::View* view;
    std::size_t first;
  };

  // Tables for the same moves. `meeting`: each move is, in some view, one of the subgroup, of which there is one. Throws
  // std::invalid_argument if there is no table, or they are of other puzzles or moves.
  CosetHeuristic(std::shared_ptr<const PieceSpace> pieces, std::vector<std::shared_ptr<const CosetTable>> tables,
                 bool meeting);

  const Puzzle& puzzle() const noexcept override { return pieces_->puzzle(); }
  const PieceSpace& pieces() const noexcept { return *pieces_; }
  const std::vector<std::uint8_t>& moves() const noexcept { return tables_[0]->space->moves(); }
  const std::vector<Lookup>& lookups() const noexcept { return lookups_; }
  // Coordinates of all lookups.
  std::size_t coordinates() const noexcept { return coordinates_; }
  // The last move of a solution is one of the subgroup in some view, so that view's distance is less than the solution's
  // length: a state of which all views are at one distance, not 0, is farther than that.
  bool meeting() const noexcept { return meeting_; }
  const MoveAutomaton& automaton() const noexcept { return automaton_; }
  const LengthParity& parity() const noexcept { return parity_; }

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
};

}  // namespace hstar
