#include <algorithm>
#include <stdexcept>

#include "deepening/ida_star_run.hpp"
#include "deepening/learned_partitions.hpp"
#include "deepening/partition_walk.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

template <std::size_t N>
Outcome run(const PermutationPuzzle& puzzle, const Task& task) {
  // Learning takes some 0.2 s, as long as a million expansions. Pairs of pieces take some 0.01 s for each move, and ten
  // times as long for an expansion, of which there are up to a hundred times fewer. Either is done anew when an
  // iteration expanded so many times as many.
  constexpr std::uint64_t kLearningAgain = 16, kPairsAgain = 4, kPairsShare = 10;
  PartitionWalk<N> walk(puzzle, task.moves, *MoveAutomaton::of(puzzle, task.moves, task.options.pruning));
  const std::uint64_t after = task.options.learn_after;
  std::uint64_t worth = after, worth_pairs = std::max(after, after / kPairsShare * task.moves.size());
  bool charged = false;
  const auto learn = [&](std::int32_t bound, std::uint64_t expanded, Budget& budget, const CostPartitions::Stop& stop) {
    if (expanded >= worth) {
      worth = std::max<std::uint64_t>(expanded, 1) * kLearningAgain;
      walk.learn(task.start, bound, stop);
    }
    if (expanded < worth_pairs) return;
    worth_pairs = std::max<std::uint64_t>(expanded, 1) * kPairsAgain;
    if (!charged) charged = budget.charge(walk.pair_bytes());
    if (charged) walk.learn_pairs(task.start, bound, stop);
  };
  Outcome outcome = ida_star_search<std::int32_t>(walk, task, learn);
  if (task.options.keep_tree && walk.learned()) outcome.learned = walk.costs();
  return outcome;
}

template <std::size_t N>
class Learned final : public LearnedPartitions {
 public:
  Learned(std::shared_ptr<const PermutationPuzzle> puzzle, Bytes start, Bytes moves, std::int32_t bound, bool pairs)
      : puzzle_(std::move(puzzle)), walk_(*puzzle_, moves, *MoveAutomaton::of(*puzzle_, moves, Pruning::none)) {
    const auto never = [] { return false; };
    walk_.learn(start, bound, never);
    if (pairs) walk_.learn_pairs(start, bound, never);
    pairs_ = pairs && walk_.pair_bytes() != 0;
  }
  bool pairs() const noexcept override { return pairs_; }
  std::vector<std::vector<std::uint32_t>> costs() const override { return walk_.costs(); }
  std::int32_t value(Bytes state) const override { return walk_.h(walk_.raw(state)); }
  std::vector<std::int32_t> along(Bytes start, Bytes path) const override {
    auto state = walk_.pack(start);
    auto sums = walk_.raw(start);
    std::vector<std::int32_t> found{walk_.h(sums)};
    for (const std::uint8_t move : path) {
      const auto steps = walk_.steps(walk_.first_row(start));
      const auto step = std::ranges::find_if(steps, [&](const auto& one) { return one.move == move; });
      if (step == steps.end()) throw std::invalid_argument("a move of the path is not one of the moves");
      const auto before = state;
      sums = walk_.raw(before, sums, *step);
      walk_.apply(before, *step, state);
      found.push_back(walk_.h(sums));
    }
    return found;
  }

 private:
  std::shared_ptr<const PermutationPuzzle> puzzle_;
  PartitionWalk<N> walk_;
  bool pairs_ = false;
};

void check_size(const PermutationPuzzle& puzzle) {
  if (puzzle.width() != 1 || puzzle.slots() > 128)
    throw std::invalid_argument("cost partitions are for puzzles of at most 128 slots and 256 values");
  if (puzzle.forbids()) throw std::invalid_argument("cost partitions are for puzzles without forbidden moves");
}

}  // namespace

std::unique_ptr<LearnedPartitions> LearnedPartitions::of(std::shared_ptr<const PermutationPuzzle> puzzle, Bytes start,
                                                         Bytes moves, std::int32_t bound, bool pairs) {
  check_size(*puzzle);
  check_request(*puzzle, start, moves, {});
  if (puzzle->slots() <= 32) return std::make_unique<Learned<32>>(std::move(puzzle), start, moves, bound, pairs);
  if (puzzle->slots() <= 64) return std::make_unique<Learned<64>>(std::move(puzzle), start, moves, bound, pairs);
  return std::make_unique<Learned<128>>(std::move(puzzle), start, moves, bound, pairs);
}

Outcome ida_star_partitions(const PermutationPuzzle& puzzle, const Task& task) {
  check_size(puzzle);
  if (task.options.weight != 1) throw std::invalid_argument("with cost partitions weight is 1");
  if (puzzle.slots() <= 32) return run<32>(puzzle, task);
  if (puzzle.slots() <= 64) return run<64>(puzzle, task);
  return run<128>(puzzle, task);
}

}  // namespace hstar
