#include "asking.hpp"
#include "check.hpp"
#include "beam/tile_beam.hpp"
#include "deepening/tile_database_search.hpp"
#include "domains/tile_sums.hpp"
#include "worlds.hpp"

#include <map>
#include <numeric>
#include <random>
#include <set>

namespace test_tile_databases {

using namespace hstar;
using test::Random;
using test::State;

namespace {

std::shared_ptr<const TileDatabase> database(const std::shared_ptr<const SlidingTiles>& puzzle,
                                             std::vector<std::uint8_t> tiles, unsigned threads = 1) {
  const TilePattern pattern(puzzle, std::move(tiles));
  Control progress;
  const auto built = std::make_shared<BuiltTable>(build_tile_database(pattern, threads, progress));
  return std::make_shared<TileDatabase>(pattern, built->table, built);
}

// The distance of every board that can be solved.
using Distances = std::map<State, unsigned, test::ByBytes>;
Distances distances(const SlidingTiles& puzzle) {
  const State goal(puzzle.goal().begin(), puzzle.goal().end());
  Distances found{{goal, 0}};
  std::vector<State> queue{goal};
  State next(goal.size());
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const unsigned farther = found.at(queue[i]) + 1;
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move)
      if (puzzle.apply(queue[i], move, next.data()) && found.try_emplace(next, farther).second) queue.push_back(next);
  }
  return found;
}

const Distances& on_the_8_puzzle() {
  static const Distances all = distances(*test::tiles(3, 3));
  return all;
}

// Dijkstra's algorithm over boards on which all tiles outside the pattern are identical: a move costs 1 if it moves a
// tile of the pattern, else 0.
std::map<State, unsigned> pattern_distances(const SlidingTiles& puzzle, const std::vector<std::uint8_t>& tiles) {
  const auto blurred = [&](State board) {
    for (auto& tile : board)
      if (tile != 0 && std::ranges::find(tiles, tile) == tiles.end()) tile = 255;
    return board;
  };
  const State goal = blurred({puzzle.goal().begin(), puzzle.goal().end()});
  std::map<State, unsigned> found{{goal, 0}};
  std::set<std::pair<unsigned, State>> open{{0, goal}};
  while (!open.empty()) {
    const auto [distance, board] = *open.begin();
    open.erase(open.begin());
    if (found.at(board) < distance) continue;
    const auto blank = static_cast<unsigned>(std::ranges::find(board, std::uint8_t{0}) - board.begin());
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
      const unsigned to = puzzle.neighbour(blank, move);
      if (to == SlidingTiles::kNoCell) continue;
      State next = board;
      std::swap(next[blank], next[to]);
      const unsigned there = distance + (board[to] != 255);
      const auto [known, fresh] = found.emplace(next, there);
      if (!fresh && known->second <= there) continue;
      known->second = there;
      open.emplace(there, next);
    }
  }
  return found;
}

}  // namespace

TEST(tile_databases, ranks_are_one_to_one_and_change_with_a_move) {
  Random random(21);
  for (const auto& [rows, columns] : std::vector<std::pair<unsigned, unsigned>>{{2, 3}, {3, 3}, {3, 2}, {4, 2}}) {
    const auto puzzle = test::random_tiles(rows, columns, random);
    const TilePattern pattern(puzzle, {1, 2, 4});
    for (std::uint64_t rank = 0; rank < pattern.entries(); ++rank) {
      std::uint8_t cells[TilePattern::kMaxTiles];
      pattern.unrank(rank, cells);
      CHECK_EQUAL(pattern.rank(cells), rank);
      State at(puzzle->slots(), TilePattern::kNone);
      for (std::uint8_t i = 0; i < 3; ++i) at[cells[i]] = i;
      for (unsigned i = 0; i < 3; ++i) {
        for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
          const unsigned to = puzzle->neighbour(cells[i], move);
          if (to == SlidingTiles::kNoCell || at[to] != TilePattern::kNone) continue;
          std::uint8_t after[TilePattern::kMaxTiles];
          std::copy_n(cells, 3, after);
          after[i] = static_cast<std::uint8_t>(to);
          CHECK_EQUAL(rank + pattern.rank_change(i, cells[i], to, [&](unsigned cell) { return at[cell]; }),
                      pattern.rank(after));
        }
      }
    }
  }
  const auto puzzle = test::tiles(3, 3);
  CHECK_THROWS(TilePattern(puzzle, {}), "0 tiles");
  CHECK_THROWS(TilePattern(puzzle, {0}), "no tile 0");
  CHECK_THROWS(TilePattern(puzzle, {9}), "no tile 9");
  CHECK_THROWS(TilePattern(puzzle, {3, 3}), "tile 3 appears twice");
  CHECK_THROWS(TilePattern(test::tiles(8, 8), {1}), "64 cells");
  CHECK_THROWS(TilePattern(test::tiles(5, 5), {1, 2, 3, 4, 5, 6, 7, 8}), "states");
}

