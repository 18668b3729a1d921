// Depth-first search below cost partitions (heuristic/cost_partition.hpp): h is the greatest of nineteen, rounded up.
// The first ones have equal shares within an orbit; the others are learned from states that the search will meet, so
// that what the first ones let through is cut off by one of them. Every h is admissible, whatever was learned.
//
// The sums of the first three are packed into one number, and most successors are cut off by them. Only for the others
// are the remaining sixteen looked up. Where the search is large, one more partition follows with sums over pairs of
// pieces (heuristic/piece_pairs.hpp), looked up for what all of them let through. A state's pairs are those of the
// state before, with exchanges for the pieces that the move carried, so they depend on the path; any pairs are
// admissible.
//
// The search of Seipp, Pommerening and Helmert (2015) for potential heuristics that complement each other, done anew
// for each start and bound: the states are drawn by random descents below the bound, each with the number of states
// that it stands for (Knuth 1975), from one fixed seed. So the counts depend on the request alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "heuristic/cost_partition.hpp"
#include "heuristic/piece_pairs.hpp"
#include "puzzle/relabel.hpp"
#include "base/splitmix.hpp"
#include "deepening/tree_walk.hpp"

namespace hstar {

template <std::size_t N>
class PartitionWalk {
  struct Touch {
    const std::uint64_t* change;  // of the packed sums, by the value that comes from src
    const Value* map;
    std::uint32_t dst, src;  // rows of costs
    std::uint8_t to, from;   // slots
  };

 public:
  static constexpr unsigned kMostSteps = PermutationPuzzle::kMaxMoves;
  static constexpr unsigned kPacked = 3, kMore = 16, kPartitions = kPacked + kMore;
  using State = std::array<std::uint8_t, N>;  // bytes past the puzzle's slots stay 0
  using Step = MoveRows::Step;
  // Sums of costs. One of `more` above 65,535 loses its high bits, which makes it smaller, so that h stays admissible.
  // Of `packed`, each has kBits, the highest of which stays 0, because costs are at most kMostPacked divided by the
  // slots.
  struct alignas(2 * kMore) More {
    std::array<std::uint16_t, kMore> of;
    bool operator==(const More&) const = default;
  };
  using Matching = PiecePairs::Matching<N>;
  struct Sums {
    More more;
    std::uint64_t packed;
    Matching matching;  // once there are pairs
  };

