// A pattern database (Culberson and Schaeffer 1996): for every abstract state of a pattern the number of moves to the
// abstract goal. Built once by breadth-first search backwards from the goal, and shared by all searches.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

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
  constexpr std::uint64_t bytes(std::uint64_t entries) const noexcept { return bits == 8 ? entries : (entries + 1) / 2; }
  unsigned get(const std::uint8_t* table, std::uint64_t i) const noexcept {
    return bits == 8 ? table[i] : table[i / 2] >> (i % 2 * 4) & 15;
  }
};

// Shared with the thread that builds: to cancel it and to read its progress. Any thread may use it.
struct BuildProgress {
  std::atomic<std::uint64_t> done{0}, total{0};
  std::atomic<bool> cancelled{false};

  virtual ~BuildProgress() = default;
  // For the build: must it end? Asked every few thousand entries. Tests replace it by one that counts.
  virtual bool stopping() noexcept { return cancelled.load(std::memory_order_relaxed); }
};

// Distances in bytes (255: unreachable), packed; of no use if it is cancelled. Throws std::bad_alloc.
Zeros pack(std::span<const std::uint8_t> distances, Packing packing, unsigned threads, BuildProgress& progress);

struct BuiltTable {
  Packing packing;                     // four bits if they can hold every distance
  Zeros table;                         // empty if the build was cancelled
  std::vector<std::uint64_t> counts;   // entries at each distance
};

// Throws std::bad_alloc, or std::invalid_argument for a move that does not exist.
BuiltTable build_pattern_database(const Pattern& pattern, const std::vector<std::uint8_t>& moves, unsigned threads,
                                  BuildProgress& progress);

// A table in memory that `owner` keeps alive.
struct PatternDatabase {
  PatternDatabase(Pattern pattern, std::span<const std::uint8_t> table, unsigned bits, std::shared_ptr<const void> owner);

  // Moves to the goal from these places of the pattern's pieces, or packing.unreachable().
  unsigned distance(const Place* places) const noexcept { return packing.get(table.data(), pattern.rank(places)); }

  Pattern pattern;
  std::span<const std::uint8_t> table;
  Packing packing;
  std::shared_ptr<const void> owner;
};

}  // namespace hstar
