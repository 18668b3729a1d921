#include <bit>
#include <map>

#include "check.hpp"
#include "worlds.hpp"

namespace test_tile_features {

using namespace hstar;
using test::State;

namespace {

// By definition: tries every set of tiles that could leave each line.
int linear_conflict_by_hand(const SlidingTiles& puzzle, const State& board) {
  const auto columns = puzzle.columns();
  const auto home = [&](unsigned tile) {
    return static_cast<unsigned>(std::ranges::find(puzzle.goal(), static_cast<std::uint8_t>(tile)) -
                                 puzzle.goal().begin());
  };
  int leaving = 0;
  const auto line = [&](const std::vector<unsigned>& cells, bool row) {
    std::vector<unsigned> places;  // goal places of the line's own tiles
    for (const unsigned cell : cells) {
      const unsigned tile = board[cell];
      if (tile == 0) continue;
      const bool same = row ? home(tile) / columns == cell / columns : home(tile) % columns == cell % columns;
      if (same) places.push_back(home(tile));
    }
    int least = static_cast<int>(places.size());
    for (unsigned set = 0; set < 1u << places.size(); ++set) {
      std::vector<unsigned> rest;
      for (unsigned i = 0; i < places.size(); ++i)
        if (!(set >> i & 1)) rest.push_back(places[i]);
      if (std::ranges::is_sorted(rest)) least = std::min(least, std::popcount(set));
    }
    leaving += least;
  };
  for (unsigned r = 0; r < puzzle.rows(); ++r) {
    std::vector<unsigned> cells;
    for (unsigned c = 0; c < columns; ++c) cells.push_back(r * columns + c);
    line(cells, true);
  }
  for (unsigned c = 0; c < columns; ++c) {
    std::vector<unsigned> cells;
    for (unsigned r = 0; r < puzzle.rows(); ++r) cells.push_back(r * columns + c);
    line(cells, false);
  }
  return 2 * leaving;
}

}  // namespace

TEST(tile_features, linear_conflict_is_the_least_number_of_tiles_that_must_leave) {
  test::Random random(11);
  int positive = 0;
  for (const auto& [rows, columns] : {std::pair{1u, 7u}, {2u, 3u}, {3u, 3u}, {4u, 4u}, {5u, 3u}, {2u, 8u}}) {
    for (int trial = 0; trial < 300; ++trial) {
      const auto puzzle = test::random_tiles(rows, columns, random);
      State board(puzzle->goal().begin(), puzzle->goal().end());
      if (trial % 2 == 0) test::shuffle(board, random);
      // Shuffling within one row makes conflicts likely.
      else
        for (int i = 0; i < 3; ++i) {
          const unsigned row = test::below(random, rows) * columns;
          std::swap(board[row + test::below(random, columns)], board[row + test::below(random, columns)]);
        }
      const int expected = linear_conflict_by_hand(*puzzle, board);
      CHECK_EQUAL(LinearConflict(*puzzle)(board), expected);
      positive += expected > 0;
    }
  }
  CHECK(positive > 500);
}

TEST(tile_features, linear_conflict_of_known_boards) {
  const SlidingTiles puzzle(3, 3, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const LinearConflict conflict(puzzle);
  CHECK_EQUAL(conflict(puzzle.goal()), 0);
  CHECK_EQUAL(conflict(State{0, 2, 1, 3, 4, 5, 6, 7, 8}), 2);
  CHECK_EQUAL(conflict(State{0, 1, 2, 5, 4, 3, 6, 7, 8}), 4);  // three tiles reversed: two must leave
  CHECK_EQUAL(conflict(State{6, 1, 2, 3, 4, 5, 0, 7, 8}), 2);  // column: 6 above 3
}

TEST(tile_features, conflicts_and_inversions_follow_their_definitions) {
  test::Random random(12);
  for (const auto& [rows, columns] : {std::pair{1u, 5u}, {5u, 1u}, {3u, 3u}, {4u, 4u}, {2u, 6u}}) {
    for (int trial = 0; trial < 100; ++trial) {
      State board = test::identity(rows * columns);
      test::shuffle(board, random);
      int pairs = 0, inverted = 0;
      for (unsigned i = 0; i < board.size(); ++i)
        for (unsigned j = i + 1; j < board.size(); ++j) {
          if (board[i] <= board[j]) continue;
          pairs += i / columns == j / columns || i % columns == j % columns;
          inverted += board[j] != 0;
        }
      CHECK_EQUAL(conflicts(board, columns), pairs);
      CHECK_EQUAL(inversions(board), inverted);
    }
  }
}

TEST(tile_features, gaschnig_is_the_distance_when_any_tile_may_go_to_the_blank) {
  test::Random random(13);
  for (const auto& [rows, columns] : {std::pair{1u, 4u}, {2u, 3u}, {7u, 1u}}) {
    const auto puzzle = test::random_tiles(rows, columns, random);
    const Gaschnig gaschnig(*puzzle);
    std::map<State, int> distance{{State(puzzle->goal().begin(), puzzle->goal().end()), 0}};
    std::vector<State> queue{distance.begin()->first};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const State board = queue[next];
      const auto blank = static_cast<std::size_t>(std::ranges::find(board, 0) - board.begin());
      CHECK_EQUAL(gaschnig(board), distance[board]);
      for (std::size_t cell = 0; cell < board.size(); ++cell) {
        State after = board;
        std::swap(after[cell], after[blank]);
        if (distance.emplace(after, distance[board] + 1).second) queue.push_back(after);
      }
    }
    std::size_t boards = 1;
    for (std::size_t n = 2; n <= puzzle->slots(); ++n) boards *= n;
    CHECK_EQUAL(queue.size(), boards);
  }
}

TEST(tile_features, clustered_misplaced_counts_wrong_cells_beside_wrong_cells) {
  const SlidingTiles puzzle(3, 3, {1, 2, 3, 8, 0, 4, 7, 6, 5});
  const auto count = [&](const State& board) { return clustered_misplaced(board, puzzle.goal(), 3); };
  CHECK_EQUAL(count({1, 2, 3, 8, 0, 4, 7, 6, 5}), 0);
  CHECK_EQUAL(count({1, 0, 3, 8, 2, 4, 7, 6, 5}), 2);  // one move away: two cells, beside each other
  CHECK_EQUAL(count({3, 2, 1, 8, 0, 4, 7, 6, 5}), 0);  // two corners, not adjacent
  CHECK_EQUAL(count({5, 2, 3, 8, 1, 4, 7, 6, 0}), 0);  // the middle is not adjacent to the corners
  // Board B of report S5: all but 0 and 7 are misplaced, and connected.
  CHECK_EQUAL(count({2, 1, 6, 4, 0, 8, 7, 5, 3}), 7);
  CHECK_EQUAL(count({3, 8, 1, 2, 0, 4, 7, 6, 5}), 4);  // connected round a corner
  CHECK_EQUAL(count({1, 2, 8, 3, 0, 4, 7, 6, 5}), 0);  // the end of a row and the start of the next are not adjacent

  test::Random random(14);
  for (const auto& [rows, columns] : {std::pair{1u, 6u}, {6u, 1u}, {3u, 4u}, {5u, 2u}}) {
    for (int trial = 0; trial < 100; ++trial) {
      const auto board_of = test::random_tiles(rows, columns, random);
      State board(board_of->goal().begin(), board_of->goal().end());
      for (int i = 0; i < 2; ++i)
        std::swap(board[test::below(random, rows * columns)], board[test::below(random, rows * columns)]);
      int expected = 0;
      for (unsigned i = 0; i < board.size(); ++i) {
        bool beside = false;
        for (unsigned j = 0; j < board.size(); ++j) {
          const int down = static_cast<int>(i / columns) - static_cast<int>(j / columns);
          const int right = static_cast<int>(i % columns) - static_cast<int>(j % columns);
          beside = beside || (down * down + right * right == 1 && board[j] != board_of->goal()[j]);
        }
        expected += beside && board[i] != board_of->goal()[i];
      }
      CHECK_EQUAL(clustered_misplaced(board, board_of->goal(), columns), expected);
    }
  }
}

}  // namespace test_tile_features
