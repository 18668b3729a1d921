// The inner loops of check.py, which has read and checked the puzzle, the claim and the heuristic: walks through trees of
// states, and searches of subtrees. docs/certificate-format.md says what is proved, and why that suffices.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t i64;
typedef uint64_t u64;
enum { kSlots = 512, kMoves = 254, kWords = 64, kDeepest = 253, kUp = 255, kLevels = 512, kFound = 255, kFilter = 1 << 22 };
enum { kSum, kMaximum, kPatterns };

// States by key, with a byte for each that is not 0: `ball`: 1 + the least depth in the backward tree; `edges`: of states
// outside of the forward tree that one of its states leads to, the least depth that has to be shown, or kFound.
typedef struct __attribute__((packed)) {
  i64 key;
  uint8_t fact;
} Place;
typedef struct {
  Place* place;
  u64 places, used;
} Table;

// From check.py, in this order. Of two arrays the first is for making moves, the second for undoing them.
static struct {
  i64 slots, moves, cases, entries, words, terms, bound, back_depth, scatter, parts, part;
  const i64 *case_at[2], *hole[2];     // by the blank's slot and the move: the case or -1; by case: the blank's slot before
  const int32_t* image[2];             // by case and entry: the entry that it becomes
  const i64* change[2];                // by case, entry and word: what that adds to the word
  const i64 *touch_at, *touched[2];    // by case where its slots begin; the slots that it reads, and those that it writes
  const i64 *start, *goal, *weight;    // entries by slot, then the blank's slot; by entry and word
  const i64 (*term)[4];                // kind, divisor, first word, number of words
  const void* const* table;            // by word: bytes of a pattern, or numbers of a maximum
  const bool* skipped;                 // by two cases: the second need not be made after the first
  const uint8_t* tree[2];
  i64 size[2];
  Table edges, ball;
  const i64* most_nodes;               // by root: the most nodes of its search, 0: none
  i64* nodes;                          // by root: how many it had
} the;

// A state's words are sums over its entries: its key, then sums of terms, and places in the tables of patterns.
typedef struct {
  i64 word[kWords], hole;
  int32_t entry[kSlots];
} State;
static State level[kLevels], goal;  // a state after those that led to it

