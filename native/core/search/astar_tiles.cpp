#include "search/astar_run.hpp"
#include "tiles/byte_tiles.hpp"
#include "tiles/lined_tiles.hpp"
#include "tiles/packed_tiles.hpp"

namespace hstar {

namespace {

template <class Tiles>
Outcome run_with_lines(const SlidingTiles& puzzle, const Task& task, const TileLines& lines) {
  if (!lines.uses_walking()) return run_astar<LinedTiles<Tiles, true, false>>(puzzle, task, lines);
  if (!lines.uses_conflict()) return run_astar<LinedTiles<Tiles, false, true>>(puzzle, task, lines);
  return run_astar<LinedTiles<Tiles, true, true>>(puzzle, task, lines);
}

}  // namespace

// These capacities make nodes of 24 bytes, or records of 40, 72, 136 and 272.
Outcome astar_tiles(const SlidingTiles& puzzle, const Task& task) {
  const std::size_t cells = puzzle.slots();
  if (task.heuristic.lookup().empty()) {
    if (const auto lines = TileLines::of(puzzle, task.heuristic))
      return cells <= PackedTiles::kMaxCells ? run_with_lines<PackedTiles>(puzzle, task, *lines)
                                             : run_with_lines<ByteTiles<28>>(puzzle, task, *lines);
  }
  if (cells <= PackedTiles::kMaxCells) return run_astar<PackedTiles>(puzzle, task);
  if (cells <= 28) return run_astar<ByteTiles<28>>(puzzle, task);
  if (cells <= 60) return run_astar<ByteTiles<60>>(puzzle, task);
  if (cells <= 124) return run_astar<ByteTiles<124>>(puzzle, task);
  return run_astar<ByteTiles<256>>(puzzle, task);
}

}  // namespace hstar
