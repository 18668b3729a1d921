// A*, over any Domain and OpenList.
//
// The search itself is `search` and `commit`: take the first entry of the open list, look its successors up, store or
// improve them. The rest prefetches. An expansion reads memory at many scattered places, so the successors of nodes
// that are likely to come next are produced before their turn ("prepared"), and the memory of their look-ups is
// prefetched. A prepared expansion is found by the number of its node. A wrong guess costs time but changes no order
// and no count: `commit` looks every successor up again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <span>
#include <vector>

#include "domains/child_row.hpp"
#include "search/layer_counts.hpp"
#include "search/meter.hpp"
#include "search/node_store.hpp"
#include "search/open_list.hpp"
#include "search/request.hpp"
#include "search/state_table.hpp"

namespace hstar {

template <Domain D, OpenList Open>
class AStarSearch {
  using State = typename D::State;
  using Cost = typename Open::Cost;
  using Store = NodeStore<D>;
  using Node = typename Store::Node;
  using ChildRecord = Child<Kept<State>>;

 public:
  static constexpr std::uint32_t kMostAhead = 32;

  // `ahead`: how many entries of the open list are prepared together, 1 to kMostAhead; changes no count. `open`:
  // arguments of the open list's constructor, besides memory, nodes and tie breaking.
  template <class... OpenArguments>
  AStarSearch(const Task& task, D& domain, std::uint32_t ahead, const OpenArguments&... open)
      : domain_(domain),
        heuristic_(task.heuristic),
        goal_(domain.pack(task.heuristic.puzzle().goal())),
        goal_hash_(domain.hash(goal_)),
        moves_(task.moves),
        costs_(task),
        keeps_tree_(task.options.keep_tree && task.options.weight == 1),
        earliest_first_(task.options.tie_breaking == TieBreaking::fifo),
        in_batches_(task.options.tie_breaking == TieBreaking::batch),
        ahead_(ahead),
        budget_(task.options.limits.memory_bytes),
        meter_(task.options.limits, task.control, task.begin, budget_),
        nodes_(task.arena, budget_, domain, keeps_tree_),
        table_(task.arena.table, budget_, Store::kUsualBytes + 2 * sizeof(std::uint32_t)),
        open_(task.arena, budget_, nodes_.data(), open..., task.options.tie_breaking),
        layers_(budget_),
        lookup_(open_.costs(domain.lookup())),
        row_(std::max(domain.branching(), 1u)),
        most_prepared_(std::clamp(std::bit_floor(2048 / static_cast<std::uint32_t>(row_)), 2 * kMostAhead, 512u)),
        prepared_(most_prepared_),
        children_(most_prepared_ * row_),
        guesses_(most_prepared_ * row_) {
    for (std::uint32_t i = 0; i < most_prepared_; ++i)
      prepared_[i].children = ChildRow<Kept<State>>(&children_[i * row_]);
    number_of_.fill(kNever);
  }

  Outcome run(Bytes start) {
    const Ending ending = budget_.charge(bytes()) ? search(start) : kOutOfMemory;
    Outcome outcome = meter_.finish(ending);
    outcome.layers = layers_.all(outcome.expanded);
    if (ending.status == Status::solved) add_solution(outcome);
    if (keeps_tree_ && count_ > 0) add_tree(outcome);
    return outcome;
  }

 private:
  static constexpr std::uint32_t kBatch = 64;          // part of the definition of TieBreaking::batch
  static constexpr std::uint32_t kMostCost = 255;      // of a move
  static constexpr std::uint32_t kPlaces = 4096;       // of number_of_
  static constexpr std::uint32_t kNever = 0xffffffff;  // no preparation has this number

  // The successors of one node, most often produced before its expansion. Holds the node's state and hash if the node
  // does not.
  struct Prepared : std::conditional_t<Store::kInNode, NoState<State>, WithState<State>> {
    std::uint32_t number = kNever;  // of the preparation, which is stored at number % most_prepared_
    std::uint32_t node = kNoNode;   // kNoNode: a successor that is not stored yet
    std::uint32_t g = 0;            // on the path by which it was reached then
    unsigned arrival = kNoArrival;  // the move that led here; the move that undoes it is left out
    std::uint64_t table_age = 0;    // table_age_ when the glances were taken
    ChildRow<Kept<State>> children;
  };
  // What preparation found out about one successor.
  struct Guess {
    StateTable::Place glance{kNoNode, StateTable::kNoSlot};
    Cost h{};                         // only if `evaluated`
    bool evaluated = false;
    std::uint32_t prepared = kNever;  // number of its own preparation; kNever: it has none
  };

