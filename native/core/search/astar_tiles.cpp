#include "search/astar_run.hpp"
#include "tiles/byte_tiles.hpp"
#include "tiles/packed_tiles.hpp"

namespace hstar {

// Capacities make nodes of 24 bytes, or records of 32, 64, 128 and 260.
Outcome astar_tiles(const SlidingTiles& puzzle, const Task& task) {
  const std::size_t cells = puzzle.slots();
  if (cells <= PackedTiles::kMaxCells) return run_astar<PackedTiles>(puzzle, task);
  if (cells <= 28) return run_astar<ByteTiles<28>>(puzzle, task);
  if (cells <= 60) return run_astar<ByteTiles<60>>(puzzle, task);
  if (cells <= 124) return run_astar<ByteTiles<124>>(puzzle, task);
  return run_astar<ByteTiles<256>>(puzzle, task);
}

}  // namespace hstar
