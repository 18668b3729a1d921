#include "search/repairing.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "search/known_states.hpp"
#include "search/layer_counts.hpp"
#include "search/meter.hpp"
#include "search/request.hpp"

namespace hstar {

class RepairingSearch::Nodes {
 public:
  Nodes(Bytes start, Bytes moves, const Heuristic& heuristic, std::uint64_t memory_bytes)
      : puzzle_(heuristic.puzzle()), heuristic_(heuristic), start_(start.begin(), start.end()),
        moves_(moves.begin(), moves.end()), bytes_(puzzle_.state_bytes()), budget_(memory_bytes), layers_(budget_),
        states_(bytes_, budget_) {
    check_request(puzzle_, start, moves, {});
  }

  Outcome improve(double weight, const Limits& limits, Control& control, Clock::time_point begin) {
    Meter meter(limits, control, begin, budget_);
    meter_ = &meter;
    weight_ = weight;
    ++step_;
    std::optional<Ending> ending = meter.poll();
    if (!ending && !(nodes_.empty() ? reach(start_.data(), kNoNode, 0, 0) : refill())) ending = meter.lacking();
    while (!ending && settle() && (goal_ == kNoNode || open_.front().key < nodes_[goal_].g)) {
      if ((ending = meter.stop())) break;
      const std::uint32_t number = open_.front().node;
      pop();
      if (!expand(number)) ending = meter.lacking();
    }
    expanded_ += meter.count.expanded;
    meter.count.stored = nodes_.size();
    meter.count.f_bound = bound();
    if (!ending && goal_ == kNoNode) ending = Ending{Status::exhausted};
    Outcome outcome = meter.finish(ending.value_or(Ending{Status::solved}));
    outcome.layers = layers_.all(expanded_);
    if (goal_ != kNoNode) {
      for (std::uint32_t i = goal_; nodes_[i].parent != kNoNode; i = nodes_[i].parent)
        outcome.path.push_back(nodes_[i].move);
      std::ranges::reverse(outcome.path);
    }
    return outcome;
  }

 private:
  enum class Where : std::uint8_t { closed, open, inconsistent };
  struct Node {
    std::uint32_t parent, g, h, closed_in;  // the step in which it was expanded last
    std::uint8_t move;
    Where where;
  };
  struct Entry {
    double key;
    std::uint32_t h, sequence, node, g;
  };
  // For a heap with the least key first, then the least h, then the latest.
  static bool later(const Entry& a, const Entry& b) noexcept {
    return a.key != b.key ? a.key > b.key : a.h != b.h ? a.h > b.h : a.sequence < b.sequence;
  }

  double key(const Node& node) const noexcept { return node.g + weight_ * node.h; }

  void set_open(Node& node) noexcept {
    if (node.where == Where::open) return;
    node.where = Where::open;
    meter_->count.max_open = std::max(meter_->count.max_open, ++opened_);
  }
  bool add(std::uint32_t number) {
    if (!room_for(open_, 1, budget_)) return false;
    const Node& node = nodes_[number];
    open_.push_back({key(node), node.h, sequence_++, number, node.g});
    return true;
  }
  bool push(std::uint32_t number) {
    if (!add(number)) return false;
    std::ranges::push_heap(open_, later);
    return true;
  }
  void pop() noexcept {
    std::ranges::pop_heap(open_, later);
    open_.pop_back();
  }
  // Drops entries of nodes that were reached by a shorter path since; false if nothing is open.
  bool settle() noexcept {
    while (!open_.empty()) {
      const Node& node = nodes_[open_.front().node];
      if (node.where == Where::open && node.g == open_.front().g) return true;
      pop();
    }
    return false;
  }
  // Everything that is open or inconsistent, with the keys of the new weight, in the order in which it became known.
  bool refill() {
    open_.clear();
    meter_->count.max_open = opened_;
    for (std::uint32_t number = 0; number < nodes_.size(); ++number) {
      Node& node = nodes_[number];
      if (node.where == Where::closed) continue;
      set_open(node);
      if (!add(number)) return false;
    }
    std::ranges::make_heap(open_, later);
    return true;
  }

  bool expand(std::uint32_t number) {
    Node& node = nodes_[number];
    if (!layers_.enter(node.g + node.h, expanded_ + meter_->count.expanded)) return false;
    ++meter_->count.expanded;
    if (node.closed_in != 0) ++meter_->count.reopened;
    node.closed_in = step_;
    node.where = Where::closed;
    --opened_;
    std::uint8_t from[kMostStateBytes], next[kMostStateBytes];
    std::copy_n(states_[number], bytes_, from);
    const std::uint32_t g = node.g + 1;
    for (const std::uint8_t move : moves_) {
      if (!puzzle_.apply({from, bytes_}, move, next)) continue;
      ++meter_->count.generated;
      if (reach(next, number, move, g)) continue;
      set_open(nodes_[number]);  // some of its successors are missing
      return false;
    }
    meter_->count.stored = nodes_.size();
    return true;
  }

  bool reach(const std::uint8_t* state, std::uint32_t parent, std::uint8_t move, std::uint32_t g) {
    std::uint32_t number = states_.find(state);
    if (number == kNoNode) {
      if (!room_for(nodes_, 1, budget_)) return false;
      number = states_.add(state, [&] { return meter_->interrupted(); });
      if (number == kNoNode) return false;
      ++meter_->count.evaluated;
      const std::uint32_t h = whole_h(heuristic_.value(heuristic_.raw({state, bytes_}), {state, bytes_}));
      nodes_.push_back({kNoNode, g + 1, h, 0, 0, Where::closed});
      if (std::equal(state, state + bytes_, puzzle_.goal().begin())) goal_ = number;
    }
    Node& node = nodes_[number];
    if (g >= node.g) return true;
    node.parent = parent;
    node.move = move;
    node.g = g;
    if (node.closed_in == step_) {
      node.where = Where::inconsistent;  // it is expanded again in the next step
      return true;
    }
    set_open(node);
    return push(number);
  }

  double bound() const noexcept {
    std::uint32_t least = goal_ == kNoNode ? kFar : nodes_[goal_].g;
    for (const Node& node : nodes_)
      if (node.where != Where::closed) least = std::min(least, node.g + node.h);
    return least == kFar ? 0 : least;
  }

  const Puzzle& puzzle_;
  const Heuristic& heuristic_;
  const std::vector<std::uint8_t> start_, moves_;
  const std::size_t bytes_;
  Budget budget_;
  Meter* meter_ = nullptr;  // of the step
  double weight_ = 1;
  std::uint64_t opened_ = 0;  // nodes that are open
  std::uint64_t expanded_ = 0;  // in the steps before
  LayerCounts layers_;          // of all steps, by g + h
  std::uint32_t step_ = 0, sequence_ = 0;
  KnownStates states_;
  std::vector<Node> nodes_;
  std::vector<Entry> open_;
  std::uint32_t goal_ = kNoNode;
};

RepairingSearch::RepairingSearch(Bytes start, Bytes moves, const Heuristic& heuristic, std::uint64_t memory_bytes)
    : nodes_(std::make_unique<Nodes>(start, moves, heuristic, memory_bytes)) {}

RepairingSearch::RepairingSearch(RepairingSearch&&) noexcept = default;
RepairingSearch::~RepairingSearch() = default;

Outcome RepairingSearch::improve(double weight, const Limits& limits, Control& control) {
  if (!std::isfinite(weight) || weight < 1) throw std::invalid_argument("weight is not a finite number of at least 1");
  return within_memory(control,
                       [&](Clock::time_point begin) { return nodes_->improve(weight, limits, control, begin); });
}

}  // namespace hstar
