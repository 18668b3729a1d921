#include <cmath>
#include <queue>

#include "astar_search.hpp"
#include "bucket_queue.hpp"
#include "check.hpp"
#include "indexed_heap.hpp"
#include "model.hpp"
#include "packed_tiles.hpp"
#include "permutation.hpp"

using namespace hstar;
using Kind = Feature::Kind;
using test::State;

namespace {

State goal_of(const Puzzle& puzzle) { return {puzzle.goal().begin(), puzzle.goal().end()}; }

std::string ending(const Outcome& o) {
  switch (o.status) {
    case Status::solved: return "solved";
    case Status::exhausted: return "exhausted";
    case Status::cancelled: return "cancelled";
    default: return o.limit == Limit::expanded    ? "expanded"
                    : o.limit == Limit::generated ? "generated"
                    : o.limit == Limit::seconds   ? "seconds"
                                                  : "memory";
  }
}

void replay(const Puzzle& puzzle, State state, const State& path) {
  State next(state.size());
  for (const std::uint8_t move : path) {
    CHECK(puzzle.apply(state, move, next.data()));
    state = next;
  }
  CHECK(state == goal_of(puzzle));
}

// Distance from the goal of every reachable state; every move of a tile puzzle can be undone.
std::map<State, int> distances(const Puzzle& puzzle) {
  std::map<State, int> distance{{goal_of(puzzle), 0}};
  std::queue<State> queue({goal_of(puzzle)});
  for (; !queue.empty(); queue.pop()) {
    const State& state = queue.front();
    for (unsigned move = 0; move < puzzle.move_count(); ++move) {
      State next(state.size());
      if (puzzle.apply(state, move, next.data()) && distance.emplace(next, distance[state] + 1).second) queue.push(next);
    }
  }
  return distance;
}

struct Tally {
  std::map<std::string, int> endings;
  std::uint64_t reopened = 0;
};

void compare(const Heuristic& heuristic, const State& start, const State& moves, double weight, TieBreaking tie,
             std::uint64_t max_expanded, std::uint64_t max_generated, Tally& tally) {
  SearchOptions options{weight, tie, {}};
  options.limits.expanded = max_expanded;
  options.limits.generated = max_generated;
  Control control;
  const Outcome got = astar(start, moves, heuristic, options, control);
  const auto expected =
      test::model_astar(heuristic.puzzle(), start, moves, heuristic, weight, tie, max_expanded, max_generated);
  CHECK_EQUAL(ending(got), expected.ending);
  CHECK(got.path == expected.path);
  CHECK_EQUAL(got.expanded, expected.expanded);
  CHECK_EQUAL(got.generated, expected.generated);
  CHECK_EQUAL(got.evaluated, expected.evaluated);
  CHECK_EQUAL(got.reopened, expected.reopened);
  CHECK_EQUAL(got.expanded_last_layer, expected.last_layer);
  CHECK_EQUAL(got.stored, expected.stored);
  CHECK_EQUAL(got.max_open, expected.max_open);
  CHECK_EQUAL(got.f_bound, expected.f_bound);
  CHECK_EQUAL(got.f_solution.has_value(), got.status == Status::solved);
  CHECK_EQUAL(control.expanded.load(), got.expanded);
  CHECK_EQUAL(control.generated.load(), got.generated);
  CHECK_EQUAL(control.evaluated.load(), got.evaluated);
  CHECK_EQUAL(control.reopened.load(), got.reopened);
  CHECK_EQUAL(control.stored.load(), got.stored);
  CHECK_EQUAL(control.f_bound.load(), got.f_bound);
  if (got.status == Status::solved) replay(heuristic.puzzle(), start, got.path);
  ++tally.endings[ending(got)];
  tally.reopened += got.reopened;
}

constexpr TieBreaking kTies[] = {TieBreaking::low_h, TieBreaking::lifo, TieBreaking::fifo};

}  // namespace

