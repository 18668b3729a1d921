#include "puzzle/symmetry.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "puzzle/refuse.hpp"

namespace hstar {

Symmetry::Symmetry(std::shared_ptr<const PieceSpace> space, std::vector<std::uint8_t> moves,
                   std::vector<std::vector<Place>> image, bool inverse)
    : space_(std::move(space)),
      moves_(std::move(moves)),
      image_(std::move(image)),
      inverse_(inverse),
      source_(space_->pieces()),
      turned_(space_->pieces()) {
  if (image_.size() != space_->orbits().size())
    refuse("symmetry", std::to_string(image_.size()) + " orbits, expected " + std::to_string(space_->orbits().size()));
  for (unsigned number = 0; number < image_.size(); ++number) {
    check_orbit(number);
    const Orbit& orbit = space_->orbits()[number];
    for (unsigned place = 0; place < orbit.places(); ++place) {
      const unsigned to = image_[number][place];
      if (to % orbit.orientations != 0) continue;
      source_[orbit.first + to / orbit.orientations] =
          static_cast<std::uint16_t>(orbit.first + place / orbit.orientations);
      turned_[orbit.first + to / orbit.orientations] = static_cast<std::uint16_t>(place % orbit.orientations);
    }
  }
  check_kinds();
  space_->check_moves(moves_);
  check_moves();
}

void Symmetry::check_kinds() const {
  if (!space_->alike()) return;
  if (inverse_) refuse("symmetry", "states with pieces that look alike have no inverse");
  for (std::size_t piece = 0; piece < space_->pieces(); ++piece) {
    const std::uint16_t kind = space_->kind(piece);
    const unsigned distinct = space_->distinct(piece);
    if (space_->kind(source_[piece]) != space_->kind(source_[kind]) || space_->distinct(source_[piece]) != distinct ||
        (turned_[piece] + space_->orbit(piece).orientations - turned_[kind]) % distinct != 0)
      refuse("symmetry", "pieces that look alike become pieces that do not");
  }
}

Place Symmetry::image(std::size_t piece, unsigned place) const noexcept {
  const unsigned n = space_->orbit(piece).orientations;
  return image_[space_->orbit_of(piece)][place - place % n + (place % n + turned_[piece]) % n];
}

void Symmetry::check_orbit(unsigned number) const {
  const Orbit& orbit = space_->orbits()[number];
  const std::string where = "orbit " + std::to_string(number) + ": ";
  const std::vector<Place>& image = image_[number];
  if (image.size() != orbit.places())
    refuse("symmetry", where + std::to_string(image.size()) + " places, expected " + std::to_string(orbit.places()));
  if (std::set<Place>(image.begin(), image.end()).size() != orbit.places() ||
      *std::ranges::max_element(image) >= orbit.places())
    refuse("symmetry", where + "not one-to-one");
  const unsigned n = orbit.orientations;
  const unsigned sense = n == 1 ? 0 : (image[1] % n + n - image[0] % n) % n;
  for (unsigned place = 0; place < orbit.places(); ++place) {
    const unsigned first = image[place - place % n];
    if (image[place] / n != first / n) refuse("symmetry", where + "two places of one slot go to different slots");
    if (image[place] % n != (first + place % n * sense) % n || (n > 1 && sense != 1 && sense != n - 1))
      refuse("symmetry", where + "orientations are not all turned alike");
  }
}

void Symmetry::check_moves() const {
  // A move as one list of images, so that moves can be looked up.
  const auto text = [&](unsigned move, bool conjugated) {
    std::vector<Place> all;
    for (unsigned number = 0; number < image_.size(); ++number) {
      const unsigned places = space_->orbits()[number].places();
      const Place* carry = space_->carry(move, number);
      const std::vector<Place>& image = image_[number];
      std::vector<Place> map(places);
      for (unsigned place = 0; place < places; ++place) {
        const Place from = conjugated ? image[place] : static_cast<Place>(place);
        const Place to = conjugated ? image[carry[place]] : carry[place];
        if (conjugated && inverse_)
          map[to] = from;
        else
          map[from] = to;
      }
      all.insert(all.end(), map.begin(), map.end());
    }
    return all;
  };
  std::set<std::vector<Place>> known;
  for (const std::uint8_t move : moves_) known.insert(text(move, false));
  for (const std::uint8_t move : moves_)
    if (!known.contains(text(move, true)))
      refuse("symmetry",
             "move " + std::to_string(move) + " becomes no move of the set" + (inverse_ ? ", inverted" : ""));
}

}  // namespace hstar
