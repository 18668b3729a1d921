#include "domains/tile_sums.hpp"

#include <algorithm>

namespace hstar {

namespace {

constexpr std::uint64_t kMostSums = 1u << 18;

// The largest value there can be: all tiles as far away as can be, and all excesses at their limit.
unsigned most_value(const TileHeuristic& databases) {
  unsigned most = 0;
  for (const auto& database : databases.databases()) {
    most += 2 * Packing{4}.unreachable();
    for (unsigned tile = 0; tile < database->pattern.tiles().size(); ++tile) {
      unsigned farthest = 0;
      for (unsigned cell = 0; cell < databases.puzzle().slots(); ++cell)
        farthest = std::max(farthest, database->pattern.manhattan(tile, cell));
      most += farthest;
    }
  }
  return most;
}

// Then all views have the same Manhattan distance, and differ in the excesses alone.
bool all_tiles_are_in_parts(const TileHeuristic& databases) {
  return std::ranges::all_of(databases.views(), [&](const TileHeuristic::View& view) {
    return std::all_of(view.place.begin() + 1,
                       view.place.begin() + static_cast<std::ptrdiff_t>(databases.puzzle().slots()),
                       [](std::uint8_t place) { return place != TileHeuristic::kNoPlace; });
  });
}

}  // namespace

std::unique_ptr<const TileSums> TileSums::of(const SlidingTiles& puzzle, const Heuristic& heuristic) {
  const auto* databases = dynamic_cast<const TileHeuristic*>(heuristic.only_database());
  if (databases == nullptr || puzzle.slots() > kMostCells || !all_tiles_are_in_parts(*databases)) return nullptr;
  const std::uint32_t values = most_value(*databases) + 1;
  if (std::uint64_t{heuristic.raw_size()} * values > kMostSums) return nullptr;
  return std::unique_ptr<const TileSums>(new TileSums(heuristic, *databases, values));
}

TileSums::TileSums(const Heuristic& heuristic, const TileHeuristic& databases, std::uint32_t values)
    : heuristic_(heuristic), databases_(databases), reader_(databases) {
  std::vector<double> lookup;
  lookup.reserve(stride() * values);
  for (std::uint32_t value = 0; value < values; ++value)
    for (std::uint32_t raw = 0; raw < stride(); ++raw) lookup.push_back(heuristic.value_with(raw, value));
  lookup_ = HeuristicTable(std::move(lookup));
}

void TileSums::prefetch(const Positions& at, Entries& entries) const noexcept {
  for (std::size_t v = 0; v < reader_.views(); ++v)
    for (std::size_t p = 0; p < reader_.parts(); ++p) {
      entries.rank[v][p] = reader_.rank(v, p, at);
      reader_.prefetch(v, p, entries.rank[v][p]);
    }
}

void TileSums::prefetch(Positions& at, Slide& slide) const noexcept {
  at[slide.tile] = static_cast<std::uint8_t>(slide.to);
  for (std::size_t v = 0; v < reader_.views(); ++v) {
    const unsigned part = reader_.part(v, slide.tile);
    slide.rank[v] = reader_.rank(v, part, at);
    reader_.prefetch(v, part, slide.rank[v]);
  }
  at[slide.tile] = static_cast<std::uint8_t>(slide.from);
}

void TileSums::read(Entries& entries) const noexcept {
  entries.most = 0;
  for (std::size_t v = 0; v < reader_.views(); ++v) {
    unsigned sum = 0;
    for (std::size_t p = 0; p < reader_.parts(); ++p) {
      const unsigned excess = reader_.excess(v, p, entries.rank[v][p]);
      entries.excess[v][p] = static_cast<std::uint8_t>(excess);
      sum += excess;
    }
    entries.sum[v] = sum;
    entries.most = std::max(entries.most, sum);
  }
}

std::uint32_t TileSums::change(const Entries& entries, const Slide& slide) const noexcept {
  unsigned most = 0;
  for (std::size_t v = 0; v < reader_.views(); ++v) {
    const unsigned part = reader_.part(v, slide.tile);
    most = std::max(most, entries.sum[v] - entries.excess[v][part] + reader_.excess(v, part, slide.rank[v]));
  }
  return stride() * (reader_.manhattan(slide.tile, slide.to) - reader_.manhattan(slide.tile, slide.from) +
                     2 * (most - entries.most));
}

}  // namespace hstar
