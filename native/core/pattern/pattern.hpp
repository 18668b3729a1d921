// A pattern: a few pieces of a puzzle, the rest ignored. Its abstract states are numbered without gaps. Of pieces that
// look alike it has all or none, and its states are where these are, whichever is where.
//
//   const Pattern pattern(space, {0, 2, 5, 18});
//   pattern.rank(places)       // places[i] of pieces()[i] -> 0 .. entries() - 1, one to one
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "puzzle/piece_space.hpp"

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
    unsigned first_kind, kinds;  // if some pieces look alike
  };

  // Throws std::invalid_argument for a piece that does not exist or appears twice, without all that look like it, or if
  // there would be too many states. Sorts the pieces: by orbit, then those that look alike side by side.
  Pattern(std::shared_ptr<const PieceSpace> space, std::vector<std::uint16_t> pieces);

  const PieceSpace& space() const noexcept { return *space_; }
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

  // Whether some pieces of the puzzle look alike, or look the same in several orientations.
  bool alike() const noexcept { return space_->alike(); }

  // A piece's part of the rank without tables: its slot in the low bits, the weight of its orientation above them. The
  // sum of a group's slots fits into those bits. If pieces look alike it is the place, in the first orientation that
  // looks so.
  std::uint16_t word(std::size_t i, unsigned place) const noexcept {
    const Weight& weight = weights_[i];
    if (alike())
      return static_cast<std::uint16_t>(place - place % weight.orientations +
                                        place % weight.orientations % weight.distinct);
    return static_cast<std::uint16_t>(place / weight.orientations +
                                      (place % weight.orientations * weight.twist << weight.slot_bits));
  }
  // The rank of a group whose pieces have these words.
  template <class Words>
  std::uint64_t rank_group(const Words& words, const Group& group) const noexcept {
    if (!alike()) return rank_words(words, group.count, group);
    std::array<unsigned, kMaxPieces> places;
    for (unsigned i = 0; i < group.count; ++i) places[i] = words[i];
    return rank_alike(places, group);
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
    unsigned orientations, twist, digit, slot_bits, distinct;
  };
  // Pieces of a group that look alike: where they can be among the slots that those before leave free.
  struct Kind {
    unsigned count, distinct;
    std::uint64_t choices;
  };

  void add_group(unsigned first, unsigned count);
  void add_kinds(Group& group);
  std::uint64_t rank_alike(std::array<unsigned, kMaxPieces>& places, const Group& group) const noexcept;
  void unrank_alike(std::uint64_t code, unsigned twist, const Group& group, Place* out) const noexcept;
  // The number of ways to choose `count` of `among` things, at most kMaxEntries + 1.
  std::uint64_t ways(unsigned among, unsigned count) const noexcept { return ways_[among * (kMaxPieces + 1) + count]; }
  static constexpr std::size_t kMaxRanks = 1 << 16;

  std::shared_ptr<const PieceSpace> space_;
  std::vector<std::uint16_t> pieces_;
  std::vector<Group> groups_;
  std::vector<Weight> weights_;
  std::vector<Kind> kinds_;
  std::vector<std::uint64_t> ways_;  // empty if all pieces look different
  std::uint64_t entries_ = 1;
};

}  // namespace hstar
