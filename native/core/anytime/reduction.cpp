#include "anytime/reduction.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "anytime/fingerprints.hpp"
#include "base/parallel.hpp"
#include "base/partition.hpp"
#include "base/splitmix.hpp"

namespace hstar {

namespace {

constexpr std::uint8_t kUnknown = 255;
constexpr std::size_t kOnes = 33;    // of a set, and one more
constexpr std::size_t kBlock = 256;  // states that a thread expands at a time
constexpr std::uint32_t kUnit = 100;
constexpr std::size_t kDescents = 20;  // ways through the perimeter from one coset

std::uint64_t mixed(std::uint64_t kind, std::uint64_t value) noexcept { return SplitMix::at(kind << 40 ^ (value + 1)); }

std::uint64_t moved(std::uint64_t set, const std::vector<std::pair<std::uint8_t, std::uint8_t>>& slots) noexcept {
  std::uint64_t touched = 0, added = 0;
  for (const auto& [from, to] : slots) {
    touched |= std::uint64_t{1} << to;
    added |= (set >> from & 1) << to;
  }
  return (set & ~touched) | added;
}

}  // namespace

// What each distance adds to a score.
struct Reduction::Scores {
  std::uint32_t related[kUnknown + 1], alike[kUnknown + 1];

  explicit Scores(const ReductionOptions& options) {
    for (std::size_t d = 0; d <= kUnknown; ++d) {
      const auto moves = static_cast<double>(d);
      related[d] = static_cast<std::uint32_t>(std::lround(kUnit * options.related * moves));
      alike[d] = static_cast<std::uint32_t>(std::lround(kUnit * options.alike * std::pow(moves, options.power)));
    }
  }
};

Reduction::Reduction(const std::vector<Permutation>& generators, const std::vector<std::uint16_t>& slot_of,
                     std::vector<std::uint8_t> left, const std::vector<std::uint16_t>& home, std::vector<Alike> alike,
                     std::size_t perimeter, const Stop& stop)
    : moves_(generators.size()), degree_(slot_of.size()), generators_(generators), left_(std::move(left)), home_(home) {
  if (moves_ == 0 || moves_ > 255 || left_.size() != moves_) throw std::invalid_argument("expected 1 to 255 moves");
  if (degree_ == 0 || degree_ > kMostPlaces || generators.front().size() != degree_)
    throw std::invalid_argument("expected 1 to 1024 places");
  std::vector<std::uint8_t> shown(home.size(), 0);  // by slot: it is seen only by what it shows
  for (const Alike& group : alike) {
    if (group.slots == 0 || group.slots > kMostSlots || group.first + group.slots > home.size())
      throw std::invalid_argument("slots whose pieces look alike are 1 to 64");
    std::fill_n(shown.begin() + group.first, group.slots, 1);
  }
  inverse_ = inverses_of(generators_);
  for (const Permutation& move : generators_)
    for (const Permutation& other : generators_) commute_.push_back(commute(move, other));
  relate(slot_of, shown, stop);
  join(slot_of, shown);
  for (const Permutation& move : generators_) odd_.push_back(parities(move));
  size_ = places_.size();
  std::vector<Point> first(home.size(), 0);
  for (std::size_t place = degree_; place-- > 0;) first[slot_of[place]] = static_cast<Point>(place);
  for (const Alike& own : alike) {
    Group group{own.first, own.slots, static_cast<std::uint32_t>(size_), 0, {}, {}};
    size_ += own.slots;
    group.kinds.assign(home.begin() + own.first, home.begin() + own.first + own.slots);
    std::ranges::sort(group.kinds);
    group.kinds.erase(std::ranges::unique(group.kinds).begin(), group.kinds.end());
    for (std::size_t m = 0; m < moves_; ++m) {
      auto& slots = group.moved.emplace_back();
      for (std::uint32_t s = 0; s < own.slots; ++s) {
        const std::uint32_t to = slot_of[generators_[m][first[own.first + s]]] - own.first;
        if (to >= own.slots) throw std::invalid_argument("a move takes slots whose pieces look alike elsewhere");
        if (left_[m] && home[own.first + s] != home[own.first + to])
          throw std::invalid_argument("a move of the subgroup changes what slots show");
        if (to != s) slots.emplace_back(static_cast<std::uint8_t>(s), static_cast<std::uint8_t>(to));
      }
    }
    groups_.push_back(std::move(group));
  }
  add_sets(stop);
  if (tells()) surround(perimeter, stop);
}

// The pairs of places of which one follows the other in the subgroup, but not under all moves; the distances from
// there; and the parities that the subgroup keeps.
void Reduction::relate(const std::vector<std::uint16_t>& slot_of, const std::vector<std::uint8_t>& shown,
                       const Stop& stop) {
  const auto least = [&](bool whole) {  // by place: the first of its orbit
    Partition partition(degree_);
    for (std::size_t m = 0; m < moves_; ++m)
      for (std::size_t x = 0; (whole || left_[m]) && x < degree_; ++x) partition.join(x, generators_[m][x]);
    std::vector<std::size_t> orbit;
    for (std::size_t x = 0; x < degree_; ++x) orbit.push_back(partition.find(x));
    return orbit;
  };
  const std::vector<std::size_t> all = least(true), own = least(false);
  const auto size = [&](const std::vector<std::size_t>& orbit, std::size_t x) {
    return static_cast<std::size_t>(std::ranges::count(orbit, orbit[x]));
  };
  for (std::vector<Point>& orbit : orbits(generators_)) {
    if (parities_.size() == 31) break;
    if (shown[slot_of[orbit.front()]]) continue;
    bool even = true, any = false;
    for (std::size_t m = 0; m < moves_; ++m) {
      const bool odd = is_odd(generators_[m], orbit);
      even = even && !(left_[m] && odd);
      any = any || odd;
    }
    if (even && any) parities_.push_back(std::move(orbit));
  }
  std::vector<std::uint8_t> done(degree_ * degree_, 0);
  std::vector<std::uint32_t> number(degree_, static_cast<std::uint32_t>(degree_));
  const auto tracked = [&](std::size_t place) {
    if (number[place] == degree_) {
      number[place] = static_cast<std::uint32_t>(places_.size());
      places_.push_back(static_cast<Point>(place));
    }
    return number[place];
  };
  Pace pace(stop, 1 << 10);
  const auto spread = [&](std::vector<std::uint32_t>& waiting, std::vector<std::uint8_t>& known, bool whole) {
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      pace.step();
      for (std::size_t m = 0; m < moves_; ++m) {
        if (!whole && !left_[m]) continue;
        const std::size_t to = generators_[m][waiting[i] / degree_] * degree_ + generators_[m][waiting[i] % degree_];
        if (known[to]) continue;
        known[to] = 1;
        waiting.push_back(static_cast<std::uint32_t>(to));
      }
    }
  };
  for (std::size_t x = 0; x < degree_; ++x)
    for (std::size_t y = 0; y < degree_; ++y) {
      const std::size_t pair = x * degree_ + y;
      if (done[pair] || shown[slot_of[x]] || shown[slot_of[y]] || all[x] > all[y]) continue;
      if (x != y && (slot_of[x] == slot_of[y] || size(own, x) == 1 || size(own, x) != size(own, y))) continue;
      std::vector<std::uint32_t> goals{static_cast<std::uint32_t>(pair)};
      done[pair] = 1;
      spread(goals, done, false);
      if (goals.size() != size(own, x)) continue;
      std::vector<std::uint8_t> reached(done.size(), 0);
      std::vector<std::uint32_t> every{static_cast<std::uint32_t>(pair)};
      reached[pair] = 1;
      spread(every, reached, true);
      if (every.size() == goals.size()) continue;
      Row distances(done.size(), kUnknown);
      std::vector<std::uint32_t> layer = goals, next;
      for (const std::uint32_t goal : goals) distances[goal] = 0;
      for (std::uint8_t d = 1; !layer.empty() && d < kUnknown; ++d, layer.swap(next), next.clear())
        for (const std::uint32_t from : layer) {
          pace.step();
          for (const Permutation& move : generators_) {
            const std::size_t to = move[from / degree_] * degree_ + move[from % degree_];
            if (distances[to] != kUnknown) continue;
            distances[to] = d;
            next.push_back(static_cast<std::uint32_t>(to));
          }
        }
      // If both follow each other, one of the two pairs tells the same as the other.
      const std::size_t turned = y * degree_ + x;
      const bool mutual = x != y && std::ranges::find(goals, turned) != goals.end();
      for (const std::uint32_t goal : goals)
        if (!mutual || goal / degree_ < goal % degree_)
          pairs_.push_back({tracked(goal / degree_), tracked(goal % degree_),
                            static_cast<std::uint32_t>(relations_.size()), mutual});
      relations_.push_back(std::move(distances));
    }
}

