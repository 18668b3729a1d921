// Entries of an open list that are expected but not yet certain: children whose duplicates have not been looked up.
// Sorted in the order of TieBreaking, the first to come at the back; an entry that is added is the latest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/search.hpp"

namespace hstar {

template <class Cost>
class HotList {
 public:
  struct Entry {
    Cost f, h;
    std::uint32_t flight, child;  // the owner's name for it
  };

  HotList(TieBreaking tie_breaking, std::size_t most) : tie_breaking_(tie_breaking) { entries_.reserve(most); }

  bool empty() const noexcept { return entries_.empty(); }
  std::size_t size() const noexcept { return entries_.size(); }
  const Entry& first() const noexcept { return entries_.back(); }
  void pop() noexcept { entries_.pop_back(); }

  // Never more than `most` entries.
  void add(const Entry& entry) noexcept {
    entries_.push_back(entry);
    std::size_t at = entries_.size() - 1;
    for (; at > 0 && before(entries_[at - 1], entry.f, entry.h); --at) entries_[at] = entries_[at - 1];
    entries_[at] = entry;
  }
  // Does the first entry come before one of this key that has been on the open list longer?
  bool leads(Cost f, Cost h) const noexcept { return !before_older(f, h); }
  void remove(std::uint32_t flight) noexcept {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.flight == flight; });
  }

 private:
  // Does `old` come before a later entry of this key?
  bool before(const Entry& old, Cost f, Cost h) const noexcept {
    if (old.f != f) return old.f < f;
    if (tie_breaking_ == TieBreaking::fifo) return true;
    return tie_breaking_ == TieBreaking::low_h && old.h < h;
  }
  bool before_older(Cost f, Cost h) const noexcept { return before({f, h, 0, 0}, first().f, first().h); }

  TieBreaking tie_breaking_;
  std::vector<Entry> entries_;
};

}  // namespace hstar
