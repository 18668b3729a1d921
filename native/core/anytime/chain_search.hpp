// Solutions from a chain of stabilisers: a beam search that brings one base point home after another, trying all its
// words.
#pragma once

#include <span>

#include "anytime/word_chain.hpp"
#include "search/search.hpp"

namespace hstar {

struct ChainSearchOptions {
  std::size_t width = 1000;  // paths kept on each level
  double outlook = 0.25;     // weight of the estimate for the remaining base points, each brought home alone
  Limits limits{};           // of memory: of paths and candidates
};

struct Descent {
  enum class Ending { kDone, kStopped, kExpanded, kGenerated, kMemory };
  Ending ending = Ending::kStopped;
  std::vector<std::uint8_t> moves;
  std::uint64_t expanded = 0;   // paths that were extended by words
  std::uint64_t generated = 0;  // the extended paths, all of which were evaluated
  std::uint64_t stored = 0;     // paths that were kept
  std::uint64_t peak_bytes = 0;
};

// Moves that bring base[0..level) home.
struct Partial {
  std::size_t level = 0;
  std::vector<std::uint8_t> moves;
};

// Moves that take `element` (where each place's content is) to the identity. If a limit is reached first, or `stop`
// returns true (it is asked once in a few hundred paths): the counts so far. Deterministic but for `stop`. Throws
// std::invalid_argument if the chain is not complete or the element is not in its group. Begins from the partial
// solutions, each on its level, which must be one of the chain's; from the element itself if there are none.
Descent descend(const WordChain& chain, const Permutation& element, const ChainSearchOptions& options,
                const Stop& stop, std::span<const Partial> partials = {});

}  // namespace hstar
