// Boards whose heuristic needs linear conflict or walking distance: raw is the number of TileLines, which determines h.
// The lines are computed from the board once for all its successors.
#pragma once

#include "domains/domain.hpp"
#include "domains/tile_lines.hpp"

namespace hstar {

template <class Tiles>
class LinedTiles : public Tiles {
 public:
  using State = typename Tiles::State;

  LinedTiles(const SlidingTiles& puzzle, const Heuristic& heuristic, Bytes moves, const TileLines& lines)
      : Tiles(puzzle, heuristic, moves), puzzle_(puzzle), lines_(lines) {}

  const HeuristicTable& lookup() const noexcept { return lines_.lookup(); }
  std::uint32_t raw(const State& state) const noexcept {
    std::uint8_t board[SlidingTiles::kMaxCells];
    this->unpack(state, board);
    return lines_.number({board, this->state_bytes()});
  }

  template <class Successors, class OnHash>
  void expand(const State& state, std::uint64_t hash, std::uint32_t number, unsigned arrival, Successors& children,
              OnHash on_hash) const noexcept {
    Tiles::expand(state, hash, number, arrival, children, on_hash);
    std::uint8_t board[SlidingTiles::kMaxCells];
    this->unpack(state, board);
    const Bytes bytes{board, this->state_bytes()};
    const auto blank = static_cast<unsigned>(std::find(board, board + bytes.size(), 0) - board);
    const TileLines::State lines = lines_.state(bytes);
    for (unsigned i = 0; i < children.size; ++i) {
      const auto move = static_cast<unsigned>(children.move[i]);
      const unsigned tile = board[puzzle_.neighbour(blank, move)];
      children.raw[i] = lines_.number(lines, number, lines_.change(blank, move, tile));
    }
  }

 private:
  const SlidingTiles& puzzle_;
  const TileLines& lines_;
};

}  // namespace hstar
