#include "anytime/stage_search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <stdexcept>

#include "anytime/fingerprints.hpp"
#include "anytime/move_pairs.hpp"
#include "base/parallel.hpp"

namespace hstar {

namespace {

constexpr std::size_t kBlock = 256;             // states that a thread expands at a time
constexpr std::uint32_t kScores = 1u << 18;     // higher scores are compared without their lowest bits
// For each state of the beam's width: the endings of a perimeter before the last one, the states that are looked up for
// them, and those for the last one.
constexpr std::size_t kEndings = 2, kLookedUp = 1000, kLastLookedUp = 3000;

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
  std::uint64_t bytes() const noexcept {
    return paths.capacity() * sizeof paths[0] + places.capacity() * sizeof places[0];
  }
};

struct Candidate {
  std::uint64_t print;
  std::uint32_t score, from;
  std::uint8_t move;
};

class StageSearch {
 public:
  StageSearch(const PieceTriples& triples, const StageOptions& options, const Limits& limits,
              const Stop& stop, Descent& way)
      : triples_(triples), options_(options), limits_(limits), stop_(stop), way_(way), pairs_(triples.generators()),
        degree_(triples.slots().size()), keys_(fingerprint_keys(triples.base().size(), degree_)),
        turned_(triples.generators().size()), words_((turned_.size() + 63) / 64), turning_(degree_ * words_, 0),
        after_(degree_ * turned_.size()) {
    for (std::size_t m = 0; m < turned_.size(); ++m)
      for (std::size_t x = 0; x < degree_; ++x) {
        const Point after = after_[x * turned_.size() + m] = triples.generators()[m][x];
        if (after == x) continue;
        turning_[x * words_ + m / 64] |= std::uint64_t{1} << (m % 64);
        if (triples.slots()[x] == x) turned_[m].push_back(static_cast<Point>(x));
      }
  }

