// Solutions from a chain of stabilisers: a beam goes down it, one base point after another, with all words of each.
#pragma once

#include <optional>

#include "anytime/word_chain.hpp"

namespace hstar {

struct ChainSearchOptions {
  std::size_t width = 1000;  // paths kept on each level
  double outlook = 0.25;     // weight of what the rest of the way would take, were each base point to be brought home alone
};

struct Descent {
  std::vector<std::uint8_t> moves;
  std::uint64_t expanded = 0;   // paths that words were put to
  std::uint64_t generated = 0;  // paths that this made
};

// Moves that take `element` (where each place's content is) to the identity; nothing if `stop` said yes, which is asked
// once in a few thousand paths. Deterministic. Throws std::invalid_argument if the chain is not complete or the element
// is not in its group.
std::optional<Descent> descend(const WordChain& chain, const Permutation& element,
                                                 const ChainSearchOptions& options, const WordChain::Stop& stop);

}  // namespace hstar
