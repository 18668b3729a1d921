#include "puzzle/piece_space.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "puzzle/refuse.hpp"

namespace hstar {

PieceSpace::PieceSpace(std::shared_ptr<const PermutationPuzzle> puzzle, std::vector<Orbit> orbits,
                       std::vector<unsigned> distinct)
    : puzzle_(std::move(puzzle)), orbits_(std::move(orbits)), distinct_(std::move(distinct)) {
  if (!distinct_.empty() && distinct_.size() != pieces())
    refuse("orientations that look different of " + std::to_string(distinct_.size()) + " slots, expected " +
           std::to_string(pieces()));
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
      orbit_of_.push_back(static_cast<std::uint16_t>(number));
    }
    read_goal(orbit, where);
    next += orbit.pieces;
    first_place_.push_back(all_places_);
    all_places_ += orbit.places();
  }
  if (next != pieces()) refuse("the orbits do not cover all slots");
  carry_.resize(puzzle_->move_count() * all_places_);
  for (unsigned move = 0; move < puzzle_->move_count(); ++move) read_move(move);
}

void PieceSpace::read_goal(const Orbit& orbit, const std::string& where) {
  const unsigned n = orbit.orientations;
  std::vector<std::vector<std::uint16_t>> homes(orbit.pieces);  // by the number in values
  std::size_t wrong = pieces();  // the first slot that holds the piece of another
  for (std::size_t slot = orbit.first; slot < orbit.first + orbit.pieces; ++slot) {
    const unsigned value = value_at(puzzle_->goal().data(), slot, puzzle_->width());
    if (value % n != 0) refuse(where + "slot " + std::to_string(slot) + " does not hold its own piece at the goal");
    homes[value / n].push_back(static_cast<std::uint16_t>(slot));
    if (value / n != slot - orbit.first) wrong = std::min(wrong, slot);
    kind_.push_back(homes[value / n].front());
    if (distinct_.size() < pieces()) distinct_.resize(slot + 1, n);
    const unsigned different = distinct_[slot];
    if (different < 1 || n % different != 0 || different != distinct_[kind_.back()])
      refuse(where + "slot " + std::to_string(slot) + " has a piece that looks different in " +
             std::to_string(different) + " orientations, expected a divisor of " + std::to_string(n) +
             ", the same for pieces that look alike");
    alike_ |= different < n;
  }
  for (const std::vector<std::uint16_t>& of : homes) {
    first_home_.push_back(static_cast<std::uint16_t>(homes_.size()));
    homes_.insert(homes_.end(), of.begin(), of.end());
  }
  if (wrong == pieces()) return;
  const bool all_there = std::ranges::none_of(homes, [](const auto& of) { return of.empty(); });
  if (all_there) refuse(where + "slot " + std::to_string(wrong) + " does not hold its own piece at the goal");
  alike_ = true;
}

// By how much a map of values turns every piece of the goal.
unsigned PieceSpace::twist_of(const Orbit& orbit, const Value* map, const std::string& where) const {
  const unsigned n = orbit.orientations;
  for (unsigned twist = 0; twist < n; ++twist) {
    const auto turns = [&](std::size_t piece) {
      const unsigned number = value_at(puzzle_->goal().data(), piece, puzzle_->width());
      for (unsigned turned = 0; turned < distinct_[piece]; ++turned)
        if (map[number + turned] != number + (turned + twist) % distinct_[piece]) return false;
      return true;
    };
    bool all = true;
    for (std::size_t piece = orbit.first; all && piece < orbit.first + orbit.pieces; ++piece) all = turns(piece);
    if (all) return twist;
  }
  refuse(where + " does not twist all pieces alike");
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
    const unsigned twist = twist_of(orbit, puzzle_->maps() + touch.map, where + "slot " + std::to_string(touch.dst));
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
  std::size_t own = 0;
  if (!alike_) {
    bool seen[PermutationPuzzle::kMaxSlots] = {};
    each_slot(state, [&](const Orbit& orbit, unsigned, unsigned value) {
      bool& here = seen[orbit.first + value / orbit.orientations];
      own += !here;
      here = true;
    });
    return own == pieces();
  }
  std::uint16_t held[PermutationPuzzle::kMaxSlots] = {};
  each_slot(state, [&](const Orbit& orbit, unsigned, unsigned value) {
    const std::size_t number = orbit.first + value / orbit.orientations;
    const std::size_t end = number + 1 < first_home_.size() ? first_home_[number + 1] : homes_.size();
    const std::size_t there = end - first_home_[number];
    own += held[number]++ < there && value % orbit.orientations < distinct_[homes_[first_home_[number]]];
  });
  return own == pieces();
}

void PieceSpace::check(Bytes state, const char* what) const {
  puzzle_->check(state, what);
  if (is_complete(state)) return;
  refuse(std::string(what) + (alike_ ? ": these are not the pieces of the goal" : ": a piece appears twice"));
}

}  // namespace hstar
