// Chains of words, and searches through them, on small groups.
#include <algorithm>
#include <numeric>
#include <set>

#include "anytime/stage_search.hpp"
#include "asking.hpp"
#include "base/splitmix.hpp"
#include "check.hpp"

namespace test_anytime {

using hstar::HalfWords;
using hstar::Permutation;
using hstar::Point;
using hstar::WordChain;

namespace {

const hstar::NoStop kNever;
const test::Always kAlways;

// The 2 x 2 x 2 cube's corners as 8 points that two turns and their inverses permute, without orientations.
const std::vector<Permutation> kTurns = {{1, 2, 3, 0, 4, 5, 6, 7}, {3, 0, 1, 2, 4, 5, 6, 7},
                                         {4, 0, 2, 3, 5, 1, 6, 7}, {1, 5, 2, 3, 0, 4, 6, 7},
                                         {0, 1, 2, 3, 5, 6, 7, 4}, {0, 1, 2, 3, 7, 4, 5, 6}};
const std::vector<Point> kBase = {0, 1, 2, 3, 4, 5, 6, 7};
const std::vector<HalfWords> kKinds = {{{0, 1, 2, 3, 4, 5}, 3, 10'000, 0}, {{0, 1, 2, 3}, 4, 10'000, 3}};

void check_solves(const WordChain& chain) {
  std::uint64_t random = 1;
  for (int trial = 0; trial < 50; ++trial) {
    Permutation element(8);
    std::iota(element.begin(), element.end(), Point{0});
    for (int k = 0; k < 40; ++k) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      for (Point& x : element) x = kTurns[(random >> 33) % kTurns.size()][x];
    }
    for (const std::size_t width : {std::size_t{1}, std::size_t{30}}) {
      const auto way = hstar::descend(chain, element, {width, 0.25}, kNever);
      CHECK(way.ending == hstar::Descent::Ending::kDone);
      CHECK(way.stored > 0 && way.peak_bytes > 0);
      Permutation after = element;
      for (const std::uint8_t m : way.moves)
        for (Point& x : after) x = kTurns[m][x];
      for (std::size_t x = 0; x < after.size(); ++x) CHECK_EQUAL(after[x], x);
    }
  }
}

}  // namespace

TEST(anytime, every_element_is_taken_to_the_identity) {
  const WordChain chain(kTurns, kBase, kKinds, {}, kNever);
  CHECK(chain.complete());
  check_solves(chain);
  for (std::size_t level = 0; level < chain.levels(); ++level)
    for (Point place = 0; place < 8; ++place)
      for (const hstar::Word& word : chain.words(level, place)) {
        CHECK_EQUAL(word.image[place], kBase[level]);
        for (std::size_t above = 0; above < level; ++above) CHECK_EQUAL(word.image[kBase[above]], kBase[above]);
      }
}

TEST(anytime, a_chain_without_halves_is_filled_at_random) {
  const WordChain chain(kTurns, kBase, {}, {}, kNever);
  CHECK(chain.complete());
  check_solves(chain);
}

TEST(anytime, a_chain_is_read_as_it_was_written) {
  const WordChain chain(kTurns, kBase, kKinds, {}, kNever);
  const std::vector<std::uint8_t> text = chain.text();
  const WordChain again(kTurns, kBase, text);
  CHECK(again.text() == text);
  check_solves(again);
  for (std::size_t length = 0; length < text.size(); length += 7)
    CHECK_THROWS(WordChain(kTurns, kBase, std::span(text).first(length)), "does not hold words of this chain");
  for (std::size_t at = 0; at < text.size(); at += 11) {
    std::vector<std::uint8_t> damaged = text;
    damaged[at] ^= 0x55;
    try {
      check_solves(WordChain(kTurns, kBase, damaged));  // a changed word may still fit the chain
    } catch (const std::invalid_argument&) {
    }
  }
}

