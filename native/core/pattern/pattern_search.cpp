#include "pattern/pattern_search.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "search/meter.hpp"
#include "search/parallel.hpp"

namespace hstar {

namespace {

constexpr unsigned kMaxDepth = 250;
constexpr unsigned kMaxThreads = 64;
constexpr std::uint64_t kPollInterval = 64;      // expansions
constexpr std::size_t kTasksPerThread = 64;      // subtrees; enough that no thread waits long for the last one
constexpr std::size_t kFirst = 2, kMost = 8;     // lookups of each successor that are prefetched together
constexpr std::size_t kNoTask = ~std::size_t{0};

// A subtree: the moves that lead to it, and the automaton's state there.
struct Task {
  std::vector<std::uint8_t> moves;
  std::uint16_t state = MoveAutomaton::kStart;
};

// The state that the threads of one search share.
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
  std::mutex mutex;                                // for the solution and the bound
  Limit limit = Limit::none;
  bool cancelled = false;
  std::vector<std::uint8_t> solution;

  // Counts one expansion, unless the limit has been reached. Without a limit each thread counts its own.
  bool take_expansion() noexcept {
    std::uint64_t now = expanded.load(std::memory_order_relaxed);
    while (now < limits.expanded)
      if (expanded.compare_exchange_weak(now, now + 1, std::memory_order_relaxed)) return true;
    return false;
  }

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
template <class Kind>
class Walker {
  using PlacedState = hstar::PlacedState<Kind>;

 public:
  Walker(Shared& shared, Bytes start)
      : shared_(shared),
        start_(start.begin(), start.end()),
        moves_(shared.heuristic.moves()),
        automaton_(shared.heuristic.automaton()),
        lookups_(shared.heuristic.lookups()),
        state_(shared.heuristic.space(), shared.heuristic.turns<Kind>(), start),
        frames_(kMaxDepth + 2) {
    const auto undone = [&](std::uint8_t move) {
      return std::ranges::find(moves_, shared.heuristic.space().puzzle().inverse(move)) != moves_.end();
    };
    reversible_ = std::ranges::all_of(moves_, undone);
  }

  // Depth-first search below a task, with `bound` moves in all; true if the path is now a solution.
  bool search(const Task& task, unsigned bound, std::size_t number) {
    number_ = number;
    enter(task);
    const bool found = dive(state_, task.state, static_cast<unsigned>(task.moves.size()), bound);
    flush();
    return found;
  }

  // The tasks one move deeper than `task`, which has more than one move left.
  void split(const Task& task, unsigned bound, std::vector<Task>& next) {
    enter(task);
    const auto depth = static_cast<unsigned>(task.moves.size());
    if (!may_expand()) return;
    each_successor(state_, task.state, depth, bound, [&](const PlacedState&, std::uint8_t move, std::uint16_t after) {
      next.push_back({task.moves, after});
      next.back().moves.push_back(move);
      return false;
    });
    flush();
  }

