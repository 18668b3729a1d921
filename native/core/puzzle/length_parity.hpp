// Whether an even or an odd number of moves solves a state, where each move changes that: quarter turns of a 3x3x3 are
// odd permutations of its corners.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "puzzle/piece_space.hpp"

namespace hstar {

class LengthParity {
 public:
  LengthParity(const PieceSpace& space, const std::vector<std::uint8_t>& moves);

  // Whether every solution of a state has the same parity, as far as is seen: each move permutes the pieces of some
  // orbits oddly. False where pieces look alike.
  bool known() const noexcept { return !orbits_.empty(); }
  // Of a state that has every piece once; 0 if it is not known.
  unsigned of(Bytes state) const;

 private:
  const PieceSpace* space_;
  std::vector<unsigned> orbits_;  // of which the permutations are counted together
};

}  // namespace hstar
