// Sums over pairs of pieces below one cost partition (cost_partition.hpp): disjoint additive pattern databases (Korf
// and Felner 2002), two pieces each, divided into pairs anew for each state.
//
// Two pieces on their way home together cost at least what each costs by itself, and often more, because a turn for the
// one carries the other along. The difference is the pair's *surplus*. A move pays each of its touches once, and each
// piece is in one pair, so the costs of all pieces and the surpluses of any matching are a lower bound. Most pairs have
// no surplus and a few have a large one, so the choice of the matching is worth several moves. It is improved by
// exchanging the partners of two pairs (2-opt), for the pieces that a move has carried.
//
// Only for puzzles whose pieces are all different, and small enough; of others, `empty`.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "heuristic/cost_partition.hpp"
#include "puzzle/relabel.hpp"

namespace hstar {

class PiecePairs {
 public:
  // A piece at a place: in a slot, in one orientation.
  struct Node {
    std::uint16_t node;
    std::uint8_t piece, shift;
  };
  // In units; partners are exchanged only for more, which are half as many.
  static constexpr unsigned kWorthExchange = 6;
  static constexpr std::size_t kVector = 4;  // masks
  // The pairs of one state, with room for the pieces of a puzzle with so many slots. `partner` and `surplus` of a pair
  // are with both of its pieces.
  template <std::size_t N>
  struct Matching {
    std::array<std::uint16_t, N + 2> node;
    std::array<std::uint8_t, N + 2> partner, surplus;
    std::array<std::uint8_t, N + 2 + kVector> shift;  // of a mask, so that the bit of the piece's place comes first
    std::uint32_t pieces, pairs;  // sums of costs of pieces, and of surpluses in units of kUnit
  };
  static constexpr std::size_t kMostNodes = 4096;
  static constexpr std::uint32_t kUnit = 4;  // of CostPartitions::kScale: a surplus is rounded down to one byte

  PiecePairs(const PermutationPuzzle& puzzle, Bytes moves, std::size_t row);

  bool empty() const noexcept { return homes_.empty(); }
  // What `build` allocates at most, a third of it only for a while.
  std::uint64_t bytes() const noexcept { return (std::uint64_t{nodes_} * nodes_ * 3 + 1) / 2 + nodes_ * stride_ * 8; }
  // The surpluses for these shares, whole numbers as CostPartitions::whole has them, and `costs` that follow from them.
  // False if `stop` said so before all were known; then nothing may be looked up.
  bool build(const std::vector<std::uint32_t>& shares, const std::vector<std::uint32_t>& costs,
             const CostPartitions::Stop& stop, Instructions instructions);

  // Of two pieces at places, each slot * row + value, in units of kUnit.
  std::uint8_t surplus(std::size_t a, std::size_t b) const noexcept {
    return surplus_[std::size_t{node_[a].node} * nodes_ + node_[b].node];
  }
  template <std::size_t N>
  static std::uint32_t cost(const Matching<N>& matching) noexcept {
    return matching.pieces + kUnit * matching.pairs;
  }
  // A matching of a state that no exchange improves.
  template <std::size_t N>
  void begin(Bytes state, Matching<N>& matching) const noexcept {
    matching.node.fill(static_cast<std::uint16_t>(nodes_ - 1));
    matching.shift.fill(0);
    matching.pieces = matching.pairs = 0;
    for (std::size_t slot = 0; slot < state.size(); ++slot) {
      const std::size_t at = slot * row_ + state[slot];
      matching.pieces += costs_[at];
      put(matching, node_[at]);
    }
    for (std::size_t a = 0; a < count_; ++a) {
      matching.partner[a] = static_cast<std::uint8_t>(a ^ 1);
      matching.surplus[a] = surplus(matching, a, a ^ 1);
      if (a % 2 == 1) matching.pairs += matching.surplus[a];
    }
    for (bool better = true; better;) {
      better = false;
      for (std::size_t a = 0; a < count_; ++a) better |= exchange(matching, a);
    }
  }
  // A piece goes from one place to another; both are slot * row + value. Returns the piece. When all that a move
  // carries have gone, `keep` has to follow for each.
  template <std::size_t N>
  std::size_t carry(Matching<N>& matching, std::size_t from, std::size_t to) const noexcept {
    matching.pieces += costs_[to] - costs_[from];
    put(matching, node_[to]);
    return node_[to].piece;
  }
  // The same pairs with new surpluses, of this piece and its partner.
  template <std::size_t N>
  void keep(Matching<N>& matching, std::size_t a) const noexcept {
    const std::size_t b = matching.partner[a];
    const std::uint8_t now = surplus(matching, a, b);
    matching.pairs += now;
    matching.pairs -= matching.surplus[a];
    matching.surplus[a] = matching.surplus[b] = now;
  }
  // Exchanges partners with the pair that gains most by it, if any does.
  template <std::size_t N>
  bool exchange(Matching<N>& matching, std::size_t a) const noexcept {
    const std::size_t partner = matching.partner[a];
    const std::uint8_t *const row = row_of(matching, a), *const its_row = row_of(matching, partner);
    const std::uint64_t* const masks = masks_.data() + std::size_t{matching.node[a]} * stride_;
    int most = 0;
    std::size_t with = 0;
    for (std::size_t first = 0; first < count_; first += 64) {
      // Few pieces are worth it.
      for (std::uint64_t some =
               marked_(masks + first, matching.shift.data() + first, std::min<std::size_t>(64, stride_ - first));
           some != 0; some &= some - 1) {
        const std::size_t b = first + static_cast<std::size_t>(std::countr_zero(some));
        if (b == partner) continue;
        const int gain = row[matching.node[b]] + its_row[matching.node[matching.partner[b]]] - matching.surplus[a] -
                         matching.surplus[b];
        if (gain > most) most = gain, with = b;
      }
    }
    if (most == 0) return false;
    pair(matching, partner, matching.partner[with]);
    pair(matching, a, with);
    matching.pairs += static_cast<std::uint32_t>(most);
    return true;
  }