// The sets of places that follow each other in the subgroup, and an orbit of which a move of the subgroup is an odd
// permutation if and only if it is one of these sets. Together they are a parity that the subgroup keeps.
void Reduction::join(const std::vector<std::uint16_t>& slot_of, const std::vector<std::uint8_t>& shown) {
  Partition partition(places_.size());
  for (const Pair& pair : pairs_) partition.join(pair.one, pair.other);
  std::vector<std::vector<std::uint32_t>> joined(places_.size());
  for (std::uint32_t i = 0; i < places_.size(); ++i) joined[partition.find(i)].push_back(i);
  std::erase_if(joined, [](const auto& block) { return block.size() < 2; });
  if (joined.empty()) return;
  for (const std::vector<Point>& orbit : orbits(generators_)) {
    if (shown[slot_of[orbit.front()]]) continue;
    beside_ = orbit;
    blocks_ = joined;
    bool fits = true, any = false;
    for (std::size_t m = 0; m < moves_; ++m) {
      if (!left_[m]) continue;
      std::vector<std::uint16_t> state;
      for (const Point place : places_) state.push_back(generators_[m][place]);
      const bool odd = is_odd(generators_[m], orbit);
      fits = fits && told(state.data(), odd ? kBeside : 0) == told(places_.data(), 0);
      any = any || odd;
    }
    if (fits && any) return;
    blocks_.clear();
  }
}

