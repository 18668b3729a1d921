#include "deepening/two_phases.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "base/parallel.hpp"
#include "coset/coset_node.hpp"
#include "deepening/deepening.hpp"
#include "search/request.hpp"

namespace hstar {

// What the threads of a run share.
struct PhaseSearch::Found {
  std::atomic<bool> any{false};
  std::mutex mutex{};
  std::size_t variant = 0;
  std::vector<std::uint8_t> path{};
};

// One thread of a run: depth first in the first phase, and below each of its ends in the second.
class PhaseSearch::Dive {
 public:
  // `below`: the cost that a solution must be less than.
  Dive(PhaseSearch& search, std::size_t number, unsigned below, SharedMeter& shared, Found& found)
      : search_(search), number_(number), below_(below), at_(search.places_[number]), shared_(shared), found_(found),
        states_(kMostMoves + 1, std::vector<std::uint8_t>(search.starts_[0].size())) {
    if (cosets_ != nullptr) nodes_.assign(kMostMoves + 1, CosetNode(*cosets_));
  }

  void run() {
    const SharedMeter::Settled settled{shared_, part_};
    for (; at_.length < below_; ++at_.length, at_.variant = 0)
      for (; at_.variant < search_.starts_.size(); ++at_.variant, at_.done = 0)
        if (begin()) return;
  }

 private:
  // All of these return whether to end: solved, or something ends the run.

  // First phases of exactly so many moves as the place says.
  bool begin() {
    const std::vector<std::uint8_t>& start = search_.starts_[at_.variant];
    states_[0] = start;
    known_.clear();
    path_.clear();
    prefixes_ = 0;
    if (cosets_ == nullptr) {
      Phase::Values values{};
      return first_.locate(start, values) && !first_.is_farther(values, at_.length) &&
             dive_first(values, MoveAutomaton::kStart, at_.length);
    }
    return nodes_[0].begin(start) && nodes_[0].distances()[0] <= at_.length &&
           dive_cosets(MoveAutomaton::kStart, at_.length);
  }

  // Whether what begins with these moves was done by an earlier run, or is another thread's; notes what is done.
  bool is_left_out() {
    if (path_.size() != kPrefix) return false;
    const std::size_t prefix = prefixes_++;
    if (prefix < at_.done) return true;
    at_.done = prefix;
    return prefix % search_.places_.size() != number_;
  }

  bool expand() {
    if (part_.left == 0) {
      const auto may_go_on = [&] { return !found_.any.load(std::memory_order_relaxed); };
      const std::size_t branching = std::max(first_.moves().size(), second_.moves().size());
      if (!shared_.refill(part_, branching, path_.size() * branching, Meter::kPollInterval, may_go_on)) return false;
    }
    --part_.left;
    ++expanded_;
    return true;
  }

  bool dive_first(const Phase::Values& values, std::uint16_t row, unsigned left) {
    if (is_left_out()) return false;
    if (left == 0) return follow();
    if (!expand()) return true;
    for (const auto& [number, next] : first_.automaton().steps(row)) {
      ++part_.generated;
      // A move of the second phase at the end would be its first move.
      if (left == 1 && !search_.leads_out_[number]) continue;
      const Phase::Values after = first_.after(values, number);
      if (first_.is_farther(after, left - 1)) continue;
      path_.push_back(first_.moves()[number]);
      if (dive_first(after, next, left - 1)) return true;
      path_.pop_back();
    }
    return false;
  }

  // The same with the distance of each coset.
  bool dive_cosets(std::uint16_t row, unsigned left) {
    if (is_left_out()) return false;
    if (left == 0) return follow();
    if (!expand()) return true;
    CosetNode &node = nodes_[path_.size()], &after = nodes_[path_.size() + 1];
    const auto steps = first_.automaton().steps(row);
    part_.generated += steps.size();
    for (const std::uint8_t child : node.fit(steps, 0, left - 1, below_ - 2 - static_cast<unsigned>(path_.size()))) {
      const auto [number, next] = steps[child];
      if (left == 1 && !search_.leads_out_[number]) continue;
      after.follow(node, number, child);
      path_.push_back(first_.moves()[number]);
      if (dive_cosets(next, left - 1)) return true;
      path_.pop_back();
    }
    return false;
  }

