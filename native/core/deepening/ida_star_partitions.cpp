#include <algorithm>
#include <stdexcept>

#include "deepening/ida_star_run.hpp"
#include "deepening/partition_walk.hpp"

namespace hstar {

namespace {

template <std::size_t N>
Outcome run(const PermutationPuzzle& puzzle, const Task& task) {
  // Learning takes some 0.2 s, as long as a million expansions. Pairs of pieces take some 0.01 s for each move, and ten times
  // as long for an expansion, of which there are up to a hundred times fewer. Either is done anew when an iteration expanded
  // so many times as many.
  constexpr std::uint64_t kWorthLearning = 50'000, kLearningAgain = 16, kWorthPairs = 5'000, kPairsAgain = 4;
  PartitionWalk<N> walk(puzzle, task.moves, *MoveAutomaton::of(puzzle, task.moves, task.options.pruning));
  std::uint64_t worth = kWorthLearning, worth_pairs = std::max(kWorthLearning, kWorthPairs * task.moves.size());
  bool charged = false;
  const auto learn = [&](std::int32_t bound, std::uint64_t expanded, Budget& budget, const CostPartitions::Stop& stop) {
    if (expanded >= worth) {
      worth = expanded * kLearningAgain;
      walk.learn(task.start, bound, stop);
    }
    if (expanded < worth_pairs) return;
    worth_pairs = expanded * kPairsAgain;
    if (!charged) charged = budget.charge(walk.pair_bytes());
    if (charged) walk.learn_pairs(task.start, bound, stop);
  };
  return ida_star_search<std::int32_t>(walk, task, learn);
}

}  // namespace

Outcome ida_star_partitions(const PermutationPuzzle& puzzle, const Task& task) {
  if (puzzle.width() != 1 || puzzle.slots() > 128)
    throw std::invalid_argument("cost partitions are for puzzles of at most 128 slots and 256 values");
  if (task.options.weight != 1) throw std::invalid_argument("with cost partitions weight is 1");
  if (puzzle.slots() <= 32) return run<32>(puzzle, task);
  if (puzzle.slots() <= 64) return run<64>(puzzle, task);
  return run<128>(puzzle, task);
}

}  // namespace hstar