// The parities that the subgroup keeps, of a state whose content is an odd permutation of these orbits.
std::uint32_t Reduction::told(const std::uint16_t* state, std::uint32_t odd) const noexcept {
  std::array<std::uint16_t, kMostPlaces> least;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    least[i] = state[blocks_[i].front()];
    for (const std::uint32_t other : blocks_[i]) least[i] = std::min(least[i], state[other]);
    for (std::size_t k = 0; k < i; ++k)
      if (least[k] > least[i]) odd ^= kBeside;
  }
  return odd;
}

void Reduction::add_sets(const Stop& stop) {
  std::vector<std::vector<std::uint64_t>> choose(kMostSlots + 1, std::vector<std::uint64_t>(kOnes + 1, 0));
  for (std::size_t n = 0; n <= kMostSlots; ++n)
    for (std::size_t k = 0; k <= kOnes; ++k)
      choose[n][k] = k == 0   ? 1
                     : n == 0 ? 0
                              : std::min<std::uint64_t>(choose[n - 1][k - 1] + choose[n - 1][k], kMostSets + 1);
  binomial_.assign(8 * kOnes * 256, 0);
  for (std::size_t byte = 0; byte < 8; ++byte)
    for (std::size_t ones = 0; ones < kOnes; ++ones)
      for (std::size_t value = 0; value < 256; ++value) {
        std::size_t k = ones;
        std::uint64_t sum = 0;
        for (std::size_t bit = 0; bit < 8; ++bit)
          if (value >> bit & 1) sum += choose[8 * byte + bit][std::min(++k, kOnes)];
        binomial_[(byte * kOnes + ones) * 256 + value] =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, kMostSets));
      }
  Pace pace(stop, 1 << 10);
  for (Group& group : groups_) {
    group.set = static_cast<std::uint32_t>(tables_.size());
    for (const std::uint16_t kind : group.kinds) {
      std::uint64_t goal = 0;
      for (std::uint32_t s = 0; s < group.slots; ++s)
        if (home_[group.first + s] == kind) goal |= std::uint64_t{1} << s;
      const auto count = static_cast<std::size_t>(std::popcount(goal));
      if (count >= kOnes || choose[group.slots][count] > kMostSets)
        throw std::invalid_argument("too many pieces look alike");
      Row distances(choose[group.slots][count], kUnknown);
      std::vector<std::uint64_t> layer{goal}, next;
      distances[rank(goal)] = 0;
      for (std::uint8_t d = 1; !layer.empty() && d < kUnknown; ++d, layer.swap(next), next.clear())
        for (const std::uint64_t set : layer) {
          pace.step();
          for (std::size_t m = 0; m < moves_; ++m) {
            const std::uint64_t after = moved(set, group.moved[m]);
            std::uint8_t& its = distances[rank(after)];
            if (its != kUnknown) continue;
            its = d;
            next.push_back(after);
          }
        }
      tables_.push_back(std::move(distances));
    }
  }
}

