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
  const std::size_t expected = cells_ * cells_ * cells_ * cells_;
  if (cells_ > TilePattern::kMaxCells)
    refuse("board of more than " + std::to_string(TilePattern::kMaxCells) + " cells");
  if (pairs.size() != expected)
    refuse("pairs have " + std::to_string(pairs.size()) + " bytes, expected " + std::to_string(expected));
  for (const std::int8_t weight : pairs)
    if (weight < -kMostWeight || weight > kMostWeight) refuse("pairs: a weight is not from -63 to 63");
  change_.assign(cells_ * block(1, 0, 0), 0);
  for (std::size_t home = 0; home < cells_; ++home)
    for (unsigned to = 0; to < cells_; ++to)
      for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
        const unsigned from = puzzle.neighbour(to, move), tile = puzzle.goal()[home];
        if (from == SlidingTiles::kNoCell || tile == 0) continue;
        for (std::size_t other = 0; other < cells_; ++other) {
          if (puzzle.goal()[other] == 0 || other == home) continue;
          const std::int8_t* const weights = pairs.data() + (home * cells_ + other) * cells_ * cells_;
          for (std::size_t cell = 0; cell < cells_; ++cell)
            change_[block(tile, from, move) + cell * cells_ + puzzle.goal()[other]] =
                static_cast<std::int8_t>(weights[to * cells_ + cell] - weights[from * cells_ + cell]);
        }
      }
}

}  // namespace hstar
