#include "anytime/insertions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/splitmix.hpp"

namespace hstar {

namespace {

constexpr std::size_t kMostMoves = 255, kMostOrbits = 64, kMostPieces = 128;
// Words kept for a cycle: at most so many, and at most so many moves longer than the shortest; and for all cycles of an orbit.
constexpr std::size_t kWords = 16, kLonger = 4, kAllWords = 400'000;
constexpr std::size_t kLongest = 60;  // moves of a word
constexpr std::size_t kCommutators = 20'000, kLetters = 128;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

double fraction(SplitMix& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

}  // namespace

// What commutators are made of: the moves, and products of two that commute and together move fewer pieces, such as the inner
// layer of a cube whose moves are of one layer or two.
struct Insertions::Letter {
  Alg word, back;
  std::vector<std::uint16_t> before, slots;  // where what is in a slot was; the slots in which it changes anything
  std::vector<std::uint64_t> bits;           // the same
};

Insertions::Insertions(const std::vector<Permutation>& generators, const std::vector<std::uint16_t>& slot_of,
                       std::vector<SlotOrbit> orbits, const Stop& stop)
    : moves_(generators.size()), slots_(0), places_(generators), slot_of_(slot_of), orbits_(std::move(orbits)) {
  if (moves_ == 0 || moves_ > kMostMoves || orbits_.size() > kMostOrbits) throw std::invalid_argument("too many moves or orbits");
  const std::size_t count = generators.front().size();
  if (slot_of_.size() != count) throw std::invalid_argument("expected the slot of each place");
  for (const std::uint16_t slot : slot_of_) slots_ = std::max<std::size_t>(slots_, slot + 1u);
  std::vector<std::uint8_t> own(slots_, 0);
  for (const SlotOrbit& orbit : orbits_) {
    if (orbit.pieces < 3 || orbit.pieces > kMostPieces || orbit.first + orbit.pieces > slots_)
      throw std::invalid_argument("an orbit has 3 to 128 slots");
    std::fill_n(own.begin() + orbit.first, orbit.pieces, 1);
  }
  const auto undo = [](const Permutation& one) {
    Permutation back(one.size());
    for (std::size_t place = 0; place < one.size(); ++place) back[one[place]] = static_cast<Point>(place);
    return back;
  };
  const auto both = [](const Permutation& one, const Permutation& two) {
    Permutation found(one.size());
    for (std::size_t place = 0; place < one.size(); ++place) found[place] = two[one[place]];
    return found;
  };
  for (const Permutation& move : places_) {
    const auto inverse = std::ranges::find(places_, undo(move));
    if (inverse == places_.end()) throw std::invalid_argument("a move has no inverse");
    inverse_.push_back(static_cast<std::uint8_t>(inverse - places_.begin()));
    thrice_.push_back(both(both(move, move), move) == *inverse);
    for (const Permutation& other : places_) {
      commute_.push_back(both(move, other) == both(other, move));
      const auto one = std::ranges::find(places_, both(move, other));
      together_.push_back(one == places_.end() ? kMostMoves : static_cast<std::uint8_t>(one - places_.begin()));
    }
    std::vector<std::uint16_t> image(slots_), before(slots_), touched;
    for (std::size_t place = 0; place < count; ++place) {
      image[slot_of_[place]] = slot_of_[move[place]];
    }
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      before[image[slot]] = static_cast<std::uint16_t>(slot);
      if (own[slot] && image[slot] != slot) touched.push_back(static_cast<std::uint16_t>(slot));
    }
    std::uint64_t odd = 0;
    for (std::size_t bit = 0; bit < orbits_.size(); ++bit) {
      std::vector<std::uint8_t> seen(slots_, 0);
      for (std::uint32_t i = 0; i < orbits_[bit].pieces; ++i) {
        std::uint64_t length = 0;
        for (std::uint32_t at = orbits_[bit].first + i; !seen[at]; at = image[at], ++length) seen[at] = 1;
        if (length != 0 && length % 2 == 0) odd ^= std::uint64_t{1} << bit;
      }
    }
    odd_.push_back(odd);
    image_.push_back(std::move(image));
    before_.push_back(std::move(before));
    touched_.push_back(std::move(touched));
  }
  for (const Letter& letter : find_letters())
    if (std::ranges::all_of(letter.slots, [&](std::uint16_t slot) { return own[slot] != 0; })) free_.push_back(letter.word);
  std::vector<Alg> found;
  find_commutators(stop, found);
  for (std::size_t orbit = 0; orbit < orbits_.size(); ++orbit) find_words(orbit, found, stop);
}

std::uint32_t Insertions::index(std::uint32_t pieces, std::uint32_t a, std::uint32_t b, std::uint32_t c) const noexcept {
  if (b < a && b < c) return (b * pieces + c) * pieces + a;
  if (c < a && c < b) return (c * pieces + a) * pieces + b;
  return (a * pieces + b) * pieces + c;
}

// The cycle of a word, if it is one of three pieces of an orbit and does nothing else.
bool Insertions::triple_of(const Alg& word, std::size_t& orbit, std::uint32_t& number) const {
  const std::size_t count = slot_of_.size();
  std::uint32_t slots[3];
  std::size_t found = 0;
  const auto after = [&](Point place) {
    for (const std::uint8_t move : word) place = places_[move][place];
    return place;
  };
  for (std::size_t place = 0; place < count; ++place) {
    if (after(static_cast<Point>(place)) == place) continue;
    const std::uint32_t slot = slot_of_[place];
    if (std::find(slots, slots + found, slot) != slots + found) continue;
    if (found == 3) return false;
    slots[found++] = slot;
  }
  if (found != 3) return false;
  for (orbit = 0; orbit < orbits_.size(); ++orbit) {
    const auto& [first, pieces] = orbits_[orbit];
    if (slots[0] < first || slots[0] >= first + pieces) continue;
    const auto to = [&](std::uint32_t slot) {
      for (const std::uint8_t move : word) slot = image_[move][slot];
      return slot;
    };
    const std::uint32_t a = slots[0], b = to(a), c = to(b);
    if (b < first || c < first || b >= first + pieces || c >= first + pieces || a == b || a == c || to(c) != a) return false;
    number = index(pieces, a - first, b - first, c - first);
    return true;
  }
  return false;
}

std::vector<Insertions::Letter> Insertions::find_letters() const {
  std::vector<Letter> found;
  const auto made = [&](const Alg& word) {
    Letter letter{word, undone(word), std::vector<std::uint16_t>(slots_), {}, std::vector<std::uint64_t>((slots_ + 63) / 64, 0)};
    for (std::size_t place = 0; place < slot_of_.size(); ++place) {
      Point there = static_cast<Point>(place);
      for (const std::uint8_t move : word) there = places_[move][there];
      const std::uint16_t slot = slot_of_[place];
      letter.before[slot_of_[there]] = slot;
      if (there == place || (letter.bits[slot / 64] >> slot % 64 & 1)) continue;
      letter.bits[slot / 64] |= std::uint64_t{1} << slot % 64;
      letter.slots.push_back(slot);
    }
    return letter;
  };
  for (std::size_t move = 0; move < moves_; ++move) found.push_back(made({static_cast<std::uint8_t>(move)}));
  for (std::size_t one = 0; one < moves_; ++one)
    for (std::size_t two = one + 1; two < moves_ && found.size() < kLetters; ++two) {
      if (!commute_[one * moves_ + two] || together_[one * moves_ + two] != kMostMoves || inverse_[one] == two) continue;
      Letter both = made({static_cast<std::uint8_t>(one), static_cast<std::uint8_t>(two)});
      const bool fewer = both.slots.size() < std::max(found[one].slots.size(), found[two].slots.size());
      const bool known = std::ranges::any_of(found, [&](const Letter& letter) {
        return letter.bits == both.bits && letter.before == both.before;
      });
      if (fewer && !known) found.push_back(std::move(both));
    }
  return found;
}

// Commutators of a letter and a conjugate, by none to two letters, of another that have one slot in common.
void Insertions::find_commutators(const Stop& stop, std::vector<Alg>& found) const {
  Pace pace(stop, 1 << 8);
  const std::vector<Letter> letters = find_letters();
  const std::size_t words = (slots_ + 63) / 64;
  std::vector<std::size_t> added(orbits_.size(), 0), orbit_of(slots_, orbits_.size());
  for (std::size_t orbit = 0; orbit < orbits_.size(); ++orbit)
    std::fill_n(orbit_of.begin() + orbits_[orbit].first, orbits_[orbit].pieces, orbit);
  const std::size_t most = kCommutators / std::max<std::size_t>(1, orbits_.size());
  const auto try_with = [&](std::span<const Letter* const> around) {
    std::vector<std::uint64_t> there(words);
    for (const Letter& c : letters) {
      pace.step();
      std::ranges::fill(there, 0);
      for (std::uint16_t slot : c.slots) {  // `around`, c, `around` undone touches what `around` brings to where c touches
        for (auto letter = around.rbegin(); letter != around.rend(); ++letter) slot = (*letter)->before[slot];
        there[slot / 64] |= std::uint64_t{1} << slot % 64;
      }
      for (const Letter& a : letters) {
        int common = 0;
        std::size_t slot = 0;
        for (std::size_t i = 0; i < words && common < 2; ++i) {
          const std::uint64_t both = there[i] & a.bits[i];
          common += std::popcount(both);
          if (both != 0) slot = 64 * i + static_cast<std::size_t>(std::countr_zero(both));
        }
        if (common != 1 || orbit_of[slot] == orbits_.size() || added[orbit_of[slot]] >= most) continue;
        Alg word = a.word;
        const auto add = [&](const Alg& part) { word.insert(word.end(), part.begin(), part.end()); };
        const auto conjugate = [&](const Alg& middle) {
          for (const Letter* letter : around) add(letter->word);
          add(middle);
          for (auto letter = around.rbegin(); letter != around.rend(); ++letter) add((*letter)->back);
        };
        conjugate(c.word);
        add(a.back);
        conjugate(c.back);
        found.push_back(std::move(word));
        ++added[orbit_of[slot]];
      }
    }
  };
  try_with({});
  for (const Letter& b : letters) try_with(std::array{&b});
  for (const Letter& b : letters)
    for (const Letter& d : letters)
      if (b.word != d.back && std::ranges::any_of(added, [&](std::size_t count) { return count < most / 2; }))
        try_with(std::array{&b, &d});
}

// The shortest words of all cycles of an orbit: those given and their conjugates, in the order of their lengths.
void Insertions::find_words(std::size_t orbit, const std::vector<Alg>& seeds, const Stop& stop) {
  const auto [first, pieces] = orbits_[orbit];
  struct Item {
    std::uint32_t a, b, c, begin;
    std::uint8_t length;
  };
  const std::size_t cycles = std::size_t{pieces} * (pieces - 1) * (pieces - 2) / 3;
  const std::size_t most = std::clamp<std::size_t>(kAllWords / cycles, 1, kWords);
  std::vector<std::vector<Item>> waiting(kLongest + 1);
  std::vector<std::vector<Word>> kept(std::size_t{pieces} * pieces * pieces);
  std::vector<std::uint8_t> begun(kept.size(), 0);  // words that wait or have waited, which bounds the memory
  Pace pace(stop, 1 << 10);
  std::vector<std::uint8_t> text;
  for (const Alg& seed : seeds) {
    pace.step();
    std::size_t its_orbit = 0;
    std::uint32_t number = 0;
    const Alg word = simplified(seed);
    if (word.size() > kLongest || !triple_of(word, its_orbit, number) || its_orbit != orbit) continue;
    const auto begin = static_cast<std::uint32_t>(text.size());
    text.insert(text.end(), word.begin(), word.end());
    waiting[word.size()].push_back(
        {number / (pieces * pieces), number / pieces % pieces, number % pieces, begin, static_cast<std::uint8_t>(word.size())});
    const Alg back = undone(word);
    const auto back_begin = static_cast<std::uint32_t>(text.size());
    text.insert(text.end(), back.begin(), back.end());
    waiting[word.size()].push_back({number / (pieces * pieces), number % pieces, number / pieces % pieces, back_begin,
                                    static_cast<std::uint8_t>(word.size())});
  }
  const auto wants = [&](std::uint32_t cycle, std::size_t length) {
    return kept[cycle].empty() || (kept[cycle].size() < most && length <= kept[cycle].front().length + kLonger);
  };
  std::size_t reached = 0;
  for (std::size_t length = 0; length <= kLongest; ++length) {
    for (std::size_t i = 0; i < waiting[length].size(); ++i) {
      pace.step();
      const Item item = waiting[length][i];
      const std::uint32_t cycle = index(pieces, item.a, item.b, item.c);
      if (!wants(cycle, length)) continue;
      const bool known = std::ranges::any_of(kept[cycle], [&](const Word& word) {
        return word.length == item.length && std::equal(text.begin() + item.begin, text.begin() + item.begin + item.length,
                                                        text.begin() + word.begin);
      });
      if (known) continue;
      reached += kept[cycle].empty();
      kept[cycle].push_back({item.begin, item.length});
      if (length + 2 > kLongest) continue;
      for (std::size_t move = 0; move < moves_; ++move) {
        if (text[item.begin] == inverse_[move]) continue;
        const std::uint32_t a = before_[move][first + item.a] - first, b = before_[move][first + item.b] - first,
                            c = before_[move][first + item.c] - first;
        const std::uint32_t next = index(pieces, a, b, c);
        if ((a == item.a && b == item.b && c == item.c) || begun[next] == 2 * most || !wants(next, length + 2)) continue;
        ++begun[next];
        const auto begin = static_cast<std::uint32_t>(text.size());
        text.push_back(static_cast<std::uint8_t>(move));
        for (std::size_t k = 0; k < length; ++k) text.push_back(text[item.begin + k]);
        text.push_back(inverse_[move]);
        waiting[length + 2].push_back({a, b, c, begin, static_cast<std::uint8_t>(length + 2)});
      }
    }
    waiting[length].clear();
    waiting[length].shrink_to_fit();
  }
  has_all_.push_back(reached == cycles);
  first_.emplace_back();
  for (const std::vector<Word>& own : kept) {
    first_.back().push_back(static_cast<std::uint32_t>(words_.size()));
    for (const Word& word : own) {
      words_.push_back({static_cast<std::uint32_t>(pool_.size()), word.length});
      pool_.insert(pool_.end(), text.begin() + word.begin, text.begin() + word.begin + word.length);
    }
  }
  first_.back().push_back(static_cast<std::uint32_t>(words_.size()));
}

// How many moves a word that is put in before move number `at` cancels out with those around, half of them its own.
std::uint32_t Insertions::saved(const Alg& alg, std::size_t at, std::span<const std::uint8_t> word) const noexcept {
  std::uint32_t pairs = 0;
  std::size_t front = 0, used = 0;
  std::size_t left = at;
  while (front < word.size() && left > 0) {
    std::size_t k = left;
    bool found = false;
    while (k > 0) {
      --k;
      if (alg[k] == inverse_[word[front]]) {
        found = true;
        break;
      }
      if (!commute_[alg[k] * moves_ + word[front]]) break;
    }
    if (!found || k + 1 != left) {
      if (found) ++pairs, ++used;  // behind moves that commute: this one, but no more
      break;
    }
    ++pairs, ++front, left = k;
  }
  std::size_t back = word.size(), right = at;
  while (back > front + used && right < alg.size()) {
    std::size_t k = right;
    bool found = false;
    for (; k < alg.size(); ++k) {
      if (alg[k] == inverse_[word[back - 1]]) {
        found = true;
        break;
      }
      if (!commute_[alg[k] * moves_ + word[back - 1]]) break;
    }
    if (!found || k != right) {
      if (found) ++pairs;
      break;
    }
    ++pairs, --back, right = k + 1;
  }
  return 2 * pairs;
}

// Without moves that cancel out or that one move can do, also behind moves that they commute with; three times a move is its
// inverse, where it is.
Insertions::Alg Insertions::simplified(const Alg& alg) const {
  Alg kept;
  for (const std::uint8_t move : alg) {
    std::size_t same = 0, k = kept.size();
    bool done = false;
    std::size_t where[2];
    while (k > 0) {
      --k;
      if (kept[k] == inverse_[move]) {
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
        done = true;
        break;
      }
      if (const std::uint8_t one = together_[kept[k] * moves_ + move]; one != kMostMoves) {
        kept[k] = one;
        done = true;
        break;
      }
      if (kept[k] == move && thrice_[move]) {
        where[same++] = k;
        if (same == 2) {
          kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(where[0]));
          kept[where[1]] = inverse_[move];
          done = true;
          break;
        }
        continue;
      }
      if (!commute_[kept[k] * moves_ + move]) break;
    }
    if (!done) kept.push_back(move);
  }
  return kept;
}

