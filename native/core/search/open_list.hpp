// An OpenList keeps the nodes to be expanded in the order of f, ties broken as TieBreaking says. It owns the nodes'
// `open_value`. Two exist: BucketQueue for small h and f that a power of two makes whole, IndexedHeap for the rest; for the same keys they
// give the same order.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "heuristic/heuristic_table.hpp"

namespace hstar {

template <class O>
concept OpenList = requires(O open, std::uint32_t node, std::uint32_t raw, typename O::Cost h) {
  typename O::Cost;  // the type of h and f
  // A new node, its g set: insert it with this h. False: no memory.
  { open.insert(node, raw, h) } -> std::same_as<bool>;
  // The node's g went down: move it, or insert it again if it was not on the list. `h` is asked for if not remembered.
  { open.improve(node, [] { return typename O::Cost{}; }) } -> std::same_as<bool>;
  // Find the best entry; false if there is none. Then `top`, `top_f` tell it, and `pop` removes it.
  { open.settle() } -> std::same_as<bool>;
  { open.top() } -> std::same_as<std::uint32_t>;
  { open.top_f() } -> std::same_as<typename O::Cost>;
  { open.top_h() } -> std::same_as<typename O::Cost>;
  { open.pop() };
  // Entries that probably come next, dead ones among them; how many they are. A hint only.
  { open.upcoming(&node, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
  { open.f(std::uint32_t{}, h) } -> std::same_as<typename O::Cost>;
  // A heuristic's value as a Cost, all values of a table, and an f as the number that it stands for.
  { open.cost(double{}) } -> std::same_as<typename O::Cost>;
  { open.costs(HeuristicTable{}) } -> std::same_as<std::span<const typename O::Cost>>;
  { open.value(h) } -> std::same_as<double>;
};

}  // namespace hstar
