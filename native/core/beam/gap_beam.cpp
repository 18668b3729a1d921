#include "beam/gap_beam.hpp"

#include <algorithm>
#include <compare>
#include <stdexcept>

#include "base/parallel.hpp"
#include "base/splitmix.hpp"
#include "deepening/gaps_walk.hpp"
#include "deepening/permutation_walk.hpp"
#include "deepening/wide_walk.hpp"
#include "search/request.hpp"

namespace hstar {

namespace {

constexpr std::size_t kPolled = 256;        // parents from one look whether to stop to the next
constexpr std::size_t kWorthThreads = 200;  // parents

// A state of a layer; its bytes are elsewhere.
struct Kept {
  std::uint64_t hash;
  std::uint32_t row, gaps;
};

// A child of a state, not made yet. The better one is less.
struct Candidate {
  std::uint32_t gaps;
  std::uint64_t hash;
  std::uint32_t parent, step;

  auto operator<=>(const Candidate&) const = default;
};

// The best candidates that a thread has made, each state once.
class Best {
 public:
  static constexpr std::size_t kSlack = 1'024;

  explicit Best(std::size_t width) : width_(width) {}
  static std::size_t bytes(std::size_t width) noexcept { return (2 * width + kSlack) * sizeof(Candidate); }
  void clear() noexcept {
    all_.clear();
    full_ = false;
    generated = 0;
  }
  void add(const Candidate& one) {
    if (full_ && !(one < worst_)) return;
    if (all_.size() == 2 * width_ + kSlack) trim();
    all_.push_back(one);
  }
  void trim() {
    std::ranges::sort(all_);
    const auto same = [](const Candidate& one, const Candidate& other) { return one.hash == other.hash; };
    all_.erase(std::unique(all_.begin(), all_.end(), same), all_.end());
    full_ = all_.size() >= width_;
    if (!full_) return;
    all_.resize(width_);
    worst_ = all_.back();
  }
  const std::vector<Candidate>& all() const noexcept { return all_; }

  std::uint64_t generated = 0;

 private:
  std::size_t width_;
  std::vector<Candidate> all_;
  Candidate worst_{};
  bool full_ = false;
};

template <TreeWalk Inner>
class Beam {
  using Walk = GapsWalk<Inner>;
  using State = typename Walk::State;

 public:
  Beam(const PermutationPuzzle& puzzle, Bytes start, Bytes moves, const Heuristic& heuristic,
       const GapBeamOptions& options, Control& control, Clock::time_point begin)
      : walk_(puzzle, heuristic, moves, *MoveAutomaton::of(puzzle, moves, Pruning::canonical), {}),
        options_(options),
        size_(start.size()),
        pieces_(puzzle.slots() + 1),
        budget_(options.limits.memory_bytes),
        meter_(options.limits, control, begin, budget_),
        interruption_(options.limits, control, begin),
        best_(options.threads, Best(options.width)) {
    SplitMix random(kSeed);
    keys_.resize(pieces_ * pieces_);
    for (std::size_t one = 0; one < pieces_; ++one)
      for (std::size_t two = 0; two <= one; ++two) keys_[one * pieces_ + two] = keys_[two * pieces_ + one] = random();
    std::uint64_t hash = 0;
    for (std::size_t slot = 0; slot + 1 < pieces_; ++slot) {
      const std::size_t next = slot + 2 < pieces_ ? value_at(start.data(), slot + 1, puzzle.width()) : slot + 1;
      hash ^= keys_[value_at(start.data(), slot, puzzle.width()) * pieces_ + next];
    }
    now_.push_back({hash, walk_.first_row(start), walk_.raw(start)});
    states_.assign(start.begin(), start.end());
    meter_.count.f_bound = now_[0].gaps;
    meter_.count.stored = 1;
  }

  Outcome run() {
    const std::size_t of_one = 2 * (size_ + sizeof(Kept));
    if (!budget_.charge(options_.width * of_one + best_.size() * Best::bytes(options_.width)))
      return meter_.finish(kOutOfMemory);
    while (now_[0].gaps != 0) {  // the states are in the order of their gaps
      if (const auto ending = expand()) return meter_.finish(*ending);
      if (best_[0].all().empty()) return meter_.finish({Status::exhausted});
      if (!budget_.charge(best_[0].all().size() * sizeof(Origin))) return meter_.finish(kOutOfMemory);
      if (!make()) return meter_.finish(*interruption_.ending());
    }
    Outcome outcome = meter_.finish({Status::solved});
    std::uint32_t state = 0;
    for (std::size_t depth = origins_.size(); depth-- > 0; state = origins_[depth][state].parent)
      outcome.path.push_back(origins_[depth][state].move);
    std::ranges::reverse(outcome.path);
    return outcome;
  }

 private:
  static constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;

  struct Origin {
    std::uint32_t parent;
    std::uint8_t move;
  };

  State state(std::size_t i) const noexcept { return walk_.pack({states_.data() + i * size_, size_}); }

