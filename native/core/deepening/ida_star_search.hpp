// IDA* (Korf 1985) over any TreeWalk: depth-first searches that prune states with f above a threshold; the next
// threshold is the smallest f pruned. Only the path is kept.
//
// Successors are produced one at a time, each searched before the next is produced, so `generated` is the published
// convention of IDA* (the start is not counted).
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "deepening/deepening.hpp"
#include "search/request.hpp"
#include "deepening/tree_walk.hpp"

namespace hstar {

// What the walkers of one search read. Cost is std::int32_t, if h depends on raw alone, or double.
template <TreeWalk W, class Cost>
struct IdaStarProblem {
  IdaStarProblem(const Task& task, const W& its_walk)
      : walk(its_walk),
        heuristic(task.heuristic),
        start(task.start),
        goal(walk.pack(heuristic.puzzle().goal())),
        costs(task),
        weight(static_cast<Cost>(task.options.weight)),
        branching(task.moves.size()) {
    for (const double h : walk.lookup().values()) by_raw.push_back(weighted(static_cast<Cost>(h)));
  }

  Cost weighted(Cost h) const noexcept { return weight == 0 ? 0 : weight * h; }  // h may be infinite
  Cost weighted_h(const RawOf<W>& raw, const typename W::State& state) const noexcept {
    if constexpr (OwnHeuristic<W>) {
      return walk.h(raw);
    } else {
      if (!by_raw.empty()) return by_raw[raw];
      std::uint8_t buffer[kMostStateBytes];
      return weighted(static_cast<Cost>(heuristic.value(raw, walk.bytes(state, buffer))));
    }
  }

  const W& walk;
  const Heuristic& heuristic;
  const Bytes start;
  const typename W::State goal;
  const MoveCosts costs;
  const Cost weight;
  const std::uint64_t branching;
  std::vector<Cost> by_raw;  // weight times h; empty: h needs more than raw
};

// One thread's depth-first searches.
template <TreeWalk W, class Cost>
class IdaStarWalker {
  using State = typename W::State;
  using Step = typename W::Step;
  using Raw = RawOf<W>;
  using Problem = IdaStarProblem<W, Cost>;

 public:
  using Bound = Cost;
  static constexpr Cost kNoBound = std::numeric_limits<Cost>::has_infinity ? std::numeric_limits<Cost>::infinity()
                                                                           : std::numeric_limits<Cost>::max();
  static constexpr std::uint64_t kWorthThreads = 10'000;

  IdaStarWalker(const Problem& problem, SharedMeter& shared, Budget& budget)
      : problem_(problem), walk_(problem.walk), shared_(shared), budget_(budget) {}

  bool search(const Subtree& task, Cost threshold, const Order& order) {
    const SharedMeter::Settled settled{shared_, part_};
    if (!enter(task)) return false;
    const auto g = static_cast<Cost>(problem_.costs.of(task.moves));
    if constexpr (!OwnHeuristic<W>)
      if (problem_.costs.differ()) return dive<true>(task.row, g, threshold, order);
    return dive<false>(task.row, g, threshold, order);
  }

  bool split(const Subtree& task, Cost threshold, std::vector<Subtree>& next) {
    const SharedMeter::Settled settled{shared_, part_};
    if (!enter(task) || frames_[0].state == problem_.goal || !refill([] { return true; })) return false;
    --part_.left;
    for (const Step& step : walk_.steps(task.row)) {
      if (!legal(frames_[0].state, step)) continue;
      ++part_.generated;
      const Frame& top = frames_[0];
      State after;
      walk_.apply(top.state, step, after);
      const Raw raw = walk_.raw(top.state, top.raw, step);
      const Cost f = static_cast<Cost>(problem_.costs.of(task.moves) + problem_.costs[step.move]) +
                     problem_.weighted_h(raw, after);
      if (f > threshold) {
        next_ = std::min(next_, f);
        continue;
      }
      next.push_back({task.moves, step.row});
      next.back().moves.push_back(step.move);
    }
    return true;
  }

