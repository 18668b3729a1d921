// A partition of numbers that becomes coarser (Galler and Fischer 1964).
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace hstar {

class Partition {
 public:
  explicit Partition(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  // The least number of a number's part.
  std::uint32_t find(std::size_t x) noexcept {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return static_cast<std::uint32_t>(x);
  }
  // Joins two parts; the number that is the least of its part no longer, or nothing if both were in one part already.
  std::optional<std::uint32_t> join(std::size_t a, std::size_t b) noexcept {
    a = find(a), b = find(b);
    if (a == b) return std::nullopt;
    if (b < a) std::swap(a, b);
    parent_[b] = static_cast<std::uint32_t>(a);
    return static_cast<std::uint32_t>(b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace hstar
