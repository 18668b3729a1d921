#include <set>

#include "asking.hpp"
#include "check.hpp"
#include "deepening/pattern_search.hpp"
#include "pattern_worlds.hpp"

namespace test_patterns {

using namespace hstar;
using test::database;
using test::distances;
using test::Moves;
using test::Random;
using test::random_space;
using test::State;

namespace {

using Definition = PermutationPuzzle::Definition;

std::shared_ptr<const PermutationPuzzle> pair_of_slots(std::vector<std::uint8_t> goal, std::vector<Definition> moves) {
  return std::make_shared<const PermutationPuzzle>(std::vector<unsigned>{4, 4}, std::move(goal), std::move(moves));
}

}  // namespace

TEST(patterns, a_space_refuses_what_is_not_made_of_orbits) {
  const auto good = pair_of_slots({0, 2}, {{{0, 1}, {1, 0}, {{1, 0, 3, 2}, {0, 1, 2, 3}}}});
  CHECK_EQUAL(PieceSpace(good, {{0, 2, 2}}).pieces(), std::size_t{2});
  CHECK_THROWS(PieceSpace(good, {{0, 1, 2}}), "values, expected 2");
  CHECK_THROWS(PieceSpace(good, {{1, 1, 4}}), "do not follow");
  CHECK_THROWS(PieceSpace(good, {{0, 3, 2}}), "do not follow");
  CHECK_THROWS(PieceSpace(good, {{0, 2, 0}}), "places");
  CHECK_THROWS(PieceSpace(good, {}), "do not cover");
  CHECK_THROWS(PieceSpace(pair_of_slots({2, 0}, {}), {{0, 2, 2}}), "slot 0 does not hold its own piece");
  const auto uneven = pair_of_slots({0, 2}, {{{0, 1}, {1, 0}, {{1, 0, 2, 3}, {0, 1, 2, 3}}}});
  CHECK_THROWS(PieceSpace(uneven, {{0, 2, 2}}), "move 0: slot 0 does not twist all pieces alike");
  const PieceSpace space(good, {{0, 2, 2}});
  CHECK_THROWS(space.check(State{0, 1}, "start"), "start: a piece appears twice");
  CHECK_THROWS(space.check(State{0, 4}, "start"), "start: slot 1");
  CHECK_THROWS(space.check_moves({1}), "no move 1");
  CHECK_THROWS(space.check_moves({0, 0}), "move 0 appears twice");
}

TEST(patterns, places_follow_the_moves) {
  Random random(1);
  for (int round = 0; round < 30; ++round) {
    const auto space = random_space({{0, 5, 3}, {5, 6, 2}, {11, 4, 1}}, 3, random);
    const PermutationPuzzle& puzzle = space->puzzle();
    const PlaceMoves<NarrowPlaces> moves(*space);
    State state(puzzle.goal().begin(), puzzle.goal().end());
    PlacedState placed(*space, moves, state);
    CHECK(placed.is_goal());
    for (int step = 0; step < 40; ++step) {
      const unsigned move = test::below(random, puzzle.move_count());
      PlacedState after(*space, moves, puzzle.goal());
      after.become(placed, move);
      placed.move(move);
      State next(state.size());
      puzzle.apply(state, move, next.data());
      state = next;
      State direct(state.size()), inverse(state.size());
      space->locate(state, direct.data());
      space->locate_inverse(state, inverse.data());
      for (std::size_t piece = 0; piece < state.size(); ++piece) {
        CHECK_EQUAL(int{placed.places(false)[piece]}, int{direct[piece]});
        CHECK_EQUAL(int{placed.places(true)[piece]}, int{inverse[piece]});
        CHECK_EQUAL(int{after.places(false)[piece]}, int{direct[piece]});
        CHECK_EQUAL(int{after.places(true)[piece]}, int{inverse[piece]});
        // The state and its inverse swap the roles of piece and slot, and the twist is reversed.
        const Orbit& orbit = space->orbit(piece);
        const unsigned there = orbit.first + inverse[piece] / orbit.orientations;
        CHECK_EQUAL(direct[there] / orbit.orientations + orbit.first, piece);
        CHECK_EQUAL((direct[there] + inverse[piece]) % orbit.orientations, 0u);
      }
    }
  }
}

TEST(patterns, ranks_are_one_to_one_and_without_holes) {
  Random random(2);
  const auto space = random_space({{0, 5, 3}, {5, 4, 2}, {9, 3, 1}}, 1, random);
  for (const test::Numbers& pieces : std::vector<test::Numbers>{
           {0}, {3, 1}, {4, 0, 2}, {5, 6, 7, 8}, {9, 10, 11}, {0, 5}, {1, 3, 6, 8, 10}, {2, 9, 11}}) {
    const Pattern pattern(space, pieces);
    std::vector<bool> seen(pattern.entries(), false);
    Place places[Pattern::kMaxPieces];
    for (std::uint64_t rank = 0; rank < pattern.entries(); ++rank) {
      pattern.unrank(rank, places);
      CHECK_EQUAL(pattern.rank(places), rank);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Orbit& orbit = space->orbit(pattern.pieces()[i]);
        CHECK(places[i] < orbit.places());
        for (std::size_t j = 0; j < i; ++j)
          CHECK(space->orbit_of(pattern.pieces()[j]) != space->orbit_of(pattern.pieces()[i]) ||
                places[j] / orbit.orientations != places[i] / orbit.orientations);
      }
    }
  }
  CHECK_EQUAL(Pattern(space, {0, 1, 2, 3, 4}).entries(), std::uint64_t{120 * 243});
  CHECK_THROWS(Pattern(space, {}), "0 pieces");
  CHECK_THROWS(Pattern(space, {12}), "no piece 12");
  CHECK_THROWS(Pattern(space, {1, 1}), "piece 1 appears twice");
}

