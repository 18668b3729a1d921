// Short solutions in two phases (Kociemba 1992, after Thistlethwaite): moves that lead into a subgroup, then moves of
// the subgroup. The first phase gets longer step by step, so that shorter and shorter totals are found.
//
//   PhaseSearch search(phases, {state, the same state turned, its inverse});
//   while (search.run(best, limits, control).status == Status::solved) ...   // shorter each time, of `variant()`
#pragma once

#include <memory>
#include <vector>

#include "coset/coset_heuristic.hpp"
#include "coset/phase.hpp"
#include "search/meter.hpp"

namespace hstar {

// The moves of `second` keep the coordinates of `first` solved, and solve every state in which they are solved. Those
// of `first` have cost 1. `cosets`: the distances of all coordinates of `first` together, and in other views, for the
// same moves; without them the first phase is cut off by the distances of pairs.
struct TwoPhases {
  std::shared_ptr<const Phase> first, second;
  std::shared_ptr<const CosetHeuristic> cosets{};
};

class PhaseSearch {
 public:
  // A second phase is given up after `patience` expansions. Each thread searches its part of the first two moves.
  // Throws std::invalid_argument unless each start is a state with every piece once, threads are from 1 to 64, and the
  // first view of the cosets is that of the first phase.
  PhaseSearch(TwoPhases phases, std::vector<std::vector<std::uint8_t>> starts, std::uint64_t patience,
              unsigned threads = 1);

  // Searches for a solution of one of the starts with a cost below `below`; ends as soon as there is one. It begins
  // where the last run ended, with the first two moves that it was at. `exhausted`: none was found. There may be some
  // all the same, whose second phase was given up. With one thread the outcome depends on nothing else but the limit of
  // seconds.
  Outcome run(unsigned below, const Limits& limits, Control& control);
  // The start that the last run solved.
  std::size_t variant() const noexcept { return variant_; }

 private:
  static constexpr unsigned kMostMoves = 250;
  static constexpr std::size_t kPrefix = 2;  // moves

  struct Found;
  class Dive;
  // Where a thread's next run begins: the length of the first phase, the start, and how many of its first two moves are
  // done.
  struct Place {
    unsigned length = 0;
    std::size_t variant = 0, done = 0;
  };

  TwoPhases phases_;
  std::vector<std::vector<std::uint8_t>> starts_;
  std::uint64_t patience_;
  std::vector<bool> leads_out_;  // by move of the first phase: whether it is none of the second
  std::vector<Place> places_;    // by thread
  std::size_t variant_ = 0;
};

}  // namespace hstar
