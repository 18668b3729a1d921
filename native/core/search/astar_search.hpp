// A*, over any Domain and OpenList.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <vector>

#include "memory/arena.hpp"
#include "puzzle/domain.hpp"
#include "search/child_row.hpp"
#include "search/hot_list.hpp"
#include "search/layer_counts.hpp"
#include "search/node_store.hpp"
#include "search/open_list.hpp"
#include "search/search.hpp"
#include "search/state_table.hpp"

namespace hstar {

using Clock = std::chrono::steady_clock;

template <Domain D, OpenList Open>
class AStarSearch {
  using State = typename D::State;
  using Cost = typename Open::Cost;
  using Store = NodeStore<D>;
  using Node = typename Store::Node;
  using ChildRecord = Child<Kept<State>>;

 public:
  static constexpr std::uint32_t kMostFlights = 16;

  // `depth`: how many expansions are in flight, 1 to kMostFlights; changes no count.
  AStarSearch(Arena& arena, D& domain, const Heuristic& heuristic, const SearchOptions& options, Control& control,
              Clock::time_point begin, std::uint32_t depth = kMostFlights)
      : domain_(domain),
        heuristic_(heuristic),
        limits_(options.limits),
        control_(control),
        begin_(begin),
        budget_(options.limits.memory_bytes),
        nodes_(arena, budget_, domain),
        table_(arena.table, budget_, Store::kUsualBytes + 2 * sizeof(std::uint32_t)),
        open_(arena, budget_, nodes_.data(), heuristic, options.weight, options.tie_breaking),
        layers_(budget_),
        lookup_(heuristic.lookup().begin(), heuristic.lookup().end()),
        depth_(lookup_.empty() ? 1 : depth),
        row_(std::max(domain.branching(), 1u)),
        children_(kMostFlights * row_),
        expected_(kMostFlights * row_),
        waiting_(kBurst + row_),
        hot_(options.tie_breaking, kMostFlights * row_) {
    for (std::uint32_t i = 0; i < kMostFlights; ++i) flights_[i].children = ChildRow<Kept<State>>(&children_[i * row_]);
  }

  Outcome run(Bytes start) {
    const Outcome outcome = search(start);
    publish();
    return outcome;
  }

 private:
  static constexpr std::uint64_t kPollInterval = 1024;  // expansions
  static constexpr std::size_t kMostHot = 64;           // from here on only what must be in hot_
  static constexpr std::size_t kBurst = 8;              // places to prefetch together

  // What is expected of one child that is not stored yet.
  struct Expected {
    Cost h;
    std::uint32_t flight;  // that it was fetched for, kNoFlight if none
    StateTable::Place glance{kNoNode, StateTable::kNoSlot};
  };
  static constexpr std::uint32_t kNoFlight = 0xffffffff;

  Outcome search(Bytes start) {
    goal_ = domain_.pack(heuristic_.puzzle().goal());
    goal_hash_ = domain_.hash(goal_);
    if (!insert_start(start)) return finish(Status::limit_reached, Limit::memory);
    if (const Limit limit = poll(); limit != Limit::none) return stopped(limit);
    for (;;) {
      while (tail_ - head_ < depth_ && fetch()) continue;
      if (head_ == tail_) return finish(Status::exhausted);
      glance();
      const Flight& next = flight(head_);
      if (next.dead || !is_current(next)) {
        if (!next.dead) kill(head_);
        ++head_;
        continue;
      }
      f_bound_ = std::max(f_bound_, static_cast<double>(next.f));
      if (next.node == goal_node_) return solved(next.f);
      if (counters_.expanded >= limits_.expanded) return finish(Status::limit_reached, Limit::expanded);
      if (counters_.generated >= limits_.generated) return finish(Status::limit_reached, Limit::generated);
      if (counters_.expanded % kPollInterval == 0)
        if (const Limit limit = poll(); limit != Limit::none) return stopped(limit);
      if (!make_room() || !layers_.add(static_cast<double>(next.f))) return finish(Status::limit_reached, Limit::memory);
      const bool committed = commit(head_);
      max_open_ = std::max(max_open_, open_count_);  // it has only grown since the expansion began
      if (!committed) return finish(Status::limit_reached, Limit::memory);
      ++head_;
    }
  }

