#include <deque>
#include <map>
#include <random>

#include "check.hpp"
#include "pages.hpp"
#include "search/state_table.hpp"

namespace test_state_table {

using namespace hstar;

namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15;
  return (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9;
}

constexpr auto never = [] { return false; };

// Inserts `keys` keys one by one, looks up present and absent keys, and compares with a std::map.
template <class Hash>
void against_a_map(Hash hash, std::uint32_t keys, std::uint64_t cap, std::uint32_t validate_every) {
  SystemPages pages;
  Region region(pages);
  CHECK(region.open(std::size_t{1} << 28));
  Budget budget(cap);
  StateTable table(region, budget, 24);
  std::vector<std::uint64_t> nodes;
  std::map<std::uint64_t, std::uint32_t> model;
  std::deque<std::pair<std::uint64_t, StateTable::Place>> glances;
  const auto hash_of = [&](std::uint32_t i) { return hash(nodes[i]); };
  std::mt19937 random(keys);
  std::uint64_t size = 0;
  for (std::uint32_t i = 0; i < keys; ++i) {
    CHECK(table.reserve(nodes.size() + 1, hash_of, never));
    CHECK(budget.used() <= cap);
    const bool grown = table.size() != size;
    size = table.size();
    if (grown || i % validate_every == 0) CHECK(table.valid(hash_of));
    if (grown) glances.clear();
    const std::uint64_t next = random() % (2 * keys);
    glances.emplace_back(next, table.glance(hash(next)));
    if (glances.size() < 9) continue;
    // Eight other keys are glanced at, looked up and inserted before the look-up, as in a search.
    const auto [key, glance] = glances.front();
    glances.pop_front();
    const auto same = [&, k = key](std::uint32_t node) { return nodes[node] == k; };
    const auto place = table.find(hash(key), glance, same);
    const auto plain = table.find(hash(key), same);
    CHECK_EQUAL(place.node, plain.node);
    if (place.node == kNoNode) CHECK_EQUAL(place.slot, plain.slot);
    const auto known = model.find(key);
    CHECK_EQUAL(place.node, known == model.end() ? kNoNode : known->second);
    if (place.node != kNoNode) continue;
    const auto node = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(key);
    table.insert(place, hash(key), node);
    model[key] = node;
  }
  CHECK_EQUAL(table.count(), model.size());
  CHECK(table.valid(hash_of));
  for (const auto& [key, node] : model)
    CHECK_EQUAL(table.find(hash(key), [&, k = key](std::uint32_t other) { return nodes[other] == k; }).node, node);
}

}  // namespace

TEST(state_table, equals_a_map) { against_a_map(mix, 60000, 1 << 24, 5000); }

TEST(state_table, equals_a_map_with_colliding_tags) {
  against_a_map([](std::uint64_t key) { return mix(key % 5000) >> 32 << 32; }, 20000, 1 << 24, 1000);
}

TEST(state_table, equals_a_map_when_hashes_cluster_at_the_end_and_wrap) {
  against_a_map([](std::uint64_t key) { return 0xfffffffeull << 32 | (mix(key) & (1ull << 33)) | key; }, 3000, 1 << 22,
                100);
}

TEST(state_table, equals_a_map_with_one_hash_for_all) {
  // Runs longer than the scratch space: the table is rebuilt from the nodes.
  against_a_map([](std::uint64_t) { return 0x8000000000000000ull; }, 6000, 1 << 22, 3000);
}

TEST(state_table, equals_a_map_with_hashes_in_order) {
  against_a_map([](std::uint64_t key) { return key << 40; }, 20000, 1 << 24, 1000);
}

TEST(state_table, keeps_working_when_the_budget_is_spent) {
  SystemPages pages;
  Region region(pages);
  CHECK(region.open(std::size_t{1} << 28));
  const std::uint64_t cap = 1'000'000;
  Budget budget(cap);
  constexpr std::size_t kNodeBytes = 24, kTaken = 20;  // what a node is said to take, and what it takes
  StateTable table(region, budget, kNodeBytes);
  std::uint32_t count = 0;
  const auto hash_of = [&](std::uint32_t i) { return mix(i); };
  // Nodes are charged, too, as in a search: table and nodes together must use nearly all of the budget.
  std::uint64_t size = 0, short_growths = 0;  // by less than as much again
  while (table.reserve(count + 1, hash_of, never) && budget.charge(kTaken)) {
    short_growths += table.size() > size && table.size() < 2 * size;
    size = table.size();
    const auto place = table.find(mix(count), [&](std::uint32_t node) { return node == count; });
    CHECK_EQUAL(place.node, kNoNode);
    table.insert(place, mix(count), count);
    ++count;
  }
  CHECK(budget.used() <= cap);
  CHECK(table.valid(hash_of));
  CHECK(count > cap / (kNodeBytes + 8.0 / 0.9));
  CHECK(short_growths <= 2);
  for (std::uint32_t i = 0; i < count; ++i)
    CHECK_EQUAL(table.find(mix(i), [&](std::uint32_t node) { return node == i; }).node, i);
  CHECK_EQUAL(table.find(mix(count), [&](std::uint32_t node) { return node == count; }).node, kNoNode);
}

TEST(state_table, a_refused_commit_is_no_memory) {
  test::FailingPages pages;
  Region region(pages);
  CHECK(region.open(std::size_t{1} << 28));
  Budget budget(1 << 28);
  StateTable table(region, budget, 24);
  std::uint32_t count = 0;
  const auto hash_of = [](std::uint32_t i) { return mix(i); };
  pages.left = 1;
  while (table.reserve(count + 1, hash_of, never)) {
    table.insert(table.find(mix(count), [](std::uint32_t) { return false; }), mix(count), count);
    ++count;
  }
  CHECK(count > 100000);
  CHECK(table.valid(hash_of));
}

TEST(state_table, growing_asks_whether_to_stop) {
  SystemPages pages;
  Region region(pages);
  CHECK(region.open(std::size_t{1} << 30));
  Budget budget(std::size_t{1} << 30);
  StateTable table(region, budget, 24);
  const auto hash_of = [](std::uint32_t node) { return mix(node + 1); };
  std::uint64_t count = 0, most = 0, asked = 0;
  while (count < 1'000'000) {
    asked = 0;
    CHECK(table.reserve(count + 1, hash_of, [&] { return ++asked, false; }));
    most = std::max(most, asked);
    for (; count < table.size() / 5 * 4; ++count) {
      const auto node = static_cast<std::uint32_t>(count);
      table.insert(table.find(hash_of(node), [](std::uint32_t) { return false; }), hash_of(node), node);
    }
  }
  CHECK(most > 8);  // about once a megabyte
  asked = 0;
  CHECK(!table.reserve(table.size() + 1, hash_of, [&] { return ++asked == 5; }));
  CHECK_EQUAL(asked, 5u);
}

}  // namespace test_state_table
