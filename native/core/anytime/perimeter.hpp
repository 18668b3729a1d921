// All states near home in the group of a few moves, so that a solution's last moves are looked up (perimeter search,
// Dillenburg and Nelson 1994).
#pragma once

#include <limits>
#include <optional>

#include "anytime/chain_search.hpp"

namespace hstar {

class Perimeter {
 public:
  // The states of base[level..), pieces that the moves turn, around home. Spheres are added while all states are at
  // most `most`, and take at most `memory_bytes` while they are looked for. `moves`: numbers of generators, closed
  // under inverses. States that differ by moves `up_to`, some of `moves`, count as one, so that what is reached is not
  // home but the group of these; `slots`: for each place the first one of its slot, which are next to each other in the
  // order of their turns. Not complete if `stop` said yes, which is asked every few milliseconds.
  Perimeter(const std::vector<Permutation>& generators, std::vector<Point> base, std::size_t level,
            std::vector<std::uint8_t> moves, std::size_t most, const Stop& stop,
            const std::vector<std::uint8_t>& up_to = {}, const std::vector<Point>& slots = {},
            std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max());

  bool complete() const noexcept { return complete_; }
  std::size_t level() const noexcept { return level_; }
  // The level at the end of a path: that of the moves `up_to`, or all pieces.
  std::size_t reached() const noexcept { return reached_; }
  // How many states there are, the farthest ones' distance, and the bytes that they take.
  std::size_t states() const noexcept { return entries_.size(); }
  unsigned radius() const noexcept { return radius_; }
  std::uint64_t bytes() const noexcept {
    return entries_.capacity() * sizeof entries_[0] + first_.capacity() * sizeof first_[0];
  }
  // The most that it took while it was made.
  std::uint64_t peak_bytes() const noexcept { return peak_bytes_; }
  // A place of each piece from the level on, in its home slot: where it is in a state says enough.
  std::span<const Point> homes() const noexcept { return homes_; }
  std::span<const std::uint8_t> moves() const noexcept { return moves_; }
  const std::vector<Permutation>& generators() const noexcept { return generators_; }

  // Of a state: where the contents of homes() are.
  std::uint64_t fingerprint(const Point* places) const noexcept;
  // The distance of a state from home; nothing if it is farther than `radius()`. A wrong one has a probability of some
  // 2^-35: only the path shows that it is right.
  std::optional<unsigned> distance(std::uint64_t fingerprint) const noexcept;
  // Before it: first for some states what says where their entries are, then for each of them the entries.
  void prefetch_first(std::uint64_t fingerprint) const noexcept {
    __builtin_prefetch(first_.data() + (fingerprint >> shift_));
  }
  void prefetch(std::uint64_t fingerprint) const noexcept {
    __builtin_prefetch(entries_.data() + first_[fingerprint >> shift_]);
  }
  // The moves home; nothing if the state is not within the perimeter.
  std::optional<std::vector<std::uint8_t>> path(std::vector<Point> places) const;

 private:
  void join(const std::vector<std::uint8_t>& up_to, const std::vector<Point>& slots);

  std::vector<Permutation> generators_;
  std::vector<Point> homes_;
  std::size_t level_, reached_;
  std::vector<std::uint8_t> moves_;
  std::vector<std::uint64_t> keys_;     // by piece and place
  std::vector<std::uint64_t> entries_;  // fingerprints by `first_`, with the distance in the lowest bits
  std::vector<std::uint32_t> first_;    // by the highest bits of a fingerprint: the first entry
  std::uint64_t peak_bytes_ = 0;
  unsigned shift_ = 63;
  unsigned radius_ = 0;
  bool complete_ = false;
};

struct EndingOptions {
  std::size_t wanted = 1;          // endings
  std::uint64_t most = 50'000'000; // states that are looked up
  unsigned threads = 1;             // the result is the same with any number
};

// Continuations of those of the partial solutions that are on the perimeter's level, by its moves, to the level that it
// reaches: shortest first, at most as many as are wanted. All of one length are found before longer ones, unless `most`
// is reached, or more than 100 moves would come before the perimeter. Empty if there is none among these, or a limit
// was reached, which is then way.ending. Counts are added to those of `way`. Deterministic but for `stop`, which
// several threads may call.
std::vector<Partial> shortest_endings(const Perimeter& perimeter, const Permutation& element,
                                      std::span<const Partial> partials, const EndingOptions& options,
                                      const Limits& limits, const Stop& stop, Descent& way);

}  // namespace hstar
