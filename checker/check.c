// The part of the checker that takes time: sets of states and subtrees. check.py has read the puzzle and the claim, has
// checked them, and hands them over as numbers, of which nothing has to be checked again; the trees and the counts of
// roots are read here, from the certificate itself. docs/certificates.md says what is proved, and why that suffices.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>

typedef int64_t i64;
typedef uint64_t u64;
enum { kSlots = 512, kMoves = 254, kWords = 65, kPieces = 16, kDeepest = 254, kUp = 255, kNone = 255, kRing = 16 };

static _Noreturn void refuse(const char* why) {
  printf("not proven: %s\n", why);
  exit(1);
}
static u64 memory;  // bytes that may still be used
static void* room(u64 count, u64 size) {
  void* made = size != 0 && count > memory / size ? NULL : malloc(count * size + 1);
  if (made == NULL) refuse("it needs more memory than allowed (--memory)");
  memory -= count * size;
  return made;
}

static const i64* part;  // what check.py has handed over
static i64 next(void) { return *part++; }
static const i64* some(i64 count) { return (part += count) - count; }

// An entry is a slot with a value. A case is what a move does with the blank in slot `hole`, or (0) wherever it is.
typedef struct {
  i64 hole[2];                  // before and after
  i64 touches, *dst, *src;      // slots
  uint16_t** image;             // by touch and value: the value that it becomes
  i64** change;                 // the same: what it adds to the words of a state
} Case;
static i64 slots, moves, cases, entries, words;
static const i64 *first, *case_at[2], *undone, *skipped;
static Case* made[2];  // forward and backward: the same number takes back what it did

// A state: its values, and words that are sums over its entries: the key, then the sums of the heuristic.
typedef struct {
  uint16_t value[kSlots];
  i64 word[kWords], hole;
} State;
static State start, goal;
static const i64* weight;  // [entry * words + word]

static void words_after(const State* state, const Case* one, i64* word) {
  for (i64 i = 0; i < words; ++i) word[i] = state->word[i];
  for (i64 t = 0; t < one->touches; ++t) {
    const i64* row = one->change[t] + state->value[one->src[t]] * words;
    for (i64 i = 0; i < words; ++i) word[i] = (i64)((u64)word[i] + (u64)row[i]);
  }
}
static void make(State* state, const Case* one) {
  uint16_t moved[kSlots];
  words_after(state, one, state->word);
  for (i64 t = 0; t < one->touches; ++t)
    moved[t] = one->image[t][state->value[one->src[t]]];
  for (i64 t = 0; t < one->touches; ++t) state->value[one->dst[t]] = moved[t];
  state->hole = one->hole[1];
}
static void copy(State* to, const State* from) {
  memcpy(to->value, from->value, (size_t)slots * sizeof *to->value);
  memcpy(to->word, from->word, (size_t)words * sizeof *to->word);
  to->hole = from->hole;
}

// The heuristic.
typedef struct {
  i64 slot, slots, value, turns;
} Piece;
typedef struct {
  i64 pieces, entries;
  const Piece* piece;
  const uint8_t* table;
} Pattern;
typedef struct {
  i64 kind, divisor, word, patterns;
  const i64* table;
  Pattern* pattern;
} Term;
static Term term[64];
static i64 terms;
enum { kSum, kMaximum, kPatterns };

// The number of an arrangement: of each piece its slot among those that earlier ones of the same slots left, and its turn.
// 0 is looked up where a piece is missing; no such state can be solved.
static i64 looked_up(const Pattern* of, const State* state) {
  i64 index = 0, slot[kPieces];
  for (i64 i = 0; i < of->pieces; ++i) {
    const Piece* piece = &of->piece[i];
    i64 at = piece->slot, end = at + piece->slots;
    while (at < end && (u64)(state->value[at] - piece->value) >= (u64)piece->turns) ++at;
    if (at == end) return 0;
    i64 left = piece->slots, place = (slot[i] = at) - piece->slot;
    for (i64 j = 0; j < i; ++j)
      if (of->piece[j].slot == piece->slot && of->piece[j].slots == piece->slots) --left, place -= slot[j] < at;
    index = (index * left + place) * piece->turns + state->value[at] - piece->value;
  }
  return of->table[index];
}
// Whether sums alone prove that the goal is at least `need` moves away; and whether other terms do.
static bool quick(const i64* word, i64 need) {
  if (need <= 0) return true;
  for (i64 i = 0; i < terms; ++i)
    if (term[i].kind == kSum && word[term[i].word] > (need - 1) * term[i].divisor) return true;
  return need == 1 && word[0] != goal.word[0];
}
static bool slow(const State* state, i64 need) {
  for (const Term* t = term; t < term + terms; ++t) {
    i64 sum = 0;
    for (i64 slot = 0; t->kind == kMaximum && slot < slots; ++slot)
      if (t->table[first[slot] + state->value[slot]] > (need - 1) * t->divisor) return true;
    for (i64 p = 0; p < t->patterns; ++p) sum += looked_up(&t->pattern[p], state);
    if (sum >= need && t->kind == kPatterns) return true;
  }
  return false;
}

