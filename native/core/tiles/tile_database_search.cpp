#include "tiles/tile_database_search.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "search/deepening.hpp"
#include "tiles/tile_reader.hpp"

namespace hstar {

namespace {

constexpr unsigned kMaxDepth = 1000;

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

// One thread's state, path and counters.
class TileWalker {
 public:
  using Bound = unsigned;
  static constexpr unsigned kNoBound = std::numeric_limits<unsigned>::max();
  static constexpr std::uint64_t kWorthThreads = 100'000;

  TileWalker(const Board& board, SharedMeter& shared)
      : board_(board), reader_(board.reader), views_(reader_.views()), parts_(reader_.parts()), shared_(shared) {
    begin();
  }

  // A lower bound on the distance of the start.
  unsigned root_bound() const noexcept { return manhattan_ + 2 * *std::max_element(sum_.begin(), sum_.begin() + views_); }

  // Depth first below a task with `bound` moves in all.
  bool search(const Subtree& task, unsigned bound, const Order& order) {
    const Settled settled{*this};
    if (bound > kMaxDepth) shared_.end(kOutOfMemory);  // the path is full
    enter(task, bound, &order);
    return dive(static_cast<unsigned>(task.moves.size()), last_of(task));
  }
  bool split(const Subtree& task, unsigned bound, std::vector<Subtree>& next) {
    const Settled settled{*this};
    enter(task, bound, nullptr);
    if (manhattan_ == 0 || !may_expand()) return false;
    std::array<Child, SlidingTiles::kMoves> children;
    const unsigned count = look_up(static_cast<unsigned>(task.moves.size()), last_of(task), children);
    for (unsigned i = 0; i < count; ++i) {
      next.push_back({task.moves, 0});
      next.back().moves.push_back(static_cast<std::uint8_t>(children[i].move));
    }
    return true;
  }

  unsigned take_next() {
    const unsigned next = std::exchange(next_bound_, kNoBound);
    return next > board_.longest ? kNoBound : next;
  }
  std::vector<std::uint8_t> path() const { return path_; }

 private:
  // Hands back what was granted, however a task ends.
  struct Settled {
    TileWalker& walker;
    ~Settled() { walker.shared_.settle(walker.part_); }
  };
  // A successor: which entry of which part each view reads, and what it says.
  struct Child {
    unsigned move, from, tile, manhattan;
    std::array<std::uint64_t, TileHeuristic::kMaxViews> rank;
    std::array<std::uint8_t, TileHeuristic::kMaxViews> excess;
  };

  static unsigned last_of(const Subtree& task) { return task.moves.empty() ? SlidingTiles::kMoves : task.moves.back(); }

  void begin() noexcept {
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

  void enter(const Subtree& task, unsigned bound, const Order* order) {
    order_ = order;
    bound_ = bound;
    stopping_ = false;
    begin();
    for (const std::uint8_t move : task.moves) {
      const unsigned from = board_.beside[at_[0]][move], tile = tile_[from];
      manhattan_ += reader_.manhattan(tile, at_[0]) - reader_.manhattan(tile, from);
      slide(tile, from, at_[0]);
    }
    read();
    path_ = task.moves;
  }

  bool dive(unsigned g, unsigned last) {
    if (manhattan_ == 0) return true;  // never before g is the bound
    if (!may_expand()) return false;
    std::array<Child, SlidingTiles::kMoves> children;
    const unsigned count = look_up(g, last, children);
    for (unsigned i = 0; i < count; ++i) {
      Child& child = children[i];
      const unsigned blank = at_[0], manhattan = std::exchange(manhattan_, child.manhattan);
      slide(child.tile, child.from, blank);
      exchange(child);
      path_.push_back(static_cast<std::uint8_t>(child.move));
      if (dive(g + 1, child.move)) return true;
      path_.pop_back();
      exchange(child);
      slide(child.tile, blank, child.from);
      manhattan_ = manhattan;
      if (stopping_) return false;
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
    part_.generated += count;
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
      if (f <= bound_)
        children[fitting++] = child;
      else
        next_bound_ = std::min(next_bound_, f);
    }
    if (farthest > bound_ + 2) {  // so this state itself is too far
      next_bound_ = std::min(next_bound_, farthest - 2);
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

  // Counts one expansion, unless the search ends, or another thread has found a better solution.
  bool may_expand() {
    if (part_.left == 0) {
      const auto may_go_on = [&] { return order_ == nullptr || order_->may_go_on(); };
      stopping_ = !may_go_on() || !shared_.refill(part_, SlidingTiles::kMoves, 0, Meter::kPollInterval, may_go_on);
      if (stopping_) return false;
    }
    --part_.left;
    return true;
  }

  const Board& board_;
  const TileReader& reader_;
  const std::size_t views_, parts_;
  SharedMeter& shared_;
  SharedMeter::Part part_;
  TileReader::Positions tile_{}, at_{};  // the tile in each cell, and the cell of each tile
  std::array<std::array<std::uint8_t, TileHeuristic::kMaxDatabases>, TileHeuristic::kMaxViews> excess_{};
  std::array<unsigned, TileHeuristic::kMaxViews> sum_{};  // of the excesses
  std::vector<std::uint8_t> path_;
  const Order* order_ = nullptr;  // of the task at hand
  unsigned manhattan_ = 0, bound_ = 0, next_bound_ = kNoBound;
  bool stopping_ = false;
};

}  // namespace

Outcome tile_ida_star(Bytes start, const TileHeuristic& heuristic, const Limits& limits, unsigned threads,
                      Control& control, unsigned longest) {
  return within_memory(control, [&](Clock::time_point begin) {
    heuristic.puzzle().check(start, "start");
    if (!(limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
    if (threads == 0 || threads > SearchOptions::kMostThreads) throw std::invalid_argument("threads is not from 1 to 64");
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    if (const auto ending = meter.poll()) return meter.finish(*ending);
    SharedMeter shared(meter);
    const Board board(start, heuristic, longest);
    std::vector<std::unique_ptr<TileWalker>> walkers;
    for (unsigned i = 0; i < threads; ++i) walkers.push_back(std::make_unique<TileWalker>(board, shared));
    const unsigned bound = walkers.front()->root_bound();
    Outcome outcome = Deepening<TileWalker>(shared, std::move(walkers), {}).run(bound > longest ? TileWalker::kNoBound : bound);
    if (outcome.status == Status::exhausted) outcome.f_bound = longest + 1.0;
    return outcome;
  });
}

}  // namespace hstar