  PartitionWalk(const PermutationPuzzle& puzzle, Bytes moves, const MoveAutomaton& automaton,
                Instructions instructions = best_instructions())
      : puzzle_(puzzle),
        moves_(moves.begin(), moves.end()),
        instructions_(instructions),
        add_more_(instructions == Instructions::portable ? &add_more : &add_more_avx2),
        slots_(puzzle.slots()),
        partitions_(puzzle, moves),
        row_(partitions_.row()),
        packed_(slots_ * row_),
        more_(slots_ * row_) {
    for (std::size_t slot = 0; slot < slots_; ++slot) values_.push_back(puzzle.values(slot));
    std::vector<std::uint32_t> first{0};
    for (const std::uint8_t move : moves) {
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move))
        touches_.push_back({nullptr, puzzle.maps() + touch.map, static_cast<std::uint32_t>(touch.dst * row_),
                            static_cast<std::uint32_t>(touch.src * row_), static_cast<std::uint8_t>(touch.dst),
                            static_cast<std::uint8_t>(touch.src)});
      first.push_back(static_cast<std::uint32_t>(touches_.size()));
    }
    rows_ = MoveRows(automaton, moves, first);
    changes_.resize(touches_.size() * row_);
    for (std::size_t i = 0; i < touches_.size(); ++i) touches_[i].change = changes_.data() + i * row_;
    for (unsigned orbit = 0; orbit < partitions_.orbits() && orbit < kMostOrbits; ++orbit)
      set(orbit, partitions_.even(orbit));
    pack_changes();
  }
  PartitionWalk(const PartitionWalk&) = delete;
  PartitionWalk& operator=(const PartitionWalk&) = delete;

  const HeuristicTable& lookup() const noexcept { return none_; }
  std::size_t table_bytes() const noexcept {
    return packed_.size() * (sizeof(std::uint64_t) + sizeof(More)) + changes_.size() * sizeof(std::uint64_t) +
           touches_.size() * sizeof(Touch) + rows_.bytes();
  }
  State pack(Bytes bytes) const noexcept {
    State state{};
    std::ranges::copy(bytes, state.begin());
    return state;
  }
  std::uint32_t first_row(Bytes) const noexcept { return MoveAutomaton::kStart; }
  std::span<const Step> steps(std::uint32_t row) const noexcept { return rows_[row]; }
  Sums raw(Bytes bytes) const noexcept {
    Sums sums{};
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      const std::size_t cost = slot * row_ + bytes[slot];
      sums.packed += packed_[cost];
      for (unsigned k = 0; k < kMore; ++k)
        sums.more.of[k] = static_cast<std::uint16_t>(sums.more.of[k] + more_[cost].of[k]);
    }
    if (paired_) pairs_->begin(bytes, sums.matching);
    return sums;
  }
  Sums raw(const State& state, const Sums& before, const Step& step) const noexcept {
    Sums sums;
    sums.packed = packed(state, before, step);
    follow(state, before, step, sums);
    if (paired_) match(state, before, step, kNoLimit, sums);
    return sums;
  }
  std::int32_t h(const Sums& sums) const noexcept {
    const std::int32_t h = std::max(rounded_up(most_packed(sums.packed)), rounded_up(most_of(sums.more)));
    return paired_ ? std::max(h, rounded_up(PiecePairs::cost(sums.matching))) : h;
  }
  // h of a successor, and its sums, if that is at most `most`; else a smaller value above `most`, or, if `exact`, a
  // smaller `most` if h of a successor is at most that, and then its sums; else more, and with `exact` as much as the
  // packed sums say if they cut it off.
  std::int32_t advance(const State& state, const Sums& before, const Step& step, std::int32_t most, bool exact,
                       Sums& after) const noexcept {
    after.packed = packed(state, before, step);
    if (most < 0 || !fits(after.packed, most)) return exact ? rounded_up(most_packed(after.packed)) : most + 1;
    if (!learned_) return most;
    const std::uint32_t limit = static_cast<std::uint32_t>(most) * CostPartitions::kScale;
    if (follow(state, before, step, after) > limit) return most + 1;
    return !paired_ || match(state, before, step, limit, after) ? most : most + 1;
  }
  void apply(const State& state, const Step& step, State& after) const noexcept {
    after = state;
    for (std::uint32_t i = step.first; i < step.last; ++i)
      after[touches_[i].to] = static_cast<std::uint8_t>(touches_[i].map[state[touches_[i].from]]);
  }
  Bytes bytes(const State& state, std::uint8_t*) const noexcept { return {state.data(), slots_}; }

  // Learns partitions for states that a search of `start` with this bound would meet, if it met only the equal shares.
  // Ends early, with fewer, when `stop` says so. No search may be under way.
  void learn(Bytes start, std::int32_t bound, const CostPartitions::Stop& stop) {
    std::ranges::fill(more_, More{});
    const std::uint8_t* const itself[] = {start.data()};
    set(kPacked - 1, partitions_.improve(itself, kSteps, stop));
    pack_changes();
    learned_ = true;
    SplitMix random{1};
    unsigned used = kPacked;
    for (const unsigned until : {kPacked + kMore / 3, kPacked + 2 * kMore / 3, kPartitions}) {
      std::vector<Sample> samples = draw(start, bound, random, stop);
      while (used < until && !samples.empty() && !stop()) {
        std::vector<const std::uint8_t*> together;
        for (const Sample& sample : samples)
          if (together.size() < kTogether) together.push_back(sample.state.data());
        set(used++, partitions_.improve(together, kSteps, stop));
        // The next are for states that are not cut off yet; those just learned from come last, if they are not.
        std::ranges::rotate(samples, samples.begin() + static_cast<std::ptrdiff_t>(together.size()));
        std::erase_if(samples,
                      [&](const Sample& sample) { return h(raw(bytes(sample.state, nullptr))) > sample.left; });
      }
    }
  }
  bool learned() const noexcept { return learned_; }
  // The costs of each partition, in units of 1 / CostPartitions::kScale: row-major [slots][row()].
  std::vector<std::vector<std::uint32_t>> costs() const {
    std::vector<std::vector<std::uint32_t>> found(kPartitions, std::vector<std::uint32_t>(packed_.size()));
    for (unsigned number = 0; number < kPartitions; ++number)
      for (std::size_t i = 0; i < packed_.size(); ++i)
        found[number][i] = number < kPacked ? static_cast<std::uint32_t>(packed_[i] >> number * kBits & kMostPacked)
                                            : more_[i].of[number - kPacked];
    return found;
  }
  // What learn_pairs allocates and keeps; 0 if the puzzle has no pairs.
  std::uint64_t pair_bytes() {
    if (!pairs_) pairs_.emplace(puzzle_, moves_, row_);
    return pairs_->empty() ? 0 : pairs_->bytes();
  }
  // Pairs for one more partition, instead of those that there are, after `learn`: the best for many states that a
  // search of `start` with this bound would meet.
  void learn_pairs(Bytes start, std::int32_t bound, const CostPartitions::Stop& stop) {
    if (pair_bytes() == 0) return;
    SplitMix random{1};
    const std::vector<Sample> samples = draw(start, bound, random, stop);
    std::vector<const std::uint8_t*> together{start.data()};
    for (const Sample& sample : samples) together.push_back(sample.state.data());
    const CostPartitions::Shares shares = partitions_.improve(together, kSteps, stop);
    paired_ = !stop() && pairs_->build(partitions_.whole(shares), partitions_.costs(shares), stop, instructions_);
  }

 private:
  static constexpr unsigned kMostOrbits = kPacked - 1, kSteps = 80;
  static constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};
  static constexpr std::size_t kTogether = 12, kDescents = 2000, kSamples = 256;
  static constexpr unsigned kBits = 21;
  static constexpr std::uint64_t kMostPacked = (std::uint64_t{1} << (kBits - 1)) - 1;
  static constexpr std::uint64_t kOnes = 1 | std::uint64_t{1} << kBits | std::uint64_t{1} << 2 * kBits;
  static constexpr std::uint64_t kHighest = kOnes << (kBits - 1);

  // A state, the moves that the bound leaves there, and how many states it stands for.
  struct Sample {
    State state;
    std::int32_t left;
    double weight;
  };

  std::uint64_t packed(const State& state, const Sums& before, const Step& step) const noexcept {
    std::uint64_t sum = before.packed;
    for (std::uint32_t i = step.first; i < step.last; ++i) sum += touches_[i].change[state[touches_[i].from]];
    return sum;
  }
  // The other sums of a successor; returns the greatest.
  std::uint32_t follow(const State& state, const Sums& before, const Step& step, Sums& after) const noexcept {
    after.more = before.more;
    return add_more_(*this, state, step, after.more);
  }
  // The pairs of a successor; false as soon as they cost more than `limit`.
  bool match(const State& state, const Sums& before, const Step& step, std::uint32_t limit,
             Sums& after) const noexcept {
    Matching& matching = after.matching;
    matching = before.matching;
    std::array<std::uint8_t, N> carried;
    std::size_t count = 0;
    for (std::uint32_t i = step.first; i < step.last; ++i) {
      const Touch& touch = touches_[i];
      const unsigned value = state[touch.from];
      carried[count++] =
          static_cast<std::uint8_t>(pairs_->carry(matching, touch.src + value, touch.dst + touch.map[value]));
    }
    for (std::size_t i = 0; i < count; ++i) pairs_->keep(matching, carried[i]);
    for (std::size_t i = 0; i < count && PiecePairs::cost(matching) <= limit; ++i)
      while (pairs_->exchange(matching, carried[i]) && PiecePairs::cost(matching) <= limit) {
      }
    return PiecePairs::cost(matching) <= limit;
  }
  // The same loop, compiled for two instruction sets.
  [[gnu::always_inline]] inline std::uint32_t add(const State& state, const Step& step, More& sums) const noexcept {
    More sum = sums;
    for (std::uint32_t i = step.first; i < step.last; ++i) {
      const Touch& touch = touches_[i];
      const unsigned value = state[touch.from];
      const More &to = more_[touch.dst + touch.map[value]], &from = more_[touch.src + value];
      for (unsigned k = 0; k < kMore; ++k) sum.of[k] = static_cast<std::uint16_t>(sum.of[k] + to.of[k] - from.of[k]);
    }
    sums = sum;
    std::uint16_t most = 0;
    for (unsigned k = 0; k < kMore; ++k) most = std::max(most, sum.of[k]);
    return most;
  }
  static std::uint32_t add_more(const PartitionWalk& walk, const State& state, const Step& step, More& sums) noexcept {
    return walk.add(state, step, sums);
  }
