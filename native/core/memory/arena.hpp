// The regions of one solve, which share its cap, and the one warm arena of the process.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "memory/memory.hpp"

namespace hstar {

struct Arena {
  explicit Arena(PageSource& pages) noexcept
      : nodes(pages, group),
        records(pages, group),
        table(pages, group),
        entries(pages, group),
        layers(pages, group),
        directory(pages, group) {}

  // Reserve for a solve of at most `cap` bytes, and give back what is warm beyond that; false if the machine has no
  // such address range, or `stop` says that the solve has to end.
  [[nodiscard]] bool open(std::uint64_t cap, const Stop* stop = nullptr) noexcept;
  void release() noexcept;
  // The regions' reservations, which the caller has to release.
  std::array<Region::Reservation, 6> give_up() noexcept;
  std::size_t committed() const noexcept { return group.committed(); }

  RegionGroup group;
  Region nodes;      // packed nodes, in the order of their creation
  Region records;    // states of expanded nodes, if they are large
  Region table;      // state table
  Region entries;    // open list: chunks of entries, or the heap
  Region layers;     // open list: bucket heads of each f-layer
  Region directory;  // open list: f -> layer
};

// The first touch of fresh memory costs more than a second per GiB, so one arena is kept from solve to solve. A solve
// that finds it in use by another thread gets an arena of its own, which another thread frees at its end: that takes 60
// ms a GiB.
class ArenaLease {
 public:
  ArenaLease() noexcept;
  ~ArenaLease();
  ArenaLease(const ArenaLease&) = delete;
  ArenaLease& operator=(const ArenaLease&) = delete;
  Arena& arena() noexcept { return *arena_; }

 private:
  std::unique_lock<std::mutex> hold_;
  std::optional<Arena> own_;
  Arena* arena_;
};

// Give the warm arena's memory back to the system, unless a solve is using it. Returns the bytes given back.
std::size_t trim_arena() noexcept;

}  // namespace hstar
