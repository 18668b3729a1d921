#include "search/meeting.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "search/known_states.hpp"
#include "search/layer_counts.hpp"
#include "search/meter.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

// How many open nodes have each value of f or g, and the least.
class Least {
 public:
  void add(std::uint32_t value) {
    if (value >= counts_.size()) counts_.resize(value + 1);
    ++counts_[value];
    least_ = std::min(least_, value);
  }
  void remove(std::uint32_t value) noexcept { --counts_[value]; }
  std::uint32_t least() noexcept {
    while (least_ < counts_.size() && counts_[least_] == 0) ++least_;
    return least_ < counts_.size() ? least_ : kFar;
  }

 private:
  std::vector<std::uint64_t> counts_;
  std::uint32_t least_ = 0;
};

// One direction: its nodes, by state, and its open lists.
class Side {
 public:
  struct Node {
    std::uint32_t parent, g, h;
    std::uint8_t move;
    bool open, ready, expanded;
    std::uint32_t f() const noexcept { return g + h; }
  };

  Side(const Puzzle& puzzle, const Heuristic& heuristic, const std::vector<Value>* images, Meeting rule, bool forward,
       Bytes moves, Budget& budget, Meter& meter)
      : puzzle_(puzzle), heuristic_(heuristic), images_(images), rule_(rule), forward_(forward), budget_(budget),
        meter_(meter), count_(meter.count), bytes_(puzzle.state_bytes()), states_(bytes_, budget), waiting_(budget),
        ready_(budget) {
    for (std::size_t slot = 0; slot < puzzle.slots(); ++slot) row_ = std::max<std::size_t>(row_, puzzle.values(slot));
    for (const std::uint8_t move : moves) moves_.push_back(move);
  }

  const std::uint8_t* state(std::uint32_t node) const noexcept { return states_[node]; }
  const Node& operator[](std::uint32_t node) const noexcept { return nodes_[node]; }
  std::uint64_t open() const noexcept { return open_; }

  // The node of a state, or kNoNode.
  std::uint32_t find(const std::uint8_t* state) const noexcept { return states_.find(state); }

  // Reaches a state; its node, or kNoNode if there is no memory. `better`: it is new, or g is smaller than before.
  std::uint32_t reach(const std::uint8_t* state, std::uint32_t parent, std::uint8_t move, std::uint32_t g,
                      bool& better) {
    std::uint32_t index = states_.find(state);
    better = index == kNoNode || g < nodes_[index].g;
    if (!better) return index;
    if (index == kNoNode) {
      if (!room_for(nodes_, 1, budget_)) return kNoNode;
      index = states_.add(state, [&] { return meter_.interrupted(); });
      if (index == kNoNode) return kNoNode;
      nodes_.push_back({parent, g, evaluate(state), move, false, false, false});
      ++count_.stored;
      ++count_.evaluated;
    } else {
      if (nodes_[index].open) close(index);
      nodes_[index].parent = parent;
      nodes_[index].move = move;
      nodes_[index].g = g;
    }
    Node& node = nodes_[index];
    node.open = true;
    node.ready = false;
    ++open_;
    by_f_.add(node.f());
    by_g_.add(node.g);
    const Buckets::Entry entry{index, g};
    const bool stored = rule_ == Meeting::mm ? waiting_.push(std::max(node.f(), 2 * g), g, entry)
                                             : waiting_.push(node.f(), g, entry);
    return stored ? index : kNoNode;
  }

  // The least priority of MM, or the least f of NBS's waiting nodes; kFar if there is none.
  std::uint32_t waiting() {
    return waiting_.settle([&](Buckets::Entry e) { return stale(e) || nodes_[e.node].ready; });
  }
  std::uint32_t ready_g() {
    return ready_.settle([&](Buckets::Entry e) { return stale(e) || !nodes_[e.node].ready; });
  }
  std::uint32_t least_f() { return by_f_.least(); }
  std::uint32_t least_g() { return by_g_.least(); }
  std::uint32_t first_waiting() const noexcept { return waiting_.top().node; }
  std::uint32_t waiting_g() const noexcept { return waiting_.second(); }
  std::uint32_t first_ready() const noexcept { return ready_.top().node; }

  // The first waiting node becomes ready; false if there is no memory.
  bool make_ready() {
    const Buckets::Entry entry = waiting_.top();
    waiting_.pop();
    nodes_[entry.node].ready = true;
    return ready_.push(entry.g, 0, entry);
  }

