#include "anytime/bundles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/parallel.hpp"
#include "base/splitmix.hpp"

namespace hstar {

namespace {

constexpr std::size_t kMostPieces = 128;  // of an orbit: there is a table of its cycles
constexpr std::size_t kLongest = 60;      // moves of a word of a single cycle
constexpr std::uint16_t kNone = std::numeric_limits<std::uint16_t>::max();

}  // namespace

Bundles::Bundles(const std::vector<Permutation>& generators, const std::vector<std::uint16_t>& slot_of,
                 std::vector<SlotOrbit> orbits, const Stop& stop)
    : moves_(generators.size()), orbits_(std::move(orbits)) {
  if (moves_ == 0 || moves_ >= kNoMove) throw std::invalid_argument("too many moves");
  const std::size_t count = generators.front().size();
  if (slot_of.size() != count) throw std::invalid_argument("expected the slot of each place");
  for (const std::uint16_t slot : slot_of) slots_ = std::max<std::size_t>(slots_, slot + 1u);
  orbit_of_.assign(slots_, kNone);
  for (std::size_t orbit = 0; orbit < orbits_.size(); ++orbit) {
    const auto [first, pieces] = orbits_[orbit];
    if (pieces < 3 || pieces > kMostPieces || first + pieces > slots_)
      throw std::invalid_argument("an orbit has 3 to 128 slots");
    std::fill_n(orbit_of_.begin() + first, pieces, static_cast<std::uint16_t>(orbit));
  }
  inverse_ = inverses_of(generators);
  std::vector<std::vector<std::uint8_t>> moved;  // by layer and slot
  for (const Permutation& move : generators) {
    std::vector<std::uint16_t> image(slots_), touched;
    std::vector<std::uint8_t> own(slots_, 0);
    for (std::size_t place = 0; place < count; ++place) {
      image[slot_of[place]] = slot_of[move[place]];
      if (move[place] != place) own[slot_of[place]] = 1;
    }
    bool free = true;
    for (std::size_t slot = 0; slot < slots_; ++slot)
      if (own[slot]) touched.push_back(static_cast<std::uint16_t>(slot)), free = free && orbit_of_[slot] != kNone;
    free_.push_back(free);
    Bits odd((orbits_.size() + 63) / 64, 0);
    for (std::size_t orbit = 0; orbit < orbits_.size(); ++orbit)
      odd[orbit / 64] |= std::uint64_t{is_odd(image, orbits_[orbit].slots())} << orbit % 64;
    odd_.push_back(std::move(odd));
    const auto layer = std::ranges::find(moved, own) - moved.begin();
    layer_.push_back(static_cast<std::uint16_t>(layer));
    if (static_cast<std::size_t>(layer) == moved.size()) moved.push_back(std::move(own));
    on_slots_.push_back({image, inverse_of(image), std::move(touched)});
  }
  // Classes of layers that have no slot in common, each layer in the first that it fits into.
  std::vector<std::vector<std::uint8_t>> classes;
  std::vector<std::uint16_t> class_of;
  for (const auto& layer : moved) {
    std::size_t number = 0;
    const auto meets = [&](const std::vector<std::uint8_t>& own) {
      for (std::size_t slot = 0; slot < slots_; ++slot)
        if (own[slot] & layer[slot]) return true;
      return false;
    };
    while (number < classes.size() && meets(classes[number])) ++number;
    if (number == classes.size()) classes.emplace_back(slots_, 0);
    for (std::size_t slot = 0; slot < slots_; ++slot) classes[number][slot] |= layer[slot];
    class_of.push_back(static_cast<std::uint16_t>(number));
  }
  for (std::size_t move = 0; move < moves_; ++move) class_.push_back(class_of[layer_[move]]);
  find_families(stop);
  for (std::size_t orbit = 0; orbit < orbits_.size(); ++orbit) find_cycles(orbit, stop);
}

std::size_t Bundles::cells() const noexcept {
  std::size_t sum = 0;
  for (const Family& family : families_) sum += family.cells.size();
  return sum;
}

void Bundles::find_families(const Stop& stop) {
  const std::size_t classes = std::size_t{*std::ranges::max_element(class_)} + 1;
  const std::size_t layers = std::size_t{*std::ranges::max_element(layer_)} + 1;
  std::vector<std::vector<std::uint8_t>> members(classes);
  std::vector<std::vector<std::uint16_t>> layer_at(classes, std::vector<std::uint16_t>(slots_, kNone));
  for (std::size_t move = 0; move < moves_; ++move) {
    members[class_[move]].push_back(static_cast<std::uint8_t>(move));
    for (const std::uint16_t slot : on_slots_[move].touched) layer_at[class_[move]][slot] = layer_[move];
  }
  std::vector<std::uint16_t> common(layers * layers), where(layers * layers);
  for (std::size_t number = 0; number <= moves_; ++number) {
    const bool any = number < moves_;
    const std::uint8_t around = any ? static_cast<std::uint8_t>(number) : kNoMove;
    for (std::size_t one = 0; one < classes; ++one)
      for (std::size_t two = 0; two < classes; ++two) {
        stop.check();
        if (any ? class_[number] == one || class_[number] == two : one == two) continue;
        std::ranges::fill(common, 0);
        for (std::size_t slot = 0; slot < slots_; ++slot) {
          const std::uint16_t its = layer_at[one][slot];
          if (its == kNone) continue;
          const std::uint16_t other = layer_at[two][any ? on_slots_[number].image[slot] : slot];
          if (other == kNone) continue;
          const std::size_t pair = its * layers + other;
          where[pair] = static_cast<std::uint16_t>(slot);
          if (common[pair] < 2) ++common[pair];
        }
        const auto pure = [&](std::uint8_t a, std::uint8_t c) {
          const std::size_t pair = layer_[a] * layers + layer_[c];
          return common[pair] == 1 && orbit_of_[where[pair]] != kNone;
        };
        Family family{around, {}, {}, {}, {}, {}, {}, {}, {}, {}};
        for (const std::uint8_t a : members[one])
          if (std::ranges::any_of(members[two], [&](std::uint8_t c) { return pure(a, c); })) family.rows.push_back(a);
        for (const std::uint8_t c : members[two])
          if (std::ranges::any_of(members[one], [&](std::uint8_t a) { return pure(a, c); }))
            family.columns.push_back(c);
        if (family.rows.empty()) continue;
        const auto there = [&](std::uint16_t slot) { return any ? on_slots_[number].image[slot] : slot; };
        const auto back = [&](std::uint16_t slot) { return any ? on_slots_[number].before[slot] : slot; };
        for (std::size_t row = 0; row < family.rows.size(); ++row) {
          family.row_begin.push_back(static_cast<std::uint32_t>(family.cells.size()));
          for (std::size_t column = 0; column < family.columns.size(); ++column) {
            const std::uint8_t a = family.rows[row], c = family.columns[column];
            const std::size_t pair = layer_[a] * layers + layer_[c];
            family.bad.push_back(common[pair] != 0 && !pure(a, c));
            if (!pure(a, c)) continue;
            // What is in the common slot comes to where x takes it from, this to where a takes it from.
            const std::uint16_t slot = where[pair];
            family.cells.push_back({static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(column), slot,
                                    back(on_slots_[c].before[there(slot)]), on_slots_[a].before[slot]});
          }
        }
        family.row_begin.push_back(static_cast<std::uint32_t>(family.cells.size()));
        for (std::size_t column = 0; column < family.columns.size(); ++column) {
          family.column_begin.push_back(static_cast<std::uint32_t>(family.by_column.size()));
          for (std::size_t cell = 0; cell < family.cells.size(); ++cell)
            if (family.cells[cell].column == column) family.by_column.push_back(static_cast<std::uint32_t>(cell));
        }
        family.column_begin.push_back(static_cast<std::uint32_t>(family.by_column.size()));
        for (const std::uint8_t move : family.rows) family.row_layer.push_back(layer_[move]);
        for (const std::uint8_t move : family.columns) family.column_layer.push_back(layer_[move]);
        families_.push_back(std::move(family));
      }
  }
}

// The shortest words of the cycles of an orbit, by breadth-first search from the cells.
void Bundles::find_cycles(std::size_t orbit, const Stop& stop) {
  const auto [first, pieces] = orbits_[orbit];
  std::vector<Way> ways(std::size_t{pieces} * pieces * pieces);
  std::vector<std::vector<std::uint32_t>> waiting(kLongest + 3);
  std::size_t reached = 0;
  for (std::size_t number = 0; number < families_.size(); ++number) {
    const Family& family = families_[number];
    for (std::size_t i = 0; i < family.cells.size(); ++i) {
      const Cell& cell = family.cells[i];
      if (orbit_of_[cell.a] != orbit || orbit_of_[cell.b] != orbit || orbit_of_[cell.c] != orbit) continue;
      if (cell.a == cell.b || cell.a == cell.c || cell.b == cell.c) continue;
      const std::uint32_t cycle = number_of_cycle(pieces, cell.a - first, cell.b - first, cell.c - first);
      const std::uint8_t length = family.around == kNoMove ? 4 : 8;
      if (ways[cycle].length != 0 && ways[cycle].length <= length) continue;
      reached += ways[cycle].length == 0;
      ways[cycle] = {length, kNoMove, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(i)};
      waiting[length].push_back(cycle);
    }
  }
  std::vector<std::uint8_t> moving;
  for (std::size_t move = 0; move < moves_; ++move)
    if (std::ranges::any_of(on_slots_[move].touched, [&](std::uint16_t slot) { return orbit_of_[slot] == orbit; }))
      moving.push_back(static_cast<std::uint8_t>(move));
  Pace pace(stop, 1 << 10);
  for (std::size_t length = 0; length <= kLongest; ++length)
    for (std::size_t i = 0; i < waiting[length].size(); ++i) {
      pace.step();
      const std::uint32_t cycle = waiting[length][i];
      if (ways[cycle].length != length) continue;
      const std::uint32_t a = first + cycle / (pieces * pieces), b = first + cycle / pieces % pieces,
                          c = first + cycle % pieces;
      for (const std::uint8_t move : moving) {
        const std::vector<std::uint16_t>& before = on_slots_[move].before;
        const std::uint32_t next = number_of_cycle(pieces, before[a] - first, before[b] - first, before[c] - first);
        if (ways[next].length != 0 && ways[next].length <= length + 2) continue;
        reached += ways[next].length == 0;
        ways[next] = {static_cast<std::uint8_t>(length + 2), move, cycle, 0};
        waiting[length + 2].push_back(next);
      }
    }
  if (reached != std::size_t{pieces} * (pieces - 1) * (pieces - 2) / 3) ways.clear();
  cycles_.push_back(std::move(ways));
}

// Adds a move to an alg, without what it undoes; also behind moves of other layers of its class.
void Bundles::append(Alg& alg, std::uint8_t move) const {
  std::array<std::size_t, 3> same{};
  std::size_t count = 0;
  for (std::size_t k = alg.size(); k-- > 0 && class_[alg[k]] == class_[move];) {
    if (layer_[alg[k]] != layer_[move]) continue;
    if (alg[k] == inverse_[move]) {
      alg.erase(alg.begin() + static_cast<std::ptrdiff_t>(k));
      return;
    }
    if (alg[k] != move) break;
    same[count++] = k;
    if (count == 2) break;
  }
  // Three times a move of four in a circle is its inverse.
  const SlotMove& its = on_slots_[move];
  if (count == 2 && std::ranges::all_of(its.touched, [&](std::uint16_t slot) {
        return its.image[its.image[its.image[its.image[slot]]]] == slot;
      })) {
    alg.erase(alg.begin() + static_cast<std::ptrdiff_t>(same[0]));
    alg[same[1]] = inverse_[move];
    return;
  }
  alg.push_back(move);
}

Bundles::Alg Bundles::word_of(const Family& family, std::span<const std::uint16_t> rows,
                              std::span<const std::uint16_t> columns) const {
  Alg word;
  const auto x = [&](bool undone) {
    if (family.around != kNoMove) word.push_back(family.around);
    for (const std::uint16_t column : columns)
      word.push_back(undone ? inverse_[family.columns[column]] : family.columns[column]);
    if (family.around != kNoMove) word.push_back(inverse_[family.around]);
  };
  for (const std::uint16_t row : rows) word.push_back(family.rows[row]);
  x(false);
  for (const std::uint16_t row : rows) word.push_back(inverse_[family.rows[row]]);
  x(true);
  return word;
}

Bundles::Alg Bundles::word_of(std::size_t orbit, std::uint32_t cycle) const {
  Alg before;
  const Way* way = &cycles_[orbit][cycle];
  for (; way->around != kNoMove; way = &cycles_[orbit][way->from]) before.push_back(way->around);
  const Family& family = families_[way->from];
  const Cell& cell = family.cells[way->cell];
  Alg word = before;
  const Alg inner = word_of(family, std::array{cell.row}, std::array{cell.column});
  word.insert(word.end(), inner.begin(), inner.end());
  for (auto move = before.rbegin(); move != before.rend(); ++move) word.push_back(inverse_[*move]);
  return word;
}

// Adds free moves after which no orbit is odd that must not be; false if there are none.
bool Bundles::evened(Alg& alg, Bits odd, const Bits& distinct) const {
  struct Row {
    Bits bits;
    std::vector<std::uint8_t> moves;
    std::size_t lead;
  };
  std::vector<Row> rows;
  const auto lead = [](const Bits& bits) {
    for (std::size_t i = 0; i < bits.size(); ++i)
      if (bits[i] != 0) return 64 * i + static_cast<std::size_t>(std::countr_zero(bits[i]));
    return 64 * bits.size();
  };
  const auto reduce = [&](Row& row) {
    for (const Row& other : rows)
      if (row.bits[other.lead / 64] >> other.lead % 64 & 1) {
        for (std::size_t i = 0; i < row.bits.size(); ++i) row.bits[i] ^= other.bits[i];
        row.moves.insert(row.moves.end(), other.moves.begin(), other.moves.end());
      }
    row.lead = lead(row.bits);
  };
  for (std::size_t move = 0; move < moves_; ++move) {
    if (!free_[move]) continue;
    Row row{odd_[move], {static_cast<std::uint8_t>(move)}, 0};
    for (std::size_t i = 0; i < row.bits.size(); ++i) row.bits[i] &= distinct[i];
    reduce(row);
    if (row.lead < 64 * row.bits.size()) rows.push_back(std::move(row));
  }
  Row wanted{std::move(odd), {}, 0};
  reduce(wanted);
  if (wanted.lead < 64 * wanted.bits.size()) return false;
  std::ranges::sort(wanted.moves);
  for (std::size_t i = 0; i < wanted.moves.size(); ++i) {
    if (i + 1 < wanted.moves.size() && wanted.moves[i] == wanted.moves[i + 1])
      ++i;
    else
      append(alg, wanted.moves[i]);
  }
  return true;
}

// Puts free moves in anywhere and takes them out again, so that few moves leave few pieces misplaced. It goes along the
// alg, with what is in each slot there and what the moves that follow bring home; so a change is looked at by what it
// does there, however long the alg is.
class Bundles::Annealing {
 public:
  Annealing(const Bundles& own, const Kinds& start, const Kinds& home, const Bits& odd, const Bits& distinct,
            const BundleOptions& options, std::uint64_t seed)
      : own_(own), distinct_(distinct), options_(options), odd_(odd), kinds_(start), want_(home), spare_(start.size()),
        random_{seed} {
    for (std::size_t move = 0; move < own.moves_; ++move)
      if (own.free_[move]) free_.push_back(static_cast<std::uint8_t>(move));
    for (std::size_t slot = 0; slot < kinds_.size(); ++slot)  // others count as home
      if (own.orbit_of_[slot] == kNone) kinds_[slot] = want_[slot] = 0;
  }

