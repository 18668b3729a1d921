#include "tiles/tile_pattern.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <string>
#include <utility>

#include "puzzle/refuse.hpp"

namespace hstar {

TilePattern::TilePattern(std::shared_ptr<const SlidingTiles> puzzle, std::vector<std::uint8_t> tiles)
    : puzzle_(std::move(puzzle)), tiles_(std::move(tiles)) {
  const auto cells = static_cast<unsigned>(puzzle_->slots());
  if (cells > kMaxCells)
    refuse("tile pattern", std::to_string(cells) + " cells, expected at most " + std::to_string(kMaxCells));
  if (tiles_.empty() || tiles_.size() > kMaxTiles)
    refuse("tile pattern", std::to_string(tiles_.size()) + " tiles, expected 1 to " + std::to_string(kMaxTiles));
  std::ranges::sort(tiles_);
  number_.fill(kNone);
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const unsigned tile = tiles_[i];
    if (tile == 0 || tile >= cells) refuse("tile pattern", "no tile " + std::to_string(tile));
    if (number_[tile] != kNone) refuse("tile pattern", "tile " + std::to_string(tile) + " appears twice");
    number_[tile] = static_cast<std::uint8_t>(i);
    entries_ *= cells - i;
    if (entries_ > kMaxEntries) refuse("tile pattern", "more than " + std::to_string(kMaxEntries) + " states");
    const auto home = static_cast<int>(std::ranges::find(puzzle_->goal(), tiles_[i]) - puzzle_->goal().begin());
    const auto columns = static_cast<int>(puzzle_->columns());
    for (int cell = 0; cell < static_cast<int>(cells); ++cell)
      manhattan_[i][static_cast<std::size_t>(cell)] = static_cast<std::uint8_t>(
          std::abs(cell / columns - home / columns) + std::abs(cell % columns - home % columns));
  }
  std::uint64_t weight = 1;
  for (std::size_t i = tiles_.size(); i-- > 0; weight *= cells - i) weight_[i] = weight;
  assert(valid());
}

bool TilePattern::valid() const {
  std::array<std::uint8_t, kMaxCells> cells;
  for (const std::uint64_t number : {std::uint64_t{0}, entries_ / 3, entries_ / 2, entries_ - 1}) {
    unrank(number, cells.data());
    if (rank(cells.data()) != number || rank_of_any(cells.data()) != number) return false;
  }
  return true;
}

std::uint64_t TilePattern::rank_of_any(const std::uint8_t* cells) const noexcept {
  std::uint64_t rank = 0;
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    unsigned free = cells[i];
    for (std::size_t j = 0; j < i; ++j) free -= cells[j] < cells[i];
    rank += free * weight_[i];
  }
  return rank;
}

void TilePattern::unrank(std::uint64_t rank, std::uint8_t* cells) const noexcept {
  for (std::size_t i = 0; i < tiles_.size(); rank %= weight_[i++])
    cells[i] = static_cast<std::uint8_t>(rank / weight_[i]);
  for (std::size_t i = tiles_.size(); i-- > 0;)
    for (std::size_t j = i; j-- > 0;) cells[i] = static_cast<std::uint8_t>(cells[i] + (cells[i] >= cells[j]));
}

}  // namespace hstar
