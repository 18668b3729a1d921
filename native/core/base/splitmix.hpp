// Numbers as good as random, the same on every machine (splitmix64: Steele, Lea and Flood 2014).
#pragma once

#include <cstdint>

namespace hstar {

struct SplitMix {
  std::uint64_t state = 0;

  constexpr std::uint64_t operator()() noexcept { return mixed(state += kStep); }
  // From 0 to below 1.
  constexpr double fraction() noexcept { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
  // Number i, from 1 on, of those that follow the state 0.
  static constexpr std::uint64_t at(std::uint64_t i) noexcept { return mixed(i * kStep); }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
};

}  // namespace hstar
