// Moves of permutation puzzles as a few vector instructions each, where the machine has them (AVX-512 VBMI): the bytes
// of a state of up to 51 slots are permuted at once, and relabelled by one table look-up for each distinct map of the
// move. The result is the portable code's, byte for byte.
#pragma once

#include <array>
#include <vector>

#include "child_row.hpp"
#include "puzzle.hpp"

namespace hstar {

enum class Instructions { portable, avx512vbmi };

// What this machine can do.
Instructions best_instructions() noexcept;

struct Relabel {
  struct Map {
    std::uint64_t slots;  // that it relabels, a bit each
    alignas(64) std::array<std::uint8_t, 64> table;
  };
  alignas(64) std::array<std::uint8_t, 64> source;  // by slot: where its new value comes from
  std::vector<Map> maps;
};
using Relabels = std::vector<Relabel>;  // by move number

// Empty if the puzzle does not suit: more than 64 slots or values.
Relabels make_relabels(const PermutationPuzzle& puzzle, Bytes moves);

// Fill the states of children, whose other fields are set. A child is 64 bytes.
void relabel_all(const Relabels& relabels, const std::uint8_t* state, std::size_t slots, void* first, std::size_t count,
                 std::size_t move_at) noexcept;

template <class Record>
void relabel_all(const Relabels& relabels, const std::uint8_t* state, std::size_t slots, Record* first,
                 Record* last) noexcept {
  static_assert(sizeof(Record) == 64);
  relabel_all(relabels, state, slots, first, static_cast<std::size_t>(last - first), offsetof(Record, move));
}

}  // namespace hstar
