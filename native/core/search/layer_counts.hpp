// How many expansions each f has had.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "memory/memory.hpp"

namespace hstar {

class LayerCounts {
 public:
  explicit LayerCounts(Budget& budget) noexcept : budget_(budget) {}

  // Before an expansion: its f, and the number of expansions so far. May throw std::bad_alloc; false: past the budget.
  [[nodiscard]] bool enter(double f, std::uint64_t expanded) {
    if (current_ != nullptr && f == f_) [[likely]]
      return true;
    const auto [found, fresh] = counts_.try_emplace(f, 0);
    if (fresh && !budget_.charge(kBytes)) {
      counts_.erase(found);
      return false;
    }
    if (current_ != nullptr) *current_ += expanded - since_;
    f_ = f;
    since_ = expanded;
    current_ = &found->second;  // stays good: an unordered_map never moves its elements
    return true;
  }
  // Of this f, when there have been so many expansions.
  std::uint64_t at(double f, std::uint64_t expanded) const {
    const auto found = counts_.find(f);
    if (found == counts_.end()) return 0;
    return found->second + (current_ != nullptr && f == f_ ? expanded - since_ : 0);
  }

 private:
  static constexpr std::uint64_t kBytes = 96;  // an element with its links, its share of the buckets, malloc's overhead

  Budget& budget_;
  std::unordered_map<double, std::uint64_t> counts_;  // without what the current f has had since it was entered
  double f_ = 0;
  std::uint64_t since_ = 0;  // expansions before the current f was entered
  std::uint64_t* current_ = nullptr;
};

}  // namespace hstar
