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

struct KeptTree {
  std::vector<std::uint8_t> code;
  bool whole = false;  // false: nothing was kept, or there was no time, memory or number of a move for it
};

// Nodes 0 to count - 1; 0 is the root, `parent(i)` of another one its parent's number, `move(i)` the move that led there.
// Nodes that `keeps` refuses, or that are deeper than `deepest`, are left out, with all below them. `links`: two numbers a
// node, to work with. `stop()` is asked every millisecond.
template <class Parent, class Move, class Keeps, class Stop>
KeptTree kept_tree(std::uint32_t count, std::span<std::uint32_t> links, Bytes moves, unsigned deepest, Parent parent,
                   Move move, Keeps keeps, Budget& budget, Stop stop) {
  constexpr std::uint32_t kPolled = 1 << 15;
  KeptTree tree;
  if (links.size() < 2 * std::size_t{count} || moves.size() > kTreeDeepest) return tree;
  std::array<std::uint8_t, 256> place{};
  for (std::size_t i = 0; i < moves.size(); ++i) place[moves[i]] = static_cast<std::uint8_t>(i);

  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % kPolled == 0 && stop()) return tree;
    links[2 * std::size_t{i}] = 0;  // its first child; 0, the root, is nobody's
  }
  for (std::uint32_t i = 1; i < count; ++i) {
    if (i % kPolled == 0 && stop()) return tree;
    if (!keeps(i)) continue;
    std::uint32_t& first = links[2 * std::size_t{parent(i)}];
    links[2 * std::size_t{i} + 1] = first;  // the next child of the same parent
    first = i;
  }
  std::vector<std::uint32_t> path{0};
  for (std::uint32_t steps = 1; !path.empty(); ++steps) {
    if (steps % kPolled == 0 && stop()) return tree;
    std::uint32_t& first = links[2 * std::size_t{path.back()}];
    const std::uint32_t child = path.size() <= deepest ? first : 0;
    if (child == 0) {
      path.pop_back();
      if (!path.empty()) tree.code.push_back(kTreeUp);
      continue;
    }
    if (path.size() > kTreeDeepest) return tree;
    if (const std::size_t room = tree.code.capacity(); tree.code.size() + kTreeDeepest + 1 > room) {
      const std::size_t more = std::max<std::size_t>(room / 2, 1 << 12);  // so many steps up may follow, too
      if (!budget.charge(more)) return tree;
      tree.code.reserve(room + more);
    }
    first = links[2 * std::size_t{child} + 1];
    tree.code.push_back(place[move(child)]);
    path.push_back(child);
  }
  tree.whole = true;
  return tree;
}

}  // namespace hstar
