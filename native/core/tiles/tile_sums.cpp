#include "tiles/tile_sums.hpp"

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

}  // namespace

std::unique_ptr<const TileSums> TileSums::of(const SlidingTiles& puzzle, const Heuristic& heuristic) {
  const auto* databases = dynamic_cast<const TileHeuristic*>(heuristic.only_database());
  if (databases == nullptr || puzzle.slots() > kMostCells) return nullptr;
  const std::uint32_t values = most_value(*databases) + 1;
  if (std::uint64_t{heuristic.raw_size()} * values > kMostSums) return nullptr;
  return std::unique_ptr<const TileSums>(new TileSums(heuristic, *databases, values));
}

TileSums::Part::Part(const TileDatabase& database)
    : table(database.table.data()),
      tiles(database.pattern.tiles().size()),
      weights(database.pattern.weights()),
      manhattan{} {
  for (unsigned tile = 0; tile < tiles; ++tile)
    for (unsigned cell = 0; cell < database.pattern.puzzle().slots(); ++cell)
      manhattan[tile][cell] = static_cast<std::uint8_t>(database.pattern.manhattan(tile, cell));
}

TileSums::TileSums(const Heuristic& heuristic, const TileHeuristic& databases, std::uint32_t values)
    : heuristic_(heuristic), databases_(databases), views_(databases.views()) {
  for (const auto& database : databases.databases()) parts_.emplace_back(*database);
  std::vector<double> lookup;
  lookup.reserve(stride() * values);
  for (std::uint32_t value = 0; value < values; ++value)
    for (std::uint32_t raw = 0; raw < stride(); ++raw) lookup.push_back(heuristic.value_with(raw, value));
  lookup_ = HeuristicTable(std::move(lookup));
}

void TileSums::place(Bytes board, State& state) const noexcept {
  for (std::size_t v = 0; v < views_.size(); ++v) {
    std::uint8_t* const cells = state.cells[v].data();
    for (std::size_t cell = 0; cell < board.size(); ++cell) {
        const unsigned tile = board[cell];
        cells[views_[v].place[tile]] = views_[v].cell[tile][cell];
      }
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      state.rank[v][number] = parts_[number].rank(cells + number * TilePattern::kMaxTiles);
      parts_[number].prefetch(state.rank[v][number]);
    }
  }
}

void TileSums::look_up(State& state) const noexcept {
  state.most = 0;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    unsigned value = 0;
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      const Part& part = parts_[number];
      const std::uint8_t* const own = state.cells[v].data() + number * TilePattern::kMaxTiles;
      for (std::size_t tile = 0; tile < part.tiles; ++tile) value += part.manhattan[tile][own[tile]];
      state.excess[v][number] = static_cast<std::uint8_t>(part.excess(state.rank[v][number]));
      value += 2u * state.excess[v][number];
    }
    state.value[v] = value;
    state.most = std::max(state.most, value);
  }
}

void TileSums::ask(State& state, unsigned tile, unsigned from, unsigned blank, Query& query) const noexcept {
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const std::size_t place = views_[v].place[tile];
    if (place == TileHeuristic::kNoPlace) continue;
    const std::size_t number = place / TilePattern::kMaxTiles;
    std::uint8_t* const cells = state.cells[v].data();
    cells[place] = views_[v].cell[tile][blank];
    query.rank[v] = parts_[number].rank(cells + number * TilePattern::kMaxTiles);
    cells[place] = views_[v].cell[tile][from];
    parts_[number].prefetch(query.rank[v]);
  }
}

unsigned TileSums::value(const State& state, unsigned tile, unsigned from, unsigned blank,
                         const Query& query) const noexcept {
  unsigned most = 0;
  for (std::size_t v = 0; v < views_.size(); ++v) {
    const TileHeuristic::View& view = views_[v];
    unsigned value = state.value[v];
    if (const std::size_t place = view.place[tile]; place != TileHeuristic::kNoPlace) {
      const Part& part = parts_[place / TilePattern::kMaxTiles];
      const auto& manhattan = part.manhattan[place % TilePattern::kMaxTiles];
      value += 2 * part.excess(query.rank[v]) + manhattan[view.cell[tile][blank]];
      value -= 2u * state.excess[v][place / TilePattern::kMaxTiles] + manhattan[view.cell[tile][from]];
    }
    most = std::max(most, value);
  }
  return most;
}

}  // namespace hstar
