// IDA* (Korf 1985) over any TreeWalk: depth-first searches that prune states with f above a threshold; the next
// threshold is the smallest f pruned. Only the path is kept.
//
// Successors are produced one at a time, each searched before the next is produced, so `generated` is the published
// convention of IDA* (the start is not counted).
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "memory/arena.hpp"
#include "search/meter.hpp"
#include "search/tree_walk.hpp"

namespace hstar {

// Cost is std::int32_t or double. kLookup: h depends on raw alone.
template <TreeWalk W, class Cost, bool kLookup>
class IdaStarSearch {
  using State = typename W::State;
  using Step = typename W::Step;

 public:
  IdaStarSearch(Arena& arena, const W& walk, const Heuristic& heuristic, std::uint64_t branching,
                const SearchOptions& options, Control& control, Clock::time_point begin)
      : walk_(walk),
        heuristic_(heuristic),
        weight_(static_cast<Cost>(options.weight)),
        branching_(branching),
        goal_(walk.pack(heuristic.puzzle().goal())),
        budget_(options.limits.memory_bytes),
        frames_(arena.nodes, budget_),
        meter_(options.limits, control, begin, budget_) {
    for (const double h : walk.lookup().values()) weighted_h_.push_back(weighted(static_cast<Cost>(h)));
  }

  Outcome run(Bytes start) {
    if (!frames_.ensure(2)) return meter_.finish(kOutOfMemory);
    const State state = walk_.pack(start);
    const std::uint32_t raw = walk_.raw(start);
    threshold_ = weighted_h(raw, state);
    meter_.count.evaluated = meter_.count.stored = 1;
    meter_.count.f_bound = static_cast<double>(threshold_);
    if (const auto ending = meter_.poll()) return meter_.finish(*ending);
    for (;;) {
      // No solution goes through a state with infinite h.
      if (threshold_ == kNone && state != goal_) return meter_.finish({Status::exhausted});
      const std::uint64_t before = meter_.count.expanded;
      next_threshold_ = kNone;
      depth_ = 0;
      frames_[0] = {state, raw, nullptr, nullptr};
      const bool found = search(walk_.first_row(start));
      settle();
      if (ending_) return meter_.finish(*ending_);
      if (found) return solved(before);
      if (next_threshold_ == kNone) return meter_.finish({Status::exhausted});
      threshold_ = next_threshold_;
      meter_.count.f_bound = static_cast<double>(threshold_);
    }
  }

 private:
  static constexpr Cost kNone =
      std::numeric_limits<Cost>::has_infinity ? std::numeric_limits<Cost>::infinity() : std::numeric_limits<Cost>::max();

  // A state of the path, and its moves that have not been tried.
  struct Frame {
    State state;
    std::uint32_t raw;
    const Step* next;
    const Step* last;
  };

  Cost weighted_h(std::uint32_t raw, const State& state) const noexcept {
    if constexpr (kLookup) return weighted_h_[raw];
    std::uint8_t buffer[256];
    return weighted(static_cast<Cost>(heuristic_.value(raw, walk_.bytes(state, buffer))));
  }
  Cost weighted(Cost h) const noexcept { return weight_ == 0 ? 0 : weight_ * h; }  // h may be infinite

  // One depth-first search from the start, up to the threshold; true if it reached the goal. False otherwise; `ending_`
  // is then set if a limit or the caller stopped it.
  bool search(std::uint32_t row) {
    Frame* const bottom = frames_.data();
    Frame* top = bottom;
    const Cost threshold = threshold_;
    Cost next_threshold = kNone;
    Cost g = 1;  // of the successors of `top`
    std::uint64_t generated = 0;
    const auto note = [&] {
      depth_ = static_cast<std::uint64_t>(top - bottom);
      next_threshold_ = next_threshold;
      meter_.count.generated += std::exchange(generated, 0);
    };
    for (;;) {
      if (top->state == goal_) return note(), true;
      if (quota_ == 0) {
        note();
        if (!refill()) return false;
      }
      --quota_;
      const std::span<const Step> steps = walk_.steps(row);
      top->next = steps.data();
      top->last = steps.data() + steps.size();
      for (;;) {  // to the next state within the threshold
        while (top->next == top->last) {
          if (top == bottom) return note(), false;
          --top;
          g -= 1;
        }
        const Step& step = *top->next++;
        ++generated;
        const std::uint32_t raw = walk_.raw(top->state, top->raw, step);
        if constexpr (!kLookup) walk_.apply(top->state, step, top[1].state);
        const Cost f = g + weighted_h(raw, top[1].state);
        if (f > threshold) {
          next_threshold = std::min(next_threshold, f);
          continue;
        }
        if constexpr (kLookup) walk_.apply(top->state, step, top[1].state);
        row = step.row;
        ++top;
        top->raw = raw;
        g += 1;
        break;
      }
    }
  }

  // Whether the search may go on; sets after how many expansions it must ask again.
  bool refill() {
    settle();
    ending_ = meter_.stop();
    if (ending_) return false;
    std::uint64_t pending = 0;
    for (std::uint64_t i = 0; i < depth_; ++i) pending += static_cast<std::uint64_t>(frames_[i].last - frames_[i].next);
    std::uint64_t quota = meter_.quota(branching_, pending);
    // The path grows by at most one state with each expansion; one more is needed to try a successor.
    if (!frames_.ensure(depth_ + quota + 2)) quota = 1;
    if (!frames_.ensure(depth_ + quota + 2)) {
      ending_ = kOutOfMemory;
      return false;
    }
    granted_ = quota_ = quota;
    return true;
  }

  void settle() noexcept {
    Outcome& count = meter_.count;
    count.expanded += granted_ - quota_;
    granted_ = quota_ = 0;
    count.evaluated = 1 + count.generated;
    count.stored = depth_ + 1;
  }

  Outcome solved(std::uint64_t expanded_before) {
    Outcome outcome = meter_.finish({Status::solved});
    outcome.f_solution = outcome.f_bound;
    outcome.expanded_last_layer = outcome.expanded - expanded_before;
    for (std::uint64_t i = 0; i < depth_; ++i) outcome.path.push_back(frames_[i].next[-1].move);
    return outcome;
  }

  const W& walk_;
  const Heuristic& heuristic_;
  const Cost weight_;
  const std::uint64_t branching_;
  const State goal_;
  std::vector<Cost> weighted_h_;  // by raw
  Budget budget_;
  Pool<Frame> frames_;
  Meter meter_;
  Cost threshold_ = 0, next_threshold_ = kNone;
  std::uint64_t depth_ = 0;                // of the last frame in use
  std::uint64_t granted_ = 0, quota_ = 0;  // expansions allowed by the last refill, and those left
  std::optional<Ending> ending_;
};

}  // namespace hstar
