#include <stdexcept>

#include "search/searches.hpp"
#include "search/graph_run.hpp"

namespace hstar {

namespace {

Outcome search_in(GraphSearch search, Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic,
                  const SearchOptions& options, Control& control) {
  return run_task(arena, start, moves, heuristic, options, control, [&](const Task& task) {
    if (const auto* tiles = dynamic_cast<const SlidingTiles*>(&heuristic.puzzle()))
      return search_tiles(search, *tiles, task);
    return search_permutation(search, dynamic_cast<const PermutationPuzzle&>(heuristic.puzzle()), task);
  });
}

// Blind searches hash states with the words of a heuristic that is 0 everywhere.
Outcome blind_in(GraphSearch search, Arena& arena, std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves,
                 const Limits& limits, Control& control, bool keep_tree) {
  return within_memory(control, [&](Clock::time_point) {
    const Heuristic nothing(std::move(puzzle), {}, {{Op::constant}}, true, 0);
    SearchOptions options;
    options.limits = limits;
    options.keep_tree = keep_tree;
    return search_in(search, arena, start, moves, nothing, options, control);
  });
}

}  // namespace

Outcome greedy_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                  Control& control) {
  if (options.tie_breaking == TieBreaking::batch) throw std::invalid_argument("tie_breaking batch is for A* only");
  return search_in(GraphSearch::greedy, arena, start, moves, heuristic, options, control);
}
Outcome greedy(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control) {
  ArenaLease lease;
  return greedy_in(lease.arena(), start, moves, heuristic, options, control);
}

Outcome breadth_first_in(Arena& arena, std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves,
                         const Limits& limits, Control& control, bool keep_tree) {
  return blind_in(GraphSearch::breadth_first, arena, std::move(puzzle), start, moves, limits, control, keep_tree);
}
Outcome breadth_first(std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves, const Limits& limits,
                      Control& control, bool keep_tree) {
  ArenaLease lease;
  return breadth_first_in(lease.arena(), std::move(puzzle), start, moves, limits, control, keep_tree);
}

Outcome bidirectional_in(Arena& arena, std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves,
                         const Limits& limits, Control& control, bool keep_tree) {
  return blind_in(GraphSearch::bidirectional, arena, std::move(puzzle), start, moves, limits, control, keep_tree);
}
Outcome bidirectional(std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves, const Limits& limits,
                      Control& control, bool keep_tree) {
  ArenaLease lease;
  return bidirectional_in(lease.arena(), std::move(puzzle), start, moves, limits, control, keep_tree);
}

}  // namespace hstar
