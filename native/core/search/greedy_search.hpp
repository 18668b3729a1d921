// Greedy best-first search: smallest h first, whatever g is. A state is expanded at most once.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include "memory/arena.hpp"
#include "domains/domain.hpp"
#include "search/meter.hpp"
#include "search/node.hpp"
#include "search/open_list.hpp"
#include "search/request.hpp"
#include "search/state_table.hpp"

namespace hstar {

template <Domain D, OpenList Open>
class GreedySearch {
  using State = typename D::State;
  // A state that knows its size would be a node of run-time size, which the open list cannot count in: it is kept
  // apart.
  static constexpr bool kApart = Sized<State>;
  using Node = hstar::Node<std::conditional_t<kApart, Recorded, State>>;
  using Cost = typename Open::Cost;

 public:
  template <class... OpenArguments>
  GreedySearch(D& domain, const Task& task, const OpenArguments&... open)
      : domain_(domain), heuristic_(task.heuristic), goal_(domain.pack(task.heuristic.puzzle().goal())),
        budget_(task.options.limits.memory_bytes), nodes_(task.arena.nodes, budget_),
        states_(task.arena.records, budget_, record_bytes<Apart>(domain)),
        table_(task.arena.table, budget_,
               sizeof(Node) + (kApart ? record_bytes<Apart>(domain) : 0) + sizeof(std::uint32_t)),
        // All nodes have g = 0, so that f is h.
        open_(task.arena, budget_, nodes_.data(), open..., task.options.tie_breaking),
        lookup_(open_.costs(domain.lookup())), meter_(task.options.limits, task.control, task.begin, budget_),
        children_(std::make_unique<typename D::Children>()) {}

  Outcome run(Bytes start) {
    const State state = domain_.pack(start);
    const std::uint64_t hash = domain_.hash(state);
    if (!budget_.charge(domain_.bytes() + sizeof *children_) || !make_room() ||
        !store(find(hash, state), hash, domain_.raw(state), state, kNoNode, 0))
      return meter_.finish(meter_.lacking());
    open_.settle();
    meter_.count.f_bound = open_.value(open_.top_f());
    if (const auto ending = meter_.poll()) return meter_.finish(*ending);
    for (;;) {
      if (!open_.settle()) return meter_.finish({Status::exhausted});
      const std::uint32_t node = open_.top();
      if (state_of(node) == goal_) return solved(node);
      if (const auto ending = meter_.stop()) return meter_.finish(*ending);
      if (!make_room()) return meter_.finish(meter_.lacking());
      open_.pop();
      if (!expand(node)) return meter_.finish(meter_.lacking());
    }
  }

 private:
  bool make_room() noexcept {
    const std::uint64_t most = meter_.count.stored + std::max(domain_.branching(), 1u);
    return most < kNoNode && nodes_.ensure(most) && (!kApart || states_.ensure(most)) &&
           table_.reserve(most, [&](std::uint32_t i) { return domain_.hash(state_of(i)); },
                          [&] { return meter_.interrupted(); });
  }
  const State& state_of(std::uint32_t i) const noexcept {
    if constexpr (kApart)
      return states_[i].state;
    else
      return nodes_[i].state;
  }
  StateTable::Place find(std::uint64_t hash, const State& wanted) const noexcept {
    return table_.find(hash, [&](std::uint32_t i) { return state_of(i) == wanted; });
  }

  Cost evaluate(std::uint32_t raw, const State& state) const noexcept {
    if (!lookup_.empty()) return lookup_[raw];
    std::uint8_t bytes[kMostStateBytes];
    domain_.unpack(state, bytes);
    return open_.cost(heuristic_.value(raw, {bytes, domain_.state_bytes()}));
  }

  bool store(StateTable::Place place, std::uint64_t hash, std::uint32_t raw, const State& state, std::uint32_t parent,
             std::uint8_t move) noexcept {
    Outcome& count = meter_.count;
    const auto index = static_cast<std::uint32_t>(count.stored++);
    nodes_[index] = {{}, parent, Node::kOpen | Node::g_and_move(0, move), 0};
    if constexpr (kApart)
      states_[index].state = state;
    else
      nodes_[index].state = state;
    table_.insert(place, hash, index);
    ++count.evaluated;
    count.max_open = std::max(count.max_open, count.stored - count.expanded);
    return open_.insert(index, raw, evaluate(raw, state));
  }

  bool expand(std::uint32_t parent) noexcept {
    Node& node = nodes_[parent];
    node.g_and_flags = Node::kExpanded | (node.g_and_flags & ~Node::kOpen);
    ++meter_.count.expanded;
    const State& from = state_of(parent);
    domain_.expand(from, domain_.hash(from), domain_.raw(from),
                   node.parent == kNoNode ? kNoArrival : unsigned{node.move()}, *children_,
                   [&](std::uint64_t hash) { table_.prefetch(hash); });
    meter_.count.generated += children_->produced;
    for (unsigned i = 0; i < children_->size; ++i) {
      const StateTable::Place place = find(children_->hash[i], children_->state[i]);
      if (place.node == kNoNode &&
          !store(place, children_->hash[i], children_->raw[i], children_->state[i], parent, children_->move[i]))
        return false;
    }
    assert(!checks_now(meter_.count.expanded) || valid());
    return true;
  }

  // Each node is in the table once, and those not expanded yet are on the open list.
  bool valid() const {
    return table_.count() == meter_.count.stored && open_.valid() &&
           table_.valid([&](std::uint32_t i) { return domain_.hash(state_of(i)); });
  }

  Outcome solved(std::uint32_t node) const {
    Outcome outcome = meter_.finish({Status::solved});
    for (; nodes_[node].parent != kNoNode; node = nodes_[node].parent) outcome.path.push_back(nodes_[node].move());
    std::ranges::reverse(outcome.path);
    return outcome;
  }

  D& domain_;
  const Heuristic& heuristic_;
  const State goal_;
  Budget budget_;
  struct Apart {
    State state;
  };
  Pool<Node> nodes_;
  Pool<Apart, kApart> states_;
  StateTable table_;
  Open open_;
  std::span<const Cost> lookup_;  // h by raw
  Meter meter_;
  std::unique_ptr<typename D::Children> children_;
};

}  // namespace hstar
