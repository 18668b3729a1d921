// IDA* (Korf 1985) over pattern databases: the strongest solver of permutation puzzles here.
#pragma once

#include "pattern/pattern_heuristic.hpp"
#include "search/search.hpp"

namespace hstar {

// A shortest solution with heuristic.moves(). Successors are those of the canonical order; `evaluated` are the
// successors looked up, all that were generated. Nothing is stored, so limits.memory_bytes is not looked at. With one
// thread the counters depend on the arguments alone. With more, the solution is still the same (the first one in the
// order of the moves), but what was counted in the last iteration depends on when it was found. Throws
// std::invalid_argument if `start` is no state.
Outcome pattern_ida_star(Bytes start, const PatternHeuristic& heuristic, const Limits& limits, unsigned threads,
                         Control& control);

}  // namespace hstar
