#include "anytime/word_chain.hpp"

#include <algorithm>
#include <memory_resource>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "anytime/fingerprints.hpp"
#include "base/splitmix.hpp"

namespace hstar {

namespace {

constexpr std::uint64_t kPlaces = 1 << 20;  // images looked up from one look whether to stop to the next

std::uint64_t mix(std::uint64_t x) noexcept { return SplitMix{x}(); }

Word product(const Word& a, const Word& b) {
  Word both{a.moves, hstar::product(a.image, b.image)};
  both.moves.insert(both.moves.end(), b.moves.begin(), b.moves.end());
  return both;
}

}  // namespace

// All distinct short words, in order of their length; a sphere is all words of one length.
struct WordChain::Halves {
  static constexpr unsigned kLongest = 8;
  std::vector<std::uint64_t> packed;  // move k of the word in byte k
  std::vector<std::size_t> first;     // index of each sphere's first word; then the number of words
  // Fingerprints of what each half and its inverse do to the base points of the levels so far.
  std::vector<std::uint64_t> forward, backward;

  Halves(const WordChain& chain, const HalfWords& kind, Pace& pace) {
    const unsigned longest_wanted = std::min(kind.longest, kLongest);
    const std::size_t degree = chain.generators_.front().size();
    const auto fingerprint = [](std::span<const Point> p) {
      std::uint64_t hash = 0;
      for (std::size_t x = 0; x < p.size(); ++x) hash += mix(x << 16 | p[x]);
      return hash;
    };
    std::vector<Point> sphere(degree), next, after(degree);  // the images of all places, word by word
    std::iota(sphere.begin(), sphere.end(), Point{0});
    Fingerprints seen(16);
    seen.insert(fingerprint(sphere));
    packed.push_back(0);
    first = {0, 1};
    for (unsigned length = 0; length < longest_wanted; ++length) {
      next.clear();
      for (std::size_t i = 0; i < sphere.size() / degree; ++i) {
        for (const std::uint8_t m : kind.moves) {
          pace.step(degree);
          for (std::size_t x = 0; x < degree; ++x) after[x] = chain.generators_[m][sphere[i * degree + x]];
          if (!seen.insert(fingerprint(after))) continue;
          packed.push_back(packed[first[length] + i] | std::uint64_t{m} << (8 * length));
          if (length + 1 < longest_wanted) next.insert(next.end(), after.begin(), after.end());
          if (packed.size() > kind.most) {  // drop the incomplete sphere
            packed.resize(first.back());
            settle();
            return;
          }
        }
      }
      if (packed.size() == first.back()) break;
      first.push_back(packed.size());
      sphere.swap(next);
    }
    settle();
  }