  Alg run(Alg alg, std::uint64_t& tries, const Stop& stop) {
    if (free_.empty()) return alg;
    const double hot = options_.heat, cold = hot / 4;
    constexpr std::uint64_t kStay = 4;  // tries at a place
    alg_ = std::move(alg);
    for (std::size_t i = alg_.size(); i-- > 0;) own_.on_slots_[own_.inverse_[alg_[i]]].apply(want_, spare_);
    for (const std::uint8_t move : alg_) turn_parity(odd_, move);
    for (std::size_t slot = 0; slot < kinds_.size(); ++slot) wrong_ += kinds_[slot] != want_[slot];
    double least = cost();
    Alg best = alg_;
    bool ahead = true;
    Pace pace(stop, 1 << 12);
    for (std::uint64_t i = 0; i < options_.anneals && !pace.ends(); ++i, ++tries) {
      const double heat = hot * std::pow(cold / hot, static_cast<double>(i) / static_cast<double>(options_.anneals));
      if (propose() && changed(heat) && count(odd_) == 0 && cost() < least) best = alg_, least = cost();
      if (i % kStay != 0) continue;
      if (at_ == 0) ahead = true;
      if (at_ == alg_.size()) ahead = false;
      if (ahead)
        step(alg_[at_++]);
      else if (at_ > 0)
        step(own_.inverse_[alg_[--at_]]);
    }
    return best;
  }

