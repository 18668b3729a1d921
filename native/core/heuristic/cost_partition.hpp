// Cost partitions of a permutation puzzle's moves (Katz and Domshlak 2010; Yang et al. 2008).
//
// A move carries the content of some slots to others: its touches. Share the cost of a move, 1, out among its touches,
// in any way. What one slot's content then costs at least on its way home, by itself, is a shortest path in a small
// graph, and the sum over all slots is a lower bound on the number of moves, because a move pays each touch its share
// once.
//
// Equal shares within one orbit give what students write: the sum of the distances of all single pieces, divided by the
// pieces that a move touches. Which shares are best depends on the state; the greatest bound of a state is a linear
// program. `improve` comes near it by subgradient steps: the shares of touches grow that the shortest ways use often.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

class CostPartitions {
 public:
  // Shares are whole numbers of this part of a move, so that sums are exact.
  static constexpr unsigned kScale = 840;

  // One share for each touch, the moves' touches one after another; none is negative, and those of a move add up to 1.
  using Shares = std::vector<float>;
  using Stop = std::function<bool()>;

  // `moves` are moves of the puzzle, which outlives this object.
  CostPartitions(const PermutationPuzzle& puzzle, Bytes moves);

  // Slots that moves exchange contents among.
  unsigned orbits() const noexcept { return orbits_; }
  // Equal shares for a move's touches within one orbit, none for the others; for all touches of a move without any
  // there.
  Shares even(unsigned orbit) const;
  Shares even() const;
  // Shares for which the bounds of all these states add up to more: the best of so many steps from `even`. Ends early
  // when `stop` says so.
  Shares improve(std::span<const std::uint8_t* const> states, unsigned steps, const Stop& stop) const;
  // The shares in units of 1 / kScale.
  std::vector<std::uint32_t> whole(const Shares& shares) const;
  // In the same units, what the content of a slot costs at least: row-major [slots][row()]. 0 if it never comes home.
  std::vector<std::uint32_t> costs(const Shares& shares) const;

  // The number of values that a slot may hold, at most.
  std::size_t row() const noexcept { return row_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Arc {
    std::uint32_t dst, src;  // of slots
    const Value* map;
  };

  template <class Cost>
  void cheapest(const std::vector<Cost>& shares, std::vector<Cost>& cost, std::vector<std::uint32_t>* next) const;
  void normalise(Shares& shares) const;

  const PermutationPuzzle& puzzle_;
  std::size_t row_ = 0;
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> first_{0};  // arcs of each move
  std::vector<unsigned> orbit_;          // by slot
  unsigned orbits_ = 0;
};

}  // namespace hstar
