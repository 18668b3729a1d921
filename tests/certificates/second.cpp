// Checks a certificate of hstar: is what it claims proven? Written from docs/certificate-format.md alone, whose terms
// it uses.
//
//     second FILE [--memory MIB]
//
// Exit status 0 and one line that says what is proved, or 1 and why nothing is. It takes the file, at most MIB (256)
// for the set of states and as much for those near the goal, and less than 512 MiB else, if a file is made for that.
// Any bytes may be in the file: a number from it is compared with what it counts or names before it is used.

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Bytes = std::span<const u8>;
using std::string;
using std::vector;

struct Refused {
    string why;
};

void require(bool holds, const char* why) {
    if (!holds) throw Refused{why};
}

// ---- The file -------------------------------------------------------------------------------------------------------

class Reader {
public:
    explicit Reader(Bytes payload) : left_(payload) {}

    Bytes bytes(u64 count) {
        require(count <= left_.size(), "something is shorter than what it counts");
        const Bytes taken = left_.first(count);
        left_ = left_.subspan(count);
        return taken;
    }
    template <class Number> Number number() {
        u64 value = 0;
        int shift = 0;
        for (u8 byte : bytes(sizeof(Number))) value |= u64(byte) << shift, shift += 8;
        return Number(value);
    }
    template <class Number> vector<Number> numbers(u64 count) {
        require(count <= left_.size() / sizeof(Number), "something is shorter than what it counts");
        vector<Number> all(count);
        for (Number& one : all) one = number<Number>();
        return all;
    }
    int u8_() { return number<u8>(); }
    int u16_() { return number<u16>(); }
    string name() {
        string text;
        for (u8 c : bytes(number<u8>())) {
            require(c >= ' ' && c != 127, "a name has a character that cannot be printed");
            text += c < 127 ? char(c) : '?';
        }
        return text;
    }
    void end() const { require(left_.empty(), "something follows the end"); }

private:
    Bytes left_;
};