TEST(anytime, what_cannot_be_is_refused) {
  CHECK_THROWS(WordChain(kTurns, {0, 1, 2}, kKinds, {}, kNever), "does not fix place");
  CHECK_THROWS(WordChain(kTurns, {0, 1, 1}, kKinds, {}, kNever), "twice");
  CHECK_THROWS(WordChain(kTurns, {9}, kKinds, {}, kNever), "place 9");
  CHECK_THROWS(WordChain(kTurns, kBase, {{{6}, 3, 100, 0}}, {}, kNever), "no generator 6");
  const WordChain stopped(kTurns, kBase, kKinds, {}, kAlways);
  CHECK(!stopped.complete());
  CHECK_THROWS(hstar::descend(stopped, kBase, {}, kNever), "not complete");
  const std::vector<Permutation> cycle = {{1, 2, 0}, {2, 0, 1}};
  const WordChain chain(cycle, {0, 1, 2}, {}, {}, kNever);
  CHECK_THROWS(hstar::descend(chain, {1, 0, 2}, {}, kNever), "not in the group");
  CHECK(hstar::descend(chain, {1, 2, 0}, {}, kAlways).ending == hstar::Descent::Ending::kStopped);
  hstar::ChainSearchOptions few;
  few.limits.expanded = 1;
  const auto expanded = hstar::descend(chain, {1, 2, 0}, few, kNever);
  CHECK(expanded.ending == hstar::Descent::Ending::kExpanded);
  CHECK_EQUAL(expanded.expanded, 1u);
  CHECK(expanded.moves.empty());
  few = {};
  few.limits.generated = 0;
  const auto generated = hstar::descend(chain, {1, 2, 0}, few, kNever);
  CHECK(generated.ending == hstar::Descent::Ending::kGenerated);
  CHECK_EQUAL(generated.generated, 0u);
  few = {};
  few.limits.memory_bytes = 1;
  CHECK(hstar::descend(chain, {1, 2, 0}, few, kNever).ending == hstar::Descent::Ending::kMemory);
}

namespace {

// Two turns and their inverses of six corners with orientations (the 3x3x3 turned at two faces only): slot s has the
// places 3 s, 3 s + 1 and 3 s + 2. Both turns fix the slots' cyclic order.
std::vector<Permutation> corner_turns() {
  const std::vector<std::vector<std::pair<unsigned, unsigned>>> turns = {
      {{1, 0}, {2, 0}, {3, 0}, {0, 0}, {4, 0}, {5, 0}},  // slots 0 to 3 in a cycle
      {{3, 1}, {1, 0}, {2, 0}, {4, 2}, {5, 1}, {0, 2}},  // slots 0, 3, 4, 5 in a cycle, with twists
  };
  std::vector<Permutation> all;
  for (const auto& turn : turns) {
    Permutation images(18), inverse(18);
    for (unsigned slot = 0; slot < 6; ++slot)
      for (unsigned facelet = 0; facelet < 3; ++facelet)
        images[3 * slot + facelet] = static_cast<Point>(3 * turn[slot].first + (facelet + turn[slot].second) % 3);
    for (Point x = 0; x < 18; ++x) inverse[images[x]] = x;
    all.push_back(images);
    all.push_back(inverse);
  }
  return all;
}

const std::vector<Point> kCorners = {0, 3, 6, 9, 12, 15};

Permutation mixed(const std::vector<Permutation>& generators, std::uint64_t random) {
  Permutation element(generators.front().size());
  std::iota(element.begin(), element.end(), Point{0});
  for (int k = 0; k < 40; ++k) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    for (Point& x : element) x = generators[(random >> 33) % generators.size()][x];
  }
  return element;
}

// The triples of pieces with so many orientations, without symmetries.
hstar::PieceTriples triples_of(const std::vector<Permutation>& turns, const std::vector<Point>& base,
                               Point orientations, const std::vector<std::uint8_t>& last_moves,
                               const hstar::Stop& stop) {
  std::vector<Point> first(turns.front().size());
  Permutation same(first.size());
  for (Point x = 0; x < first.size(); ++x) {
    first[x] = static_cast<Point>(x / orientations * orientations);
    same[x] = x;
  }
  return {turns, base, {same}, first, last_moves, stop};
}

hstar::PieceTriples corner_triples(const std::vector<Permutation>& turns, const hstar::Stop& stop) {
  return triples_of(turns, kCorners, 3, {}, stop);
}

}  // namespace

