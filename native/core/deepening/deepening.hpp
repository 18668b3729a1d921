// Iterative deepening on one or more threads: what the walkers of IDA* have in common, whatever they walk on.
//
// One iteration is a depth-first search below a bound. With more than one thread, a large iteration is split, level by
// level, into subtrees (tasks) in the order in which one thread would search them, and the threads take one after the
// other. The solution of the first task that has one is the one that a single thread finds. What is counted is that
// of a single thread too, but for the last iteration: when a solution is found, later tasks have begun already.
// A walker that knows how near to the goal a task looks has many of them, on one thread too, and the nearest come
// first: solutions are close to one another in a tree, so that in the tree's own order none may come for long.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "search/meter.hpp"
#include "base/parallel.hpp"

namespace hstar {

// The Meter of a search whose expansions are made by several threads. Each asks for a number of expansions and hands
// back what it has not used, so limits are kept as exactly as by one thread.
class SharedMeter {
 public:
  // One thread's part, which no other touches.
  struct Part {
    std::uint64_t left = 0;       // expansions that it may still make
    std::uint64_t generated = 0;  // not yet counted
    std::uint64_t stored = 0;     // states of its path
    Granted granted;       // what it may have done, at most, when it counts next; `expanded` >= `left`
  };
  // Counts what a part has done and hands back what it was granted, however its task ends.
  struct Settled {
    SharedMeter& shared;
    Part& part;
    ~Settled() { shared.settle(part); }
  };

  explicit SharedMeter(Meter& meter) noexcept : meter_(meter) {}

  // Counts what the part has done, and grants it up to `most` more expansions of at most `branching` successors each,
  // when `pending` successors of earlier ones may also be produced. False: the search ends, or `may_go_on` says that
  // the task does.
  template <class MayGoOn>
  bool refill(Part& part, std::uint64_t branching, std::uint64_t pending, std::uint64_t most,
              MayGoOn may_go_on) noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      count(part);
      if (!ending_) ending_ = meter_.stop();
      if (ending_ || !may_go_on()) return false;
      if (const std::uint64_t quota = std::min(most, meter_.quota(branching, pending, granted_)); quota > 0) {
        part.left = quota;
        part.granted = {quota, quota * branching + pending};
        granted_.expanded += part.granted.expanded;
        granted_.generated += part.granted.generated;
        return true;
      }
      lock.unlock();  // the last few may be left over by another thread
      std::this_thread::yield();
      lock.lock();
    }
  }
  void settle(Part& part) noexcept {
    const std::lock_guard lock(mutex_);
    count(part);
  }
  void end(Ending ending) noexcept {
    const std::lock_guard lock(mutex_);
    if (!ending_) ending_ = ending;
  }
  // Memory that a thread needs, from the budget of the search.
  [[nodiscard]] bool charge(Budget& budget, std::uint64_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    if (budget.charge(bytes)) return true;
    if (!ending_) ending_ = kOutOfMemory;
    return false;
  }
  // Only when no thread is at work.
  const std::optional<Ending>& ending() const noexcept { return ending_; }
  Meter& meter() noexcept { return meter_; }
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  void count(Part& part) noexcept {
    granted_.expanded -= part.granted.expanded;
    granted_.generated -= part.granted.generated;
    meter_.count.expanded += part.granted.expanded - part.left;
    meter_.count.generated += part.generated;
    meter_.count.evaluated += part.generated;  // each successor is evaluated once
    meter_.count.stored = part.stored;
    part.left = part.generated = 0;
    part.granted = {};
  }

  Meter& meter_;
  std::mutex mutex_;
  Granted granted_;
  std::optional<Ending> ending_;
};

// A subtree: the moves that lead to it, and what decides which may follow.
struct Subtree {
  std::vector<std::uint8_t> moves;
  std::uint32_t row = 0;
};

// Which of the tasks has a solution, as far as is known: a walker stops when one before its own has.
struct Order {
  const std::atomic<std::size_t>& first_solved;
  std::size_t number;
  bool may_go_on() const noexcept { return first_solved.load(std::memory_order_relaxed) >= number; }
};

// A Walker has
//   using Bound; static constexpr Bound kNoBound;   // above all bounds
//   static constexpr std::uint64_t kWorthThreads;   // expansions of an iteration, from which on the next one is split
//   unsigned nearness(const Subtree&);              // less of what looks nearer; not all walkers have it
//   bool search(const Subtree&, Bound, const Order&);              // depth first; true if it found the goal
//   bool split(const Subtree&, Bound, std::vector<Subtree>& next); // adds what is one move on; false: keep it whole
//   Bound take_next();                                             // least f above the bound since the last call
//   std::vector<std::uint8_t> path();                              // of the solution that `search` has found
//   std::uint32_t row_of(Bytes moves) const;                       // of the subtree below these moves, if possible
// and counts through the SharedMeter that it was made with.
template <class Walker>
class Deepening {
 public:
  using Bound = typename Walker::Bound;

  // At least one walker; each works on a thread of its own.
  Deepening(SharedMeter& shared, std::vector<std::unique_ptr<Walker>> walkers, const Subtree& root)
      : shared_(shared), walkers_(std::move(walkers)), root_(root) {}

