// Additive pattern databases of sliding tiles (Korf and Felner 2002): for every placement of a pattern's tiles, the
// least number of moves of these tiles that brings them home, whatever the blank and the other tiles do. A move moves
// one tile, so the values of disjoint patterns may be added.
//
// An entry is half of the excess over the tiles' Manhattan distance, in four bits: every move changes both by one or,
// where the blank's place matters, by an odd number, so the excess is even. 16 or more is stored as 15.
#pragma once

#include <memory>
#include <set>
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
BuiltTable build_tile_database(const TilePattern& pattern, unsigned threads, Control& progress);

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
//
// A part of the sum is a database and an image of the board: its tiles are those that the image makes the database's.
// So patterns that rotations or reflections of the board map to one another share a table.
class TileHeuristic final : public Database {
 public:
  static constexpr std::size_t kMaxDatabases = 16, kMaxViews = 8;

  // How the parts read a board, after one symmetry.
  struct View {
    // By tile: its part's number times kMaxTiles, plus its own number in the part's database; kNoPlace if no part has
    // it.
    std::array<std::uint8_t, TilePattern::kMaxCells> place;
    // By tile and cell: the cell in its part's image.
    std::array<std::array<std::uint8_t, TilePattern::kMaxCells>, TilePattern::kMaxCells> cell;
  };
  static constexpr std::uint8_t kNoPlace = kMaxDatabases * TilePattern::kMaxTiles;

  using Image = std::vector<std::uint8_t>;  // of each cell
  // `databases`: of each part. `symmetries`: the identity need not be among them. `images`: of each part; none: all are
  // the identity. Throws std::invalid_argument unless all are symmetries of the board, `symmetries` keep the blank's
  // goal cell, and the parts have disjoint tiles of this puzzle. A part whose image moves the blank's goal cell needs a
  // pattern that leaves all other cells connected: otherwise its table depends on where the blank is at the goal.
  TileHeuristic(std::shared_ptr<const SlidingTiles> puzzle, std::vector<std::shared_ptr<const TileDatabase>> databases,
                const std::vector<Image>& symmetries, std::vector<Image> images = {});

  const SlidingTiles& puzzle() const noexcept override { return *puzzle_; }
  const std::vector<std::shared_ptr<const TileDatabase>>& databases() const noexcept { return databases_; }
  const std::vector<View>& views() const noexcept { return views_; }
  unsigned value(Bytes state) const noexcept override;
  unsigned checked_value(Bytes state) const;

 private:
  void check_image(const Image& image) const;
  void check_turned(const TilePattern& pattern, const Image& image) const;
  void add_view(const Image& symmetry, const std::vector<Image>& images);

  std::shared_ptr<const SlidingTiles> puzzle_;
  std::vector<std::shared_ptr<const TileDatabase>> databases_;
  std::vector<View> views_;
  std::set<std::set<std::vector<std::size_t>>> groups_;  // of each view: the homes of the tiles of each part
};

}  // namespace hstar
