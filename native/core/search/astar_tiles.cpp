#include "search/astar_run.hpp"
#include "domains/byte_tiles.hpp"
#include "domains/lined_tiles.hpp"
#include "domains/packed_tiles.hpp"
#include "domains/summed_tiles.hpp"

namespace hstar {

// Capacities make nodes of 24 bytes, or records of 40, 72, 136 and 272.
Outcome astar_tiles(const SlidingTiles& puzzle, const Task& task) {
  const std::size_t cells = puzzle.slots();
  const bool packed = cells <= PackedTiles::kMaxCells;
  const Heuristic& heuristic = task.heuristic;
  const auto scale_of = [&](const HeuristicTable& lookup) {
    return BucketScale::of(heuristic, lookup, task.options.weight);
  };
  if (const auto lines = heuristic.lookup().empty() ? TileLines::of(puzzle, heuristic) : nullptr)
    if (const auto scale = scale_of(lines->lookup()))
      return packed ? astar_with_buckets<LinedTiles<PackedTiles>>(puzzle, task, *scale, *lines)
                    : astar_with_buckets<LinedTiles<ByteTiles<28>>>(puzzle, task, *scale, *lines);
  if (const auto sums = TileSums::of(puzzle, heuristic))
    if (const auto scale = scale_of(sums->lookup()))
      return astar_with_buckets<SummedTiles>(puzzle, task, *scale, *sums);
  if (const auto scale = scale_of(heuristic.lookup())) {
    if (packed) return astar_with_buckets<PackedTiles>(puzzle, task, *scale);
    if (cells <= 28) return astar_with_buckets<ByteTiles<capacity(28, 256)>>(puzzle, task, *scale);
    if (cells <= 60) return astar_with_buckets<ByteTiles<capacity(60, 256)>>(puzzle, task, *scale);
    if (cells <= 124) return astar_with_buckets<ByteTiles<capacity(124, 256)>>(puzzle, task, *scale);
    return astar_with_buckets<ByteTiles<256>>(puzzle, task, *scale);
  }
  if (packed) return astar_with_heap<PackedTiles>(puzzle, task);
  if (cells <= 28) return astar_with_heap<ByteTiles<capacity(28, 256)>>(puzzle, task);
  if (cells <= 60) return astar_with_heap<ByteTiles<capacity(60, 256)>>(puzzle, task);
  return astar_with_heap<ByteTiles<256>>(puzzle, task);
}

}  // namespace hstar
