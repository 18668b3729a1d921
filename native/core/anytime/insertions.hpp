// Short solutions of large puzzles: cycles of three pieces, put in anywhere in an alg.
//
// A puzzle with many orbits of pieces that do not turn, such as a 4x4x4 cube, has cycles of exactly three pieces of an
// orbit for all triples of slots. A cycle that is put in before the last moves of an alg does at its end what another
// cycle does there; where it is put in decides how long it is and how many moves cancel out. So an alg that solves the
// other orbits, and parts of these, is completed by a beam search over what is put in, and where. The alg comes from
// annealing: moves that leave the other orbits alone are put in and taken out again, so that few moves leave few pieces
// misplaced. (This is how the Santa 2023 puzzles were solved by the winners of that competition.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "anytime/chain_search.hpp"
#include "base/stop.hpp"
#include "groups/permutation_group.hpp"

namespace hstar {

// The slots [first, first + pieces).
struct SlotOrbit {
  std::uint32_t first, pieces;

  std::vector<Point> slots() const;
  // Whether pieces of the kinds `start`, by slot, come home by an odd permutation; nothing if some are of one kind.
  // Throws std::invalid_argument if the kinds are not those of `home`.
  std::optional<bool> is_odd(const std::vector<std::uint16_t>& start, const std::vector<std::uint16_t>& home) const;
};

// What a move does to slots.
struct SlotMove {
  std::vector<std::uint16_t> image, before;  // of each slot: where its piece goes, where that of it was
  std::vector<std::uint16_t> touched;        // whose pieces are followed

  // Moves what the slots hold. `spare` has room for all.
  void apply(std::vector<std::uint16_t>& kinds, std::vector<std::uint16_t>& spare) const noexcept;
};

// The number of the cycle that takes a to b, b to c, and c to a: the same from whichever it is told.
inline std::uint32_t number_of_cycle(std::uint32_t pieces, std::uint32_t a, std::uint32_t b, std::uint32_t c) noexcept {
  if (b < a && b < c) return (b * pieces + c) * pieces + a;
  if (c < a && c < b) return (c * pieces + a) * pieces + b;
  return (a * pieces + b) * pieces + c;
}

struct InsertionOptions {
  std::size_t width = 100;        // algs kept after each cycle
  double misplaced = 1.7;         // moves that a misplaced piece counts as
  std::uint64_t seed = 0;         // of the annealing
  std::uint64_t anneals = 100'000;  // tries of an annealing
  std::uint64_t starts = 1;         // annealings, of which the best is used
  unsigned threads = 1;             // the result is the same with any number
  Limits limits{};
};

class Insertions {
 public:
  // `generators`: images of places, closed under inverses, at most 255; `slot_of`: of each place; `orbits`: those that
  // cycles solve, whose pieces have no orientation of their own. Throws Stopped; std::invalid_argument.
  Insertions(const std::vector<Permutation>& generators, const std::vector<std::uint16_t>& slot_of,
             std::vector<SlotOrbit> orbits, const Stop& stop);

  bool has_all(std::size_t orbit) const { return has_all_.at(orbit); }

  // Moves that take pieces of the kinds `start`, by slot, to `home`, and do the same to the other orbits as `base`. At
  // a limit or if none were found: the counts alone. Deterministic but for `stop`.
  Descent solve(const std::vector<std::uint16_t>& start, const std::vector<std::uint16_t>& home,
                const std::vector<std::uint8_t>& base, const InsertionOptions& options, const Stop& stop) const;

 private:
  using Alg = std::vector<std::uint8_t>;
  using Kinds = std::vector<std::uint16_t>;
  struct Word {
    std::uint32_t begin;
    std::uint8_t length;
  };
  static constexpr std::size_t kMostMoves = 255;
  struct Letter;
  class Annealing;
  class Beam;

  std::vector<Letter> find_letters() const;
  void find_commutators(const Stop& stop, std::vector<Alg>& found) const;
  void find_words(std::size_t orbit, const std::vector<Alg>& seeds, const Stop& stop);
  bool triple_of(const Alg& word, std::size_t& orbit, std::uint32_t& index) const;
  std::span<const std::uint8_t> letters(const Word& word) const noexcept {
    return {pool_.data() + word.begin, word.length};
  }
  std::uint32_t saved(const Alg& alg, std::size_t at, std::span<const std::uint8_t> word) const noexcept;
  Alg simplified(const Alg& alg) const;
  Alg undone(const Alg& word) const;

  std::size_t moves_, slots_;
  std::vector<Permutation> places_;                         // of each move
  std::vector<SlotMove> on_slots_;                          // of each move; it touches slots of the orbits alone
  std::vector<std::uint8_t> inverse_;
  std::vector<std::uint8_t> commute_;                       // by two moves
  std::vector<std::uint8_t> together_;                      // by two moves: the one that does the same, or 255
  std::vector<std::uint8_t> thrice_;                        // by move: whether three of it are its inverse
  std::vector<Alg> free_;                                   // moves, or two, that leave the other orbits alone
  std::vector<std::uint16_t> slot_of_;
  std::vector<SlotOrbit> orbits_;
  std::vector<std::uint64_t> odd_;  // by move: orbits of which it is an odd permutation, as bits
  std::vector<std::uint8_t> pool_;                          // letters of words
  std::vector<Word> words_;                                 // those of one cycle together
  std::vector<std::vector<std::uint32_t>> first_;           // by orbit and cycle: its first word
  std::vector<bool> has_all_;                               // by orbit
};

}  // namespace hstar
