// A second checker of certificates, as docs/certificate-format.md says. It shares no code with checker/: states are kept
// whole, every bound is computed anew, nothing is hashed by chance. So it is slow, and only for the tests.
//
//   second FILE [NODES]      one line; exit status 0: proven, 1: not, 2: cannot be read. NODES: most of all subtrees together
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using State = std::u16string;  // what each slot holds
using Numbers = std::vector<int>;

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};
void must(bool holds, const char* why) {
  if (!holds) throw Refused(why);
}

// -- bytes ---------------------------------------------------------------------------------------------------------------

using Bytes = std::span<const unsigned char>;

struct Reader {
  Bytes left;
  Bytes take(std::uint64_t count) {
    must(count <= left.size(), "something ends too early");
    const Bytes taken = left.first(static_cast<std::size_t>(count));
    left = left.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    const Bytes taken = take(static_cast<std::uint64_t>(bytes));
    for (int i = bytes - 1; i >= 0; --i) value = value << 8 | taken[static_cast<std::size_t>(i)];
    return value;
  }
  int u8() { return static_cast<int>(number(1)); }
  int u16() { return static_cast<int>(number(2)); }
  int from_to(int bytes, std::uint64_t least, std::uint64_t most, const char* why) {
    const std::uint64_t value = number(bytes);
    must(least <= value && value <= most, why);
    return static_cast<int>(value);
  }
  std::int64_t i32() { return static_cast<std::int32_t>(static_cast<std::uint32_t>(number(4))); }
  double f64() { return std::bit_cast<double>(number(8)); }
  std::string text() {
    const Bytes taken = take(number(1));
    return {taken.begin(), taken.end()};
  }
  void ends() const { must(left.empty(), "a section is too long"); }
};

std::array<unsigned char, 32> sha256(Bytes data) {
  static const auto constants = [] {  // the first bits of the fractions of the roots of the first primes
    std::array<std::uint32_t, 72> found{};
    int count = 0;
    for (int n = 2; count < 64; ++n) {
      bool prime = true;
      for (int d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (!prime) continue;
      const auto bits = [](long double root) { return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L); };
      found[static_cast<std::size_t>(count)] = bits(std::cbrt(static_cast<long double>(n)));
      if (count < 8) found[static_cast<std::size_t>(64 + count)] = bits(std::sqrt(static_cast<long double>(n)));
      ++count;
    }
    return found;
  }();
  std::array<std::uint32_t, 8> hash{};
  std::copy_n(constants.begin() + 64, 8, hash.begin());
  std::vector<unsigned char> tail(data.end() - static_cast<std::ptrdiff_t>(data.size() % 64), data.end());
  tail.push_back(0x80);
  while (tail.size() % 64 != 56) tail.push_back(0);
  for (int i = 7; i >= 0; --i) tail.push_back(static_cast<unsigned char>(static_cast<std::uint64_t>(data.size()) * 8 >> 8 * i));
  const auto block = [&](const unsigned char* at) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
      w[i] = static_cast<std::uint32_t>(at[4 * i] << 24 | at[4 * i + 1] << 16 | at[4 * i + 2] << 8 | at[4 * i + 3]);
    for (std::size_t i = 16; i < 64; ++i) {
      const auto a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto s = hash;
    for (std::size_t i = 0; i < 64; ++i) {
      const auto e = s[4], a = s[0];
      const auto one = s[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
      const auto two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) hash[i] += s[i];
  };
  for (std::size_t i = 0; i + 64 <= data.size(); i += 64) block(data.data() + i);
  for (std::size_t i = 0; i < tail.size(); i += 64) block(tail.data() + i);
  std::array<unsigned char, 32> found{};
  for (std::size_t i = 0; i < 32; ++i) found[i] = static_cast<unsigned char>(hash[i / 4] >> (24 - 8 * (i % 4)));
  return found;
}

const std::vector<std::string> kTags = {"META", "PUZL", "CLAM", "HEUR", "TREE", "BACK", "ROOT", "INVR", "EXPR", "MODL"};

std::map<std::string, Reader> sections_of(Bytes file) {
  must(file.size() >= 48, "the file is too short");
  const Bytes signed_part = file.first(file.size() - 32);
  must(std::ranges::equal(sha256(signed_part), file.last(32)), "the digest is another");
  Reader read{signed_part};
  must(std::ranges::equal(read.take(8), std::string("hstarcrt")), "it is no certificate");
  must(read.number(4) == 2, "another version");
  std::map<std::string, Reader> found;
  std::size_t next = 0;
  for (std::uint64_t count = read.number(4); count > 0; --count) {
    const Bytes tag = read.take(4);
    while (next < kTags.size() && !std::ranges::equal(tag, kTags[next])) ++next;
    must(next < kTags.size(), "a section is unknown, twice there, or out of order");
    must(read.number(4) == 0, "a reserved number is not 0");
    found[kTags[next++]] = Reader{read.take(read.number(8))};
  }
  must(read.left.empty(), "something follows the sections");
  return found;
}

// -- the puzzle ----------------------------------------------------------------------------------------------------------

struct Touch {
  int dst, src;
  const Numbers* map;
  Numbers back;  // the map the other way round
};
struct Case {
  int move, hole, hole_after;  // the slot of the blank before and after; 0 without a blank
  std::vector<Touch> touches;
};

struct Puzzle {
  Numbers values, first;  // first: the number of the first entry, a slot with a value, of each slot
  State goal;
  std::vector<std::string> names;
  std::vector<Numbers> maps;
  std::vector<Case> cases;
  int blank = -1;

  int slots() const { return static_cast<int>(values.size()); }
  int entry(int slot, int value) const { return first[static_cast<std::size_t>(slot)] + value; }
  int entries() const { return first.back(); }
  int values_of(int slot) const { return values[static_cast<std::size_t>(slot)]; }

  int hole_of(const State& state) const {
    if (blank < 0) return 0;
    must(std::ranges::count(state, static_cast<char16_t>(blank)) == 1, "a state does not have one blank");
    return static_cast<int>(state.find(static_cast<char16_t>(blank)));
  }
  State state(Reader& from) const {
    State found;
    for (const int count : values) found.push_back(static_cast<char16_t>(from.from_to(2, 0, static_cast<std::uint64_t>(count) - 1, "a value")));
    hole_of(found);
    return found;
  }
  // The case of a move in a state, forward or backward; null if the move cannot be made, or undone.
  const Case* case_of(const State& state, int move, bool forward = true) const {
    const int hole = hole_of(state);
    for (const Case& one : cases)
      if (one.move == move && (forward ? one.hole : one.hole_after) == hole) return &one;
    return nullptr;
  }
  State after(const State& state, const Case& one) const {
    State made = state;
    for (const Touch& touch : one.touches)
      made[static_cast<std::size_t>(touch.dst)] = static_cast<char16_t>((*touch.map)[state[static_cast<std::size_t>(touch.src)]]);
    return made;
  }
  State before(const State& state, const Case& one) const {
    State made = state;
    for (const Touch& touch : one.touches)
      made[static_cast<std::size_t>(touch.src)] = static_cast<char16_t>(touch.back[state[static_cast<std::size_t>(touch.dst)]]);
    return made;
  }
  // Whether a slot can hold a value where the case is made.
  bool possible(const Case& one, int slot, int value) const { return blank < 0 || (slot == one.hole) == (value == blank); }
  // By entry: which it becomes.
  Numbers effect(const Case& one) const {
    Numbers found(static_cast<std::size_t>(entries()));
    std::iota(found.begin(), found.end(), 0);
    for (const Touch& touch : one.touches)
      for (int value = 0; value < values_of(touch.src); ++value)
        found[static_cast<std::size_t>(entry(touch.src, value))] = entry(touch.dst, (*touch.map)[static_cast<std::size_t>(value)]);
    return found;
  }
};

bool is_permutation(const Numbers& given) {
  Numbers sorted = given;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<int>(i)) return false;
  return true;
}
Numbers inverse(const Numbers& given) {
  Numbers found(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) found[static_cast<std::size_t>(given[i])] = static_cast<int>(i);
  return found;
}
bool is_odd(const Numbers& given) {
  bool odd = false;
  for (std::size_t i = 0; i < given.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) odd ^= given[j] > given[i];
  return odd;
}
bool printable(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
}

