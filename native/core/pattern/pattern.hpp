// A pattern: a few pieces of a puzzle, the rest ignored. Its abstract states are numbered without gaps.
//
//   const Pattern pattern(space, {0, 2, 5, 18});
//   pattern.rank(places)       // places[i] of pieces()[i] -> 0 .. entries() - 1, one to one
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "pattern/pattern_space.hpp"

namespace hstar {

class Pattern {
 public:
  static constexpr std::size_t kMaxPieces = 16;
  static constexpr std::uint64_t kMaxEntries = std::uint64_t{1} << 33;

  // The pattern's pieces of one orbit, in order. Their places are a partial permutation with orientations.
  struct Shape {
    unsigned slots = 0, twists = 0;  // twists: orientations ^ pieces
    unsigned slot_bits = 0;          // of a word (see below)
  };
  struct Group : Shape {
    unsigned orbit, first, count;  // pieces()[first .. first + count)
    unsigned orientations;
    std::uint64_t stride;  // of the whole group's rank
  };

  // Throws std::invalid_argument for a piece that does not exist or appears twice, or if there would be too many
  // states. Sorts the pieces.
  Pattern(std::shared_ptr<const PieceSpace> space, std::vector<std::uint16_t> pieces);

  const PieceSpace& space() const noexcept { return *space_; }
  const std::shared_ptr<const PieceSpace>& shared_space() const noexcept { return space_; }
  const std::vector<std::uint16_t>& pieces() const noexcept { return pieces_; }
  const std::vector<Group>& groups() const noexcept { return groups_; }
  std::uint64_t entries() const noexcept { return entries_; }

  std::uint64_t rank(const Place* places) const noexcept;
  void unrank(std::uint64_t rank, Place* places) const noexcept;

  // Each group's part of the rank, indexed by the places of its pieces as the digits of one number, the first piece's
  // place being the highest digit (`digit`). Empty if a group's table would not fit into the cache.
  using RankTables = std::vector<std::vector<std::uint32_t>>;
  RankTables rank_tables() const;
  std::uint16_t digit(std::size_t i, unsigned place) const noexcept {
    return static_cast<std::uint16_t>(place * weights_[i].digit);
  }

  // A piece's part of the rank without tables: its slot in the low bits, the weight of its orientation above them. The sum
  // of a group's slots fits into those bits.
  std::uint16_t word(std::size_t i, unsigned place) const noexcept {
    const Weight& weight = weights_[i];
    return static_cast<std::uint16_t>(place / weight.orientations +
                                      (place % weight.orientations * weight.twist << weight.slot_bits));
  }
  // The rank of a group whose pieces have these words. Lehmer's code: a slot counts those before it that are free.
  template <class Words>
  static std::uint64_t rank_words(const Words& words, unsigned count, const Shape& shape) noexcept {
    const unsigned mask = (1u << shape.slot_bits) - 1;
    std::uint64_t code = 0;
    unsigned sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      const unsigned slot = words[i] & mask;
      unsigned free = slot;
      for (unsigned j = 0; j < i; ++j) free -= (words[j] & mask) < slot;
      code = code * (shape.slots - i) + free;
      sum += words[i];
    }
    return code * shape.twists + (sum >> shape.slot_bits);
  }

 private:
  struct Weight {
    unsigned orientations, twist, digit, slot_bits;
  };
  static constexpr std::size_t kMaxRanks = 1 << 16;

  std::shared_ptr<const PieceSpace> space_;
  std::vector<std::uint16_t> pieces_;
  std::vector<Group> groups_;
  std::vector<Weight> weights_;
  std::uint64_t entries_ = 1;
};

}  // namespace hstar
