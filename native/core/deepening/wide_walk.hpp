// Depth-first search on permutation puzzles of any size that can be defined.
#pragma once

#include "puzzle/wide_moves.hpp"
#include "deepening/tree_walk.hpp"

namespace hstar {

class WideWalk {
 public:
  static constexpr unsigned kMostSteps = PermutationPuzzle::kMaxMoves;
  using State = WideState;
  using Step = MoveRows::Step;

  WideWalk(const PermutationPuzzle& puzzle, const Heuristic& heuristic, Bytes moves, const MoveAutomaton& automaton)
      : puzzle_(puzzle), width_(puzzle.width()), heuristic_(heuristic), maps_(puzzle.maps()), moves_(puzzle, moves) {
    std::vector<std::uint32_t> first{0};
    for (const std::uint8_t move : moves) {
      touches_.insert(touches_.end(), puzzle.touches(move).begin(), puzzle.touches(move).end());
      first.push_back(static_cast<std::uint32_t>(touches_.size()));
    }
    rows_ = MoveRows(automaton, moves, first);
  }

  const HeuristicTable& lookup() const noexcept { return heuristic_.lookup(); }
  State pack(Bytes bytes) const noexcept { return State(bytes); }
  std::uint32_t first_row(Bytes) const noexcept { return MoveAutomaton::kStart; }
  std::span<const Step> steps(std::uint32_t row) const noexcept { return rows_[row]; }
  std::uint32_t raw(Bytes bytes) const noexcept { return heuristic_.raw(bytes); }
  // A move writes the slots that it reads, so src loses its value to dst.
  std::uint32_t raw(const State& state, std::uint32_t raw, const Step& step) const noexcept {
    for (std::uint32_t i = step.first; i < step.last; ++i) {
      const PermutationPuzzle::Touch& touch = touches_[i];
      const unsigned value = value_at(state.data(), touch.src, width_);
      raw += heuristic_.share(touch.dst, maps_[touch.map + value]) - heuristic_.share(touch.src, value);
    }
    return raw;
  }
  bool legal(const State& state, const Step& step) const noexcept {
    return puzzle_.legal({state.data(), state.size()}, step.move);
  }
  void apply(const State& state, const Step& step, State& after) const noexcept {
    moves_.apply(step.number, state, after);
  }
  Bytes bytes(const State& state, std::uint8_t*) const noexcept { return {state.data(), state.size()}; }

 private:
  const PermutationPuzzle& puzzle_;
  std::size_t width_;
  const Heuristic& heuristic_;
  const Value* maps_;
  WideMoves moves_;
  std::vector<PermutationPuzzle::Touch> touches_;
  MoveRows rows_;
};

static_assert(Forbidding<WideWalk>);

}  // namespace hstar
