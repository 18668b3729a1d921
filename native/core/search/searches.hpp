// The searches that keep states. In hstar.hpp is what all of them require and ensure.
#pragma once

#include "memory/arena.hpp"
#include "search/search.hpp"

namespace hstar {

// Best-first search by f = g + weight * h with exact duplicate detection and reopening.
Outcome astar(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control);

// The same in the caller's arena, which no other search may be using.
Outcome astar_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                 Control& control);

// Best-first search by h alone; its solution is seldom a shortest one.
Outcome greedy(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control);
Outcome greedy_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                  Control& control);

// Layer by layer from the start.
Outcome breadth_first(std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves, const Limits& limits,
                      Control& control, bool keep_tree = false);
Outcome breadth_first_in(Arena& arena, std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves,
                         const Limits& limits, Control& control, bool keep_tree = false);

// Layer by layer from the start, and from the goal against the moves, until the two meet.
Outcome bidirectional(std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves, const Limits& limits,
                      Control& control, bool keep_tree = false);
Outcome bidirectional_in(Arena& arena, std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves,
                         const Limits& limits, Control& control, bool keep_tree = false);

}  // namespace hstar
