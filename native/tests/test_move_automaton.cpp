#include "puzzle/move_automaton.hpp"

#include <functional>
#include <map>
#include <optional>

#include "check.hpp"
#include "worlds.hpp"

namespace test_move_automaton {

using namespace hstar;
using test::State;

namespace {

// The automaton's state after moves numbers[0], numbers[1], ...; nothing if one of them may not follow.
std::optional<std::uint16_t> read(const MoveAutomaton& automaton, const State& numbers) {
  std::uint16_t state = MoveAutomaton::kStart;
  for (const std::uint8_t number : numbers) {
    const auto steps = automaton.steps(state);
    const auto step = std::ranges::find(steps, number, &MoveAutomaton::Step::number);
    if (step == steps.end()) return std::nullopt;
    state = step->next;
  }
  return state;
}

// The number of sequences of `length` moves that the automaton allows.
std::uint64_t sequences(const MoveAutomaton& automaton, unsigned length) {
  std::vector<std::uint64_t> ways(automaton.states(), 0);
  ways[MoveAutomaton::kStart] = 1;
  for (; length > 0; --length) {
    std::vector<std::uint64_t> longer(automaton.states(), 0);
    for (std::size_t state = 0; state < automaton.states(); ++state)
      for (const MoveAutomaton::Step& step : automaton.steps(static_cast<std::uint16_t>(state)))
        longer[step.next] += ways[state];
    ways = longer;
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t count : ways) sum += count;
  return sum;
}

// Turns of disjoint cycles of slots: turn i advances cycle[i].first by `times` steps, backwards if times < 0.
std::shared_ptr<const PermutationPuzzle> turns(unsigned slots, const std::vector<std::pair<State, int>>& cycles) {
  std::vector<PermutationPuzzle::Definition> moves;
  for (const auto& [cycle, times] : cycles) {
    PermutationPuzzle::Definition& move = moves.emplace_back();
    const int size = static_cast<int>(cycle.size());
    for (int i = 0; i < size; ++i) {
      move.src.push_back(cycle[static_cast<std::size_t>(i)]);
      move.dst.push_back(cycle[static_cast<std::size_t>(((i + times) % size + size) % size)]);
      move.maps.push_back(test::numbers_to(slots));
    }
  }
  return std::make_shared<const PermutationPuzzle>(std::vector<unsigned>(slots, slots), test::identity(slots), moves);
}

MoveAutomaton canonical(const Puzzle& puzzle) { return {puzzle, test::all_moves(puzzle), Pruning::canonical}; }

}  // namespace

TEST(move_automaton, none_allows_all_and_inverse_all_but_the_undoing) {
  test::Random random(61);
  std::uint64_t undoing = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const auto puzzle = test::random_permutation(1 + test::below(random, 20), random);
    State moves = test::all_moves(*puzzle);
    test::shuffle(moves, random);
    const MoveAutomaton none(*puzzle, moves, Pruning::none), inverse(*puzzle, moves, Pruning::inverse);
    CHECK_EQUAL(none.states(), 1u);
    CHECK_EQUAL(none.steps(MoveAutomaton::kStart).size(), moves.size());
    CHECK_EQUAL(inverse.steps(MoveAutomaton::kStart).size(), moves.size());
    for (std::uint8_t a = 0; a < moves.size(); ++a)
      for (std::uint8_t b = 0; b < moves.size(); ++b) {
        CHECK(read(none, {a, b}).has_value());
        const bool undoes = puzzle->inverse(moves[b]) == moves[a];
        CHECK_EQUAL(read(inverse, {a, b}).has_value(), !undoes);
        undoing += undoes;
      }
  }
  CHECK(undoing > 50);
}

TEST(move_automaton, on_tiles_a_move_may_not_take_the_last_one_back) {
  const auto puzzle = test::tiles(3, 3);
  for (const Pruning pruning : {Pruning::inverse, Pruning::canonical}) {
    const MoveAutomaton automaton(*puzzle, State{3, 0, 2}, pruning);  // left, up, down
    CHECK_EQUAL(automaton.states(), 4u);
    CHECK(!read(automaton, {1, 2}) && !read(automaton, {2, 1}));
    CHECK(read(automaton, {0, 0, 1, 1, 0, 2, 2}).has_value());
  }
}

