#include "coset/coset_heuristic.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <stdexcept>
#include <utility>

#include "memory/memory.hpp"

namespace hstar {

CosetTable::CosetTable(std::shared_ptr<const CosetSpace> all, std::span<const std::uint8_t> table,
                       std::shared_ptr<const void> keep, std::vector<View> seen, bool is_normal)
    : space(std::move(all)),
      words(reinterpret_cast<const std::uint64_t*>(table.data())),
      owner(std::move(keep)),
      views(std::move(seen)),
      normal(is_normal) {
  if (table.size() != space->words() * sizeof(std::uint64_t))
    throw std::invalid_argument("table has " + std::to_string(table.size()) + " bytes, expected " +
                                std::to_string(space->words() * sizeof(std::uint64_t)));
  if (reinterpret_cast<std::uintptr_t>(words) % alignof(std::uint64_t) != 0)
    throw std::invalid_argument("the table does not begin at a word of 64 bits");
  if (views.empty()) throw std::invalid_argument("no view");
}

unsigned CosetTable::distance(const std::uint32_t* values) const {
  std::vector<std::uint32_t> at(values, values + space->coordinates()), after(at);
  const auto entry_of = [&](const std::vector<std::uint32_t>& from) {
    return space->entry(space->seat(from.data()), [&](std::size_t i) { return from[i]; });
  };
  if (!space->has_seat(values)) return Database::kUnreachable;
  unsigned residue = Residues::get(words, entry_of(at));
  if (residue == Residues::kUnseen) return Database::kUnreachable;
  for (unsigned moves = 0;; ++moves) {
    if (std::ranges::all_of(at, [](std::uint32_t value) { return value == 0; }))
      return std::min(moves, Database::kUnreachable - 1);  // searches end before so many
    residue = (residue + 2) % 3;
    std::size_t move = 0;
    do {
      for (std::size_t i = 0; i < at.size(); ++i) after[i] = space->coordinate(i).after(at[i], move);
    } while (Residues::get(words, entry_of(after)) != residue && ++move < space->moves().size());
    if (move == space->moves().size()) throw std::logic_error("a table of cosets that does not lead to the subgroup");
    at.swap(after);
  }
}

namespace {

// On large pages where the system has them.
std::shared_ptr<std::uint32_t[]> zeros(std::size_t count) {
  const std::size_t bytes = count * sizeof(std::uint32_t);
  void* const found = SystemPages().reserve(bytes);
  if (found == nullptr) throw std::bad_alloc();
  std::shared_ptr<std::uint32_t[]> values(static_cast<std::uint32_t*>(found),
                                          [bytes](void* pages) { SystemPages().release(pages, bytes); });
  if (!SystemPages().commit(found, bytes)) throw std::bad_alloc();
  return values;
}

}  // namespace

// In slot i the inverse of a view's image holds the piece in whose slot the image has piece i, turned back.
InverseCoordinates::InverseCoordinates(const PieceSpace& pieces, const std::vector<CosetLookup>& all) {
  if (pieces.alike()) return;
  std::vector<CosetLookup> lookups = all;
  std::erase_if(lookups, [](const CosetLookup& lookup) { return lookup.table->normal; });
  for (const CosetLookup& lookup : lookups)
    for (std::size_t i = 0; i < lookup.table->space->coordinates(); ++i)
      if (lookup.table->space->coordinate(i).numbers() > kMostNumbers) return;
  std::map<const Coordinate*, Values> known;  // all views of a table share them
  for (unsigned number = 0; number < pieces.orbits().size(); ++number) {
    const Orbit& orbit = pieces.orbits()[number];
    const unsigned n = orbit.orientations;
    Block* block = nullptr;
    for (const CosetLookup& lookup : lookups) {
      const CosetSpace& space = *lookup.table->space;
      const Symmetry& symmetry = *lookup.view->symmetry;
      for (std::size_t i = 0; i < space.coordinates(); ++i) {
        const Coordinate& coordinate = space.coordinate(i);
        if (coordinate.orbit() != number) continue;
        if (block == nullptr || block->coordinates.size() == kTogether) {
          block = &blocks_.emplace_back(Block{orbit.first, orbit.first + orbit.pieces, orbit.places()});
          block->parts.resize(std::size_t{orbit.pieces} * orbit.places());
        }
        const std::size_t lane = block->coordinates.size();
        block->coordinates.push_back(lookup.first + i);
        for (unsigned slot = 0; slot < orbit.pieces; ++slot) {
          const std::size_t source = symmetry.source(orbit.first + slot) - orbit.first;
          for (unsigned place = 0; place < orbit.places(); ++place) {
            const unsigned image = symmetry.image(orbit.first + slot, place);
            block->parts[source * orbit.places() + place][lane] =
                static_cast<std::uint32_t>(coordinate.number_of(slot, image - image % n + (n - image % n) % n));
          }
        }
        Values& values = known[&coordinate];
        if (!values) {
          const std::uint32_t weight = i < space.reduced() ? space.weight(i) : 1;
          values = zeros(coordinate.numbers());
          coordinate.each_number([&](std::uint64_t its, std::uint32_t value) { values[its] = value * weight; });
        }
        block->values.push_back(values);
      }
    }
  }
}

namespace {

const std::vector<std::uint8_t>& moves_of(const std::vector<std::shared_ptr<const CosetTable>>& tables) {
  if (tables.empty()) throw std::invalid_argument("no table");
  return tables[0]->space->moves();
}

}  // namespace

CosetHeuristic::CosetHeuristic(std::shared_ptr<const PieceSpace> pieces,
                               std::vector<std::shared_ptr<const CosetTable>> tables, bool meeting)
    : pieces_(std::move(pieces)),
      tables_(std::move(tables)),
      meeting_(meeting),
      automaton_(pieces_->puzzle(), moves_of(tables_), Pruning::canonical),
      parity_(*pieces_, moves()) {
  for (const auto& table : tables_) {
    if (table->space->moves() != moves()) throw std::invalid_argument("tables of different moves");
    for (const CosetTable::View& view : table->views) {
      if (&view.symmetry->space() != pieces_.get() || view.symmetry->inverse() || view.moves.size() != moves().size())
        throw std::invalid_argument("a view is of another puzzle, or of the inverse");
      lookups_.push_back({table.get(), &view, coordinates_});
      coordinates_ += table->space->coordinates();
    }
  }
  inverse_.emplace(*pieces_, lookups_);
}

bool CosetHeuristic::keeps(const Lookup& lookup, std::size_t move) const noexcept {
  const CosetSpace& space = *lookup.table->space;
  for (std::size_t i = 0; i < space.coordinates(); ++i)
    if (space.coordinate(i).after(0, lookup.view->moves[move]) != 0) return false;
  return true;
}

bool CosetHeuristic::locate(Bytes state, const Lookup& lookup, std::uint32_t* values) const {
  std::vector<Place> places(pieces_->pieces());
  pieces_->locate(state, places.data());
  std::vector<std::uint8_t> image(state.begin(), state.end());
  for (std::size_t piece = 0; piece < places.size(); ++piece) {
    const Orbit& orbit = pieces_->orbit(piece);
    const Symmetry& symmetry = *lookup.view->symmetry;
    const unsigned place = symmetry.image(piece, places[symmetry.source(piece)]);
    set_value(image.data(), orbit.first + place / orbit.orientations, puzzle().width(),
              pieces_->home(piece) + place % orbit.orientations);
  }
  const CosetSpace& space = *lookup.table->space;
  for (std::size_t i = 0; i < space.coordinates(); ++i) {
    const auto value = space.coordinate(i).of(image);
    if (!value) return false;
    values[i] = *value;
  }
  return true;
}

unsigned CosetHeuristic::value(Bytes state) const noexcept {
  if (!pieces_->is_complete(state)) return 0;
  std::vector<std::uint32_t> values(coordinates_);
  unsigned most = 0;
  for (const Lookup& lookup : lookups_) {
    if (!locate(state, lookup, values.data())) return kUnreachable;
    const unsigned distance = lookup.table->distance(values.data());
    if (distance == kUnreachable) return kUnreachable;
    most = std::max(most, distance);
  }
  return most;
}

unsigned CosetHeuristic::checked_value(Bytes state) const {
  pieces_->check(state, "state");
  return value(state);
}

}  // namespace hstar
