// All states near home in the group of a few moves, so that a solution's last moves are looked up (perimeter search,
// Dillenburg and Nelson 1994).
#pragma once

#include <optional>

#include "anytime/chain_search.hpp"

namespace hstar {

class Perimeter {
 public:
  // The states of base[level..), pieces that the moves turn, around home. Spheres are added while all states are at most
  // `most`. `moves`: numbers of generators, closed under inverses. Not complete if `stop` said yes, which is asked every
  // few milliseconds.
  Perimeter(const std::vector<Permutation>& generators, std::vector<Point> base, std::size_t level,
            std::vector<std::uint8_t> moves, std::size_t most, const WordChain::Stop& stop);

  bool complete() const noexcept { return complete_; }
  std::size_t level() const noexcept { return level_; }
  // How many states there are, the farthest ones' distance, and the bytes that they take.
  std::size_t states() const noexcept { return entries_.size(); }
  unsigned radius() const noexcept { return radius_; }
  std::uint64_t bytes() const noexcept {
    return entries_.capacity() * sizeof entries_[0] + first_.capacity() * sizeof first_[0];
  }
  std::span<const Point> base() const noexcept { return base_; }
  std::span<const std::uint8_t> moves() const noexcept { return moves_; }
  const std::vector<Permutation>& generators() const noexcept { return generators_; }

  // Of pieces level, level + 1, ..., when they are at places[0], places[1], ...
  std::uint64_t fingerprint(const Point* places) const noexcept;
  // The distance of a state from home; nothing if it is farther than `radius()`. A wrong one has a probability of some
  // 2^-35: only the path shows that it is right.
  std::optional<unsigned> distance(std::uint64_t fingerprint) const noexcept;
  // The moves home; nothing if the state is not within the perimeter.
  std::optional<std::vector<std::uint8_t>> path(std::vector<Point> places) const;

 private:
  std::vector<Permutation> generators_;
  std::vector<Point> base_;
  std::size_t level_;
  std::vector<std::uint8_t> moves_;
  std::vector<std::uint64_t> keys_;     // by piece and place
  std::vector<std::uint64_t> entries_;  // fingerprints by `first_`, with the distance in the lowest bits
  std::vector<std::uint32_t> first_;    // by the highest bits of a fingerprint: the first entry
  unsigned shift_ = 63;
  unsigned radius_ = 0;
  bool complete_ = false;
};

// A shortest solution that begins with one of the partial solutions of the perimeter's level and goes on with its
// moves, by a search of at most `most` states from all of them at once. Empty if there is none among these, or a limit
// was reached, which is then way.ending. Counts are added to those of `way`.
std::vector<std::uint8_t> shortest_ending(const Perimeter& perimeter, const Permutation& element,
                                          std::span<const Partial> partials, std::size_t most,
                                          const ChainSearchOptions& limits, const WordChain::Stop& stop, Descent& way);

}  // namespace hstar
