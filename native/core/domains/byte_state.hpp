// States of one byte a slot, and the words whose sum is a state's hash and raw: one addition a slot.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/splitmix.hpp"
#include "domains/domain.hpp"
#include "heuristic/heuristic.hpp"

namespace hstar {

// Capacity N; bytes past the puzzle's slots stay 0.
template <std::size_t N>
using ByteState = std::array<std::uint8_t, N>;

// word[slot][value]: a random (Zobrist) key in the high bits, the value's part of raw in the low kRawBits. The sum over
// slots holds the state's hash and its raw: raw never carries into the hash, because it stays below 2^kRawBits.
class Words {
 public:
  Words(const Puzzle& puzzle, const Heuristic& heuristic) : width_(kNarrow) {
    for (std::size_t slot = 0; slot < puzzle.slots(); ++slot)
      if (puzzle.values(slot) > width_) width_ = std::max<std::size_t>(kWide, puzzle.values(slot));
    words_.resize(puzzle.slots() * width_);
    SplitMix random;
    for (std::size_t slot = 0; slot < puzzle.slots(); ++slot)
      for (unsigned value = 0; value < width_; ++value)
        words_[slot * width_ + value] = (random() & ~kRawMask) | heuristic.share(slot, value);
  }

  std::size_t bytes() const noexcept { return words_.size() * sizeof(std::uint64_t); }
  // Elements of a row: where no slot has more than 256 values one of two numbers, so that `sum`, which is for such
  // puzzles only, knows it when it is compiled.
  std::size_t width() const noexcept { return width_; }
  const std::uint64_t* row(std::size_t slot) const noexcept { return words_.data() + slot * width_; }
  // `start` plus, for each of `rows`, the element at the value that the state has in the row's slot: slot i, or
  // sources[i].
  template <class SlotOf>
  std::uint64_t sum(std::uint64_t start, const std::uint64_t* rows, std::size_t count, const std::uint8_t* state,
                    SlotOf slot) const noexcept {
    return width_ == kNarrow ? sum<kNarrow>(start, rows, count, state, slot)
                             : sum<kWide>(start, rows, count, state, slot);
  }
  static std::uint32_t raw(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word & kRawMask); }

 private:
  static constexpr std::uint64_t kRawMask = Heuristic::kRawLimit - 1;
  static constexpr std::size_t kNarrow = 64, kWide = 256;

  template <std::size_t kWidth, class SlotOf>
  static std::uint64_t sum(std::uint64_t total, const std::uint64_t* rows, std::size_t count, const std::uint8_t* state,
                           SlotOf slot) noexcept {
    std::size_t i = 0;
    for (; i + 5 <= count; i += 5, rows += 5 * kWidth)
      total += rows[state[slot(i)]] + rows[kWidth + state[slot(i + 1)]] + rows[2 * kWidth + state[slot(i + 2)]] +
               rows[3 * kWidth + state[slot(i + 3)]] + rows[4 * kWidth + state[slot(i + 4)]];
    for (; i < count; ++i, rows += kWidth) total += rows[state[slot(i)]];
    return total;
  }

  std::size_t width_;
  std::vector<std::uint64_t> words_;
};

// The common base of domains over byte states.
template <std::size_t N>
class ByteDomain {
 public:
  using State = ByteState<N>;

  ByteDomain(const Puzzle& puzzle, const Heuristic& heuristic, Bytes moves)
      : heuristic_(heuristic),
        slots_(puzzle.slots()),
        branching_(static_cast<unsigned>(moves.size())),
        words_(puzzle, heuristic) {}

  std::size_t state_bytes() const noexcept { return slots_; }
  unsigned branching() const noexcept { return branching_; }
  const HeuristicTable& lookup() const noexcept { return heuristic_.lookup(); }
  State pack(Bytes bytes) const noexcept {
    State state{};
    std::copy_n(bytes.data(), slots_, state.data());
    return state;
  }
  void unpack(const State& state, std::uint8_t* out) const noexcept { std::copy_n(state.data(), slots_, out); }
  std::uint64_t hash(const State& state) const noexcept {
    return words_.sum(0, words_.row(0), slots_, state.data(), [](std::size_t slot) { return slot; });
  }
  std::uint32_t raw(const State& state) const noexcept { return Words::raw(hash(state)); }

 protected:
  const Heuristic& heuristic_;
  std::size_t slots_;
  unsigned branching_;
  Words words_;
};

}  // namespace hstar
