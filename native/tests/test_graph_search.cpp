#include <numeric>
#include <optional>
#include <set>

#include "check.hpp"
#include "model.hpp"

namespace test_graph_search {

using namespace hstar;
using test::State;

namespace {

constexpr TieBreaking kTies[] = {TieBreaking::low_h, TieBreaking::lifo, TieBreaking::fifo};

// Sets `out` to the state from which `move` leads to `state`; false if there is none.
bool undo(const Puzzle& puzzle, const State& state, unsigned move, std::uint8_t* out) {
  const auto* permutation = dynamic_cast<const PermutationPuzzle*>(&puzzle);
  if (permutation == nullptr) return puzzle.apply(state, move ^ 2, out);
  std::ranges::copy(state, out);
  for (const PermutationPuzzle::Touch& touch : permutation->touches(move)) {
    const Value* map = permutation->maps() + touch.map;
    out[touch.src] = static_cast<std::uint8_t>(std::find(map, map + puzzle.values(touch.src), state[touch.dst]) - map);
  }
  return true;
}

// The nodes of a tree: of each the moves that lead there.
std::set<State> words_of(const KeptTree& tree) {
  std::set<State> found{{}};
  State word;
  for (const std::uint8_t byte : tree.code) {
    if (byte != kTreeUp) {
      word.push_back(byte);
      CHECK(found.insert(word).second);
    } else {
      CHECK(!word.empty());
      word.pop_back();
    }
  }
  CHECK(word.empty());
  return found;
}

// How deep a tree is, -1 if it goes above its root.
int depth_of(const KeptTree& tree) {
  int depth = 0, deepest = 0;
  for (const std::uint8_t byte : tree.code) {
    depth += byte == kTreeUp ? -1 : 1;
    if (depth < 0) return -1;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

void finish(const test::Problem& problem, const Outcome& got, const Control& control,
            const test::ModelOutcome& expected, std::map<std::string, int>& endings) {
  test::check_equals(got, control, expected);
  if (got.status == Status::solved) test::replay(*problem.puzzle, problem.start, got.path);
  ++endings[test::ending(got)];
}

void check_endings(std::map<std::string, int>& endings, int trials) {
  for (const char* ending : {"solved", "exhausted", "expanded", "generated"}) CHECK(endings[ending] > trials / 40);
}

}  // namespace

TEST(graph_search, equals_the_models) {
  test::Random random(81);
  std::map<std::string, int> of_greedy, of_breadth_first, of_bidirectional;
  const int trials = test::instances(400, 50);
  for (int trial = 0; trial < trials; ++trial) {
    const test::Problem problem =
        trial % 2 ? test::random_tile_problem(random) : test::random_permutation_problem(random);
    const auto& [puzzle, heuristic, start, moves] = problem;
    SearchOptions options;
    options.limits.expanded = test::below(random, 1200);
    if (test::below(random, 3) == 0) options.limits.generated = test::below(random, 1500);
    for (const TieBreaking tie : kTies) {
      options.tie_breaking = tie;
      Control control;
      const Outcome got = greedy(start, moves, heuristic, options, control);
      finish(problem, got, control, test::model_astar(heuristic, start, moves, options, true), of_greedy);
    }
    Control first, second;
    finish(problem, breadth_first(puzzle, start, moves, options.limits, first), first,
           test::model_breadth_first(puzzle, start, moves, options.limits), of_breadth_first);
    const auto back = [&](const State& state, unsigned move, std::uint8_t* out) {
      return undo(*puzzle, state, move, out);
    };
    finish(problem, bidirectional(puzzle, start, moves, options.limits, second), second,
           test::model_bidirectional(*puzzle, start, moves, options.limits, back), of_bidirectional);
  }
  check_endings(of_greedy, trials);
  check_endings(of_breadth_first, trials);
  check_endings(of_bidirectional, trials);
}

TEST(graph_search, blind_searches_find_the_true_distance_and_bound_it_from_below) {
  test::Random random(82);
  const auto puzzle = test::tiles(2, 4);
  const State moves = test::all_moves(*puzzle);
  const auto distance = test::distances(*puzzle);
  CHECK_EQUAL(distance.size(), 20160u);
  int i = 0;
  for (const auto& [state, d] : distance) {
    if (i++ % 97 != 0) continue;
    for (const auto search : {&breadth_first, &bidirectional}) {
      Control control;
      const Outcome o = search(puzzle, state, moves, {}, control, true);
      CHECK(o.status == Status::solved);
      CHECK(o.tree.whole);
      const int deepest = depth_of(o.tree);
      if (search == &breadth_first) CHECK_EQUAL(deepest, std::max(d - 2, 0));
      if (search == &bidirectional) {
        CHECK(o.back_tree.whole);
        CHECK_EQUAL(depth_of(o.back_tree), static_cast<int>(o.back_depth));
        CHECK_EQUAL(deepest + static_cast<int>(o.back_depth), std::max(d - 2, 0));
      }
      CHECK_EQUAL(o.path.size(), static_cast<std::size_t>(d));
      CHECK(o.f_bound <= d);
      Limits limits;
      limits.expanded = test::below(random, static_cast<unsigned>(o.expanded) + 1);
      CHECK(search(puzzle, state, moves, limits, control, false).f_bound <= std::max(d, 1));
    }
  }
}

TEST(graph_search, exhausts_the_half_that_has_no_solution) {
  const auto puzzle = test::tiles(2, 4);
  State start = test::goal_of(*puzzle);
  std::swap(start[1], start[2]);
  const State moves = test::all_moves(*puzzle);
  Control control;
  for (const auto& o : {greedy(start, moves, test::manhattan_heuristic(puzzle), {}, control),
                        breadth_first(puzzle, start, moves, {}, control)}) {
    CHECK(o.status == Status::exhausted);
    CHECK_EQUAL(o.stored, 20160u);
    CHECK_EQUAL(o.expanded, 20160u);
  }
  const Outcome all = breadth_first(puzzle, start, moves, {}, control, true);
  CHECK(all.tree.whole);
  CHECK_EQUAL(std::ranges::count_if(all.tree.code, [](std::uint8_t byte) { return byte != kTreeUp; }), 20159);
  const Outcome both = bidirectional(puzzle, start, moves, {}, control);
  CHECK(both.status == Status::exhausted);
  CHECK(both.path.empty());
}

TEST(graph_search, goes_back_by_moves_that_cannot_be_undone_by_one) {
  // A move of order 840, and the start is one move past the goal: the solution has 839 moves.
  const auto puzzle = test::one_turn({3, 5, 7, 8});
  State start(puzzle->slots());
  puzzle->apply(puzzle->goal(), 0, start.data());
  for (const auto search : {&breadth_first, &bidirectional}) {
    Control control;
    const Outcome o = search(puzzle, start, State{0}, {}, control, true);
    CHECK(o.status == Status::solved);
    CHECK_EQUAL(o.path.size(), 839u);
    CHECK(!o.tree.whole);  // too deep
  }
}

TEST(graph_search, a_kept_tree_has_each_node_whose_ancestors_are_kept) {
  test::Random random(83);
  int late = 0, left_out = 0;
  for (int trial = 0; trial < 300; ++trial) {
    // Each node has an older one as its parent; then the numbers are shuffled in part, so that some parents come later.
    const unsigned count = 1 + test::below(random, 200), shuffled = test::below(random, 2) * test::below(random, count);
    std::vector<std::uint32_t> name(count), parent(count);
    std::iota(name.begin(), name.end(), 0u);
    for (unsigned i = 0; i < shuffled; ++i)
      std::swap(name[1 + test::below(random, count - 1)], name[1 + test::below(random, count - 1)]);
    const unsigned reach = 1 + test::below(random, count);
    std::vector<unsigned> children(count), move(count);
    std::vector<bool> keeps(count);
    std::vector<std::optional<State>> word(count);  // from the root, of those that belong to the tree
    word[0] = State{};
    std::set<State> expected{{}};
    for (unsigned i = 1; i < count; ++i) {
      const unsigned to = i - 1 - test::below(random, std::min(i, reach));
      parent[name[i]] = name[to];
      move[name[i]] = 2 * (children[name[to]]++ % 100);
      keeps[name[i]] = test::below(random, 20) != 0;
      late += name[to] > name[i];
    }
    State moves;
    for (unsigned m = 0; m < 100; ++m) moves.push_back(static_cast<std::uint8_t>(2 * m));
    for (unsigned i = 1; i < count; ++i) {
      const auto& before = word[parent[name[i]]];
      if (children[parent[name[i]]] > 100) keeps[name[i]] = false;  // two of them would have the same move
      if (!keeps[name[i]] || !before) {
        ++left_out;
        continue;
      }
      State own = *before;
      own.push_back(static_cast<std::uint8_t>(move[name[i]] / 2));
      expected.insert(own);
      word[name[i]] = own;
    }
    const auto made = [&](std::size_t numbers, std::uint64_t bytes) {
      std::vector<std::uint32_t> work(numbers, 7);
      Budget budget(bytes);
      const auto step = [&](std::uint32_t i) {
        return keeps[i] ? TreeStep{parent[i], static_cast<std::uint8_t>(move[i])} : TreeStep{};
      };
      return kept_tree(count, work, moves, step, budget, [] { return false; });
    };
    for (const std::size_t numbers : {2 * count, count}) {
      const KeptTree tree = made(numbers, 1 << 20);
      CHECK(tree.whole);
      CHECK(words_of(tree) == expected);
    }
    CHECK(!made(2 * count, count + 2 * expected.size() - 3).whole);
  }
  CHECK(late > 1000);
  CHECK(left_out > 1000);
}

TEST(graph_search, refuses_nonsense) {
  const auto puzzle = test::tiles(2, 2);
  Control control;
  for (const auto search : {&breadth_first, &bidirectional}) {
    CHECK_THROWS(search(puzzle, State{0, 1, 1, 3}, State{0}, {}, control, false), "tile 1 appears twice");
    CHECK_THROWS(search(puzzle, puzzle->goal(), State{2, 2}, {}, control, false), "move 2 appears twice");
  }
  CHECK_THROWS(greedy(State{0}, State{0}, test::manhattan_heuristic(puzzle), {}, control), "start has 1 bytes");
}

}  // namespace test_graph_search
