#include "check.hpp"
#include "hstar.hpp"
#include "model.hpp"
#include "pattern_worlds.hpp"
#include "deepening/partition_walk.hpp"

namespace test_cost_partition {

using namespace hstar;
using test::State;

namespace {

std::uint64_t bound(const CostPartitions& partitions, const std::vector<std::uint32_t>& costs, const State& state) {
  std::uint64_t sum = 0;
  for (std::size_t slot = 0; slot < state.size(); ++slot) sum += costs[slot * partitions.row() + state[slot]];
  return sum;
}

constexpr auto kNever = [] { return false; };

}  // namespace

TEST(cost_partition, bounds_are_consistent_and_below_the_distance) {
  test::Random random(1201);
  int raised = 0;
  for (int trial = 0; trial < test::instances(60, 12); ++trial) {
    const auto space = test::small_space(random);
    const PermutationPuzzle& puzzle = space->puzzle();
    const State moves = test::all_moves(puzzle);
    const auto distance = test::distances(puzzle, moves);
    const CostPartitions partitions(puzzle, moves);
    std::vector<const std::uint8_t*> some;
    for (const auto& [state, d] : distance)
      if (test::below(random, static_cast<unsigned>(distance.size())) < 5) some.push_back(state.data());
    std::vector<CostPartitions::Shares> all{partitions.even(), partitions.improve(some, 40, kNever)};
    for (unsigned orbit = 0; orbit < partitions.orbits(); ++orbit) all.push_back(partitions.even(orbit));
    std::vector<std::uint64_t> together;
    for (const CostPartitions::Shares& shares : all) {
      const auto costs = partitions.costs(shares);
      CHECK_EQUAL(bound(partitions, costs, test::goal_of(puzzle)), 0u);
      std::uint64_t sum = 0;
      for (const std::uint8_t* state : some) sum += bound(partitions, costs, State(state, state + puzzle.slots()));
      together.push_back(sum);
      int left = 400;
      for (const auto& [state, d] : distance) {
        if (left-- == 0) break;
        const std::uint64_t its = bound(partitions, costs, state);
        CHECK(its <= CostPartitions::kScale * std::uint64_t{d});
        State after(state.size());
        for (const std::uint8_t move : moves) {
          puzzle.apply(state, move, after.data());
          CHECK(its <= CostPartitions::kScale + bound(partitions, costs, after));
        }
      }
    }
    CHECK(together[1] + some.size() * puzzle.slots() >= together[0]);  // rounding aside
    raised += together[1] > together[0];
  }
  CHECK(raised > test::instances(60, 12) / 2);
}

TEST(cost_partition, stays_admissible_whatever_is_learned) {
  test::Random random(1202);
  for (int trial = 0; trial < test::instances(30, 6); ++trial) {
    const auto space = test::small_space(random);
    const PermutationPuzzle& puzzle = space->puzzle();
    const State moves = test::all_moves(puzzle);
    const auto distance = test::distances(puzzle, moves);
    PartitionWalk<32> walk(puzzle, moves, *MoveAutomaton::of(puzzle, moves, Pruning::canonical));
    const auto start = std::next(distance.begin(), test::below(random, static_cast<unsigned>(distance.size())));
    const auto sum = [&] {
      std::int64_t all = 0;
      for (const auto& [state, d] : distance) all += walk.h(walk.raw(state));
      return all;
    };
    const std::int64_t before = sum();
    walk.learn(start->first, static_cast<std::int32_t>(start->second) + 1, kNever);
    CHECK(sum() >= before);  // the first partitions are kept
    for (const auto& [state, d] : distance) CHECK(walk.h(walk.raw(state)) <= static_cast<std::int32_t>(d));
    // A walk's sums follow its moves.
    State state = start->first;
    auto packed = walk.pack(state);
    auto sums = walk.raw(state);
    std::uint32_t row = walk.first_row(state);
    for (int i = 0; i < 8 && !walk.steps(row).empty(); ++i) {
      const auto& step = walk.steps(row)[test::below(random, static_cast<unsigned>(walk.steps(row).size()))];
      sums = walk.raw(packed, sums, step);
      const auto previous = packed;
      walk.apply(previous, step, packed);
      const auto anew = walk.raw(walk.bytes(packed, nullptr));
      CHECK(sums.packed == anew.packed && sums.more == anew.more);
      row = step.row;
    }
    // Learning that is stopped leaves a walk that can be used.
    int polls = 0;
    walk.learn(start->first, static_cast<std::int32_t>(start->second), [&] { return ++polls > 3; });
    for (const auto& [one, d] : distance) CHECK(walk.h(walk.raw(one)) <= static_cast<std::int32_t>(d));
  }
}

TEST(cost_partition, searches_find_the_breadth_first_distance) {
  test::Random random(1203);
  for (int trial = 0; trial < test::instances(30, 6); ++trial) {
    const auto space = test::small_space(random);
    const auto puzzle = std::make_shared<const PermutationPuzzle>(space->puzzle());
    const State moves = test::all_moves(*puzzle);
    const Heuristic zero(puzzle, {}, {{Op::constant, 0, 0}}, true, 0);
    int left = 12;
    for (const auto& [state, d] : test::distances(*puzzle, moves)) {
      if (left-- == 0) break;
      SearchOptions options;
      options.partitions = true;
      options.threads = 1 + test::below(random, 3);
      Control control;
      const Outcome o = ida_star(state, moves, zero, options, control);
      CHECK(o.status == Status::solved);
      CHECK_EQUAL(o.path.size(), static_cast<std::size_t>(d));
      test::replay(*puzzle, state, o.path);
    }
  }
  const auto tiles = test::tiles(3, 3);
  SearchOptions options;
  options.partitions = true;
  Control control;
  // The tables are charged.
  const auto puzzle = std::make_shared<const PermutationPuzzle>(test::small_space(random)->puzzle());
  const Heuristic zero(puzzle, {}, {{Op::constant, 0, 0}}, true, 0);
  const State all = test::all_moves(*puzzle);
  const PartitionWalk<32> walk(*puzzle, all, *MoveAutomaton::of(*puzzle, all, Pruning::canonical));
  CHECK(ida_star(test::goal_of(*puzzle), all, zero, options, control).peak_bytes > walk.table_bytes());
  options.limits.memory_bytes = walk.table_bytes() - 1;
  CHECK(ida_star(test::goal_of(*puzzle), all, zero, options, control).limit == Limit::memory);
  CHECK_THROWS(
      ida_star(test::goal_of(*tiles), test::all_moves(*tiles), test::manhattan_heuristic(tiles), options, control),
      "permutation puzzles");
}

}  // namespace test_cost_partition
