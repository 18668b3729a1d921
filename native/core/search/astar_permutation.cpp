#include "puzzle/permutation.hpp"
#include "search/astar_run.hpp"

namespace hstar {

// Capacities make records of 32, 64, 96 and 132 bytes; the Megaminx (50 slots) fills one cache line.
Outcome astar_permutation(const PermutationPuzzle& puzzle, const Task& task) {
  const std::size_t slots = puzzle.slots();
  if (slots <= 28) return run_astar<Permutation<28>>(puzzle, task);
  if (slots <= 60) return run_astar<Permutation<60>>(puzzle, task);
  if (slots <= 92) return run_astar<Permutation<92>>(puzzle, task);
  return run_astar<Permutation<128>>(puzzle, task);
}

}  // namespace hstar