  // The second phase, from the end of the path.
  bool follow() {
    std::size_t same = 0;
    while (same < known_.size() && same < path_.size() && known_[same] == path_[same]) ++same;
    for (std::size_t i = same; i < path_.size(); ++i)
      first_.space().puzzle().apply(states_[i], path_[i], states_[i + 1].data());
    known_ = path_;
    Phase::Values values{};
    if (!second_.locate(states_[path_.size()], values)) return false;
    const auto most = below_ - 1 - static_cast<unsigned>(path_.size());
    give_up_ = expanded_ + search_.patience_;
    for (unsigned left = second_.distance(values); left <= most && expanded_ < give_up_; ++left)
      if (dive_second(values, MoveAutomaton::kStart, left)) return true;
    return false;
  }

  bool dive_second(const Phase::Values& values, std::uint16_t row, unsigned left) {
    if (left == 0) return solved();
    if (expanded_ >= give_up_) return false;
    if (!expand()) return true;
    for (const auto& [number, next] : second_.automaton().steps(row)) {
      ++part_.generated;
      const unsigned cost = second_.cost(number);
      if (cost > left) continue;
      const Phase::Values after = second_.after(values, number);
      if (second_.is_farther(after, left - cost)) continue;
      path_.push_back(second_.moves()[number]);
      if (dive_second(after, next, left - cost)) return true;
      path_.pop_back();
    }
    return false;
  }

  bool solved() {
    const std::lock_guard lock(found_.mutex);
    if (!found_.any.exchange(true)) {
      found_.path = path_;
      found_.variant = at_.variant;
    }
    return true;
  }

  PhaseSearch& search_;
  const Phase& first_ = *search_.phases_.first;
  const Phase& second_ = *search_.phases_.second;
  const CosetHeuristic* const cosets_ = search_.phases_.cosets.get();
  const std::size_t number_;  // of the thread
  const unsigned below_;
  Place& at_;
  SharedMeter& shared_;
  Found& found_;
  SharedMeter::Part part_;
  std::vector<std::uint8_t> path_;
  std::size_t prefixes_ = 0;  // how many of the first two moves were come to
  std::vector<CosetNode> nodes_;  // by moves made
  // The states along a path of the first phase that was followed to its end, and that path.
  std::vector<std::vector<std::uint8_t>> states_;
  std::vector<std::uint8_t> known_;
  std::uint64_t expanded_ = 0, give_up_ = 0;
};

PhaseSearch::PhaseSearch(TwoPhases phases, std::vector<std::vector<std::uint8_t>> starts, std::uint64_t patience,
                         unsigned threads)
    : phases_(std::move(phases)), starts_(std::move(starts)), patience_(patience), places_(threads) {
  if (starts_.empty()) throw std::invalid_argument("no start");
  if (threads == 0 || threads > SearchOptions::kMostThreads) throw std::invalid_argument("threads is not from 1 to 64");
  for (const auto& start : starts_) phases_.first->space().check(start, "start");
  for (const std::uint8_t move : phases_.first->moves())
    leads_out_.push_back(std::ranges::find(phases_.second->moves(), move) == phases_.second->moves().end());
  const CosetHeuristic* const cosets = phases_.cosets.get();
  if (cosets == nullptr) return;
  if (cosets->moves() != phases_.first->moves() || !std::ranges::is_sorted(cosets->lookups()[0].view->moves))
    throw std::invalid_argument("cosets of another first phase");
}

Outcome PhaseSearch::run(unsigned below, const Limits& limits, Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    if (const auto ending = meter.poll()) return meter.finish(*ending);
    SharedMeter shared(meter);
    Found found;
    std::atomic<std::size_t> next{0};
    on_threads(static_cast<unsigned>(places_.size()), [&] {
      for (std::size_t number; (number = next.fetch_add(1)) < places_.size();)
        Dive(*this, number, std::min(below, kMostMoves), shared, found).run();
    });
    if (!found.any) return meter.finish(shared.ending().value_or(Ending{Status::exhausted}));
    variant_ = found.variant;
    Outcome outcome = meter.finish({Status::solved});
    outcome.path = std::move(found.path);
    return outcome;
  });
}

}  // namespace hstar