// The states of the trees, by key; if there is no room for all, a part of them at a time. Facts of a state: its least depth
// in the forward tree, that in the backward tree if there is one, what a root's search has proven if there are roots.
static u64 *key_at, places, used, parts, turn, scatter;
static uint8_t* fact_at;
static i64 facts, back_depth, bound;
static bool has_back, has_roots;
enum { kForward, kBackward };

static u64 mixed(u64 key) {
  key = (key ^ key >> 31) * scatter;
  return (key ^ key >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}
static bool in_turn(i64 key) { return parts == 1 || (mixed((u64)key) & 0xffffffff) * parts >> 32 == turn; }
static u64 home(i64 key) { return (u64)((unsigned __int128)mixed((u64)key) * places >> 64); }
static bool empty(u64 at) {
  for (i64 i = 0; i < facts; ++i)
    if (fact_at[at * (u64)facts + (u64)i] != kNone) return false;
  return true;
}
static uint8_t* find(i64 key, bool keep) {  // the facts of a state; all kNone if it is not there
  u64 at = home(key);
  while (!empty(at) && key_at[at] != (u64)key) at = at + 1 == places ? 0 : at + 1;
  if (keep && empty(at)) {
    key_at[at] = (u64)key;
    if (++used > places / 8 * 7) refuse("it needs more memory than allowed (--memory)");
  }
  return fact_at + at * (u64)facts;
}
static bool in_ball(const uint8_t* fact, i64 need) {  // whether the backward tree proves that the goal is so far
  return has_back && (fact[kBackward] != kNone ? fact[kBackward] : back_depth + 1) >= need;
}

// Depth first: no path of fewer than `need` moves leads from the state to the goal. Counts the states that it enters.
static u64 nodes, most_nodes;
static void search(State* state, i64 need, i64 last, int depth) {
  if (++nodes > most_nodes) refuse("a search has more nodes than allowed or stated");
  if (depth > kDeepest) refuse("a subtree is too deep");
  for (i64 move = 0; move < moves; ++move) {
    const i64 c = case_at[0][state->hole * moves + move];
    if (c < 0 || (last >= 0 && skipped[last * cases + c])) continue;
    i64 word[kWords];
    words_after(state, &made[0][c], word);
    if (need > 1 && word[0] == goal.word[0]) refuse("there is a shorter solution");
    if (quick(word, need - 1) || (has_back && in_ball(find(word[0], false), need - 1))) continue;
    make(state, &made[0][c]);
    if (!slow(state, need - 1)) search(state, need - 1, c, depth + 1);
    make(state, &made[1][c]);
  }
}

static u64 roots, total, searched, stated, from_root, to_root, sample, all_nodes;  // total: 0 until they are counted
static const uint8_t* stated_nodes;
static u64 drawn(u64 limit) {
  u64 value;
  if (getrandom(&value, sizeof value, 0) != sizeof value) refuse("there are no random numbers");
  return (u64)((unsigned __int128)value * limit >> 64);
}
// A state outside the set that the heuristic does not keep out.
static void root(State* state, i64 need) {
  if (!has_roots) refuse("a move leads out of the set, to a state that may be near the goal");
  const u64 number = roots++, before = nodes;
  if (total == 0 || number < from_root || number >= to_root) return;
  if (sample != 0 && drawn(total - number) >= sample - searched) return;
  ++searched;
  u64 count = 0;
  for (int i = 0; i < 8 && stated != 0; ++i) count |= (u64)stated_nodes[8 * number + (u64)i] << 8 * i;
  most_nodes = count != 0 && count < all_nodes - nodes ? nodes + count : all_nodes;
  const bool keeps = need < kNone && used < places / 2;
  uint8_t* done = find(state->word[0], keeps) + facts - 1;
  if (count == 0 && *done != kNone && *done >= need) return;
  search(state, need, -1, 0);
  if (count != 0 && count != nodes - before) refuse("a root has another number of nodes than stated");
  if (keeps && (*done == kNone || *done < need)) *done = (uint8_t)need;
}

// A state of a tree whose successors are looked up some states later, when memory has answered.
typedef struct {
  State state;
  i64 depth, count, key[kMoves], by[kMoves];
} Waiting;
static Waiting* ring;
static int waiting, oldest;
static struct {
  i64 key, depth;
} coming[kRing];  // states to keep: they wait for memory, too
static u64 came;

static void settle(int direction) {
  Waiting* one = &ring[oldest];
  oldest = (oldest + 1) % kRing;
  --waiting;
  const i64 need = bound - one->depth - 1;
  for (i64 i = 0; i < one->count; ++i) {
    const uint8_t* fact = find(one->key[i], false);
    if (fact[direction] <= one->depth + 1) continue;
    if (direction == kBackward) refuse("the backward tree lacks a state");
    if (in_ball(fact, need)) continue;
    State after;
    copy(&after, &one->state);
    make(&after, &made[0][one->by[i]]);
    if (!slow(&after, need)) root(&after, need);
  }
}
static void look(const State* state, int direction, i64 depth, i64 last) {
  const i64 need = bound - depth - 1;
  if (direction == kForward && state->word[0] == goal.word[0]) refuse("the goal is in the set");
  if (direction == kForward ? need <= 0 : depth == back_depth) return;
  if (waiting == kRing) settle(direction);
  Waiting* one = &ring[(oldest + waiting) % kRing];
  one->depth = depth;
  one->count = 0;
  for (i64 move = 0; move < moves; ++move) {
    const i64 c = case_at[direction][state->hole * moves + move];
    if (c < 0 || (last >= 0 && undone[last] == c)) continue;
    i64 word[kWords];
    words_after(state, &made[direction][c], word);
    if (direction == kForward && word[0] == goal.word[0]) refuse("there is a shorter solution");
    if ((direction == kForward && quick(word, need)) || !in_turn(word[0])) continue;
    __builtin_prefetch(&key_at[home(word[0])]);
    __builtin_prefetch(&fact_at[home(word[0]) * (u64)facts]);
    one->key[one->count] = word[0];
    one->by[one->count++] = c;
  }
  if (one->count == 0) return;
  copy(&one->state, state);
  ++waiting;
}
static void keep(i64 key, i64 depth, int direction) {
  uint8_t* fact = find(key, true) + direction;
  if (depth < *fact) *fact = (uint8_t)depth;
}
// All states of a tree, in the order of the file: they are kept, or looked at.
static void walk(const uint8_t* code, i64 size, int direction, bool looks) {
  static State now;
  i64 path[kDeepest + 1], depth = 0;
  copy(&now, direction == kForward ? &start : &goal);
  for (i64 at = -1; at < size; ++at) {
    if (at >= 0 && code[at] == kUp) {
      if (depth == 0) refuse("a tree goes up from its root");
      make(&now, &made[!direction][path[depth--]]);
      continue;
    }
    if (at >= 0) {
      const i64 c = code[at] < moves ? case_at[direction][now.hole * moves + code[at]] : -1;
      if (c < 0) refuse("a tree has a move that cannot be made");
      if (depth == (direction == kForward ? kDeepest : back_depth)) refuse("a tree is too deep");
      make(&now, &made[direction][path[++depth] = c]);
    }
    if (looks) {
      look(&now, direction, depth, depth > 0 ? path[depth] : -1);
    } else if (in_turn(now.word[0])) {
      const u64 place = came++ % kRing;
      if (came > kRing) keep(coming[place].key, coming[place].depth, direction);
      coming[place].key = now.word[0];
      coming[place].depth = depth;
      __builtin_prefetch(&key_at[home(now.word[0])], 1);
      __builtin_prefetch(&fact_at[home(now.word[0]) * (u64)facts], 1);
    }
  }
  while (waiting != 0) settle(direction);
  for (u64 i = came > kRing ? came - kRing : 0; i < came; ++i) keep(coming[i % kRing].key, coming[i % kRing].depth, direction);
  came = 0;
}
static u64 states_in(const uint8_t* code, i64 size) {
  u64 states = 1;
  for (i64 at = 0; at < size; ++at) states += code[at] != kUp;
  return states;
}

static void read_cases(void) {
  for (int direction = 0; direction < 2; ++direction) made[direction] = room((u64)cases, sizeof(Case));
  for (i64 c = 0; c < cases; ++c) {
    const i64 *hole = some(2), touches = next(), *src = some(touches), *dst = some(touches);
    for (int direction = 0; direction < 2; ++direction) {
      Case* one = &made[direction][c];
      *one = (Case){{hole[direction], hole[!direction]}, touches, room((u64)touches, sizeof(i64)), room((u64)touches, sizeof(i64)),
                    room((u64)touches, sizeof(uint16_t*)), room((u64)touches, sizeof(i64*))};
      const i64* effect = some(entries);  // by entry: the entry that it becomes
      memcpy(one->src, direction == 0 ? src : dst, (size_t)touches * sizeof *src);
      memcpy(one->dst, direction == 0 ? dst : src, (size_t)touches * sizeof *src);
      for (i64 t = 0; t < touches; ++t) {
        const i64 from = first[one->src[t]], values = first[one->src[t] + 1] - from;
        one->change[t] = room((u64)(values * words), sizeof(i64));
        one->image[t] = room((u64)values, sizeof(uint16_t));
        for (i64 i = 0; i < values; ++i) one->image[t][i] = (uint16_t)(effect[from + i] - first[one->dst[t]]);
        for (i64 i = 0; i < values * words; ++i)
          one->change[t][i] = (i64)((u64)weight[effect[from + i / words] * words + i % words] - (u64)weight[from * words + i]);
      }
    }
  }
}
static void read_terms(const uint8_t* file) {
  for (Term* t = term; t < term + terms; ++t) {
    t->kind = next();
    t->divisor = next();
    t->word = next();
    if (t->kind == kMaximum) t->table = some(entries);
    if (t->kind != kPatterns) continue;
    t->patterns = next();
    t->pattern = room((u64)t->patterns, sizeof(Pattern));
    for (i64 p = 0; p < t->patterns; ++p) {
      const i64 pieces = next();
      const Piece* piece = (const Piece*)(const void*)some(4 * pieces);
      const i64 at = next();
      t->pattern[p] = (Pattern){pieces, next(), piece, file + at};
    }
  }
}
static void read_state(State* state) {
  memset(state, 0, sizeof *state);
  const i64* entry = some(slots);
  state->hole = next();
  for (i64 slot = 0; slot < slots; ++slot) {
    state->value[slot] = (uint16_t)(entry[slot] - first[slot]);
    for (i64 i = 0; i < words; ++i) state->word[i] = (i64)((u64)state->word[i] + (u64)weight[entry[slot] * words + i]);
  }
}
static const void* mapped(const char* descriptor) {
  struct stat about;
  if (fstat(atoi(descriptor), &about) != 0) refuse("it cannot be read");
  const void* at = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_SHARED, atoi(descriptor), 0);
  if (at == MAP_FAILED) refuse("it cannot be read");
  return at;
}

