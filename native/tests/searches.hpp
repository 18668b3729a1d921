// Every search of the kernel behind one signature.
#pragma once

#include "worlds.hpp"

namespace test {

struct Search {
  const char* name;
  hstar::Outcome (*run)(hstar::Arena&, const Problem&, const hstar::SearchOptions&, hstar::Control&);
  bool grows;  // its memory grows with the number of expansions
  bool blind;  // needs no heuristic: its solutions are shortest and its bounds hold
};

template <auto search>
hstar::Outcome informed(hstar::Arena& arena, const Problem& problem, const hstar::SearchOptions& options,
                        hstar::Control& control) {
  return search(arena, problem.start, problem.moves, problem.heuristic, options, control);
}

template <auto search>
hstar::Outcome blind(hstar::Arena& arena, const Problem& problem, const hstar::SearchOptions& options,
                     hstar::Control& control) {
  return search(arena, problem.puzzle, problem.start, problem.moves, options.limits, control, options.keep_tree);
}

inline constexpr Search kSearches[] = {
    {"astar", &informed<&hstar::astar_in>, true, false},
    {"ida_star", &informed<&hstar::ida_star_in>, false, false},
    {"greedy", &informed<&hstar::greedy_in>, true, false},
    {"breadth_first", &blind<&hstar::breadth_first_in>, true, true},
    {"bidirectional", &blind<&hstar::bidirectional_in>, true, true},
};

}  // namespace test
