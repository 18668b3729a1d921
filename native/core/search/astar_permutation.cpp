#include "puzzle/permutation.hpp"
#include "puzzle/wide_permutation.hpp"
#include "search/astar_run.hpp"

namespace hstar {

// These capacities make records of 32, 64, 96 and 144 bytes; the Megaminx (50 slots) fills one cache line.
Outcome astar_permutation(const PermutationPuzzle& puzzle, const Task& task) {
  const std::size_t slots = puzzle.slots();
  if (is_wide(puzzle)) return run_astar<WidePermutation>(puzzle, task);
  if (slots <= 20) return run_astar<Permutation<20>>(puzzle, task);
  if (slots <= 52) return run_astar<Permutation<52>>(puzzle, task);
  if (slots <= 84) return run_astar<Permutation<84>>(puzzle, task);
  return run_astar<Permutation<128>>(puzzle, task);
}

}  // namespace hstar
