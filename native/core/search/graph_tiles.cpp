#include "search/graph_run.hpp"
#include "domains/byte_tiles.hpp"
#include "domains/packed_tiles.hpp"

namespace hstar {

namespace {

template <Domain D, Domain WithHeap = D>
Outcome run(GraphSearch search, const SlidingTiles& puzzle, const Task& task) {
  if (search == GraphSearch::greedy) return run_greedy<D, WithHeap>(puzzle, task);
  if (search == GraphSearch::breadth_first) return run_breadth_first<D>(puzzle, task);
  const auto against = [](std::uint8_t move) { return static_cast<std::uint8_t>(move ^ 2); };
  std::vector<std::uint8_t> backward;
  for (const std::uint8_t move : task.moves) backward.push_back(against(move));
  D forth(puzzle, task.heuristic, task.moves), back(puzzle, task.heuristic, backward);
  return bidirectional_search(forth, back, task, against);
}

}  // namespace

Outcome search_tiles(GraphSearch search, const SlidingTiles& puzzle, const Task& task) {
  const std::size_t cells = puzzle.slots();
  if (cells <= PackedTiles::kMaxCells) return run<PackedTiles>(search, puzzle, task);
  if (cells <= 35) return run<ByteTiles<capacity(35, 259)>>(search, puzzle, task);
  if (cells <= 83) return run<ByteTiles<capacity(83, 259)>, ByteTiles<259>>(search, puzzle, task);
  return run<ByteTiles<259>>(search, puzzle, task);
}

}  // namespace hstar
