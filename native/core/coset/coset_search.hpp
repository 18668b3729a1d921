// IDA* over the distances to a subgroup and to its images under symmetries of the puzzle.
#pragma once

#include "coset/coset_space.hpp"
#include "heuristic/database.hpp"
#include "puzzle/move_automaton.hpp"
#include "puzzle/symmetry.hpp"
#include "search/search.hpp"

namespace hstar {

// The largest distance of several views of a state: its images under some symmetries.
class CosetHeuristic final : public Database {
 public:
  struct View {
    std::shared_ptr<const Symmetry> symmetry;  // not an inverse one
    CosetSpace::MoveImages moves;              // by number of a move: the number of its image
  };

  // The table is that of the space, and `owner` keeps it alive. `meeting`: each move is, in some view, one of the subgroup.
  // Throws std::invalid_argument for a table of another size, or if there is no view.
  CosetHeuristic(std::shared_ptr<const PieceSpace> pieces, std::shared_ptr<const CosetSpace> space,
                 std::span<const std::uint8_t> table, unsigned bits, std::shared_ptr<const void> owner,
                 std::vector<View> views, bool meeting);

  const Puzzle& puzzle() const noexcept override { return pieces_->puzzle(); }
  const PieceSpace& pieces() const noexcept { return *pieces_; }
  const CosetSpace& space() const noexcept { return *space_; }
  const std::vector<View>& views() const noexcept { return views_; }
  // The last move of a solution is one of the subgroup in some view, so that view's distance is less than the solution's
  // length: a state of which all views are at one distance, not 0, is farther than that.
  bool meeting() const noexcept { return meeting_; }
  const MoveAutomaton& automaton() const noexcept { return automaton_; }

  unsigned value(Bytes state) const noexcept override;
  unsigned checked_value(Bytes state) const;
  // The coordinates of a view of a state that has every piece once; false if no moves lead to the goal.
  bool locate(Bytes state, const View& view, std::uint32_t* values) const;
  void prefetch(std::uint64_t entry) const noexcept { __builtin_prefetch(table_.data() + entry * packing_.bits / 8); }
  unsigned at(std::uint64_t entry) const noexcept { return packing_.get(table_.data(), entry); }
  unsigned unreachable() const noexcept { return packing_.unreachable(); }

 private:
  std::shared_ptr<const PieceSpace> pieces_;
  std::shared_ptr<const CosetSpace> space_;
  std::span<const std::uint8_t> table_;
  Packing packing_;
  std::shared_ptr<const void> owner_;
  std::vector<View> views_;
  bool meeting_;
  MoveAutomaton automaton_;
};

// A shortest solution; counters and threads as in pattern_ida_star. Throws std::invalid_argument if `start` is not a state.
Outcome coset_ida_star(Bytes start, const CosetHeuristic& heuristic, const Limits& limits, unsigned threads,
                       Control& control);

}  // namespace hstar
