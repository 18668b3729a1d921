// Depth-first search on a row of pieces whose heuristic needs the gaps between neighbours alone. A move moves most
// pieces, but parts few neighbours, so the gaps after it are those before, less what is joined, and more what is
// parted.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "deepening/tree_walk.hpp"

namespace hstar {

template <TreeWalk Inner>
class GapsWalk {
  // Two slots of the state before a move; `sign`: what a gap between their pieces adds to the gaps after it.
  struct Pair {
    std::uint16_t one, two;
    std::int32_t sign;
  };

 public:
  static constexpr unsigned kMostSteps = Inner::kMostSteps;
  using State = typename Inner::State;
  struct Step : Inner::Step {
    std::uint32_t first_pair = 0, last_pair = 0;
  };

  // `by_gaps`: weight times h, by the number of gaps.
  GapsWalk(const PermutationPuzzle& puzzle, const Heuristic& heuristic, Bytes moves, const MoveAutomaton& automaton,
           std::vector<std::int32_t> by_gaps)
      : inner_(puzzle, heuristic, moves, automaton),
        puzzle_(puzzle),
        width_(puzzle.width()),
        by_gaps_(std::move(by_gaps)) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(PermutationPuzzle::kMaxMoves);
    for (const std::uint8_t move : moves) {
      const auto first = static_cast<std::uint32_t>(pairs_.size());
      add_pairs(move);
      pairs[move] = {first, static_cast<std::uint32_t>(pairs_.size())};
    }
    for (std::uint32_t row = 0; row < automaton.states(); ++row) {
      for (const auto& step : inner_.steps(row))
        steps_.push_back({{step}, pairs[step.move].first, pairs[step.move].second});
      first_.push_back(steps_.size());
    }
  }

  // Whether a search on this puzzle can be done so: moves only move pieces.
  static bool fits(const PermutationPuzzle& puzzle, Bytes moves) {
    return std::ranges::all_of(moves, [&](std::uint8_t move) {
      return std::ranges::all_of(puzzle.touches(move), [&](const PermutationPuzzle::Touch& touch) {
        for (unsigned value = 0; value < puzzle.values(touch.src); ++value)
          if (puzzle.maps()[touch.map + value] != value) return false;
        return true;
      });
    });
  }

  const HeuristicTable& lookup() const noexcept { return none_; }
  State pack(Bytes bytes) const noexcept { return inner_.pack(bytes); }
  std::uint32_t first_row(Bytes bytes) const noexcept { return inner_.first_row(bytes); }
  std::span<const Step> steps(std::uint32_t row) const noexcept {
    return {steps_.data() + first_[row], steps_.data() + first_[row + 1]};
  }
  std::uint32_t raw(Bytes bytes) const noexcept { return gaps(puzzle_, bytes); }
  // visit(piece, piece, sign) for each two neighbours of a state that the step parts (-1) or joins (+1). The neighbour
  // of the last piece, which is the number of slots, counts.
  template <class Visit>
  void each_pair(const State& state, const Step& step, Visit visit) const noexcept {
    for (std::uint32_t i = step.first_pair; i < step.last_pair; ++i)
      visit(piece(state, pairs_[i].one), piece(state, pairs_[i].two), pairs_[i].sign);
  }
  std::uint32_t raw(const State& state, std::uint32_t raw, const Step& step) const noexcept {
    std::int32_t change = 0;
    each_pair(state, step, [&](std::int32_t one, std::int32_t two, std::int32_t sign) {
      if (std::abs(one - two) != 1) change += sign;
    });
    return raw + static_cast<std::uint32_t>(change);
  }
  void apply(const State& state, const Step& step, State& after) const noexcept { inner_.apply(state, step, after); }
  Bytes bytes(const State& state, std::uint8_t* buffer) const noexcept { return inner_.bytes(state, buffer); }

  std::int32_t h(std::uint32_t raw) const noexcept { return by_gaps_[raw]; }
  std::size_t table_bytes() const noexcept { return pairs_.size() * sizeof(Pair) + steps_.size() * sizeof(Step); }
  std::int32_t advance(const State& state, std::uint32_t before, const Step& step, std::int32_t, bool,
                       std::uint32_t& after) const noexcept {
    after = raw(state, before, step);
    return h(after);
  }

 private:
  std::int32_t piece(const State& state, std::uint16_t slot) const noexcept {
    const std::size_t slots = puzzle_.slots();
    return static_cast<std::int32_t>(slot == slots ? slots : value_at(state.data(), slot, width_));
  }

  void add_pairs(std::uint8_t move) {
    const std::size_t slots = puzzle_.slots();
    std::vector<std::uint16_t> source(slots + 1), target(slots + 1);
    for (std::size_t slot = 0; slot <= slots; ++slot) source[slot] = static_cast<std::uint16_t>(slot);
    for (const PermutationPuzzle::Touch& touch : puzzle_.touches(move)) source[touch.dst] = touch.src;
    for (std::size_t slot = 0; slot <= slots; ++slot) target[source[slot]] = static_cast<std::uint16_t>(slot);
    const auto apart = [](std::uint16_t one, std::uint16_t two) { return std::abs(one - two) != 1; };
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto one = static_cast<std::uint16_t>(slot), two = static_cast<std::uint16_t>(slot + 1);
      if (apart(source[one], source[two])) pairs_.push_back({source[one], source[two], 1});
      if (apart(target[one], target[two])) pairs_.push_back({one, two, -1});
    }
  }

  Inner inner_;
  const PermutationPuzzle& puzzle_;
  std::size_t width_;
  std::vector<std::int32_t> by_gaps_;
  std::vector<Pair> pairs_;  // of all moves, in order
  std::vector<Step> steps_;
  std::vector<std::size_t> first_{0};
  HeuristicTable none_;
};

}  // namespace hstar
