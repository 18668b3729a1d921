#include <filesystem>

#include "check.hpp"
#include "model.hpp"

namespace test_layered {

using namespace hstar;
using test::State;

namespace {

// A directory of its own, deleted at the end.
struct Folder {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("hstar-layered-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)));
  ~Folder() { std::filesystem::remove_all(path); }
  LayerOptions options() const {
    LayerOptions where;
    where.directory = path.string();
    where.disk_bytes = 1 << 26;
    where.checkpoint_seconds = 0;
    return where;
  }
};

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
    const Outcome counted = count_layers(puzzle, start, moves, 3000, {}, {}, control);
    CHECK(counted.status == Status::exhausted);
    CHECK_EQUAL(counted.expanded, plain.expanded);
    CHECK_EQUAL(counted.generated, plain.generated);
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

}  // namespace test_layered
