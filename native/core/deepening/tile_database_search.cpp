#include "deepening/tile_database_search.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "deepening/depth_first.hpp"
#include "tiles/tile_reader.hpp"

namespace hstar {

namespace {

// What the walkers share.
struct Board {
  Board(Bytes board, const TileHeuristic& heuristic, unsigned most) : start(board), reader(heuristic), longest(most) {
    const SlidingTiles& puzzle = heuristic.puzzle();
    for (unsigned cell = 0; cell < puzzle.slots(); ++cell)
      for (unsigned move = 0; move < SlidingTiles::kMoves; ++move)
        beside[cell][move] = static_cast<std::uint16_t>(puzzle.neighbour(cell, move));
  }
  const Bytes start;
  const TileReader reader;
  const unsigned longest;
  std::array<std::array<std::uint16_t, SlidingTiles::kMoves>, TilePattern::kMaxCells> beside{};
};

// One thread's board at the end of its path. A row is the last move, so that it is not undone; kMoves: none.
class TileWalker : public DepthFirst<TileWalker> {
 public:
  static constexpr std::uint64_t kWorthThreads = 100'000;
  static constexpr unsigned kMaxDepth = 1000;

  TileWalker(const Board& board, SharedMeter& shared)
      : DepthFirst(shared, SlidingTiles::kMoves),
        board_(board),
        reader_(board.reader),
        views_(reader_.views()),
        parts_(reader_.parts()) {
    to_start();
  }

  // A lower bound on the distance of the start.
  unsigned root_bound() const noexcept {
    return manhattan_ + 2 * *std::max_element(sum_.begin(), sum_.begin() + views_);
  }

  // Throws std::invalid_argument unless these moves can be made from the start.
  std::uint32_t row_of(Bytes path) const {
    auto blank = static_cast<std::size_t>(std::ranges::find(board_.start, std::uint8_t{0}) - board_.start.begin());
    for (const std::uint8_t move : path) {
      if (move >= SlidingTiles::kMoves || board_.beside[blank][move] == SlidingTiles::kNoCell)
        throw std::invalid_argument("the root of the part is not below the start");
      blank = board_.beside[blank][move];
    }
    return path.empty() ? SlidingTiles::kMoves : path.back();
  }

  unsigned take_next() noexcept {
    const unsigned next = DepthFirst::take_next();
    return next > board_.longest ? kNoBound : next;
  }

 private:
  friend DepthFirst<TileWalker>;

  // A successor: which entry of which part each view reads, and what it says.
  struct Child {
    unsigned move, from, tile, manhattan;
    std::array<std::uint64_t, TileHeuristic::kMaxViews> rank;
    std::array<std::uint8_t, TileHeuristic::kMaxViews> excess;
  };

  void to_start() noexcept {
    manhattan_ = 0;
    for (unsigned cell = 0; cell < board_.start.size(); ++cell) {
      const unsigned tile = board_.start[cell];
      tile_[cell] = static_cast<std::uint8_t>(tile);
      at_[tile] = static_cast<std::uint8_t>(cell);
      if (tile != 0) manhattan_ += reader_.manhattan(tile, cell);
    }
    read();
  }
  // All entries of the board.
  void read() noexcept {
    sum_.fill(0);
    for (std::size_t v = 0; v < views_; ++v)
      for (std::size_t p = 0; p < parts_; ++p)
        sum_[v] += excess_[v][p] = static_cast<std::uint8_t>(reader_.excess(v, p, reader_.rank(v, p, at_)));
  }

  void enter() noexcept {
    to_start();
    for (const std::uint8_t move : path()) {
      const unsigned from = board_.beside[at_[0]][move], tile = tile_[from];
      manhattan_ += reader_.manhattan(tile, at_[0]) - reader_.manhattan(tile, from);
      slide(tile, from, at_[0]);
    }
    read();
  }
  bool is_goal() const noexcept { return manhattan_ == 0; }

  // Inlined, because a second call an expansion takes 5 % of the time.
  template <class Visit>
  [[gnu::always_inline]] bool each_successor(std::uint32_t last, unsigned depth, Visit visit) {
    std::array<Child, SlidingTiles::kMoves> children;
    const unsigned count = look_up(depth, last, children);
    for (unsigned i = 0; i < count; ++i) {
      Child& child = children[i];
      const unsigned blank = at_[0], manhattan = std::exchange(manhattan_, child.manhattan);
      slide(child.tile, child.from, blank);
      exchange(child);
      if (visit(static_cast<std::uint8_t>(child.move), child.move)) return true;
      exchange(child);
      slide(child.tile, blank, child.from);
      manhattan_ = manhattan;
      if (stopping()) return false;
    }
    return false;
  }

