#include "deepening/coset_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "deepening/depth_first.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

// One thread's coordinates, by depth and view.
class CosetWalker : public DepthFirst<CosetWalker> {
 public:
  static constexpr std::uint64_t kWorthThreads = 10'000;
  static constexpr unsigned kMaxDepth = 250;

  CosetWalker(const CosetHeuristic& heuristic, SharedMeter& shared, Bytes start)
      : DepthFirst(shared, heuristic.moves().size()),
        heuristic_(heuristic),
        start_(start),
        moves_(heuristic.moves()),
        views_(heuristic.lookups().size()),
        frames_(kMaxDepth + 2),
        rows_(heuristic.coordinates()) {
    for (Frame& frame : frames_) {
      frame.values.resize(heuristic.coordinates());
      frame.distance.resize(views_);
    }
    for (unsigned view = 0; view < views_ && !unreachable_; ++view) {
      unreachable_ = !heuristic.locate(start, lookup(view), values(frames_[0], view));
      if (unreachable_) break;
      const unsigned distance = lookup(view).table->distance(values(frames_[0], view));
      unreachable_ = distance == Database::kUnreachable;
      frames_[0].distance[view] = static_cast<std::uint8_t>(distance);
    }
    find_resting();
  }

  // The first bound.
  unsigned root_bound() const {
    if (unreachable_) return kNoBound;
    const auto [least, most] = std::ranges::minmax(frames_[0].distance);
    return most + (heuristic_.meeting() && least == most && most > 0);
  }

  std::uint32_t row_of(Bytes path) const { return heuristic_.automaton().after(moves_, path); }

 private:
  friend DepthFirst<CosetWalker>;

  struct Frame {
    std::vector<std::uint32_t> values;      // of the coordinates, by view
    std::vector<std::uint8_t> distance;     // by view
    std::vector<std::uint64_t> entries;     // of the successors, by step and view
    std::vector<std::uint8_t> of_children;  // their distances, by step and view
    std::vector<std::uint8_t> fitting;      // steps
    std::vector<MoveAutomaton::Step> kept;
  };

  const CosetHeuristic::Lookup& lookup(std::size_t view) const { return heuristic_.lookups()[view]; }
  std::uint32_t* values(Frame& frame, std::size_t view) const { return frame.values.data() + lookup(view).first; }

  void step(const Frame& from, Frame& to, std::size_t view, std::size_t move) const {
    const auto& [table, seen, first] = lookup(view);
    const std::size_t image = seen->moves[move];
    for (std::size_t i = 0; i < table->space->coordinates(); ++i)
      to.values[first + i] = table->space->coordinate(i).after(from.values[first + i], image);
  }

  // The coordinates that none of the moves changes that only such moves may follow.
  void find_resting() {
    if (!heuristic_.automaton().has_last()) return;
    const std::vector<bool>& last = heuristic_.automaton().last();
    for (std::size_t view = 0; view < views_; ++view) {
      const auto& [table, seen, first] = lookup(view);
      for (std::size_t i = 0; i < table->space->coordinates(); ++i) {
        const Coordinate& coordinate = table->space->coordinate(i);
        bool rests = true;
        for (std::size_t number = 0; number < last.size(); ++number)
          for (std::uint32_t value = 0; rests && last[number] && value < coordinate.size(); ++value)
            rests = coordinate.after(value, seen->moves[number]) == value;
        if (rests) resting_.push_back(first + i);
      }
    }
  }

  void enter() {
    for (std::size_t depth = 0; depth < path().size(); ++depth) {
      const auto move = static_cast<std::size_t>(std::ranges::find(moves_, path()[depth]) - moves_.begin());
      Frame &frame = frames_[depth], &after = frames_[depth + 1];
      for (std::size_t view = 0; view < views_; ++view) {
        step(frame, after, view, move);
        const CosetTable& table = *lookup(view).table;
        const unsigned distance = table.at(table.space->entry(values(after, view)), frame.distance[view]);
        after.distance[view] = static_cast<std::uint8_t>(distance);
      }
    }
  }

