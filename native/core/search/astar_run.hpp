// Chooses the open list for one domain. Included only where domains are instantiated: one translation unit for each
// family of puzzles.
#pragma once

#include <memory>

#include "search/astar_search.hpp"
#include "search/bucket_queue.hpp"
#include "search/indexed_heap.hpp"

namespace hstar {

// `more`: arguments of the domain's constructor after the puzzle, the heuristic and the moves.
template <Domain D, class P, class... More>
Outcome run_astar(const P& puzzle, const Task& task, const More&... more) {
  D domain(puzzle, task.heuristic, task.moves, more...);
  using State = Kept<typename D::State>;
  const double weight = task.options.weight;
  if (const auto scale = BucketQueue<State>::scale(task.heuristic, domain.lookup(), weight)) {
    using Search = AStarSearch<D, BucketQueue<State>>;
    return std::make_unique<Search>(task, domain, Search::kMostAhead, *scale)->run(task.start);
  }
  using Search = AStarSearch<D, IndexedHeap<State>>;
  return std::make_unique<Search>(task, domain, Search::kMostAhead, weight)->run(task.start);
}

Outcome astar_tiles(const SlidingTiles& puzzle, const Task& task);
Outcome astar_permutation(const PermutationPuzzle& puzzle, const Task& task);

}  // namespace hstar
