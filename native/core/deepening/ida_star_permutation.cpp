#include "domains/domain.hpp"
#include "deepening/gaps_walk.hpp"
#include "deepening/ida_star_run.hpp"
#include "deepening/permutation_walk.hpp"
#include "deepening/wide_walk.hpp"

namespace hstar {

namespace {

template <TreeWalk Walk>
Outcome run(const PermutationPuzzle& puzzle, const Task& task) {
  const std::vector<std::int32_t> by_gaps = task.heuristic.by_gaps(task.options.weight);
  const bool by_walk =
      !by_gaps.empty() && !puzzle.forbids() && task.options.costs.empty() && GapsWalk<Walk>::fits(puzzle, task.moves);
  if (!by_walk) return run_ida_star<Walk>(puzzle, task);
  const GapsWalk<Walk> walk(puzzle, task.heuristic, task.moves,
                            *MoveAutomaton::of(puzzle, task.moves, task.options.pruning), by_gaps);
  return ida_star_search<std::int32_t>(walk, task);
}

}  // namespace

Outcome ida_star_permutation(const PermutationPuzzle& puzzle, const Task& task) {
  const std::size_t slots = puzzle.slots();
  if (is_wide(puzzle)) return run<WideWalk>(puzzle, task);
  if (slots <= 32) return run<PermutationWalk<capacity(32, 128)>>(puzzle, task);
  if (slots <= 64) return run<PermutationWalk<capacity(64, 128)>>(puzzle, task);
  return run<PermutationWalk<128>>(puzzle, task);
}

}  // namespace hstar
