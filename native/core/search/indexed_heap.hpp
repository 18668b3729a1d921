// The open list for real-valued f: a binary heap with an index of its nodes, so that a smaller g moves a node's entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "memory/arena.hpp"
#include "search/node.hpp"
#include "search/open_list.hpp"
#include "search/search.hpp"

namespace hstar {

template <class State>
class IndexedHeap {
 public:
  using Cost = double;
  static constexpr bool kKeepsRaw = false;

  IndexedHeap(Arena& arena, Budget& budget, Node<State>* nodes, double weight, TieBreaking tie_breaking) noexcept
      : entries_(arena.entries, budget), nodes_(nodes), weight_(weight), tie_breaking_(tie_breaking) {}

  [[nodiscard]] bool insert(std::uint32_t node, std::uint32_t, Cost h) noexcept {
    if (!entries_.ensure(size_ + 1)) return false;
    rise(size_++, key(node, h));
    return true;
  }
  template <class H>
  [[nodiscard]] bool improve(std::uint32_t node, H&& h) noexcept {
    if (!nodes_[node].is_open() || nodes_[node].open_value == kNowhere) return insert(node, 0, h());
    // Almost always the entry rises; but f can stay equal in floating point, and then its later seq may make it sink
    // (fifo).
    const std::size_t at = nodes_[node].open_value;
    const Entry entry = key(node, entries_[at].h);
    if (before(entry, entries_[at]))
      rise(at, entry);
    else
      sink(at, entry);
    return true;
  }

  static Cost cost(double h) noexcept { return h; }
  static std::span<const Cost> costs(const HeuristicTable& lookup) noexcept { return lookup.values(); }
  static double value(Cost f) noexcept { return f; }
  bool settle() const noexcept { return size_ != 0; }
  std::uint32_t top() const noexcept { return entries_[0].node; }
  Cost top_f() const noexcept { return entries_[0].f; }
  Cost top_h() const noexcept { return entries_[0].h; }
  // Writes some entries that come soon: the first of the heap's array. Returns how many.
  std::uint32_t upcoming(std::uint32_t* out, std::uint32_t most) const noexcept {
    const auto found = static_cast<std::uint32_t>(std::min<std::size_t>(most, size_));
    for (std::uint32_t i = 0; i < found; ++i) out[i] = entries_[i].node;
    return found;
  }
  Cost f(std::uint32_t g, Cost h) const noexcept { return weight_ == 0 ? g : g + weight_ * h; }  // h may be infinite
  void pop() noexcept {
    nodes_[entries_[0].node].open_value = kNowhere;
    remove(0);
  }

  // The invariants: no entry comes before its parent, and each node holds its entry's position.
  bool valid() const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (i > 0 && before(entries_[i], entries_[(i - 1) / 2])) return false;
      if (nodes_[entries_[i].node].open_value != i) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xffffffff;

  struct Entry {
    double f, h;
    std::uint64_t seq;
    std::uint32_t node;
  };

  Entry key(std::uint32_t node, double h) noexcept { return {f(nodes_[node].g(), h), h, ++seq_, node}; }

  bool before(const Entry& a, const Entry& b) const noexcept {
    if (a.f != b.f) return a.f < b.f;
    if (tie_breaking_ == TieBreaking::fifo) return a.seq < b.seq;
    if (tie_breaking_ != TieBreaking::lifo && a.h != b.h) return a.h < b.h;
    return a.seq > b.seq;
  }
  void remove(std::size_t at) noexcept {
    const Entry last = entries_[--size_];
    if (at == size_) return;
    if (at > 0 && before(last, entries_[(at - 1) / 2]))
      rise(at, last);
    else
      sink(at, last);
  }
  void put(std::size_t at, const Entry& entry) noexcept {
    entries_[at] = entry;
    nodes_[entry.node].open_value = static_cast<std::uint32_t>(at);
  }
  void rise(std::size_t at, const Entry& entry) noexcept {
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (!before(entry, entries_[parent])) break;
      put(at, entries_[parent]);
      at = parent;
    }
    put(at, entry);
  }
  void sink(std::size_t at, const Entry& entry) noexcept {
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= size_) break;
      if (child + 1 < size_ && before(entries_[child + 1], entries_[child])) ++child;
      if (!before(entries_[child], entry)) break;
      put(at, entries_[child]);
      at = child;
    }
    put(at, entry);
  }

  Pool<Entry> entries_;
  Node<State>* nodes_;
  double weight_;
  TieBreaking tie_breaking_;
  std::size_t size_ = 0;
  std::uint64_t seq_ = 0;
};

}  // namespace hstar
