// How a beam compares boards: an estimate of the distance, learned from solutions, which is no lower bound.
//
// It is the sum of the Manhattan distance, of what the databases say beyond it, and of a weight for each pair of tiles
// that depends on how the two lie to each other, now and at the goal. So it knows of tiles that are in each other's way
// before they are near home. A slide changes the pairs of one tile.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tiles/tile_pattern.hpp"

namespace hstar {

class TileRanking {
 public:
  // Parts of a move, and the most of them that a pair counts.
  static constexpr int kUnit = 16, kMostWeight = 63;

  // `manhattan`, `excess`: what a move of the Manhattan distance counts, and one of the excess over it, in the mean of
  // the views. `pairs`: by the offset between the goal cells of two tiles and the one between their cells, each numbered row
  // by row from -(rows - 1), -(columns - 1) on; empty: all are 0. Throws std::invalid_argument for another size and for
  // weights out of range.
  TileRanking(const SlidingTiles& puzzle, int manhattan, int excess, std::span<const std::int8_t> pairs);

  // Without pairs. The excess counts more than it is, because where the databases see conflicts there are often others
  // that they do not see.
  static TileRanking plain(const SlidingTiles& puzzle) { return {puzzle, kUnit, 3 * kUnit / 2, {}}; }

  int manhattan() const noexcept { return manhattan_; }
  int excess() const noexcept { return excess_; }
  bool has_pairs() const noexcept { return !change_[0].empty(); }
  // By how much the pairs of a tile change when it goes from a cell the way that `move` takes the blank to it.
  int change(const std::uint8_t* board, unsigned tile, unsigned from, unsigned move) const noexcept {
    const std::int8_t* const change = change_[move].data();
    const auto& row = row_[tile];
    const auto& offset = offset_[from];
    int sum = 0;
    for (std::size_t cell = 0; cell < cells_; ++cell) sum += change[row[board[cell]] + offset[cell]];
    return sum;
  }

 private:
  template <class T>
  using ByCell = std::array<std::array<T, TilePattern::kMaxCells>, TilePattern::kMaxCells>;

  std::size_t cells_;
  int manhattan_, excess_;
  ByCell<std::uint16_t> row_{};    // by two tiles: where the changes for the offset of their goals begin
  ByCell<std::uint8_t> offset_{};  // by two cells
  std::array<std::vector<std::int8_t>, SlidingTiles::kMoves> change_;
};

}  // namespace hstar
