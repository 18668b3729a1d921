#include "audit/audit.hpp"

#include <algorithm>
#include <memory>

#include "domains/byte_permutation.hpp"
#include "domains/wide_permutation.hpp"
#include "search/ball.hpp"
#include "search/request.hpp"
#include "domains/byte_tiles.hpp"
#include "domains/packed_tiles.hpp"

namespace hstar {

namespace {

template <Domain D>
class Auditor {
 public:
  template <class P>
  Auditor(const P& puzzle, const Task& task, const Heuristic* other, Bytes inverses)
      : task_(task),
        other_(other),
        budget_(task.options.limits.memory_bytes),
        meter_(task.options.limits, task.control, task.begin, budget_),
        back_(puzzle, task.heuristic, inverses),
        forth_(puzzle, task.heuristic, task.moves),
        ball_(back_, task.arena.nodes, task.arena.table, budget_, meter_),
        children_(std::make_unique<typename D::Children>()),
        bytes_(puzzle.state_bytes()),
        child_(puzzle.state_bytes()) {}

  Audit run(unsigned radius) {
    audit_.early = layers(radius);
    audit_.looked_at = meter_.count.expanded;
    audit_.peak_bytes = meter_.finish({Status::exhausted}).peak_bytes;
    return std::move(audit_);
  }

 private:
  std::optional<Ending> layers(unsigned radius) {
    if (!ball_.begin(task_.start)) return meter_.lacking();
    for (;;) {
      const bool last = ball_.depth() == radius;
      row_ = {};
      const std::uint32_t end = ball_.next() + ball_.layer();
      for (std::uint32_t node = ball_.next(); node < end; ++node) {
        if (const auto ending = meter_.stop()) return ending;
        look_at(node);
        if (last)
          ++meter_.count.expanded;
        else if (!ball_.expand(IgnoreHash{}, [](std::uint32_t, std::uint64_t) { return true; }))
          return meter_.lacking();
        meter_.count.stored = ball_.size();
      }
      audit_.rows.push_back(row_);
      meter_.count.f_bound = ball_.depth();
      if (last) return std::nullopt;
      ball_.begin_layer();
      if (ball_.layer() == 0) {
        audit_.whole = true;
        return std::nullopt;
      }
    }
  }

  void look_at(std::uint32_t node) {
    const typename D::State& state = ball_.state(node);
    const double distance = ball_.depth();
    back_.unpack(state, bytes_.data());
    const std::uint32_t raw = back_.raw(state);
    const double h = task_.heuristic.value(raw, bytes_);
    ++row_.states;
    if (distance > 0) row_.ratio_sum += h / distance;
    if (h > distance + kTolerance) {
      ++row_.inadmissible;
      row_.largest_excess = std::max(row_.largest_excess, h - distance);
      if (!audit_.overestimate) audit_.overestimate = {path_to(node), h, ball_.depth()};
    }
    if (other_ != nullptr) {
      const double theirs = other_->value(other_->raw(bytes_), bytes_);
      row_.above_other += h > theirs + kTolerance;
      row_.below_other += h < theirs - kTolerance;
    }
    // No value is below 0, so a value of 1 or less cannot fall by more than 1.
    if (h > 1 + kTolerance) look_at_moves(node, state, raw, h);
  }

  void look_at_moves(std::uint32_t node, const typename D::State& state, std::uint32_t raw, double h) {
    forth_.expand(state, forth_.hash(state), raw, kNoArrival, *children_, IgnoreHash{});
    for (unsigned i = 0; i < children_->size; ++i) {
      const double after = value_of_child(i);
      if (h <= 1 + after + kTolerance) continue;
      ++row_.inconsistent;
      if (!audit_.drop) audit_.drop = {path_to(node), children_->move[i], h, after};
      return;
    }
  }

  double value_of_child(unsigned i) {
    const HeuristicTable& lookup = task_.heuristic.lookup();
    if (!lookup.empty()) return lookup[children_->raw[i]];
    forth_.unpack(children_->state[i], child_.data());
    return task_.heuristic.value(children_->raw[i], child_);
  }

  std::vector<std::uint8_t> path_to(std::uint32_t node) const {
    std::vector<std::uint8_t> path = ball_.moves_back(node);
    std::ranges::reverse(path);
    return path;
  }

  const Task& task_;
  const Heuristic* other_;
  Budget budget_;
  Meter meter_;
  D back_, forth_;  // against the moves, and with them
  Ball<D> ball_;
  std::unique_ptr<typename D::Children> children_;
  std::vector<std::uint8_t> bytes_, child_;
  AuditRow row_;
  Audit audit_;
};

template <Domain D, class P>
Audit run(const P& puzzle, const Task& task, const Heuristic* other, Bytes inverses, unsigned radius) {
  return Auditor<D>(puzzle, task, other, inverses).run(radius);
}

Audit of_tiles(const SlidingTiles& puzzle, const Task& task, const Heuristic* other, Bytes inverses, unsigned radius) {
  const std::size_t cells = puzzle.slots();
  if (cells <= PackedTiles::kMaxCells) return run<PackedTiles>(puzzle, task, other, inverses, radius);
  if (cells <= 83) return run<ByteTiles<83>>(puzzle, task, other, inverses, radius);
  return run<ByteTiles<259>>(puzzle, task, other, inverses, radius);
}

Audit of_permutation(const PermutationPuzzle& puzzle, const Task& task, const Heuristic* other, Bytes inverses,
                     unsigned radius) {
  if (is_wide(puzzle)) return run<WidePermutation>(puzzle, task, other, inverses, radius);
  if (puzzle.slots() <= 51) return run<BytePermutation<51>>(puzzle, task, other, inverses, radius);
  return run<BytePermutation<131>>(puzzle, task, other, inverses, radius);
}

}  // namespace

Audit audit_in(Arena& arena, const Heuristic& heuristic, const Heuristic* other, Bytes moves, Bytes inverses,
               unsigned radius, const Limits& limits, Control& control) {
  const Clock::time_point begin = control.now();
  const Puzzle& puzzle = heuristic.puzzle();
  SearchOptions options;
  options.limits = limits;
  check_request(puzzle, puzzle.goal(), moves, options);
  check_request(puzzle, puzzle.goal(), inverses, options);
  if (other != nullptr && &other->puzzle() != &puzzle)
    throw std::invalid_argument("the other heuristic is of another puzzle");
  Audit none;
  none.early = kOutOfMemory;
  try {
    const Interruption interruption(limits, control, begin);
    if (!arena.open(limits.memory_bytes, &interruption)) {
      none.early = interruption.ending().value_or(kOutOfMemory);
      return none;
    }
    const Task task{arena, puzzle.goal(), moves, heuristic, options, control, begin};
    if (const auto* tiles = dynamic_cast<const SlidingTiles*>(&puzzle))
      return of_tiles(*tiles, task, other, inverses, radius);
    return of_permutation(dynamic_cast<const PermutationPuzzle&>(puzzle), task, other, inverses, radius);
  } catch (const std::bad_alloc&) {
    return none;
  }
}

Audit audit(const Heuristic& heuristic, const Heuristic* other, Bytes moves, Bytes inverses, unsigned radius,
            const Limits& limits, Control& control) {
  ArenaLease lease;
  return audit_in(lease.arena(), heuristic, other, moves, inverses, radius, limits, control);
}

}  // namespace hstar
