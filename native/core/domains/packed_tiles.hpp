// Boards of up to 16 cells in one 64-bit word, four bits a cell.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "heuristic/heuristic.hpp"
#include "domains/domain.hpp"

namespace hstar {

class PackedTiles {
 public:
  static constexpr unsigned kMaxChildren = 4;
  static constexpr std::size_t kMaxCells = 16;

  struct State {
    std::uint64_t cells;
    bool operator==(const State&) const = default;
  };
  using Children = hstar::Children<State, kMaxChildren>;

  PackedTiles(const SlidingTiles& puzzle, const Heuristic& heuristic, Bytes moves)
      : heuristic_(heuristic), slots_(puzzle.slots()), branching_(static_cast<unsigned>(moves.size())),
        slides_(slots_ * kArrivals), pairs_(kMaxCells / 2 * 256) {
    const auto share = [&](unsigned cell, unsigned tile) {
      return cell < slots_ && tile < slots_ ? heuristic.share(cell, tile) : 0;
    };
    for (unsigned pair = 0; pair < kMaxCells / 2; ++pair)
      for (unsigned tiles = 0; tiles < 256; ++tiles)
        pairs_[pair * 256 + tiles] = share(2 * pair, tiles & 15) + share(2 * pair + 1, tiles >> 4);
    for (unsigned blank = 0; blank < slots_; ++blank) {
      for (const std::uint8_t move : moves) {
        const unsigned to = puzzle.neighbour(blank, move);
        if (to == SlidingTiles::kNoCell) continue;
        Slide slide{move, static_cast<std::uint8_t>(4 * blank), static_cast<std::uint8_t>(4 * to), {}};
        for (unsigned tile = 0; tile < slots_; ++tile)
          slide.raw_change[tile] = share(blank, tile) - share(to, tile) + share(to, 0) - share(blank, 0);
        for (unsigned arrival = 0; arrival < kArrivals; ++arrival) {
          Slides& slides = slides_[blank * kArrivals + arrival];
          ++slides.produced;
          if (arrival != (move ^ 2u)) slides.slide[slides.count++] = slide;  // up 0, down 2; right 1, left 3
        }
      }
      for (unsigned arrival = 0; arrival < kArrivals; ++arrival) {
        Slides& slides = slides_[blank * kArrivals + arrival];
        const auto shift = static_cast<std::uint8_t>(4 * blank);
        for (unsigned i = 0; i < slides.count; ++i) slides.moves |= 1u << slides.slide[i].move;
        std::fill(slides.slide.begin() + slides.count, slides.slide.end(), Slide{4, shift, shift, {}});
      }
    }
  }

  std::size_t state_bytes() const noexcept { return slots_; }
  unsigned branching() const noexcept { return branching_; }
  const HeuristicTable& lookup() const noexcept { return heuristic_.lookup(); }
  std::size_t bytes() const noexcept {
    return sizeof *this + slides_.size() * sizeof(Slides) + pairs_.size() * sizeof(std::uint32_t);
  }
  unsigned tile(const State& state, unsigned cell) const noexcept { return state.cells >> (4 * cell) & 15; }

  // Cells beyond the board hold 15, which is not a tile there, so that the blank is the only zero.
  State pack(Bytes board) const noexcept {
    std::uint64_t cells = ~std::uint64_t{0};
    for (std::size_t i = 0; i < slots_; ++i)
      cells ^= static_cast<std::uint64_t>(board[i] ^ 15) << (4 * i);
    return {cells};
  }
  void unpack(const State& state, std::uint8_t* out) const noexcept {
    for (std::size_t i = 0; i < slots_; ++i) out[i] = static_cast<std::uint8_t>(state.cells >> (4 * i) & 15);
  }
  std::uint64_t hash(const State& state) const noexcept {
    std::uint64_t x = state.cells * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
    return x ^ (x >> 32);
  }
  std::uint32_t raw(const State& state) const noexcept {
    std::uint32_t sum = 0;
    for (unsigned pair = 0; pair < kMaxCells / 2; ++pair) sum += pairs_[pair * 256 + (state.cells >> (8 * pair) & 255)];
    return sum;
  }

  template <class Successors, class OnHash>
  void expand(const State& state, std::uint64_t, std::uint32_t raw, unsigned arrival, Successors& children,
              OnHash on_hash) const noexcept {
    const Slides& slides = slides_[blank(state) * kArrivals + std::min(arrival, 4u)];
    for (unsigned i = 0; i < slides.count; ++i) {
      const Slide& slide = slides.slide[i];
      const std::uint64_t tile = state.cells >> slide.tile_shift & 15;
      const State child{state.cells ^ (tile << slide.tile_shift) ^ (tile << slide.blank_shift)};
      const std::uint64_t child_hash = hash(child);
      on_hash(child_hash);
      children.hash[i] = child_hash;
      children.raw[i] = raw + slide.raw_change[tile];
      children.move[i] = slide.move;
      children.state[i] = child;
    }
    children.produced = slides.produced;
    children.size = slides.count;
  }

  // Calls visit(successor, its raw, move, whether it is one) four times, with the legal moves but those in `marks`, bit
  // by bit, and with others; returns how many are legal. It has no branch that depends on the state.
  template <class Visit>
  [[gnu::always_inline]] unsigned each_of_four(const State& state, std::uint32_t raw, unsigned marks,
                                               Visit visit) const noexcept {
    const Slides& slides = slides_[blank(state) * kArrivals + kArrivals - 1];
    const unsigned moves = slides.moves & ~marks;
    for (const Slide& slide : slides.slide) {
      const std::uint64_t tile = state.cells >> slide.tile_shift & 15;
      visit(State{state.cells ^ (tile << slide.tile_shift) ^ (tile << slide.blank_shift)}, raw + slide.raw_change[tile],
            slide.move, moves >> slide.move & 1);
    }
    return slides.produced;
  }

 private:
  // The blank's move from one cell: where the sliding tile is, and how raw changes.
  struct Slide {
    std::uint8_t move, blank_shift, tile_shift;
    std::array<std::uint32_t, 16> raw_change;
  };
  static constexpr unsigned kArrivals = 5;  // four moves, none
  // By blank and arrival: all moves but the one that undoes the arrival, then slides that are none.
  struct Slides {
    unsigned produced = 0, count = 0, moves = 0;  // `moves`: bit by bit
    std::array<Slide, 4> slide;
  };

  // The lowest zero nibble: borrows change only the nibbles above it.
  static unsigned blank(const State& state) noexcept {
    const std::uint64_t zero = (state.cells - 0x1111111111111111) & ~state.cells & 0x8888888888888888;
    return static_cast<unsigned>(std::countr_zero(zero)) / 4;
  }
  const Heuristic& heuristic_;
  std::size_t slots_;
  unsigned branching_;
  std::vector<Slides> slides_;
  std::vector<std::uint32_t> pairs_;  // by two cells and their tiles: the parts of raw
};

static_assert(Domain<PackedTiles>);

}  // namespace hstar
