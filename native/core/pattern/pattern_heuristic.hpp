// The largest of several pattern databases, each read through all symmetries of the puzzle.
//
// A database of one pattern holds for every pattern that a symmetry carries onto it. Symmetries onto the inverse moves
// (or all of them, if the move set is closed under inverses) also read it for the inverse state: with the 120
// symmetries of the Megaminx that is up to 120 or 240 lookups in one table.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <span>
#include <variant>
#include <vector>

#include "heuristic/database.hpp"
#include "pattern/pattern_database.hpp"
#include "pattern/pattern_state.hpp"
#include "puzzle/move_automaton.hpp"
#include "puzzle/symmetry.hpp"

namespace hstar {

// One lookup in one database, through one symmetry. The pieces are those that the symmetry carries onto the pattern's.
class Lookup {
 public:
  // ranks: the pattern's RankTables.
  Lookup(const PatternDatabase& database, bool inverse, const std::uint16_t* piece, const std::uint16_t* const* word,
         std::span<const std::vector<std::uint32_t>> ranks);

  // Whether `value` needs the places of the inverse state.
  bool inverse() const noexcept { return inverse_; }
  // A lower bound on the distance; at least unreachable() if no moves lead to the goal.
  template <class P>
  unsigned value(const P* places) const noexcept {
    return at(rank_of(places));
  }
  // The same in two steps, so that the entry can be prefetched in between.
  template <class P>
  std::uint64_t rank_of(const P* places) const noexcept {
    if (!ranks_.empty()) return rank_of_tables(places);
    switch (count_) {
      case 3: return rank<3>(places);
      case 4: return rank<4>(places);
      case 5: return rank<5>(places);
      case 6: return rank<6>(places);
      default: return rank_of_groups(places);
    }
  }
  void prefetch(std::uint64_t rank) const noexcept { __builtin_prefetch(table_ + (rank >> half_)); }
  unsigned at(std::uint64_t rank) const noexcept { return table_[rank >> half_] >> (rank & half_) * 4 & mask_; }
  unsigned unreachable() const noexcept { return mask_; }

 private:
  // For a pattern in one orbit.
  template <unsigned K, class P>
  std::uint64_t rank(const P* places) const noexcept {
    std::array<unsigned, K> words;
    for (unsigned i = 0; i < K; ++i) words[i] = word_[i][places[piece_[i]]];
    return Pattern::rank_words(words, K, shape_);
  }
  template <class P>
  std::uint64_t rank_of_groups(const P* places) const noexcept {
    std::uint64_t rank = 0;
    for (const Pattern::Group& group : pattern_->groups()) {
      std::array<unsigned, Pattern::kMaxPieces> words;
      for (unsigned i = 0; i < group.count; ++i) words[i] = word_[group.first + i][places[piece_[group.first + i]]];
      rank += group.stride * pattern_->rank_group(words, group);
    }
    return rank;
  }
  template <class P>
  std::uint64_t rank_of_tables(const P* places) const noexcept {
    std::uint64_t rank = 0;
    const std::uint16_t* piece = piece_;
    const std::uint16_t* const* word = word_;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      unsigned sum = 0;
      for (unsigned left = counts_[i]; left > 0; --left) sum += (*word++)[places[*piece++]];
      rank += ranks_[i][sum];
    }
    return rank;
  }

  const std::uint8_t* table_;
  const std::uint16_t* piece_;
  const std::uint16_t* const* word_;
  const Pattern* pattern_;
  std::span<const std::vector<std::uint32_t>> ranks_;
  std::array<std::uint8_t, Pattern::kMaxPieces> counts_{};  // of pieces, by group
  Pattern::Shape shape_;
  std::uint8_t count_ = 0;  // pieces, if they are of one orbit; else 0
  std::uint8_t half_, mask_;
  bool inverse_;
};

class PatternHeuristic final : public Database {
 public:
  // Databases for one puzzle and the moves `moves`, and symmetries of both; the identity need not be among them.
  // Throws std::invalid_argument if there is no database, or one is for another puzzle.
  PatternHeuristic(std::shared_ptr<const PieceSpace> space, std::vector<std::uint8_t> moves,
                   std::vector<std::shared_ptr<const PatternDatabase>> databases,
                   const std::vector<std::shared_ptr<const Symmetry>>& symmetries);
  PatternHeuristic(const PatternHeuristic&) = delete;
  PatternHeuristic& operator=(const PatternHeuristic&) = delete;

  const Puzzle& puzzle() const noexcept override { return space_->puzzle(); }
  const PieceSpace& space() const noexcept { return *space_; }
  const std::vector<std::uint8_t>& moves() const noexcept { return moves_; }
  const std::vector<Lookup>& lookups() const noexcept { return lookups_; }
  // For searches: the moves ready to be done, for puzzles with places of this kind, and which may follow which.
  template <class Kind>
  const PlaceMoves<Kind>& place_moves() const noexcept {
    return std::get<PlaceMoves<Kind>>(place_moves_);
  }
  const MoveAutomaton& automaton() const noexcept { return automaton_; }

  // The largest lookup for a state. `checked_value` throws std::invalid_argument unless the state has every piece once.
  unsigned value(Bytes state) const noexcept override;
  unsigned checked_value(Bytes state) const;

 private:
  template <class P>
  unsigned value_of(Bytes state) const noexcept;
  void add(const PatternDatabase& database, bool inverse, const std::vector<std::uint16_t>& pieces,
           const Symmetry* symmetry, std::span<const std::vector<std::uint32_t>> ranks);

  std::shared_ptr<const PieceSpace> space_;
  std::vector<std::uint8_t> moves_;
  std::variant<PlaceMoves<NarrowPlaces>, PlaceMoves<WidePlaces>> place_moves_;
  MoveAutomaton automaton_;
  std::vector<std::shared_ptr<const PatternDatabase>> databases_;
  std::vector<Pattern::RankTables> ranks_;      // by database
  std::set<std::vector<std::uint16_t>> words_;  // each once; lookups point into them
  std::vector<std::uint16_t> piece_;            // of all lookups
  std::vector<const std::uint16_t*> word_;
  std::vector<Lookup> lookups_;
};

}  // namespace hstar
