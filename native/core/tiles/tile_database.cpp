#include "tiles/tile_database.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "puzzle/refuse.hpp"

namespace hstar {

TileDatabase::TileDatabase(TilePattern tiles, std::span<const std::uint8_t> bytes, std::shared_ptr<const void> keep)
    : pattern(std::move(tiles)), table(bytes), owner(std::move(keep)) {
  const std::uint64_t expected = Packing{4}.bytes(pattern.entries());
  if (table.size() != expected)
    refuse("table has " + std::to_string(table.size()) + " bytes, expected " + std::to_string(expected));
}

TileHeuristic::TileHeuristic(std::shared_ptr<const SlidingTiles> puzzle,
                             std::vector<std::shared_ptr<const TileDatabase>> databases,
                             const std::vector<Image>& symmetries, std::vector<Image> images)
    : puzzle_(std::move(puzzle)), databases_(std::move(databases)) {
  if (databases_.empty() || databases_.size() > kMaxDatabases)
    refuse(std::to_string(databases_.size()) + " databases, expected 1 to " + std::to_string(kMaxDatabases));
  for (const auto& database : databases_)
    if (&database->pattern.puzzle() != puzzle_.get()) refuse("the tile database is of another puzzle");
  Image identity(puzzle_->slots());
  std::iota(identity.begin(), identity.end(), std::uint8_t{0});
  if (images.empty()) images.assign(databases_.size(), identity);
  if (images.size() != databases_.size())
    refuse(std::to_string(images.size()) + " images of " + std::to_string(databases_.size()) + " databases");
  for (std::size_t part = 0; part < images.size(); ++part) {
    check_image(images[part]);
    check_turned(databases_[part]->pattern, images[part]);
  }
  add_view(identity, images);
  for (const Image& symmetry : symmetries) {
    check_image(symmetry);
    const auto home = static_cast<std::size_t>(std::ranges::find(puzzle_->goal(), 0) - puzzle_->goal().begin());
    if (symmetry[home] != home) refuse("symmetry: the blank's goal cell is moved");
    add_view(symmetry, images);
  }
}

void TileHeuristic::check_image(const Image& image) const {
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
}

void TileHeuristic::check_turned(const TilePattern& pattern, const Image& image) const {
  const Bytes goal = puzzle_->goal();
  const auto home = static_cast<unsigned>(std::ranges::find(goal, 0) - goal.begin());
  if (image[home] == home) return;
  std::set<unsigned> reached{home};
  for (std::vector<unsigned> edge{home}; !edge.empty();) {
    const unsigned cell = edge.back();
    edge.pop_back();
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
      const unsigned beside = puzzle_->neighbour(cell, move);
      if (beside != SlidingTiles::kNoCell && pattern.number(goal[beside]) == TilePattern::kNone &&
          reached.insert(beside).second)
        edge.push_back(beside);
    }
  }
  if (reached.size() + pattern.tiles().size() != goal.size())
    refuse("image: the blank's goal cell is moved, and the pattern separates cells");
}

void TileHeuristic::add_view(const Image& symmetry, const std::vector<Image>& images) {
  const std::size_t cells = puzzle_->slots();
  const Bytes goal = puzzle_->goal();
  View view{};
  view.place.fill(kNoPlace);
  std::set<std::vector<std::size_t>> groups;  // of tiles, by part
  for (std::size_t part = 0; part < databases_.size(); ++part) {
    const TilePattern& pattern = databases_[part]->pattern;
    std::vector<std::size_t> group;
    for (std::size_t home = 0; home < cells; ++home) {
      const unsigned tile = goal[home], number = pattern.number(goal[images[part][symmetry[home]]]);
      if (number == TilePattern::kNone) continue;
      if (tile == 0) refuse("image: the blank becomes a tile of the database");
      if (view.place[tile] != kNoPlace)
        refuse("tile " + std::to_string(tile) + " is in two databases, so their sum would be no lower bound");
      view.place[tile] = static_cast<std::uint8_t>(part * TilePattern::kMaxTiles + number);
      for (std::size_t cell = 0; cell < cells; ++cell) view.cell[tile][cell] = images[part][symmetry[cell]];
      group.push_back(home);
    }
    groups.insert(group);
  }
  // What a part says depends only on which tiles it has, so a view of the same groups reads nothing new.
  if (!groups_.insert(groups).second) return;
  if (views_.size() == kMaxViews) refuse("more than " + std::to_string(kMaxViews) + " symmetries");
  views_.push_back(view);
}

unsigned TileHeuristic::checked_value(Bytes state) const {
  puzzle_->check(state, "state");
  return value(state);
}

unsigned TileHeuristic::value(Bytes state) const noexcept {
  std::uint64_t seen = 0;
  unsigned most = 0;
  for (const std::uint8_t tile : state) {
    if (seen >> tile & 1) return 0;
    seen |= std::uint64_t{1} << tile;
  }
  // All ranks first, so that the reads of the databases, which are mostly cache misses, overlap.
  std::uint64_t ranks[kMaxViews][kMaxDatabases];
  unsigned sums[kMaxViews] = {};
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const View& view = views_[v];
    std::uint8_t cells[(kMaxDatabases + 1) * TilePattern::kMaxTiles];
    for (std::size_t cell = 0; cell < state.size(); ++cell)
      cells[view.place[state[cell]]] = view.cell[state[cell]][cell];
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
