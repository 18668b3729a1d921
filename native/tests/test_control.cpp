// Deadlines, and that everything that takes long gives up when it is told to.
#include <limits>
#include <numeric>

#include "anytime/perimeter.hpp"
#include "anytime/piece_triples.hpp"
#include "asking.hpp"
#include "check.hpp"
#include "coset/coset_space.hpp"
#include "deepening/two_phases.hpp"
#include "hstar.hpp"
#include "search/meter.hpp"
#include "tiles/tile_database.hpp"
#include "worlds.hpp"

namespace test_control {

using namespace hstar;
using test::gives_up_at_every_question;

namespace {

// A row of pieces whose neighbours can be exchanged.
struct Exchanges {
  std::vector<Permutation> generators;
  std::vector<Point> base;
  std::shared_ptr<const PieceSpace> space;
  std::vector<std::uint8_t> moves;

  explicit Exchanges(unsigned pieces) : base(pieces), moves(pieces - 1) {
    std::iota(base.begin(), base.end(), Point{0});
    std::iota(moves.begin(), moves.end(), std::uint8_t{0});
    const test::Numbers as_is(base.begin(), base.end());
    std::vector<PermutationPuzzle::Definition> definitions;
    for (std::uint16_t a = 0; a + 1u < pieces; ++a) {
      const std::uint16_t b = static_cast<std::uint16_t>(a + 1);
      Permutation& exchange = generators.emplace_back(base);
      std::swap(exchange[a], exchange[b]);
      definitions.push_back({{a, b}, {b, a}, {as_is, as_is}});
    }
    const auto puzzle = std::make_shared<const PermutationPuzzle>(
        std::vector<unsigned>(pieces, pieces), std::vector<std::uint8_t>(base.begin(), base.end()), definitions);
    space = std::make_shared<const PieceSpace>(puzzle, std::vector<Orbit>{{0, pieces, 1}});
  }
  // All pieces from `first` on are told apart.
  Coordinate::Kind from(unsigned first) const {
    Coordinate::Kind kind{0, std::vector<std::uint8_t>(base.size(), 0), false, {}};
    for (unsigned piece = first; piece < base.size(); ++piece)
      kind.classes[piece] = static_cast<std::uint8_t>(piece - first + 1);
    return kind;
  }
  std::shared_ptr<const Coordinate> coordinate(unsigned first, const Stop& stop = NoStop()) const {
    return std::make_shared<const Coordinate>(space, from(first), moves, 1'000'000, stop);
  }
};

}  // namespace

TEST(control, a_deadline_ends_what_asks_and_is_no_cancel) {
  Control control;
  CHECK(!control.requested() && !control.overdue());
  control.end_after(1e300);
  CHECK(!control.requested());
  control.end_after(100);
  CHECK(!control.requested());
  CHECK(control.deadline() > Clock::now() + std::chrono::seconds(90));
  control.end_after(std::numeric_limits<double>::infinity());
  CHECK(control.deadline() == Clock::time_point::max());
  control.end_after(-1);
  CHECK(control.requested() && control.overdue() && !control.cancelled);
  control.end_after(100);
  CHECK(control.requested());  // too late
  Control cancelled;
  cancelled.cancel();
  CHECK(cancelled.requested() && !cancelled.overdue());
}

TEST(control, a_search_ends_at_the_deadline_of_its_control_or_at_its_own) {
  const auto board = test::tiles(4, 4);
  const Heuristic nothing(board, {}, {{Op::constant, 0, 0}}, true, 0);
  test::Random random(3);
  const std::vector<std::uint8_t> start = test::walk(*board, test::goal_of(*board), 60, random);
  const std::vector<std::uint8_t> moves{0, 1, 2, 3};
  for (const bool own : {false, true}) {
    Control control;
    SearchOptions options;
    if (own) options.limits.seconds = 0;
    control.end_after(own ? 1000 : 0);
    for (const Outcome& outcome :
         {astar(start, moves, nothing, options, control), greedy(start, moves, nothing, options, control),
          ida_star(start, moves, nothing, options, control),
          breadth_first(board, start, moves, options.limits, control),
          bidirectional(board, start, moves, options.limits, control)}) {
      CHECK(outcome.status == Status::limit_reached);
      CHECK(outcome.limit == Limit::seconds);
    }
  }
  Control both;
  both.end_after(0);
  both.cancel();
  CHECK(astar(start, moves, nothing, {}, both).status == Status::cancelled);
}

TEST(control, groups_and_chains_give_up) {
  const Exchanges eight(8);
  gives_up_at_every_question([&](const Stop& stop) {
    PermutationGroup(eight.generators, {}, stop);
    return true;
  });
  const std::vector<HalfWords> kinds = {{eight.moves, 3, 10'000, 0}};
  gives_up_at_every_question(
      [&](const Stop& stop) { return WordChain(eight.generators, eight.base, kinds, {}, stop).complete(); });
  const std::vector<std::uint8_t> text = WordChain(eight.generators, eight.base, kinds, {}, NoStop()).text();
  gives_up_at_every_question(
      [&](const Stop& stop) { return WordChain(eight.generators, eight.base, text, stop).complete(); });
  gives_up_at_every_question([&](const Stop& stop) {
    return Perimeter(eight.generators, eight.base, 2, {2, 3, 4, 5, 6}, 100'000, stop).complete();
  });
  gives_up_at_every_question([&](const Stop& stop) {
    return PieceTriples(eight.generators, eight.base, {eight.base}, eight.base, {}, stop).complete();
  });
}

TEST(control, cosets_give_up) {
  const Exchanges eight(8);
  const std::size_t asked =
      gives_up_at_every_question([&](const Stop& stop) { return eight.coordinate(2, stop)->size() == 20'160; });
  CHECK(asked >= 20'160 / 1024);
  const auto large = eight.coordinate(2), small = eight.coordinate(6);
  for (const std::uint8_t cost : {1, 2})
    gives_up_at_every_question([&](const Stop& stop) {
      return CosetDistances(large, small, std::vector<std::uint8_t>(eight.moves.size(), cost), stop).at(0, 0) == 0;
    });
  std::vector<std::uint8_t> itself(eight.moves.size());
  std::iota(itself.begin(), itself.end(), std::uint8_t{0});
  gives_up_at_every_question(
      [&](const Stop& stop) { return CosetSpace({large}, {eight.coordinate(7)}, {itself}, stop).entries() > 0; });
  gives_up_at_every_question([&](const Stop& stop) {
    const std::vector<std::uint8_t> costs(eight.moves.size(), 1);
    return Phase(eight.space, eight.moves, costs, {eight.from(4), eight.from(6)}, {{0, 0}, {1, 1}}, 100'000, stop)
               .bytes() > 0;
  });
  const CosetSpace space({eight.coordinate(3)}, {}, {itself}, NoStop());
  gives_up_at_every_question([&](Control& control) { return !space.distances(1, control).table.empty(); });
}

TEST(control, heuristics_give_up) {
  const auto board = test::tiles(3, 4);
  gives_up_at_every_question([&](const Stop& stop) {
    return Heuristic(board, {{Feature::Kind::walking_distance}}, {{Op::feature, 0, 0}}, true, 100, stop).max_value() >
           0;
  });
}

}  // namespace test_control
