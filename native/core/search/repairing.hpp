// ARA*: A* with a weight that is lowered, which keeps what it has found (Likhachev, Gordon & Thrun 2003).
#pragma once

#include <memory>

#include "search/search.hpp"

namespace hstar {

// One search from `start`, in steps of one weight each. `heuristic` must outlive it, and is rounded up, since each move
// costs 1. Not for two threads at a time.
class RepairingSearch {
 public:
  RepairingSearch(Bytes start, Bytes moves, const Heuristic& heuristic, std::uint64_t memory_bytes);
  RepairingSearch(RepairingSearch&&) noexcept;
  ~RepairingSearch();

  // Searches until no open node has a g + weight * h below the best solution, or a limit is reached. The counters are
  // of this step, the layers, by g + h, of all steps together; the path is the best one so far, empty without one,
  // however the step ended. f_bound is the least g + h of all nodes that are open or were reached again after their
  // expansion: no solution is shorter, if the heuristic is admissible. Weights are to fall from step to step.
  Outcome improve(double weight, const Limits& limits, Control& control);

 private:
  class Nodes;
  std::unique_ptr<Nodes> nodes_;
};

}  // namespace hstar
