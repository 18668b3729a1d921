#include "puzzle/puzzle.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>

#include "puzzle/refuse.hpp"

namespace hstar {

namespace {

std::string at_move(std::size_t move) { return "move " + std::to_string(move) + ": "; }

}  // namespace

Puzzle::Puzzle() {
  static std::atomic<std::uint64_t> next{0};
  identity_ = next.fetch_add(1, std::memory_order_relaxed);
}

void Puzzle::check(Bytes state, const char* what) const {
  if (state.size() != slots() * width_)
    refuse(std::string(what) + " has " + std::to_string(state.size()) + " bytes, expected " +
           std::to_string(slots() * width_));
  for (std::size_t i = 0; i < slots(); ++i)
    if (const unsigned value = value_at(state.data(), i, width_); value >= values_[i])
      refuse(std::string(what) + ": slot " + std::to_string(i) + " holds " + std::to_string(value) +
             ", expected less than " + std::to_string(values_[i]));
}

// Where each map begins among those of all moves, by its entries.
class PermutationPuzzle::MapNumbers {
 public:
  explicit MapNumbers(std::vector<Value>& maps) : maps_(maps) {}

  std::uint32_t begin_of(const std::vector<Value>& map) {
    const auto [found, fresh] = begins_.try_emplace(map, static_cast<std::uint32_t>(maps_.size()));
    if (fresh) maps_.insert(maps_.end(), map.begin(), map.end());
    return found->second;
  }
  // By the beginning of each map: that of the one that undoes it, or kNoMap.
  std::vector<std::uint32_t> opposites() const {
    std::vector<std::uint32_t> found(maps_.size(), kNoMap);
    for (const auto& [map, begin] : begins_) {
      std::vector<Value> back(map.size());
      for (std::size_t value = 0; value < map.size(); ++value) back[map[value]] = static_cast<Value>(value);
      if (const auto other = begins_.find(back); other != begins_.end()) found[begin] = other->second;
    }
    return found;
  }
  static constexpr std::uint32_t kNoMap = ~std::uint32_t{0};

 private:
  std::vector<Value>& maps_;
  std::map<std::vector<Value>, std::uint32_t> begins_;
};

PermutationPuzzle::PermutationPuzzle(std::vector<unsigned> values, std::vector<std::uint8_t> goal,
                                     std::vector<Definition> moves) {
  if (values.empty() || values.size() > kMaxSlots)
    refuse(std::to_string(values.size()) + " slots, expected 1 to " + std::to_string(kMaxSlots));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < 1 || values[i] > kMaxValues)
      refuse("slot " + std::to_string(i) + " has " + std::to_string(values[i]) + " values, expected 1 to " +
             std::to_string(kMaxValues));
  width_ = *std::ranges::max_element(values) > 256 ? sizeof(Value) : 1;
  if (moves.size() > kMaxMoves)
    refuse(std::to_string(moves.size()) + " moves, expected at most " + std::to_string(kMaxMoves));
  values_ = std::move(values);
  goal_ = std::move(goal);
  check(goal_, "goal");
  MapNumbers known(maps_);
  for (std::size_t m = 0; m < moves.size(); ++m) add(moves[m], m, known);
  if (std::ranges::any_of(moves, [](const Definition& move) { return !move.forbidden.empty(); })) {
    first_asked_.push_back(0);
    for (std::size_t m = 0; m < moves.size(); ++m) forbid(moves[m], m);
  }
  const std::vector<std::uint32_t> opposite = known.opposites();
  inverse_.assign(moves.size(), kNone);
  for (unsigned m = 0; m < move_count(); ++m)
    for (unsigned other = 0; other < move_count() && inverse_[m] == kNone; ++other)
      if (undoes(other, m, opposite)) inverse_[m] = other;
}