 private:
  static constexpr std::int16_t kFar = 30000;  // costs are cut off there

  // A piece and all that move in the same way: places in the same slots, carried to one another by the same touches.
  struct Kind {
    std::vector<std::uint16_t> slot;   // of each place
    std::vector<std::uint16_t> to;     // of each move and place, row-major [moves][places]
    std::vector<std::uint32_t> touch;  // the same; the number of the share that it pays, or kNone
    std::vector<std::size_t> pieces;
    bool moves_as(const Kind& other) const noexcept {
      return slot == other.slot && to == other.to && touch == other.touch;
    }
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Which of so many masks, a multiple of kVector and at most 64, have a first bit once they are shifted.
  using Marked = std::uint64_t (*)(const std::uint64_t* masks, const std::uint8_t* shifts, std::size_t count) noexcept;

  template <std::size_t N>
  static void put(Matching<N>& matching, Node node) noexcept {
    matching.node[node.piece] = node.node;
    matching.shift[node.piece] = node.shift;
  }
  template <std::size_t N>
  const std::uint8_t* row_of(const Matching<N>& matching, std::size_t a) const noexcept {
    return surplus_.data() + std::size_t{matching.node[a]} * nodes_;
  }
  template <std::size_t N>
  std::uint8_t surplus(const Matching<N>& matching, std::size_t a, std::size_t b) const noexcept {
    return row_of(matching, a)[matching.node[b]];
  }
  template <std::size_t N>
  void pair(Matching<N>& matching, std::size_t a, std::size_t b) const noexcept {
    matching.partner[a] = static_cast<std::uint8_t>(b);
    matching.partner[b] = static_cast<std::uint8_t>(a);
    matching.surplus[a] = matching.surplus[b] = surplus(matching, a, b);
  }
  bool build(const Kind& first, const Kind& second, const std::vector<std::uint32_t>& shares,
             const CostPartitions::Stop& stop, Instructions instructions);

  std::size_t row_, moves_ = 0;
  Marked marked_ = nullptr;
  std::size_t stride_ = 0;  // of masks
  std::size_t count_ = 0;  // of pieces, and one or two that have no place, so that it is even
  std::size_t nodes_ = 1;  // of pieces at their places; the last one is of those that have none
  std::vector<Kind> kinds_;
  std::vector<std::size_t> homes_;        // by piece: its place at the goal
  std::vector<std::size_t> first_node_;   // by piece
  std::vector<std::size_t> at_;           // by node: slot * row + value
  std::vector<Node> node_;                // by slot * row + value
  std::vector<std::uint32_t> costs_;      // the same
  std::vector<std::uint8_t> surplus_;     // row-major [nodes_][nodes_], symmetric
  // For each node and piece, row-major [nodes_][stride_]: the places at which the piece is worth pairing with the node.
  // A place of the piece has the bit that its shift brings first; if there are more than 64, several share one.
  std::vector<std::uint64_t> masks_;
};

}  // namespace hstar