Insertions::Alg Insertions::undone(const Alg& word) const {
  Alg back;
  for (auto move = word.rbegin(); move != word.rend(); ++move) back.push_back(inverse_[*move]);
  return back;
}

void Insertions::apply(std::uint8_t move, Kinds& kinds, Kinds& spare) const noexcept {
  const std::vector<std::uint16_t>&touched = touched_[move], &image = image_[move];
  for (std::size_t i = 0; i < touched.size(); ++i) spare[i] = kinds[touched[i]];
  for (std::size_t i = 0; i < touched.size(); ++i) kinds[image[touched[i]]] = spare[i];
}

// Puts moves in and takes them out, so that few moves leave few pieces misplaced.
class Insertions::Annealing {
 public:
  Annealing(const Insertions& own, const Kinds& start, const Kinds& home, std::uint64_t parities,
            std::uint64_t distinct, const InsertionOptions& options)
      : own_(own), start_(start), home_(home), parities_(parities), distinct_(distinct), options_(options), kinds_(start), spare_(start.size()),
        random_{options.seed} {
  }

  Alg run(const Alg& base, std::uint64_t& tries, const Stop& stop) {
    Alg alg = own_.simplified(base), best = alg;
    if (own_.free_.empty()) return best;
    constexpr double kHot = 3, kCold = 0.35;
    double now = cost(alg), least = now;
    Pace pace(stop, 1 << 10);
    for (std::uint64_t i = 0; i < options_.anneals && !pace.ends(); ++i, ++tries) {
      const double heat = kHot * std::pow(kCold / kHot, static_cast<double>(i) / static_cast<double>(options_.anneals));
      const Alg other = own_.simplified(changed(alg));
      const double its = cost(other);
      if (its > now && fraction(random_) >= std::exp((now - its) / heat)) continue;
      alg = other, now = its;
      if (now < least) best = alg, least = now;
    }
    return best;
  }

