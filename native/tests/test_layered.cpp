#include <filesystem>

#include "check.hpp"
#include "layers/ranked_space.hpp"
#include "model.hpp"

namespace test_layered {

using namespace hstar;
using test::State;

namespace {

// A directory of its own, deleted at the end.
struct Folder {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("hstar-layered-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
  ~Folder() { std::filesystem::remove_all(path); }
  LayerOptions options() const {
    LayerOptions where;
    where.directory = path.string();
    where.disk_bytes = 1 << 26;
    where.checkpoint_seconds = 0;
    return where;
  }
};

// A puzzle whose moves rearrange `slots` pieces at random, some of them in a few slots only.
std::shared_ptr<const PermutationPuzzle> random_rows(unsigned slots, test::Random& random) {
  std::vector<PermutationPuzzle::Definition> moves;
  std::vector<Value> same(slots);
  std::iota(same.begin(), same.end(), Value{0});
  for (unsigned count = 1 + test::below(random, 4); count-- > 0;) {
    std::vector<std::uint16_t> all(slots);
    std::iota(all.begin(), all.end(), std::uint16_t{0});
    test::shuffle(all, random);
    all.resize(1 + test::below(random, slots));
    std::vector<std::uint16_t> from = all;
    test::shuffle(from, random);
    moves.push_back({all, from, std::vector<std::vector<Value>>(all.size(), same)});
  }
  State goal(slots);
  std::iota(goal.begin(), goal.end(), std::uint8_t{0});
  test::shuffle(goal, random);
  return std::make_shared<const PermutationPuzzle>(std::vector<unsigned>(slots, slots), goal, std::move(moves));
}

// The same layers and counters as by comparing states.
void check_whole(const std::shared_ptr<const Puzzle>& puzzle, const State& start, const State& moves,
                 const SearchOptions& options = {}, const LayerOptions& where = {}) {
  Control control, plain_control;
  const Outcome plain = count_layers(puzzle, start, moves, 3000, {}, {}, plain_control);
  const Outcome whole = count_layers(puzzle, start, moves, {}, options, where, control);
  CHECK(plain.status == Status::exhausted && whole.status == Status::exhausted);
  CHECK(whole.layers == plain.layers);
  CHECK_EQUAL(whole.expanded, plain.expanded);
  CHECK_EQUAL(whole.generated, plain.generated);
  CHECK_EQUAL(whole.max_open, plain.max_open);
  CHECK_EQUAL(control.expanded.load(), whole.expanded);
  CHECK(whole.peak_bytes <= options.limits.memory_bytes);
}

void check_path(const Puzzle& puzzle, State state, const Outcome& found) {
  for (const std::uint8_t move : found.path) {
    State after(state.size());
    CHECK(puzzle.apply(state, move, after.data()));
    state = after;
  }
  CHECK(std::ranges::equal(state, puzzle.goal()));
}

}  // namespace

TEST(layered, finds_the_true_distance_of_boards_in_little_memory) {
  const auto puzzle = test::tiles(2, 4);
  const State moves = test::all_moves(*puzzle);
  const Heuristic h = test::manhattan_heuristic(puzzle);
  Folder folder;
  const int every = test::instances(211, 1055);
  int i = 0;
  for (const auto& [state, d] : test::distances(*puzzle)) {
    if (i++ % every != 0) continue;
    SearchOptions options;
    options.threads = 1 + i % 2;
    if (i % 3 == 0) options.limits.memory_bytes = std::uint64_t{options.threads} << 18;
    Control control;
    const Outcome found = layered(state, moves, h, options, i % 4 == 0 ? folder.options() : LayerOptions{}, control);
    CHECK(found.status == Status::solved);
    CHECK_EQUAL(found.path.size(), static_cast<std::size_t>(d));
    CHECK(found.peak_bytes <= options.limits.memory_bytes);
    check_path(*puzzle, state, found);
  }
}

TEST(layered, agrees_with_breadth_first_search_on_random_puzzles) {
  test::Random random(93);
  const int trials = test::instances(400, 40);
  for (int trial = 0; trial < trials; ++trial) {
    const test::Problem problem =
        trial % 2 ? test::random_tile_problem(random) : test::random_permutation_problem(random);
    const auto& [puzzle, heuristic, start, moves] = problem;
    const Heuristic zero(puzzle, {}, {{Op::constant}}, true, 0);
    Control control;
    Limits limits;
    limits.expanded = 3000;
    const Outcome plain = breadth_first(puzzle, start, moves, limits, control);
    if (plain.status == Status::limit_reached) continue;
    const Outcome found = layered(start, moves, zero, {}, {}, control);
    CHECK(found.status == plain.status);
    CHECK_EQUAL(found.path.size(), plain.path.size());
    if (found.status == Status::solved) {
      check_path(*puzzle, start, found);
      continue;
    }
    // The search itself expands the first layers once for each threshold.
    for (const auto depth : {std::optional<unsigned>(3000), std::optional<unsigned>()}) {
      const Outcome counted = count_layers(puzzle, start, moves, depth, {}, {}, control);
      CHECK(counted.status == Status::exhausted);
      CHECK_EQUAL(counted.expanded, plain.expanded);
      CHECK_EQUAL(counted.generated, plain.generated);
    }
  }
}

TEST(layered, goes_on_where_a_limit_has_ended_it) {
  const auto puzzle = test::tiles(3, 3);
  const State moves = test::all_moves(*puzzle), start = test::goal_of(*puzzle);
  Control control;
  const Outcome whole = count_layers(puzzle, start, moves, 99, {}, {}, control);
  std::uint64_t states = 0;
  for (const auto& [depth, count] : whole.layers) states += count;
  CHECK_EQUAL(states, 181440u);
  Folder folder;
  SearchOptions options;
  options.limits.memory_bytes = 1 << 20;
  for (options.limits.expanded = 20000;; options.limits.expanded += 20000) {
    const Outcome part = count_layers(puzzle, start, moves, 99, options, folder.options(), control);
    if (part.status == Status::limit_reached) continue;
    CHECK(part.status == Status::exhausted);
    CHECK(part.layers == whole.layers);
    CHECK_EQUAL(part.expanded, whole.expanded);
    CHECK_EQUAL(part.generated, whole.generated);
    break;
  }
}

TEST(layered, counts_states_with_numbers_as_it_counts_others) {
  test::Random random(94);
  const int trials = test::instances(300, 60);
  for (int trial = 0; trial < trials; ++trial) {
    const auto puzzle = random_rows(1 + test::below(random, 8), random);
    SearchOptions options;
    options.threads = 1 + trial % 3;
    check_whole(puzzle, test::goal_of(*puzzle), test::all_moves(*puzzle), options);
  }
  for (const auto& [rows, columns] : {std::pair{2, 2}, {2, 3}, {3, 2}, {3, 3}, {2, 4}, {1, 5}}) {
    const auto puzzle = test::tiles(static_cast<unsigned>(rows), static_cast<unsigned>(columns));
    const State all = test::all_moves(*puzzle);
    for (int trial = 0; trial < 3; ++trial) {
      State moves = all;
      test::shuffle(moves, random);
      if (trial > 0) moves.resize(4 - trial);  // not all can be undone
      check_whole(puzzle, test::walk(*puzzle, test::goal_of(*puzzle), 20, random), moves);
    }
  }
}

TEST(layered, numbers_states_without_gaps) {
  const auto states = [](const auto& puzzle) -> std::uint64_t {
    const auto space = RankedSpace::of(*puzzle, test::goal_of(*puzzle), test::all_moves(*puzzle), 1 << 30);
    return space ? space->blocks() * space->states() : 0;
  };
  CHECK_EQUAL(states(test::tiles(2, 2)), 12u);
  CHECK_EQUAL(states(test::tiles(3, 3)), 181'440u);
  CHECK_EQUAL(states(test::tiles(3, 4)), 239'500'800u);
  CHECK_EQUAL(states(test::tiles(2, 7)), 0u);  // 11 GB
  CHECK_EQUAL(states(test::tiles(4, 4)), 0u);
  const std::vector<unsigned> four(4, 4);
  const std::vector<Value> same{0, 1, 2, 3}, other{1, 0, 2, 3};
  const auto cycle = [&](State goal, std::vector<Value> map, std::vector<Value> forbidden) {
    PermutationPuzzle::Definition move{{0, 1, 2}, {1, 2, 0}, {same, same, std::move(map)}};
    if (!forbidden.empty()) move.forbidden = {{3, std::move(forbidden)}};
    return std::make_shared<const PermutationPuzzle>(four, goal, std::vector{move});
  };
  CHECK_EQUAL(states(cycle({0, 1, 2, 3}, same, {})), 12u);
  CHECK_EQUAL(states(cycle({0, 1, 2, 2}, same, {})), 0u);
  CHECK_EQUAL(states(cycle({0, 1, 2, 3}, other, {})), 0u);
  CHECK_EQUAL(states(cycle({0, 1, 2, 3}, same, {1})), 0u);
}

TEST(layered, counts_states_with_numbers_in_little_room) {
  const auto puzzle = test::tiles(3, 3);
  const State moves = test::all_moves(*puzzle), start = test::goal_of(*puzzle);
  const auto bytes_of = [&](const SearchOptions& options, const LayerOptions& where) {
    Control control;
    const Outcome found = count_layers(puzzle, start, moves, {}, options, where, control);
    CHECK(found.status == Status::exhausted);
    CHECK(found.peak_bytes <= options.limits.memory_bytes);
    CHECK_EQUAL(found.expanded, 181'440u);
    return found.peak_bytes;
  };
  SearchOptions options;
  const std::uint64_t numbered = bytes_of(options, {});
  CHECK(numbered < 400'000);
  Folder folder;
  LayerOptions where = folder.options();
  CHECK_EQUAL(bytes_of(options, where), numbered);
  where.disk_bytes = 170'000;  // for one table, but not for two
  options.limits.memory_bytes = 1 << 22;
  CHECK(bytes_of(options, where) > numbered);
  options.limits.memory_bytes = numbered - 1;
  Control control;
  const Outcome short_of = count_layers(puzzle, start, moves, {}, options, {}, control);
  CHECK(short_of.status == Status::limit_reached && short_of.limit == Limit::memory);
  CHECK(short_of.peak_bytes < numbered);
}

TEST(layered, goes_on_without_numbers_where_it_began_without) {
  const auto puzzle = test::tiles(3, 3);
  const State moves = test::all_moves(*puzzle), start = test::goal_of(*puzzle);
  Folder folder;
  Control control;
  SearchOptions options;
  options.limits.expanded = 100'000;
  const Outcome part = count_layers(puzzle, start, moves, {}, options, folder.options(), control);
  CHECK(part.status == Status::limit_reached);
  const Outcome whole = count_layers(puzzle, start, moves, {}, {}, folder.options(), control);
  CHECK(whole.status == Status::exhausted);
  CHECK_EQUAL(whole.expanded, 181'440u);
  CHECK(whole.peak_bytes > 400'000);
}

TEST(layered, goes_on_with_states_with_numbers) {
  test::Random random(95);
  const auto puzzle = test::tiles(3, 3);
  const State moves = test::all_moves(*puzzle), start = test::walk(*puzzle, test::goal_of(*puzzle), 20, random);
  Folder folder;
  LayerOptions where = folder.options();
  where.key = "one";
  Control whole_control;
  const Outcome whole = count_layers(puzzle, start, moves, {}, {}, {}, whole_control);
  bool interrupted = false, refused = false;
  for (int milliseconds = 1;; milliseconds += 1 + milliseconds / 8) {
    Control control;
    control.end_after(milliseconds / 1000.0);
    const Outcome part = count_layers(puzzle, start, moves, {}, {}, where, control);
    if (part.status == Status::exhausted) {
      CHECK(part.layers == whole.layers);
      CHECK_EQUAL(part.expanded, whole.expanded);
      CHECK_EQUAL(part.generated, whole.generated);
      CHECK_EQUAL(part.max_open, whole.max_open);
      break;
    }
    CHECK(part.status == Status::limit_reached && part.limit == Limit::seconds);
    if (!std::filesystem::exists(folder.path / "checkpoint")) continue;
    interrupted = true;
    if (refused) continue;
    LayerOptions other = where;
    other.key = "another";
    CHECK_THROWS(count_layers(puzzle, start, moves, {}, {}, other, control), "has a checkpoint of another search");
    refused = true;
  }
  CHECK(interrupted);
  CHECK(!std::filesystem::exists(folder.path / "checkpoint"));
}

}  // namespace test_layered
