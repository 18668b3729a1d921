#include "pattern/pattern_space.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace hstar {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

}  // namespace

PieceSpace::PieceSpace(std::shared_ptr<const PermutationPuzzle> puzzle, std::vector<Orbit> orbits)
    : puzzle_(std::move(puzzle)), orbits_(std::move(orbits)) {
  std::size_t next = 0;
  for (std::size_t number = 0; number < orbits_.size(); ++number) {
    const Orbit& orbit = orbits_[number];
    const std::string where = "orbit " + std::to_string(number) + ": ";
    if (orbit.first != next || orbit.pieces < 1 || orbit.pieces > pieces() - next)
      refuse(where + "its slots are empty or do not follow those of the orbit before");
    constexpr unsigned kMost = PermutationPuzzle::kMaxValues;
    if (orbit.orientations < 1 || orbit.orientations > kMost || orbit.places() > kMost)
      refuse(where + "expected 1 to " + std::to_string(kMost) + " places");
    for (std::size_t slot = orbit.first; slot < orbit.first + orbit.pieces; ++slot) {
      if (puzzle_->values(slot) != orbit.places())
        refuse(where + "slot " + std::to_string(slot) + " has " + std::to_string(puzzle_->values(slot)) +
               " values, expected " + std::to_string(orbit.places()));
      if (home(slot) != (slot - orbit.first) * orbit.orientations)
        refuse(where + "slot " + std::to_string(slot) + " does not hold its own piece at the goal");
      orbit_of_.push_back(static_cast<std::uint16_t>(number));
    }
    next += orbit.pieces;
    first_place_.push_back(all_places_);
    all_places_ += orbit.places();
  }
  if (next != pieces()) refuse("the orbits do not cover all slots");
  carry_.resize(puzzle_->move_count() * all_places_);
  for (unsigned move = 0; move < puzzle_->move_count(); ++move) read_move(move);
}

void PieceSpace::read_move(unsigned move) {
  for (std::size_t number = 0; number < orbits_.size(); ++number) {
    Place* carry = carry_.data() + move * all_places_ + first_place_[number];
    for (unsigned place = 0; place < orbits_[number].places(); ++place) carry[place] = static_cast<Place>(place);
  }
  for (const PermutationPuzzle::Touch& touch : puzzle_->touches(move)) {
    const std::string where = "move " + std::to_string(move) + ": ";
    const unsigned number = orbit_of_[touch.dst];
    if (number != orbit_of_[touch.src]) refuse(where + "a piece goes from one orbit to another");
    const Orbit& orbit = orbits_[number];
    const Value* map = puzzle_->maps() + touch.map;
    const unsigned twist = map[0];
    for (unsigned value = 0; value < orbit.places(); ++value) {
      const unsigned turned = value % orbit.orientations + twist;
      if (map[value] != value - value % orbit.orientations + turned % orbit.orientations)
        refuse(where + "slot " + std::to_string(touch.dst) + " does not twist all pieces alike");
    }
    Place* carry = carry_.data() + move * all_places_ + first_place_[number];
    for (unsigned turn = 0; turn < orbit.orientations; ++turn)
      carry[(touch.src - orbit.first) * orbit.orientations + turn] = static_cast<Place>(
          (touch.dst - orbit.first) * orbit.orientations + (turn + twist) % orbit.orientations);
  }
}

void PieceSpace::check_moves(const std::vector<std::uint8_t>& moves) const {
  std::vector<bool> seen(puzzle_->move_count(), false);
  for (const std::uint8_t move : moves) {
    if (move >= puzzle_->move_count()) refuse("no move " + std::to_string(move));
    if (seen[move]) refuse("move " + std::to_string(move) + " appears twice");
    seen[move] = true;
  }
}

bool PieceSpace::is_complete(Bytes state) const noexcept {
  bool seen[PermutationPuzzle::kMaxSlots] = {};
  std::size_t different = 0;
  each_slot(state, [&](const Orbit& orbit, unsigned, unsigned value) {
    bool& here = seen[orbit.first + value / orbit.orientations];
    different += !here;
    here = true;
  });
  return different == pieces();
}

void PieceSpace::check(Bytes state, const char* what) const {
  puzzle_->check(state, what);
  if (!is_complete(state)) refuse(std::string(what) + ": a piece appears twice");
}

}  // namespace hstar
