// Which states are stored, and where: open addressing (linear probing) from hash to node number.
//
//   if (!table.reserve(n + 1, hash_of_node)) ... no memory ...
//   StateTable::Place place = table.find(hash, [&](std::uint32_t node) { return nodes[node].state == state; });
//   if (place.node == kNoNode) table.insert(place, hash, new_node);
//
// A slot holds a node number and the high half of its hash; equality is decided by the caller on the states
// themselves. The home of a hash is its high half scaled to the table, so the table may have any size, entries lie
// nearly in the order of their hashes, and growing is one sweep in place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "memory.hpp"
#include "node.hpp"

namespace hstar {

class StateTable {
 public:
  struct Place {
    std::uint32_t node;  // kNoNode: not stored; `slot` is where it would go
    std::uint64_t slot;
  };

  // `bytes_a_node`: what one more node costs elsewhere; decides how to share out the last of the budget.
  StateTable(Region& region, Budget& budget, std::size_t bytes_a_node) noexcept
      : slots_(region, budget), bytes_a_node_(bytes_a_node) {}

  // Room for `count` nodes in all; false, and nothing has changed, if there is no memory. `hash_of(i)` must give the
  // hash of node i for every node inserted; nodes are numbered from 0.
  template <class HashOf>
  [[nodiscard]] bool reserve(std::uint64_t count, HashOf hash_of) noexcept {
    if (count <= room_) return true;
    const std::uint64_t before = size_;
    if (!enlarge(count)) return count <= room_;
    std::memset(slots_.data() + before, 0, (size_ - before) * sizeof(std::uint64_t));
    if (!spread(before)) refill(hash_of);
    return true;
  }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[home(hash >> 32)]); }
  // The node that a lookup would most likely compare with, to prefetch it; kNoNode if there is none.
  std::uint32_t glance(std::uint64_t hash) const noexcept {
    const std::uint64_t slot = slots_[home(hash >> 32)];
    return slot >> 32 == hash >> 32 ? node_in(slot) : kNoNode;
  }

  template <class Same>
  Place find(std::uint64_t hash, Same same) const noexcept {
    for (std::uint64_t i = home(hash >> 32);; i = after(i)) {
      const std::uint64_t slot = slots_[i];
      if (slot == 0) return {kNoNode, i};
      if (slot >> 32 == hash >> 32 && same(node_in(slot))) return {node_in(slot), i};
    }
  }
  void insert(Place place, std::uint64_t hash, std::uint32_t node) noexcept {
    slots_[place.slot] = entry(hash, node);
    ++count_;
  }

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t size() const noexcept { return size_; }

  // Every entry is found from its home without crossing an empty slot, and tells its node's hash.
  template <class HashOf>
  bool valid(HashOf hash_of) const {
    std::uint64_t used = 0;
    for (std::uint64_t i = 0; i < size_; ++i) {
      if (slots_[i] == 0) continue;
      ++used;
      const std::uint64_t hash = hash_of(node_in(slots_[i]));
      if (slots_[i] >> 32 != hash >> 32) return false;
      if (find(hash, [&](std::uint32_t other) { return other == node_in(slots_[i]); }).slot != i) return false;
    }
    return used == count_ && (size_ == 0 || used < size_);
  }

 private:
  static constexpr std::uint64_t kFirstSize = 512;
  static constexpr std::uint64_t kMostSize = std::uint64_t{1} << 32;
  static constexpr std::size_t kScratch = 4096;

  static std::uint64_t entry(std::uint64_t hash, std::uint32_t node) noexcept {
    return (hash >> 32 << 32) | (node + 1);
  }
  static std::uint32_t node_in(std::uint64_t slot) noexcept { return static_cast<std::uint32_t>(slot) - 1; }
  std::uint64_t home(std::uint64_t high_half) const noexcept { return high_half * size_ >> 32; }
  std::uint64_t after(std::uint64_t i) const noexcept { return i + 1 == size_ ? 0 : i + 1; }
  static std::uint64_t usual_for(std::uint64_t size) noexcept { return size / 4 * 3; }
  static std::uint64_t most_for(std::uint64_t size) noexcept { return size / 16 * 15; }  // when memory is short

  // Grow by half; near the cap, by what is useful for as many nodes as there is memory for.
  bool enlarge(std::uint64_t count) noexcept {
    const std::uint64_t least = (count + 2) / 3 * 4 + 4;
    const std::uint64_t affordable = slots_.budget().left() / (3 * bytes_a_node_ + 4 * sizeof(std::uint64_t)) * 4;
    std::uint64_t wanted = std::max({least, size_ + size_ / 2, kFirstSize});
    wanted = std::min({wanted, size_ + affordable, kMostSize});
    if (wanted < least || !slots_.resize_up(wanted)) {
      room_ = most_for(size_);
      return false;
    }
    size_ = wanted;
    room_ = usual_for(wanted);
    return true;
  }

  // Move all entries of the first `before` slots to their places in the whole table. Runs of entries are taken from the
  // right: an entry's new home is never left of its old one, so it lands where everything has been moved already.
  // What would cross an end of the table is put off until the sweep is over. False: a run was too long, start anew.
  bool spread(std::uint64_t before) noexcept {
    std::uint64_t scratch[kScratch];  // what is put off, then the run at hand
    std::size_t late = 0;
    std::uint64_t first = 0;
    for (; first < before && slots_[first] != 0; ++first) {
      if (late == kScratch) return false;
      scratch[late++] = slots_[first];
      slots_[first] = 0;
    }
    for (std::uint64_t end = before; end > first; --end) {
      std::size_t top = late;
      for (; slots_[end - 1] != 0; --end) {  // stops at `first`, which is empty
        if (top == kScratch) return false;
        scratch[top++] = slots_[end - 1];
        slots_[end - 1] = 0;
      }
      for (std::size_t i = late; i < top; ++i) {
        std::uint64_t at = home(scratch[i] >> 32);
        while (at < size_ && slots_[at] != 0) ++at;
        if (at < size_)
          slots_[at] = scratch[i];
        else
          scratch[late++] = scratch[i];
      }
    }
    for (std::size_t i = 0; i < late; ++i) put(scratch[i]);
    return true;
  }

  template <class HashOf>
  void refill(HashOf hash_of) noexcept {
    std::memset(slots_.data(), 0, size_ * sizeof(std::uint64_t));
    for (std::uint32_t node = 0; node < count_; ++node) put(entry(hash_of(node), node));
  }

  void put(std::uint64_t entry) noexcept {
    std::uint64_t at = home(entry >> 32);
    while (slots_[at] != 0) at = after(at);
    slots_[at] = entry;
  }

  Pool<std::uint64_t> slots_;
  std::size_t bytes_a_node_;
  std::uint64_t size_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t room_ = 0;
};

}  // namespace hstar
