#include <map>

#include "check.hpp"
#include "worlds.hpp"

namespace test_walking_distance {

using namespace hstar;
using test::State;

namespace {

// `board` with each tile replaced by its goal row or column; the blank stays apart.
State forgetting(const SlidingTiles& puzzle, const State& board, bool rows) {
  State lines(puzzle.slots());
  for (unsigned cell = 0; cell < puzzle.slots(); ++cell)
    lines[puzzle.goal()[cell]] =
        static_cast<std::uint8_t>(1 + (rows ? cell / puzzle.columns() : cell % puzzle.columns()));
  lines[0] = 0;
  State seen;
  for (const std::uint8_t tile : board) seen.push_back(lines[tile]);
  return seen;
}

// Fewest moves if the blank may go to any cell of the next row (or column): by a search over whole boards of anonymous
// tiles, without counts.
std::map<State, int> by_hand(const SlidingTiles& puzzle, bool rows) {
  const State goal = forgetting(puzzle, {puzzle.goal().begin(), puzzle.goal().end()}, rows);
  const auto line = [&](std::size_t cell) { return rows ? cell / puzzle.columns() : cell % puzzle.columns(); };
  std::map<State, int> distance{{goal, 0}};
  std::vector<State> queue{goal};
  // Rearranging tiles within a line is free, so each layer is closed under it before the next move.
  for (std::size_t next = 0; next < queue.size();) {
    for (std::size_t open = next; open < queue.size(); ++open) {
      const State board = queue[open];
      for (std::size_t a = 0; a < board.size(); ++a)
        for (std::size_t b = a + 1; b < board.size(); ++b) {
          if (line(a) != line(b)) continue;
          State after = board;
          std::swap(after[a], after[b]);
          if (distance.emplace(after, distance[board]).second) queue.push_back(after);
        }
    }
    const std::size_t layer = queue.size();
    for (; next < layer; ++next) {
      const State board = queue[next];
      const auto blank = static_cast<std::size_t>(std::ranges::find(board, 0) - board.begin());
      for (std::size_t cell = 0; cell < board.size(); ++cell) {
        if (line(cell) + 1 != line(blank) && line(cell) != line(blank) + 1) continue;
        State after = board;
        std::swap(after[cell], after[blank]);
        if (distance.emplace(after, distance[board] + 1).second) queue.push_back(after);
      }
    }
  }
  return distance;
}

}  // namespace

TEST(walking_distance, is_the_distance_of_boards_whose_tiles_forget_their_rows_or_columns) {
  test::Random random(31);
  for (const auto& [rows, columns] : {std::pair{2u, 3u}, {3u, 2u}, {2u, 4u}, {3u, 3u}}) {
    const auto puzzle = test::random_tiles(rows, columns, random);
    const WalkingDistance walking(*puzzle);
    const auto vertical = by_hand(*puzzle, true), horizontal = by_hand(*puzzle, false);
    int positive = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      const State start(puzzle->goal().begin(), puzzle->goal().end());
      const State board = test::walk(*puzzle, start, trial, random);
      const int expected =
          vertical.at(forgetting(*puzzle, board, true)) + horizontal.at(forgetting(*puzzle, board, false));
      CHECK_EQUAL(walking(board), expected);
      positive += expected > 0;
    }
    CHECK(positive > 900);
  }
}

TEST(walking_distance, changes_by_one_with_every_move) {
  test::Random random(32);
  for (const auto& [rows, columns] : {std::pair{4u, 4u}, {5u, 3u}, {2u, 5u}, {1u, 7u}, {7u, 1u}, {1u, 2u}}) {
    const auto puzzle = test::random_tiles(rows, columns, random);
    const WalkingDistance walking(*puzzle);
    State board(puzzle->goal().begin(), puzzle->goal().end()), after(board.size());
    CHECK_EQUAL(walking(board), 0);
    for (int step = 0; step < 2000; ++step) {
      if (!puzzle->apply(board, test::below(random, 4), after.data())) continue;
      CHECK_EQUAL(std::abs(walking(after) - walking(board)), 1);
      board = after;
    }
  }
}

TEST(walking_distance, of_a_board_that_cannot_be_solved_is_a_number) {
  const auto puzzle = test::tiles(1, 4);
  CHECK_EQUAL(WalkingDistance(*puzzle)(State{0, 2, 1, 3}), 0);
  CHECK_EQUAL(WalkingDistance(*puzzle)(State{1, 0, 2, 3}), 1);
}

TEST(walking_distance, refuses_boards_whose_counts_are_too_many) {
  for (const auto& [rows, columns] : {std::pair{5u, 4u}, {4u, 5u}, {5u, 5u}, {2u, 6u}, {6u, 3u}, {1u, 8u}, {15u, 17u}})
    CHECK_THROWS(WalkingDistance(*test::tiles(rows, columns)), "do not fit into 63 bits");
}

}  // namespace test_walking_distance