Puzzle read_puzzle(Reader from) {
  Puzzle found;
  const int slots = from.from_to(2, 1, 512, "the number of slots"), moves = from.from_to(2, 0, 254, "the number of moves");
  const int maps = from.u16(), cases = from.u16();
  found.first.push_back(0);
  for (int i = 0; i < slots; ++i) {
    found.values.push_back(from.from_to(2, 1, 1024, "a number of values"));
    found.first.push_back(found.first.back() + found.values.back());
  }
  must(static_cast<std::int64_t>(cases) * found.entries() <= 1 << 20, "the puzzle is too large");
  found.goal = found.state(from);
  for (int i = 0; i < moves; ++i) {
    found.names.push_back(from.text());
    must(printable(found.names.back()), "a move's name cannot be printed");
  }
  for (int i = 0; i < maps; ++i) {
    Numbers map(static_cast<std::size_t>(from.from_to(2, 1, 1024, "the size of a map")));
    for (int& value : map) value = from.u16();
    must(is_permutation(map), "a map is not one-to-one");
    found.maps.push_back(map);
  }
  for (int i = 0; i < cases; ++i) {
    Case one{};
    const auto last = static_cast<std::uint64_t>(slots) - 1;
    must(moves > 0, "a case of no move");
    one.move = from.from_to(2, 0, static_cast<std::uint64_t>(moves) - 1, "a move");
    const bool conditioned = from.from_to(2, 0, 1, "a condition") == 1;
    one.hole = one.hole_after = from.from_to(2, 0, last, "a slot");
    const int value = from.u16();
    if (i == 0 && conditioned) found.blank = value;
    must(conditioned ? value == found.blank : found.blank < 0 && one.hole == 0 && value == 0, "conditions differ");
    Numbers goes;
    for (int slot = 0; slot < slots; ++slot) goes.push_back(from.from_to(2, 0, last, "a slot"));
    must(is_permutation(goes), "a case has a slot twice");
    for (int slot = 0; slot < slots; ++slot) {
      const int dst = goes[static_cast<std::size_t>(slot)], map = from.u16();
      must(map < maps, "there is no such map");
      const Numbers& table = found.maps[static_cast<std::size_t>(map)];
      must(static_cast<int>(table.size()) == found.values_of(slot) && found.values_of(slot) == found.values_of(dst), "a map does not fit");
      must(found.blank < 0 || found.blank >= static_cast<int>(table.size()) || table[static_cast<std::size_t>(found.blank)] == found.blank, "a map changes the blank");
      if (found.blank >= 0 && slot == one.hole) one.hole_after = dst;
      if (dst != slot || !std::ranges::is_sorted(table)) one.touches.push_back({dst, slot, &table, inverse(table)});
    }
    for (const Case& other : found.cases)
      must(other.move != one.move || (other.hole != one.hole && other.hole_after != one.hole_after), "a move has two cases for a state");
    found.cases.push_back(std::move(one));
  }
  from.ends();
  found.hole_of(found.goal);
  return found;
}

