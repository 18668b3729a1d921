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

#include "deepening/ida_star.hpp"
#include "heuristic/heuristic.hpp"
#include "layers/layered.hpp"
#include "puzzle/puzzle.hpp"
#include "search/searches.hpp"
