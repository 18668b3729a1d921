// The interfaces of what gives the value of a whole state: pattern databases, and functions of the user.
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

// A function of the user's own.
class OwnFunction {
 public:
  virtual ~OwnFunction() = default;
  virtual double value(Bytes state) const noexcept = 0;  // called by any thread of a search
};

}  // namespace hstar