TEST(tile_databases, entries_are_the_fewest_moves_of_the_patterns_tiles) {
  Random random(22);
  struct Round {
    std::shared_ptr<const SlidingTiles> puzzle;
    std::vector<std::uint8_t> tiles;
    unsigned threads;
  };
  // Patterns of more than four tiles have a head; in rows of four, tiles go past three others.
  const std::vector<Round> rounds = {{test::tiles(3, 3), {1, 3, 4}, 1},
                                     {test::random_tiles(2, 3, random), {1, 3, 4}, 2},
                                     {test::random_tiles(3, 2, random), {1, 3, 4}, 3},
                                     {test::random_tiles(3, 3, random), {5, 2}, 1},
                                     {test::random_tiles(3, 3, random), {1, 2, 4, 5, 7}, 2},
                                     {test::random_tiles(2, 4, random), {1, 2, 3, 4, 6, 7}, 3},
                                     {test::random_tiles(1, 6, random), {1, 2, 3, 4, 5}, 1}};
  for (const auto& [puzzle, tiles, threads] : rounds) {
    const auto built = database(puzzle, tiles, threads);
    std::map<std::uint64_t, unsigned> least;  // over the places of the blank
    for (const auto& [board, distance] : pattern_distances(*puzzle, tiles)) {
      std::uint8_t cells[TilePattern::kMaxTiles];
      for (std::uint8_t cell = 0; cell < board.size(); ++cell)
        if (board[cell] != 0 && board[cell] != 255) cells[built->pattern.number(board[cell])] = cell;
      const std::uint64_t rank = built->pattern.rank(cells);
      const auto found = least.emplace(rank, distance).first;
      found->second = std::min(found->second, distance);
    }
    const bool all = puzzle->rows() > 1 && tiles.size() + 2 < puzzle->slots();
    CHECK(least.size() == built->pattern.entries() || (!all && !least.empty()));
    for (std::uint64_t rank = 0; rank < built->pattern.entries(); ++rank) {
      const auto found = least.find(rank);
      if (found == least.end()) {  // unreachable
        CHECK_EQUAL(built->excess(rank), 0u);
        continue;
      }
      std::uint8_t cells[TilePattern::kMaxTiles];
      built->pattern.unrank(rank, cells);
      CHECK_EQUAL(built->pattern.manhattan(cells) + 2 * built->excess(rank), found->second);
    }
  }
}

TEST(tile_databases, the_table_does_not_depend_on_the_number_of_threads) {
  const TilePattern pattern(test::tiles(3, 4), {1, 2, 3, 4, 5, 6, 7});
  Control progress;
  const BuiltTable one = build_tile_database(pattern, 1, progress);
  CHECK_EQUAL(std::accumulate(one.counts.begin(), one.counts.end(), std::uint64_t{0}), pattern.entries());
  for (const unsigned threads : {2u, 5u}) {
    const BuiltTable more = build_tile_database(pattern, threads, progress);
    CHECK(std::ranges::equal(more.table, one.table));
    CHECK(more.counts == one.counts);
  }
}

