// Small puzzles of orbits, and their distances by plain breadth-first search.
#pragma once

#include <map>

#include "pattern/pattern_heuristic.hpp"
#include "worlds.hpp"

namespace test {

using Moves = std::vector<std::uint8_t>;

inline hstar::PermutationPuzzle::Definition inverse_of(const hstar::PermutationPuzzle::Definition& move) {
  hstar::PermutationPuzzle::Definition back{move.src, move.dst, {}};
  for (const Numbers& map : move.maps) {
    Numbers inverse(map.size());
    for (std::size_t value = 0; value < map.size(); ++value) inverse[map[value]] = static_cast<std::uint16_t>(value);
    back.maps.push_back(inverse);
  }
  return back;
}

// Moves that cycle a few slots of some orbits and twist their pieces; move 2i + 1 undoes move 2i.
inline std::shared_ptr<const hstar::PieceSpace> random_space(std::vector<hstar::Orbit> orbits, unsigned moves,
                                                             Random& random) {
  std::vector<unsigned> values;
  State goal;
  for (const hstar::Orbit& orbit : orbits) {
    for (unsigned piece = 0; piece < orbit.pieces; ++piece) {
      values.push_back(orbit.places());
      goal.push_back(static_cast<std::uint8_t>(piece * orbit.orientations));
    }
  }
  std::vector<hstar::PermutationPuzzle::Definition> definitions;
  for (unsigned m = 0; m < moves; ++m) {
    hstar::PermutationPuzzle::Definition move;
    for (const hstar::Orbit& orbit : orbits) {
      State slots = identity(orbit.pieces);
      shuffle(slots, random);
      slots.resize(std::min(orbit.pieces, 2 + below(random, 2)));
      for (std::size_t i = 0; i < slots.size(); ++i) {
        move.dst.push_back(static_cast<std::uint16_t>(orbit.first + slots[i]));
        move.src.push_back(static_cast<std::uint16_t>(orbit.first + slots[(i + 1) % slots.size()]));
        const unsigned n = orbit.orientations, twist = below(random, n);
        Numbers map(orbit.places());
        for (unsigned v = 0; v < map.size(); ++v) map[v] = static_cast<std::uint16_t>(v - v % n + (v + twist) % n);
        move.maps.push_back(map);
      }
    }
    definitions.push_back(move);
    definitions.push_back(inverse_of(move));
  }
  auto puzzle = std::make_shared<const hstar::PermutationPuzzle>(values, goal, definitions);
  return std::make_shared<const hstar::PieceSpace>(std::move(puzzle), std::move(orbits));
}

// Four twistable pieces and three plain ones.
inline std::shared_ptr<const hstar::PieceSpace> small_space(Random& random) {
  return random_space({{0, 4, 2}, {4, 3, 1}}, 2 + below(random, 2), random);
}

// The distance to the goal of every state that `moves` can solve.
inline std::map<State, unsigned> distances(const hstar::PermutationPuzzle& puzzle, const Moves& moves) {
  const State goal(puzzle.goal().begin(), puzzle.goal().end());
  std::map<State, unsigned> found{{goal, 0}};
  std::vector<State> queue{goal};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint8_t move : moves) {
      State before(puzzle.slots());
      puzzle.apply(queue[i], puzzle.inverse(move), before.data());
      if (found.emplace(before, found.at(queue[i]) + 1).second) queue.push_back(before);
    }
  }
  return found;
}

inline std::shared_ptr<const hstar::PatternDatabase> database(const std::shared_ptr<const hstar::PieceSpace>& space,
                                                              const Moves& moves, Numbers pieces,
                                                              unsigned threads = 1) {
  const hstar::Pattern pattern(space, std::move(pieces));
  hstar::Control progress;
  const auto built = std::make_shared<hstar::BuiltTable>(build_pattern_database(pattern, moves, threads, progress));
  return std::make_shared<hstar::PatternDatabase>(pattern, built->table, built->packing.bits, built);
}

// A ring of `n` slots: each move swaps two neighbours and twists the first.
inline std::shared_ptr<const hstar::PieceSpace> ring(unsigned n) {
  std::vector<hstar::PermutationPuzzle::Definition> moves;
  Numbers map(2 * n);
  for (unsigned v = 0; v < map.size(); ++v) map[v] = static_cast<std::uint16_t>(v ^ 1);
  for (unsigned i = 0; i < n; ++i) {
    const auto a = static_cast<std::uint16_t>(i), b = static_cast<std::uint16_t>((i + 1) % n);
    moves.push_back({{a, b}, {b, a}, {map, numbers_to(2 * n)}});
    moves.push_back(inverse_of(moves.back()));
  }
  State goal(n);
  for (unsigned i = 0; i < n; ++i) goal[i] = static_cast<std::uint8_t>(2 * i);
  auto puzzle = std::make_shared<const hstar::PermutationPuzzle>(std::vector<unsigned>(n, 2 * n), goal, moves);
  return std::make_shared<const hstar::PieceSpace>(std::move(puzzle), std::vector<hstar::Orbit>{{0, n, 2}});
}

// The rotation of the ring by `steps` slots, as images of its places.
inline std::vector<std::vector<hstar::Place>> ring_rotation(unsigned n, unsigned steps) {
  std::vector<hstar::Place> image;
  for (unsigned place = 0; place < 2 * n; ++place)
    image.push_back(static_cast<hstar::Place>((place + 2 * steps) % (2 * n)));
  return {image};
}

}  // namespace test