 private:
  static constexpr double kOdd = 12, kSaved = 4;  // moves: that an odd orbit counts as, that may cancel out at first
  static constexpr std::size_t kAround = 8;       // moves that others are put around, or go past
  static constexpr std::size_t kContext = 10;     // moves before and after a change that may cancel out with it

  static int count(const Bits& odd) {
    int sum = 0;
    for (const std::uint64_t bits : odd) sum += std::popcount(bits);
    return sum;
  }
  double cost() const {
    return static_cast<double>(alg_.size()) + options_.misplaced * static_cast<double>(wrong_) + kOdd * count(odd_);
  }
  bool same(std::size_t one, std::size_t two) const { return own_.class_[alg_[one]] == own_.class_[alg_[two]]; }
  void turn_parity(Bits& odd, std::uint8_t move) const {
    for (std::size_t i = 0; i < odd.size(); ++i) odd[i] ^= own_.odd_[move][i] & distinct_[i];
  }
  void step(std::uint8_t move) {
    own_.on_slots_[move].apply(kinds_, spare_);
    own_.on_slots_[move].apply(want_, spare_);
  }

  // What may come in the place of some of the next moves: `taken_` of them, and `put_`.
  bool propose() {
    const std::size_t left = alg_.size() - at_;
    const std::uint8_t move = free_[random_() % free_.size()];
    const std::size_t some = left == 0 ? 0 : 1 + random_() % std::min(kAround, left);
    const std::uint8_t* const next = alg_.data() + at_;
    put_.clear();
    taken_ = 0;
    switch (random_() % 8) {
      case 0: case 1: put_.push_back(move); return true;
      case 2: case 3:  // out
        taken_ = 1;
        return left > 0 && own_.free_[*next];
      case 4:  // another one
        taken_ = 1;
        put_.push_back(move);
        return left > 0 && own_.free_[*next] && *next != move;
      case 5:  // around the next ones, or no longer so
        if (left > 0 && own_.free_[*next] && random_() % 2 == 0) {
          for (std::size_t k = 1; k < std::min(kAround + 2, left); ++k)
            if (next[k] == own_.inverse_[*next]) {
              taken_ = k + 1;
              put_.assign(next + 1, next + k);
              return true;
            }
          return false;
        }
        put_.push_back(move);
        put_.insert(put_.end(), next, next + some);
        put_.push_back(own_.inverse_[move]);
        taken_ = some;
        return some > 0;
      case 6:  // later
        taken_ = some;
        if (some < 2 || !own_.free_[*next]) return false;
        put_.assign(next + 1, next + some);
        put_.push_back(*next);
        return true;
      default:  // earlier
        taken_ = some;
        if (some < 2 || !own_.free_[next[some - 1]]) return false;
        put_.push_back(next[some - 1]);
        put_.insert(put_.end(), next, next + some - 1);
        return true;
    }
  }

