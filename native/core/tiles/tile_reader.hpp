// The additive databases of a board as searches read them, after each slide: no pointers on the way to an entry.
//
// A slide moves one tile, so in each view it changes one part's entry. Its rank is computed from where the part's tiles
// are, which takes less time than the read, mostly a cache miss, that it prefetches.
#pragma once

#include <cstdlib>
#include <vector>

#include "tiles/tile_database.hpp"

namespace hstar {

class TileReader {
 public:
  using Positions = std::array<std::uint8_t, TilePattern::kMaxCells>;  // the cell of each tile

  explicit TileReader(const TileHeuristic& heuristic)
      : views_(heuristic.views().size()), parts_(heuristic.databases().size()) {
    const SlidingTiles& puzzle = heuristic.puzzle();
    const auto columns = static_cast<int>(puzzle.columns());
    for (unsigned home = 0; home < puzzle.slots(); ++home)
      for (unsigned cell = 0; cell < puzzle.slots(); ++cell)
        if (const unsigned tile = puzzle.goal()[home]; tile != 0) {
          const int a = static_cast<int>(home), b = static_cast<int>(cell);
          manhattan_[tile][cell] =
              static_cast<std::uint8_t>(std::abs(a / columns - b / columns) + std::abs(a % columns - b % columns));
        }
    for (std::size_t v = 0; v < views_; ++v) {
      const TileHeuristic::View& view = heuristic.views()[v];
      for (std::size_t p = 0; p < parts_; ++p) {
        const TileDatabase& database = *heuristic.databases()[p];
        const auto tiles = static_cast<unsigned>(database.pattern.tiles().size());
        Entry entry{database.table.data(), tiles, database.pattern.weights(), {}, {}};
        for (unsigned tile = 1; tile < puzzle.slots(); ++tile) {
          if (view.place[tile] == TileHeuristic::kNoPlace || view.place[tile] / TilePattern::kMaxTiles != p) continue;
          entry.tile[view.place[tile] % TilePattern::kMaxTiles] = static_cast<std::uint8_t>(tile);
          entry.cell = view.cell[tile];
        }
        entries_.push_back(entry);
      }
      for (unsigned tile = 0; tile < TilePattern::kMaxCells; ++tile)
        part_[v][tile] = view.place[tile] == TileHeuristic::kNoPlace
                             ? kNoPart
                             : static_cast<std::uint8_t>(view.place[tile] / TilePattern::kMaxTiles);
    }
  }

  static constexpr std::uint8_t kNoPart = 255;

  std::size_t views() const noexcept { return views_; }
  std::size_t parts() const noexcept { return parts_; }
  // The part that has a tile in a view, or kNoPart.
  unsigned part(std::size_t view, unsigned tile) const noexcept { return part_[view][tile]; }
  unsigned manhattan(unsigned tile, unsigned cell) const noexcept { return manhattan_[tile][cell]; }

  std::uint64_t rank(std::size_t view, std::size_t part, const Positions& at) const noexcept {
    const Entry& entry = entries_[view * parts_ + part];
    switch (entry.tiles) {  // with the number known, there are no loops
      case 3: return rank<3>(entry, at);
      case 4: return rank<4>(entry, at);
      case 5: return rank<5>(entry, at);
      case 6: return rank<6>(entry, at);
      case 7: return rank<7>(entry, at);
      case 8: return rank<8>(entry, at);
      default: return rank<0>(entry, at);
    }
  }
  void prefetch(std::size_t view, std::size_t part, std::uint64_t rank) const noexcept {
    __builtin_prefetch(entries_[view * parts_ + part].table + rank / 2);
  }
  // Half of what the part's tiles need above their Manhattan distance.
  unsigned excess(std::size_t view, std::size_t part, std::uint64_t rank) const noexcept {
    return Packing{4}.get(entries_[view * parts_ + part].table, rank);
  }

 private:
  // A part in a view.
  struct Entry {
    const std::uint8_t* table;
    unsigned tiles;
    TilePattern::Weights weights;
    std::array<std::uint8_t, TilePattern::kMaxTiles> tile;  // by number
    std::array<std::uint8_t, TilePattern::kMaxCells> cell;  // the image of each cell
  };

  // kTiles: how many there are, or 0.
  template <unsigned kTiles>
  static std::uint64_t rank(const Entry& entry, const Positions& at) noexcept {
    std::array<std::uint8_t, TilePattern::kMaxTiles> cells;
    std::uint64_t rank = 0;
    const unsigned tiles = kTiles != 0 ? kTiles : entry.tiles;
#pragma GCC unroll 8
    for (unsigned i = 0; i < tiles; ++i) {
      const unsigned cell = entry.cell[at[entry.tile[i]]];
      unsigned free = cell;
#pragma GCC unroll 8
      for (unsigned j = 0; j < i; ++j) free -= cells[j] < cell;
      cells[i] = static_cast<std::uint8_t>(cell);
      rank += free * entry.weights[i];
    }
    return rank;
  }

  std::size_t views_, parts_;
  std::vector<Entry> entries_;
  std::array<std::array<std::uint8_t, TilePattern::kMaxCells>, TileHeuristic::kMaxViews> part_{};
  std::array<std::array<std::uint8_t, TilePattern::kMaxCells>, TilePattern::kMaxCells> manhattan_{};
};

}  // namespace hstar