  // The successors that are not too far, and how many there are. A read of the databases is most often a cache miss, so
  // all are prefetched before the first.
  unsigned look_up(unsigned g, unsigned last, std::array<Child, SlidingTiles::kMoves>& children) noexcept {
    const unsigned blank = at_[0];
    unsigned count = 0, fitting = 0;
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
      const unsigned from = board_.beside[blank][move];
      if (from == SlidingTiles::kNoCell || (move ^ 2) == last) continue;
      Child& child = children[count++];
      child.move = move;
      child.from = from;
      child.tile = tile_[from];
      child.manhattan = manhattan_ + reader_.manhattan(child.tile, blank) - reader_.manhattan(child.tile, from);
      at_[child.tile] = static_cast<std::uint8_t>(blank);
      for (std::size_t v = 0; v < views_; ++v) {
        const unsigned part = reader_.part(v, child.tile);
        if (part == TileReader::kNoPart) continue;
        child.rank[v] = reader_.rank(v, part, at_);
        reader_.prefetch(v, part, child.rank[v]);
      }
      at_[child.tile] = static_cast<std::uint8_t>(from);
    }
    count_generated(count);
    unsigned farthest = 0;
    for (unsigned i = 0; i < count; ++i) {
      Child& child = children[i];
      unsigned most = 0;
      for (std::size_t v = 0; v < views_; ++v) {
        unsigned sum = sum_[v];
        if (const unsigned part = reader_.part(v, child.tile); part != TileReader::kNoPart) {
          child.excess[v] = static_cast<std::uint8_t>(reader_.excess(v, part, child.rank[v]));
          sum += child.excess[v] - excess_[v][part];
        }
        most = std::max(most, sum);
      }
      const unsigned f = g + 1 + child.manhattan + 2 * most;
      farthest = std::max(farthest, f);
      if (f <= bound())
        children[fitting++] = child;
      else
        prune(f);
    }
    if (farthest > bound() + 2) {  // so this state itself is too far
      prune(farthest - 2);
      return 0;
    }
    return fitting;
  }

  void slide(unsigned tile, unsigned from, unsigned to) noexcept {
    tile_[to] = static_cast<std::uint8_t>(tile);
    tile_[from] = 0;
    at_[tile] = static_cast<std::uint8_t>(to);
    at_[0] = static_cast<std::uint8_t>(from);
  }
  // Keeps in the child what it replaces.
  void exchange(Child& child) noexcept {
    for (std::size_t v = 0; v < views_; ++v) {
      const unsigned part = reader_.part(v, child.tile);
      if (part == TileReader::kNoPart) continue;
      sum_[v] += child.excess[v] - excess_[v][part];
      std::swap(excess_[v][part], child.excess[v]);
    }
  }

  const Board& board_;
  const TileReader& reader_;
  const std::size_t views_, parts_;
  TileReader::Positions tile_{}, at_{};  // the tile in each cell, and the cell of each tile
  std::array<std::array<std::uint8_t, TileHeuristic::kMaxDatabases>, TileHeuristic::kMaxViews> excess_{};
  std::array<unsigned, TileHeuristic::kMaxViews> sum_{};  // of the excesses
  unsigned manhattan_ = 0;
};

}  // namespace

Outcome tile_ida_star(Bytes start, const TileHeuristic& heuristic, const Limits& limits, unsigned threads,
                      Control& control, unsigned longest, const std::optional<Part>& part) {
  return within_memory(control, [&](Clock::time_point begin) {
    heuristic.puzzle().check(start, "start");
    if (!(limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
    if (threads == 0 || threads > SearchOptions::kMostThreads)
      throw std::invalid_argument("threads is not from 1 to 64");
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    if (const auto ending = meter.poll()) return meter.finish(*ending);
    const Board board(start, heuristic, longest);
    Outcome outcome = deepen(
        meter, threads, SlidingTiles::kMoves, part,
        [&](SharedMeter& shared) { return std::make_unique<TileWalker>(board, shared); },
        [&](const TileWalker& walker) {
          return walker.root_bound() > longest ? TileWalker::kNoBound : walker.root_bound();
        });
    if (outcome.status == Status::exhausted && !part) outcome.f_bound = longest + 1.0;
    return outcome;
  });
}

}  // namespace hstar
