// A permutation puzzle described by its pieces: where each piece is, instead of what each slot holds.
//
//   const PieceSpace space(puzzle, {{0, 20, 3}, {20, 30, 2}});   // Megaminx: 20 corners, then 30 edges
//   space.locate(state, places);                                 // places[first + piece] = slot * orientations + twist
//   place = space.carry(move, orbit)[place];                     // the same table for every piece of the orbit
//
// This makes abstraction easy: a move acts on each piece's place alone, wherever the other pieces are.
#pragma once

#include <memory>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

using Place = std::uint16_t;  // a slot of an orbit, with an orientation

// Pieces that moves carry onto one another, in consecutive slots; a slot's value is piece * orientations + orientation.
struct Orbit {
  unsigned first, pieces, orientations;
  unsigned places() const noexcept { return pieces * orientations; }
};

class PieceSpace {
 public:
  // Throws std::invalid_argument unless the orbits cover the slots in order, the goal has every piece at home with
  // orientation 0, and every move keeps orbits apart and turns a piece by the same twist wherever it comes from.
  PieceSpace(std::shared_ptr<const PermutationPuzzle> puzzle, std::vector<Orbit> orbits);

  const PermutationPuzzle& puzzle() const noexcept { return *puzzle_; }
  const std::vector<Orbit>& orbits() const noexcept { return orbits_; }
  std::size_t pieces() const noexcept { return puzzle_->slots(); }
  unsigned orbit_of(std::size_t piece) const noexcept { return orbit_of_[piece]; }
  const Orbit& orbit(std::size_t piece) const noexcept { return orbits_[orbit_of_[piece]]; }
  unsigned home(std::size_t piece) const noexcept {
    return value_at(puzzle_->goal().data(), piece, puzzle_->width());
  }

  // Throws std::invalid_argument unless these are distinct moves of the puzzle.
  void check_moves(const std::vector<std::uint8_t>& moves) const;

  // Whether `state` has every piece once. Its values must be ones that its slots may hold.
  bool is_complete(Bytes state) const noexcept;
  // Throws std::invalid_argument unless `state` is a state and has every piece once.
  void check(Bytes state, const char* what) const;

  // The place to which `move` carries each place of an orbit.
  const Place* carry(unsigned move, unsigned orbit) const noexcept {
    return carry_.data() + move * all_places_ + first_place_[orbit];
  }

  // Places of all pieces of a state that has each once; and of its inverse, whose piece i is in the home slot of the
  // piece in slot i.
  template <class P>
  void locate(Bytes state, P* places) const noexcept {
    each_slot(state, [&](const Orbit& orbit, unsigned slot, unsigned value) {
      const unsigned n = orbit.orientations;
      places[orbit.first + value / n] = static_cast<P>(slot * n + value % n);
    });
  }
  template <class P>
  void locate_inverse(Bytes state, P* places) const noexcept {
    each_slot(state, [&](const Orbit& orbit, unsigned slot, unsigned value) {
      const unsigned n = orbit.orientations;
      places[orbit.first + slot] = static_cast<P>(value - value % n + (n - value % n) % n);
    });
  }

 private:
  // Calls visit(orbit, slot within it, value) for all slots.
  template <class Visit>
  void each_slot(Bytes state, Visit visit) const noexcept {
    const auto all = [&](auto value_of) {
      for (const Orbit& orbit : orbits_)
        for (unsigned slot = 0; slot < orbit.pieces; ++slot) visit(orbit, slot, value_of(orbit.first + slot));
    };
    if (puzzle_->width() == 1)
      all([&](std::size_t slot) -> unsigned { return state[slot]; });
    else
      all([&](std::size_t slot) { return value_at(state.data(), slot, sizeof(Value)); });
  }

  void read_move(unsigned move);

  std::shared_ptr<const PermutationPuzzle> puzzle_;
  std::vector<Orbit> orbits_;
  std::vector<std::uint16_t> orbit_of_;
  std::vector<std::size_t> first_place_;  // by orbit: where its places begin among those of all
  std::size_t all_places_ = 0;
  std::vector<Place> carry_;  // by move
};

}  // namespace hstar
