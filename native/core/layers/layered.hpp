// Breadth-first searches that keep few layers, on all cores, and on the disk what does not fit into memory.
#pragma once

#include <optional>
#include <string>

#include "search/search.hpp"

namespace hstar {

struct LayerOptions {
  std::string directory;         // for files; empty: memory only
  std::uint64_t disk_bytes = 0;  // the most that the files may take
  std::string key;               // of the question: a checkpoint with another key is not gone on from
  double checkpoint_seconds = 2;  // the least time between two
};

// Breadth-first heuristic search (Zhou and Hansen, Artificial Intelligence 170, 2006) below rising bounds on f
// (breadth-first iterative-deepening A*): the solution is a shortest one if h is admissible. Its counts do not depend
// on the number of threads. `stored`: most states held at one time, as seen after each layer; `max_open`: the largest
// layer. Throws std::invalid_argument if the directory is of no use.
Outcome layered(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                const LayerOptions& where, Control& control);

// How many states are at each distance from `start`, up to `depth`, or all: `layers` of the outcome. Status exhausted:
// there are no more; solved: there are more at a greater distance. If all are counted, without limits of expansions,
// the states have numbers (layers/ranked_space.hpp), and a table of two bits for each fits into the memory, and twice
// into the directory if there is one, then that is used.
Outcome count_layers(std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves, std::optional<unsigned> depth,
                     const SearchOptions& options, const LayerOptions& where, Control& control);

}  // namespace hstar
