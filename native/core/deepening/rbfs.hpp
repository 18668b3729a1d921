// Recursive best-first search (Korf 1993): expands in the order of A*, in memory that grows with the depth.
#pragma once

#include "search/search.hpp"

namespace hstar {

// `options`: weight and limits.
Outcome rbfs(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control);

}  // namespace hstar
