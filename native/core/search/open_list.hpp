// An OpenList keeps the nodes to be expanded in the order of f, ties broken as TieBreaking says. It owns the nodes'
// `open_value`. Two exist: BucketQueue for small integer h and weight, IndexedHeap for the rest; for the same keys they
// give the same order.
#pragma once

#include <concepts>
#include <cstdint>

namespace hstar {

template <class O>
concept OpenList = requires(O open, std::uint32_t node, std::uint32_t raw, typename O::Cost h) {
  typename O::Cost;  // the type of h and f
  // A new node, its g set: insert it with this h. False: no memory.
  { open.insert(node, raw, h) } -> std::same_as<bool>;
  // The node's g went down: move it, or insert it again if it was not on the list. `h` is asked for if not remembered.
  { open.improve(node, [] { return typename O::Cost{}; }) } -> std::same_as<bool>;
  // The same two, when the entry is kept elsewhere until it is taken: an entry in here, if any, is void (`drop`; the
  // node's g has gone down), and h and raw are remembered for a new node (`adopt`).
  { open.drop(node) };
  { open.adopt(node, raw, h) };
  // Is there an entry? Then no entry comes before (`least_f`, `least_h`). Looks at no node.
  { open.peek() } -> std::same_as<bool>;
  { open.least_f() } -> std::same_as<typename O::Cost>;
  { open.least_h() } -> std::same_as<typename O::Cost>;
  // Find the best entry; false if there is none. Then `top`, `top_f` tell it, and `pop` removes it.
  { open.settle() } -> std::same_as<bool>;
  { open.top() } -> std::same_as<std::uint32_t>;
  { open.top_f() } -> std::same_as<typename O::Cost>;
  { open.pop() };
  // After `peek` or `settle`: the node that probably comes so many entries after the top one, or kNoNode. A hint only.
  { open.upcoming(std::uint32_t{}) } -> std::same_as<std::uint32_t>;
  { open.f(std::uint32_t{}, h) } -> std::same_as<typename O::Cost>;
};

}  // namespace hstar
