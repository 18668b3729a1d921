#include "audit/audit.hpp"
#include "check.hpp"
#include "model.hpp"

namespace test_audit {

using namespace hstar;
using test::State;

namespace {

struct World {
  std::shared_ptr<const Puzzle> puzzle;
  Heuristic heuristic, other;
  State moves, inverses;
};

World tile_world(test::Random& random) {
  const auto puzzle = test::random_tiles(2 + test::below(random, 2), 3, random);
  return {puzzle,
          test::random_heuristic(puzzle, random),
          test::random_heuristic(puzzle, random),
          {0, 1, 2, 3},
          {2, 3, 0, 1}};
}

// Random moves whose inverses are also moves of the puzzle.
World permutation_world(test::Random& random) {
  for (;;) {
    const unsigned slots = std::vector<unsigned>{3, 6, 12, 52, 84}[test::below(random, 5)];
    const auto puzzle = test::random_permutation(slots, random);
    World world{puzzle, test::random_heuristic(puzzle, random), test::random_heuristic(puzzle, random), {}, {}};
    for (unsigned move = 0; move < puzzle->move_count(); ++move) {
      if (puzzle->inverse(move) == PermutationPuzzle::kNone) continue;
      const auto inverse = static_cast<std::uint8_t>(puzzle->inverse(move));
      // Two moves have the same effect.
      if (std::ranges::find(world.inverses, inverse) != world.inverses.end()) continue;
      world.moves.push_back(static_cast<std::uint8_t>(move));
      world.inverses.push_back(inverse);
    }
    if (!world.moves.empty()) return world;
  }
}

std::map<State, unsigned> ball(const World& world, unsigned radius) {
  std::map<State, unsigned> distance{{test::goal_of(*world.puzzle), 0}};
  std::queue<State> queue({test::goal_of(*world.puzzle)});
  for (; !queue.empty(); queue.pop()) {
    const State& state = queue.front();
    const unsigned d = distance[state];
    if (d == radius) break;
    for (const std::uint8_t move : world.inverses) {
      State next(state.size());
      if (world.puzzle->apply(state, move, next.data()) && distance.emplace(next, d + 1).second) queue.push(next);
    }
  }
  return distance;
}

void check_equals_model(const World& world, unsigned radius, const Audit& got) {
  std::vector<AuditRow> rows(radius + 1);
  for (const auto& [state, distance] : ball(world, radius)) {
    AuditRow& row = rows[distance];
    const double h = world.heuristic.evaluate(state), other = world.other.evaluate(state);
    ++row.states;
    row.inadmissible += h > distance + kTolerance;
    row.largest_excess = std::max(row.largest_excess, h - distance);
    row.ratio_sum += distance == 0 ? 0 : h / distance;
    row.above_other += h > other + kTolerance;
    row.below_other += h < other - kTolerance;
    State next(state.size());
    row.inconsistent += std::ranges::any_of(world.moves, [&](std::uint8_t move) {
      return world.puzzle->apply(state, move, next.data()) && h > 1 + world.heuristic.evaluate(next) + kTolerance;
    });
  }
  while (rows.back().states == 0) rows.pop_back();
  CHECK(got.rows.size() == rows.size());
  for (std::size_t d = 0; d < rows.size(); ++d) {
    const AuditRow &a = got.rows[d], &b = rows[d];
    CHECK(a.states == b.states && a.inadmissible == b.inadmissible && a.inconsistent == b.inconsistent);
    CHECK(std::abs(a.largest_excess - std::max(b.largest_excess, 0.0)) < 1e-9);
    CHECK(std::abs(a.ratio_sum - b.ratio_sum) < 1e-6 * (1 + b.ratio_sum));
    CHECK(a.above_other == b.above_other && a.below_other == b.below_other);
  }
  CHECK(!got.early && got.whole == (rows.size() <= radius));
}

// The state after these moves from the goal.
State reached(const Puzzle& puzzle, const State& path) {
  State state = test::goal_of(puzzle), next(state.size());
  for (const std::uint8_t move : path) {
    CHECK(puzzle.apply(state, move, next.data()));
    state = next;
  }
  return state;
}

void check_witnesses(const World& world, const Audit& got) {
  const auto wrong = [&](std::uint64_t AuditRow::* count) {
    return static_cast<unsigned>(std::ranges::find_if(got.rows, [&](const AuditRow& row) { return row.*count > 0; }) -
                                 got.rows.begin());
  };
  const unsigned inadmissible = wrong(&AuditRow::inadmissible), inconsistent = wrong(&AuditRow::inconsistent);
  CHECK(got.overestimate.has_value() == (inadmissible < got.rows.size()));
  CHECK(got.drop.has_value() == (inconsistent < got.rows.size()));
  if (got.overestimate) {
    CHECK(got.overestimate->distance == inadmissible && got.overestimate->path.size() == inadmissible);
    CHECK(world.heuristic.evaluate(reached(*world.puzzle, got.overestimate->path)) == got.overestimate->h);
  }
  if (got.drop) {
    const State state = reached(*world.puzzle, got.drop->path);
    State next(state.size());
    CHECK(world.puzzle->apply(state, got.drop->move, next.data()) && got.drop->path.size() == inconsistent);
    CHECK(world.heuristic.evaluate(state) == got.drop->before && world.heuristic.evaluate(next) == got.drop->after);
  }
}

}  // namespace

TEST(audit, equals_the_model) {
  test::Random random(71);
  int over = 0, whole = 0;
  for (int trial = 0; trial < 120; ++trial) {
    const World world = trial % 2 ? tile_world(random) : permutation_world(random);
    const unsigned radius = test::below(random, 9);
    Control control;
    Limits limits;
    limits.memory_bytes = 64 << 20;
    const Audit got = audit(world.heuristic, &world.other, world.moves, world.inverses, radius, limits, control);
    check_equals_model(world, radius, got);
    check_witnesses(world, got);
    over += got.overestimate.has_value();
    whole += got.whole;
  }
  CHECK(over > 10 && whole > 5);
}

TEST(audit, limits_leave_whole_rows) {
  const auto puzzle = test::tiles(3, 3);
  const Heuristic heuristic = test::manhattan_heuristic(puzzle);
  const State moves{0, 1, 2, 3}, inverses{2, 3, 0, 1};
  Control control;
  Limits limits;
  limits.memory_bytes = 64 << 20;
  limits.expanded = 31;
  const Audit got = audit(heuristic, nullptr, moves, inverses, 31, limits, control);
  CHECK(got.early && got.early->limit == Limit::expanded && got.looked_at == 31);
  // Layers of 1, 2, 4, 8 and 16 states: the next would be incomplete.
  CHECK(got.rows.size() == 5 && got.rows[4].states == 16);
  limits = {};
  limits.memory_bytes = 4096;
  CHECK(audit(heuristic, nullptr, moves, inverses, 31, limits, control).early->limit == Limit::memory);
  control.cancel();
  limits.memory_bytes = 64 << 20;
  CHECK(audit(heuristic, nullptr, moves, inverses, 31, limits, control).early->status == Status::cancelled);
}

}  // namespace test_audit
