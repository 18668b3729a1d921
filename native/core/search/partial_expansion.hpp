// EPEA*: A* that produces only the successors it needs (Felner, Goldenberg, Sharon, Stern, Beja, Sturtevant, Schaeffer
// & Holte 2012; Goldenberg et al. 2014).
#pragma once

#include "search/search.hpp"

namespace hstar {

// `heuristic` is rounded up, since each move costs 1.
Outcome partial_expansion(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                          Control& control);

}  // namespace hstar
