#include "domains/domain.hpp"
#include "deepening/ida_star_run.hpp"
#include "deepening/tile_walk.hpp"

namespace hstar {

Outcome ida_star_tiles(const SlidingTiles& puzzle, const Task& task) {
  const std::size_t cells = puzzle.slots();
  const bool packed = cells <= PackedTileWalk::kMaxCells;
  if (const auto lines = task.heuristic.lookup().empty() ? TileLines::of(puzzle, task.heuristic) : nullptr)
    return packed ? run_ida_star<LineWalk<PackedTileWalk>>(puzzle, task, *lines)
                  : run_ida_star<LineWalk<ByteTileWalk<25>>>(puzzle, task, *lines);
  if (packed) return run_ida_star<PackedTileWalk>(puzzle, task);
  if (cells <= 64) return run_ida_star<ByteTileWalk<capacity(64, 256)>>(puzzle, task);
  return run_ida_star<ByteTileWalk<256>>(puzzle, task);
}

}  // namespace hstar