  // Expands a node: `met(node)` for each successor that is new or got a smaller g. False if there is no memory.
  template <class Met>
  bool expand(std::uint32_t index, Met met) {
    ++count_.expanded;
    if (nodes_[index].expanded) ++count_.reopened;
    nodes_[index].expanded = true;
    close(index);
    std::uint8_t from[kMostStateBytes], next[kMostStateBytes];
    std::copy_n(state(index), bytes_, from);
    const std::uint32_t g = nodes_[index].g + 1;
    for (const std::uint8_t move : moves_) {
      if (!puzzle_.apply({from, bytes_}, against(move), next)) continue;
      ++count_.generated;
      bool better = false;
      const std::uint32_t child = reach(next, index, move, g, better);
      if (child == kNoNode) return false;
      if (better) met(child);
    }
    return true;
  }

  // The moves between a node and this side's end, those next to the node first.
  std::vector<std::uint8_t> moves_from(std::uint32_t node) const {
    std::vector<std::uint8_t> moves;
    for (; nodes_[node].parent != kNoNode; node = nodes_[node].parent) moves.push_back(nodes_[node].move);
    return moves;
  }

 private:
  // On sliding tiles a move is undone by another one; the puzzle of the other side of a permutation puzzle is reversed.
  unsigned against(std::uint8_t move) const noexcept {
    return !forward_ && dynamic_cast<const SlidingTiles*>(&puzzle_) != nullptr ? move ^ 2u : move;
  }
  bool stale(Buckets::Entry entry) const noexcept {
    return !nodes_[entry.node].open || nodes_[entry.node].g != entry.g;
  }

  void close(std::uint32_t index) noexcept {
    Node& node = nodes_[index];
    node.open = false;
    --open_;
    by_f_.remove(node.f());
    by_g_.remove(node.g);
  }

  std::uint32_t evaluate(const std::uint8_t* state) const noexcept {
    std::uint8_t renamed[kMostStateBytes];
    if (images_ != nullptr && !images_->empty()) {
      for (std::size_t slot = 0; slot < puzzle_.slots(); ++slot)
        set_value(renamed, slot, puzzle_.width(), (*images_)[slot * row_ + value_at(state, slot, puzzle_.width())]);
      state = renamed;
    }
    return whole_h(heuristic_.value(heuristic_.raw({state, bytes_}), {state, bytes_}));
  }

  const Puzzle& puzzle_;
  const Heuristic& heuristic_;
  const std::vector<Value>* images_;
  const Meeting rule_;
  const bool forward_;
  Budget& budget_;
  Meter& meter_;
  Outcome& count_;
  const std::size_t bytes_;
  std::size_t row_ = 0;
  std::vector<std::uint8_t> moves_;
  std::vector<Node> nodes_;
  KnownStates states_;
  Buckets waiting_, ready_;
  Least by_f_, by_g_;
  std::uint64_t open_ = 0;
};

class Middle {
 public:
  Middle(Meeting rule, const Puzzle& puzzle, const Puzzle& reversed, Bytes moves, const Heuristic& heuristic,
         const BackwardHeuristic& back, const Limits& limits, Control& control, Clock::time_point begin)
      : rule_(rule), budget_(limits.memory_bytes), meter_(limits, control, begin, budget_),
        forth_(puzzle, heuristic, nullptr, rule, true, moves, budget_, meter_),
        back_(reversed, back.heuristic, &back.images, rule, false, moves, budget_, meter_), layers_(budget_) {}

  Outcome run(Bytes start, Bytes goal) {
    Outcome outcome = search(start, goal);
    outcome.layers = layers_.all(outcome.expanded);
    return outcome;
  }

 private:
  Outcome search(Bytes start, Bytes goal) {
    bool better = false;
    if (forth_.reach(start.data(), kNoNode, 0, 0, better) == kNoNode ||
        back_.reach(goal.data(), kNoNode, 0, 0, better) == kNoNode)
      return meter_.finish(kOutOfMemory);
    meet(forth_, back_, 0);
    if (const auto ending = meter_.poll()) return meter_.finish(*ending);
    const std::optional<Ending> ending = rule_ == Meeting::mm ? mm() : nbs();
    if (ending) return meter_.finish(*ending);
    if (best_ == kFar) return meter_.finish({Status::exhausted});
    meter_.count.f_bound = best_;
    Outcome outcome = meter_.finish({Status::solved});
    outcome.path = forth_.moves_from(of_forth_);
    std::ranges::reverse(outcome.path);
    for (const std::uint8_t move : back_.moves_from(of_back_)) outcome.path.push_back(move);
    assert(outcome.path.size() <= best_);
    return outcome;
  }

  // Ends without an ending when no solution is shorter than the best one.
  std::optional<Ending> mm() {
    for (;;) {
      const std::uint32_t forth = forth_.waiting(), back = back_.waiting(), least = std::min(forth, back);
      const std::uint32_t sum = std::min(forth_.least_g() + back_.least_g() + 1, kFar);
      if (!raise(std::max({least, forth_.least_f(), back_.least_f(), sum}))) return std::nullopt;
      const bool forward = forth != back ? forth < back : forth_.waiting_g() <= back_.waiting_g();
      if (const auto ending = forward ? expand(forth_, back_, forth_.first_waiting(), least)
                                      : expand(back_, forth_, back_.first_waiting(), least))
        return ending;
    }
  }

