#include "check.hpp"
#include "worlds.hpp"

namespace test_puzzle {

using namespace hstar;
using Definition = PermutationPuzzle::Definition;
using test::State;

namespace {

PermutationPuzzle three(std::vector<Definition> moves) { return {{2, 2, 3}, {0, 1, 2}, std::move(moves)}; }
const std::vector<Value> kKeep{0, 1}, kFlip{1, 0};

}  // namespace

TEST(puzzle, a_permutation_puzzle_refuses_nonsense) {
  CHECK_THROWS(PermutationPuzzle({}, {}, {}), "0 slots");
  CHECK_THROWS(PermutationPuzzle(std::vector<unsigned>(8193, 2), State(8193), {}), "8193 slots");
  CHECK_THROWS(PermutationPuzzle({2, 0}, {0, 0}, {}), "slot 1 has 0 values");
  CHECK_THROWS(PermutationPuzzle({1025}, {0, 0}, {}), "1025 values");
  CHECK_THROWS(PermutationPuzzle({2, 2}, {0}, {}), "goal has 1 bytes");
  CHECK_THROWS(PermutationPuzzle({2, 2}, {0, 2}, {}), "goal: slot 1 holds 2");
  CHECK_THROWS(PermutationPuzzle({2}, {0}, std::vector<Definition>(257)), "257 moves");
  CHECK_THROWS(three({{{0, 1}, {1}, {kKeep}}}), "differ in length");
  CHECK_THROWS(three({{{0, 1}, {1, 0}, {kKeep}}}), "differ in length");
  CHECK_THROWS(three({{}, {{3}, {0}, {kKeep}}}), "move 1: no slot 3");
  CHECK_THROWS(three({{{0}, {200}, {kKeep}}}), "no slot 200");
  CHECK_THROWS(three({{{0, 0}, {0, 1}, {kKeep, kKeep}}}), "slot 0 is written twice");
  CHECK_THROWS(three({{{0, 1}, {1, 1}, {kKeep, kKeep}}}), "slot 1 is read twice");
  CHECK_THROWS(three({{{0}, {1}, {kKeep}}}), "not the same slots");
  CHECK_THROWS(three({{{0}, {0}, {{0}}}}), "map 0 has 1 entries, expected 2");
  CHECK_THROWS(three({{{0}, {0}, {{0, 2}}}}), "gives 2, but slot 0 has 2");
  CHECK_THROWS(three({{{0}, {0}, {{1, 1}}}}), "not one-to-one");
  CHECK_THROWS(three({}).check(State{0, 0}, "start"), "start has 2 bytes, expected 3");
  CHECK_THROWS(three({}).check(State{0, 2, 0}, "start"), "start: slot 1 holds 2");
}

TEST(puzzle, a_move_reads_all_before_it_writes) {
  const PermutationPuzzle puzzle = three({{{0, 1}, {1, 0}, {kFlip, kKeep}}});
  State out(3);
  CHECK(puzzle.apply(State{0, 1, 2}, 0, out.data()));
  CHECK(out == (State{0, 0, 2}));
}

TEST(puzzle, inverses_are_found_and_are_inverses) {
  const PermutationPuzzle puzzle = three({
      {{0, 1}, {1, 0}, {kFlip, kKeep}},
      {{0, 1}, {1, 0}, {kKeep, kKeep}},  // its own inverse
      {{1, 0}, {0, 1}, {kFlip, kKeep}},  // undoes the first
      {{2}, {2}, {{1, 2, 0}}},           // order 3, no inverse here
      {{0}, {0}, {kKeep}},               // does nothing, so it undoes itself
      {},                                // the same
  });
  CHECK_EQUAL(puzzle.inverse(0), 2u);
  CHECK_EQUAL(puzzle.inverse(1), 1u);
  CHECK_EQUAL(puzzle.inverse(2), 0u);
  CHECK_EQUAL(puzzle.inverse(3), PermutationPuzzle::kNone);
  CHECK_EQUAL(puzzle.inverse(4), 4u);
  CHECK_EQUAL(puzzle.inverse(5), 4u);

  test::Random random(3);
  int pairs = 0, lone = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto world = test::random_permutation(1 + test::below(random, 9), random);
    std::vector<State> probes;  // states that tell moves apart: all values in all slots
    for (unsigned value = 0; value < world->values(0); ++value)
      for (unsigned slot = 0; slot < world->slots(); ++slot) {
        State state(world->slots(), static_cast<std::uint8_t>(value));
        state[slot] = static_cast<std::uint8_t>((value + 1) % world->values(0));
        probes.push_back(state);
        probes.push_back(State(world->slots(), static_cast<std::uint8_t>(value)));
      }
    for (unsigned a = 0; a < world->move_count(); ++a) {
      unsigned expected = PermutationPuzzle::kNone;
      for (unsigned b = 0; b < world->move_count() && expected == PermutationPuzzle::kNone; ++b) {
        const bool undone = std::ranges::all_of(probes, [&](const State& state) {
          State middle(state.size()), end(state.size());
          world->apply(state, a, middle.data());
          world->apply(middle, b, end.data());
          return end == state;
        });
        if (undone) expected = b;
      }
      CHECK_EQUAL(world->inverse(a), expected);
      ++(expected == PermutationPuzzle::kNone ? lone : pairs);
    }
  }
  CHECK(pairs > 100 && lone > 100);
}

TEST(puzzle, tiles_refuse_nonsense) {
  CHECK_THROWS(SlidingTiles(0, 3, {}), "0 x 3 board");
  CHECK_THROWS(SlidingTiles(1, 1, {0}), "1 x 1 board");
  CHECK_THROWS(SlidingTiles(16, 16, State(256)), "16 x 16 board");
  CHECK_THROWS(SlidingTiles(65536, 65537, State(1)), "board");
  CHECK_THROWS(SlidingTiles(2, 2, {0, 1, 2}), "goal has 3 bytes");
  CHECK_THROWS(SlidingTiles(2, 2, {0, 1, 2, 4}), "goal: slot 3 holds 4");
  CHECK_THROWS(SlidingTiles(2, 2, {0, 1, 2, 2}), "goal: tile 2 appears twice");
  CHECK_EQUAL(test::tiles(15, 17)->slots(), 255u);
}

TEST(puzzle, the_blank_moves_up_right_down_left) {
  const SlidingTiles puzzle(2, 3, {0, 1, 2, 3, 4, 5});
  State out(6);
  CHECK(!puzzle.apply(puzzle.goal(), 0, out.data()));
  CHECK(!puzzle.apply(puzzle.goal(), 3, out.data()));
  CHECK(puzzle.apply(puzzle.goal(), 1, out.data()));
  CHECK(out == (State{1, 0, 2, 3, 4, 5}));
  CHECK(puzzle.apply(puzzle.goal(), 2, out.data()));
  CHECK(out == (State{3, 1, 2, 0, 4, 5}));
  CHECK(puzzle.apply(State{3, 1, 2, 0, 4, 5}, 0, out.data()));
  CHECK(out == (State{0, 1, 2, 3, 4, 5}));
  CHECK(puzzle.apply(State{1, 0, 2, 3, 4, 5}, 3, out.data()));
  CHECK(out == (State{0, 1, 2, 3, 4, 5}));
  CHECK(!puzzle.apply(State{1, 2, 0, 3, 4, 5}, 1, out.data()));
  CHECK(!puzzle.apply(State{1, 2, 5, 3, 4, 0}, 2, out.data()));
}

}  // namespace test_puzzle
