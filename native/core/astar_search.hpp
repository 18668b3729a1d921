// A*, over any Domain and OpenList.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>

#include "arena.hpp"
#include "domain.hpp"
#include "layer_counts.hpp"
#include "node.hpp"
#include "open_list.hpp"
#include "search.hpp"
#include "state_table.hpp"

namespace hstar {

using Clock = std::chrono::steady_clock;

template <Domain D, OpenList Open>
class AStarSearch {
  using State = typename D::State;
  using Cost = typename Open::Cost;

 public:
  AStarSearch(Arena& arena, D& domain, const Heuristic& heuristic, const SearchOptions& options, Control& control,
              Clock::time_point begin)
      : domain_(domain),
        heuristic_(heuristic),
        limits_(options.limits),
        control_(control),
        begin_(begin),
        budget_(options.limits.memory_bytes),
        nodes_(arena.nodes, budget_),
        table_(arena.table, budget_, sizeof(Node<State>) + 2 * sizeof(std::uint32_t)),
        open_(arena, budget_, nodes_.data(), heuristic, options.weight, options.tie_breaking),
        layers_(budget_),
        now_(std::make_unique<Successors>()),
        ahead_(std::make_unique<Successors>()),
        lookup_(heuristic.lookup().begin(), heuristic.lookup().end()) {}

  Outcome run(Bytes start) {
    const Outcome outcome = search(start);
    publish();
    return outcome;
  }

 private:
  static constexpr std::uint64_t kPollInterval = 1024;  // expansions

  Outcome search(Bytes start) {
    goal_ = domain_.pack(heuristic_.puzzle().goal());
    goal_hash_ = domain_.hash(goal_);
    if (!insert_start(start)) return finish(Status::limit_reached, Limit::memory);
    if (const Limit limit = poll(); limit != Limit::none) return stopped(limit);
    for (;;) {
      if (!open_.settle()) return finish(Status::exhausted);
      const std::uint32_t node = open_.top();
      const Cost f = open_.top_f();
      f_bound_ = std::max(f_bound_, static_cast<double>(f));
      if (node == goal_node_) return solved(f);
      if (counters_.expanded >= limits_.expanded) return finish(Status::limit_reached, Limit::expanded);
      if (counters_.generated >= limits_.generated) return finish(Status::limit_reached, Limit::generated);
      if (counters_.expanded % kPollInterval == 0)
        if (const Limit limit = poll(); limit != Limit::none) return stopped(limit);
      if (!make_room() || !layers_.add(static_cast<double>(f))) return finish(Status::limit_reached, Limit::memory);
      open_.pop();
      --open_count_;
      if (!expand(node, f)) return finish(Status::limit_reached, Limit::memory);
    }
  }

  bool insert_start(Bytes start) {
    if (!make_room()) return false;
    const State state = domain_.pack(start);
    const std::uint64_t hash = domain_.hash(state);
    return store(find(hash, state), hash, domain_.raw(state), state, kNoNode, 0, 0);
  }

  // Room for all children of one more expansion, so that memory never runs out between two structures.
  bool make_room() noexcept {
    const std::uint64_t most = count_ + std::max(domain_.branching(), 1u);
    return most < kNoNode && nodes_.ensure(most) &&
           table_.reserve(most, [&](std::uint32_t i) { return domain_.hash(nodes_[i].state); });
  }

  StateTable::Place find(std::uint64_t hash, const State& state) const noexcept {
    return table_.find(hash, [&](std::uint32_t i) { return nodes_[i].state == state; });
  }

  Cost evaluate(std::uint32_t raw, const State& state) const noexcept {
    if (!lookup_.empty()) return lookup_[raw];
    std::uint8_t bytes[256];
    domain_.unpack(state, bytes);
    return static_cast<Cost>(heuristic_.value(raw, {bytes, domain_.slots()}));
  }

  bool store(StateTable::Place place, std::uint64_t hash, std::uint32_t raw, const State& state, std::uint32_t parent,
             std::uint8_t move, std::uint32_t g) noexcept {
    const std::uint32_t index = count_++;
    Node<State>& node = nodes_[index];
    node.state = state;
    node.move = move;
    node.parent = parent;
    node.g_and_flags = g | Node<State>::kOpen;
    table_.insert(place, hash, index);
    if (hash == goal_hash_ && state == goal_) goal_node_ = index;
    ++counters_.evaluated;
    max_open_ = std::max(max_open_, ++open_count_);
    return open_.insert(index, raw, evaluate(raw, state));
  }

  // A known state was reached by a shorter path: g is smaller by at least one.
  bool improve(std::uint32_t index, std::uint32_t parent, std::uint8_t move, std::uint32_t g) noexcept {
    Node<State>& node = nodes_[index];
    const bool was_open = node.is_open();
    node.g_and_flags = g | (node.g_and_flags & ~Node<State>::kMaxG);
    node.parent = parent;
    node.move = move;
    if (!open_.improve(index, [&] { return evaluate(domain_.raw(node.state), node.state); })) return false;
    node.g_and_flags |= Node<State>::kOpen;
    if (!was_open) max_open_ = std::max(max_open_, ++open_count_);
    return true;
  }

  // The successors of one node, their places in the state table being prefetched. Made for a node that is being
  // expanded, or ahead of time for the one that will probably be next; a wrong guess costs time and changes nothing.
  struct Successors {
    std::uint32_t node = kNoNode;
    unsigned arrival = kNoArrival;
    typename D::Children children;
  };

