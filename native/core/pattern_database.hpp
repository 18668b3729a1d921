// A pattern database (Culberson and Schaeffer 1996): for every abstract state of a pattern the number of moves to its
// abstract goal. Read by many, built once.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "pattern.hpp"

namespace hstar {

// Shared with the thread that builds: stop it, see how far it is. Any thread may use it.
struct BuildProgress {
  std::atomic<std::uint64_t> done{0}, total{0};
  std::atomic<bool> cancelled{false};
};

// Four bits an entry; entry i is in byte i / 2, the odd one in the high half.
namespace nibbles {
constexpr unsigned kMost = 14;         // larger distances are stored as this: still a lower bound, still consistent
constexpr unsigned kUnreachable = 15;  // no moves lead from there to the goal

constexpr std::uint64_t bytes(std::uint64_t entries) noexcept { return (entries + 1) / 2; }
inline unsigned get(const std::uint8_t* table, std::uint64_t i) noexcept { return table[i / 2] >> (i % 2 * 4) & 15; }
}  // namespace nibbles

// Fill `table`, of nibbles::bytes(pattern.entries()) bytes, by breadth-first search backwards from the goal, on
// `threads` threads. Returns the number of entries at each distance; empty if it was cancelled. Needs entries() bytes
// besides. Throws std::bad_alloc, or std::invalid_argument for a wrong size or move.
std::vector<std::uint64_t> build_pattern_database(const Pattern& pattern, const std::vector<std::uint8_t>& moves,
                                                  std::span<std::uint8_t> table, unsigned threads,
                                                  BuildProgress& progress);

}  // namespace hstar
