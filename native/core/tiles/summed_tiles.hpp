// Boards whose heuristic needs one set of additive databases: raw is the number of TileSums, by which h is found.
#pragma once

#include "tiles/packed_tiles.hpp"
#include "tiles/tile_sums.hpp"

namespace hstar {

class SummedTiles : public PackedTiles {
 public:
  SummedTiles(const SlidingTiles& puzzle, const Heuristic& heuristic, Bytes moves, const TileSums& sums)
      : PackedTiles(puzzle, heuristic, moves), puzzle_(puzzle), sums_(sums) {}

  const HeuristicTable& lookup() const noexcept { return sums_.lookup(); }
  std::uint32_t raw(const State& state) const noexcept {
    std::uint8_t board[kMaxCells];
    unpack(state, board);
    return sums_.number({board, state_bytes()});
  }

  template <class Successors, class OnHash>
  void expand(const State& state, std::uint64_t hash, std::uint32_t number, unsigned arrival, Successors& children,
              OnHash on_hash) const noexcept {
    PackedTiles::expand(state, hash, number, arrival, children, on_hash);
    std::uint8_t board[kMaxCells];
    unpack(state, board);
    TileSums::State sums;
    sums_.place({board, state_bytes()}, sums);
    const auto blank = static_cast<unsigned>(std::find(board, board + state_bytes(), 0) - board);
    const auto from = [&](unsigned i) { return puzzle_.neighbour(blank, static_cast<unsigned>(children.move[i])); };
    std::array<TileSums::Query, kMaxChildren> queries;
    for (unsigned i = 0; i < children.size; ++i) sums_.ask(sums, board[from(i)], from(i), blank, queries[i]);
    sums_.look_up(sums);
    for (unsigned i = 0; i < children.size; ++i) {
      const unsigned value = sums_.value(sums, board[from(i)], from(i), blank, queries[i]);
      children.raw[i] += sums_.stride() * (value - sums.most);  // modulo 2^32
    }
  }

 private:
  const SlidingTiles& puzzle_;
  const TileSums& sums_;
};

}  // namespace hstar
