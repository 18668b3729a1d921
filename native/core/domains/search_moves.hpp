// The moves of a search on a permutation puzzle, and the successors that they lead to. What a class needs for each slot
// that a move writes (a touch) it compiles itself.
#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "domains/byte_state.hpp"
#include "domains/child_row.hpp"

namespace hstar {

class SearchMoves {
 public:
  struct Always {};
  struct Move {
    std::size_t first, last;  // its touches, of those of all moves in order
    unsigned inverse;         // the move that undoes it, or PermutationPuzzle::kNone
    std::uint8_t number;      // in the puzzle
  };

  SearchMoves(const PermutationPuzzle& puzzle, Bytes moves) {
    for (const std::uint8_t number : moves) {
      const std::size_t first = moves_.empty() ? 0 : moves_.back().last;
      place_[number] = static_cast<std::uint8_t>(moves_.size());
      moves_.push_back({first, first + puzzle.touches(number).size(), puzzle.inverse(number), number});
    }
  }

  // `number`: in the puzzle.
  const Move& operator[](std::uint8_t number) const noexcept { return moves_[place_[number]]; }
  std::size_t place(std::uint8_t number) const noexcept { return place_[number]; }
  unsigned size() const noexcept { return static_cast<unsigned>(moves_.size()); }
  std::size_t bytes() const noexcept { return moves_.size() * sizeof(Move); }

  // Domain::expand. `word_after(move)`: the word of the state that a move leads to. `apply(number, child)`: that state.
  // `legal(number)`: whether a move is.
  template <class Successors, class OnHash, class WordAfter, class Apply, class Legal = Always>
  [[gnu::always_inline]] void expand(unsigned arrival, Successors& children, OnHash on_hash, WordAfter word_after,
                                     Apply apply, Legal legal = {}) const noexcept {
    unsigned size = 0, produced = this->size();
    for (const Move& move : moves_) {
      if constexpr (!std::is_same_v<Legal, Always>)
        if (!legal(move.number)) {
          --produced;
          continue;
        }
      if (move.inverse == arrival) continue;
      const std::uint64_t word = word_after(move);
      children.hash[size] = word;
      children.raw[size] = Words::raw(word);
      children.move[size] = move.number;
      ++size;
    }
    for (unsigned i = 0; i < size; ++i) on_hash(children.hash[i]);
    children.produced = produced;
    children.size = size;
    // The states come last, so that writing them overlaps with the prefetches.
    if constexpr (HasStates<Successors>)
      for (unsigned i = 0; i < size; ++i) apply(static_cast<std::uint8_t>(children.move[i]), children.state[i]);
  }

 private:
  std::vector<Move> moves_;
  std::array<std::uint8_t, PermutationPuzzle::kMaxMoves> place_{};  // by number: among the moves of the search
};

}  // namespace hstar
