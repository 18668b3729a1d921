// Chooses the arithmetic for one TreeWalk. Included only where walks are instantiated: one translation unit for each
// family of puzzles.
#pragma once

#include <cmath>

#include "deepening/ida_star_search.hpp"

namespace hstar {

// `more`: arguments of the walk's constructor after the puzzle, the heuristic, the moves and the automaton.
template <TreeWalk W, class P, class... More>
Outcome run_ida_star(const P& puzzle, const Task& task, const More&... more) {
  const Heuristic& h = task.heuristic;
  const W walk(puzzle, h, task.moves, *MoveAutomaton::of(puzzle, task.moves, task.options.pruning, task.options.costs),
               more...);
  constexpr double kMost = 1 << 30;  // g comes on top
  const double weight = task.options.weight;
  const bool whole = h.integer() && weight <= kMost && weight == std::floor(weight) && weight * h.max_value() <= kMost;
  return whole && !walk.lookup().empty() ? ida_star_search<std::int32_t>(walk, task)
                                         : ida_star_search<double>(walk, task);
}

Outcome ida_star_tiles(const SlidingTiles& puzzle, const Task& task);
Outcome ida_star_permutation(const PermutationPuzzle& puzzle, const Task& task);
Outcome ida_star_partitions(const PermutationPuzzle& puzzle, const Task& task);

}  // namespace hstar
