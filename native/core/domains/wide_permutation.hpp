// Permutation puzzles of any size that can be defined: more slots than capacities are made for, or two bytes a slot.
#pragma once

#include "domains/search_moves.hpp"
#include "puzzle/wide_moves.hpp"

namespace hstar {

class WidePermutation {
 public:
  static constexpr unsigned kMaxChildren = 256;
  using State = WideState;
  using Children = hstar::Children<State, kMaxChildren>;

  WidePermutation(const PermutationPuzzle& puzzle, const Heuristic& heuristic, Bytes moves,
                  Instructions instructions = best_instructions())
      : puzzle_(puzzle),
        heuristic_(heuristic),
        slots_(puzzle.slots()),
        width_(puzzle.width()),
        words_(puzzle, heuristic),
        moves_(puzzle, moves),
        plans_(puzzle, moves, instructions) {
    for (const std::uint8_t move : moves)
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move))
        touches_.push_back({words_.row(touch.dst), words_.row(touch.src), puzzle.maps() + touch.map, touch.src});
  }

  std::size_t state_bytes() const noexcept { return slots_ * width_; }
  unsigned branching() const noexcept { return moves_.size(); }
  const HeuristicTable& lookup() const noexcept { return heuristic_.lookup(); }
  State pack(Bytes bytes) const noexcept { return State(bytes); }
  void unpack(const State& state, std::uint8_t* out) const noexcept { std::memcpy(out, state.data(), state.size()); }
  std::uint64_t hash(const State& state) const noexcept {
    std::uint64_t word = 0;
    for (std::size_t slot = 0; slot < slots_; ++slot) word += words_.row(slot)[value_at(state.data(), slot, width_)];
    return word;
  }
  std::uint32_t raw(const State& state) const noexcept { return Words::raw(hash(state)); }

  template <class Successors, class OnHash>
  void expand(const State& state, std::uint64_t hash, std::uint32_t, unsigned arrival, Successors& children,
              OnHash on_hash) const noexcept {
    moves_.expand(
        arrival, children, on_hash, [&](const SearchMoves::Move& move) { return word_after(state, hash, move); },
        [&](std::uint8_t number, State& child) { plans_.apply(moves_.place(number), state, child); },
        [&](std::uint8_t number) { return puzzle_.legal({state.data(), state.size()}, number); });
  }

  std::uint64_t hash_after(const State& state, std::uint64_t hash, std::uint8_t move) const noexcept {
    return word_after(state, hash, moves_[move]);
  }
  bool leads_to(const State& state, std::uint8_t move, const State& other) const noexcept {
    return apply(state, move) == other;
  }
  bool lead_to_same(const State& a, std::uint8_t move_a, const State& b, std::uint8_t move_b) const noexcept {
    return apply(a, move_a) == apply(b, move_b);
  }
  State apply(const State& state, std::uint8_t move) const noexcept {
    State child;
    plans_.apply(moves_.place(move), state, child);
    return child;
  }
  std::size_t bytes() const noexcept {
    return sizeof *this + words_.bytes() + moves_.bytes() + plans_.bytes() + touches_.size() * sizeof(WordTouch);
  }

 private:
  // A touch with the rows of words of the slot that is written and of the slot that is read.
  struct WordTouch {
    const std::uint64_t *to, *from;
    const Value* map;
    std::uint16_t src;
  };

  std::uint64_t word_after(const State& state, std::uint64_t word, const SearchMoves::Move& move) const noexcept {
    return width_ == 1 ? word_after<std::uint8_t>(state, word, move) : word_after<Value>(state, word, move);
  }
  // dst and src are the same slots, so a word that leaves its slot is subtracted exactly once.
  template <class V>
  std::uint64_t word_after(const State& state, std::uint64_t word, const SearchMoves::Move& move) const noexcept {
    for (std::size_t i = move.first; i < move.last; ++i) {
      const WordTouch& touch = touches_[i];
      const unsigned value = value_at(state.data(), touch.src, sizeof(V));
      word += touch.to[touch.map[value]] - touch.from[value];
    }
    return word;
  }

  const PermutationPuzzle& puzzle_;
  const Heuristic& heuristic_;
  std::size_t slots_, width_;
  Words words_;
  SearchMoves moves_;
  WideMoves plans_;
  std::vector<WordTouch> touches_;  // of all moves, in order
};

static_assert(Domain<WidePermutation>);

}  // namespace hstar
