// One of the two phases of a search (Kociemba 1992, after Thistlethwaite): moves that solve some coordinates.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "coset/coset_distances.hpp"
#include "puzzle/move_automaton.hpp"

namespace hstar {

// Moves, the coordinates that are solved with them, and distances over pairs of coordinates.
class Phase {
 public:
  static constexpr std::size_t kMostCoordinates = 8;
  struct Pair {
    std::size_t first, second;  // numbers of coordinates; the same twice: this one alone
  };
  using Values = std::array<std::uint32_t, kMostCoordinates>;

  // `costs`: by move. Throws std::invalid_argument unless there are at most kMostCoordinates and each is in a pair;
  // Stopped.
  Phase(const std::shared_ptr<const PieceSpace>& space, std::vector<std::uint8_t> moves,
        std::vector<std::uint8_t> costs, const std::vector<Coordinate::Kind>& kinds, const std::vector<Pair>& pairs,
        std::uint32_t most_values, const Stop& stop);

  const PieceSpace& space() const noexcept { return *space_; }
  const std::vector<std::uint8_t>& moves() const noexcept { return moves_; }
  unsigned cost(std::size_t move) const noexcept { return costs_[move]; }
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
  // A lower bound on the cost of moves that solve all coordinates; 0 only if they are solved.
  unsigned distance(const Values& values) const noexcept {
    unsigned most = 0;
    for (const Table& table : tables_)
      most = std::max(most, table.distances->at(values[table.first], table.alone ? 0 : values[table.second]));
    return most;
  }
  // Whether they are farther than that, asking no more tables than needed.
  bool is_farther(const Values& values, unsigned cost) const noexcept {
    return std::ranges::any_of(tables_, [&](const Table& table) {
      return table.distances->at(values[table.first], table.alone ? 0 : values[table.second]) > cost;
    });
  }

 private:
  struct Table {
    std::size_t first, second;
    bool alone;
    std::shared_ptr<const CosetDistances> distances;
  };

  std::shared_ptr<const PieceSpace> space_;
  std::vector<std::uint8_t> moves_, costs_;
  MoveAutomaton automaton_;
  std::vector<std::shared_ptr<const Coordinate>> coordinates_;
  std::vector<Table> tables_;
};

}  // namespace hstar
