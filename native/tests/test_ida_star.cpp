#include "check.hpp"
#include "model.hpp"
#include "puzzle/move_automaton.hpp"

namespace test_ida_star {

using namespace hstar;
using test::State;

namespace {

constexpr Pruning kPrunings[] = {Pruning::none, Pruning::inverse, Pruning::canonical};

// Pruning `inverse` is computed from its definition here; `canonical` uses the automaton, which has its own suite.
std::function<bool(const State&, std::uint8_t)> rule(const test::Problem& problem, Pruning pruning) {
  if (pruning == Pruning::none) return [](const State&, std::uint8_t) { return true; };
  const auto* permutation = dynamic_cast<const PermutationPuzzle*>(problem.puzzle.get());
  if (permutation == nullptr)
    return [](const State& path, std::uint8_t move) { return path.empty() || (move ^ 2) != path.back(); };
  if (pruning == Pruning::inverse)
    return [permutation](const State& path, std::uint8_t move) {
      return path.empty() || permutation->inverse(move) != path.back();
    };
  return [automaton = MoveAutomaton::of(*permutation, problem.moves, pruning), moves = problem.moves](
             const State& path, std::uint8_t move) {
    std::uint16_t state = MoveAutomaton::kStart;
    const auto follow = [&](std::uint8_t next) {
      for (const MoveAutomaton::Step& step : automaton->steps(state))
        if (moves[step.number] == next) return state = step.next, true;
      return false;
    };
    for (const std::uint8_t made : path) follow(made);
    return follow(move);
  };
}

Outcome compare(const test::Problem& problem, const SearchOptions& options, std::map<std::string, int>& endings) {
  Control control;
  const Outcome got = ida_star(problem.start, problem.moves, problem.heuristic, options, control);
  const auto allowed = rule(problem, options.pruning);
  test::check_equals(got, control,
                     test::model_ida_star(problem.heuristic, problem.start, problem.moves, options, allowed));
  if (got.status == Status::solved) test::replay(*problem.puzzle, problem.start, got.path);
  ++endings[test::ending(got)];
  return got;
}

}  // namespace

TEST(ida_star, equals_the_model) {
  test::Random random(71);
  std::map<std::string, int> endings;
  const int trials = test::instances(400, 25);
  for (int trial = 0; trial < trials; ++trial) {
    const test::Problem problem =
        trial % 2 ? test::random_tile_problem(random) : test::random_permutation_problem(random);
    SearchOptions options{std::vector<double>{1, 1, 1, 0, 2, 5, 1.5, 0.3}[test::below(random, 8)], {}, {}};
    options.limits.expanded = test::below(random, 3000);
    if (test::below(random, 3) == 0) options.limits.generated = test::below(random, 3000);
    for (const Pruning pruning : kPrunings) {
      options.pruning = pruning;
      compare(problem, options, endings);
    }
  }
  CHECK(endings["solved"] > trials / 2 && endings["expanded"] > trials / 2 && endings["generated"] > trials / 4);
  CHECK(endings["exhausted"] > trials / 40);
}

TEST(ida_star, finds_the_breadth_first_distance) {
  test::Random random(72);
  const auto puzzle = test::tiles(3, 3);
  const auto distance = test::distances(*puzzle);
  const Heuristic manhattan = test::manhattan_heuristic(puzzle);
  const Heuristic conflict(puzzle, {test::manhattan(*puzzle), {Feature::Kind::linear_conflict}},
                           {{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::add, 0, 0}}, true, 100);
  const Heuristic walking(puzzle, {{Feature::Kind::walking_distance}}, {{Op::feature, 0, 0}}, true, 100);
  const Heuristic real(puzzle, {test::manhattan(*puzzle)}, {{Op::feature, 0, 0}, {Op::constant, 3, 0}, {Op::div, 0, 0}},
                       false, 100);
  const int every = 181440 / test::instances(90, 6);
  int i = 0;
  for (const auto& [state, d] : distance) {
    if (i++ % every != 0 && d < 31) continue;
    for (const Heuristic* h : {&manhattan, &conflict, &walking, &real}) {
      if (h == &real && d > 20) continue;  // too weak for the farthest
      Control control;
      const Outcome o = ida_star(state, test::all_moves(*puzzle), *h, {}, control);
      CHECK(o.status == Status::solved);
      CHECK_EQUAL(o.path.size(), static_cast<std::size_t>(d));
      CHECK_EQUAL(o.f_bound, d);
      test::replay(*puzzle, state, o.path);
      // Wherever the search is stopped, its bound is right.
      SearchOptions stopped;
      stopped.limits.expanded = test::below(random, static_cast<unsigned>(o.expanded) + 1);
      CHECK(ida_star(state, test::all_moves(*puzzle), *h, stopped, control).f_bound <= d);
    }
  }
}

TEST(ida_star, pruning_changes_how_much_is_searched_and_not_what_is_found) {
  test::Random random(73);
  int fewer = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto puzzle = test::random_permutation(6 + test::below(random, 10), random);
    const Heuristic unsolved(puzzle, {{Feature::Kind::solved}}, {{Op::feature, 0, 0}, {Op::logical_not, 0, 0}}, true,
                             1);
    const State start = test::walk(*puzzle, test::goal_of(*puzzle), 5, random);
    std::uint64_t generated[3];
    std::size_t length[3];
    for (const int i : {0, 1, 2}) {
      SearchOptions options;
      options.pruning = kPrunings[i];
      options.limits.generated = 100000;  // it may have to backtrack a long way
      Control control;
      const Outcome o = ida_star(start, test::all_moves(*puzzle), unsolved, options, control);
      generated[i] = o.generated;
      length[i] = o.status == Status::solved ? o.path.size() : ~std::size_t{0};
    }
    if (length[0] == ~std::size_t{0}) continue;
    CHECK(length[1] == length[0] && length[2] == length[0]);
    CHECK(generated[2] <= generated[1] && generated[1] <= generated[0]);
    fewer += generated[2] < generated[1];
  }
  CHECK(fewer > 10);
}

