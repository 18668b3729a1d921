// A pattern database (Culberson and Schaeffer 1996): for every abstract state of a pattern the number of moves to the
// abstract goal, or what they cost. Built once by breadth-first search backwards from the goal (by Dijkstra's algorithm
// if moves have costs), and shared by all searches.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "memory/zeros.hpp"
#include "pattern/pattern.hpp"

namespace hstar {

// How distances are packed: four or eight bits an entry, lowest bits first. The largest number means "unreachable": no
// moves lead from there to the goal. The number before it also stands for all larger distances: still a lower bound,
// and a move changes it by no more than it changes the distance.
struct Packing {
  unsigned bits;  // 4 or 8

  constexpr unsigned unreachable() const noexcept { return (1u << bits) - 1; }
  constexpr unsigned most() const noexcept { return unreachable() - 1; }
  constexpr std::uint64_t bytes(std::uint64_t entries) const noexcept {
    return bits == 8 ? entries : (entries + 1) / 2;
  }
  unsigned get(const std::uint8_t* table, std::uint64_t i) const noexcept {
    return bits == 8 ? table[i] : table[i / 2] >> (i % 2 * 4) & 15;
  }
};

// Distances in bytes (255: unreachable), packed; of no use if it is cancelled. Throws std::bad_alloc.
Zeros pack(std::span<const std::uint8_t> distances, Packing packing, unsigned threads, Control& progress);

struct BuiltTable {
  Packing packing;                     // four bits if they can hold every distance
  Zeros table;                         // empty if the build was cancelled
  std::vector<std::uint64_t> counts;   // entries at each distance
};

// `costs` of the moves, at least 1; empty: each costs 1. Throws std::bad_alloc, or std::invalid_argument for a move
// that does not exist, or for costs that are none.
BuiltTable build_pattern_database(const Pattern& pattern, const std::vector<std::uint8_t>& moves, unsigned threads,
                                  Control& progress, const std::vector<std::uint8_t>& costs = {});

// A table in memory that `owner` keeps alive.
struct PatternDatabase {
  PatternDatabase(Pattern pattern, std::span<const std::uint8_t> table, unsigned bits,
                  std::shared_ptr<const void> owner);

  // Moves to the goal from these places of the pattern's pieces, or packing.unreachable().
  unsigned distance(const Place* places) const noexcept { return packing.get(table.data(), pattern.rank(places)); }

  Pattern pattern;
  std::span<const std::uint8_t> table;
  Packing packing;
  std::shared_ptr<const void> owner;
};

}  // namespace hstar
