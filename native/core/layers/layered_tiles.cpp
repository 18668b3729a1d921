#include "domains/byte_tiles.hpp"
#include "domains/lined_tiles.hpp"
#include "domains/packed_tiles.hpp"
#include "domains/summed_tiles.hpp"
#include "layers/layered_run.hpp"

namespace hstar {

namespace {

// Up 0, down 2; right 1, left 3.
std::uint8_t against(std::uint8_t move) { return static_cast<std::uint8_t>(move ^ 2); }

std::vector<std::uint8_t> backward(Bytes moves) {
  std::vector<std::uint8_t> found;
  for (const std::uint8_t move : moves) found.push_back(against(move));
  return found;
}

template <Domain D, class... More>
Outcome marked(const SlidingTiles& puzzle, const LayeredTask& asked, const More&... more) {
  const D domain(puzzle, asked.task.heuristic, asked.task.moves, more...);
  const D back(puzzle, asked.task.heuristic, backward(asked.task.moves), more...);
  return LayeredSearch<D, MarkedTiles>(domain, back, &against, MarkedTiles(puzzle.slots()), asked).run();
}

template <Domain D, unsigned... kWords>
Outcome unmarked(const SlidingTiles& puzzle, const LayeredTask& asked) {
  const D domain(puzzle, asked.task.heuristic, asked.task.moves);
  const D back(puzzle, asked.task.heuristic, backward(asked.task.moves));
  return run_layered<kWords...>(domain, back, &against, asked);
}

}  // namespace

Outcome layered_tiles(const SlidingTiles& puzzle, const LayeredTask& asked) {
  const Heuristic& heuristic = asked.task.heuristic;
  LayeredTask known = asked;
  known.inverses = std::ranges::all_of(asked.task.moves, [&](std::uint8_t move) {
    return std::ranges::find(asked.task.moves, against(move)) != asked.task.moves.end();
  });
  if (puzzle.slots() > 25) return unmarked<ByteTiles<259>, 4, 64>(puzzle, known);
  if (puzzle.slots() > PackedTiles::kMaxCells) return unmarked<ByteTiles<capacity(28, 259)>, 2>(puzzle, known);
  if (!known.inverses) return unmarked<PackedTiles, 1>(puzzle, known);
  if (const auto lines = heuristic.lookup().empty() ? TileLines::of(puzzle, heuristic) : nullptr)
    return marked<LinedTiles<PackedTiles>>(puzzle, known, *lines);
  if (const auto sums = TileSums::of(puzzle, heuristic)) return marked<SummedTiles>(puzzle, known, *sums);
  return marked<PackedTiles>(puzzle, known);
}

}  // namespace hstar