  std::uint32_t row_of(Bytes moves) const {
    std::uint32_t row = walk_.first_row(problem_.start);
    for (const std::uint8_t move : moves) {
      const auto steps = walk_.steps(row);
      const auto step = std::ranges::find(steps, move, &Step::move);
      if (step == steps.end()) throw std::invalid_argument("the root of the part is not below the start");
      row = step->row;
    }
    return row;
  }
  Cost take_next() noexcept { return std::exchange(next_, kNoBound); }
  std::vector<std::uint8_t> path() const {
    std::vector<std::uint8_t> moves = prefix_;
    for (std::uint64_t i = 0; i < depth_; ++i) moves.push_back(frames_[i].next[-1].move);
    return moves;
  }

 private:
  // A state of the path, and its moves that are still to be made: [next, last), made ones before.
  struct Frame {
    State state;
    Raw raw;
    const Step* next;
    const Step* last;
  };
  // Frames that room is made for at a time: little memory, whatever the size of a state.
  static constexpr std::uint64_t kMoreFrames = (std::uint64_t{1} << 16) / sizeof(Frame) + 1;

  bool legal(const State& state, const Step& step) const noexcept {
    if constexpr (Forbidding<W>) return walk_.legal(state, step);
    return true;
  }
  // Puts the state of a task into the first frame; false: no memory.
  bool enter(const Subtree& task) {
    depth_ = 0;
    prefix_ = task.moves;
    if (!make_room(2)) return false;
    Frame& first = frames_[0];
    first = {walk_.pack(problem_.start), walk_.raw(problem_.start), nullptr, nullptr};
    std::uint32_t row = walk_.first_row(problem_.start);
    for (const std::uint8_t move : prefix_) {
      const Step& step = *std::ranges::find(walk_.steps(row), move, &Step::move);
      const State before = first.state;
      first.raw = walk_.raw(before, first.raw, step);
      walk_.apply(before, step, first.state);
      row = step.row;
    }
    return true;
  }

  // Down to the threshold; true if it reached the goal, false also if it had to stop. `g`: of the task's state.
  template <bool kCosts>
  bool dive(std::uint32_t row, Cost g, Cost threshold, const Order& order) {
    // An integer Cost means a table, or a heuristic of the walk's own.
    const bool by_raw = std::is_integral_v<Cost> || !problem_.by_raw.empty();
    const Cost* const h = problem_.by_raw.data();
    const State goal = problem_.goal;
    const auto cost = [&](const Step& step) -> Cost {
      if constexpr (kCosts) return static_cast<Cost>(problem_.costs[step.move]);
      return 1;
    };
    Frame *bottom = frames_.get(), *top = bottom;
    Cost next_threshold = next_;
    // h of a successor of the top; `its_g` is its g.
    const auto value = [&](const Step& step, Cost its_g, Raw& raw) -> Cost {
      if constexpr (OwnHeuristic<W>) {
        return walk_.advance(top->state, top->raw, step, threshold - its_g, next_threshold != threshold + 1, raw);
      } else {
        raw = walk_.raw(top->state, top->raw, step);
        if (by_raw) return h[raw];
        walk_.apply(top->state, step, top[1].state);
        return problem_.weighted_h(raw, top[1].state);
      }
    };
    std::uint64_t generated = 0, left = 0;
    const auto note = [&] {
      depth_ = static_cast<std::uint64_t>(top - bottom);
      next_ = next_threshold;
      part_.generated += std::exchange(generated, 0);
      part_.left = left;
      part_.stored = prefix_.size() + depth_ + 1;
    };
    for (;;) {
      if (top->state == goal) return note(), true;
      if (left == 0) {
        note();
        if (!refill([&] { return order.may_go_on(); })) return false;
        left = part_.left;
        bottom = frames_.get();  // they may have moved
        top = bottom + depth_;
      }
      --left;
      const std::span<const Step> steps = walk_.steps(row);
      top->next = steps.data();
      top->last = steps.data() + steps.size();
      for (;;) {  // to the next state within the threshold
        while (top->next == top->last) {
          if (top == bottom) return note(), false;
          --top;
          g -= cost(top->next[-1]);
        }
        const Step& step = *top->next++;
        if (!legal(top->state, step)) continue;
        ++generated;
        Raw small;
        Raw& raw = OwnHeuristic<W> ? top[1].raw : small;  // a large one is not copied
        const Cost its_g = g + cost(step);
        const Cost f = its_g + value(step, its_g, raw);
        if (f > threshold) {
          next_threshold = std::min(next_threshold, f);
          continue;
        }
        if (by_raw) walk_.apply(top->state, step, top[1].state);
        row = step.row;
        ++top;
        if constexpr (!OwnHeuristic<W>) top->raw = raw;
        g = its_g;
        break;
      }
    }
  }

