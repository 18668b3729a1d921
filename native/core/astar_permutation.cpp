#include "astar_run.hpp"
#include "permutation.hpp"

namespace hstar {

// Capacities make nodes of 32, 48, 64, 96 and 144 bytes; the Megaminx (50 slots) fills one cache line.
Outcome astar_permutation(const PermutationPuzzle& puzzle, const Task& task) {
  static_assert(sizeof(Node<ByteState<51>>) == 64);
  const std::size_t slots = puzzle.slots();
  if (slots <= 19) return run_astar<Permutation<19>>(puzzle, task);
  if (slots <= 35) return run_astar<Permutation<35>>(puzzle, task);
  if (slots <= 51) return run_astar<Permutation<51>>(puzzle, task);
  if (slots <= 83) return run_astar<Permutation<83>>(puzzle, task);
  return run_astar<Permutation<131>>(puzzle, task);
}

}  // namespace hstar
