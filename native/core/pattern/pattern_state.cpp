#include "pattern/pattern_state.hpp"

namespace hstar {

template <class Kind>
PlaceMoves<Kind>::PlaceMoves(const PieceSpace& space) {
  for (const Orbit& orbit : space.orbits()) {
    const unsigned n = orbit.orientations;
    std::vector<std::uint16_t>& piece = piece_.emplace_back(orbit.places());
    for (unsigned place = 0; place < orbit.places(); ++place)
      piece[place] = static_cast<std::uint16_t>(orbit.first + place / n);
    std::vector<std::vector<P>>& turned = turned_.emplace_back();
    for (unsigned twist = 0; twist < n; ++twist) {
      std::vector<P>& table = turned.emplace_back(orbit.places());
      // The inverse state is turned the other way.
      for (unsigned place = 0; place < orbit.places(); ++place)
        table[place] = static_cast<P>(place - place % n + (place % n + n - twist) % n);
    }
  }
  for (unsigned move = 0; move < space.puzzle().move_count(); ++move) {
    std::vector<std::vector<P>>& carries = carry_.emplace_back();
    for (unsigned number = 0; number < space.orbits().size(); ++number) {
      const Place* carry = space.carry(move, number);
      std::vector<P>& own = carries.emplace_back();
      for (unsigned place = 0; place < space.orbits()[number].places(); ++place)
        own.push_back(static_cast<P>(carry[place]));
    }
    for (const PermutationPuzzle::Touch& touch : space.puzzle().touches(move)) {
      const unsigned orbit = space.orbit_of(touch.src);
      const Orbit& own = space.orbits()[orbit];
      const unsigned twist = space.carry(move, orbit)[(touch.src - own.first) * own.orientations] % own.orientations;
      touches_.push_back(
          {touch.dst, touch.src, carries[orbit].data(), turned_[orbit][twist].data(), piece_[orbit].data()});
    }
    first_.push_back(touches_.size());
  }
}

template class PlaceMoves<NarrowPlaces>;
template class PlaceMoves<WidePlaces>;

}  // namespace hstar
