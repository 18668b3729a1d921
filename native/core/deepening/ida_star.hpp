// IDA*. In hstar.hpp is what it requires and ensures.
#pragma once

#include "memory/arena.hpp"
#include "search/search.hpp"

namespace hstar {

// Depth-first searches with rising thresholds of f. Memory grows with the length of the path only.
Outcome ida_star(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control);
Outcome ida_star_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                    Control& control);

}  // namespace hstar
