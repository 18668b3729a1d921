// Puzzles of more slots and values than states of fixed size are for: the same puzzle, small and inside a large one, is
// searched alike; and moves are the same whatever instructions the machine has.
#include "audit/audit.hpp"
#include "check.hpp"
#include "deepening/pattern_search.hpp"
#include "pattern_worlds.hpp"
#include "puzzle/wide_moves.hpp"
#include "search/node.hpp"
#include "searches.hpp"

namespace test_wide {

using namespace hstar;
using test::Numbers;
using test::Random;
using test::State;
using Definition = PermutationPuzzle::Definition;

namespace {

State state_of(const std::vector<unsigned>& values, std::size_t width) {
  State state(values.size() * width);
  for (std::size_t slot = 0; slot < values.size(); ++slot) set_value(state.data(), slot, width, values[slot]);
  return state;
}

// A small puzzle in the last slots of a larger one, whose other slots no move touches.
struct Embedding {
  std::shared_ptr<const PermutationPuzzle> small, large;
  std::size_t first;  // slot of the large one that is the small one's slot 0

  Embedding(std::shared_ptr<const PermutationPuzzle> puzzle, std::size_t slots, unsigned values, bool one_orbit = false)
      : small(std::move(puzzle)), first(slots - small->slots()) {
    std::vector<unsigned> counts(first, values), goal(first, 0);
    for (unsigned slot = 0; one_orbit && slot < first; ++slot) goal[slot] = slot;
    for (std::size_t slot = 0; slot < small->slots(); ++slot) {
      counts.push_back(small->values(slot));
      goal.push_back(small->goal()[slot]);
    }
    std::vector<Definition> moves;
    for (unsigned move = 0; move < small->move_count(); ++move) {
      Definition& own = moves.emplace_back();
      for (const PermutationPuzzle::Touch& touch : small->touches(move)) {
        own.dst.push_back(static_cast<std::uint16_t>(first + touch.dst));
        own.src.push_back(static_cast<std::uint16_t>(first + touch.src));
        const Value* map = small->maps() + touch.map;
        own.maps.emplace_back(map, map + small->values(touch.src));
      }
    }
    large = std::make_shared<const PermutationPuzzle>(counts, state_of(goal, values > 256 ? 2 : 1), moves);
  }

  State operator()(const State& state) const {
    State all = test::goal_of(*large);
    for (std::size_t slot = 0; slot < state.size(); ++slot)
      set_value(all.data(), first + slot, large->width(), state[slot]);
    return all;
  }
  // A table with the small puzzle's rows, and zeros for the other slots.
  template <class T>
  std::vector<T> table(const std::vector<T>& own, std::size_t width, std::size_t wide) const {
    std::vector<T> all(large->slots() * wide);
    for (std::size_t slot = 0; slot < small->slots(); ++slot)
      std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(slot * width), width,
                  all.begin() + static_cast<std::ptrdiff_t>((first + slot) * wide));
    return all;
  }
};

struct Record {
  std::uint64_t hash;
  std::uint32_t node;
  WideState state;
};
struct Sizes {
  using State = WideState;
  std::size_t state_bytes() const { return 200; }
};

constexpr std::pair<unsigned, unsigned> kSizes[] = {{129, 4}, {200, 256}, {512, 60}, {300, 300}, {512, 1024}};

void check_same(const Outcome& a, const Outcome& b) {
  CHECK_EQUAL(static_cast<int>(a.status), static_cast<int>(b.status));
  CHECK(a.path == b.path);
  CHECK_EQUAL(a.expanded, b.expanded);
  CHECK_EQUAL(a.generated, b.generated);
  CHECK_EQUAL(a.evaluated, b.evaluated);
  CHECK_EQUAL(a.reopened, b.reopened);
  CHECK_EQUAL(a.stored, b.stored);
  CHECK_EQUAL(a.max_open, b.max_open);
  CHECK_EQUAL(a.f_bound, b.f_bound);
}

}  // namespace

