// Greedy and blind searches over one Domain. Included only where domains are instantiated: one translation unit for
// each family of puzzles.
#pragma once

#include "search/blind_search.hpp"
#include "search/bucket_queue.hpp"
#include "search/greedy_search.hpp"
#include "search/indexed_heap.hpp"

namespace hstar {

enum class GraphSearch { greedy, breadth_first, bidirectional };

template <Domain D, class P>
Outcome run_greedy(const P& puzzle, const Task& task) {
  D domain(puzzle, task.heuristic, task.moves);
  using State = std::conditional_t<Sized<typename D::State>, Recorded, typename D::State>;  // as in a node
  if (const auto scale = BucketQueue<State>::scale(task.heuristic, domain.lookup(), 1))
    return GreedySearch<D, BucketQueue<State>>(domain, task, *scale).run(task.start);
  return GreedySearch<D, IndexedHeap<State>>(domain, task, 1.0).run(task.start);
}

template <Domain D, class P>
Outcome run_breadth_first(const P& puzzle, const Task& task) {
  D domain(puzzle, task.heuristic, task.moves);
  return breadth_first_search(domain, task);
}

Outcome search_tiles(GraphSearch search, const SlidingTiles& puzzle, const Task& task);
Outcome search_permutation(GraphSearch search, const PermutationPuzzle& puzzle, const Task& task);

}  // namespace hstar
