// The nodes of one search, and their states.
//
// A state of up to eight bytes is part of its node. Larger states are stored in records, and only for expanded nodes:
// the state of a node on the open list follows from its parent's state and a move, and most nodes are never expanded.
// So a node takes 16 bytes, and each expanded node also has a record (Megaminx: one cache line).
//
// Records are in the order of the expansions, so a parent's comes before those of its children. A tree is made of these
// (kept_tree.hpp): for one, nodes that hold their states have records, too, of their numbers.
#pragma once

#include "memory/arena.hpp"
#include "domains/domain.hpp"
#include "domains/child_row.hpp"
#include "search/node.hpp"

namespace hstar {

// A state outside its node; empty if the node holds it.
template <class State>
struct NoState {
  void keep(const State&, std::uint64_t) noexcept {}
  State state() const noexcept { return {}; }
  std::uint64_t hash() const noexcept { return 0; }
};
template <class State>
struct WithState {
  void keep(const State& state, std::uint64_t hash) noexcept {
    state_ = state;
    hash_ = hash;
  }
  const State& state() const noexcept { return state_; }
  std::uint64_t hash() const noexcept { return hash_; }

 private:
  State state_;
  std::uint64_t hash_;
};

template <Domain D>
class NodeStore {
 public:
  using State = typename D::State;
  using Node = hstar::Node<Kept<State>>;
  static constexpr bool kInNode = !std::is_same_v<Kept<State>, Recorded>;

  // `for_tree`: whether there is a record of each expansion in any case.
  NodeStore(Arena& arena, Budget& budget, const D& domain, bool for_tree) noexcept
      : domain_(domain),
        has_records_(!kInNode || for_tree),
        nodes_(arena.nodes, budget),
        records_(arena.records, budget, record_bytes<Record>(domain)) {}

  // About the bytes that a node takes here; about every fourth is expanded.
  static constexpr std::size_t kUsualBytes = sizeof(Node) + (kInNode ? 0 : sizeof(State) / 4);

  // Room for nodes 0 to count - 1, and for one more record.
  [[nodiscard]] bool ensure(std::uint64_t count) noexcept {
    return nodes_.ensure(count) && (!has_records_ || records_.ensure(recorded_ + 1));
  }
  Node& operator[](std::uint32_t i) const noexcept { return nodes_[i]; }
  Node* data() const noexcept { return nodes_.data(); }

  // The state of this child of `parent`.
  State child_state(const State& parent, const Child<Kept<State>>& child) const noexcept {
    if constexpr (kInNode)
      return child.state;
    else
      return domain_.apply(parent, child.move);
  }
  State state(std::uint32_t i) const noexcept {
    const Node& node = nodes_[i];
    if constexpr (kInNode)
      return node.state;
    else if (node.state.number != kNoNode)
      return records_[node.state.number].state;
    else
      return domain_.apply(records_[node.parent].state, node.move());
  }
  std::uint64_t hash(std::uint32_t i) const noexcept {
    const Node& node = nodes_[i];
    if constexpr (kInNode) {
      return domain_.hash(node.state);
    } else {
      if (node.state.number != kNoNode) return records_[node.state.number].hash;
      const Record& parent = records_[node.parent];
      return domain_.hash_after(parent.state, parent.hash, node.move());
    }
  }
  // Whether node i has the same state as this child of `parent`.
  bool same(std::uint32_t i, const State& parent, const Child<Kept<State>>& child) const noexcept {
    const Node& node = nodes_[i];
    if constexpr (kInNode)
      return node.state == child.state;
    else if (node.state.number != kNoNode)
      return domain_.leads_to(parent, child.move, records_[node.state.number].state);
    else
      return domain_.lead_to_same(parent, child.move, records_[node.parent].state, node.move());
  }

