// Short ways into a subgroup that some of the moves generate: a large puzzle becomes a small one. A 4x4x4 cube whose
// centres are of one colour each and whose edges are joined is a 3x3x3 cube, for the subgroup of the moves of its outer
// layers.
//
// What counts is the coset, so pieces are seen in relation to each other: of a place the subgroup may let another
// follow it everywhere, as an edge's two halves do. How far two pieces are from such a relation is in a table, and also
// how far pieces that look alike are, all of one look together. A beam search follows the sums. Cosets near the
// subgroup are in a perimeter.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/stop.hpp"
#include "groups/permutation_group.hpp"
#include "search/search.hpp"

namespace hstar {

struct ReductionOptions {
  std::size_t width = 10'000;    // cosets kept after each move
  double related = 1, alike = 1;  // weights of both kinds of tables
  double power = 1;              // to which the distances of pieces that look alike are raised before they are added up
  std::size_t most = 100;        // moves, without those in the perimeter
  std::size_t later = 2;         // moves after the first way in which others are found
  std::size_t longer = 1;        // moves that a way may have more than the shortest
  std::size_t ways = 200;        // the most that are returned
  unsigned threads = 1;          // the result is the same with any number
  Limits limits{};
};

struct Reduced {
  std::vector<std::vector<std::uint8_t>> ways;  // the shortest first
  std::uint64_t expanded = 0, generated = 0, stored = 0, peak_bytes = 0;
};

class Reduction {
 public:
  // Slots whose pieces look alike, in part: they are seen by what they show.
  struct Alike {
    std::uint32_t first, slots;
  };
  static constexpr std::size_t kMostSlots = 64, kMostSets = 3'000'000, kMostPlaces = 1024;

  // `generators`: images of places, closed under inverses, at most 255; `slot_of`: of each place; `left`: by generator,
  // whether it is in the subgroup; `home`: the kind of piece in each slot; `perimeter`: the most cosets in it. Slots
  // that are in none of `alike` hold different pieces. Throws Stopped; std::invalid_argument, also if a subgroup's move
  // changes what `alike` show.
  Reduction(const std::vector<Permutation>& generators, const std::vector<std::uint16_t>& slot_of,
            std::vector<std::uint8_t> left, const std::vector<std::uint16_t>& home, std::vector<Alike> alike,
            std::size_t perimeter, const Stop& stop);

  // Whether there is anything that tells cosets apart.
  bool tells() const noexcept { return !pairs_.empty() || !tables_.empty(); }
  std::size_t cosets() const noexcept { return known_; }

  // Ways from `element` (where the content of each place is), whose slots hold these kinds. What the tables do not tell
  // may not be in the subgroup, such as a parity. At a limit: the ways found so far. Deterministic but for `stop`.
  Reduced search(const Permutation& element, const std::vector<std::uint16_t>& kinds, const ReductionOptions& options,
                 const Stop& stop) const;

 private:
  using Row = std::vector<std::uint8_t>;
  struct Pair {  // of two places' contents, one that follows the other in the subgroup; or one content
    std::uint32_t one, other, relation;
    bool mutual;  // both follow each other
  };
  struct Group {  // slots of `alike`
    std::uint32_t first, slots, at, set;  // where they begin in a state, and the first of their sets
    std::vector<std::uint16_t> kinds;
    std::vector<std::vector<std::pair<std::uint8_t, std::uint8_t>>> moved;  // by generator: from and to
  };
  struct Scores;
  struct Seen;
  class Beam;
  static constexpr std::uint32_t kBeside = std::uint32_t{1} << 31;  // of parities: that of `beside_`

  void relate(const std::vector<std::uint16_t>& slot_of, const std::vector<std::uint8_t>& shown, const Stop& stop);
  void join(const std::vector<std::uint16_t>& slot_of, const std::vector<std::uint8_t>& shown);
  std::uint32_t told(const std::uint16_t* state, std::uint32_t odd) const noexcept;
  void add_sets(const Stop& stop);
  void surround(std::size_t most, const Stop& stop);
  std::uint32_t parities(const Permutation& element) const;
  std::uint32_t rank(std::uint64_t set) const noexcept;
  std::vector<std::uint16_t> begin(const Permutation& element, const std::vector<std::uint16_t>& kinds) const;
  void apply(std::uint8_t move, const std::uint16_t* from, std::uint16_t* to) const noexcept;
  std::uint64_t print(const Pair& pair, std::size_t one, std::size_t other) const noexcept;
  void see(const std::uint16_t* state, const Scores& scores, Seen& to) const;
  std::uint64_t after(std::uint8_t move, const std::uint16_t* state, std::uint32_t odd, const Scores& scores, Seen& own,
                      std::uint32_t& score) const noexcept;
  std::uint64_t print(const std::uint16_t* state, std::uint32_t odd) const noexcept;
  int depth(std::uint64_t print) const noexcept;

  std::size_t moves_, degree_;
  std::vector<Permutation> generators_;
  std::vector<std::uint8_t> inverse_, left_, commute_;
  std::vector<std::uint16_t> home_;
  std::vector<std::vector<Point>> parities_;  // orbits of which the subgroup has only even permutations
  std::vector<std::vector<std::uint32_t>> blocks_;  // numbers of `places_` that follow each other
  std::vector<Point> beside_;            // an orbit that is odd with them in the subgroup, if there are blocks
  std::vector<std::uint32_t> odd_;       // by generator: those of which it is an odd permutation, as bits
  std::vector<Point> places_;  // those in pairs; a state has where their contents are, then the kinds of the groups
  std::vector<Pair> pairs_;              // numbers of `places_`
  std::vector<Row> relations_;           // distances by both places
  std::vector<Group> groups_;
  std::vector<Row> tables_;              // of the sets of all pieces of one kind, by their ranks
  std::vector<std::uint32_t> binomial_;  // by byte, ones before it and value: what it adds to the rank of a set
  std::size_t size_ = 0;                 // of a state
  std::vector<std::uint64_t> prints_;    // the perimeter, by linear probing; 0: none
  Row depths_;
  std::size_t known_ = 0;
};

}  // namespace hstar
