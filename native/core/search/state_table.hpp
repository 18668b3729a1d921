// Which states are stored, and where: open addressing (linear probing) from hash to node number.
//
//   if (!table.reserve(n + 1, hash_of_node, stop)) ... no memory, or stopped ...
//   StateTable::Place place = table.find(hash, [&](std::uint32_t node) { return nodes[node].state == state; });
//   if (place.node == kNoNode) table.insert(place, hash, new_node);
//
// Slots are grouped in cache lines: eight node numbers and the high halves of their hashes. A look-up starts at the
// hash's home line and goes on to the next line only if that one is full, so it seldom reads more than the prefetched
// line. The caller compares the states themselves. The home is the hash's high half scaled to the number of lines, so
// the table may have any size, entries lie nearly in the order of their hashes, and the table grows in one sweep in
// place.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "memory/memory.hpp"
#include "search/node.hpp"

namespace hstar {

class StateTable {
 public:
  struct Place {
    std::uint32_t node;  // kNoNode: not stored, and `slot` is where to insert it
    std::uint64_t slot;
  };
  static constexpr std::uint64_t kNoSlot = ~std::uint64_t{0};

  // `bytes_a_node`: what one more node takes elsewhere; used to divide the last of the budget.
  StateTable(Region& region, Budget& budget, std::size_t bytes_a_node) noexcept
      : table_(region, budget), bytes_a_node_(bytes_a_node) {}

  // Room for `count` nodes in all; false, with nothing changed, if there is no memory. `hash_of(i)` must return the
  // hash of node i for every node inserted; nodes are numbered from 0. A large table takes seconds to grow: `stop()` is
  // called about every millisecond, and if it returns true, `reserve` returns false and the table must not be used any
  // more.
  template <class HashOf, class Stop>
  [[nodiscard]] bool reserve(std::uint64_t count, HashOf hash_of, Stop stop) noexcept {
    if (count <= room_) return true;
    const std::uint64_t before = lines_;
    if (!enlarge(count)) return count <= room_;
    if (!clear(before, stop)) return false;
    switch (spread(before, stop)) {
      case Spread::done: return true;
      case Spread::stopped: return false;
      default: return refill(hash_of, stop);
    }
  }

  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&table_[home(hash >> 32)], 0, 2); }
  // A preview of a look-up, once the home line is in the cache. `node` is the one that the look-up would most likely
  // compare with, so that it can be prefetched; kNoNode if there is none. Prefetches the line where the look-up would
  // go on.
  Place glance(std::uint64_t hash) const noexcept {
    const std::uint64_t i = home(hash >> 32);
    const Look seen = look(table_[i], high(hash));
    if (seen.empty == 0) [[unlikely]]
      __builtin_prefetch(&table_[after(i)]);
    if (seen.alike != 0) [[unlikely]]
      return {table_[i].node[std::countr_zero(seen.alike)] - 1, kNoSlot};
    return {kNoNode, seen.empty != 0 ? i * kSlots + static_cast<unsigned>(std::countr_zero(seen.empty)) : kNoSlot};
  }
  // The same result as `find`, after a glance, if the table has not grown since; but without the slot of a stored node.
  // Lines are filled in order: as long as the first empty slot is still empty, its line has not changed.
  template <class Same>
  Place find(std::uint64_t hash, Place glance, Same same) const noexcept {
    if (glance.slot != kNoSlot && table_[glance.slot / kSlots].node[glance.slot % kSlots] == 0) [[likely]]
      return glance;
    if (glance.node != kNoNode && same(glance.node)) return {glance.node, kNoSlot};
    return find(hash, same);
  }

  template <class Same>
  Place find(std::uint64_t hash, Same same) const noexcept {
    for (std::uint64_t i = home(hash >> 32);; i = after(i)) {
      const Line& line = table_[i];
      const Look seen = look(line, high(hash));
      for (unsigned alike = seen.alike; alike != 0; alike &= alike - 1) [[unlikely]] {
        const auto at = static_cast<unsigned>(std::countr_zero(alike));
        if (same(line.node[at] - 1)) return {line.node[at] - 1, i * kSlots + at};
      }
      if (seen.empty != 0) [[likely]]
        return {kNoNode, i * kSlots + static_cast<unsigned>(std::countr_zero(seen.empty))};
    }
  }
  void insert(Place place, std::uint64_t hash, std::uint32_t node) noexcept {
    Line& line = table_[place.slot / kSlots];
    line.tag[place.slot % kSlots] = high(hash);
    line.node[place.slot % kSlots] = node + 1;
    ++count_;
  }

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t size() const noexcept { return lines_ * kSlots; }
  // All of its memory, two numbers a slot, for other use; the table must not be used any more.
  std::span<std::uint32_t> give_up() noexcept {
    return {reinterpret_cast<std::uint32_t*>(table_.data()), 2 * static_cast<std::size_t>(size())};
  }

  // The invariants: lines are filled from the left, every entry is reached from its home across full lines only, and it
  // holds its node's hash.
  template <class HashOf>
  bool valid(HashOf hash_of) const {
    std::uint64_t used = 0;
    for (std::uint64_t i = 0; i < size(); ++i) {
      const Line& line = table_[i / kSlots];
      const std::uint32_t entry = line.node[i % kSlots];
      if (entry == 0) continue;
      ++used;
      if (i % kSlots != 0 && line.node[i % kSlots - 1] == 0) return false;
      const std::uint64_t hash = hash_of(entry - 1);
      if (line.tag[i % kSlots] != high(hash)) return false;
      if (find(hash, [&](std::uint32_t other) { return other == entry - 1; }).slot != i) return false;
    }
    return used == count_ && (lines_ == 0 || used < size());
  }

 private:
  static constexpr unsigned kSlots = 8;
  struct alignas(64) Line {
    std::uint32_t tag[kSlots];
    std::uint32_t node[kSlots];  // 0: empty, else number + 1
  };
  struct Entry {
    std::uint32_t tag, node;
  };
  static constexpr std::uint64_t kFirstLines = 64;
  static constexpr std::uint64_t kMostLines = std::uint64_t{1} << 29;
  static constexpr std::size_t kScratch = 4096;
  // Lines (each a page fault at worst) or nodes between two calls of `stop`.
  static constexpr std::uint64_t kStopInterval = 1 << 14;
  static constexpr std::size_t kWindow = 2048;
  static constexpr std::uint64_t kWorthMoving = 128;  // the table does not grow by less than such a part

  // Which slots are empty, and which others have this tag, a bit each.
  struct Look {
    unsigned alike, empty;
  };
  [[gnu::always_inline]] static Look look(const Line& line, std::uint32_t tag) noexcept {
#ifdef __SSE2__
    const __m128i tags = _mm_set1_epi32(static_cast<int>(tag)), none = _mm_setzero_si128();
    const auto* four = reinterpret_cast<const __m128i*>(&line);
    const __m128i alike = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(four), tags),
                                          _mm_cmpeq_epi32(_mm_load_si128(four + 1), tags));
    const __m128i empty = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(four + 2), none),
                                          _mm_cmpeq_epi32(_mm_load_si128(four + 3), none));
    const auto both = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(alike, empty)));
    return {both & ~(both >> kSlots) & 0xff, both >> kSlots};
