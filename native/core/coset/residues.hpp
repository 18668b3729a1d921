// Distances modulo 3 (Cooperman and Finkelstein 1992): two bits an entry, because a move changes a distance by at
// most 1. Whoever knows the distance of a state knows that of its successors. Each word of 64 bits has 30 entries and
// the least of their distances, from which a residue alone is a lower bound: mostly the distance itself, as few entries
// are 3 above the least.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hstar {

struct Residues {
  static constexpr unsigned kUnseen = 3;         // no moves lead to it, or none are known yet
  static constexpr std::uint64_t kPerWord = 30;  // entries in a word, the first in the lowest bits
  // The bits of the entries; the least has the others.
  static constexpr std::uint64_t kEntries = (std::uint64_t{1} << kPerWord * 2) - 1;
  static constexpr unsigned kNone = 15, kMostLeast = 14;  // no entry is seen; a larger least is kept as the latter

  // An entry is named by its word and its bit: of the i-th from the beginning of a word.
  static std::uint64_t at(std::uint64_t word, std::uint32_t i) noexcept {
    return (word + i / kPerWord) << 6 | i % kPerWord * 2;
  }
  static unsigned get(const std::uint64_t* words, std::uint64_t entry) noexcept {
    return static_cast<unsigned>(words[entry >> 6] >> (entry & 63) & 3);
  }
  // The distance with this residue that differs from `near` by at most 1.
  static unsigned distance(unsigned residue, unsigned near) noexcept { return near + (residue + 4 - near % 3) % 3 - 1; }
  // The least distance that an entry with this residue may have, among others of which none has less than `least`.
  static unsigned at_least(unsigned residue, unsigned least) noexcept { return least + (residue + 3 - least % 3) % 3; }
  static unsigned at_least(const std::uint64_t* words, std::uint64_t entry) noexcept {
    return at_least(get(words, entry), static_cast<unsigned>(words[entry >> 6] >> kPerWord * 2));
  }
};

}  // namespace hstar
