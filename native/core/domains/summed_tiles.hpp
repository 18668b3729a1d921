// Boards whose heuristic needs one set of additive databases: raw is the number of TileSums, by which h is found.
#pragma once

#include "domains/packed_tiles.hpp"
#include "domains/tile_sums.hpp"

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
    TileSums::Positions at;
    for (unsigned cell = 0; cell < state_bytes(); ++cell) at[tile(state, cell)] = static_cast<std::uint8_t>(cell);
    TileSums::Entries entries;
    sums_.prefetch(at, entries);
    std::array<TileSums::Slide, kMaxChildren> slides;
    for (unsigned i = 0; i < children.size; ++i) {
      slides[i].to = at[0];
      slides[i].from = puzzle_.neighbour(at[0], static_cast<unsigned>(children.move[i]));
      slides[i].tile = tile(state, slides[i].from);
      sums_.prefetch(at, slides[i]);
    }
    sums_.read(entries);
    for (unsigned i = 0; i < children.size; ++i) children.raw[i] += sums_.change(entries, slides[i]);
  }

 private:
  const SlidingTiles& puzzle_;
  const TileSums& sums_;
};

}  // namespace hstar
