// The first pieces of a puzzle brought home in stages, by a beam search of one move at a time.
//
// A stage brings all base points before a level home, again if they were home before. Its solutions, which may differ
// by a few moves, are where the next stage begins.
#pragma once

#include "anytime/chain_search.hpp"
#include "anytime/perimeter.hpp"
#include "anytime/piece_triples.hpp"
#include "anytime/stage_ranking.hpp"

namespace hstar {

// States of a stage with a ranking, to learn from.
struct StageSamples {
  std::vector<Permutation> starts;  // other elements that the beam begins with
  std::size_t of_layer = 0;         // so many states of each layer but the first
  std::vector<std::uint32_t> depths;
  std::vector<Point> places;  // of all pieces, of one state after another
};

struct StageOptions {
  std::vector<std::size_t> levels;  // in ascending order, above 0 and below the number of base points
  std::size_t width = 1000;         // states kept after each move
  std::size_t wider = 4;            // times as many if a stage finds no solution
  std::uint32_t weight = 7;         // of a move, beside the distances of triples
  std::size_t later = 5;            // moves after a stage's first solution in which others are found
  std::size_t patience = 30;        // the most moves of a stage
  std::size_t returned = 4;         // stages whose solutions are returned
  unsigned threads = 1;             // the result is the same with any number
  const StageRanking* ranking = nullptr;  // of the stage whose level is its number of pieces, beside the triples
  StageSamples* samples = nullptr;        // with these the stage with a ranking has `patience`, too
};

// Solutions of the last stages that were reached, at most `width` of each, shortest first; it may not reach the last
// level. Empty if a limit was reached first, which is then way.ending. Counts are added to those of `way`. At the level
// triples.ending(), if it is one, the other pieces are brought to their regions too. Deterministic but for `stop`,
// which several threads may call.
std::vector<Partial> search_stages(const PieceTriples& triples, const Permutation& element, const StageOptions& options,
                                   const Limits& limits, const Stop& stop, Descent& way);

// Searches the stages, then descends the chain from their solutions, or from the element if no stage was reached, with
// what is left of the limits. With perimeters the stages end on the level of the first, each perimeter reaches the
// level of the next, and the chain is only used if there is no path through all of them.
Descent descend_in_stages(const PieceTriples& triples, const WordChain& chain, const Permutation& element,
                          const StageOptions& options, const ChainSearchOptions& after, const Stop& stop,
                          std::span<const Perimeter* const> perimeters = {});

}  // namespace hstar
