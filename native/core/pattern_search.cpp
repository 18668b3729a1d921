#include "pattern_search.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "meter.hpp"
#include "parallel.hpp"

namespace hstar {

namespace {

constexpr unsigned kMaxDepth = 250;
constexpr std::uint64_t kPollInterval = 512;     // expansions
constexpr std::size_t kTasksPerThread = 64;      // subtrees, so that no thread waits long for the last one
constexpr std::size_t kNoTask = ~std::size_t{0};

// A subtree: the moves that lead to it, and the automaton's state there.
struct Task {
  std::vector<std::uint8_t> moves;
  std::uint16_t state = MoveAutomaton::kStart;
};

// What the threads of one search have in common.
struct Shared {
  Shared(const PatternHeuristic& databases, const Limits& most, Control& outside)
      : heuristic(databases), limits(most), control(outside), begin(Clock::now()) {}

  const PatternHeuristic& heuristic;
  const Limits& limits;
  Control& control;
  const Clock::time_point begin;

  std::atomic<std::uint64_t> expanded{0}, generated{0};
  std::atomic<bool> stopped{false};
  std::atomic<std::size_t> first_solved{kNoTask};  // the first task with a solution
  std::mutex mutex;                                // for what follows
  Limit limit = Limit::none;
  bool cancelled = false;
  std::vector<std::uint8_t> solution;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }
  void stop(Limit why, bool by_request) {
    const std::lock_guard lock(mutex);
    if (!stopped.exchange(true)) {
      limit = why;
      cancelled = by_request;
    }
  }
};

// One thread's state, path and counters.
class Walker {
 public:
  Walker(Shared& shared, Bytes start)
      : shared_(shared),
        start_(start.begin(), start.end()),
        moves_(shared.heuristic.moves()),
        automaton_(shared.heuristic.automaton()),
        lookups_(shared.heuristic.lookups()),
        state_(shared.heuristic.space(), shared.heuristic.turns(), start),
        frames_(kMaxDepth + 1) {}

  // Depth first below a task with `bound` moves in all; true if a solution is now the path.
  bool search(const Task& task, unsigned bound, std::size_t number) {
    number_ = number;
    enter(task);
    const bool found = dive(task.state, static_cast<unsigned>(task.moves.size()), bound);
    flush();
    return found;
  }

  // The tasks one move further than `task`, which is more than one move from `bound`.
  void split(const Task& task, unsigned bound, std::vector<Task>& next) {
    enter(task);
    const auto depth = static_cast<unsigned>(task.moves.size());
    if (!may_expand()) return;
    Frame& frame = frames_[depth];
    for (const MoveAutomaton::Step& step : automaton_.steps(task.state)) {
      const std::uint8_t move = moves_[step.number];
      ++generated_;
      state_.move(move, frame.change);
      if (fits(frame, bound - depth - 1)) {
        next.push_back({task.moves, step.next});
        next.back().moves.push_back(move);
      }
      state_.undo(move, frame.change);
    }
    flush();
  }

  // Hands the counters over, and looks whether to stop.
  void flush() {
    const std::uint64_t expanded = shared_.expanded.fetch_add(expanded_) + expanded_;
    const std::uint64_t generated = shared_.generated.fetch_add(generated_) + generated_;
    expanded_ = generated_ = 0;
    constexpr auto relaxed = std::memory_order_relaxed;
    shared_.control.expanded.store(expanded, relaxed);
    shared_.control.generated.store(generated, relaxed);
    shared_.control.evaluated.store(generated, relaxed);
    if (shared_.control.cancelled.load(relaxed))
      shared_.stop(Limit::none, true);
    else if (shared_.seconds() >= shared_.limits.seconds)
      shared_.stop(Limit::seconds, false);
  }

  const std::vector<std::uint8_t>& path() const { return path_; }
  // Whether anything was left out since the last call because it was too far from the goal.
  bool take_cut() { return std::exchange(cut_, false); }

 private:
  struct Frame {
    PlacedState::Change change;
    std::vector<std::uint16_t> order;  // of lookups: the last to have cut comes first
  };

  void enter(const Task& task) {
    PlacedState::Change change;
    state_.set(shared_.heuristic.space(), start_);
    for (const std::uint8_t move : task.moves) state_.move(move, change);
    path_ = task.moves;
  }

  bool dive(std::uint16_t before, unsigned depth, unsigned bound) {
    if (depth == bound) return state_.is_goal();
    if (!may_expand()) return false;
    Frame& frame = frames_[depth];
    for (const MoveAutomaton::Step& step : automaton_.steps(before)) {
      const std::uint8_t move = moves_[step.number];
      ++generated_;
      state_.move(move, frame.change);
      if (fits(frame, bound - depth - 1)) {
        path_.push_back(move);
        if (dive(step.next, depth + 1, bound)) return true;
        path_.pop_back();
      }
      state_.undo(move, frame.change);
      if (stopping_) return false;
    }
    return false;
  }