TEST(astar, finds_the_breadth_first_distance_on_the_8_puzzle) {
  const auto puzzle = test::tiles(3, 3);
  const auto distance = distances(*puzzle);
  CHECK_EQUAL(distance.size(), 181440u);
  std::map<int, int> at;
  for (const auto& [state, d] : distance) ++at[d];
  CHECK_EQUAL(at.rbegin()->first, 31);
  CHECK_EQUAL(at[31], 2);
  const Heuristic manhattan = test::manhattan_heuristic(puzzle);
  const Heuristic conflict(puzzle, {test::manhattan(*puzzle), {Kind::linear_conflict}},
                           {{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::add, 0, 0}}, true, 100);
  const Heuristic real(puzzle, {test::manhattan(*puzzle)}, {{Op::feature, 0, 0}, {Op::constant, 3, 0}, {Op::div, 0, 0}},
                       false, 100);
  int i = 0, solved = 0;
  for (const auto& [state, d] : distance) {
    CHECK(manhattan.evaluate(state) <= d);
    CHECK(conflict.evaluate(state) <= d);
    if (i++ % 500 != 0 && d < 31) continue;
    for (const Heuristic* h : {&manhattan, &conflict, &real}) {
      Control control;
      const Outcome o = astar(state, test::all_moves(*puzzle), *h, {1, kTies[i % 3], {}}, control);
      CHECK(o.status == Status::solved);
      CHECK_EQUAL(o.path.size(), static_cast<std::size_t>(d));
      CHECK_EQUAL(o.f_bound, d);
      replay(*puzzle, state, o.path);
      ++solved;
    }
  }
  CHECK(solved > 900);
}

TEST(astar, exhausts_the_half_that_has_no_solution) {
  const auto puzzle = test::tiles(3, 3);
  State start = goal_of(*puzzle);
  std::swap(start[1], start[2]);
  Control control;
  const Outcome o = astar(start, test::all_moves(*puzzle), test::manhattan_heuristic(puzzle), {}, control);
  CHECK_EQUAL(ending(o), "exhausted");
  CHECK_EQUAL(o.stored, 181440u);
  CHECK(o.path.empty());
}

TEST(astar, equals_the_model_on_tiles) {
  test::Random random(41);
  Tally tally;
  for (int trial = 0; trial < 240; ++trial) {
    const auto [rows, columns] = std::vector<std::pair<unsigned, unsigned>>{
        {2, 3}, {3, 3}, {2, 4}, {1, 5}, {4, 4}, {3, 6}, {5, 7}, {6, 7}, {9, 11}, {12, 12}}[test::below(random, 10)];
    const auto puzzle = test::random_tiles(rows, columns, random);
    const std::size_t cells = puzzle->slots();
    const State start = test::walk(*puzzle, goal_of(*puzzle), test::below(random, cells > 9 ? 25 : 60), random);
    State moves = test::all_moves(*puzzle);
    test::shuffle(moves, random);
    if (test::below(random, 6) == 0) moves.resize(test::below(random, 4));
    const Feature noise{Kind::table, test::random_table(*puzzle, cells, -3, 6, random), cells};
    const Feature manhattan = test::manhattan(*puzzle);
    std::vector<Heuristic> heuristics;
    const std::vector<Instruction> first{{Op::feature, 0, 0}};
    const std::vector<Instruction> sum{{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::add, 0, 0}};
    heuristics.emplace_back(puzzle, std::vector{manhattan}, first, true, 4000);
    heuristics.emplace_back(puzzle, std::vector{noise}, first, true, 4000);
    heuristics.emplace_back(puzzle, std::vector{manhattan, Feature{Kind::linear_conflict}}, sum, true, 4095);
    heuristics.emplace_back(puzzle, std::vector{Feature{Kind::conflicts}, Feature{Kind::inversions}}, sum, true, 1e6);
    heuristics.emplace_back(puzzle, std::vector{noise, Feature{Kind::solved}},
                            std::vector<Instruction>{{Op::constant, 0, 0}, {Op::feature, 0, 0}, {Op::constant, 7, 0},
                                                     {Op::div, 0, 0}, {Op::feature, 0, 1}, {Op::select, 0, 0}},
                            false, 1000);
    const Heuristic& heuristic = heuristics[test::below(random, static_cast<unsigned>(heuristics.size()))];
    const double weight = std::vector<double>{1, 1, 1, 0, 2, 5, 1.5, 0.3}[test::below(random, 8)];
    const std::uint64_t generated = test::below(random, 3) ? Limits::kNone : test::below(random, 1500);
    for (const TieBreaking tie : kTies) compare(heuristic, start, moves, weight, tie, 600, generated, tally);
  }
  CHECK(tally.endings["solved"] > 50 && tally.endings["expanded"] > 50 && tally.endings["generated"] > 20);
  CHECK(tally.endings["exhausted"] > 5);
  CHECK(tally.reopened > 500);
}