  // Makes node i of this child of node `parent`, which was recorded last.
  void create(std::uint32_t i, const Child<Kept<State>>& child, std::uint32_t parent, std::uint32_t g) noexcept {
    Node& node = nodes_[i];  // field by field: a whole node would be built elsewhere and copied
    if constexpr (kInNode)
      node.state = child.state;
    else
      node.state.number = kNoNode;
    node.g_and_flags = Node::kOpen;
    link(i, child.move, parent, g);
  }
  // Node i was reached by a shorter path.
  void link(std::uint32_t i, std::uint8_t move, std::uint32_t parent, std::uint32_t g) noexcept {
    Node& node = nodes_[i];
    node.parent = parent == kNoNode ? kNoNode : number(parent);
    node.g_and_flags = (node.g_and_flags & (Node::kOpen | Node::kExpanded)) | Node::g_and_move(g, move);
  }
  // Stores a node's state; needed before it becomes a parent. Once if it is asked twice in succession.
  void record(std::uint32_t i, const State& state, std::uint64_t hash) noexcept {
    if constexpr (kInNode) {
      if (has_records_ && (recorded_ == 0 || records_[recorded_ - 1].node != i)) records_[recorded_++] = {i};
    } else {
      if (nodes_[i].state.number != kNoNode) return;
      records_[recorded_] = {hash, i, state};
      nodes_[i].state.number = recorded_++;
    }
  }
  std::uint32_t parent(std::uint32_t i) const noexcept {
    const std::uint32_t parent = nodes_[i].parent;
    return parent == kNoNode || !has_records_ ? parent : records_[parent].node;
  }
  // How many records there are, and of which nodes. Of a node there are several if it holds its state and was expanded
  // again. The `parent` of a node is the number of a record of its parent.
  std::uint32_t recorded() const noexcept { return recorded_; }
  std::uint32_t recorded(std::uint32_t record) const noexcept { return records_[record].node; }

  // Of nodes 0 to count - 1: only the first has no parent; a parent has been expanded, by a path that was shorter by
  // one move or more; a record and its node point to one another, and expanded nodes have one.
  bool valid(std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Node& node = nodes_[i];
      const bool expanded = (node.g_and_flags & Node::kExpanded) != 0;
      if constexpr (!kInNode) {
        const std::uint32_t record = node.state.number;
        if (record == kNoNode ? expanded || i == 0 : record >= recorded_ || records_[record].node != i) return false;
        if (node.parent != kNoNode && node.parent >= recorded_) return false;
      }
      const std::uint32_t parent = this->parent(i);
      if ((parent == kNoNode) != (i == 0)) return false;
      if (parent == kNoNode) continue;
      if (parent >= count || node.g() <= nodes_[parent].g()) return false;
      if ((nodes_[parent].g_and_flags & Node::kExpanded) == 0) return false;
    }
    return true;
  }

  void prefetch(std::uint32_t i) const noexcept { __builtin_prefetch(&nodes_[i]); }
  // Once the node is in the cache: prefetches what `state` will read.
  void prefetch_state(std::uint32_t i) const noexcept {
    if constexpr (!kInNode) {
      const Node& node = nodes_[i];
      const std::uint32_t from = node.state.number != kNoNode ? node.state.number : node.parent;
      if (from != kNoNode) __builtin_prefetch(&records_[from]);
    }
  }

 private:
  struct WithHash {
    std::uint64_t hash;  // of the state
    std::uint32_t node;
    State state;
  };
  struct OfNode {
    std::uint32_t node;
  };
  using Record = std::conditional_t<kInNode, OfNode, WithHash>;

  std::uint32_t number(std::uint32_t i) const noexcept {
    if constexpr (kInNode)
      return has_records_ ? recorded_ - 1 : i;
    else
      return nodes_[i].state.number;
  }

  const D& domain_;
  const bool has_records_;
  Pool<Node> nodes_;
  Pool<Record, Sized<State>> records_;
  std::uint32_t recorded_ = 0;
};

}  // namespace hstar
