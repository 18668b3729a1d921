#include "check.hpp"
#include "heuristic/heuristic.hpp"
#include "hstar.hpp"
#include "deepening/pattern_search.hpp"
#include "pattern_worlds.hpp"

namespace test_pattern_search {

using namespace hstar;
using test::database;
using test::distances;
using test::Moves;
using test::Random;
using test::State;

namespace {

bool solves(const PermutationPuzzle& puzzle, State state, const std::vector<std::uint8_t>& path) {
  for (const std::uint8_t move : path) {
    State next(state.size());
    puzzle.apply(state, move, next.data());
    state = next;
  }
  return std::ranges::equal(state, puzzle.goal());
}

}  // namespace

TEST(pattern_search, lengths_are_the_true_distances) {
  Random random(11);
  for (int round = 0; round < 6; ++round) {
    const auto space = test::random_space({{0, 4, 2}, {4, 4, 1}}, 2, random);
    const Moves moves = round % 2 ? Moves{2, 0} : Moves{0, 1, 2, 3};
    const auto truth = distances(space->puzzle(), moves);
    const PatternHeuristic heuristic(
        space, moves, {database(space, moves, {0, 1, 5}), database(space, moves, {2, 3})}, {});
    int number = 0;
    for (const auto& [state, distance] : truth) {
      if (++number % std::max<int>(1, static_cast<int>(truth.size() / 60)) != 0) continue;
      for (const unsigned threads : {1u, 3u}) {
        Control control;
        const Outcome outcome = pattern_ida_star(state, heuristic, {}, threads, control);
        CHECK(outcome.status == Status::solved);
        CHECK_EQUAL(outcome.path.size(), std::size_t{distance});
        CHECK(solves(space->puzzle(), state, outcome.path));
        CHECK_EQUAL(control.expanded.load(), outcome.expanded);
        CHECK(outcome.expanded_last_layer <= outcome.expanded);
      }
    }
  }
}

TEST(pattern_search, the_solution_does_not_depend_on_the_threads) {
  const auto space = test::ring(6);
  const Moves moves = test::all_moves(space->puzzle());
  const PatternHeuristic heuristic(space, moves, {database(space, moves, {0, 1})}, {});
  Random random(12);
  const State goal(space->puzzle().goal().begin(), space->puzzle().goal().end());
  for (int round = 0; round < 20; ++round) {
    const State start = test::walk(space->puzzle(), goal, 9, random);
    Control one, again, many;
    const Outcome first = pattern_ida_star(start, heuristic, {}, 1, one);
    const Outcome second = pattern_ida_star(start, heuristic, {}, 1, again);
    const Outcome third = pattern_ida_star(start, heuristic, {}, 4, many);
    CHECK(first.path == second.path);
    CHECK_EQUAL(first.expanded, second.expanded);
    CHECK_EQUAL(first.generated, second.generated);
    CHECK(first.path == third.path);
  }
}

TEST(pattern_search, limits_end_it_with_a_lower_bound) {
  const auto space = test::ring(7);
  const Moves moves = test::all_moves(space->puzzle());
  const PatternHeuristic heuristic(space, moves, {database(space, moves, {0})}, {});
  Random random(13);
  const State goal(space->puzzle().goal().begin(), space->puzzle().goal().end());
  const State start = test::walk(space->puzzle(), goal, 60, random);
  Control whole;
  const Outcome solved = pattern_ida_star(start, heuristic, {}, 1, whole);
  CHECK(solved.status == Status::solved);
  CHECK(solved.expanded > 1000);
  Limits limits;
  limits.expanded = 100;
  Control a;
  const Outcome expanded = pattern_ida_star(start, heuristic, limits, 1, a);
  CHECK(expanded.limit == Limit::expanded);
  CHECK_EQUAL(expanded.expanded, std::uint64_t{100});
  CHECK(expanded.f_bound <= solved.f_bound);
  CHECK(expanded.f_bound >= heuristic.value(start));
  limits = {};
  limits.generated = 500;
  Control b;
  const Outcome generated = pattern_ida_star(start, heuristic, limits, 1, b);
  CHECK(generated.limit == Limit::generated);
  CHECK(generated.generated >= 500 && generated.generated < 500 + moves.size());
  limits = {};
  limits.seconds = 0;
  Control c;
  const Outcome seconds = pattern_ida_star(start, heuristic, limits, 1, c);
  CHECK(seconds.limit == Limit::seconds);
  CHECK_EQUAL(seconds.expanded, std::uint64_t{0});
  for (const unsigned threads : {1u, 2u}) {
    Control d;
    d.cancel();
    CHECK(pattern_ida_star(start, heuristic, {}, threads, d).status == Status::cancelled);
  }
  limits.seconds = -1;
  CHECK_THROWS(pattern_ida_star(start, heuristic, limits, 1, c), "seconds");
  CHECK_THROWS(pattern_ida_star(start, heuristic, {}, 0, c), "threads is 0, expected 1 to 64");
  CHECK_THROWS(pattern_ida_star(start, heuristic, {}, 65, c), "threads is 65, expected 1 to 64");
  CHECK_THROWS(pattern_ida_star(State(7, 0), heuristic, {}, 1, c), "start: a piece appears twice");
}

TEST(pattern_search, what_no_moves_solve_is_exhausted) {
  // The moves turn the first three of five pieces only.
  const test::Numbers keep = test::numbers_to(5);
  const auto puzzle = std::make_shared<const PermutationPuzzle>(
      std::vector<unsigned>(5, 5), test::identity(5),
      std::vector<PermutationPuzzle::Definition>{{{0, 1, 2}, {1, 2, 0}, {keep, keep, keep}}});
  const auto space = std::make_shared<const PieceSpace>(puzzle, std::vector<Orbit>{{0, 5, 1}});
  const PatternHeuristic first(space, {0}, {database(space, {0}, {0})}, {});
  const PatternHeuristic last(space, {0}, {database(space, {0}, {4})}, {});
  const State swapped{0, 1, 2, 4, 3};
  Control a, b;
  CHECK_EQUAL(last.value(swapped), Database::kUnreachable);
  CHECK(pattern_ida_star(swapped, last, {}, 1, a).status == Status::exhausted);
  // The database's value is 0 here, but after two turns there are no new states.
  CHECK_EQUAL(first.value(swapped), 0u);
  CHECK(pattern_ida_star(swapped, first, {}, 1, b).status == Status::exhausted);
}

TEST(pattern_search, a_database_is_a_feature_of_heuristics) {
  Random random(14);
  const auto space = test::random_space({{0, 4, 2}, {4, 4, 1}}, 2, random);
  const Moves moves = test::all_moves(space->puzzle());
  const auto shared = std::make_shared<const PatternHeuristic>(
      space, moves, std::vector{database(space, moves, {0, 1, 5})}, std::vector<std::shared_ptr<const Symmetry>>{});
  const std::shared_ptr<const PermutationPuzzle> puzzle(space, &space->puzzle());
  Feature feature{Feature::Kind::database};
  feature.database = shared;
  const Heuristic heuristic(puzzle, {feature}, {{Op::feature, 0, 0}}, true, 255);
  int number = 0;
  for (const auto& [state, distance] : distances(space->puzzle(), moves)) {
    CHECK_EQUAL(heuristic.evaluate(state), double(shared->value(state)));
    if (++number % 50 != 0) continue;
    Control control;
    const Outcome outcome = astar(state, moves, heuristic, {}, control);
    CHECK_EQUAL(outcome.path.size(), std::size_t{distance});
  }
  const auto other = test::ring(4);
  feature.database = nullptr;
  CHECK_THROWS(Heuristic(puzzle, {feature}, {{Op::feature, 0, 0}}, true, 255), "feature 0: the database");
  feature.database = shared;
  CHECK_THROWS(Heuristic(std::shared_ptr<const PermutationPuzzle>(other, &other->puzzle()), {feature},
                         {{Op::feature, 0, 0}}, true, 255),
               "feature 0: the database is of another puzzle");
}

TEST(pattern_search, threads_keep_a_limit_of_expansions_exactly) {
  const auto space = test::ring(8);
  const State moves = test::all_moves(space->puzzle());
  const PatternHeuristic heuristic(space, moves, {test::database(space, moves, {0, 1})}, {});
  test::Random random(12);
  const State far = test::walk(space->puzzle(), test::goal_of(space->puzzle()), 40, random);
  for (const unsigned threads : {1u, 2u, 4u}) {
    for (const std::uint64_t limit : {0u, 1u, 77u, 500u}) {
      Limits limits;
      limits.expanded = limit;
      Control control;
      const Outcome o = pattern_ida_star(far, heuristic, limits, threads, control);
      CHECK(o.limit == Limit::expanded);
      CHECK_EQUAL(o.expanded, limit);
      CHECK_EQUAL(control.expanded.load(), limit);
    }
  }
}

}  // namespace test_pattern_search