TEST(astar, equals_the_model_on_permutation_puzzles) {
  test::Random random(42);
  Tally tally;
  for (int trial = 0; trial < 300; ++trial) {
    const unsigned slots = std::vector<unsigned>{1, 3, 6, 12, 19, 20, 35, 36, 51, 52, 83, 84, 128}[test::below(random, 13)];
    const auto puzzle = test::random_permutation(slots, random);
    const State start = test::walk(*puzzle, goal_of(*puzzle), test::below(random, 10), random);
    State moves = test::all_moves(*puzzle);
    test::shuffle(moves, random);
    const std::size_t width = test::width_of(*puzzle);
    const Feature small{Kind::table, test::random_table(*puzzle, width, 0, 2, random), width};
    const Feature noise{Kind::table, test::random_table(*puzzle, width, -300, 500, random), width};
    std::vector<Heuristic> heuristics;
    heuristics.emplace_back(puzzle, std::vector{small},
                            std::vector<Instruction>{{Op::feature, 0, 0}, {Op::constant, 3, 0}, {Op::div, 0, 0}, {Op::ceil, 0, 0}},
                            true, 200);
    heuristics.emplace_back(puzzle, std::vector{noise}, std::vector<Instruction>{{Op::feature, 0, 0}}, true, 4095);
    heuristics.emplace_back(puzzle, std::vector{small, noise, Feature{Kind::solved}},
                            std::vector<Instruction>{{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::constant, 100, 0},
                                                     {Op::floordiv, 0, 0}, {Op::max, 0, 0}, {Op::constant, 0, 0},
                                                     {Op::feature, 0, 2}, {Op::logical_not, 0, 0}, {Op::select, 0, 0}},
                            true, 4000);
    heuristics.emplace_back(puzzle, std::vector{noise},
                            std::vector<Instruction>{{Op::feature, 0, 0}, {Op::constant, 0.37, 0}, {Op::mul, 0, 0}}, false, 1e9);
    const Heuristic& heuristic = heuristics[test::below(random, 4)];
    const double weight = std::vector<double>{1, 1, 0, 2, 0.7}[test::below(random, 5)];
    for (const TieBreaking tie : kTies) compare(heuristic, start, moves, weight, tie, 400, Limits::kNone, tally);
  }
  CHECK(tally.endings["solved"] > 100 && tally.endings["expanded"] > 100);
  CHECK(tally.reopened > 200);
}

TEST(astar, both_open_lists_give_the_same_counts) {
  // The same integer heuristic, once promised to be one: bucket queue; once not: heap.
  const auto puzzle = test::tiles(4, 4);
  test::Random random(43);
  for (int trial = 0; trial < 6; ++trial) {
    const State start = test::walk(*puzzle, goal_of(*puzzle), 120, random);
    for (const TieBreaking tie : kTies) {
      std::uint64_t expanded[2], generated[2];
      for (const bool integer : {false, true}) {
        const Heuristic h(puzzle, {test::manhattan(*puzzle)}, {{Op::feature, 0, 0}}, integer, 100);
        Control control;
        const Outcome o = astar(start, test::all_moves(*puzzle), h, {2, tie, {}}, control);
        CHECK(o.status == Status::solved);
        expanded[integer] = o.expanded;
        generated[integer] = o.generated;
      }
      CHECK_EQUAL(expanded[0], expanded[1]);
      CHECK_EQUAL(generated[0], generated[1]);
    }
  }
}

