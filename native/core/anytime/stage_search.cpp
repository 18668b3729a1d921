#include "anytime/stage_search.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_set>

#include "anytime/move_pairs.hpp"

namespace hstar {

namespace {

// The end of a path: the index of the path before it, how many moves it has, and its last move.
struct Link {
  std::uint32_t before = 0;
  std::uint16_t moves = 0;
  std::uint8_t move = MovePairs::kNoMove;
};

// States of a stage after one number of its moves: for each in turn, its path and the places of all pieces.
struct Layer {
  std::vector<std::uint32_t> paths;
  std::vector<Point> places;

  void add(std::uint32_t path, std::span<const Point> at) {
    paths.push_back(path);
    places.insert(places.end(), at.begin(), at.end());
  }
  std::span<const Point> at(std::size_t n) const noexcept {
    const std::size_t pieces = places.size() / paths.size();
    return {places.data() + n * pieces, pieces};
  }
  std::uint64_t bytes() const noexcept { return paths.capacity() * sizeof paths[0] + places.capacity() * sizeof places[0]; }
};

struct Candidate {
  std::uint32_t score, from;
  std::uint8_t move;
  bool operator<(const Candidate& other) const noexcept {
    return score != other.score ? score < other.score : from != other.from ? from < other.from : move < other.move;
  }
};

class StageSearch {
 public:
  StageSearch(const PieceTriples& triples, const StageOptions& options, const ChainSearchOptions& limits,
              const WordChain::Stop& stop, Descent& way)
      : triples_(triples), options_(options), limits_(limits), stop_(stop), way_(way), pairs_(triples.generators()),
        after_(triples.base().size()) {}

  std::vector<Partial> run(const Permutation& element) {
    std::vector<Point> places;
    for (const Point home : triples_.base()) places.push_back(element[home]);
    paths_ = {Link{}};
    std::map<std::size_t, Layer> seeds;
    seeds[0].add(0, places);
    std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> solved;  // by stage: its level and its paths
    for (const std::size_t level : options_.levels) {
      std::map<std::size_t, Layer> found;
      if (!stage(level, seeds, found)) return {};
      if (found.empty()) break;
      auto& [reached, ends] = solved.emplace_back(level, std::vector<std::uint32_t>{});
      for (const auto& [moves, layer] : found)
        for (const std::uint32_t path : layer.paths)
          if (ends.size() < options_.width) ends.push_back(path);
      seeds = std::move(found);
    }
    std::vector<Partial> partials;
    for (std::size_t s = solved.size() - std::min(solved.size(), options_.returned); s < solved.size(); ++s)
      for (const std::uint32_t path : solved[s].second) partials.push_back({solved[s].first, moves_of(path)});
    return partials;
  }

 private:
  // Brings the seeds, by number of moves, to the level. False if a limit was reached.
  bool stage(std::size_t level, const std::map<std::size_t, Layer>& seeds, std::map<std::size_t, Layer>& found) {
    Layer layer;
    for (const auto& [moves, more] : seeds)
      for (std::size_t n = 0; n < more.paths.size(); ++n) layer.add(more.paths[n], more.at(n));
    std::size_t solutions = 0;
    std::size_t last = options_.patience;
    for (std::size_t moves = 0; moves <= last && !layer.paths.empty(); ++moves) {
      Layer open;
      for (std::size_t n = 0; n < layer.paths.size(); ++n) {
        if (triples_.distance(layer.at(n).data(), level) != 0) {
          open.add(layer.paths[n], layer.at(n));
          continue;
        }
        if (found.empty()) last = std::min(last, moves + options_.later);
        found[paths_[layer.paths[n]].moves].add(layer.paths[n], layer.at(n));
        ++solutions;
      }
      if (solutions >= 4 * options_.width) break;
      if (moves < last && !expand(level, open)) return false;
      layer = std::move(open);
    }
    return true;
  }

