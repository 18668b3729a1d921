// Boards of 17 to 255 cells, one byte a cell.
#pragma once

#include "domains/byte_state.hpp"
#include "domains/child_row.hpp"

namespace hstar {

template <std::size_t N>
class ByteTiles : public ByteDomain<N> {
 public:
  static constexpr unsigned kMaxChildren = 4;
  using State = ByteState<N>;
  using Children = hstar::Children<State, kMaxChildren>;

  ByteTiles(const SlidingTiles& puzzle, const Heuristic& heuristic, Bytes moves)
      : ByteDomain<N>(puzzle, heuristic, moves), slides_(puzzle.slots()) {
    for (unsigned blank = 0; blank < puzzle.slots(); ++blank) {
      for (const std::uint8_t move : moves) {
        const unsigned to = puzzle.neighbour(blank, move);
        if (to == SlidingTiles::kNoCell) continue;
        Slides& slides = slides_[blank];
        slides.slide[slides.count++] = {move, static_cast<std::uint8_t>(to)};
      }
    }
  }

  template <class Successors, class OnHash>
  void expand(const State& state, std::uint64_t word, std::uint32_t, unsigned arrival, Successors& children,
              OnHash on_hash) const noexcept {
    const std::size_t blank = blank_of(state);
    const unsigned back = arrival == kNoArrival ? kNoArrival : arrival ^ 2;  // up 0, down 2; right 1, left 3
    unsigned size = 0;
    for (unsigned i = 0; i < slides_[blank].count; ++i) {
      const auto [move, to] = slides_[blank].slide[i];
      if (move == back) continue;
      const std::uint64_t child = word_after(state, word, blank, to);
      on_hash(child);
      children.hash[size] = child;
      children.raw[size] = Words::raw(child);
      children.move[size] = move;
      if constexpr (HasStates<Successors>) children.state[size] = swapped(state, blank, to);
      ++size;
    }
    children.produced = slides_[blank].count;
    children.size = size;
  }

  // The state after a move that is legal, and its hash.
  State apply(const State& state, std::uint8_t move) const noexcept {
    const std::size_t blank = blank_of(state);
    return swapped(state, blank, target(blank, move));
  }
  std::uint64_t hash_after(const State& state, std::uint64_t hash, std::uint8_t move) const noexcept {
    const std::size_t blank = blank_of(state);
    return word_after(state, hash, blank, target(blank, move));
  }
  bool leads_to(const State& state, std::uint8_t move, const State& other) const noexcept {
    return apply(state, move) == other;
  }
  bool lead_to_same(const State& a, std::uint8_t move_a, const State& b, std::uint8_t move_b) const noexcept {
    return apply(a, move_a) == apply(b, move_b);
  }
  unsigned tile(const State& state, unsigned cell) const noexcept { return state[cell]; }
  std::size_t bytes() const noexcept { return sizeof *this + this->words_.bytes() + slides_.size() * sizeof(Slides); }

 private:
  static std::size_t blank_of(const State& state) noexcept {
    return static_cast<std::size_t>(std::find(state.begin(), state.end(), 0) - state.begin());
  }
  std::size_t target(std::size_t blank, std::uint8_t move) const noexcept {
    return std::ranges::find(slides_[blank].slide, move, [](const auto& slide) { return slide.first; })->second;
  }
  std::uint64_t word_after(const State& state, std::uint64_t word, std::size_t blank, std::size_t to) const noexcept {
    const std::uint64_t *blank_row = this->words_.row(blank), *tile_row = this->words_.row(to);
    const std::uint8_t tile = state[to];
    return word - blank_row[0] - tile_row[tile] + blank_row[tile] + tile_row[0];
  }
  static State swapped(State state, std::size_t a, std::size_t b) noexcept {
    std::swap(state[a], state[b]);
    return state;
  }

  struct Slides {
    unsigned count = 0;
    std::array<std::pair<std::uint8_t, std::uint8_t>, 4> slide;  // move, cell
  };
  std::vector<Slides> slides_;
};

static_assert(Domain<ByteTiles<35>>);

}  // namespace hstar
