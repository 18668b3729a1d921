#include <cmath>

#include "check.hpp"
#include "model.hpp"
#include "domains/byte_permutation.hpp"
#include "search/astar_search.hpp"
#include "search/bucket_queue.hpp"
#include "search/indexed_heap.hpp"
#include "domains/packed_tiles.hpp"

namespace test_astar {

using namespace hstar;
using Kind = Feature::Kind;
using test::ending;
using test::goal_of;
using test::replay;
using test::State;

namespace {

struct Tally {
  std::map<std::string, int> endings;
  std::uint64_t reopened = 0;
};

void compare(const test::Problem& problem, const SearchOptions& options, Tally& tally) {
  Control control;
  const Outcome got = astar(problem.start, problem.moves, problem.heuristic, options, control);
  test::check_equals(got, control, test::model_astar(problem.heuristic, problem.start, problem.moves, options));
  if (got.status == Status::solved) replay(*problem.puzzle, problem.start, got.path);
  ++tally.endings[ending(got)];
  tally.reopened += got.reopened;
}

constexpr TieBreaking kTies[] = {TieBreaking::low_h, TieBreaking::lifo, TieBreaking::fifo, TieBreaking::batch};

}  // namespace

TEST(astar, finds_the_breadth_first_distance_on_the_8_puzzle) {
  const auto puzzle = test::tiles(3, 3);
  const auto distance = test::distances(*puzzle);
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
  const int every = 181440 / test::instances(360, 12);
  const int looked_at = test::instances(1, 8);
  int i = 0, solved = 0;
  for (const auto& [state, d] : distance) {
    const int number = i++;
    if (number % looked_at == 0) CHECK(manhattan.evaluate(state) <= d && conflict.evaluate(state) <= d);
    if (number % every != 0 && d < 31) continue;
    for (const Heuristic* h : {&manhattan, &conflict, &real}) {
      Control control;
      const Outcome o = astar(state, test::all_moves(*puzzle), *h, {1, kTies[solved % 4], {}}, control);
      CHECK(o.status == Status::solved);
      CHECK_EQUAL(o.path.size(), static_cast<std::size_t>(d));
      CHECK_EQUAL(o.f_bound, d);
      replay(*puzzle, state, o.path);
      ++solved;
    }
  }
  CHECK(solved >= 3 * 181440 / every);
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
  const int trials = test::instances(150, 14);
  for (int trial = 0; trial < trials; ++trial) {
    const test::Problem problem = test::random_tile_problem(random);
    SearchOptions options{std::vector<double>{1, 1, 1, 0, 2, 5, 1.5, 0.3}[test::below(random, 8)], {}, {}};
    options.limits.expanded = 600;
    if (test::below(random, 3) == 0) options.limits.generated = test::below(random, 1500);
    for (const TieBreaking tie : kTies) {
      options.tie_breaking = tie;
      compare(problem, options, tally);
    }
  }
  CHECK(tally.endings["solved"] > trials / 3 && tally.endings["expanded"] > trials / 3);
  CHECK(tally.endings["generated"] > trials / 8 && tally.endings["exhausted"] > trials / 30);
  CHECK(tally.reopened > std::uint64_t{3} * static_cast<unsigned>(trials));
}

TEST(astar, equals_the_model_on_permutation_puzzles) {
  test::Random random(42);
  Tally tally;
  const int trials = test::instances(200, 18);
  for (int trial = 0; trial < trials; ++trial) {
    const test::Problem problem = test::random_permutation_problem(random);
    SearchOptions options{std::vector<double>{1, 1, 0, 2, 0.7}[test::below(random, 5)], {}, {}};
    options.limits.expanded = 400;
    for (const TieBreaking tie : kTies) {
      options.tie_breaking = tie;
      compare(problem, options, tally);
    }
  }
  CHECK(tally.endings["solved"] > trials / 2 && tally.endings["expanded"] > trials / 2);
  CHECK(tally.reopened > static_cast<unsigned>(trials));
}

namespace {

enum class List { buckets, heap };

template <class D, class P>
Outcome with(List list, const P& puzzle, const Heuristic& heuristic, const State& start, const State& moves,
             const SearchOptions& options, std::uint32_t ahead) {
  SystemPages pages;
  Arena arena(pages);
  CHECK(arena.open(options.limits.memory_bytes));
  D domain(puzzle, heuristic, moves);
  Control control;
  const Task task{arena, start, moves, heuristic, options, control, Clock::now()};
  using Kept = hstar::Kept<typename D::State>;
  if (list == List::heap) return AStarSearch<D, IndexedHeap<Kept>>(task, domain, ahead, options.weight).run(start);
  const auto scale = BucketScale::of(heuristic, domain.lookup(), options.weight);
  CHECK(scale.has_value());
  return AStarSearch<D, BucketQueue<Kept>>(task, domain, ahead, *scale).run(start);
}

void check_same(const Outcome& a, const Outcome& b) {
  CHECK_EQUAL(ending(a), ending(b));
  CHECK(a.path == b.path);
  CHECK_EQUAL(a.expanded, b.expanded);
  CHECK_EQUAL(a.generated, b.generated);
  CHECK_EQUAL(a.evaluated, b.evaluated);
  CHECK_EQUAL(a.reopened, b.reopened);
  CHECK_EQUAL(a.expanded_last_layer, b.expanded_last_layer);
  CHECK_EQUAL(a.stored, b.stored);
  CHECK_EQUAL(a.max_open, b.max_open);
  CHECK_EQUAL(a.f_bound, b.f_bound);
}

void guesses_change_nothing(List list, unsigned seed) {
  test::Random random(seed);
  std::uint64_t reopened = 0;
  for (int trial = 0; trial < 24; ++trial) {
    SearchOptions options{std::vector<double>{1, 1, 2, 0}[test::below(random, 4)], kTies[trial % 4], {}};
    options.limits.expanded = 1 + test::below(random, 3000);
    if (trial % 3 == 0) options.limits.generated = 1 + test::below(random, 5000);
    options.limits.memory_bytes = std::uint64_t{1} << 26;
    const auto board = test::random_tiles(4, 4, random);
    const Feature noise{Kind::table, test::random_table(*board, 16, -1, 6, random), 16};
    const Heuristic of_board(board, {trial % 2 ? noise : test::manhattan(*board)}, {{Op::feature, 0, 0}}, true, 100);
    const State board_start = test::walk(*board, goal_of(*board), test::below(random, 80), random);
    const auto puzzle = test::random_permutation(6 + test::below(random, 40), random);
    const std::size_t width = test::width_of(*puzzle);
    const Feature table{Kind::table, test::random_table(*puzzle, width, 0, 2, random), width};
    const Heuristic of_puzzle(puzzle, {table}, {{Op::feature, 0, 0}}, true, 200);
    const State puzzle_start = test::walk(*puzzle, goal_of(*puzzle), test::below(random, 12), random);
    const auto on_board = [&](std::uint32_t ahead) {
      return with<PackedTiles>(list, *board, of_board, board_start, test::all_moves(*board), options, ahead);
    };
    const auto on_puzzle = [&](std::uint32_t ahead) {
      return with<BytePermutation<52>>(list, *puzzle, of_puzzle, puzzle_start, test::all_moves(*puzzle), options,
                                       ahead);
    };
    const Outcome board_plain = on_board(1), puzzle_plain = on_puzzle(1);
    reopened += board_plain.reopened + puzzle_plain.reopened;
    for (const std::uint32_t ahead : {2u, 3u, 8u, 32u}) {
      check_same(on_board(ahead), board_plain);
      check_same(on_puzzle(ahead), puzzle_plain);
    }
  }
  CHECK(reopened > 100);
}

}  // namespace

TEST(astar, what_is_prepared_changes_no_count) {
  guesses_change_nothing(List::buckets, 44);
  guesses_change_nothing(List::heap, 45);
}

TEST(astar, both_open_lists_give_the_same_counts) {
  // Whole numbers, and numbers that a power of two makes whole.
  const auto puzzle = test::tiles(4, 4);
  test::Random random(43);
  for (int trial = 0; trial < 6; ++trial) {
    const State start = test::walk(*puzzle, goal_of(*puzzle), 120, random);
    for (const double part : {1.0, 0.5, 0.375}) {
      const Heuristic h(puzzle, {test::manhattan(*puzzle)},
                        {{Op::feature, 0, 0}, {Op::constant, part, 0}, {Op::mul, 0, 0}}, part == 1, 100);
      for (const double weight : {1.0, 2.0, 1.5}) {
        SearchOptions options{weight, kTies[trial % 4], {}};
        options.limits.expanded = 20000;
        options.limits.memory_bytes = std::uint64_t{1} << 26;
        check_same(with<PackedTiles>(List::buckets, *puzzle, h, start, test::all_moves(*puzzle), options, 32),
                   with<PackedTiles>(List::heap, *puzzle, h, start, test::all_moves(*puzzle), options, 32));
      }
    }
  }
}

TEST(astar, follows_one_move_for_a_hundred_thousand_steps) {
  // A move of order 120120, so g and f grow far beyond any table.
  const auto puzzle = test::one_turn({3, 5, 7, 8, 11, 13});
  State start(puzzle->slots());
  puzzle->apply(puzzle->goal(), 0, start.data());
  for (const bool integer : {true, false}) {
    const Heuristic zero(puzzle, {}, {{Op::constant, 0, 0}}, integer, 0);
    Control control;
    const Outcome o = astar(start, State{0}, zero, {}, control);
    CHECK(o.status == Status::solved);
    CHECK_EQUAL(o.path.size(), 120119u);
    CHECK_EQUAL(o.expanded, 120119u);
    CHECK_EQUAL(o.f_bound, 120119);
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

}  // namespace test_astar