TEST(tile_databases, the_sum_is_a_lower_bound_and_all_tiles_together_are_exact) {
  const auto puzzle = test::tiles(3, 3);
  const auto& truth = on_the_8_puzzle();
  const State transposed{0, 3, 6, 1, 4, 7, 2, 5, 8};
  const TileHeuristic exact(puzzle, {database(puzzle, {1, 2, 3, 4, 5, 6, 7, 8})}, {});
  const TileHeuristic alone(puzzle, {database(puzzle, {1, 2, 3, 4}), database(puzzle, {5, 6, 7, 8})}, {});
  const TileHeuristic both(puzzle, alone.databases(), {transposed});
  CHECK_EQUAL(both.views().size(), std::size_t{2});
  std::uint64_t gain = 0;
  for (const auto& [board, distance] : truth) {
    CHECK_EQUAL(exact.value(board), distance);
    CHECK(both.value(board) <= distance);
    CHECK(alone.value(board) <= both.value(board));
    gain += both.value(board) - alone.value(board);
  }
  CHECK(gain > truth.size() / 10);
}

TEST(tile_databases, symmetries_and_databases_are_checked) {
  const auto puzzle = test::tiles(3, 3), other = test::tiles(3, 3);
  const auto left = database(puzzle, {1, 2, 3}), right = database(puzzle, {3, 4});
  CHECK_THROWS(TileHeuristic(puzzle, {}, {}), "0 databases");
  CHECK_THROWS(TileHeuristic(other, {left}, {}), "of another puzzle");
  CHECK_THROWS(TileHeuristic(puzzle, {left, right}, {}), "tile 3 is in two databases");
  CHECK_THROWS(TileHeuristic(puzzle, {left}, {{0, 1}}), "2 cells");
  CHECK_THROWS(TileHeuristic(puzzle, {left}, {State(9, 0)}), "one to one");
  CHECK_THROWS(TileHeuristic(puzzle, {left}, {{1, 0, 2, 3, 4, 5, 6, 7, 8}}), "stay neighbours");
  CHECK_THROWS(TileHeuristic(puzzle, {left}, {{2, 1, 0, 5, 4, 3, 8, 7, 6}}), "blank's goal cell");
  const TileHeuristic good(puzzle, {left}, {});
  CHECK_THROWS(good.checked_value(State(9, 0)), "appears twice");
  CHECK_EQUAL(good.value(State(9, 1)), 0u);
  CHECK_THROWS(TileDatabase(left->pattern, left->table.subspan(1), nullptr), "expected 252");
  Control progress;
  progress.cancelled = true;
  CHECK(build_tile_database(left->pattern, 2, progress).table.empty());
}

TEST(tile_databases, every_phase_of_a_build_asks_whether_to_stop) {
  const TilePattern pattern(test::tiles(4, 4), {1, 2, 3, 4, 5});
  const auto build = [&](Control& progress) { return build_tile_database(pattern, 1, progress); };
  test::Asking whole;
  const BuiltTable built = build(whole);
  CHECK(!built.table.empty());
  CHECK_EQUAL(whole.done.load(), pattern.entries());
  CHECK(whole.asked_at(1) >= 8);                  // 4,368 sets of cells and their regions, before anything is reached
  CHECK(whole.asked_at(pattern.entries()) >= 16);  // the table, by the first tile's cell
  CHECK(whole.asked() > built.counts.size() * 2000);  // layer by layer, half of the sets in each
  test::gives_up_at_every_question([&](Control& progress) { return !build(progress).table.empty(); });
}

