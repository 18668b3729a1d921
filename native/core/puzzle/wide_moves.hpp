// Moves on states of any size: a plan for each move, followed with vector instructions where the machine has them. The
// result is the portable code's, byte for byte.
//
// A plan treats a state as registers of 64 (AVX-512 VBMI) or 32 (AVX2) bytes. For each register that a move changes it
// has a shuffle of each piece of the old state that bytes come from: a whole register, or 16 bytes. Values of up to 64 are
// then relabelled by one look-up for each distinct map (AVX-512 VBMI); others one by one.
#pragma once

#include <array>
#include <vector>

#include "puzzle/relabel.hpp"
#include "puzzle/wide_state.hpp"

namespace hstar {

class WideMoves {
 public:
  WideMoves(const PermutationPuzzle& puzzle, Bytes moves, Instructions instructions = best_instructions());

  // `after` = the state that moves[number] leads to. `after` has room for any state.
  void apply(std::size_t number, const WideState& state, WideState& after) const noexcept;
  std::size_t bytes() const noexcept;

 private:
  static constexpr std::size_t kRegister = 64;

  struct Touch {
    const Value* map;
    std::uint16_t dst, src;
  };
  struct Shuffle {
    alignas(kRegister) std::array<std::uint8_t, kRegister> index;  // by byte of the register: where it comes from
    std::uint64_t taken;                                           // bytes that come from there, a bit each
    std::uint16_t to, from;                                        // the first bytes of the two
  };
  struct Map {
    alignas(kRegister) std::array<std::uint8_t, kRegister> table;
    std::uint64_t slots;
    std::uint16_t to;
  };
  struct Move {
    std::vector<Touch> touches;
    std::vector<Shuffle> shuffles;  // by `to`, ascending
    std::vector<Map> maps;          // by `to`, ascending
    std::vector<Touch> rest;        // what is relabelled one by one afterwards
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