TEST(patterns, a_database_of_all_pieces_holds_the_true_distances) {
  Random random(3);
  for (int round = 0; round < 6; ++round) {
    const auto space = random_space({{0, 4, 2}, {4, 3, 1}}, 2, random);
    const Moves moves = round % 2 ? Moves{0, 2} : Moves{0, 1, 2, 3};
    const auto all = database(space, moves, {0, 1, 2, 3, 4, 5, 6}, 1 + round % 3);
    const PatternHeuristic heuristic(space, moves, {all}, {});
    const auto truth = distances(space->puzzle(), moves);
    std::map<unsigned, std::uint64_t> counts;
    for (const auto& [state, distance] : truth) {
      CHECK_EQUAL(heuristic.value(state), std::min(distance, all->packing.most()));
      ++counts[distance];
    }
    // All other entries are unreachable.
    std::uint64_t reached = 0;
    for (std::uint64_t rank = 0; rank < all->pattern.entries(); ++rank)
      reached += all->packing.get(all->table.data(), rank) != all->packing.unreachable();
    CHECK_EQUAL(reached, truth.size());
    Control progress;
    const BuiltTable built = build_pattern_database(all->pattern, moves, 1, progress);
    for (const auto& [distance, count] : counts) CHECK_EQUAL(built.counts.at(distance), count);
    CHECK_EQUAL(built.counts.size(), counts.size());
  }
}

TEST(patterns, a_database_holds_the_least_distance_of_all_states_that_look_alike) {
  Random random(4);
  for (int round = 0; round < 6; ++round) {
    const auto space = random_space({{0, 4, 2}, {4, 3, 1}}, 2, random);
    const Moves moves{0, 1, 2, 3};
    const auto truth = distances(space->puzzle(), moves);
    const auto some = database(space, moves, {0, 2, 5}, 2);
    std::map<std::uint64_t, unsigned> least;
    Place places[PermutationPuzzle::kMaxSlots], own[3];
    for (const auto& [state, distance] : truth) {
      space->locate(state, places);
      for (std::size_t i = 0; i < 3; ++i) own[i] = places[some->pattern.pieces()[i]];
      const auto found = least.emplace(some->pattern.rank(own), distance).first;
      found->second = std::min(found->second, distance);
    }
    for (const auto& [rank, distance] : least) CHECK_EQUAL(some->packing.get(some->table.data(), rank), distance);
  }
}

