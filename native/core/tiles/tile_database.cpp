#include "tiles/tile_database.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace hstar {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

}  // namespace

TileDatabase::TileDatabase(TilePattern tiles, std::span<const std::uint8_t> bytes, std::shared_ptr<const void> keep)
    : pattern(std::move(tiles)), table(bytes), owner(std::move(keep)) {
  const std::uint64_t expected = Packing{4}.bytes(pattern.entries());
  if (table.size() != expected)
    refuse("table has " + std::to_string(table.size()) + " bytes, expected " + std::to_string(expected));
}

TileHeuristic::TileHeuristic(std::shared_ptr<const SlidingTiles> puzzle,
                             std::vector<std::shared_ptr<const TileDatabase>> databases,
                             const std::vector<std::vector<std::uint8_t>>& symmetries)
    : puzzle_(std::move(puzzle)), databases_(std::move(databases)) {
  if (databases_.empty() || databases_.size() > kMaxDatabases)
    refuse(std::to_string(databases_.size()) + " databases, expected 1 to " + std::to_string(kMaxDatabases));
  database_of_.fill(TilePattern::kNone);
  for (std::size_t number = 0; number < databases_.size(); ++number) {
    const TilePattern& pattern = databases_[number]->pattern;
    if (&pattern.puzzle() != puzzle_.get()) refuse("the tile database is of another puzzle");
    for (const std::uint8_t tile : pattern.tiles()) {
      if (database_of_[tile] != TilePattern::kNone)
        refuse("tile " + std::to_string(tile) + " is in two databases, so their sum would be no lower bound");
      database_of_[tile] = static_cast<std::uint8_t>(number);
    }
  }
  std::vector<std::uint8_t> identity(puzzle_->slots());
  for (std::size_t cell = 0; cell < identity.size(); ++cell) identity[cell] = static_cast<std::uint8_t>(cell);
  add_view(identity);
  for (const auto& image : symmetries) add_view(image);
}

void TileHeuristic::add_view(const std::vector<std::uint8_t>& image) {
  const std::size_t cells = puzzle_->slots();
  if (image.size() != cells) refuse("symmetry has " + std::to_string(image.size()) + " cells");
  std::set<unsigned> seen;
  for (const std::uint8_t cell : image)
    if (cell >= cells || !seen.insert(cell).second) refuse("symmetry: cells are not mapped one to one");
  for (unsigned cell = 0; cell < cells; ++cell) {
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
      const unsigned beside = puzzle_->neighbour(cell, move);
      if (beside == SlidingTiles::kNoCell) continue;
      bool still = false;
      for (unsigned other = 0; other < SlidingTiles::kMoves; ++other)
        still |= puzzle_->neighbour(image[cell], other) == image[beside];
      if (!still) refuse("symmetry: neighbouring cells do not stay neighbours");
    }
  }
  View view{};
  const Bytes goal = puzzle_->goal();
  for (std::size_t cell = 0; cell < cells; ++cell) {
    view.cell[cell] = image[cell];
    view.tile[goal[cell]] = goal[image[cell]];
  }
  if (view.tile[0] != 0) refuse("symmetry: the blank's goal cell is moved");
  for (std::size_t tile = 0; tile < cells; ++tile) {
    const std::size_t number = database_of_[view.tile[tile]];
    view.place[tile] = static_cast<std::uint8_t>(
        number == TilePattern::kNone
            ? kMaxDatabases * TilePattern::kMaxTiles
            : number * TilePattern::kMaxTiles + databases_[number]->pattern.number(view.tile[tile]));
  }
  // A view that permutes tiles only within their patterns, or whole patterns with one another, reads the same entries.
  const auto tiles_read = [&](const View& v) {
    std::set<std::string> patterns;
    for (const auto& database : databases_) {
      std::string tiles;
      for (unsigned tile = 1; tile < cells; ++tile)
        if (database->pattern.number(v.tile[tile]) != TilePattern::kNone) tiles.push_back(static_cast<char>(tile));
      patterns.insert(tiles);
    }
    return patterns;
  };
  for (const View& other : views_)
    if (tiles_read(other) == tiles_read(view)) return;
  if (views_.size() == kMaxViews) refuse("more than " + std::to_string(kMaxViews) + " symmetries");
  views_.push_back(view);
}

unsigned TileHeuristic::checked_value(Bytes state) const {
  puzzle_->check(state, "state");
  return value(state);
}

unsigned TileHeuristic::value(Bytes state) const noexcept {
  unsigned seen = 0, most = 0;
  for (const std::uint8_t tile : state) {
    if (seen >> tile & 1) return 0;
    seen |= 1u << tile;
  }
  // All ranks first, so that the reads of the databases, which are mostly cache misses, overlap.
  std::uint64_t ranks[kMaxViews][kMaxDatabases];
  unsigned sums[kMaxViews] = {};
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const View& view = views_[v];
    std::uint8_t cells[(kMaxDatabases + 1) * TilePattern::kMaxTiles];
    for (std::size_t cell = 0; cell < state.size(); ++cell) cells[view.place[state[cell]]] = view.cell[cell];
    for (std::size_t number = 0; number < databases_.size(); ++number) {
      const TileDatabase& database = *databases_[number];
      const std::uint8_t* own = cells + number * TilePattern::kMaxTiles;
      ranks[v][number] = database.pattern.rank(own);
      __builtin_prefetch(database.table.data() + ranks[v][number] / 2);
      sums[v] += database.pattern.manhattan(own);
    }
  }
  for (std::size_t v = 0; v < views_.size(); ++v) {
    for (std::size_t number = 0; number < databases_.size(); ++number)
      sums[v] += 2 * databases_[number]->excess(ranks[v][number]);
    most = std::max(most, sums[v]);
  }
  return most;
}

}  // namespace hstar