// -- the heuristic -------------------------------------------------------------------------------------------------------

struct Piece {
  int slot, slots, value, turns;
  bool operator==(const Piece&) const = default;
  bool holds(int held) const { return value <= held && held < value + turns; }
};
struct Placed {
  int slot, turn;
};
struct Pattern {
  std::vector<Piece> pieces;
  Bytes table;

  // The number of an arrangement: piece by piece its slot, then its turn.
  std::uint64_t rank(const std::vector<Placed>& placed) const {
    std::uint64_t index = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      index = index * static_cast<std::uint64_t>(pieces[i].slots) + static_cast<std::uint64_t>(placed[i].slot - pieces[i].slot);
      index = index * static_cast<std::uint64_t>(pieces[i].turns) + static_cast<std::uint64_t>(placed[i].turn);
    }
    return index;
  }
  // Every arrangement, in the order of its number; also those with several pieces in a slot.
  void each(const std::function<void(const std::vector<Placed>&)>& visit) const {
    std::vector<Placed> placed;
    const std::function<void()> extend = [&] {
      if (placed.size() == pieces.size()) return visit(placed);
      const Piece& piece = pieces[placed.size()];
      for (int slot = piece.slot; slot < piece.slot + piece.slots; ++slot)
        for (int turn = 0; turn < piece.turns; ++turn) {
          placed.push_back({slot, turn});
          extend();
          placed.pop_back();
        }
    };
    extend();
  }
  int look_up(const State& state) const {
    std::vector<Placed> placed;
    for (const Piece& piece : pieces)
      for (int at = piece.slot; at < piece.slot + piece.slots; ++at)
        if (const int held = state[static_cast<std::size_t>(at)]; piece.holds(held)) placed.push_back({at, held - piece.value});
    return table[static_cast<std::size_t>(rank(placed))];
  }
};
struct Term {
  int kind = 0;
  std::int64_t divisor = 1;
  std::vector<std::int64_t> table;  // by entry
  std::vector<Pattern> patterns;
};
enum { kSum, kMaximum, kPatterns };

std::int64_t worth(const Puzzle& puzzle, const Term& term, const State& state) {
  if (term.kind == kPatterns) {
    std::int64_t sum = 0;
    for (const Pattern& one : term.patterns) sum += one.look_up(state);
    return sum;
  }
  std::int64_t sum = 0, most = INT64_MIN;
  for (int slot = 0; slot < puzzle.slots(); ++slot) {
    const std::int64_t own = term.table[static_cast<std::size_t>(puzzle.entry(slot, state[static_cast<std::size_t>(slot)]))];
    sum += own;
    most = std::max(most, own);
  }
  const std::int64_t x = term.kind == kSum ? sum : most;
  return x <= 0 ? 0 : (x + term.divisor - 1) / term.divisor;
}

void check_steps(const Puzzle& puzzle, const Term& term) {
  std::int64_t sum = 0, most = INT64_MIN;
  for (int slot = 0; slot < puzzle.slots(); ++slot) {
    const std::int64_t own = term.table[static_cast<std::size_t>(puzzle.entry(slot, puzzle.goal[static_cast<std::size_t>(slot)]))];
    sum += own;
    most = std::max(most, own);
  }
  must((term.kind == kSum ? sum : most) <= 0, "a term is above 0 at the goal");
  for (const Case& one : puzzle.cases) {
    std::int64_t drop = 0;
    for (const Touch& touch : one.touches) {
      std::optional<std::int64_t> worst;
      for (int value = 0; value < puzzle.values_of(touch.src); ++value) {
        if (!puzzle.possible(one, touch.src, value)) continue;
        const std::int64_t change = term.table[static_cast<std::size_t>(puzzle.entry(touch.src, value))] -
                                    term.table[static_cast<std::size_t>(puzzle.entry(touch.dst, (*touch.map)[static_cast<std::size_t>(value)]))];
        worst = worst ? std::max(*worst, change) : change;
      }
      if (!worst) { drop = INT64_MIN / 2; break; }  // the case is never made
      drop = term.kind == kSum ? drop + *worst : std::max(drop, *worst);
    }
    must(drop <= term.divisor, "a move can lower a term by too much");
  }
}

