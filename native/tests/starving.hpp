// A common heap that runs out on command, for the thread that asks.
#pragma once

namespace test {

// While it lives, so many allocations of this thread succeed and no more.
class Starving {
 public:
  explicit Starving(long allocations) noexcept;
  ~Starving();
  Starving(const Starving&) = delete;
  Starving& operator=(const Starving&) = delete;

  bool starved() const noexcept;  // has an allocation been refused?
};

}  // namespace test
