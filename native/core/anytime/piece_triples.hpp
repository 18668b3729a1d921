// How far the first pieces of a puzzle are from home: a sum over triples of pieces that many moves turn together.
//
// A triple's distance is the fewest moves that bring the three home, whatever happens to the others, from a table of
// all their places (Culberson and Schaeffer 1998). Squares of distances are added up, because the last moves of a
// triple should not cost as much as the first: the sum is no lower bound. Triples that are alike under a symmetry of
// the moves share one table.
//
// The last moves of a solution may be few ones that turn few pieces. These pieces must first be where those moves can
// bring them home from, which is their region: an orbit of places. Triples for regions have several goals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "groups/permutation_group.hpp"

namespace hstar {

class PieceTriples {
 public:
  static constexpr std::uint64_t kMostSteps = 500'000'000;  // images looked up to make the tables

  // The distance of three pieces. A pair or a single piece names its first piece again, with entries that are 0.
  struct Triple {
    std::uint32_t piece[3];
    const std::uint32_t* entry[3];  // by place of the piece: what it adds to the number of the table's entry
    const std::uint8_t* distances;

    // When piece k is at places[k].
    std::uint8_t distance(const Point* places) const noexcept {
      return distances[entry[0][places[piece[0]]] + entry[1][places[piece[1]]] + entry[2][places[piece[2]]]];
    }
  };

  // require: `generators` closed under inverses; `base`: a place of each piece, in the order in which they are solved;
  //          `first`: for each place, the first place of its slot. The places of a slot follow each other, generators
  //          keep their cyclic order. `symmetries`: permutations of the places that map generators to generators and
  //          slots to slots, the identity among them. `last_moves`: numbers of generators, closed under inverses; none
  //          if there are no regions.
  // ensure:  deterministic. `complete()` unless `stop` said yes, which is asked every few milliseconds, or the tables
  //          would take more than kMostSteps, which is `too_large()`.
  PieceTriples(const std::vector<Permutation>& generators, std::vector<Point> base,
               const std::vector<Permutation>& symmetries, const std::vector<Point>& first,
               const std::vector<std::uint8_t>& last_moves, const Stop& stop);

  bool complete() const noexcept { return complete_; }
  bool too_large() const noexcept { return too_large_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  std::span<const Point> base() const noexcept { return base_; }
  std::span<const Point> slots() const noexcept { return first_; }  // by place: the first place of its slot
  const std::vector<Permutation>& generators() const noexcept { return generators_; }

  // The triples among the first pieces.
  std::span<const Triple> among(std::size_t pieces) const noexcept { return {triples_.data(), until_[pieces]}; }
  // How many pieces of the base no last move turns, before the first one that is turned; none if there are no last
  // moves.
  std::size_t ending() const noexcept { return ending_; }
  // The triples of the other pieces: all distances are 0 if and only if each piece is in its region. Only of pieces
  // whose regions do not have all places of their slots.
  std::span<const Triple> regions() const noexcept { return regions_; }

  // Of the first pieces, when piece k is at places[k]. It is 0 if and only if all of them are home.
  std::uint32_t distance(const Point* places, std::size_t pieces) const noexcept {
    std::uint32_t sum = 0;
    for (const Triple& triple : among(pieces)) {
      const std::uint32_t moves = triple.distance(places);
      sum += moves * moves;
    }
    return sum;
  }

 private:
  class Maker;

  std::vector<Permutation> generators_;
  std::vector<Point> base_, first_;
  std::vector<Triple> triples_, regions_;
  std::size_t ending_ = 0;
  std::vector<std::size_t> until_;  // by number of pieces: the triples among them
  std::vector<std::vector<std::uint32_t>> entries_;
  std::vector<std::vector<std::uint8_t>> tables_;
  std::uint64_t bytes_ = 0;
  bool complete_ = false;
  bool too_large_ = false;
};

}  // namespace hstar
