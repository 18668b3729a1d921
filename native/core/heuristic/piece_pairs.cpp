#include "heuristic/piece_pairs.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "base/partition.hpp"

namespace hstar {

PiecePairs::PiecePairs(const PermutationPuzzle& puzzle, Bytes moves, std::size_t row)
    : row_(row), moves_(moves.size()), node_(puzzle.slots() * row) {
  // All places that the content of a slot at the goal comes to.
  Partition together(node_.size());
  for (const std::uint8_t move : moves)
    for (const PermutationPuzzle::Touch& touch : puzzle.touches(move))
      for (unsigned value = 0; value < puzzle.values(touch.src); ++value)
        together.join(touch.dst * row + puzzle.maps()[touch.map + value], touch.src * row + value);
  std::vector<std::vector<std::size_t>> places(node_.size());
  for (std::size_t slot = 0; slot < puzzle.slots(); ++slot)
    for (std::size_t value = 0; value < puzzle.values(slot); ++value)
      places[together.find(slot * row + value)].push_back(slot * row + value);

  std::vector<std::size_t> homes, place(node_.size());
  std::vector<bool> known(node_.size());
  for (std::size_t slot = 0; slot < puzzle.slots(); ++slot) {
    const std::size_t home = slot * row + value_at(puzzle.goal().data(), slot, puzzle.width()),
                      its = together.find(home);
    if (places[its].size() == 1) continue;  // no move carries it
    const std::size_t piece = homes.size();
    if (known[its] || piece + 2 > 0xff || nodes_ + places[its].size() > kMostNodes) return;
    known[its] = true;
    Kind kind;
    for (std::size_t i = 0; i < places[its].size(); ++i) {
      const std::size_t at = places[its][i];
      place[at] = i;
      node_[at] = {static_cast<std::uint16_t>(nodes_ - 1 + i), static_cast<std::uint8_t>(piece),
                   static_cast<std::uint8_t>(i % 64)};
      kind.slot.push_back(static_cast<std::uint16_t>(at / row));
      at_.push_back(at);
    }
    std::uint32_t number = 0;  // of the touch
    for (const std::uint8_t move : moves) {
      const std::size_t begin = kind.to.size();
      for (std::size_t i = 0; i < places[its].size(); ++i) kind.to.push_back(static_cast<std::uint16_t>(i));
      kind.touch.resize(kind.to.size(), kNone);
      for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
        for (unsigned value = 0; value < puzzle.values(touch.src); ++value) {
          const std::size_t at = touch.src * row + value;
          if (together.find(at) != its) continue;
          kind.to[begin + place[at]] =
              static_cast<std::uint16_t>(place[touch.dst * row + puzzle.maps()[touch.map + value]]);
          kind.touch[begin + place[at]] = number;
        }
        ++number;
      }
    }
    first_node_.push_back(nodes_ - 1);
    nodes_ += places[its].size();
    homes.push_back(place[home]);
    auto same = std::ranges::find_if(kinds_, [&](const Kind& other) { return kind.moves_as(other); });
    if (same == kinds_.end()) same = kinds_.insert(kinds_.end(), std::move(kind));
    same->pieces.push_back(piece);
  }
  count_ = homes.size() + 2 - homes.size() % 2;
  for (std::size_t at = 0; at < node_.size(); ++at)
    if (!known[together.find(at)])
      node_[at] = {static_cast<std::uint16_t>(nodes_ - 1), static_cast<std::uint8_t>(homes.size()), 0};
  stride_ = (count_ + kVector - 1) / kVector * kVector;
  homes_ = std::move(homes);
}

namespace {

// What becomes cheaper by a way over `through`; whether anything did.
[[gnu::always_inline]] inline bool relax(std::int16_t* cost, const std::int16_t* through, std::int16_t share,
                                         std::size_t size) noexcept {
  std::int16_t cheaper = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto way = static_cast<std::int16_t>(through[i] + share);
    cheaper = static_cast<std::int16_t>(cheaper | (way < cost[i] ? 1 : 0));
    cost[i] = std::min(cost[i], way);
  }
  return cheaper != 0;
}
// The same, compiled for two instruction sets.
bool relax_portable(std::int16_t* cost, const std::int16_t* through, std::int16_t share, std::size_t size) noexcept {
  return relax(cost, through, share, size);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] bool relax_avx2(std::int16_t* cost, const std::int16_t* through, std::int16_t share,
                                        std::size_t size) noexcept {
  return relax(cost, through, share, size);
}
#else
constexpr auto relax_avx2 = relax_portable;
#endif