  Ending search(Bytes start) {
    if (!make_room() || !insert_start(start)) return meter_.lacking();
    if (const auto ending = meter_.poll()) return *ending;
    Outcome& count = meter_.count;
    while (take()) {
      count.f_bound = std::max(count.f_bound, open_.value(f_));
      for (at_ = 0; at_ < taken_count_; ++at_) {
        const auto [node, g] = taken_[at_];
        if (nodes_[node].g() != g) continue;  // stale: a shorter path was found, and has its own entry
        if (node == goal_node_) return {Status::solved};
        if (const auto ending = meter_.stop()) return *ending;
        if (!make_room() || !layers_.enter(open_.value(f_), count.expanded)) return meter_.lacking();
        const Prepared* expansion = find_prepared(node);
        if (expansion == nullptr) expansion = &prepare_ahead(node);
        if (!commit(node, *expansion)) return kOutOfMemory;
        assert(!checks_now(count.expanded) || valid());
        count.max_open = std::max(count.max_open, open_count_);  // it has only grown since the expansion began
      }
    }
    return {Status::exhausted};
  }

  // Takes the entries to be expanded next off the open list: one, or (batch) up to kBatch that share the first f and h.
  // They count as open until their turn comes.
  bool take() noexcept {
    taken_count_ = 0;
    Cost h{};
    for (; taken_count_ < (in_batches_ ? kBatch : 1) && open_.settle(); open_.pop()) {
      const std::uint32_t node = open_.top();
      if (taken_count_ == 0) {
        f_ = open_.top_f();
        h = open_.top_h();
      } else if (open_.top_f() != f_ || open_.top_h() != h) {
        break;
      }
      taken_[taken_count_++] = {node, nodes_[node].g()};
    }
    return taken_count_ != 0;
  }

  bool insert_start(Bytes bytes) {
    const State state = domain_.pack(bytes);
    ChildRecord child{};
    if constexpr (Store::kInNode) child.state = state;
    child.hash = domain_.hash(state);
    child.raw = domain_.raw(state);
    const StateTable::Place place = table_.find(child.hash, [](std::uint32_t) { return false; });
    const bool stored = store(place, child, evaluate(child.raw, state), kNoNode, 0);
    if (state == goal_) goal_node_ = 0;
    nodes_.record(0, state, child.hash);
    meter_.count.max_open = open_count_;
    return stored;
  }

  // Room for all children of one more expansion, so that running out of memory never leaves the structures
  // inconsistent.
  bool make_room() noexcept {
    const std::uint64_t most = std::uint64_t{count_} + row_;
    const std::uint64_t size = table_.size();
    if (most >= kNoNode || !nodes_.ensure(most) ||
        !table_.reserve(most, [&](std::uint32_t i) { return nodes_.hash(i); }, [&] { return meter_.interrupted(); }))
      return false;
    if (table_.size() != size) ++table_age_;  // every entry has moved
    return true;
  }

  // Expands the node whose turn it is; false if there is no memory or the path is too long.
  bool commit(std::uint32_t index, const Prepared& now) noexcept {
    Outcome& count = meter_.count;
    Node& node = nodes_[index];
    --open_count_;
    ++count.expanded;
    if (node.g_and_flags & Node::kExpanded) ++count.reopened;
    node.g_and_flags = (node.g_and_flags & ~Node::kOpen) | Node::kExpanded;
    const std::uint32_t its_g = node.g();
    if (its_g + kMostCost > Node::kMaxG) return false;
    nodes_.record(index, now.state(), now.hash());
    count.generated += now.children.produced;
    const bool glances_hold = now.table_age == table_age_;
    Guess* guess = guesses(now);
    for (const ChildRecord& child : now.children) {
      const std::uint32_t g = its_g + costs_[child.move];
      const StateTable::Place glance = glances_hold ? guess->glance : StateTable::Place{kNoNode, StateTable::kNoSlot};
      const StateTable::Place place =
          table_.find(child.hash, glance, [&](std::uint32_t i) { return nodes_.same(i, now.state(), child); });
      if (place.node == kNoNode) {
        if (guess->prepared != kNever) attach(guess->prepared, count_);
        if (child.hash == goal_hash_ && nodes_.child_state(now.state(), child) == goal_) goal_node_ = count_;
        if (!store(place, child, guess->evaluated ? guess->h : evaluate(now, child), index, g)) return false;
      } else if (g < nodes_[place.node].g()) {
        if (guess->prepared != kNever) attach(guess->prepared, place.node);
        if (!improve(place.node, now, child, index, g)) return false;
      }
      ++guess;
    }
    count.stored = count.evaluated = count_;  // each state is evaluated when it is stored
    return true;
  }

