// One mutable state of a permutation puzzle, and its inverse, as places of pieces.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "pattern/pattern_space.hpp"

namespace hstar {

// The moves of a space, ready to be done to both states at once.
class Turns {
 public:
  explicit Turns(const PieceSpace& space);

  // The piece in slot `src` goes to slot `dst` and is turned.
  struct Touch {
    std::uint8_t dst, src;
    const std::uint8_t* carry;     // place in the state -> new place
    const std::uint8_t* turned;    // place in the inverse state -> the same slot, turned
    const std::uint8_t* piece;     // place in the inverse state -> the slot's piece
  };
  std::span<const Touch> touches(unsigned move) const noexcept {
    return {touches_.data() + first_[move], first_[move + 1] - first_[move]};
  }

 private:
  using Table = std::array<std::uint8_t, 256>;

  std::vector<std::vector<Table>> turned_;  // by orbit and twist
  std::vector<Table> piece_;                // by orbit
  std::vector<Touch> touches_;
  std::vector<std::size_t> first_{0};
};

class PlacedState {
 public:
  PlacedState(const PieceSpace& space, const Turns& turns, Bytes state) : turns_(&turns), pieces_(space.pieces()) {
    set(space, state);
    for (std::size_t piece = 0; piece < pieces_; ++piece) home_[piece] = static_cast<std::uint8_t>(space.home(piece));
  }

  void set(const PieceSpace& space, Bytes state) noexcept {
    space.locate(state, places_[0].data());
    space.locate_inverse(state, places_[1].data());
  }

  const std::uint8_t* places(bool inverse) const noexcept { return places_[inverse].data(); }
  bool is_goal() const noexcept { return std::equal(home_.begin(), home_.begin() + pieces_, places_[0].begin()); }

  void move(unsigned move) noexcept {
    const std::span<const Turns::Touch> touches = turns_->touches(move);
    Places& direct = places_[0];
    Places& inverse = places_[1];
    Places content;
    for (std::size_t i = 0; i < touches.size(); ++i) content[i] = inverse[touches[i].src];
    for (std::size_t i = 0; i < touches.size(); ++i) {
      const Turns::Touch& touch = touches[i];
      inverse[touch.dst] = touch.turned[content[i]];
      std::uint8_t& place = direct[touch.piece[content[i]]];
      place = touch.carry[place];
    }
  }
  // Becomes what `move` makes of another state of the same puzzle.
  void become(const PlacedState& before, unsigned one) noexcept {
    for (const bool inverse : {false, true})
      std::copy_n(before.places_[inverse].begin(), pieces_, places_[inverse].begin());
    move(one);
  }

 private:
  using Places = std::array<std::uint8_t, PermutationPuzzle::kMaxSlots>;

  const Turns* turns_;
  std::size_t pieces_;
  Places places_[2]{};  // of the state, of its inverse
  Places home_{};
};

}  // namespace hstar
