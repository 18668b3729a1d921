// Makes the common heap run out on command, for the current thread.
#pragma once

namespace test {

// During its lifetime only so many allocations of this thread succeed.
class Starving {
 public:
  explicit Starving(long allocations) noexcept;
  ~Starving();
  Starving(const Starving&) = delete;
  Starving& operator=(const Starving&) = delete;

  bool starved() const noexcept;  // whether an allocation was refused
};

}  // namespace test
