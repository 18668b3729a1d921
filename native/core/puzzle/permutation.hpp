// Permutation puzzles, one byte a slot.
#pragma once

#include "puzzle/byte_state.hpp"
#include "puzzle/relabel.hpp"
#include "search/child_row.hpp"

namespace hstar {

template <std::size_t N>
class Permutation : public ByteDomain<N> {
 public:
  static constexpr unsigned kMaxChildren = 256;
  using State = ByteState<N>;
  using Children = hstar::Children<State, kMaxChildren>;

  Permutation(const PermutationPuzzle& puzzle, const Heuristic& heuristic, Bytes moves,
              Instructions instructions = best_instructions())
      : ByteDomain<N>(puzzle, heuristic, moves) {
    for (const std::uint8_t move : moves) {
      turn_of_[move] = static_cast<std::uint8_t>(turns_.size());
      Turn turn{touches_.size(), 0, puzzle.inverse(move), move};
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
        touches_.push_back({puzzle.maps() + touch.map, static_cast<std::uint8_t>(touch.dst), static_cast<std::uint8_t>(touch.src)});
        sources_.push_back(static_cast<std::uint8_t>(touch.src));
        // dst and src are the same slots, so the old word of each slot is subtracted exactly once.
        for (unsigned value = 0; value < this->words_.width(); ++value)
          changes_.push_back(value < puzzle.values(touch.src)
                                 ? this->words_.row(touch.dst)[puzzle.maps()[touch.map + value]] -
                                       this->words_.row(touch.src)[value]
                                 : 0);
      }
      turn.last = touches_.size();
      turns_.push_back(turn);
    }
    if constexpr (N <= 64)
      if (instructions == Instructions::avx512vbmi) relabels_ = make_relabels(puzzle, moves);
  }

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
    children.produced = static_cast<unsigned>(turns_.size());
    children.size = size;
    // The states come last, so that writing them overlaps with the prefetches.
    if constexpr (HasStates<Successors>)
      for (unsigned i = 0; i < size; ++i) children.state[i] = apply(state, children.move[i]);
  }

  // The hash of the state that a move leads to.
  std::uint64_t hash_after(const State& state, std::uint64_t hash, std::uint8_t move) const noexcept {
    return word_after(state, hash, turns_[turn_of_[move]]);
  }
  bool leads_to(const State& state, std::uint8_t move, const State& other) const noexcept {
    if constexpr (N <= 64)
      if (!relabels_.empty()) return relabels_to(relabels_[move], state.data(), other.data(), N);
    return apply(state, move) == other;
  }
  bool lead_to_same(const State& a, std::uint8_t move_a, const State& b, std::uint8_t move_b) const noexcept {
    if constexpr (N <= 64)
      if (!relabels_.empty()) return relabel_to_same(relabels_[move_a], a.data(), relabels_[move_b], b.data(), N);
    return apply(a, move_a) == apply(b, move_b);
  }
  std::size_t bytes() const noexcept {
    std::size_t maps = 0;
    for (const Relabel& relabel : relabels_) maps += sizeof(Relabel) + relabel.maps.size() * sizeof(Relabel::Map);
    return sizeof *this + this->words_.bytes() + changes_.size() * sizeof(std::uint64_t) +
           touches_.size() * (sizeof(Touch) + 1) + turns_.size() * sizeof(Turn) + maps;
  }

  State apply(const State& state, std::uint8_t move) const noexcept {
    State child;
    if constexpr (N <= 64) {
      if (!relabels_.empty()) {
        relabel(relabels_[move], state.data(), child.data(), N);
        return child;
      }
    }
    child = state;
    const Turn& turn = turns_[turn_of_[move]];
    for (std::size_t i = turn.first; i < turn.last; ++i)
      child[touches_[i].dst] = static_cast<std::uint8_t>(touches_[i].map[state[touches_[i].src]]);
    return child;
  }

 private:
  struct Touch {
    const Value* map;
    std::uint8_t dst, src;
  };
  struct Turn {
    std::size_t first, last;  // touches
    unsigned inverse;         // the move that undoes it, or PermutationPuzzle::kNone
    std::uint8_t move;
  };

  std::uint64_t word_after(const State& state, std::uint64_t word, const Turn& turn) const noexcept {
    const std::uint8_t* source = sources_.data() + turn.first;
    return this->words_.sum(word, changes_.data() + turn.first * this->words_.width(), turn.last - turn.first,
                            state.data(), [&](std::size_t i) { return source[i]; });
  }

  std::vector<Touch> touches_;
  std::vector<std::uint8_t> sources_;  // by touch
  std::vector<Turn> turns_;
  std::array<std::uint8_t, 256> turn_of_{};  // by move number
  std::vector<std::uint64_t> changes_;  // by touch and old value of its src: what it adds to the word
  Relabels relabels_;                   // by move number; empty: not used
};

static_assert(Domain<Permutation<51>>);

}  // namespace hstar
