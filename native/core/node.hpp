// One search node, packed.
#pragma once

#include <cstdint>

namespace hstar {

constexpr std::uint32_t kNoNode = 0xffffffff;

template <class State>
struct Node {
  static constexpr std::uint32_t kOpen = 1u << 31;      // on the open list
  static constexpr std::uint32_t kExpanded = 1u << 30;  // has been expanded at least once
  static constexpr std::uint32_t kMaxG = kExpanded - 1;

  State state;
  std::uint8_t move;           // that led here from the parent
  std::uint32_t parent;        // kNoNode for the start
  std::uint32_t g_and_flags;
  std::uint32_t open_value;    // the open list's own: raw and h, or the position in the heap

  std::uint32_t g() const noexcept { return g_and_flags & kMaxG; }
  bool is_open() const noexcept { return (g_and_flags & kOpen) != 0; }
};

}  // namespace hstar