  bool insert_start(Bytes start) {
    if (!make_room()) return false;
    const State state = domain_.pack(start);
    ChildRecord child{};
    if constexpr (Store::kInNode) child.state = state;
    child.hash = domain_.hash(state);
    child.raw = domain_.raw(state);
    const auto itself = [&] { return state; };
    const Expected expect{evaluate(child.raw, itself), kNoFlight};
    const bool stored = store(find(child.hash, expect.glance, itself), child, itself, expect, kNoNode, 0);
    max_open_ = open_count_;
    if (stored) nodes_.record(0, state);
    return stored;
  }

  // Room for all children of one more expansion, so that memory never runs out between two structures.
  bool make_room() noexcept {
    const std::uint64_t most = count_ + std::max(domain_.branching(), 1u);
    const std::uint64_t size = table_.size();
    if (most >= kNoNode || !nodes_.ensure(most) ||
        !table_.reserve(most, [&](std::uint32_t i) { return domain_.hash(nodes_.state(i)); }))
      return false;
    if (table_.size() != size) {  // every entry has moved
      glanced_ = compared_ = head_;
      glance();
    }
    return true;
  }

  // `state` gives the state when it is asked for, here and below: most often it is not.
  template <class StateOf>
  StateTable::Place find(std::uint64_t hash, StateTable::Place glance, StateOf state) const noexcept {
    return table_.find(hash, glance, [&](std::uint32_t i) { return nodes_.state(i) == state(); });
  }

  template <class StateOf>
  Cost evaluate(std::uint32_t raw, StateOf state) const noexcept {
    if (!lookup_.empty()) return lookup_[raw];
    std::uint8_t bytes[256];
    domain_.unpack(state(), bytes);
    return static_cast<Cost>(heuristic_.value(raw, {bytes, domain_.slots()}));
  }

  template <class StateOf>
  bool store(StateTable::Place place, const ChildRecord& child, StateOf state, const Expected& expect,
             std::uint32_t parent, std::uint32_t g) noexcept {
    const std::uint32_t index = count_++;
    nodes_.create(index, child, parent, g);
    table_.insert(place, child.hash, index);
    if (child.hash == goal_hash_ && state() == goal_) goal_node_ = index;
    ++open_count_;
    const Cost h = lookup_.empty() ? evaluate(child.raw, state) : expect.h;
    if (expect.flight == kNoFlight) return open_.insert(index, child.raw, h);
    open_.adopt(index, child.raw, h);
    return true;
  }

  // A known state was reached by a shorter path: g is smaller by at least one.
  template <class StateOf>
  bool improve(std::uint32_t index, const ChildRecord& child, StateOf state, const Expected& expect,
               std::uint32_t parent, std::uint32_t g) noexcept {
    Node& node = nodes_[index];
    const bool was_open = node.is_open();
    nodes_.link(index, child.move, parent, g);
    if (expect.flight != kNoFlight)
      open_.drop(index);
    else if (!open_.improve(index, [&] { return evaluate(child.raw, state); }))
      return false;
    node.g_and_flags |= Node::kOpen;
    if (!was_open) ++open_count_;
    return true;
  }

  // The expansion of one entry of the open list, from the moment its successors are produced ("fetch") to the moment
  // they are looked up, stored and pushed ("commit"); in between, memory is prefetched.
  //
  // Several are in flight at a time, committed in the order in which they were fetched, and that order is exactly the
  // one of a search without flights. An entry may be fetched while children in flight wait for their look-up, if it
  // comes before them all, or if it is the first of them. A child that turns out not to count takes with it the
  // flight that it was fetched for, and that flight's children in turn: what remains is in order, because removing
  // an entry, with all that was pushed because of it, never changes the order of the others.
  struct Flight {
    std::uint32_t node;  // kNoNode: a child in flight; its parent's commit will tell
    std::uint32_t g;
    Cost f;
    bool dead;           // must not be committed
    unsigned hot;        // children in hot_
    Cost coldest;        // least f of the children that are not in hot_
    ChildRow<Kept<State>> children;
    std::conditional_t<Store::kInNode, Recorded, State> state;  // if the node does not hold it
  };
  Flight& flight(std::uint32_t number) noexcept { return flights_[number % kMostFlights]; }
  Expected* expected(std::uint32_t number) noexcept { return &expected_[number % kMostFlights * row_]; }

