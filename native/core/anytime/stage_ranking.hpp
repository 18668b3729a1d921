// How a beam compares states while the first pieces of a puzzle are brought home: an estimate, learned where beams
// choose, of how many moves that takes.
//
// A network of one hidden layer (as chess programs have: Nasu 2018). A unit adds up a weight for the place of each
// piece, so a move changes the sums by the pieces that it turns; what is positive of the sums is added up, each with a
// weight. It is no lower bound. Alone it leads to states that look near and are not, so the squares of the distances of
// triples (piece_triples.hpp) are added to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "groups/permutation_group.hpp"

namespace hstar {

class StageRanking {
 public:
  static constexpr std::size_t kUnits = 64;
  static constexpr std::uint32_t kMove = 128;         // what a move counts in a score
  static constexpr std::uint32_t kSquare = 2;         // and a square of a triple's distance, which is added
  static constexpr std::uint32_t kLowest = 64 * kMove;  // added, because estimates may be negative
  static constexpr std::size_t kPatience = 60;        // the most moves of its stage
  using Sums = std::array<std::int16_t, kUnits>;

  // `weights`: by piece, place and unit. `first`: what a sum begins with. `counts`: of each unit, in 2^-16 moves, as is
  // `constant`. Throws std::invalid_argument if the sizes do not fit, or sums could overflow.
  StageRanking(std::size_t pieces, std::size_t degree, std::vector<std::int8_t> weights,
               std::vector<std::int16_t> first, std::vector<std::int16_t> counts, std::int32_t constant);

  std::size_t pieces() const noexcept { return pieces_; }
  std::size_t degree() const noexcept { return degree_; }
  std::uint64_t bytes() const noexcept { return weights_.capacity(); }

  // When piece k is at places[k].
  Sums sums(const Point* places) const noexcept {
    Sums sums = first_;
    for (std::size_t k = 0; k < pieces_; ++k) add(sums, k, places[k]);
    return sums;
  }
  // A piece goes from one place to another.
  void move(Sums& sums, std::size_t piece, Point from, Point to) const noexcept {
    const std::int8_t *const before = row(piece, from), *const after = row(piece, to);
    for (std::size_t u = 0; u < kUnits; ++u) sums[u] = static_cast<std::int16_t>(sums[u] + after[u] - before[u]);
  }
  // Lower is better: kMove for each move, and kLowest.
  std::uint32_t score(const Sums& sums) const noexcept {
    std::int32_t sum = constant_;
    for (std::size_t u = 0; u < kUnits; ++u) sum += std::max(sums[u], std::int16_t{0}) * counts_[u];
    return static_cast<std::uint32_t>(std::max<std::int32_t>(0, (sum >> kShift) + static_cast<std::int32_t>(kLowest)));
  }

 private:
  static constexpr int kShift = 9;  // from 2^-16 moves to parts of kMove

  const std::int8_t* row(std::size_t piece, Point place) const noexcept {
    return weights_.data() + (piece * degree_ + place) * kUnits;
  }
  void add(Sums& sums, std::size_t piece, Point place) const noexcept {
    const std::int8_t* const own = row(piece, place);
    for (std::size_t u = 0; u < kUnits; ++u) sums[u] = static_cast<std::int16_t>(sums[u] + own[u]);
  }

  std::size_t pieces_, degree_;
  std::vector<std::int8_t> weights_;
  Sums first_{}, counts_{};
  std::int32_t constant_;
};

}  // namespace hstar
