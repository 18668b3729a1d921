// Features of a sliding-tile board that are not sums over cells.
#pragma once

#include <span>

#include "puzzle/puzzle.hpp"

namespace hstar {

// The least number of tiles that must leave a line so that the rest stand in goal order. Given are the goal places of
// the tiles that stand in their goal line, in the order of the line; at most SlidingTiles::kMaxCells.
int tiles_to_leave(std::span<const std::uint8_t> places) noexcept;

// Linear conflict (Hansson, Mayer & Yung 1992): the sum over rows and columns of twice the least number of tiles that
// must leave the line so that the rest stand in goal order, among the tiles whose goal is in that line. The blank is
// not a tile.
class LinearConflict {
 public:
  explicit LinearConflict(const SlidingTiles& puzzle);
  int operator()(Bytes board) const noexcept;

 private:
  unsigned rows_, columns_;
  std::vector<std::uint8_t> goal_row_, goal_column_;
};

// Gaschnig (1979): the fewest moves if any tile may go to the blank's cell. A cycle of misplaced tiles takes one move
// more than it has tiles, because the blank must first enter it; the blank's own cycle takes no extra move. A real move
// is also such a move, and one such move undoes another: so no move changes the value by more than 1.
class Gaschnig {
 public:
  explicit Gaschnig(const SlidingTiles& puzzle);
  int operator()(Bytes board) const noexcept;

 private:
  std::vector<std::uint8_t> home_;  // by tile
};

// Cells (the blank's included) that differ from the goal and have a neighbour that differs, too.
int clustered_misplaced(Bytes board, Bytes goal, unsigned columns) noexcept;

// Pairs of cells i < j that share a row or a column and hold board[i] > board[j]; the blank counts as 0.
int conflicts(Bytes board, unsigned columns) noexcept;

// Pairs of cells i < j, both tiles, that hold board[i] > board[j].
int inversions(Bytes board) noexcept;

}  // namespace hstar