  // No lookup is larger than `left`.
  bool fits(Frame& frame, unsigned left) {
    if (frame.order.empty()) {
      frame.order.resize(lookups_.size());
      std::iota(frame.order.begin(), frame.order.end(), std::uint16_t{0});
    }
    for (std::size_t i = 0; i < frame.order.size(); ++i) {
      const Lookup& lookup = lookups_[frame.order[i]];
      if (lookup.value(state_.places(lookup.inverse())) <= left) continue;
      std::rotate(frame.order.begin(), frame.order.begin() + static_cast<std::ptrdiff_t>(i),
                  frame.order.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      cut_ = true;
      return false;
    }
    return true;
  }

  // Counts one expansion, unless a limit has been reached or another thread has found a better solution.
  bool may_expand() {
    const Limits& limits = shared_.limits;
    if (shared_.expanded.load(std::memory_order_relaxed) + expanded_ >= limits.expanded)
      shared_.stop(Limit::expanded, false);
    else if (shared_.generated.load(std::memory_order_relaxed) + generated_ >= limits.generated)
      shared_.stop(Limit::generated, false);
    if (expanded_ >= kPollInterval) flush();
    stopping_ = shared_.stopped.load(std::memory_order_relaxed) ||
                shared_.first_solved.load(std::memory_order_relaxed) < number_;
    if (!stopping_) ++expanded_;
    return !stopping_;
  }

  Shared& shared_;
  const std::vector<std::uint8_t> start_;
  const std::vector<std::uint8_t>& moves_;
  const MoveAutomaton& automaton_;
  const std::vector<Lookup>& lookups_;
  PlacedState state_;
  std::vector<Frame> frames_;
  std::vector<std::uint8_t> path_;
  std::uint64_t expanded_ = 0, generated_ = 0;
  std::size_t number_ = kNoTask;
  bool cut_ = false, stopping_ = false;
};

class Deepening {
 public:
  Deepening(Shared& shared, Bytes start, unsigned threads) : shared_(shared), start_(start) {
    for (unsigned i = 0; i < threads; ++i) walkers_.push_back(std::make_unique<Walker>(shared, start));
  }

  Outcome run() {
    Outcome outcome;
    walkers_[0]->flush();
    for (unsigned bound = shared_.heuristic.value(start_); bound != PatternHeuristic::kUnreachable; ++bound) {
      outcome.f_bound = bound;
      shared_.control.f_bound = bound;
      if (bound > kMaxDepth) shared_.stop(Limit::memory, false);  // the path is full
      const std::uint64_t before = shared_.expanded;
      const bool more = !shared_.stopped && iterate(bound);
      if (shared_.first_solved != kNoTask) {
        outcome.status = Status::solved;
        outcome.path = shared_.solution;
        outcome.f_solution = bound;
        outcome.expanded_last_layer = shared_.expanded - before;
        break;
      }
      if (shared_.stopped) {
        outcome.status = shared_.cancelled ? Status::cancelled : Status::limit_reached;
        outcome.limit = shared_.limit;
        break;
      }
      if (!more) break;
    }
    outcome.expanded = shared_.expanded;
    outcome.generated = outcome.evaluated = shared_.generated;
    outcome.seconds = shared_.seconds();
    return outcome;
  }

 private:
  // One iteration; whether anything was cut, so that a larger bound could find more.
  bool iterate(unsigned bound) {
    if (bound == 0 || threads() == 1) {
      search(0, {}, bound, 0);
      return bound == 0 || walkers_[0]->take_cut();
    }
    // Level by level until there are enough subtrees for all threads.
    std::vector<Task> tasks(1);
    for (unsigned depth = 0; depth + 1 < bound && tasks.size() < kTasksPerThread * threads(); ++depth) {
      std::vector<Task> next;
      for (const Task& task : tasks)
        if (!shared_.stopped) walkers_[0]->split(task, bound, next);
      tasks = std::move(next);
      if (shared_.stopped) return true;
    }
    std::atomic<unsigned> next_walker{0};
    std::atomic<std::size_t> next_task{0};
    on_threads(threads(), [&] {
      const unsigned walker = next_walker.fetch_add(1);
      for (std::size_t i; (i = next_task.fetch_add(1)) < tasks.size();) {
        if (shared_.stopped || i > shared_.first_solved) break;
        search(walker, tasks[i], bound, i);
      }
    });
    bool cut = false;
    for (const auto& walker : walkers_) cut |= walker->take_cut();
    return cut;
  }

  void search(unsigned walker, const Task& task, unsigned bound, std::size_t number) {
    if (!walkers_[walker]->search(task, bound, number)) return;
    const std::lock_guard lock(shared_.mutex);
    if (number >= shared_.first_solved) return;
    shared_.first_solved = number;
    shared_.solution = walkers_[walker]->path();
  }

  unsigned threads() const { return static_cast<unsigned>(walkers_.size()); }

  Shared& shared_;
  const Bytes start_;
  std::vector<std::unique_ptr<Walker>> walkers_;
};

}  // namespace

Outcome pattern_ida_star(Bytes start, const PatternHeuristic& heuristic, const Limits& limits, unsigned threads,
                         Control& control) {
  return within_memory(control, [&](Clock::time_point) {
    heuristic.space().check(start, "start");
    if (!(limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
    if (threads < 1) throw std::invalid_argument("threads is 0");
    Shared shared(heuristic, limits, control);
    return Deepening(shared, start, threads).run();
  });
}

}  // namespace hstar
