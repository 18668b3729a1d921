// Move pruning for tree searches: a finite automaton that reads the moves made so far and says which may follow.
//
//   const auto automaton = MoveAutomaton::of(puzzle, moves, Pruning::canonical);
//   std::uint16_t state = MoveAutomaton::kStart;
//   for (const auto& [number, next] : automaton->steps(state)) ...   // moves[number] may follow, and leads to `next`
//
// `inverse` leaves out the move that undoes the last one. `canonical` keeps, of all shortest sequences of moves with
// the same effect, the one that comes first in the order of `moves`; it drops a sequence when a part of it
//   (1) is b u a, where a comes before b and commutes with b and with all of u (the lexicographic normal form of
//       Anisimov and Knuth 1979): commuting moves are made in their order; or
//   (2) consists of moves that commute with one another, and does the same as a shorter such sequence, or as one of the
//       same length that comes first: U U' and U U (if U2 is a move), or U five times. Parts of up to kMostLength moves
//       are looked at. If moves cost different amounts, only one that costs no more: U U is kept if U2 costs 3.
// Moves that every other move turns into one another (b a = a b' for each b of them and each a, where b and b' cost the
// same) come last in this order,
// so that (3) after such a move only such moves follow: tips of a Pyraminx that layers carry are turned at the end.
// Replacing a part by one that comes first makes a whole that comes first, so a shortest solution is never lost. On
// sliding tiles a move's effect depends on where the blank is, so there `canonical` is the same as `inverse`. A move of
// a permutation puzzle that is forbidden somewhere commutes with none, not with itself either, and is no part of a
// sequence in (2) except for the one that it undoes: what would replace it may not be legal. Then there is no (3).
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

// Which moves a tree search prunes after which.
enum class Pruning {
  none,
  inverse,    // prunes the move that undoes the last one
  canonical,  // prunes sequences of moves that are not the first with their effect
};

class MoveAutomaton {
 public:
  static constexpr std::uint16_t kStart = 0;
  static constexpr std::size_t kMostLength = 6;

  struct Step {
    std::uint16_t number;  // of the move, in `moves`
    std::uint16_t next;
  };

  // `moves` are distinct moves of the puzzle; `costs`: of each of them, or empty if all cost 1.
  MoveAutomaton(const Puzzle& puzzle, Bytes moves, Pruning pruning, Bytes costs = {});

  // The same from a cache of those last asked for. Thread-safe.
  static std::shared_ptr<const MoveAutomaton> of(const Puzzle& puzzle, Bytes moves, Pruning pruning, Bytes costs = {});

  // The numbers of the moves that only such moves may follow.
  const std::vector<bool>& last() const noexcept { return last_; }
  bool has_last() const noexcept { return std::ranges::find(last_, true) != last_.end(); }

  // Each step is a move of so many, in their order, and leads to a state that there is.
  bool valid(std::size_t moves) const noexcept;
  std::size_t states() const noexcept { return first_.size() - 1; }
  // The moves that may follow, in the order of `moves`.
  std::span<const Step> steps(std::uint16_t state) const noexcept {
    return {steps_.data() + first_[state], first_[state + 1] - first_[state]};
  }
  // The state after a path of `moves`. Throws std::invalid_argument if one of them may not follow.
  std::uint16_t after(Bytes moves, Bytes path) const;
  // Those of them that are not last, in `kept`. A last move must solve the puzzle, so where something is unsolved that
  // last moves do not change, these are enough.
  std::span<const Step> steps_before_last(std::uint16_t state, std::vector<Step>& kept) const {
    kept.clear();
    std::ranges::copy_if(steps(state), std::back_inserter(kept), [&](const Step& step) { return !last_[step.number]; });
    return kept;
  }

 private:
  void add_state(std::span<const Step> steps);

  std::vector<bool> last_;
  std::vector<Step> steps_;
  std::vector<std::size_t> first_{0};
};

}  // namespace hstar