TEST(tile_databases, lengths_are_the_true_distances) {
  Random random(23);
  const auto boards = static_cast<std::size_t>(test::instances(25, 2));
  const unsigned rows = test::instances(3, 2);
  for (int round = 0; round < 4; ++round) {
    const auto puzzle = round == 0   ? test::tiles(3, 3)
                        : round == 1 ? test::random_tiles(2, 3, random)
                                     : test::random_tiles(rows, rows == 2 ? 4 : 3, random);
    const auto last = static_cast<std::uint8_t>(puzzle->slots() - 1);
    // The second set of patterns does not have all tiles.
    const auto heuristic = round == 2
                               ? TileHeuristic(puzzle, {database(puzzle, {1, 3})}, {})
                               : TileHeuristic(puzzle, {database(puzzle, {1, 2}), database(puzzle, {3, last})}, {});
    const auto truth = round == 0 ? on_the_8_puzzle() : distances(*puzzle);
    std::size_t number = 0;
    for (const auto& [board, distance] : truth) {
      if (++number % std::max<std::size_t>(1, truth.size() / boards) != 0 || distance > 22) continue;
      Control control;
      const Outcome outcome = tile_ida_star(board, heuristic, {}, 1 + number % 2, control);
      CHECK(outcome.status == Status::solved);
      CHECK_EQUAL(outcome.path.size(), std::size_t{distance});
      State now = board, next(board.size());
      for (const std::uint8_t move : outcome.path) {
        CHECK(puzzle->apply(now, move, next.data()));
        now = next;
      }
      CHECK(std::ranges::equal(now, puzzle->goal()));
      CHECK_EQUAL(control.expanded.load(), outcome.expanded);
    }
  }
}

// Databases of three tiles each, the last of fewer, which together have all tiles.
std::shared_ptr<const TileHeuristic> threes(const std::shared_ptr<const SlidingTiles>& puzzle,
                                            const std::vector<TileHeuristic::Image>& symmetries) {
  std::vector<std::shared_ptr<const TileDatabase>> all;
  const auto end = static_cast<std::uint8_t>(puzzle->slots());
  for (std::uint8_t tile = 1; tile < end; tile += 3) {
    std::vector<std::uint8_t> tiles(std::min(3, end - tile));
    std::iota(tiles.begin(), tiles.end(), tile);
    all.push_back(database(puzzle, tiles));
  }
  return std::make_shared<const TileHeuristic>(puzzle, all, symmetries);
}

TEST(tile_databases, sums_follow_a_board_slide_by_slide) {
  Random random(24);
  const std::vector<TileHeuristic::Image> none, transposed{{0, 3, 6, 1, 4, 7, 2, 5, 8}};
  for (const auto& puzzle : {test::random_tiles(3, 3, random), test::random_tiles(2, 4, random),
                             test::random_tiles(4, 4, random), test::tiles(3, 3)}) {
    const auto shared = threes(puzzle, puzzle->goal()[0] == 0 && puzzle->slots() == 9 ? transposed : none);
    Feature feature{Feature::Kind::database};
    feature.database = shared;
    // Also beside a table, which is in raw.
    const Heuristic h(puzzle, {test::manhattan(*puzzle), feature},
                      {{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::max, 0, 0}}, true, 200);
    const auto sums = TileSums::of(*puzzle, h);
    CHECK(sums != nullptr);
    State board = test::goal_of(*puzzle), after(board.size());
    for (int step = 0; step < 300; ++step) {
      TileSums::Positions at;
      for (std::size_t cell = 0; cell < board.size(); ++cell) at[board[cell]] = static_cast<std::uint8_t>(cell);
      TileSums::Entries entries;
      sums->prefetch(at, entries);
      sums->read(entries);
      const std::uint32_t number = sums->number(board);
      CHECK_EQUAL(sums->lookup()[number], h.evaluate(board));
      const auto blank = static_cast<unsigned>(std::ranges::find(board, 0) - board.begin());
      for (unsigned move = 0; move < 4; ++move) {
        if (!puzzle->apply(board, move, after.data())) continue;
        const unsigned from = puzzle->neighbour(blank, move);
        TileSums::Slide slide{board[from], from, blank, {}};
        sums->prefetch(at, slide);
        CHECK_EQUAL(number + sums->change(entries, slide) + h.raw(after) - h.raw(board), sums->number(after));
      }
      if (puzzle->apply(board, test::below(random, 4), after.data())) board = after;
    }
    // A* with them finds the same as where h is computed anew for each state, which a feature that cannot be followed
    // makes it do.
    const Heuristic anew(puzzle, {test::manhattan(*puzzle), feature, {Feature::Kind::inversions}},
                         {{Op::feature, 0, 0},
                          {Op::feature, 0, 1},
                          {Op::max, 0, 0},
                          {Op::feature, 0, 2},
                          {Op::constant, 0, 0},
                          {Op::mul, 0, 0},
                          {Op::add, 0, 0}},
                         true, 200);
    CHECK(TileSums::of(*puzzle, anew) == nullptr);
    Feature partial{Feature::Kind::database};
    partial.database = std::make_shared<const TileHeuristic>(
        puzzle, std::vector<std::shared_ptr<const TileDatabase>>{shared->databases()[0]}, none);
    CHECK(TileSums::of(*puzzle, Heuristic(puzzle, {partial}, {{Op::feature, 0, 0}}, true, 200)) == nullptr);
    for (const TieBreaking tie : {TieBreaking::low_h, TieBreaking::lifo, TieBreaking::fifo, TieBreaking::batch}) {
      const State start = test::walk(*puzzle, test::goal_of(*puzzle), 60, random);
      SearchOptions options;
      options.tie_breaking = tie;
      options.limits.expanded = 3000;
      Control control;
      const Outcome a = astar(start, test::all_moves(*puzzle), h, options, control);
      const Outcome b = astar(start, test::all_moves(*puzzle), anew, options, control);
      CHECK(a.path == b.path && a.expanded == b.expanded && a.generated == b.generated && a.stored == b.stored);
      CHECK(a.max_open == b.max_open && a.reopened == b.reopened && a.f_bound == b.f_bound);
    }
  }
}