  unsigned arrival(std::uint32_t index) const noexcept {
    return nodes_[index].parent == kNoNode ? kNoArrival : nodes_[index].move;
  }
  std::uint32_t raw(std::uint32_t index) const noexcept {
    if constexpr (Open::kKeepsRaw)
      return open_.raw(index);
    else
      return domain_.raw(nodes_[index].state);
  }
  void produce(Successors& successors, const State& state, std::uint32_t raw, unsigned arrival) noexcept {
    successors.arrival = arrival;
    domain_.expand(state, raw, arrival, successors.children, [&](std::uint64_t hash) { table_.prefetch(hash); });
  }

  bool expand(std::uint32_t index, Cost f) noexcept {
    Node<State>& node = nodes_[index];
    ++counters_.expanded;
    if (node.g_and_flags & Node<State>::kExpanded) ++counters_.reopened;
    node.g_and_flags = node.g() | Node<State>::kExpanded;
    const std::uint32_t g = node.g() + 1;
    if (g > Node<State>::kMaxG) return false;

    std::swap(now_, ahead_);
    if (now_->node != index || now_->arrival != arrival(index)) produce(*now_, node.state, raw(index), arrival(index));
    const typename D::Children& children = now_->children;
    const unsigned chosen = look_ahead(children, g, f);
    for (unsigned i = 0; i < children.size; ++i)
      if (const std::uint32_t known = table_.glance(children.hash[i]); known != kNoNode)
        __builtin_prefetch(&nodes_[known]);

    counters_.generated += children.produced;
    for (unsigned i = 0; i < children.size; ++i) {
      const StateTable::Place place = find(children.hash[i], children.state[i]);
      const std::uint32_t child = place.node == kNoNode ? count_ : place.node;
      if (i == chosen) ahead_->node = child;
      if (place.node == kNoNode) {
        if (!store(place, children.hash[i], children.raw[i], children.state[i], index, children.move[i], g))
          return false;
      } else if (g < nodes_[child].g()) {
        if (!improve(child, index, children.move[i], g)) return false;
      }
    }
    return true;
  }

  // Guess the next node: the last of the best children that go before all that is open now, if h is at hand and there is
  // one; else the next on the open list. Produces its successors into `ahead_`. Returns the guessed child's number.
  unsigned look_ahead(const typename D::Children& children, std::uint32_t g, Cost f) noexcept {
    unsigned chosen = children.size;
    if (!lookup_.empty()) {
      Cost least = f;
      for (unsigned i = 0; i < children.size; ++i) {
        const Cost child_f = open_.f(g, lookup_[children.raw[i]]);
        if (child_f > least) continue;
        least = child_f;
        chosen = i;
      }
    }
    ahead_->node = kNoNode;
    if (chosen < children.size) {
      produce(*ahead_, children.state[chosen], children.raw[chosen], children.move[chosen]);
    } else if (const std::uint32_t next = open_.next(); next != kNoNode) {
      ahead_->node = next;
      produce(*ahead_, nodes_[next].state, raw(next), arrival(next));
    }
    return chosen;
  }

  Limit poll() noexcept {
    publish();
    if (control_.cancelled.load(std::memory_order_relaxed)) {
      cancelled_ = true;
      return Limit::seconds;
    }
    return seconds() >= limits_.seconds ? Limit::seconds : Limit::none;
  }
  Outcome stopped(Limit limit) {
    return cancelled_ ? finish(Status::cancelled) : finish(Status::limit_reached, limit);
  }

  Outcome solved(Cost f) {
    Outcome outcome = finish(Status::solved);
    outcome.f_solution = static_cast<double>(f);
    outcome.expanded_last_layer = layers_.at(static_cast<double>(f));
    for (std::uint32_t i = goal_node_; nodes_[i].parent != kNoNode; i = nodes_[i].parent)
      outcome.path.push_back(nodes_[i].move);
    std::ranges::reverse(outcome.path);
    return outcome;
  }

  Outcome finish(Status status, Limit limit = Limit::none) const {
    Outcome outcome = counters_;
    outcome.status = status;
    outcome.limit = limit;
    outcome.stored = count_;
    outcome.max_open = max_open_;
    outcome.f_bound = f_bound_;
    outcome.seconds = seconds();
    outcome.peak_bytes = budget_.peak();
    return outcome;
  }

  double seconds() const noexcept { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  void publish() const noexcept {
    constexpr auto relaxed = std::memory_order_relaxed;
    control_.expanded.store(counters_.expanded, relaxed);
    control_.generated.store(counters_.generated, relaxed);
    control_.evaluated.store(counters_.evaluated, relaxed);
    control_.reopened.store(counters_.reopened, relaxed);
    control_.stored.store(count_, relaxed);
    control_.bytes.store(budget_.used(), relaxed);
    control_.f_bound.store(f_bound_, relaxed);
  }

  D& domain_;
  const Heuristic& heuristic_;
  const Limits limits_;
  Control& control_;
  const Clock::time_point begin_;
  Budget budget_;
  Pool<Node<State>> nodes_;
  StateTable table_;
  Open open_;
  LayerCounts layers_;
  std::unique_ptr<Successors> now_, ahead_;
  std::vector<Cost> lookup_;  // h by raw, if that is enough
  State goal_;
  std::uint64_t goal_hash_ = 0;
  std::uint32_t goal_node_ = kNoNode;
  std::uint32_t count_ = 0;  // nodes
  std::uint64_t open_count_ = 0, max_open_ = 0;
  double f_bound_ = 0;
  bool cancelled_ = false;
  Outcome counters_;  // the counts so far; the rest of it is filled in by `finish`
};

}  // namespace hstar
