// The inner loops of check.py, which has read and checked all but the trees: walks through these, and searches of subtrees.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t i64;
typedef uint64_t u64;
enum { kSlots = 512, kMoves = 254, kWords = 65, kDeepest = 253, kUp = 255, kLevels = 512, kFound = 255, kFilter = 1 << 22 };

// States by key, with a byte that is 0 where there is none: in `ball` 1 + the least depth in the backward tree; in `edges`, of
// states that one of the tree's leads to, the least depth that has to be shown, or kFound.
typedef struct __attribute__((packed)) {
  i64 key;
  uint8_t fact;
} Place;
typedef struct {
  Place* place;
  i64 places, used;
} Table;

// A part of a term: a sum over a state's entries; or the byte of a pattern there; or the largest of what a table has for them.
typedef struct {
  const uint8_t* pattern;  // or null
  const i64* largest;      // or null
  i64 divisor, last;       // whether it is the last part of its term
} Part;

// From check.py, in this order. In a backward tree cases are undone.
static struct {
  i64 share, shares, slots, moves, cases, entries, scatter, ball_depth, parts;  // first: the share of keys that is looked at
  const i64 *weight, *goal;  // by entry and word; entries, then the blank's slot
  const Part* h;
  const bool* skipped;  // by two cases: the second need not be made after the first
  i64 back, bound, deepest;
  const i64 *hole, *touch_at, *reads, *writes;  // by case: the blank's slot after it, and where its slots begin
  const int32_t* image;                         // by case and entry: the entry that it becomes
  const i64 *case_at, *root;                    // by the blank's slot and the move: the case or -1; as `goal`
  const uint8_t* tree;
  i64 size;
  Table ball, edges;
  const i64* most_nodes;  // by root: the most nodes of its search, 0: none
  i64* nodes;             // by root: how many it had
} the;

typedef struct {
  i64 word[kWords], hole;  // sums over its entries: its key, then one for each part of the heuristic
  int32_t entry[kSlots];
} State;
static State level[kLevels], goal;        // a state after those that led to it
static u64 filter[kFilter / 64];          // bits of the keys of `edges`: most states have none of them
static bool child[kDeepest + 1][kMoves];  // by depth and move: whether the tree makes it

