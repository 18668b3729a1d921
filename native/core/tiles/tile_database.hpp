// Additive pattern databases of sliding tiles (Korf and Felner 2002): for every way that the tiles of a pattern can lie,
// how often tiles of the pattern must be moved to bring them home, whatever the blank and the other tiles do. A move
// moves one tile, so the databases of disjoint patterns add up.
//
// Stored is half of what exceeds the tiles' Manhattan distance, in four bits: every move changes both by one or, where
// the blank's place matters, by an odd number, so the difference is even. 16 or more is stored as 15.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heuristic/database.hpp"
#include "pattern/pattern_database.hpp"
#include "tiles/tile_pattern.hpp"

namespace hstar {

// Breadth-first search backwards from the goal in the space of the pattern's tiles and the blank, on `threads` threads,
// which does not change the table; it is empty if it was cancelled. counts[d]: ways to lie that are d moves of the
// pattern's tiles away. It takes less than two bytes a state, on boards of one or two rows less than three. Throws
// std::bad_alloc.
BuiltTable build_tile_database(const TilePattern& pattern, unsigned threads, BuildProgress& progress);

struct TileDatabase {
  // Throws std::invalid_argument unless `table` has half a byte a state.
  TileDatabase(TilePattern pattern, std::span<const std::uint8_t> table, std::shared_ptr<const void> owner);

  unsigned excess(std::uint64_t rank) const noexcept { return Packing{4}.get(table.data(), rank); }

  TilePattern pattern;
  std::span<const std::uint8_t> table;
  std::shared_ptr<const void> owner;
};

// The sum of databases of disjoint patterns, read through the symmetries of the board that leave the blank's goal cell
// where it is, the maximum taken.
class TileHeuristic final : public Database {
 public:
  static constexpr std::size_t kMaxDatabases = 8, kMaxViews = 8;

  // The board as one symmetry shows it: tile t in cell c is tile tile[t] in cell cell[c].
  struct View {
    std::array<std::uint8_t, TilePattern::kMaxCells> cell, tile;
    // By tile: its database's number times kMaxTiles, and its own number there; behind all of those if it has none.
    std::array<std::uint8_t, TilePattern::kMaxCells> place;
  };

  // `symmetries`: images of the cells; the identity need not be among them. Throws std::invalid_argument unless each is
  // one of the board and keeps the blank's goal cell, and the patterns are disjoint and of this puzzle.
  TileHeuristic(std::shared_ptr<const SlidingTiles> puzzle, std::vector<std::shared_ptr<const TileDatabase>> databases,
                const std::vector<std::vector<std::uint8_t>>& symmetries);

  const SlidingTiles& puzzle() const noexcept override { return *puzzle_; }
  const std::vector<std::shared_ptr<const TileDatabase>>& databases() const noexcept { return databases_; }
  const std::vector<View>& views() const noexcept { return views_; }
  // The number of the database whose pattern has this tile, or kNone.
  std::uint8_t database_of(unsigned tile) const noexcept { return database_of_[tile]; }

  unsigned value(Bytes state) const noexcept override;
  unsigned checked_value(Bytes state) const;

 private:
  void add_view(const std::vector<std::uint8_t>& image);

  std::shared_ptr<const SlidingTiles> puzzle_;
  std::vector<std::shared_ptr<const TileDatabase>> databases_;
  std::vector<View> views_;
  std::array<std::uint8_t, TilePattern::kMaxCells> database_of_;
};

}  // namespace hstar
