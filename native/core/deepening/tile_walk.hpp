// Depth-first search on boards of sliding tiles.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "deepening/tree_walk.hpp"
#include "domains/tile_lines.hpp"

namespace hstar {

// Common to all sizes: rows by the blank's cell and the automaton's state, and how a slide changes raw.
class TileSteps {
 public:
  struct Step {
    const std::uint32_t* raw_change;  // by the tile that slides
    std::uint32_t row;
    std::uint8_t blank, to;  // cells: where the blank is, and where it goes
    std::uint8_t move;
  };

  TileSteps(const SlidingTiles& puzzle, const Heuristic& heuristic, Bytes moves, const MoveAutomaton& automaton)
      : cells_(puzzle.slots()), heuristic_(heuristic) {
    const auto at = [&](unsigned blank, unsigned move) { return (blank * SlidingTiles::kMoves + move) * cells_; };
    changes_.resize(at(static_cast<unsigned>(cells_), 0));
    for (unsigned blank = 0; blank < cells_; ++blank) {
      for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
        const unsigned to = puzzle.neighbour(blank, move);
        if (to == SlidingTiles::kNoCell) continue;
        for (unsigned tile = 0; tile < cells_; ++tile)
          changes_[at(blank, move) + tile] = heuristic.share(blank, tile) - heuristic.share(to, tile) +
                                             heuristic.share(to, 0) - heuristic.share(blank, 0);
      }
    }
    for (std::size_t state = 0; state < automaton.states(); ++state) {
      for (unsigned blank = 0; blank < cells_; ++blank) {
        for (const MoveAutomaton::Step& step : automaton.steps(static_cast<std::uint16_t>(state))) {
          const std::uint8_t move = moves[step.number];
          const unsigned to = puzzle.neighbour(blank, move);
          if (to == SlidingTiles::kNoCell) continue;
          steps_.push_back({changes_.data() + at(blank, move), static_cast<std::uint32_t>(step.next * cells_ + to),
                            static_cast<std::uint8_t>(blank), static_cast<std::uint8_t>(to), move});
        }
        first_.push_back(static_cast<std::uint32_t>(steps_.size()));
      }
    }
  }
  TileSteps(const TileSteps&) = delete;  // steps_ points into changes_
  TileSteps& operator=(const TileSteps&) = delete;

  static constexpr unsigned kMostSteps = SlidingTiles::kMoves;
  std::uint32_t first_row(Bytes board) const noexcept {
    return static_cast<std::uint32_t>(std::ranges::find(board, std::uint8_t{0}) - board.begin());
  }
  std::span<const Step> steps(std::uint32_t row) const noexcept {
    return {steps_.data() + first_[row], steps_.data() + first_[row + 1]};
  }

  const HeuristicTable& lookup() const noexcept { return heuristic_.lookup(); }
  std::uint32_t raw(Bytes board) const noexcept { return heuristic_.raw(board); }

 protected:
  std::size_t cells_;

 private:
  const Heuristic& heuristic_;
  std::vector<std::uint32_t> changes_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> first_{0};
};

// Up to 16 cells in one 64-bit word, four bits a cell.
class PackedTileWalk : public TileSteps {
 public:
  static constexpr std::size_t kMaxCells = 16;
  using State = std::uint64_t;
  using TileSteps::raw;
  using TileSteps::TileSteps;

  State pack(Bytes board) const noexcept {
    State cells = 0;
    for (std::size_t i = 0; i < cells_; ++i) cells |= State{board[i]} << (4 * i);
    return cells;
  }
  std::uint32_t raw(State state, std::uint32_t raw, const Step& step) const noexcept {
    return raw + step.raw_change[tile(state, step)];
  }
  void apply(State state, const Step& step, State& after) const noexcept {
    const State moved = tile(state, step);
    after = state ^ (moved << (4 * step.to)) ^ (moved << (4 * step.blank));
  }
  Bytes bytes(State state, std::uint8_t* buffer) const noexcept {
    for (std::size_t i = 0; i < cells_; ++i) buffer[i] = state >> (4 * i) & 15;
    return {buffer, cells_};
  }

 protected:
  static unsigned tile(State state, const Step& step) noexcept { return state >> (4 * step.to) & 15; }
};

// One byte a cell; N is the capacity.
template <std::size_t N>
class ByteTileWalk : public TileSteps {
 public:
  using State = std::array<std::uint8_t, N>;
  using TileSteps::raw;
  using TileSteps::TileSteps;

  State pack(Bytes board) const noexcept {
    State state{};
    std::ranges::copy(board, state.begin());
    return state;
  }
  std::uint32_t raw(const State& state, std::uint32_t raw, const Step& step) const noexcept {
    return raw + step.raw_change[state[step.to]];
  }
  void apply(const State& state, const Step& step, State& after) const noexcept {
    after = state;
    after[step.blank] = state[step.to];
    after[step.to] = 0;
  }
  Bytes bytes(const State& state, std::uint8_t*) const noexcept { return {state.data(), cells_}; }

 protected:
  static unsigned tile(const State& state, const Step& step) noexcept { return state[step.to]; }
};

// A walk whose boards remember their lines; raw is then the number of TileLines.
template <class Walk>
class LineWalk : public Walk {
 public:
  using Step = TileSteps::Step;
  struct State {
    typename Walk::State board;
    TileLines::State lines;
    bool operator==(const State& other) const noexcept { return board == other.board; }
  };

  LineWalk(const SlidingTiles& puzzle, const Heuristic& heuristic, Bytes moves, const MoveAutomaton& automaton,
           const TileLines& lines)
      : Walk(puzzle, heuristic, moves, automaton), lines_(lines) {}

  const HeuristicTable& lookup() const noexcept { return lines_.lookup(); }
  State pack(Bytes board) const noexcept { return {Walk::pack(board), lines_.state(board)}; }
  std::uint32_t raw(Bytes board) const noexcept { return lines_.number(board); }
  std::uint32_t raw(const State& state, std::uint32_t raw, const Step& step) const noexcept {
    return lines_.number(state.lines, raw, change(state, step));
  }
  void apply(const State& state, const Step& step, State& after) const noexcept {
    Walk::apply(state.board, step, after.board);
    after.lines = state.lines;
    lines_.apply(after.lines, change(state, step));
  }
  Bytes bytes(const State& state, std::uint8_t* buffer) const noexcept { return Walk::bytes(state.board, buffer); }

 private:
  const TileLines::Change& change(const State& state, const Step& step) const noexcept {
    return lines_.change(step.blank, step.move, Walk::tile(state.board, step));
  }

  const TileLines& lines_;
};

static_assert(TreeWalk<PackedTileWalk> && TreeWalk<ByteTileWalk<64>> && TreeWalk<LineWalk<PackedTileWalk>>);

}  // namespace hstar