  // Adds this thread's counters to the shared ones, and returns whether to stop.
  void flush() {
    const std::uint64_t expanded = shared_.expanded.fetch_add(expanded_) + expanded_;
    const std::uint64_t generated = shared_.generated.fetch_add(generated_) + generated_;
    expanded_ = generated_ = since_poll_ = 0;
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
  // Whether a successor was pruned since the last call because it was too far from the goal.
  bool take_cut() { return std::exchange(cut_, false); }

 private:
  // The lookups at one depth.
  struct Frame {
    std::vector<std::uint8_t> value;    // of each lookup; of one that was skipped, an upper bound
    std::vector<std::uint16_t> order;   // of the lookups for the successors
    std::vector<PlacedState> states;    // the successors
    std::vector<std::uint8_t> values;   // of the successors, by their number and the lookup
    std::vector<std::uint8_t> fitting;  // numbers of the successors not pruned so far
    std::vector<std::uint64_t> ranks;   // the prefetched ones
  };

  void enter(const Task& task) {
    state_.set(shared_.heuristic.space(), start_);
    for (const std::uint8_t move : task.moves) state_.move(move);
    path_ = task.moves;
    std::vector<std::uint8_t>& value = frames_[task.moves.size()].value;
    value.resize(lookups_.size());
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      value[i] = static_cast<std::uint8_t>(lookups_[i].value(state_.places(lookups_[i].inverse())));
  }

  // Calls visit(successor, move, automaton's next state) for each successor that fits until it returns true.
  template <class Visit>
  bool each_successor(const PlacedState& state, std::uint16_t before, unsigned depth, unsigned bound, Visit visit) {
    const auto steps = automaton_.steps(before);
    Frame &frame = frames_[depth], &after = frames_[depth + 1];
    while (frame.states.size() < steps.size()) frame.states.push_back(state_);
    for (std::size_t i = 0; i < steps.size(); ++i) frame.states[i].become(state, moves_[steps[i].number]);
    const unsigned left = bound - depth - 1;
    look_up(frame, steps.size(), left);
    after.value.resize(lookups_.size());
    std::size_t counted = 0;
    for (const std::uint8_t i : frame.fitting) {
      generated_ += i + 1 - std::exchange(counted, i + 1);
      const std::uint8_t* values = frame.values.data() + i * lookups_.size();
      for (std::size_t j = 0; j < lookups_.size(); ++j)
        after.value[j] = is_out(frame, j, left) ? static_cast<std::uint8_t>(frame.value[j] + 1) : values[j];
      if (visit(frame.states[i], moves_[steps[i].number], steps[i].next)) return true;
      if (stopping_) return false;
    }
    generated_ += steps.size() - counted;
    return false;
  }

  bool dive(const PlacedState& state, std::uint16_t before, unsigned depth, unsigned bound) {
    if (depth == bound) return state.is_goal();
    if (!may_expand()) return false;
    return each_successor(state, before, depth, bound,
                          [&](const PlacedState& successor, std::uint8_t move, std::uint16_t next) {
                            path_.push_back(move);
                            if (dive(successor, next, depth + 1, bound)) return true;
                            path_.pop_back();
                            return false;
                          });
  }

  // Leaves in `fitting` the successors of which no lookup exceeds `left`. A read of the tables is most often a cache
  // miss, so a few lookups of all successors are prefetched before the first is read.
  void look_up(Frame& frame, std::size_t successors, unsigned left) {
    sort_lookups(frame, left);
    frame.fitting.resize(successors);
    std::iota(frame.fitting.begin(), frame.fitting.end(), std::uint8_t{0});
    frame.values.resize(successors * lookups_.size());
    std::size_t end = 0, width = kFirst;
    for (std::size_t begin = 0; begin < frame.order.size() && !frame.fitting.empty(); begin = end) {
      end = std::min(begin + width, frame.order.size());
      width = std::min(2 * width, kMost);
      frame.ranks.clear();
      for (const std::uint8_t i : frame.fitting)
        for (std::size_t j = begin; j < end; ++j) {
          const Lookup& lookup = lookups_[frame.order[j]];
          frame.ranks.push_back(lookup.rank_of(frame.states[i].places(lookup.inverse())));
          lookup.prefetch(frame.ranks.back());
        }
      const std::uint64_t* rank = frame.ranks.data();
      const auto cut = [&](std::uint8_t i) {
        bool fits = true;
        for (std::size_t j = begin; j < end; ++j, ++rank) {
          const unsigned value = lookups_[frame.order[j]].at(*rank);
          frame.values[i * lookups_.size() + frame.order[j]] = static_cast<std::uint8_t>(value);
          fits &= value <= left;
        }
        cut_ |= !fits;
        return !fits;
      };
      std::erase_if(frame.fitting, cut);
    }
  }

  // A lookup that is large here is likely to be large after another move, so the largest come first. If moves can be
  // undone, one move changes a direct lookup by at most 1: lookups that cannot exceed `left` are skipped.
  void sort_lookups(Frame& frame, unsigned left) {
    std::array<std::uint16_t, 256> place{};
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      if (!is_out(frame, i, left)) ++place[frame.value[i]];
    unsigned sum = 0;
    for (unsigned value = 256; value-- > 0;) sum += std::exchange(place[value], static_cast<std::uint16_t>(sum));
    frame.order.resize(sum);
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      if (!is_out(frame, i, left)) frame.order[place[frame.value[i]]++] = static_cast<std::uint16_t>(i);
  }
  bool is_out(const Frame& frame, std::size_t i, unsigned left) const {
    return reversible_ && !lookups_[i].inverse() && frame.value[i] < left;
  }

  // Counts one expansion, unless a limit has been reached or another thread has found a better solution. If there is a
  // limit, every expansion updates the shared counts, so that the limit is exact (`generated`: up to the last expansion
  // of each thread).
  bool may_expand() {
    const Limits& limits = shared_.limits;
    if (shared_.expanded.load(std::memory_order_relaxed) >= limits.expanded) shared_.stop(Limit::expanded, false);
    if (limits.generated != Limits::kNone &&
        shared_.generated.fetch_add(generated_) + std::exchange(generated_, 0) >= limits.generated)
      shared_.stop(Limit::generated, false);
    if (++since_poll_ >= kPollInterval) flush();
    stopping_ = shared_.stopped.load(std::memory_order_relaxed) ||
                shared_.first_solved.load(std::memory_order_relaxed) < number_;
    if (stopping_) return false;
    if (limits.expanded == Limits::kNone) {
      ++expanded_;
    } else if (!shared_.take_expansion()) {
      shared_.stop(Limit::expanded, false);
      stopping_ = true;
    }
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
  std::uint64_t expanded_ = 0, generated_ = 0, since_poll_ = 0;
  std::size_t number_ = kNoTask;
  bool cut_ = false, stopping_ = false;
  bool reversible_;  // whether every move can be undone by another
};

template <class Kind>
class Deepening {
 public:
  Deepening(Shared& shared, Bytes start, unsigned threads) : shared_(shared), start_(start) {
    for (unsigned i = 0; i < threads; ++i) walkers_.push_back(std::make_unique<Walker<Kind>>(shared, start));
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
  // One iteration; returns whether a successor was pruned, so that a larger bound could find more.
  bool iterate(unsigned bound) {
    if (bound == 0 || threads() == 1) {
      search(0, {}, bound, 0);
      return bound == 0 || walkers_[0]->take_cut();
    }
    // Expands level by level until there are enough subtrees for all threads.
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
  std::vector<std::unique_ptr<Walker<Kind>>> walkers_;
};

}  // namespace

Outcome pattern_ida_star(Bytes start, const PatternHeuristic& heuristic, const Limits& limits, unsigned threads,
                         Control& control) {
  return within_memory(control, [&](Clock::time_point) {
    heuristic.space().check(start, "start");
    if (!(limits.seconds >= 0)) throw std::invalid_argument("seconds is not a number of at least 0");
    if (threads < 1 || threads > kMaxThreads)
      throw std::invalid_argument("threads is " + std::to_string(threads) + ", expected 1 to " +
                                  std::to_string(kMaxThreads));
    Shared shared(heuristic, limits, control);
    if (has_narrow_places(heuristic.space().puzzle())) return Deepening<NarrowPlaces>(shared, start, threads).run();
    return Deepening<WidePlaces>(shared, start, threads).run();
  });
}

}  // namespace hstar