  double cost(const Alg& alg) {
    kinds_ = start_;
    std::uint64_t odd = parities_;
    for (const std::uint8_t move : alg) own_.apply(move, kinds_, spare_), odd ^= own_.odd_[move] & distinct_;
    std::size_t wrong = 0;
    for (const SlotOrbit& orbit : own_.orbits_)
      for (std::uint32_t slot = orbit.first; slot < orbit.first + orbit.pieces; ++slot) wrong += kinds_[slot] != home_[slot];
    return static_cast<double>(alg.size()) + options_.misplaced * static_cast<double>(wrong) +
           (2 * options_.misplaced + 4) * std::popcount(odd);
  }

 private:
  Alg changed(const Alg& alg) {
    Alg other = alg;
    const std::size_t at = random_() % (alg.size() + 1);
    const Alg& word = own_.free_[random_() % own_.free_.size()];
    const auto insert = [&](std::size_t where, const Alg& what) {
      other.insert(other.begin() + static_cast<std::ptrdiff_t>(where), what.begin(), what.end());
    };
    switch (random_() % 8) {
      case 0: case 1: insert(at, word); return other;
      case 2: {  // as seen after another move
        const auto around = static_cast<std::uint8_t>(random_() % own_.moves_);
        insert(at, {own_.inverse_[around]});
        insert(at, word);
        insert(at, {around});
        return other;
      }
      case 3: {  // around some moves
        insert(at + random_() % std::min<std::size_t>(8, alg.size() + 1 - at), own_.undone(word));
        insert(at, word);
        return other;
      }
      default: break;
    }
    // A word that may be taken out: out, elsewhere, or another one in its place.
    places_.clear();
    for (std::size_t k = 0; k < alg.size(); ++k)
      for (const Alg& free : own_.free_)
        if (k + free.size() <= alg.size() && std::is_permutation(free.begin(), free.end(), alg.begin() + static_cast<std::ptrdiff_t>(k)))
          places_.push_back({k, &free});
    if (places_.empty()) return other;
    const auto [k, taken] = places_[random_() % places_.size()];
    const auto from = other.begin() + static_cast<std::ptrdiff_t>(k);
    other.erase(from, from + static_cast<std::ptrdiff_t>(taken->size()));
    switch (random_() % 4) {
      case 0: case 1: break;
      case 2: insert(k, word); break;
      default: insert(random_() % (other.size() + 1), *taken);
    }
    return other;
  }