  // May the search go on? Then there is room for the path of as many expansions as were granted. The path grows by at
  // most one state with each; one more is room to try a successor. No more are asked for than there is room for, so how
  // much memory is used depends on the paths alone: how many are granted depends on the time between two polls.
  template <class MayGoOn>
  bool refill(MayGoOn may_go_on) {
    std::uint64_t pending = 0;
    for (std::uint64_t i = 0; i < depth_; ++i) pending += static_cast<std::uint64_t>(frames_[i].last - frames_[i].next);
    part_.stored = prefix_.size() + depth_ + 1;
    const std::uint64_t most = std::max<std::uint64_t>(room_ - depth_ - 2, 1);
    if (!shared_.refill(part_, problem_.branching, pending, most, may_go_on)) return false;
    return make_room(depth_ + part_.left + 2);
  }

  bool make_room(std::uint64_t frames) {
    if (frames <= room_) return true;
    const std::uint64_t room = frames + kMoreFrames;
    if (!shared_.charge(budget_, (room - room_) * sizeof(Frame))) return false;
    auto larger = std::make_unique_for_overwrite<Frame[]>(room);
    if (room_ != 0) std::copy_n(frames_.get(), depth_ + 1, larger.get());
    frames_ = std::move(larger);
    room_ = room;
    return true;
  }

  const Problem& problem_;
  const W& walk_;
  SharedMeter& shared_;
  Budget& budget_;
  SharedMeter::Part part_;
  std::vector<std::uint8_t> prefix_;  // moves of the task
  std::unique_ptr<Frame[]> frames_;   // the path below it: frames 0 to depth_ are in use
  std::uint64_t room_ = 0, depth_ = 0;
  Cost next_ = kNoBound;  // the least f above the threshold
};

// The walk is of the task's puzzle, heuristic and moves. `before(bound, expanded, budget, stop)` is called before each
// iteration, with the expansions of the one before; it may change the walk's heuristic, and must return soon once
// stop() is true.
template <class Cost, TreeWalk W, class Before>
Outcome ida_star_search(const W& walk, const Task& task, Before before) {
  using Walker = IdaStarWalker<W, Cost>;
  Budget budget(task.options.limits.memory_bytes);
  Meter meter(task.options.limits, task.control, task.begin, budget);
  if constexpr (OwnHeuristic<W>)
    if (!budget.charge(walk.table_bytes())) return meter.finish(kOutOfMemory);
  SharedMeter shared(meter);
  const IdaStarProblem<W, Cost> problem(task, walk);
  std::vector<std::unique_ptr<Walker>> walkers;
  for (unsigned i = 0; i < task.options.threads; ++i)
    walkers.push_back(std::make_unique<Walker>(problem, shared, budget));
  const auto state = walk.pack(task.start);
  Cost bound = problem.weighted_h(walk.raw(task.start), state);
  meter.count.evaluated = meter.count.stored = 1;
  meter.count.f_bound = static_cast<double>(bound);
  if (const auto ending = meter.poll()) return meter.finish(*ending);
  if (bound == Walker::kNoBound && state == problem.goal) bound = std::numeric_limits<Cost>::max();
  Deepening<Walker> deepening(shared, std::move(walkers), {{}, walk.first_row(task.start)});
  if (task.options.part) return deepening.run(*task.options.part, bound);
  return deepening.run(bound, [&](Cost its_bound, std::uint64_t expanded) {
    before(its_bound, expanded, budget, [&] {
      if (!meter.interrupted()) return false;
      shared.end(meter.lacking());
      return true;
    });
  });
}

template <class Cost, TreeWalk W>
Outcome ida_star_search(const W& walk, const Task& task) {
  return ida_star_search<Cost>(walk, task, [](Cost, std::uint64_t, Budget&, const auto&) {});
}

}  // namespace hstar
