#include "tiles/tile_database_search.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "search/meter.hpp"

namespace hstar {

namespace {

constexpr unsigned kMaxDepth = 1000;

// The image of the board in one view.
struct Shown {
  std::array<std::uint8_t, TilePattern::kMaxCells> board;                // tile in each cell
  std::array<std::uint64_t, TileHeuristic::kMaxDatabases> rank;          // by database
  std::array<std::uint8_t, TileHeuristic::kMaxDatabases> excess;
  unsigned sum;  // of the excesses
};

class TileSearch {
 public:
  TileSearch(Bytes start, const TileHeuristic& heuristic, const Limits& limits, Control& control)
      : heuristic_(heuristic),
        puzzle_(heuristic.puzzle()),
        views_(heuristic.views().size()),
        budget_(0),
        meter_(limits, control, Clock::now(), budget_) {
    blank_ = static_cast<unsigned>(std::ranges::find(start, std::uint8_t{0}) - start.begin());
    for (std::size_t v = 0; v < views_; ++v) show(start, v);
    for (unsigned cell = 0; cell < puzzle_.slots(); ++cell) {
      goal_[cell] = puzzle_.goal()[cell];
      for (unsigned move = 0; move < SlidingTiles::kMoves; ++move) {
        const unsigned to = puzzle_.neighbour(cell, move);
        if (to != SlidingTiles::kNoCell) steps_[cell].step[steps_[cell].count++] = {move, to};
      }
    }
    for (unsigned tile = 1; tile < puzzle_.slots(); ++tile) {
      const std::uint8_t number = heuristic.database_of(tile);
      if (number == TilePattern::kNone) continue;
      const TilePattern& pattern = heuristic.databases()[number]->pattern;
      for (unsigned cell = 0; cell < puzzle_.slots(); ++cell)
        manhattan_[tile][cell] = static_cast<std::uint8_t>(pattern.manhattan(pattern.number(tile), cell));
    }
    for (unsigned cell = 0; cell < puzzle_.slots(); ++cell) manhattan_now_ += manhattan_[start[cell]][cell];
  }

  Outcome run() {
    if (const auto ending = meter_.poll()) return meter_.finish(*ending);
    unsigned bound = manhattan_now_ + 2 * most_excess();
    for (;;) {
      meter_.count.f_bound = bound;
      const std::uint64_t before = meter_.count.expanded;
      next_bound_ = kNever;
      if (dive(0, bound, SlidingTiles::kMoves)) {
        meter_.count.f_solution = bound;
        meter_.count.expanded_last_layer = meter_.count.expanded - before;
        meter_.count.path.assign(path_.begin(), path_.end());
        return meter_.finish({Status::solved});
      }
      if (ending_) return meter_.finish(*ending_);
      if (next_bound_ == kNever) return meter_.finish({Status::exhausted});
      bound = next_bound_;
    }
  }

 private:
  static constexpr unsigned kNever = std::numeric_limits<unsigned>::max();

  struct Step {
    unsigned move, to;
  };
  struct Steps {
    unsigned count = 0;
    std::array<Step, 4> step{};
  };
  // A successor before the look-ups: which entry of which database each view will read.
  struct Child {
    unsigned move, to, tile;
    std::array<std::uint64_t, TileHeuristic::kMaxViews> rank;
    std::array<std::uint8_t, TileHeuristic::kMaxViews> excess;
  };

  void show(Bytes start, std::size_t v) {
    const TileHeuristic::View& view = heuristic_.views()[v];
    Shown& shown = shown_[v];
    std::uint8_t cells[TileHeuristic::kMaxDatabases][TilePattern::kMaxTiles] = {};
    for (unsigned cell = 0; cell < start.size(); ++cell) {
      const std::uint8_t tile = view.tile[start[cell]];
      shown.board[view.cell[cell]] = tile;
      const std::uint8_t number = heuristic_.database_of(tile);
      if (number != TilePattern::kNone)
        cells[number][heuristic_.databases()[number]->pattern.number(tile)] = view.cell[cell];
    }
    shown.sum = 0;
    for (std::size_t number = 0; number < heuristic_.databases().size(); ++number) {
      const TileDatabase& database = *heuristic_.databases()[number];
      shown.rank[number] = database.pattern.rank(cells[number]);
      shown.excess[number] = static_cast<std::uint8_t>(database.excess(shown.rank[number]));
      shown.sum += shown.excess[number];
    }
  }

  unsigned most_excess() const noexcept {
    unsigned most = 0;
    for (std::size_t v = 0; v < views_; ++v) most = std::max(most, shown_[v].sum);
    return most;
  }

  bool is_goal() const noexcept {
    return std::equal(goal_.begin(), goal_.begin() + puzzle_.slots(), shown_[0].board.begin());
  }