  const Insertions& own_;
  const Kinds &start_, &home_;
  const std::uint64_t parities_, distinct_;  // odd orbits at the start, and those whose parity matters: no pieces are alike
  const InsertionOptions& options_;
  Kinds kinds_, spare_;
  SplitMix random_;
  std::vector<std::pair<std::size_t, const Alg*>> places_;  // of words that may be taken out
};

// Puts cycles in, one after another, until no piece is misplaced.
class Insertions::Beam {
 public:
  Beam(const Insertions& own, const Kinds& start, const Kinds& home, const InsertionOptions& options)
      : own_(own), start_(start), home_(home), options_(options) {}

  void run(const Alg& base, Descent& found, const Stop& stop) {
    std::size_t most = std::numeric_limits<std::size_t>::max();  // moves of a solution that is of use
    std::vector<Node> layer{made(base)};
    constexpr std::size_t kLayers = 400;
    bool any = false;
    for (std::size_t number = 0; number < kLayers && !layer.empty(); ++number) {
      for (const Node& node : layer) {
        if (node.wrong != 0 || node.alg.size() > most) continue;
        found.moves = node.alg;
        any = true;
        if (node.alg.empty()) return finish(found, any, Descent::Ending::kDone);
        most = node.alg.size() - 1;
      }
      choices_.clear();
      for (std::size_t i = 0; i < layer.size(); ++i) {
        if (layer[i].wrong == 0 || layer[i].alg.size() > most) continue;
        if (stop.requested()) return finish(found, any, Descent::Ending::kStopped);
        if (found.expanded >= options_.max_expanded) return finish(found, any, Descent::Ending::kExpanded);
        if (found.generated >= options_.max_generated) return finish(found, any, Descent::Ending::kGenerated);
        ++found.expanded;
        consider(layer[i], static_cast<std::uint32_t>(i), found.generated);
      }
      layer = next(layer);
      found.stored += layer.size();
    }
    finish(found, any, Descent::Ending::kStopped);
  }

