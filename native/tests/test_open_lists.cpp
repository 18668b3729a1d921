// Compares both open lists with a std::set of keys under random insertions, improvements, re-insertions and removals.
#include <random>
#include <set>

#include "check.hpp"
#include "search/bucket_queue.hpp"
#include "search/indexed_heap.hpp"
#include "domains/packed_tiles.hpp"

namespace test_open_lists {

using namespace hstar;

namespace {

using State = PackedTiles::State;

std::shared_ptr<const SlidingTiles> board() {
  return std::make_shared<const SlidingTiles>(2, 2, std::vector<std::uint8_t>{0, 1, 2, 3});
}

const HeuristicTable kNoLookup;

// A heuristic with values up to `most`; without a look-up table, only `most` and `integer` matter.
Heuristic promise(double most, bool integer = true) {
  return {board(), {}, {{Op::constant, std::min(most, 1e300), 0}}, integer, most};
}

struct Key {
  double f, second, third;
  std::uint32_t node;
  bool operator<(const Key& o) const { return std::tie(f, second, third) < std::tie(o.f, o.second, o.third); }
};

template <class Open>
Open made(Arena& arena, Budget& budget, Node<State>* nodes, const Heuristic& heuristic, double weight,
          TieBreaking tie) {
  if constexpr (std::is_same_v<Open, IndexedHeap<State>>)
    return {arena, budget, nodes, weight, tie};
  else
    return {arena, budget, nodes, BucketScale::of(heuristic, kNoLookup, weight).value(), tie};
}

template <class Open>
void against_a_set(TieBreaking tie, double weight, std::uint32_t most_h, unsigned seed, std::uint64_t cap = 1 << 26) {
  SystemPages pages;
  Arena arena(pages);
  CHECK(arena.open(cap));
  Budget budget(cap);
  Pool<Node<State>> nodes(arena.nodes, budget);
  constexpr std::uint32_t kNodes = 4000;
  CHECK(nodes.ensure(kNodes));
  const Heuristic heuristic = promise(most_h);
  Open open = made<Open>(arena, budget, nodes.data(), heuristic, weight, tie);
  std::set<Key> model;
  std::vector<std::set<Key>::iterator> where(kNodes);
  std::vector<double> h(kNodes);
  std::mt19937 random(seed);
  std::uint64_t seq = 0;
  std::uint32_t count = 0;
  const auto add = [&](std::uint32_t node) {
    const double f = nodes[node].g() + weight * h[node];
    const double late = static_cast<double>(++seq);
    Key key{f, -late, 0, node};
    if (tie == TieBreaking::fifo) key.second = late;
    if (tie == TieBreaking::low_h) key = {f, h[node], -late, node};
    where[node] = model.insert(key).first;
  };
  // g drifts upwards, as in a search, so that layers are created and emptied.
  std::uint32_t drift = 0;
  for (int step = 0; step < 20000; ++step) {
    const unsigned what = random() % 100;
    if (what < 45 && count < kNodes) {
      const std::uint32_t node = count++;
      h[node] = random() % (most_h + 1);
      nodes[node].g_and_flags = (drift + random() % 20) | Node<State>::kOpen;
      CHECK(open.insert(node, 0, static_cast<typename Open::Cost>(h[node])));
      add(node);
    } else if (what < 65 && count > 0) {
      const std::uint32_t node = random() % count;
      const std::uint32_t g = nodes[node].g();
      if (g == 0) continue;
      const bool was_open = nodes[node].is_open();
      nodes[node].g_and_flags = (g - 1 - random() % std::min(g, 3u)) | (nodes[node].g_and_flags & ~Node<State>::kMaxG);
      CHECK(open.improve(node, [&] { return static_cast<typename Open::Cost>(h[node]); }));
      nodes[node].g_and_flags |= Node<State>::kOpen;
      if (was_open) model.erase(where[node]);
      add(node);
    } else {
      drift += step % 16 == 0;
      const bool some = open.settle();
      CHECK_EQUAL(some, !model.empty());
      if (!some) continue;
      CHECK_EQUAL(open.top(), model.begin()->node);
      CHECK_EQUAL(static_cast<double>(open.top_f()), model.begin()->f);
      if (what < 90) {
        nodes[open.top()].g_and_flags &= ~Node<State>::kOpen;
        open.pop();
        model.erase(model.begin());
        std::array<std::uint32_t, 100> next;
        const std::uint32_t most = random() % 101;
        const std::uint32_t found = open.upcoming(next.data(), most);
        CHECK(found <= most);
        for (std::uint32_t i = 0; i < found; ++i) CHECK(next[i] < count);
        if (most > 0 && !model.empty()) CHECK(found > 0);
      }
    }
    if (step % 500 == 0) CHECK(open.valid());
  }
  while (open.settle()) {
    CHECK_EQUAL(open.top(), model.begin()->node);
    nodes[open.top()].g_and_flags &= ~Node<State>::kOpen;
    open.pop();
    model.erase(model.begin());
  }
  CHECK(model.empty());
  CHECK(open.valid());
  CHECK(budget.used() <= cap);
}

}  // namespace

TEST(open_lists, bucket_queue_equals_a_set) {
  unsigned seed = 0;
  for (const TieBreaking tie : {TieBreaking::low_h, TieBreaking::lifo, TieBreaking::fifo})
    for (const double weight : {0.0, 1.0, 3.0})
      for (const std::uint32_t most_h : {0u, 1u, 12u, 700u})
        against_a_set<BucketQueue<State>>(tie, weight, most_h, ++seed);
}

TEST(open_lists, indexed_heap_equals_a_set) {
  unsigned seed = 100;
  for (const TieBreaking tie : {TieBreaking::low_h, TieBreaking::lifo, TieBreaking::fifo})
    for (const double weight : {0.0, 1.0, 1.7, 3.0e17})  // the last is so large that f does not change with g
      for (const std::uint32_t most_h : {0u, 12u, 700u}) against_a_set<IndexedHeap<State>>(tie, weight, most_h, ++seed);
}

TEST(open_lists, bucket_queue_takes_what_a_power_of_two_makes_whole) {
  const auto accepts = [](const Heuristic& heuristic, double weight, std::vector<double> lookup = {}) {
    return BucketScale::of(heuristic, HeuristicTable(std::move(lookup)), weight).has_value();
  };
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(accepts(promise(4095), 1));
  CHECK(accepts(promise(4095), 0));
  CHECK(accepts(promise(4095), 16));
  CHECK(!accepts(promise(4095), 17));  // f range
  CHECK(!accepts(promise(4096), 1));   // h range
  CHECK(accepts(promise(10), 1.5));
  CHECK(!accepts(promise(10), 1.3));
  CHECK(!accepts(promise(0), 1e30));
  CHECK(!accepts(promise(10, false), 1));
  CHECK(!accepts(promise(infinity), 1));
  CHECK(accepts(promise(10, false), 1, {0, 0.5, 2.25, 10}));
  CHECK(accepts(promise(10, false), 0.5, {0, 0.5, 2.25, 10}));
  CHECK(!accepts(promise(10, false), 1, {0, 0.1, 2.25, 10}));
  CHECK(!accepts(promise(infinity, false), 1, {0, infinity}));
  const auto scale = BucketScale::of(promise(10, false), HeuristicTable({0, 2.25}), 2).value();
  CHECK_EQUAL(scale.h, 4u);
  CHECK_EQUAL(scale.f, 2u);
  CHECK_EQUAL(scale.weight, 1u);
  CHECK_EQUAL(scale.most_h, 9u);
}

TEST(open_lists, running_out_of_memory_is_an_answer) {
  for (const std::uint64_t cap : {0u, 100u, 1000u, 5000u, 50000u}) {
    SystemPages pages;
    Arena arena(pages);
    CHECK(arena.open(1 << 20));
    std::vector<Node<State>> nodes(100000);
    const Heuristic heuristic = promise(30);
    const auto fill = [&](auto open, const Budget& budget) {
      std::uint32_t count = 0;
      for (; count < nodes.size(); ++count) {
        nodes[count].g_and_flags = (count % 50) | Node<State>::kOpen;
        if (!open.insert(count, 0, count % 31)) break;
      }
      CHECK(count < nodes.size());
      CHECK(budget.used() <= cap);
    };
    Budget first(cap);
    fill(made<BucketQueue<State>>(arena, first, nodes.data(), heuristic, 1, TieBreaking::low_h), first);
    CHECK(arena.open(1 << 20));
    Budget second(cap);
    fill(made<IndexedHeap<State>>(arena, second, nodes.data(), heuristic, 1, TieBreaking::low_h), second);
  }
}

}  // namespace test_open_lists