  // What the members below promise, looked at in builds with assertions.
  bool valid() const {
    std::uint64_t open = 0;
    for (std::uint32_t i = 0; i < count_; ++i) open += nodes_[i].is_open();
    return open == open_count_ && table_.count() == count_ && nodes_.valid(count_) && open_.valid() &&
           table_.valid([&](std::uint32_t i) { return nodes_.hash(i); });
  }

  bool store(StateTable::Place place, const ChildRecord& child, Cost h, std::uint32_t parent,
             std::uint32_t g) noexcept {
    const std::uint32_t index = count_++;
    nodes_.create(index, child, parent, g);
    table_.insert(place, child.hash, index);
    ++open_count_;
    meter_.count.stored = meter_.count.evaluated = count_;
    return open_.insert(index, child.raw, h);
  }

  // A known state was reached by a shorter path.
  bool improve(std::uint32_t index, const Prepared& parent, const ChildRecord& child, std::uint32_t parent_index,
               std::uint32_t g) noexcept {
    Node& node = nodes_[index];
    const bool was_open = node.is_open();
    nodes_.link(index, child.move, parent_index, g);
    if (!open_.improve(index, [&] { return evaluate(parent, child); })) return false;
    node.g_and_flags |= Node::kOpen;
    if (!was_open) ++open_count_;
    return true;
  }

  Cost evaluate(std::uint32_t raw, const State& state) const noexcept {
    if (!lookup_.empty()) return lookup_[raw];
    std::uint8_t bytes[kMostStateBytes];
    domain_.unpack(state, bytes);
    return open_.cost(heuristic_.value(raw, {bytes, domain_.state_bytes()}));
  }
  Cost evaluate(const Prepared& parent, const ChildRecord& child) const noexcept {
    if (!lookup_.empty()) return lookup_[child.raw];
    return evaluate(child.raw, nodes_.child_state(parent.state(), child));
  }

  void add_solution(Outcome& outcome) const {
    outcome.expanded_last_layer = layers_.at(open_.value(f_), outcome.expanded);
    for (std::uint32_t i = goal_node_; nodes_[i].parent != kNoNode; i = nodes_.parent(i))
      outcome.path.push_back(nodes_[i].move());
    std::ranges::reverse(outcome.path);
  }

  // Expanded nodes with a smaller f than the bound. Where h is not stored, all expanded ones. Ends the search.
  void add_tree(Outcome& outcome) {
    const bool all = outcome.status == Status::exhausted;
    const double bound = outcome.status == Status::solved ? open_.value(f_) : outcome.f_bound;
    unsigned deepest = all || bound < 2 ? 0 : static_cast<unsigned>(std::ceil(bound)) - 2;
    for (std::uint32_t i = 0; all && i < count_; ++i) deepest = std::max(deepest, nodes_[i].g());
    if (deepest > (costs_.differ() ? kTreeDearest : kTreeDeepest)) return;
    const auto step = [&](std::uint32_t record) -> TreeStep {
      if (record >= 2 * kMostAhead) nodes_.prefetch(nodes_.recorded(record - 2 * kMostAhead));
      const std::uint32_t i = nodes_.recorded(record);
      Node& node = nodes_[i];
      if ((node.g_and_flags & Node::kExpanded) == 0 || node.g() > deepest) return {};
      node.g_and_flags &= ~Node::kExpanded;  // an earlier record of the same node is no other
      if constexpr (Open::kKeepsRaw)
        if (!all && open_.value(open_.f(node.g(), open_.h(i))) >= bound) return {};
      return {node.parent, node.move()};
    };
    outcome.tree =
        kept_tree(nodes_.recorded(), table_.give_up(), moves_, step, budget_, [&] { return meter_.interrupted(); });
    if (costs_.differ() && tree_levels(outcome.tree.code) > kTreeDeepest) outcome.tree = {};
    outcome.peak_bytes = budget_.peak();
  }

