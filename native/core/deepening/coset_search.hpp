// IDA* over the distances to subgroups and to their images under symmetries of the puzzle.
#pragma once

#include "coset/coset_heuristic.hpp"
#include "search/search.hpp"

namespace hstar {

// A shortest solution; counters, threads and parts as in pattern_ida_star. Throws std::invalid_argument if `start` is not a state.
Outcome coset_ida_star(Bytes start, const CosetHeuristic& heuristic, const Limits& limits, unsigned threads,
                       Control& control, const std::optional<Part>& part = {});

}  // namespace hstar
