// Linear conflict and walking distance of a board, updated slide by slide.
//
// Both depend on the lines of a board, and a slide changes little there. A tile that slides along a line passes no
// other tile, so nothing changes for that line. Of the line that it leaves and the one that it enters, linear conflict
// depends only on the tile's goal line, so on at most one of them. Walking distance follows one edge of one of its
// graphs. So one number determines h, as with features that are sums.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "heuristic/heuristic.hpp"

namespace hstar {

class TileLines {
 public:
  static constexpr unsigned kMostLength = 5;  // of a line, for linear conflict

  // nullptr if the heuristic needs more than packed features, linear conflict and walking distance, or if its table
  // would be too large.
  static std::unique_ptr<const TileLines> of(const SlidingTiles& puzzle, const Heuristic& heuristic);

  // The values kept for a board. Rows come before columns.
  struct State {
    // By line: the sum, over the tiles in their goal line, of (place there + 1) * (kMostLength + 1)^(place now). The
    // last entry absorbs changes of lines that do not matter.
    std::array<std::uint16_t, 2 * kMostLength + 1> code{};
    std::array<std::uint32_t, 2> node{};  // of walking distance
  };
  // What a slide changes.
  struct Change {
    std::uint32_t raw;
    std::uint16_t along_code, across_code;  // added to the code of the line that the tile stays in; leaves or enters
    std::uint8_t along, across;
    std::uint8_t edge, graph;
  };

  State state(Bytes board) const noexcept;
  // The number of a board: raw plus the contributions of the lines.
  std::uint32_t number(Bytes board) const noexcept;
  // h by number.
  const HeuristicTable& lookup() const noexcept { return lookup_; }

  bool uses_conflict() const noexcept { return conflict_stride_ != 0; }
  bool uses_walking() const noexcept { return walking_stride_ != 0; }

  // How the values change when `tile` slides to `blank` from the cell beside it in the direction of `move`.
  const Change& change(unsigned blank, unsigned move, unsigned tile) const noexcept {
    return changes_[(blank * SlidingTiles::kMoves + move) * cells_ + tile];
  }
  std::uint32_t number(const State& state, std::uint32_t number, const Change& change) const noexcept {
    number += change.raw;
    if (uses_conflict()) {
      const std::uint16_t code = state.code[change.across];
      number += conflict_[static_cast<std::uint16_t>(code + change.across_code)] - conflict_[code];
    }
    if (uses_walking()) {
      const std::uint32_t node = state.node[change.graph];
      number += walked_[change.graph][next(node, change)] - walked_[change.graph][node];
    }
    return number;
  }
  void apply(State& state, const Change& change) const noexcept {
    if (uses_conflict()) {
      state.code[change.along] = static_cast<std::uint16_t>(state.code[change.along] + change.along_code);
      state.code[change.across] = static_cast<std::uint16_t>(state.code[change.across] + change.across_code);
    }
    if (uses_walking()) state.node[change.graph] = next(state.node[change.graph], change);
  }

 private:
  TileLines(const SlidingTiles& puzzle, const Heuristic& heuristic, std::uint32_t conflicts, std::uint32_t distances);
  void add_change(const SlidingTiles& puzzle, unsigned blank, unsigned move, unsigned tile);
  std::uint16_t code(unsigned line, unsigned cell, unsigned tile) const noexcept;
  std::uint32_t next(std::uint32_t node, const Change& change) const noexcept {
    return next_[change.graph][node * width_[change.graph] + change.edge];
  }

  // What a tile in a cell adds to the codes of its lines and to the counts of walking distance.
  struct Part {
    WalkingDistance::Counts counts;
    std::uint16_t row_code = 0, column_code = 0;
    std::uint8_t row = 0, column = 0;
  };

  const Heuristic& heuristic_;
  std::size_t cells_;
  unsigned rows_, columns_;
  std::vector<unsigned> home_;  // goal cell by tile
  std::uint32_t conflict_stride_ = 0, walking_stride_ = 0;
  std::vector<Change> changes_;
  std::vector<Part> parts_;  // by cell and tile
  std::vector<std::uint32_t> conflict_;              // by code: what it adds to the number
  std::array<std::vector<std::uint32_t>, 2> walked_;  // by node of walking distance: what it adds
  std::array<const std::uint32_t*, 2> next_{};
  std::array<unsigned, 2> width_{};
  HeuristicTable lookup_;
};

}  // namespace hstar
