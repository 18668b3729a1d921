#include "search/partial_expansion.hpp"

#include <algorithm>

#include "search/known_states.hpp"
#include "search/layer_counts.hpp"
#include "search/meter.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

// A node has a stored value F, f at first. When it is taken, its successors with an f up to F are produced that had not
// been produced before; then F becomes the least f of the others, and the node waits for that.
class Partial {
 public:
  Partial(Bytes moves, const Heuristic& heuristic, const Limits& limits, Control& control, Clock::time_point begin)
      : puzzle_(heuristic.puzzle()), tiles_(dynamic_cast<const SlidingTiles*>(&puzzle_)), heuristic_(heuristic),
        moves_(moves), bytes_(puzzle_.state_bytes()), budget_(limits.memory_bytes),
        meter_(limits, control, begin, budget_), states_(bytes_, budget_), open_(budget_), layers_(budget_) {}

  Outcome run(Bytes start) {
    if (!reach(start.data(), kNoNode, 0, 0, kUnknown)) return meter_.finish(kOutOfMemory);
    if (const auto ending = meter_.poll()) return meter_.finish(*ending);
    for (;;) {
      const std::uint32_t F = open_.settle([&](Buckets::Entry e) {
        const Node& node = nodes_[e.node];
        return !node.open || node.g != e.g || node.F != open_.first();
      });
      if (F == kFar) return end({Status::exhausted});
      meter_.count.f_bound = std::max<double>(meter_.count.f_bound, F);
      const std::uint32_t number = open_.top().node;
      if (std::equal(puzzle_.goal().begin(), puzzle_.goal().end(), states_[number])) {
        Outcome outcome = end({Status::solved});
        outcome.expanded_last_layer = layers_.at(F, outcome.expanded);
        for (std::uint32_t i = number; nodes_[i].parent != kNoNode; i = nodes_[i].parent)
          outcome.path.push_back(nodes_[i].move);
        std::ranges::reverse(outcome.path);
        return outcome;
      }
      if (const auto ending = meter_.stop()) return end(*ending);
      open_.pop();
      if (!layers_.enter(F, meter_.count.expanded) || !expand(number, F)) return end(meter_.lacking());
    }
  }

 private:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  struct Node {
    std::uint32_t parent, g, h, F, raw;
    std::uint8_t move;
    bool open, expanded, begun;  // begun: some of its successors were produced for this g
  };

  Outcome end(Ending ending) {
    Outcome outcome = meter_.finish(ending);
    outcome.layers = layers_.all(outcome.expanded);
    return outcome;
  }

  bool expand(std::uint32_t number, std::uint32_t F) {
    ++meter_.count.expanded;
    if (nodes_[number].expanded) ++meter_.count.reopened;
    nodes_[number].expanded = true;
    const bool begun = nodes_[number].begun;
    nodes_[number].begun = true;
    const std::uint32_t g = nodes_[number].g + 1;
    std::uint8_t from[kMostStateBytes], next[kMostStateBytes];
    std::copy_n(states_[number], bytes_, from);
    std::uint32_t left = kFar;
    for (const std::uint8_t move : moves_) {
      // h of the successor, without the successor where the move says by how much h changes.
      std::uint32_t raw = kUnknown, h = 0;
      if (tiles_ != nullptr && !heuristic_.lookup().empty()) {
        raw = raw_after(from, nodes_[number].raw, move);
        if (raw == kUnknown) continue;
        h = whole_h(heuristic_.lookup()[raw]);
      } else {
        if (!puzzle_.apply({from, bytes_}, move, next)) continue;
        ++meter_.count.evaluated;
        h = value(next);
      }
      const std::uint32_t f = g + h;
      if (f > F) left = std::min(left, f);
      if (f > F || (begun && f < F)) continue;
      if (raw != kUnknown) puzzle_.apply({from, bytes_}, move, next);
      ++meter_.count.generated;
      if (!reach(next, number, move, g, raw, h)) return false;
    }
    if (left < kFar) {
      nodes_[number].F = left;
      return open_.push(left, nodes_[number].h, {number, g - 1});
    }
    nodes_[number].open = false;
    --open_count_;
    return true;
  }

  bool reach(const std::uint8_t* state, std::uint32_t parent, std::uint8_t move, std::uint32_t g, std::uint32_t raw,
             std::uint32_t h = kUnknown) {
    std::uint32_t number = states_.find(state);
    if (number == kNoNode) {
      if (!room_for(nodes_, 1, budget_)) return false;
      number = states_.add(state, [&] { return meter_.interrupted(); });
      if (number == kNoNode) return false;
      if (raw == kUnknown) raw = heuristic_.raw({state, bytes_});
      if (h == kUnknown) {
        h = value(state);
        ++meter_.count.evaluated;
      } else if (tiles_ != nullptr && !heuristic_.lookup().empty()) {
        ++meter_.count.evaluated;
      }
      nodes_.push_back({parent, g, h, 0, raw, move, false, false, false});
      ++meter_.count.stored;
    } else if (g >= nodes_[number].g) {
      return true;
    }
    Node& node = nodes_[number];
    node.parent = parent;
    node.move = move;
    node.g = g;
    node.F = g + node.h;
    node.begun = false;
    if (!node.open) ++open_count_;
    node.open = true;
    meter_.count.max_open = std::max(meter_.count.max_open, open_count_);
    return open_.push(node.F, node.h, {number, g});
  }

  std::uint32_t value(const std::uint8_t* state) const noexcept {
    return whole_h(heuristic_.value(heuristic_.raw({state, bytes_}), {state, bytes_}));
  }

  // A slide moves one tile into the blank; what both cells add to raw is all that changes. kUnknown: not possible.
  std::uint32_t raw_after(const std::uint8_t* state, std::uint32_t raw, unsigned move) const noexcept {
    const auto blank = static_cast<std::size_t>(std::find(state, state + bytes_, 0) - state);
    const unsigned from = tiles_->neighbour(static_cast<unsigned>(blank), move);
    if (from == SlidingTiles::kNoCell) return kUnknown;
    const std::uint8_t tile = state[from];
    return raw + heuristic_.share(blank, tile) + heuristic_.share(from, 0) - heuristic_.share(blank, 0) -
           heuristic_.share(from, tile);
  }

  const Puzzle& puzzle_;
  const SlidingTiles* const tiles_;
  const Heuristic& heuristic_;
  const Bytes moves_;
  const std::size_t bytes_;
  Budget budget_;
  Meter meter_;
  KnownStates states_;
  std::vector<Node> nodes_;
  Buckets open_;
  LayerCounts layers_;
  std::uint64_t open_count_ = 0;
};

}  // namespace

Outcome partial_expansion(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options,
                          Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    check_request(heuristic.puzzle(), start, moves, options);
    return Partial(moves, heuristic, options.limits, control, begin).run(start);
  });
}

}  // namespace hstar
