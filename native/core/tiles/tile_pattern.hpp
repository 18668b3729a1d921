// A pattern of sliding tiles: a few tiles of a board, the blank and the others ignored.
//
//   const TilePattern pattern(puzzle, {1, 2, 3, 4, 5, 6, 7});
//   pattern.rank(cells)            // cells[i] of tiles()[i] -> 0 .. entries() - 1, one to one
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

class TilePattern {
 public:
  static constexpr unsigned kMaxCells = 50;
  static constexpr std::size_t kMaxTiles = 12;
  static constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 32;
  static constexpr std::uint8_t kNone = 255;

  // Throws std::invalid_argument for a board of more than kMaxCells cells, for a tile that does not exist, is the blank
  // or appears twice, and for too many states. Sorts the tiles.
  TilePattern(std::shared_ptr<const SlidingTiles> puzzle, std::vector<std::uint8_t> tiles);

  const SlidingTiles& puzzle() const noexcept { return *puzzle_; }
  const std::vector<std::uint8_t>& tiles() const noexcept { return tiles_; }
  std::uint64_t entries() const noexcept { return entries_; }
  // The number in `tiles()` of a tile, or kNone.
  std::uint8_t number(unsigned tile) const noexcept { return number_[tile]; }

  // Lehmer's code: each tile counts the cells before its own that no earlier tile has.
  std::uint64_t rank(const std::uint8_t* cells) const noexcept {
    return puzzle_->slots() <= 16 ? rank_of_16(cells, tiles_.size(), weight_) : rank_of_any(cells);
  }
  // What one more free cell before its own adds to the rank, by tile.
  using Weights = std::array<std::uint64_t, kMaxTiles>;
  const Weights& weights() const noexcept { return weight_; }
  // The rank on boards of up to 16 cells, without a loop inside the loop: how many tiles came before each cell so far,
  // four bits a cell.
  static std::uint64_t rank_of_16(const std::uint8_t* cells, std::size_t tiles, const Weights& weight) noexcept {
    std::uint64_t rank = 0, before = 0;
    for (std::size_t i = 0; i < tiles; ++i) {
      const unsigned at = 4u * cells[i];
      rank += (cells[i] - (before >> at & 15)) * weight[i];
      before += 0x1111111111111111u << at << 4;
    }
    return rank;
  }
  void unrank(std::uint64_t rank, std::uint8_t* cells) const noexcept;
  // `rank` and `unrank` undo one another, at a few places.
  bool valid() const;
  // What is added to the rank, modulo 2^64, when tile number i goes from one cell to another. `at(cell)` is the number
  // of the tile in a cell between them, or kNone.
  template <class At>
  std::uint64_t rank_change(unsigned i, unsigned from, unsigned to, At at) const noexcept {
    if (from > to) return -rank_change(i, to, from, at);
    std::uint64_t change = (to - from) * weight_[i];
    for (unsigned cell = from + 1; cell < to; ++cell) {
      const unsigned j = at(cell);
      // The change of the rank when tile i moves from before tile j to after it.
      if (j != kNone) change += j > i ? weight_[j] : -weight_[i];
    }
    return change;
  }

  // The Manhattan distance between a tile and its goal cell.
  unsigned manhattan(unsigned i, unsigned cell) const noexcept { return manhattan_[i][cell]; }
  unsigned manhattan(const std::uint8_t* cells) const noexcept {
    unsigned sum = 0;
    for (unsigned i = 0; i < tiles_.size(); ++i) sum += manhattan_[i][cells[i]];
    return sum;
  }

 private:
  std::uint64_t rank_of_any(const std::uint8_t* cells) const noexcept;

  std::shared_ptr<const SlidingTiles> puzzle_;
  std::vector<std::uint8_t> tiles_;
  std::array<std::uint8_t, kMaxCells> number_;
  Weights weight_{};
  std::array<std::array<std::uint8_t, kMaxCells>, kMaxTiles> manhattan_{};
  std::uint64_t entries_ = 1;
};

}  // namespace hstar