void check_pattern(const Puzzle& puzzle, const State& start, const Pattern& pattern) {
  std::uint64_t size = 1;
  must(puzzle.blank < 0 || pattern.pieces.front() == Piece{0, puzzle.slots(), puzzle.blank, 1}, "a pattern's first piece is not the blank");
  for (const Piece& piece : pattern.pieces) {
    must(piece.turns >= 1 && piece.slots >= 1 && piece.slot + piece.slots <= puzzle.slots(), "a piece has no such slots");
    size *= static_cast<std::uint64_t>(piece.slots) * static_cast<std::uint64_t>(piece.turns);
    must(size <= pattern.table.size(), "a table has another size");
    int at_goal = 0, at_start = 0;
    for (int slot = piece.slot; slot < piece.slot + piece.slots; ++slot) {
      must(piece.value + piece.turns <= puzzle.values_of(slot), "a piece has no such values");
      at_goal += piece.holds(puzzle.goal[static_cast<std::size_t>(slot)]);
      at_start += piece.holds(start[static_cast<std::size_t>(slot)]);
    }
    must(at_goal == 1 && at_start == 1, "a piece is not once at the goal, or at the start");
    for (const Case& one : puzzle.cases)
      for (const Touch& touch : one.touches)
        for (int value = 0; value < puzzle.values_of(touch.src); ++value) {
          const auto inside = [&](int slot, int held) { return piece.slot <= slot && slot < piece.slot + piece.slots && piece.holds(held); };
          must(inside(touch.src, value) == inside(touch.dst, (*touch.map)[static_cast<std::size_t>(value)]), "a move changes a piece, or takes it away");
        }
  }
  must(size == pattern.table.size(), "a table has another size");
  must(pattern.look_up(puzzle.goal) == 0, "a table is not 0 at the goal");
  pattern.each([&](const std::vector<Placed>& placed) {
    const int here = pattern.table[static_cast<std::size_t>(pattern.rank(placed))];
    for (const Case& one : puzzle.cases) {
      std::vector<Placed> next = placed;
      bool made = true, moved = false;
      for (std::size_t i = 0; i < placed.size() && made; ++i) {
        const Piece& piece = pattern.pieces[i];
        const bool is_blank = puzzle.blank >= 0 && piece.holds(puzzle.blank);
        if (is_blank) made = placed[i].slot == one.hole;
        for (const Touch& touch : one.touches)
          if (touch.src == placed[i].slot) {
            next[i] = {touch.dst, (*touch.map)[static_cast<std::size_t>(piece.value + placed[i].turn)] - piece.value};
            moved |= !is_blank;
          }
      }
      if (!made) continue;
      const int there = pattern.table[static_cast<std::size_t>(pattern.rank(next))];
      must(here <= there + (puzzle.blank < 0 || moved), "a move lowers an entry by too much");
    }
  });
}

std::vector<Term> read_heuristic(const Puzzle& puzzle, const State& start, Reader from) {
  std::vector<Term> found;
  for (int count = from.from_to(2, 0, 64, "the number of terms"); count > 0; --count) {
    Term term;
    term.kind = from.from_to(1, kSum, kPatterns, "the kind of a term");
    term.divisor = static_cast<std::int64_t>(from.number(4));
    must(term.divisor >= 1, "a divisor is 0");
    if (term.kind != kPatterns) {
      for (int i = 0; i < puzzle.entries(); ++i) term.table.push_back(from.i32());
      check_steps(puzzle, term);
      found.push_back(std::move(term));
      continue;
    }
    must(term.divisor == 1, "patterns have a divisor");
    const int patterns = from.from_to(2, 1, 64, "the number of patterns");
    std::set<std::pair<int, int>> taken;  // slot and value
    for (int i = 0; i < patterns; ++i) {
      Pattern pattern;
      std::set<std::pair<int, int>> held;
      for (int pieces = from.from_to(2, 1, 16, "the number of pieces"); pieces > 0; --pieces) {
        Piece piece{};
        for (int* part : {&piece.slot, &piece.slots, &piece.value, &piece.turns}) *part = from.u16();
        must(piece.slot + piece.slots <= 512 && piece.value + piece.turns <= 1024, "a piece has no such slots or values");
        for (int slot = piece.slot; slot < piece.slot + piece.slots; ++slot)
          for (int value = piece.value; value < piece.value + piece.turns; ++value)
            if (value != puzzle.blank) held.emplace(slot, value);
        pattern.pieces.push_back(piece);
      }
      for (const auto& one : held) must(taken.insert(one).second, "added patterns share a piece");
      pattern.table = from.take(from.number(8));
      check_pattern(puzzle, start, pattern);
      term.patterns.push_back(std::move(pattern));
    }
    for (const Case& one : puzzle.cases)  // so that a move moves one tile, which is in one pattern at most
      must(patterns == 1 || (puzzle.blank >= 0 && one.touches.size() == 2 && one.hole != one.hole_after), "patterns are added where several pieces move");
    found.push_back(std::move(term));
  }
  from.ends();
  return found;
}

// -- claims about paths --------------------------------------------------------------------------------------------------

struct Checker {
  Puzzle puzzle;
  State start;
  std::vector<Term> terms;
  std::int64_t bound = 0;
  std::unordered_map<State, int> ahead, behind;  // the least depth of each state of a tree
  bool has_back = false;
  int back_depth = 0;
  std::optional<Reader> roots;
  std::uint64_t nodes = 0, most_nodes = UINT64_MAX, states = 0;
  std::vector<std::vector<bool>> skipped;

  // A proven bound on the moves from a state to the goal.
  std::int64_t h(const State& state) const {
    std::int64_t best = state != puzzle.goal;
    for (const Term& term : terms) best = std::max(best, worth(puzzle, term, state));
    if (has_back) {
      const auto known = behind.find(state);
      best = std::max<std::int64_t>(best, known != behind.end() ? known->second : back_depth + 1);
    }
    return best;
  }

  // Visits the states of a tree, with their depths, in the order in which the file leaves them: those below first.
  void walk(Bytes code, bool forward, int deepest, const std::function<void(const State&, int)>& visit) const {
    std::vector<State> path = {forward ? start : puzzle.goal};
    const auto leave = [&] {
      visit(path.back(), static_cast<int>(path.size()) - 1);
      path.pop_back();
    };
    for (const int move : code) {
      if (move == 255) {
        leave();
        must(!path.empty(), "a tree goes up from its root");
        continue;
      }
      must(static_cast<int>(path.size()) <= deepest, "a tree is too deep");
      const Case* one = move < static_cast<int>(puzzle.names.size()) ? puzzle.case_of(path.back(), move, forward) : nullptr;
      must(one != nullptr, "a tree has a move that cannot be made");
      path.push_back(forward ? puzzle.after(path.back(), *one) : puzzle.before(path.back(), *one));
    }
    while (!path.empty()) leave();
  }

