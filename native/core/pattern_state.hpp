// One mutable state of a permutation puzzle, and its inverse, as places of pieces; moves are done and undone.
#pragma once

#include <array>
#include <vector>

#include "pattern_space.hpp"

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
  // What a move changed, to be given back to `undo`.
  struct Change {
    std::array<std::uint8_t, PermutationPuzzle::kMaxSlots> content, place;
  };

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

  void move(unsigned move, Change& change) noexcept {
    const std::span<const Turns::Touch> touches = turns_->touches(move);
    Places& direct = places_[0];
    Places& inverse = places_[1];
    for (std::size_t i = 0; i < touches.size(); ++i) change.content[i] = inverse[touches[i].src];
    for (std::size_t i = 0; i < touches.size(); ++i) {
      const Turns::Touch& touch = touches[i];
      const std::uint8_t content = change.content[i];
      inverse[touch.dst] = touch.turned[content];
      std::uint8_t& place = direct[touch.piece[content]];
      change.place[i] = place;
      place = touch.carry[place];
    }
  }
  void undo(unsigned move, const Change& change) noexcept {
    const std::span<const Turns::Touch> touches = turns_->touches(move);
    for (std::size_t i = 0; i < touches.size(); ++i) {
      const std::uint8_t content = change.content[i];
      places_[1][touches[i].src] = content;
      places_[0][touches[i].piece[content]] = change.place[i];
    }
  }

 private:
  using Places = std::array<std::uint8_t, PermutationPuzzle::kMaxSlots>;

  const Turns* turns_;
  std::size_t pieces_;
  Places places_[2]{};  // of the state, of its inverse
  Places home_{};
};

}  // namespace hstar
