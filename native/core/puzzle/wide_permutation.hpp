// Permutation puzzles of any size that can be defined: more slots than capacities are made for, or two bytes a slot.
#pragma once

#include "puzzle/byte_state.hpp"
#include "puzzle/wide_moves.hpp"
#include "search/child_row.hpp"

namespace hstar {

class WidePermutation {
 public:
  static constexpr unsigned kMaxChildren = 256;
  using State = WideState;
  using Children = hstar::Children<State, kMaxChildren>;

  WidePermutation(const PermutationPuzzle& puzzle, const Heuristic& heuristic, Bytes moves,
                  Instructions instructions = best_instructions())
      : heuristic_(heuristic),
        slots_(puzzle.slots()),
        width_(puzzle.width()),
        words_(puzzle, heuristic),
        moves_(puzzle, moves, instructions) {
    for (const std::uint8_t move : moves) {
      number_of_[move] = static_cast<std::uint8_t>(turns_.size());
      turns_.push_back({touches_.size(), 0, puzzle.inverse(move), move});
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move))
        touches_.push_back({words_.row(touch.dst), words_.row(touch.src), puzzle.maps() + touch.map, touch.src});
      turns_.back().last = touches_.size();
    }
  }

  std::size_t state_bytes() const noexcept { return slots_ * width_; }
  unsigned branching() const noexcept { return static_cast<unsigned>(turns_.size()); }
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
    unsigned size = 0;
    for (const Turn& turn : turns_) {
      if (turn.inverse == arrival) continue;
      const std::uint64_t word = word_after(state, hash, turn);
      children.hash[size] = word;
      children.raw[size] = Words::raw(word);
      children.move[size] = turn.move;
      ++size;
    }
    for (unsigned i = 0; i < size; ++i) on_hash(children.hash[i]);
    children.produced = branching();
    children.size = size;
    if constexpr (HasStates<Successors>)
      for (unsigned i = 0; i < size; ++i)
        moves_.apply(number_of_[children.move[i]], state, children.state[i]);
  }

  std::uint64_t hash_after(const State& state, std::uint64_t hash, std::uint8_t move) const noexcept {
    return word_after(state, hash, turns_[number_of_[move]]);
  }
  bool leads_to(const State& state, std::uint8_t move, const State& other) const noexcept {
    return apply(state, move) == other;
  }
  bool lead_to_same(const State& a, std::uint8_t move_a, const State& b, std::uint8_t move_b) const noexcept {
    return apply(a, move_a) == apply(b, move_b);
  }
  State apply(const State& state, std::uint8_t move) const noexcept {
    State child;
    moves_.apply(number_of_[move], state, child);
    return child;
  }
  std::size_t bytes() const noexcept {
    return sizeof *this + words_.bytes() + moves_.bytes() + touches_.size() * sizeof(Touch) +
           turns_.size() * sizeof(Turn);
  }

 private:
  struct Touch {
    const std::uint64_t *to, *from;  // rows of words: of the slot written and of the slot read
    const Value* map;
    std::uint16_t src;
  };
  struct Turn {
    std::size_t first, last;  // touches
    unsigned inverse;         // the move that undoes it, or PermutationPuzzle::kNone
    std::uint8_t move;
  };

  std::uint64_t word_after(const State& state, std::uint64_t word, const Turn& turn) const noexcept {
    return width_ == 1 ? word_after<std::uint8_t>(state, word, turn) : word_after<Value>(state, word, turn);
  }
  // dst and src are the same slots, so a word that leaves its slot is subtracted exactly once.
  template <class V>
  std::uint64_t word_after(const State& state, std::uint64_t word, const Turn& turn) const noexcept {
    for (std::size_t i = turn.first; i < turn.last; ++i) {
      const Touch& touch = touches_[i];
      const unsigned value = value_at(state.data(), touch.src, sizeof(V));
      word += touch.to[touch.map[value]] - touch.from[value];
    }
    return word;
  }

  const Heuristic& heuristic_;
  std::size_t slots_, width_;
  Words words_;
  WideMoves moves_;
  std::vector<Touch> touches_;
  std::vector<Turn> turns_;
  std::array<std::uint8_t, 256> number_of_{};  // by move: among the moves of the search
};

static_assert(Domain<WidePermutation>);

}  // namespace hstar
