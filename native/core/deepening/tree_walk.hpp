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

// A walk with a heuristic of its own, in whole numbers, instead of the request's.
template <class W>
concept OwnHeuristic =
    TreeWalk<W> && requires(const W walk, const typename W::State& state, const RawOf<W>& raw, const typename W::Step& step,
                            std::int32_t most, bool exact, RawOf<W>& after) {
      { walk.h(raw) } -> std::same_as<std::int32_t>;
      { walk.table_bytes() } -> std::same_as<std::size_t>;  // charged to the search
      // Of a successor: at most `most` if and only if h is, and then `after` is its raw. `exact`: else as near h as is cheap.
      { walk.advance(state, raw, step, most, exact, after) } -> std::same_as<std::int32_t>;
    };

}  // namespace hstar
