// IDA* (Korf 1985) over additive pattern databases of sliding tiles.
#pragma once

#include "search/search.hpp"
#include "tiles/tile_database.hpp"

namespace hstar {

// A shortest solution with all four moves; the move that undoes the last is not generated. Nothing is stored, so
// limits.memory_bytes is not used. The counters depend on the arguments alone. Throws std::invalid_argument if `start`
// is not a board.
Outcome tile_ida_star(Bytes start, const TileHeuristic& heuristic, const Limits& limits, Control& control);

}  // namespace hstar
