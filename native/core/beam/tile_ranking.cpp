#include "beam/tile_ranking.hpp"

#include <stdexcept>
#include <string>

namespace hstar {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

}  // namespace

TileRanking::TileRanking(const SlidingTiles& puzzle, int manhattan, int excess, std::span<const std::int8_t> pairs)
    : cells_(puzzle.slots()), manhattan_(manhattan), excess_(excess) {
  if (manhattan < 0 || manhattan > 255 || excess < 0 || excess > 255) refuse("weight is not from 0 to 255");
  if (pairs.empty()) return;
  const std::size_t rows = puzzle.rows(), columns = puzzle.columns(), width = 2 * columns - 1;
  const std::size_t offsets = (2 * rows - 1) * width, expected = offsets * offsets;
  if (cells_ > TilePattern::kMaxCells) refuse("board of more than " + std::to_string(TilePattern::kMaxCells) + " cells");
  if (pairs.size() != expected)
    refuse("pairs have " + std::to_string(pairs.size()) + " bytes, expected " + std::to_string(expected));
  for (const std::int8_t weight : pairs)
    if (weight < -kMostWeight || weight > kMostWeight) refuse("pairs: a weight is not from -63 to 63");
  const auto offset = [&](std::size_t a, std::size_t b) {
    return (b / columns + rows - 1 - a / columns) * width + (b % columns + columns - 1 - a % columns);
  };
  for (std::size_t a = 0; a < cells_; ++a) {
    for (std::size_t b = 0; b < cells_; ++b) {
      offset_[a][b] = static_cast<std::uint8_t>(offset(a, b));
      const unsigned tile = puzzle.goal()[a], other = puzzle.goal()[b];
      // The blank and the tile itself have a row of zeros.
      row_[tile][other] = static_cast<std::uint16_t>((tile == 0 || other == 0 || a == b ? offsets : offset(a, b)) * offsets);
    }
  }
  for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) change_[move].assign((offsets + 1) * offsets, 0);
  for (unsigned from = 0; from < cells_; ++from)
    for (unsigned to = 0; to < cells_; ++to)
      for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
        if (puzzle.neighbour(to, move) != from) continue;  // the blank goes from `to` to `from`
        for (std::size_t cell = 0; cell < cells_; ++cell)
          for (std::size_t goal = 0; goal < expected; goal += offsets) {
            const int change = pairs[goal + offset(to, cell)] - pairs[goal + offset(from, cell)];
            change_[move][goal + offset(from, cell)] = static_cast<std::int8_t>(change);
          }
      }
}

}  // namespace hstar
