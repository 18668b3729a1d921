// Counts the expansions of each f.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory/memory.hpp"

namespace hstar {

class LayerCounts {
 public:
  explicit LayerCounts(Budget& budget) noexcept : budget_(budget) {}

  // Called before an expansion with its f and the number of expansions so far. May throw std::bad_alloc; false if the
  // budget is exceeded.
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
    current_ = &found->second;  // stays valid: an unordered_map never moves its elements
    return true;
  }
  // The expansions with this f, after so many expansions in all.
  std::uint64_t at(double f, std::uint64_t expanded) const {
    const auto found = counts_.find(f);
    if (found == counts_.end()) return 0;
    return found->second + (current_ != nullptr && f == f_ ? expanded - since_ : 0);
  }
  // Every f with its expansions, by f, after so many expansions in all.
  std::vector<std::pair<double, std::uint64_t>> all(std::uint64_t expanded) const {
    std::vector<std::pair<double, std::uint64_t>> found;
    found.reserve(counts_.size());
    for (const auto& [f, _] : counts_)
      if (const std::uint64_t all = at(f, expanded); all != 0) found.emplace_back(f, all);
    std::ranges::sort(found);
    return found;
  }

 private:
  static constexpr std::uint64_t kBytes = 96;  // an element with its links, its share of the buckets, malloc's overhead

  Budget& budget_;
  std::unordered_map<double, std::uint64_t> counts_;  // without those of the current f since it was entered
  double f_ = 0;
  std::uint64_t since_ = 0;  // expansions before the current f was entered
  std::uint64_t* current_ = nullptr;
};

}  // namespace hstar
