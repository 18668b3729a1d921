#include "domains/tile_lines.hpp"

#include "check.hpp"
#include "model.hpp"

namespace test_tile_lines {

using namespace hstar;
using Kind = Feature::Kind;
using test::State;

namespace {

// A heuristic that needs linear conflict, walking distance or both, and a sum over cells.
Heuristic random_heuristic(const std::shared_ptr<const SlidingTiles>& puzzle, bool conflict, bool walking,
                           test::Random& random) {
  const std::size_t cells = puzzle->slots();
  std::vector<Feature> features{{Kind::table, test::random_table(*puzzle, cells, -1, 2, random), cells}};
  if (test::below(random, 2)) features[0] = test::manhattan(*puzzle);
  std::vector<Instruction> program{{Op::feature, 0, 0}};
  if (conflict) {
    features.push_back({Kind::linear_conflict});
    program.insert(program.end(), {{Op::feature, 0, 1}, {Op::add, 0, 0}});
  }
  if (walking) {
    program.insert(program.end(), {{Op::feature, 0, static_cast<std::uint32_t>(features.size())}, {Op::max, 0, 0}});
    features.push_back({Kind::walking_distance});
  }
  return {puzzle, features, program, true, 4000};
}

void follow(unsigned rows, unsigned columns, bool conflict, bool walking, test::Random& random) {
  const auto puzzle = test::random_tiles(rows, columns, random);
  const Heuristic heuristic = random_heuristic(puzzle, conflict, walking, random);
  const auto lines = TileLines::of(*puzzle, heuristic);
  CHECK(lines != nullptr);
  CHECK(lines->uses_conflict() == conflict && lines->uses_walking() == walking);
  State board = test::goal_of(*puzzle), after(board.size());
  test::shuffle(board, random);  // solvable or not
  TileLines::State state = lines->state(board);
  std::uint32_t number = lines->number(board);
  for (int step = test::instances(1000, 150); step > 0; --step) {
    const unsigned move = test::below(random, 4);
    if (!puzzle->apply(board, move, after.data())) continue;
    const auto blank = static_cast<unsigned>(std::ranges::find(board, 0) - board.begin());
    const TileLines::Change& change = lines->change(blank, move, after[blank]);
    number = lines->number(state, number, change);
    lines->apply(state, change);
    board = after;
    CHECK_EQUAL(number, lines->number(board));
    CHECK_EQUAL(lines->lookup()[number], heuristic.evaluate(board));
  }
}

}  // namespace

TEST(tile_lines, follow_a_board_slide_by_slide) {
  test::Random random(101);
  for (const auto& [rows, columns] : {std::pair{2u, 2u}, {3u, 3u}, {3u, 2u}, {2u, 5u}, {4u, 4u}, {5u, 3u}}) {
    for (int trial = test::instances(4, 2); trial > 0; --trial) {
      follow(rows, columns, true, false, random);
      follow(rows, columns, false, true, random);
      follow(rows, columns, true, true, random);
    }
  }
  for (int trial = test::instances(4, 2); trial > 0; --trial) follow(5, 5, true, false, random);
}

TEST(tile_lines, are_for_what_they_can_tell_alone) {
  const auto refused = [](const std::shared_ptr<const SlidingTiles>& puzzle, const std::vector<Feature>& features,
                          const std::vector<Instruction>& program) {
    return TileLines::of(*puzzle, Heuristic(puzzle, features, program, true, 4000)) == nullptr;
  };
  const auto fifteen = test::tiles(4, 4);
  const std::vector<Instruction> first{{Op::feature, 0, 0}};
  CHECK(!refused(fifteen, {{Kind::linear_conflict}}, first));
  CHECK(refused(fifteen, {{Kind::linear_conflict}, {Kind::inversions}},
                {{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::add, 0, 0}}));
  CHECK(!refused(fifteen, {{Kind::linear_conflict}, {Kind::inversions}}, first));  // the program uses neither
  CHECK(refused(test::tiles(2, 6), {{Kind::linear_conflict}}, first));             // a line is too long
  CHECK(refused(test::tiles(1, 5), {{Kind::walking_distance}}, first));
  const Feature vast{Kind::table, std::vector<std::int32_t>(256, 0), 16};
  Feature wide = vast;
  wide.table[5] = 100000;  // a digit too large for a table with the conflicts
  CHECK(refused(fifteen, {wide, {Kind::linear_conflict}}, {{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::add, 0, 0}}));
}

TEST(tile_lines, searches_equal_the_model) {
  test::Random random(102);
  std::map<std::string, int> endings;
  const int trials = test::instances(150, 30);
  for (int trial = 0; trial < trials; ++trial) {
    const auto [rows, columns] =
        std::vector<std::pair<unsigned, unsigned>>{{3, 3}, {2, 4}, {5, 2}, {4, 4}, {5, 5}}[test::below(random, 5)];
    const auto puzzle = test::random_tiles(rows, columns, random);
    const bool walking = rows < 5 && test::below(random, 2);
    const Heuristic heuristic = random_heuristic(puzzle, !walking || test::below(random, 2), walking, random);
    const State start = test::walk(*puzzle, test::goal_of(*puzzle), test::below(random, 60), random);
    const State moves = test::all_moves(*puzzle);
    SearchOptions options{std::vector<double>{1, 1, 2, 1.5}[test::below(random, 4)], {}, {}, Pruning::inverse};
    options.limits.expanded = test::below(random, 800);
    Control control;
    const Outcome got = ida_star(start, moves, heuristic, options, control);
    test::check_equals(got, control,
                       test::model_ida_star(heuristic, start, moves, options, [](const State& path, std::uint8_t move) {
                         return path.empty() || (move ^ 2) != path.back();
                       }));
    ++endings[test::ending(got)];
  }
  CHECK(endings["solved"] > trials / 5 && endings["expanded"] > trials / 5);
}

}  // namespace test_tile_lines
