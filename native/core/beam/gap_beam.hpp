// Beam search on a row of pieces whose moves part few neighbours, as a stack of pancakes: layer by layer from the
// start, and of each layer only the states with the fewest gaps are kept.
#pragma once

#include "search/search.hpp"

namespace hstar {

struct GapBeamOptions {
  std::size_t width = 1'000;  // states kept of each layer
  unsigned longest = 0;       // moves; states that gaps show to need more in all are left out
  unsigned threads = 1;
  Limits limits{};
};

// Of states with as many gaps those are kept whose hash of 64 bits is least, and states with
// the same hash are taken for one. Where a limit of nodes leaves less, the last layers are narrower. The solution is
// the same with any number of threads. `exhausted`: no state was left, which proves nothing. f_bound is the gaps of the
// start. `heuristic` is any of the puzzle. Throws std::invalid_argument as A* does, for moves that turn pieces or may
// be forbidden, and for a width of 0 or more than kMostGapWidth.
constexpr std::size_t kMostGapWidth = std::size_t{1} << 28;
Outcome gap_beam(Bytes start, Bytes moves, const Heuristic& heuristic, const GapBeamOptions& options, Control& control);

}  // namespace hstar
