#include "search/ida_star_run.hpp"
#include "tiles/tile_walk.hpp"

namespace hstar {

namespace {

template <class Walk>
Outcome run_with_lines(const SlidingTiles& puzzle, const Task& task, const TileLines& lines) {
  if (!lines.uses_walking()) return run_ida_star<LineWalk<Walk, true, false>>(puzzle, task, lines);
  if (!lines.uses_conflict()) return run_ida_star<LineWalk<Walk, false, true>>(puzzle, task, lines);
  return run_ida_star<LineWalk<Walk, true, true>>(puzzle, task, lines);
}

}  // namespace

Outcome ida_star_tiles(const SlidingTiles& puzzle, const Task& task) {
  const std::size_t cells = puzzle.slots();
  if (task.heuristic.lookup().empty()) {
    if (const auto lines = TileLines::of(puzzle, task.heuristic))
      return cells <= PackedTileWalk::kMaxCells ? run_with_lines<PackedTileWalk>(puzzle, task, *lines)
                                                : run_with_lines<ByteTileWalk<25>>(puzzle, task, *lines);
  }
  if (cells <= PackedTileWalk::kMaxCells) return run_ida_star<PackedTileWalk>(puzzle, task);
  if (cells <= 64) return run_ida_star<ByteTileWalk<64>>(puzzle, task);
  return run_ida_star<ByteTileWalk<256>>(puzzle, task);
}

}  // namespace hstar
