#include "deepening/two_phases.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "search/request.hpp"

namespace hstar {

// One run: depth first in the first phase, and below each of its ends in the second.
struct PhaseSearch::Dive {
  PhaseSearch& search;
  Meter& meter;
  unsigned below;
  const Phase& first = *search.phases_.first;
  const Phase& second = *search.phases_.second;
  std::vector<std::uint8_t> path{};
  // The states along a path of the first phase that was followed to its end, and that path.
  std::vector<std::vector<std::uint8_t>> states{kMostMoves + 1, std::vector<std::uint8_t>(search.starts_[0].size())};
  std::vector<std::uint8_t> known{};
  std::optional<Ending> ending{};
  bool solved = false;
  std::uint64_t give_up = 0;  // expansions

  // All of these return whether to end: solved, or `ending`.

  // First phases of exactly `search.length_` moves.
  bool run() {
    states[0] = search.starts_[search.variant_];
    known.clear();
    path.clear();
    Phase::Values values{};
    if (!first.locate(states[0], values) || first.is_farther(values, search.length_)) return false;
    return dive_first(values, MoveAutomaton::kStart, search.length_);
  }

  bool expand() {
    ending = meter.stop();
    ++meter.count.expanded;
    if (ending) --meter.count.expanded;
    return !ending;
  }

  bool dive_first(const Phase::Values& values, std::uint16_t row, unsigned left) {
    if (left == 0) return follow();
    if (!expand()) return true;
    for (const auto& [number, next] : first.automaton().steps(row)) {
      ++meter.count.generated;
      // A move of the second phase at the end would be its first move.
      if (left == 1 && !search.leads_out_[number]) continue;
      const Phase::Values after = first.after(values, number);
      if (first.is_farther(after, left - 1)) continue;
      path.push_back(first.moves()[number]);
      if (dive_first(after, next, left - 1)) return true;
      path.pop_back();
    }
    return false;
  }

  // The second phase, from the end of the path.
  bool follow() {
    std::size_t same = 0;
    while (same < known.size() && same < path.size() && known[same] == path[same]) ++same;
    for (std::size_t i = same; i < path.size(); ++i) first.space().puzzle().apply(states[i], path[i], states[i + 1].data());
    known = path;
    Phase::Values values{};
    if (!second.locate(states[path.size()], values)) return false;
    const auto most = below - 1 - static_cast<unsigned>(path.size());
    give_up = meter.count.expanded + search.patience_;
    for (unsigned left = second.distance(values); left <= most && meter.count.expanded < give_up; ++left)
      if (dive_second(values, MoveAutomaton::kStart, left)) return true;
    return false;
  }

  bool dive_second(const Phase::Values& values, std::uint16_t row, unsigned left) {
    if (left == 0) return solved = true;
    if (meter.count.expanded >= give_up) return false;
    if (!expand()) return true;
    for (const auto& [number, next] : second.automaton().steps(row)) {
      ++meter.count.generated;
      const unsigned cost = second.cost(number);
      if (cost > left) continue;
      const Phase::Values after = second.after(values, number);
      if (second.is_farther(after, left - cost)) continue;
      path.push_back(second.moves()[number]);
      if (dive_second(after, next, left - cost)) return true;
      path.pop_back();
    }
    return false;
  }
};

PhaseSearch::PhaseSearch(TwoPhases phases, std::vector<std::vector<std::uint8_t>> starts, std::uint64_t patience)
    : phases_(std::move(phases)), starts_(std::move(starts)), patience_(patience) {
  if (starts_.empty()) throw std::invalid_argument("no start");
  for (const auto& start : starts_) phases_.first->space().check(start, "start");
  for (const std::uint8_t move : phases_.first->moves())
    leads_out_.push_back(std::ranges::find(phases_.second->moves(), move) == phases_.second->moves().end());
}

Outcome PhaseSearch::run(unsigned below, const Limits& limits, Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    const Budget none(0);
    Meter meter(limits, control, begin, none);
    if (const auto ending = meter.poll()) return meter.finish(*ending);
    below = std::min(below, kMostMoves);
    Dive dive{*this, meter, below};
    for (; length_ < below; ++length_, variant_ = 0)
      for (; variant_ < starts_.size(); ++variant_) {
        if (!dive.run()) continue;
        meter.count.evaluated = meter.count.generated;
        Outcome outcome = meter.finish(dive.ending.value_or(Ending{Status::solved}));
        if (dive.solved) outcome.path = dive.path;
        return outcome;
      }
    meter.count.evaluated = meter.count.generated;
    return meter.finish({Status::exhausted});
  });
}

}  // namespace hstar
