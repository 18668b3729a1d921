// Depth-first search on permutation puzzles, one byte a slot.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "deepening/tree_walk.hpp"

namespace hstar {

template <std::size_t N>
class PermutationWalk {
  struct RawTouch {
    const std::uint32_t* raw_change;  // by the value that comes from src
    const Value* map;
    std::uint8_t dst, src;
  };

 public:
  static constexpr unsigned kMostSteps = PermutationPuzzle::kMaxMoves;
  using State = std::array<std::uint8_t, N>;  // bytes past the puzzle's slots stay 0
  using Step = MoveRows::Step;

  PermutationWalk(const PermutationPuzzle& puzzle, const Heuristic& heuristic, Bytes moves,
                  const MoveAutomaton& automaton)
      : slots_(puzzle.slots()), heuristic_(heuristic) {
    std::size_t size = 0;
    for (const std::uint8_t move : moves)
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) size += puzzle.values(touch.src);
    changes_.reserve(size);
    std::vector<std::uint32_t> first{0};
    for (const std::uint8_t move : moves) {
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
        const Value* map = puzzle.maps() + touch.map;
        touches_.push_back({changes_.data() + changes_.size(), map, static_cast<std::uint8_t>(touch.dst),
                            static_cast<std::uint8_t>(touch.src)});
        // A move writes the slots that it reads, so the value in src always moves to dst.
        for (unsigned value = 0; value < puzzle.values(touch.src); ++value)
          changes_.push_back(heuristic.share(touch.dst, map[value]) - heuristic.share(touch.src, value));
      }
      first.push_back(static_cast<std::uint32_t>(touches_.size()));
    }
    rows_ = MoveRows(automaton, moves, first);
  }
  PermutationWalk(const PermutationWalk&) = delete;  // touches_ points into changes_
  PermutationWalk& operator=(const PermutationWalk&) = delete;

  const HeuristicTable& lookup() const noexcept { return heuristic_.lookup(); }
  State pack(Bytes bytes) const noexcept {
    State state{};
    std::ranges::copy(bytes, state.begin());
    return state;
  }
  std::uint32_t first_row(Bytes) const noexcept { return MoveAutomaton::kStart; }
  std::span<const Step> steps(std::uint32_t row) const noexcept { return rows_[row]; }
  std::uint32_t raw(Bytes bytes) const noexcept { return heuristic_.raw(bytes); }
  std::uint32_t raw(const State& state, std::uint32_t raw, const Step& step) const noexcept {
    for (std::uint32_t i = step.first; i < step.last; ++i) raw += touches_[i].raw_change[state[touches_[i].src]];
    return raw;
  }
  void apply(const State& state, const Step& step, State& after) const noexcept {
    after = state;
    for (std::uint32_t i = step.first; i < step.last; ++i)
      after[touches_[i].dst] = static_cast<std::uint8_t>(touches_[i].map[state[touches_[i].src]]);
  }
  Bytes bytes(const State& state, std::uint8_t*) const noexcept { return {state.data(), slots_}; }

 private:
  std::size_t slots_;
  const Heuristic& heuristic_;
  std::vector<std::uint32_t> changes_;
  std::vector<RawTouch> touches_;
  MoveRows rows_;
};

static_assert(TreeWalk<PermutationWalk<64>>);

}  // namespace hstar