  std::vector<Partial> run(const Permutation& element) {
    std::map<std::size_t, Layer> seeds;
    const auto begin = [&](const Permutation& start) {
      std::vector<Point> places;
      for (const Point home : triples_.base()) places.push_back(start[home]);
      seeds[0].add(static_cast<std::uint32_t>(paths_.size()), places);
      paths_.push_back({});
    };
    begin(element);
    if (options_.samples != nullptr)
      for (const Permutation& start : options_.samples->starts) begin(start);
    std::vector<std::pair<std::size_t, std::vector<std::uint32_t>>> solved;  // by stage: its level and its paths
    for (const std::size_t level : options_.levels) {
      std::map<std::size_t, Layer> found;
      width_ = options_.width;
      if (!stage(level, seeds, found)) return {};
      if (found.empty() && options_.wider > 1) {  // again, wider: one stage costs less than a new beam
        width_ *= options_.wider;
        if (!stage(level, seeds, found)) return {};
      }
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
    aim_at(level);
    Layer layer;
    for (const auto& [moves, more] : seeds)
      for (std::size_t n = 0; n < more.paths.size(); ++n) layer.add(more.paths[n], more.at(n));
    std::size_t solutions = 0;
    std::size_t last = options_.patience;
    if (ranking_ != nullptr && options_.samples == nullptr) last = StageRanking::kPatience;
    for (std::size_t moves = 0; moves <= last && !layer.paths.empty(); ++moves) {
      Layer open;
      for (std::size_t n = 0; n < layer.paths.size(); ++n) {
        if (!solved(layer.at(n).data())) {
          open.add(layer.paths[n], layer.at(n));
          continue;
        }
        if (found.empty()) last = std::min(last, moves + options_.later);
        found[paths_[layer.paths[n]].moves].add(layer.paths[n], layer.at(n));
        ++solutions;
      }
      if (solutions >= 4 * width_) break;
      if (moves < last && !expand(open)) return false;
      layer = std::move(open);
      if (moves < last && ranking_ != nullptr && options_.samples != nullptr) sample(layer, moves + 1);
    }
    return true;
  }

  // As chance has it, the same each time.
  void sample(const Layer& layer, std::size_t depth) const {
    StageSamples& samples = *options_.samples;
    for (std::size_t i = 0; i < samples.of_layer && !layer.paths.empty(); ++i) {
      const auto at = layer.at(keys_[(samples.depths.size() * 7919 + depth) % keys_.size()] % layer.paths.size());
      samples.depths.push_back(static_cast<std::uint32_t>(depth));
      samples.places.insert(samples.places.end(), at.begin(), at.end());
    }
  }

  // Chooses the triples that are to come home.
  void aim_at(std::size_t level) {
    ranking_ = options_.ranking != nullptr && options_.ranking->pieces() == level ? options_.ranking : nullptr;
    const auto among = triples_.among(level);
    wanted_.assign(among.begin(), among.end());
    if (level == triples_.ending()) wanted_.insert(wanted_.end(), triples_.regions().begin(), triples_.regions().end());
  }

  bool solved(const Point* places) const noexcept {
    return std::all_of(wanted_.begin(), wanted_.end(),
                       [&](const auto& triple) { return triple.distance(places) == 0; });
  }

  // What a thread needs to expand states.
  struct Scratch {
    std::vector<std::uint32_t> squares;   // by move: of the distances after it
    std::vector<std::uint32_t> piece_in;  // by first place of a slot
  };

  // The sum of the squares of the distances of all triples after each move.
  void add_up(const Point* at, std::vector<std::uint32_t>& squares) const {
    std::uint32_t now = 0;
    std::ranges::fill(squares, 0);  // what each move adds
    for (const PieceTriples::Triple& triple : wanted_) {
      std::array<const Point*, 3> after;
      std::array<const std::uint64_t*, 3> turning;
      for (std::size_t i = 0; i < 3; ++i) {
        const Point place = at[triple.piece[i]];
        after[i] = after_.data() + place * turned_.size();
        turning[i] = turning_.data() + place * words_;
      }
      const std::uint32_t before = triple.distance(at), square = before * before;
      now += square;
      for (std::size_t w = 0; w < words_; ++w)
        for (std::uint64_t left = turning[0][w] | turning[1][w] | turning[2][w]; left != 0; left &= left - 1) {
          const std::size_t m = 64 * w + static_cast<std::size_t>(std::countr_zero(left));
          std::uint32_t number = 0;
          for (std::size_t i = 0; i < 3; ++i) number += triple.entry[i][after[i][m]];
          const std::uint32_t moves = triple.distances[number];
          squares[m] += moves * moves - square;
        }
    }
    for (std::uint32_t& square : squares) square += now;
  }

  // Appends the successors of states begin to end of a layer.
  void expand(const Layer& layer, std::size_t begin, std::size_t end, Scratch& own, std::vector<Candidate>& to) const {
    const std::vector<Permutation>& generators = triples_.generators();
    const std::size_t pieces = triples_.base().size();
    own.squares.resize(generators.size());
    for (std::size_t n = begin; n < end; ++n) {
      const std::span<const Point> at = layer.at(n);
      own.piece_in.assign(degree_, static_cast<std::uint32_t>(pieces));  // slots without a piece of the base
      std::uint64_t print = 0;
      for (std::uint32_t k = 0; k < pieces; ++k) {
        print ^= keys_[k * degree_ + at[k]];
        own.piece_in[triples_.slots()[at[k]]] = k;
      }
      const Link& path = paths_[layer.paths[n]];
      StageRanking::Sums sums{}, moved{};  // of the state, and after a move
      if (ranking_ != nullptr) sums = ranking_->sums(at.data());
      add_up(at.data(), own.squares);
      for (std::uint8_t m = 0; m < generators.size(); ++m) {
        if (pairs_.saved(path.move, m) > 0) continue;
        Candidate next{print, own.squares[m], static_cast<std::uint32_t>(n), m};
        moved = sums;
        for (const Point slot : turned_[m]) {
          const std::uint32_t k = own.piece_in[slot];
          if (k == pieces) continue;
          const Point after = generators[m][at[k]];
          next.print ^= keys_[k * degree_ + at[k]] ^ keys_[k * degree_ + after];
          if (ranking_ != nullptr && k < ranking_->pieces()) ranking_->move(moved, k, at[k], after);
        }
        if (ranking_ != nullptr)
          next.score =
              StageRanking::kSquare * next.score + ranking_->score(moved) + StageRanking::kMove * (path.moves + 1u);
        else
          next.score += options_.weight * (path.moves + 1u);
        to.push_back(next);
      }
    }
  }

  // Replaces the states by the best of their successors. False if a limit was reached.
  bool expand(Layer& layer) {
    // As many states as the limits allow.
    const std::uint64_t moves = triples_.generators().size(), of_expanded = limits_.expanded - way_.expanded;
    const std::uint64_t of_generated = (limits_.generated - way_.generated) / moves;
    const std::size_t states = std::min({std::uint64_t{layer.paths.size()}, of_expanded, of_generated});
    found_.resize((states + kBlock - 1) / kBlock);
    std::atomic<bool> stopped = false;
    std::atomic<std::size_t> next{0};
    on_threads(states < 4 * kBlock ? 1 : options_.threads, [&] {
      Scratch own;
      for (std::size_t block; (block = next.fetch_add(1)) < found_.size() && !stopped;) {
        if (stop_.requested()) stopped = true;
        found_[block].clear();
        expand(layer, block * kBlock, std::min(states, (block + 1) * kBlock), own, found_[block]);
      }
    });
    if (stopped) return ended(Descent::Ending::kStopped);
    way_.expanded += states;
    std::uint64_t candidates = 0;
    for (const auto& block : found_) {
      way_.generated += block.size();
      candidates += block.capacity();
    }
    if (states < layer.paths.size())
      return ended(states == of_expanded ? Descent::Ending::kExpanded : Descent::Ending::kGenerated);
    Layer kept = best_of(layer);
    way_.stored += kept.paths.size();
    // Seeds of a stage are at most four times as many states as a layer has.
    way_.peak_bytes =
        std::max(way_.peak_bytes, layer.bytes() + 9 * kept.bytes() + paths_.capacity() * sizeof(Link) +
                                      (candidates + sorted_.capacity()) * sizeof(Candidate) + sorting_bytes_);
    if (way_.peak_bytes > limits_.memory_bytes) return ended(Descent::Ending::kMemory);
    layer = std::move(kept);
    return true;
  }

  // The best of the successors of a layer, each state once: in the order of their scores, then in that in which they
  // were found (a counting sort).
  Layer best_of(const Layer& layer) {
    std::uint32_t highest = 0;
    for (const auto& block : found_)
      for (const Candidate& one : block) highest = std::max(highest, one.score);
    const auto bits = static_cast<int>(std::bit_width(highest));
    const int shift = std::max(0, bits - static_cast<int>(std::bit_width(kScores - 1)));
    std::vector<std::size_t> first((highest >> shift) + 2, 0);
    for (const auto& block : found_)
      for (const Candidate& one : block) ++first[(one.score >> shift) + 1];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    Layer kept;
    Fingerprints seen(2 * width_);  // never more than are kept
    sorting_bytes_ = seen.bytes() + first.capacity() * sizeof first[0];
    std::vector<Point> after(triples_.base().size());
    for (std::size_t begin = 0; begin + 1 < first.size() && kept.paths.size() < width_;) {
      std::size_t end = begin + 1;  // scores: enough of them for some more states than are wanted
      while (end + 1 < first.size() && first[end] - first[begin] < width_ + width_ / 2) ++end;
      sorted_.resize(first[end] - first[begin]);
      std::vector<std::size_t> place(first.begin() + static_cast<std::ptrdiff_t>(begin),
                                     first.begin() + static_cast<std::ptrdiff_t>(end));
      for (const auto& block : found_)
        for (const Candidate& one : block)
          if (const std::size_t s = one.score >> shift; s >= begin && s < end)
            sorted_[place[s - begin]++ - first[begin]] = one;
      for (const Candidate& best : sorted_) {
        if (kept.paths.size() == width_) break;
        if (!seen.insert(best.print)) continue;
        const std::span<const Point> at = layer.at(best.from);
        for (std::size_t k = 0; k < at.size(); ++k) after[k] = triples_.generators()[best.move][at[k]];
        kept.add(static_cast<std::uint32_t>(paths_.size()), after);
        const std::uint32_t before = layer.paths[best.from];
        paths_.push_back({before, static_cast<std::uint16_t>(paths_[before].moves + 1), best.move});
      }
      begin = end;
    }
    return kept;
  }

  bool ended(Descent::Ending why) {
    way_.ending = why;
    return false;
  }

  std::vector<std::uint8_t> moves_of(std::uint32_t path) const {
    std::vector<std::uint8_t> moves;
    for (; paths_[path].move != MovePairs::kNoMove; path = paths_[path].before) moves.push_back(paths_[path].move);
    std::reverse(moves.begin(), moves.end());
    return moves;
  }

  const PieceTriples& triples_;
  const StageOptions& options_;
  const Limits& limits_;
  const Stop& stop_;
  Descent& way_;
  MovePairs pairs_;
  std::size_t degree_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::vector<Point>> turned_;  // by move: the first places of the slots that it turns
  const std::size_t words_;                 // of 64 moves
  std::vector<std::uint64_t> turning_;      // by place: the moves that turn it
  std::vector<Point> after_;                // by place and move
  const StageRanking* ranking_ = nullptr;  // of this stage
  std::vector<PieceTriples::Triple> wanted_;
  std::size_t width_ = 0;            // of this stage
  std::vector<Link> paths_;
  std::vector<std::vector<Candidate>> found_;  // by block of states
  std::vector<Candidate> sorted_;
  std::uint64_t sorting_bytes_ = 0;  // of the rest that sorting took
};

}  // namespace

std::vector<Partial> search_stages(const PieceTriples& triples, const Permutation& element, const StageOptions& options,
                                   const Limits& limits, const Stop& stop, Descent& way) {
  if (!triples.complete()) throw std::invalid_argument("the tables of triples are not complete");
  if (element.size() != triples.generators().front().size())
    throw std::invalid_argument("the element and the tables differ in degree");
  if (options.ranking != nullptr && options.ranking->degree() != element.size())
    throw std::invalid_argument("the element and the ranking differ in degree");
  std::size_t before = 0;
  for (const std::size_t level : options.levels) {
    if (level <= before || level >= triples.base().size())
      throw std::invalid_argument("the levels of the stages are not in ascending order within the base");
    before = level;
  }
  return StageSearch(triples, options, limits, stop, way).run(element);
}

Descent descend_in_stages(const PieceTriples& triples, const WordChain& chain, const Permutation& element,
                          const StageOptions& options, const ChainSearchOptions& after, const Stop& stop,
                          std::span<const Perimeter* const> perimeters) {
  if (!std::equal(triples.base().begin(), triples.base().end(), chain.base().begin(), chain.base().end()))
    throw std::invalid_argument("the tables of triples and the chain differ in their base");
  Descent way;
  way.ending = Descent::Ending::kDone;
  StageOptions staged = options;
  if (!perimeters.empty()) {
    const std::size_t ending = perimeters.front()->level();
    std::erase_if(staged.levels, [&](std::size_t level) { return level >= ending; });
    staged.levels.push_back(ending);
  }
  const std::vector<Partial> partials = search_stages(triples, element, staged, after.limits, stop, way);
  if (way.ending != Descent::Ending::kDone) return way;
  std::vector<Partial> ends;
  for (const Perimeter* perimeter : perimeters) {
    EndingOptions wanted{1, kLastLookedUp * options.width, options.threads};
    if (perimeter != perimeters.back()) wanted = {kEndings * options.width, kLookedUp * options.width, options.threads};
    ends = shortest_endings(*perimeter, element, perimeter == perimeters.front() ? partials : ends, wanted,
                            after.limits, stop, way);
    if (way.ending != Descent::Ending::kDone) return way;
  }
  if (!ends.empty()) {
    way.moves = std::move(ends.front().moves);
    return way;
  }
  ChainSearchOptions left = after;
  left.limits.expanded -= way.expanded;
  left.limits.generated -= way.generated;
  Descent rest = descend(chain, element, left, stop, partials);
  rest.expanded += way.expanded;
  rest.generated += way.generated;
  rest.stored = std::max(rest.stored, way.stored);
  rest.peak_bytes = std::max(rest.peak_bytes, way.peak_bytes);
  return rest;
}

}  // namespace hstar
