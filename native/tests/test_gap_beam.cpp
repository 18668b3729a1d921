#include "beam/gap_beam.hpp"
#include "check.hpp"
#include "model.hpp"

namespace test_gap_beam {

using namespace hstar;
using test::State;

namespace {

// Pancakes: each move turns over the first ones.
std::shared_ptr<const PermutationPuzzle> stack(unsigned size) {
  std::vector<PermutationPuzzle::Definition> moves;
  State goal(size);
  std::iota(goal.begin(), goal.end(), std::uint8_t{0});
  std::vector<Value> same(size);
  std::iota(same.begin(), same.end(), Value{0});
  for (std::uint16_t count = 2; count <= size; ++count) {
    std::vector<std::uint16_t> to(count), from(count);
    std::iota(to.begin(), to.end(), std::uint16_t{0});
    std::reverse_copy(to.begin(), to.end(), from.begin());
    moves.push_back({to, from, std::vector<std::vector<Value>>(count, same)});
  }
  return std::make_shared<const PermutationPuzzle>(std::vector<unsigned>(size, size), goal, std::move(moves));
}

}  // namespace

TEST(gap_beam, as_wide_as_the_space_finds_the_breadth_first_distance) {
  const auto puzzle = stack(5);
  const Heuristic zero(puzzle, {}, {{Op::constant, 0, 0}}, true, 0);
  const State moves = test::all_moves(*puzzle);
  for (const auto& [start, distance] : test::distances(*puzzle)) {
    Control control;
    for (const unsigned threads : {1u, 3u}) {
      const Outcome outcome = gap_beam(start, moves, zero, {.width = 120, .longest = 10, .threads = threads}, control);
      CHECK(outcome.status == Status::solved);
      CHECK_EQUAL(static_cast<int>(outcome.path.size()), distance);  // the moves undo themselves
      test::replay(*puzzle, start, outcome.path);
    }
  }
}

TEST(gap_beam, is_the_same_with_any_number_of_threads_and_keeps_its_limits) {
  test::Random random(17);
  for (const unsigned size : {20u, 90u, 130u}) {
    const auto puzzle = stack(size);
    const Heuristic zero(puzzle, {}, {{Op::constant, 0, 0}}, true, 0);
    const State moves = test::all_moves(*puzzle);
    State start(size);
    std::iota(start.begin(), start.end(), std::uint8_t{0});
    test::shuffle(start, random);
    std::optional<Outcome> first;
    for (const unsigned threads : {1u, 2u, 5u}) {
      Control control;
      GapBeamOptions options{.width = 300, .longest = 2 * size, .threads = threads};
      const Outcome outcome = gap_beam(start, moves, zero, options, control);
      test::replay(*puzzle, start, outcome.path);
      if (!first) first = outcome;
      CHECK(outcome.path == first->path);
      CHECK_EQUAL(outcome.generated, first->generated);
      options.limits.expanded = 1'000;
      CHECK(gap_beam(start, moves, zero, options, control).expanded == 1'000);
      options.limits = {.memory_bytes = 1'000};
      CHECK(gap_beam(start, moves, zero, options, control).limit == Limit::memory);
      control.cancel();
      CHECK(gap_beam(start, moves, zero, options, control).status != Status::solved);
    }
  }
}

}  // namespace test_gap_beam