TEST(patterns, distances_differ_by_one_move_however_ranks_are_computed) {
  Random random(5);
  const auto space = random_space({{0, 5, 3}, {5, 3, 1}}, 2, random);
  const PermutationPuzzle& puzzle = space->puzzle();
  const Moves moves{0, 1, 2, 3};
  // Five pieces of 15 places are too many for a table.
  const std::vector<std::pair<test::Numbers, bool>> patterns = {
      {{0, 1, 2, 3}, true}, {{1, 2, 3, 6, 7}, true}, {{0, 1, 2, 3, 4}, false}, {{0, 1, 2, 3, 4, 5}, false}};
  for (const auto& [pieces, tables] : patterns) {
    const auto one = database(space, moves, pieces, 2);
    CHECK_EQUAL(one->pattern.rank_tables().empty(), !tables);
    const PatternHeuristic heuristic(space, moves, {one}, {});
    State state(puzzle.goal().begin(), puzzle.goal().end()), next(state.size());
    CHECK_EQUAL(heuristic.value(state), 0u);
    for (int step = 0; step < 200; ++step) {
      unsigned least = PatternHeuristic::kUnreachable;
      for (const std::uint8_t move : moves) {
        puzzle.apply(state, move, next.data());
        least = std::min(least, heuristic.value(next));
      }
      State all(state.size());
      Place places[Pattern::kMaxPieces];
      space->locate(state, all.data());
      for (std::size_t i = 0; i < pieces.size(); ++i) places[i] = all[pieces[i]];
      CHECK_EQUAL(heuristic.value(state), one->distance(places));
      if (heuristic.value(state) > 0) CHECK_EQUAL(heuristic.value(state), least + 1);
      puzzle.apply(state, moves[test::below(random, 4)], next.data());
      state = next;
    }
  }
}

TEST(patterns, a_build_can_be_cancelled) {
  Random random(5);
  const auto space = random_space({{0, 8, 3}}, 3, random);
  Control progress;
  progress.cancelled = true;
  CHECK(build_pattern_database(Pattern(space, {0, 1, 2, 3}), {0, 2, 4}, 2, progress).table.empty());
  CHECK_THROWS(build_pattern_database(Pattern(space, {0}), {6}, 1, progress), "no move 6");
}

TEST(patterns, every_phase_of_a_build_asks_whether_to_stop) {
  Random random(5);
  const auto space = random_space({{0, 8, 3}}, 3, random);
  const Pattern pattern(space, {0, 1, 2, 3});
  const auto build = [&](Control& progress) { return build_pattern_database(pattern, {0, 2, 4}, 1, progress); };
  test::Asking whole;
  const BuiltTable built = build(whole);
  CHECK(!built.table.empty());
  const std::size_t blocks = pattern.entries() / 4096;
  CHECK(whole.asked_at(0) >= 3 * blocks);                  // clearing, the first layer, counting it
  CHECK(whole.asked_at(whole.done) >= blocks);             // packing
  CHECK(whole.asked() >= 2 * built.counts.size() * blocks);  // each layer, and counting it
  test::gives_up_at_every_question([&](Control& progress) { return !build(progress).table.empty(); });
}

