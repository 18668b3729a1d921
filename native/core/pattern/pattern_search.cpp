#include "pattern/pattern_search.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "search/deepening.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

constexpr unsigned kMaxDepth = 250;
constexpr std::size_t kFirst = 2, kMost = 8;  // lookups of each successor that are asked for together

// One thread's state, path and counters.
template <class Kind>
class Walker {
  using PlacedState = hstar::PlacedState<Kind>;

 public:
  using Bound = unsigned;
  static constexpr unsigned kNoBound = ~0u;
  static constexpr std::uint64_t kWorthThreads = 0;

  Walker(const PatternHeuristic& heuristic, SharedMeter& shared, Bytes start)
      : heuristic_(heuristic),
        shared_(shared),
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
    ends_ = !space.alike() && std::ranges::find(automaton_.last(), true) != automaton_.last().end();
    resting_.assign(space.pieces(), true);
    for (std::size_t number = 0; number < moves_.size(); ++number)
      if (automaton_.last()[number])
        for (const PermutationPuzzle::Touch& touch : space.puzzle().touches(moves_[number]))
          resting_[touch.dst] = resting_[touch.src] = false;
  }

  // Depth first below a task with `bound` moves in all.
  bool search(const Subtree& task, unsigned bound, const Order& order) {
    const Settled settled{*this};
    bound_ = bound;
    if (bound > kMaxDepth) shared_.end(kOutOfMemory);  // the path is full
    enter(task, &order);
    return dive(state_, row(task), static_cast<unsigned>(task.moves.size()), bound);
  }
  bool split(const Subtree& task, unsigned bound, std::vector<Subtree>& next) {
    const auto depth = static_cast<unsigned>(task.moves.size());
    if (depth + 1 >= bound) return false;
    const Settled settled{*this};
    bound_ = bound;
    enter(task, nullptr);
    if (!may_expand()) return false;
    each_successor(state_, row(task), depth, bound, [&](const PlacedState&, std::uint8_t move, std::uint16_t after) {
      next.push_back({task.moves, after});
      next.back().moves.push_back(move);
      return false;
    });
    return true;
  }

  // What was left out because it was too far from the goal is one move farther, or more.
  unsigned take_next() { return std::exchange(cut_, false) ? bound_ + 1 : kNoBound; }
  std::vector<std::uint8_t> path() const { return path_; }

 private:
  // Hands back what was granted, however a task ends.
  struct Settled {
    Walker& walker;
    ~Settled() { walker.shared_.settle(walker.part_); }
  };

  // What is looked up at one depth.
  struct Frame {
    std::vector<std::uint8_t> value;    // of each lookup; of one that was skipped, an upper bound
    std::vector<std::uint16_t> order;   // of the lookups for the successors
    std::vector<PlacedState> states;    // the successors
    std::vector<std::uint8_t> values;   // of the successors, by their number and the lookup
    std::vector<std::uint8_t> fitting;  // numbers of the successors not pruned so far
    std::vector<MoveAutomaton::Step> steps;
    std::vector<std::uint64_t> ranks;   // the prefetched ones
  };

  static std::uint16_t row(const Subtree& task) { return static_cast<std::uint16_t>(task.row); }

  void enter(const Subtree& task, const Order* order) {
    order_ = order;
    stopping_ = false;
    state_.set(heuristic_.space(), start_);
    for (const std::uint8_t move : task.moves) state_.move(move);
    path_ = task.moves;
    std::vector<std::uint8_t>& value = frames_[task.moves.size()].value;
    value.resize(lookups_.size());
    for (std::size_t i = 0; i < lookups_.size(); ++i)
      value[i] = static_cast<std::uint8_t>(lookups_[i].value(state_.places(lookups_[i].inverse())));
  }

  // Calls visit(successor, move, automaton's next state) for each successor that fits until it returns true.
  template <class Visit>
  bool each_successor(const PlacedState& state, std::uint16_t before, unsigned depth, unsigned bound, Visit visit) {
    Frame &frame = frames_[depth], &after = frames_[depth + 1];
    const auto steps = worthwhile(state, before, frame.steps);
    while (frame.states.size() < steps.size()) frame.states.push_back(state_);
    for (std::size_t i = 0; i < steps.size(); ++i) frame.states[i].become(state, moves_[steps[i].number]);
    const unsigned left = bound - depth - 1;
    look_up(frame, steps.size(), left);
    after.value.resize(lookups_.size());
    std::size_t counted = 0;
    for (const std::uint8_t i : frame.fitting) {
      part_.generated += i + 1 - std::exchange(counted, i + 1);
      const std::uint8_t* values = frame.values.data() + i * lookups_.size();
      for (std::size_t j = 0; j < lookups_.size(); ++j)
        after.value[j] = is_out(frame, j, left) ? static_cast<std::uint8_t>(frame.value[j] + 1) : values[j];
      if (visit(frame.states[i], moves_[steps[i].number], steps[i].next)) return true;
      if (stopping_) return false;
    }
    part_.generated += steps.size() - counted;
    return false;
  }

  // The steps that may follow. Moves that only such moves may follow must solve the puzzle, so they are left out if what
  // they do not touch is not solved.
  std::span<const MoveAutomaton::Step> worthwhile(const PlacedState& state, std::uint16_t before,
                                                  std::vector<MoveAutomaton::Step>& kept) const {
    const auto steps = automaton_.steps(before);
    if (!ends_ || state.is_goal(resting_)) return steps;
    const std::vector<bool>& last = automaton_.last();
    kept.clear();
    std::ranges::copy_if(steps, std::back_inserter(kept), [&](const auto& step) { return !last[step.number]; });
    return kept;
  }

  bool dive(const PlacedState& state, std::uint16_t before, unsigned depth, unsigned bound) {
    if (depth == bound) {
      const bool goal = state.is_goal();
      cut_ |= !goal;  // its successors are farther, though all databases say that it looks like the goal
      return goal;
    }
    if (!may_expand()) return false;
    return each_successor(state, before, depth, bound,
                          [&](const PlacedState& successor, std::uint8_t move, std::uint16_t next) {
                            path_.push_back(move);
                            if (dive(successor, next, depth + 1, bound)) return true;
                            path_.pop_back();
                            return false;
                          });
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
        cut_ |= !fits;
        return !fits;
      };
      std::erase_if(frame.fitting, cut);
    }
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

  // Counts one expansion, unless the search ends, or another thread has found a better solution.
  bool may_expand() {
    const auto may_go_on = [&] { return order_ == nullptr || order_->may_go_on(); };
    // All that the path has produced may still be counted.
    stopping_ = !may_go_on() ||
                (part_.left == 0 && !shared_.refill(part_, moves_.size(), path_.size() * moves_.size(),
                                                      Meter::kPollInterval, may_go_on));
    if (!stopping_) --part_.left;
    return !stopping_;
  }

  const PatternHeuristic& heuristic_;
  SharedMeter& shared_;
  const Bytes start_;
  const std::vector<std::uint8_t>& moves_;
  const MoveAutomaton& automaton_;
  const std::vector<Lookup>& lookups_;
  SharedMeter::Part part_;
  PlacedState state_;
  std::vector<Frame> frames_;
  std::vector<std::uint8_t> path_;
  const Order* order_ = nullptr;  // of the task at hand
  unsigned bound_ = 0;
  bool cut_ = false, stopping_ = false;
  bool reversible_;  // whether every move can be undone by another
  bool ends_;                  // whether there are moves that only such moves may follow
  std::vector<bool> resting_;  // slots that those do not touch
};

template <class Kind>
Outcome run(Bytes start, const PatternHeuristic& heuristic, unsigned threads, Meter& meter) {
  using Walker = hstar::Walker<Kind>;
  SharedMeter shared(meter);
  std::vector<std::unique_ptr<Walker>> walkers;
  for (unsigned i = 0; i < threads; ++i) walkers.push_back(std::make_unique<Walker>(heuristic, shared, start));
  if (const auto ending = meter.poll()) return meter.finish(*ending);
  const unsigned bound = heuristic.value(start);
  return Deepening<Walker>(shared, std::move(walkers), {})
      .run(bound == PatternHeuristic::kUnreachable ? Walker::kNoBound : bound);
}

}  // namespace

Outcome pattern_ida_star(Bytes start, const PatternHeuristic& heuristic, const Limits& limits, unsigned threads,
                         Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    SearchOptions options;
    options.limits = limits;
    options.threads = threads;
    check_request(heuristic.puzzle(), start, heuristic.moves(), options);
    heuristic.space().check(start, "start");
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    return has_narrow_places(heuristic.space().puzzle()) ? run<NarrowPlaces>(start, heuristic, threads, meter)
                                                         : run<WidePlaces>(start, heuristic, threads, meter);
  });
}

}  // namespace hstar