TEST(anytime, triples_are_as_far_as_a_search_of_their_three_pieces_says) {
  const std::vector<Permutation> turns = corner_turns();
  const hstar::PieceTriples triples = corner_triples(turns, kNever);
  CHECK(triples.complete());
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Permutation element = mixed(turns, seed);
    std::vector<Point> places;
    for (const Point home : kCorners) places.push_back(element[home]);
    // One triple has the first three pieces, one pair the first two, and the first piece is alone: three sums.
    std::uint32_t expected = 0;
    for (std::size_t pieces = 1; pieces <= 3; ++pieces) {
      const std::vector<Point> goal(kCorners.begin(), kCorners.begin() + static_cast<std::ptrdiff_t>(pieces));
      std::vector<std::vector<Point>> layer = {{places.begin(), places.begin() + static_cast<std::ptrdiff_t>(pieces)}},
                                      next;
      std::set<std::vector<Point>> seen(layer.begin(), layer.end());
      std::uint32_t moves = 0;
      while (std::find(layer.begin(), layer.end(), goal) == layer.end()) {
        next.clear();
        for (const auto& at : layer)
          for (const Permutation& turn : turns) {
            std::vector<Point> after;
            for (const Point place : at) after.push_back(turn[place]);
            if (seen.insert(after).second) next.push_back(after);
          }
        layer.swap(next);
        ++moves;
      }
      expected += moves * moves;
      CHECK_EQUAL(triples.distance(places.data(), pieces), expected);
    }
  }
}

