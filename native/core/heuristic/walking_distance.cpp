#include "heuristic/walking_distance.hpp"

#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

namespace hstar {

namespace {

std::vector<unsigned> goal_lines(const SlidingTiles& puzzle, bool rows) {
  std::vector<unsigned> lines(puzzle.slots());
  for (unsigned cell = 0; cell < puzzle.slots(); ++cell)
    lines[puzzle.goal()[cell]] = rows ? cell / puzzle.columns() : cell % puzzle.columns();
  return lines;
}

}  // namespace

WalkingDistance::WalkingDistance(const SlidingTiles& puzzle, const Stop& stop)
    : columns_(puzzle.columns()),
      goal_row_(goal_lines(puzzle, true)),
      goal_column_(goal_lines(puzzle, false)),
      rows_(puzzle.rows(), puzzle.columns(), goal_row_, stop),
      across_(puzzle.columns(), puzzle.rows(), goal_column_, stop) {}

WalkingDistance::Counts WalkingDistance::counts(Bytes board) const noexcept {
  Counts counts;
  unsigned cell = 0;
  for (const std::uint8_t tile : board) {
    if (tile != 0) {
      counts.rows += rows_.one(cell / columns_, goal_row_[tile]);
      counts.columns += across_.one(cell % columns_, goal_column_[tile]);
    }
    ++cell;
  }
  return counts;
}

int WalkingDistance::operator()(Bytes board) const noexcept {
  const Counts now = counts(board);
  return rows_.distance(now.rows) + across_.distance(now.columns);
}

WalkingDistance::Graph::Graph(unsigned lines, unsigned length, const std::vector<unsigned>& goal, const Stop& stop)
    : lines_(lines), bits_(static_cast<unsigned>(std::bit_width(length))) {
  if (std::uint64_t{bits_} * lines * lines > 63)
    throw std::invalid_argument("walking distance: the counts of " + std::to_string(lines) + " lines of " +
                                std::to_string(length) + " cells do not fit into 63 bits");
  std::uint64_t counts = 0;
  for (std::size_t tile = 1; tile < goal.size(); ++tile) counts += one(goal[tile], goal[tile]);
  search(counts, goal[0], stop);
}

void WalkingDistance::Graph::search(std::uint64_t goal, unsigned blank_line, const Stop& stop) {
  Pace pace(stop, 1 << 12);
  std::vector<std::pair<std::uint64_t, unsigned>> queue;  // counts by node, and the blank's line
  const auto add = [&](std::uint64_t counts, int distance, unsigned line) {
    Entry* entry = &table_[place(counts)];
    if (entry->counts != kEmpty) return entry->node;
    const auto node = static_cast<std::uint32_t>(queue.size());
    *entry = {counts, distance, node};
    queue.emplace_back(counts, line);
    distances_.push_back(distance);
    if (2 * queue.size() < table_.size()) return node;
    std::vector<Entry> full = std::move(table_);
    clear(2 * full.size());
    for (const Entry& known : full)
      if (known.counts != kEmpty) table_[place(known.counts)] = known;
    return node;
  };
  clear(16);
  add(goal, 0, blank_line);
  for (std::size_t at = 0; at < queue.size(); ++at) {
    pace.step();
    const auto [counts, line] = queue[at];
    next_.resize(next_.size() + width(), 0);
    for (const bool forward : {false, true}) {
      const unsigned other = forward ? line + 1 : line - 1;  // for the first line, line - 1 wraps round and is no line
      if (other >= lines_) continue;
      for (unsigned tile_line = 0; tile_line < lines_; ++tile_line) {
        const std::uint64_t tile = one(other, tile_line);
        const std::uint64_t digit = (tile << bits_) - tile;
        if ((counts & digit) == 0) continue;
        next_[at * width() + edge(forward, tile_line)] =
            add(counts - tile + one(line, tile_line), distances_[at] + 1, other);
      }
    }
  }
}

void WalkingDistance::Graph::clear(std::size_t places) {
  table_.assign(places, {});
  shift_ = 64 - static_cast<unsigned>(std::countr_zero(places));
}

std::size_t WalkingDistance::Graph::place(std::uint64_t counts) const noexcept {
  std::size_t at = counts * 0x9e3779b97f4a7c15 >> shift_;
  while (table_[at].counts != kEmpty && table_[at].counts != counts) at = (at + 1) & (table_.size() - 1);
  return at;
}

}  // namespace hstar
