// Features of a sliding-tile board that are not a sum over cells.
#pragma once

#include <span>

#include "puzzle/puzzle.hpp"

namespace hstar {

// Of the tiles that stand in their goal line, given as their goal places in the order of the line: the fewest that must
// leave it so that the rest stand in goal order. At most SlidingTiles::kMaxCells.
int tiles_to_leave(std::span<const std::uint8_t> places) noexcept;

// Linear conflict (Hansson, Mayer & Yung 1992): for every row, twice the fewest tiles among those whose goal is in that
// row that must leave it so that the rest stand in goal order; the same for columns; all added. The blank is no tile.
class LinearConflict {
 public:
  explicit LinearConflict(const SlidingTiles& puzzle);
  int operator()(Bytes board) const noexcept;

 private:
  unsigned rows_, columns_;
  std::vector<std::uint8_t> goal_row_, goal_column_;
};

// Gaschnig's (1979): the fewest moves if any tile may go to the blank's cell from wherever it is. A cycle of misplaced
// tiles takes one move more than it has tiles, to open it for the blank and to close it; the blank's own cycle is open.
// A real move is such a move, and each can be undone by one: no move changes the value by more than 1.
class Gaschnig {
 public:
  explicit Gaschnig(const SlidingTiles& puzzle);
  int operator()(Bytes board) const noexcept;

 private:
  std::vector<std::uint8_t> home_;  // by tile
};

// Cells that do not hold what the goal holds there, the blank counted, beside at least one other such cell.
int clustered_misplaced(Bytes board, Bytes goal, unsigned columns) noexcept;

// Pairs of cells i < j that share a row or a column and hold board[i] > board[j]; the blank counts as 0.
int conflicts(Bytes board, unsigned columns) noexcept;

// Pairs of cells i < j, both tiles, that hold board[i] > board[j].
int inversions(Bytes board) noexcept;

}  // namespace hstar