int main(int count, char** given) {  // descriptors of the parts and of the certificate, and what to say
  if (count != 4) return 2;
  part = mapped(given[1]);
  const uint8_t* file = mapped(given[2]);
  memory = (u64)next();
  from_root = (u64)next(), to_root = (u64)next(), sample = (u64)next(), all_nodes = (u64)next();
  slots = next(), moves = next(), cases = next(), entries = next(), words = next(), terms = next(), bound = next();
  has_back = next() != 0, back_depth = next(), has_roots = next() != 0, stated = (u64)next();
  const i64 tree = next(), tree_size = next(), back = next(), back_size = next();
  stated_nodes = file + next();
  first = some(slots + 1);
  for (int direction = 0; direction < 2; ++direction) case_at[direction] = some(slots * moves);
  undone = some(cases), skipped = some(cases * cases);
  weight = some(entries * words);
  read_state(&start), read_state(&goal);
  read_cases();
  read_terms(file);
  ring = room(kRing, sizeof *ring);
  scatter = drawn(UINT64_MAX) | 1;
  const u64 states = states_in(file + tree, tree_size) + (has_back ? states_in(file + back, back_size) : 0);
  facts = 1 + has_back + has_roots;
  const u64 most = memory / (8 + (u64)facts), wanted = states / 4 * 5 + 64;
  places = wanted < most && !has_roots ? wanted : most;
  parts = has_roots || places == 0 ? 1 : (wanted + places - 1) / places;
  key_at = room(places, 8);
  fact_at = room(places, (u64)facts);
  for (turn = 0; turn < parts; ++turn) {
    memset(fact_at, kNone, places * (u64)facts);
    used = 0;
    walk(file + tree, tree_size, kForward, false);
    if (has_back) {
      walk(file + back, back_size, kBackward, false);
      walk(file + back, back_size, kBackward, true);
    }
    walk(file + tree, tree_size, kForward, true);
  }
  if (roots > 0) {
    if (stated != 0 && roots != stated) refuse("there is another number of roots than stated");
    total = roots;
    roots = 0;
    walk(file + tree, tree_size, kForward, true);
  }
  const bool whole = searched == roots;
  printf("%s: %s; %" PRIu64 " states", whole ? "proven" : sample != 0 ? "spot check" : "in part", given[3], states);
  if (has_roots) printf(", %" PRIu64 " of %" PRIu64 " subtrees with %" PRIu64 " nodes", searched, roots, nodes);
  if (!whole && sample != 0 && searched > 3)  // (1 - 3 / n)^n < 0.05
    printf("; with 95 %% confidence fewer than %.3g %% of the subtrees hide a shorter solution", 300.0 / (double)searched);
  printf("\n");
  return whole ? 0 : 3;
}
