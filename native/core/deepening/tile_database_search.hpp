// IDA* over additive databases of sliding tiles.
#pragma once

#include <limits>

#include "search/search.hpp"
#include "tiles/tile_database.hpp"

namespace hstar {

// Solves a board with all four moves, without the move that undoes the last one. f_bound is a proven lower bound
// however the search ends. `longest`: if no solution has so few moves, the search ends with `exhausted`.
//
// A state is also as far as any of its successors, minus one move: if a successor is too far even so, its siblings are
// not searched either (Felner, Zahavi, Schaeffer, Holte 2005).
//
// `part`: only this part of an iteration.
//
// The solution is the same with any number of threads, and so are the counters but for those of the last iteration.
// Throws std::invalid_argument for a start that is no board, and for limits that make no sense.
Outcome tile_ida_star(Bytes start, const TileHeuristic& heuristic, const Limits& limits, unsigned threads,
                      Control& control, unsigned longest = std::numeric_limits<unsigned>::max(),
                      const std::optional<Part>& part = {});

}  // namespace hstar
