// The successors of a beam's boards: looked at first, as candidates, and made if they are chosen.
#pragma once

#include <array>

#include "beam/tile_layer.hpp"
#include "beam/tile_ranking.hpp"
#include "tiles/tile_reader.hpp"

namespace hstar {

class TileSuccessors {
 public:
  static constexpr unsigned kMost = 3;          // of a state: the move that undoes the last one is left out
  static constexpr std::size_t kBatch = 16;     // parents whose successors are looked up together

  // Those that cannot be on a solution of at most `longest` moves are no candidates.
  TileSuccessors(const TileHeuristic& heuristic, const TileRanking& ranking, unsigned longest);

  // An empty layer, and the bytes of a state in it.
  TileLayer layer() const { return {cells_, views_ * parts_}; }
  std::size_t state_bytes() const noexcept { return TileLayer::bytes_of_one(cells_, views_ * parts_); }

  // Makes the start the only state of a layer; returns a lower bound on its distance.
  unsigned begin(Bytes start, TileLayer& layer) const;
  // Adds the candidates of at most kBatch parents, which are `depth` moves from the start.
  void look(const TileLayer& parents, std::size_t begin, std::size_t end, std::size_t depth,
            TileCandidates& candidates) const;
  // Makes a candidate state i of the next layer.
  void make(const TileLayer& parents, const TileCandidate& candidate, TileLayer& next, std::size_t i) const noexcept;

 private:
  // A successor whose entries are being fetched.
  struct Asked {
    TileCandidate candidate;
    std::uint16_t manhattan;
    std::uint8_t tile;
    std::array<std::uint64_t, TileHeuristic::kMaxViews> rank;
  };

  void evaluate(const TileLayer& parents, Asked& child, std::size_t depth, TileCandidates& candidates) const;
  std::int32_t score(unsigned manhattan, unsigned excess, std::int32_t pairs) const noexcept;

  const SlidingTiles& puzzle_;
  const TileReader reader_;
  const TileRanking& ranking_;
  const unsigned longest_;
  const std::size_t cells_, views_, parts_;
  std::array<std::array<std::uint64_t, TilePattern::kMaxCells>, TilePattern::kMaxCells> key_{};  // by tile and cell
  std::array<std::array<std::uint16_t, SlidingTiles::kMoves>, TilePattern::kMaxCells> beside_{};
};

}  // namespace hstar