  void settle() {
    forward.assign(packed.size(), 0);
    backward.assign(packed.size(), 0);
  }
  // Adds to the fingerprints what the halves do to the base point of `level`.
  void descend(const WordChain& chain, std::size_t level, Pace& pace) {
    for (unsigned length = 0; length <= longest(); ++length)
      for (std::size_t i = first[length]; i < first[length + 1]; ++i) {
        pace.step(2 * length + 2);
        const std::uint64_t tag = std::uint64_t{level} << 32;
        forward[i] += mix(tag | chain.image_under(packed[i], length, chain.base_[level]));
        backward[i] += mix(tag | chain.image_back(packed[i], length, chain.base_[level]));
      }
  }
  unsigned longest() const noexcept { return static_cast<unsigned>(first.size() - 2); }
};

// Checks the generators and the base, and finds how many places each level must have words for.
void WordChain::prepare(const std::vector<Permutation>& generators, const Stop& stop) {
  if (generators.empty() || generators.size() > 255)
    throw std::invalid_argument("expected 1 to 255 generators, found " + std::to_string(generators.size()));
  const std::size_t degree = generators.front().size();
  std::vector<Point> renamed(degree), order(base_);
  std::vector<bool> listed(degree);
  for (const Point point : base_) {
    if (point >= degree || listed[point])
      throw std::invalid_argument("place " + std::to_string(point) + " of the base does not exist or appears twice");
    listed[point] = true;
  }
  for (std::size_t x = 0; x < degree; ++x)
    if (!listed[x]) order.push_back(static_cast<Point>(x));
  for (std::size_t i = 0; i < degree; ++i) renamed[order[i]] = static_cast<Point>(i);
  std::vector<Permutation> with_base_first;
  for (const Permutation& generator : generators) {
    if (generator.size() != degree) throw std::invalid_argument("the generators differ in degree");
    Permutation other(degree);
    for (std::size_t x = 0; x < degree; ++x) {
      if (generator[x] >= degree) throw std::invalid_argument("a generator is not one-to-one");
      other[renamed[x]] = renamed[generator[x]];
    }
    inverses_.push_back(inverse_of(generator));
    with_base_first.push_back(std::move(other));
  }
  const PermutationGroup group(with_base_first, {std::uint64_t{1} << 29, 0}, stop);
  for (std::size_t i = base_.size(); i < degree; ++i)
    if (group.orbit_size(i) > 1) throw std::invalid_argument("the base does not fix place " + std::to_string(order[i]));
  levels_.resize(base_.size());
  for (std::size_t level = 0; level < base_.size(); ++level) {
    levels_[level].words.resize(degree);
    levels_[level].orbit = group.orbit_size(level);
  }
}

WordChain::WordChain(const std::vector<Permutation>& generators, std::vector<Point> base,
                     const std::vector<HalfWords>& kinds, const WordLimits& limits, const Stop& stop)
    : generators_(generators), base_(std::move(base)) {
  try {
    prepare(generators, stop);
    complete_ = build(kinds, limits, stop);
  } catch (const Stopped&) {
  }
}

WordChain::WordChain(const std::vector<Permutation>& generators, std::vector<Point> base,
                     std::span<const std::uint8_t> text, const Stop& stop)
    : generators_(generators), base_(std::move(base)) {
  try {
    prepare(generators, stop);
    read(text, stop);
    complete_ = true;
  } catch (const Stopped&) {
  }
}

bool WordChain::build(const std::vector<HalfWords>& kinds, const WordLimits& limits, const Stop& stop) {
  Pace pace(stop, kPlaces);
  std::vector<Halves> halves;
  for (const HalfWords& kind : kinds) {
    for (const std::uint8_t m : kind.moves)
      if (m >= generators_.size()) throw std::invalid_argument("there is no generator " + std::to_string(m));
    halves.emplace_back(*this, kind, pace);
  }
  for (std::size_t level = 0; level < base_.size(); ++level) {
    add(level, made_of({}), limits.words);
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (level >= kinds[k].from_level && !match(level, halves[k], limits, pace)) return false;
      halves[k].descend(*this, level, pace);
    }
    compose(level, pace);
    if (!fill_at_random(level, limits, pace)) return false;
  }
  return true;
}

void WordChain::read(std::span<const std::uint8_t> text, const Stop& stop) {
  Pace pace(stop, kPlaces);
  const auto refuse = [] { throw std::invalid_argument("the text does not hold words of this chain"); };
  for (std::size_t at = 0; at < text.size();) {
    if (text.size() - at < 6) refuse();
    const auto number = [&](std::size_t bytes) {
      std::size_t value = 0;
      for (std::size_t k = 0; k < bytes; ++k) value |= std::size_t{text[at++]} << (8 * k);
      return value;
    };
    const std::size_t level = number(2), length = number(4);
    if (level >= base_.size() || text.size() - at < length) refuse();
    pace.step((length + 4) * generators_.front().size());
    for (const std::uint8_t m : text.subspan(at, length))
      if (m >= generators_.size()) refuse();
    Word word = made_of(text.subspan(at, length));
    at += length;
    for (std::size_t above = 0; above < level; ++above)
      if (word.image[base_[above]] != base_[above]) refuse();
    add(level, std::move(word), ~std::size_t{0});
  }
  for (std::size_t level = 0; level < base_.size(); ++level)
    if (covered(level) != levels_[level].orbit) refuse();
}

