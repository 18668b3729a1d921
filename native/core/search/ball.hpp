// Breadth-first search, layer by layer: all states within some distance of a centre, in the order of a queue. A node
// needs neither g nor h, so it is smaller than a node of A*.
//
//   Ball<D> ball(domain, arena.nodes, arena.table, budget, meter);
//   if (!ball.begin(start)) ... no memory (meter.lacking()) ...
//   for (;;) {
//     if (ball.layer_is_done()) ball.begin_layer();
//     if (ball.layer() == 0) ... all states have been expanded ...
//     if (!ball.expand(on_hash, on_new)) ... no memory ...
//   }
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <vector>

#include "memory/arena.hpp"
#include "domains/domain.hpp"
#include "search/meter.hpp"
#include "search/node.hpp"
#include "search/state_table.hpp"

namespace hstar {

template <Domain D>
class Ball {
 public:
  using State = typename D::State;

  Ball(D& domain, Region& nodes, Region& table, Budget& budget, Meter& meter)
      : domain_(domain),
        meter_(meter),
        nodes_(nodes, budget, record_bytes<Node>(domain)),
        table_(table, budget, record_bytes<Node>(domain)),
        ahead_(std::make_unique<typename D::Children[]>(kAhead)) {}

  // Stores the centre; false if there is no memory.
  [[nodiscard]] bool begin(Bytes centre) {
    if (!nodes_.budget().charge(domain_.bytes() + kAhead * sizeof(typename D::Children)) || !make_room()) return false;
    const State state = domain_.pack(centre);
    const std::uint64_t hash = domain_.hash(state);
    store(find(hash, state), hash, state, kNoNode, 0);
    layer_end_ = size_;
    return true;
  }

  std::uint32_t size() const noexcept { return size_; }
  std::uint32_t next() const noexcept { return next_; }            // the node to be expanded next
  std::uint32_t depth() const noexcept { return depth_; }          // its distance from the centre
  std::uint32_t layer() const noexcept { return layer_end_ - layer_begin_; }  // how many nodes are at that distance
  bool layer_is_done() const noexcept { return next_ == layer_end_; }
  const State& state(std::uint32_t node) const noexcept { return nodes_[node].state; }

  // The node of a state, or kNoNode.
  std::uint32_t find(const State& state, std::uint64_t hash) const noexcept { return find(hash, state).node; }
  void prefetch(std::uint64_t hash) const noexcept { table_.prefetch(hash); }

  // The moves from the centre to a node, the last one first.
  std::vector<std::uint8_t> moves_back(std::uint32_t node) const {
    std::vector<std::uint8_t> moves;
    for (; nodes_[node].parent != kNoNode; node = nodes_[node].parent) moves.push_back(nodes_[node].move);
    return moves;
  }

  // Expands the next node. For each new state, on_hash(hash) is called some time before on_new(node, hash); no more are
  // stored once on_new returns false. False, without having expanded the node, if there is no memory or the search was
  // interrupted (meter.lacking()).
  template <class OnHash, class OnNew>
  [[nodiscard]] bool expand(OnHash on_hash, OnNew on_new) {
    if (!make_room()) return false;
    look_ahead(on_hash);
    const std::uint32_t parent = next_++;
    const typename D::Children& children = ahead_[parent % kAhead];
    ++meter_.count.expanded;
    meter_.count.generated += children.produced;
    for (unsigned i = 0; i < children.size; ++i) {
      const StateTable::Place place = find(children.hash[i], children.state[i]);
      if (place.node != kNoNode) continue;
      store(place, children.hash[i], children.state[i], parent, children.move[i]);
      if (!on_new(size_ - 1, children.hash[i])) break;
    }
    assert(!checks_now(next_) || valid());
    return true;
  }
  // Nodes before `next` have been expanded, those of the layer at hand end at `layer_end_`; successors are produced for
  // the next few nodes, up to `produced_`; and each node is in the table once.
  bool valid() const {
    return layer_begin_ <= next_ && next_ <= layer_end_ && layer_end_ <= size_ && next_ <= produced_ &&
           produced_ <= std::min(size_, next_ + kAhead) && table_.count() == size_ &&
           table_.valid([&](std::uint32_t i) { return domain_.hash(nodes_[i].state); });
  }
  // The nodes up to a distance, as a tree; none if that is above kTreeDeepest. `named(m)`: the move, of `moves`, that
  // stands for m. Ends the use of the ball.
  template <class Named>
  KeptTree tree(Bytes moves, unsigned deepest, Named named) {
    if (deepest > kTreeDeepest) return {};
    return kept_tree(
        deepest < depth_ ? ends_[deepest] : layer_end_, table_.give_up(), moves,
        [&](std::uint32_t i) -> TreeStep { return {nodes_[i].parent, named(nodes_[i].move)}; }, nodes_.budget(),
        [&] { return meter_.interrupted(); });
  }
  // Go on to the states that are farther by one. The layer must be done.
  void begin_layer() noexcept {
    if (depth_ < ends_.size()) ends_[depth_] = layer_end_;
    layer_begin_ = layer_end_;
    layer_end_ = size_;
    ++depth_;
  }

 private:
  struct Node {
    std::uint32_t parent;  // kNoNode for the centre
    std::uint8_t move;     // that led here from the parent
    State state;
  };

  // Nodes whose successors are produced before their turn, so that their lines of the state table can be prefetched.
  static constexpr std::uint32_t kAhead = D::kMaxChildren > 16 ? 4 : 16;

  bool make_room() noexcept {
    const std::uint64_t most = std::uint64_t{size_} + std::max(domain_.branching(), 1u);
    return most < kNoNode && nodes_.ensure(most) &&
           table_.reserve(most, [&](std::uint32_t i) { return domain_.hash(nodes_[i].state); },
                          [&] { return meter_.interrupted(); });
  }
  StateTable::Place find(std::uint64_t hash, const State& state) const noexcept {
    return table_.find(hash, [&](std::uint32_t i) { return nodes_[i].state == state; });
  }
  void store(StateTable::Place place, std::uint64_t hash, const State& state, std::uint32_t parent,
             std::uint8_t move) noexcept {
    nodes_[size_] = {parent, move, state};
    table_.insert(place, hash, size_++);
  }

  template <class OnHash>
  void look_ahead(OnHash on_hash) {
    for (; produced_ < size_ && produced_ < next_ + kAhead; ++produced_) {
      const Node& node = nodes_[produced_];
      domain_.expand(node.state, domain_.hash(node.state), 0, node.parent == kNoNode ? kNoArrival : node.move,
                     ahead_[produced_ % kAhead], [&](std::uint64_t hash) {
                       table_.prefetch(hash);
                       on_hash(hash);
                     });
    }
    // Halfway to their turn the slots are in the cache: prefetch the nodes that they point to.
    const std::uint32_t middle = next_ + kAhead / 2;
    if (middle >= produced_) return;
    const typename D::Children& children = ahead_[middle % kAhead];
    for (unsigned i = 0; i < children.size; ++i)
      if (const std::uint32_t known = table_.glance(children.hash[i]).node; known != kNoNode)
        __builtin_prefetch(&nodes_[known]);
  }

  D& domain_;
  Meter& meter_;
  Pool<Node, Sized<State>> nodes_;
  StateTable table_;
  std::unique_ptr<typename D::Children[]> ahead_;
  std::uint32_t size_ = 0, next_ = 0, produced_ = 0;
  std::uint32_t layer_begin_ = 0, layer_end_ = 0, depth_ = 0;
  std::array<std::uint32_t, kTreeDeepest + 1> ends_;  // of the layers before this one, as many as a tree may have
};

}  // namespace hstar