  // Does what was proposed, or not.
  bool changed(double heat) {
    const double most = -heat * std::log(1 - random_.fraction());
    // The same as a word that comes before the next moves: what is put, and those taken undone.
    word_ = put_;
    for (std::size_t k = taken_; k-- > 0;) word_.push_back(own_.inverse_[alg_[at_ + k]]);
    Bits odd = odd_;
    std::ptrdiff_t wrong = 0;
    for (const std::uint8_t move : word_) wrong += applied(move), turn_parity(odd, move);
    const double other = options_.misplaced * static_cast<double>(wrong) + kOdd * (count(odd) - count(odd_));
    const double longer = static_cast<double>(put_.size()) - static_cast<double>(taken_);
    if (other + longer - std::max(kSaved, longer) <= most) {
      std::size_t from = at_, to = at_ + taken_;
      for (std::size_t some = 0; from > 0 && (some < kContext || same(from - 1, from)); ++some) --from;
      for (std::size_t some = 0; to < alg_.size() && (some < kContext || same(to, to - 1)); ++some) ++to;
      local_.clear();
      for (std::size_t k = from; k < at_; ++k) own_.append(local_, alg_[k]);
      for (const std::uint8_t move : put_) own_.append(local_, move);
      for (std::size_t k = at_ + taken_; k < to; ++k) own_.append(local_, alg_[k]);
      if (other + static_cast<double>(local_.size()) - static_cast<double>(to - from) <= most) {
        wrong_ = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(wrong_) + wrong);
        odd_ = std::move(odd);
        for (; at_ < to; ++at_) step(alg_[at_]);
        const auto begin = alg_.begin() + static_cast<std::ptrdiff_t>(from);
        alg_.insert(alg_.erase(begin, begin + static_cast<std::ptrdiff_t>(to - from)), local_.begin(), local_.end());
        at_ = from + local_.size();
        return true;
      }
    }
    for (std::size_t k = word_.size(); k-- > 0;) own_.on_slots_[own_.inverse_[word_[k]]].apply(kinds_, spare_);
    return false;
  }

