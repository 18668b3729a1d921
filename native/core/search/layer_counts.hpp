// How many expansions each f has had. f seldom changes from one expansion to the next, so the last one is at hand.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <unordered_map>

#include "memory/memory.hpp"

namespace hstar {

class LayerCounts {
 public:
  explicit LayerCounts(Budget& budget) noexcept : budget_(budget) {}

  // May throw std::bad_alloc; false: past the budget.
  [[nodiscard]] bool add(double f) {
    if (current_ == nullptr || f != f_) {
      const auto [found, fresh] = counts_.try_emplace(f, 0);
      if (fresh && !budget_.charge(kBytes)) {
        counts_.erase(found);
        return false;
      }
      f_ = f;
      current_ = &found->second;  // stays good: an unordered_map never moves its elements
    }
    ++*current_;
    return true;
  }
  std::uint64_t at(double f) const {
    const auto found = counts_.find(f);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  static constexpr std::uint64_t kBytes = 96;  // an element with its links, its share of the buckets, malloc's overhead

  Budget& budget_;
  std::unordered_map<double, std::uint64_t> counts_;
  double f_ = 0;
  std::uint64_t* current_ = nullptr;
};

}  // namespace hstar
