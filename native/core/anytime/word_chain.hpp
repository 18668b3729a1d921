// A chain of stabilisers with several short words for each coset: one word a level, in order, solves any state of the
// group.
//
//   WordChain chain(generators, base, {HalfWords{{0, 1, 2, 3}}}, {}, stop);
//   chain.words(level, place)   words that fix base[0..level) and take `place` to base[level], shortest first
//
// Words are found by meeting in the middle: both halves are short words, and both do the same to the base points that
// are fixed already. A place that has no word then gets a product of words of its level; failing that, random words are
// sifted through the levels before. (Minkwitz 1998 has one word a place and only this last step.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "groups/permutation_group.hpp"

namespace hstar {

// A sequence of moves by number, and its effect: image[place].
struct Word {
  std::vector<std::uint8_t> moves;
  Permutation image;
};

// Which halves to make, from some of the moves, and from which level on. On the last levels few short words are left,
// but longer ones can be found with few of the moves.
struct HalfWords {
  std::vector<std::uint8_t> moves;  // numbers of generators
  unsigned longest = 4;             // moves of the longest half, at most 8
  std::uint64_t most = 100'000;     // at most this many halves; an incomplete sphere is dropped
  std::size_t from_level = 0;
};

struct WordLimits {
  std::size_t words = 24;           // for each place of a level
  std::uint64_t matches = 200'000;  // pairs of halves looked at on each level, for each kind of halves
  std::uint64_t bytes = std::uint64_t{1} << 29;  // of all words together
};

class WordChain {
 public:
  static constexpr std::size_t kMostMoves = 10'000;

  // require: generators as for PermutationGroup, at most 255; only the identity fixes all points of `base`.
  // ensure:  deterministic. `complete()` unless `stop` said yes, which is asked every few milliseconds, or words would
  //          come to be more than limits.bytes or longer than kMostMoves: what is put together of words of the levels
  //          above grows from level to level.
  WordChain(const std::vector<Permutation>& generators, std::vector<Point> base,
            const std::vector<HalfWords>& kinds, const WordLimits& limits, const Stop& stop);

  // A chain read from what `text()` returned, complete unless `stop` said yes. Throws std::invalid_argument if it does
  // not hold the words of a complete chain of these generators and this base.
  WordChain(const std::vector<Permutation>& generators, std::vector<Point> base, std::span<const std::uint8_t> text,
            const Stop& stop = NoStop());
  // All words: the level (2 bytes, low first), the number of moves (4 bytes) and the moves of each.
  std::vector<std::uint8_t> text() const;

  bool complete() const noexcept { return complete_; }
  std::size_t levels() const noexcept { return base_.size(); }
  std::span<const Point> base() const noexcept { return base_; }
  std::span<const Word> words(std::size_t level, Point place) const noexcept { return levels_[level].words[place]; }
  const std::vector<Permutation>& generators() const noexcept { return generators_; }

 private:
  struct Level {
    std::vector<std::vector<Word>> words;  // by place
    std::size_t orbit = 1;                 // places that have one when all do
  };
  struct Halves;

  void prepare(const std::vector<Permutation>& generators, const Stop& stop);
  // False: there are too many words, or too long ones.
  bool build(const std::vector<HalfWords>& kinds, const WordLimits& limits, const Stop& stop);
  void read(std::span<const std::uint8_t> text, const Stop& stop);
  bool match(std::size_t level, Halves& halves, const WordLimits& limits, Pace& pace);
  void compose(std::size_t level, Pace& pace);
  bool fill_at_random(std::size_t level, const WordLimits& limits, Pace& pace);
  bool add(std::size_t level, Word word, std::size_t most);
  std::size_t covered(std::size_t level) const noexcept;
  // The place to which a packed word, or its inverse, takes a place.
  Point image_under(std::uint64_t packed, unsigned length, Point x) const noexcept;
  Point image_back(std::uint64_t packed, unsigned length, Point x) const noexcept;
  Word made_of(std::span<const std::uint8_t> moves) const;

  std::vector<Permutation> generators_, inverses_;
  std::vector<Point> base_;
  std::vector<Level> levels_;
  std::uint64_t bytes_ = 0;  // of all words
  bool complete_ = false;
};

}  // namespace hstar
