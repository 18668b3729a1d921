// The data of the breadth-first search that builds a tile database: sets of cells, and arrangements of tiles in them.
//
// The tiles of a pattern lie in a set of cells, in some arrangement. The set alone determines where the blank can be
// and which tile can move where, so all arrangements of a set have the same moves. A move shifts one tile past some of
// the others in the order of the cells, so it permutes the positions of the arrangement; a move within a row leaves
// them as they are.
#pragma once

#include <array>
#include <bit>
#include <functional>
#include <span>
#include <vector>

#include "tiles/tile_pattern.hpp"

namespace hstar {

using Cells = std::uint64_t;  // a set of cells

// How many cells of a set come before a cell: the position of the tile in that cell.
inline std::uint8_t position(Cells set, unsigned cell) noexcept {
  return static_cast<std::uint8_t>(std::popcount(set & ((Cells{1} << cell) - 1)));
}

// The sets of `size` cells of a board, numbered in ascending order of their bits.
class CellSets {
 public:
  CellSets(unsigned cells, unsigned size);

  const std::vector<Cells>& all() const noexcept { return all_; }
  std::uint32_t number(Cells set) const noexcept {
    std::uint32_t number = 0;
    for (unsigned i = 0; set != 0; set &= set - 1, ++i) number += choose_[i][std::countr_zero(set)];
    return number;
  }

 private:
  std::array<std::array<std::uint32_t, TilePattern::kMaxCells>, TilePattern::kMaxTiles> choose_{};  // cell over i + 1
  std::vector<Cells> all_;
};

// The arrangements of tiles 0 .. count - 1 in as many positions. The last four tiles (or all, if there are fewer) are
// the tail, the others the head. A set of arrangements has one word for each arrangement of the head, with one bit for
// each arrangement of the tail. Both are numbered by Lehmer's code.
class Arrangements {
 public:
  // Whether to give up; asked every few milliseconds. What was being made is then of no use.
  using Stop = std::function<bool()>;

  explicit Arrangements(unsigned count, Stop stop = [] { return false; });

  unsigned tail() const noexcept { return tail_; }                  // tiles
  unsigned head() const noexcept { return count_ - tail_; }
  std::uint32_t words() const noexcept { return words_; }
  unsigned bits() const noexcept { return static_cast<unsigned>(orders_.size()); }
  // The word of a head whose tiles are in these positions.
  std::uint32_t word(const std::uint8_t* positions) const noexcept;
  // The tail's tiles in their order: which of the positions left over each one takes.
  const std::array<std::uint8_t, 4>& order(unsigned bit) const noexcept { return orders_[bit]; }

  // How the arrangements change when a tile goes from one position to another.
  struct Shift {
    unsigned from, to;
  };
  static constexpr std::uint16_t kStill = 0;  // the shift from a position to itself
  std::uint16_t number(Shift shift);
  // Adds the images of the arrangements in `source` to `target`.
  void add(std::uint16_t shift, const std::uint32_t* source, std::uint32_t* target) const noexcept;

 private:
  // Which word a word becomes, and how its bits are permuted, which depends on how the tail's own positions shift.
  struct Step {
    std::uint32_t word : 28, tail_shift : 4;
  };
  using Bits = std::array<std::array<std::uint32_t, 256>, 3>;  // that the bits of a word become, by its bytes

  std::vector<Step> steps(Shift shift) const;
  void shift_tails();

  static constexpr std::uint16_t kNoNumber = 0xffff;
  using Numbers = std::array<std::array<std::uint16_t, TilePattern::kMaxTiles>, TilePattern::kMaxTiles>;

  unsigned count_, tail_;
  std::uint32_t words_ = 1;
  std::vector<std::array<std::uint8_t, 4>> orders_;
  std::array<Bits, 16> tail_shifts_{};  // by the position a tile of the tail leaves and the one it gets, 4 * from + to
  Numbers numbers_;                       // by `from` and `to`: the shift, or kNoNumber
  std::vector<std::vector<Step>> steps_;  // by shift and word
  Stop stop_;
};

// The moves of a pattern's tiles between regions. A region is a set of cells for the tiles and a connected part of the
// other cells, in which the blank can move freely.
class TileRegions {
 public:
  struct Edge {
    std::uint32_t from;
    std::uint16_t shift;
  };

  // Incomplete, and of no use, if `stop` said yes.
  TileRegions(const SlidingTiles& puzzle, const CellSets& sets, Arrangements& arrangements,
              const Arrangements::Stop& stop);
  bool complete() const noexcept { return complete_; }

  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(blank_.size()); }
  // The regions of a set are first(set) .. first(set + 1) - 1.
  std::uint32_t first(std::uint32_t set) const noexcept { return first_[set]; }
  std::uint32_t find(std::uint32_t set, unsigned blank) const noexcept;
  // How a move leads into a region.
  std::span<const Edge> edges(std::uint32_t region) const noexcept {
    return {edges_.data() + first_edge_[region], edges_.data() + first_edge_[region + 1]};
  }
  // The numbers of the sets with an even or odd sum of rows and columns: every move leads from one kind to the other.
  const std::vector<std::uint32_t>& sets(unsigned parity) const noexcept { return by_parity_[parity]; }

 private:
  std::vector<Cells> blank_;  // by region
  std::vector<std::uint32_t> first_;
  std::vector<std::size_t> first_edge_{0};
  std::vector<Edge> edges_;
  std::array<std::vector<std::uint32_t>, 2> by_parity_;
  bool complete_ = false;
};

}  // namespace hstar
