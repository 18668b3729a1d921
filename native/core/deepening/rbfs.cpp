#include "deepening/rbfs.hpp"

#include <algorithm>
#include <limits>

#include "search/layer_counts.hpp"
#include "search/meter.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Recursion {
 public:
  Recursion(Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control,
            Clock::time_point begin)
      : puzzle_(heuristic.puzzle()), heuristic_(heuristic), weight_(options.weight), moves_(moves),
        bytes_(puzzle_.state_bytes()), budget_(options.limits.memory_bytes),
        meter_(options.limits, control, begin, budget_), layers_(budget_) {
    const auto* permutation = dynamic_cast<const PermutationPuzzle*>(&puzzle_);
    for (unsigned move = 0; move < puzzle_.move_count(); ++move)
      back_.push_back(permutation != nullptr ? permutation->inverse(move) : move ^ 2u);
  }

  Outcome run(Bytes start) {
    const std::vector<std::uint8_t> state(start.begin(), start.end());
    const double f = evaluate(state.data(), 0);
    meter_.count.f_bound = f == kInfinity ? 0 : f;
    if (const auto ending = meter_.poll()) return meter_.finish(*ending);
    const double left = search(state.data(), f, f, kInfinity, PermutationPuzzle::kNone, true);
    Ending ending = ending_.value_or(Ending{Status::exhausted});
    if (found_) {
      ending = {Status::solved};
      meter_.count.f_bound = std::max(meter_.count.f_bound, solution_);
    } else if (!ending_ && left < kInfinity) {
      ending = kOutOfMemory;
    }
    Outcome outcome = meter_.finish(ending);
    outcome.layers = layers_.all(outcome.expanded);
    if (found_) outcome.path = path_;
    return outcome;
  }

 private:
  static constexpr std::size_t kDeepest = 10'000;

  struct Child {
    double f, best;  // its own f, and the least f of what is below it, as far as it is known
    std::uint8_t move;
  };

  // Searches below a node until nothing has an f of at most `most`; the least f that is left.
  double search(const std::uint8_t* state, double f, double best, double most, unsigned arrival, bool root) {
    const std::size_t g = path_.size();
    if (std::equal(state, state + bytes_, puzzle_.goal().begin())) {
      found_ = true;
      solution_ = f;
      return f;
    }
    if ((ending_ = meter_.stop())) return best;
    std::vector<Child> children;
    std::vector<std::uint8_t> next(bytes_);
    const std::size_t taken = moves_.size() * sizeof(Child) + bytes_ + sizeof children;
    if (g >= kDeepest || !budget_.charge(taken) || !layers_.enter(best, meter_.count.expanded)) {
      ending_ = kOutOfMemory;
      return best;
    }
    children.reserve(moves_.size());
    ++meter_.count.expanded;
    for (const std::uint8_t move : moves_) {
      if (arrival != PermutationPuzzle::kNone && move == back_[arrival]) continue;
      if (!puzzle_.apply({state, bytes_}, move, next.data())) continue;
      ++meter_.count.generated;
      const double own = evaluate(next.data(), g + 1);
      children.push_back({own, f < best ? std::max(best, own) : own, move});
    }
    double left = kInfinity;
    meter_.count.max_open = meter_.count.stored = std::max<std::uint64_t>(meter_.count.stored, g + 1);
    for (;;) {
      if (children.empty()) break;
      // The first of the least, and the least of the others.
      std::size_t first = 0;
      double second = kInfinity;
      for (std::size_t i = 1; i < children.size(); ++i) {
        if (children[i].best < children[first].best) {
          second = std::min(second, children[first].best);
          first = i;
        } else {
          second = std::min(second, children[i].best);
        }
      }
      Child& child = children[first];
      left = child.best;
      if (left > most || left == kInfinity) break;
      if (root) meter_.count.f_bound = std::max(meter_.count.f_bound, left);
      puzzle_.apply({state, bytes_}, child.move, next.data());
      path_.push_back(child.move);
      child.best = search(next.data(), child.f, child.best, std::min(most, second), child.move, false);
      if (found_ || ending_) break;
      path_.pop_back();
    }
    budget_.refund(taken);
    return left;
  }

  double evaluate(const std::uint8_t* state, std::size_t g) {
    ++meter_.count.evaluated;
    return static_cast<double>(g) + weight_ * heuristic_.value(heuristic_.raw({state, bytes_}), {state, bytes_});
  }

  const Puzzle& puzzle_;
  const Heuristic& heuristic_;
  const double weight_;
  const Bytes moves_;
  const std::size_t bytes_;
  Budget budget_;
  Meter meter_;
  LayerCounts layers_;  // by `best`, under which a node is expanded
  std::vector<unsigned> back_;  // the move that undoes each
  std::vector<std::uint8_t> path_;
  std::optional<Ending> ending_;
  bool found_ = false;
  double solution_ = 0;
};

}  // namespace

Outcome rbfs(Bytes start, Bytes moves, const Heuristic& heuristic, const SearchOptions& options, Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    check_request(heuristic.puzzle(), start, moves, options);
    return Recursion(moves, heuristic, options, control, begin).run(start);
  });
}

}  // namespace hstar
