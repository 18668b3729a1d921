#include "domains/byte_permutation.hpp"
#include "domains/wide_permutation.hpp"
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
  if (slots <= 19) return run<BytePermutation<capacity(19, 51)>, BytePermutation<51>>(search, puzzle, task);
  if (slots <= 35) return run<BytePermutation<capacity(35, 51)>, BytePermutation<51>>(search, puzzle, task);
  if (slots <= 51) return run<BytePermutation<51>, BytePermutation<51>>(search, puzzle, task);
  if (slots <= 83) return run<BytePermutation<capacity(83, 131)>, BytePermutation<131>>(search, puzzle, task);
  return run<BytePermutation<131>, BytePermutation<131>>(search, puzzle, task);
}

}  // namespace hstar
