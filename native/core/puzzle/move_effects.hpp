// The effects of sequences of moves of a permutation puzzle, independent of the state.
#pragma once

#include <bitset>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

class MoveEffects {
 public:
  // For each slot: the slot that its content comes from, and the number of the map that relabels it. Maps with the same
  // entries have the same number, so equal effects compare equal.
  using Effect = std::vector<std::pair<std::uint16_t, std::uint32_t>>;
  using Set = std::bitset<PermutationPuzzle::kMaxMoves>;

  MoveEffects(const PermutationPuzzle& puzzle, Bytes moves);

  Effect identity() const { return identity_; }
  // First `effect`, then moves[number].
  Effect then(const Effect& effect, std::size_t number);
  // The numbers of the moves that commute with moves[number], itself included; none if it is forbidden somewhere.
  const Set& commuting(std::size_t number) const noexcept { return commuting_[number]; }
  // Whether moves[number], then moves[by] is the same as moves[by], then moves[other].
  bool becomes(std::size_t number, std::size_t by, std::size_t other);
  // Size of the maps in bytes.
  std::size_t size() const noexcept { return size_; }

 private:
  using Map = std::vector<std::uint16_t>;
  using Content = std::pair<std::uint16_t, std::uint32_t>;  // a slot, and the map that its content went through
  struct NumberedTouch {  // a touch whose map has a number here
    std::uint16_t dst, src;
    std::uint32_t map;
  };

  std::uint32_t number_of(Map map);
  std::uint32_t composed(std::uint32_t first, std::uint32_t second);
  bool commute(std::size_t a, std::size_t b);
  Content moved(std::size_t number, Content content);

  std::vector<unsigned> values_;  // of each slot
  std::vector<std::vector<NumberedTouch>> touches_;
  // By move and slot: where its content goes; nullptr: it stays.
  std::vector<std::vector<const NumberedTouch*>> leaving_;
  std::vector<Map> maps_;
  std::map<Map, std::uint32_t> numbers_;
  std::unordered_map<std::uint64_t, std::uint32_t> composed_;  // by the first map, then the second
  std::vector<Set> commuting_;
  Effect identity_;
  std::size_t size_ = 0;
};

}  // namespace hstar