#else
    const unsigned empty = equal_to(line.node, 0);
    return {equal_to(line.tag, tag) & ~empty, empty};
#endif
  }
  // Which of the eight are equal to `value`, a bit each.
  static unsigned equal_to(const std::uint32_t (&row)[kSlots], std::uint32_t value) noexcept {
#ifdef __SSE2__
    const __m128i all = _mm_set1_epi32(static_cast<int>(value));
    const auto half = [&](const std::uint32_t* four) {
      const __m128i equal = _mm_cmpeq_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(four)), all);
      return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(equal)));
    };
    return half(row) | half(row + 4) << 4;
#else
    unsigned equal = 0;
    for (unsigned i = 0; i < kSlots; ++i) equal |= static_cast<unsigned>(row[i] == value) << i;
    return equal;
#endif
  }
  static std::uint32_t high(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }
  std::uint64_t home(std::uint64_t high_half) const noexcept { return high_half * lines_ >> 32; }
  std::uint64_t after(std::uint64_t i) const noexcept { return i + 1 == lines_ ? 0 : i + 1; }
  static std::uint64_t usual_for(std::uint64_t lines) noexcept { return lines * kSlots / 5 * 4; }
  static std::uint64_t most_for(std::uint64_t lines) noexcept { return lines * kSlots / 16 * 15; }  // memory is short

  // Grow to twice the size. If there is no memory for that and for the nodes to come, grow once more: so far that nodes
  // which fill the table as far as it may be filled take the rest of the budget. Each growth moves all entries, so what
  // is then left over is not worth another.
  bool enlarge(std::uint64_t count) noexcept {
    const std::uint64_t least = ((count + 3) / 4 * 5 + 5 + kSlots - 1) / kSlots, left = table_.budget().left();
    // Five slots for each four nodes, in lines.
    const std::uint64_t affordable = left / (4 * bytes_a_node_ + 5 * sizeof(Entry)) * 5 / kSlots;
    const std::uint64_t wanted = std::max({least, 2 * lines_, kFirstLines});
    const bool last = wanted > lines_ + affordable;
    const std::uint64_t lines = std::min(last ? lines_ + last_lines(left) : wanted, kMostLines);
    const std::uint64_t room = last ? most_for(lines) : usual_for(lines);
    if (room < count || lines - lines_ < lines_ / kWorthMoving || !table_.resize_up(lines)) {
      room_ = most_for(lines_);
      return false;
    }
    lines_ = lines;
    room_ = room;
    return true;
  }
  // How many more lines and nodes, 15 in each two lines, `left` bytes are enough for.
  std::uint64_t last_lines(std::uint64_t left) const noexcept {
    const std::uint64_t nodes = (std::max(most_for(lines_), count_) - count_) * bytes_a_node_;
    return left <= nodes ? 0 : (left - nodes) / (2 * sizeof(Line) + 15 * bytes_a_node_) * 2;
  }

  // Move all entries of the first `before` lines to their places in the whole table. Runs of lines (all full but the
  // last) are taken from the right: an entry's new home is never left of its old one, so everything there has been
  // moved already. Entries that would cross an end of the table are inserted after the sweep. If a run is too long,
  // rebuild the table from the nodes.
  enum class Spread { done, too_long, stopped };
  template <class Stop>
  Spread spread(std::uint64_t before, Stop stop) noexcept {
    Entry scratch[kScratch];  // entries to insert after the sweep, then the current run
    std::uint8_t used[kWindow];  // entries of line i, by i % kWindow, for the kWindow lines from `low` on
    std::size_t late = 0;
    std::uint64_t first = 0, low = lines_;
    for (bool full = true; first < before && full; ++first) {
      if (late + kSlots > kScratch) return Spread::too_long;
      full = lift(table_[first], scratch, late) == kSlots;
    }
    for (std::uint64_t end = before, asked = before; end > first;) {
      if (asked - end >= kStopInterval) {
        asked = end;
        if (stop()) return Spread::stopped;
      }
      std::size_t top = late;
      do {
        if (top + kSlots > kScratch) return Spread::too_long;
        lift(table_[--end], scratch, top);
      } while (end > first && table_[end - 1].node[kSlots - 1] != 0);
      const std::uint64_t lowest = end * lines_ / before;  // no home of the run is left of this
      if (low - lowest > kWindow / 2) return Spread::too_long;
      while (low > lowest) used[--low % kWindow] = 0;
      for (std::size_t i = late; i < top; ++i) {
        std::uint64_t at = home(scratch[i].tag);
        while (at < lines_ && used[at % kWindow] == kSlots) [[unlikely]]
          if (++at == low + kWindow) return Spread::too_long;
        if (at == lines_) [[unlikely]] {
          scratch[late++] = scratch[i];
          continue;
        }
        const unsigned slot = used[at % kWindow]++;
        table_[at].tag[slot] = scratch[i].tag;
        table_[at].node[slot] = scratch[i].node;
      }
    }
    for (std::size_t i = 0; i < late; ++i) put(scratch[i]);
    return Spread::done;
  }

  // Empty lines from `first` on; false: stopped.
  template <class Stop>
  bool clear(std::uint64_t first, Stop stop) noexcept {
    for (; first < lines_; first += kStopInterval) {
      const std::uint64_t lines = std::min(kStopInterval, lines_ - first);
      std::memset(static_cast<void*>(table_.data() + first), 0, lines * sizeof(Line));
      if (lines == kStopInterval && stop()) return false;
    }
    return true;
  }

  // Move a line's entries to the end of `scratch`; how many they were.
  static unsigned lift(Line& line, Entry* scratch, std::size_t& size) noexcept {
    const auto used = static_cast<unsigned>(std::countr_zero(equal_to(line.node, 0) | 1u << kSlots));
    for (unsigned i = 0; i < kSlots; ++i) scratch[size + i] = {line.tag[i], line.node[i]};
    std::memset(&line, 0, sizeof line);
    size += used;
    return used;
  }
  static bool add(Line& line, const Entry& entry) noexcept {
    const unsigned empty = equal_to(line.node, 0);
    if (empty == 0) return false;
    line.tag[std::countr_zero(empty)] = entry.tag;
    line.node[std::countr_zero(empty)] = entry.node;
    return true;
  }

  template <class HashOf, class Stop>
  bool refill(HashOf hash_of, Stop stop) noexcept {
    if (!clear(0, stop)) return false;
    for (std::uint32_t node = 0; node < count_; ++node) {
      if (node % kStopInterval == kStopInterval - 1 && stop()) return false;
      put({high(hash_of(node)), node + 1});
    }
    return true;
  }

  void put(const Entry& entry) noexcept {
    std::uint64_t at = home(entry.tag);
    while (!add(table_[at], entry)) at = after(at);
  }

  Pool<Line> table_;
  std::size_t bytes_a_node_;
  std::uint64_t lines_ = 0;  // of the table; `home` scales hashes to them
  std::uint64_t count_ = 0;  // entries, never more than room_
  std::uint64_t room_ = 0;   // entries up to which the table does not grow; some slots are always empty
};

}  // namespace hstar