static _Noreturn void refuse(const char* why) {
  printf("not proven: %s\n", why);
  fflush(stdout);
  _Exit(1);
}
static State state_of(const i64* entry) {
  State made = {.hole = entry[the.slots]};
  for (i64 slot = 0; slot < the.slots; ++slot) {
    made.entry[slot] = (int32_t)entry[slot];
    for (i64 w = 0; w < the.words; ++w) made.word[w] += the.weight[entry[slot] * the.words + w];
  }
  return made;
}
static void words_after(State* to, const State* from, i64 c, bool back) {
  const i64 words = the.words, end = the.touch_at[c + 1], *read = the.touched[back];
  const i64* change = the.change[back] + c * the.entries * words;
  for (i64 w = 0; w < words; ++w) to->word[w] = from->word[w];
  for (i64 t = the.touch_at[c]; t < end; ++t)
    for (i64 w = 0; w < words; ++w) to->word[w] += change[from->entry[read[t]] * words + w];
}
static void entries_after(State* to, const State* from, i64 c, bool back) {
  const i64 end = the.touch_at[c + 1], *read = the.touched[back], *write = the.touched[!back];
  const int32_t* image = the.image[back] + c * the.entries;
  memcpy(to->entry, from->entry, (size_t)the.slots * sizeof *to->entry);
  for (i64 t = the.touch_at[c]; t < end; ++t) to->entry[write[t]] = image[from->entry[read[t]]];
  to->hole = the.hole[!back][c];
}
static u64 mixed(i64 key) {
  const u64 product = ((u64)key ^ (u64)key >> 31) * (u64)the.scatter;
  return (product ^ product >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}
static bool full(const Table* in) { return in->used > in->places / 8 * 7; }
static uint8_t* find(Table* in, i64 key, bool keep) {
  u64 at = (u64)((unsigned __int128)mixed(key) * in->places >> 64);
  while (in->place[at].fact != 0 && in->place[at].key != key) at = at + 1 == in->places ? 0 : at + 1;
  if (keep && in->place[at].fact == 0) in->place[at].key = key, ++in->used;
  return &in->place[at].fact;
}

// Whether the heuristic proves that the goal is at least `need` moves away from a state, which has its words; its entries are
// made if they are asked for.
static bool far(State* state, const State* before, i64 c, i64 need) {
  if (need <= 0 || (need == 1 && state->word[0] != goal.word[0])) return true;
  for (i64 i = 0; i < the.terms; ++i) {
    const i64 kind = the.term[i][0], most = (need - 1) * the.term[i][1], word = the.term[i][2];
    i64 x = kind == kSum ? state->word[word] : 0;
    for (i64 w = word; kind == kPatterns && w < word + the.term[i][3]; ++w)
      x += ((const uint8_t*)the.table[w])[state->word[w]];
    if (kind == kMaximum) entries_after(state, before, c, false);
    for (i64 slot = 0; kind == kMaximum && slot < the.slots && x <= most; ++slot)
      x = ((const i64*)the.table[word])[state->entry[slot]];
    if (x > most) return true;
  }
  if (the.back_depth < 0) return false;
  const uint8_t in_ball = *find(&the.ball, state->word[0], false);
  return (in_ball != 0 ? in_ball - 1 : the.back_depth + 1) >= need;
}

// Depth first: no path of fewer than `need` moves leads from the state to the goal. Counts the states that it enters.
static i64 nodes, most_nodes, roots;
static void search(State* state, i64 need, i64 last) {
  if (++nodes > most_nodes) refuse("a search has more nodes than allowed or stated");
  if (state == &level[kLevels - 1]) refuse("a subtree is too deep");
  for (i64 move = 0; move < the.moves; ++move) {
    const i64 c = the.case_at[0][state->hole * the.moves + move];
    if (c < 0 || (last >= 0 && the.skipped[last * the.cases + c])) continue;
    words_after(state + 1, state, c, false);
    if (need > 1 && state[1].word[0] == goal.word[0]) refuse("there is a shorter solution");
    if (far(state + 1, state, c, need - 1)) continue;
    entries_after(state + 1, state, c, false);
    search(state + 1, need - 1, c);
  }
}

// What is done with the states of a tree. Of the backward tree all are kept (kKeep), and what leads to them is found there
// (kClosed). Of the forward tree, what it leads to but does not say itself is noted (kNote), those of its states that were
// noted are found (kMatch), and what was not found is searched (kSearch).
enum { kKeep, kClosed, kNote, kMatch, kSearch };
static u64 filter[kFilter / 64];  // bits of the keys of `edges`: most states have none of them
static bool child[kDeepest + 1][kMoves];  // by depth and move: whether the tree makes it

static void enter(i64 depth, int task) {
  const i64 key = level[depth].word[0];
  const u64 bit = mixed(key) % kFilter;
  memset(child[depth], 0, (size_t)the.moves);
  if (task == kNote && key == goal.word[0]) refuse("the goal is in the set");
  if (task == kKeep) {
    uint8_t* fact = find(&the.ball, key, true);
    if (*fact == 0 || *fact > depth + 1) *fact = (uint8_t)(depth + 1);
  } else if (task == kMatch && filter[bit / 64] >> bit % 64 & 1) {
    uint8_t* fact = find(&the.edges, key, false);
    if (*fact != 0 && *fact >= depth) *fact = kFound;
  }
}
static void leave(i64 depth, int task) {
  const bool back = task == kClosed;
  State *state = &level[depth], *next = state + 1;
  const i64 need = the.bound - depth - 1;
  if (task == kKeep || task == kMatch || (back ? depth == the.back_depth : need <= 0)) return;
  for (i64 move = 0; move < the.moves; ++move) {
    const i64 c = the.case_at[back][state->hole * the.moves + move];
    if (c < 0 || child[depth][move]) continue;
    words_after(next, state, c, back);
    const i64 key = next->word[0];
    if (depth > 0 && key == state[-1].word[0]) continue;
    if (!back && key == goal.word[0]) refuse("there is a shorter solution");
    if (!back && (far(next, state, c, need) || (mixed(key) >> 32) % (u64)the.parts != (u64)the.part)) continue;
    uint8_t* fact = find(back ? &the.ball : &the.edges, key, task == kNote);
    if (back && (*fact == 0 || *fact > depth + 2)) refuse("the backward tree lacks a state");
    if (task == kNote && (*fact == 0 || *fact > depth + 1)) *fact = (uint8_t)(depth + 1);
    if (task == kNote) filter[mixed(key) % kFilter / 64] |= UINT64_C(1) << mixed(key) % 64;
    if (task != kSearch || *fact != depth + 1) continue;
    *fact = kFound;
    nodes = 0;
    most_nodes = the.most_nodes[roots];
    entries_after(next, state, c, false);
    if (most_nodes > 0) search(next, need, -1);
    the.nodes[roots++] = nodes;
  }
}

// The number of states of a tree; -1 if there is no room for a table.
i64 walk(int task, const i64* given) {
  const bool back = task <= kClosed;
  memcpy(&the, given, sizeof the);
  if (task == kNote) memset(filter, 0, sizeof filter);
  goal = state_of(the.goal);
  roots = 0;
  i64 depth = 0, states = 1;
  level[0] = back ? goal : state_of(the.start);
  enter(0, task);
  for (i64 at = 0; depth >= 0; ++at) {
    const uint8_t move = at < the.size[back] ? the.tree[back][at] : kUp;
    if (full(&the.edges) || full(&the.ball)) return -1;
    if (move == kUp) {
      leave(depth--, task);
      if (depth < 0 && at < the.size[back]) refuse("a tree goes up from its root");
      continue;
    }
    const i64 c = move < the.moves ? the.case_at[back][level[depth].hole * the.moves + move] : -1;
    if (c < 0) refuse("a tree has a move that cannot be made");
    if (depth == (back ? the.back_depth : kDeepest)) refuse("a tree is too deep");
    child[depth][move] = true;
    words_after(&level[depth + 1], &level[depth], c, back);
    entries_after(&level[depth + 1], &level[depth], c, back);
    enter(++depth, task);
    ++states;
  }
  return states;
}