std::uint32_t Reduction::parities(const Permutation& element) const {
  std::uint32_t odd = 0;
  for (std::size_t bit = 0; bit < parities_.size(); ++bit) odd |= std::uint32_t{is_odd(element, parities_[bit])} << bit;
  if (!blocks_.empty() && is_odd(element, beside_)) odd |= kBeside;
  return odd;
}

std::uint32_t Reduction::rank(std::uint64_t set) const noexcept {
  std::uint32_t sum = 0;
  std::size_t ones = 0;
  for (std::size_t byte = 0; set != 0; ++byte, set >>= 8) {
    sum += binomial_[(byte * kOnes + ones) * 256 + (set & 255)];
    ones += static_cast<std::size_t>(std::popcount(set & 255));
  }
  return sum;
}

// Cosets by their distance from the subgroup, until there are so many.
void Reduction::surround(std::size_t most, const Stop& stop) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(64, 2 * most));
  prints_.assign(slots, 0);
  depths_.assign(slots, 0);
  const auto insert = [&](std::uint64_t print, std::uint8_t depth) {
    if (known_ == most) return false;
    std::size_t i = print & (slots - 1);
    for (; prints_[i] != 0; i = (i + 1) & (slots - 1))
      if (prints_[i] == print) return false;
    prints_[i] = print, depths_[i] = depth;
    ++known_;
    return true;
  };
  Permutation solved(degree_);
  for (std::size_t x = 0; x < degree_; ++x) solved[x] = static_cast<Point>(x);
  std::vector<std::uint16_t> layer = begin(solved, home_), next, state(size_);
  std::vector<std::uint32_t> odd{0}, next_odd;
  insert(print(layer.data(), 0), 0);
  Pace pace(stop, 1 << 8);
  for (std::uint8_t d = 1; !odd.empty() && known_ < most && d < kUnknown; ++d) {
    for (std::size_t n = 0; n < odd.size() && known_ < most; ++n) {
      pace.step();
      for (std::size_t m = 0; m < moves_; ++m) {
        apply(static_cast<std::uint8_t>(m), layer.data() + n * size_, state.data());
        const std::uint32_t parity = odd[n] ^ odd_[m];
        if (!insert(print(state.data(), parity), d)) continue;
        next.insert(next.end(), state.begin(), state.end());
        next_odd.push_back(parity);
      }
    }
    layer.swap(next), odd.swap(next_odd);
    next.clear(), next_odd.clear();
  }
}

int Reduction::depth(std::uint64_t print) const noexcept {
  for (std::size_t i = print & (prints_.size() - 1); prints_[i] != 0; i = (i + 1) & (prints_.size() - 1))
    if (prints_[i] == print) return depths_[i];
  return -1;
}

std::vector<std::uint16_t> Reduction::begin(const Permutation& element, const std::vector<std::uint16_t>& kinds) const {
  std::vector<std::uint16_t> state;
  for (const Point place : places_) state.push_back(element[place]);
  for (const Group& group : groups_)
    for (std::uint32_t s = 0; s < group.slots; ++s) {
      const auto kind = std::ranges::find(group.kinds, kinds[group.first + s]);
      if (kind == group.kinds.end()) throw std::invalid_argument("there is no such kind of piece");
      state.push_back(static_cast<std::uint16_t>(kind - group.kinds.begin()));
    }
  return state;
}

void Reduction::apply(std::uint8_t move, const std::uint16_t* from, std::uint16_t* to) const noexcept {
  const Permutation& image = generators_[move];
  for (std::size_t i = 0; i < places_.size(); ++i) to[i] = image[from[i]];
  std::copy(from + places_.size(), from + size_, to + places_.size());
  for (const Group& group : groups_)
    for (const auto& [slot, there] : group.moved[move]) to[group.at + there] = from[group.at + slot];
}

