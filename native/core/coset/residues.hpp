// Distances modulo 3 (Cooperman and Finkelstein 1992): two bits an entry, because a move changes a distance by at most 1.
// Whoever knows the distance of a state knows that of its successors.
#pragma once

#include <cstdint>

namespace hstar {

struct Residues {
  static constexpr unsigned kUnseen = 3;          // no moves lead to it, or none are known yet
  static constexpr std::uint64_t kPerWord = 32;   // entries in a word of 64 bits, the first in the lowest bits

  static unsigned get(const std::uint64_t* words, std::uint64_t i) noexcept {
    return static_cast<unsigned>(words[i / kPerWord] >> (i % kPerWord * 2) & 3);
  }
  // The distance with this residue that differs from `near` by at most 1.
  static unsigned distance(unsigned residue, unsigned near) noexcept { return near + (residue + 4 - near % 3) % 3 - 1; }
};

}  // namespace hstar
