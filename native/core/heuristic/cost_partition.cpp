#include "heuristic/cost_partition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "base/partition.hpp"

namespace hstar {

CostPartitions::CostPartitions(const PermutationPuzzle& puzzle, Bytes moves)
    : puzzle_(puzzle), orbit_(puzzle.slots()) {
  for (std::size_t slot = 0; slot < puzzle.slots(); ++slot) row_ = std::max<std::size_t>(row_, puzzle.values(slot));
  Partition orbits(puzzle.slots());
  for (const std::uint8_t move : moves) {
    for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
      arcs_.push_back({touch.dst, touch.src, puzzle.maps() + touch.map});
      orbits.join(touch.dst, touch.src);
    }
    first_.push_back(static_cast<std::uint32_t>(arcs_.size()));
  }
  std::vector<unsigned> number(puzzle.slots(), kNone);
  for (const Arc& arc : arcs_) {
    unsigned& its = number[orbits.find(arc.src)];
    if (its == kNone) its = orbits_++;
  }
  for (unsigned slot = 0; slot < puzzle.slots(); ++slot) orbit_[slot] = number[orbits.find(slot)];
}

CostPartitions::Shares CostPartitions::even() const {
  Shares shares(arcs_.size());
  for (std::size_t move = 0; move + 1 < first_.size(); ++move)
    for (std::uint32_t i = first_[move]; i < first_[move + 1]; ++i)
      shares[i] = 1.0f / static_cast<float>(first_[move + 1] - first_[move]);
  return shares;
}

CostPartitions::Shares CostPartitions::even(unsigned orbit) const {
  Shares shares = even();
  for (std::size_t move = 0; move + 1 < first_.size(); ++move) {
    const auto inside = [&](const Arc& arc) { return orbit_[arc.src] == orbit; };
    const auto count = std::count_if(arcs_.begin() + first_[move], arcs_.begin() + first_[move + 1], inside);
    if (count == 0) continue;
    for (std::uint32_t i = first_[move]; i < first_[move + 1]; ++i)
      shares[i] = inside(arcs_[i]) ? 1.0f / static_cast<float>(count) : 0.0f;
  }
  return shares;
}

// Bellman and Ford: along all arcs until nothing becomes cheaper. `next`: the arc that the cheapest way begins with.
// Each is set only when a way becomes cheaper, so that following them ends, also where shares are 0.
template <class Cost>
void CostPartitions::cheapest(const std::vector<Cost>& shares, std::vector<Cost>& cost,
                              std::vector<std::uint32_t>* next) const {
  constexpr Cost kFar = std::numeric_limits<Cost>::max() / 4;
  cost.assign(puzzle_.slots() * row_, kFar);
  if (next != nullptr) next->assign(cost.size(), kNone);
  for (std::size_t slot = 0; slot < puzzle_.slots(); ++slot)
    cost[slot * row_ + value_at(puzzle_.goal().data(), slot, puzzle_.width())] = 0;
  for (bool cheaper = true; cheaper;) {
    cheaper = false;
    for (std::uint32_t i = 0; i < arcs_.size(); ++i) {
      const Arc& arc = arcs_[i];
      const Cost share = shares[i];
      Cost* const from = cost.data() + arc.src * row_;
      const Cost* const to = cost.data() + arc.dst * row_;
      for (unsigned value = 0; value < puzzle_.values(arc.src); ++value) {
        const Cost through = to[arc.map[value]] + share;
        if (through >= from[value]) continue;
        from[value] = through;
        cheaper = true;
        if (next != nullptr) (*next)[arc.src * row_ + value] = i;
      }
    }
  }
  for (Cost& one : cost)
    if (one >= kFar) one = 0;
}

std::vector<std::uint32_t> CostPartitions::whole(const Shares& shares) const {
  std::vector<std::uint32_t> whole(arcs_.size());
  for (std::size_t move = 0; move + 1 < first_.size(); ++move) {
    std::uint32_t left = kScale;
    for (std::uint32_t i = first_[move]; i < first_[move + 1]; ++i) {
      whole[i] = std::min(left, static_cast<std::uint32_t>(shares[i] * static_cast<float>(kScale) + 0.001f));
      left -= whole[i];
    }
    // What rounding has left over goes to the touches that have a share.
    for (std::uint32_t i = first_[move]; left > 0 && i < first_[move + 1]; ++i)
      if (shares[i] > 0) ++whole[i], --left;
  }
  return whole;
}

std::vector<std::uint32_t> CostPartitions::costs(const Shares& shares) const {
  std::vector<std::uint32_t> cost;
  cheapest(whole(shares), cost, nullptr);
  return cost;
}

CostPartitions::Shares CostPartitions::improve(std::span<const std::uint8_t* const> states, unsigned steps,
                                               const Stop& stop) const {
  constexpr float kFirstStep = 0.05f, kLastStep = 0.004f;
  Shares shares = even(), best = shares, used(arcs_.size());
  std::vector<float> cost;
  std::vector<std::uint32_t> next;
  double most = -1;
  for (unsigned step = 0; step < steps && !stop(); ++step) {
    cheapest(shares, cost, &next);
    std::ranges::fill(used, 0.0f);
    double sum = 0;
    for (const std::uint8_t* state : states) {
      for (std::size_t slot = 0; slot < puzzle_.slots(); ++slot) {
        std::size_t node = slot * row_ + value_at(state, slot, puzzle_.width());
        sum += static_cast<double>(cost[node]);
        for (std::uint32_t i; (i = next[node]) != kNone;) {
          used[i] += 1;
          node = arcs_[i].dst * row_ + arcs_[i].map[node % row_];
        }
      }
    }
    if (sum > most) most = sum, best = shares;
    double norm = 0;
    for (std::size_t move = 0; move + 1 < first_.size(); ++move) {
      float mean = 0;
      for (std::uint32_t i = first_[move]; i < first_[move + 1]; ++i) mean += used[i];
      mean /= static_cast<float>(std::max(1u, first_[move + 1] - first_[move]));
      for (std::uint32_t i = first_[move]; i < first_[move + 1]; ++i) {
        used[i] -= mean;
        norm += static_cast<double>(used[i]) * static_cast<double>(used[i]);
      }
    }
    if (norm == 0) break;
    const float part = static_cast<float>(step) / static_cast<float>(steps);
    const float length = kFirstStep * (1 - part) * (1 - part) + kLastStep;
    const float scale = length * static_cast<float>(std::sqrt(static_cast<double>(first_.size() - 1) / norm));
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += scale * used[i];
    normalise(shares);
  }
  return best;
}

// The nearest shares that are none negative and add up to 1 for each move (projection onto a simplex, Held, Wolfe and
// Crowder 1974).
void CostPartitions::normalise(Shares& shares) const {
  std::vector<float> sorted;
  for (std::size_t move = 0; move + 1 < first_.size(); ++move) {
    sorted.assign(shares.begin() + first_[move], shares.begin() + first_[move + 1]);
    std::ranges::sort(sorted, std::greater<>());
    float sum = 0, less = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      sum += sorted[i];
      const float all_but = (sum - 1) / static_cast<float>(i + 1);
      if (sorted[i] > all_but) less = all_but;
    }
    for (std::uint32_t i = first_[move]; i < first_[move + 1]; ++i) shares[i] = std::max(0.0f, shares[i] - less);
  }
}

}  // namespace hstar
