// Searches that need no heuristic: breadth-first from the start, and from start and goal until the two meet.
#pragma once

#include <algorithm>

#include "search/ball.hpp"
#include "search/request.hpp"

namespace hstar {

// Notes what was expanded of the layer with the f-bound in force.
inline void count_layer(Outcome& count, std::uint64_t before) {
  if (count.expanded > before) count.layers.emplace_back(count.f_bound, count.expanded - before);
}

// Has the same counts as A* with h = 0 and fifo: the goal is recognised when its turn comes.
template <Domain D>
Outcome breadth_first_search(D& domain, const Task& task) {
  Budget budget(task.options.limits.memory_bytes);
  Meter meter(task.options.limits, task.control, task.begin, budget);
  Outcome& count = meter.count;
  Ball<D> ball(domain, task.arena.nodes, task.arena.table, budget, meter);
  if (!ball.begin(task.start)) return meter.finish(meter.lacking());
  count.stored = count.max_open = 1;
  if (const auto ending = meter.poll()) return meter.finish(*ending);
  const typename D::State goal = domain.pack(task.heuristic.puzzle().goal());
  const auto kept = [&](Outcome outcome, unsigned deepest) {
    if (task.options.keep_tree) outcome.tree = ball.tree(task.moves, deepest, [](std::uint8_t move) { return move; });
    return outcome;
  };
  std::uint64_t before_layer = 0;  // expansions
  const auto end = [&](Ending ending) {
    count_layer(count, before_layer);
    return meter.finish(ending);
  };
  for (;;) {
    if (ball.layer_is_done()) {
      ball.begin_layer();
      if (ball.layer() == 0) return kept(end({Status::exhausted}), ball.depth() - 1);
      count_layer(count, before_layer);
      before_layer = count.expanded;
    }
    count.f_bound = ball.depth();
    if (ball.state(ball.next()) == goal) {
      Outcome outcome = end({Status::solved});
      outcome.expanded_last_layer = outcome.expanded - before_layer;
      outcome.path = ball.moves_back(ball.next());
      std::ranges::reverse(outcome.path);
      return kept(std::move(outcome), ball.depth() < 2 ? 0 : ball.depth() - 2);
    }
    if (const auto ending = meter.stop()) return kept(end(*ending), ball.depth() < 2 ? 0 : ball.depth() - 2);
    if (!ball.expand(IgnoreHash{}, [](std::uint32_t, std::uint64_t) { return true; }))
      return end(meter.lacking());
    count.stored = ball.size();
    count.max_open = std::max<std::uint64_t>(count.max_open, ball.size() - ball.next());
  }
}

// Expands whole layers, of the side whose next layer is smaller (the start's on a tie). `back` searches from the goal
// with inverse moves, and hashes states as `forth` does; forward_move(m) is the move that its move m undoes.
//
// When all states within a of the start and within b of the goal are known and none is in both sets, no solution has
// length a + b or less. So the first state of the next layer that the other side has lies on a shortest solution.
template <Domain D, class ForwardMove>
Outcome bidirectional_search(D& forth, D& back, const Task& task, ForwardMove forward_move) {
  Arena& arena = task.arena;
  Budget budget(task.options.limits.memory_bytes);
  Meter meter(task.options.limits, task.control, task.begin, budget);
  Outcome& count = meter.count;
  const Bytes goal = task.heuristic.puzzle().goal();
  Ball<D> from_start(forth, arena.nodes, arena.table, budget, meter);
  Ball<D> from_goal(back, arena.entries, arena.layers, budget, meter);
  if (!from_start.begin(task.start) || !from_goal.begin(goal)) return meter.finish(meter.lacking());
  count.stored = count.max_open = 2;
  if (const auto ending = meter.poll()) return meter.finish(*ending);

  // All states within a of the start and within b of the goal are known. That no solution has a + b moves follows from
  // those within a - 1 and b, or from those within a and b - 1.
  const auto kept = [&](Outcome outcome) {
    if (!task.options.keep_tree) return outcome;
    unsigned a = from_start.depth(), b = from_goal.depth();
    if (a > 0 && (b == 0 || from_start.layer() >= from_goal.layer()))
      --a;
    else if (b > 0)
      --b;
    outcome.tree = from_start.tree(task.moves, a, [](std::uint8_t move) { return move; });
    outcome.back_tree = from_goal.tree(task.moves, b, forward_move);
    outcome.back_depth = b;
    return outcome;
  };
  std::uint64_t before_layer = 0;  // expansions
  const auto end = [&](Ending ending) {
    count_layer(count, before_layer);
    return meter.finish(ending);
  };
  const auto solved = [&](std::uint32_t of_start, std::uint32_t of_goal) {
    Outcome outcome = end({Status::solved});
    outcome.expanded_last_layer = outcome.expanded - before_layer;
    outcome.path = from_start.moves_back(of_start);
    std::ranges::reverse(outcome.path);
    for (const std::uint8_t move : from_goal.moves_back(of_goal)) outcome.path.push_back(forward_move(move));
    return kept(std::move(outcome));
  };
  if (std::ranges::equal(task.start, goal)) return solved(0, 0);

  for (;;) {
    count.f_bound = from_start.depth() + from_goal.depth() + 1;
    before_layer = count.expanded;
    const bool forward = from_start.layer() <= from_goal.layer();
    Ball<D>& side = forward ? from_start : from_goal;
    const Ball<D>& other = forward ? from_goal : from_start;
    std::uint32_t here = kNoNode, there = kNoNode;  // the node of each side where they meet
    while (!side.layer_is_done()) {
      if (const auto ending = meter.stop()) return kept(end(*ending));
      const bool expanded = side.expand([&](std::uint64_t hash) { other.prefetch(hash); },
                                        [&](std::uint32_t node, std::uint64_t hash) {
                                          here = node;
                                          there = other.find(side.state(node), hash);
                                          return there == kNoNode;
                                        });
      if (!expanded) return end(meter.lacking());
      count.stored = std::uint64_t{from_start.size()} + from_goal.size();
      count.max_open = std::max(count.max_open, count.stored - from_start.next() - from_goal.next());
      if (there != kNoNode) return forward ? solved(here, there) : solved(there, here);
    }
    side.begin_layer();
    if (side.layer() == 0) return end({Status::exhausted});
    count_layer(count, before_layer);
  }
}

}  // namespace hstar
