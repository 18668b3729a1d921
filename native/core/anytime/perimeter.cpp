#include "anytime/perimeter.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "anytime/fingerprints.hpp"
#include "anytime/move_pairs.hpp"
#include "base/parallel.hpp"
#include "base/partition.hpp"

namespace hstar {

namespace {

constexpr unsigned kDistanceBits = 5, kPartBits = 6;
constexpr unsigned kMostDistance = (1u << kDistanceBits) - 1;

}  // namespace

Perimeter::Perimeter(const std::vector<Permutation>& generators, std::vector<Point> base, std::size_t level,
                     std::vector<std::uint8_t> moves, std::size_t most, const Stop& stop,
                     const std::vector<std::uint8_t>& up_to, const std::vector<Point>& slots,
                     std::uint64_t memory_bytes)
    : generators_(generators), level_(level), reached_(base.size()), moves_(std::move(moves)) {
  const bool exist = std::all_of(moves_.begin(), moves_.end(), [&](std::uint8_t m) { return m < generators.size(); });
  if (generators.empty() || !exist || level_ >= base.size())
    throw std::invalid_argument("the perimeter's moves or its level do not exist");
  const std::size_t pieces = base.size() - level_;
  homes_.assign(base.begin() + static_cast<std::ptrdiff_t>(level_), base.end());
  keys_ = fingerprint_keys(pieces, generators_.front().size());
  if (!up_to.empty()) join(up_to, slots);
  const MovePairs pairs(generators_);
  struct Found {
    std::uint64_t print;
    std::uint32_t from;
    std::uint8_t move;
    bool operator<(const Found& other) const noexcept { return print < other.print; }
  };
  // The states of the last sphere, and the fingerprints of the last two in order.
  std::vector<Point> sphere = homes_, next, after(pieces);
  std::vector<std::uint8_t> last{MovePairs::kNoMove}, next_last;
  std::vector<std::uint64_t> before, here{fingerprint(sphere.data())};
  // By the highest bits, so that `stop` is asked between.
  std::vector<std::vector<Found>> found(std::size_t{1} << kPartBits);
  Pace pace(stop, 1 << 14);
  const auto add = [&] {
    for (const std::uint64_t print : here) {
      if (pace.ends()) return false;
      entries_.push_back((print & ~std::uint64_t{kMostDistance}) | radius_);
    }
    return true;
  };
  if (!add()) return;
  // Whether there is memory for so many more bytes. Arrays that grow have room for twice as much.
  const auto fits = [&](std::uint64_t more) {
    std::uint64_t held = bytes() + (sphere.capacity() + next.capacity()) * sizeof(Point) + last.capacity() +
                         next_last.capacity() + (before.capacity() + here.capacity()) * sizeof(std::uint64_t);
    for (const auto& part : found) held += part.capacity() * sizeof(Found);
    peak_bytes_ = std::max(peak_bytes_, held);
    return more <= memory_bytes && held <= memory_bytes - more;
  };
  while (radius_ < kMostDistance) {
    // The next sphere grows about as much as this one did.
    const std::size_t growing =
        before.empty() ? here.size() * moves_.size() : here.size() * here.size() / before.size();
    if (entries_.size() + growing > most || !fits(2 * here.size() * moves_.size() * sizeof(Found))) break;
    for (auto& part : found) part.clear();
    for (std::size_t n = 0; n < here.size(); ++n) {
      if (pace.ends(moves_.size())) return;
      for (const std::uint8_t m : moves_) {
        if (pairs.saved(last[n], m) > 0) continue;
        for (std::size_t k = 0; k < pieces; ++k) after[k] = generators_[m][sphere[n * pieces + k]];
        const std::uint64_t print = fingerprint(after.data());
        found[print >> (64 - kPartBits)].push_back({print, static_cast<std::uint32_t>(n), m});
      }
    }
    std::size_t candidates = 0;
    for (const auto& part : found) candidates += part.size();
    if (!fits(2 * candidates * (pieces * sizeof(Point) + 1 + sizeof(std::uint64_t)))) break;
    std::vector<std::uint64_t> prints;
    next.clear();
    next_last.clear();
    for (auto& part : found) {
      if (stop.requested()) return;
      std::sort(part.begin(), part.end());
      for (const Found& one : part) {
        if (pace.ends()) return;
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
    if (!add()) return;
    (void)fits(0);  // for the peak
  }
  sphere = next = {};
  found = {};
  // Some four share an index.
  const auto bits = std::max(1u, static_cast<unsigned>(std::bit_width(entries_.size() / 4)));
  shift_ = 64 - bits;
  first_.assign((std::size_t{1} << bits) + 1, 0);
  for (const std::uint64_t entry : entries_) {
    if (pace.ends()) return;
    ++first_[(entry >> shift_) + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  std::vector<std::uint64_t> sorted(entries_.size());
  peak_bytes_ = std::max(peak_bytes_, bytes() + sorted.capacity() * sizeof(std::uint64_t));
  std::vector<std::uint32_t> place(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (pace.ends()) return;
    sorted[place[entries_[i] >> shift_]++] = entries_[i];
  }
  entries_.swap(sorted);
  complete_ = true;
}

// Gives pieces that the moves `up_to` exchange the same keys.
void Perimeter::join(const std::vector<std::uint8_t>& up_to, const std::vector<Point>& slots) {
  const std::size_t degree = generators_.front().size();
  if (slots.size() != degree ||
      std::any_of(up_to.begin(), up_to.end(), [&](auto m) { return m >= generators_.size(); }))
    throw std::invalid_argument("the moves up to which states are equal, or the slots, do not fit the generators");
  Partition orbits(degree);
  for (const std::uint8_t m : up_to)
    for (std::size_t x = 0; x < degree; ++x) orbits.join(x, generators_[m][x]);
  std::vector<Point> orbit(degree);  // by place: the first place of its orbit
  for (std::size_t x = 0; x < degree; ++x) orbit[x] = static_cast<Point>(orbits.find(x));
  const std::vector<std::uint64_t> keys = keys_;
  std::map<Point, std::size_t> first;  // by orbit: its first piece
  reached_ = level_ + homes_.size();
  for (std::size_t k = 0; k < homes_.size(); ++k) {
    // One place of the slot stands for all: in the first of their orbits.
    const Point slot = slots[homes_[k]];
    std::size_t size = 0, alike = 0;
    Point home = homes_[k];
    for (std::size_t x = 0; x < degree; ++x)
      if (slots[x] == slot && orbit[x] < orbit[home]) home = static_cast<Point>(x);
    for (std::size_t x = 0; x < degree; ++x) {
      size += slots[x] == slot;
      alike += slots[x] == slot && orbit[x] == orbit[home];
    }
    const bool turned = std::any_of(up_to.begin(), up_to.end(), [&](auto m) { return generators_[m][home] != home; });
    if (!turned) continue;
    reached_ = std::min(reached_, level_ + k);
    homes_[k] = home;
    const std::size_t piece = first.emplace(orbit[home], k).first->second;
    const std::size_t step = size / alike;  // the moves turn a piece in its slot by multiples of it
    for (std::size_t x = 0; x < degree; ++x)
      keys_[k * degree + x] = keys[piece * degree + slots[x] + (x - slots[x]) % step];
  }
}

std::uint64_t Perimeter::fingerprint(const Point* places) const noexcept {
  const std::size_t degree = generators_.front().size();
  std::uint64_t print = 0;
  for (std::size_t k = 0; k < homes_.size(); ++k) print ^= keys_[k * degree + places[k]];
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
  if (fingerprint(places.data()) != fingerprint(homes_.data())) return std::nullopt;
  return moves;
}

namespace {

// All words of some length in the moves of a perimeter. Of words of up to three moves with the same effect only the
// first is a part of others.
class Words {
 public:
  static constexpr std::size_t kStart = 0;  // before the first move
  struct Step {
    std::uint8_t move;
    std::size_t next;
  };

  explicit Words(const Perimeter& perimeter) {
    const std::span<const std::uint8_t> moves = perimeter.moves();
    // A state is the last two moves, each 0 for none or its number from 1 on.
    const std::size_t each = moves.size() + 1;
    steps_.resize(each * each);
    struct Short {
      std::size_t state;
      Permutation image;
    };
    Permutation after(perimeter.generators().front().size());
    std::iota(after.begin(), after.end(), Point{0});
    std::set<Permutation> seen{after};
    std::vector<Short> words{{kStart, after}}, longer;
    for (int length = 0; length < 3; ++length) {
      longer.clear();
      for (const Short& word : words)
        for (std::size_t m = 0; m < moves.size(); ++m) {
          for (std::size_t x = 0; x < after.size(); ++x) after[x] = perimeter.generators()[moves[m]][word.image[x]];
          if (!seen.insert(after).second) continue;
          const std::size_t next = word.state % each * each + m + 1;
          steps_[word.state].push_back({moves[m], next});
          longer.push_back({next, after});
        }
      words.swap(longer);
    }
  }

  std::span<const Step> steps(std::size_t state) const noexcept { return steps_[state]; }

  // How many words there are of a length.
  std::uint64_t count(std::size_t length) {
    constexpr std::uint64_t kMany = std::uint64_t{1} << 40;
    while (counts_.size() <= length) {
      std::vector<std::uint64_t> next(steps_.size(), 0);
      ends_.resize(steps_.size(), 0);
      if (counts_.size() == 1) ends_[kStart] = 1;
      for (std::size_t state = 0; state < steps_.size(); ++state)
        for (const Step& step : steps_[state]) next[step.next] = std::min(kMany, next[step.next] + ends_[state]);
      ends_ = std::move(next);
      counts_.push_back(std::accumulate(ends_.begin(), ends_.end(), std::uint64_t{0}));
    }
    return counts_[length];
  }

 private:
  std::vector<std::vector<Step>> steps_;  // by state
  std::vector<std::uint64_t> ends_;       // by state: the longest words that were counted and end there
  std::vector<std::uint64_t> counts_{1};  // by length
};

// Shorter ones first.
bool comes_before(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

// Where moves have few words, such as two exchanges, `most` of them would be very long, or there are not so many.
constexpr std::size_t kLongestWord = 100;

// A partial solution and where it leaves the contents of the perimeter's homes.
struct Seed {
  const std::vector<std::uint8_t>* moves;
  std::vector<Point> places;
};

// The endings of one seed, with words of one length before the perimeter.
class Endings {
 public:
  Endings(const Perimeter& perimeter, const Words& words, const Seed& seed, const Stop& stop)
      : perimeter_(perimeter), words_(words), seed_(seed), stop_(stop) {}

  // Appends them; false if stopped.
  bool find(std::size_t length, std::vector<Partial>& found) {
    word_.resize(length);
    places_.assign(length + 1, seed_.places);
    if (!extend(0, Words::kStart, found)) return false;
    look_up(found);
    return true;
  }

 private:
  static constexpr std::size_t kTogether = 64;  // look-ups that wait for memory at one time

  struct Waiting {
    std::uint64_t print;
    std::vector<Point> places;
    std::vector<std::uint8_t> word;
  };

  bool extend(std::size_t length, std::size_t state, std::vector<Partial>& found) {
    const std::vector<Point>& at = places_[length];
    if (length == word_.size()) {
      Waiting& next = waiting_[waits_++];
      next.print = perimeter_.fingerprint(at.data());
      next.places = at;
      next.word = word_;
      perimeter_.prefetch_first(next.print);
      if (waits_ < kTogether) return true;
      look_up(found);
      return ++looked_up_ % 16 != 0 || !stop_.requested();
    }
    std::vector<Point>& after = places_[length + 1];
    for (const Words::Step& step : words_.steps(state)) {
      const Permutation& image = perimeter_.generators()[step.move];
      for (std::size_t k = 0; k < at.size(); ++k) after[k] = image[at[k]];
      word_[length] = step.move;
      if (!extend(length + 1, step.next, found)) return false;
    }
    return true;
  }

  // Those that wait, in their order.
  void look_up(std::vector<Partial>& found) {
    const std::span<const Waiting> waiting(waiting_.data(), std::exchange(waits_, 0));
    for (const Waiting& one : waiting) perimeter_.prefetch(one.print);
    for (const auto& [print, places, word] : waiting) {
      const auto far = perimeter_.distance(print);
      // With longer words, nearer states have been found already.
      if (!far || (!word.empty() && *far < perimeter_.radius())) continue;
      const auto rest = perimeter_.path(places);
      if (!rest) continue;
      std::vector<std::uint8_t>& whole = found.emplace_back(perimeter_.reached(), *seed_.moves).moves;
      whole.insert(whole.end(), word.begin(), word.end());
      whole.insert(whole.end(), rest->begin(), rest->end());
    }
  }

  const Perimeter& perimeter_;
  const Words& words_;
  const Seed& seed_;
  const Stop& stop_;
  std::vector<std::uint8_t> word_;
  std::vector<std::vector<Point>> places_;  // by length
  std::array<Waiting, kTogether> waiting_;
  std::size_t waits_ = 0;
  std::uint64_t looked_up_ = 0;  // times
};

// The partial solutions on the perimeter's level, shortest first, each state once; fewer if stopped.
std::vector<Seed> seeds_of(const Perimeter& perimeter, const Permutation& element, std::span<const Partial> partials,
                           const Stop& stop) {
  std::vector<Seed> seeds;
  for (const Partial& partial : partials)
    if (partial.level == perimeter.level()) seeds.push_back({&partial.moves, {}});
  std::sort(seeds.begin(), seeds.end(), [](const Seed& a, const Seed& b) { return comes_before(*a.moves, *b.moves); });
  std::set<std::vector<Point>> seen;
  std::size_t count = 0;
  bool stopped = false;
  std::erase_if(seeds, [&](Seed& seed) {
    stopped = stopped || (++count % 256 == 0 && stop.requested());
    if (stopped) return true;
    for (Point place : perimeter.homes()) {
      place = element[place];
      for (const std::uint8_t m : *seed.moves) place = perimeter.generators()[m][place];
      seed.places.push_back(place);
    }
    return !seen.insert(seed.places).second;
  });
  return seeds;
}

}  // namespace

std::vector<Partial> shortest_endings(const Perimeter& perimeter, const Permutation& element,
                                      std::span<const Partial> partials, const EndingOptions& options,
                                      const Limits& limits, const Stop& stop, Descent& way) {
  if (!perimeter.complete()) throw std::invalid_argument("the perimeter is not complete");
  const std::vector<Seed> seeds = seeds_of(perimeter, element, partials, stop);
  Words words(perimeter);
  std::vector<Partial> found;
  std::uint64_t left = options.most;
  // Round 0 looks up the seeds themselves, each later one all words that give so many moves in all, before the
  // perimeter.
  for (std::size_t round = 0; !seeds.empty() && left > 0 && round <= kLongestWord; ++round) {
    const std::size_t moves = seeds.front().moves->size() + round;
    const auto word = [&](const Seed& seed) { return round == 0 ? 0 : moves - seed.moves->size(); };
    std::size_t count = 0;
    std::uint64_t inner = 0, tried = 0;
    for (; count < seeds.size() && (round == 0 || seeds[count].moves->size() < moves); ++count) {
      const std::size_t length = word(seeds[count]);
      const std::uint64_t more = words.count(length);
      if (more > left) {
        left = 0;
        break;
      }
      left -= more;
      tried += more;
      for (std::size_t n = 0; n < length; ++n) inner += words.count(n);
    }
    if (inner > limits.expanded - way.expanded) way.ending = Descent::Ending::kExpanded;
    if (tried > limits.generated - way.generated) way.ending = Descent::Ending::kGenerated;
    if (way.ending != Descent::Ending::kDone) return {};
    way.expanded += inner;
    way.generated += tried;
    std::vector<std::vector<Partial>> by_seed(count);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    on_threads(options.threads, [&] {
      for (std::size_t n; (n = next.fetch_add(1)) < count && !stopped;)
        if ((n % 32 == 0 && stop.requested()) ||
            !Endings(perimeter, words, seeds[n], stop).find(word(seeds[n]), by_seed[n]))
          stopped = true;
    });
    if (stopped) {
      way.ending = Descent::Ending::kStopped;
      return {};
    }
    for (auto& some : by_seed) std::move(some.begin(), some.end(), std::back_inserter(found));
    const auto within = [&](const Partial& one) { return one.moves.size() <= moves + perimeter.radius(); };
    if (std::count_if(found.begin(), found.end(), within) >= static_cast<std::ptrdiff_t>(options.wanted)) break;
  }
  std::sort(found.begin(), found.end(),
            [](const Partial& a, const Partial& b) { return comes_before(a.moves, b.moves); });
  if (found.size() > options.wanted) found.resize(options.wanted);
  way.stored += found.size();
  return found;
}

}  // namespace hstar
