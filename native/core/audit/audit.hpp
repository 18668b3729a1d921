// Compares a heuristic with true distances, on every state within a radius of the goal and every move from each of
// them.
//
//   const Audit audit = hstar::audit(heuristic, nullptr, moves, inverses, 5, limits, control);
//   for (const AuditRow& row : audit.rows) ... row.inadmissible of row.states at this distance ...
#pragma once

#include <optional>
#include <vector>

#include "heuristic/heuristic.hpp"
#include "memory/arena.hpp"
#include "search/meter.hpp"

namespace hstar {

// All states at one distance.
struct AuditRow {
  std::uint64_t states = 0;
  std::uint64_t inadmissible = 0;  // h is above the distance
  std::uint64_t inconsistent = 0;  // some move lowers h by more than 1
  double largest_excess = 0;       // largest h - distance; 0 if h is never above the distance
  double ratio_sum = 0;            // sum of h / distance; 0 at the goal
  std::uint64_t above_other = 0;   // h is larger than the other heuristic's value, or smaller
  std::uint64_t below_other = 0;
};

// A counterexample: the moves from the goal to the state, and the values there.
struct Overestimate {
  std::vector<std::uint8_t> path;
  double h = 0;
  unsigned distance = 0;
};
struct Drop {
  std::vector<std::uint8_t> path;
  std::uint8_t move = 0;
  double before = 0, after = 0;  // h
};

struct Audit {
  std::vector<AuditRow> rows;  // by distance; only complete layers
  bool whole = false;          // every state was visited
  std::optional<Ending> early;  // a limit ended the audit before the radius was reached
  std::optional<Overestimate> overestimate;  // a nearest counterexample, the first in breadth-first order
  std::optional<Drop> drop;
  std::uint64_t looked_at = 0;  // states
  std::uint64_t peak_bytes = 0;
};

// inverses[i] undoes moves[i]; distances to the goal are in `moves`. A difference of up to kTolerance may be rounding
// and is passed over: the library looks at it in exact fractions (ROUNDING of hstar.heuristics.analysis). `other` may
// be nullptr. limits.expanded counts states. Throws std::invalid_argument as a search does.
inline constexpr double kTolerance = 1e-7;
Audit audit(const Heuristic& heuristic, const Heuristic* other, Bytes moves, Bytes inverses, unsigned radius,
            const Limits& limits, Control& control);
Audit audit_in(Arena& arena, const Heuristic& heuristic, const Heuristic* other, Bytes moves, Bytes inverses,
               unsigned radius, const Limits& limits, Control& control);

}  // namespace hstar