 private:
  struct Node {
    Alg alg;
    Kinds kinds;
    std::size_t wrong;
  };
  struct Choice {
    double score;
    std::uint32_t node, word, at;
    std::uint16_t a, b, c;
  };
  static constexpr std::size_t kCycles = 60;  // that are looked at for a node, those that solve most

  static void finish(Descent& found, bool any, Descent::Ending otherwise) {
    found.ending = any ? Descent::Ending::kDone : otherwise;
  }

  Node made(const Alg& alg) const {
    Node node{alg, start_, 0};
    Kinds spare(start_.size());
    for (const std::uint8_t move : alg) own_.apply(move, node.kinds, spare);
    for (const SlotOrbit& orbit : own_.orbits_)
      for (std::uint32_t slot = orbit.first; slot < orbit.first + orbit.pieces; ++slot)
        node.wrong += node.kinds[slot] != home_[slot];
    return node;
  }

  void consider(const Node& node, std::uint32_t number, std::uint64_t& generated) {
    const std::size_t length = node.alg.size(), slots = own_.slots_;
    // Where what ends in a slot is before each move.
    origin_.resize((length + 1) * slots);
    for (std::size_t slot = 0; slot < slots; ++slot) origin_[length * slots + slot] = static_cast<std::uint16_t>(slot);
    for (std::size_t t = length; t-- > 0;) {
      const std::vector<std::uint16_t>& before = own_.before_[node.alg[t]];
      for (std::size_t slot = 0; slot < slots; ++slot) origin_[t * slots + slot] = before[origin_[(t + 1) * slots + slot]];
    }
    for (std::size_t orbit = 0; orbit < own_.orbits_.size(); ++orbit) {
      const auto [first, pieces] = own_.orbits_[orbit];
      gains_.clear();
      good_.assign(std::size_t{pieces} * pieces, 0);
      bool misplaced = false;
      for (std::uint32_t s = 0; s < pieces; ++s) {
        for (std::uint32_t d = 0; d < pieces; ++d) good_[s * pieces + d] = node.kinds[first + s] == home_[first + d];
        misplaced = misplaced || !good_[s * pieces + s];
      }
      if (!misplaced) continue;
      for (std::uint16_t a = 0; a < pieces; ++a)
        for (std::uint16_t b = 0; b < pieces; ++b) {
          if (a == b || !good_[a * pieces + b] || good_[a * pieces + a]) continue;  // this piece becomes right
          for (std::uint16_t c = 0; c < pieces; ++c) {
            if (c == a || c == b) continue;
            const int more = good_[b * pieces + c] + good_[c * pieces + a];
            if (more == 2 && (b < a || c < a)) continue;  // seen from its smallest slot
            const int gain = 1 + more - good_[b * pieces + b] - good_[c * pieces + c];
            if (gain > 0) gains_.push_back({gain, a, b, c});
          }
        }
      if (gains_.size() > kCycles) {
        std::ranges::stable_sort(gains_, [](const Gain& one, const Gain& two) { return one.gain > two.gain; });
        gains_.resize(kCycles);
      }
      for (const Gain& gain : gains_) {
        int least = std::numeric_limits<int>::max();
        Choice choice{0, number, 0, 0, static_cast<std::uint16_t>(first + gain.a), static_cast<std::uint16_t>(first + gain.b),
                      static_cast<std::uint16_t>(first + gain.c)};
        for (std::size_t t = 0; t <= length; ++t) {
          const std::uint16_t* origin = origin_.data() + t * slots;
          const std::uint32_t cycle =
              own_.index(pieces, origin[choice.a] - first, origin[choice.b] - first, origin[choice.c] - first);
          for (std::uint32_t word = own_.first_[orbit][cycle]; word < own_.first_[orbit][cycle + 1]; ++word) {
            const Word& its = own_.words_[word];
            const int more = its.length - static_cast<int>(own_.saved(node.alg, t, own_.letters(its)));
            if (more >= least) continue;
            least = more;
            choice.word = word, choice.at = static_cast<std::uint32_t>(t);
          }
          ++generated;
        }
        if (least == std::numeric_limits<int>::max()) continue;
        choice.score = static_cast<double>(length) + static_cast<double>(least) +
                       options_.misplaced * static_cast<double>(node.wrong - static_cast<std::size_t>(gain.gain));
        choices_.push_back(choice);
      }
    }
  }