  // Moves what the slots hold; how many more are wrong then.
  std::ptrdiff_t applied(std::uint8_t move) {
    const SlotMove& its = own_.on_slots_[move];
    std::ptrdiff_t more = 0;
    for (std::size_t i = 0; i < its.touched.size(); ++i) {
      spare_[i] = kinds_[its.touched[i]];
      more -= spare_[i] != want_[its.touched[i]];
    }
    for (std::size_t i = 0; i < its.touched.size(); ++i) {
      const std::uint16_t there = its.image[its.touched[i]];
      kinds_[there] = spare_[i];
      more += spare_[i] != want_[there];
    }
    return more;
  }

  const Bundles& own_;
  const Bits& distinct_;
  const BundleOptions& options_;
  Bits odd_;                  // after all moves
  Kinds kinds_, want_, spare_;
  std::vector<std::uint8_t> free_;
  Alg alg_, put_, word_, local_;
  std::size_t at_ = 0, taken_ = 0, wrong_ = 0;
  SplitMix random_;
};

struct Bundles::Choice {
  double ratio = 0;
  std::size_t frame = 0, family = 0;
  std::vector<std::uint16_t> rows{}, columns{};
};

// Puts words in anywhere, those first that bring most pieces home for each move that they make the alg longer.
class Bundles::Search {
 public:
  Search(const Bundles& own, const Kinds& start, const Kinds& home, const BundleOptions& options)
      : own_(own), start_(start), home_(home), options_(options), random_{options.seed} {}

