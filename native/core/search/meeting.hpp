// Bidirectional heuristic search, front to end: MM (Holte, Felner, Sharon, Sturtevant & Chen 2017) and NBS (Chen,
// Holte, Zilles & Sturtevant 2017). Both find a shortest solution if both heuristics are admissible.
#pragma once

#include "search/search.hpp"

namespace hstar {

// h of the way back, from the start to a state: that of another puzzle of the same moves whose goal is the start, or of
// the state after its values are renamed so that the start becomes the goal.
struct BackwardHeuristic {
  const Heuristic& heuristic;
  // Row-major [slots, values of the widest slot]; empty: the state as it is.
  std::vector<Value> images;
};

enum class Meeting { mm, nbs };

// `heuristic` is rounded up, since each move costs 1. Without memory the outcome has the bound that was proven.
Outcome meet_in_the_middle(Meeting rule, Bytes start, Bytes moves, const Heuristic& heuristic,
                           const BackwardHeuristic& back, const Limits& limits, Control& control);

}  // namespace hstar