  // From here on only guesses are made.

  // What is kept as this number: the preparation itself, or a later one that has taken its place.
  Prepared& prepared(std::uint32_t number) noexcept { return prepared_[number & (most_prepared_ - 1)]; }
  Guess* guesses(const Prepared& p) noexcept { return &guesses_[(p.number & (most_prepared_ - 1)) * row_]; }

  unsigned arrival(std::uint32_t index) const noexcept {
    return nodes_[index].parent == kNoNode ? kNoArrival : unsigned{nodes_[index].move()};
  }

  // The preparation of a node as it was reached now; nullptr if there is none.
  const Prepared* find_prepared(std::uint32_t node) noexcept {
    const std::uint32_t number = number_of_[node % kPlaces];
    const Prepared& p = prepared(number);
    return p.number == number && p.node == node && p.arrival == arrival(node) ? &p : nullptr;
  }
  // A successor that was prepared before it was stored, or reached by a shorter path, is this node.
  void attach(std::uint32_t number, std::uint32_t node) noexcept {
    Prepared& p = prepared(number);
    if (p.number != number) return;  // a later preparation has replaced it
    p.node = node;
    number_of_[node % kPlaces] = number;
  }

  // Prepares the node, the next entries of the open list, and those successors that will be expanded before them; level
  // by level, so that all reads of a level are in flight together.
  const Prepared& prepare_ahead(std::uint32_t node) noexcept {
    const std::uint32_t first = next_number_;
    std::array<std::uint32_t, kMostAhead> upcoming;
    const std::uint32_t entries = find_upcoming(upcoming.data(), ahead_ - 1);
    for (std::uint32_t i = 0; i < entries; ++i) nodes_.prefetch(upcoming[i]);
    prepare(node);
    for (std::uint32_t i = 0; i < entries; ++i) nodes_.prefetch_state(upcoming[i]);
    for (std::uint32_t i = 0; i < entries; ++i)
      if (nodes_[upcoming[i]].is_open() && find_prepared(upcoming[i]) == nullptr) prepare(upcoming[i]);
    for (std::uint32_t level = first; level != next_number_;) {
      const std::uint32_t end = next_number_;
      for (std::uint32_t i = level; i != end; ++i)
        for (const ChildRecord& child : prepared(i).children) table_.prefetch(child.hash);
      for (std::uint32_t i = level; i != end; ++i) glance(prepared(i));
      for (std::uint32_t i = level; i != end; ++i) guess(prepared(i), first);
      level = end;
    }
    return prepared(first);
  }

  // Lists the nodes that are likely to be expanded next; returns how many.
  std::uint32_t find_upcoming(std::uint32_t* out, std::uint32_t most) noexcept {
    if (!in_batches_) return open_.upcoming(out, most);
    const std::uint32_t entries = std::min(most, taken_count_ - at_ - 1);
    for (std::uint32_t i = 0; i < entries; ++i) out[i] = taken_[at_ + 1 + i].node;
    return entries;
  }

  // Prepares a node that is stored.
  void prepare(std::uint32_t index) noexcept {
    const State state = nodes_.state(index);
    const std::uint64_t hash = Store::kInNode ? 0 : nodes_.hash(index);
    std::uint32_t raw;
    if constexpr (Open::kKeepsRaw)
      raw = open_.raw(index);
    else
      raw = domain_.raw(state);
    number_of_[index % kPlaces] = produce(index, nodes_[index].g(), arrival(index), state, hash, raw);
  }
  // Produces the successors of a state, under the next number, which it returns. `index`: its node, or kNoNode.
  std::uint32_t produce(std::uint32_t index, std::uint32_t g, unsigned arrival, const State& state, std::uint64_t hash,
                        std::uint32_t raw) noexcept {
    const std::uint32_t number = next_number_;
    if (++next_number_ == kNever) next_number_ = 0;
    Prepared& made = prepared(number);
    made.number = number;
    made.node = index;
    made.g = g;
    made.arrival = arrival;
    made.table_age = table_age_;
    made.keep(state, hash);
    domain_.expand(state, hash, raw, arrival, made.children, IgnoreHash{});
    return number;
  }

