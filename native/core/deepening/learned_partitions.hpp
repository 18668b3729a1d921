// The cost partitions and pairs of pieces that IDA* learns for one start and bound (partition_walk.hpp), without a
// search: what they say of any state can be compared with its distance.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

class LearnedPartitions {
 public:
  // With `pairs` false only the partitions are learned.
  // Throws std::invalid_argument for a puzzle of more than 128 slots or 256 values, a start that is no state, and moves
  // that are not distinct moves of the puzzle.
  static std::unique_ptr<LearnedPartitions> of(std::shared_ptr<const PermutationPuzzle> puzzle, Bytes start,
                                               Bytes moves, std::int32_t bound, bool pairs);
  virtual ~LearnedPartitions() = default;

  // Whether pairs of pieces were learned.
  virtual bool pairs() const noexcept = 0;
  // What each slot's content costs at least in each partition: row-major [slots][most values of a slot], in units of
  // 1 / CostPartitions::kScale. The sums over a state's slots, rounded up, are at most h.
  virtual std::vector<std::vector<std::uint32_t>> costs() const = 0;
  // h of a state from which a search starts.
  virtual std::int32_t value(Bytes state) const = 0;
  // h of the start and after each move of a path. With pairs it may differ from `value`, because a state inherits them.
  virtual std::vector<std::int32_t> along(Bytes start, Bytes path) const = 0;
};

}  // namespace hstar
