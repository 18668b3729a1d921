// An OpenList keeps the nodes to be expanded in the order of f, ties broken as TieBreaking says. It owns the nodes'
// `open_value`. There are two: BucketQueue if h and f are small integers or a power of two makes them so, else
// IndexedHeap; for the same keys they give the same order.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "heuristic/heuristic_table.hpp"

namespace hstar {

template <class O>
concept OpenList = requires(O open, std::uint32_t node, std::uint32_t raw, typename O::Cost h) {
  typename O::Cost;  // the type of h and f
  // Insert a new node, whose g is set, with this h. False: no memory.
  { open.insert(node, raw, h) } -> std::same_as<bool>;
  // The node's g went down: move it, or insert it again if it was not on the list. `h()` is called if h is not stored.
  { open.improve(node, [] { return typename O::Cost{}; }) } -> std::same_as<bool>;
  // Find the best entry; false if there is none. `top` and `top_f` then return it, and `pop` removes it.
  { open.settle() } -> std::same_as<bool>;
  { open.top() } -> std::same_as<std::uint32_t>;
  { open.top_f() } -> std::same_as<typename O::Cost>;
  { open.top_h() } -> std::same_as<typename O::Cost>;
  { open.pop() };
  // Writes entries that probably come next, stale ones included; returns how many. A hint only.
  { open.upcoming(&node, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
  { open.f(std::uint32_t{}, h) } -> std::same_as<typename O::Cost>;
  // Conversions: a heuristic's value to a Cost, all values of a table to Costs, and an f back to a number.
  { open.cost(double{}) } -> std::same_as<typename O::Cost>;
  { open.costs(HeuristicTable{}) } -> std::same_as<std::span<const typename O::Cost>>;
  { open.value(h) } -> std::same_as<double>;
};

}  // namespace hstar
