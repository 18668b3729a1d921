// A heuristic over one set of additive databases, kept up to date slide by slide.
//
// A slide moves one tile, so in each view of the board it changes one database's rank. What the others say is read off
// the board once for all its successors. With that, h is found by one number, as with features that are sums.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "heuristic/heuristic.hpp"
#include "tiles/tile_database.hpp"

namespace hstar {

class TileSums {
 public:
  static constexpr std::size_t kMostCells = 16;

  // nullptr if the heuristic needs more than raw and one value of a TileHeuristic, or its table would be too large.
  static std::unique_ptr<const TileSums> of(const SlidingTiles& puzzle, const Heuristic& heuristic);

  // One board, in all views.
  struct State {
    // Of each database's tiles, by view and View::place; the last is for tiles that are in none.
    std::array<std::array<std::uint8_t, (TileHeuristic::kMaxDatabases + 1) * TilePattern::kMaxTiles>, TileHeuristic::kMaxViews>
        cells;
    std::array<std::array<std::uint64_t, TileHeuristic::kMaxDatabases>, TileHeuristic::kMaxViews> rank;
    std::array<std::array<std::uint8_t, TileHeuristic::kMaxDatabases>, TileHeuristic::kMaxViews> excess;
    std::array<unsigned, TileHeuristic::kMaxViews> value;  // the sum, by view
    unsigned most;                                         // of these
  };
  // What a slide asks of the databases, by view.
  struct Query {
    std::array<std::uint64_t, TileHeuristic::kMaxViews> rank;
  };

  // The number of a board: raw, and stride() times what the databases say. `lookup`: h by number.
  std::uint32_t number(Bytes board) const noexcept { return heuristic_.raw(board) + stride() * databases_.value(board); }
  std::uint32_t stride() const noexcept { return heuristic_.raw_size(); }
  const HeuristicTable& lookup() const noexcept { return lookup_; }

  // A board is read in two steps, so that what they and `ask` prefetch is under way together: first all but `excess`,
  // `value` and `most`, then these.
  void place(Bytes board, State& state) const noexcept;
  void look_up(State& state) const noexcept;
  // After `place`. The slide of `tile` from cell `from` to the blank's cell: prefetches what `value` will read. Changes the state only
  // while it is at work.
  void ask(State& state, unsigned tile, unsigned from, unsigned blank, Query& query) const noexcept;
  // After `look_up`: what the databases say after the slide.
  unsigned value(const State& state, unsigned tile, unsigned from, unsigned blank, const Query& query) const noexcept;

 private:
  TileSums(const Heuristic& heuristic, const TileHeuristic& databases, std::uint32_t values);

  // A database as it is read here, with no pointers on the way.
  struct Part {
    explicit Part(const TileDatabase& database);
    std::uint64_t rank(const std::uint8_t* cells) const noexcept { return TilePattern::rank_of_16(cells, tiles, weights); }
    unsigned excess(std::uint64_t rank) const noexcept { return Packing{4}.get(table, rank); }
    void prefetch(std::uint64_t rank) const noexcept { __builtin_prefetch(table + rank / 2); }

    const std::uint8_t* table;
    std::size_t tiles;
    TilePattern::Weights weights;
    std::array<std::array<std::uint8_t, kMostCells>, TilePattern::kMaxTiles> manhattan;  // by tile and cell
  };

  const Heuristic& heuristic_;
  const TileHeuristic& databases_;
  const std::vector<TileHeuristic::View>& views_;
  std::vector<Part> parts_;
  HeuristicTable lookup_;
};

}  // namespace hstar
