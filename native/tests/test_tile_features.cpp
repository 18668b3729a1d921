#include <bit>

#include "check.hpp"
#include "worlds.hpp"

using namespace hstar;
using test::State;

namespace {

// By the definition, trying every set of tiles that could leave each line.
int linear_conflict_by_hand(const SlidingTiles& puzzle, const State& board) {
  const auto columns = puzzle.columns();
  const auto home = [&](unsigned tile) {
    return static_cast<unsigned>(std::ranges::find(puzzle.goal(), static_cast<std::uint8_t>(tile)) - puzzle.goal().begin());
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
