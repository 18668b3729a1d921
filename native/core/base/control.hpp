// How long work is watched and ended from other threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>

#include "base/stop.hpp"

namespace hstar {

using Clock = std::chrono::steady_clock;

// Shared with the thread that searches or builds: to end or pause its work, and to see how far it is. Any thread may
// use it; a search updates its counters about every thousand expansions.
class Control : public Stop {
 public:
  virtual ~Control() = default;

  void cancel() noexcept {
    cancelled.store(true, std::memory_order_relaxed);
    resume();
  }
  // The work waits where it next asks whether to end, keeps what it has, and goes on there after `resume`. A cancel
  // also wakes it. Its clock stands still meanwhile, so no limit of seconds comes nearer.
  void pause() noexcept {
    const std::lock_guard lock(pausing_);
    if (paused_.load(std::memory_order_relaxed) || cancelled.load(std::memory_order_relaxed)) return;
    paused_at_ = Clock::now();
    paused_.store(true);
  }
  void resume() noexcept {
    {
      const std::lock_guard lock(pausing_);
      if (!paused_.load(std::memory_order_relaxed)) return;
      rested_ += Clock::now() - paused_at_;
      paused_.store(false);
    }
    paused_.notify_all();
  }
  // Waits while the work is paused.
  void rest() const noexcept {
    while (paused_.load(std::memory_order_relaxed)) paused_.wait(true);
  }
  // The clock of the work, which stands still while it is paused.
  Clock::time_point now() const noexcept {
    const std::lock_guard lock(pausing_);
    return (paused_.load(std::memory_order_relaxed) ? paused_at_ : Clock::now()) - rested_;
  }
  double seconds_since(Clock::time_point begin) const noexcept {
    return std::chrono::duration<double>(now() - begin).count();
  }
  // The work ends after so many seconds from now, as at a limit of seconds; infinity: never. May be called again, also
  // while it runs.
  void end_after(double seconds) noexcept {
    constexpr double kNever = 1e9;  // the clock's numbers go on for nine times as long
    const auto ticks =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::max(seconds, 0.0)));
    deadline_.store(seconds < kNever ? (now() + ticks).time_since_epoch().count() : kNone, std::memory_order_relaxed);
  }
  Clock::time_point deadline() const noexcept {
    return Clock::time_point(Clock::duration(deadline_.load(std::memory_order_relaxed)));
  }
  // Once seen, this stays so: a table that was given up for it must not pass for a whole one.
  bool overdue() const noexcept {
    if (!overdue_.load(std::memory_order_relaxed) && deadline_.load(std::memory_order_relaxed) != kNone &&
        now() >= deadline())
      overdue_.store(true, std::memory_order_relaxed);
    return overdue_.load(std::memory_order_relaxed);
  }
  // Cancelled or overdue? Long work asks every few milliseconds, and waits here while it is paused.
  bool requested() const noexcept override {
    rest();
    return cancelled.load(std::memory_order_relaxed) || overdue();
  }

  std::atomic<bool> cancelled{false};
  // Of a search.
  std::atomic<std::uint64_t> expanded{0}, generated{0}, evaluated{0}, reopened{0};
  std::atomic<std::uint64_t> stored{0};  // distinct states held
  std::atomic<std::uint64_t> bytes{0};   // memory in use
  std::atomic<double> f_bound{0};        // as in Outcome, up to now
  // Of a table that is built: its entries.
  std::atomic<std::uint64_t> done{0}, total{0};

 private:
  static constexpr Clock::rep kNone = std::numeric_limits<Clock::rep>::max();
  std::atomic<Clock::rep> deadline_{kNone};
  mutable std::atomic<bool> overdue_{false};
  mutable std::mutex pausing_;  // of the next three
  std::atomic<bool> paused_{false};
  Clock::time_point paused_at_;
  Clock::duration rested_{0};  // how long it was paused, up to `paused_at_`
};

}  // namespace hstar
