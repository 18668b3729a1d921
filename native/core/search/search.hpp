// The options and limits of a search, and its outcome.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "heuristic/heuristic.hpp"
#include "puzzle/move_automaton.hpp"
#include "search/kept_tree.hpp"

namespace hstar {

// Order among entries of equal f. seq counts insertions into the open list (an entry moved by a smaller g counts anew).
enum class TieBreaking {
  low_h,  // smallest h first, then the latest
  lifo,   // the latest first
  fifo,   // the earliest first
  batch,  // as low_h, but up to 64 entries of the first f and h are taken together and all expanded before any of their
          // successors (A* only)
};

struct Limits {
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t expanded = kNone;
  std::uint64_t generated = kNone;
  double seconds = std::numeric_limits<double>::infinity();
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  // everything that grows with the search
};

enum class Status { solved, exhausted, limit_reached, cancelled };
enum class Limit { none, expanded, generated, seconds, memory };

struct Outcome {
  Status status = Status::exhausted;
  Limit limit = Limit::none;
  std::vector<std::uint8_t> path;  // moves from start to goal, if solved
  std::uint64_t expanded = 0;      // states whose successors were produced; re-expansions count
  std::uint64_t generated = 0;     // successors produced, duplicates included
  std::uint64_t evaluated = 0;     // heuristic evaluations
  std::uint64_t reopened = 0;      // expansions of states expanded before
  std::uint64_t expanded_last_layer = 0;  // expansions with the solution's f; 0 if not solved
  std::vector<std::pair<double, std::uint64_t>> layers;  // the expansions with each f, by f, however it ended (if any)
  std::uint64_t stored = 0;               // distinct states held
  std::uint64_t max_open = 0;             // most distinct states on the open list at one time
  // No solution has a smaller f, if the heuristic is admissible: the largest f taken from the open list (A*), the
  // threshold (IDA*), h of the start (greedy), the depth reached (blind search, where it is a bound by itself).
  double f_bound = 0;
  double seconds = 0;
  std::uint64_t peak_bytes = 0;  // of everything that grew with this search
  // If asked for (A*, breadth-first, bidirectional): states that show that no solution is shorter than f_bound (than
  // the path, if solved): each of their successors is among them, or has an f of at least that. Exhausted: all states.
  // Of bidirectional search, whose h is the distance to the goal as far as it is known: also the states within
  // `back_depth`.
  KeptTree tree, back_tree;
  unsigned back_depth = 0;
  // If asked for, of IDA* with partitions: those that it learned last, as LearnedPartitions::costs has them; none if it
  // ended before.
  std::vector<std::vector<std::uint32_t>> learned;
  // Of a `Part`: the subtrees that it was split into.
  std::vector<std::vector<std::uint8_t>> roots;
};

// A part of one iteration of IDA*, when several processes share it. Without a solution it ends as `exhausted`, and
// f_bound is the least f above the bound, or infinite.
struct Part {
  std::vector<std::uint8_t> root;  // moves from the start to the root of the subtree
  double bound = 0;                // on f; below 0: nothing is searched, and f_bound is that of the first iteration
  // 0: the subtree is searched. Else it is only split into subtrees, so many if there are, whose roots are the
  // outcome's.
  std::size_t pieces = 0;
};

struct SearchOptions {
  double weight = 1;  // f = g + weight * h
  TieBreaking tie_breaking = TieBreaking::low_h;
  Limits limits;
  Pruning pruning = Pruning::canonical;
  bool partitions = false;  // of IDA* on permutation puzzles: h is the greatest of learned cost partitions instead
  // Expansions of an iteration after which they are learned, and of a tenth as many for each move pairs of pieces; 0:
  // both before the first iteration.
  std::uint64_t learn_after = 50'000;
  std::optional<Part> part{};  // of IDA*
  bool keep_tree = false;  // see Outcome::tree and Outcome::learned
  std::vector<std::uint8_t> costs{};  // of each move, at least 1, for A* and IDA*; empty: all cost 1
  unsigned threads = 1;  // of IDA*; the solution is the same with any number, see search/deepening.hpp for the counts

  static constexpr unsigned kMostThreads = 64;
};

}  // namespace hstar
