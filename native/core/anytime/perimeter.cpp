#include "anytime/perimeter.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>

#include "anytime/fingerprints.hpp"
#include "anytime/move_pairs.hpp"

namespace hstar {

namespace {

constexpr unsigned kDistanceBits = 5, kPartBits = 6;
constexpr unsigned kMostDistance = (1u << kDistanceBits) - 1;

}  // namespace

Perimeter::Perimeter(const std::vector<Permutation>& generators, std::vector<Point> base, std::size_t level,
                     std::vector<std::uint8_t> moves, std::size_t most, const WordChain::Stop& stop)
    : generators_(generators), base_(std::move(base)), level_(level), moves_(std::move(moves)) {
  const bool exist = std::all_of(moves_.begin(), moves_.end(), [&](std::uint8_t m) { return m < generators.size(); });
  if (generators.empty() || !exist || level_ >= base_.size())
    throw std::invalid_argument("the perimeter's moves or its level do not exist");
  const std::size_t degree = generators_.front().size(), pieces = base_.size() - level_;
  keys_ = fingerprint_keys(pieces, degree);
  const MovePairs pairs(generators_);
  struct Found {
    std::uint64_t print;
    std::uint32_t from;
    std::uint8_t move;
    bool operator<(const Found& other) const noexcept { return print < other.print; }
  };
  // The states of the last sphere, and the fingerprints of the last two in order.
  std::vector<Point> sphere(base_.begin() + static_cast<std::ptrdiff_t>(level_), base_.end()), next, after(pieces);
  std::vector<std::uint8_t> last{MovePairs::kNoMove}, next_last;
  std::vector<std::uint64_t> before, here{fingerprint(sphere.data())};
  std::vector<std::vector<Found>> found(std::size_t{1} << kPartBits);  // by the highest bits, so that `stop` is asked between
  const auto add = [&] {
    for (const std::uint64_t print : here) entries_.push_back((print & ~std::uint64_t{kMostDistance}) | radius_);
  };
  add();
  while (radius_ < kMostDistance) {
    // The next sphere grows about as much as this one did.
    const std::size_t growing = before.empty() ? here.size() * moves_.size() : here.size() * here.size() / before.size();
    if (entries_.size() + growing > most) break;
    for (auto& part : found) part.clear();
    for (std::size_t n = 0; n < here.size(); ++n) {
      if (n % 4096 == 0 && stop()) return;
      for (const std::uint8_t m : moves_) {
        if (pairs.saved(last[n], m) > 0) continue;
        for (std::size_t k = 0; k < pieces; ++k) after[k] = generators_[m][sphere[n * pieces + k]];
        const std::uint64_t print = fingerprint(after.data());
        found[print >> (64 - kPartBits)].push_back({print, static_cast<std::uint32_t>(n), m});
      }
    }
    std::vector<std::uint64_t> prints;
    next.clear();
    next_last.clear();
    for (auto& part : found) {
      if (stop()) return;
      std::sort(part.begin(), part.end());
      for (const Found& one : part) {
        if ((!prints.empty() && prints.back() == one.print) ||
            std::binary_search(before.begin(), before.end(), one.print) ||
            std::binary_search(here.begin(), here.end(), one.print))
          continue;
        prints.push_back(one.print);
        next_last.push_back(one.move);
        for (std::size_t k = 0; k < pieces; ++k) next.push_back(generators_[one.move][sphere[one.from * pieces + k]]);
      }
    }
    if (prints.empty()) break;
    ++radius_;
    before.swap(here);
    here.swap(prints);
    sphere.swap(next);
    last.swap(next_last);
    add();
  }
  const auto bits = std::max(1u, static_cast<unsigned>(std::bit_width(entries_.size() / 4)));  // some four share an index
  shift_ = 64 - bits;
  first_.assign((std::size_t{1} << bits) + 1, 0);
  for (const std::uint64_t entry : entries_) ++first_[(entry >> shift_) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  std::vector<std::uint64_t> sorted(entries_.size());
  std::vector<std::uint32_t> place(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i % 65536 == 0 && stop()) return;
    sorted[place[entries_[i] >> shift_]++] = entries_[i];
  }
  entries_.swap(sorted);
  complete_ = true;
}

std::uint64_t Perimeter::fingerprint(const Point* places) const noexcept {
  const std::size_t degree = generators_.front().size(), pieces = base_.size() - level_;
  std::uint64_t print = 0;
  for (std::size_t k = 0; k < pieces; ++k) print ^= keys_[k * degree + places[k]];
  return print;
}

std::optional<unsigned> Perimeter::distance(std::uint64_t fingerprint) const noexcept {
  const std::size_t part = fingerprint >> shift_;
  for (std::uint32_t i = first_[part]; i < first_[part + 1]; ++i)
    if (((entries_[i] ^ fingerprint) >> kDistanceBits) == 0) return static_cast<unsigned>(entries_[i] & kMostDistance);
  return std::nullopt;
}

std::optional<std::vector<std::uint8_t>> Perimeter::path(std::vector<Point> places) const {
  std::vector<std::uint8_t> moves;
  std::vector<Point> after(places.size());
  const auto far = distance(fingerprint(places.data()));
  if (!far) return std::nullopt;
  for (unsigned left = *far; left > 0; --left) {
    const auto next = std::find_if(moves_.begin(), moves_.end(), [&](std::uint8_t m) {
      for (std::size_t k = 0; k < places.size(); ++k) after[k] = generators_[m][places[k]];
      return distance(fingerprint(after.data())) == left - 1;
    });
    if (next == moves_.end()) return std::nullopt;
    moves.push_back(*next);
    places.swap(after);
  }
  if (!std::equal(places.begin(), places.end(), base_.begin() + static_cast<std::ptrdiff_t>(level_))) return std::nullopt;
  return moves;
}

std::vector<std::uint8_t> shortest_ending(const Perimeter& perimeter, const Permutation& element,
                                          std::span<const Partial> partials, std::size_t most,
                                          const ChainSearchOptions& limits, const WordChain::Stop& stop, Descent& way) {
  if (!perimeter.complete()) throw std::invalid_argument("the perimeter is not complete");
  constexpr std::uint32_t kSeed = ~std::uint32_t{0};
  struct Node {
    std::uint32_t before;  // kSeed: `partial` is the number of a partial solution
    std::uint32_t partial;
    std::uint8_t move;
  };
  const std::vector<Permutation>& generators = perimeter.generators();
  const std::size_t level = perimeter.level(), pieces = perimeter.base().size() - level;
  const MovePairs pairs(generators);
  std::vector<Node> nodes;
  std::vector<Point> places, at(pieces);
  Fingerprints seen(1024);
  // The best ending: its node and its whole length.
  std::uint32_t best = kSeed;
  std::size_t best_length = ~std::size_t{0};
  const auto add = [&](const Node& node, std::size_t length) {
    const std::uint64_t print = perimeter.fingerprint(at.data());
    if (!seen.insert(print)) return;
    if (const auto far = perimeter.distance(print); far && length + *far < best_length && perimeter.path(at)) {
      best = static_cast<std::uint32_t>(nodes.size());
      best_length = length + *far;
    }
    nodes.push_back(node);
    places.insert(places.end(), at.begin(), at.end());
  };
  std::map<std::size_t, std::vector<std::uint32_t>> seeds;  // by length
  for (std::uint32_t p = 0; p < partials.size(); ++p)
    if (partials[p].level == level) seeds[partials[p].moves.size()].push_back(p);
  std::size_t begin = 0, end = 0;  // the nodes of one length
  for (std::size_t length = seeds.empty() ? 0 : seeds.begin()->first; !seeds.empty() || begin < end; ++length) {
    if (length >= best_length) break;
    if (const auto here = seeds.find(length); here != seeds.end()) {
      for (const std::uint32_t p : here->second) {
        for (std::size_t k = 0; k < pieces; ++k) {
          at[k] = element[perimeter.base()[level + k]];
          for (const std::uint8_t m : partials[p].moves) at[k] = generators[m][at[k]];
        }
        add({kSeed, p, partials[p].moves.empty() ? MovePairs::kNoMove : partials[p].moves.back()}, length);
      }
      seeds.erase(here);
    }
    end = nodes.size();
    // Once a node is within the perimeter only other seeds, which may be near home, can be better.
    for (std::size_t n = begin; best == kSeed && n < end && nodes.size() < most; ++n) {
      if (n % 1024 == 0 && stop()) way.ending = Descent::Ending::kStopped;
      if (way.expanded == limits.max_expanded) way.ending = Descent::Ending::kExpanded;
      if (perimeter.moves().size() > limits.max_generated - way.generated) way.ending = Descent::Ending::kGenerated;
      const std::uint64_t bytes =
          nodes.capacity() * sizeof nodes[0] + places.capacity() * sizeof places[0] + seen.bytes();
      way.peak_bytes = std::max(way.peak_bytes, bytes);
      if (3 * bytes > limits.memory_bytes) most = nodes.size();  // what grows is doubled, and copied
      if (way.ending != Descent::Ending::kDone) return {};
      ++way.expanded;
      for (const std::uint8_t m : perimeter.moves()) {
        if (pairs.saved(nodes[n].move, m) > 0) continue;
        ++way.generated;
        for (std::size_t k = 0; k < pieces; ++k) at[k] = generators[m][places[n * pieces + k]];
        add({static_cast<std::uint32_t>(n), 0, m}, length + 1);
      }
    }
    begin = end;
    end = nodes.size();
    if (nodes.size() >= most && seeds.empty()) break;
  }
  way.stored += nodes.size();
  if (best == kSeed) return {};
  const auto rest = perimeter.path({places.begin() + static_cast<std::ptrdiff_t>(best * pieces),
                                    places.begin() + static_cast<std::ptrdiff_t>((best + 1) * pieces)});
  std::vector<std::uint8_t> middle;
  for (; nodes[best].before != kSeed; best = nodes[best].before) middle.push_back(nodes[best].move);
  std::vector<std::uint8_t> moves = partials[nodes[best].partial].moves;
  moves.insert(moves.end(), middle.rbegin(), middle.rend());
  moves.insert(moves.end(), rest->begin(), rest->end());
  return moves;
}

}  // namespace hstar
