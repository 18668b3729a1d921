// One search node, packed.
#pragma once

#include <cstdint>

#include "domains/record.hpp"

namespace hstar {

template <class State>
struct Node {
  static constexpr std::uint32_t kOpen = 1u << 31;      // on the open list
  static constexpr std::uint32_t kExpanded = 1u << 30;  // has been expanded at least once
  static constexpr unsigned kMoveAt = 22;
  static constexpr std::uint32_t kMaxG = (1u << kMoveAt) - 1;

  State state;
  std::uint32_t parent;       // kNoNode for the start
  std::uint32_t g_and_flags;  // and the move that led here from the parent
  std::uint32_t open_value;   // owned by the open list: raw and h, or the position in the heap

  static std::uint32_t g_and_move(std::uint32_t g, std::uint8_t move) noexcept {
    return g | static_cast<std::uint32_t>(move) << kMoveAt;
  }
  std::uint32_t g() const noexcept { return g_and_flags & kMaxG; }
  std::uint8_t move() const noexcept { return static_cast<std::uint8_t>(g_and_flags >> kMoveAt); }
  bool is_open() const noexcept { return (g_and_flags & kOpen) != 0; }
};

}  // namespace hstar