std::uint64_t Reduction::print(const Pair& pair, std::size_t one, std::size_t other) const noexcept {
  if (pair.mutual && one > other) std::swap(one, other);
  return mixed(2 + pair.relation, one * degree_ + other);
}

// What tells a coset, and its score, in parts that a move changes.
struct Reduction::Seen {
  std::uint64_t sum = 0;
  std::uint32_t score = 0;
  std::vector<std::uint64_t> pairs, sets, masks;  // what each adds to the sum; the slots of each set
  std::vector<std::uint32_t> of_pairs, of_sets;   // and to the score
  std::vector<std::uint64_t> gone, come;          // by set: slots that a move empties and fills
};

void Reduction::see(const std::uint16_t* state, const Scores& scores, Seen& to) const {
  to.pairs.resize(pairs_.size()), to.of_pairs.resize(pairs_.size());
  to.sets.resize(tables_.size()), to.of_sets.resize(tables_.size());
  to.masks.assign(tables_.size(), 0), to.gone.assign(tables_.size(), 0), to.come.assign(tables_.size(), 0);
  to.sum = 0, to.score = 0;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const std::size_t one = state[pairs_[i].one], other = state[pairs_[i].other];
    to.sum += to.pairs[i] = print(pairs_[i], one, other);
    to.score += to.of_pairs[i] = scores.related[relations_[pairs_[i].relation][one * degree_ + other]];
  }
  for (const Group& group : groups_)
    for (std::uint32_t s = 0; s < group.slots; ++s) to.masks[group.set + state[group.at + s]] |= std::uint64_t{1} << s;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::uint32_t number = rank(to.masks[i]);
    to.sum += to.sets[i] = mixed(std::uint64_t{1} << 20 | i, number);
    to.score += to.of_sets[i] = scores.alike[tables_[i][number]];
  }
}

// The print of a state that was seen after a move, as `print` has it, and its score.
std::uint64_t Reduction::after(std::uint8_t move, const std::uint16_t* state, std::uint32_t odd, const Scores& scores,
                               Seen& own, std::uint32_t& score) const noexcept {
  std::uint64_t sum = own.sum;
  score = own.score;
  std::uint16_t there[kMostPlaces];
  const Permutation& image = generators_[move];
  for (std::size_t i = 0; i < places_.size(); ++i) there[i] = image[state[i]];
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    const std::size_t one = there[pair.one], other = there[pair.other];
    if (one == state[pair.one] && other == state[pair.other]) continue;
    sum += print(pair, one, other) - own.pairs[i];
    score += scores.related[relations_[pair.relation][one * degree_ + other]] - own.of_pairs[i];
  }
  for (const Group& group : groups_) {
    for (const auto& [slot, to] : group.moved[move]) {
      const std::size_t set = group.set + state[group.at + slot];
      own.gone[set] |= std::uint64_t{1} << slot;
      own.come[set] |= std::uint64_t{1} << to;
    }
    for (std::size_t k = 0; k < group.kinds.size(); ++k) {
      const std::size_t set = group.set + k;
      if (own.gone[set] == own.come[set]) {
        own.gone[set] = own.come[set] = 0;
        continue;
      }
      const std::uint32_t number = rank((own.masks[set] & ~own.gone[set]) | own.come[set]);
      own.gone[set] = own.come[set] = 0;
      sum += mixed(std::uint64_t{1} << 20 | set, number) - own.sets[set];
      score += scores.alike[tables_[set][number]] - own.of_sets[set];
    }
  }
  return (sum + mixed(1, told(there, odd))) | 1;
}

// The same for all states of a coset; never 0.
std::uint64_t Reduction::print(const std::uint16_t* state, std::uint32_t odd) const noexcept {
  std::uint64_t sum = mixed(1, told(state, odd));
  for (const Pair& pair : pairs_) sum += print(pair, state[pair.one], state[pair.other]);
  std::uint64_t masks[kMostSlots];
  for (const Group& group : groups_) {
    std::fill_n(masks, group.kinds.size(), 0);
    for (std::uint32_t s = 0; s < group.slots; ++s) masks[state[group.at + s]] |= std::uint64_t{1} << s;
    for (std::size_t k = 0; k < group.kinds.size(); ++k)
      sum += mixed(std::uint64_t{1} << 20 | (group.set + k), rank(masks[k]));
  }
  return sum | 1;
}

