#include "anytime/chain_search.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "anytime/fingerprints.hpp"
#include "anytime/move_pairs.hpp"

namespace hstar {

namespace {

constexpr std::uint32_t kPartial = ~std::uint32_t{0};  // the parent of a path that begins with a partial solution

struct Node {
  std::uint32_t parent = kPartial;  // on the level above
  std::uint32_t word = 0;  // index into the words of the base point's place there, or into the partial solutions
  std::uint32_t moves = 0;
  std::uint8_t last = MovePairs::kNoMove;
};

struct Candidate {
  float score;
  std::uint32_t parent, word;
  bool operator<(const Candidate& other) const noexcept {
    return score != other.score ? score < other.score
           : parent != other.parent ? parent < other.parent : word < other.word;
  }
};

}  // namespace

Descent descend(const WordChain& chain, const Permutation& element, const ChainSearchOptions& options,
                const Stop& stop, std::span<const Partial> partials) {
  if (!chain.complete()) throw std::invalid_argument("the chain of words is not complete");
  const std::size_t levels = chain.levels();
  const std::size_t degree = chain.generators().front().size();
  if (element.size() != degree) throw std::invalid_argument("the element and the chain differ in degree");
  const MovePairs pairs(chain.generators());
  // By level and place: the estimated moves to bring the level's base point home from there.
  std::vector<float> alone(levels * degree, 0);
  for (std::size_t level = 0; level < levels; ++level)
    for (std::size_t x = 0; x < degree; ++x) {
      const auto words = chain.words(level, static_cast<Point>(x));
      if (!words.empty()) alone[level * degree + x] = static_cast<float>(options.outlook * words.front().moves.size());
    }

  const Partial nothing;
  if (partials.empty()) partials = {&nothing, 1};
  Descent way;
  std::vector<std::vector<Node>> path(1);
  std::vector<Point> at, next_at;  // for each node in turn: where each base point's content is
  // Appends the partial solutions of a level to its nodes.
  const auto begin_on = [&](std::size_t level) {
    for (std::uint32_t p = 0; p < partials.size(); ++p) {
      const std::vector<std::uint8_t>& moves = partials[p].moves;
      if (partials[p].level >= levels) throw std::invalid_argument("a partial solution is beyond the last level");
      if (partials[p].level != level) continue;
      for (const Point home : chain.base()) {
        Point place = element[home];
        for (const std::uint8_t m : moves) place = chain.generators()[m][place];
        at.push_back(place);
      }
      path.back().push_back({kPartial, p, static_cast<std::uint32_t>(moves.size()),
                             moves.empty() ? MovePairs::kNoMove : moves.back()});
    }
  };
  std::vector<Candidate> candidates;
  Fingerprints seen(16);
  // Memory that grows with the width: the paths of all levels, and one level's candidates, places and fingerprints.
  std::uint64_t path_bytes = 0;
  const auto bytes = [&] {
    return path_bytes + candidates.capacity() * sizeof(Candidate) + seen.bytes() +
           (at.capacity() + next_at.capacity()) * sizeof(Point);
  };
  const auto ended = [&](Descent::Ending why) {
    way.ending = why;
    return way;
  };
  // Whether there is memory for so many more bytes.
  const auto fits = [&](std::uint64_t more) {
    const std::uint64_t held = bytes() + more;
    if (held > options.limits.memory_bytes) return false;
    way.peak_bytes = std::max(way.peak_bytes, held);
    return true;
  };
  Pace pace(stop, 1 << 18);  // places looked up
  for (std::size_t level = 0; level < levels; ++level) {
    begin_on(level);
    const std::vector<Node>& here = path.back();
    candidates.clear();
    for (std::uint32_t n = 0; n < here.size(); ++n) {
      if (pace.ends(chain.words(level, at[n * levels + level]).size() * (levels - level) + 1))
        return ended(Descent::Ending::kStopped);
      if (way.expanded == options.limits.expanded) return ended(Descent::Ending::kExpanded);
      const Point* const places = at.data() + n * levels;
      const auto words = chain.words(level, places[level]);
      if (words.empty()) throw std::invalid_argument("the element is not in the group of the chain");
      if (words.size() > options.limits.generated - way.generated) return ended(Descent::Ending::kGenerated);
      if (candidates.size() + words.size() > candidates.capacity()) {  // while they are copied, both are held
        const std::size_t more = std::max(2 * candidates.capacity(), candidates.size() + words.size());
        if (!fits(more * sizeof(Candidate))) return ended(Descent::Ending::kMemory);
        candidates.reserve(more);
      }
      ++way.expanded;
      way.generated += words.size();
      for (std::uint32_t w = 0; w < words.size(); ++w) {
        const Word& word = words[w];
        float score = static_cast<float>(here[n].moves + word.moves.size());
        if (!word.moves.empty()) score -= static_cast<float>(pairs.saved(here[n].last, word.moves.front()));
        for (std::size_t k = level + 1; k < levels; ++k) score += alone[k * degree + word.image[places[k]]];
        candidates.push_back({score, n, w});
      }
    }
    // Keep the best candidates, and each state only once, with its shortest path.
    std::vector<Node> kept;
    next_at.clear();
    const std::size_t most = std::min(options.width, candidates.size());
    if (!fits(most * (sizeof(Node) + levels * sizeof(Point)) + Fingerprints::bytes_for(most)))
      return ended(Descent::Ending::kMemory);
    kept.reserve(most);
    next_at.reserve(most * levels);
    seen = Fingerprints(most);
    std::size_t sorted = 0;
    while (kept.size() < options.width && sorted < candidates.size()) {
      const std::size_t more = std::min(candidates.size(), sorted + 2 * options.width);
      std::nth_element(candidates.begin() + static_cast<std::ptrdiff_t>(sorted),
                       candidates.begin() + static_cast<std::ptrdiff_t>(more - 1), candidates.end());
      std::sort(candidates.begin() + static_cast<std::ptrdiff_t>(sorted),
                candidates.begin() + static_cast<std::ptrdiff_t>(more));
      for (; sorted < more && kept.size() < options.width; ++sorted) {
        if (pace.ends(levels)) return ended(Descent::Ending::kStopped);
        const Candidate& c = candidates[sorted];
        const Point* const places = at.data() + c.parent * levels;
        const Word& word = chain.words(level, places[level])[c.word];
        const std::size_t begin = next_at.size();
        std::uint64_t fingerprint = 0;
        for (std::size_t k = 0; k < levels; ++k) {
          const Point place = word.image[places[k]];
          next_at.push_back(place);
          fingerprint = (fingerprint + place + 1) * 0x9e3779b97f4a7c15u;
          fingerprint ^= fingerprint >> 29;
        }
        if (!seen.insert(fingerprint)) {
          next_at.resize(begin);
          continue;
        }
        const Node& from = here[c.parent];
        Node node{c.parent, c.word, from.moves, from.last};
        if (!word.moves.empty()) {
          node.moves += static_cast<std::uint32_t>(word.moves.size()) - pairs.saved(from.last, word.moves.front());
          node.last = word.moves.back();
        }
        kept.push_back(node);
      }
    }
    way.stored += kept.size();
    kept.shrink_to_fit();
    path_bytes += kept.capacity() * sizeof(Node);
    path.push_back(std::move(kept));
    at.swap(next_at);
  }

  // Every node of the last level is at the identity, so only one was kept.
  std::vector<std::uint32_t> choices(levels);
  std::uint32_t n = 0;
  std::size_t first = levels;
  for (; path[first][n].parent != kPartial; --first) {
    choices[first - 1] = path[first][n].word;
    n = path[first][n].parent;
  }
  way.moves = partials[path[first][n].word].moves;
  Permutation current = element;
  for (const std::uint8_t m : way.moves)
    for (Point& place : current) place = chain.generators()[m][place];
  for (std::size_t level = first; level < levels; ++level) {
    const Word& word = chain.words(level, current[chain.base()[level]])[choices[level]];
    way.moves.insert(way.moves.end(), word.moves.begin(), word.moves.end());
    for (Point& place : current) place = word.image[place];
  }
  for (std::size_t x = 0; x < degree; ++x)
    if (current[x] != x) throw std::invalid_argument("the element is not in the group of the chain");
  return ended(Descent::Ending::kDone);
}

}  // namespace hstar
