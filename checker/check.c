// The inner loops of check.py, which has read and checked all but the trees: walks through these, and searches of subtrees.
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef int64_t i64;
typedef uint64_t u64;
enum { kSlots = 512, kMoves = 254, kWords = 65, kUp = 255, kLevels = 512, kFound = 255, kFilter = 1 << 22 };

// Keys of states, each with a fact that is 0 where there is none: in `ball` 1 + the least depth in the backward tree; in
// `edges`, of states that one of the tree's leads to, the least depth that has to be shown, or kFound.
typedef struct {
  u64* key;
  uint8_t* fact;
  i64 places, used;
} Table;

// A part of a term: a sum over a state's entries; or the byte of a pattern there; or the largest of what a table has for them.
typedef struct {
  const uint8_t* pattern;  // or null
  const i64* largest;      // or null
  i64 divisor;             // 0 but in the last part of a term
} Part;

// From check.py, in this order. In a backward tree cases are undone.
static struct {
  i64 slots, moves, cases, entries, ball_depth, parts;
  u64 goal;                                 // its key
  const u64* weight;                        // by entry and word
  const Part* h;
  const i64 *slot_of, *touch_at, *touched;  // by entry; by case: where the slots begin that it moves; these
  const bool* skipped;                      // by two cases: the second need not be made after the first
  Table ball;
  i64 bound, deepest;
  const i64 *hole, *image, *case_at;  // by case: the blank's slot after it; also by entry: what becomes of it; by the
  const i64* root;                    // blank's slot and the move: the case, or -1; words, the blank's slot, entries
  const uint8_t* tree;
  i64 size;
  Table edges;
  u64 share, shares;  // of the keys of `edges`
  i64* nodes;         // by root: not 0 if it is to be searched; then the number of nodes
} the;

typedef struct {
  u64 word[kWords];  // sums over its entries: its key, then one for each part of the heuristic
  i64 hole, entry[kSlots];
} State;
static State level[kLevels];      // a state after those that led to it
static u64 filter[kFilter / 64];  // bits of the keys of `edges`: most states have none of them
static i64 at, roots, nodes;      // how much of the tree is read; so far; of this search
static const char* why;           // the walk failed
static jmp_buf failed;

static _Noreturn void refuse(const char* reason) {
  why = reason;
  longjmp(failed, 1);
}
// Makes a move of a state in the next level; -1 if it cannot be made, or need not after this case.
static i64 make(State* state, i64 move, i64 last) {
  const i64 number = the.case_at[state->hole * the.moves + move];
  if (number < 0 || (last >= 0 && the.skipped[last * the.cases + number])) return -1;
  State* to = state + 1;
  memcpy(to->entry, state->entry, (size_t)the.slots * sizeof *to->entry);
  memcpy(to->word, state->word, (size_t)(the.parts + 1) * sizeof *to->word);
  to->hole = the.hole[number];
  for (i64 t = the.touch_at[number]; t < the.touch_at[number + 1]; ++t) {
    const i64 old = state->entry[the.touched[t]], new = the.image[number * the.entries + old];
    to->entry[the.slot_of[new]] = new;
    for (i64 w = 0; w <= the.parts; ++w)
      to->word[w] += the.weight[new * (the.parts + 1) + w] - the.weight[old * (the.parts + 1) + w];
  }
  return number;
}
// The fact of a key, at its place or where that would be.
static uint8_t* find(const Table* in, u64 key) {
  i64 i = (i64)((unsigned __int128)key * (u64)in->places >> 64);
  while (in->fact[i] != 0 && in->key[i] != key) i = i + 1 == in->places ? 0 : i + 1;
  if (in->fact[i] == 0) in->key[i] = key;
  return &in->fact[i];
}
static void note(Table* in, u64 key, i64 fact) {
  uint8_t* known = find(in, key);
  if (*known == 0 && ++in->used > in->places / 8 * 7) refuse("no room");
  if (*known == 0 || *known > fact) *known = (uint8_t)fact;
}

