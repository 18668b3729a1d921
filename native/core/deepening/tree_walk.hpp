// A TreeWalk is a puzzle compiled for depth-first search: packed states, an incremental raw (a number that holds all or
// some of what the heuristic needs), and for each row the moves that pruning leaves. A state's row represents
// everything that decides which moves may follow: the moves made so far, and on a board the cell of the blank.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heuristic/heuristic.hpp"
#include "puzzle/move_automaton.hpp"

namespace hstar {

// A number, or for walks with a heuristic of their own what that needs.
template <class W>
using RawOf = decltype(std::declval<const W&>().raw(Bytes{}));

template <class W>
concept TreeWalk = requires(const W walk, const typename W::State& state, typename W::State& after, Bytes bytes,
                            std::uint8_t* buffer, const RawOf<W>& raw, const typename W::Step& step) {
  requires std::equality_comparable<typename W::State>;
  { W::kMostSteps } -> std::convertible_to<unsigned>;  // that a row can have
  // h by raw; empty if h needs more, and then raw is Heuristic::raw.
  { walk.lookup() } -> std::same_as<const HeuristicTable&>;
  { walk.pack(bytes) } -> std::same_as<typename W::State>;
  // The row of a start that no move has led to.
  { walk.first_row(bytes) } -> std::same_as<std::uint32_t>;
  { walk.steps(std::uint32_t{}) } -> std::same_as<std::span<const typename W::Step>>;
  { step.row } -> std::convertible_to<std::uint32_t>;  // of the state that it leads to
  { step.move } -> std::convertible_to<std::uint8_t>;
  // The raw of the state that a step leads to, and that state.
  { walk.raw(state, raw, step) } -> std::same_as<RawOf<W>>;
  { walk.apply(state, step, after) };
  // The state as at the boundary; in `buffer`, which has room for a board, if it is not so already.
  { walk.bytes(state, buffer) } -> std::same_as<Bytes>;
};

// A walk some of whose steps may not be legal in a state.
template <class W>
concept Forbidding =
    TreeWalk<W> && requires(const W walk, const typename W::State& state, const typename W::Step& step) {
      { walk.legal(state, step) } -> std::same_as<bool>;
    };

// A walk with a heuristic of its own, in whole numbers, instead of the request's.
template <class W>
concept OwnHeuristic =
    TreeWalk<W> && requires(const W walk, const typename W::State& state, const RawOf<W>& raw,
                            const typename W::Step& step, std::int32_t most, bool exact, RawOf<W>& after) {
      { walk.h(raw) } -> std::same_as<std::int32_t>;
      { walk.table_bytes() } -> std::same_as<std::size_t>;  // charged to the search
      // Of a successor: at most `most` if and only if h is, and then `after` is its raw. `exact`: else as near h as is
      // cheap.
      { walk.advance(state, raw, step, most, exact, after) } -> std::same_as<std::int32_t>;
    };

// The steps of permutation puzzles by row, which is a state of the automaton that prunes moves.
class MoveRows {
 public:
  struct Step {
    std::uint32_t first, last;  // touches
    std::uint32_t row;
    std::uint16_t number;  // among the moves of the search
    std::uint8_t move;
  };

  MoveRows() = default;
  // first_touch: of each move, and the end of the last.
  MoveRows(const MoveAutomaton& automaton, Bytes moves, std::span<const std::uint32_t> first_touch) {
    for (std::size_t state = 0; state < automaton.states(); ++state) {
      for (const MoveAutomaton::Step& step : automaton.steps(static_cast<std::uint16_t>(state)))
        steps_.push_back(
            {first_touch[step.number], first_touch[step.number + 1u], step.next, step.number, moves[step.number]});
      first_.push_back(static_cast<std::uint32_t>(steps_.size()));
    }
  }

  std::span<const Step> operator[](std::uint32_t row) const noexcept {
    return {steps_.data() + first_[row], steps_.data() + first_[row + 1]};
  }
  std::size_t bytes() const noexcept { return steps_.size() * sizeof(Step) + first_.size() * sizeof first_[0]; }

 private:
  std::vector<Step> steps_;
  std::vector<std::uint32_t> first_{0};
};

}  // namespace hstar
