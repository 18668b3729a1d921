#include "deepening/coset_search.hpp"

#include <algorithm>
#include <utility>

#include "coset/coset_node.hpp"
#include "deepening/depth_first.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

constexpr unsigned kEndless = std::numeric_limits<unsigned>::max();

// One thread's coordinates, by depth and view.
class CosetWalker : public DepthFirst<CosetWalker> {
 public:
  static constexpr std::uint64_t kWorthThreads = 10'000;
  static constexpr unsigned kMaxDepth = 250;

  CosetWalker(const CosetHeuristic& heuristic, SharedMeter& shared, Bytes start, unsigned longest)
      : DepthFirst(shared, heuristic.moves().size()),
        heuristic_(heuristic),
        start_(start),
        longest_(longest),
        parity_(heuristic.parity().of(start)),
        moves_(heuristic.moves()),
        frames_(kMaxDepth + 2, Frame(heuristic)) {
    unreachable_ = !frames_[0].node.begin(start);
    find_resting();
  }

  // The first bound.
  unsigned root_bound() const {
    if (unreachable_) return kNoBound;
    const auto [least, most] = std::ranges::minmax(frames_[0].node.distances());
    return possible(most + (heuristic_.meeting() && least == most && most > 0));
  }
  unsigned take_next() noexcept { return possible(DepthFirst::take_next()); }

  std::uint32_t row_of(Bytes path) const { return heuristic_.automaton().after(moves_, path); }

 private:
  friend DepthFirst<CosetWalker>;

  struct Frame {
    CosetNode node;
    std::vector<MoveAutomaton::Step> kept;

    explicit Frame(const CosetHeuristic& heuristic) : node(heuristic) {}
  };

  // The least length of a solution that is at least the bound.
  unsigned possible(unsigned bound) const noexcept {
    if (bound == kNoBound) return kNoBound;
    if (heuristic_.parity().known()) bound += (bound + parity_) % 2;
    return bound > longest_ ? kNoBound : bound;
  }

  // The coordinates that none of the moves changes that only such moves may follow.
  void find_resting() {
    if (!heuristic_.automaton().has_last()) return;
    const std::vector<bool>& last = heuristic_.automaton().last();
    for (const auto& [table, seen, first] : heuristic_.lookups()) {
      for (std::size_t i = 0; i < table->space->coordinates(); ++i) {
        const Coordinate& coordinate = table->space->coordinate(i);
        bool rests = true;
        for (std::size_t number = 0; number < last.size(); ++number)
          for (std::uint32_t value = 0; rests && last[number] && value < coordinate.size(); ++value)
            rests = coordinate.after(value, seen->moves[number]) == value;
        if (rests) resting_.push_back(first + i);
      }
    }
  }

  void enter() {
    for (std::size_t depth = 0; depth < path().size(); ++depth) {
      const auto move = static_cast<std::size_t>(std::ranges::find(moves_, path()[depth]) - moves_.begin());
      frames_[depth + 1].node.follow(frames_[depth].node, move);
    }
  }

  template <class Visit>
  bool each_successor(std::uint32_t row, unsigned depth, Visit visit) {
    Frame& frame = frames_[depth];
    CosetNode &node = frame.node, &after = frames_[depth + 1].node;
    const auto state = static_cast<std::uint16_t>(row);
    const auto solved = [&](std::size_t i) { return node.values()[i] == 0; };
    const MoveAutomaton& automaton = heuristic_.automaton();
    const auto steps = std::ranges::all_of(resting_, solved) ? automaton.steps(state)
                                                             : automaton.steps_before_last(state, frame.kept);
    const unsigned left = bound() - depth - 1;
    const auto farthest = static_cast<std::size_t>(std::ranges::max_element(node.distances()) - node.distances().begin());
    const auto fitting = node.fit(steps, farthest, left, left);
    if (fitting.size() < steps.size()) prune(bound() + 1);
    std::size_t counted = 0;
    for (const std::uint8_t child : fitting) {
      count_generated(child + 1u - std::exchange(counted, child + 1u));
      after.follow(node, steps[child].number, child);
      if (visit(moves_[steps[child].number], steps[child].next)) return true;
      if (stopping()) return false;
    }
    count_generated(steps.size() - counted);
    return false;
  }

  bool is_goal() const {
    std::vector<std::uint8_t> state(start_.begin(), start_.end()), after(state.size());
    for (const std::uint8_t move : path()) {
      heuristic_.puzzle().apply(state, move, after.data());
      state.swap(after);
    }
    return std::ranges::equal(state, heuristic_.puzzle().goal());
  }

  const CosetHeuristic& heuristic_;
  const Bytes start_;
  const unsigned longest_, parity_;
  const std::vector<std::uint8_t>& moves_;
  std::vector<Frame> frames_;                // by depth
  std::vector<std::size_t> resting_;         // coordinates, if there are moves that come last
  bool unreachable_ = false;
};

}  // namespace

Outcome coset_ida_star(Bytes start, const CosetHeuristic& heuristic, const Limits& limits, unsigned threads,
                       Control& control, unsigned longest, const std::optional<Part>& part) {
  return within_memory(control, [&](Clock::time_point begin) {
    SearchOptions options;
    options.limits = limits;
    options.threads = threads;
    check_request(heuristic.puzzle(), start, heuristic.moves(), options);
    heuristic.pieces().check(start, "start");
    if (heuristic.pieces().puzzle().forbids()) throw std::invalid_argument("this search is for puzzles without forbidden moves");
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    Outcome outcome = deepen(
        meter, threads, MoveAutomaton::kStart, part,
        [&](SharedMeter& shared) { return std::make_unique<CosetWalker>(heuristic, shared, start, longest); },
        [](const CosetWalker& walker) { return walker.root_bound(); });
    if (outcome.status == Status::exhausted && !part && longest < kEndless) outcome.f_bound = longest + 1.0;
    return outcome;
  });
}

}  // namespace hstar
