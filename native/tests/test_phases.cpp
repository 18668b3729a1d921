// Coordinates, distances over them, and solutions in two phases, on a small puzzle whose whole graph is searched.
#include <set>

#include "coset_worlds.hpp"

namespace test_phases {

using hstar::Coordinate;
using hstar::Phase;
using hstar::PhaseSearch;
using hstar::Status;

using test::Row;

TEST(phases, a_coordinate_follows_the_moves) {
  const Row row;
  for (const auto& kinds : {row.cosets, row.own, row.exchanged})
    for (const Coordinate::Kind& kind : kinds) {
      const Coordinate coordinate(row.space, kind, row.all, 100'000, hstar::NoStop());
      CHECK_EQUAL(*coordinate.of(row.puzzle->goal()), 0u);
      for (const auto& [state, distance] : row.distances()) {
        const auto value = coordinate.of(state);
        CHECK(value.has_value());
        for (std::size_t m = 0; m < row.all.size(); ++m) {
          test::State after = state;
          row.puzzle->apply(state, row.all[m], after.data());
          CHECK_EQUAL(*coordinate.of(after), coordinate.after(*value, m));
        }
      }
    }
  // Which orientation counts as 0 in a slot is a matter of names.
  const Coordinate shifted(row.space, {0, {0, 0, 0, 0, 0}, true, {1, 0, 1, 0, 0}}, row.all, 100'000, hstar::NoStop());
  CHECK_EQUAL(shifted.size(), Coordinate(row.space, row.cosets[0], row.all, 100'000, hstar::NoStop()).size());
}

// Pieces 0 and 1 in two slots and 3 and 4 in two others are the same the other way round; so are single pieces of a
// class, in any order.
TEST(phases, unordered_classes_of_equally_many_pieces_are_not_told_apart) {
  const Row row;
  const std::vector<std::vector<std::uint8_t>> of_pieces{
      {0, 0, 1, 2, 2}, {0, 0, 1, 1, 2}, {0, 1, 1, 2, 3}, {0, 0, 0, 2, 2}};
  for (const bool oriented : {false, true})
    for (const auto& classes : of_pieces) {
      const Coordinate coordinate(row.space, {0, classes, oriented, {}, true}, row.all, 100'000, hstar::NoStop());
      std::map<std::vector<unsigned>, std::uint32_t> values;
      std::set<std::uint32_t> different;
      for (const auto& [state, distance] : row.distances()) {
        // By slot the number of a class's first slot, which names no class, after how many pieces it has.
        std::vector<unsigned> seen;
        for (unsigned slot = 0; slot < 5; ++slot) {
          const unsigned own = classes[state[slot] / 2];
          unsigned first = 0;
          while (classes[state[first] / 2] != own) ++first;
          seen.push_back(static_cast<unsigned>(std::ranges::count(classes, own)) * 100 + first * 10 +
                         (oriented ? state[slot] % 2u : 0));
        }
        const std::uint32_t value = *coordinate.of(state);
        CHECK_EQUAL(values.emplace(seen, value).first->second, value);
        different.insert(value);
      }
      CHECK_EQUAL(values.size(), different.size());
      CHECK_EQUAL(different.size(), coordinate.size());
    }
  const Coordinate::Kind apart{0, {0, 1, 2, 3, 4}, false, {}, true};
  CHECK_THROWS(Coordinate(row.space, apart, row.all, 100'000, hstar::NoStop()), "too many orders");
}

TEST(phases, distances_are_those_of_the_nearest_state_of_the_coset) {
  const Row row;
  const auto phase = row.phase(row.all, row.cosets, {{0, 1}});
  std::map<std::pair<unsigned, unsigned>, unsigned> nearest;
  const auto distances = row.distances();
  for (const auto& [state, distance] : distances) {
    Phase::Values values{};
    CHECK(phase->locate(state, values));
    const auto [found, is_new] = nearest.emplace(std::pair{values[0], values[1]}, phase->distance(values));
    CHECK_EQUAL(found->second, phase->distance(values));
    CHECK(phase->distance(values) <= distance);
    CHECK(!phase->is_farther(values, phase->distance(values)));
    if (phase->distance(values) > 0) CHECK(phase->is_farther(values, phase->distance(values) - 1));
  }
  // A coset's distance is the least by which some sequence of moves reaches it: that of its nearest state.
  std::map<unsigned, unsigned> by_distance;
  for (const auto& [state, distance] : distances) {
    Phase::Values values{};
    phase->locate(state, values);
    auto& least = by_distance.emplace(values[0] * 1000 + values[1], distance).first->second;
    least = std::min(least, distance);
  }
  for (const auto& [values, distance] : nearest) {
    const unsigned least = by_distance[values.first * 1000 + values.second];
    CHECK_EQUAL(distance, least);
  }
}

TEST(phases, distances_with_costs_are_those_of_dijkstra) {
  const Row row;
  const auto first = std::make_shared<const Coordinate>(row.space, row.cosets[0], row.all, 100'000, hstar::NoStop());
  const auto second = std::make_shared<const Coordinate>(row.space, row.cosets[1], row.all, 100'000, hstar::NoStop());
  for (const std::vector<std::uint8_t>& costs : {std::vector<std::uint8_t>{1, 2, 1, 3}, {2, 2, 2, 2}, {5, 1, 1, 1}}) {
    const hstar::CosetDistances distances(first, second, costs, hstar::NoStop());
    std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> nearest;
    std::set<std::pair<unsigned, std::pair<std::uint32_t, std::uint32_t>>> open{{0, {0, 0}}};
    while (!open.empty()) {
      const auto [d, values] = *open.begin();
      open.erase(open.begin());
      if (!nearest.emplace(values, d).second) continue;
      for (std::size_t m = 0; m < row.all.size(); ++m)
        open.insert({d + costs[m], {first->after(values.first, m), second->after(values.second, m)}});
    }
    for (const auto& [values, d] : nearest) CHECK_EQUAL(distances.at(values.first, values.second), d);
  }
  CHECK_THROWS(hstar::CosetDistances(first, second, std::vector<std::uint8_t>{1, 1, 1}, hstar::NoStop()), "cost");
  CHECK_THROWS(hstar::CosetDistances(first, second, std::vector<std::uint8_t>{1, 0, 1, 1}, hstar::NoStop()), "cost");
}

TEST(phases, every_state_is_solved_and_lengths_fall_to_the_distance) {
  const Row row;
  const hstar::TwoPhases phases{row.phase(row.all, row.cosets, {{0, 1}}),
                                row.phase(row.kept, row.own, {{0, 0}, {1, 1}})};
  hstar::Control control;
  for (const auto& [state, distance] : row.distances()) {
    PhaseSearch search(phases, {state}, 1000);
    unsigned best = 250;
    for (;;) {
      const hstar::Outcome outcome = search.run(best, {}, control);
      if (outcome.status != Status::solved) {
        CHECK(outcome.status == Status::exhausted);
        break;
      }
      CHECK(outcome.path.size() < best);
      best = static_cast<unsigned>(outcome.path.size());
      test::State at = state;
      for (const std::uint8_t move : outcome.path) {
        test::State after = at;
        row.puzzle->apply(at, move, after.data());
        at = after;
      }
      CHECK(at == test::goal_of(*row.puzzle));
    }
    CHECK_EQUAL(best, distance);  // no second phase here is long enough to be given up
  }
}

TEST(phases, limits_hold_and_a_search_goes_on_where_it_ended) {
  const Row row;
  const hstar::TwoPhases phases{row.phase(row.all, row.cosets, {{0, 1}}), row.phase(row.kept, row.own, {{0, 1}})};
  const auto distances = row.distances();
  const auto& [far, distance] = *std::ranges::max_element(distances, {}, [](const auto& item) { return item.second; });
  hstar::Control control;
  PhaseSearch search(phases, {far}, 1000);
  hstar::Limits little;
  little.expanded = 3;
  unsigned runs = 0;
  hstar::Outcome outcome;
  // Each run begins its length of the first phase again, so the limit has to grow.
  for (; outcome.status != Status::solved; ++little.expanded, ++runs) {
    outcome = search.run(250, little, control);
    CHECK(outcome.expanded <= little.expanded);
    if (outcome.status != Status::solved) CHECK(outcome.limit == hstar::Limit::expanded);
  }
  CHECK(runs > 1);
  control.cancel();
  CHECK(search.run(250, {}, control).status == Status::cancelled);
  // What is solved already, and one of two starts.
  hstar::Control other;
  PhaseSearch both(phases, {far, test::goal_of(*row.puzzle)}, 1000);
  CHECK(both.run(250, {}, other).path.empty());
  CHECK_EQUAL(both.variant(), 1u);
  CHECK(both.run(0, {}, other).status == Status::exhausted);
}

TEST(phases, what_cannot_be_is_refused) {
  const Row row;
  CHECK_THROWS(Coordinate(row.space, {1, {}, false, {}}, row.all, 10, hstar::NoStop()), "no orbit 1");
  CHECK_THROWS(Coordinate(row.space, {0, {0}, false, {}}, row.all, 10, hstar::NoStop()), "classes of 1 pieces");
  CHECK_THROWS(Coordinate(row.space, {0, {0, 0, 0, 0, 0}, true, {0}}, row.all, 10, hstar::NoStop()),
               "orientations of 1 slots");
  CHECK_THROWS(Coordinate(row.space, {0, {0, 0, 0, 0, 0}, true, {0, 0, 2, 0, 0}}, row.all, 10, hstar::NoStop()),
               "do not have");
  CHECK_THROWS(Coordinate(row.space, {0, {0, 0, 0, 0, 200}, true, {}}, row.all, 10, hstar::NoStop()), "more than 256");
  CHECK_THROWS(Coordinate(row.space, row.cosets[0], row.all, 3, hstar::NoStop()), "more than 3 values");
  CHECK_THROWS(Coordinate(row.space, row.cosets[0], {}, 100, hstar::NoStop()), "no moves");
  CHECK_THROWS(row.phase(row.all, row.cosets, {{0, 0}}), "in no pair");
  CHECK_THROWS(row.phase(row.all, row.cosets, {{0, 2}}), "that there are not");
  CHECK_THROWS(row.phase(row.all, std::vector<Coordinate::Kind>(9, row.cosets[0]), {}), "at most 8");
  const hstar::TwoPhases phases{row.phase(row.all, row.cosets, {{0, 1}}), row.phase(row.kept, row.own, {{0, 1}})};
  CHECK_THROWS(PhaseSearch(phases, {}, 10), "no start");
  CHECK_THROWS(PhaseSearch(phases, {{0, 0, 0, 0, 0}}, 10), "start");
  const auto cycle = std::make_shared<const hstar::PermutationPuzzle>(
      std::vector<unsigned>(3, 3), std::vector<std::uint8_t>{0, 1, 2},
      std::vector{hstar::PermutationPuzzle::Definition{{0, 1, 2}, {1, 2, 0}, {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}}});
  const auto pieces = std::make_shared<const hstar::PieceSpace>(cycle, std::vector<hstar::Orbit>{{0, 3, 1}});
  CHECK_THROWS(Coordinate(pieces, {0, {0, 1, 2}, false, {}}, {0}, 10, hstar::NoStop()), "no move undoes move 0");
}

}  // namespace test_phases
