// Additive pattern databases of sliding tiles (Korf and Felner 2002): for every placement of a pattern's tiles, the
// least number of moves of these tiles that brings them home, whatever the blank and the other tiles do. A move moves
// one tile, so the values of disjoint patterns may be added.
//
// An entry is half of the excess over the tiles' Manhattan distance, in four bits: every move changes both by one or,
// where the blank's place matters, by an odd number, so the excess is even. 16 or more is stored as 15.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "heuristic/database.hpp"
#include "pattern/pattern_database.hpp"
#include "tiles/tile_pattern.hpp"

namespace hstar {

// Breadth-first search backwards from the goal in the space of the pattern's tiles and the blank. The table does not
// depend on `threads`, and is empty if the build was cancelled. counts[d]: placements that are d moves of the pattern's
// tiles away. Needs less than two bytes of memory a state, on boards of one or two rows less than three. Throws
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

// The sum of databases of disjoint patterns: the maximum over the symmetries of the board that fix the blank's goal
// cell.
class TileHeuristic final : public Database {
 public:
  static constexpr std::size_t kMaxDatabases = 8, kMaxViews = 8;

  // The image of the board under one symmetry: tile t in cell c becomes tile tile[t] in cell cell[c].
  struct View {
    std::array<std::uint8_t, TilePattern::kMaxCells> cell, tile;
    // By tile: its database's number times kMaxTiles, plus its own number there; a larger number if no database has it.
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
