// How many moves two moves in a row save: 2 if they cancel out, 1 if one move does the same, else 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "groups/permutation_group.hpp"

namespace hstar {

class MovePairs {
 public:
  static constexpr std::uint8_t kNoMove = 255;

  explicit MovePairs(const std::vector<Permutation>& generators)
      : count_(generators.size()), saved_(count_ * count_, 0) {
    Permutation both(generators.front().size());
    for (std::size_t a = 0; a < count_; ++a)
      for (std::size_t b = 0; b < count_; ++b) {
        bool nothing = true;
        for (std::size_t x = 0; x < both.size(); ++x) {
          both[x] = generators[b][generators[a][x]];
          nothing = nothing && both[x] == x;
        }
        if (nothing)
          saved_[a * count_ + b] = 2;
        else if (std::find(generators.begin(), generators.end(), both) != generators.end())
          saved_[a * count_ + b] = 1;
      }
  }
  // Moves that are saved where a word ending with `a` is followed by one beginning with `b`.
  unsigned saved(std::uint8_t a, std::uint8_t b) const noexcept { return a == kNoMove ? 0 : saved_[a * count_ + b]; }

 private:
  std::size_t count_;
  std::vector<std::uint8_t> saved_;
};

}  // namespace hstar
