// The slow, obvious A*, from the same words as the kernel's contract but none of its code.
#pragma once

#include <map>
#include <set>

#include "worlds.hpp"

namespace test {

struct ModelOutcome {
  std::string ending;
  State path;
  std::uint64_t expanded = 0, generated = 0, evaluated = 0, reopened = 0, last_layer = 0, stored = 0, max_open = 0;
  double f_bound = 0;
};

inline ModelOutcome model_astar(const hstar::Puzzle& puzzle, const State& start, const State& moves,
                                const hstar::Heuristic& heuristic, double weight, hstar::TieBreaking tie,
                                std::uint64_t max_expanded, std::uint64_t max_generated) {
  using Key = std::array<double, 3>;
  struct Known {
    double g, h;
    State parent;
    int move;
    bool open, expanded;
    Key key;
  };
  ModelOutcome out;
  std::map<State, Known> known;
  std::set<std::pair<Key, State>> open;
  std::map<double, std::uint64_t> layer;
  double seq = 0;
  const auto push = [&](const State& state) {
    Known& k = known.at(state);
    const double f = k.g + weight * k.h;
    ++seq;
    k.key = tie == hstar::TieBreaking::fifo ? Key{f, seq, 0} : tie == hstar::TieBreaking::lifo ? Key{f, -seq, 0} : Key{f, k.h, -seq};
    k.open = true;
    open.insert({k.key, state});
    out.max_open = std::max<std::uint64_t>(out.max_open, open.size());
  };
  const auto add = [&](const State& state, double g, const State& parent, int move) {
    ++out.evaluated;
    known[state] = {g, heuristic.evaluate(state), parent, move, false, false, {}};
    push(state);
  };
  const State goal(puzzle.goal().begin(), puzzle.goal().end());
  add(start, 0, {}, -1);
  for (;;) {
    out.stored = known.size();
    if (open.empty()) return out.ending = "exhausted", out;
    const auto [key, state] = *open.begin();
    out.f_bound = std::max(out.f_bound, key[0]);
    if (state == goal) {
      out.last_layer = layer[key[0]];
      for (State at = state; known[at].move >= 0; at = known[at].parent)
        out.path.insert(out.path.begin(), static_cast<std::uint8_t>(known[at].move));
      return out.ending = "solved", out;
    }
    if (out.expanded == max_expanded) return out.ending = "expanded", out;
    if (out.generated >= max_generated) return out.ending = "generated", out;
    open.erase(open.begin());
    Known& here = known[state];
    ++out.expanded;
    ++layer[key[0]];
    out.reopened += here.expanded;
    here.open = false;
    here.expanded = true;
    const double g = here.g + 1;
    for (const std::uint8_t move : moves) {
      State next(state.size());
      if (!puzzle.apply(state, move, next.data())) continue;
      ++out.generated;
      const auto found = known.find(next);
      if (found == known.end()) {
        add(next, g, state, move);
      } else if (g < found->second.g) {
        if (found->second.open) open.erase({found->second.key, next});
        found->second.g = g;
        found->second.parent = state;
        found->second.move = move;
        push(next);
      }
    }
  }
}

}  // namespace test