  void run(Alg alg, Descent& found, const Stop& stop) {
    const std::size_t all = own_.cells(), families = own_.families_.size();
    double rate = 1;
    for (;;) {
      if (stop.requested()) return;
      if (found.expanded >= options_.limits.expanded) return end(found, Descent::Ending::kExpanded);
      if (found.generated >= options_.limits.generated) return end(found, Descent::Ending::kGenerated);
      const std::vector<Frame> frames =
          frames_of(alg, std::max<std::size_t>(1, options_.cells / std::max<std::size_t>(1, all)));
      std::size_t misplaced = wrong(frames.back().kinds, frames.back().home);
      if (misplaced == 0) break;
      std::vector<Choice> choices(frames.size() * families);
      std::vector<std::vector<Single>> singles(frames.size());
      in_blocks(frames.size(), 1, options_.threads, [&](std::uint64_t frame, std::uint64_t) {
        for (std::size_t family = 0; family < families; ++family) {
          Choice& choice = choices[frame * families + family];
          choice.frame = frame, choice.family = family;
          if (!stop.requested()) look(frames[frame], rate, choice);
        }
        if (!stop.requested()) look(frames[frame], frame, singles[frame]);
      });
      if (stop.requested()) return;
      found.generated += all * frames.size();
      ++found.expanded;
      std::vector<Word> words = best_of(choices, singles);
      // What cancels out, and what words bring home together, is seen where they are.
      for (Word& word : words) {
        const Frame& frame = frames[word.frame];
        word.ratio = put(alg, frame.at, frame.kinds, frame.home, misplaced, word.moves).ratio;
      }
      std::ranges::stable_sort(words, before<Word>);
      if (words.empty() || words.front().ratio == 0) return;
      rate = words.front().ratio;
      // The others are put in where their places are then, if they bring nearly as much home there.
      std::vector<std::pair<std::size_t, std::ptrdiff_t>> longer;  // from a place on
      for (const Word& word : words) {
        if (word.ratio < kNear * rate || stop.requested()) break;
        const std::size_t place = frames[word.frame].at;
        auto at = static_cast<std::ptrdiff_t>(place);
        for (const auto& [other, moves] : longer)
          if (other <= place) at += moves;
        if (at < 0 || static_cast<std::size_t>(at) > alg.size()) continue;
        const Frame frame = frame_at(alg, static_cast<std::size_t>(at));
        Put its = put(alg, frame.at, frame.kinds, frame.home, misplaced, word.moves);
        if (its.ratio < kNear * rate) continue;
        const auto after = static_cast<std::ptrdiff_t>(its.alg.size());
        longer.emplace_back(place, after - static_cast<std::ptrdiff_t>(alg.size()));
        alg = std::move(its.alg);
        misplaced = its.left;
      }
    }
    if (found.ending != Descent::Ending::kDone || alg.size() < found.moves.size()) found.moves = std::move(alg);
    end(found, Descent::Ending::kDone);
  }

 private:
  static constexpr std::size_t kTried = 200;  // words that are put in for a try
  static constexpr double kNear = 0.8;        // what part of the best word's ratio others have that go in with it
  // A place in the alg: what is there before the moves that follow, and what has to be.
  struct Frame {
    std::size_t at;
    Kinds kinds, home;
    std::vector<bool> undone, undoing;  // by move: with the moves before it cancels out, its inverse with those after
  };
  struct Word {
    double ratio;
    std::size_t frame;
    Alg moves;
  };
  struct Put {
    double ratio;
    std::size_t left;  // misplaced
    Alg alg;
  };
  struct Single {
    double ratio;
    std::size_t frame, orbit;
    std::uint32_t cycle;
  };
  template <class One>
  static bool before(const One& one, const One& other) {
    return one.ratio != other.ratio ? one.ratio > other.ratio : one.frame < other.frame;
  }

  // An earlier solution counts.
  static void end(Descent& found, Descent::Ending ending) {
    if (found.ending != Descent::Ending::kDone) found.ending = ending;
  }

  // An alg with a word put in, and the pieces that it brings home for each move that it makes the alg longer.
  Put put(const Alg& alg, std::size_t at, Kinds kinds, const Kinds& home, std::size_t misplaced, const Alg& word) {
    for (const std::uint8_t move : word) own_.on_slots_[move].apply(kinds, spare_);
    const std::size_t left = wrong(kinds, home);
    if (left >= misplaced) return {0, misplaced, {}};
    Alg longer(alg.begin(), alg.begin() + static_cast<std::ptrdiff_t>(at));
    for (const std::uint8_t move : word) own_.append(longer, move);
    for (std::size_t i = at; i < alg.size(); ++i) own_.append(longer, alg[i]);
    const double added = static_cast<double>(longer.size()) - static_cast<double>(alg.size());
    return {static_cast<double>(misplaced - left) / std::max(0.5, added), left, std::move(longer)};
  }

  std::vector<Word> best_of(std::vector<Choice>& choices, const std::vector<std::vector<Single>>& singles) const {
    std::vector<Word> words;
    const std::size_t tried = std::min<std::size_t>(choices.size(), kTried);
    std::ranges::partial_sort(choices, choices.begin() + static_cast<std::ptrdiff_t>(tried), before<Choice>);
    for (std::size_t i = 0; i < tried && choices[i].ratio > 0; ++i)
      words.push_back({choices[i].ratio, choices[i].frame,
                       own_.word_of(own_.families_[choices[i].family], choices[i].rows, choices[i].columns)});
    std::vector<Single> cycles;
    for (const auto& some : singles) cycles.insert(cycles.end(), some.begin(), some.end());
    std::ranges::stable_sort(cycles, before<Single>);
    for (std::size_t i = 0; i < std::min<std::size_t>(cycles.size(), kTried); ++i)
      words.push_back({cycles[i].ratio, cycles[i].frame, own_.word_of(cycles[i].orbit, cycles[i].cycle)});
    return words;
  }

