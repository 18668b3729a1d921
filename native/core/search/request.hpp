// The common entry of all searches: checks the request, and turns lack of memory into an outcome.
#pragma once

#include <array>

#include "memory/arena.hpp"
#include "search/meter.hpp"

namespace hstar {

// A search to run. Everything has been checked, and the arena is open.
struct Task {
  Arena& arena;
  Bytes start, moves;
  const Heuristic& heuristic;
  const SearchOptions& options;
  Control& control;
  Clock::time_point begin;
};

// What moves cost, by their numbers in the puzzle.
class MoveCosts {
 public:
  explicit MoveCosts(const Task& task) noexcept : differ_(!task.options.costs.empty()) {
    of_.fill(1);
    for (std::size_t i = 0; i < task.options.costs.size(); ++i) of_[task.moves[i]] = task.options.costs[i];
  }
  // Whether a move may cost more than 1.
  bool differ() const noexcept { return differ_; }
  std::uint32_t operator[](std::uint8_t move) const noexcept { return of_[move]; }
  std::uint32_t of(Bytes moves) const noexcept {
    std::uint32_t sum = 0;
    for (const std::uint8_t move : moves) sum += of_[move];
    return sum;
  }

 private:
  const bool differ_;
  std::array<std::uint8_t, PermutationPuzzle::kMaxMoves> of_;
};

// Throws std::invalid_argument unless `start` is a state of the puzzle, `moves` are distinct moves of it, and the
// options are in range.
void check_request(const Puzzle& puzzle, Bytes start, Bytes moves, const SearchOptions& options);

// The outcome of `search(task)`, once the request has been checked and the arena is open.
template <class Search>
Outcome run_task(Arena& arena, Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                 Control& control, Search search) {
  return within_memory(control, [&](Clock::time_point begin) {
    check_request(heuristic.puzzle(), start, moves, options);
    const Interruption interruption(options.limits, control, begin);
    if (!arena.open(options.limits.memory_bytes, &interruption))
      return published(control, begin, interruption.ending().value_or(kOutOfMemory));
    return search(Task{arena, start, moves, heuristic, options, control, begin});
  });
}

}  // namespace hstar
