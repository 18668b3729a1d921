// Whether work that takes long has to end.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace hstar {

// What is made was given up, because its Stop said so.
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped before it was done") {}
};

class Stop {
 public:
  // Asked by long work every few milliseconds.
  virtual bool requested() const noexcept = 0;
  // Throws Stopped if it is.
  void check() const {
    if (requested()) throw Stopped();
  }

 protected:
  ~Stop() = default;
};

// Never asks to end.
struct NoStop final : Stop {
  bool requested() const noexcept override { return false; }
};

// Asks a Stop at the first step of some work, and after each so many.
class Pace {
 public:
  Pace(const Stop& stop, std::uint64_t interval) noexcept : stop_(stop), interval_(interval) {}
  // After so many more steps: whether the work has to end.
  bool ends(std::uint64_t steps = 1) noexcept {
    if (steps < left_) {
      left_ -= steps;
      return false;
    }
    left_ = interval_;
    return stop_.requested();
  }
  // The same; throws Stopped.
  void step(std::uint64_t steps = 1) {
    if (ends(steps)) throw Stopped();
  }

 private:
  const Stop& stop_;
  const std::uint64_t interval_;
  std::uint64_t left_ = 0;
};

}  // namespace hstar