  Frame frame_at(const Alg& alg, std::size_t at) {
    Frame frame{at, start_, home_, {}, {}};
    for (std::size_t i = 0; i < at; ++i) own_.on_slots_[alg[i]].apply(frame.kinds, spare_);
    for (std::size_t i = alg.size(); i-- > at;) own_.on_slots_[own_.inverse_[alg[i]]].apply(frame.home, spare_);
    return frame;
  }

  std::vector<Frame> frames_of(const Alg& alg, std::size_t most) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < std::min(most - 1, alg.size()); ++i)
      places.push_back(most > alg.size() ? i : random_() % alg.size());
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
    places.push_back(alg.size());
    std::vector<Frame> frames;
    Kinds kinds = start_, home = home_;
    spare_.resize(kinds.size());
    for (std::size_t at = 0, next = 0; next < places.size(); ++at) {
      if (at == places[next]) {
        Frame frame{at, kinds, {}, std::vector<bool>(own_.moves_), std::vector<bool>(own_.moves_)};
        for (std::size_t k = at; k > 0 && own_.class_[alg[k - 1]] == own_.class_[alg[at - 1]]; --k)
          frame.undone[own_.inverse_[alg[k - 1]]] = true;
        for (std::size_t k = at; k < alg.size() && own_.class_[alg[k]] == own_.class_[alg[at]]; ++k)
          frame.undoing[alg[k]] = true;
        frames.push_back(std::move(frame));
        ++next;
      }
      if (at < alg.size()) own_.on_slots_[alg[at]].apply(kinds, spare_);
    }
    for (std::size_t at = alg.size(), next = frames.size(); next > 0; --at) {
      if (at == frames[next - 1].at) frames[--next].home = home;
      if (at > 0) own_.on_slots_[own_.inverse_[alg[at - 1]]].apply(home, spare_);
    }
    return frames;
  }

  std::size_t wrong(const Kinds& kinds, const Kinds& home) const {
    std::size_t count = 0;
    for (std::size_t slot = 0; slot < kinds.size(); ++slot)
      count += own_.orbit_of_[slot] != kNone && kinds[slot] != home[slot];
    return count;
  }

  // The cycles of each orbit that bring most pieces home for each move.
  void look(const Frame& frame, std::size_t number, std::vector<Single>& found) const {
    for (std::size_t orbit = 0; orbit < own_.orbits_.size(); ++orbit) {
      const auto [first, pieces] = own_.orbits_[orbit];
      const std::uint16_t *kinds = frame.kinds.data() + first, *home = frame.home.data() + first;
      Single best{0, number, orbit, 0};
      for (std::uint32_t a = 0; a < pieces; ++a) {
        if (kinds[a] == home[a]) continue;
        for (std::uint32_t b = 0; b < pieces; ++b) {
          if (a == b || kinds[a] != home[b] || kinds[b] == home[b]) continue;
          for (std::uint32_t c = 0; c < pieces; ++c) {
            if (c == a || c == b) continue;
            const int gain = 1 + (kinds[b] == home[c]) + (kinds[c] == home[a]) - (kinds[c] == home[c]);
            const std::uint32_t cycle = number_of_cycle(pieces, a, b, c);
            const double ratio = static_cast<double>(gain) / own_.cycles_[orbit][cycle].length;
            if (ratio > best.ratio) best.ratio = ratio, best.cycle = cycle;
          }
        }
      }
      if (best.ratio > 0) found.push_back(best);
    }
  }

  // The sets of a family that bring most pieces home for each move, by turns from one row or column.
  void look(const Frame& frame, double rate, Choice& choice) const {
    const Family& family = own_.families_[choice.family];
    const Kinds &kinds = frame.kinds, &home = frame.home;
    const std::size_t rows = family.rows.size(), columns = family.columns.size();
    std::vector<std::int8_t> gain(family.cells.size());
    std::vector<int> row_sum(rows, 0), column_sum(columns, 0);
    for (std::size_t i = 0; i < gain.size(); ++i) {
      const Cell& cell = family.cells[i];
      const std::uint16_t a = kinds[cell.a], b = kinds[cell.b], c = kinds[cell.c];
      gain[i] = static_cast<std::int8_t>((a == home[cell.b]) + (b == home[cell.c]) + (c == home[cell.a]) -
                                         (a == home[cell.a]) - (b == home[cell.b]) - (c == home[cell.c]));
      if (gain[i] > 0) row_sum[cell.row] += gain[i], column_sum[cell.column] += gain[i];
    }
    const bool direct = family.around == kNoMove;
    const double fixed = direct ? 0 : frame.undoing[family.around] ? 2 : 4;
    const auto free = [&](bool row, std::size_t i) {
      return row ? frame.undone[family.rows[i]] : direct && frame.undoing[family.columns[i]];
    };
    std::vector<std::uint16_t> own_rows, own_columns;
    std::vector<int> sum(std::max(rows, columns));
    int total = 0;
    // The best of each layer among those that gain more than they cost, given the other side.
    const auto pick = [&](bool row, double cost) {
      const std::size_t count = row ? rows : columns;
      std::fill_n(sum.begin(), count, 0);
      if (row) {
        for (const std::uint16_t column : own_columns)
          for (std::uint32_t i = family.column_begin[column]; i < family.column_begin[column + 1]; ++i)
            sum[family.cells[family.by_column[i]].row] += gain[family.by_column[i]];
      } else {
        for (const std::uint16_t own : own_rows)
          for (std::uint32_t i = family.row_begin[own]; i < family.row_begin[own + 1]; ++i)
            sum[family.cells[i].column] += gain[i];
      }
      std::vector<std::uint16_t>& picked = row ? own_rows : own_columns;
      const std::vector<std::uint16_t>& layer = row ? family.row_layer : family.column_layer;
      const std::vector<std::uint16_t>& others = row ? own_columns : own_rows;
      picked.clear();
      total = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if (static_cast<double>(sum[i]) <= (free(row, i) ? 0 : cost)) continue;
        if (std::ranges::any_of(others, [&](std::uint16_t other) {
              return family.bad[row ? i * columns + other : other * columns + i] != 0;
            }))
          continue;
        if (!picked.empty() && layer[picked.back()] == layer[i]) {
          if (sum[picked.back()] >= sum[i]) continue;
          total -= sum[picked.back()];
          picked.pop_back();
        }
        picked.push_back(static_cast<std::uint16_t>(i));
        total += sum[i];
      }
    };
    const auto note = [&] {
      double added = fixed;
      for (const std::uint16_t row : own_rows) added += free(true, row) ? 0 : 2;
      for (const std::uint16_t column : own_columns) added += free(false, column) ? 0 : 2;
      const double ratio = total / std::max(0.5, added);
      if (total > 0 && ratio > choice.ratio) choice.ratio = ratio, choice.rows = own_rows, choice.columns = own_columns;
    };
    const auto from = [&](bool row, std::uint16_t seed) {
      (row ? own_rows : own_columns).assign(1, seed);
      (row ? own_columns : own_rows).clear();
      bool side = !row;
      int before = -1;
      for (int turn = 0; turn < 12; ++turn, side = !side) {
        pick(side, turn == 0 ? 0 : 2 * std::max(rate, choice.ratio));
        if (own_rows.empty() || own_columns.empty()) return;
        note();
        if (turn > 2 && total == before) break;
        before = total;
      }
    };
    constexpr std::size_t kSeeds = 12;
    for (const bool row : {true, false}) {
      std::vector<int>& sums = row ? row_sum : column_sum;
      for (std::size_t number = 0; number < kSeeds; ++number) {
        const auto most = std::ranges::max_element(sums);
        if (*most <= 0) break;
        *most = 0;
        from(row, static_cast<std::uint16_t>(most - sums.begin()));
      }
    }
  }

  const Bundles& own_;
  const Kinds &start_, &home_;
  const BundleOptions& options_;
  Kinds spare_;
  SplitMix random_;
};