std::uint64_t marked_portable(const std::uint64_t* masks, const std::uint8_t* shifts, std::size_t count) noexcept {
  std::uint64_t marked = 0;
  for (std::size_t i = 0; i < count; ++i) marked |= (masks[i] << shifts[i] >> 63) << i;
  return marked;
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint64_t marked_avx2(const std::uint64_t* masks, const std::uint8_t* shifts,
                                                  std::size_t count) noexcept {
  std::uint64_t marked = 0;
  for (std::size_t i = 0; i < count; i += 4) {
    int four;
    std::memcpy(&four, shifts + i, sizeof four);
    const __m256i by = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
    const __m256i shifted = _mm256_sllv_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(masks + i)), by);
    marked |= static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(shifted))) << i;
  }
  return marked;
}
#else
constexpr auto marked_avx2 = marked_portable;
#endif

}  // namespace

bool PiecePairs::build(const std::vector<std::uint32_t>& shares, const std::vector<std::uint32_t>& costs,
                       const CostPartitions::Stop& stop, Instructions instructions) {
  costs_ = costs;
  marked_ = instructions == Instructions::portable ? &marked_portable : &marked_avx2;
  surplus_.assign(nodes_ * nodes_, 0);
  for (std::size_t first = 0; first < kinds_.size(); ++first)
    for (std::size_t second = first; second < kinds_.size(); ++second)
      if (!build(kinds_[first], kinds_[second], shares, stop, instructions)) return false;
  masks_.assign(nodes_ * stride_, 0);
  for (std::size_t a = 0; a + 1 < nodes_; ++a) {
    for (const std::size_t at : at_) {
      const Node& b = node_[at];
      if (surplus_[a * nodes_ + b.node] > kWorthExchange)
        masks_[a * stride_ + b.piece] |= std::uint64_t{1} << (63 - b.shift);
    }
  }
  return true;
}

// Bellman and Ford over the places of two pieces, for all pairs of two kinds at once: they go the same ways, to
// different homes.
bool PiecePairs::build(const Kind& first, const Kind& second, const std::vector<std::uint32_t>& shares,
                       const CostPartitions::Stop& stop, Instructions instructions) {
  std::vector<std::array<std::size_t, 2>> pairs;
  for (const std::size_t a : first.pieces)
    for (const std::size_t b : second.pieces)
      if (&first != &second || a < b) pairs.push_back({a, b});
  const std::size_t width = first.slot.size(), breadth = second.slot.size();
  const std::size_t size = (pairs.size() + 15) / 16 * 16;  // whole vectors
  std::vector<std::int16_t> cost(width * breadth * size, kFar);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    cost[(homes_[pairs[i][0]] * breadth + homes_[pairs[i][1]]) * size + i] = 0;

  const auto relaxes = instructions == Instructions::portable ? &relax_portable : &relax_avx2;
  const auto share = [&](const Kind& kind, std::size_t index) {
    return kind.touch[index] == kNone ? 0 : static_cast<std::int16_t>(shares[kind.touch[index]]);
  };
  // Only ways over what became cheaper in this round or the last one are looked at.
  std::vector<std::uint8_t> fresh(width * breadth, 1), cheaper(width * breadth);
  for (bool any = true; any;) {
    any = false;
    for (std::size_t x = 0; x < width; ++x) {
      if (stop()) return false;
      for (std::size_t y = 0; y < breadth; ++y) {
        if (first.slot[x] == second.slot[y]) continue;
        const std::size_t here = x * breadth + y;
        bool less = false;
        for (std::size_t move = 0; move < moves_; ++move) {
          const std::size_t i = move * width + x, j = move * breadth + y;
          const std::size_t there = first.to[i] * breadth + second.to[j];
          if (there == here || !fresh[there]) continue;
          less |= relaxes(&cost[here * size], &cost[there * size],
                          static_cast<std::int16_t>(share(first, i) + share(second, j)), size);
        }
        if (less) any = true, fresh[here] = cheaper[here] = 1;
      }
    }
    fresh.swap(cheaper);
    std::ranges::fill(cheaper, std::uint8_t{0});
  }
  for (std::size_t x = 0; x < width; ++x) {
    for (std::size_t y = 0; y < breadth; ++y) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const int together = cost[(x * breadth + y) * size + i];
        if (together >= kFar) continue;  // too far to be known, or both in one slot
        const std::size_t a = first_node_[pairs[i][0]] + x, b = first_node_[pairs[i][1]] + y;
        const int more = together - static_cast<int>(costs_[at_[a]] + costs_[at_[b]]);
        surplus_[a * nodes_ + b] = surplus_[b * nodes_ + a] =
            static_cast<std::uint8_t>(std::clamp(more / static_cast<int>(kUnit), 0, 255));
      }
    }
  }
  return true;
}

}  // namespace hstar
