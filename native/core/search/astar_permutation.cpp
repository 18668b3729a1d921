#include "domains/byte_permutation.hpp"
#include "domains/wide_permutation.hpp"
#include "search/astar_run.hpp"

namespace hstar {

// These capacities make records of 32, 64, 96 and 144 bytes; the Megaminx (50 slots) fills one cache line.
Outcome astar_permutation(const PermutationPuzzle& puzzle, const Task& task) {
  const std::size_t slots = puzzle.slots();
  const bool wide = is_wide(puzzle);
  if (const auto scale = BucketScale::of(task.heuristic, task.heuristic.lookup(), task.options.weight)) {
    if (wide) return astar_with_buckets<WidePermutation>(puzzle, task, *scale);
    if (slots <= 20) return astar_with_buckets<BytePermutation<capacity(20, 52)>>(puzzle, task, *scale);
    if (slots <= 52) return astar_with_buckets<BytePermutation<52>>(puzzle, task, *scale);
    if (slots <= 84) return astar_with_buckets<BytePermutation<capacity(84, 128)>>(puzzle, task, *scale);
    return astar_with_buckets<BytePermutation<128>>(puzzle, task, *scale);
  }
  if (wide) return astar_with_heap<WidePermutation>(puzzle, task);
  if (slots <= 52) return astar_with_heap<BytePermutation<52>>(puzzle, task);
  return astar_with_heap<BytePermutation<128>>(puzzle, task);
}

}  // namespace hstar
