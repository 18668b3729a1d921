#include <cmath>
#include <stdexcept>
#include <string>

#include "astar_run.hpp"
#include "hstar.hpp"

namespace hstar {

namespace {

void check(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options) {
  const Puzzle& puzzle = heuristic.puzzle();
  puzzle.check(start, "start");
  std::vector<bool> seen(puzzle.move_count(), false);
  for (const std::uint8_t move : moves) {
    if (move >= puzzle.move_count()) throw std::invalid_argument("no move " + std::to_string(move));
    if (seen[move]) throw std::invalid_argument("move " + std::to_string(move) + " appears twice");
    seen[move] = true;
  }
  if (!std::isfinite(options.weight) || options.weight < 0)
    throw std::invalid_argument("weight is not a finite number of at least 0");
  if (!(options.limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
}

Outcome out_of_memory(Clock::time_point begin, const Control& control) {
  Outcome outcome;
  outcome.status = Status::limit_reached;
  outcome.limit = Limit::memory;
  outcome.expanded = control.expanded;
  outcome.generated = control.generated;
  outcome.evaluated = control.evaluated;
  outcome.reopened = control.reopened;
  outcome.stored = control.stored;
  outcome.peak_bytes = control.bytes;
  outcome.f_bound = control.f_bound;
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}

}  // namespace

Outcome astar_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                 Control& control) {
  const Clock::time_point begin = Clock::now();
  check(start, moves, heuristic, options);
  if (!arena.open(options.limits.memory_bytes)) return out_of_memory(begin, control);
  const Task task{arena, start, moves, heuristic, options, control, begin};
  try {
    if (const auto* tiles = dynamic_cast<const SlidingTiles*>(&heuristic.puzzle())) return astar_tiles(*tiles, task);
    return astar_permutation(dynamic_cast<const PermutationPuzzle&>(heuristic.puzzle()), task);
  } catch (const std::bad_alloc&) {
    // The small tables of a search come from the common heap; the counters are those last published.
    return out_of_memory(begin, control);
  }
}

Outcome astar(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control) {
  ArenaLease lease;
  return astar_in(lease.arena(), start, moves, heuristic, options, control);
}

}  // namespace hstar
