// Distances to the goal over one coordinate, or over two together: a small pattern database over cosets.
#pragma once

#include <memory>
#include <vector>

#include "coset/coordinate.hpp"

namespace hstar {

class CosetDistances {
 public:
  static constexpr std::uint8_t kUnreachable = 255;

  // Of `first` alone if `second` is null. Both are for the same moves, each of which and its inverse have the same
  // cost, at least 1 (else std::invalid_argument). Throws Stopped.
  CosetDistances(std::shared_ptr<const Coordinate> first, std::shared_ptr<const Coordinate> second, Bytes costs,
                 const Stop& stop);

  unsigned at(std::uint32_t first, std::uint32_t second) const noexcept {
    return distances_[std::size_t{first} * width_ + second];
  }
  std::size_t entries() const noexcept { return distances_.size(); }

 private:
  std::size_t width_;  // values of the second coordinate, or 1
  std::vector<std::uint8_t> distances_;
};

}  // namespace hstar
