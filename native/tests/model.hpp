// Slow, simple searches, written from the kernel's contract without its code.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <utility>

#include "check.hpp"
#include "worlds.hpp"

namespace test {

inline std::string ending(const hstar::Outcome& o) {
  switch (o.status) {
    case hstar::Status::solved: return "solved";
    case hstar::Status::exhausted: return "exhausted";
    case hstar::Status::cancelled: return "cancelled";
    default: return o.limit == hstar::Limit::expanded    ? "expanded"
                    : o.limit == hstar::Limit::generated ? "generated"
                    : o.limit == hstar::Limit::seconds   ? "seconds"
                                                         : "memory";
  }
}

inline void replay(const hstar::Puzzle& puzzle, State state, const State& path) {
  State next(state.size());
  for (const std::uint8_t move : path) {
    CHECK(puzzle.apply(state, move, next.data()));
    state = next;
  }
  CHECK(state == goal_of(puzzle));
}

struct ModelOutcome {
  std::string ending;
  State path;
  std::uint64_t expanded = 0, generated = 0, evaluated = 0, reopened = 0, last_layer = 0, stored = 0, max_open = 0;
  std::map<double, std::uint64_t> layers;  // if any
  double f_bound = 0;
};

// The distance of each state from the goal. If every move can be undone by one, as on tiles, it is also the distance to
// the goal.
inline std::map<State, int, ByBytes> distances(const hstar::Puzzle& puzzle) {
  std::map<State, int, ByBytes> distance{{goal_of(puzzle), 0}};
  std::queue<State> queue({goal_of(puzzle)});
  for (; !queue.empty(); queue.pop()) {
    const State& state = queue.front();
    const int farther = distance.at(state) + 1;
    State next(state.size());
    for (unsigned move = 0; move < puzzle.move_count(); ++move)
      if (puzzle.apply(state, move, next.data()) && distance.try_emplace(next, farther).second) queue.push(next);
  }
  return distance;
}

// A*. With `greedy`, h alone is the key, and a state is expanded at most once.
inline ModelOutcome model_astar(const hstar::Heuristic& heuristic, const State& start, const State& moves,
                                const hstar::SearchOptions& options, bool greedy = false) {
  const hstar::Puzzle& puzzle = heuristic.puzzle();
  const hstar::TieBreaking tie = options.tie_breaking;
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
    const double f = greedy ? k.h : k.g + options.weight * k.h;
    ++seq;
    k.key = tie == hstar::TieBreaking::fifo   ? Key{f, seq, 0}
            : tie == hstar::TieBreaking::lifo ? Key{f, -seq, 0}
                                              : Key{f, k.h, -seq};
    k.open = true;
    open.insert({k.key, state});
    out.max_open = std::max<std::uint64_t>(out.max_open, open.size());
  };
  const auto add = [&](const State& state, double g, const State& parent, int move) {
    ++out.evaluated;
    known[state] = {g, heuristic.evaluate(state), parent, move, false, false, {}};
    push(state);
  };
  const State goal = goal_of(puzzle);
  add(start, 0, {}, -1);
  std::deque<std::pair<Key, State>> taken;  // the current batch: entries with the same f and h
  for (;;) {
    out.stored = known.size();
    while (!taken.empty() && known[taken.front().second].key != taken.front().first) taken.pop_front();
    if (taken.empty()) {
      if (open.empty()) return out.ending = "exhausted", out;
      for (const auto& entry : open) {
        const bool same = taken.empty() || (entry.first[0] == taken[0].first[0] && entry.first[1] == taken[0].first[1]);
        if (!same || taken.size() == (tie == hstar::TieBreaking::batch ? 64 : 1)) break;
        taken.push_back(entry);
      }
    }
    const auto [key, state] = taken.front();
    taken.pop_front();
    if (!greedy || out.expanded == 0) out.f_bound = std::max(out.f_bound, key[0]);
    if (state == goal) {
      if (!greedy) out.last_layer = layer[key[0]];
      for (State at = state; known[at].move >= 0; at = known[at].parent)
        out.path.insert(out.path.begin(), static_cast<std::uint8_t>(known[at].move));
      return out.ending = "solved", out;
    }
    if (out.expanded == options.limits.expanded) return out.ending = "expanded", out;
    if (out.generated >= options.limits.generated) return out.ending = "generated", out;
    open.erase({key, state});
    Known& here = known[state];
    ++out.expanded;
    ++layer[key[0]];
    if (!greedy) out.layers = layer;
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
      } else if (!greedy && g < found->second.g) {
        if (found->second.open) open.erase({found->second.key, next});
        found->second.g = g;
        found->second.parent = state;
        found->second.move = move;
        push(next);
      }
    }
  }
}

// A* with h = 0 and fifo.
inline ModelOutcome model_breadth_first(std::shared_ptr<const hstar::Puzzle> puzzle, const State& start,
                                        const State& moves, const hstar::Limits& limits) {
  const hstar::Heuristic zero(std::move(puzzle), {}, {{hstar::Op::constant}}, true, 0);
  ModelOutcome out = model_astar(zero, start, moves, {1, hstar::TieBreaking::fifo, limits});
  out.evaluated = 0;
  return out;
}

