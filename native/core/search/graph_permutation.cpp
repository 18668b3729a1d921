#include "puzzle/permutation.hpp"
#include "puzzle/wide_permutation.hpp"
#include "search/graph_run.hpp"

namespace hstar {

namespace {

template <Domain D, Domain WithHeap>
Outcome run(GraphSearch search, const PermutationPuzzle& puzzle, const Task& task) {
  if (search == GraphSearch::greedy) return run_greedy<D, WithHeap>(puzzle, task);
  if (search == GraphSearch::breadth_first) return run_breadth_first<D>(puzzle, task);
  const PermutationPuzzle reversed = puzzle.reversed();
  D forth(puzzle, task.heuristic, task.moves), back(reversed, task.heuristic, task.moves);
  return bidirectional_search(forth, back, task, [](std::uint8_t move) { return move; });
}

}  // namespace

Outcome search_permutation(GraphSearch search, const PermutationPuzzle& puzzle, const Task& task) {
  const std::size_t slots = puzzle.slots();
  if (is_wide(puzzle)) return run<WidePermutation, WidePermutation>(search, puzzle, task);
  if (slots <= 19) return run<Permutation<capacity(19, 51)>, Permutation<51>>(search, puzzle, task);
  if (slots <= 35) return run<Permutation<capacity(35, 51)>, Permutation<51>>(search, puzzle, task);
  if (slots <= 51) return run<Permutation<51>, Permutation<51>>(search, puzzle, task);
  if (slots <= 83) return run<Permutation<capacity(83, 131)>, Permutation<131>>(search, puzzle, task);
  return run<Permutation<131>, Permutation<131>>(search, puzzle, task);
}

}  // namespace hstar
