#include "search/request.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <stdexcept>
#include <string>

namespace hstar {

void check_request(const Puzzle& puzzle, Bytes start, Bytes moves, const SearchOptions& options) {
  puzzle.check(start, "start");
  std::bitset<PermutationPuzzle::kMaxMoves> seen;
  for (const std::uint8_t move : moves) {
    if (move >= puzzle.move_count()) throw std::invalid_argument("no move " + std::to_string(move));
    if (seen[move]) throw std::invalid_argument("move " + std::to_string(move) + " appears twice");
    seen[move] = true;
  }
  if (!options.costs.empty() && options.costs.size() != moves.size())
    throw std::invalid_argument("there are " + std::to_string(options.costs.size()) + " costs for " +
                                std::to_string(moves.size()) + " moves");
  if (std::ranges::find(options.costs, 0) != options.costs.end())
    throw std::invalid_argument("a move costs 0, expected at least 1");
  if (!options.costs.empty() && options.partitions)
    throw std::invalid_argument("cost partitions are for moves that all cost 1");
  if (!std::isfinite(options.weight) || options.weight < 0)
    throw std::invalid_argument("weight is not a finite number of at least 0");
  if (!(options.limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
  if (options.threads < 1 || options.threads > SearchOptions::kMostThreads)
    throw std::invalid_argument("threads is " + std::to_string(options.threads) + ", expected 1 to " +
                                std::to_string(SearchOptions::kMostThreads));
}

}  // namespace hstar
