#include "domains/tile_lines.hpp"

#include <algorithm>

namespace hstar {

namespace {

constexpr std::uint64_t kMostNumbers = 1u << 18;
constexpr unsigned kBase = TileLines::kMostLength + 1;
constexpr unsigned kNoLine = 2 * TileLines::kMostLength;

constexpr unsigned power(unsigned exponent) noexcept { return exponent == 0 ? 1 : kBase * power(exponent - 1); }

}  // namespace

std::unique_ptr<const TileLines> TileLines::of(const SlidingTiles& puzzle, const Heuristic& heuristic) {
  using Kind = Feature::Kind;
  const unsigned rows = puzzle.rows(), columns = puzzle.columns();
  if (!heuristic.needs_at_most({Kind::linear_conflict, Kind::walking_distance})) return nullptr;
  const bool conflict = heuristic.uses(Kind::linear_conflict), walking = heuristic.uses(Kind::walking_distance);
  // On boards one cell wide, some counts of walking distance have no node.
  if (std::max(rows, columns) > kMostLength || std::min(rows, columns) < 2) return nullptr;
  // A line of n tiles keeps at least one.
  const std::uint32_t conflicts = conflict ? rows * (columns - 1) + columns * (rows - 1) + 1 : 1;
  std::uint32_t distances = 1;
  if (walking) {
    const WalkingDistance& distance = *heuristic.walking_distance();
    distances += static_cast<std::uint32_t>(distance.rows().most() + distance.columns().most());
  }
  if (std::uint64_t{heuristic.raw_size()} * conflicts * distances > kMostNumbers) return nullptr;
  return std::unique_ptr<const TileLines>(new TileLines(puzzle, heuristic, conflicts, distances));
}

TileLines::TileLines(const SlidingTiles& puzzle, const Heuristic& heuristic, std::uint32_t conflicts,
                     std::uint32_t distances)
    : heuristic_(heuristic),
      cells_(puzzle.slots()),
      rows_(puzzle.rows()),
      columns_(puzzle.columns()),
      home_(cells_),
      changes_(cells_ * SlidingTiles::kMoves * cells_),
      parts_(cells_ * cells_) {
  const std::uint32_t raws = heuristic.raw_size();
  std::vector<double> lookup;
  for (std::uint32_t number = 0; number < raws * conflicts * distances; ++number)
    lookup.push_back(heuristic.value(number % raws, static_cast<int>(2 * (number / raws % conflicts)),
                                     static_cast<int>(number / raws / conflicts)));
  lookup_ = HeuristicTable(std::move(lookup));
  for (unsigned cell = 0; cell < cells_; ++cell) home_[puzzle.goal()[cell]] = cell;
  if (conflicts > 1) conflict_stride_ = raws;
  if (distances > 1) walking_stride_ = raws * conflicts;

  conflict_.resize(power(kMostLength));
  for (unsigned code = 0; code < conflict_.size(); ++code) {
    std::vector<std::uint8_t> places;
    for (unsigned rest = code; rest > 0; rest /= kBase)
      if (rest % kBase != 0) places.push_back(static_cast<std::uint8_t>(rest % kBase));
    conflict_[code] = conflict_stride_ * static_cast<std::uint32_t>(tiles_to_leave(places));
  }
  if (walking_stride_ != 0) {
    for (const std::size_t i : {0, 1}) {
      const auto& graph = i == 0 ? heuristic.walking_distance()->rows() : heuristic.walking_distance()->columns();
      next_[i] = graph.next();
      width_[i] = graph.width();
      for (std::uint32_t node = 0; node < graph.size(); ++node)
        walked_[i].push_back(walking_stride_ * static_cast<std::uint32_t>(graph.distance_of(node)));
    }
  }
  for (unsigned cell = 0; cell < cells_; ++cell) {
    const unsigned row = cell / columns_, column = cell % columns_;
    for (unsigned tile = 0; tile < cells_; ++tile) {
      Part& part = parts_[cell * cells_ + tile];
      part.row = static_cast<std::uint8_t>(row);
      part.column = static_cast<std::uint8_t>(rows_ + column);
      if (tile == 0) continue;
      part.row_code = code(part.row, cell, tile);
      part.column_code = code(part.column, cell, tile);
      if (walking_stride_ == 0) continue;
      part.counts = {heuristic.walking_distance()->rows().one(row, home_[tile] / columns_),
                     heuristic.walking_distance()->columns().one(column, home_[tile] % columns_)};
    }
  }
  for (unsigned blank = 0; blank < cells_; ++blank)
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move)
      if (puzzle.neighbour(blank, move) != SlidingTiles::kNoCell)
        for (unsigned tile = 1; tile < cells_; ++tile) add_change(puzzle, blank, move, tile);
}

