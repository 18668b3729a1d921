#include <cmath>

#include "check.hpp"
#include "worlds.hpp"

namespace test_heuristic {

using namespace hstar;
using Kind = Feature::Kind;
using test::State;

namespace {

// The features, computed directly from their definitions.
double feature_by_hand(const Puzzle& puzzle, const Feature& feature, const State& state) {
  if (feature.kind == Kind::solved) return std::ranges::equal(state, puzzle.goal());
  const auto& tiles = dynamic_cast<const SlidingTiles*>(&puzzle);
  if (feature.kind == Kind::linear_conflict) return LinearConflict(*tiles)(state);
  if (feature.kind == Kind::conflicts) return conflicts(state, tiles->columns());
  if (feature.kind == Kind::inversions) return inversions(state);
  if (feature.kind == Kind::gaschnig) return Gaschnig(*tiles)(state);
  if (feature.kind == Kind::walking_distance) return WalkingDistance(*tiles)(state);
  if (feature.kind == Kind::clustered_misplaced) return clustered_misplaced(state, puzzle.goal(), tiles->columns());
  if (feature.kind == Kind::maximum) {
    std::vector<std::int32_t> entries;
    for (std::size_t slot = 0; slot < state.size(); ++slot)
      entries.push_back(feature.table[slot * feature.width + state[slot]]);
    return *std::ranges::max_element(entries);
  }
  if (feature.kind == Kind::union_of_groups) {
    int groups = 0;
    for (unsigned group = 0; group < 64; ++group) {
      bool touched = false;
      for (std::size_t slot = 0; slot < state.size(); ++slot)
        touched = touched || (feature.masks[slot * feature.width + state[slot]] >> group & 1);
      groups += touched;
    }
    return groups;
  }
  double sum = 0;
  for (std::size_t slot = 0; slot < state.size(); ++slot) sum += feature.table[slot * feature.width + state[slot]];
  return sum;
}

Heuristic constant(double value, bool integer, double most) {
  return {test::tiles(2, 2), {}, {{Op::constant, value, 0}}, integer, most};
}

}  // namespace

TEST(heuristic, packed_features_equal_their_definitions) {
  test::Random random(21);
  int compiled = 0, computed = 0;
  const int trials = test::instances(400, 60);
  for (int trial = 0; trial < trials; ++trial) {
    std::shared_ptr<const Puzzle> puzzle;
    if (trial % 2)
      puzzle = test::random_tiles(2 + test::below(random, 3), 2 + test::below(random, 4), random);
    else
      puzzle = test::random_permutation(1 + test::below(random, 60), random);
    // sizes for which walking distance has tables, but for the slowest to build
    const auto* board = dynamic_cast<const SlidingTiles*>(puzzle.get());
    const bool small = board && std::max(board->rows(), board->columns()) < 5;
    const std::size_t width = test::width_of(*puzzle) + test::below(random, 3);
    std::vector<Feature> features;
    const unsigned count = 1 + test::below(random, 4);
    for (unsigned i = 0; i < count; ++i) {
      constexpr Kind kTileKinds[] = {Kind::linear_conflict, Kind::conflicts,        Kind::inversions,
                                     Kind::gaschnig,        Kind::walking_distance, Kind::clustered_misplaced};
      const unsigned kind = test::below(random, trial % 2 ? 5 + std::size(kTileKinds) : 5);
      if (kind == 0)
        features.push_back({Kind::solved});
      else if (kind == 1)
        features.push_back({Kind::table, test::random_table(*puzzle, width, -2, 3, random), width});
      else if (kind == 2)  // one that often does not fit into raw
        features.push_back({Kind::table, test::random_table(*puzzle, width, -2000000000, 2000000000, random), width});
      else if (kind == 3)
        features.push_back(test::random_groups(*puzzle, width, random));
      else if (kind == 4)
        features.push_back({Kind::maximum, test::random_table(*puzzle, width, -50, 50, random), width});
      else if (kTileKinds[kind - 5] != Kind::walking_distance || small)
        features.push_back({kTileKinds[kind - 5]});
      else
        features.push_back({Kind::solved});
    }
    std::vector<Instruction> program{{Op::feature, 0, 0}};
    for (unsigned i = 1; i < count; ++i) {
      program.push_back({Op::feature, 0, test::below(random, count)});
      program.push_back({test::below(random, 2) ? Op::sub : Op::max, 0, 0});
    }
    const Heuristic heuristic(puzzle, features, program, false, INFINITY);
    ++(heuristic.lookup().empty() ? computed : compiled);
    const Program plain(program, count);
    for (int i = 0; i < 20; ++i) {
      const State state =
          i == 0 ? State(puzzle->goal().begin(), puzzle->goal().end())
                 : test::walk(*puzzle, {puzzle->goal().begin(), puzzle->goal().end()}, 30, random);
      std::vector<double> values;
      for (const Feature& feature : features) values.push_back(feature_by_hand(*puzzle, feature, state));
      CHECK_EQUAL(heuristic.evaluate(state), std::max(0.0, plain.run(values)));
      CHECK(heuristic.raw(state) < Heuristic::kRawLimit);
    }
  }
  CHECK(compiled > trials / 8 && computed > trials / 8);
}

TEST(heuristic, values_stay_within_what_was_promised) {
  const State state{0, 1, 2, 3};
  CHECK_EQUAL(constant(-5, true, 10).evaluate(state), 0);
  CHECK_EQUAL(constant(7, true, 10).evaluate(state), 7);
  CHECK_EQUAL(constant(11, true, 10).evaluate(state), 10);
  CHECK_EQUAL(constant(7.5, true, 10).evaluate(state), 7);
  CHECK_EQUAL(constant(7.5, false, 10).evaluate(state), 7.5);
  CHECK_EQUAL(constant(1e300, false, INFINITY).evaluate(state), 1e300);
  const Heuristic nan(test::tiles(2, 2), {}, {{Op::constant, 0, 0}, {Op::constant, 0, 0}, {Op::div, 0, 0}}, false, 9);
  CHECK_EQUAL(nan.evaluate(state), 0);
  CHECK(!std::signbit(constant(-0.0, false, 9).evaluate(state)));
}

TEST(heuristic, refuses_nonsense) {
  const auto puzzle = test::tiles(2, 2);
  const std::vector<Instruction> zero{{Op::constant, 0, 0}};
  CHECK_THROWS(Heuristic(puzzle, {}, zero, true, -1), "max_value");
  CHECK_THROWS(Heuristic(puzzle, {}, zero, true, NAN), "max_value");
  CHECK_THROWS(Heuristic(puzzle, {}, zero, true, 1.5), "not an integer");
  CHECK_THROWS(Heuristic(puzzle, {{Kind::table, std::vector<std::int32_t>(12), 3}}, zero, true, 1),
               "3 columns, but slot 0 has 4");
  CHECK_THROWS(Heuristic(puzzle, {{Kind::table, std::vector<std::int32_t>(12), 4}}, zero, true, 1), "one row for each");
  CHECK_THROWS(Heuristic(puzzle, {{Kind::table, {}, 0}}, zero, true, 1), "one row for each");
  // A width whose product with the four slots overflows to 0.
  CHECK_THROWS(Heuristic(puzzle, {{Kind::table, {}, std::size_t{1} << 62}}, zero, true, 1), "one row for each");
  CHECK_THROWS(Heuristic(puzzle, {{Kind::maximum, std::vector<std::int32_t>(12), 4}}, zero, true, 1),
               "one row for each");
  CHECK_THROWS(Heuristic(test::tiles(5, 5), {{Kind::walking_distance}}, zero, true, 1), "do not fit into 63 bits");
  CHECK_THROWS(Heuristic(puzzle, {{Kind::union_of_groups, {}, 4, std::vector<std::uint64_t>(15)}}, zero, true, 1),
               "one row for each");
  CHECK_THROWS(Heuristic(puzzle, {{Kind::union_of_groups, {}, 3, std::vector<std::uint64_t>(12)}}, zero, true, 1),
               "3 columns, but slot 0 has 4");
  CHECK_THROWS(Heuristic(puzzle, std::vector<Feature>(65, {Kind::solved}), zero, true, 1), "65 features");
  test::Random random(5);
  const auto permutation = test::random_permutation(4, random);
  for (const Kind kind : {Kind::linear_conflict, Kind::conflicts, Kind::inversions, Kind::gaschnig,
                          Kind::walking_distance, Kind::clustered_misplaced})
    CHECK_THROWS(Heuristic(permutation, {{Kind::solved}, {kind}}, zero, true, 1),
                 "feature 1: only defined for sliding");
  CHECK_THROWS(constant(1, true, 1).evaluate(State{0, 1, 2}), "state has 3 bytes");
}

}  // namespace test_heuristic
