// Chooses the open list for one domain. Included where domains are instantiated, a translation unit a family.
#pragma once

#include "search/astar_search.hpp"
#include "search/bucket_queue.hpp"
#include "search/indexed_heap.hpp"
#include "search/request.hpp"

namespace hstar {

template <Domain D, class P>
Outcome run_astar(const P& puzzle, const Task& task) {
  D domain(puzzle, task.heuristic, task.moves);
  const auto run = [&]<class Open>(std::type_identity<Open>) {
    AStarSearch<D, Open> search(task.arena, domain, task.heuristic, task.options, task.control, task.begin);
    return search.run(task.start);
  };
  using State = Kept<typename D::State>;
  if (BucketQueue<State>::accepts(task.heuristic, task.options.weight))
    return run(std::type_identity<BucketQueue<State>>{});
  return run(std::type_identity<IndexedHeap<State>>{});
}

Outcome astar_tiles(const SlidingTiles& puzzle, const Task& task);
Outcome astar_permutation(const PermutationPuzzle& puzzle, const Task& task);

}  // namespace hstar