  void search(const State& state, std::int64_t need, int last, int depth) {
    must(++nodes <= most_nodes, "the subtrees have more nodes than allowed");
    must(depth <= 254, "a subtree is too deep");
    for (int move = 0; move < static_cast<int>(puzzle.names.size()); ++move) {
      const Case* one = puzzle.case_of(state, move);
      if (one == nullptr) continue;
      const int number = static_cast<int>(one - puzzle.cases.data());
      if (last >= 0 && skipped[static_cast<std::size_t>(last)][static_cast<std::size_t>(number)]) continue;
      const State next = puzzle.after(state, *one);
      must(next != puzzle.goal || need <= 1, "there is a shorter solution");
      if (need - 1 > 0 && h(next) < need - 1) search(next, need - 1, number, depth + 1);
    }
  }

  // Which case need not follow which: together they do nothing, what one case does, or what an earlier pair does.
  void compare_pairs() {
    const std::size_t count = puzzle.cases.size();
    skipped.assign(count, std::vector<bool>(count, false));
    std::vector<Numbers> effects;
    for (const Case& one : puzzle.cases) effects.push_back(puzzle.effect(one));
    Numbers nothing(static_cast<std::size_t>(puzzle.entries()));
    std::iota(nothing.begin(), nothing.end(), 0);
    std::set<Numbers> known(effects.begin(), effects.end());
    known.insert(nothing);
    for (std::size_t a = 0; a < count; ++a)
      for (std::size_t b = 0; b < count; ++b) {
        const Case &one = puzzle.cases[a], &two = puzzle.cases[b];
        if (puzzle.blank >= 0 && (two.hole != one.hole_after || two.hole_after != one.hole)) continue;
        Numbers both(nothing.size());
        for (std::size_t i = 0; i < both.size(); ++i) both[i] = effects[b][static_cast<std::size_t>(effects[a][i])];
        skipped[a][b] = puzzle.blank >= 0 ? both == nothing : !known.insert(both).second;
      }
  }

  void check_trees(Bytes tree, std::optional<Bytes> back) {
    const auto least = [](std::unordered_map<State, int>& into) {
      return [&into](const State& state, int depth) {
        const auto [at, is_new] = into.try_emplace(state, depth);
        at->second = std::min(at->second, depth);
      };
    };
    if (back) {
      walk(*back, false, back_depth, least(behind));
      walk(*back, false, back_depth, [&](const State& state, int depth) {
        if (depth == back_depth) return;
        for (const Case& one : puzzle.cases) {
          if (one.hole_after != puzzle.hole_of(state)) continue;
          const auto known = behind.find(puzzle.before(state, one));
          must(known != behind.end() && known->second <= depth + 1, "the backward tree lacks a state");
        }
      });
    }
    walk(tree, true, 253, least(ahead));
    states = ahead.size() + behind.size();
    const bool stated = roots && !roots->left.empty();
    if (roots) compare_pairs();
    std::unordered_map<State, int> out;  // by state that is led to, and may be near the goal: the least depth that does
    const auto each_out = [&](const std::function<void(const State&, int)>& visit_out) {
      walk(tree, true, 253, [&](const State& state, int depth) {
        must(state != puzzle.goal, "the goal is in the set");
        for (int move = 0; bound - depth - 1 > 0 && move < static_cast<int>(puzzle.names.size()); ++move) {
          const Case* one = puzzle.case_of(state, move);
          if (one == nullptr) continue;
          const State next = puzzle.after(state, *one);
          must(next != puzzle.goal, "there is a shorter solution");
          if (h(next) < bound - depth - 1) visit_out(next, depth + 1);
        }
      });
    };
    each_out(least(out));
    std::erase_if(out, [&](const auto& one) {
      const auto known = ahead.find(one.first);
      return known != ahead.end() && known->second <= one.second;
    });
    must(out.empty() || roots.has_value(), "a move leads out of the set, to a state that may be near the goal");
    must(!stated || roots->left.size() == 8 * out.size(), "there is another number of roots than stated");
    each_out([&](const State& state, int depth) {
      const auto found = out.find(state);
      if (found == out.end() || found->second != depth) return;
      out.erase(found);
      const std::uint64_t told = stated ? roots->number(8) : 0, before = nodes, allowed = most_nodes;
      must(told <= INT64_MAX, "a number of nodes is too large");
      if (told != 0) most_nodes = std::min(most_nodes, before + told);
      search(state, bound - depth, -1, 0);
      most_nodes = allowed;
      must(told == 0 || nodes - before == told, "a root has another number of nodes than stated");
    });
  }