TEST(move_automaton, counts_sequences_that_can_be_counted_by_hand) {
  // Five swaps that all commute: one sequence of n moves for each set of n swaps.
  std::vector<std::pair<State, int>> swaps;
  for (std::uint8_t i = 0; i < 5; ++i)
    swaps.push_back({{static_cast<std::uint8_t>(2 * i), static_cast<std::uint8_t>(2 * i + 1)}, 1});
  const auto commuting = turns(10, swaps);
  const std::uint64_t sets[] = {1, 5, 10, 10, 5, 1, 0};
  for (unsigned n = 0; n < 7; ++n) CHECK_EQUAL(sequences(canonical(*commuting), n), sets[n]);

  // One face of order 5 and its opposite, quarter turns both ways: each is turned by 0, +-1 or +-2.
  const State face{0, 1, 2, 3, 4}, opposite{5, 6, 7, 8, 9};
  const auto pair = turns(10, {{face, 1}, {opposite, 1}, {face, -1}, {opposite, -1}});
  const std::uint64_t of_pair[] = {1, 4, 8, 8, 4, 0};
  for (unsigned n = 0; n < 6; ++n) CHECK_EQUAL(sequences(canonical(*pair), n), of_pair[n]);

  // With half turns as moves, each face moves at most once.
  const auto doubles = turns(10, {{face, 1}, {face, 2}, {face, -1}, {face, -2}, {opposite, 1}});
  const std::uint64_t of_doubles[] = {1, 5, 5, 5, 5, 4, 0};  // then the opposite face: one move, up to four times
  for (unsigned n = 0; n < 7; ++n) CHECK_EQUAL(sequences(canonical(*doubles), n), of_doubles[n]);

  // Faces that overlap do not commute, so only moves of the same face are pruned: 4 first moves, then one of the other
  // face's 2 or the same turn again; never three times, since that equals two turns the other way.
  const auto overlapping =
      turns(9, {{{0, 1, 2, 3, 4}, 1}, {{0, 1, 2, 3, 4}, -1}, {{4, 5, 6, 7, 8}, 1}, {{4, 5, 6, 7, 8}, -1}});
  const std::uint64_t of_overlapping[] = {1, 4, 12, 32};
  for (unsigned n = 0; n < 4; ++n) CHECK_EQUAL(sequences(canonical(*overlapping), n), of_overlapping[n]);
}

TEST(move_automaton, canonical_keeps_the_first_shortest_sequence_of_every_effect) {
  test::Random random(62);
  std::uint64_t effects = 0, dropped = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto puzzle = test::random_permutation(2 + test::below(random, 14), random);
    State moves = test::all_moves(*puzzle);
    test::shuffle(moves, random);
    const MoveAutomaton automaton(*puzzle, moves, Pruning::canonical);
    // The effect of a sequence on some states. Different effects may look the same here; that does no harm, since the
    // first sequence of the larger class is also the first of its own effect.
    std::vector<State> probe;
    for (int i = 0; i < 3; ++i) {
      State state(puzzle->slots());
      for (auto& value : state) value = static_cast<std::uint8_t>(test::below(random, puzzle->values(0)));
      probe.push_back(state);
    }
    std::map<std::vector<State>, State> first{{probe, {}}};
    std::vector<std::pair<State, std::vector<State>>> layer{{{}, probe}};
    // Layer by layer in the order of the moves, so that the first sequence met is the first of the shortest. Moves that
    // only such moves may follow come last in it.
    State order;
    for (const bool now : {false, true})
      for (std::uint8_t number = 0; number < moves.size(); ++number)
        if (automaton.last()[number] == now) order.push_back(number);
    for (int length = 0; length < 5; ++length) {
      std::vector<std::pair<State, std::vector<State>>> longer;
      for (const auto& [sequence, effect] : layer)
        for (const std::uint8_t number : order) {
          std::vector<State> after = effect;
          for (std::size_t i = 0; i < effect.size(); ++i) puzzle->apply(effect[i], moves[number], after[i].data());
          State extended = sequence;
          extended.push_back(number);
          const bool fresh = first.emplace(after, extended).second;
          if (fresh) longer.emplace_back(extended, after);
          if (!fresh && !read(automaton, extended)) ++dropped;
        }
      layer = std::move(longer);
    }
    for (const auto& [effect, sequence] : first) CHECK(read(automaton, sequence).has_value());
    effects += first.size();
  }
  CHECK(effects > 10000 && dropped > 1000);
}