TEST(patterns, packing_keeps_what_fits_and_bounds_the_rest) {
  const State distances{0, 13, 14, 15, 254, 255, 7};
  Control progress;
  const auto bytes = pack(distances, {8}, 2, progress);
  const auto nibbles = pack(distances, {4}, 2, progress);
  CHECK_EQUAL(nibbles.size(), std::size_t{4});
  for (std::size_t i = 0; i < distances.size(); ++i) {
    CHECK_EQUAL(Packing{8}.get(bytes.data(), i), unsigned{distances[i]});
    CHECK_EQUAL(Packing{4}.get(nibbles.data(), i), distances[i] == 255 ? 15u : std::min(14u, unsigned{distances[i]}));
  }
  Random random(6);
  const auto space = random_space({{0, 3, 1}}, 1, random);
  CHECK_THROWS(PatternDatabase(Pattern(space, {0}), bytes, 8, nullptr), "table has 7 bytes, expected 3");
  CHECK_THROWS(PatternDatabase(Pattern(space, {0}), bytes, 5, nullptr), "bits is 5");
}

TEST(patterns, a_symmetry_is_checked) {
  const auto space = test::ring(5);
  const Moves all = test::all_moves(space->puzzle()), forwards{0, 2, 4, 6, 8};
  for (const bool inverse : {false, true})
    CHECK_EQUAL(Symmetry(space, all, test::ring_rotation(5, 2), inverse).inverse(), inverse);
  CHECK(!Symmetry(space, forwards, test::ring_rotation(5, 1), false).inverse());
  CHECK_THROWS(Symmetry(space, forwards, test::ring_rotation(5, 1), true), "becomes no move of the set, inverted");
  CHECK_THROWS(Symmetry(space, {0}, test::ring_rotation(5, 1), false), "move 0 becomes no move of the set");
  CHECK_THROWS(Symmetry(space, all, {}, false), "0 orbits");
  CHECK_THROWS(Symmetry(space, all, {{0, 1}}, false), "2 places, expected 10");
  CHECK_THROWS(Symmetry(space, all, {std::vector<Place>(10, 0)}, false), "not one-to-one");
  CHECK_THROWS(Symmetry(space, all, {{0, 3, 2, 1, 4, 5, 6, 7, 8, 9}}, false), "different slots");
}

TEST(patterns, symmetries_keep_distances_and_make_the_maximum_larger) {
  const auto space = test::ring(4);
  for (const Moves& moves : {test::all_moves(space->puzzle()), Moves{0, 2, 4, 6}}) {
    const auto truth = distances(space->puzzle(), moves);
    std::vector<std::shared_ptr<const Symmetry>> symmetries;
    for (unsigned steps = 0; steps < 4; ++steps) {
      symmetries.push_back(std::make_shared<Symmetry>(space, moves, test::ring_rotation(4, steps), false));
      if (moves.size() > 4)
        symmetries.push_back(std::make_shared<Symmetry>(space, moves, test::ring_rotation(4, steps), true));
    }
    const auto two = database(space, moves, {0, 1});
    const PatternHeuristic alone(space, moves, {two}, {}), through(space, moves, {two}, symmetries);
    CHECK_EQUAL(alone.lookups().size(), std::size_t{1});
    CHECK_EQUAL(through.lookups().size(), symmetries.size());
    std::uint64_t gain = 0;
    for (const auto& [state, distance] : truth) {
      CHECK(through.value(state) <= distance);
      CHECK(alone.value(state) <= through.value(state));
      gain += through.value(state) - alone.value(state);
    }
    CHECK(gain > truth.size() / 10);
  }
}

TEST(patterns, a_heuristic_refuses_what_does_not_belong_together) {
  const auto space = test::ring(4), other = test::ring(4);
  const Moves all = test::all_moves(space->puzzle());
  CHECK_THROWS(PatternHeuristic(space, all, {}, {}), "no pattern database");
  CHECK_THROWS(PatternHeuristic(other, all, {database(space, all, {0})}, {}), "of another puzzle");
  const auto turn = std::make_shared<Symmetry>(space, all, test::ring_rotation(4, 1), false);
  CHECK_THROWS(PatternHeuristic(space, {0, 2, 4, 6}, {database(space, {0, 2, 4, 6}, {0})}, {turn}), "move set");
  const PatternHeuristic good(space, all, {database(space, all, {0})}, {turn});
  CHECK_THROWS(good.checked_value(State{0, 1, 4, 6}), "a piece appears twice");
  CHECK_EQUAL(good.value(State{0, 1, 4, 6}), 0u);
}

