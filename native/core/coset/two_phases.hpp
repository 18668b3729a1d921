// Short solutions in two phases (Kociemba 1992, after Thistlethwaite): moves that lead into a subgroup, then moves of the
// subgroup. The first phase gets longer step by step, so that shorter and shorter totals are found.
//
//   PhaseSearch search(phases, {state, the same state turned, its inverse});
//   while (search.run(best, limits, control).status == Status::solved) ...   // shorter each time; `variant()` says of which
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "coset/coset_distances.hpp"
#include "puzzle/move_automaton.hpp"
#include "search/meter.hpp"

namespace hstar {

// Moves, the coordinates that are solved with them, and distances over pairs of coordinates.
class Phase {
 public:
  static constexpr std::size_t kMostCoordinates = 8;
  struct Pair {
    std::size_t first, second;  // numbers of coordinates; the same twice: this one alone
  };
  using Values = std::array<std::uint32_t, kMostCoordinates>;

  // Throws std::invalid_argument unless there are at most kMostCoordinates and each is in a pair.
  Phase(const std::shared_ptr<const PieceSpace>& space, std::vector<std::uint8_t> moves,
        const std::vector<Coordinate::Kind>& kinds, const std::vector<Pair>& pairs, std::uint32_t most_values,
        BuildProgress& progress);

  const PieceSpace& space() const noexcept { return *space_; }
  const std::vector<std::uint8_t>& moves() const noexcept { return moves_; }
  const MoveAutomaton& automaton() const noexcept { return automaton_; }
  // How many values the coordinates have.
  std::vector<std::uint32_t> sizes() const;
  std::uint64_t bytes() const noexcept;

  // The values of a state; false if no moves of the phase solve them.
  bool locate(Bytes state, Values& values) const noexcept;
  Values after(const Values& values, std::size_t move) const noexcept {
    Values next;
    for (std::size_t i = 0; i < coordinates_.size(); ++i) next[i] = coordinates_[i]->after(values[i], move);
    return next;
  }
  // A lower bound on the moves that solve all coordinates; 0 only if they are solved.
  unsigned distance(const Values& values) const noexcept {
    unsigned most = 0;
    for (const Table& table : tables_)
      most = std::max(most, table.distances->at(values[table.first], table.alone ? 0 : values[table.second]));
    return most;
  }
  // Whether they are more than so many moves away, asking no more tables than needed.
  bool is_farther(const Values& values, unsigned moves) const noexcept {
    return std::ranges::any_of(tables_, [&](const Table& table) {
      return table.distances->at(values[table.first], table.alone ? 0 : values[table.second]) > moves;
    });
  }

 private:
  struct Table {
    std::size_t first, second;
    bool alone;
    std::shared_ptr<const CosetDistances> distances;
  };

  std::shared_ptr<const PieceSpace> space_;
  std::vector<std::uint8_t> moves_;
  MoveAutomaton automaton_;
  std::vector<std::shared_ptr<const Coordinate>> coordinates_;
  std::vector<Table> tables_;
};

// The moves of `second` keep the coordinates of `first` solved, and solve every state in which they are solved.
struct TwoPhases {
  std::shared_ptr<const Phase> first, second;
};

class PhaseSearch {
 public:
  // A second phase is given up after `patience` expansions. Throws std::invalid_argument unless each start is a state
  // with every piece once.
  PhaseSearch(TwoPhases phases, std::vector<std::vector<std::uint8_t>> starts, std::uint64_t patience);

  // Searches for a solution of one of the starts with fewer than `below` moves, from where the last run ended; ends as
  // soon as there is one. `exhausted`: none was found. There may be some all the same, whose second phase was given up.
  Outcome run(unsigned below, const Limits& limits, Control& control);
  // The start that the last run solved.
  std::size_t variant() const noexcept { return variant_; }

 private:
  static constexpr unsigned kMostMoves = 250;

  struct Dive;

  TwoPhases phases_;
  std::vector<std::vector<std::uint8_t>> starts_;
  std::uint64_t patience_;
  std::vector<bool> leads_out_;  // by move of the first phase: whether it is none of the second
  unsigned length_ = 0;          // of the first phase
  std::size_t variant_ = 0;
};

}  // namespace hstar
