#include "astar_run.hpp"
#include "hstar.hpp"
#include "request.hpp"

namespace hstar {

Outcome astar_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                 Control& control) {
  const Clock::time_point begin = Clock::now();
  check_request(heuristic.puzzle(), start, moves, options);
  return within_memory(arena, options.limits, control, begin, [&] {
    const Task task{arena, start, moves, heuristic, options, control, begin};
    if (const auto* tiles = dynamic_cast<const SlidingTiles*>(&heuristic.puzzle())) return astar_tiles(*tiles, task);
    return astar_permutation(dynamic_cast<const PermutationPuzzle&>(heuristic.puzzle()), task);
  });
}

Outcome astar(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control) {
  ArenaLease lease;
  return astar_in(lease.arena(), start, moves, heuristic, options, control);
}

}  // namespace hstar