TEST(wide, every_search_counts_as_on_the_small_puzzle) {
  Random random(3);
  ArenaLease lease;
  int solved = 0;
  for (int trial = 0; trial < test::instances(300, 20); ++trial) {
    const auto small = test::random_permutation(4 + test::below(random, 20), random);
    const auto [slots, values] = kSizes[trial % std::size(kSizes)];
    const Embedding embedding(small, slots, values);
    const std::size_t width = test::width_of(*small), wide = test::width_of(*embedding.large);
    const auto table = test::random_table(*small, width, 0, 3, random);
    const Feature groups = test::random_groups(*small, width, random);
    // One heuristic is a table of raw numbers, the other is computed from the state.
    const bool by_state = trial % 2;
    const auto heuristic = [&](const auto& puzzle, const auto& numbers, const auto& masks, std::size_t columns) {
      std::vector<Feature> features{{Feature::Kind::table, numbers, columns},
                                    {Feature::Kind::maximum, numbers, columns},
                                    {Feature::Kind::union_of_groups, {}, columns, masks}};
      std::vector<Instruction> program{{Op::feature, 0, by_state ? 2u : 0u}};
      return Heuristic(puzzle, features, program, true, 1000);
    };
    const State moves = test::all_moves(*small);
    const State start = test::walk(*small, test::goal_of(*small), 12, random);
    const test::Problem narrow{small, heuristic(small, table, groups.masks, width), start, moves};
    const test::Problem broad{embedding.large,
                              heuristic(embedding.large, embedding.table(table, width, wide),
                                        embedding.table(groups.masks, width, wide), wide),
                              embedding(start), moves};
    SearchOptions options;
    options.limits.expanded = 400;
    options.tie_breaking = static_cast<TieBreaking>(trial % 4);
    for (const test::Search& search : test::kSearches) {
      if (options.tie_breaking == TieBreaking::batch && std::string(search.name) == "greedy") continue;
      Control a, b;
      const Outcome small_outcome = search.run(lease.arena(), narrow, options, a);
      check_same(small_outcome, search.run(lease.arena(), broad, options, b));
      solved += small_outcome.status == Status::solved;
    }
    State inverses, undone;
    for (const std::uint8_t move : moves)
      if (small->inverse(move) != PermutationPuzzle::kNone &&
          std::ranges::find(inverses, small->inverse(move)) == inverses.end()) {
        undone.push_back(move);
        inverses.push_back(static_cast<std::uint8_t>(small->inverse(move)));
      }
    if (undone.empty()) continue;
    Control a, b;
    const Audit ours = audit(narrow.heuristic, nullptr, undone, inverses, 3, {}, a);
    const Audit theirs = audit(broad.heuristic, nullptr, undone, inverses, 3, {}, b);
    CHECK_EQUAL(ours.looked_at, theirs.looked_at);
    CHECK_EQUAL(ours.rows.size(), theirs.rows.size());
    for (std::size_t i = 0; i < ours.rows.size(); ++i) {
      CHECK_EQUAL(ours.rows[i].states, theirs.rows[i].states);
      CHECK_EQUAL(ours.rows[i].inadmissible, theirs.rows[i].inadmissible);
      CHECK_EQUAL(ours.rows[i].inconsistent, theirs.rows[i].inconsistent);
      CHECK_EQUAL(ours.rows[i].ratio_sum, theirs.rows[i].ratio_sum);
    }
  }
  CHECK(solved > 20);
}

TEST(wide, pattern_databases_count_as_on_the_small_puzzle) {
  Random random(5);
  for (int round = 0; round < 8; ++round) {
    const std::vector<Orbit> orbits{{0, 4, 2}, {4, 4, 1}};
    const auto space = test::random_space(orbits, 2, random);
    const auto small = std::make_shared<const PermutationPuzzle>(space->puzzle());
    const unsigned rest = round % 2 ? 300 : 250;
    const Embedding embedding(small, rest + 8, rest, true);
    const auto large = std::make_shared<const PieceSpace>(
        embedding.large, std::vector<Orbit>{{0, rest, 1}, {rest, 4, 2}, {rest + 4, 4, 1}});
    const test::Moves moves{0, 1, 2, 3};
    const auto at = [&](Numbers pieces, unsigned shift) {
      for (auto& piece : pieces) piece = static_cast<std::uint16_t>(piece + shift);
      return pieces;
    };
    const PatternHeuristic narrow(space, moves, {test::database(space, moves, {0, 1, 5})}, {});
    // Two pieces that never move are at home in their orbit of hundreds: nothing changes.
    Numbers more = at({0, 1, 5}, rest);
    more.push_back(static_cast<std::uint16_t>(rest - 1));
    const PatternHeuristic broad(
        large, moves, {test::database(large, moves, at({0, 1, 5}, rest)), test::database(large, moves, more)}, {});
    for (int number = 0; number < 20; ++number) {
      const State start = test::walk(*small, test::goal_of(*small), 10, random);
      CHECK_EQUAL(narrow.checked_value(start), broad.checked_value(embedding(start)));
      for (const unsigned threads : {1u, 2u}) {
        Control a, b;
        const Outcome one = pattern_ida_star(start, narrow, {}, threads, a);
        const Outcome other = pattern_ida_star(embedding(start), broad, {}, threads, b);
        CHECK(one.path == other.path);
        if (threads == 1) {
          CHECK_EQUAL(one.expanded, other.expanded);
          CHECK_EQUAL(one.generated, other.generated);
        }
      }
    }
  }
}