TEST(tile_databases, limits_end_a_search_with_a_lower_bound) {
  const auto puzzle = test::tiles(3, 3);
  const TileHeuristic heuristic(puzzle, {database(puzzle, {1, 2}), database(puzzle, {3, 4})}, {});
  const State start{8, 6, 7, 2, 5, 4, 3, 0, 1};  // 27 moves from the goal
  Limits limits;
  limits.expanded = 1000;
  Control a, b, c;
  const Outcome outcome = tile_ida_star(start, heuristic, limits, 1, a);
  CHECK(outcome.limit == Limit::expanded);
  CHECK_EQUAL(outcome.expanded, std::uint64_t{1000});
  CHECK(outcome.f_bound >= heuristic.value(start) && outcome.f_bound <= 27);
  limits.seconds = 0;
  CHECK(tile_ida_star(start, heuristic, limits, 2, b).limit == Limit::seconds);
  c.cancel();
  CHECK(tile_ida_star(start, heuristic, {}, 1, c).status == Status::cancelled);
  limits.seconds = -1;
  CHECK_THROWS(tile_ida_star(start, heuristic, limits, 1, a), "seconds");
  CHECK_THROWS(tile_ida_star(State(9, 0), heuristic, {}, 1, a), "appears twice");
  CHECK_THROWS(tile_ida_star(start, heuristic, {}, 0, a), "threads");
  for (const unsigned longest : {12u, 25u, 26u}) {
    Control none;
    const Outcome shorter = tile_ida_star(start, heuristic, {}, 2, none, longest);
    CHECK(shorter.status == Status::exhausted && shorter.path.empty());
    CHECK_EQUAL(shorter.f_bound, longest + 1.0);
  }
  Control d;
  CHECK_EQUAL(tile_ida_star(start, heuristic, {}, 2, d, 27).path.size(), std::size_t{27});
}

TEST(tile_databases, patterns_that_a_symmetry_maps_to_one_another_share_a_table) {
  const auto puzzle = test::tiles(3, 3);
  const State around{8, 7, 6, 5, 4, 3, 2, 1, 0};
  const auto table = database(puzzle, {6, 7});
  const TileHeuristic own(puzzle, {database(puzzle, {1, 2}), table}, {}),
      shared(puzzle, {table, table}, {}, {around, {0, 1, 2, 3, 4, 5, 6, 7, 8}});
  unsigned most = 0;
  for (const auto& [board, distance] : on_the_8_puzzle()) {
    CHECK_EQUAL(shared.value(board), own.value(board));
    most = std::max(most, own.value(board));
  }
  CHECK(most > 10);
  CHECK_THROWS(TileHeuristic(puzzle, {database(puzzle, {5, 7})}, {}, {around}), "separates");
  CHECK_THROWS(TileHeuristic(puzzle, {database(puzzle, {7, 8})}, {}, {around}), "the blank becomes");
  CHECK_THROWS(TileHeuristic(puzzle, {table, table}, {}), "tile 6 is in two databases");
  CHECK_THROWS(TileHeuristic(puzzle, {table}, {}, {around, around}), "2 images");
}

