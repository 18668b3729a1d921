// Compares every domain with the puzzle it compiles: successors, order, incremental hash and raw.
#include "check.hpp"
#include "domains/byte_permutation.hpp"
#include "domains/wide_permutation.hpp"
#include "domains/byte_tiles.hpp"
#include "domains/packed_tiles.hpp"
#include "worlds.hpp"

namespace test_domains {

using namespace hstar;
using test::State;

namespace {

template <Domain D>
State unpacked(const D& domain, const typename D::State& state) {
  State bytes(domain.state_bytes());
  domain.unpack(state, bytes.data());
  return bytes;
}

// Rows of records hold the same as Children.
template <Domain D>
void check_row(D& domain, const typename D::State& state, unsigned arrival, const typename D::Children& children) {
  std::vector<Child<typename D::State>> records(domain.branching() + 1);
  ChildRow<typename D::State> row(records.data());
  domain.expand(state, domain.hash(state), domain.raw(state), arrival, row, IgnoreHash{});
  CHECK_EQUAL(row.size, children.size);
  CHECK_EQUAL(row.produced, children.produced);
  for (unsigned i = 0; i < row.size; ++i) {
    CHECK(row.state[i] == children.state[i]);
    CHECK_EQUAL(row.hash[i], children.hash[i]);
    CHECK_EQUAL(row.raw[i], children.raw[i]);
    CHECK_EQUAL(row.move[i], children.move[i]);
    if constexpr (requires { domain.apply(state, row.move[i]); }) {
      const auto move = static_cast<std::uint8_t>(row.move[i]);
      CHECK(domain.apply(state, move) == children.state[i]);
      CHECK_EQUAL(domain.hash_after(state, domain.hash(state), move), children.hash[i]);
      for (unsigned j = 0; j < row.size; ++j) {
        const bool same = children.state[i] == children.state[j];
        CHECK_EQUAL(domain.leads_to(state, move, children.state[j]), same);
        CHECK_EQUAL(domain.lead_to_same(state, move, state, static_cast<std::uint8_t>(row.move[j])), same);
      }
    }
  }
}

template <Domain D, class P>
void against_the_puzzle(const std::shared_ptr<const P>& puzzle, test::Random& random, std::uint64_t& left_out) {
  const std::size_t width = test::width_of(*puzzle);
  const Heuristic heuristic(puzzle, {{Feature::Kind::table, test::random_table(*puzzle, width, -3, 9, random), width}},
                            {{Op::feature, 0, 0}}, true, 100000);
  State moves = test::all_moves(*puzzle);
  test::shuffle(moves, random);
  if (test::below(random, 3) == 0) moves.resize(test::below(random, static_cast<unsigned>(moves.size())) + 1);
  D domain(*puzzle, heuristic, moves);
  CHECK_EQUAL(domain.branching(), moves.size());
  auto children = std::make_unique<typename D::Children>();
  State state(puzzle->goal().begin(), puzzle->goal().end()), parent;
  unsigned arrival = kNoArrival;
  for (int step = 0; step < 60; ++step) {
    const auto packed = domain.pack(state);
    CHECK(unpacked(domain, packed) == state);
    CHECK_EQUAL(domain.raw(packed), heuristic.raw(state));
    std::vector<std::uint64_t> announced;
    domain.expand(packed, domain.hash(packed), domain.raw(packed), arrival, *children,
                  [&](std::uint64_t h) { announced.push_back(h); });
    CHECK_EQUAL(announced.size(), children->size);
    check_row(domain, packed, arrival, *children);
    if constexpr (std::is_same_v<P, PermutationPuzzle>) {
      D portable(*puzzle, heuristic, moves, Instructions::portable);
      check_row(portable, packed, arrival, *children);
    }
    unsigned at = 0, produced = 0;
    std::vector<std::pair<std::uint8_t, State>> legal;
    for (const std::uint8_t move : moves) {
      State next(state.size());
      if (!puzzle->apply(state, move, next.data())) continue;
      ++produced;
      legal.emplace_back(move, next);
      if (at == children->size || children->move[at] != move) {  // left out: then it must lead back
        CHECK(next == parent);
        ++left_out;
        continue;
      }
      CHECK(unpacked(domain, children->state[at]) == next);
      CHECK(children->state[at] == domain.pack(next));
      CHECK_EQUAL(children->hash[at], domain.hash(domain.pack(next)));
      CHECK_EQUAL(children->hash[at], announced[at]);
      CHECK_EQUAL(children->raw[at], heuristic.raw(next));
      ++at;
    }
    CHECK_EQUAL(at, children->size);
    CHECK_EQUAL(produced, children->produced);
    if (legal.empty()) break;
    const auto& [move, next] = legal[test::below(random, static_cast<unsigned>(legal.size()))];
    parent = state;
    arrival = move;
    state = next;
  }
}

}  // namespace

TEST(domains, packed_tiles) {
  test::Random random(31);
  std::uint64_t left_out = 0;
  for (int trial = 0; trial < test::instances(100, 25); ++trial) {
    const auto [rows, columns] = std::vector<std::pair<unsigned, unsigned>>{
        {4, 4}, {3, 3}, {1, 2}, {2, 8}, {16, 1}, {3, 5}}[test::below(random, 6)];
    against_the_puzzle<PackedTiles>(test::random_tiles(rows, columns, random), random, left_out);
  }
  CHECK(left_out > 100);
}

TEST(domains, byte_tiles) {
  test::Random random(32);
  std::uint64_t left_out = 0;
  for (int trial = 0; trial < test::instances(20, 5); ++trial) {
    against_the_puzzle<ByteTiles<35>>(test::random_tiles(5, 7, random), random, left_out);
    against_the_puzzle<ByteTiles<35>>(test::random_tiles(17, 1, random), random, left_out);
    against_the_puzzle<ByteTiles<83>>(test::random_tiles(6, 6, random), random, left_out);
    against_the_puzzle<ByteTiles<259>>(test::random_tiles(15, 17, random), random, left_out);
  }
  CHECK(left_out > 100);
}

TEST(domains, permutation) {
  test::Random random(33);
  std::uint64_t left_out = 0;
  for (int trial = 0; trial < test::instances(100, 20); ++trial) {
    against_the_puzzle<BytePermutation<19>>(test::random_permutation(1 + test::below(random, 19), random), random,
                                            left_out);
    against_the_puzzle<BytePermutation<51>>(test::random_permutation(36 + test::below(random, 16), random), random,
                                            left_out);
    against_the_puzzle<BytePermutation<131>>(test::random_permutation(84 + test::below(random, 45), random), random,
                                             left_out);
  }
  CHECK(left_out > 100);
}

TEST(domains, wide_permutation) {
  test::Random random(34);
  std::uint64_t left_out = 0;
  for (int trial = 0; trial < test::instances(30, 6); ++trial)
    for (const unsigned slots : {12u, 64u, 65u, 200u, 256u})
      against_the_puzzle<WidePermutation>(test::random_permutation(slots, random), random, left_out);
  CHECK(left_out > 100);
}

TEST(domains, hashes_spread_over_the_high_half) {
  // Reachable 3 x 3 boards: the number of pairs with the same high half must be about what chance gives.
  const auto puzzle = test::tiles(3, 3);
  const Heuristic heuristic = test::manhattan_heuristic(puzzle);
  const State moves = test::all_moves(*puzzle);
  const PackedTiles packed(*puzzle, heuristic, moves);
  const ByteTiles<35> plain(*puzzle, heuristic, moves);
  std::vector<std::uint64_t> packed_seen, plain_seen;
  State board = test::identity(9);
  do {
    packed_seen.push_back(packed.hash(packed.pack(board)) >> 32);
    plain_seen.push_back(plain.hash(plain.pack(board)) >> 32);
  } while (std::next_permutation(board.begin(), board.end()));
  CHECK_EQUAL(packed_seen.size(), 362880u);
  // expected: n^2 / 2^33, 15 pairs
  for (auto* seen : {&packed_seen, &plain_seen}) {
    std::ranges::sort(*seen);
    CHECK(std::ranges::unique(*seen).size() < 60);
  }
}

}  // namespace test_domains