// Whole layers, of the side whose next layer is smaller. `undo(state, move, out)` sets `out` to the state before
// `move`.
inline ModelOutcome model_bidirectional(const hstar::Puzzle& puzzle, const State& start, const State& moves,
                                        const hstar::Limits& limits,
                                        const std::function<bool(const State&, unsigned, std::uint8_t*)>& undo) {
  struct Side {
    std::map<State, std::pair<State, int>> known;  // the parent and the move from it
    std::vector<State> layer, next;
    std::size_t expanded = 0, depth = 0;
  };
  ModelOutcome out;
  Side sides[2];
  sides[0].layer = {start};
  sides[1].layer = {goal_of(puzzle)};
  for (Side& side : sides) side.known[side.layer[0]] = {{}, -1};
  out.stored = out.max_open = 2;
  const auto solve = [&](const State& meeting) {
    for (const bool back : {false, true}) {
      State path;
      for (State at = meeting; sides[back].known[at].second >= 0; at = sides[back].known[at].first)
        path.push_back(static_cast<std::uint8_t>(sides[back].known[at].second));
      if (!back) std::ranges::reverse(path);
      out.path.insert(out.path.end(), path.begin(), path.end());
    }
    out.ending = "solved";
  };
  if (start == sides[1].layer[0]) return solve(start), out;
  for (;;) {
    out.f_bound = static_cast<double>(sides[0].depth + sides[1].depth + 1);
    out.last_layer = 0;
    const bool back = sides[0].layer.size() > sides[1].layer.size();
    Side& side = sides[back];
    for (const State& state : side.layer) {
      if (out.expanded == limits.expanded) return out.last_layer = 0, out.ending = "expanded", out;
      if (out.generated >= limits.generated) return out.last_layer = 0, out.ending = "generated", out;
      ++out.expanded;
      ++out.last_layer;
      ++out.layers[out.f_bound];
      ++side.expanded;
      std::optional<State> meeting;
      for (const std::uint8_t move : moves) {
        State after(state.size());
        if (!(back ? undo(state, move, after.data()) : puzzle.apply(state, move, after.data()))) continue;
        ++out.generated;
        if (meeting || !side.known.try_emplace(after, state, move).second) continue;
        side.next.push_back(after);
        if (sides[!back].known.contains(after)) meeting = after;
      }
      out.stored = sides[0].known.size() + sides[1].known.size();
      out.max_open = std::max(out.max_open, out.stored - sides[0].expanded - sides[1].expanded);
      if (meeting) return solve(*meeting), out;
    }
    side.layer = std::move(side.next);
    side.next.clear();
    ++side.depth;
    if (side.layer.empty()) return out.last_layer = 0, out.ending = "exhausted", out;
  }
}

// IDA*. `allowed(path, move)`: whether the move may follow the moves made so far.
inline ModelOutcome model_ida_star(const hstar::Heuristic& heuristic, const State& start, const State& moves,
                                   const hstar::SearchOptions& options,
                                   const std::function<bool(const State&, std::uint8_t)>& allowed) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const hstar::Puzzle& puzzle = heuristic.puzzle();
  const State goal = goal_of(puzzle);
  ModelOutcome out;
  double next = kNone;
  std::uint64_t before = 0;
  // Whether the search ended at or below `state`; if so, `ending` is set.
  const std::function<bool(const State&)> visit = [&](const State& state) {
    if (state == goal) return out.ending = "solved", true;
    if (out.expanded == options.limits.expanded) return out.ending = "expanded", true;
    if (out.generated >= options.limits.generated) return out.ending = "generated", true;
    ++out.expanded;
    for (const std::uint8_t move : moves) {
      State after(state.size());
      if (!puzzle.apply(state, move, after.data()) || !allowed(out.path, move)) continue;
      ++out.generated;
      const double f = static_cast<double>(out.path.size()) + 1 + options.weight * heuristic.evaluate(after);
      if (f > out.f_bound) {
        next = std::min(next, f);
        continue;
      }
      out.path.push_back(move);
      if (visit(after)) return true;
      out.path.pop_back();
    }
    return false;
  };
  for (out.f_bound = options.weight * heuristic.evaluate(start);; out.f_bound = std::exchange(next, kNone)) {
    before = out.expanded;
    const bool ended = visit(start);
    if (out.expanded > before) out.layers[out.f_bound] = out.expanded - before;
    if (ended) break;
    if (next != kNone) continue;
    out.ending = "exhausted";
    break;
  }
  out.evaluated = out.generated + 1;
  out.stored = out.path.size() + 1;
  if (out.ending == "solved") {
    out.last_layer = out.expanded - before;
  } else {
    out.path.clear();
  }
  return out;
}

// Compares every count of a search, and those of its Control at the end.
inline void check_equals(const hstar::Outcome& got, const hstar::Control& control, const ModelOutcome& expected) {
  CHECK_EQUAL(ending(got), expected.ending);
  CHECK(got.path == expected.path);
  CHECK_EQUAL(got.expanded, expected.expanded);
  CHECK_EQUAL(got.generated, expected.generated);
  CHECK_EQUAL(got.evaluated, expected.evaluated);
  CHECK_EQUAL(got.reopened, expected.reopened);
  CHECK_EQUAL(got.expanded_last_layer, expected.last_layer);
  CHECK_EQUAL(got.layers.size(), expected.layers.size());
  CHECK((std::map<double, std::uint64_t>(got.layers.begin(), got.layers.end()) == expected.layers));
  CHECK_EQUAL(got.stored, expected.stored);
  CHECK_EQUAL(got.max_open, expected.max_open);
  CHECK_EQUAL(got.f_bound, expected.f_bound);
  CHECK_EQUAL(control.expanded.load(), got.expanded);
  CHECK_EQUAL(control.generated.load(), got.generated);
  CHECK_EQUAL(control.evaluated.load(), got.evaluated);
  CHECK_EQUAL(control.reopened.load(), got.reopened);
  CHECK_EQUAL(control.stored.load(), got.stored);
  CHECK_EQUAL(control.f_bound.load(), got.f_bound);
}

}  // namespace test
