// The inner loops of check.py, which has read and checked all but the trees: walks through these, and searches of subtrees.
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef int64_t i64;
enum { kSlots = 512, kMoves = 254, kWords = 65, kUp = 255, kDeepest = 253, kLevels = 512, kFound = 65535, kFilter = 1 << 22 };

// Keys of states, each with a fact that is 0 where there is none: in `ball` 1 + the least g in the backward tree; in
// `edges`, of states that one of the tree's leads to, the least g that has to be shown, or kFound. The g of a state of a tree
// is what the moves down to it cost: at most kDeepest times 255.
typedef struct {
  uint64_t* key;
  uint16_t* fact;
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
  Table edges;
  uint64_t share, shares;  // of the keys of `edges`
  i64* nodes;              // by root: not 0 if it is to be searched; then the number of nodes
  Table ball;
  i64 slots, moves, cases, entries;
  const i64 *slot_of, *touched;       // by entry; by case: the slots that it moves, and then `slots`
  const i64 *hole, *image, *case_at;  // by case: the blank's slot after it; and by entry: what becomes of that; by the
  const uint8_t* tree;                // blank's slot, 0 without a blank, and the move: the case, or -1
  i64 size, bound, most;              // `size`: the bytes of the tree; `most`: of g
  const i64 *root, *cost;             // as a State; by move
  const uint64_t* weight;             // by entry: what it adds to each sum
  uint64_t goal;                      // its key
  const bool* skipped;                // by two cases: the second need not be made after the first
  i64 ball_depth, parts;
  Part h[kWords];
} the;

// A state: the blank's slot, by slot its entries, and sums over these: its key, then one for each part of the heuristic.
typedef struct {
  i64 hole, entry[kSlots + kWords];
} State;
static State level[kLevels];           // a state after those that led to it
static uint64_t filter[kFilter / 64];  // bits of the keys of `edges`: most states have none of them
static i64 at, roots, nodes;           // how much of the tree is read; so far; of this search
static const char* why;                // the walk failed
static jmp_buf failed;

static _Noreturn void refuse(const char* reason) {
  why = reason;
  longjmp(failed, 1);
}
static uint64_t key_of(const State* state) { return (uint64_t)state->entry[the.slots]; }

// Makes a move of a state in the next level; -1 if it cannot be made, or need not after this case.
static i64 make(State* state, i64 move, i64 last) {
  const i64 number = the.case_at[state->hole * the.moves + move];
  if (number < 0 || (last >= 0 && the.skipped[last * the.cases + number])) return -1;
  State* to = state + 1;
  memcpy(to->entry, state->entry, (size_t)(the.slots + the.parts + 1) * sizeof *to->entry);
  to->hole = the.hole[number];
  for (const i64* slot = the.touched + number * (the.slots + 1); *slot < the.slots; ++slot) {
    const i64 old = state->entry[*slot], new = the.image[number * the.entries + old];
    to->entry[the.slot_of[new]] = new;
    for (i64 w = 0; w <= the.parts; ++w)
      to->entry[the.slots + w] += the.weight[new * (the.parts + 1) + w] - the.weight[old * (the.parts + 1) + w];
  }
  return number;
}
// The fact of a key, at its place or where that would be.
static uint16_t* find(const Table* in, uint64_t key) {
  i64 i = (i64)((unsigned __int128)key * (uint64_t)in->places >> 64);
  while (in->fact[i] != 0 && in->key[i] != key) i = i + 1 == in->places ? 0 : i + 1;
  if (in->fact[i] == 0) in->key[i] = key;
  return &in->fact[i];
}
static void note(Table* in, uint64_t key, i64 fact) {
  uint16_t* known = find(in, key);
  if (*known == 0 && ++in->used > in->places / 8 * 7) refuse("no room");
  if (*known == 0 || *known > fact) *known = (uint16_t)fact;
}

// Whether the heuristic proves that no path to the goal costs less than `need`.
static bool far(const State* state, i64 need) {
  if (need <= 0) return true;
  for (i64 i = 0, x = 0; i < the.parts; ++i) {
    const Part* part = &the.h[i];
    i64 own = state->entry[the.slots + i + 1];
    if (part->pattern != NULL) own = part->pattern[own];
    for (i64 slot = 0; part->largest != NULL && slot < the.slots; ++slot)
      if (part->largest[state->entry[slot]] > own) own = part->largest[state->entry[slot]];
    x += own;
    if (part->divisor != 0 && x > (need - 1) * part->divisor) return true;
    if (part->divisor != 0) x = 0;
  }
  const uint16_t in_ball = *find(&the.ball, key_of(state));
  return (in_ball != 0 ? in_ball - 1 : the.ball_depth + 1) >= need;
}

// What is done with the states of a tree. What they lead to, and the tree does not say itself, is noted (kNote); of that
// its states are found (kMatch). What was not found of a forward tree is searched (kSearch), depth first: no path leads from
// there to the goal that makes one below the bound (kBelow). A backward tree is the ball (kBall).
enum { kNote, kMatch, kSearch, kBelow, kBall };
static void visit(State* state, i64 g, int task, i64 last) {
  const uint64_t key = key_of(state);
  bool child[kMoves] = {false};  // what the tree makes of it
  if (g > the.most || state - level > (task == kBelow ? kLevels - 2 : kDeepest)) refuse("a tree is too deep");
  if (key == the.goal) refuse("the goal is in the set");
  if (task == kBelow) ++nodes;
  if (task == kBall) note(&the.ball, key, g + 1);
  if (task == kMatch && filter[key % kFilter / 64] >> key % 64 & 1) {
    uint16_t* least = find(&the.edges, key);
    if (*least >= g && *least != 0) *least = kFound;
  }
  for (; task != kBelow && at < the.size && the.tree[at] != kUp; ++at) {
    const uint8_t move = the.tree[at++];
    if (move >= the.moves || make(state, move, -1) < 0) refuse("a tree has a move that cannot be made");
    child[move] = true;
    visit(state + 1, g + the.cost[move], task, -1);
  }
  for (i64 move = 0; task != kMatch && task != kBall && g + 1 < the.bound && move < the.moves; ++move) {
    const i64 its_g = g + the.cost[move], need = the.bound - its_g, made = child[move] || need <= 0 ? -1 : make(state, move, last);
    const uint64_t to = key_of(state + 1);
    if (made < 0 || (task != kBelow && state > level && to == key_of(state - 1))) continue;
    if (to == the.goal) refuse("there is a shorter solution");
    if ((task != kBelow && (to >> 24) % the.shares != the.share) || far(state + 1, need)) continue;
    if (task == kBelow) {
      visit(state + 1, its_g, kBelow, made);
    } else if (task == kNote) {
      note(&the.edges, to, its_g);
      filter[to % kFilter / 64] |= UINT64_C(1) << to % 64;
    } else if (*find(&the.edges, to) == its_g) {
      *find(&the.edges, to) = kFound;
      nodes = 0;
      if (the.nodes[roots] != 0) visit(state + 1, its_g, kBelow, -1);
      the.nodes[roots++] = nodes;
    }
  }
}

// Walks through a tree; says why it fails, or nothing.
const char* walk(int task, const i64* given, int count) {
  memcpy(&the, given, (size_t)count * sizeof *given);
  if (task == kNote) memset(filter, 0, sizeof filter);
  memcpy(level, the.root, (size_t)(1 + the.slots + the.parts + 1) * sizeof *the.root);
  at = roots = 0, why = NULL;
  if (setjmp(failed) == 0) visit(level, 0, task, -1);
  return why == NULL && at < the.size ? "a tree goes up from its root" : why;
}