  std::vector<Node> next(const std::vector<Node>& layer) {
    std::ranges::stable_sort(choices_, {}, &Choice::score);
    std::vector<Node> found;
    std::unordered_map<std::uint64_t, std::size_t> seen;
    for (const Choice& choice : choices_) {
      if (found.size() == options_.width) break;
      const Node& from = layer[choice.node];
      const std::span<const std::uint8_t> word = own_.letters(own_.words_[choice.word]);
      Alg alg(from.alg.begin(), from.alg.begin() + choice.at);
      alg.insert(alg.end(), word.begin(), word.end());
      alg.insert(alg.end(), from.alg.begin() + choice.at, from.alg.end());
      alg = own_.simplified(alg);
      Node node{std::move(alg), from.kinds, 0};
      node.kinds[choice.b] = from.kinds[choice.a];
      node.kinds[choice.c] = from.kinds[choice.b];
      node.kinds[choice.a] = from.kinds[choice.c];
      std::uint64_t hash = 0;
      for (const SlotOrbit& orbit : own_.orbits_)
        for (std::uint32_t slot = orbit.first; slot < orbit.first + orbit.pieces; ++slot) {
          node.wrong += node.kinds[slot] != home_[slot];
          hash += SplitMix::at(std::uint64_t{slot} << 16 | node.kinds[slot]);
        }
      const auto [known, added] = seen.try_emplace(hash, found.size());
      if (!added) {
        if (found[known->second].alg.size() > node.alg.size()) found[known->second] = std::move(node);
        continue;
      }
      found.push_back(std::move(node));
    }
    return found;
  }