#if defined(__x86_64__)
  [[gnu::target("avx2")]] static std::uint32_t add_more_avx2(const PartitionWalk& walk, const State& state,
                                                             const Step& step, More& sums) noexcept {
    return walk.add(state, step, sums);
  }
#else
  static constexpr auto add_more_avx2 = add_more;
#endif
  static std::uint32_t most_packed(std::uint64_t packed) noexcept {
    std::uint64_t most = 0;
    for (unsigned k = 0; k < kPacked; ++k, packed >>= kBits) most = std::max(most, packed & kMostPacked);
    return static_cast<std::uint32_t>(most);
  }
  static std::uint32_t most_of(const More& sums) noexcept { return *std::ranges::max_element(sums.of); }
  // Whether each of the packed sums is at most so many moves.
  static bool fits(std::uint64_t packed, std::int32_t moves) noexcept {
    const std::uint64_t limit = std::min(static_cast<std::uint64_t>(moves) * CostPartitions::kScale, kMostPacked);
    return (((limit * kOnes | kHighest) - packed) & kHighest) == kHighest;
  }
  static std::int32_t rounded_up(std::uint32_t cost) noexcept {
    return static_cast<std::int32_t>((cost + CostPartitions::kScale - 1) / CostPartitions::kScale);
  }
  void set(unsigned number, const CostPartitions::Shares& shares) {
    const std::vector<std::uint32_t> costs = partitions_.costs(shares);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (number >= kPacked) {
        more_[i].of[number - kPacked] = static_cast<std::uint16_t>(std::min<std::uint32_t>(costs[i], 0xffff));
        continue;
      }
      const std::uint64_t cost = std::min<std::uint64_t>(costs[i], kMostPacked / slots_);
      packed_[i] = (packed_[i] & ~(kMostPacked << number * kBits)) | cost << number * kBits;
    }
  }
  void pack_changes() {
    for (const Touch& touch : touches_)
      for (std::size_t value = 0; value < row_; ++value)
        if (value < values_[touch.from])
          changes_[static_cast<std::size_t>(touch.change - changes_.data()) + value] =
              packed_[touch.dst + touch.map[value]] - packed_[touch.src + value];
  }
  std::vector<Sample> draw(Bytes start, std::int32_t bound, SplitMix& random, const CostPartitions::Stop& stop) const {
    std::vector<Sample> met;
    double total = 0;
    std::array<std::pair<const Step*, Sums>, kMostSteps> fitting;
    for (std::size_t descent = 0; descent < kDescents; ++descent) {
      if (descent % 64 == 0 && stop()) return {};
      Sample at{pack(start), bound, 1};
      Sums sums = raw(start);
      std::uint32_t row = first_row(start);
      while (at.left > 0) {
        std::size_t count = 0;
        for (const Step& step : steps(row)) {
          fitting[count] = {&step, raw(at.state, sums, step)};
          count += h(fitting[count].second) < at.left;
        }
        if (count == 0) break;
        const auto& [step, after] = fitting[random() % count];
        const State before = at.state;
        apply(before, *step, at.state);
        at = {at.state, at.left - 1, at.weight * static_cast<double>(count)};
        sums = after;
        row = step->row;
        total += at.weight;
        met.push_back(at);
      }
    }
    // One of them after each kSamples-th part of all the weight, from a random point on; then in random order.
    std::vector<Sample> chosen;
    const double part = total / kSamples;
    double next = part * static_cast<double>(random() >> 11) * 0x1p-53, sum = 0;
    for (const Sample& sample : met) {
      sum += sample.weight;
      if (sum <= next) continue;
      chosen.push_back(sample);
      while (next < sum) next += part;
    }
    for (std::size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[random() % i]);
    return chosen;
  }

  const PermutationPuzzle& puzzle_;
  const std::vector<std::uint8_t> moves_;
  Instructions instructions_;
  std::uint32_t (*add_more_)(const PartitionWalk&, const State&, const Step&, More&) noexcept;
  std::size_t slots_;
  CostPartitions partitions_;
  std::size_t row_;
  std::vector<unsigned> values_;       // by slot
  std::vector<std::uint64_t> packed_;  // costs, row-major [slots][row_]
  std::vector<More> more_;             // the same
  std::vector<std::uint64_t> changes_;
  bool learned_ = false, paired_ = false;
  std::optional<PiecePairs> pairs_;  // made when they are first asked for, which takes a millisecond
  std::vector<Touch> touches_;
  MoveRows rows_;
  HeuristicTable none_;
};

static_assert(OwnHeuristic<PartitionWalk<64>>);

}  // namespace hstar
