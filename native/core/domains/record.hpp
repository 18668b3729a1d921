// What a search keeps of a state: the state itself, or the number of a record that has it.
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

}  // namespace hstar
