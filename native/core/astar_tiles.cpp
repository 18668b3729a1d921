#include "astar_run.hpp"
#include "byte_tiles.hpp"
#include "packed_tiles.hpp"

namespace hstar {

// Capacities make nodes of 24, 48, 96, 144 and 272 bytes.
Outcome astar_tiles(const SlidingTiles& puzzle, const Task& task) {
  const std::size_t cells = puzzle.slots();
  if (cells <= PackedTiles::kMaxCells) return run_astar<PackedTiles>(puzzle, task);
  if (cells <= 35) return run_astar<ByteTiles<35>>(puzzle, task);
  if (cells <= 83) return run_astar<ByteTiles<83>>(puzzle, task);
  if (cells <= 131) return run_astar<ByteTiles<131>>(puzzle, task);
  return run_astar<ByteTiles<259>>(puzzle, task);
}

}  // namespace hstar