TEST(move_automaton, canonical_keeps_a_cheapest_sequence_of_every_effect) {
  test::Random random(63);
  std::uint64_t effects = 0, dearer = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto puzzle = test::random_permutation(2 + test::below(random, 14), random);
    State moves = test::all_moves(*puzzle), costs;
    test::shuffle(moves, random);
    for (std::size_t i = 0; i < moves.size(); ++i)
      costs.push_back(static_cast<std::uint8_t>(1 + test::below(random, 4)));
    const MoveAutomaton automaton(*puzzle, moves, Pruning::canonical, costs), free(*puzzle, moves, Pruning::none);
    // What the cheapest sequence to each state costs, up to 5, by pruned sequences and by all: layers of equal cost.
    const auto cheapest = [&](const MoveAutomaton& by) {
      std::map<State, unsigned> found;
      std::map<std::pair<State, std::uint16_t>, unsigned> known;
      std::vector<std::vector<std::pair<State, std::uint16_t>>> layers(6);
      layers[0].push_back({test::goal_of(*puzzle), MoveAutomaton::kStart});
      for (unsigned cost = 0; cost < layers.size(); ++cost)
        for (std::size_t i = 0; i < layers[cost].size(); ++i) {
          const auto [state, row] = layers[cost][i];
          if (!known.emplace(std::pair{state, row}, cost).second) continue;
          found.emplace(state, cost);
          for (const MoveAutomaton::Step& step : by.steps(row)) {
            if (cost + costs[step.number] >= layers.size()) continue;
            State after(puzzle->slots());
            puzzle->apply(state, moves[step.number], after.data());
            layers[cost + costs[step.number]].push_back({after, step.next});
          }
        }
      return found;
    };
    const std::map<State, unsigned> truth = cheapest(free);
    CHECK(cheapest(automaton) == truth);
    dearer += cheapest(MoveAutomaton(*puzzle, moves, Pruning::canonical)) != truth;
    effects += truth.size();
  }
  CHECK(effects > 2000 && dearer > 5);  // costs make a difference
}

