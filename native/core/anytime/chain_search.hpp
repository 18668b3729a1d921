// Solutions from a chain of stabilisers: a beam goes down it, one base point after another, with all words of each.
#pragma once

#include <limits>

#include "anytime/word_chain.hpp"

namespace hstar {

struct ChainSearchOptions {
  std::size_t width = 1000;  // paths kept on each level
  double outlook = 0.25;     // weight of what the rest of the way would take, were each base point to be brought home alone
  std::uint64_t max_expanded = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_generated = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max();  // of paths and candidates
};

struct Descent {
  enum class Ending { kDone, kStopped, kExpanded, kGenerated, kMemory };
  Ending ending = Ending::kStopped;
  std::vector<std::uint8_t> moves;
  std::uint64_t expanded = 0;   // paths that words were put to
  std::uint64_t generated = 0;  // paths that this made, each of which was evaluated
  std::uint64_t stored = 0;     // paths that were kept
  std::uint64_t peak_bytes = 0;
};

// Moves that take `element` (where each place's content is) to the identity, if it is done; else what had been counted when
// a limit was reached, or `stop` said yes, which is asked once in a few hundred paths. Deterministic but for `stop`. Throws std::invalid_argument if the chain is not complete or the element
// is not in its group.
Descent descend(const WordChain& chain, const Permutation& element, const ChainSearchOptions& options,
                const WordChain::Stop& stop);

}  // namespace hstar
