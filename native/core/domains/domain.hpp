// A Domain is a puzzle compiled for search: packed states, incremental hash and raw, all successors of a state in one
// call.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <vector>

#include "heuristic/heuristic_table.hpp"
#include "puzzle/puzzle.hpp"

namespace hstar {

// The successors of one state. `produced` counts all legal ones; the one that leads back to the parent is left out of
// `size` when the domain knows it, because the parent is stored with a smaller g.
template <class State, unsigned Most>
struct Children {
  unsigned produced = 0;
  unsigned size = 0;
  std::array<std::uint64_t, Most> hash;
  std::array<std::uint32_t, Most> raw;
  std::array<std::uint8_t, Most> move;
  std::array<State, Most> state;
};

// A capacity that is compiled for speed only: `own`, or in builds with few capacities (the sanitized one) the larger
// one that is compiled anyway. All capacities are the same code.
#ifdef HSTAR_FEW_CAPACITIES
constexpr std::size_t capacity(std::size_t, std::size_t larger) noexcept { return larger; }
#else
constexpr std::size_t capacity(std::size_t own, std::size_t) noexcept { return own; }
#endif

struct IgnoreHash {
  void operator()(std::uint64_t) const noexcept {}
};

constexpr unsigned kNoArrival = 257;  // no move led to the start; differs from PermutationPuzzle::kNone

template <class D>
concept Domain = requires(D domain, const typename D::State& state, typename D::Children& children, Bytes bytes,
                          std::uint8_t* out, std::uint64_t hash, std::uint32_t raw, unsigned arrival) {
  { D::kMaxChildren } -> std::convertible_to<unsigned>;
  { domain.state_bytes() } -> std::convertible_to<std::size_t>;  // of what `pack` reads and `unpack` writes
  { domain.pack(bytes) } -> std::same_as<typename D::State>;
  { domain.unpack(state, out) };
  { domain.hash(state) } -> std::same_as<std::uint64_t>;  // its high half is as good as random
  { domain.raw(state) } -> std::same_as<std::uint32_t>;   // the heuristic's packed features
  // Most successors that any state can have.
  { domain.branching() } -> std::convertible_to<unsigned>;
  // h by raw; empty if h needs more.
  { domain.lookup() } -> std::same_as<const HeuristicTable&>;
  // Fill `children` in the order of the moves; `arrival` is the move that led to the state, `hash` and `raw` are the
  // state's. Calls the last argument with each child's hash as soon as it is known.
  { domain.expand(state, hash, raw, arrival, children, IgnoreHash{}) };
  // Size of its tables in bytes.
  { domain.bytes() } -> std::convertible_to<std::size_t>;
  requires std::equality_comparable<typename D::State>;
};

}  // namespace hstar
