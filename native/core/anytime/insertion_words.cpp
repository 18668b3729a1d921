// The words of an `Insertions`: commutators, and the shortest words of all cycles of three pieces.
#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "anytime/insertions.hpp"

namespace hstar {

namespace {

constexpr std::size_t kMostOrbits = 64, kMostPieces = 160;
// Words kept for a cycle: at most so many, and at most so many moves longer than the shortest; and for all cycles of an
// orbit.
constexpr std::size_t kWords = 16, kLonger = 4, kAllWords = 400'000;
constexpr std::size_t kLongest = 60;  // moves of a word
constexpr std::size_t kCommutators = 20'000, kLetters = 128;

}  // namespace

// What commutators are made of: the moves, and products of two that commute and together move fewer pieces, such as the
// inner layer of a cube whose moves are of one layer or two.
struct Insertions::Letter {
  Alg word, back;
  std::vector<std::uint16_t> before, slots;  // where what is in a slot was; the slots in which it changes anything
  std::vector<std::uint64_t> bits;           // the same
};

Insertions::Insertions(const std::vector<Permutation>& generators, const std::vector<std::uint16_t>& slot_of,
                       std::vector<SlotOrbit> orbits, const Stop& stop)
    : moves_(generators.size()), slots_(0), places_(generators), slot_of_(slot_of), orbits_(std::move(orbits)) {
  if (moves_ == 0 || moves_ > kMostMoves || orbits_.size() > kMostOrbits)
    throw std::invalid_argument("too many moves or orbits");
  const std::size_t count = generators.front().size();
  if (slot_of_.size() != count) throw std::invalid_argument("expected the slot of each place");
  for (const std::uint16_t slot : slot_of_) slots_ = std::max<std::size_t>(slots_, slot + 1u);
  std::vector<std::uint8_t> own(slots_, 0);
  for (const SlotOrbit& orbit : orbits_) {
    if (orbit.pieces < 3 || orbit.pieces > kMostPieces || orbit.first + orbit.pieces > slots_)
      throw std::invalid_argument("an orbit has 3 to 160 slots");
    std::fill_n(own.begin() + orbit.first, orbit.pieces, 1);
  }
  inverse_ = inverses_of(places_);
  for (const Permutation& move : places_) {
    thrice_.push_back(product(product(move, move), move) == inverse_of(move));
    for (const Permutation& other : places_) {
      commute_.push_back(commute(move, other));
      const auto one = std::ranges::find(places_, product(move, other));
      together_.push_back(one == places_.end() ? kMostMoves : static_cast<std::uint8_t>(one - places_.begin()));
    }
    std::vector<std::uint16_t> image(slots_), touched;
    for (std::size_t place = 0; place < count; ++place) image[slot_of_[place]] = slot_of_[move[place]];
    for (std::size_t slot = 0; slot < slots_; ++slot)
      if (own[slot] && image[slot] != slot) touched.push_back(static_cast<std::uint16_t>(slot));
    std::uint64_t odd = 0;
    for (std::size_t bit = 0; bit < orbits_.size(); ++bit)
      odd |= std::uint64_t{is_odd(image, orbits_[bit].slots())} << bit;
    odd_.push_back(odd);
    on_slots_.push_back({image, inverse_of(image), std::move(touched)});
  }
  for (const Letter& letter : find_letters())
    if (std::ranges::all_of(letter.slots, [&](std::uint16_t slot) { return own[slot] != 0; }))
      free_.push_back(letter.word);
  std::vector<Alg> found;
  find_commutators(stop, found);
  for (std::size_t orbit = 0; orbit < orbits_.size(); ++orbit) find_words(orbit, found, stop);
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
      for (const std::uint8_t move : word) slot = on_slots_[move].image[slot];
      return slot;
    };
    const std::uint32_t a = slots[0], b = to(a), c = to(b);
    if (b < first || c < first || b >= first + pieces || c >= first + pieces || a == b || a == c || to(c) != a)
      return false;
    number = number_of_cycle(pieces, a - first, b - first, c - first);
    return true;
  }
  return false;
}

std::vector<Insertions::Letter> Insertions::find_letters() const {
  std::vector<Letter> found;
  const auto made = [&](const Alg& word) {
    Letter letter{
        word, undone(word), std::vector<std::uint16_t>(slots_), {}, std::vector<std::uint64_t>((slots_ + 63) / 64, 0)};
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
      if (!commute_[one * moves_ + two] || together_[one * moves_ + two] != kMostMoves || inverse_[one] == two)
        continue;
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
      // `around`, c, `around` undone touches what `around` brings to where c touches.
      for (std::uint16_t slot : c.slots) {
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
    waiting[word.size()].push_back({number / (pieces * pieces), number / pieces % pieces, number % pieces, begin,
                                    static_cast<std::uint8_t>(word.size())});
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
      const std::uint32_t cycle = number_of_cycle(pieces, item.a, item.b, item.c);
      if (!wants(cycle, length)) continue;
      const bool known = std::ranges::any_of(kept[cycle], [&](const Word& word) {
        return word.length == item.length &&
               std::equal(text.begin() + item.begin, text.begin() + item.begin + item.length,
                          text.begin() + word.begin);
      });
      if (known) continue;
      reached += kept[cycle].empty();
      kept[cycle].push_back({item.begin, item.length});
      if (length + 2 > kLongest) continue;
      for (std::size_t move = 0; move < moves_; ++move) {
        if (text[item.begin] == inverse_[move]) continue;
        const std::vector<std::uint16_t>& before = on_slots_[move].before;
        const std::uint32_t a = before[first + item.a] - first, b = before[first + item.b] - first,
                            c = before[first + item.c] - first;
        const std::uint32_t next = number_of_cycle(pieces, a, b, c);
        if ((a == item.a && b == item.b && c == item.c) || begun[next] == 2 * most || !wants(next, length + 2))
          continue;
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

}  // namespace hstar
