// Permutation puzzles, one byte a slot.
#pragma once

#include "byte_state.hpp"

namespace hstar {

template <std::size_t N>
class Permutation : public ByteDomain<N> {
 public:
  static constexpr unsigned kMaxChildren = 256;
  using State = ByteState<N>;
  using Children = hstar::Children<State, kMaxChildren>;

  Permutation(const PermutationPuzzle& puzzle, const Heuristic& heuristic, Bytes moves)
      : ByteDomain<N>(puzzle, heuristic, moves) {
    for (const std::uint8_t move : moves) {
      Turn turn{static_cast<std::uint32_t>(touches_.size()), 0, puzzle.inverse(move), move};
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
        touches_.push_back({this->words_.row(touch.dst), puzzle.maps() + touch.map, touch.dst, touch.src});
      }
      turn.last = static_cast<std::uint32_t>(touches_.size());
      turns_.push_back(turn);
    }
    turned_.resize(touches_.size());
  }
  Permutation(const Permutation&) = delete;  // touches_ points into words_
  Permutation& operator=(const Permutation&) = delete;

  template <class OnHash>
  void expand(const State& state, std::uint32_t, unsigned arrival, Children& children, OnHash on_hash) noexcept {
    std::array<std::uint64_t, N> words;  // of the parent, by slot
    std::uint64_t whole = 0;
    for (std::size_t slot = 0; slot < this->slots_; ++slot)
      whole += words[slot] = this->words_.row(slot)[state[slot]];
    unsigned size = 0;
    for (const Turn& turn : turns_) {
      if (turn.inverse == arrival) continue;
      std::uint64_t word = whole;
      for (std::uint32_t i = turn.first; i < turn.last; ++i) {
        const Touch& touch = touches_[i];
        const std::uint8_t value = touch.map[state[touch.src]];
        turned_[i] = value;
        word += touch.row[value] - words[touch.dst];
      }
      on_hash(word);
      children.hash[size] = word;
      children.raw[size] = Words::raw(word);
      children.move[size] = turn.move;
      ++size;
    }
    children.produced = static_cast<unsigned>(turns_.size());
    children.size = size;
    // The states come last: writing them overlaps with the prefetches.
    size = 0;
    for (const Turn& turn : turns_) {
      if (turn.inverse == arrival) continue;
      State& child = children.state[size++];
      child = state;
      for (std::uint32_t i = turn.first; i < turn.last; ++i) child[touches_[i].dst] = turned_[i];
    }
  }

 private:
  struct Touch {
    const std::uint64_t* row;  // words of slot dst
    const std::uint8_t* map;
    std::uint8_t dst, src;
  };
  struct Turn {
    std::uint32_t first, last;  // touches
    unsigned inverse;           // the move that undoes it, or PermutationPuzzle::kNone
    std::uint8_t move;
  };

  std::vector<Touch> touches_;
  std::vector<Turn> turns_;
  std::vector<std::uint8_t> turned_;  // scratch: the new value of each touch
};

static_assert(Domain<Permutation<51>>);

}  // namespace hstar
