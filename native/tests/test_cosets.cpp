// Cosets of which symmetric ones share an entry, and IDA* over distances to a subgroup, on a small puzzle.
#include "deepening/coset_search.hpp"
#include "coset_worlds.hpp"

namespace test_cosets {

using hstar::Coordinate;
using hstar::CosetHeuristic;
using hstar::CosetSpace;
using hstar::CosetTable;
using hstar::Status;
using test::Row;

namespace {

const CosetSpace::MoveImages kItself = {0, 1, 2, 3}, kMirror = {1, 0, 3, 2};

CosetSpace::Coordinates coordinates(const Row& row, const std::vector<Coordinate::Kind>& kinds) {
  CosetSpace::Coordinates all;
  for (const auto& kind : kinds)
    all.push_back(std::make_shared<const Coordinate>(row.space, kind, row.all, 100'000, hstar::NoStop()));
  return all;
}

std::shared_ptr<const hstar::Symmetry> symmetry(const Row& row, bool mirrored) {
  std::vector<hstar::Place> image(10);
  for (unsigned place = 0; place < 10; ++place)
    image[place] = static_cast<hstar::Place>(mirrored ? 8 - place / 2 * 2 + place % 2 : place);
  return std::make_shared<const hstar::Symmetry>(row.space, row.all, std::vector<std::vector<hstar::Place>>{image},
                                                 false);
}

// Space, table and heuristic, with all views.
struct Cosets {
  std::shared_ptr<const CosetSpace> space;
  hstar::BuiltTable built;
  std::shared_ptr<const CosetTable> table;
  std::shared_ptr<const CosetHeuristic> heuristic;

  Cosets(const Row& row, const std::vector<Coordinate::Kind>& reduced, const std::vector<Coordinate::Kind>& rest,
         const std::vector<CosetSpace::MoveImages>& own, bool mirrored_too, bool normal = false) {
    hstar::Control progress;
    space = std::make_shared<const CosetSpace>(coordinates(row, reduced), coordinates(row, rest), own, progress);
    built = space->distances(2, progress);
    std::vector<CosetTable::View> views{{symmetry(row, false), kItself}};
    if (mirrored_too) views.push_back({symmetry(row, true), kMirror});
    table = std::make_shared<const CosetTable>(space, std::span(built.table.data(), built.table.size()), nullptr, views,
                                               normal);
    heuristic = std::make_shared<const CosetHeuristic>(row.space, std::vector{table}, false);
  }
};

void check_search(const Row& row, const CosetHeuristic& heuristic) {
  const int every = test::instances(1, 7);
  int number = 0;
  for (const auto& [state, distance] : row.distances()) {
    CHECK(heuristic.value(state) <= distance);
    if (number++ % every != 0) continue;
    for (const unsigned threads : {1u, 2u}) {
      hstar::Control control;
      const auto outcome = hstar::coset_ida_star(state, heuristic, {}, threads, control);
      CHECK(outcome.status == Status::solved);
      CHECK_EQUAL(outcome.path.size(), distance);
      test::State at = state;
      for (const std::uint8_t move : outcome.path) {
        test::State after = at;
        row.puzzle->apply(at, move, after.data());
        at = after;
      }
      CHECK(at == test::goal_of(*row.puzzle));
    }
  }
}

}  // namespace

TEST(cosets, a_residue_and_a_near_distance_are_a_distance) {
  for (unsigned near = 1; near < 200; ++near)
    for (unsigned distance = near - 1; distance <= near + 1; ++distance)
      CHECK_EQUAL(hstar::Residues::distance(distance % 3, near), distance);
  CHECK_EQUAL(hstar::Residues::distance(0, 0), 0u);
  CHECK_EQUAL(hstar::Residues::distance(1, 0), 1u);
}

TEST(cosets, a_residue_and_a_least_distance_are_a_lower_bound) {
  for (unsigned least = 0; least <= hstar::Residues::kMostLeast; ++least)
    for (unsigned distance = least; distance < least + 9; ++distance)
      CHECK_EQUAL(hstar::Residues::at_least(distance % 3, least), least + (distance - least) % 3);
}

// Of each state the coordinates of the inverse in all views, and what the tables say of it without its distance.
TEST(cosets, inverses_are_found_by_the_places_of_pieces) {
  const Row row;
  const auto distances = row.distances();
  const Coordinate::Kind turned{0, {0, 1, 0, 2, 3}, true, {0, 1, 1, 0, 1}};
  for (const auto& kinds : {row.cosets, row.own, row.exchanged, {row.cosets[1]}, {turned}})
    for (const bool reduced : {false, true}) {
      const std::vector<Coordinate::Kind> first{kinds[0]}, rest(kinds.begin() + 1, kinds.end());
      const Cosets cosets(row, reduced ? kinds : first, reduced ? std::vector<Coordinate::Kind>{} : rest, {kItself},
                          true);
      const CosetHeuristic& heuristic = *cosets.heuristic;
      CHECK(heuristic.inverse().known());
      unsigned exact = 0;
      for (const auto& [state, distance] : distances) {
        std::vector<hstar::Place> places(5);
        row.space->locate(state, places.data());
        std::vector<std::uint32_t> values(heuristic.coordinates()), own(values);
        heuristic.inverse().find(places.data(), values.data());
        heuristic.inverse().look_up(values.data());
        test::State inverse = state;
        for (unsigned slot = 0; slot < 5; ++slot)
          inverse[state[slot] / 2] = static_cast<std::uint8_t>(slot * 2 + state[slot] % 2);
        CHECK_EQUAL(distances.at(inverse), distance);
        for (const auto& lookup : heuristic.lookups()) {
          const CosetSpace& space = *lookup.table->space;
          std::uint32_t* const of_view = own.data() + lookup.first;
          CHECK(heuristic.locate(inverse, lookup, of_view));
          const std::uint64_t entry = space.entry(space.seat(of_view), [&](std::size_t i) { return of_view[i]; });
          const unsigned least = lookup.table->at_least(entry), true_distance = lookup.table->distance(of_view);
          CHECK(least <= true_distance);
          CHECK_EQUAL(least % 3, true_distance % 3);
          exact += least == true_distance;
          for (std::size_t i = 0; i < space.reduced(); ++i) of_view[i] *= space.weight(i);
        }
        CHECK(values == own);
        for (std::size_t move = 0; move < row.all.size(); ++move) {
          test::State after = state, inverse_after = state;
          row.puzzle->apply(state, row.all[move], after.data());
          for (unsigned slot = 0; slot < 5; ++slot)
            inverse_after[after[slot] / 2] = static_cast<std::uint8_t>(slot * 2 + after[slot] % 2);
          for (const auto& lookup : heuristic.lookups()) {
            if (!heuristic.keeps(lookup, move)) continue;
            std::vector<std::uint32_t> before(values), then(values);
            heuristic.locate(inverse, lookup, before.data());
            heuristic.locate(inverse_after, lookup, then.data());
            CHECK(before == then);
          }
        }
      }
      CHECK(exact > 0);
    }
}

TEST(cosets, symmetric_cosets_share_entries_and_keep_their_distances) {
  const Row row;
  for (const auto& kinds : {row.cosets, row.exchanged})
  for (const bool other_way : {false, true}) for (const bool twice : {false, true}) {  // two may carry the moves alike
    const auto phase = row.phase(row.all, kinds, {{0, 1}});
    const auto &first = kinds[other_way], &second = kinds[!other_way];
    std::vector<CosetSpace::MoveImages> own{kItself, kMirror};
    if (twice) own.insert(own.end(), {kItself, kMirror});
    const Cosets all(row, {first}, {second}, {kItself}, false), fewer(row, {first}, {second}, own, false);
    CHECK(fewer.space->entries() < all.space->entries());
    for (const auto& [state, distance] : row.distances()) {
      hstar::Phase::Values values{};
      phase->locate(state, values);
      CHECK_EQUAL(all.heuristic->checked_value(state), phase->distance(values));
      CHECK_EQUAL(fewer.heuristic->checked_value(state), phase->distance(values));
    }
    CHECK(all.built.counts == fewer.built.counts);
    check_search(row, *fewer.heuristic);
  }
}

TEST(cosets, stored_numbers_are_those_that_were_computed) {
  const Row row;
  for (const auto& kinds : {row.cosets, row.exchanged})
  for (const auto& own : {std::vector<CosetSpace::MoveImages>{kItself}, {kItself, kMirror}, {kItself, kItself}}) {
    const Cosets made(row, {kinds[0]}, {kinds[1]}, own, false);
    hstar::StoredArrays arrays;
    made.space->store(arrays);
    const std::span<const std::uint8_t> bytes(arrays.bytes());
    const auto open = [&](hstar::StoredReader stored, const std::vector<CosetSpace::MoveImages>& symmetries) {
      std::vector<CosetSpace::Coordinates> parts;
      for (const auto& kind : kinds)
        parts.push_back({std::make_shared<const Coordinate>(row.space, kind, row.all, stored, nullptr)});
      return std::make_shared<const CosetSpace>(parts[0], parts[1], symmetries, stored, nullptr);
    };
    const auto entry = [](const CosetSpace& space, const std::uint32_t* values) {
      return space.entry(space.seat(values), [&](std::size_t i) { return values[i]; });
    };
    const auto opened = open(hstar::StoredReader(bytes), own);
    CHECK_EQUAL(opened->entries(), made.space->entries());
    CHECK_EQUAL(opened->words(), made.space->words());
    for (std::uint32_t a = 0; a < made.space->coordinate(0).size(); ++a)
      for (std::uint32_t b = 0; b < made.space->coordinate(1).size(); ++b) {
        const std::uint32_t values[] = {a, b};
        CHECK_EQUAL(entry(*opened, values), entry(*made.space, values));
      }
    for (const auto& [state, distance] : row.distances())
      for (std::size_t i = 0; i < 2; ++i) {
        const auto value = made.space->coordinate(i).of(state);
        CHECK(opened->coordinate(i).of(state) == value);
        for (std::size_t m = 0; m < row.all.size(); ++m)
          CHECK_EQUAL(opened->coordinate(i).after(*value, m), made.space->coordinate(i).after(*value, m));
      }
    // Bytes that end too soon, go on too long, or are of other coordinates, and a build without what it needs.
    for (std::size_t size = 0; size < bytes.size(); size += 8)
      CHECK_THROWS(open(hstar::StoredReader(bytes.first(size)), own), "");
    hstar::StoredArrays more = arrays;
    more.add(std::span<const std::uint32_t>());
    CHECK_THROWS(open(hstar::StoredReader(more.bytes()), own), "more was stored");
    std::vector<CosetSpace::MoveImages> others{kItself};
    if (own.size() == 1) others.push_back(kMirror);
    CHECK_THROWS(open(hstar::StoredReader(bytes), others), "other symmetries");
    CHECK_THROWS(hstar::StoredReader(bytes.subspan(4)), "not those that were expected");
    hstar::Control progress;
    CHECK_THROWS(opened->distances(1, progress), "without what a build needs");
  }
}

TEST(cosets, both_images_of_a_subgroup_are_looked_up) {
  const Row row;  // the subgroup of one pair, and of the other
  const std::vector<Coordinate::Kind> pair = {{0, {0, 0, 0, 0, 0}, true, {}}, {0, {0, 0, 1, 2, 3}, false, {}}};
  const Cosets one(row, pair, {}, {kItself}, false), both(row, pair, {}, {kItself}, true);
  unsigned larger = 0;
  for (const auto& [state, distance] : row.distances()) {
    CHECK(both.heuristic->value(state) >= one.heuristic->value(state));
    larger += both.heuristic->value(state) > one.heuristic->value(state);
  }
  CHECK(larger > 0);
  check_search(row, *both.heuristic);
}

TEST(cosets, two_phases_over_all_cosets_fall_to_the_distance) {
  const Row row;
  const Cosets cosets(row, {row.cosets[0]}, {row.cosets[1]}, {kItself}, true);
  const hstar::TwoPhases phases{row.phase(row.all, row.cosets, {{0, 1}}), row.phase(row.kept, row.own, {{0, 1}}),
                                cosets.heuristic};
  hstar::Control control;
  const int every = test::instances(1, 7);
  int number = 0;
  for (const auto& [state, distance] : row.distances()) {
    if (number++ % every != 0) continue;
    for (const unsigned threads : {1u, 3u}) {
      hstar::PhaseSearch alone(phases, {state}, 1000, threads);
      unsigned best = 250;
      for (hstar::Outcome outcome; (outcome = alone.run(best, {}, control)).status == Status::solved;) {
        CHECK(outcome.path.size() < best);
        best = static_cast<unsigned>(outcome.path.size());
        test::State at = state, after = at;
        for (const std::uint8_t move : outcome.path) {
          row.puzzle->apply(at, move, after.data());
          at = after;
        }
        CHECK(at == test::goal_of(*row.puzzle));
      }
      CHECK_EQUAL(best, distance);
    }
  }
  const auto distances = row.distances();
  const auto& far = std::ranges::max_element(distances, {}, [](const auto& item) { return item.second; })->first;
  hstar::PhaseSearch several(phases, {far}, 1000, 3);
  hstar::Limits little;
  little.expanded = 5;
  const hstar::Outcome outcome = several.run(250, little, control);
  CHECK(outcome.status == Status::solved || (outcome.limit == hstar::Limit::expanded && outcome.expanded <= 5));
  CHECK_THROWS(hstar::PhaseSearch(phases, {test::goal_of(*row.puzzle)}, 1000, 0), "threads");
  const Cosets mirrored(row, {row.cosets[0]}, {row.cosets[1]}, {kItself}, false);
  const auto other = std::make_shared<const CosetTable>(
      mirrored.space, std::span(mirrored.built.table.data(), mirrored.built.table.size()), nullptr,
      std::vector<CosetTable::View>{{symmetry(row, true), kMirror}});
  const hstar::TwoPhases turned{phases.first, phases.second,
                                std::make_shared<const CosetHeuristic>(row.space, std::vector{other}, false)};
  CHECK_THROWS(hstar::PhaseSearch(turned, {test::goal_of(*row.puzzle)}, 1000), "cosets of another first phase");
}

TEST(cosets, the_largest_of_several_tables_counts) {
  const Row row;
  const Cosets orientations(row, {row.cosets[0]}, {}, {kItself}, false),
      slots(row, {row.cosets[1]}, {}, {kItself}, true);
  const CosetHeuristic both(row.space, {orientations.table, slots.table}, false);
  CHECK_EQUAL(both.lookups().size(), std::size_t{3});
  CHECK_EQUAL(both.coordinates(), std::size_t{3});
  unsigned first = 0, second = 0;
  for (const auto& [state, distance] : row.distances()) {
    const unsigned a = orientations.heuristic->value(state), b = slots.heuristic->value(state);
    CHECK_EQUAL(both.value(state), std::max(a, b));
    first += a > b;
    second += b > a;
  }
  CHECK(first > 0 && second > 0);
  check_search(row, both);
}

// Where a subgroup is normal, here that of the identity, inverses are not looked up: it would say nothing. Elsewhere
// solutions are as short without.
TEST(cosets, inverses_are_at_the_same_distance_from_a_normal_subgroup) {
  const Row row;
  const Cosets whole(row, {{0, {0, 1, 2, 3, 4}, true, {}}}, {}, {kItself, kMirror}, true, true);
  const Cosets without(row, {row.cosets[0]}, {row.cosets[1]}, {kItself}, true, true);
  const Cosets with(row, {row.cosets[0]}, {row.cosets[1]}, {kItself}, true);
  for (const auto* cosets : {&whole, &without}) CHECK(!cosets->heuristic->inverse().known());
  for (const auto& [state, distance] : row.distances()) {
    test::State inverse = state;
    for (unsigned slot = 0; slot < 5; ++slot)
      inverse[state[slot] / 2] = static_cast<std::uint8_t>(slot * 2 + state[slot] % 2);
    CHECK_EQUAL(whole.heuristic->value(state), distance);
    CHECK_EQUAL(whole.heuristic->value(inverse), distance);
  }
  check_search(row, *whole.heuristic);
  check_search(row, *without.heuristic);
  check_search(row, CosetHeuristic(row.space, {without.table, with.table}, false));
  check_search(row, CosetHeuristic(row.space, {with.table, whole.table}, false));
}

// Coordinates that say something of each other: moves do not lead to all their values together.
TEST(cosets, values_that_moves_do_not_lead_to_have_no_distance) {
  const Row row;
  const auto twice = [&](std::size_t i) { return std::vector{row.cosets[i], row.cosets[i]}; };
  for (const std::size_t i : {0, 1}) for (const bool reduced : {false, true}) {
    const std::vector<Coordinate::Kind> other{row.cosets[1 - i]};
    const Cosets once(row, {row.cosets[i]}, other, {kItself, kMirror}, false);
    const Cosets more(row, reduced ? twice(i) : other, reduced ? other : twice(i), {kItself, kMirror}, false);
    for (const auto& [state, distance] : row.distances())
      CHECK_EQUAL(more.heuristic->checked_value(state), once.heuristic->checked_value(state));
    CHECK(more.built.counts == once.built.counts);
    check_search(row, *more.heuristic);
    std::vector<std::uint32_t> values(3, 0);
    values[reduced ? 1 : 2] = 1;
    CHECK_EQUAL(more.space->has_seat(values.data()), !reduced);
    CHECK_EQUAL(more.table->distance(values.data()), hstar::Database::kUnreachable);
  }
}

TEST(cosets, limits_hold) {
  const Row row;
  const Cosets cosets(row, {row.cosets[0]}, {row.cosets[1]}, {kItself, kMirror}, false);
  const auto distances = row.distances();
  const auto& [far, distance] = *std::ranges::max_element(distances, {}, [](const auto& item) { return item.second; });
  hstar::Control control;
  const auto whole = hstar::coset_ida_star(far, *cosets.heuristic, {}, 1, control);
  for (std::uint64_t most = 0; most < whole.expanded; most += 1 + most / 8) {
    hstar::Limits limits;
    limits.expanded = most;
    const auto outcome = hstar::coset_ida_star(far, *cosets.heuristic, limits, 1, control);
    CHECK(outcome.limit == hstar::Limit::expanded);
    CHECK_EQUAL(outcome.expanded, most);
    CHECK(outcome.f_bound <= distance);
  }
  control.cancel();
  CHECK(hstar::coset_ida_star(far, *cosets.heuristic, {}, 1, control).status == Status::cancelled);
}

TEST(cosets, what_cannot_be_is_refused) {
  const Row row;
  hstar::Control progress;
  const auto make = [&](const std::vector<Coordinate::Kind>& first, const std::vector<Coordinate::Kind>& second,
                        const std::vector<CosetSpace::MoveImages>& own) {
    return CosetSpace(coordinates(row, first), coordinates(row, second), own, progress);
  };
  CHECK_THROWS(make({}, row.cosets, {kItself}), "no coordinate is reduced");
  CHECK_THROWS(make(row.cosets, {}, {}), "expected 1 to 256 symmetries");
  CHECK_THROWS(make(row.cosets, {}, {kMirror}), "not the identity");
  CHECK_THROWS(make(row.cosets, {}, {kItself, {0, 0, 1, 2}}), "does not permute the moves");
  CHECK_THROWS(make(row.cosets, {}, {kItself, {1, 2, 3, 0}}), "a product of symmetries is missing");
  CHECK_THROWS(make({{0, {0, 0, 1, 2, 3}, false, {}}}, {}, {kItself, kMirror}), "does not keep them");
  const Cosets cosets(row, row.cosets, {}, {kItself}, false);
  const std::span<const std::uint8_t> bytes(cosets.built.table.data(), cosets.built.table.size());
  CHECK_THROWS(CosetTable(cosets.space, {}, nullptr, {{symmetry(row, false), kItself}}), "table has 0 bytes");
  CHECK_THROWS(CosetTable(cosets.space, bytes, nullptr, {}), "no view");
  CHECK_THROWS(CosetHeuristic(row.space, {}, false), "no table");
  const Row other;
  CHECK_THROWS(CosetHeuristic(other.space, {cosets.table}, false), "a view is of another puzzle");
  CHECK_THROWS(cosets.heuristic->checked_value(test::State{0, 0, 0, 0, 0}), "state");
  progress.cancelled = true;
  CHECK(cosets.space->distances(1, progress).table.empty());
}

}  // namespace test_cosets
