// The counters of every search, and the limits that can end it.
#pragma once

#include <algorithm>
#include <bit>
#include <new>
#include <optional>

#include "memory/memory.hpp"
#include "search/search.hpp"

namespace hstar {

struct Ending {
  Status status;
  Limit limit = Limit::none;
};
constexpr Ending kOutOfMemory{Status::limit_reached, Limit::memory};

// What can end a search at any time: a cancel, or one of its deadlines.
class Interruption final : public Stop {
 public:
  Interruption(const Limits& limits, const Control& control, Clock::time_point begin) noexcept
      : seconds_(limits.seconds), control_(control), begin_(begin) {}
  bool requested() const noexcept override { return ending().has_value(); }
  std::optional<Ending> ending() const noexcept {
    control_.rest();
    if (control_.cancelled.load(std::memory_order_relaxed)) return Ending{Status::cancelled};
    if (control_.seconds_since(begin_) >= seconds_ || control_.overdue())
      return Ending{Status::limit_reached, Limit::seconds};
    return std::nullopt;
  }

 private:
  const double seconds_;
  const Control& control_;
  const Clock::time_point begin_;
};

// In builds with assertions: whether a search looks at all its invariants after so many expansions. Often at first,
// then each time that it has doubled, so that looking takes about as long as searching.
constexpr bool checks_now(std::uint64_t expanded) noexcept {
  return std::has_single_bit(expanded) || (expanded < 512 && expanded % 32 == 0);
}

// What other threads of a search may do before they count.
struct Granted {
  std::uint64_t expanded = 0, generated = 0;
};

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
    return Interruption(limits_, control_, begin_).ending();
  }
  // Called before each expansion: the ending, if the search must end.
  std::optional<Ending> stop() noexcept {
    if (count.expanded >= limits_.expanded) return Ending{Status::limit_reached, Limit::expanded};
    if (count.generated >= limits_.generated) return Ending{Status::limit_reached, Limit::generated};
    if (count.expanded < next_poll_) return std::nullopt;
    const double now = control_.seconds_since(begin_);
    interval_ = next_interval(interval_, now - paced_);
    paced_ = now;
    next_poll_ = count.expanded + interval_;
    return poll();
  }
  // How many expansions to the next poll, when the last so many took `seconds`. The first search of a kind may take a
  // second for each, so a search begins with 1.
  static constexpr std::uint64_t next_interval(std::uint64_t last, double seconds) noexcept {
    for (; seconds > kPollSeconds && last > 1; seconds /= 2) last /= 2;
    return seconds < kPollSeconds / 8 && last < kPollInterval ? 2 * last : last;
  }
  // After `stop` has said no: so many expansions of at most `branching` successors each may follow before it is asked
  // again, when `pending` successors of earlier expansions may also be produced meanwhile. 0: only when the others have
  // counted what they have done.
  std::uint64_t quota(std::uint64_t branching, std::uint64_t pending, Granted others = {}) const noexcept {
    const std::uint64_t expanded = limits_.expanded - count.expanded,
                        generated = limits_.generated - 1 - count.generated;
    if (others.expanded >= expanded || others.generated > generated) return 0;
    const std::uint64_t left = generated - others.generated;
    if (left < pending && others.generated > 0) return 0;
    const std::uint64_t safe = left < pending ? 1 : (left - pending) / std::max<std::uint64_t>(branching, 1) + 1;
    return std::min({safe, expanded - others.expanded, next_poll_ - count.expanded});
  }

  // For long work between two expansions (a growing table): whether the search must end. If so, the work may be left
  // incomplete, and `lacking` returns the reason.
  bool interrupted() noexcept {
    if (!interruption_) interruption_ = poll();
    return interruption_.has_value();
  }
  // Why room could not be made.
  Ending lacking() noexcept { return interrupted() ? *interruption_ : kOutOfMemory; }

  Outcome finish(Ending ending) const {
    publish();
    Outcome outcome = count;
    outcome.status = ending.status;
    outcome.limit = ending.limit;
    outcome.seconds = control_.seconds_since(begin_);
    outcome.peak_bytes = budget_.peak();
    return outcome;
  }

 private:
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
  std::uint64_t interval_ = 1;  // expansions from poll to poll: a power of two, up to kPollInterval
  std::uint64_t next_poll_ = 0;  // expansions
  double paced_ = 0;            // seconds, when `interval_` was last looked at
  std::optional<Ending> interruption_;
};

// The outcome of a search that could not keep its own counters to the end: those last published.
inline Outcome published(const Control& control, Clock::time_point begin, Ending ending) {
  Outcome outcome;
  outcome.status = ending.status;
  outcome.limit = ending.limit;
  outcome.expanded = control.expanded;
  outcome.generated = control.generated;
  outcome.evaluated = control.evaluated;
  outcome.reopened = control.reopened;
  outcome.stored = control.stored;
  outcome.peak_bytes = control.bytes;
  outcome.f_bound = control.f_bound;
  outcome.seconds = control.seconds_since(begin);
  return outcome;
}

// The outcome of `search(begin)`. The small tables of a search are on the common heap; a failed allocation there also
// ends the search with "memory".
template <class Search>
Outcome within_memory(const Control& control, Search search) {
  const Clock::time_point begin = control.now();
  try {
    return search(begin);
  } catch (const std::bad_alloc&) {
    return published(control, begin, kOutOfMemory);
  }
}

}  // namespace hstar