namespace {

// A puzzle like `space`, whose pieces look like others: kinds[piece] is the number that values have for it, and
// distinct the number of orientations of each that look different.
std::shared_ptr<const PieceSpace> made_alike(const PieceSpace& space, const std::vector<unsigned>& kinds,
                                             const std::vector<unsigned>& distinct) {
  const PermutationPuzzle& puzzle = space.puzzle();
  std::vector<unsigned> values;
  State goal;
  for (std::size_t slot = 0; slot < puzzle.slots(); ++slot) {
    values.push_back(puzzle.values(slot));
    goal.push_back(static_cast<std::uint8_t>(kinds[slot] * space.orbit(slot).orientations));
  }
  std::vector<Definition> moves;
  for (unsigned move = 0; move < puzzle.move_count(); ++move) {
    Definition& made = moves.emplace_back();
    for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
      const Orbit& orbit = space.orbit(touch.dst);
      const unsigned n = orbit.orientations, twist = puzzle.maps()[touch.map];
      test::Numbers map = test::numbers_to(orbit.places());
      for (std::size_t piece = orbit.first; piece < orbit.first + orbit.pieces; ++piece)
        for (unsigned turned = 0; turned < distinct[piece]; ++turned)
          map[kinds[piece] * n + turned] =
              static_cast<std::uint16_t>(kinds[piece] * n + (turned + twist) % distinct[piece]);
      made.dst.push_back(touch.dst);
      made.src.push_back(touch.src);
      made.maps.push_back(map);
    }
  }
  return std::make_shared<const PieceSpace>(
      std::make_shared<const PermutationPuzzle>(values, goal, moves), space.orbits(), distinct);
}

}  // namespace

TEST(patterns, of_pieces_that_look_alike_ranks_have_no_holes) {
  Random random(21);
  const auto different = random_space({{0, 7, 4}, {7, 5, 1}}, 1, random);
  const auto space = made_alike(*different, {0, 3, 0, 3, 5, 0, 6, 2, 2, 0, 0, 0}, {2, 4, 2, 4, 1, 2, 4, 1, 1, 1, 1, 1});
  CHECK(space->alike());
  const std::vector<std::pair<test::Numbers, std::uint64_t>> patterns = {
      {{0, 2, 5}, 35 * 8}, {{4}, 7}, {{6, 4}, 7 * 4 * 6}, {{1, 3}, 21 * 16}, {{0, 2, 5, 1, 3}, 35 * 8 * 6 * 16},
      {{7, 8}, 10}, {{9, 10, 11, 7, 8}, 10}, {{4, 9, 10, 11}, 70}};
  for (const auto& [pieces, states] : patterns) {
    const Pattern pattern(space, pieces);
    CHECK_EQUAL(pattern.entries(), states);
    std::set<std::vector<Place>> seen;
    for (std::uint64_t rank = 0; rank < pattern.entries(); ++rank) {
      std::vector<Place> places(pieces.size());
      pattern.unrank(rank, places.data());
      CHECK(seen.insert(places).second);
      CHECK_EQUAL(pattern.rank(places.data()), rank);
      // The same pieces in another order, or turned so that it cannot be seen.
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
        if (space->kind(pattern.pieces()[i]) == space->kind(pattern.pieces()[i + 1]))
          std::swap(places[i], places[i + 1]);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const unsigned n = space->orbit(pattern.pieces()[i]).orientations, of = space->distinct(pattern.pieces()[i]);
        places[i] = static_cast<Place>(places[i] - places[i] % n + (places[i] % n + of) % n);
      }
      CHECK_EQUAL(pattern.rank(places.data()), rank);
    }
  }
  CHECK_THROWS(Pattern(space, {0, 2}), "not all pieces that look like piece 0");
  CHECK_THROWS(PieceSpace(std::shared_ptr<const PermutationPuzzle>(space, &space->puzzle()), space->orbits(),
                          {2, 4, 4, 4, 1, 2, 4, 1, 1, 1, 1, 1}),
               "slot 2 has a piece that looks different in 4 orientations");
}