TEST(anytime, stages_and_words_take_every_element_to_the_identity) {
  const std::vector<Permutation> turns = corner_turns();
  const hstar::PieceTriples triples = corner_triples(turns, kNever);
  const WordChain chain(turns, kCorners, {{{0, 1, 2, 3}, 4, 10'000, 0}}, {}, kNever);
  hstar::StageOptions stages;
  stages.levels = {1, 3, 4};
  stages.width = 30;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Permutation element = mixed(turns, seed);
    hstar::Descent way;
    const auto partials = hstar::search_stages(triples, element, stages, {}, kNever, way);
    CHECK(!partials.empty());
    for (const hstar::Partial& partial : partials) {
      Permutation after = element;
      for (const std::uint8_t m : partial.moves)
        for (Point& x : after) x = turns[m][x];
      for (std::size_t k = 0; k < partial.level; ++k) CHECK_EQUAL(after[kCorners[k]], kCorners[k]);
    }
    const auto whole = hstar::descend_in_stages(triples, chain, element, stages, {30}, kNever);
    CHECK(whole.ending == hstar::Descent::Ending::kDone);
    Permutation after = element;
    for (const std::uint8_t m : whole.moves)
      for (Point& x : after) x = turns[m][x];
    for (std::size_t x = 0; x < after.size(); ++x) CHECK_EQUAL(after[x], x);
    CHECK(whole.expanded >= way.expanded);
  }
}

TEST(anytime, stages_keep_their_limits) {
  const std::vector<Permutation> turns = corner_turns();
  
  CHECK(!corner_triples(turns, kAlways).complete());
  const hstar::PieceTriples triples = corner_triples(turns, kNever);
  const WordChain chain(turns, kCorners, {{{0, 1, 2, 3}, 4, 10'000, 0}}, {}, kNever);
  const Permutation element = mixed(turns, 3);
  hstar::StageOptions stages;
  stages.levels = {2, 4};
  hstar::ChainSearchOptions few;
  few.limits.expanded = 7;
  auto way = hstar::descend_in_stages(triples, chain, element, stages, few, kNever);
  CHECK(way.ending == hstar::Descent::Ending::kExpanded);
  CHECK_EQUAL(way.expanded, 7u);
  few = {};
  few.limits.generated = 9;
  way = hstar::descend_in_stages(triples, chain, element, stages, few, kNever);
  CHECK(way.ending == hstar::Descent::Ending::kGenerated);
  CHECK(way.generated <= 9);
  few = {};
  few.limits.memory_bytes = 1;
  CHECK(hstar::descend_in_stages(triples, chain, element, stages, few, kNever).ending ==
        hstar::Descent::Ending::kMemory);
  CHECK(hstar::descend_in_stages(triples, chain, element, stages, {}, kAlways).ending ==
        hstar::Descent::Ending::kStopped);
  stages.levels = {4, 2};
  CHECK_THROWS(hstar::descend_in_stages(triples, chain, element, stages, {}, kNever), "not in ascending order");
  stages.levels = {6};
  CHECK_THROWS(hstar::descend_in_stages(triples, chain, element, stages, {}, kNever), "not in ascending order");
}

namespace {

// Three turns and their inverses of seven slots in which pieces are turned over: those of two faces turn an even number
// of pieces over and, by themselves, none; the third, of slots 0, 5 and 6, turns two over.
std::vector<Permutation> edge_turns() {
  const std::vector<std::vector<std::pair<unsigned, unsigned>>> turns = {
      {{1, 0}, {2, 0}, {0, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}},
      {{0, 0}, {1, 0}, {3, 0}, {4, 0}, {2, 0}, {5, 0}, {6, 0}},
      {{5, 1}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {6, 1}, {0, 0}},
  };
  std::vector<Permutation> all;
  for (const auto& turn : turns) {
    Permutation images(14), inverse(14);
    for (unsigned slot = 0; slot < 7; ++slot)
      for (unsigned facelet = 0; facelet < 2; ++facelet)
        images[2 * slot + facelet] = static_cast<Point>(2 * turn[slot].first + (facelet + turn[slot].second) % 2);
    for (Point x = 0; x < 14; ++x) inverse[images[x]] = x;
    all.push_back(images);
    all.push_back(inverse);
  }
  return all;
}

bool solves(const std::vector<Permutation>& turns, Permutation element, const std::vector<std::uint8_t>& moves) {
  for (const std::uint8_t m : moves)
    for (Point& x : element) x = turns[m][x];
  for (Point x = 0; x < element.size(); ++x)
    if (element[x] != x) return false;
  return true;
}

const std::vector<Point> kEdges = {12, 10, 0, 2, 4, 6, 8};  // what the first two turns turn comes last
const std::vector<std::uint8_t> kLastMoves = {0, 1, 2, 3};

hstar::PieceTriples edge_triples(const std::vector<Permutation>& turns) {
  return triples_of(turns, kEdges, 2, kLastMoves, kNever);
}

}  // namespace

TEST(anytime, a_perimeter_has_all_states_near_home) {
  const std::vector<Permutation> turns = edge_turns();
  const hstar::Perimeter perimeter(turns, kEdges, 2, kLastMoves, 40, kNever);
  CHECK(perimeter.complete());
  CHECK(perimeter.radius() > 1 && perimeter.states() <= 40);
  const auto after = [](std::vector<Point> places, const Permutation& turn) {
    for (Point& x : places) x = turn[x];
    return places;
  };
  std::set<std::vector<Point>> sphere = {{0, 2, 4, 6, 8}}, seen = sphere;
  for (unsigned distance = 0; !sphere.empty(); ++distance) {
    std::set<std::vector<Point>> next;
    for (const auto& places : sphere) {
      const auto path = perimeter.path(places);
      CHECK(path.has_value() == (distance <= perimeter.radius()));
      if (path) {
        CHECK_EQUAL(path->size(), distance);
        std::vector<Point> end = places;
        for (const std::uint8_t m : *path) end = after(end, turns[m]);
        CHECK(end == std::vector<Point>({0, 2, 4, 6, 8}));
      }
      for (const std::uint8_t m : kLastMoves)
        if (const auto child = after(places, turns[m]); seen.insert(child).second) next.insert(child);
    }
    if (distance == perimeter.radius()) CHECK_EQUAL(seen.size() - next.size(), perimeter.states());
    sphere.swap(next);
  }
  CHECK_EQUAL(seen.size(), 60u);  // the even permutations of five pieces, none of which is turned over
  CHECK(!perimeter.path({1, 3, 4, 6, 8}).has_value());
  CHECK(!hstar::Perimeter(turns, kEdges, 2, kLastMoves, 40, kAlways).complete());
  CHECK_THROWS(hstar::Perimeter(turns, kEdges, 7, kLastMoves, 40, kNever), "do not exist");
  CHECK_THROWS(hstar::Perimeter(turns, kEdges, 2, {6}, 40, kNever), "do not exist");
}

TEST(anytime, a_ranking_adds_up_its_units_and_its_stage_is_solved_by_any_weights) {
  const std::vector<Permutation> turns = corner_turns();
  const std::size_t degree = turns.front().size(), units = hstar::StageRanking::kUnits, pieces = 3;
  hstar::SplitMix random;
  std::vector<std::int8_t> weights(pieces * degree * units);
  std::vector<std::int16_t> first(units), counts(units);
  for (auto& one : weights) one = static_cast<std::int8_t>(random() % 9) - 4;
  for (auto& one : first) one = static_cast<std::int16_t>(random() % 21) - 10;
  for (auto& one : counts) one = static_cast<std::int16_t>(random() % 801) - 400;
  const hstar::StageRanking ranking(pieces, degree, weights, first, counts, 5 << 16);
  const auto expected = [&](const std::vector<Point>& places) {
    std::int64_t sum = 5 << 16;
    for (std::size_t u = 0; u < units; ++u) {
      std::int64_t unit = first[u];
      for (std::size_t k = 0; k < pieces; ++k) unit += weights[(k * degree + places[k]) * units + u];
      sum += std::max<std::int64_t>(unit, 0) * counts[u];
    }
    return std::max<std::int64_t>(0, (sum >> 9) + 64 * 128);  // a move is 128, and 64 of them are added
  };
  std::vector<Point> places(kCorners.begin(), kCorners.begin() + pieces);
  for (int i = 0; i < 50; ++i) {
    auto sums = ranking.sums(places.data());
    CHECK_EQUAL(std::int64_t{ranking.score(sums)}, expected(places));
    const Permutation& turn = turns[random() % turns.size()];
    for (std::size_t k = 0; k < pieces; ++k) {
      ranking.move(sums, k, places[k], turn[places[k]]);
      places[k] = turn[places[k]];
    }
    CHECK_EQUAL(std::int64_t{ranking.score(sums)}, expected(places));
  }

  const hstar::PieceTriples triples = corner_triples(turns, kNever);
  const WordChain chain(turns, kCorners, {{{0, 1, 2, 3}, 4, 10'000, 0}}, {}, kNever);
  hstar::StageOptions stages;
  stages.levels = {1, 3, 4};
  stages.width = 30;
  bool differs = false;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Permutation element = mixed(turns, seed);
    stages.ranking = nullptr;
    const auto plain = hstar::descend_in_stages(triples, chain, element, stages, {30}, kNever);
    stages.ranking = &ranking;
    const auto ranked = hstar::descend_in_stages(triples, chain, element, stages, {30}, kNever);
    CHECK(ranked.ending == hstar::Descent::Ending::kDone);
    CHECK(solves(turns, element, ranked.moves));
    differs = differs || ranked.moves != plain.moves;
  }
  CHECK(differs);

  // Beams of the stage alone, from several elements: states of each layer, and a way from one of them.
  stages.levels = {pieces};
  hstar::StageSamples samples;
  samples.starts = {mixed(turns, 1), mixed(turns, 2)};
  samples.of_layer = 4;
  stages.samples = &samples;
  hstar::Descent way;
  way.ending = hstar::Descent::Ending::kDone;
  const auto ways = hstar::search_stages(triples, mixed(turns, 3), stages, {}, kNever, way);
  CHECK(!ways.empty());
  const auto brings_home = [&](Permutation element) {
    for (const std::uint8_t move : ways.front().moves)
      for (Point& place : element) place = turns[move][place];
    return std::all_of(kCorners.begin(), kCorners.begin() + pieces, [&](Point x) { return element[x] == x; });
  };
  CHECK(brings_home(mixed(turns, 1)) || brings_home(mixed(turns, 2)) || brings_home(mixed(turns, 3)));
  CHECK_EQUAL(samples.depths.size() % 4, 0u);
  CHECK_EQUAL(samples.places.size(), samples.depths.size() * kCorners.size());
  for (std::size_t n = 0; n < samples.depths.size(); ++n) {
    CHECK_EQUAL(samples.depths[n], n / 4 + 1);
    std::set<Point> in(&samples.places[n * kCorners.size()], &samples.places[n * kCorners.size()] + kCorners.size());
    CHECK_EQUAL(in.size(), kCorners.size());
  }
  stages.samples = nullptr;
  const hstar::StageRanking other(pieces, degree + 1, std::vector<std::int8_t>(pieces * (degree + 1) * units), first,
                                  counts, 0);
  stages.ranking = &other;
  CHECK_THROWS(hstar::search_stages(triples, turns.front(), stages, {}, kNever, way), "differ in degree");
  CHECK_THROWS(hstar::StageRanking(pieces, degree + 1, weights, first, counts, 0), "do not fit");
  first[3] = 32'767;
  CHECK_THROWS(hstar::StageRanking(pieces, degree, weights, first, counts, 0), "too large");
}

TEST(anytime, stages_end_in_regions_and_last_moves_take_the_rest_home) {
  const std::vector<Permutation> turns = edge_turns();
  const hstar::PieceTriples triples = edge_triples(turns);
  CHECK_EQUAL(triples.ending(), 2u);
  CHECK_EQUAL(triples.regions().size(), 5u);
  const WordChain chain(turns, kEdges, {{{0, 1, 2, 3, 4, 5}, 4, 10'000, 0}}, {}, kNever);
  hstar::StageOptions stages;
  stages.levels = {1, 2};
  stages.width = 50;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Permutation element = mixed(turns, seed);
    hstar::Descent way;
    way.ending = hstar::Descent::Ending::kDone;
    const auto partials = hstar::search_stages(triples, element, stages, {}, kNever, way);
    std::size_t in_regions = 0;
    for (const hstar::Partial& partial : partials) {
      if (partial.level != 2) continue;
      ++in_regions;
      for (std::size_t k = 2; k < kEdges.size(); ++k) {
        Point place = element[kEdges[k]];
        for (const std::uint8_t m : partial.moves) place = turns[m][place];
        CHECK_EQUAL(place % 2, 0);  // not turned over
      }
    }
    CHECK(in_regions > 0);
    // With a small perimeter words come before it; with all states in it there are none.
    std::size_t length = 0;
    for (const std::size_t most : {60, 10}) {
      const hstar::Perimeter perimeter(turns, kEdges, 2, kLastMoves, most, kNever);
      hstar::Descent end;
      end.ending = hstar::Descent::Ending::kDone;
      const auto endings = hstar::shortest_endings(perimeter, element, partials, {}, {}, kNever, end);
      CHECK_EQUAL(endings.size(), 1u);
      CHECK_EQUAL(endings.front().level, kEdges.size());
      CHECK(solves(turns, element, endings.front().moves));
      CHECK(length == 0 || length == endings.front().moves.size());
      length = endings.front().moves.size();
      const std::vector<const hstar::Perimeter*> last = {&perimeter};
      const auto whole = hstar::descend_in_stages(triples, chain, element, stages, {50}, kNever, last);
      CHECK(whole.ending == hstar::Descent::Ending::kDone);
      CHECK_EQUAL(whole.moves.size(), length);
      stages.threads = 3;
      CHECK(hstar::descend_in_stages(triples, chain, element, stages, {50}, kNever, last).moves == whole.moves);
      stages.threads = 1;
      hstar::ChainSearchOptions few;
      few.limits.expanded = way.expanded;
      const auto limited = hstar::descend_in_stages(triples, chain, element, stages, few, kNever, last);
      CHECK(limited.expanded <= few.limits.expanded);
    }
  }
}

TEST(anytime, a_perimeter_of_a_group_and_then_that_of_its_moves_lead_home) {
  const std::vector<Permutation> turns = edge_turns();
  const std::vector<std::uint8_t> all = {0, 1, 2, 3, 4, 5};
  std::vector<Point> slots(14);
  for (Point x = 0; x < 14; ++x) slots[x] = static_cast<Point>(x / 2 * 2);
  const hstar::Perimeter last(turns, kEdges, 2, kLastMoves, 20, kNever);
  const hstar::Perimeter whole(turns, kEdges, 0, all, 100'000, kNever, kLastMoves, slots);
  CHECK_EQUAL(whole.states(), 7u * 6);  // two pieces in seven slots: how pieces are turned follows from their slots
  CHECK_EQUAL(whole.reached(), 2u);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Permutation element = mixed(turns, seed);
    const std::vector<hstar::Partial> start = {{0, {}}};
    for (const std::size_t most : {100'000, 20}) {
      const hstar::Perimeter first(turns, kEdges, 0, all, most, kNever, kLastMoves, slots);
      hstar::Descent way;
      way.ending = hstar::Descent::Ending::kDone;
      const auto joined = hstar::shortest_endings(first, element, start, {30, 100'000, 2}, {}, kNever, way);
      CHECK(!joined.empty() && joined.size() <= 30);
      std::vector<Point> places;
      for (const Point home : whole.homes()) places.push_back(element[home]);
      CHECK_EQUAL(joined.front().moves.size(), whole.distance(whole.fingerprint(places.data())).value_or(99));
      for (const hstar::Partial& one : joined) {
        CHECK_EQUAL(one.level, 2u);
        CHECK(one.moves.size() >= joined.front().moves.size());
      }
      CHECK(hstar::shortest_endings(first, element, start, {30, 100'000, 1}, {}, kNever, way).size() == joined.size());
      const auto ends = hstar::shortest_endings(last, element, joined, {}, {}, kNever, way);
      CHECK(!ends.empty() && solves(turns, element, ends.front().moves));
    }
    hstar::Limits few;
    few.generated = 0;
    hstar::Descent way;
    way.ending = hstar::Descent::Ending::kDone;
    CHECK(hstar::shortest_endings(whole, element, start, {}, few, kNever, way).empty());
    CHECK(way.ending == hstar::Descent::Ending::kGenerated);
    way.ending = hstar::Descent::Ending::kDone;
    CHECK(hstar::shortest_endings(whole, element, start, {}, {}, kAlways, way).empty());
    CHECK(way.ending == hstar::Descent::Ending::kStopped);
  }
  CHECK_THROWS(hstar::Perimeter(turns, kEdges, 0, all, 50, kNever, kLastMoves, {}), "do not fit");
}

TEST(anytime, a_perimeter_of_a_group_that_turns_pieces_to_some_of_their_orientations_only) {
  // As above with four facelets a slot; a turn brings one of three pieces home the other way round.
  const std::vector<std::vector<std::pair<unsigned, unsigned>>> ways = {
      {{1, 2}, {2, 0}, {0, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}},
      {{0, 0}, {1, 0}, {3, 0}, {4, 2}, {2, 0}, {5, 0}, {6, 0}},
      {{5, 2}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {6, 0}, {0, 0}},
  };
  std::vector<Permutation> turns;
  for (const auto& way : ways) {
    Permutation images(28), inverse(28);
    for (unsigned x = 0; x < 28; ++x)
      images[x] = static_cast<Point>(4 * way[x / 4].first + (x + way[x / 4].second) % 4);
    for (Point x = 0; x < 28; ++x) inverse[images[x]] = x;
    turns.push_back(images);
    turns.push_back(inverse);
  }
  std::vector<Point> slots(28), base;
  for (Point x = 0; x < 28; ++x) slots[x] = static_cast<Point>(x / 4 * 4);
  for (const Point home : kEdges) base.push_back(static_cast<Point>(2 * home));
  const std::vector<std::uint8_t> all = {0, 1, 2, 3, 4, 5};
  const hstar::Perimeter whole(turns, base, 0, all, 100'000, kNever, kLastMoves, slots);
  CHECK_EQUAL(whole.states(), 7u * 6 * 4);  // two pieces in seven slots, each in one of two orientations
  CHECK_EQUAL(whole.reached(), 2u);
  const hstar::Perimeter last(turns, base, 2, kLastMoves, 100'000, kNever);
  CHECK_EQUAL(last.states(), 60u * 32);  // even permutations of five pieces, each in one of two orientations
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Permutation element = mixed(turns, seed);
    const std::vector<hstar::Partial> start = {{0, {}}};
    hstar::Descent way;
    way.ending = hstar::Descent::Ending::kDone;
    const auto joined = hstar::shortest_endings(whole, element, start, {30, 100'000, 1}, {}, kNever, way);
    CHECK(!joined.empty());
    const auto ends = hstar::shortest_endings(last, element, joined, {}, {}, kNever, way);
    CHECK(!ends.empty() && solves(turns, element, ends.front().moves));
  }
}

TEST(anytime, words_before_a_perimeter_end_where_no_more_words_are_new) {
  // Neither group leads from an exchange of two points, so that all words are tried: of commuting exchanges there are
  // four, of exchanges of neighbours two of each length.
  const std::vector<std::vector<Permutation>> groups = {{{1, 0, 2, 3, 4, 5, 6}, {0, 1, 3, 2, 4, 5, 6}},
                                                        {{1, 0, 3, 2, 5, 4, 6}, {0, 2, 1, 4, 3, 6, 5}}};
  const Permutation element = {4, 1, 2, 3, 0, 5, 6};
  for (const std::vector<Permutation>& turns : groups) {
    const hstar::Perimeter perimeter(turns, {0, 1, 2, 3, 4, 5, 6}, 0, {0, 1}, 100, kNever);
    hstar::Descent way;
    way.ending = hstar::Descent::Ending::kDone;
    const std::vector<hstar::Partial> start = {{0, {}}};
    CHECK(hstar::shortest_endings(perimeter, element, start, {1, 30'000'000, 1}, {}, kNever, way).empty());
    CHECK(way.ending == hstar::Descent::Ending::kDone);
    CHECK(way.generated < 1000);
  }
}

}  // namespace test_anytime