std::vector<std::uint8_t> WordChain::text() const {
  std::vector<std::uint8_t> all;
  for (std::size_t level = 0; level < levels_.size(); ++level)
    for (const auto& words : levels_[level].words)
      for (const Word& word : words) {
        for (unsigned k = 0; k < 2; ++k) all.push_back(level >> (8 * k) & 255);
        for (unsigned k = 0; k < 4; ++k) all.push_back(word.moves.size() >> (8 * k) & 255);
        all.insert(all.end(), word.moves.begin(), word.moves.end());
      }
  return all;
}

Word WordChain::made_of(std::span<const std::uint8_t> moves) const {
  Word word{{moves.begin(), moves.end()}, Permutation(generators_.front().size())};
  std::iota(word.image.begin(), word.image.end(), Point{0});
  for (const std::uint8_t m : moves)
    for (Point& x : word.image) x = generators_[m][x];
  return word;
}

// Stores a word that fixes the base points of the levels before `level`. False if its place has `most` words, or one
// with the same effect, that are not longer.
bool WordChain::add(std::size_t level, Word word, std::size_t most) {
  Point place = 0;
  while (word.image[place] != base_[level]) ++place;
  std::vector<Word>& here = levels_[level].words[place];
  if (here.size() >= most && here.back().moves.size() <= word.moves.size()) return false;
  for (const Word& other : here)
    if (other.image == word.image && other.moves.size() <= word.moves.size()) return false;
  const auto at = std::upper_bound(here.begin(), here.end(), word, [](const Word& a, const Word& b) {
    return a.moves.size() < b.moves.size();
  });
  const auto size = [](const Word& one) { return sizeof one + one.moves.size() + one.image.size() * sizeof(Point); };
  bytes_ += size(word);
  here.insert(at, std::move(word));
  if (here.size() > most) {
    bytes_ -= size(here.back());
    here.pop_back();
  }
  return true;
}

std::size_t WordChain::covered(std::size_t level) const noexcept {
  return static_cast<std::size_t>(std::count_if(levels_[level].words.begin(), levels_[level].words.end(),
                                                [](const auto& w) { return !w.empty(); }));
}

Point WordChain::image_under(std::uint64_t packed, unsigned length, Point x) const noexcept {
  for (unsigned k = 0; k < length; ++k) x = generators_[packed >> (8 * k) & 255][x];
  return x;
}

Point WordChain::image_back(std::uint64_t packed, unsigned length, Point x) const noexcept {
  for (unsigned k = length; k-- > 0;) x = inverses_[packed >> (8 * k) & 255][x];
  return x;
}

// Words made of two halves, shortest first, until every place has enough words or enough pairs have been looked at.
bool WordChain::match(std::size_t level, Halves& halves, const WordLimits& limits, Pace& pace) {
  std::vector<std::uint8_t> moves;
  std::uint64_t looked_at = 0;
  std::size_t full = 0;
  std::vector<bool> is_full(generators_.front().size());
  const unsigned longest = halves.longest();
  std::pmr::monotonic_buffer_resource pool;  // a hundred thousand blocks would take 20 ms to free
  std::pmr::unordered_multimap<std::uint64_t, std::size_t> by_print(&pool);
  unsigned in_table = ~0u;
  for (unsigned length = 1; length <= 2 * longest && looked_at < limits.matches && full < levels_[level].orbit;
       ++length) {
    const unsigned second = length / 2, first = length - second;
    if (second != in_table) {
      by_print.clear();
      by_print.reserve(halves.first[second + 1] - halves.first[second]);
      for (std::size_t c = halves.first[second]; c < halves.first[second + 1]; ++c) {
        pace.step(64);
        by_print.emplace(halves.backward[c], c);
      }
      in_table = second;
    }
    for (std::size_t a = halves.first[first]; a < halves.first[first + 1] && looked_at < limits.matches; ++a) {
      pace.step(16);
      if (a % 1024 == 0 && bytes_ > limits.bytes) return false;
      const auto [begin, end] = by_print.equal_range(halves.forward[a]);
      for (auto match = begin; match != end && looked_at < limits.matches; ++match) {
        ++looked_at;
        const std::uint64_t c = halves.packed[match->second];
        const Point place = image_back(halves.packed[a], first, image_back(c, second, base_[level]));
        if (is_full[place]) continue;
        moves.clear();
        for (unsigned k = 0; k < first; ++k) moves.push_back(halves.packed[a] >> (8 * k) & 255);
        for (unsigned k = 0; k < second; ++k) moves.push_back(c >> (8 * k) & 255);
        pace.step((moves.size() + limits.words) * is_full.size());
        Word word = made_of(moves);
        const bool fixes = std::all_of(base_.begin(), base_.begin() + static_cast<std::ptrdiff_t>(level),
                                       [&](Point b) { return word.image[b] == b; });
        if (!fixes || !add(level, std::move(word), limits.words)) continue;
        if (levels_[level].words[place].size() >= limits.words) {
          is_full[place] = true;
          ++full;
        }
      }
    }
  }
  return true;
}