// Whether the heuristic proves that the goal is at least `need` moves away from a state.
static bool far(const State* state, i64 need) {
  if (need <= 0) return true;
  for (i64 i = 0, x = 0; i < the.parts; ++i) {
    const Part* part = &the.h[i];
    i64 own = (i64)state->word[i + 1];
    if (part->pattern != NULL) own = part->pattern[own];
    for (i64 slot = 0; part->largest != NULL && slot < the.slots; ++slot)
      if (part->largest[state->entry[slot]] > own) own = part->largest[state->entry[slot]];
    x += own;
    if (part->divisor != 0 && x > (need - 1) * part->divisor) return true;
    if (part->divisor != 0) x = 0;
  }
  const uint8_t in_ball = *find(&the.ball, state->word[0]);
  return (in_ball != 0 ? in_ball - 1 : the.ball_depth + 1) >= need;
}

// Depth first: no path of fewer than `need` moves leads from the state to the goal.
static void search(State* state, i64 need, i64 last) {
  ++nodes;
  if (state == &level[kLevels - 1]) refuse("a subtree is too deep");
  for (i64 move = 0; move < the.moves; ++move) {
    const i64 made = make(state, move, last);
    if (made < 0) continue;
    if (need > 1 && state[1].word[0] == the.goal) refuse("there is a shorter solution");
    if (!far(state + 1, need - 1)) search(state + 1, need - 1, made);
  }
}

// What is done with the states of a tree. A backward one is the ball (kBall), which has to have what leads to its states
// (kClosed). What a forward one leads to, and does not say itself, is noted (kNote); of that the tree's states are found
// (kMatch), and what was not found is searched (kSearch).
enum { kBall, kClosed, kNote, kMatch, kSearch };
static void visit(State* state, i64 depth, int task) {
  const u64 key = state->word[0];
  bool child[kMoves] = {false};  // what the tree makes of it
  if (task == kBall) note(&the.ball, key, depth + 1);
  if (task >= kNote && key == the.goal) refuse("the goal is in the set");
  if (task == kMatch && filter[key % kFilter / 64] >> key % 64 & 1) {
    uint8_t* least = find(&the.edges, key);
    if (*least >= depth && *least != 0) *least = kFound;
  }
  for (; at < the.size && the.tree[at] != kUp; ++at) {
    const uint8_t move = the.tree[at++];
    if (depth == the.deepest) refuse("a tree is too deep");
    if (move >= the.moves || make(state, move, -1) < 0) refuse("a tree has a move that cannot be made");
    child[move] = true;
    visit(state + 1, depth + 1, task);
  }
  const i64 need = the.bound - depth - 1;
  for (i64 move = 0; task != kBall && task != kMatch && need > 0 && move < the.moves; ++move) {
    if (child[move] || make(state, move, -1) < 0) continue;
    const u64 to = state[1].word[0];
    if (depth > 0 && to == state[-1].word[0]) continue;
    if (task == kClosed) {
      const uint8_t there = *find(&the.ball, to);
      if (there == 0 || there > depth + 2) refuse("the backward tree lacks a state");
      continue;
    }
    if (to == the.goal) refuse("there is a shorter solution");
    if ((to >> 24) % the.shares != the.share || far(state + 1, need)) continue;
    if (task == kNote) {
      note(&the.edges, to, depth + 1);
      filter[to % kFilter / 64] |= UINT64_C(1) << to % 64;
    } else if (*find(&the.edges, to) == depth + 1) {
      *find(&the.edges, to) = kFound;
      nodes = 0;
      if (the.nodes[roots] != 0) search(state + 1, need, -1);
      the.nodes[roots++] = nodes;
    }
  }
}

// Walks through a tree; says why it fails, or nothing.
const char* walk(int task, const i64* given) {
  memcpy(&the, given, sizeof the);
  if (task == kNote) memset(filter, 0, sizeof filter);
  memcpy(level[0].word, the.root, (size_t)(the.parts + 1) * sizeof *the.root);
  level[0].hole = the.root[the.parts + 1];
  memcpy(level[0].entry, the.root + the.parts + 2, (size_t)the.slots * sizeof *the.root);
  why = NULL;
  at = roots = 0;
  if (setjmp(failed) == 0) visit(level, 0, task);
  return why == NULL && at < the.size ? "a tree goes up from its root" : why;
}
