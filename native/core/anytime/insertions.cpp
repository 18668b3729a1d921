#include "anytime/insertions.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/parallel.hpp"
#include "base/splitmix.hpp"

namespace hstar {

std::vector<Point> SlotOrbit::slots() const {
  std::vector<Point> own(pieces);
  std::iota(own.begin(), own.end(), static_cast<Point>(first));
  return own;
}

std::optional<bool> SlotOrbit::is_odd(const std::vector<std::uint16_t>& start,
                                      const std::vector<std::uint16_t>& home) const {
  std::map<std::uint16_t, Point> place;
  std::map<std::uint16_t, int> missing;
  for (const Point slot : slots()) place[home[slot]] = slot, ++missing[home[slot]], --missing[start[slot]];
  if (std::ranges::any_of(missing, [](const auto& kind) { return kind.second != 0; }))
    throw std::invalid_argument("the start has other kinds than home");
  if (place.size() < pieces) return std::nullopt;
  Permutation homeward(start.size());
  for (const Point slot : slots()) homeward[slot] = place[start[slot]];
  return hstar::is_odd(homeward, slots());
}

void SlotMove::apply(std::vector<std::uint16_t>& kinds, std::vector<std::uint16_t>& spare) const noexcept {
  for (std::size_t i = 0; i < touched.size(); ++i) spare[i] = kinds[touched[i]];
  for (std::size_t i = 0; i < touched.size(); ++i) kinds[image[touched[i]]] = spare[i];
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

// Without moves that cancel out or that one move can do, also behind moves that they commute with; three times a move
// is its inverse, where it is.
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

// Puts moves in and takes them out, so that few moves leave few pieces misplaced.
class Insertions::Annealing {
 public:
  Annealing(const Insertions& own, const Kinds& start, const Kinds& home, std::uint64_t parities,
            std::uint64_t distinct, const InsertionOptions& options)
      : own_(own), parities_(parities), distinct_(distinct), options_(options), free_with_(own.moves_), reached_{start},
        wanted_{home}, kinds_(start), spare_(start.size()), random_{options.seed} {
    for (const Alg& free : own.free_)
      for (const std::uint8_t move : std::set(free.begin(), free.end())) free_with_[move].push_back(&free);
  }

  Alg run(const Alg& base, std::uint64_t& tries, const Stop& stop) {
    Alg best = own_.simplified(base);
    if (own_.free_.empty()) return best;
    constexpr double kHot = 3, kCold = 0.35;
    double now = cost(best), least = now;
    keep(best);
    Pace pace(stop, 1 << 10);
    for (std::uint64_t i = 0; i < options_.anneals && !pace.ends(); ++i, ++tries) {
      const double heat = kHot * std::pow(kCold / kHot, static_cast<double>(i) / static_cast<double>(options_.anneals));
      const Alg other = own_.simplified(changed(alg_));
      const double its = cost(other);
      if (its > now && random_.fraction() >= std::exp((now - its) / heat)) continue;
      keep(other), now = its;
      if (now < least) best = alg_, least = now;
    }
    return best;
  }

  // Applies the moves between those that `alg` begins and ends with as the alg that is kept.
  double cost(const Alg& alg) {
    const auto shorter = std::min(alg.size(), alg_.size());
    for (front_ = 0; front_ < shorter && alg[front_] == alg_[front_];) ++front_;
    for (back_ = 0; back_ < shorter - front_ && alg[alg.size() - 1 - back_] == alg_[alg_.size() - 1 - back_];) ++back_;
    const Kinds& wanted = wanted_[back_ / kEvery];
    kinds_ = reached_[front_ / kEvery];
    for (std::size_t i = front_ / kEvery * kEvery; i < alg.size() - back_ / kEvery * kEvery; ++i)
      own_.on_slots_[alg[i]].apply(kinds_, spare_);
    std::uint64_t odd = parities_;
    for (const std::uint8_t move : alg) odd ^= own_.odd_[move] & distinct_;
    std::size_t wrong = 0;
    for (const SlotOrbit& orbit : own_.orbits_)
      for (std::uint32_t slot = orbit.first; slot < orbit.first + orbit.pieces; ++slot)
        wrong += kinds_[slot] != wanted[slot];
    return static_cast<double>(alg.size()) + options_.misplaced * static_cast<double>(wrong) +
           (2 * options_.misplaced + 4) * std::popcount(odd);
  }

 private:
  static constexpr std::size_t kEvery = 16;  // moves

  // The alg whose cost was asked for last.
  void keep(const Alg& alg) {
    alg_ = alg;
    reached_.resize(front_ / kEvery + 1);
    kinds_ = reached_.back();
    for (std::size_t i = front_ / kEvery * kEvery; i < alg.size();) {
      own_.on_slots_[alg[i]].apply(kinds_, spare_);
      if (++i % kEvery == 0) reached_.push_back(kinds_);
    }
    wanted_.resize(back_ / kEvery + 1);
    kinds_ = wanted_.back();
    for (std::size_t left = back_ / kEvery * kEvery; left < alg.size();) {
      own_.on_slots_[own_.inverse_[alg[alg.size() - 1 - left]]].apply(kinds_, spare_);
      if (++left % kEvery == 0) wanted_.push_back(kinds_);
    }
  }

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
      for (const Alg* const free : free_with_[alg[k]])
        if (k + free->size() <= alg.size() &&
            std::is_permutation(free->begin(), free->end(), alg.begin() + static_cast<std::ptrdiff_t>(k)))
          places_.push_back({k, free});
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
  // Odd orbits at the start, and those whose parity matters: no pieces are alike.
  const std::uint64_t parities_, distinct_;
  const InsertionOptions& options_;
  std::vector<std::vector<const Alg*>> free_with_;  // by move
  // The alg that is changed, what is in the slots after each kEvery of its moves, and what has to be in them where as
  // many are left. With so many of its moves the alg whose cost was asked for last begins and ends.
  Alg alg_;
  std::vector<Kinds> reached_, wanted_;
  std::size_t front_ = 0, back_ = 0;
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
      std::vector<Looked> looked(layer.size());
      std::atomic<bool> stopped{false};
      in_blocks(layer.size(), 1, options_.threads, [&](std::uint64_t i, std::uint64_t) {
        if (stop.requested()) stopped = true;
        if (stopped || layer[i].wrong == 0 || layer[i].alg.size() > most) return;
        consider(layer[i], static_cast<std::uint32_t>(i), looked[i]);
      });
      if (stopped) return finish(found, any, Descent::Ending::kStopped);
      choices_.clear();
      for (const auto& [choices, generated] : looked) {
        if (generated == 0) continue;
        if (found.expanded >= options_.limits.expanded) return finish(found, any, Descent::Ending::kExpanded);
        if (found.generated >= options_.limits.generated) return finish(found, any, Descent::Ending::kGenerated);
        ++found.expanded;
        found.generated += generated;
        choices_.insert(choices_.end(), choices.begin(), choices.end());
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
  struct Gain {
    int gain;
    std::uint16_t a, b, c;
  };
  // What may be put into an alg, and how much was looked at for that.
  struct Looked {
    std::vector<Choice> choices{};
    std::uint64_t generated = 0;
  };
  static constexpr std::size_t kCycles = 60;  // that are looked at for a node, those that solve most

  static void finish(Descent& found, bool any, Descent::Ending otherwise) {
    found.ending = any ? Descent::Ending::kDone : otherwise;
  }

  Node made(const Alg& alg) const {
    Node node{alg, start_, 0};
    Kinds spare(start_.size());
    for (const std::uint8_t move : alg) own_.on_slots_[move].apply(node.kinds, spare);
    for (const SlotOrbit& orbit : own_.orbits_)
      for (std::uint32_t slot = orbit.first; slot < orbit.first + orbit.pieces; ++slot)
        node.wrong += node.kinds[slot] != home_[slot];
    return node;
  }

  void consider(const Node& node, std::uint32_t number, Looked& looked) const {
    const std::size_t length = node.alg.size(), slots = own_.slots_;
    std::vector<Gain> gains;
    std::vector<std::uint8_t> good;  // by slots of an orbit: whether what is in one belongs into the other
    // Where what ends in a slot is before each move.
    std::vector<std::uint16_t> origins((length + 1) * slots);
    for (std::size_t slot = 0; slot < slots; ++slot) origins[length * slots + slot] = static_cast<std::uint16_t>(slot);
    for (std::size_t t = length; t-- > 0;) {
      const std::vector<std::uint16_t>& before = own_.on_slots_[node.alg[t]].before;
      for (std::size_t slot = 0; slot < slots; ++slot)
        origins[t * slots + slot] = before[origins[(t + 1) * slots + slot]];
    }
    for (std::size_t orbit = 0; orbit < own_.orbits_.size(); ++orbit) {
      const auto [first, pieces] = own_.orbits_[orbit];
      gains.clear();
      good.assign(std::size_t{pieces} * pieces, 0);
      bool misplaced = false;
      for (std::uint32_t s = 0; s < pieces; ++s) {
        for (std::uint32_t d = 0; d < pieces; ++d) good[s * pieces + d] = node.kinds[first + s] == home_[first + d];
        misplaced = misplaced || !good[s * pieces + s];
      }
      if (!misplaced) continue;
      for (std::uint16_t a = 0; a < pieces; ++a)
        for (std::uint16_t b = 0; b < pieces; ++b) {
          if (a == b || !good[a * pieces + b] || good[a * pieces + a]) continue;  // this piece becomes right
          for (std::uint16_t c = 0; c < pieces; ++c) {
            if (c == a || c == b) continue;
            const int more = good[b * pieces + c] + good[c * pieces + a];
            if (more == 2 && (b < a || c < a)) continue;  // seen from its smallest slot
            const int gain = 1 + more - good[b * pieces + b] - good[c * pieces + c];
            if (gain > 0) gains.push_back({gain, a, b, c});
          }
        }
      if (gains.size() > kCycles) {
        std::ranges::stable_sort(gains, [](const Gain& one, const Gain& two) { return one.gain > two.gain; });
        gains.resize(kCycles);
      }
      for (const Gain& gain : gains) {
        int least = std::numeric_limits<int>::max();
        const auto slot = [&](std::uint16_t place) { return static_cast<std::uint16_t>(first + place); };
        Choice choice{0, number, 0, 0, slot(gain.a), slot(gain.b), slot(gain.c)};
        for (std::size_t t = 0; t <= length; ++t) {
          const std::uint16_t* origin = origins.data() + t * slots;
          const std::uint32_t cycle =
              number_of_cycle(pieces, origin[choice.a] - first, origin[choice.b] - first, origin[choice.c] - first);
          for (std::uint32_t word = own_.first_[orbit][cycle]; word < own_.first_[orbit][cycle + 1]; ++word) {
            const Word& its = own_.words_[word];
            const int more = its.length - static_cast<int>(own_.saved(node.alg, t, own_.letters(its)));
            if (more >= least) continue;
            least = more;
            choice.word = word, choice.at = static_cast<std::uint32_t>(t);
          }
          ++looked.generated;
        }
        if (least == std::numeric_limits<int>::max()) continue;
        choice.score = static_cast<double>(length) + static_cast<double>(least) +
                       options_.misplaced * static_cast<double>(node.wrong - static_cast<std::size_t>(gain.gain));
        looked.choices.push_back(choice);
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

  const Insertions& own_;
  const Kinds &start_, &home_;
  const InsertionOptions& options_;
  std::vector<Choice> choices_;
};

Descent Insertions::solve(const Kinds& start, const Kinds& home, const Alg& base, const InsertionOptions& options,
                          const Stop& stop) const {
  if (start.size() != slots_ || home.size() != slots_) throw std::invalid_argument("expected a kind for each slot");
  for (const std::uint8_t move : base)
    if (move >= moves_) throw std::invalid_argument("there is no such move");
  Descent found;
  std::uint64_t distinct = 0, odd = 0;
  for (std::size_t bit = 0; bit < orbits_.size(); ++bit) {
    const std::optional<bool> its = orbits_[bit].is_odd(start, home);
    distinct |= std::uint64_t{its.has_value()} << bit;
    odd |= std::uint64_t{its.value_or(false)} << bit;
  }
  if (std::ranges::find(has_all_, false) != has_all_.end()) return found;
  Annealing annealing(*this, start, home, odd, distinct, options);
  Alg begin = simplified(base);
  double least = annealing.cost(begin);
  std::vector<Alg> others(options.starts);
  std::atomic<std::uint64_t> tries{0};
  in_blocks(options.starts, 1, options.threads, [&](std::uint64_t i, std::uint64_t) {
    InsertionOptions its = options;
    if (i != 0) its.seed = SplitMix::at(options.seed << 32 | i);
    std::uint64_t own = 0;
    others[i] = Annealing(*this, start, home, odd, distinct, its).run(base, own, stop);
    tries += own;
  });
  found.generated += tries;
  for (const Alg& other : others)
    if (const double cost = annealing.cost(other); cost < least) begin = other, least = cost;
  for (const std::uint8_t move : begin) odd ^= odd_[move] & distinct;
  if (odd != 0) return found;
  Beam(*this, start, home, options).run(begin, found, stop);
  return found;
}

}  // namespace hstar
