#include "pattern/pattern_state.hpp"

namespace hstar {

Turns::Turns(const PieceSpace& space) {
  for (const Orbit& orbit : space.orbits()) {
    const unsigned n = orbit.orientations;
    Table piece{};
    for (unsigned place = 0; place < orbit.places(); ++place)
      piece[place] = static_cast<std::uint8_t>(orbit.first + place / n);
    piece_.push_back(piece);
    std::vector<Table>& turned = turned_.emplace_back();
    for (unsigned twist = 0; twist < n; ++twist) {
      Table table{};
      // The inverse state is turned the other way.
      for (unsigned place = 0; place < orbit.places(); ++place)
        table[place] = static_cast<std::uint8_t>(place - place % n + (place % n + n - twist) % n);
      turned.push_back(table);
    }
  }
  for (unsigned move = 0; move < space.puzzle().move_count(); ++move) {
    for (const PermutationPuzzle::Touch& touch : space.puzzle().touches(move)) {
      const unsigned orbit = space.orbit_of(touch.src);
      const unsigned twist = space.puzzle().maps()[touch.map];
      touches_.push_back({touch.dst, touch.src, space.carry(move, orbit), turned_[orbit][twist].data(),
                          piece_[orbit].data()});
    }
    first_.push_back(touches_.size());
  }
}

}  // namespace hstar
