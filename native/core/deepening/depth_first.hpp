// Depth-first search below a bound, written as a recursion: what the walkers of IDA* over databases have in common.
// (IDA* over a TreeWalk has a loop of its own: there a step costs less than a call.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "deepening/deepening.hpp"

namespace hstar {

// A Walker for Deepening. `Self` derives from it, and has
//   static constexpr unsigned kMaxDepth;   // moves of the longest path
//   void enter();                          // makes the state at the end of path() from the start
//   bool is_goal() const;                  // of the state at the end of path()
//   bool each_successor(std::uint32_t row, unsigned depth, Visit visit);   // of that state, after `depth` moves
// The last calls visit(move, row after it) for each successor that may be within bound(), made the state at hand, until
// visit returns true or stopping() does; true in the first case. Of the others it calls prune(f). It counts what it
// produces.
template <class Self>
class DepthFirst {
 public:
  using Bound = unsigned;
  static constexpr unsigned kNoBound = std::numeric_limits<unsigned>::max();

  bool search(const Subtree& task, unsigned bound, const Order& order) {
    const SharedMeter::Settled settled{shared_, part_};
    return begin(task, bound, &order) && self().dive(task.row, depth_of(task));
  }
  bool split(const Subtree& task, unsigned bound, std::vector<Subtree>& next) {
    const SharedMeter::Settled settled{shared_, part_};
    if (task.moves.size() + 1 >= bound || !begin(task, bound, nullptr) || !may_expand()) return false;
    self().each_successor(task.row, depth_of(task), [&](std::uint8_t move, std::uint32_t row) {
      next.push_back({task.moves, row});
      next.back().moves.push_back(move);
      return false;
    });
    return true;
  }
  unsigned take_next() noexcept { return std::exchange(next_bound_, kNoBound); }
  const std::vector<std::uint8_t>& path() const noexcept { return path_; }

 protected:
  // `branching`: the most successors of a state.
  DepthFirst(SharedMeter& shared, std::size_t branching) noexcept : shared_(shared), branching_(branching) {}

  unsigned bound() const noexcept { return bound_; }
  bool stopping() const noexcept { return stopping_; }
  // A state was left out, because a solution through it has at least so many moves.
  void prune(unsigned f) noexcept { next_bound_ = std::min(next_bound_, f); }
  void count_generated(std::uint64_t successors) noexcept { part_.generated += successors; }

  // All that is below the state at the end of path(); true if the goal was found, at the end of path(). A walker may
  // have another.
  bool dive(std::uint32_t row, unsigned depth) {
    if (depth == bound_) {
      const bool goal = self().is_goal();
      if (!goal) prune(bound_ + 1);  // its successors are farther, though the databases say that it is the goal
      return goal;
    }
    if (!may_expand()) return false;
    return self().each_successor(row, depth, [&](std::uint8_t move, std::uint32_t after) {
      path_.push_back(move);
      if (dive(after, depth + 1)) return true;
      path_.pop_back();
      return false;
    });
  }

  // Counts one expansion, unless the search ends, or another thread has found a better solution.
  bool may_expand() {
    if (part_.left == 0) {
      const auto may_go_on = [&] { return order_ == nullptr || order_->may_go_on(); };
      // All that the path has produced may still be counted.
      stopping_ = !may_go_on() ||
                  !shared_.refill(part_, branching_, path_.size() * branching_, Meter::kPollInterval, may_go_on);
      if (stopping_) return false;
    }
    --part_.left;
    return true;
  }

  std::vector<std::uint8_t> path_;

 private:
  static unsigned depth_of(const Subtree& task) noexcept { return static_cast<unsigned>(task.moves.size()); }
  Self& self() noexcept { return static_cast<Self&>(*this); }

  // Goes to the root of a task; false if paths of that length have no room.
  bool begin(const Subtree& task, unsigned bound, const Order* order) {
    order_ = order;
    bound_ = bound;
    stopping_ = false;
    path_ = task.moves;
    if (bound > Self::kMaxDepth) {
      shared_.end(kOutOfMemory);
      return false;
    }
    self().enter();
    return true;
  }

  SharedMeter& shared_;
  const std::size_t branching_;
  SharedMeter::Part part_;
  const Order* order_ = nullptr;  // of the task at hand; nullptr if it is only split
  unsigned bound_ = 0, next_bound_ = kNoBound;
  bool stopping_ = false;
};

// All iterations, or a part of one, with a walker for each thread, from bound_of(walker) on. make(shared) returns a new
// walker; `row`: of the start.
template <class Make, class BoundOf>
Outcome deepen(Meter& meter, unsigned threads, std::uint32_t row, const std::optional<Part>& part, Make make,
               BoundOf bound_of) {
  SharedMeter shared(meter);
  using Walker = typename decltype(make(shared))::element_type;
  std::vector<std::unique_ptr<Walker>> walkers;
  for (unsigned i = 0; i < threads; ++i) walkers.push_back(make(shared));
  if (const auto ending = meter.poll()) return meter.finish(*ending);
  const unsigned bound = bound_of(*walkers.front());
  Deepening<Walker> deepening(shared, std::move(walkers), {{}, row});
  return part ? deepening.run(*part, bound) : deepening.run(bound);
}

}  // namespace hstar