  template <class Visit>
  bool each_successor(std::uint32_t row, unsigned depth, Visit visit) {
    Frame &frame = frames_[depth], &after = frames_[depth + 1];
    const auto state = static_cast<std::uint16_t>(row);
    const auto solved = [&](std::size_t i) { return frame.values[i] == 0; };
    const MoveAutomaton& automaton = heuristic_.automaton();
    const auto steps = std::ranges::all_of(resting_, solved) ? automaton.steps(state)
                                                             : automaton.steps_before_last(state, frame.kept);
    fit(frame, steps, bound() - depth - 1);
    std::size_t counted = 0;
    for (const std::uint8_t child : frame.fitting) {
      count_generated(child + 1u - std::exchange(counted, child + 1u));
      for (std::size_t view = 0; view < views_; ++view) {
        step(frame, after, view, steps[child].number);
        after.distance[view] = frame.of_children[child * views_ + view];
      }
      if (visit(moves_[steps[child].number], steps[child].next)) return true;
      if (stopping()) return false;
    }
    count_generated(steps.size() - counted);
    return false;
  }

  // Leaves in `fitting` the successors that may be at most `left` moves away, with all their distances. The farthest view
  // leaves out most, so it is looked up first; then all others together, so that they wait for memory once.
  void fit(Frame& frame, std::span<const MoveAutomaton::Step> steps, unsigned left) {
    frame.fitting.resize(steps.size());
    std::iota(frame.fitting.begin(), frame.fitting.end(), std::uint8_t{0});
    frame.entries.resize(steps.size() * views_);
    frame.of_children.resize(steps.size() * views_);
    const auto find = [&](std::size_t view) {
      const CosetTable& table = *lookup(view).table;
      const auto& moves = lookup(view).view->moves;
      table.space->rows(values(frame, view), rows_.data());
      for (const std::uint8_t child : frame.fitting) {
        const std::uint64_t entry = table.space->entry_after(rows_.data(), moves[steps[child].number]);
        frame.entries[child * views_ + view] = entry;
        table.prefetch(entry);
      }
    };
    const auto look_up = [&](std::size_t view) {
      const CosetTable& table = *lookup(view).table;
      std::erase_if(frame.fitting, [&](std::uint8_t child) {
        const std::size_t at = child * views_ + view;
        const unsigned distance = table.at(frame.entries[at], frame.distance[view]);
        frame.of_children[at] = static_cast<std::uint8_t>(distance);
        return distance > left;
      });
    };
    const auto first = static_cast<std::size_t>(std::ranges::max_element(frame.distance) - frame.distance.begin());
    find(first);
    look_up(first);
    for (std::size_t view = 0; view < views_; ++view)
      if (view != first) find(view);
    for (std::size_t view = 0; view < views_; ++view)
      if (view != first) look_up(view);
    if (heuristic_.meeting() && left > 0)
      std::erase_if(frame.fitting, [&](std::uint8_t child) {
        const auto* const distances = frame.of_children.data() + child * views_;
        return std::all_of(distances, distances + views_, [&](unsigned distance) { return distance == left; });
      });
    if (frame.fitting.size() < steps.size()) prune(bound() + 1);
  }

  bool is_goal() const {
    std::vector<std::uint8_t> state(start_.begin(), start_.end()), after(state.size());
    for (const std::uint8_t move : path()) {
      heuristic_.puzzle().apply(state, move, after.data());
      state.swap(after);
    }
    return std::ranges::equal(state, heuristic_.puzzle().goal());
  }

  const CosetHeuristic& heuristic_;
  const Bytes start_;
  const std::vector<std::uint8_t>& moves_;
  const std::size_t views_;
  std::vector<Frame> frames_;                // by depth
  std::vector<const std::uint32_t*> rows_;   // of the coordinates of one view
  std::vector<std::size_t> resting_;         // coordinates, if there are moves that come last
  bool unreachable_ = false;
};

}  // namespace

Outcome coset_ida_star(Bytes start, const CosetHeuristic& heuristic, const Limits& limits, unsigned threads,
                       Control& control, const std::optional<Part>& part) {
  return within_memory(control, [&](Clock::time_point begin) {
    SearchOptions options;
    options.limits = limits;
    options.threads = threads;
    check_request(heuristic.puzzle(), start, heuristic.moves(), options);
    heuristic.pieces().check(start, "start");
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    return deepen(
        meter, threads, MoveAutomaton::kStart, part,
        [&](SharedMeter& shared) { return std::make_unique<CosetWalker>(heuristic, shared, start); },
        [](const CosetWalker& walker) { return walker.root_bound(); });
  });
}

}  // namespace hstar
