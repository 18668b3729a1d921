// The public interface of hstar's search kernel.
//
//   auto puzzle = std::make_shared<const SlidingTiles>(3, 3, goal);
//   const Heuristic h(puzzle, {{Feature::Kind::table, manhattan, 9}}, {{Op::feature, 0, 0}}, true, 31);
//   Control control;
//   const Outcome outcome = astar(start, moves, h, {}, control);
//
// require: `start` is a state of h.puzzle(), `moves` are distinct moves of it, weight is finite and at least 0, seconds
//          is not negative (else std::invalid_argument).
// ensure:  same input, same counters, on every machine; memory never exceeds limits.memory_bytes; expected endings,
//          lack of memory included, are values of Outcome, never exceptions.
#pragma once

#include "heuristic/heuristic.hpp"
#include "memory/arena.hpp"
#include "puzzle/puzzle.hpp"
#include "search/search.hpp"

namespace hstar {

// Best-first search by f = g + weight * h with exact duplicate detection and reopening.
Outcome astar(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control);

// The same in the caller's arena, which no other search may be using.
Outcome astar_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                 Control& control);

// Depth-first searches with rising thresholds of f. Memory grows with the length of the path only.
Outcome ida_star(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control);
Outcome ida_star_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                    Control& control);

// Best-first search by h alone; its solution is seldom a shortest one.
Outcome greedy(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control);
Outcome greedy_in(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                  Control& control);

// Layer by layer from the start.
Outcome breadth_first(std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves, const Limits& limits,
                      Control& control);
Outcome breadth_first_in(Arena& arena, std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves,
                         const Limits& limits, Control& control);

// Layer by layer from the start, and from the goal against the moves, until the two meet.
Outcome bidirectional(std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves, const Limits& limits,
                      Control& control);
Outcome bidirectional_in(Arena& arena, std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves,
                         const Limits& limits, Control& control);

}  // namespace hstar