  void check_invariant(Reader from) const {
    const int modulus = from.from_to(2, 2, 0xffff, "the modulus");
    const int blocks = from.from_to(2, 0, 64, "the number of blocks");
    must(blocks == 0 || modulus % 2 == 0, "the modulus is odd");
    std::vector<std::pair<int, int>> range;
    for (int i = 0; i < blocks; ++i) {
      const int slot = from.u16(), slots = from.u16();
      must(slot + slots <= puzzle.slots(), "a block has no such slots");
      range.emplace_back(slot, slots);
    }
    Numbers table;
    for (int i = 0; i < puzzle.entries(); ++i) table.push_back(from.u16());
    const auto sum = [&](const State& state) {
      std::int64_t found = 0;
      for (int slot = 0; slot < puzzle.slots(); ++slot)
        found += table[static_cast<std::size_t>(puzzle.entry(slot, state[static_cast<std::size_t>(slot)]))];
      return found;
    };
    std::int64_t differs = sum(start) - sum(puzzle.goal);
    std::vector<std::int64_t> added(puzzle.cases.size(), 0);
    for (std::size_t c = 0; c < puzzle.cases.size(); ++c)
      for (const Touch& touch : puzzle.cases[c].touches) {
        std::optional<int> by;
        for (int value = 0; value < puzzle.values_of(touch.src); ++value) {
          if (!puzzle.possible(puzzle.cases[c], touch.src, value)) continue;
          const int change = (table[static_cast<std::size_t>(puzzle.entry(touch.dst, (*touch.map)[static_cast<std::size_t>(value)]))] -
                              table[static_cast<std::size_t>(puzzle.entry(touch.src, value))]) % modulus;
          const int positive = (change + modulus) % modulus;
          must(!by || *by == positive, "what a move adds depends on the state");
          by = positive;
        }
        added[c] += by.value_or(0);
      }
    for (const auto& [slot, slots] : range) {
      std::map<std::pair<int, int>, int> label;
      for (int i = slot; i < slot + slots; ++i)
        for (int value = 0; value < puzzle.values_of(i); ++value) label[{i, value}] = from.u16();
      const auto odd = [&, slot = slot, slots = slots](const State& state) {
        Numbers held;
        for (int i = slot; i < slot + slots; ++i) held.push_back(label[{i, state[static_cast<std::size_t>(i)]}]);
        must(is_permutation(held), "a block does not have each piece once");
        return is_odd(held);
      };
      differs += modulus / 2 * (odd(start) != odd(puzzle.goal));
      for (std::size_t c = 0; c < puzzle.cases.size(); ++c) {
        Numbers goes(static_cast<std::size_t>(slots));
        std::iota(goes.begin(), goes.end(), 0);
        for (const Touch& touch : puzzle.cases[c].touches) {
          const auto inside = [slot = slot, slots = slots](int at) { return slot <= at && at < slot + slots; };
          must(inside(touch.src) == inside(touch.dst), "a move takes a piece out of a block");
          if (!inside(touch.src)) continue;
          goes[static_cast<std::size_t>(touch.src - slot)] = touch.dst - slot;
          for (int value = 0; value < puzzle.values_of(touch.src); ++value)
            must(label[{touch.src, value}] == label[{touch.dst, (*touch.map)[static_cast<std::size_t>(value)]}], "a move changes a piece of a block");
        }
        added[c] += modulus / 2 * is_odd(goes);
      }
    }
    from.ends();
    for (const std::int64_t change : added) must(change % modulus == 0, "a move changes the invariant");
    must(differs % modulus != 0, "the invariant does not tell the start from the goal");
  }
};

// -- refutations ---------------------------------------------------------------------------------------------------------

