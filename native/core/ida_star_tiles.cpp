#include "ida_star_run.hpp"
#include "tile_walk.hpp"

namespace hstar {

Outcome ida_star_tiles(const SlidingTiles& puzzle, const Task& task) {
  const std::size_t cells = puzzle.slots();
  if (cells <= PackedTileWalk::kMaxCells) return run_ida_star<PackedTileWalk>(puzzle, task);
  if (cells <= 64) return run_ida_star<ByteTileWalk<64>>(puzzle, task);
  return run_ida_star<ByteTileWalk<256>>(puzzle, task);
}

}  // namespace hstar