namespace {

template <class D, template <class> class Open, class P>
Outcome with_depth(const P& puzzle, const Heuristic& heuristic, const State& start, const State& moves,
                   const SearchOptions& options, std::uint32_t depth) {
  SystemPages pages;
  Arena arena(pages);
  CHECK(arena.open(options.limits.memory_bytes));
  D domain(puzzle, heuristic, moves);
  Control control;
  using Search = AStarSearch<D, Open<typename D::State>>;
  return Search(arena, domain, heuristic, options, control, Clock::now(), depth).run(start);
}

void check_same(const Outcome& a, const Outcome& b) {
  CHECK_EQUAL(ending(a), ending(b));
  CHECK(a.path == b.path);
  CHECK_EQUAL(a.expanded, b.expanded);
  CHECK_EQUAL(a.generated, b.generated);
  CHECK_EQUAL(a.evaluated, b.evaluated);
  CHECK_EQUAL(a.reopened, b.reopened);
  CHECK_EQUAL(a.stored, b.stored);
  CHECK_EQUAL(a.max_open, b.max_open);
  CHECK_EQUAL(a.f_bound, b.f_bound);
}

template <template <class> class Open>
void depths_agree(bool integer, unsigned seed) {
  test::Random random(seed);
  std::uint64_t reopened = 0;
  for (int trial = 0; trial < 40; ++trial) {
    SearchOptions options{std::vector<double>{1, 1, 2, 0}[test::below(random, 4)], kTies[trial % 3], {}};
    options.limits.expanded = 1 + test::below(random, 3000);
    if (trial % 4 == 0) options.limits.generated = 1 + test::below(random, 5000);
    options.limits.memory_bytes = std::uint64_t{1} << 26;
    const auto board = test::random_tiles(4, 4, random);
    const Feature noise{Kind::table, test::random_table(*board, 16, -1, 6, random), 16};
    const Heuristic of_board(board, {trial % 2 ? noise : test::manhattan(*board)}, {{Op::feature, 0, 0}}, integer, 100);
    const State board_start = test::walk(*board, goal_of(*board), test::below(random, 80), random);
    const auto puzzle = test::random_permutation(6 + test::below(random, 40), random);
    const std::size_t width = test::width_of(*puzzle);
    const Feature table{Kind::table, test::random_table(*puzzle, width, 0, 2, random), width};
    const Heuristic of_puzzle(puzzle, {table}, {{Op::feature, 0, 0}}, integer, 200);
    const State puzzle_start = test::walk(*puzzle, goal_of(*puzzle), test::below(random, 12), random);
    const auto on_board = [&](std::uint32_t depth) {
      return with_depth<PackedTiles, Open>(*board, of_board, board_start, test::all_moves(*board), options, depth);
    };
    const auto on_puzzle = [&](std::uint32_t depth) {
      return with_depth<Permutation<51>, Open>(*puzzle, of_puzzle, puzzle_start, test::all_moves(*puzzle), options, depth);
    };
    const Outcome board_plain = on_board(1), puzzle_plain = on_puzzle(1);
    reopened += board_plain.reopened + puzzle_plain.reopened;
    for (const std::uint32_t depth : {2u, 3u, 8u, 16u}) {
      check_same(on_board(depth), board_plain);
      check_same(on_puzzle(depth), puzzle_plain);
    }
  }
  CHECK(reopened > 100);
}

}  // namespace

TEST(astar, counts_do_not_depend_on_how_many_expansions_are_in_flight) {
  depths_agree<BucketQueue>(true, 44);
  depths_agree<IndexedHeap>(false, 45);
}

TEST(astar, follows_one_move_for_a_hundred_thousand_steps) {
  // Disjoint cycles of lengths 3, 5, 7, 8, 11, 13: one move of order 120120, so g and f grow far beyond any table.
  std::vector<unsigned> lengths{3, 5, 7, 8, 11, 13};
  PermutationPuzzle::Definition move;
  State goal;
  for (const unsigned length : lengths) {
    const auto first = static_cast<unsigned>(goal.size());
    for (unsigned i = 0; i < length; ++i) {
      goal.push_back(i == 0);
      move.dst.push_back(static_cast<std::uint8_t>(first + i));
      move.src.push_back(static_cast<std::uint8_t>(first + (i + 1) % length));
      move.maps.push_back({0, 1});
    }
  }
  const auto puzzle = std::make_shared<const PermutationPuzzle>(std::vector<unsigned>(goal.size(), 2), goal, std::vector{move});
  State start(goal.size());
  puzzle->apply(goal, 0, start.data());
  for (const bool integer : {true, false}) {
    const Heuristic zero(puzzle, {}, {{Op::constant, 0, 0}}, integer, 0);
    Control control;
    const Outcome o = astar(start, State{0}, zero, {}, control);
    CHECK(o.status == Status::solved);
    CHECK_EQUAL(o.path.size(), 120119u);
    CHECK_EQUAL(o.expanded, 120119u);
    CHECK_EQUAL(*o.f_solution, 120119);
  }
}

TEST(astar, refuses_nonsense) {
  const auto puzzle = test::tiles(2, 2);
  const Heuristic h = test::manhattan_heuristic(puzzle);
  Control control;
  const State start = goal_of(*puzzle), moves = test::all_moves(*puzzle);
  CHECK_THROWS(astar(State{0, 1}, moves, h, {}, control), "start has 2 bytes");
  CHECK_THROWS(astar(State{0, 1, 1, 3}, moves, h, {}, control), "tile 1 appears twice");
  CHECK_THROWS(astar(start, State{0, 4}, h, {}, control), "no move 4");
  CHECK_THROWS(astar(start, State{0, 1, 0}, h, {}, control), "move 0 appears twice");
  CHECK_THROWS(astar(start, moves, h, {-1, TieBreaking::low_h, {}}, control), "weight");
  CHECK_THROWS(astar(start, moves, h, {NAN, TieBreaking::low_h, {}}, control), "weight");
  SearchOptions options;
  options.limits.seconds = -1;
  CHECK_THROWS(astar(start, moves, h, options, control), "seconds");
}
