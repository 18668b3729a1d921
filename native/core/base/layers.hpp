// The layers of a breadth-first search over a table with a distance for each entry.
#pragma once

#include <cstdint>

namespace hstar {

// One entry is at distance 0. Calls expand(d, frontier, pull) for each layer that is not empty, d < most: `frontier`
// entries are at d; it marks those at d + 1 and returns how many it found, or 0 to end. `pull` says that fewer entries
// are unseen than are at d: it is quicker to ask each of them whether a move leads to d than to expand those at d.
// Returns whether entries at `most` were found.
template <class Expand>
bool each_layer(std::uint64_t entries, unsigned most, Expand expand) {
  std::uint64_t frontier = 1, unseen = entries - 1;
  for (unsigned d = 0; d < most; ++d) {
    frontier = expand(d, frontier, unseen < frontier);
    if (frontier == 0) return false;
    unseen -= frontier;
  }
  return true;
}

}  // namespace hstar
