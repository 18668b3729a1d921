// IDA* (Korf 1985) over pattern databases: the fastest optimal solver of permutation puzzles here.
#pragma once

#include "pattern/pattern_heuristic.hpp"
#include "search/search.hpp"

namespace hstar {

// A shortest solution with heuristic.moves(). Successors are pruned as in Pruning::canonical; `evaluated` counts the
// successors looked up, which are all generated ones. Nothing is stored, so limits.memory_bytes is not used. With one
// thread the counters depend on the arguments alone. With more, the solution is the same (the first in the order of the
// moves), but the counters of the last iteration depend on when it was found. Throws std::invalid_argument if `start`
// is not a state. `part`: only this part of an iteration.
Outcome pattern_ida_star(Bytes start, const PatternHeuristic& heuristic, const Limits& limits, unsigned threads,
                         Control& control, const std::optional<Part>& part = {});

}  // namespace hstar
