#include "check.hpp"
#include "hstar.hpp"
#include "model.hpp"
#include "pattern_worlds.hpp"
#include "deepening/ida_star_search.hpp"
#include "deepening/partition_walk.hpp"

namespace test_piece_pairs {

using namespace hstar;
using test::State;

namespace {

constexpr auto kNever = [] { return false; };
constexpr std::size_t kSlots = 7;
using Matching = PiecePairs::Matching<32>;

// Shares of moves at random, and the costs that follow from them.
struct Shared {
  Shared(const PermutationPuzzle& puzzle, const State& moves, test::Random& random) : partitions(puzzle, moves) {
    CostPartitions::Shares shares = partitions.even();
    std::size_t i = 0;
    for (const std::uint8_t move : moves) {
      float left = 1;
      for (std::size_t touch = 0; touch < puzzle.touches(move).size(); ++touch, ++i) {
        shares[i] =
            touch + 1 == puzzle.touches(move).size() ? left : left * static_cast<float>(test::below(random, 3)) / 4;
        left -= shares[i];
      }
    }
    whole = partitions.whole(shares);
    costs = partitions.costs(shares);
  }
  CostPartitions partitions;
  std::vector<std::uint32_t> whole, costs;
};

// What two pieces cost together, from each state: the cheapest way along which they come home, where only touches of
// the two are paid, over whole states.
std::map<State, std::uint32_t> together(const PermutationPuzzle& puzzle, const State& moves, const Shared& shared,
                                        const std::map<State, unsigned>& states, unsigned a, unsigned b) {
  const auto is = [&](unsigned value, std::size_t slot, unsigned piece) {
    return (slot < 4 ? value / 2 : 4 + value) == piece;
  };
  std::map<State, std::uint32_t> cost;
  for (const auto& [state, d] : states) {
    bool home = true;
    for (std::size_t slot = 0; slot < kSlots; ++slot)
      if (is(state[slot], slot, a) || is(state[slot], slot, b)) home &= state[slot] == puzzle.goal()[slot];
    cost[state] = home ? 0 : 1'000'000;
  }
  for (bool cheaper = true; cheaper;) {
    cheaper = false;
    for (auto& [state, its] : cost) {
      std::size_t number = 0;
      for (const std::uint8_t move : moves) {
        std::uint32_t paid = 0;
        for (const auto& touch : puzzle.touches(move)) {
          const bool of_two = is(state[touch.src], touch.src, a) || is(state[touch.src], touch.src, b);
          if (of_two) paid += shared.whole[number];
          ++number;
        }
        State after(kSlots);
        puzzle.apply(state, move, after.data());
        const std::uint32_t way = paid + cost.at(after);
        if (way < its) its = way, cheaper = true;
      }
    }
  }
  return cost;
}

}  // namespace

TEST(piece_pairs, surpluses_are_those_of_a_search_over_whole_states) {
  test::Random random(1211);
  int seen = 0;
  for (int trial = 0; trial < test::instances(40, 4); ++trial) {
    const auto space = test::small_space(random);
    const PermutationPuzzle& puzzle = space->puzzle();
    const State moves = test::all_moves(puzzle);
    const auto states = test::distances(puzzle, moves);
    if (states.size() > 400) continue;
    const Shared shared(puzzle, moves, random);
    const std::size_t row = shared.partitions.row();
    PiecePairs pairs(puzzle, moves, row);
    CHECK(!pairs.empty());
    for (const Instructions instructions : {Instructions::portable, best_instructions()}) {
      CHECK(pairs.build(shared.whole, shared.costs, kNever, instructions));
      const unsigned a = test::below(random, 7), b = (a + 1 + test::below(random, 6)) % 7;
      for (const auto& [state, cost] : together(puzzle, moves, shared, states, a, b)) {
        std::vector<std::size_t> at;
        for (const unsigned piece : {a, b})
          for (std::size_t slot = 0; slot < kSlots; ++slot)
            if ((slot < 4 ? state[slot] / 2u : 4u + state[slot]) == piece) at.push_back(slot * row + state[slot]);
        const unsigned more = cost - shared.costs[at[0]] - shared.costs[at[1]];
        CHECK_EQUAL(unsigned{pairs.surplus(at[0], at[1])}, std::min(255u, more / PiecePairs::kUnit));
        CHECK_EQUAL(pairs.surplus(at[0], at[1]), pairs.surplus(at[1], at[0]));
        seen += more > 0;
      }
    }
  }
  CHECK(seen > 0);
}

TEST(piece_pairs, matchings_follow_moves_and_stay_below_the_distance) {
  test::Random random(1212);
  int raised = 0;
  for (int trial = 0; trial < test::instances(30, 3); ++trial) {
    const auto space = test::small_space(random);
    const PermutationPuzzle& puzzle = space->puzzle();
    const State moves = test::all_moves(puzzle);
    const auto states = test::distances(puzzle, moves);
    const Shared shared(puzzle, moves, random);
    const std::size_t row = shared.partitions.row();
    PiecePairs pairs(puzzle, moves, row);
    CHECK(pairs.build(shared.whole, shared.costs, kNever, best_instructions()));
    int left = 200;
    for (const auto& [state, d] : states) {
      if (left-- == 0) break;
      Matching matching;
      pairs.begin(state, matching);
      CHECK(PiecePairs::cost(matching) <= CostPartitions::kScale * d);
      raised += matching.pairs > 0;
      for (const std::uint8_t move : moves) {
        Matching after = matching;
        State next(kSlots);
        puzzle.apply(state, move, next.data());
        std::vector<std::size_t> carried;
        for (const auto& touch : puzzle.touches(move))
          carried.push_back(pairs.carry(after, touch.src * row + state[touch.src], touch.dst * row + next[touch.dst]));
        for (const std::size_t piece : carried) pairs.keep(after, piece);
        for (const std::size_t piece : carried)
          while (pairs.exchange(after, piece)) {
          }
        Matching anew;
        pairs.begin(next, anew);
        CHECK_EQUAL(after.pieces, anew.pieces);
        CHECK(PiecePairs::cost(after) <= CostPartitions::kScale * states.at(next));
        std::uint32_t sum = 0;  // of pairs: each piece has one partner, which is another piece
        for (std::size_t a = 0; a < 8; ++a) {
          CHECK(after.partner[a] != a && after.partner[after.partner[a]] == a && after.node[a] == anew.node[a]);
          sum += after.surplus[a];
        }
        CHECK_EQUAL(sum, 2 * after.pairs);
      }
    }
    int polls = 0;
    CHECK(!pairs.build(shared.whole, shared.costs, [&] { return ++polls > 2; }, Instructions::portable));
  }
  CHECK(raised > 0);
}

TEST(piece_pairs, needs_pieces_that_differ_and_ignores_what_no_move_carries) {
  const auto cycle = [](std::vector<std::uint16_t> dst, std::vector<std::uint16_t> src, unsigned values) {
    std::vector<Value> same(values);
    for (unsigned v = 0; v < values; ++v) same[v] = static_cast<Value>(v);
    return PermutationPuzzle::Definition{dst, src, std::vector<std::vector<Value>>(dst.size(), same)};
  };
  const State moves{0};
  const PermutationPuzzle alike({3, 3, 3}, {0, 0, 1}, {cycle({0, 1, 2}, {1, 2, 0}, 3)});
  CHECK(PiecePairs(alike, moves, 3).empty());
  const PermutationPuzzle differing({4, 4, 4, 1}, {0, 1, 2, 0}, {cycle({0, 1, 2}, {1, 2, 0}, 4)});
  PiecePairs pairs(differing, moves, 4);
  CHECK(!pairs.empty());
  CHECK(pairs.build({280, 280, 280}, CostPartitions(differing, moves).costs({1 / 3.f, 1 / 3.f, 1 / 3.f}), kNever,
                    Instructions::portable));
  Matching matching;
  pairs.begin(State{1, 2, 0, 0}, matching);
  CHECK_EQUAL(PiecePairs::cost(matching), 2 * CostPartitions::kScale);
  pairs.begin(State{3, 3, 1, 0}, matching);  // no state of the puzzle: a piece twice, and one that there is not
  CHECK(PiecePairs::cost(matching) <= 2 * CostPartitions::kScale);
}

// The counts of one thread, because a state's pairs depend on its path alone.
TEST(piece_pairs, searches_with_them_find_the_breadth_first_distance) {
  test::Random random(1213);
  int fewer = 0;
  for (int trial = 0; trial < test::instances(20, 2); ++trial) {
    const auto space = test::small_space(random);
    const auto puzzle = std::make_shared<const PermutationPuzzle>(space->puzzle());
    const State moves = test::all_moves(*puzzle);
    const Heuristic zero(puzzle, {}, {{Op::constant, 0, 0}}, true, 0);
    int left = 4;
    for (const auto& [state, d] : test::distances(*puzzle, moves)) {
      if (left-- == 0) break;
      std::array<std::uint64_t, 4> expanded{};
      for (unsigned way = 0; way < 4; ++way) {  // pieces; with what is learned; with pairs; with pairs on two threads
        PartitionWalk<32> walk(*puzzle, moves, *MoveAutomaton::of(*puzzle, moves, Pruning::canonical));
        SearchOptions options;
        options.threads = way == 3 ? 2 : 1;
        Control control;
        ArenaLease lease;
        const Outcome o =
            run_task(lease.arena(), state, moves, zero, options, control, [&](const Task& task) {
              return ida_star_search<std::int32_t>(
                  walk, task, [&](std::int32_t bound, std::uint64_t, Budget& budget, const auto& stop) {
                    if (way == 0) return;
                    walk.learn(task.start, bound, stop);
                    if (way == 1) return;
                    CHECK(budget.charge(walk.pair_bytes()));
                    walk.learn_pairs(task.start, bound, stop);
                  });
            });
        CHECK(o.status == Status::solved);
        CHECK_EQUAL(o.path.size(), static_cast<std::size_t>(d));
        test::replay(*puzzle, state, o.path);
        expanded[way] = o.expanded;
      }
      CHECK(expanded[1] <= expanded[0] && expanded[2] <= expanded[0]);
      CHECK_EQUAL(expanded[2], expanded[3]);
      fewer += expanded[2] < expanded[1];
    }
  }
  CHECK(fewer > 0);
}

}  // namespace test_piece_pairs
