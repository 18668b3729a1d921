// Compares permutation groups with the closure of their generators.
#include <numeric>
#include <set>

#include "check.hpp"
#include "groups/permutation_group.hpp"

namespace test_groups {

using hstar::Permutation;
using hstar::PermutationGroup;
using hstar::Point;

namespace {

std::set<Permutation> closure(const std::vector<Permutation>& generators) {
  Permutation identity(generators.front().size());
  std::iota(identity.begin(), identity.end(), Point{0});
  std::set<Permutation> found{identity};
  std::vector<Permutation> waiting{identity};
  while (!waiting.empty()) {
    const Permutation element = waiting.back();
    waiting.pop_back();
    for (const Permutation& by : generators) {
      Permutation after(element.size());
      for (std::size_t i = 0; i < after.size(); ++i) after[i] = by[element[i]];
      if (found.insert(after).second) waiting.push_back(after);
    }
  }
  return found;
}

void check_against_closure(const std::vector<Permutation>& generators) {
  const std::set<Permutation> everything = closure(generators);
  const PermutationGroup group(generators, {});
  CHECK(group.proven());
  std::vector<std::size_t> choices(group.degree(), 0);
  std::size_t count = 0;
  for (const Permutation& element : everything) {
    CHECK(group.contains(element));
    CHECK(group.at(choices) == element);  // a std::set has the same order as the numbers
    ++count;
    for (std::size_t i = group.degree(); i-- > 0;) {
      if (++choices[i] < group.orbit_size(i)) break;
      choices[i] = 0;
    }
  }
  std::size_t order = 1;
  for (std::size_t i = 0; i < group.degree(); ++i) order *= group.orbit_size(i);
  CHECK_EQUAL(order, count);
}

}  // namespace

TEST(groups, agree_with_the_closure_of_their_generators) {
  check_against_closure({{0}});
  check_against_closure({{0, 1, 2}});
  check_against_closure({{1, 2, 3, 4, 5, 0}, {1, 0, 2, 3, 4, 5}});
  check_against_closure({{1, 2, 0, 3, 4, 5, 6}, {0, 1, 2, 4, 5, 6, 3}});
  check_against_closure({{2, 3, 4, 5, 6, 7, 0, 1}, {1, 0, 3, 2, 4, 5, 6, 7}});
}

TEST(groups, refuse_what_is_no_permutation) {
  CHECK_THROWS(PermutationGroup({}, {}), "at least one generator");
  CHECK_THROWS(PermutationGroup({{0, 1}, {0, 0}}, {}), "generator 1 is not one-to-one");
  CHECK_THROWS(PermutationGroup({{0, 1}, {0, 2}}, {}), "generator 1 is not one-to-one");
  CHECK_THROWS(PermutationGroup({{0, 1}, {0}}, {}), "generator 1 differs in degree");
  const PermutationGroup group({{1, 0, 2}}, {});
  CHECK(!group.contains(std::vector<Point>{0, 1}));
  CHECK(!group.contains(std::vector<Point>{0, 0, 2}));
  CHECK_THROWS(group.at(std::vector<std::size_t>{2, 0, 0}), "choice 0 is 2 of 2");
  CHECK_THROWS(group.at(std::vector<std::size_t>{0, 0}), "expected 3 choices");
}

TEST(groups, stop_at_their_memory) {
  Permutation cycle(200), swap(200);
  std::iota(swap.begin(), swap.end(), Point{0});
  std::swap(swap[0], swap[1]);
  for (std::size_t i = 0; i < 200; ++i) cycle[i] = static_cast<Point>((i + 1) % 200);
  bool refused = false;
  try {
    PermutationGroup({cycle, swap}, {100'000, 0});
  } catch (const std::bad_alloc&) {
    refused = true;
  }
  CHECK(refused);
  CHECK_EQUAL(PermutationGroup({cycle, swap}, {}).orbit_size(199 - 1), 2u);
}

TEST(groups, find_orbits_and_blocks) {
  const std::vector<Permutation> square = {{1, 2, 3, 0, 4}, {1, 0, 3, 2, 4}};
  CHECK(hstar::orbits(square) == (std::vector<std::vector<Point>>{{0, 1, 2, 3}, {4}}));
  CHECK(hstar::finest_blocks(square, 0, 2) == (std::vector<Point>{0, 1, 0, 1, 4}));
  CHECK(hstar::finest_blocks(square, 0, 1) == (std::vector<Point>{0, 0, 0, 0, 4}));
}

}  // namespace test_groups
