// One search node, packed.
#pragma once

#include <cstdint>
#include <type_traits>

namespace hstar {

constexpr std::uint32_t kNoNode = 0xffffffff;

// A placeholder for the state of a node that does not hold it (see node_store.hpp).
struct Recorded {
  std::uint32_t number = kNoNode;
};
// The state as a node of A* holds it: complete if small, else a placeholder.
template <class State>
using Kept = std::conditional_t<sizeof(State) <= 8, State, Recorded>;

// A state that knows how many bytes it has (WideState). A record that ends with one takes no more than that in memory.
template <class State>
concept Sized = requires { State::kMost; };

// Bytes of a record that ends with a state of the domain.
template <class Record, class D>
std::size_t record_bytes(const D& domain) noexcept {
  if constexpr (Sized<typename D::State>) {
    const std::size_t all = sizeof(Record) - (D::State::kMost - domain.state_bytes());
    return (all + alignof(Record) - 1) / alignof(Record) * alignof(Record);
  } else {
    return sizeof(Record);
  }
}

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