class Reduction::Beam {
 public:
  Beam(const Reduction& own, const ReductionOptions& options, const Stop& stop)
      : own_(own), options_(options), stop_(stop), scores_(options) {}

  Reduced run(std::vector<std::uint16_t> start, std::uint32_t odd) {
    start_ = start;
    odd_ = odd;
    states_ = std::move(start);
    links_ = {{0, 255, odd}};
    paths_ = {0};
    note(0, 255, own_.depth(own_.print(start_.data(), odd)), 0);
    for (std::size_t moves = 1; moves <= options_.most && !paths_.empty() && moves <= last_; ++moves) {
      if (!expand()) break;
      for (const auto& block : found_)
        for (const Candidate& one : block)
          if (one.depth >= 0) note(paths_[one.from], one.move, one.depth, moves);
      keep();
    }
    std::ranges::stable_sort(ways_, {}, [](const Row& way) { return way.size(); });
    if (!ways_.empty())
      std::erase_if(ways_, [&](const Row& way) { return way.size() > ways_.front().size() + options_.longer; });
    if (ways_.size() > options_.ways) ways_.resize(options_.ways);
    reduced_.ways = std::move(ways_);
    return std::move(reduced_);
  }

 private:
  struct Link {
    std::uint32_t before;
    std::uint8_t move;
    std::uint32_t odd;
  };
  struct Candidate {
    std::uint64_t print;
    std::uint32_t score, from;
    std::int16_t depth;  // in the perimeter, or -1
    std::uint8_t move;
  };

  void expand(std::size_t begin, std::size_t end, std::vector<Candidate>& to) const {
    Seen seen;
    for (std::size_t n = begin; n < end; ++n) {
      const Link& link = links_[paths_[n]];
      const std::uint16_t* state = states_.data() + n * own_.size_;
      own_.see(state, scores_, seen);
      const std::size_t before = to.size();
      for (std::size_t m = 0; m < own_.moves_; ++m) {
        const auto move = static_cast<std::uint8_t>(m);
        if (link.move != 255 &&
            (own_.inverse_[link.move] == move || (own_.commute_[link.move * own_.moves_ + m] && move < link.move)))
          continue;
        Candidate next{0, 0, static_cast<std::uint32_t>(n), -1, move};
        next.print = own_.after(move, state, link.odd ^ own_.odd_[m], scores_, seen, next.score);
        __builtin_prefetch(&own_.prints_[next.print & (own_.prints_.size() - 1)]);
        to.push_back(next);
      }
      for (std::size_t i = before; i < to.size(); ++i) to[i].depth = static_cast<std::int16_t>(own_.depth(to[i].print));
    }
  }

  // False if a limit was reached.
  bool expand() {
    const std::size_t states = paths_.size();
    if (states > options_.limits.expanded - reduced_.expanded) return false;
    if (states * own_.moves_ > options_.limits.generated - reduced_.generated) return false;
    found_.resize((states + kBlock - 1) / kBlock);
    std::atomic<bool> stopped = false;
    in_blocks(states, kBlock, states < 4 * kBlock ? 1 : options_.threads, [&](std::uint64_t begin, std::uint64_t end) {
      if (stop_.requested()) stopped = true;
      found_[begin / kBlock].clear();
      if (!stopped) expand(begin, end, found_[begin / kBlock]);
    });
    if (stopped) return false;
    reduced_.expanded += states;
    for (const auto& block : found_) reduced_.generated += block.size();
    return true;
  }

