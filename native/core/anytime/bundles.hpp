// First solutions of puzzles with very many pieces: cycles of three pieces in many orbits at once.
//
// Where a move a and a conjugate x = b c b' of another have one slot in common, a x a' x' is a cycle of three pieces.
// Parallel layers of a large cube move no slot in common; with sets of them in the places of a and c the same word is
// the product of the cycles of all pairs, so k and k of them do k * k cycles in 4k + 4 moves. The sets that bring most
// pieces home for each move are put behind an alg that solves the other orbits, again and again; what is left is done
// by single cycles.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "anytime/chain_search.hpp"
#include "anytime/insertions.hpp"
#include "base/stop.hpp"
#include "groups/permutation_group.hpp"

namespace hstar {

struct BundleOptions {
  double misplaced = 0.8;           // moves that a misplaced piece counts as in the annealing
  std::uint64_t seed = 0;
  std::uint64_t anneals = 100'000;  // tries of the annealing
  std::uint64_t cells = 2'000'000;  // cycles that are looked at before words are put in, by moves around the words
  double heat = 1.2;                // of the annealing at first, in moves
  std::size_t starts = 1;           // annealings, of which the one with the shortest alg counts
  unsigned threads = 1;             // the result is the same with any number
  Limits limits{};
};

class Bundles {
 public:
  // As those of `Insertions`.
  Bundles(const std::vector<Permutation>& generators, const std::vector<std::uint16_t>& slot_of,
          std::vector<SlotOrbit> orbits, const Stop& stop);

  bool has_all(std::size_t orbit) const { return !cycles_.at(orbit).empty(); }

  // Moves that take pieces of the kinds `start` to `home`, and do the same to the other orbits as `base`.
  // Counted as expanded is how often words were chosen, as generated the cycles that were looked at, and the tries.
  Descent solve(const std::vector<std::uint16_t>& start, const std::vector<std::uint16_t>& home,
                const std::vector<std::uint8_t>& base, const BundleOptions& options, const Stop& stop) const;

 private:
  using Alg = std::vector<std::uint8_t>;
  using Kinds = std::vector<std::uint16_t>;
  using Bits = std::vector<std::uint64_t>;
  static constexpr std::uint8_t kNoMove = 255;
  // A cycle of three: what is in a comes to b, from there to c.
  struct Cell {
    std::uint16_t row, column;  // numbers of moves in `rows` and `columns`
    std::uint16_t a, b, c;
  };
  // All pairs of a move of one class and one of another, conjugated by `around`, that make cycles.
  struct Family {
    std::uint8_t around;
    std::vector<std::uint8_t> rows, columns;        // moves
    std::vector<std::uint16_t> row_layer, column_layer;
    std::vector<Cell> cells;                        // by row
    std::vector<std::uint32_t> row_begin;
    std::vector<std::uint32_t> by_column;           // numbers of cells
    std::vector<std::uint32_t> column_begin;
    std::vector<std::uint8_t> bad;                  // by row and column: have more in common
  };
  // The shortest word of a cycle of three slots of an orbit: a move around another one, or a cell.
  struct Way {
    std::uint8_t length = 0;
    std::uint8_t around = kNoMove;
    std::uint32_t from = 0;  // the cycle within, or the family and cell
    std::uint32_t cell = 0;
  };
  struct Choice;
  class Search;
  class Annealing;

  void find_families(const Stop& stop);
  void find_cycles(std::size_t orbit, const Stop& stop);
  std::size_t cells() const noexcept;
  void append(Alg& alg, std::uint8_t move) const;
  Alg word_of(const Family& family, std::span<const std::uint16_t> rows, std::span<const std::uint16_t> columns) const;
  Alg word_of(std::size_t orbit, std::uint32_t cycle) const;
  bool evened(Alg& alg, Bits odd, const Bits& distinct) const;

  std::size_t moves_, slots_ = 0;
  std::vector<SlotOrbit> orbits_;
  std::vector<std::uint16_t> orbit_of_;                               // by slot
  std::vector<SlotMove> on_slots_;  // of each move; it touches all slots that it moves
  std::vector<std::uint8_t> inverse_;
  std::vector<std::uint16_t> layer_, class_;  // by move: those that move the same slots; layers apart
  std::vector<std::uint8_t> free_;                                    // moves that leave the other orbits alone
  std::vector<Bits> odd_;  // by move: orbits of which it is an odd permutation
  std::vector<Family> families_;
  std::vector<std::vector<Way>> cycles_;                              // by orbit and cycle; empty if some are missing
};

}  // namespace hstar
