// One mutable state of a permutation puzzle, and its inverse, as places of pieces.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "puzzle/piece_space.hpp"

namespace hstar {

// What places are kept in: bytes where no orbit has more than 256 of them and there are at most 128 slots, for states
// that are quick to copy; two bytes each for all other puzzles.
struct NarrowPlaces {
  using P = std::uint8_t;
  static constexpr std::size_t kMostSlots = 128, kMostPlaces = 256;
};
struct WidePlaces {
  using P = Place;
  static constexpr std::size_t kMostSlots = PermutationPuzzle::kMaxSlots, kMostPlaces = PermutationPuzzle::kMaxValues;
};
inline bool has_narrow_places(const PermutationPuzzle& puzzle) noexcept {
  return puzzle.width() == 1 && puzzle.slots() <= NarrowPlaces::kMostSlots;
}

// The moves of a space, compiled so that one move changes both a state and its inverse.
template <class Kind>
class PlaceMoves {
  using P = typename Kind::P;

 public:
  explicit PlaceMoves(const PieceSpace& space);

  // The piece in slot `src` goes to slot `dst` and is turned.
  struct PlaceTouch {
    std::uint16_t dst, src;
    const P* carry;                // place in the state -> new place
    const P* turned;               // place in the inverse state -> the same slot, turned
    const std::uint16_t* piece;    // place in the inverse state -> the slot's piece
  };
  std::span<const PlaceTouch> touches(unsigned move) const noexcept {
    return {touches_.data() + first_[move], first_[move + 1] - first_[move]};
  }

 private:
  std::vector<std::vector<std::vector<P>>> carry_;   // by move and orbit
  std::vector<std::vector<std::vector<P>>> turned_;  // by orbit and twist
  std::vector<std::vector<std::uint16_t>> piece_;    // by orbit
  std::vector<PlaceTouch> touches_;
  std::vector<std::size_t> first_{0};
};

template <class Kind>
class PlacedState {
  using P = typename Kind::P;

 public:
  PlacedState(const PieceSpace& space, const PlaceMoves<Kind>& moves, Bytes state)
      : moves_(&moves), alike_(space.alike() ? &space : nullptr), pieces_(space.pieces()) {
    set(space, state);
    for (std::size_t piece = 0; piece < pieces_; ++piece) home_[piece] = static_cast<P>(space.home(piece));
  }

  void set(const PieceSpace& space, Bytes state) noexcept {
    space.locate(state, places_[0].data());
    space.locate_inverse(state, places_[1].data());
  }

  const P* places(bool inverse) const noexcept { return places_[inverse].data(); }
  bool is_goal() const noexcept {
    if (alike_ != nullptr) return alike_->looks_solved(places_[0].data());
    return std::equal(home_.begin(), home_.begin() + pieces_, places_[0].begin());
  }

  // Whether the pieces in the slots that are marked are at home; none of them leaves these slots.
  bool is_goal(const std::vector<bool>& marked) const noexcept {
    for (std::size_t piece = 0; piece < pieces_; ++piece)
      if (marked[piece] && places_[0][piece] != home_[piece]) return false;
    return true;
  }

  void move(unsigned move) noexcept {
    const std::span<const typename PlaceMoves<Kind>::PlaceTouch> touches = moves_->touches(move);
    Places& direct = places_[0];
    Places& inverse = places_[1];
    Places content;
    for (std::size_t i = 0; i < touches.size(); ++i) content[i] = inverse[touches[i].src];
    for (std::size_t i = 0; i < touches.size(); ++i) {
      const typename PlaceMoves<Kind>::PlaceTouch& touch = touches[i];
      inverse[touch.dst] = touch.turned[content[i]];
      P& place = direct[touch.piece[content[i]]];
      place = touch.carry[place];
    }
  }
  // Becomes the successor of another state of the same puzzle by `move`.
  void become(const PlacedState& before, unsigned one) noexcept {
    for (const bool inverse : {false, true})
      std::copy_n(before.places_[inverse].begin(), pieces_, places_[inverse].begin());
    move(one);
  }

 private:
  using Places = std::array<P, Kind::kMostSlots>;

  const PlaceMoves<Kind>* moves_;
  const PieceSpace* alike_;  // the space, if it has pieces that look alike
  std::size_t pieces_;
  Places places_[2]{};  // of the state, of its inverse
  Places home_{};
};

}  // namespace hstar
