// The counters of every search, and the limits that can end it.
#pragma once

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>

#include "memory/memory.hpp"
#include "search/search.hpp"

namespace hstar {

using Clock = std::chrono::steady_clock;

struct Ending {
  Status status;
  Limit limit = Limit::none;
};
constexpr Ending kOutOfMemory{Status::limit_reached, Limit::memory};

class Meter {
 public:
  static constexpr std::uint64_t kPollInterval = 1024;  // expansions; fewer if they are slow
  static constexpr double kPollSeconds = 0.01;          // the longest time that should pass between two polls

  Meter(const Limits& limits, Control& control, Clock::time_point begin, const Budget& budget) noexcept
      : limits_(limits), control_(control), begin_(begin), budget_(budget) {}

  Outcome count;  // counters and f_bound, updated by the search

  // Cancelled, or out of time? Publishes the counters.
  std::optional<Ending> poll() noexcept {
    publish();
    const double now = seconds();
    if (now - polled_ > kPollSeconds && interval_ > 1) interval_ /= 2;
    if (now - polled_ < kPollSeconds / 8 && interval_ < kPollInterval) interval_ *= 2;
    polled_ = now;
    if (control_.cancelled.load(std::memory_order_relaxed)) return Ending{Status::cancelled};
    if (now >= limits_.seconds) return Ending{Status::limit_reached, Limit::seconds};
    return std::nullopt;
  }
  // Called before each expansion: the ending, if the search must end.
  std::optional<Ending> stop() noexcept {
    if (count.expanded >= limits_.expanded) return Ending{Status::limit_reached, Limit::expanded};
    if (count.generated >= limits_.generated) return Ending{Status::limit_reached, Limit::generated};
    return count.expanded % interval_ == 0 ? poll() : std::nullopt;
  }
  // After `stop` has returned nothing: how many expansions of at most `branching` successors each may follow before it
  // must be called again. `pending` successors of earlier expansions may be produced in that time, too.
  std::uint64_t quota(std::uint64_t branching, std::uint64_t pending) const noexcept {
    const std::uint64_t left = limits_.generated - 1 - count.generated;
    const std::uint64_t safe = left < pending ? 1 : (left - pending) / std::max<std::uint64_t>(branching, 1) + 1;
    return std::min({safe, limits_.expanded - count.expanded, interval_ - count.expanded % interval_});
  }

  // For long work between two expansions (a growing table): whether the search must end. If so, the work may be left
  // incomplete, and `lacking` returns the reason.
  bool interrupted() noexcept {
    if (!interruption_) interruption_ = poll();
    return interruption_.has_value();
  }
  // The ending to report when room could not be made.
  Ending lacking() const noexcept { return interruption_.value_or(kOutOfMemory); }

  Outcome finish(Ending ending) const {
    publish();
    Outcome outcome = count;
    outcome.status = ending.status;
    outcome.limit = ending.limit;
    outcome.seconds = seconds();
    outcome.peak_bytes = budget_.peak();
    return outcome;
  }

 private:
  double seconds() const noexcept { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  void publish() const noexcept {
    constexpr auto relaxed = std::memory_order_relaxed;
    control_.expanded.store(count.expanded, relaxed);
    control_.generated.store(count.generated, relaxed);
    control_.evaluated.store(count.evaluated, relaxed);
    control_.reopened.store(count.reopened, relaxed);
    control_.stored.store(count.stored, relaxed);
    control_.bytes.store(budget_.used(), relaxed);
    control_.f_bound.store(count.f_bound, relaxed);
  }

  const Limits limits_;
  Control& control_;
  const Clock::time_point begin_;
  const Budget& budget_;
  std::uint64_t interval_ = kPollInterval;  // a power of two
  double polled_ = 0;                       // seconds, at the last poll
  std::optional<Ending> interruption_;
};

// The outcome of a search whose own counters were lost: the counters last published.
inline Outcome out_of_memory(const Control& control, Clock::time_point begin) {
  Outcome outcome;
  outcome.status = Status::limit_reached;
  outcome.limit = Limit::memory;
  outcome.expanded = control.expanded;
  outcome.generated = control.generated;
  outcome.evaluated = control.evaluated;
  outcome.reopened = control.reopened;
  outcome.stored = control.stored;
  outcome.peak_bytes = control.bytes;
  outcome.f_bound = control.f_bound;
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return outcome;
}

// The outcome of `search(begin)`. The small tables of a search are on the common heap; a failed allocation there also
// ends the search with "memory".
template <class Search>
Outcome within_memory(const Control& control, Search search) {
  const Clock::time_point begin = Clock::now();
  try {
    return search(begin);
  } catch (const std::bad_alloc&) {
    return out_of_memory(control, begin);
  }
}

}  // namespace hstar
