// The interface of pattern databases: values that were computed beforehand and are looked up for a whole state.
#pragma once

#include "puzzle/puzzle.hpp"

namespace hstar {

class Database {
 public:
  static constexpr unsigned kUnreachable = 255;

  virtual ~Database() = default;
  virtual const Puzzle& puzzle() const noexcept = 0;
  // A lower bound on the moves from `state` to the goal, or kUnreachable if no moves lead there. Each value of `state`
  // is one that its slot may hold; if a piece appears twice, the bound is 0.
  virtual unsigned value(Bytes state) const noexcept = 0;
};

}  // namespace hstar