  struct Gain {
    int gain;
    std::uint16_t a, b, c;
  };

  const Insertions& own_;
  const Kinds &start_, &home_;
  const InsertionOptions& options_;
  std::vector<Choice> choices_;
  std::vector<Gain> gains_;
  std::vector<std::uint8_t> good_;      // by slots of an orbit: whether what is in one belongs into the other
  std::vector<std::uint16_t> origin_;
};

Descent Insertions::solve(const Kinds& start, const Kinds& home, const Alg& base, const InsertionOptions& options,
                          const Stop& stop) const {
  if (start.size() != slots_ || home.size() != slots_) throw std::invalid_argument("expected a kind for each slot");
  for (const std::uint8_t move : base)
    if (move >= moves_) throw std::invalid_argument("there is no such move");
  Descent found;
  std::uint64_t distinct = 0, odd = 0;
  for (std::size_t bit = 0; bit < orbits_.size(); ++bit) {
    const auto [first, pieces] = orbits_[bit];
    std::vector<std::uint32_t> place(std::numeric_limits<std::uint16_t>::max() + 1u, kNone);
    bool different = true;
    for (std::uint32_t slot = first; slot < first + pieces; ++slot) {
      different = different && place[home[slot]] == kNone;
      place[home[slot]] = slot;
    }
    std::vector<std::uint32_t> wanted(pieces, 0);
    for (std::uint32_t i = 0; i < pieces; ++i) {
      if (place[start[first + i]] == kNone) throw std::invalid_argument("a kind at the start is not one of the orbit's");
      --wanted[place[home[first + i]] - first], ++wanted[place[start[first + i]] - first];
    }
    if (std::ranges::any_of(wanted, [](std::uint32_t count) { return count != 0; }))
      throw std::invalid_argument("the start has other kinds than home");
    if (!different) continue;
    distinct |= std::uint64_t{1} << bit;
    std::vector<std::uint8_t> seen(pieces, 0);
    for (std::uint32_t i = 0; i < pieces; ++i) {
      std::size_t length = 0;
      for (std::uint32_t at = i; !seen[at]; at = place[start[first + at]] - first, ++length) seen[at] = 1;
      if (length != 0 && length % 2 == 0) odd ^= std::uint64_t{1} << bit;
    }
  }
  if (!complete()) return found;
  Annealing annealing(*this, start, home, odd, distinct, options);
  Alg begin = simplified(base);
  double least = annealing.cost(begin);
  for (std::uint64_t i = 0; i < options.starts; ++i) {
    const Alg other = annealing.run(base, found.generated, stop);
    const double cost = annealing.cost(other);
    if (cost < least) begin = other, least = cost;
  }
  for (const std::uint8_t move : begin) odd ^= odd_[move] & distinct;
  if (odd != 0) return found;
  Beam(*this, start, home, options).run(begin, found, stop);
  return found;
}

}  // namespace hstar
