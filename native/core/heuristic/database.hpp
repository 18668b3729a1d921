// What was computed of a puzzle beforehand and is looked up for a whole state: pattern databases of every kind.
#pragma once

#include "puzzle/puzzle.hpp"

namespace hstar {

class Database {
 public:
  static constexpr unsigned kUnreachable = 255;

  virtual ~Database() = default;
  virtual const Puzzle& puzzle() const noexcept = 0;
  // A lower bound on the moves from `state` to the goal, or kUnreachable if no moves lead there. `state` holds values
  // that its slots may hold; of what is no state all the same, with a piece twice, nothing is said but 0.
  virtual unsigned value(Bytes state) const noexcept = 0;
};

}  // namespace hstar