  unsigned arrival(std::uint32_t index) const noexcept {
    return nodes_[index].parent == kNoNode ? kNoArrival : unsigned{nodes_[index].move()};
  }
  // Of one of its children.
  auto state_of(const Flight& flight, const ChildRecord& child) const noexcept {
    return [&] {
      if constexpr (Store::kInNode)
        return child.state;
      else
        return domain_.apply(flight.state, child.move);
    };
  }

  // Take the entry that comes next, if that is known by now.
  bool fetch() noexcept {
    const bool entries = open_.peek();
    if (!hot_.empty() && (!entries || hot_.leads(open_.least_f(), open_.least_h()))) return fetch_child();
    if (!entries || !open_.settle()) return !hot_.empty() && fetch_child();
    // Dead entries may have been dropped, and the hot child may lead now.
    if (!hot_.empty() && hot_.leads(open_.least_f(), open_.least_h())) return fetch_child();
    const Cost f = open_.top_f();
    if (!may_take(f)) return false;
    const std::uint32_t index = open_.top();
    open_.pop();
    const State state = nodes_.state(index);
    std::uint32_t raw;
    if constexpr (Open::kKeepsRaw)
      raw = open_.raw(index);
    else
      raw = domain_.raw(state);
    produce(index, nodes_[index].g(), f, state, raw, arrival(index));
    if (!open_.peek()) return true;
    if (const std::uint32_t later = open_.upcoming(depth_); later != kNoNode) nodes_.prefetch(later);
    if constexpr (!Store::kInNode)
      if (const std::uint32_t soon = open_.upcoming(depth_ / 2); soon != kNoNode) nodes_.prefetch_state(soon);
    return true;
  }
  bool fetch_child() noexcept {
    const auto entry = hot_.first();
    if (!may_take(entry.f)) return false;
    hot_.pop();
    Flight& from = flight(entry.flight);
    --from.hot;
    expected(entry.flight)[entry.child].flight = tail_;
    const ChildRecord& child = from.children.begin()[entry.child];
    produce(kNoNode, from.g + 1, entry.f, state_of(from, child)(), child.raw, child.move);
    return true;
  }

  // Does an entry of this f come before every child in flight that is not in hot_?
  bool may_take(Cost f) noexcept {
    if (head_ != tail_ && f > hot_limit_) {
      for (std::uint32_t i = head_; i != tail_; ++i)
        if (!flight(i).dead && f >= flight(i).coldest) return false;
      hot_limit_ = f;
    }
    if (head_ == tail_ || hot_.size() > kMostHot) hot_limit_ = f;
    return true;
  }

  void produce(std::uint32_t index, std::uint32_t g, Cost f, const State& state, std::uint32_t raw,
               unsigned arrival) noexcept {
    const std::uint32_t number = tail_++;
    Flight& made = flight(number);
    made.node = index;
    made.g = g;
    made.f = f;
    made.dead = false;
    made.hot = 0;
    made.coldest = std::numeric_limits<Cost>::max();
    if constexpr (!Store::kInNode) made.state = state;
    domain_.expand(state, raw, arrival, made.children, [&](std::uint64_t hash) { waiting_[waiting_count_++] = hash; });
    // Several flights' at once: however many prefetches follow each other, they wait once for the walk to their pages.
    if (waiting_count_ >= kBurst) {
      for (std::size_t i = 0; i < waiting_count_; ++i) table_.prefetch(waiting_[i]);
      waiting_count_ = 0;
    }
    Expected* expect = expected(number);
    if (lookup_.empty()) {  // then one is in flight at a time
      std::fill_n(expect, made.children.size, Expected{{}, kNoFlight});
      return;
    }
    for (unsigned i = 0; i < made.children.size; ++i) {
      const Cost h = lookup_[made.children.raw[i]];
      expect[i] = {h, kNoFlight};
      const Cost child_f = open_.f(g + 1, h);
      if (child_f <= hot_limit_) {
        hot_.add({child_f, h, number, i});
        ++made.hot;
      } else {
        made.coldest = std::min(made.coldest, child_f);
      }
    }
  }

