// Random puzzles and heuristics for tests.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include "hstar.hpp"

namespace test {

using Random = std::mt19937;
using State = std::vector<std::uint8_t>;
// The order of `<` for states of one puzzle, as one memcmp, because sanitizers slow down element-wise comparison.
struct ByBytes {
  bool operator()(const State& a, const State& b) const { return std::memcmp(a.data(), b.data(), a.size()) < 0; }
};

inline unsigned below(Random& random, unsigned bound) { return static_cast<unsigned>(random() % bound); }

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

inline State identity(std::size_t size) {
  State state;
  for (std::size_t i = 0; i < size; ++i) state.push_back(static_cast<std::uint8_t>(i));
  return state;
}

// 0, 1, 2 ... as slots or values of a definition.
using Numbers = std::vector<std::uint16_t>;
inline Numbers numbers_to(std::size_t size) {
  Numbers numbers(size);
  std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
  return numbers;
}

inline State goal_of(const hstar::Puzzle& puzzle) { return {puzzle.goal().begin(), puzzle.goal().end()}; }

inline State all_moves(const hstar::Puzzle& puzzle) { return identity(puzzle.move_count()); }

inline std::shared_ptr<const hstar::SlidingTiles> tiles(unsigned rows, unsigned columns) {
  return std::make_shared<const hstar::SlidingTiles>(rows, columns, identity(rows * columns));
}

inline std::shared_ptr<const hstar::SlidingTiles> random_tiles(unsigned rows, unsigned columns, Random& random) {
  State goal = identity(rows * columns);
  shuffle(goal, random);
  return std::make_shared<const hstar::SlidingTiles>(rows, columns, goal);
}

// Short cycles of slots with relabelling; some moves come with their inverse, some labels are shared by slots.
inline std::shared_ptr<const hstar::PermutationPuzzle> random_permutation(unsigned slots, Random& random) {
  const unsigned values = 2 + below(random, 5);
  State goal(slots);
  for (auto& value : goal) value = static_cast<std::uint8_t>(below(random, values));
  std::vector<hstar::PermutationPuzzle::Definition> moves;
  const unsigned count = 1 + below(random, 5);
  for (unsigned m = 0; m < count; ++m) {
    Numbers touched = numbers_to(slots);
    shuffle(touched, random);
    touched.resize(1 + below(random, std::min(slots, 6u)));
    hstar::PermutationPuzzle::Definition move{touched, touched, {}}, inverse;
    shuffle(move.src, random);
    inverse.dst = move.src;
    inverse.src = move.dst;
    for (std::size_t i = 0; i < touched.size(); ++i) {
      Numbers map = numbers_to(values), back(values);
      if (below(random, 2)) shuffle(map, random);
      for (unsigned v = 0; v < values; ++v) back[map[v]] = static_cast<std::uint16_t>(v);
      move.maps.push_back(map);
      inverse.maps.push_back(back);
    }
    moves.push_back(move);
    if (below(random, 2)) moves.push_back(inverse);
  }
  return std::make_shared<const hstar::PermutationPuzzle>(std::vector<unsigned>(slots, values), goal, moves);
}

// One move of disjoint cycles of these lengths, each with one slot marked; its order is their least common multiple.
inline std::shared_ptr<const hstar::PermutationPuzzle> one_turn(const std::vector<unsigned>& lengths) {
  hstar::PermutationPuzzle::Definition move;
  State goal;
  for (const unsigned length : lengths) {
    const auto first = static_cast<unsigned>(goal.size());
    for (unsigned i = 0; i < length; ++i) {
      goal.push_back(i == 0);
      move.dst.push_back(static_cast<std::uint16_t>(first + i));
      move.src.push_back(static_cast<std::uint16_t>(first + (i + 1) % length));
      move.maps.push_back({0, 1});
    }
  }
  return std::make_shared<const hstar::PermutationPuzzle>(std::vector<unsigned>(goal.size(), 2), goal,
                                                          std::vector{move});
}

inline State walk(const hstar::Puzzle& puzzle, State state, unsigned steps, Random& random) {
  State next(state.size());
  for (unsigned i = 0; i < steps; ++i)
    if (puzzle.apply(state, below(random, puzzle.move_count()), next.data())) state = next;
  return state;
}

inline std::vector<std::int32_t> random_table(const hstar::Puzzle& puzzle, std::size_t width, int least, int most,
                                              Random& random) {
  std::vector<std::int32_t> table(puzzle.slots() * width);
  const auto range = static_cast<std::uint64_t>(std::int64_t{most} - least + 1);
  for (auto& entry : table) entry = static_cast<std::int32_t>(least + static_cast<std::int64_t>(random() % range));
  return table;
}

// Up to 64 groups, each hit by few values, so that the union seldom contains all.
inline hstar::Feature random_groups(const hstar::Puzzle& puzzle, std::size_t width, Random& random) {
  std::vector<std::uint64_t> masks(puzzle.slots() * width);
  for (auto& mask : masks)
    for (unsigned bits = below(random, 4); bits > 0; --bits) mask |= std::uint64_t{1} << below(random, 64);
  return {hstar::Feature::Kind::union_of_groups, {}, width, masks};
}

inline std::size_t width_of(const hstar::Puzzle& puzzle) {
  std::size_t width = 0;
  for (std::size_t slot = 0; slot < puzzle.slots(); ++slot) width = std::max<std::size_t>(width, puzzle.values(slot));
  return width;
}

// Distance of every tile (not the blank) from its goal cell.
inline hstar::Feature manhattan(const hstar::SlidingTiles& puzzle) {
  const auto cells = static_cast<int>(puzzle.slots()), columns = static_cast<int>(puzzle.columns());
  std::vector<std::int32_t> table(puzzle.slots() * puzzle.slots(), 0);
  for (int home = 0; home < cells; ++home) {
    const int tile = puzzle.goal()[static_cast<std::size_t>(home)];
    for (int cell = 0; cell < cells && tile != 0; ++cell)
      table[static_cast<std::size_t>(cell * cells + tile)] =
          std::abs(cell / columns - home / columns) + std::abs(cell % columns - home % columns);
  }
  return {hstar::Feature::Kind::table, table, puzzle.slots()};
}

inline hstar::Heuristic manhattan_heuristic(std::shared_ptr<const hstar::SlidingTiles> puzzle) {
  const hstar::Feature feature = manhattan(*puzzle);
  return {std::move(puzzle), {feature}, {{hstar::Op::feature, 0, 0}}, true, 4000};
}

// A puzzle, a heuristic for it, a start not far from the goal, and some of the moves in some order.
struct Problem {
  std::shared_ptr<const hstar::Puzzle> puzzle;
  hstar::Heuristic heuristic;
  State start, moves;
};

inline hstar::Heuristic random_heuristic(std::shared_ptr<const hstar::SlidingTiles> puzzle, Random& random) {
  using namespace hstar;
  const std::size_t cells = puzzle->slots();
  const Feature noise{Feature::Kind::table, random_table(*puzzle, cells, -3, 6, random), cells};
  const std::vector<Instruction> first{{Op::feature, 0, 0}};
  const std::vector<Instruction> sum{{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::add, 0, 0}};
  switch (below(random, 5)) {
    case 0: return {puzzle, {manhattan(*puzzle)}, first, true, 4000};
    case 1: return {puzzle, {noise}, first, true, 4000};
    case 2: return {puzzle, {manhattan(*puzzle), {Feature::Kind::linear_conflict}}, sum, true, 4095};
    case 3: return {puzzle, {{Feature::Kind::conflicts}, {Feature::Kind::inversions}}, sum, true, 1e6};
    default:
      return {puzzle,
              {noise, {Feature::Kind::solved}},
              {{Op::constant, 0, 0}, {Op::feature, 0, 0}, {Op::constant, 7, 0}, {Op::div, 0, 0}, {Op::feature, 0, 1},
               {Op::select, 0, 0}},
              false,
              1000};
  }
}

inline hstar::Heuristic random_heuristic(std::shared_ptr<const hstar::PermutationPuzzle> puzzle, Random& random) {
  using namespace hstar;
  const std::size_t width = width_of(*puzzle);
  const Feature small{Feature::Kind::table, random_table(*puzzle, width, 0, 2, random), width};
  const Feature noise{Feature::Kind::table, random_table(*puzzle, width, -300, 500, random), width};
  switch (below(random, 4)) {
    case 0:
      return {
          puzzle, {small}, {{Op::feature, 0, 0}, {Op::constant, 3, 0}, {Op::div, 0, 0}, {Op::ceil, 0, 0}}, true, 200};
    case 1: return {puzzle, {noise}, {{Op::feature, 0, 0}}, true, 4095};
    case 2:
      return {puzzle,
              {small, noise, {Feature::Kind::solved}},
              {{Op::feature, 0, 0}, {Op::feature, 0, 1}, {Op::constant, 100, 0}, {Op::floordiv, 0, 0}, {Op::max, 0, 0},
               {Op::constant, 0, 0}, {Op::feature, 0, 2}, {Op::logical_not, 0, 0}, {Op::select, 0, 0}},
              true,
              4000};
    default:
      return {puzzle, {noise}, {{Op::feature, 0, 0}, {Op::constant, 0.37, 0}, {Op::mul, 0, 0}}, false, 1e9};
  }
}

inline Problem random_tile_problem(Random& random) {
  const auto [rows, columns] = std::vector<std::pair<unsigned, unsigned>>{
      {2, 3}, {3, 3}, {2, 4}, {1, 5}, {4, 4}, {3, 6}, {5, 7}, {6, 7}, {9, 11}, {12, 12}}[below(random, 10)];
  const auto puzzle = random_tiles(rows, columns, random);
  State start = walk(*puzzle, goal_of(*puzzle), below(random, puzzle->slots() > 9 ? 25 : 60), random);
  State moves = all_moves(*puzzle);
  shuffle(moves, random);
  if (below(random, 6) == 0) moves.resize(below(random, 4));
  return {puzzle, random_heuristic(puzzle, random), std::move(start), std::move(moves)};
}

inline Problem random_permutation_problem(Random& random) {
  const unsigned slots = std::vector<unsigned>{1, 3, 6, 12, 19, 20, 35, 36, 51, 52, 83, 84, 128}[below(random, 13)];
  const auto puzzle = random_permutation(slots, random);
  State start = walk(*puzzle, goal_of(*puzzle), below(random, 10), random);
  State moves = all_moves(*puzzle);
  shuffle(moves, random);
  return {puzzle, random_heuristic(puzzle, random), std::move(start), std::move(moves)};
}

}  // namespace test
