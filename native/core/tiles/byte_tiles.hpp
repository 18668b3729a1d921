// Boards of 17 to 255 cells, one byte a cell.
#pragma once

#include "puzzle/byte_state.hpp"
#include "search/child_row.hpp"

namespace hstar {

template <std::size_t N>
class ByteTiles : public ByteDomain<N> {
 public:
  static constexpr unsigned kMaxChildren = 4;
  using State = ByteState<N>;
  using Children = hstar::Children<State, kMaxChildren>;

  ByteTiles(const SlidingTiles& puzzle, const Heuristic& heuristic, Bytes moves)
      : ByteDomain<N>(puzzle, heuristic, moves), steps_(puzzle.slots()) {
    for (unsigned blank = 0; blank < puzzle.slots(); ++blank) {
      for (const std::uint8_t move : moves) {
        const unsigned to = puzzle.neighbour(blank, move);
        if (to == SlidingTiles::kNoCell) continue;
        Steps& steps = steps_[blank];
        steps.step[steps.count++] = {move, static_cast<std::uint8_t>(to)};
      }
    }
  }

  template <class Successors, class OnHash>
  void expand(const State& state, std::uint32_t, unsigned arrival, Successors& children, OnHash on_hash) const noexcept {
    const std::uint64_t word = this->hash(state);
    const std::size_t blank = blank_of(state);
    const std::uint64_t* blank_row = this->words_.row(blank);
    const unsigned back = arrival == kNoArrival ? kNoArrival : arrival ^ 2;  // up 0, down 2; right 1, left 3
    unsigned size = 0;
    for (unsigned i = 0; i < steps_[blank].count; ++i) {
      const auto [move, to] = steps_[blank].step[i];
      if (move == back) continue;
      const std::uint8_t tile = state[to];
      const std::uint64_t* tile_row = this->words_.row(to);
      const std::uint64_t child = word - blank_row[0] - tile_row[tile] + blank_row[tile] + tile_row[0];
      on_hash(child);
      children.hash[size] = child;
      children.raw[size] = Words::raw(child);
      children.move[size] = move;
      if constexpr (HasStates<Successors>) children.state[size] = swapped(state, blank, to);
      ++size;
    }
    children.produced = steps_[blank].count;
    children.size = size;
  }

  // The state after a move that is legal.
  State apply(const State& state, std::uint8_t move) const noexcept {
    const std::size_t blank = blank_of(state);
    const auto& steps = steps_[blank].step;
    return swapped(state, blank, std::ranges::find(steps, move, [](const auto& step) { return step.first; })->second);
  }

 private:
  static std::size_t blank_of(const State& state) noexcept {
    return static_cast<std::size_t>(std::find(state.begin(), state.end(), 0) - state.begin());
  }
  static State swapped(State state, std::size_t a, std::size_t b) noexcept {
    std::swap(state[a], state[b]);
    return state;
  }

  struct Steps {
    unsigned count = 0;
    std::array<std::pair<std::uint8_t, std::uint8_t>, 4> step;  // move, cell
  };
  std::vector<Steps> steps_;
};

static_assert(Domain<ByteTiles<35>>);

}  // namespace hstar