  std::optional<Ending> nbs() {
    for (;;) {
      if (!raise(bound_)) return std::nullopt;
      // A pair of nodes whose lower bound is the least of all.
      while (forth_.waiting() < bound_)
        if (!forth_.make_ready()) return kOutOfMemory;
      while (back_.waiting() < bound_)
        if (!back_.make_ready()) return kOutOfMemory;
      const std::uint32_t sum = std::min(forth_.ready_g() + back_.ready_g() + 1, kFar);
      if (sum <= bound_) {
        const std::uint32_t node = forth_.first_ready(), other = back_.first_ready();
        if (const auto ending = expand(forth_, back_, node, bound_)) return ending;
        if (best_ <= bound_) return std::nullopt;
        if (const auto ending = expand(back_, forth_, other, bound_)) return ending;
      } else if (forth_.waiting() <= bound_ && bound_ < kFar) {
        if (!forth_.make_ready()) return kOutOfMemory;
      } else if (back_.waiting() <= bound_ && bound_ < kFar) {
        if (!back_.make_ready()) return kOutOfMemory;
      } else {
        // One of a pair has at least that f, or both at least that g.
        const std::uint32_t one = std::min(forth_.waiting(), back_.waiting());
        if (!raise(std::min(one, sum))) return std::nullopt;
      }
    }
  }

  // No solution that is still to be found is shorter than this; false if none can be better than the best one.
  bool raise(std::uint32_t bound) {
    if (forth_.open() == 0 || back_.open() == 0) bound = kFar;
    bound_ = std::max(bound_, bound);
    meter_.count.f_bound = std::min(bound_, best_) == kFar ? 0 : std::min(bound_, best_);
    return bound_ < best_;
  }

  // `layer`: the priority of the node (MM), or the lower bound of its pair (NBS).
  std::optional<Ending> expand(Side& side, Side& other, std::uint32_t node, std::uint32_t layer) {
    if (const auto ending = meter_.stop()) return ending;
    if (!layers_.enter(layer, meter_.count.expanded)) return meter_.lacking();
    if (!side.expand(node, [&](std::uint32_t child) { meet(side, other, child); })) return meter_.lacking();
    meter_.count.max_open = std::max(meter_.count.max_open, forth_.open() + back_.open());
    return std::nullopt;
  }

  void meet(Side& side, Side& other, std::uint32_t node) {
    const std::uint32_t there = other.find(side.state(node));
    if (there == kNoNode || side[node].g + other[there].g >= best_) return;
    best_ = side[node].g + other[there].g;
    of_forth_ = &side == &forth_ ? node : there;
    of_back_ = &side == &forth_ ? there : node;
  }

  const Meeting rule_;
  Budget budget_;
  Meter meter_;
  Side forth_, back_;
  LayerCounts layers_;
  std::uint32_t best_ = kFar, bound_ = 0, of_forth_ = kNoNode, of_back_ = kNoNode;
};

}  // namespace

Outcome meet_in_the_middle(Meeting rule, Bytes start, Bytes moves, const Heuristic& heuristic,
                           const BackwardHeuristic& back, const Limits& limits, Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    SearchOptions options;
    options.limits = limits;
    const Puzzle& puzzle = heuristic.puzzle();
    check_request(puzzle, start, moves, options);
    std::size_t row = 0;
    for (std::size_t slot = 0; slot < puzzle.slots(); ++slot) row = std::max<std::size_t>(row, puzzle.values(slot));
    if (!back.images.empty() && back.images.size() != row * puzzle.slots())
      throw std::invalid_argument("images has " + std::to_string(back.images.size()) + " values, expected " +
                                  std::to_string(row * puzzle.slots()));
    if (back.heuristic.puzzle().slots() != puzzle.slots() || back.heuristic.puzzle().width() != puzzle.width())
      throw std::invalid_argument("the heuristic of the way back is of another puzzle");
    const auto* permutation = dynamic_cast<const PermutationPuzzle*>(&puzzle);
    for (std::size_t i = 0; i < back.images.size(); ++i)
      if (back.images[i] >= puzzle.values(i / row)) throw std::invalid_argument("images: no such value");
    if (permutation == nullptr)
      return Middle(rule, puzzle, puzzle, moves, heuristic, back, limits, control, begin).run(start, puzzle.goal());
    const PermutationPuzzle reversed = permutation->reversed();
    return Middle(rule, puzzle, reversed, moves, heuristic, back, limits, control, begin).run(start, puzzle.goal());
  });
}

}  // namespace hstar