void PermutationPuzzle::add(const Definition& move, std::size_t number, MapNumbers& known) {
  const std::size_t count = move.dst.size();
  if (move.src.size() != count || move.maps.size() != count)
    refuse(at_move(number) + "dst, src and maps differ in length");
  std::vector<int> written(slots(), 0), read(slots(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned dst = move.dst[i], src = move.src[i];
    if (dst >= slots() || src >= slots()) refuse(at_move(number) + "no slot " + std::to_string(std::max(dst, src)));
    if (written[dst]++) refuse(at_move(number) + "slot " + std::to_string(dst) + " is written twice");
    if (read[src]++) refuse(at_move(number) + "slot " + std::to_string(src) + " is read twice");
    if (move.maps[i].size() != values_[src])
      refuse(at_move(number) + "map " + std::to_string(i) + " has " + std::to_string(move.maps[i].size()) +
             " entries, expected " + std::to_string(values_[src]));
    std::vector<bool> seen(values_[dst], false);
    for (const Value value : move.maps[i]) {
      if (value >= values_[dst])
        refuse(at_move(number) + "map " + std::to_string(i) + " gives " + std::to_string(value) + ", but slot " +
               std::to_string(dst) + " has " + std::to_string(values_[dst]) + " values");
      if (seen[value]) refuse(at_move(number) + "map " + std::to_string(i) + " is not one-to-one");
      seen[value] = true;
    }
    touches_.push_back({move.dst[i], move.src[i], known.begin_of(move.maps[i])});
  }
  if (written != read) refuse(at_move(number) + "dst and src are not the same slots");
  first_.push_back(touches_.size());
}

void PermutationPuzzle::forbid(const Definition& move, std::size_t number) {
  for (const auto& [slot, values] : move.forbidden) {
    if (slot >= slots()) refuse(at_move(number) + "forbidden: no slot " + std::to_string(slot));
    asked_.push_back({static_cast<std::uint32_t>(forbidden_.size()), slot});
    forbidden_.resize(forbidden_.size() + values_[slot]);
    for (const Value value : values) {
      if (value >= values_[slot])
        refuse(at_move(number) + "forbidden: slot " + std::to_string(slot) + " has no value " + std::to_string(value));
      forbidden_[asked_.back().first + value] = true;
    }
  }
  first_asked_.push_back(asked_.size());
}

// Is `second` after `first` the identity on every state? `opposite`: which map undoes which.
bool PermutationPuzzle::undoes(unsigned second, unsigned first, const std::vector<std::uint32_t>& opposite) const {
  const auto is_same = [&](const Touch& touch) {
    for (unsigned value = 0; value < values_[touch.dst]; ++value)
      if (maps_[touch.map + value] != value) return false;
    return true;
  };
  const Touch* writer[kMaxSlots] = {};
  for (const Touch& touch : touches(first)) writer[touch.dst] = &touch;
  std::size_t matched = 0;
  for (const Touch& touch : touches(second)) {
    const Touch* before = writer[touch.src];
    if ((before ? before->src : touch.src) != touch.dst) return false;
    if (before ? opposite[before->map] != touch.map : !is_same(touch)) return false;
    matched += before != nullptr;
  }
  if (matched == touches(first).size()) return true;
  bool written[kMaxSlots] = {};
  for (const Touch& touch : touches(second)) written[touch.dst] = true;
  return std::ranges::all_of(touches(first), [&](const Touch& touch) {
    return written[touch.dst] || (touch.src == touch.dst && is_same(touch));
  });
}

PermutationPuzzle PermutationPuzzle::reversed() const {
  std::vector<Definition> moves(move_count());
  for (unsigned m = 0; m < move_count(); ++m) {
    for (const Touch& touch : touches(m)) {
      moves[m].dst.push_back(touch.src);
      moves[m].src.push_back(touch.dst);
      std::vector<Value>& back = moves[m].maps.emplace_back(values_[touch.dst]);
      for (unsigned value = 0; value < values_[touch.src]; ++value)
        back[maps_[touch.map + value]] = static_cast<Value>(value);
    }
    if (!forbids()) continue;
    for (std::size_t i = first_asked_[m]; i < first_asked_[m + 1]; ++i) {
      const Asked& asked = asked_[i];
      const auto touch = std::ranges::find(touches(m), asked.slot, &Touch::src);
      auto& [slot, forbidden] =
          moves[m].forbidden.emplace_back(touch == touches(m).end() ? asked.slot : touch->dst, std::vector<Value>());
      for (unsigned value = 0; value < values_[asked.slot]; ++value)
        if (forbidden_[asked.first + value])
          forbidden.push_back(touch == touches(m).end() ? static_cast<Value>(value) : maps_[touch->map + value]);
    }
  }
  return {values_, goal_, std::move(moves)};
}

bool PermutationPuzzle::apply(Bytes state, unsigned move, std::uint8_t* out) const noexcept {
  if (!legal(state, move)) return false;
  std::ranges::copy(state, out);
  for (const Touch& touch : touches(move))
    set_value(out, touch.dst, width_, maps_[touch.map + value_at(state.data(), touch.src, width_)]);
  return true;
}

SlidingTiles::SlidingTiles(unsigned rows, unsigned columns, std::vector<std::uint8_t> goal)
    : rows_(rows), columns_(columns) {
  if (rows < 1 || columns < 1 || rows > kMaxCells || columns > kMaxCells || rows * columns > kMaxCells ||
      rows * columns < 2)
    refuse(std::to_string(rows) + " x " + std::to_string(columns) + " board, expected 2 to " +
           std::to_string(kMaxCells) + " cells");
  values_.assign(std::size_t{rows} * columns, rows * columns);
  if (goal.size() != values_.size())
    refuse("goal has " + std::to_string(goal.size()) + " bytes, expected " + std::to_string(values_.size()));
  goal_ = std::move(goal);
  check(goal_, "goal");
}

void SlidingTiles::check(Bytes state, const char* what) const {
  Puzzle::check(state, what);
  std::vector<bool> seen(slots(), false);
  for (const std::uint8_t tile : state) {
    if (seen[tile]) refuse(std::string(what) + ": tile " + std::to_string(tile) + " appears twice");
    seen[tile] = true;
  }
}

unsigned SlidingTiles::neighbour(unsigned cell, unsigned move) const noexcept {
  const unsigned row = cell / columns_, column = cell % columns_;
  switch (move) {
    case 0: return row > 0 ? cell - columns_ : kNoCell;
    case 1: return column + 1 < columns_ ? cell + 1 : kNoCell;
    case 2: return row + 1 < rows_ ? cell + columns_ : kNoCell;
    case 3: return column > 0 ? cell - 1 : kNoCell;
    default: return kNoCell;
  }
}

bool SlidingTiles::apply(Bytes state, unsigned move, std::uint8_t* out) const noexcept {
  const auto blank = static_cast<unsigned>(std::ranges::find(state, std::uint8_t{0}) - state.begin());
  const unsigned to = neighbour(blank, move);
  if (to == kNoCell) return false;
  std::ranges::copy(state, out);
  out[blank] = state[to];
  out[to] = 0;
  return true;
}

}  // namespace hstar
