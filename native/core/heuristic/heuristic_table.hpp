// h by raw, if h depends on raw alone: the values, and what open lists need to know of them, computed once for all
// searches.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hstar {

class HeuristicTable {
 public:
  static constexpr std::uint32_t kMostWhole = 4095;
  static constexpr std::uint32_t kMostScale = 16;

  HeuristicTable() = default;
  explicit HeuristicTable(std::vector<double> values) : values_(std::move(values)) {
    if (values_.empty()) return;
    most_ = *std::ranges::max_element(values_);
    for (std::uint32_t scale = 1; scale <= kMostScale && most_ * scale <= kMostWhole; scale *= 2) {
      if (!std::ranges::all_of(values_, [&](double h) { return h * scale == std::floor(h * scale); })) continue;
      scale_ = scale;
      whole_.reserve(values_.size());
      for (const double h : values_) whole_.push_back(static_cast<std::uint32_t>(h * scale));
      return;
    }
  }

  bool empty() const noexcept { return values_.empty(); }
  std::size_t size() const noexcept { return values_.size(); }
  double operator[](std::size_t raw) const noexcept { return values_[raw]; }
  const std::vector<double>& values() const noexcept { return values_; }
  double most() const noexcept { return most_; }
  // The smallest power of two that, multiplied by, makes all values whole numbers of at most kMostWhole; 0 if none up
  // to kMostScale does.
  std::uint32_t scale() const noexcept { return scale_; }
  // The values times `scale`; empty if that is 0.
  const std::vector<std::uint32_t>& whole() const noexcept { return whole_; }

 private:
  std::vector<double> values_;
  double most_ = 0;
  std::uint32_t scale_ = 0;
  std::vector<std::uint32_t> whole_;
};

}  // namespace hstar
