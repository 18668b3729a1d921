// How far the first pieces of a puzzle are from home: a sum over triples of pieces that many moves turn together.
//
// A triple's distance is the fewest moves that bring the three home, whatever happens to the others, from a table of
// all their places (Culberson and Schaeffer 1998). Squares of distances are added up, because the last moves of a
// triple should not cost as much as the first: the sum is no lower bound. Triples that are alike under a symmetry of
// the moves share one table.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "groups/permutation_group.hpp"

namespace hstar {

class PieceTriples {
 public:
  using Stop = std::function<bool()>;
  static constexpr std::uint64_t kMostSteps = 500'000'000;  // images looked up to make the tables

  // require: `generators` closed under inverses; `base`: a place of each piece, in the order in which they are solved;
  //          `first`: for each place, the first place of its slot. The places of a slot follow each other, generators
  //          keep their cyclic order. `symmetries`: permutations of the places that map generators to generators and
  //          slots to slots, the identity among them.
  // ensure:  deterministic. `complete()` unless `stop` said yes, which is asked every few milliseconds, or the tables
  //          would take more than kMostSteps, which is `too_large()`.
  PieceTriples(const std::vector<Permutation>& generators, std::vector<Point> base,
               const std::vector<Permutation>& symmetries, const std::vector<Point>& first, const Stop& stop);

  bool complete() const noexcept { return complete_; }
  bool too_large() const noexcept { return too_large_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::span<const Point> base() const noexcept { return base_; }
  const std::vector<Permutation>& generators() const noexcept { return generators_; }

  // Of the first pieces, when piece k is at places[k]. It is 0 if and only if all of them are home.
  std::uint32_t distance(const Point* places, std::size_t pieces) const noexcept {
    std::uint32_t sum = 0;
    for (std::size_t t = 0; t < until_[pieces]; ++t) {
      const Triple& triple = triples_[t];
      const std::uint32_t moves = triple.distances[triple.entry[0][places[triple.piece[0]]] +
                                                   triple.entry[1][places[triple.piece[1]]] +
                                                   triple.entry[2][places[triple.piece[2]]]];
      sum += moves * moves;
    }
    return sum;
  }

 private:
  struct Triple {  // a pair or a single piece names its first piece again, with entries that are 0
    std::uint32_t piece[3];
    const std::uint32_t* entry[3];  // by place of the piece: what it adds to the number of the table's entry
    const std::uint8_t* distances;
  };
  class Maker;

  std::vector<Permutation> generators_;
  std::vector<Point> base_;
  std::vector<Triple> triples_;
  std::vector<std::size_t> until_;  // by number of pieces: the triples among them
  std::vector<std::vector<std::uint32_t>> entries_;
  std::vector<std::vector<std::uint8_t>> tables_;
  std::uint64_t bytes_ = 0;
  bool complete_ = false;
  bool too_large_ = false;
};

}  // namespace hstar