TEST(wide, an_orbit_of_hundreds_of_pieces_has_pattern_databases) {
  // A ring of 300: one step to either side. A pattern of one piece, and of two, is as far as the ring is long.
  constexpr unsigned n = 300;
  Definition step, back;
  for (unsigned slot = 0; slot < n; ++slot) {
    step.dst.push_back(static_cast<std::uint16_t>(slot));
    step.src.push_back(static_cast<std::uint16_t>((slot + 1) % n));
    step.maps.push_back(test::numbers_to(n));
  }
  back = test::inverse_of(step);
  std::vector<unsigned> goal(n);
  std::iota(goal.begin(), goal.end(), 0u);
  const auto puzzle = std::make_shared<const PermutationPuzzle>(std::vector<unsigned>(n, n), state_of(goal, 2),
                                                                std::vector<Definition>{step, back});
  const auto space = std::make_shared<const PieceSpace>(puzzle, std::vector<Orbit>{{0, n, 1}});
  const PatternHeuristic heuristic(space, {0, 1}, {test::database(space, {0, 1}, {7, 280})}, {});
  State state = test::goal_of(*puzzle), next(state.size());
  for (unsigned turned = 1; turned <= n / 2; ++turned) {
    CHECK(puzzle->apply(state, 0, next.data()));
    state.swap(next);
    CHECK_EQUAL(heuristic.checked_value(state), turned);
  }
  std::swap(state[0], state[2]);
  std::swap(state[1], state[3]);
  CHECK_EQUAL(heuristic.checked_value(state), 150u);  // the pattern does not see it
}

TEST(wide, moves_are_the_same_with_all_instructions) {
  Random random(7);
  for (int trial = 0; trial < test::instances(400, 30); ++trial) {
    const unsigned slots = 1 + test::below(random, 512);
    const unsigned values = std::vector<unsigned>{2, 24, 64, 65, 256, 257, 1000}[test::below(random, 7)];
    const bool near = test::below(random, 2);  // what moves is close together, as in orbits
    const unsigned touched = 1 + test::below(random, std::min(slots, near ? 40u : slots));
    const unsigned begin = test::below(random, slots - touched + 1);
    std::vector<Definition> moves(1 + test::below(random, 3));
    for (Definition& move : moves) {
      for (unsigned i = 0; i < touched; ++i) move.dst.push_back(static_cast<std::uint16_t>(begin + i));
      move.src = move.dst;
      if (test::below(random, 4)) test::shuffle(move.src, random);
      Numbers few[2] = {test::numbers_to(values), test::numbers_to(values)};
      test::shuffle(few[1], random);
      for (unsigned i = 0; i < touched; ++i) move.maps.push_back(few[test::below(random, 2)]);
    }
    const std::size_t width = values > 256 ? 2 : 1;
    const PermutationPuzzle puzzle(std::vector<unsigned>(slots, values), State(slots * width), moves);
    State all = test::all_moves(puzzle);
    test::shuffle(all, random);
    const WideMoves portable(puzzle, all, Instructions::portable), best(puzzle, all);
    const WideMoves middle(puzzle, all, std::min(best_instructions(), Instructions::avx2));
    std::vector<unsigned> contents(slots);
    for (auto& value : contents) value = test::below(random, values);
    const State state = state_of(contents, width);
    for (std::size_t number = 0; number < all.size(); ++number) {
      State expected(state.size());
      puzzle.apply(state, all[number], expected.data());
      const WideState wanted{Bytes(expected)}, before{Bytes(state)};
      for (const WideMoves* one : {&portable, &middle, &best}) {
        WideState after;
        one->apply(number, before, after);
        CHECK(after == wanted);
      }
    }
  }
}

TEST(wide, a_record_takes_the_bytes_of_its_state) {
  CHECK_EQUAL(record_bytes<Record>(Sizes{}), std::size_t{8 + 4 + 2 + 200 + 2});
}

}  // namespace test_wide