  // The best become the next states, each coset once.
  void keep() {
    std::uint32_t highest = 0;
    for (const auto& block : found_)
      for (const Candidate& one : block)
        if (one.depth < 0) highest = std::max(highest, one.score);
    std::vector<std::size_t> count(highest + 1, 0);
    for (const auto& block : found_)
      for (const Candidate& one : block)
        if (one.depth < 0) ++count[one.score];
    std::uint32_t cut = 0;
    for (std::size_t sum = count[0]; cut < highest && sum < 2 * options_.width; ++cut) sum += count[cut + 1];
    std::vector<Candidate> best;
    for (const auto& block : found_)
      for (const Candidate& one : block)
        if (one.depth < 0 && one.score <= cut) best.push_back(one);
    std::ranges::stable_sort(best, {}, &Candidate::score);
    Fingerprints seen(2 * options_.width);
    std::vector<std::uint16_t> states;
    std::vector<std::uint32_t> paths;
    for (const Candidate& one : best) {
      if (paths.size() == options_.width) break;
      if (!seen.insert(one.print)) continue;
      states.resize(states.size() + own_.size_);
      own_.apply(one.move, states_.data() + one.from * own_.size_, states.data() + states.size() - own_.size_);
      const std::uint32_t before = paths_[one.from];
      paths.push_back(static_cast<std::uint32_t>(links_.size()));
      links_.push_back({before, one.move, links_[before].odd ^ own_.odd_[one.move]});
    }
    std::uint64_t bytes = (states_.capacity() + states.capacity()) * sizeof(std::uint16_t) +
                          links_.capacity() * sizeof(Link) + best.capacity() * sizeof(Candidate) + seen.bytes();
    for (const auto& block : found_) bytes += block.capacity() * sizeof(Candidate);
    reduced_.peak_bytes = std::max(reduced_.peak_bytes, bytes);
    states_ = std::move(states);
    paths_ = std::move(paths);
    reduced_.stored += paths_.size();
  }

  // A coset of the perimeter was reached.
  void note(std::uint32_t path, std::uint8_t move, int depth, std::size_t moves) {
    if (depth < 0) return;
    const std::size_t length = moves + static_cast<std::size_t>(depth);
    if (length < shortest_) shortest_ = length;
    last_ = std::min(last_, moves + options_.later);
    if (length > shortest_ + options_.longer || ways_.size() >= 4 * options_.ways) return;
    Row way;
    if (move != 255) way.push_back(move);
    for (; path != 0; path = links_[path].before) way.push_back(links_[path].move);
    std::ranges::reverse(way);
    std::vector<std::uint16_t> state = start_, spare(own_.size_);
    std::uint32_t odd = odd_;
    for (const std::uint8_t one : way) {
      own_.apply(one, state.data(), spare.data());
      state.swap(spare);
      odd ^= own_.odd_[one];
    }
    std::size_t left = kDescents;
    descend(state, odd, depth, way, left);
  }

  // All ways on from a coset of the perimeter, as far as so many are left.
  void descend(const std::vector<std::uint16_t>& state, std::uint32_t odd, int depth, Row& way, std::size_t& left) {
    if (depth == 0) {
      ways_.push_back(way);
      --left;
      return;
    }
    std::vector<std::uint16_t> after(own_.size_);
    for (std::size_t m = 0; m < own_.moves_ && left > 0; ++m) {
      own_.apply(static_cast<std::uint8_t>(m), state.data(), after.data());
      const int its = own_.depth(own_.print(after.data(), odd ^ own_.odd_[m]));
      if (its < 0 || its >= depth) continue;
      way.push_back(static_cast<std::uint8_t>(m));
      descend(after, odd ^ own_.odd_[m], its, way, left);
      way.pop_back();
    }
  }

  const Reduction& own_;
  const ReductionOptions& options_;
  const Stop& stop_;
  const Scores scores_;
  Reduced reduced_;
  std::vector<Row> ways_;
  std::vector<std::uint16_t> start_, states_;
  std::uint32_t odd_ = 0;  // of the start
  std::vector<std::uint32_t> paths_;  // by state
  std::vector<Link> links_;
  std::vector<std::vector<Candidate>> found_;  // by block of states
  std::size_t shortest_ = std::numeric_limits<std::size_t>::max() / 2, last_ = std::numeric_limits<std::size_t>::max();
};

Reduced Reduction::search(const Permutation& element, const std::vector<std::uint16_t>& kinds,
                          const ReductionOptions& options, const Stop& stop) const {
  if (element.size() != degree_ || kinds.size() != home_.size())
    throw std::invalid_argument("expected all places and slots");
  if (options.width == 0 || options.threads == 0) throw std::invalid_argument("the width and threads are at least 1");
  if (!tells()) return {};
  return Beam(*this, options, stop).run(begin(element, kinds), parities(element));
}

}  // namespace hstar
