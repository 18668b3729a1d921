// Chooses the arithmetic for one TreeWalk. Included only where walks are instantiated: one translation unit for each
// family of puzzles.
#pragma once

#include <cmath>
#include <type_traits>

#include "search/ida_star_search.hpp"
#include "search/request.hpp"

namespace hstar {

// `more`: arguments of the walk's constructor after the puzzle, the heuristic, the moves and the automaton.
template <TreeWalk W, class P, class... More>
Outcome run_ida_star(const P& puzzle, const Task& task, const More&... more) {
  const Heuristic& h = task.heuristic;
  const W walk(puzzle, h, task.moves, *MoveAutomaton::of(puzzle, task.moves, task.options.pruning), more...);
  const auto run = [&]<class Cost, bool kLookup>(std::type_identity<Cost>, std::bool_constant<kLookup>) {
    IdaStarSearch<W, Cost, kLookup> search(task.arena, walk, h, task.moves.size(), task.options, task.control,
                                           task.begin);
    return search.run(task.start);
  };
  const auto with = [&]<class Cost>(std::type_identity<Cost> cost) {
    return walk.lookup().empty() ? run(cost, std::false_type{}) : run(cost, std::true_type{});
  };
  constexpr double kMost = 1 << 30;  // f = g + h must not overflow
  const double weight = task.options.weight;
  if (h.integer() && weight <= kMost && weight == std::floor(weight) && weight * h.max_value() <= kMost)
    return with(std::type_identity<std::int32_t>{});
  return with(std::type_identity<double>{});
}

Outcome ida_star_tiles(const SlidingTiles& puzzle, const Task& task);
Outcome ida_star_permutation(const PermutationPuzzle& puzzle, const Task& task);

}  // namespace hstar