  // Replaces the states by the best of their successors. False if a limit was reached.
  bool expand(std::size_t level, Layer& layer) {
    const std::vector<Permutation>& generators = triples_.generators();
    candidates_.clear();
    for (std::uint32_t n = 0; n < layer.paths.size(); ++n) {
      if (n % 128 == 0 && stop_()) return ended(Descent::Ending::kStopped);
      if (way_.expanded == limits_.max_expanded) return ended(Descent::Ending::kExpanded);
      if (generators.size() > limits_.max_generated - way_.generated) return ended(Descent::Ending::kGenerated);
      ++way_.expanded;
      const std::uint8_t before = paths_[layer.paths[n]].move;
      const std::uint32_t given = options_.weight * paths_[layer.paths[n]].moves;
      const std::span<const Point> at = layer.at(n);
      for (std::uint8_t m = 0; m < generators.size(); ++m) {
        if (pairs_.saved(before, m) > 0) continue;
        ++way_.generated;
        for (std::size_t k = 0; k < level; ++k) after_[k] = generators[m][at[k]];
        candidates_.push_back({triples_.distance(after_.data(), level) + given, n, m});
      }
    }
    Layer kept;
    seen_.clear();
    std::size_t sorted = 0;
    while (kept.paths.size() < options_.width && sorted < candidates_.size()) {
      const auto begin = candidates_.begin() + static_cast<std::ptrdiff_t>(sorted);
      const std::size_t more = std::min(candidates_.size(), sorted + 2 * options_.width);
      const auto end = candidates_.begin() + static_cast<std::ptrdiff_t>(more);
      std::nth_element(begin, end - 1, candidates_.end());
      std::sort(begin, end);
      for (; sorted < more && kept.paths.size() < options_.width; ++sorted) {
        const Candidate& best = candidates_[sorted];
        const std::span<const Point> at = layer.at(best.from);
        std::uint64_t fingerprint = 0;
        for (std::size_t k = 0; k < at.size(); ++k) {
          after_[k] = generators[best.move][at[k]];
          fingerprint = (fingerprint + after_[k] + 1) * 0x9e3779b97f4a7c15u;
          fingerprint ^= fingerprint >> 29;
        }
        if (!seen_.insert(fingerprint).second) continue;
        kept.add(static_cast<std::uint32_t>(paths_.size()), after_);
        const std::uint32_t before = layer.paths[best.from];
        paths_.push_back({before, static_cast<std::uint16_t>(paths_[before].moves + 1), best.move});
      }
    }
    way_.stored += kept.paths.size();
    // Seeds of a stage are at most four times as many states as a layer has.
    way_.peak_bytes = std::max(way_.peak_bytes, layer.bytes() + 9 * kept.bytes() + paths_.capacity() * sizeof(Link) +
                                                    candidates_.capacity() * sizeof(Candidate) + 32 * seen_.size());
    if (way_.peak_bytes > limits_.memory_bytes) return ended(Descent::Ending::kMemory);
    layer = std::move(kept);
    return true;
  }

  bool ended(Descent::Ending why) {
    way_.ending = why;
    return false;
  }

  std::vector<std::uint8_t> moves_of(std::uint32_t path) const {
    std::vector<std::uint8_t> moves;
    for (; path != 0; path = paths_[path].before) moves.push_back(paths_[path].move);
    std::reverse(moves.begin(), moves.end());
    return moves;
  }

  const PieceTriples& triples_;
  const StageOptions& options_;
  const ChainSearchOptions& limits_;
  const WordChain::Stop& stop_;
  Descent& way_;
  MovePairs pairs_;
  std::vector<Point> after_;
  std::vector<Link> paths_;
  std::vector<Candidate> candidates_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace

std::vector<Partial> search_stages(const PieceTriples& triples, const Permutation& element, const StageOptions& options,
                                   const ChainSearchOptions& limits, const WordChain::Stop& stop, Descent& way) {
  if (!triples.complete()) throw std::invalid_argument("the tables of triples are not complete");
  if (element.size() != triples.generators().front().size())
    throw std::invalid_argument("the element and the tables differ in degree");
  std::size_t before = 0;
  for (const std::size_t level : options.levels) {
    if (level <= before || level >= triples.base().size())
      throw std::invalid_argument("the levels of the stages are not in ascending order within the base");
    before = level;
  }
  return StageSearch(triples, options, limits, stop, way).run(element);
}

Descent descend_in_stages(const PieceTriples& triples, const WordChain& chain, const Permutation& element,
                          const StageOptions& options, const ChainSearchOptions& limits, const WordChain::Stop& stop) {
  if (!std::equal(triples.base().begin(), triples.base().end(), chain.base().begin(), chain.base().end()))
    throw std::invalid_argument("the tables of triples and the chain differ in their base");
  Descent way;
  way.ending = Descent::Ending::kDone;
  const std::vector<Partial> partials = search_stages(triples, element, options, limits, stop, way);
  if (way.ending != Descent::Ending::kDone) return way;
  ChainSearchOptions left = limits;
  left.max_expanded -= way.expanded;
  left.max_generated -= way.generated;
  Descent rest = descend(chain, element, left, stop, partials);
  rest.expanded += way.expanded;
  rest.generated += way.generated;
  rest.stored = std::max(rest.stored, way.stored);
  rest.peak_bytes = std::max(rest.peak_bytes, way.peak_bytes);
  return rest;
}

}  // namespace hstar
