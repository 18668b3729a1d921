#include "puzzle/move_effects.hpp"

#include <algorithm>
#include <numeric>

namespace hstar {

MoveEffects::MoveEffects(const PermutationPuzzle& puzzle, Bytes moves) : commuting_(moves.size()) {
  for (std::size_t slot = 0; slot < puzzle.slots(); ++slot) {
    values_.push_back(puzzle.values(slot));
    Map same(puzzle.values(slot));
    std::iota(same.begin(), same.end(), std::uint16_t{0});
    identity_.emplace_back(static_cast<std::uint16_t>(slot), number_of(std::move(same)));
  }
  for (const std::uint8_t move : moves) {
    std::vector<NumberedTouch>& touches = touches_.emplace_back();
    for (const PermutationPuzzle::Touch& touch : puzzle.touches(move)) {
      const Value* map = puzzle.maps() + touch.map;
      touches.push_back({touch.dst, touch.src, number_of(Map(map, map + values_[touch.src]))});
    }
  }
  for (const std::vector<NumberedTouch>& touches : touches_) {
    std::vector<const NumberedTouch*>& leaving = leaving_.emplace_back(puzzle.slots(), nullptr);
    for (const NumberedTouch& touch : touches) leaving[touch.src] = &touch;
  }
  for (std::size_t a = 0; a < moves.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (!puzzle.always_legal(moves[a]) || !puzzle.always_legal(moves[b])) continue;
      if (a != b && !commute(a, b)) continue;
      commuting_[a].set(b);
      commuting_[b].set(a);
    }
  }
}

std::uint32_t MoveEffects::number_of(Map map) {
  const auto [found, fresh] = numbers_.try_emplace(map, static_cast<std::uint32_t>(maps_.size()));
  if (fresh) {
    size_ += map.size() * sizeof(Map::value_type);
    maps_.push_back(std::move(map));
  }
  return found->second;
}

std::uint32_t MoveEffects::composed(std::uint32_t first, std::uint32_t second) {
  const std::uint64_t both = std::uint64_t{first} << 32 | second;
  const auto known = composed_.find(both);
  if (known != composed_.end()) return known->second;
  Map map = maps_[first];
  for (std::uint16_t& value : map) value = maps_[second][value];
  return composed_[both] = number_of(std::move(map));
}

MoveEffects::Effect MoveEffects::then(const Effect& effect, std::size_t number) {
  Effect after = effect;
  for (const NumberedTouch& touch : touches_[number])
    after[touch.dst] = {effect[touch.src].first, composed(effect[touch.src].second, touch.map)};
  return after;
}

MoveEffects::Content MoveEffects::moved(std::size_t number, Content content) {
  const NumberedTouch* touch = leaving_[number][content.first];
  if (touch == nullptr) return content;
  return {touch->dst, composed(content.second, touch->map)};
}

bool MoveEffects::commute(std::size_t a, std::size_t b) {
  for (const auto& [first, second] : {std::pair{a, b}, std::pair{b, a}})
    for (const NumberedTouch& touch : touches_[first]) {
      // Slots that only one of the two touches, before and after, are the same in either order.
      if (leaving_[second][touch.src] == nullptr && leaving_[second][touch.dst] == nullptr) continue;
      const Content content = identity_[touch.src];
      if (moved(second, moved(first, content)) != moved(first, moved(second, content))) return false;
    }
  return true;
}

bool MoveEffects::becomes(std::size_t number, std::size_t by, std::size_t other) {
  // If it touches as many slots, those that moves[number] does not touch are not touched by the other either.
  if (touches_[number].size() != touches_[other].size()) return false;
  for (const NumberedTouch& touch : touches_[number]) {
    const Content content = identity_[touch.src];
    if (moved(by, moved(number, content)) != moved(other, moved(by, content))) return false;
  }
  return true;
}

}  // namespace hstar
