// Permutation puzzles, one byte a slot.
#pragma once

#include "puzzle/relabel.hpp"
#include "domains/search_moves.hpp"

namespace hstar {

template <std::size_t N>
class BytePermutation : public ByteDomain<N> {
 public:
  static constexpr unsigned kMaxChildren = 256;
  using State = ByteState<N>;
  using Children = hstar::Children<State, kMaxChildren>;

  BytePermutation(const PermutationPuzzle& puzzle, const Heuristic& heuristic, Bytes moves,
                  Instructions instructions = best_instructions())
      : ByteDomain<N>(puzzle, heuristic, moves), moves_(puzzle, moves) {
    for (const std::uint8_t move : moves) {
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
        touches_.push_back(puzzle.mapped(touch));
        sources_.push_back(static_cast<std::uint8_t>(touch.src));
        // dst and src are the same slots, so the old word of each slot is subtracted exactly once.
        for (unsigned value = 0; value < this->words_.width(); ++value)
          changes_.push_back(value < puzzle.values(touch.src)
                                 ? this->words_.row(touch.dst)[puzzle.maps()[touch.map + value]] -
                                       this->words_.row(touch.src)[value]
                                 : 0);
      }
    }
    if constexpr (N <= 64)
      if (instructions == Instructions::avx512vbmi) relabels_ = make_relabels(puzzle, moves);
  }

  template <class Successors, class OnHash>
  void expand(const State& state, std::uint64_t hash, std::uint32_t, unsigned arrival, Successors& children,
              OnHash on_hash) const noexcept {
    moves_.expand(
        arrival, children, on_hash, [&](const SearchMoves::Move& move) { return word_after(state, hash, move); },
        [&](std::uint8_t number, State& child) { child = apply(state, number); });
  }

  // The hash of the state that a move leads to.
  std::uint64_t hash_after(const State& state, std::uint64_t hash, std::uint8_t move) const noexcept {
    return word_after(state, hash, moves_[move]);
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
           touches_.size() * (sizeof(PermutationPuzzle::MappedTouch) + 1) + moves_.bytes() + maps;
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
    for (std::size_t i = moves_[move].first; i < moves_[move].last; ++i)
      child[touches_[i].dst] = static_cast<std::uint8_t>(touches_[i].map[state[touches_[i].src]]);
    return child;
  }

 private:
  std::uint64_t word_after(const State& state, std::uint64_t word, const SearchMoves::Move& move) const noexcept {
    const std::uint8_t* source = sources_.data() + move.first;
    return this->words_.sum(word, changes_.data() + move.first * this->words_.width(), move.last - move.first,
                            state.data(), [&](std::size_t i) { return source[i]; });
  }

  SearchMoves moves_;
  std::vector<PermutationPuzzle::MappedTouch> touches_;
  std::vector<std::uint8_t> sources_;  // by touch
  std::vector<std::uint64_t> changes_;  // by touch and old value of its src: what it adds to the word
  Relabels relabels_;                   // by move number; empty: not used
};

static_assert(Domain<BytePermutation<51>>);

}  // namespace hstar