// Gives each place without a word the shortest product of words of the same level (Dijkstra).
void WordChain::compose(std::size_t level, Pace& pace) {
  Level& here = levels_[level];
  if (covered(level) == here.orbit) return;
  std::vector<const Word*> steps;
  for (const auto& words : here.words)
    for (const Word& word : words) steps.push_back(&word);
  const std::size_t degree = here.words.size();
  constexpr std::size_t kFar = ~std::size_t{0};
  std::vector<std::size_t> cost(degree, kFar);
  std::vector<const Word*> step(degree, nullptr);
  std::vector<bool> done(degree);
  cost[base_[level]] = 0;
  while (true) {
    std::size_t at = degree;
    for (std::size_t x = 0; x < degree; ++x)
      if (!done[x] && cost[x] != kFar && (at == degree || cost[x] < cost[at])) at = x;
    if (at == degree) break;
    done[at] = true;
    for (const Word* word : steps) {
      pace.step(degree);
      for (std::size_t from = 0; from < degree; ++from)
        if (word->image[from] == at && cost[at] + word->moves.size() < std::min(cost[from], kMostMoves)) {
          cost[from] = cost[at] + word->moves.size();
          step[from] = word;
        }
    }
  }
  std::vector<Word> made;
  for (std::size_t x = 0; x < degree; ++x) {
    if (!here.words[x].empty() || cost[x] == kFar) continue;
    Word word = made_of({});
    for (std::size_t at = x; at != base_[level]; at = step[at]->image[at]) {
      pace.step(word.moves.size() + degree);
      word = product(word, *step[at]);
    }
    made.push_back(std::move(word));
  }
  for (Word& word : made) add(level, std::move(word), 1);
}

// Sifts random words through the levels before this one, until all places have a word.
bool WordChain::fill_at_random(std::size_t level, const WordLimits& limits, Pace& pace) {
  std::uint64_t state = level;
  while (covered(level) < levels_[level].orbit) {
    if (bytes_ > limits.bytes) return false;
    std::vector<std::uint8_t> moves;
    // Several lengths: if all moves are odd permutations, the words of one length are all even or all odd.
    for (std::uint64_t k = 20 + mix(++state) % 8; k > 0; --k)
      moves.push_back(static_cast<std::uint8_t>(mix(++state) % generators_.size()));
    pace.step(moves.size() * generators_.front().size());
    Word word = made_of(moves);
    for (std::size_t above = 0; above < level; ++above) {
      const Word& next = levels_[above].words[word.image[base_[above]]].front();
      if (word.moves.size() + next.moves.size() > kMostMoves) return false;
      pace.step(word.moves.size() + word.image.size());
      word = product(word, next);
    }
    if (add(level, std::move(word), 1)) compose(level, pace);
  }
  return true;
}

}  // namespace hstar