Descent Bundles::solve(const Kinds& start, const Kinds& home, const Alg& base, const BundleOptions& options,
                       const Stop& stop) const {
  if (start.size() != slots_ || home.size() != slots_) throw std::invalid_argument("expected a kind for each slot");
  for (const std::uint8_t move : base)
    if (move >= moves_) throw std::invalid_argument("there is no such move");
  Descent found;
  Bits distinct((orbits_.size() + 63) / 64, 0), odd = distinct;
  for (std::size_t orbit = 0; orbit < orbits_.size(); ++orbit) {
    if (!has_all(orbit)) throw std::invalid_argument("an orbit has not all its cycles");
    const std::optional<bool> its = orbits_[orbit].is_odd(start, home);
    distinct[orbit / 64] |= std::uint64_t{its.has_value()} << orbit % 64;
    odd[orbit / 64] |= std::uint64_t{its.value_or(false)} << orbit % 64;
  }
  const Bits at_start = odd;
  Alg alg;
  for (const std::uint8_t move : base) {
    append(alg, move);
    for (std::size_t i = 0; i < odd.size(); ++i) odd[i] ^= odd_[move][i] & distinct[i];
  }
  if (!evened(alg, odd, distinct)) return found;
  std::vector<Alg> algs(options.starts, alg);
  std::vector<std::uint64_t> tries(options.starts, 0);
  in_blocks(options.starts, 1, options.threads, [&](std::uint64_t i, std::uint64_t) {
    Annealing own(*this, start, home, at_start, distinct, options, options.seed * options.starts + i);
    algs[i] = own.run(std::move(algs[i]), tries[i], stop);
  });
  found.generated += std::accumulate(tries.begin(), tries.end(), std::uint64_t{0});
  Search search(*this, start, home, options);
  for (Alg& own : algs) search.run(std::move(own), found, stop);
  return found;
}

}  // namespace hstar
