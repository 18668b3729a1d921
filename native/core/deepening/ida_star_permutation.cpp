#include "domains/domain.hpp"
#include "deepening/ida_star_run.hpp"
#include "deepening/permutation_walk.hpp"
#include "deepening/wide_walk.hpp"

namespace hstar {

Outcome ida_star_permutation(const PermutationPuzzle& puzzle, const Task& task) {
  const std::size_t slots = puzzle.slots();
  if (is_wide(puzzle)) return run_ida_star<WideWalk>(puzzle, task);
  if (slots <= 32) return run_ida_star<PermutationWalk<capacity(32, 128)>>(puzzle, task);
  if (slots <= 64) return run_ida_star<PermutationWalk<capacity(64, 128)>>(puzzle, task);
  return run_ida_star<PermutationWalk<128>>(puzzle, task);
}

}  // namespace hstar
