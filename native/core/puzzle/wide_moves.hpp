// Moves on states of any size. Each move has a plan, which uses vector instructions where the machine has them. The
// result is that of the portable code, byte for byte.
//
// The state is divided into registers of 64 bytes (AVX-512 VBMI) or 32 bytes (AVX2). For each register that a move
// changes, the plan has one shuffle for each part of the old state from which bytes come; parts are of 64 or 16 bytes.
// Then slots are relabelled: with AVX-512 VBMI, values of up to 64 by one look-up for each distinct map, all others one
// slot after another.
#pragma once

#include <array>
#include <vector>

#include "puzzle/relabel.hpp"
#include "puzzle/wide_state.hpp"

namespace hstar {

class WideMoves {
 public:
  WideMoves(const PermutationPuzzle& puzzle, Bytes moves, Instructions instructions = best_instructions());

  // Sets `after` to the state that moves[number] leads to. `after` has room for any state.
  void apply(std::size_t number, const WideState& state, WideState& after) const noexcept;
  std::size_t bytes() const noexcept;

 private:
  static constexpr std::size_t kRegister = 64;

  using Touch = PermutationPuzzle::MappedTouch;
  struct Shuffle {
    alignas(kRegister) std::array<std::uint8_t, kRegister> index;  // by byte of the register: where it comes from
    std::uint64_t taken;     // bytes of the register that this shuffle writes, a bit each
    std::uint16_t to, from;  // first byte of the register, and of the part that it reads
  };
  struct Map {
    alignas(kRegister) std::array<std::uint8_t, kRegister> table;  // by value
    std::uint64_t slots;  // slots of the register that it relabels, a bit each
    std::uint16_t to;     // first byte of the register
  };
  struct Move {
    std::vector<Touch> touches;
    std::vector<Shuffle> shuffles;  // by `to`, ascending
    std::vector<Map> maps;          // by `to`, ascending
    std::vector<Touch> rest;        // slots that are relabelled one after another
  };

  void plan(const PermutationPuzzle& puzzle, Move& move) const;
  void portable(const std::vector<Touch>& touches, const std::uint8_t* state, std::uint8_t* after) const noexcept;
  void avx512(const Move& move, const std::uint8_t* state, std::uint8_t* after) const noexcept;
  void avx2(const Move& move, const std::uint8_t* state, std::uint8_t* after) const noexcept;

  Instructions instructions_;
  std::size_t width_, size_;  // bytes: of a slot, of a state
  std::vector<Move> moves_;
};

}  // namespace hstar