TEST(tile_databases, a_beam_that_keeps_all_states_finds_shortest_solutions) {
  const auto puzzle = test::tiles(3, 3);
  const TileHeuristic heuristic(puzzle, {database(puzzle, {1, 2, 3, 4}), database(puzzle, {5, 6, 7, 8})},
                                {{0, 3, 6, 1, 4, 7, 2, 5, 8}});
  const auto run = [&](const State& start, const TileBeamOptions& options) {
    Control control;
    const Outcome outcome = tile_beam(start, heuristic, options, control);
    if (outcome.status == Status::solved) {
      State now = start, next(start.size());
      for (const std::uint8_t move : outcome.path) {
        CHECK(puzzle->apply(now, move, next.data()));
        now = next;
      }
      CHECK(std::ranges::equal(now, puzzle->goal()));
    }
    CHECK_EQUAL(control.expanded.load(), outcome.expanded);
    return outcome;
  };
  const TileRanking other(*puzzle, 20, 16, std::vector<std::int8_t>(9 * 9 * 9 * 9, -3));
  std::size_t number = 0, longer = 0;
  for (const auto& [start, distance] : on_the_8_puzzle()) {
    if (++number % 36'000 != 0) continue;
    TileBeamOptions options{30'000};  // more than any layer has
    const Outcome whole = run(start, options);
    CHECK_EQUAL(whole.path.size(), std::size_t{distance});
    CHECK(whole.status == Status::solved && whole.f_bound == heuristic.value(start));
    options.ranking = &other;
    CHECK_EQUAL(run(start, options).path.size(), std::size_t{distance});
    options.longest = distance;
    const Outcome fewer = run(start, options);
    CHECK_EQUAL(fewer.path.size(), std::size_t{distance});
    CHECK(fewer.expanded <= whole.expanded);
    options.longest = distance - 1;
    CHECK(run(start, options).status == Status::exhausted);
    TileBeamOptions narrow{5};
    const Outcome one = run(start, narrow);
    narrow.threads = 3;
    const Outcome three = run(start, narrow);
    CHECK(one.status == Status::solved && one.path == three.path && one.expanded == three.expanded);
    CHECK(one.stored <= 5 && one.path.size() >= distance);
    longer += one.path.size() - distance;
  }
  CHECK(longer > 0);
  const State far{8, 6, 7, 2, 5, 4, 3, 0, 1};
  TileBeamOptions wide{30'000};  // more than any layer has
  const Outcome one = run(far, wide);
  wide.threads = 3;
  CHECK(run(far, wide).path == one.path && one.path.size() == 27);  // with layers that are worth several threads
  TileSamples samples{3};
  wide.samples = &samples;
  CHECK(run(far, wide).path == one.path);
  CHECK(samples.boards.size() == 9 * samples.depths.size());
  std::map<std::uint32_t, std::set<State>> layers;
  for (std::size_t i = 0; i < samples.depths.size(); ++i) {
    const State board(samples.boards.begin() + static_cast<std::ptrdiff_t>(9 * i),
                      samples.boards.begin() + static_cast<std::ptrdiff_t>(9 * i + 9));
    const unsigned distance = on_the_8_puzzle().at(board);
    CHECK(distance + samples.depths[i] >= 27 && (distance + samples.depths[i]) % 2 == 1);
    layers[samples.depths[i]].insert(board);
  }
  CHECK(layers.size() == 26 && layers.begin()->second.size() == 3);
}

TEST(tile_databases, a_ranking_follows_pairs_of_tiles_slide_by_slide) {
  const auto puzzle = test::tiles(3, 4);
  constexpr int kCells = 12;
  std::mt19937 random(1);
  std::vector<std::int8_t> pairs(kCells * kCells * kCells * kCells);
  const auto at = [](int home, int other, int cell, int there) {
    return ((home * kCells + other) * kCells + cell) * kCells + there;
  };
  // The same from either tile of a pair.
  for (int home = 0; home < kCells; ++home)
    for (int other = 0; other < home; ++other)
      for (int cell = 0; cell < kCells; ++cell)
        for (int there = 0; there < kCells; ++there)
          pairs[at(home, other, cell, there)] = pairs[at(other, home, there, cell)] =
              static_cast<std::int8_t>(static_cast<int>(random() % 127) - 63);
  const TileRanking ranking(*puzzle, 16, 24, pairs);
  CHECK(ranking.has_pairs() && !TileRanking::plain(*puzzle).has_pairs());
  const auto sum = [&](const State& board) {
    int all = 0;
    for (int a = 0; a < kCells; ++a)
      for (int b = 0; b < a; ++b) {
        if (board[a] == 0 || board[b] == 0) continue;
        const auto home = [&](int cell) {
          return static_cast<int>(std::ranges::find(puzzle->goal(), board[cell]) - puzzle->goal().begin());
        };
        all += pairs[at(home(a), home(b), a, b)];
      }
    return all;
  };
  State now(puzzle->goal().begin(), puzzle->goal().end()), next(now.size());
  for (int step = 0; step < 2'000; ++step) {
    const unsigned move = random() % SlidingTiles::kMoves;
    const auto blank = static_cast<unsigned>(std::ranges::find(now, 0) - now.begin()),
               from = puzzle->neighbour(blank, move);
    if (from == SlidingTiles::kNoCell) continue;
    CHECK(puzzle->apply(now, move, next.data()));
    CHECK_EQUAL(ranking.change(now.data(), now[from], from, move), sum(next) - sum(now));
    now = next;
  }
  CHECK_THROWS(TileRanking(*puzzle, 16, 24, std::vector<std::int8_t>(7)), "7 bytes, expected 20736");
  CHECK_THROWS(TileRanking(*puzzle, 16, 256, {}), "0 to 255");
  CHECK_THROWS(TileRanking(*puzzle, 16, 24, std::vector<std::int8_t>(20'736, 64)), "-63 to 63");
}

TEST(tile_databases, limits_end_a_beam) {
  const auto puzzle = test::tiles(3, 3);
  const TileHeuristic heuristic(puzzle, {database(puzzle, {1, 2})}, {});
  const State start{8, 6, 7, 2, 5, 4, 3, 0, 1};
  const auto run = [&](auto change) {
    TileBeamOptions options{1'000};
    options.threads = 2;
    change(options);
    Control control;
    return tile_beam(start, heuristic, options, control);
  };
  const Outcome whole = run([](auto&) {});
  CHECK(whole.status == Status::solved);
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{777}, whole.expanded / 2}) {
    const Outcome some = run([&](auto& options) { options.limits.expanded = limit; });
    CHECK(some.limit == Limit::expanded && some.expanded == limit);
    const Outcome other = run([&](auto& options) { options.limits.generated = limit; });
    CHECK(other.limit == Limit::generated && other.generated >= limit && other.generated < limit + 4);
  }
  CHECK(run([](auto& options) { options.limits.seconds = 0; }).limit == Limit::seconds);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1000}, whole.peak_bytes - 1}) {
    const Outcome small = run([&](auto& options) { options.limits.memory_bytes = bytes; });
    CHECK(small.limit == Limit::memory && small.peak_bytes <= bytes);
  }
  CHECK(run([&](auto& options) { options.limits.memory_bytes = whole.peak_bytes; }).path == whole.path);
  Control control;
  control.cancel();
  CHECK(tile_beam(start, heuristic, {}, control).status == Status::cancelled);
  CHECK_THROWS(run([](auto& options) { options.limits.seconds = -1; }), "seconds");
  CHECK_THROWS(run([](auto& options) { options.width = 0; }), "width");
  CHECK_THROWS(run([](auto& options) { options.threads = 0; }), "threads");
  CHECK_THROWS(tile_beam(State(9, 0), heuristic, {}, control), "appears twice");
}

}  // namespace test_tile_databases