std::array<u8, 32> sha256(Bytes bytes) {
    static constexpr u32 k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
        0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
        0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
        0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
        0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
        0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
        0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2};
    u32 hash[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    vector<u8> tail(bytes.begin() + i64(bytes.size() / 64 * 64), bytes.end());
    tail.push_back(0x80);
    while (tail.size() % 64 != 56) tail.push_back(0);
    for (int shift = 56; shift >= 0; shift -= 8) tail.push_back(u8(u64(bytes.size()) * 8 >> shift));
    for (size_t at = 0; at < bytes.size() / 64 * 64 + tail.size(); at += 64) {
        const u8* block = at + 64 <= bytes.size() ? &bytes[at] : &tail[at - bytes.size() / 64 * 64];
        u32 w[64];
        for (int i = 0; i < 16; ++i)
            w[i] = u32(block[4 * i]) << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
        for (int i = 16; i < 64; ++i)
            w[i] = w[i - 16] + (std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
                   (std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
        auto [a, b, c, d, e, f, g, h] = hash;
        for (int i = 0; i < 64; ++i) {
          const u32 x =
              h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
          const u32 y = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
          h = g, g = f, f = e, e = d + x, d = c, c = b, b = a, a = x + y;
        }
        const u32 more[8] = {a, b, c, d, e, f, g, h};
        for (int i = 0; i < 8; ++i) hash[i] += more[i];
    }
    std::array<u8, 32> digest;
    for (int i = 0; i < 32; ++i) digest[i] = u8(hash[i / 4] >> (24 - i % 4 * 8));
    return digest;
}

// The sections, and whether moves have costs.
std::pair<std::map<string, Bytes>, bool> read_sections(Bytes file) {
    require(file.size() >= 48, "the file is cut");
    const Bytes before = file.first(file.size() - 32);
    require(std::ranges::equal(sha256(before), file.last(32)), "the digest is not that of the file");
    Reader in(before);
    require(std::ranges::equal(in.bytes(8), string("hstarcrt")), "this is no certificate");
    const u32 version = in.number<u32>();
    require(version == 2 || version == 3, "the version is not 2 or 3");
    const vector<string> tags{"META", "PUZL", "CLAM", "HEUR", "TREE", "BACK", "ROOT", "INVR", "EXPR", "MODL"};
    std::map<string, Bytes> sections;
    auto next = tags.begin();
    for (u32 count = in.number<u32>(); count > 0; --count) {
        const Bytes tag = in.bytes(4);
        next = std::find(next, tags.end(), string(tag.begin(), tag.end()));
        require(next != tags.end(), "a section is unknown, there twice, or not in its place");
        require(in.number<u32>() == 0, "a tag is not followed by zero");
        sections[*next++] = in.bytes(in.number<u64>());
    }
    in.end();
    return {sections, version == 3};
}

// ---- The puzzle -----------------------------------------------------------------------------------------------------

// A pair is a slot and a value that it can hold; pairs have numbers, first those of slot 0. A state has a pair for each
// slot.
using State = vector<int>;

// The lengths of the cycles of a permutation; none if `to` is no permutation.
template <class Number> vector<int> cycles(const vector<Number>& to) {
    vector<bool> seen(to.size()), hit(to.size());
    for (auto x : to) {
        if (size_t(x) >= to.size() || hit[x]) return {};
        hit[x] = true;
    }
    vector<int> lengths;
    for (size_t i = 0; i < to.size(); ++i) {
        if (!seen[i]) lengths.push_back(0);
        for (size_t at = i; !seen[at]; at = to[at]) seen[at] = true, ++lengths.back();
    }
    return lengths;
}

template <class Number> bool permutes(const vector<Number>& to) { return to.empty() || !cycles(to).empty(); }

vector<int> inverse(const vector<int>& to) {
    vector<int> from(to.size());
    for (size_t i = 0; i < to.size(); ++i) from[to[i]] = int(i);
    return from;
}

struct Case {
    int move, slot;
    vector<int> goes, to, from;  // of each slot: to which slot; of each pair: to which pair, and from which
};

struct Puzzle {
    int slots, moves, pairs = 0, blank = -1;  // -1: there are no conditions
    vector<int> first, slot_of, value_of;     // of a slot: its first pair; of each pair
    State goal;
    vector<string> names;
    vector<Case> cases;
    bool with_costs;
    vector<int> costs;                  // of moves
    vector<vector<int>> makes, undoes;  // [move][slot of the blank, or 0]: the case, or -1

    Puzzle(Bytes payload, bool with) : with_costs(with) {
        Reader in(payload);
        slots = in.u16_(), moves = in.u16_();
        const int map_count = in.u16_(), case_count = in.u16_();
        require(slots >= 1 && slots <= 512 && moves <= 254, "the puzzle has too many slots or moves, or none");
        for (u16 count : in.numbers<u16>(slots)) {
            require(count >= 1 && count <= 1024, "a slot holds too many values, or none");
            first.push_back(pairs);
            for (int v = 0; v < count; ++v) slot_of.push_back(int(first.size()) - 1), value_of.push_back(v);
            pairs += count;
        }
        first.push_back(pairs);
        require(i64(case_count) * pairs <= 1 << 20, "the puzzle is too large");
        goal = read_state(in);
        for (int i = 0; i < moves; ++i) names.push_back(in.name());
        vector<vector<u16>> maps;
        for (int i = 0; i < map_count; ++i) {
            maps.push_back(in.numbers<u16>(in.u16_()));
            require(!maps.back().empty() && maps.back().size() <= 1024, "a map has a wrong length");
            require(permutes(maps.back()), "a map is not one-to-one");
        }
        makes.assign(moves, vector<int>(slots, -1));
        undoes = makes;
        for (int i = 0; i < case_count; ++i) read_case(in, maps, i);
        for (int i = 0; i < moves; ++i) costs.push_back(with_costs ? in.u8_() : 1);
        require(!std::ranges::count(costs, 0), "a move costs nothing");
        in.end();
        for (const auto& map : maps)
            require(blank < 0 || size_t(blank) >= map.size() || map[blank] == blank, "a map does not keep the blank");
        require(has_one_blank(goal), "the goal has not one blank");
    }

    void read_case(Reader& in, const vector<vector<u16>>& maps, int number) {
        Case c{in.u16_(), 0, {}, vector<int>(pairs), {}};
        const int conditioned = in.u16_();
        c.slot = in.u16_();
        const int value = in.u16_();
        if (number == 0 && conditioned) blank = value;
        require(conditioned ? conditioned == 1 && value == blank : blank < 0 && c.slot == 0 && value == 0,
                "conditions are mixed");
        require(c.move < moves && c.slot < slots && first[c.slot] + value < first[c.slot + 1],
                "a case is of no move, or about no slot or value");
        for (u16 slot : in.numbers<u16>(slots)) c.goes.push_back(slot);
        require(permutes(c.goes), "a case does not permute the slots");
        for (int s = 0; s < slots; ++s) {
            const int map = in.u16_(), to = c.goes[s], count = first[s + 1] - first[s];
            require(map < int(maps.size()), "a case has an unknown map");
            require(int(maps[map].size()) == count && first[to + 1] - first[to] == count,
                    "a map does not fit its slots");
            for (int v = 0; v < count; ++v) c.to[first[s] + v] = first[to] + maps[map][v];
        }
        c.from = inverse(c.to);
        int &make = makes[c.move][c.slot], &undo = undoes[c.move][conditioned ? c.goes[c.slot] : 0];
        require(make < 0 && undo < 0, "a move can do two things, or be undone in two ways");
        make = undo = number;
        cases.push_back(std::move(c));
    }

    State read_state(Reader& in) const {
        State state;
        for (int s = 0; s < slots; ++s) {
            state.push_back(first[s] + in.u16_());
            require(state[s] < first[s + 1], "a state has a value that its slot cannot hold");
        }
        return state;
    }
    bool has_one_blank(const State& state) const {
        return blank < 0 || std::ranges::count_if(state, [&](int p) { return value_of[p] == blank; }) == 1;
    }
    int place(const State& state) const {  // the slot of the blank, 0 without
        int slot = 0;
        while (blank >= 0 && value_of[state[slot]] != blank) ++slot;
        return slot;
    }
    bool can_be(const Case& c, int pair) const {  // where the case can be made
        return blank < 0 || (slot_of[pair] == c.slot) == (value_of[pair] == blank);
    }
    void turn(State& state, const vector<int>& to) const {
        thread_local State next;
        next.resize(slots);
        for (int pair : state) next[slot_of[to[pair]]] = to[pair];
        state.swap(next);
    }
    bool make(State& state, int move) const {
        const int number = makes[move][place(state)];
        if (number >= 0) turn(state, cases[number].to);
        return number >= 0;
    }
};

// ---- The heuristic, and states near the goal ------------------------------------------------------------------------

struct Mix {
    size_t operator()(u64 x) const {
        x = (x ^ x >> 32) * 0x9e3779b97f4a7c15;
        return size_t(x ^ x >> 29);
    }
};

struct Keys : std::unordered_map<u64, u64, Mix> {
    u64 most;
    explicit Keys(u64 mebibytes) : most(mebibytes * 16384) {}  // of 64 bytes
    void least(u64 key, u64 number) {
        u64& here = try_emplace(key, number).first->second;
        here = std::min(here, number);
        require(size() <= most, "this needs more memory for states: --memory MIB");
    }
};

template <class Numbers> auto sum_over(const State& state, const Numbers& entries) {
    typename Numbers::value_type sum = 0;
    for (int pair : state) sum += entries[pair];
    return sum;
}

template <class Numbers> auto greatest_over(const State& state, const Numbers& entries) {
    auto most = entries[state[0]];
    for (int pair : state) most = std::max(most, entries[pair]);
    return most;
}

struct Term {
    bool maximum;
    i64 divisor;
    vector<i64> entries;
};

struct Pattern {
    vector<u64> entries;  // the index is their sum
    Bytes table;
};

struct Heuristic {
    const Puzzle& puzzle;
    vector<Term> terms;
    vector<vector<Pattern>> databases;
    vector<u64> weights;  // the key is their sum
    bool exact = true;
    Keys near;  // 1 + the least depth of states near the goal
    int depth = -1;

    Heuristic(const Puzzle& p, u64 mebibytes) : puzzle(p), near(mebibytes) {
        u64 largest = 0;  // key, for the slots so far
        for (int s = 0; s < p.slots; ++s) {
            const u64 weight = largest + 1, most = p.first[s + 1] - p.first[s] - 1;
            for (u64 v = 0; v <= most; ++v) weights.push_back(v * weight);
            exact = exact && (most == 0 || (weight != 0 && (~u64(0) - largest) / weight >= most));
            largest += most * weight;
        }
        std::random_device device;
        if (!exact)
            for (u64& weight : weights) weight = u64(device()) << 32 | device();
    }

    u64 key(const State& state) const { return sum_over(state, weights); }

    // Is h at least `need` there?
    bool far(const State& state, i64 need) const {
        if (need <= 0 || (need == 1 && state != puzzle.goal)) return true;
        for (const Term& term : terms) {
            const i64 x = term.maximum ? greatest_over(state, term.entries) : sum_over(state, term.entries);
            if (x > term.divisor * (need - 1)) return true;
        }
        for (const auto& patterns : databases) {
            i64 x = 0;
            for (const Pattern& pattern : patterns) x += pattern.table[sum_over(state, pattern.entries)];
            if (x >= need) return true;
        }
        if (depth < 0) return false;
        const auto found = near.find(key(state));
        return (found == near.end() ? depth + 1 : i64(found->second) - 1) >= need;
    }

    void read(Bytes payload, const State& start) {
        Reader in(payload);
        u64 tables = 0;
        const int count = in.u16_();
        require(count <= 64, "the heuristic has too many terms");
        for (int i = 0; i < count; ++i) {
            const int kind = in.u8_();
            const i64 divisor = in.number<u32>();
            require(kind <= 2 && divisor != 0 && (kind < 2 || divisor == 1),
                    "a term is unknown, or its divisor is wrong");
            if (kind == 2) {
                read_database(in, start);
                tables += databases.back().size();
            } else {
                const auto entries = in.numbers<std::int32_t>(puzzle.pairs);
                terms.push_back({kind == 1, divisor, {entries.begin(), entries.end()}});
                verify(terms.back());
                ++tables;
            }
            require(tables <= 63 && puzzle.cases.size() * puzzle.pairs * (tables + 1) <= 1 << 21,
                    "the heuristic is too large");
        }
        in.end();
    }

    void verify(const Term& term) const {
        constexpr i64 none = std::numeric_limits<i64>::min();
        const i64 x = term.maximum ? greatest_over(puzzle.goal, term.entries) : sum_over(puzzle.goal, term.entries);
        require(x <= 0, "the heuristic is above 0 at the goal");
        for (const Case& c : puzzle.cases) {
            State slots(puzzle.slots);
            std::iota(slots.begin(), slots.end(), 0);
            vector<i64> falls(puzzle.slots, none);
            for (int p = 0; p < puzzle.pairs; ++p)
                if (i64& fall = falls[puzzle.slot_of[p]]; puzzle.can_be(c, p))
                    fall = std::max(fall, term.entries[p] - term.entries[c.to[p]]);
            if (std::ranges::count(falls, none)) continue;  // a slot that can hold nothing then: it can never be made
            require((term.maximum ? greatest_over(slots, falls) : sum_over(slots, falls)) <=
                        term.divisor * puzzle.costs[c.move],
                    "a move lowers the heuristic by more than it costs");
        }
    }

    void read_database(Reader& in, const State& start) {
        const int count = in.u16_();
        require(count >= 1 && count <= 64, "a database has too many patterns, or none");
        auto& patterns = databases.emplace_back();
        vector<int> owner(puzzle.pairs, -1);
        for (int i = 0; i < count; ++i) {
            const int pieces = in.u16_();
            require(pieces >= 1 && pieces <= 16, "a pattern has too many pieces, or none");
            Pattern pattern{vector<u64>(puzzle.pairs), {}};
            vector<vector<int>> digits;  // of each piece, [pair]: its place and turn as a number, or -1
            vector<u64> sizes;
            u64 size = 1;
            for (int k = 0; k < pieces; ++k) {
                digits.push_back(read_piece(in, start));
                sizes.push_back(digits[k].back());
                digits[k].pop_back();
                require(size <= (u64(1) << 40) / sizes[k], "a database has another size");
                size *= sizes[k];
                for (int p = 0; p < puzzle.pairs; ++p) {
                    pattern.entries[p] = pattern.entries[p] * sizes[k] + std::max(digits[k][p], 0);
                    if (digits[k][p] < 0 || (k == 0 && puzzle.value_of[p] == puzzle.blank)) continue;
                    require(owner[p] < 0 || owner[p] == i, "databases that are added share pieces");
                    owner[p] = i;
                }
            }
            if (puzzle.blank >= 0)
                for (int p = 0; p < puzzle.pairs; ++p)
                    require(digits[0][p] == (puzzle.value_of[p] == puzzle.blank ? puzzle.slot_of[p] : -1),
                            "the blank is not the first piece of a pattern");
            require(in.number<u64>() == size, "a database has another size");
            pattern.table = in.bytes(size);
            require(pattern.table[sum_over(puzzle.goal, pattern.entries)] == 0, "a database is not 0 at the goal");
            for (const Case& c : puzzle.cases) {
                int moved = 0;
                for (int s = 0; s < puzzle.slots; ++s) {
                    bool stays = true;
                    for (int p = puzzle.first[s]; p < puzzle.first[s + 1]; ++p) stays = stays && c.to[p] == p;
                    moved += !stays;
                }
                require(count == 1 || (puzzle.blank >= 0 && moved == 2 && c.goes[c.slot] != c.slot),
                        "databases that are added count a move twice");
                vector<vector<int>> next;  // of each piece, [digit]: the digit that it comes to be
                for (size_t k = 0; k < digits.size(); ++k) {
                    next.emplace_back(sizes[k]);
                    for (int p = 0; p < puzzle.pairs; ++p) {
                        const int from = digits[k][p], to = digits[k][c.to[p]];
                        require((from < 0) == (to < 0), "a move does not keep a piece in its slots");
                        if (from >= 0) next[k][from] = to;
                    }
                }
                verify(pattern.table, next, puzzle.blank < 0 ? -1 : c.slot, puzzle.costs[c.move], 0, 0, 0, false);
            }
            patterns.push_back(std::move(pattern));
        }
    }

    // For each pair the number of the slot and turn of the piece, or -1; then how many of these there are.
    vector<int> read_piece(Reader& in, const State& start) const {
        const int slot = in.u16_(), slots = in.u16_(), value = in.u16_(), turns = in.u16_();
        require(slots >= 1 && turns >= 1 && slot + slots <= puzzle.slots, "a piece has slots that are not there");
        vector<int> digits(puzzle.pairs, -1);
        for (int s = slot; s < slot + slots; ++s) {
            require(value + turns <= puzzle.first[s + 1] - puzzle.first[s], "a slot of a piece cannot hold it");
            for (int t = 0; t < turns; ++t) digits[puzzle.first[s] + value + t] = (s - slot) * turns + t;
        }
        for (const State& state : {puzzle.goal, start})
          require(std::ranges::count_if(state, [&](int p) { return digits[p] >= 0; }) == 1,
                  "a piece is not there once");
        digits.push_back(slots * turns);
        return digits;
    }

    // Compares all entries a with the entries b to which a case leads, from piece k on. The blank, if any, is in the
    // slot `only`.
    void verify(Bytes table, const vector<vector<int>>& next, int only, int cost, size_t k, u64 a, u64 b,
                bool changed) const {
      if (k == next.size())
        return require(table[a] <= table[b] + (only < 0 || changed ? cost : 0), "a database falls by too much");
      const bool fixed = k == 0 && only >= 0;
      for (int digit = fixed ? only : 0; digit < (fixed ? only + 1 : int(next[k].size())); ++digit)
        verify(table, next, only, cost, k + 1, a * next[k].size() + digit, b * next[k].size() + next[k][digit],
               changed || (!fixed && next[k][digit] != digit));
    }

    void read_near(Bytes payload);
};

// ---- Trees ----------------------------------------------------------------------------------------------------------

struct Level {
    State state;
    std::bitset<256> made;  // moves that the tree makes of it
    i64 g = 0;              // what the moves from the root cost
};

constexpr int deepest = 253;

// Calls enter(levels, depth) for each state of a tree, and leave(levels, depth) when the tree leaves it.
template <class Enter, class Leave>
void walk(const Puzzle& puzzle, const State& root, Bytes tree, bool undo, Enter enter, Leave leave) {
    vector<Level> levels(deepest + 1);
    levels[0].state = root;
    int depth = 0;
    enter(levels, 0);
    for (u8 byte : tree) {
        if (byte == 255) {
            require(depth > 0, "a tree goes up from its root");
            leave(levels, depth--);
            continue;
        }
        require(byte < puzzle.moves, "a tree has an unknown move");
        require(depth < deepest, "a tree is deeper than it may be");
        const int number = (undo ? puzzle.undoes : puzzle.makes)[byte][puzzle.place(levels[depth].state)];
        require(number >= 0, "a tree has a move that cannot be made");
        levels[depth].made.set(byte);
        ++depth;
        levels[depth].made.reset();
        levels[depth].g = levels[depth - 1].g + puzzle.costs[byte];
        levels[depth].state = levels[depth - 1].state;
        puzzle.turn(levels[depth].state, undo ? puzzle.cases[number].from : puzzle.cases[number].to);
        enter(levels, depth);
    }
    while (depth >= 0) leave(levels, depth--);
}

constexpr auto nothing = [](const vector<Level>&, int) {};

void Heuristic::read_near(Bytes payload) {
    Reader in(payload);
    const int most = puzzle.with_costs ? in.u16_() : in.u8_();
    const Bytes tree = payload.subspan(puzzle.with_costs ? 2 : 1);
    walk(puzzle, puzzle.goal, tree, true, [&](const vector<Level>& levels, int d) {
        require(levels[d].g <= most, "a state of the backward tree is deeper than it may be");
        near.least(key(levels[d].state), levels[d].g + 1);
    }, nothing);
    walk(puzzle, puzzle.goal, tree, true, [&](const vector<Level>& levels, int d) {
        for (int move = 0; move < puzzle.moves; ++move) {
            const i64 g = levels[d].g + puzzle.costs[move];
            State before = levels[d].state;
            const int number = puzzle.undoes[move][puzzle.place(before)];
            if (g > most || number < 0) continue;
            puzzle.turn(before, puzzle.cases[number].from);
            const auto found = near.find(key(before));
            require(found != near.end() && i64(found->second) <= g + 1, "a state near the goal is missing, or deeper");
        }
    }, nothing);
    depth = most;
}

// [last][c]: is case c skipped after the case `last`?
vector<vector<bool>> find_skipped(const Puzzle& puzzle) {
    const int count = int(puzzle.cases.size());
    vector<vector<bool>> skipped(count, vector<bool>(count));
    vector<int> same(puzzle.pairs);
    std::iota(same.begin(), same.end(), 0);
    auto to = [&](int number) -> const vector<int>& { return number < 0 ? same : puzzle.cases[number].to; };
    auto cost = [&](int number) { return number < 0 ? 0 : puzzle.costs[puzzle.cases[number].move]; };
    std::unordered_multimap<u64, std::pair<int, int>> seen;
    auto is_new = [&](int one, int two) {  // or cheaper than all before it that do the same
        u64 hash = 0;
        for (int p = 0; p < puzzle.pairs; ++p) hash = Mix()(hash + to(two)[to(one)[p]]);
        for (auto [at, end] = seen.equal_range(hash); at != end; ++at) {
            const auto [a, b] = at->second;
            bool equal = cost(a) + cost(b) <= cost(one) + cost(two);
            for (int p = 0; equal && p < puzzle.pairs; ++p) equal = to(two)[to(one)[p]] == to(b)[to(a)[p]];
            if (equal) return false;
        }
        seen.emplace(hash, std::pair(one, two));
        return true;
    };
    for (int c = -1; puzzle.blank < 0 && c < count; ++c) is_new(c, -1);
    for (int last = 0; last < count; ++last)
        for (int c = 0; c < count; ++c) {
            bool undone = puzzle.blank >= 0;
            for (int p = 0; undone && p < puzzle.pairs; ++p) undone = to(c)[to(last)[p]] == p;
            skipped[last][c] = puzzle.blank < 0 ? !is_new(last, c) : undone;
        }
    return skipped;
}

// The nodes of search(state, need, none). Without recursion, since `need` may be a million.
u64 search(const Heuristic& h, const vector<vector<bool>>& skipped, State& state, i64 need) {
    const Puzzle& puzzle = h.puzzle;
    vector<int> path;  // cases
    u64 nodes = 1;
    for (int move = 0;; ++move) {
        if (move == puzzle.moves) {
            if (path.empty()) return nodes;
            const Case& last = puzzle.cases[path.back()];
            puzzle.turn(state, last.from);
            move = last.move;
            path.pop_back();
            need += puzzle.costs[move];
            continue;
        }
        const int number = puzzle.makes[move][puzzle.place(state)];
        if (number < 0 || (!path.empty() && skipped[path.back()][number])) continue;
        puzzle.turn(state, puzzle.cases[number].to);
        require(need <= puzzle.costs[move] || state != puzzle.goal, "a search finds a shorter solution");
        if (h.far(state, need - puzzle.costs[move])) {
            puzzle.turn(state, puzzle.cases[number].from);
            continue;
        }
        path.push_back(number);
        ++nodes, need -= puzzle.costs[move], move = -1;
    }
}

// Proves that no path from the start to the goal costs less than `bound`; says how.
string prove(const Heuristic& h, const State& start, i64 bound, Bytes tree, const Bytes* root, u64 mebibytes) {
    const Puzzle& puzzle = h.puzzle;
    // For each state outside: the least cost of a way to it through the tree, below 2^16, then the order in which the
    // tree leaves the first of these, then the move; or `found`.
    Keys outside(mebibytes);
    constexpr u64 found = ~u64(0);
    u64 states = 0, left = 0;
    State next;
    walk(puzzle, start, tree, false, [&](const vector<Level>& levels, int depth) {
        ++states;
        require(levels[depth].state != puzzle.goal, "the goal is in the set");
    }, [&](const vector<Level>& levels, int depth) {
        const u64 order = left++;
        for (int move = 0; move < puzzle.moves; ++move) {
            const i64 g = levels[depth].g + puzzle.costs[move];
            next = levels[depth].state;
            if (g >= bound || levels[depth].made[move] || !puzzle.make(next, move)) continue;
            require(next != puzzle.goal, "a shorter solution is there");
            if ((depth > 0 && next == levels[depth - 1].state) || h.far(next, bound - g)) continue;
            outside.least(h.key(next), u64(g) << 48 | order << 8 | u64(move));
        }
    });
    walk(puzzle, start, tree, false, [&](const vector<Level>& levels, int depth) {
        const auto at = outside.find(h.key(levels[depth].state));
        if (at != outside.end() && i64(at->second >> 48) >= levels[depth].g) at->second = found;
    }, nothing);
    vector<u64> roots;
    for (const auto& [key, number] : outside)
        if (number != found) roots.push_back(number);
    require(root || roots.empty(), "a state is missing");
    string line = std::to_string(states) + " states" + (h.exact ? "" : " by keys of 64 random bits");
    if (!root) return line;

    std::ranges::sort(roots, {}, [](u64 number) { return number << 16; });
    Reader in(*root);
    const auto stated = in.numbers<u64>(root->size() / 8);
    in.end();
    require(stated.empty() || stated.size() == roots.size(), "there is another number of roots");
    for (u64 nodes : stated) require(nodes < u64(1) << 63, "a number of nodes has more than 63 bits");
    require(puzzle.cases.size() <= 1024, "there are too many cases for searches");
    const auto skipped = find_skipped(puzzle);
    u64 all = 0;
    size_t k = 0;
    left = 0;
    walk(puzzle, start, tree, false, nothing, [&](const vector<Level>& levels, int depth) {
        for (const u64 order = left++; k < roots.size() && roots[k] << 16 >> 24 == order; ++k) {
            next = levels[depth].state;
            puzzle.make(next, int(roots[k] & 255));
            const u64 nodes = search(h, skipped, next, bound - i64(roots[k] >> 48));
            require(stated.empty() || stated[k] == 0 || stated[k] == nodes, "a search has another number of nodes");
            all += nodes;
        }
    });
    return line + ", and " + std::to_string(roots.size()) + " searches of " + std::to_string(all) + " nodes";
}

// ---- An invariant ---------------------------------------------------------------------------------------------------

void verify_invariant(const Puzzle& puzzle, const State& start, Bytes payload) {
    Reader in(payload);
    const int modulus = in.u16_(), count = in.u16_();
    require(modulus >= 2 && count <= (modulus % 2 == 0 ? 64 : 0),
            "the invariant has a wrong modulus or number of blocks");
    struct Block {
        int slot, slots;
        vector<int> labels;  // [pair]; -1 outside
    };
    vector<Block> blocks;
    for (int i = 0; i < count; ++i) {
        const int slot = in.u16_(), slots = in.u16_();
        require(slot + slots <= puzzle.slots, "a block has slots that are not there");
        blocks.push_back({slot, slots, vector<int>(puzzle.pairs, -1)});
    }
    const auto table = in.numbers<u16>(puzzle.pairs);
    for (Block& b : blocks)
        for (int p = puzzle.first[b.slot]; p < puzzle.first[b.slot + b.slots]; ++p) b.labels[p] = in.u16_();
    in.end();
    // m / 2 for each block in which the slots' numbers `of(block, slot)` are an odd permutation
    auto halves = [&](auto of) {
        i64 sum = 0;
        for (const Block& b : blocks) {
            vector<int> numbers;
            for (int s = b.slot; s < b.slot + b.slots; ++s) numbers.push_back(of(b, s));
            require(permutes(numbers), "the labels in a block are not each there once");
            if ((b.slots - cycles(numbers).size()) % 2) sum += modulus / 2;
        }
        return sum;
    };
    auto value = [&](const State& state) {
        i64 sum = halves([&](const Block& b, int s) { return b.labels[state[s]]; });
        for (int pair : state) sum += table[pair];
        return sum % modulus;
    };
    require(value(start) != value(puzzle.goal), "the invariant does not differ");
    for (const Case& c : puzzle.cases) {
        vector<int> adds(puzzle.slots, -1);
        for (int p = 0; p < puzzle.pairs; ++p) {
            if (!puzzle.can_be(c, p)) continue;
            const int change = ((table[c.to[p]] - table[p]) % modulus + modulus) % modulus;
            int& slot = adds[puzzle.slot_of[p]];
            require(slot < 0 || slot == change, "what a move adds to the invariant depends on what a slot holds");
            slot = change;
            for (const Block& b : blocks)
              require(b.labels[p] == b.labels[c.to[p]], "a move leaves a block, or changes a label");
        }
        if (std::ranges::count(adds, -1)) continue;  // a slot that can hold nothing then: it can never be made
        i64 sum = halves([&](const Block& b, int s) { return c.goes[s] - b.slot; });
        for (int change : adds) sum += change;
        require(sum % modulus == 0, "a move changes the invariant");
    }
}

// ---- Refutations ----------------------------------------------------------------------------------------------------

double finite(double x) {
    require(std::isfinite(x), "a value is infinite, or not a number");
    return x;
}

double floor_of_quotient(double a, double b) {  // as Python computes it
    double rest = std::fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    const double whole = std::floor(quotient);
    return quotient - whole > 0.5 ? whole + 1 : whole;
}

// The values of `EXPR` in states, and what it only states.
vector<double> evaluate(const Puzzle& puzzle, Bytes payload, const vector<State>& states, string& stated) {
    Reader in(payload);
    const int count = in.u16_();
    require(count <= 16, "the expression has too many features");
    vector<vector<double>> features(states.size());
    for (int i = 0; i < count; ++i) {
        const int kind = in.u8_();
        require(kind <= 3, "a feature is unknown");
        const auto entries = in.numbers<std::int32_t>(kind <= 1 ? puzzle.pairs : 0);
        const auto bits = in.numbers<u64>(kind == 2 ? puzzle.pairs : 0);
        if (kind == 3) stated += (stated.empty() ? ", if " : ", ") + in.name() + " is ";
        double numbers[2] = {};
        for (int k = 0; k < 2 && kind == 3; ++k) numbers[k] = std::bit_cast<double>(in.number<u64>());
        for (size_t k = 0; k < states.size(); ++k) {
            u64 all = 0;
            for (int pair : states[k]) all |= kind == 2 ? bits[pair] : 0;
            const vector<i64> wide(entries.begin(), entries.end());
            features[k].push_back(kind == 0   ? double(sum_over(states[k], wide))
                                  : kind == 1 ? double(greatest_over(states[k], wide))
                                  : kind == 2 ? std::popcount(all)
                                              : numbers[k]);
            if (kind == 3) stated += (k ? " and then " : "") + std::to_string(numbers[k]);
        }
        if (kind == 3) stated += " there";
    }
    const int operations = in.u16_();
    require(operations >= 1 && operations <= 400, "the expression has too many operations, or none");
    const Reader program = in;
    vector<double> values;
    for (const auto& known : features) {
        in = program;
        vector<double> stack;
        auto pop = [&] {
            require(!stack.empty(), "an operation lacks an argument");
            const double top = stack.back();
            stack.pop_back();
            return top;
        };
        for (int i = 0; i < operations; ++i) {
            const int code = in.u8_();
            require(code <= 22, "an operation is unknown");
            if (code == 0) {
                stack.push_back(finite(std::bit_cast<double>(in.number<u64>())));
            } else if (code == 1) {
                const size_t feature = in.u16_();
                require(feature < known.size(), "the expression names a feature that is not there");
                stack.push_back(finite(known[feature]));
            } else {
                const double c = code == 22 ? pop() : 0, b = code <= 16 || code == 22 ? pop() : 0, a = pop();
                require((code != 5 && code != 6) || b != 0, "the expression divides by 0");
                const double results[] = {a + b,
                                          a - b,
                                          a * b,
                                          code == 5 ? a / b : 0,
                                          code == 6 ? floor_of_quotient(a, b) : 0,
                                          std::min(a, b),
                                          std::max(a, b),
                                          double(a < b),
                                          double(a <= b),
                                          double(a > b),
                                          double(a >= b),
                                          double(a == b),
                                          double(a != b),
                                          double(a && b),
                                          double(a || b),
                                          std::ceil(a),
                                          std::floor(a),
                                          std::fabs(a),
                                          -a,
                                          double(!a),
                                          c != 0 ? a : b};
                stack.push_back(finite(results[code - 2]));
            }
        }
        in.end();
        values.push_back(std::max(pop(), 0.0));
        require(stack.empty(), "the expression leaves two values");
    }
    return values;
}

using Order = std::map<int, int>;  // a number by its prime factors, since it may have hundreds of digits

Order order_of(const vector<int>& word, const vector<vector<int>>& turns) {
    vector<int> all(turns[0].size());
    std::iota(all.begin(), all.end(), 0);
    for (int letter : word) {
        const auto& turn = turns[letter / 2];
        const auto& to = letter % 2 ? inverse(turn) : turn;
        for (int& at : all) at = to[at];
    }
    Order order;
    for (int length : cycles(all))
        for (int prime = 2; length > 1; ++prime) {
            if (prime * prime > length) prime = length;
            int power = 0;
            for (; length % prime == 0; length /= prime) ++power;
            if (power) order[prime] = std::max(order[prime], power);
        }
    return order;
}

// Proves that the turns of a model are not the moves of the puzzle; says why.
string refute_model(const Puzzle& puzzle, Reader& claim, Bytes payload) {
    Reader in(payload);
    const int places = in.u16_(), turns = in.u16_(), fault = claim.u8_();
    require(places >= 1 && places <= 4096 && turns >= 1 && turns <= 64,
            "the model has too many places or turns, or none");
    vector<string> names;
    vector<vector<int>> model;
    for (int t = 0; t < turns; ++t) names.push_back(in.name());
    for (int t = 0; t < turns; ++t) {
        const auto from = in.numbers<u16>(places);
        model.emplace_back(from.begin(), from.end());
    }
    in.end();
    if (fault == 0) {
        const int turn = claim.u16_();
        require(turn < turns && !permutes(model[turn]), "the turn is a permutation, or not there");
        return "turn " + names[turn] + " of the model is no permutation of its places";
    }
    if (fault == 3) {
        require(turns != puzzle.moves, "the model has a turn for each move");
        return "the model has " + std::to_string(turns) + " turns, the puzzle " + std::to_string(puzzle.moves) +
               " moves";
    }
    require(fault <= 2, "the fault is unknown");
    for (auto& turn : model) {
        require(permutes(turn), "a turn is no permutation");
        turn = inverse(turn);  // to where it moves what is there
    }
    vector<vector<int>> moves(puzzle.moves);
    for (const Case& c : puzzle.cases) moves[c.move] = c.to;
    require(puzzle.blank < 0 && puzzle.cases.size() == moves.size(),
            "the puzzle has conditions, or a move without a case");
    const int length = claim.u16_();
    require(length >= 1 && length <= 64, "the word has too many letters, or none");
    vector<int> word, used;
    string text;
    for (u16 letter : claim.numbers<u16>(length)) {
        require(letter / 2 < turns, "the word has an unknown turn");
        word.push_back(letter);
        used.push_back(letter / 2);
        text += " " + names[letter / 2] + (letter % 2 ? "'" : "");
    }
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    const Order order = order_of(word, model);
    for (int& letter : word) letter = int(std::ranges::find(used, letter / 2) - used.begin()) * 2 + letter % 2;
    if (fault == 1) {
        vector<vector<int>> ours;
        string with;
        for (u16 move : claim.numbers<u16>(used.size())) {
            require(move < puzzle.moves, "the word has an unknown move");
            ours.push_back(moves[move]);
            with += " " + puzzle.names[move];
        }
        require(order_of(word, ours) != order, "the word has the same order with the puzzle's moves");
        return "the word" + text + " has another order in the model than with the puzzle's moves" + with;
    }
    require(used.size() <= 2, "the word has more than two turns");
    for (int a = 0; a < puzzle.moves; ++a)
        for (int b = 0; b < (used.size() == 2 ? puzzle.moves : 1); ++b)
            require((used.size() == 2 && a == b) || order_of(word, {moves[a], moves[b]}) != order,
                    "the word has the same order with some moves of the puzzle");
    return "the word" + text + " has an order in the model that it has with no moves of the puzzle";
}

// ---- The claim ------------------------------------------------------------------------------------------------------

string check(Bytes file, u64 mebibytes) {
    auto [sections, with_costs] = read_sections(file);
    auto has = [&sections = sections](const char* tag) { return sections.contains(tag); };
    require(has("PUZL") && has("CLAM"), "there is no puzzle, or no claim");
    const Puzzle puzzle(sections["PUZL"], with_costs);
    Reader in(sections["CLAM"]);
    const int kind = in.u8_();
    require(kind >= 1 && kind <= 8, "the claim is unknown");
    State start = kind == 6 ? puzzle.goal : puzzle.read_state(in);
    require(puzzle.has_one_blank(start), "the start has not one blank");
    const u32 bound = kind <= 2 ? in.number<u32>() : 0;
    require(bound <= 1 << 20, "the bound is above 2^20");
    vector<u16> end = in.numbers<u16>(kind == 7 ? puzzle.slots : 0);
    const bool has_moves = kind == 1 || kind == 4 || kind == 5 || kind >= 7;
    const u32 length = has_moves ? in.number<u32>() : 0;
    const Bytes moves = in.bytes(length);
    State state = start;
    bool made = true;
    u64 cost = 0;
    for (u8 move : moves) {
        require(move < puzzle.moves, "the solution has an unknown move");
        cost += u64(puzzle.costs[move]);
        made = made && puzzle.make(state, move);
    }
    require(made || kind == 7, "a move of the solution cannot be made");
    require(state == puzzle.goal || !has_moves || kind == 5 || kind == 7,
            "the solution leads elsewhere than to the goal");

    string proved;
    vector<string> allowed{"META", "PUZL", "CLAM"};
    const string many = with_costs ? "moves that cost " + std::to_string(cost) : std::to_string(cost) + " moves";
    auto uses = [&, &sections = sections](const char* tag) {
        allowed.push_back(tag);
        require(has(tag), "a section is missing");
        return sections[tag];
    };
    if (kind <= 2 || (kind == 3 && has("TREE"))) {
        require(kind != 1 || cost == bound, "the solution has another length than the bound");
        proved = kind == 1    ? "a shortest solution has " + many + ", and one is there"
                 : kind == 3  ? "there is no solution"
                 : with_costs ? "no solution costs less than " + std::to_string(bound)
                              : "no solution has fewer than " + std::to_string(bound) + " moves";
        const Bytes tree = uses("TREE");
        if (kind < 3 && bound == 0) {  // nothing is to be shown, and what is there is passed over
            allowed.insert(allowed.end(), {"HEUR", "BACK", "ROOT"});
        } else {
            Heuristic h(puzzle, mebibytes);
            if (kind < 3 && has("HEUR")) h.read(uses("HEUR"), start);
            if (kind < 3 && has("BACK")) h.read_near(uses("BACK"));
            const Bytes* root = kind < 3 && has("ROOT") ? (uses("ROOT"), &sections["ROOT"]) : nullptr;
            proved += " (" + prove(h, start, kind == 3 ? i64(1) << 40 : bound, tree, root, mebibytes) + ")";
        }
    } else if (kind == 3) {
        verify_invariant(puzzle, start, uses("INVR"));
        proved = "there is no solution (an invariant)";
    } else if (kind <= 5) {
        string stated;
        const auto values = evaluate(puzzle, uses("EXPR"), {start, state}, stated);
        require(kind == 4 || length == 1, "the claim is not of one move");
        require(values[0] > double(cost) + (kind == 4 ? 0 : values[1]), "the value is not above that of the moves");
        proved = kind == 4
                     ? "the heuristic is not admissible: " + std::to_string(values[0]) + " where a solution has " + many
                     : "the heuristic is not consistent: it falls from " + std::to_string(values[0]) + " to " +
                           std::to_string(values[1]) + " by a move";
        proved += stated;
    } else if (kind == 6) {
        proved = refute_model(puzzle, in, uses("MODL"));
    } else {
        bool same = made;
        for (int s = 0; s < puzzle.slots && same && kind == 7; ++s) same = puzzle.value_of[state[s]] == end[s];
        require(kind == 8 || !same, "the moves lead to the end");
        proved = kind == 8 ? "a solution has " + many
                           : string("the moves ") + (made ? "lead elsewhere" : "cannot be made");
    }
    in.end();
    for (const auto& [tag, payload] : sections)
      require(std::ranges::count(allowed, tag), "a section is there that the claim does not use");
    string mark;
    const auto digest = sha256(sections["PUZL"]);
    for (u8 byte : Bytes(digest).first(8)) mark += "0123456789abcdef"[byte / 16], mark += "0123456789abcdef"[byte % 16];
    return "puzzle " + mark + ": proved: " + proved;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        const vector<string> args(arguments + 1, arguments + count);
        const bool memory = args.size() == 3 && args[1] == "--memory";
        require(args.size() == 1 || memory, "usage: second FILE [--memory MIB]");
        vector<u8> file(std::filesystem::file_size(args[0]));
        std::ifstream in(args[0], std::ios::binary);
        require(bool(in.read(reinterpret_cast<char*>(file.data()), std::streamsize(file.size()))),
                "the file cannot be read");
        std::cout << check(file, memory ? std::stoul(args[2]) : 256) << "\n";
        return 0;
    } catch (const Refused& refused) {
        std::cout << "not proved: " << refused.why << "\n";
    } catch (const std::exception& error) {
        std::cout << "not proved: " << error.what() << "\n";
    }
    return 1;
}