  // The places of the children have arrived: prefetch the nodes that they will be compared with, and then the states
  // of those.
  void glance() noexcept {
    for (; glanced_ != tail_ && glanced_ - head_ <= depth_ / 2; ++glanced_) {
      const Flight& seen = flight(glanced_);
      for (unsigned i = 0; i < seen.children.size; ++i) {
        const StateTable::Place place = expected(glanced_)[i].glance = table_.glance(seen.children.hash[i]);
        if (place.node != kNoNode) nodes_.prefetch(place.node);
      }
    }
    if constexpr (!Store::kInNode)
      for (; compared_ != glanced_ && compared_ - head_ <= depth_ / 4; ++compared_)
        for (unsigned i = 0; i < flight(compared_).children.size; ++i)
          if (const auto known = expected(compared_)[i].glance.node; known != kNoNode) nodes_.prefetch_state(known);
  }

  void kill(std::uint32_t number) noexcept {
    Flight& doomed = flight(number);
    doomed.dead = true;
    if (lookup_.empty()) return;
    if (doomed.hot > 0) hot_.remove(number);
    const Expected* expect = expected(number);
    for (unsigned i = 0; i < doomed.children.size; ++i)
      if (expect[i].flight != kNoFlight) kill(expect[i].flight);
  }

  // A path to the node that is shorter by now has made this flight's entry void.
  bool is_current(const Flight& next) const noexcept {
    return nodes_[next.node].is_open() && nodes_[next.node].g() == next.g;
  }

  bool commit(std::uint32_t number) noexcept {
    const Flight& now = flight(number);
    const std::uint32_t index = now.node;
    --open_count_;
    Node& node = nodes_[index];
    ++counters_.expanded;
    if (node.g_and_flags & Node::kExpanded) ++counters_.reopened;
    node.g_and_flags = (node.g_and_flags & ~Node::kOpen) | Node::kExpanded;
    const std::uint32_t g = now.g + 1;
    if (g > Node::kMaxG) return false;
    if (now.hot > 0) hot_.remove(number);  // what is left there is pushed below
    counters_.generated += now.children.produced;
    if constexpr (!Store::kInNode) nodes_.record(index, now.state);
    for (unsigned i = 0; i < now.children.size; ++i) {
      const ChildRecord& child = now.children.begin()[i];
      const auto state = state_of(now, child);
      const Expected& expect = expected(number)[i];
      const StateTable::Place place = find(child.hash, expect.glance, state);
      std::uint32_t known = place.node;
      if (known == kNoNode) {
        known = count_;
        if (!store(place, child, state, expect, index, g)) return false;
      } else if (g < nodes_[known].g()) {
        if (!improve(known, child, state, expect, index, g)) return false;
      } else {
        if (expect.flight != kNoFlight) kill(expect.flight);
        continue;
      }
      if (expect.flight != kNoFlight) flight(expect.flight).node = known;
    }
    return true;
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
    for (std::uint32_t i = goal_node_; nodes_[i].parent != kNoNode; i = nodes_.parent(i))
      outcome.path.push_back(nodes_[i].move());
    std::ranges::reverse(outcome.path);
    return outcome;
  }

  Outcome finish(Status status, Limit limit = Limit::none) const {
    Outcome outcome = counters_;
    outcome.status = status;
    outcome.limit = limit;
    outcome.evaluated = outcome.stored = count_;  // each state when it is stored
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
    control_.evaluated.store(count_, relaxed);
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
  Store nodes_;
  StateTable table_;
  Open open_;
  LayerCounts layers_;
  std::vector<Cost> lookup_;  // h by raw, if that is enough
  const std::uint32_t depth_;  // flights at a time
  const std::size_t row_;      // children a flight
  std::vector<ChildRecord> children_;
  std::vector<Expected> expected_;
  std::array<Flight, kMostFlights> flights_;
  // Flights in the air, by number: all up to tail_; seen by `glance` up to compared_ and glanced_.
  std::uint32_t head_ = 0, compared_ = 0, glanced_ = 0, tail_ = 0;
  std::vector<std::uint64_t> waiting_;  // hashes of children whose places are to be prefetched
  std::size_t waiting_count_ = 0;
  // Children in flight that have not been fetched: all those, at least, whose f is at most hot_limit_.
  HotList<Cost> hot_;
  Cost hot_limit_ = 0;
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