TEST(move_automaton, what_other_moves_carry_along_is_turned_at_the_end) {
  // Four pieces with three orientations; two cycles of three carry and turn them, and each slot's piece can be turned
  // alone.
  std::vector<PermutationPuzzle::Definition> definitions;
  const auto map = [](unsigned twist) {
    test::Numbers values;
    for (unsigned v = 0; v < 12; ++v) values.push_back(static_cast<std::uint16_t>(v - v % 3 + (v % 3 + twist) % 3));
    return values;
  };
  for (const std::uint16_t slot : {2, 0, 3, 1}) definitions.push_back({{slot}, {slot}, {map(1)}});
  definitions.push_back({{0, 1, 2}, {1, 2, 0}, {map(1), map(0), map(0)}});
  definitions.push_back({{1, 2, 3}, {2, 3, 1}, {map(0), map(2), map(0)}});
  const PermutationPuzzle puzzle(std::vector<unsigned>(4, 12), {0, 3, 6, 9}, definitions);
  const MoveAutomaton automaton = canonical(puzzle);
  CHECK(automaton.last() == std::vector<bool>({true, true, true, true, false, false}));
  CHECK(read(automaton, {4, 0}).has_value() && !read(automaton, {0, 4}) && !read(automaton, {4, 0, 5}));
  CHECK(automaton.valid(6));
  // Every state is reached as soon as without pruning, by fewer sequences.
  std::map<State, unsigned> truth{{test::goal_of(puzzle), 0}};
  std::vector<State> queue{test::goal_of(puzzle)};
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (std::uint8_t move = 0; move < 6; ++move) {
      State after(4);
      puzzle.apply(queue[i], move, after.data());
      if (truth.emplace(after, truth.at(queue[i]) + 1).second) queue.push_back(after);
    }
  std::map<std::pair<State, std::uint16_t>, unsigned> seen{{{test::goal_of(puzzle), MoveAutomaton::kStart}, 0}};
  std::vector<std::pair<State, std::uint16_t>> walk{{test::goal_of(puzzle), MoveAutomaton::kStart}};
  std::map<State, unsigned> found{{test::goal_of(puzzle), 0}};
  for (std::size_t i = 0; i < walk.size(); ++i) {
    const auto [state, row] = walk[i];
    for (const MoveAutomaton::Step& step : automaton.steps(row)) {
      State after(4);
      puzzle.apply(state, step.number, after.data());
      const unsigned depth = seen.at(walk[i]) + 1;
      if (!seen.emplace(std::pair{after, step.next}, depth).second) continue;
      walk.emplace_back(after, step.next);
      found.emplace(after, depth);
    }
  }
  CHECK(truth.size() == 12 * 81);
  CHECK(found == truth);
  // Where they commute with all other moves, the order of the moves is enough.
  const auto apart = turns(6, {{{0, 1}, 1}, {{2, 3, 4}, 1}, {{2, 3, 4}, -1}});
  CHECK(canonical(*apart).last() == std::vector<bool>(3, false));
}

TEST(move_automaton, is_made_once_for_the_same_moves) {
  const auto puzzle = turns(4, {{{0, 1}, 1}, {{2, 3}, 1}});
  const auto made = MoveAutomaton::of(*puzzle, State{0, 1}, Pruning::canonical);
  CHECK(made == MoveAutomaton::of(*puzzle, State{0, 1}, Pruning::canonical));
  CHECK(made != MoveAutomaton::of(*puzzle, State{1, 0}, Pruning::canonical));
  CHECK(made != MoveAutomaton::of(*puzzle, State{0, 1}, Pruning::inverse));
  CHECK(made != MoveAutomaton::of(*puzzle, State{0, 1}, Pruning::canonical, State{1, 2}));
  CHECK(made != MoveAutomaton::of(*turns(4, {{{0, 1}, 1}, {{2, 3}, 1}}), State{0, 1}, Pruning::canonical));
  for (int others = 0; others < 40; ++others)
    MoveAutomaton::of(*turns(4, {{{0, 1}, 1}}), State{0}, Pruning::canonical);
  CHECK_EQUAL(made.use_count(), 1);  // no longer kept
}

TEST(move_automaton, is_made_for_as_many_moves_as_a_puzzle_can_have) {
  // All three turns of 32 faces that do not overlap: more words and states than the limits. Pruning must still lose no
  // effect.
  std::vector<std::pair<State, int>> cycles;
  for (std::uint8_t face = 0; face < 32; ++face) {
    const auto at = static_cast<std::uint8_t>(4 * face);
    const State cycle{at, static_cast<std::uint8_t>(at + 1), static_cast<std::uint8_t>(at + 2),
                      static_cast<std::uint8_t>(at + 3)};
    for (const int times : {1, 2, 3}) cycles.push_back({cycle, times});
  }
  const MoveAutomaton automaton = canonical(*turns(128, cycles));
  CHECK(read(automaton, {0, 3, 6, 9, 12, 95}).has_value());
  CHECK(!read(automaton, {0, 1}) && !read(automaton, {3, 0}));
  // Without moves there is only the start state.
  const auto puzzle = turns(4, {{{0, 1}, 1}});
  CHECK(MoveAutomaton(*puzzle, {}, Pruning::canonical).steps(MoveAutomaton::kStart).empty());
}

}  // namespace test_move_automaton