  bool dive(unsigned g, unsigned bound, unsigned last) {
    if (g == bound) {
      if (is_goal()) return true;
      next_bound_ = std::min(next_bound_, g + 1);
      return false;
    }
    if ((ending_ = meter_.stop())) return false;
    if (g == kMaxDepth) {
      ending_ = Ending{Status::limit_reached, Limit::memory};
      return false;
    }
    ++meter_.count.expanded;
    Child children[SlidingTiles::kMoves];
    unsigned count = 0;
    const Steps& steps = steps_[blank_];
    for (unsigned i = 0; i < steps.count; ++i)
      if ((steps.step[i].move ^ 2) != last) prepare(children[count++], steps.step[i]);
    meter_.count.generated += count;
    meter_.count.evaluated += count;
    for (unsigned i = 0; i < count; ++i) {
      Child& child = children[i];
      const unsigned manhattan = manhattan_now_ - manhattan_[child.tile][child.to] + manhattan_[child.tile][blank_];
      if (!fits(child, g + 1 + manhattan, bound)) continue;
      const unsigned blank = blank_, manhattan_before = manhattan_now_;
      manhattan_now_ = manhattan;
      make(child);
      path_.push_back(static_cast<std::uint8_t>(child.move));
      if (dive(g + 1, bound, child.move)) return true;
      path_.pop_back();
      unmake(child, blank);
      manhattan_now_ = manhattan_before;
      if (ending_) return false;
    }
    return false;
  }

  // Reads of the databases are mostly cache misses: prefetch the entries of all children first.
  void prepare(Child& child, const Step& step) const noexcept {
    child.move = step.move;
    child.to = step.to;
    child.tile = shown_[0].board[step.to];
    for (std::size_t v = 0; v < views_; ++v) {
      const TileHeuristic::View& view = heuristic_.views()[v];
      const unsigned tile = view.tile[child.tile];
      const std::uint8_t number = heuristic_.database_of(tile);
      if (number == TilePattern::kNone) continue;
      const TileDatabase& database = *heuristic_.databases()[number];
      const TilePattern& pattern = database.pattern;
      child.rank[v] = shown_[v].rank[number] +
                      pattern.rank_change(pattern.number(tile), view.cell[step.to], view.cell[blank_],
                                          [&](unsigned cell) { return pattern.number(shown_[v].board[cell]); });
      __builtin_prefetch(database.table.data() + child.rank[v] / 2);
    }
  }

  // Looks the child up; false as soon as one view shows that it is too far. `f` is f without the excess.
  bool fits(Child& child, unsigned f, unsigned bound) noexcept {
    for (std::size_t v = 0; v < views_; ++v) {
      const Shown& shown = shown_[v];
      const std::uint8_t number = heuristic_.database_of(heuristic_.views()[v].tile[child.tile]);
      unsigned sum = shown.sum;
      if (number != TilePattern::kNone) {
        child.excess[v] = static_cast<std::uint8_t>(heuristic_.databases()[number]->excess(child.rank[v]));
        sum += child.excess[v] - shown.excess[number];
      }
      if (f + 2 * sum > bound) {
        next_bound_ = std::min(next_bound_, f + 2 * sum);
        return false;
      }
    }
    return true;
  }

  // Makes the move in all views. The child keeps the values needed to undo it.
  void make(Child& child) noexcept {
    exchange(child, child.to, blank_);
    blank_ = child.to;
  }
  void unmake(Child& child, unsigned blank) noexcept {
    exchange(child, blank, blank_);
    blank_ = blank;
  }
  void exchange(Child& child, unsigned from, unsigned to) noexcept {
    for (std::size_t v = 0; v < views_; ++v) {
      const TileHeuristic::View& view = heuristic_.views()[v];
      Shown& shown = shown_[v];
      std::swap(shown.board[view.cell[from]], shown.board[view.cell[to]]);
      const std::uint8_t number = heuristic_.database_of(view.tile[child.tile]);
      if (number == TilePattern::kNone) continue;
      shown.sum += child.excess[v] - shown.excess[number];
      std::swap(shown.rank[number], child.rank[v]);
      std::swap(shown.excess[number], child.excess[v]);
    }
  }

  const TileHeuristic& heuristic_;
  const SlidingTiles& puzzle_;
  const std::size_t views_;
  const Budget budget_;
  Meter meter_;
  std::array<Shown, TileHeuristic::kMaxViews> shown_;
  std::array<Steps, TilePattern::kMaxCells> steps_{};
  std::array<std::array<std::uint8_t, TilePattern::kMaxCells>, TilePattern::kMaxCells> manhattan_{};  // by tile, cell
  std::array<std::uint8_t, TilePattern::kMaxCells> goal_{};
  std::vector<std::uint8_t> path_;
  unsigned blank_ = 0, manhattan_now_ = 0, next_bound_ = kNever;
  std::optional<Ending> ending_;
};

}  // namespace

Outcome tile_ida_star(Bytes start, const TileHeuristic& heuristic, const Limits& limits, Control& control) {
  return within_memory(control, [&](Clock::time_point) {
    heuristic.puzzle().check(start, "start");
    if (!(limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
    return TileSearch(start, heuristic, limits, control).run();
  });
}

}  // namespace hstar
