// A heuristic over one set of additive databases, kept up to date slide by slide.
//
// A slide moves one tile, so in each view of the board it changes one part's entry. What the other parts say is read
// off the board once for all its successors. With that, h is found by one number, as with features that are sums.
#pragma once

#include <array>
#include <memory>

#include "heuristic/heuristic.hpp"
#include "tiles/tile_reader.hpp"

namespace hstar {

class TileSums {
 public:
  static constexpr std::size_t kMostCells = 16;
  using Positions = TileReader::Positions;

  // nullptr if the heuristic needs more than raw and one value of a TileHeuristic, if a tile is in no part of a view,
  // or if its table would be too large.
  static std::unique_ptr<const TileSums> of(const SlidingTiles& puzzle, const Heuristic& heuristic);

  // The entries of a board, by view and part, and their sums, by view.
  struct Entries {
    std::array<std::array<std::uint64_t, TileHeuristic::kMaxDatabases>, TileHeuristic::kMaxViews> rank;
    std::array<std::array<std::uint8_t, TileHeuristic::kMaxDatabases>, TileHeuristic::kMaxViews> excess;
    std::array<unsigned, TileHeuristic::kMaxViews> sum;  // of the excesses
    unsigned most;                                       // of the sums
  };
  // The slide of a tile to the blank's cell, and the entries of its part after it, by view.
  struct Slide {
    unsigned tile, from, to;
    std::array<std::uint64_t, TileHeuristic::kMaxViews> rank;
  };

  // The number of a board: raw, and stride() times what the databases say. `lookup`: h by number.
  std::uint32_t number(Bytes board) const noexcept {
    return heuristic_.raw(board) + stride() * databases_.value(board);
  }
  std::uint32_t stride() const noexcept { return heuristic_.raw_size(); }
  const HeuristicTable& lookup() const noexcept { return lookup_; }

  // An expansion first prefetches what it will read, of the board and of each slide, so that all reads are under way
  // together; then it reads the board, then each slide. `at`: the cell of each tile, changed only while `prefetch`
  // works.
  void prefetch(const Positions& at, Entries& entries) const noexcept;
  void prefetch(Positions& at, Slide& slide) const noexcept;
  void read(Entries& entries) const noexcept;
  // What a slide adds to the number, besides what it adds to raw; modulo 2^32.
  std::uint32_t change(const Entries& entries, const Slide& slide) const noexcept;

 private:
  TileSums(const Heuristic& heuristic, const TileHeuristic& databases, std::uint32_t values);

  const Heuristic& heuristic_;
  const TileHeuristic& databases_;
  const TileReader reader_;
  HeuristicTable lookup_;
};

}  // namespace hstar
