// IDA* over the distances to subgroups and to their images under symmetries of the puzzle.
#pragma once

#include <limits>

#include "coset/coset_heuristic.hpp"
#include "search/search.hpp"

namespace hstar {

// A shortest solution; counters, threads and parts as in pattern_ida_star, but with more threads it may be another
// one, as other states are expanded together. Where a state is solved by an even number of moves only, or an odd one,
// the bound rises by two. `longest`: if no solution has so few moves, the search ends with `exhausted`. Throws
// std::invalid_argument if `start` is not a state.
Outcome coset_ida_star(Bytes start, const CosetHeuristic& heuristic, const Limits& limits, unsigned threads,
                       Control& control, unsigned longest = std::numeric_limits<unsigned>::max(),
                       const std::optional<Part>& part = {});

}  // namespace hstar