double floor_divided(double a, double b) {  // the greatest integer that is not above the exact quotient, as Python rounds it
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

// The values of an expression at states.
std::vector<double> values_of(const Puzzle& puzzle, const std::vector<State>& states, Reader from) {
  std::vector<std::vector<double>> features;
  for (int count = from.from_to(2, 0, 16, "the number of features"); count > 0; --count) {
    const int kind = from.from_to(1, 0, 3, "the kind of a feature");
    features.emplace_back();
    if (kind == 3) {
      must(printable(from.text()), "a name cannot be printed");
      const double one = from.f64(), two = from.f64();
      features.back() = {one, two};
      continue;
    }
    std::vector<std::uint64_t> table;
    for (int i = 0; i < puzzle.entries(); ++i) table.push_back(kind == 2 ? from.number(8) : static_cast<std::uint64_t>(from.i32()));
    for (const State& state : states) {
      std::int64_t sum = 0, most = INT64_MIN;
      std::uint64_t bits = 0;
      for (int slot = 0; slot < puzzle.slots(); ++slot) {
        const std::uint64_t own = table[static_cast<std::size_t>(puzzle.entry(slot, state[static_cast<std::size_t>(slot)]))];
        sum += static_cast<std::int64_t>(own);
        most = std::max(most, static_cast<std::int64_t>(own));
        bits |= own;
      }
      features.back().push_back(static_cast<double>(kind == 0 ? sum : kind == 1 ? most : std::popcount(bits)));
    }
  }
  std::vector<std::vector<double>> stacks(states.size());
  for (int count = from.from_to(2, 1, 400, "the number of operations"); count > 0; --count) {
    const int code = from.from_to(1, 0, 22, "an operation");
    const double constant = code == 0 ? from.f64() : 0;
    const int feature = code == 1 ? from.u16() : 0;
    must(code != 1 || feature < static_cast<int>(features.size()), "there is no such feature");
    for (std::size_t i = 0; i < stacks.size(); ++i) {
      std::vector<double>& stack = stacks[i];
      const std::size_t arguments = code < 2 ? 0 : code == 22 ? 3 : 17 <= code && code <= 21 ? 1 : 2;
      must(stack.size() >= arguments, "an operation lacks an argument");
      std::array<double, 3> given{};
      std::copy(stack.end() - static_cast<std::ptrdiff_t>(arguments), stack.end(), given.begin());
      stack.resize(stack.size() - arguments);
      const auto [a, b, c] = given;
      must((code != 5 && code != 6) || b != 0, "a division by 0");
      double value = 0;
      switch (code) {
        case 0: value = constant; break;
        case 1: value = features[static_cast<std::size_t>(feature)][i]; break;
        case 2: value = a + b; break;
        case 3: value = a - b; break;
        case 4: value = a * b; break;
        case 5: value = a / b; break;
        case 6: value = floor_divided(a, b); break;
        case 7: value = b < a ? b : a; break;
        case 8: value = b > a ? b : a; break;
        case 9: value = a < b; break;
        case 10: value = a <= b; break;
        case 11: value = a > b; break;
        case 12: value = a >= b; break;
        case 13: value = a == b; break;
        case 14: value = a != b; break;
        case 15: value = a != 0 && b != 0; break;
        case 16: value = a != 0 || b != 0; break;
        case 17: value = std::ceil(a); break;
        case 18: value = std::floor(a); break;
        case 19: value = std::fabs(a); break;
        case 20: value = -a; break;
        case 21: value = a == 0; break;
        default: value = c != 0 ? a : b; break;
      }
      must(std::isfinite(value), "a value is no number");
      stack.push_back(value);
    }
  }
  from.ends();
  std::vector<double> found;
  for (const auto& stack : stacks) {
    must(stack.size() == 1, "the expression leaves no value, or several");
    found.push_back(std::max(0.0, stack.front()));
  }
  return found;
}

// How often turns are repeated, one after the other, until nothing has moved; new[i] = old[p[i]].
std::string order_of(const std::vector<Numbers>& turns) {
  Numbers word(turns.front().size());
  std::iota(word.begin(), word.end(), 0);
  for (const Numbers& turn : turns) {
    Numbers next(word.size());
    for (std::size_t i = 0; i < word.size(); ++i) next[i] = word[static_cast<std::size_t>(turn[i])];
    word = next;
  }
  std::map<int, int> exponents;  // of the order's primes, which may not fit into a machine word
  std::vector<bool> seen(word.size(), false);
  for (std::size_t i = 0; i < word.size(); ++i) {
    int length = 0;
    for (std::size_t at = i; !seen[at]; at = static_cast<std::size_t>(word[at])) seen[at] = true, ++length;
    for (int prime = 2; length > 1; ++prime) {
      int power = 0;
      for (; length % prime == 0; length /= prime) ++power;
      if (power > 0) exponents[prime] = std::max(exponents[prime], power);
    }
  }
  std::string text;
  for (const auto& [prime, power] : exponents) text += std::to_string(prime) + "^" + std::to_string(power) + " ";
  return text;
}

void check_model(const Puzzle& puzzle, Reader claim, Reader from) {
  const int places = from.from_to(2, 1, 4096, "the slots of the model"), count = from.from_to(2, 1, 64, "the turns of the model");
  for (int i = 0; i < count; ++i) must(printable(from.text()), "a name cannot be printed");
  std::vector<Numbers> turns;
  for (int i = 0; i < count; ++i) {
    turns.emplace_back();
    for (int slot = 0; slot < places; ++slot) turns.back().push_back(from.u16());
  }
  from.ends();
  const int moves = static_cast<int>(puzzle.names.size());
  const int fault = claim.from_to(1, 0, 3, "the fault of the model");
  if (fault == 0) {
    const int turn = claim.from_to(2, 0, static_cast<std::uint64_t>(count) - 1, "a turn");
    claim.ends();
    return must(!is_permutation(turns[static_cast<std::size_t>(turn)]), "the turn is a permutation");
  }
  if (fault == 3) {
    claim.ends();
    return must(count != moves, "the model has as many turns as the puzzle has moves");
  }
  must(puzzle.blank < 0 && static_cast<int>(puzzle.cases.size()) == moves, "moves depend on the state");
  must(std::ranges::all_of(turns, is_permutation), "a turn is no permutation");
  std::vector<Numbers> own;
  for (const Case& one : puzzle.cases) own.push_back(inverse(puzzle.effect(one)));
  const auto numbers = [&](int how_many, int limit) {
    Numbers found;
    for (int i = 0; i < how_many; ++i) found.push_back(claim.from_to(2, 0, static_cast<std::uint64_t>(limit) - 1, "a number"));
    return found;
  };
  const int letters = claim.from_to(2, 1, 64, "the length of the word");
  const Numbers word = numbers(letters, 2 * count);
  std::set<int> used_set;
  for (const int letter : word) used_set.insert(letter / 2);
  const Numbers used(used_set.begin(), used_set.end());
  must(fault == 1 || used.size() <= 2, "the word has too many turns");
  const Numbers ours = numbers(fault == 1 ? static_cast<int>(used.size()) : 0, moves);
  claim.ends();
  const auto instance = [&](const std::vector<Numbers>& of) {
    std::vector<Numbers> made;
    for (const int letter : word) {
      const auto at = std::ranges::find(used, letter / 2) - used.begin();
      const Numbers& turn = of[static_cast<std::size_t>(at)];
      made.push_back(letter % 2 == 1 ? inverse(turn) : turn);
    }
    return order_of(made);
  };
  std::vector<Numbers> theirs, same;
  for (const int turn : used) theirs.push_back(turns[static_cast<std::size_t>(turn)]);
  const std::string order = instance(theirs);
  if (fault == 1) {
    for (const int move : ours) same.push_back(own[static_cast<std::size_t>(move)]);
    return must(instance(same) != order, "the orders are the same");
  }
  for (std::size_t a = 0; a < own.size(); ++a) {
    if (used.size() == 1) must(instance({own[a]}) != order, "a move of the puzzle has this order");
    for (std::size_t b = 0; b < own.size() && used.size() == 2; ++b)
      if (a != b) must(instance({own[a], own[b]}) != order, "moves of the puzzle have this order");
  }
}

enum { kShortest = 1, kAtLeast, kUnsolvable, kInadmissible, kInconsistent, kModel, kNoPath, kAtMost };

void only(const std::map<std::string, Reader>& found, const std::set<std::string>& allowed) {
  for (const auto& [tag, section] : found) must(tag == "META" || tag == "PUZL" || tag == "CLAM" || allowed.contains(tag), "a section is of no use");
}
const Reader& section(const std::map<std::string, Reader>& found, const std::string& tag) {
  must(found.contains(tag), "a section is missing");
  return found.at(tag);
}

std::string check(Bytes file, std::uint64_t most_nodes) {
  const auto found = sections_of(file);
  Checker checker;
  checker.most_nodes = most_nodes;
  checker.puzzle = read_puzzle(section(found, "PUZL"));
  const Puzzle& puzzle = checker.puzzle;
  Reader claim = section(found, "CLAM");
  const int kind = claim.from_to(1, kShortest, kAtMost, "the kind of the claim");
  if (kind == kModel) {
    only(found, {"MODL"});
    check_model(puzzle, claim, section(found, "MODL"));
    return "kind 6";
  }
  checker.start = puzzle.state(claim);
  State end;
  if (kind == kNoPath)
    for (int slot = 0; slot < puzzle.slots(); ++slot) end.push_back(static_cast<char16_t>(claim.u16()));
  if (kind == kShortest || kind == kAtLeast) checker.bound = claim.from_to(4, 0, 1 << 20, "the bound");
  std::optional<State> last = checker.start;
  std::uint64_t length = 0;
  if (kind != kAtLeast && kind != kUnsolvable) {
    length = claim.number(4);
    for (const int move : claim.take(length)) {
      must(move < static_cast<int>(puzzle.names.size()), "there is no such move");
      const Case* one = last ? puzzle.case_of(*last, move) : nullptr;
      last = one != nullptr ? std::optional(puzzle.after(*last, *one)) : std::nullopt;
    }
  }
  claim.ends();
  if (kind == kNoPath) {
    only(found, {});
    must(last != end, "the moves do lead there");
    return "kind 7";
  }
  must(last.has_value(), "a move cannot be made");
  if (kind == kShortest || kind == kInadmissible || kind == kAtMost) must(*last == puzzle.goal, "the moves do not lead to the goal");
  if (kind == kAtMost) {
    only(found, {});
    return "kind 8: " + std::to_string(length);
  }
  if (kind == kInadmissible || kind == kInconsistent) {
    only(found, {"EXPR"});
    const auto h = values_of(puzzle, {checker.start, kind == kInconsistent ? *last : checker.start}, section(found, "EXPR"));
    must(kind == kInadmissible || length == 1, "it is not one move");
    must(kind == kInadmissible ? h[0] > static_cast<double>(length) : h[0] > 1 + h[1], "h is not too large");
    return "kind " + std::to_string(kind);
  }
  if (kind == kShortest) must(length == static_cast<std::uint64_t>(checker.bound), "the solution has another length");
  if (kind == kUnsolvable) {
    only(found, {"TREE", "INVR"});
    checker.bound = std::int64_t{1} << 40;
  } else {
    only(found, {"HEUR", "TREE", "BACK", "ROOT"});
  }
  must(found.contains("TREE") != found.contains("INVR"), "it needs a tree, or an invariant");
  const std::string said = "kind " + std::to_string(kind) + ": " + std::to_string(checker.bound);
  if (found.contains("INVR")) {
    checker.check_invariant(found.at("INVR"));
    return said;
  }
  if (checker.bound == 0) return said;
  if (found.contains("HEUR")) checker.terms = read_heuristic(puzzle, checker.start, found.at("HEUR"));
  std::optional<Bytes> back;
  if (found.contains("BACK")) {
    Reader from = found.at("BACK");
    checker.has_back = true;
    checker.back_depth = from.from_to(1, 0, 253, "the depth of the backward tree");
    back = from.left;
  }
  if (found.contains("ROOT")) checker.roots = found.at("ROOT");
  checker.check_trees(found.at("TREE").left, back);
  return said + ", " + std::to_string(checker.states) + " states, " + std::to_string(checker.nodes) + " nodes";
}

}  // namespace

int main(int count, char** given) {
  if (count != 2 && count != 3) return std::fprintf(stderr, "usage: second FILE [NODES]\n"), 2;
  std::ifstream file(given[1], std::ios::binary);
  const std::vector<char> data{std::istreambuf_iterator<char>(file), {}};
  if (!file) return std::fprintf(stderr, "%s cannot be read\n", given[1]), 2;
  const std::uint64_t most = count == 3 ? std::strtoull(given[2], nullptr, 10) : UINT64_MAX;
  try {
    std::printf("proven: %s\n", check({reinterpret_cast<const unsigned char*>(data.data()), data.size()}, most).c_str());
    return 0;
  } catch (const Refused& why) {
    std::printf("not proven: %s\n", why.what());
  } catch (const std::bad_alloc&) {
    std::printf("not proven: there is not enough memory\n");
  }
  return 1;
}
