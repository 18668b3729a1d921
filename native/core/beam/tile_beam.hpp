// Beam search over boards: layer by layer from the start, and of each layer only the most promising states are kept.
#pragma once

#include <limits>
#include <vector>

#include "search/search.hpp"
#include "beam/tile_layer.hpp"
#include "beam/tile_ranking.hpp"

namespace hstar {

// Some states of each layer but the first, spread evenly over it, from which rankings are learned.
struct TileSamples {
  std::size_t of_layer = 1;
  std::vector<std::uint32_t> depths{};
  std::vector<std::uint8_t> boards{};  // of each depth one
  std::uint64_t bytes() const noexcept { return depths.capacity() * sizeof(std::uint32_t) + boards.capacity(); }
};

struct TileBeamOptions {
  std::size_t width = 10'000;  // states kept of each layer
  // States from which the goal is not reached in so many moves in all are left out, as far as the databases show it.
  unsigned longest = std::numeric_limits<unsigned>::max();
  unsigned threads = 1;
  const TileRanking* ranking = nullptr;  // TileRanking::plain if there is none
  Limits limits{};
  TileSamples* samples = nullptr;  // added to, if there are any
};

// Of two states of a layer the one is kept that looks nearer by the ranking. States of the same layer, or of the last
// but one, are told apart by 64 bits, five of which tell the blank's cell, so that one may be taken for another and
// left out.
//
// With a limit of seconds and of length in `options`, layers become narrower where there is not the time for all of the
// beam; a deadline of `control` only ends the search. Without a limit of seconds the solution is the same with any
// number of threads. `exhausted`: no state was left, which proves nothing. f_bound is that of the start. Throws
// std::invalid_argument for a start that is no board, a width of 0 or more than kMostWidth, and negative seconds.
constexpr std::size_t kMostWidth = TileWay::kStates;
Outcome tile_beam(Bytes start, const TileHeuristic& heuristic, const TileBeamOptions& options, Control& control);

}  // namespace hstar