  // The best children of the layer, in the first thread's; none: there are no others.
  std::optional<Ending> expand() {
    Outcome& count = meter_.count;
    const Limits& limits = options_.limits;
    std::size_t most = 1;
    for (const Kept& one : now_) most = std::max(most, walk_.steps(one.row).size());
    if (count.expanded >= limits.expanded) return Ending{Status::limit_reached, Limit::expanded};
    if (limits.generated - count.generated < most) return Ending{Status::limit_reached, Limit::generated};
    const std::uint64_t parents = std::min(
        {std::uint64_t{now_.size()}, limits.expanded - count.expanded, (limits.generated - count.generated) / most});
    for (Best& best : best_) best.clear();
    std::atomic<unsigned> next{0};
    std::atomic<std::uint64_t> begin{0};
    on_threads(parents < kWorthThreads ? 1 : options_.threads, [&] {
      Best& best = best_[next.fetch_add(1)];
      for (std::uint64_t first; (first = begin.fetch_add(kPolled)) < parents && !interruption_.requested();)
        for (std::uint64_t i = first; i < std::min(first + kPolled, parents); ++i)
          look(static_cast<std::uint32_t>(i), best);
    });
    if (const auto ending = meter_.poll()) return ending;
    count.expanded += parents;
    for (Best& best : best_) {
      count.generated += best.generated;
      if (&best != &best_[0])
        for (const Candidate& one : best.all()) best_[0].add(one);
    }
    count.evaluated = count.generated;
    best_[0].trim();
    return std::nullopt;
  }

  void look(std::uint32_t parent, Best& best) const {
    const Kept& from = now_[parent];
    const State before = state(parent);
    std::uint32_t number = 0;
    for (const auto& step : walk_.steps(from.row)) {
      std::int32_t change = 0;
      std::uint64_t hash = from.hash;
      walk_.each_pair(before, step, [&](std::int32_t one, std::int32_t two, std::int32_t sign) {
        if (std::abs(one - two) != 1) change += sign;
        hash ^= keys_[static_cast<std::size_t>(one) * pieces_ + static_cast<std::size_t>(two)];
      });
      const auto gaps = static_cast<std::uint32_t>(static_cast<std::int32_t>(from.gaps) + change);
      if (origins_.size() + 1 + gaps <= options_.longest) best.add({gaps, hash, parent, number});
      ++number;
    }
    best.generated += number;
  }

  // The next layer. False: interrupted.
  bool make() {
    const std::vector<Candidate>& chosen = best_[0].all();
    std::vector<std::uint8_t> states(chosen.size() * size_);
    std::vector<Kept> kept(chosen.size());
    origins_.emplace_back(chosen.size());
    in_blocks(chosen.size(), kPolled, chosen.size() < kWorthThreads ? 1 : options_.threads,
              [&](std::uint64_t begin, std::uint64_t end) {
                if (interruption_.requested()) return;
                for (std::uint64_t i = begin; i < end; ++i) {
                  const Candidate& one = chosen[i];
                  const auto& step = walk_.steps(now_[one.parent].row)[one.step];
                  const State before = state(one.parent);
                  State after = before;
                  walk_.apply(before, step, after);
                  std::uint8_t buffer[kMostStateBytes];
                  std::ranges::copy(walk_.bytes(after, buffer),
                                    states.begin() + static_cast<std::ptrdiff_t>(i * size_));
                  kept[i] = {one.hash, step.row, one.gaps};
                  origins_.back()[i] = {one.parent, step.move};
                }
              });
    if (interruption_.requested()) return false;
    std::swap(states, states_);
    std::swap(kept, now_);
    meter_.count.stored = meter_.count.max_open = std::max<std::uint64_t>(meter_.count.stored, now_.size());
    return true;
  }

  const Walk walk_;
  const GapBeamOptions& options_;
  const std::size_t size_;    // bytes of a state
  const std::size_t pieces_;  // and the neighbour of the last one
  Budget budget_;
  Meter meter_;
  const Interruption interruption_;
  std::vector<Best> best_;  // of each thread
  std::vector<std::uint64_t> keys_;  // of two neighbours; those of a state tell it from all others
  std::vector<Kept> now_;
  std::vector<std::uint8_t> states_;  // of `now_`
  std::vector<std::vector<Origin>> origins_;  // of the states of each layer but the first
};

template <TreeWalk Inner>
Outcome run(const PermutationPuzzle& puzzle, Bytes start, Bytes moves, const Heuristic& heuristic,
            const GapBeamOptions& options, Control& control, Clock::time_point begin) {
  if (puzzle.forbids() || !GapsWalk<Inner>::fits(puzzle, moves))
    throw std::invalid_argument("moves may be forbidden, or turn pieces");
  return Beam<Inner>(puzzle, start, moves, heuristic, options, control, begin).run();
}

}  // namespace

Outcome gap_beam(Bytes start, Bytes moves, const Heuristic& heuristic, const GapBeamOptions& options,
                 Control& control) {
  return within_memory(control, [&](Clock::time_point begin) {
    SearchOptions common;
    common.limits = options.limits;
    common.threads = options.threads;
    check_request(heuristic.puzzle(), start, moves, common);
    const auto* const puzzle = dynamic_cast<const PermutationPuzzle*>(&heuristic.puzzle());
    if (puzzle == nullptr) throw std::invalid_argument("a board has no gaps");
    if (options.width == 0 || options.width > kMostGapWidth) throw std::invalid_argument("width is not from 1 to 2^28");
    const auto run_with = is_wide(*puzzle) ? run<WideWalk> : run<PermutationWalk<128>>;
    return run_with(*puzzle, start, moves, heuristic, options, control, begin);
  });
}

}  // namespace hstar
