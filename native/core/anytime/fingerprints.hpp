// Fingerprints of the places of pieces: the exclusive or of a random number for each piece and place (Zobrist 1970), so
// that a move changes them by the pieces that it turns.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/splitmix.hpp"

namespace hstar {

// The number of piece k at place x is at k * degree + x. The same ones each time.
inline std::vector<std::uint64_t> fingerprint_keys(std::size_t pieces, std::size_t degree) {
  std::vector<std::uint64_t> keys(pieces * degree);
  std::ranges::generate(keys, SplitMix());
  return keys;
}

// A set of fingerprints, by linear probing.
class Fingerprints {
 public:
  explicit Fingerprints(std::size_t expected) : slots_(bytes_for(expected) / sizeof(std::uint64_t), 0) {}
  static constexpr std::uint64_t bytes_for(std::size_t expected) noexcept {
    return std::bit_ceil(std::max<std::size_t>(16, 2 * expected)) * sizeof(std::uint64_t);
  }
  // False if it was there already.
  bool insert(std::uint64_t print) {
    print += print == 0;  // 0 marks an empty slot
    if (2 * ++count_ > slots_.size()) grow();
    if (put(print)) return true;
    --count_;
    return false;
  }
  std::uint64_t bytes() const noexcept { return slots_.capacity() * sizeof slots_[0]; }

 private:
  bool put(std::uint64_t print) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = (print * 0x9e3779b97f4a7c15u >> 20) & mask;; i = (i + 1) & mask) {
      if (slots_[i] == print) return false;
      if (slots_[i] == 0) {
        slots_[i] = print;
        return true;
      }
    }
  }
  void grow() {
    std::vector<std::uint64_t> old(2 * slots_.size(), 0);
    old.swap(slots_);
    for (const std::uint64_t print : old)
      if (print != 0) put(print);
  }

  std::vector<std::uint64_t> slots_;
  std::size_t count_ = 0;
};

}  // namespace hstar