static _Noreturn void refuse(const char* why) {
  printf("not proven: %s\n", why);
  fflush(stdout);
  _Exit(1);
}
static State state_of(const i64* entry) {
  State made = {.hole = entry[the.slots]};
  for (i64 slot = 0; slot < the.slots; ++slot) {
    made.entry[slot] = (int32_t)entry[slot];
    for (i64 w = 0; w <= the.parts; ++w) made.word[w] += the.weight[entry[slot] * (the.parts + 1) + w];
  }
  return made;
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
    const i64 old = state->entry[the.reads[t]], new = the.image[number * the.entries + old];
    const i64 *less = the.weight + old * (the.parts + 1), *more = the.weight + new * (the.parts + 1);
    to->entry[the.writes[t]] = (int32_t)new;
    for (i64 w = 0; w <= the.parts; ++w) to->word[w] += more[w] - less[w];
  }
  return number;
}
static u64 mixed(i64 key) {
  const u64 product = ((u64)key ^ (u64)key >> 31) * (u64)the.scatter;
  return (product ^ product >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}
static uint8_t* find(Table* in, i64 key, bool keep) {
  i64 at = (i64)((unsigned __int128)mixed(key) * (u64)in->places >> 64);
  while (in->place[at].fact != 0 && in->place[at].key != key) at = at + 1 == in->places ? 0 : at + 1;
  if (keep && in->place[at].fact == 0) in->place[at].key = key, ++in->used;
  return &in->place[at].fact;
}
static void lower(uint8_t* fact, i64 to) {
  if (*fact == 0 || *fact > to) *fact = (uint8_t)to;
}

// Whether the heuristic proves that the goal is at least `need` moves away from a state.
static bool far(const State* state, i64 need) {
  if (need <= 0 || (need == 1 && state->word[0] != goal.word[0])) return true;
  i64 x = 0;
  for (i64 i = 0; i < the.parts; ++i) {
    const Part* part = &the.h[i];
    i64 own = part->pattern != NULL ? part->pattern[state->word[i + 1]] : state->word[i + 1];
    for (i64 slot = 0; part->largest != NULL && slot < the.slots; ++slot) {
      const i64 entry = part->largest[state->entry[slot]];
      own = slot == 0 || entry > own ? entry : own;
    }
    x += own;
    if (part->last && x > (need - 1) * part->divisor) return true;
    if (part->last) x = 0;
  }
  if (the.ball_depth < 0) return false;
  const uint8_t in_ball = *find(&the.ball, state->word[0], false);
  return (in_ball != 0 ? in_ball - 1 : the.ball_depth + 1) >= need;
}

// Depth first: no path of fewer than `need` moves leads from the state to the goal. Counts the states that it enters.
static i64 nodes, most_nodes, roots;
static void search(State* state, i64 need, i64 last) {
  if (++nodes > most_nodes) refuse("a search has more nodes than stated");
  if (state == &level[kLevels - 1]) refuse("a subtree is too deep");
  for (i64 move = 0; move < the.moves; ++move) {
    const i64 made = make(state, move, last);
    if (made < 0) continue;
    if (need > 1 && state[1].word[0] == goal.word[0]) refuse("there is a shorter solution");
    if (!far(state + 1, need - 1)) search(state + 1, need - 1, made);
  }
}

// What is done with the states of a tree: what they lead to, and the tree does not say itself, is noted (kNote); of that the
// tree's states are found (kMatch), and what was not found is searched (kSearch).
enum { kNote, kMatch, kSearch };
static void enter(i64 depth, int task) {
  const i64 key = level[depth].word[0];
  const u64 bit = mixed(key) % kFilter;
  memset(child[depth], 0, (size_t)the.moves);
  if (the.back) lower(find(&the.ball, key, true), depth + 1);
  if (!the.back && key == goal.word[0]) refuse("the goal is in the set");
  if (task == kMatch && filter[bit / 64] >> bit % 64 & 1) {
    uint8_t* fact = find(&the.edges, key, false);
    if (*fact >= depth && *fact != 0) *fact = kFound;
  }
}
static void leave(i64 depth, int task) {
  State *state = &level[depth], *next = state + 1;
  const i64 need = the.bound - depth - 1;
  if (task == kMatch || need <= 0) return;
  for (i64 move = 0; move < the.moves; ++move) {
    if (child[depth][move] || make(state, move, -1) < 0) continue;
    const i64 key = next->word[0];
    if (depth > 0 && key == state[-1].word[0]) continue;
    if (!the.back && key == goal.word[0]) refuse("there is a shorter solution");
    if ((mixed(key) >> 32) % (u64)the.shares != (u64)the.share || (!the.back && far(next, need))) continue;
    uint8_t* fact = find(&the.edges, key, task == kNote);
    if (task == kNote) {
      lower(fact, depth + 1);
      filter[mixed(key) % kFilter / 64] |= UINT64_C(1) << mixed(key) % 64;
    } else if (*fact == depth + 1) {
      *fact = kFound;
      nodes = 0;
      most_nodes = the.most_nodes[roots];
      if (most_nodes > 0) search(next, need, -1);
      the.nodes[roots++] = nodes;
    }
  }
}

// The number of states of a tree; -1 if there is no room for what it leads to.
i64 walk(int task, const i64* given) {
  memcpy(&the, given, sizeof the);
  if (task == kNote) memset(filter, 0, sizeof filter);
  goal = state_of(the.goal);
  level[0] = state_of(the.root);
  i64 depth = 0, states = 1;
  roots = 0;
  enter(0, task);
  for (i64 at = 0; depth >= 0; ++at) {
    const uint8_t move = at < the.size ? the.tree[at] : kUp;
    if (the.edges.used > the.edges.places / 8 * 7) return -1;
    if (the.ball.used > the.ball.places / 8 * 7) refuse("the backward tree needs more memory than allowed (--memory)");
    if (move == kUp) {
      leave(depth--, task);
      if (depth < 0 && at < the.size) refuse("a tree goes up from its root");
      continue;
    }
    if (depth == the.deepest) refuse("a tree is too deep");
    if (move >= the.moves || make(&level[depth], move, -1) < 0) refuse("a tree has a move that cannot be made");
    child[depth][move] = true;
    enter(++depth, task);
    ++states;
  }
  return states;
}
