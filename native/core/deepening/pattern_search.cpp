#include "deepening/pattern_search.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "deepening/depth_first.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

constexpr std::size_t kFirst = 2, kMost = 8;  // lookups of each successor that are asked for together

// One thread's states and look-ups, by depth.
template <class Kind>
class PatternWalker : public DepthFirst<PatternWalker<Kind>> {
  using PlacedState = hstar::PlacedState<Kind>;
  using Base = DepthFirst<PatternWalker<Kind>>;
  using Base::bound, Base::prune;

 public:
  using Base::path;
  static constexpr std::uint64_t kWorthThreads = 0;
  static constexpr unsigned kMaxDepth = 250;

  PatternWalker(const PatternHeuristic& heuristic, SharedMeter& shared, Bytes start)
      : Base(shared, heuristic.moves().size()),
        heuristic_(heuristic),
        start_(start),
        moves_(heuristic.moves()),
        automaton_(heuristic.automaton()),
        lookups_(heuristic.lookups()),
        state_(heuristic.space(), heuristic.place_moves<Kind>(), start),
        frames_(kMaxDepth + 2) {
    const auto undone = [&](std::uint8_t move) {
      return std::ranges::find(moves_, heuristic.space().puzzle().inverse(move)) != moves_.end();
    };
    reversible_ = std::ranges::all_of(moves_, undone);
    const PieceSpace& space = heuristic.space();
    ends_ = !space.alike() && automaton_.has_last();
    resting_.assign(space.pieces(), true);
    for (std::size_t number = 0; number < moves_.size(); ++number)
      if (automaton_.last()[number])
        for (const PermutationPuzzle::Touch& touch : space.puzzle().touches(moves_[number]))
          resting_[touch.dst] = resting_[touch.src] = false;
  }

  std::uint32_t row_of(Bytes path) const { return automaton_.after(moves_, path); }

 private:
  friend Base;

  // What is looked up at one depth.
  struct Frame {
    const PlacedState* state;
    std::vector<std::uint8_t> value;    // of each lookup; of one that was skipped, an upper bound
    std::vector<std::uint16_t> order;   // of the lookups for the successors
    std::vector<PlacedState> states;    // the successors
    std::vector<std::uint8_t> values;   // of the successors, by their number and the lookup
    std::vector<std::uint8_t> fitting;  // numbers of the successors not pruned so far
    std::vector<MoveAutomaton::Step> steps;
    std::vector<std::uint64_t> ranks;   // the prefetched ones
  };

  void enter() {
    state_.set(heuristic_.space(), start_);
    for (const std::uint8_t move : path()) state_.move(move);
    Frame& frame = frames_[path().size()];
    frame.state = &state_;
    frame.value.resize(lookups_.size());
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      frame.value[i] = static_cast<std::uint8_t>(lookups_[i].value(state_.places(lookups_[i].inverse())));
  }
  bool is_goal() const { return frames_[path().size()].state->is_goal(); }

  template <class Visit>
  bool each_successor(std::uint32_t row, unsigned depth, Visit visit) {
    Frame &frame = frames_[depth], &after = frames_[depth + 1];
    const auto state = static_cast<std::uint16_t>(row);
    const auto steps = ends_ && !frame.state->is_goal(resting_) ? automaton_.steps_before_last(state, frame.steps)
                                                                : automaton_.steps(state);
    while (frame.states.size() < steps.size()) frame.states.push_back(state_);
    for (std::size_t i = 0; i < steps.size(); ++i) frame.states[i].become(*frame.state, moves_[steps[i].number]);
    const unsigned left = bound() - depth - 1;
    look_up(frame, steps.size(), left);
    after.value.resize(lookups_.size());
    std::size_t counted = 0;
    for (const std::uint8_t i : frame.fitting) {
      this->count_generated(i + 1 - std::exchange(counted, i + 1));
      const std::uint8_t* values = frame.values.data() + i * lookups_.size();
      for (std::size_t j = 0; j < lookups_.size(); ++j)
        after.value[j] = is_out(frame, j, left) ? static_cast<std::uint8_t>(frame.value[j] + 1) : values[j];
      after.state = &frame.states[i];
      if (visit(moves_[steps[i].number], steps[i].next)) return true;
      if (this->stopping()) return false;
    }
    this->count_generated(steps.size() - counted);
    return false;
  }

