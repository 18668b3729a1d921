// Which states are stored, and where: open addressing from hash to node number.
//
//   if (!table.reserve(n + 1, hash_of_node)) ... no memory ...
//   StateTable::Place place = table.find(hash, [&](std::uint32_t node) { return nodes[node].state == state; });
//   if (place.node == kNoNode) table.insert(place, hash, new_node);
//
// A slot holds a node number and 32 bits of the hash; equality is decided by the caller on the states themselves. The
// table grows in place and is refilled from the nodes, so that no second table is ever needed.
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

  // Room for `count` nodes in all. `hash_of(i)` must give the hash of node i for every i inserted so far.
  template <class HashOf>
  [[nodiscard]] bool reserve(std::uint64_t count, HashOf hash_of) noexcept {
    if (count <= room_) return true;
    return enlarge(count) ? refill(hash_of) : count <= most_for(size_);
  }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[home(hash)]); }
  // The node that an undisturbed lookup would compare with, to prefetch it; kNoNode if there is none.
  std::uint32_t glance(std::uint64_t hash) const noexcept {
    const std::uint64_t slot = slots_[home(hash)];
    return slot >> 32 == tag(hash) ? static_cast<std::uint32_t>(slot) - 1 : kNoNode;
  }

  template <class Same>
  Place find(std::uint64_t hash, Same same) const noexcept {
    const std::uint64_t wanted = tag(hash);
    for (std::uint64_t i = home(hash);; i = i + 1 == size_ ? 0 : i + 1) {
      const std::uint64_t slot = slots_[i];
      if (slot == 0) return {kNoNode, i};
      if (slot >> 32 == wanted) {
        const std::uint32_t node = static_cast<std::uint32_t>(slot) - 1;
        if (same(node)) return {node, i};
      }
    }
  }
  void insert(Place place, std::uint64_t hash, std::uint32_t node) noexcept {
    slots_[place.slot] = tag(hash) << 32 | (node + 1);
    ++count_;
  }

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t size() const noexcept { return size_; }

  // Every slot's node is reachable from its home without crossing an empty slot, and each node appears once.
  template <class HashOf>
  bool valid(HashOf hash_of) const {
    std::uint64_t used = 0;
    for (std::uint64_t i = 0; i < size_; ++i) {
      if (slots_[i] == 0) continue;
      ++used;
      const std::uint32_t node = static_cast<std::uint32_t>(slots_[i]) - 1;
      const std::uint64_t hash = hash_of(node);
      if (slots_[i] >> 32 != tag(hash)) return false;
      if (find(hash, [&](std::uint32_t other) { return other == node; }).slot != i) return false;
    }
    return used == count_ && (size_ == 0 || used < size_);
  }

 private:
  static constexpr std::uint64_t kFirstSize = 512;

  static std::uint64_t tag(std::uint64_t hash) noexcept { return hash >> 20 & 0xffffffff; }
  // Any size will do, not only powers of two: the hash's high half scaled to the table.
  std::uint64_t home(std::uint64_t hash) const noexcept { return (hash >> 32) * size_ >> 32; }
  static std::uint64_t usual_for(std::uint64_t size) noexcept { return size / 4 * 3; }
  static std::uint64_t most_for(std::uint64_t size) noexcept { return size / 16 * 15; }  // when memory is short

  // Grow by half; near the cap, by what is useful for as many nodes as there is memory for.
  bool enlarge(std::uint64_t count) noexcept {
    const std::uint64_t least = (count + 2) / 3 * 4 + 4;
    std::uint64_t wanted = std::max({least, size_ + size_ / 2, kFirstSize});
    const std::uint64_t affordable = slots_.budget().left() / (3 * bytes_a_node_ + 4 * sizeof(std::uint64_t)) * 4;
    if (wanted - size_ > affordable) wanted = size_ + affordable;
    wanted = std::min(wanted, std::uint64_t{1} << 32);
    if (wanted < least || !slots_.resize_up(wanted)) {
      room_ = most_for(size_);
      return false;
    }
    size_ = wanted;
    room_ = usual_for(wanted);
    return true;
  }

  template <class HashOf>
  bool refill(HashOf hash_of) noexcept {
    constexpr std::uint64_t kBatch = 16;
    std::memset(slots_.data(), 0, size_ * sizeof(std::uint64_t));
    for (std::uint64_t first = 0; first < count_; first += kBatch) {
      const std::uint64_t batch = std::min(kBatch, count_ - first);
      std::uint64_t hashes[kBatch];
      for (std::uint64_t i = 0; i < batch; ++i) {
        hashes[i] = hash_of(static_cast<std::uint32_t>(first + i));
        __builtin_prefetch(&slots_[home(hashes[i])], 1);
      }
      for (std::uint64_t i = 0; i < batch; ++i) {
        std::uint64_t at = home(hashes[i]);
        while (slots_[at] != 0) at = at + 1 == size_ ? 0 : at + 1;
        slots_[at] = tag(hashes[i]) << 32 | (first + i + 1);
      }
    }
    return true;
  }

  Pool<std::uint64_t> slots_;
  std::size_t bytes_a_node_;
  std::uint64_t size_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t room_ = 0;
};

}  // namespace hstar