  // All iterations from `bound` on. Before each, before(bound, expansions of the last one), which may end the search.
  template <class Before>
  Outcome run(Bound bound, Before before_iteration) {
    Meter& meter = shared_.meter();
    while (bound != Walker::kNoBound) {
      meter.count.f_bound = static_cast<double>(bound);
      before_iteration(bound, last_expanded_);
      if (shared_.ending()) return meter.finish(*shared_.ending());
      const std::uint64_t before = meter.count.expanded;
      std::vector<Subtree> tasks{root_};
      if (last_expanded_ >= Walker::kWorthThreads) {
        if constexpr (kKnowsNearness)
          split(bound, tasks, std::min<std::uint64_t>(last_expanded_ / kExpandedPerTask, kMostOrdered));
        else if (walkers_.size() > 1)
          split(bound, tasks, kTasksPerThread * walkers_.size());
      }
      iterate(bound, tasks);
      if (meter.count.expanded > before) meter.count.layers.emplace_back(as_f(bound), meter.count.expanded - before);
      if (first_solved_ != kNone) {
        Outcome outcome = meter.finish({Status::solved});
        outcome.expanded_last_layer = outcome.expanded - before;
        outcome.path = solution_;
        return outcome;
      }
      if (shared_.ending()) return meter.finish(*shared_.ending());
      last_expanded_ = meter.count.expanded - before;
      bound = next_bound();
    }
    return meter.finish({Status::exhausted});
  }
  Outcome run(Bound bound) {
    return run(bound, [](Bound, std::uint64_t) {});
  }

  // A part of the iteration with its bound, or the first bound.
  Outcome run(const Part& part, Bound first) {
    Meter& meter = shared_.meter();
    if (part.bound < 0) {
      meter.count.f_bound = as_f(first);
      return meter.finish({Status::exhausted});
    }
    const auto bound = static_cast<Bound>(part.bound);
    meter.count.f_bound = part.bound;
    std::vector<Subtree> tasks{{part.root, walkers_[0]->row_of(part.root)}};
    if (part.pieces > 0)
      split(bound, tasks, part.pieces);
    else
      iterate(bound, tasks);
    if (first_solved_ == kNone && shared_.ending()) return meter.finish(*shared_.ending());
    Outcome outcome = meter.finish({first_solved_ == kNone ? Status::exhausted : Status::solved});
    if (first_solved_ != kNone) {
      outcome.path = solution_;
      return outcome;
    }
    outcome.f_bound = as_f(next_bound());
    if (part.pieces > 0)
      for (const Subtree& task : tasks) outcome.roots.push_back(task.moves);
    return outcome;
  }

 private:
  static double as_f(Bound bound) noexcept {
    return bound == Walker::kNoBound ? std::numeric_limits<double>::infinity() : static_cast<double>(bound);
  }
  Bound next_bound() {
    Bound next = Walker::kNoBound;
    for (const auto& walker : walkers_) next = std::min(next, walker->take_next());
    return next;
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  static constexpr bool kKnowsNearness = requires(Walker walker, Subtree task) { walker.nearness(task); };
  static constexpr std::size_t kTasksPerThread = 64;  // so that no thread waits long for the last one
  // Where the nearest come first: tasks, and for each the expansions of the iteration before.
  static constexpr std::uint64_t kMostOrdered = 500, kExpandedPerTask = 100;

  void iterate(Bound bound, const std::vector<Subtree>& tasks) {
    std::atomic<std::size_t> next_walker{0}, next_task{0};
    const auto threads = static_cast<unsigned>(std::min(walkers_.size(), tasks.size()));
    on_threads(threads, [&] {
      Walker& walker = *walkers_[next_walker.fetch_add(1)];
      try {
        for (std::size_t number; (number = next_task.fetch_add(1)) < tasks.size();) {
          const Order order{first_solved_, number};
          if (!order.may_go_on() || !walker.search(tasks[number], bound, order)) continue;
          const std::lock_guard lock(shared_.mutex());
          if (number >= first_solved_) continue;
          solution_ = walker.path();
          first_solved_ = number;
        }
      } catch (...) {
        shared_.end(kOutOfMemory);  // so that the others end as well
        throw;
      }
    });
  }

  void split(Bound bound, std::vector<Subtree>& tasks, std::size_t most) {
    bool grows = true;
    while (grows && tasks.size() < most) {
      grows = false;
      std::vector<Subtree> next;
      for (const Subtree& task : tasks) {
        if (walkers_[0]->split(task, bound, next))
          grows = true;
        else
          next.push_back(task);
      }
      tasks = std::move(next);
    }
    if constexpr (kKnowsNearness) nearest_first(tasks);
  }

  void nearest_first(std::vector<Subtree>& tasks) {
    std::vector<std::pair<unsigned, std::size_t>> order;
    for (std::size_t number = 0; number < tasks.size(); ++number)
      order.emplace_back(walkers_[0]->nearness(tasks[number]), number);
    std::ranges::sort(order);
    std::vector<Subtree> sorted;
    for (const auto& [nearness, number] : order) sorted.push_back(std::move(tasks[number]));
    tasks = std::move(sorted);
  }

  SharedMeter& shared_;
  std::vector<std::unique_ptr<Walker>> walkers_;
  const Subtree root_;
  std::uint64_t last_expanded_ = 0;
  std::atomic<std::size_t> first_solved_{kNone};  // number of a task
  std::vector<std::uint8_t> solution_;
};

}  // namespace hstar
