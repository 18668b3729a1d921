// A small puzzle for the tests of cosets, whose whole graph is searched.
#pragma once

#include <map>
#include <queue>

#include "check.hpp"
#include "deepening/two_phases.hpp"
#include "worlds.hpp"

namespace test {

// Five pieces in a row, with two orientations: the first three are turned round, the last three, and so are two pairs.
struct Row {
  std::shared_ptr<const hstar::PermutationPuzzle> puzzle;
  std::shared_ptr<const hstar::PieceSpace> space;
  std::vector<std::uint8_t> all, kept{2, 3};  // of which the subgroup's keep pairs of slots and orientations
  std::vector<hstar::Coordinate::Kind> cosets, own, exchanged;  // of the last the pairs count as one another

  Row() {
    Numbers as_is(10), turned(10);
    for (unsigned v = 0; v < 10; ++v)
      as_is[v] = static_cast<std::uint16_t>(v), turned[v] = static_cast<std::uint16_t>(v ^ 1);
    const auto reverse = [&](unsigned a, unsigned b, unsigned c) {  // turns all three over
      return hstar::PermutationPuzzle::Definition{
          {static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(c)},
          {static_cast<std::uint16_t>(c), static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(a)},
          {turned, turned, turned}};
    };
    const auto swap = [&](unsigned a, unsigned b) {
      return hstar::PermutationPuzzle::Definition{{static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)},
                                                  {static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(a)},
                                                  {as_is, as_is}};
    };
    puzzle = std::make_shared<const hstar::PermutationPuzzle>(
        std::vector<unsigned>(5, 10), std::vector<std::uint8_t>{0, 2, 4, 6, 8},
        std::vector{reverse(0, 1, 2), reverse(2, 3, 4), swap(0, 1), swap(3, 4)});
    space = std::make_shared<const hstar::PieceSpace>(puzzle, std::vector<hstar::Orbit>{{0, 5, 2}});
    all = all_moves(*puzzle);
    cosets = {{0, {0, 0, 0, 0, 0}, true, {}}, {0, {0, 0, 1, 2, 2}, false, {}}};
    own = {{0, {1, 2, 0, 0, 0}, false, {}}, {0, {0, 0, 0, 1, 2}, false, {}}};
    exchanged = {cosets[0], {0, {0, 0, 1, 2, 2}, false, {}, true}};
  }
  std::shared_ptr<const hstar::Phase> phase(const std::vector<std::uint8_t>& moves,
                                            const std::vector<hstar::Coordinate::Kind>& kinds,
                                            const std::vector<hstar::Phase::Pair>& pairs) const {
    hstar::Control progress;
    return std::make_shared<const hstar::Phase>(space, moves, std::vector<std::uint8_t>(moves.size(), 1), kinds, pairs,
                                                100'000, progress);
  }
  // The distance of every state.
  std::map<State, unsigned, ByBytes> distances() const {
    std::map<State, unsigned, ByBytes> found{{goal_of(*puzzle), 0}};
    std::queue<State> open;
    open.push(goal_of(*puzzle));
    for (; !open.empty(); open.pop())
      for (const std::uint8_t move : all) {
        State after = open.front();
        puzzle->apply(open.front(), move, after.data());
        if (found.emplace(after, found[open.front()] + 1).second) open.push(after);
      }
    return found;
  }
};

}  // namespace test