  // The table's lines for the successors are in the cache by now: prefetch the nodes that they will be compared with.
  void glance(Prepared& p) noexcept {
    Guess* guess = guesses(p);
    for (const ChildRecord& child : p.children) {
      guess->glance = table_.glance(child.hash);
      if (guess->glance.node != kNoNode) nodes_.prefetch(guess->glance.node);
      ++guess;
    }
  }

  // Those nodes are in the cache, too: find the successors that are new or improved and come before the whole open
  // list.
  void guess(Prepared& p, std::uint32_t first) noexcept {
    Guess* guess = guesses(p);
    for (const ChildRecord& child : p.children) {
      const std::uint32_t known = guess->glance.node;
      guess->prepared = kNever;
      guess->evaluated = !lookup_.empty() || known == kNoNode;
      if (known != kNoNode) nodes_.prefetch_state(known);
      if (guess->evaluated) {
        guess->h = evaluate(p, child);
        const std::uint32_t g = p.g + costs_[child.move];
        const Cost f = open_.f(g, guess->h);
        const bool first_to_come = !in_batches_ && (earliest_first_ ? f < f_ : f <= f_);
        const bool counts = known == kNoNode || g < nodes_[known].g();
        if (first_to_come && counts && next_number_ - first < most_prepared_ - 1)
          guess->prepared = produce(known, g, child.move, nodes_.child_state(p.state(), child), child.hash, child.raw);
      }
      ++guess;
    }
  }

  std::uint64_t bytes() const noexcept {
    return domain_.bytes() + sizeof *this +
           most_prepared_ * (sizeof(Prepared) + row_ * (sizeof(ChildRecord) + sizeof(Guess)));
  }

  D& domain_;
  const Heuristic& heuristic_;
  const State goal_;
  const std::uint64_t goal_hash_;            // a state with another hash is not the goal
  const Bytes moves_;
  const MoveCosts costs_;
  const bool keeps_tree_;                    // for a certificate
  const bool earliest_first_, in_batches_;   // the tie-breakings `fifo` and `batch`
  const std::uint32_t ahead_;                // entries that are prepared together, the one whose turn it is included
  Budget budget_;
  Meter meter_;

  // The search. Nodes 0 to count_ - 1 are stored, the start first; each is in `table_` once, by its state. A node is
  // open if it has to be expanded: then there is exactly one entry of its current f, on `open_` or among those taken
  // and not yet at `at_`. Entries of another f are dead: `settle` drops them.
  Store nodes_;
  StateTable table_;
  Open open_;
  LayerCounts layers_;
  std::span<const Cost> lookup_;  // h by raw; empty: h needs more
  std::uint32_t count_ = 0;
  std::uint64_t open_count_ = 0;         // nodes that are open
  std::uint32_t goal_node_ = kNoNode;    // kNoNode until the goal has been stored

  struct Entry {
    std::uint32_t node, g;
  };
  std::array<Entry, kBatch> taken_;  // [0, taken_count_) are off the open list, all of f_, with the g they had then
  std::uint32_t taken_count_ = 0;    // at most kBatch; without batches at most 1
  std::uint32_t at_ = 0;             // the one whose turn it is: those before it are expanded or dead
  Cost f_{};                         // of the entries taken; never smaller than before if h is consistent

  // What is guessed. Preparations are numbered as they are made; number n is at n % most_prepared_ until number
  // n + most_prepared_ takes its place, so whoever keeps a number compares it with Prepared::number. Nothing here
  // decides: a preparation is used if its node and the move that led there are those at hand, and a glance only as long
  // as the table has not grown since (Prepared::table_age == table_age_).
  const std::size_t row_;                         // most successors of a node
  const std::uint32_t most_prepared_;             // at a time; a power of two
  std::vector<Prepared> prepared_;                // by number % most_prepared_
  std::vector<ChildRecord> children_;             // children_[row_ * (n % most_prepared_) + i]: number n's successor i
  std::vector<Guess> guesses_;                    // of each of those
  std::array<std::uint32_t, kPlaces> number_of_;  // by node % kPlaces: number of its preparation, or of another node's
  std::uint32_t next_number_ = 0;                 // kNever is never used
  std::uint64_t table_age_ = 0;                   // how often the table has grown
};

}  // namespace hstar