TEST(ida_star, threads_find_what_one_finds_and_count_the_same_before_the_last_iteration) {
  const auto puzzle = test::tiles(4, 4);
  const Heuristic manhattan = test::manhattan_heuristic(puzzle);
  const State moves = test::all_moves(*puzzle);
  // Korf's 42nd board, the quickest of his hundred, and one that is nearer.
  for (const State& start : {State{0, 1, 9, 7, 11, 13, 5, 3, 14, 12, 4, 2, 8, 6, 10, 15},
                             State{4, 1, 2, 3, 8, 5, 6, 7, 12, 9, 10, 11, 13, 14, 15, 0}}) {
    Control control;
    const Outcome alone = ida_star(start, moves, manhattan, {}, control);
    CHECK(alone.status == Status::solved);
    for (const unsigned threads : {2u, 3u}) {
      SearchOptions options;
      options.threads = threads;
      const Outcome together = ida_star(start, moves, manhattan, options, control);
      CHECK(together.path == alone.path && together.f_bound == alone.f_bound);
      CHECK_EQUAL(together.expanded - together.expanded_last_layer, alone.expanded - alone.expanded_last_layer);
      CHECK(together.expanded_last_layer >= alone.expanded_last_layer);
      CHECK_EQUAL(together.evaluated, together.generated + 1);
    }
  }
}

TEST(ida_star, threads_keep_limits_exactly) {
  const auto puzzle = test::tiles(4, 4);
  const Heuristic manhattan = test::manhattan_heuristic(puzzle);
  // Unsolvable.
  const State start{13, 14, 15, 7, 11, 12, 9, 5, 6, 0, 2, 1, 4, 8, 10, 3}, moves = test::all_moves(*puzzle);
  for (const unsigned threads : {2u, 4u}) {
    for (const std::uint64_t limit : {30011u, 100003u}) {
      SearchOptions options;
      options.threads = threads;
      options.limits.expanded = limit;
      Control control;
      const Outcome o = ida_star(start, moves, manhattan, options, control);
      CHECK(o.limit == Limit::expanded);
      CHECK_EQUAL(o.expanded, limit);
      CHECK_EQUAL(control.expanded.load(), limit);
      options.limits = {};
      options.limits.generated = limit;
      const Outcome g = ida_star(start, moves, manhattan, options, control);
      CHECK(g.limit == Limit::generated && g.generated >= limit && g.generated < limit + 4);
    }
  }
  SearchOptions none;
  none.threads = 0;
  Control control;
  CHECK_THROWS(ida_star(start, moves, manhattan, none, control), "threads is 0");
}

TEST(ida_star, ends_where_no_move_leads_on) {
  // A tree without further moves is finite, so the search ends.
  const auto puzzle = test::tiles(3, 3);
  const Heuristic h = test::manhattan_heuristic(puzzle);
  Control control;
  const State start{1, 2, 0, 3, 4, 5, 6, 7, 8};
  const Outcome o = ida_star(start, State{0, 1}, h, {}, control);  // up and right only, from the upper right corner
  CHECK(o.status == Status::exhausted);
  CHECK_EQUAL(o.expanded, 1u);
  CHECK_EQUAL(o.generated, 0u);
  CHECK(o.path.empty());
  const Outcome none = ida_star(start, State{}, h, {}, control);
  CHECK(none.status == Status::exhausted);
}

TEST(ida_star, does_not_look_where_h_is_infinite) {
  // 1 / 0 unless solved.
  const auto puzzle = test::tiles(2, 2);
  const Heuristic h(puzzle, {{Feature::Kind::solved}}, {{Op::constant, 1, 0}, {Op::feature, 0, 0}, {Op::div, 0, 0}},
                    false, std::numeric_limits<double>::infinity());
  Control control;
  const State start{1, 0, 2, 3}, moves = test::all_moves(*puzzle);
  const Outcome o = ida_star(start, moves, h, {}, control);
  CHECK(o.status == Status::exhausted);
  CHECK_EQUAL(o.expanded, 0u);
  CHECK(ida_star(puzzle->goal(), moves, h, {}, control).status == Status::solved);
  // 0 * h is 0, and f a number.
  CHECK(ida_star(start, moves, h, {0, {}, {}}, control).f_bound == 1);
  CHECK(astar(start, moves, h, {0, {}, {}}, control).f_bound == 1);
}

TEST(ida_star, refuses_nonsense) {
  const auto puzzle = test::tiles(2, 2);
  const Heuristic h = test::manhattan_heuristic(puzzle);
  Control control;
  CHECK_THROWS(ida_star(State{0, 1, 1, 3}, State{0}, h, {}, control), "tile 1 appears twice");
  CHECK_THROWS(ida_star(puzzle->goal(), State{4}, h, {}, control), "no move 4");
  CHECK_THROWS(ida_star(puzzle->goal(), State{0}, h, {-1, {}, {}}, control), "weight");
}

}  // namespace test_ida_star
