#include <stdexcept>

#include "deepening/ida_star.hpp"
#include "deepening/ida_star_run.hpp"
#include "search/request.hpp"

namespace hstar {

Outcome ida_star_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                    Control& control) {
  return run_task(arena, start, moves, heuristic, options, control, [&](const Task& task) {
    if (const auto* tiles = dynamic_cast<const SlidingTiles*>(&heuristic.puzzle())) {
      if (options.partitions) throw std::invalid_argument("cost partitions are for permutation puzzles");
      return ida_star_tiles(*tiles, task);
    }
    const auto& puzzle = dynamic_cast<const PermutationPuzzle&>(heuristic.puzzle());
    return options.partitions ? ida_star_partitions(puzzle, task) : ida_star_permutation(puzzle, task);
  });
}

Outcome ida_star(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                 Control& control) {
  ArenaLease lease;
  return ida_star_in(lease.arena(), start, moves, heuristic, options, control);
}

}  // namespace hstar
