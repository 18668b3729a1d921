// Short solutions in two phases (Kociemba 1992, after Thistlethwaite): moves that lead into a subgroup, then moves of the
// subgroup. The first phase gets longer step by step, so that shorter and shorter totals are found.
//
//   PhaseSearch search(phases, {state, the same state turned, its inverse});
//   while (search.run(best, limits, control).status == Status::solved) ...   // shorter each time; `variant()` says of which
#pragma once

#include <memory>
#include <vector>

#include "coset/phase.hpp"
#include "search/meter.hpp"

namespace hstar {

// The moves of `second` keep the coordinates of `first` solved, and solve every state in which they are solved. Those of `first`
// have cost 1.
struct TwoPhases {
  std::shared_ptr<const Phase> first, second;
};

class PhaseSearch {
 public:
  // A second phase is given up after `patience` expansions. Throws std::invalid_argument unless each start is a state
  // with every piece once.
  PhaseSearch(TwoPhases phases, std::vector<std::vector<std::uint8_t>> starts, std::uint64_t patience);

  // Searches for a solution of one of the starts with a cost below `below`, from where the last run ended; ends as soon as
  // there is one. `exhausted`: none was found. There may be some all the same, whose second phase was given up.
  Outcome run(unsigned below, const Limits& limits, Control& control);
  // The start that the last run solved.
  std::size_t variant() const noexcept { return variant_; }

 private:
  static constexpr unsigned kMostMoves = 250;

  struct Dive;

  TwoPhases phases_;
  std::vector<std::vector<std::uint8_t>> starts_;
  std::uint64_t patience_;
  std::vector<bool> leads_out_;  // by move of the first phase: whether it is none of the second
  unsigned length_ = 0;          // of the first phase
  std::size_t variant_ = 0;
};

}  // namespace hstar
