#include "memory/arena.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <thread>

namespace hstar {

namespace {

// Address space is free of charge: reserving more than the first solve needs lets a larger one keep the warm pages.
constexpr std::uint64_t kUsualReservation = std::uint64_t{64} << 30;

SystemPages& system_pages() {
  static SystemPages pages;
  return pages;
}

struct Warm {
  std::mutex mutex;
  Arena arena{system_pages()};
};

Warm& warm() {
  // Never destroyed, because a daemon thread may still be searching at exit; not allocated on the heap, which may be
  // full.
  alignas(Warm) static std::byte storage[sizeof(Warm)];
  static Warm* const instance = new (storage) Warm;
  return *instance;
}

}  // namespace

bool Arena::open(std::uint64_t cap, const Stop* stop) noexcept {
  for (Region* region : {&nodes, &records, &table, &entries, &layers, &directory}) {
    if (region->open(std::max(cap, kUsualReservation))) continue;
    // If the process may not reserve that much address space, try less; a search that needs more ends with "memory".
    std::uint64_t bytes = cap;
    while (bytes >= 4096 && !region->open(bytes)) bytes /= 2;
    if (bytes < 4096) return false;
  }
  return group.cap(cap, stop);
}

void Arena::release() noexcept {
  for (Region* region : {&nodes, &records, &table, &entries, &layers, &directory}) region->release();
}

std::array<Region::Reservation, 6> Arena::give_up() noexcept {
  return {nodes.give_up(),   records.give_up(), table.give_up(),
          entries.give_up(), layers.give_up(),  directory.give_up()};
}

ArenaLease::ArenaLease() noexcept : hold_(warm().mutex, std::try_to_lock), arena_(&warm().arena) {
  if (hold_.owns_lock()) return;
  arena_ = &own_.emplace(system_pages());
}

ArenaLease::~ArenaLease() {
  constexpr std::size_t kLarge = std::size_t{128} << 20;
  if (!own_ || own_->committed() < kLarge) return;
  const auto release = [given_up = own_->give_up()] {
    for (const auto& [address, bytes] : given_up)
      if (address != nullptr) system_pages().release(address, bytes);
  };
  try {
    std::thread(release).detach();
  } catch (const std::exception&) {  // no thread or memory
    release();
  }
}

std::size_t trim_arena() noexcept {
  const std::unique_lock<std::mutex> hold(warm().mutex, std::try_to_lock);
  if (!hold.owns_lock()) return 0;
  const std::size_t bytes = warm().arena.committed();
  warm().arena.release();
  return bytes;
}

}  // namespace hstar
