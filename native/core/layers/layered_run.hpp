// The search by layers for each family of puzzles. Included only where domains are instantiated.
#pragma once

#include "layers/layered_search.hpp"

namespace hstar {

Outcome layered_tiles(const SlidingTiles& puzzle, const LayeredTask& asked);
Outcome layered_permutation(const PermutationPuzzle& puzzle, const LayeredTask& asked);

// With records of the first of these numbers of words that has room for a state; the last one has for any of the
// domain.
template <unsigned kWords, unsigned... kMore, Domain D>
Outcome run_layered(const D& domain, const D& back, std::uint8_t (*forward)(std::uint8_t), const LayeredTask& asked) {
  const SlotBits bits(asked.task.heuristic.puzzle());
  if constexpr (sizeof...(kMore) > 0)
    if (bits.words() > kWords) return run_layered<kMore...>(domain, back, forward, asked);
  return LayeredSearch<D, SlotRecords<kWords>>(domain, back, forward, SlotRecords<kWords>{bits}, asked).run();
}

}  // namespace hstar
