// How a beam compares boards: an estimate of the distance, learned from solutions, which is no lower bound.
//
// It is the sum of the Manhattan distance, of what the databases say beyond it, and of a weight for each pair of tiles
// that depends on where the two are, now and at the goal. So it knows of tiles that are in each other's way
// before they are near home. A slide changes the pairs of one tile.
#pragma once

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
  // the views. `pairs`: by the goal cells of two tiles and the cells that they are in, the same from either tile of a
  // pair; empty: all are 0. Throws std::invalid_argument for another size and for weights out of range.
  TileRanking(const SlidingTiles& puzzle, int manhattan, int excess, std::span<const std::int8_t> pairs);

  // Without pairs. The excess counts more than it is, because where the databases see conflicts there are often others
  // that they do not see.
  static TileRanking plain(const SlidingTiles& puzzle) { return {puzzle, kUnit, 3 * kUnit / 2, {}}; }

  int manhattan() const noexcept { return manhattan_; }
  int excess() const noexcept { return excess_; }
  bool has_pairs() const noexcept { return !change_.empty(); }
  // By how much the pairs of a tile change when it goes from a cell the way that `move` takes the blank to it.
  int change(const std::uint8_t* board, unsigned tile, unsigned from, unsigned move) const noexcept {
    const std::int8_t* change = change_.data() + block(tile, from, move);
    int sum = 0;
#pragma GCC unroll 7
    for (std::size_t cell = 0; cell < cells_; ++cell, change += cells_) sum += change[board[cell]];
    return sum;
  }

 private:
  // Where the changes of a slide begin, which are by cell and the tile in it.
  std::size_t block(std::size_t tile, std::size_t from, std::size_t move) const noexcept {
    return ((tile * cells_ + from) * SlidingTiles::kMoves + move) * cells_ * cells_;
  }

  std::size_t cells_;
  int manhattan_, excess_;
  std::vector<std::int8_t> change_;
};

}  // namespace hstar
