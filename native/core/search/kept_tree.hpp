// States that a search has kept, as a tree in depth-first order: a byte for each step down (the move's place among the
// search's moves) and kTreeUp for each step back up. A certificate has it (docs/certificates.md); two bytes a state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "domains/record.hpp"
#include "memory/memory.hpp"
#include "puzzle/puzzle.hpp"

namespace hstar {

constexpr std::uint8_t kTreeUp = 255;
constexpr unsigned kTreeDeepest = 253;
constexpr unsigned kTreeDearest = 4096;  // where moves have costs: the most that those to a state cost

struct KeptTree {
  std::vector<std::uint8_t> code;
  bool whole = false;  // false: nothing was kept, or there was no time, memory or number of a move for it
};

// Of a node of a tree: its parent's number, and the move that led there. Without a parent it is left out, with all
// below it.
struct TreeStep {
  std::uint32_t parent = kNoNode;
  std::uint8_t move = 0;
};

// How many moves the deepest state of a tree is away from its root.
inline unsigned tree_levels(Bytes code) noexcept {
  unsigned level = 0, most = 0;
  for (const std::uint8_t byte : code) most = std::max(most, level += byte == kTreeUp ? -1u : 1u);
  return most;
}

// Nodes 0 to count - 1; 0 is the root, and no node is deeper than kTreeDearest. `step(i)` is asked once for each other
// node, from the last on. `work`: two numbers a node, to work with, or fewer. `stop()` is asked every millisecond.
//
// A node with n nodes below it takes 2n + 2 bytes, so one pass that counts these and one that says where each begins
// make the tree. They go through the nodes in order and look at parents, for many nodes at once; to walk down the tree,
// the processor would wait for each. Nearly all parents have smaller numbers than their children. What a pass finds of
// a node that has not, it takes up to the ancestors, or gets from them, at once.
template <class Step, class Stop>
KeptTree kept_tree(std::uint32_t count, std::span<std::uint32_t> work, Bytes moves, Step step, Budget& budget,
                   Stop stop) {
  constexpr std::uint32_t kPolled = 1 << 15;
  KeptTree tree;
  const std::size_t numbers = 2 * std::size_t{count}, lacking = work.size() < numbers ? numbers : 0;
  if (moves.size() > kTreeDeepest || !budget.charge(count + lacking * sizeof work[0])) return tree;
  std::vector<std::uint8_t> byte(count);
  std::vector<std::uint32_t> more(lacking);
  if (lacking > 0) work = more;
  std::array<std::uint8_t, 256> place{};
  for (std::size_t i = 0; i < moves.size(); ++i) place[moves[i]] = static_cast<std::uint8_t>(i);

  // In the first pass how many nodes are below this one; in the second where its next child begins.
  const auto own = [&](std::uint32_t i) -> std::uint32_t& { return work[2 * std::size_t{i}]; };
  // kNoNode: it is left out. In the second pass the node itself, once it has its place.
  const auto parent = [&](std::uint32_t i) -> std::uint32_t& { return work[2 * std::size_t{i} + 1]; };
  std::ranges::fill(work.first(numbers), 0u);
  for (std::uint32_t i = count - 1; i > 0; --i) {
    if (i % kPolled == 0 && stop()) return tree;
    const TreeStep made = step(i);
    parent(i) = made.parent;
    byte[i] = place[made.move];
    for (std::uint32_t below = i, above; (above = parent(below)) != kNoNode; below = above) {
      own(above) += own(i) + 1;
      if (above < i) break;  // its turn comes
    }
  }
  const std::size_t bytes = 2 * std::size_t{own(0)};
  if (bytes > UINT32_MAX || !budget.charge(bytes)) return tree;
  tree.code.assign(bytes, kTreeUp);
  own(0) = 0;
  const auto put = [&](auto& self, std::uint32_t i) -> bool {
    const std::uint32_t above = parent(i);
    if (above == i || above == kNoNode) return above == i;
    if (!self(self, above)) {
      parent(i) = kNoNode;
      return false;
    }
    const std::uint32_t begins = own(above);
    own(above) += 2 * own(i) + 2;
    own(i) = begins + 1;
    parent(i) = i;
    tree.code[begins] = byte[i];
    return true;
  };
  for (std::uint32_t i = 1; i < count; ++i) {
    if (i % kPolled == 0 && stop()) return tree;
    put(put, i);
  }
  tree.whole = true;
  return tree;
}

}  // namespace hstar