TEST(patterns, pieces_that_look_alike_have_the_distances_of_breadth_first_search) {
  Random random(22);
  for (int round = 0; round < 8; ++round) {
    const auto different = random_space({{0, 5, 2}, {5, 4, 1}}, 2, random);
    const std::vector<unsigned> distinct = round % 2 ? std::vector<unsigned>{1, 2, 2, 1, 2, 1, 1, 1, 1}
                                                     : std::vector<unsigned>{2, 2, 2, 2, 2, 1, 1, 1, 1};
    const auto space = made_alike(*different, {3, 1, 1, 3, 1, 0, 0, 2, 0}, distinct);
    const Moves moves = round % 3 ? Moves{0, 1, 2, 3} : Moves{0, 2};
    const auto truth = distances(space->puzzle(), moves);
    const PatternHeuristic all(space, moves, {database(space, moves, {0, 1, 2, 3, 4, 5, 6, 7, 8})}, {});
    const auto some = database(space, moves, {1, 2, 4, 7}, 2);
    const PatternHeuristic weak(space, moves, {some}, {});
    std::map<std::uint64_t, unsigned> least;
    Place places[PermutationPuzzle::kMaxSlots], own[4];
    int number = 0;
    for (const auto& [state, distance] : truth) {
      CHECK(space->is_complete(state));
      CHECK_EQUAL(all.value(state), distance);
      space->locate(state, places);
      for (std::size_t i = 0; i < 4; ++i) own[i] = places[some->pattern.pieces()[i]];
      const auto found = least.emplace(some->pattern.rank(own), distance).first;
      found->second = std::min(found->second, distance);
      if (++number % std::max<int>(1, static_cast<int>(truth.size() / 40)) != 0) continue;
      for (const unsigned threads : {1u, 3u}) {
        Control control;
        const Outcome outcome = pattern_ida_star(state, weak, {}, threads, control);
        CHECK(outcome.status == Status::solved);
        CHECK_EQUAL(outcome.path.size(), std::size_t{distance});
      }
    }
    for (const auto& [rank, distance] : least) CHECK_EQUAL(some->packing.get(some->table.data(), rank), distance);
    State wrong(space->puzzle().goal().begin(), space->puzzle().goal().end());
    wrong[0] = wrong[1];
    CHECK(!space->is_complete(wrong));
    CHECK_THROWS(space->check(wrong, "start"), "these are not the pieces of the goal");
  }
}

TEST(patterns, symmetries_keep_what_looks_alike_together) {
  const auto different = test::ring(6);
  const Moves moves = test::all_moves(different->puzzle());
  const std::vector<unsigned> both(6, 2);
  const auto space = made_alike(*different, {0, 0, 2, 2, 4, 4}, both);
  const auto rotation = std::make_shared<const Symmetry>(space, moves, test::ring_rotation(6, 2), false);
  const auto one = database(space, moves, {0, 1});
  const PatternHeuristic rotated(space, moves, {one}, {rotation});
  const PatternHeuristic two(space, moves, {one, database(space, moves, {4, 5})}, {});
  CHECK_EQUAL(rotated.lookups().size(), std::size_t{2});
  for (const auto& [state, distance] : distances(space->puzzle(), moves)) {
    CHECK_EQUAL(rotated.value(state), two.value(state));
    CHECK(rotated.value(state) <= distance);
  }
  CHECK_THROWS(Symmetry(space, moves, test::ring_rotation(6, 1), false),
               "pieces that look alike become pieces that do not");
  CHECK_THROWS(Symmetry(space, moves, test::ring_rotation(6, 2), true), "have no inverse");
}

}  // namespace test_patterns
