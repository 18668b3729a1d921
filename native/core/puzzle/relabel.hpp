// Moves of permutation puzzles as a few vector instructions each, if the processor has them (AVX-512 VBMI): the bytes
// of a state of up to 64 slots are permuted at once, and relabelled by one table look-up for each distinct map of the
// move. The result is identical to the portable code's.
#pragma once

#include <array>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

#if defined(__x86_64__) && defined(__GNUC__)
#define HSTAR_X86 1
#endif

enum class Instructions { portable, avx2, avx512vbmi };

// What this machine can do, or what HSTAR_INSTRUCTIONS in the environment asks for (`portable`, `avx2`) if it can do
// that.
Instructions best_instructions() noexcept;

struct Relabel {
  struct Map {
    std::uint64_t slots;  // slots that it relabels, a bit each
    alignas(64) std::array<std::uint8_t, 64> table;
  };
  alignas(64) std::array<std::uint8_t, 64> source;  // by slot: where its new value comes from
  std::vector<Map> maps;
};
using Relabels = std::vector<Relabel>;  // by move number

// Empty if the puzzle has more than 64 slots or values.
Relabels make_relabels(const PermutationPuzzle& puzzle, Bytes moves);

// The state after a move, both of `size` <= 64 bytes; slots that the puzzle does not have stay as they are.
void relabel(const Relabel& relabel, const std::uint8_t* state, std::uint8_t* child, std::size_t size) noexcept;
// Is that state `other`? Does it come to the same as another move of another state? Compared without leaving the
// registers.
bool relabels_to(const Relabel& relabel, const std::uint8_t* state, const std::uint8_t* other,
                 std::size_t size) noexcept;
bool relabel_to_same(const Relabel& a, const std::uint8_t* state_a, const Relabel& b, const std::uint8_t* state_b,
                     std::size_t size) noexcept;

}  // namespace hstar