  // Leaves in `fitting` the successors of which no lookup exceeds `left`. A read of the tables is most often a cache
  // miss, so a few lookups of all successors are prefetched before the first is read.
  void look_up(Frame& frame, std::size_t successors, unsigned left) {
    sort_lookups(frame, left);
    frame.fitting.resize(successors);
    std::iota(frame.fitting.begin(), frame.fitting.end(), std::uint8_t{0});
    frame.values.resize(successors * lookups_.size());
    std::size_t end = 0, width = kFirst;
    for (std::size_t begin = 0; begin < frame.order.size() && !frame.fitting.empty(); begin = end) {
      end = std::min(begin + width, frame.order.size());
      width = std::min(2 * width, kMost);
      frame.ranks.clear();
      for (const std::uint8_t i : frame.fitting)
        for (std::size_t j = begin; j < end; ++j) {
          const Lookup& lookup = lookups_[frame.order[j]];
          frame.ranks.push_back(lookup.rank_of(frame.states[i].places(lookup.inverse())));
          lookup.prefetch(frame.ranks.back());
        }
      const std::uint64_t* rank = frame.ranks.data();
      const auto cut = [&](std::uint8_t i) {
        bool fits = true;
        for (std::size_t j = begin; j < end; ++j, ++rank) {
          const unsigned value = lookups_[frame.order[j]].at(*rank);
          frame.values[i * lookups_.size() + frame.order[j]] = static_cast<std::uint8_t>(value);
          fits &= value <= left;
        }
        return !fits;
      };
      std::erase_if(frame.fitting, cut);
    }
    if (frame.fitting.size() < successors) prune(bound() + 1);
  }

  // A lookup that is large here is likely to be large after another move, so the largest come first. If moves can be
  // undone, one move changes a direct lookup by at most 1: lookups that cannot exceed `left` are skipped.
  void sort_lookups(Frame& frame, unsigned left) {
    std::array<std::uint16_t, 256> place{};
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      if (!is_out(frame, i, left)) ++place[frame.value[i]];
    unsigned sum = 0;
    for (unsigned value = 256; value-- > 0;) sum += std::exchange(place[value], static_cast<std::uint16_t>(sum));
    frame.order.resize(sum);
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      if (!is_out(frame, i, left)) frame.order[place[frame.value[i]]++] = static_cast<std::uint16_t>(i);
  }
  bool is_out(const Frame& frame, std::size_t i, unsigned left) const {
    return reversible_ && !lookups_[i].inverse() && frame.value[i] < left;
  }

  const PatternHeuristic& heuristic_;
  const Bytes start_;
  const std::vector<std::uint8_t>& moves_;
  const MoveAutomaton& automaton_;
  const std::vector<Lookup>& lookups_;
  PlacedState state_;          // at the root of the task
  std::vector<Frame> frames_;  // by depth
  bool reversible_;            // whether every move can be undone by another
  bool ends_;                  // whether there are moves that only such moves may follow
  std::vector<bool> resting_;  // slots that those do not touch
};

template <class Kind>
Outcome run(Bytes start, const PatternHeuristic& heuristic, unsigned threads, Meter& meter,
            const std::optional<Part>& part) {
  using Walker = PatternWalker<Kind>;
  return deepen(
      meter, threads, MoveAutomaton::kStart, part,
      [&](SharedMeter& shared) { return std::make_unique<Walker>(heuristic, shared, start); },
      [&](const Walker&) {
        const unsigned bound = heuristic.value(start);
        return bound == PatternHeuristic::kUnreachable ? Walker::kNoBound : bound;
      });
}

}  // namespace

Outcome pattern_ida_star(Bytes start, const PatternHeuristic& heuristic, const Limits& limits, unsigned threads,
                         Control& control, const std::optional<Part>& part) {
  return within_memory(control, [&](Clock::time_point begin) {
    SearchOptions options;
    options.limits = limits;
    options.threads = threads;
    check_request(heuristic.puzzle(), start, heuristic.moves(), options);
    heuristic.space().check(start, "start");
    if (heuristic.space().puzzle().forbids())
      throw std::invalid_argument("this search is for puzzles without forbidden moves");
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    return has_narrow_places(heuristic.space().puzzle()) ? run<NarrowPlaces>(start, heuristic, threads, meter, part)
                                                         : run<WidePlaces>(start, heuristic, threads, meter, part);
  });
}

}  // namespace hstar
