#include "puzzle/length_parity.hpp"

#include <algorithm>
#include <bit>

namespace hstar {

namespace {

// Parity of a permutation: slot(i) is where i is.
template <class SlotOf>
unsigned parity_of(unsigned pieces, SlotOf slot) {
  std::vector<bool> seen(pieces, false);
  unsigned cycles = 0;
  for (unsigned first = 0; first < pieces; ++first) {
    if (seen[first]) continue;
    ++cycles;
    for (unsigned at = first; !seen[at]; at = slot(at)) seen[at] = true;
  }
  return (pieces - cycles) % 2;
}

}  // namespace

LengthParity::LengthParity(const PieceSpace& space, const std::vector<std::uint8_t>& moves) : space_(&space) {
  constexpr std::size_t kMostOrbits = 10;
  const auto& orbits = space.orbits();
  if (space.alike() || orbits.size() > kMostOrbits) return;
  std::vector<unsigned> odd;  // by move: a bit for each orbit
  for (const std::uint8_t move : moves) {
    odd.push_back(0);
    for (unsigned number = 0; number < orbits.size(); ++number) {
      const Place* const to = space.carry(move, number);
      const unsigned n = orbits[number].orientations;
      odd.back() |= parity_of(orbits[number].pieces, [&](unsigned slot) { return unsigned{to[slot * n]} / n; })
                    << number;
    }
  }
  for (unsigned chosen = 1; chosen < 1u << orbits.size(); ++chosen) {
    if (!std::ranges::all_of(odd, [&](unsigned own) { return std::popcount(own & chosen) % 2 == 1; })) continue;
    for (unsigned number = 0; number < orbits.size(); ++number)
      if (chosen >> number & 1) orbits_.push_back(number);
    return;
  }
}

unsigned LengthParity::of(Bytes state) const {
  std::vector<Place> places(space_->pieces());
  space_->locate(state, places.data());
  unsigned parity = 0;
  for (const unsigned number : orbits_) {
    const Orbit& orbit = space_->orbits()[number];
    parity ^= parity_of(orbit.pieces,
                        [&](unsigned piece) { return unsigned{places[orbit.first + piece]} / orbit.orientations; });
  }
  return parity;
}

}  // namespace hstar
