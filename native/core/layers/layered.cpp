#include "layers/layered.hpp"

#include "layers/layered_run.hpp"
#include "layers/ranked_count.hpp"

namespace hstar {

namespace {

constexpr unsigned kNoDepth = ~0u;

Outcome run(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
            const LayerOptions& where, Control& control, bool counts, unsigned depth) {
  ArenaLease lease;
  return run_task(lease.arena(), start, moves, heuristic, options, control, [&](const Task& task) {
    const LayeredTask asked{task, where, false, counts, depth};
    if (const auto* tiles = dynamic_cast<const SlidingTiles*>(&heuristic.puzzle())) return layered_tiles(*tiles, asked);
    return layered_permutation(dynamic_cast<const PermutationPuzzle&>(heuristic.puzzle()), asked);
  });
}

}  // namespace

Outcome layered(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                const LayerOptions& where, Control& control) {
  return run(start, moves, heuristic, options, where, control, false, 0);
}

Outcome count_layers(std::shared_ptr<const Puzzle> puzzle, Bytes start, Bytes moves, std::optional<unsigned> depth,
                     const SearchOptions& options, const LayerOptions& where, Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    const Limits& limits = options.limits;
    if (!depth && limits.expanded == Limits::kNone && limits.generated == Limits::kNone) {
      check_request(*puzzle, start, moves, options);
      if (const auto space = RankedSpace::of(*puzzle, start, moves, limits.memory_bytes)) {
        trim_arena();
        if (auto counted = count_ranked(*space, options, where, control, begin)) return *std::move(counted);
      }
    }
    const Heuristic nothing(std::move(puzzle), {}, {{Op::constant}}, true, 0);
    return run(start, moves, nothing, options, where, control, true, depth.value_or(kNoDepth));
  });
}

}  // namespace hstar
