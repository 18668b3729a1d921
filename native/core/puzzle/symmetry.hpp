// Symmetries of a permutation puzzle with a move set. They preserve distances to the goal.
//
// A symmetry permutes the places (slot and orientation) of every orbit. Conjugation by it turns a state into another
// state, and each move into another move. If it maps the move set onto itself, then the two states are equally far from
// the goal. If it maps the move set onto the inverse moves, then the *inverse* of the one state is as far as the other,
// because a solution read backwards, each move undone, solves the inverse state.
#pragma once

#include <memory>
#include <vector>

#include "puzzle/piece_space.hpp"

namespace hstar {

class Symmetry {
 public:
  // image[orbit][place]. Throws std::invalid_argument unless the images are one-to-one, keep slots together and turn
  // all orientations of an orbit alike, and conjugation maps `moves` onto itself (`inverse`: onto the inverse moves).
  // Where pieces look alike, their images must too, and `inverse` is refused.
  Symmetry(std::shared_ptr<const PieceSpace> space, std::vector<std::uint8_t> moves,
           std::vector<std::vector<Place>> image, bool inverse);

  const PieceSpace& space() const noexcept { return *space_; }
  const std::vector<std::uint8_t>& moves() const noexcept { return moves_; }
  bool inverse() const noexcept { return inverse_; }
  // The piece that the symmetry carries onto `piece`.
  std::uint16_t source(std::size_t piece) const noexcept { return source_[piece]; }
  // Where `piece` is in the image if its source was at `place`.
  Place image(std::size_t piece, unsigned place) const noexcept;

 private:
  void check_orbit(unsigned orbit) const;
  void check_kinds() const;
  void check_moves() const;

  std::shared_ptr<const PieceSpace> space_;
  std::vector<std::uint8_t> moves_;
  std::vector<std::vector<Place>> image_;
  bool inverse_;
  std::vector<std::uint16_t> source_, turned_;  // source_[piece] with orientation turned_[piece] becomes the piece
};

}  // namespace hstar
