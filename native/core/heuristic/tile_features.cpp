#include "heuristic/tile_features.hpp"

#include <algorithm>
#include <bitset>

namespace hstar {

LinearConflict::LinearConflict(const SlidingTiles& puzzle)
    : rows_(puzzle.rows()), columns_(puzzle.columns()), goal_row_(puzzle.slots()), goal_column_(puzzle.slots()) {
  for (unsigned cell = 0; cell < puzzle.slots(); ++cell) {
    goal_row_[puzzle.goal()[cell]] = static_cast<std::uint8_t>(cell / columns_);
    goal_column_[puzzle.goal()[cell]] = static_cast<std::uint8_t>(cell % columns_);
  }
}

int tiles_to_leave(std::span<const std::uint8_t> places) noexcept {
  // tails[k] is the smallest last place of an increasing subsequence of k + 1 tiles (patience sorting). The tiles that
  // need not leave are the longest such subsequence.
  std::uint8_t tails[SlidingTiles::kMaxCells];
  std::size_t longest = 0;
  for (const std::uint8_t place : places) {
    std::size_t k = longest;
    while (k > 0 && tails[k - 1] > place) --k;
    tails[k] = place;
    longest = std::max(longest, k + 1);
  }
  return static_cast<int>(places.size() - longest);
}

int LinearConflict::operator()(Bytes board) const noexcept {
  std::uint8_t places[SlidingTiles::kMaxCells];
  int leaving = 0;
  const auto line = [&](unsigned first, unsigned step, unsigned length, unsigned number, const auto& goal_line,
                        const auto& goal_place) {
    std::size_t tiles = 0;
    for (unsigned i = 0; i < length; ++i) {
      const unsigned tile = board[first + i * step];
      if (tile != 0 && goal_line[tile] == number) places[tiles++] = goal_place[tile];
    }
    leaving += tiles_to_leave({places, tiles});
  };
  for (unsigned row = 0; row < rows_; ++row) line(row * columns_, 1, columns_, row, goal_row_, goal_column_);
  for (unsigned column = 0; column < columns_; ++column)
    line(column, columns_, rows_, column, goal_column_, goal_row_);
  return 2 * leaving;
}

Gaschnig::Gaschnig(const SlidingTiles& puzzle) : home_(puzzle.slots()) {
  for (std::size_t cell = 0; cell < puzzle.slots(); ++cell)
    home_[puzzle.goal()[cell]] = static_cast<std::uint8_t>(cell);
}

int Gaschnig::operator()(Bytes board) const noexcept {
  std::bitset<SlidingTiles::kMaxCells> seen;
  int moves = 0;
  for (std::size_t first = 0; first < board.size(); ++first) {
    int tiles = 0;
    bool open = false;
    for (std::size_t cell = first; !seen[cell]; cell = home_[board[cell]]) {
      seen[cell] = true;
      open = open || board[cell] == 0;
      tiles += board[cell] != 0 && home_[board[cell]] != cell;
    }
    if (tiles > 0) moves += open ? tiles : tiles + 1;
  }
  return moves;
}

int clustered_misplaced(Bytes board, Bytes goal, unsigned columns) noexcept {
  const auto wrong = [&](std::size_t cell) { return board[cell] != goal[cell]; };
  int count = 0;
  for (std::size_t cell = 0; cell < board.size(); ++cell) {
    const std::size_t column = cell % columns;
    count += wrong(cell) && ((column > 0 && wrong(cell - 1)) || (column + 1 < columns && wrong(cell + 1)) ||
                             (cell >= columns && wrong(cell - columns)) ||
                             (cell + columns < board.size() && wrong(cell + columns)));
  }
  return count;
}

int conflicts(Bytes board, unsigned columns) noexcept {
  int count = 0;
  for (std::size_t i = 0; i < board.size(); ++i) {
    for (std::size_t j = i + 1; j % columns != 0; ++j) count += board[i] > board[j];
    for (std::size_t j = i + columns; j < board.size(); j += columns) count += board[i] > board[j];
  }
  return count;
}

int inversions(Bytes board) noexcept {
  int count = 0;
  for (std::size_t i = 0; i < board.size(); ++i)
    for (std::size_t j = i + 1; j < board.size(); ++j) count += board[j] != 0 && board[i] > board[j];
  return count;
}

}  // namespace hstar
