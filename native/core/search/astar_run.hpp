// A* over one domain, with buckets or with the heap. Included where domains are instantiated, a translation unit a
// family; each choice is an instance that takes seconds to compile, so the heap, which is slower anyway, has fewer.
#pragma once

#include <memory>

#include "search/astar_search.hpp"
#include "search/bucket_queue.hpp"
#include "search/indexed_heap.hpp"

namespace hstar {

// `more`: arguments of the domain's constructor after the puzzle, the heuristic and the moves.
template <Domain D, class P, class... More>
Outcome astar_with_buckets(const P& puzzle, const Task& task, const BucketScale& scale, const More&... more) {
  D domain(puzzle, task.heuristic, task.moves, more...);
  using Search = AStarSearch<D, BucketQueue<Kept<typename D::State>>>;
  return std::make_unique<Search>(task, domain, Search::kMostAhead, scale)->run(task.start);
}
template <Domain D, class P>
Outcome astar_with_heap(const P& puzzle, const Task& task) {
  D domain(puzzle, task.heuristic, task.moves);
  using Search = AStarSearch<D, IndexedHeap<Kept<typename D::State>>>;
  return std::make_unique<Search>(task, domain, Search::kMostAhead, task.options.weight)->run(task.start);
}

Outcome astar_tiles(const SlidingTiles& puzzle, const Task& task);
Outcome astar_permutation(const PermutationPuzzle& puzzle, const Task& task);

}  // namespace hstar
