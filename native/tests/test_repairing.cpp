#include "check.hpp"
#include "model.hpp"
#include "search/partial_expansion.hpp"
#include "search/repairing.hpp"

namespace test_repairing {

using namespace hstar;
using test::State;

namespace {

using Truth = std::map<State, int, test::ByBytes>;

// Admissible and seldom consistent: the distance times 0, 1 / 2 or 1, as the state has it.
class Ragged final : public OwnFunction {
 public:
  explicit Ragged(const Truth& truth) : truth_(truth) {}
  double value(Bytes state) const noexcept override {
    const State copy(state.begin(), state.end());
    std::uint32_t hash = 17;
    for (const std::uint8_t byte : copy) hash = hash * 31 + byte;
    return truth_.at(copy) * static_cast<int>(hash / 7 % 3) / 2.0;
  }

 private:
  const Truth& truth_;
};

std::uint64_t sum(const Outcome& outcome) {
  std::uint64_t all = 0;
  for (const auto& [f, expanded] : outcome.layers) all += expanded;
  return all;
}

// All steps of one search; after the weights comes 1 until the bound is the length. Within a factor of the weight are
// solutions of consistent heuristics only.
void check_steps(const Heuristic& heuristic, bool consistent, const State& start, const std::vector<double>& weights,
                 int distance, const Limits& limits) {
  const Puzzle& puzzle = heuristic.puzzle();
  RepairingSearch search(start, test::all_moves(puzzle), heuristic, limits.memory_bytes);
  std::size_t best = Limits::kNone;
  double bound = 0;
  for (std::size_t step = 0; step < 3000; ++step) {
    Control control;
    const double weight = step < weights.size() ? weights[step] : 1;
    const Outcome o = search.improve(weight, limits, control);
    CHECK(o.f_bound <= distance && (!consistent || o.f_bound >= bound));
    bound = o.f_bound;
    if (start != test::goal_of(puzzle) && o.path.empty()) {
      CHECK(o.status == Status::limit_reached);
      if (o.limit == Limit::memory) return;
      continue;
    }
    test::replay(puzzle, start, o.path);
    CHECK(o.path.size() <= best);
    best = o.path.size();
    if (consistent && o.status == Status::solved) CHECK(static_cast<double>(best) <= weight * distance + 1e-9);
    if (o.limit == Limit::memory) return;
    if (weight == 1 && static_cast<double>(best) <= o.f_bound) {
      CHECK_EQUAL(best, static_cast<std::size_t>(distance));
      return;
    }
  }
  CHECK(false);
}

}  // namespace

TEST(repairing, shortest_solutions_and_bounds_of_a_whole_space) {
  test::Random random(91);
  const auto puzzle = test::tiles(2, 3);
  const State moves = test::all_moves(*puzzle);
  const Truth truth = test::distances(*puzzle);
  const std::vector<Instruction> first{{Op::feature, 0, 0}};
  Feature ragged{Feature::Kind::function};
  ragged.function = std::make_shared<const Ragged>(truth);
  const Heuristic heuristics[] = {test::manhattan_heuristic(puzzle),
                                  {puzzle, {ragged}, first, false, 100},
                                  {puzzle, {}, {{Op::constant}}, true, 0}};
  std::uint64_t reopened = 0;
  for (const Heuristic& heuristic : heuristics) {
    const bool consistent = &heuristic != &heuristics[1];
    for (const auto& [state, d] : truth) {
      Control control;
      const Outcome o = partial_expansion(state, moves, heuristic, {}, control);
      CHECK(o.status == Status::solved);
      CHECK_EQUAL(o.path.size(), static_cast<std::size_t>(d));
      CHECK_EQUAL(o.f_bound, d);
      CHECK_EQUAL(sum(o), o.expanded);
      test::replay(*puzzle, state, o.path);
      SearchOptions options;
      options.limits.expanded = test::below(random, static_cast<unsigned>(o.expanded) + 1);
      const Outcome part = partial_expansion(state, moves, heuristic, options, control);
      CHECK(part.f_bound <= d);
      CHECK_EQUAL(part.expanded, options.limits.expanded);
      CHECK_EQUAL(sum(part), part.expanded);
      reopened += o.reopened;
      check_steps(heuristic, consistent, state, {3, 2.5, 1.3, 1}, d, {});
      Limits few;
      few.expanded = 1 + test::below(random, 30);  // so often stopped within a step
      check_steps(heuristic, consistent, state, {5, 1.5}, d, few);
    }
  }
  CHECK(reopened > 0);
}

TEST(repairing, little_memory_leaves_true_bounds) {
  const auto puzzle = test::tiles(3, 3);
  const Truth truth = test::distances(*puzzle);
  const State moves = test::all_moves(*puzzle);
  const Heuristic heuristic = test::manhattan_heuristic(puzzle);
  const auto every = static_cast<std::size_t>(test::instances(997, 2991));
  std::size_t number = 0, short_of_memory = 0;
  for (const auto& [state, d] : truth) {
    if (number++ % every != 0) continue;
    for (const std::uint64_t bytes : {2'000u, 5'000u, 20'000u, 100'000u, 10'000'000u}) {
      Limits limits;
      limits.memory_bytes = bytes;
      check_steps(heuristic, true, state, {4, 2, 1}, d, limits);
      SearchOptions options;
      options.limits = limits;
      Control control;
      const Outcome o = partial_expansion(state, moves, heuristic, options, control);
      CHECK(o.peak_bytes <= bytes && o.f_bound <= d);
      if (o.status == Status::solved)
        CHECK_EQUAL(o.path.size(), static_cast<std::size_t>(d));
      else
        CHECK(o.limit == Limit::memory);
      short_of_memory += o.limit == Limit::memory;
    }
  }
  CHECK(short_of_memory > static_cast<std::size_t>(test::instances(100, 33)));
}

TEST(repairing, random_puzzles) {
  test::Random random(92);
  const int trials = test::instances(400, 60);
  int solved = 0, exhausted = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto [puzzle, heuristic, start, moves] =
        trial % 2 ? test::random_tile_problem(random) : test::random_permutation_problem(random);
    Limits limits;
    limits.expanded = 500;
    const test::ModelOutcome shortest = test::model_breadth_first(puzzle, start, moves, limits);
    SearchOptions options;
    options.limits.expanded = 3'000;
    Control control;
    RepairingSearch repairing(start, moves, heuristic, limits.memory_bytes);
    for (const Outcome& o : {partial_expansion(start, moves, heuristic, options, control),
                             repairing.improve(2, options.limits, control)}) {
      if (o.status == Status::solved) {
        test::replay(*puzzle, start, o.path);
        CHECK(shortest.ending != "exhausted" && o.path.size() >= shortest.path.size());
        ++solved;
      } else if (o.status == Status::exhausted) {
        CHECK(shortest.ending != "solved");
        ++exhausted;
      } else {
        CHECK(o.limit == Limit::expanded && o.expanded == 3'000);
      }
    }
  }
  CHECK(solved > trials / 4 && exhausted > trials / 40);
}

TEST(repairing, refuses_nonsense) {
  const auto puzzle = test::tiles(2, 2);
  const Heuristic heuristic = test::manhattan_heuristic(puzzle);
  Control control;
  CHECK_THROWS(partial_expansion(State{0}, State{0}, heuristic, {}, control), "start has 1 bytes");
  CHECK_THROWS(RepairingSearch(test::goal_of(*puzzle), State{2, 2}, heuristic, 1 << 20), "move 2 appears twice");
  RepairingSearch search(test::goal_of(*puzzle), State{0}, heuristic, 1 << 20);
  for (const double weight : {0.5, std::numeric_limits<double>::infinity(), std::nan("")})
    CHECK_THROWS(search.improve(weight, {}, control), "weight is not");
}

}  // namespace test_repairing
