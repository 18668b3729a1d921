#include "domains/byte_permutation.hpp"
#include "domains/wide_permutation.hpp"
#include "layers/layered_run.hpp"

namespace hstar {

namespace {

template <Domain D, unsigned... kWords>
Outcome run(const PermutationPuzzle& puzzle, const LayeredTask& asked) {
  const PermutationPuzzle reversed = puzzle.reversed();
  const D domain(puzzle, asked.task.heuristic, asked.task.moves);
  const D back(reversed, asked.task.heuristic, asked.task.moves);
  return run_layered<kWords...>(domain, back, [](std::uint8_t move) { return move; }, asked);
}

}  // namespace

Outcome layered_permutation(const PermutationPuzzle& puzzle, const LayeredTask& asked) {
  LayeredTask known = asked;
  known.inverses = std::ranges::all_of(asked.task.moves, [&](std::uint8_t move) {
    return std::ranges::any_of(asked.task.moves, [&](std::uint8_t other) { return puzzle.inverse(move) == other; });
  });
  if (is_wide(puzzle)) return run<WidePermutation, 16, 128>(puzzle, known);
  if (puzzle.slots() <= 51) return run<BytePermutation<capacity(51, 131)>, 1, 2, 4, capacity(8, 64)>(puzzle, known);
  return run<BytePermutation<131>, 8, 64>(puzzle, known);
}

}  // namespace hstar
