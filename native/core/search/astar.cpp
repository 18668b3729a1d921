#include "search/searches.hpp"
#include "search/astar_run.hpp"
#include "search/request.hpp"

namespace hstar {

Outcome astar_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                 Control& control) {
  return run_task(arena, start, moves, heuristic, options, control, [&](const Task& task) {
    if (const auto* tiles = dynamic_cast<const SlidingTiles*>(&heuristic.puzzle())) return astar_tiles(*tiles, task);
    return astar_permutation(dynamic_cast<const PermutationPuzzle&>(heuristic.puzzle()), task);
  });
}

Outcome astar(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control) {
  ArenaLease lease;
  return astar_in(lease.arena(), start, moves, heuristic, options, control);
}

}  // namespace hstar
