#include "pattern/pattern_heuristic.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace hstar {

Lookup::Lookup(const PatternDatabase& database, bool inverse, const std::uint16_t* piece,
               const std::uint16_t* const* word, std::span<const std::vector<std::uint32_t>> ranks)
    : table_(database.table.data()),
      piece_(piece),
      word_(word),
      pattern_(&database.pattern),
      ranks_(ranks),
      half_(database.packing.bits == 4),
      mask_(static_cast<std::uint8_t>(database.packing.unreachable())),
      inverse_(inverse) {
  for (std::size_t i = 0; i < pattern_->groups().size(); ++i)
    counts_[i] = static_cast<std::uint8_t>(pattern_->groups()[i].count);
  if (pattern_->groups().size() != 1 || pattern_->alike()) return;
  const Pattern::Group& group = pattern_->groups().front();
  shape_ = group;
  count_ = static_cast<std::uint8_t>(group.count);
}

namespace {

std::variant<PlaceMoves<NarrowPlaces>, PlaceMoves<WidePlaces>> place_moves_of(const PieceSpace& space) {
  if (has_narrow_places(space.puzzle())) return PlaceMoves<NarrowPlaces>(space);
  return PlaceMoves<WidePlaces>(space);
}

}  // namespace

PatternHeuristic::PatternHeuristic(std::shared_ptr<const PieceSpace> space, std::vector<std::uint8_t> moves,
                                   std::vector<std::shared_ptr<const PatternDatabase>> databases,
                                   const std::vector<std::shared_ptr<const Symmetry>>& symmetries)
    : space_(std::move(space)),
      moves_(std::move(moves)),
      place_moves_(place_moves_of(*space_)),
      automaton_(space_->puzzle(), moves_, Pruning::canonical),
      databases_(std::move(databases)) {
  if (databases_.empty()) throw std::invalid_argument("no pattern database");
  std::size_t most = 0;  // counted first, because the memory of the pieces must not move
  for (const auto& database : databases_) most += database->pattern.pieces().size() * (symmetries.size() + 1);
  ranks_.reserve(databases_.size());
  piece_.reserve(most);
  word_.reserve(most);
  for (const auto& database : databases_) {
    if (&database->pattern.space() != space_.get())
      throw std::invalid_argument("the pattern database is of another puzzle");
    // Two symmetries that carry the same pieces onto the pattern's read the same entry.
    const std::vector<std::uint16_t>& pieces = database->pattern.pieces();
    std::set<std::pair<bool, std::vector<std::uint16_t>>> seen{{false, pieces}};
    const auto& tables = ranks_.emplace_back(database->pattern.rank_tables());
    add(*database, false, pieces, nullptr, tables);
    for (const auto& symmetry : symmetries) {
      if (&symmetry->space() != space_.get() || symmetry->moves() != moves_)
        throw std::invalid_argument("the symmetry is of another puzzle or move set");
      std::vector<std::uint16_t> sources;
      for (const std::uint16_t piece : pieces) sources.push_back(symmetry->source(piece));
      std::vector<std::uint16_t> sorted = sources;
      std::ranges::sort(sorted);
      if (seen.emplace(symmetry->inverse(), sorted).second) 
        add(*database, symmetry->inverse(), sources, symmetry.get(), tables);
    }
  }
}

void PatternHeuristic::add(const PatternDatabase& database, bool inverse, const std::vector<std::uint16_t>& pieces,
                           const Symmetry* symmetry, std::span<const std::vector<std::uint32_t>> ranks) {
  const Pattern& pattern = database.pattern;
  const std::size_t first = piece_.size();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::vector<std::uint16_t> words;
    for (unsigned place = 0; place < space_->orbit(pieces[i]).places(); ++place) {
      const unsigned image = symmetry ? symmetry->image(pattern.pieces()[i], place) : place;
      words.push_back(ranks.empty() ? pattern.word(i, image) : pattern.digit(i, image));
    }
    piece_.push_back(pieces[i]);
    word_.push_back(words_.insert(std::move(words)).first->data());
  }
  lookups_.emplace_back(database, inverse, piece_.data() + first, word_.data() + first, ranks);
}

unsigned PatternHeuristic::checked_value(Bytes state) const {
  space_->check(state, "state");
  return value(state);
}

unsigned PatternHeuristic::value(Bytes state) const noexcept {
  if (!space_->is_complete(state)) return 0;
  return has_narrow_places(space_->puzzle()) ? value_of<NarrowPlaces::P>(state) : value_of<WidePlaces::P>(state);
}

template <class P>
unsigned PatternHeuristic::value_of(Bytes state) const noexcept {
  P places[2][PermutationPuzzle::kMaxSlots];
  space_->locate(state, places[0]);
  space_->locate_inverse(state, places[1]);
  unsigned most = 0;
  for (const Lookup& lookup : lookups_) {
    const unsigned value = lookup.value(places[lookup.inverse()]);
    if (value == lookup.unreachable()) return kUnreachable;
    most = std::max(most, value);
  }
  return most;
}

}  // namespace hstar