// What a tile in a cell adds to the code of that cell's line: 0 unless it is the tile's goal line.
std::uint16_t TileLines::code(unsigned line, unsigned cell, unsigned tile) const noexcept {
  const bool row = line < rows_;
  const auto place = [&](unsigned at) { return row ? at % columns_ : at / columns_; };
  const unsigned home_line = row ? home_[tile] / columns_ : rows_ + home_[tile] % columns_;
  return static_cast<std::uint16_t>(home_line == line ? (place(home_[tile]) + 1) * power(place(cell)) : 0);
}

void TileLines::add_change(const SlidingTiles& puzzle, unsigned blank, unsigned move, unsigned tile) {
  const unsigned from = puzzle.neighbour(blank, move);
  const auto row = [&](unsigned cell) { return cell / columns_; };
  const auto column = [&](unsigned cell) { return rows_ + cell % columns_; };
  const bool vertical = row(from) != row(blank);
  Change& change = changes_[(blank * SlidingTiles::kMoves + move) * cells_ + tile];
  change.raw = heuristic_.share(blank, tile) - heuristic_.share(from, tile) + heuristic_.share(from, 0) -
              heuristic_.share(blank, 0);
  change.along = static_cast<std::uint8_t>(vertical ? column(from) : row(from));
  change.along_code = static_cast<std::uint16_t>(code(change.along, blank, tile) - code(change.along, from, tile));
  const unsigned left = vertical ? row(from) : column(from), entered = vertical ? row(blank) : column(blank);
  const std::uint16_t gone = code(left, from, tile), come = code(entered, blank, tile);
  change.across = static_cast<std::uint8_t>(gone != 0 ? left : come != 0 ? entered : kNoLine);
  change.across_code = static_cast<std::uint16_t>(come - gone);
  change.graph = vertical ? 0 : 1;
  if (walking_stride_ == 0) return;
  const WalkingDistance& distance = *heuristic_.walking_distance();
  const bool forward = from > blank;
  change.edge = static_cast<std::uint8_t>(vertical ? distance.rows().edge(forward, home_[tile] / columns_)
                                                  : distance.columns().edge(forward, home_[tile] % columns_));
}

TileLines::State TileLines::state(Bytes board) const noexcept {
  State state;
  WalkingDistance::Counts counts;
  for (std::size_t cell = 0; cell < cells_; ++cell) {
    const Part& part = parts_[cell * cells_ + board[cell]];
    state.code[part.row] = static_cast<std::uint16_t>(state.code[part.row] + part.row_code);
    state.code[part.column] = static_cast<std::uint16_t>(state.code[part.column] + part.column_code);
    counts.rows += part.counts.rows;
    counts.columns += part.counts.columns;
  }
  if (walking_stride_ != 0) {
    const WalkingDistance& distance = *heuristic_.walking_distance();
    state.node = {distance.rows().node(counts.rows), distance.columns().node(counts.columns)};
  }
  return state;
}

std::uint32_t TileLines::number(Bytes board) const noexcept {
  const State lines = state(board);
  std::uint32_t number = heuristic_.raw(board);
  for (unsigned line = 0; line < rows_ + columns_; ++line) number += conflict_[lines.code[line]];
  if (walking_stride_ != 0) number += walked_[0][lines.node[0]] + walked_[1][lines.node[1]];
  return number;
}

}  // namespace hstar
