// A permutation puzzle described by its pieces: where each piece is, instead of what each slot holds.
//
//   const PieceSpace space(puzzle, {{0, 20, 3}, {20, 30, 2}});   // Megaminx: 20 corners, then 30 edges
//   space.locate(state, places);                                 // places[first + piece] = slot * orientations + twist
//   place = space.carry(move, orbit)[place];                     // the same table for every piece of the orbit
//
// This makes abstraction easy: a move acts on each piece's place alone, wherever the other pieces are.
//
// Pieces are numbered by the slots that they are in at the goal. Of pieces that look alike (a *kind*) it cannot be told
// which is which: `locate` numbers those of a state in the order of their slots, and moves carry them from there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

using Place = std::uint16_t;  // a slot of an orbit, with an orientation

// Pieces that moves carry onto one another, in consecutive slots; a slot's value is piece * orientations + orientation.
// Pieces that look alike have the same number in values.
struct Orbit {
  unsigned first, pieces, orientations;
  unsigned places() const noexcept { return pieces * orientations; }
};

class PieceSpace {
 public:
  // distinct: for each slot, in how many orientations its piece at the goal looks different; empty: in all.
  // Throws std::invalid_argument unless the orbits cover the slots in order, the goal has every piece at home with
  // orientation 0, and every move keeps orbits apart and turns a piece by the same twist wherever it comes from.
  PieceSpace(std::shared_ptr<const PermutationPuzzle> puzzle, std::vector<Orbit> orbits,
             std::vector<unsigned> distinct = {});

  const PermutationPuzzle& puzzle() const noexcept { return *puzzle_; }
  const std::vector<Orbit>& orbits() const noexcept { return orbits_; }
  std::size_t pieces() const noexcept { return puzzle_->slots(); }
  unsigned orbit_of(std::size_t piece) const noexcept { return orbit_of_[piece]; }
  const Orbit& orbit(std::size_t piece) const noexcept { return orbits_[orbit_of_[piece]]; }
  unsigned home(std::size_t piece) const noexcept {
    return static_cast<unsigned>(piece - orbit(piece).first) * orbit(piece).orientations;
  }

  // Whether some pieces look alike, or look the same in several orientations.
  bool alike() const noexcept { return alike_; }
  // The first piece that looks like this one.
  std::uint16_t kind(std::size_t piece) const noexcept { return kind_[piece]; }
  // In how many orientations it looks different.
  unsigned distinct(std::size_t piece) const noexcept { return distinct_[piece]; }

  // Throws std::invalid_argument unless these are distinct moves of the puzzle.
  void check_moves(const std::vector<std::uint8_t>& moves) const;

  // Whether `state` has every piece. Its values must be ones that its slots may hold.
  bool is_complete(Bytes state) const noexcept;
  // Throws std::invalid_argument unless `state` is a state and has every piece.
  void check(Bytes state, const char* what) const;

  // Whether pieces at these places look like the goal.
  template <class P>
  bool looks_solved(const P* places) const noexcept {
    for (std::size_t piece = 0; piece < pieces(); ++piece) {
      const Orbit& own = orbit(piece);
      const unsigned place = places[piece];
      if (kind_[own.first + place / own.orientations] != kind_[piece] ||
          place % own.orientations % distinct_[piece] != 0)
        return false;
    }
    return true;
  }

  // The place to which `move` carries each place of an orbit.
  const Place* carry(unsigned move, unsigned orbit) const noexcept {
    return carry_.data() + move * all_places_ + first_place_[orbit];
  }

  // Places of all pieces of a state that has them; and of its inverse, whose piece i is in the home slot of the piece
  // in slot i.
  template <class P>
  void locate(Bytes state, P* places) const noexcept {
    each_piece(state, [&](const Orbit& orbit, unsigned slot, unsigned piece, unsigned turned) {
      places[orbit.first + piece] = static_cast<P>(slot * orbit.orientations + turned);
    });
  }
  template <class P>
  void locate_inverse(Bytes state, P* places) const noexcept {
    each_piece(state, [&](const Orbit& orbit, unsigned slot, unsigned piece, unsigned turned) {
      const unsigned n = orbit.orientations;
      places[orbit.first + slot] = static_cast<P>(piece * n + (n - turned) % n);
    });
  }

 private:
  // Calls visit(orbit, slot within it, piece within it, orientation) for all slots.
  template <class Visit>
  void each_piece(Bytes state, Visit visit) const noexcept {
    if (!alike_) {
      each_slot(state, [&](const Orbit& orbit, unsigned slot, unsigned value) {
        visit(orbit, slot, value / orbit.orientations, value % orbit.orientations);
      });
      return;
    }
    std::uint16_t taken[PermutationPuzzle::kMaxSlots] = {};  // of each kind
    each_slot(state, [&](const Orbit& orbit, unsigned slot, unsigned value) {
      const std::size_t number = orbit.first + value / orbit.orientations;
      visit(orbit, slot, homes_[first_home_[number] + taken[number]++] - orbit.first, value % orbit.orientations);
    });
  }
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

  void read_goal(const Orbit& orbit, const std::string& where);
  void read_move(unsigned move);
  unsigned twist_of(const Orbit& orbit, const Value* map, const std::string& where) const;

  std::shared_ptr<const PermutationPuzzle> puzzle_;
  std::vector<Orbit> orbits_;
  std::vector<unsigned> distinct_;  // by piece
  std::vector<std::uint16_t> orbit_of_;
  bool alike_ = false;
  std::vector<std::uint16_t> kind_;        // by piece
  std::vector<std::uint16_t> homes_;       // pieces, by the numbers that values have for them
  std::vector<std::uint16_t> first_home_;  // by such a number, counted on from orbit to orbit
  std::vector<std::size_t> first_place_;  // by orbit: where its places begin among those of all
  std::size_t all_places_ = 0;
  std::vector<Place> carry_;  // by move
};

}  // namespace hstar
