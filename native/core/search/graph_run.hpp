// Greedy and blind searches over one Domain. Included only where domains are instantiated: one translation unit for
// each family of puzzles.
#pragma once

#include "search/blind_search.hpp"
#include "search/bucket_queue.hpp"
#include "search/greedy_search.hpp"
#include "search/indexed_heap.hpp"

namespace hstar {

enum class GraphSearch { greedy, breadth_first, bidirectional };

// What a node of greedy search holds of its state.
template <Domain D>
using InNode = std::conditional_t<Sized<typename D::State>, Recorded, typename D::State>;

// `WithHeap`: a domain with room for as many slots, for h that no power of two makes whole.
template <Domain D, Domain WithHeap, class P>
Outcome run_greedy(const P& puzzle, const Task& task) {
  if (const auto scale = BucketScale::of(task.heuristic, task.heuristic.lookup(), 1)) {
    D domain(puzzle, task.heuristic, task.moves);
    return GreedySearch<D, BucketQueue<InNode<D>>>(domain, task, *scale).run(task.start);
  }
  WithHeap domain(puzzle, task.heuristic, task.moves);
  return GreedySearch<WithHeap, IndexedHeap<InNode<WithHeap>>>(domain, task, 1.0).run(task.start);
}

template <Domain D, class P>
Outcome run_breadth_first(const P& puzzle, const Task& task) {
  D domain(puzzle, task.heuristic, task.moves);
  return breadth_first_search(domain, task);
}

Outcome search_tiles(GraphSearch search, const SlidingTiles& puzzle, const Task& task);
Outcome search_permutation(GraphSearch search, const PermutationPuzzle& puzzle, const Task& task);

}  // namespace hstar
