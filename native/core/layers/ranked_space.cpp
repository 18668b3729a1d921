#include "layers/ranked_space.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace hstar {

namespace {

constexpr unsigned kNoBlank = 15;
constexpr unsigned kMostSlots = 15;

// Whether each move only rearranges what is in the slots, in all states.
bool only_rearranges(const PermutationPuzzle& puzzle, Bytes moves) {
  return std::ranges::all_of(moves, [&](std::uint8_t move) {
    return puzzle.always_legal(move) &&
           std::ranges::all_of(puzzle.touches(move), [&](const PermutationPuzzle::Touch& touch) {
             for (unsigned value = 0; value < puzzle.values(touch.src); ++value)
               if (puzzle.maps()[touch.map + value] != value) return false;
             return true;
           });
  });
}

// Rows of orders of one kind, each made once.
class Rows {
 public:
  Rows(const Orders& orders, bool half, std::vector<std::uint16_t>& rows) : orders_(orders), half_(half), rows_(rows) {
    Orders::Order same;
    std::iota(same.begin(), same.end(), std::uint8_t{0});
    at(same);
  }
  std::uint32_t at(const Orders::Order& by) {
    const auto [found, fresh] = begins_.try_emplace(orders_.number(by), static_cast<std::uint32_t>(rows_.size()));
    if (!fresh) return found->second;
    const std::vector<std::uint16_t> after = orders_.after(by);
    for (const bool odd : {false, true})
      for (std::uint32_t i = 0; i < after.size(); ++i)
        if (half_ ? orders_.odd(i) == odd : !odd) rows_.push_back(half_ ? after[i] / 2 : after[i]);
    return found->second;
  }

 private:
  const Orders& orders_;
  const bool half_;  // the numbers of two orders that differ in their last places are one
  std::vector<std::uint16_t>& rows_;
  std::map<std::uint32_t, std::uint32_t> begins_;
};

}  // namespace

Orders::Orders(unsigned count) : count_(count) {
  Order order;
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  do {
    orders_.push_back(order);
    unsigned inversions = 0;
    for (unsigned i = 0; i < count; ++i)
      for (unsigned j = 0; j < i; ++j) inversions += order[j] > order[i];
    odd_.push_back(inversions % 2 != 0);
  } while (std::next_permutation(order.begin(), order.begin() + count));
}

std::uint32_t Orders::number(const Order& order) const noexcept {
  std::uint32_t code = 0;
  for (unsigned i = 0; i < count_; ++i) {
    unsigned less = 0;
    for (unsigned j = i + 1; j < count_; ++j) less += order[j] < order[i];
    code = code * (count_ - i) + less;
  }
  return code;
}

std::vector<std::uint16_t> Orders::after(const Order& by) const {
  std::vector<std::uint16_t> numbers;
  for (Order order : orders_) {
    for (std::uint8_t& place : order) place = by[place];
    numbers.push_back(static_cast<std::uint16_t>(number(order)));
  }
  return numbers;
}

Orders::Order Orders::inverse(const Order& order) const noexcept {
  Order found = order;
  for (unsigned i = 0; i < count_; ++i) found[order[i]] = static_cast<std::uint8_t>(i);
  return found;
}

RankedSpace::RankedSpace(unsigned slots, unsigned blank)
    : slots_(slots),
      blank_(blank),
      pieces_(blank == kNoBlank ? slots : slots - 1),
      heads_(pieces_ - std::min(pieces_, Orders::kMost)),
      tails_(std::min(pieces_, Orders::kMost)) {}

std::unique_ptr<const RankedSpace> RankedSpace::of(const Puzzle& puzzle, Bytes start, Bytes moves,
                                                   std::uint64_t most_bytes) {
  const std::size_t slots = puzzle.slots();
  unsigned blank = kNoBlank;
  if (slots < 2 || slots > kMostSlots || puzzle.width() != 1) return nullptr;
  if (dynamic_cast<const SlidingTiles*>(&puzzle) != nullptr)
    blank = static_cast<unsigned>(std::ranges::find(start, 0) - start.begin());
  else if (slots == kMostSlots || !only_rearranges(dynamic_cast<const PermutationPuzzle&>(puzzle), moves))
    return nullptr;
  for (std::size_t i = 0; i < slots; ++i)
    if (std::ranges::count(start, start[i]) != 1) return nullptr;  // pieces that look alike
  std::unique_ptr<RankedSpace> space(new RankedSpace(static_cast<unsigned>(slots), blank));
  return space->number(puzzle, moves, most_bytes) ? std::move(space) : nullptr;
}

std::optional<RankedSpace::Step> RankedSpace::step(const Puzzle& puzzle, Key key, unsigned move) const {
  std::array<std::uint8_t, kMostSlots> to;
  std::iota(to.begin(), to.end(), std::uint8_t{0});
  const unsigned blank = key & 15;
  if (const auto* tiles = dynamic_cast<const SlidingTiles*>(&puzzle)) {
    const unsigned beside = tiles->neighbour(blank, move);
    if (beside == SlidingTiles::kNoCell) return std::nullopt;
    std::swap(to[blank], to[beside]);
  } else {
    for (const auto& touch : dynamic_cast<const PermutationPuzzle&>(puzzle).touches(move))
      to[touch.src] = static_cast<std::uint8_t>(touch.dst);
  }
  enum Kind : std::uint8_t { tail, head, none };
  std::array<Kind, kMostSlots> kinds, after;
  for (unsigned slot = 0, bit = 4; slot < slots_; ++slot)
    after[to[slot]] = kinds[slot] = slot == blank ? none : Kind(key >> bit++ & 1);
  Step step{blank == kNoBlank ? kNoBlank : to[blank], {}, {}};
  std::array<std::uint8_t, kMostSlots> places{};
  std::array<std::uint8_t, 3> count{};
  for (unsigned slot = 0, bit = 4; slot < slots_; ++slot) {
    places[slot] = count[after[slot]]++;
    if (after[slot] != none) step.to |= Key{after[slot]} << bit++;
  }
  std::iota(step.head.begin(), step.head.end(), std::uint8_t{0});
  step.tail = step.head;
  count = {};
  for (unsigned slot = 0; slot < slots_; ++slot) {
    if (kinds[slot] == none) continue;
    (kinds[slot] == head ? step.head : step.tail)[count[kinds[slot]]++] = places[to[slot]];
  }
  return step;
}

// False: two bits a state would be more than `most_bytes`.
bool RankedSpace::number(const Puzzle& puzzle, Bytes moves, std::uint64_t most_bytes) {
  const unsigned heads = pieces_ - std::min(pieces_, Orders::kMost);
  const Key start = ((Key{1} << heads) - 1) << 4 | blank_;
  std::map<Key, bool> parities{{start, false}};
  std::vector<Key> open{start};
  while (!open.empty()) {
    const Key key = open.back();
    open.pop_back();
    for (const std::uint8_t move : moves) {
      const auto found = step(puzzle, key, move);
      if (!found) continue;
      const bool odd = parities[key] != (heads_.odd(found->head) != tails_.odd(found->tail));
      const auto [known, fresh] = parities.try_emplace(found->to, odd);
      if (fresh) open.push_back(found->to);
      half_ = half_ && known->second == odd;
    }
  }
  half_ = half_ && tails_.size() > 1;
  // Neighbours of splits that differ in the blank's row only are near them, and none of their pieces pass one another.
  std::vector<Key> keys;
  for (const auto& [key, odd] : parities) {
    keys.push_back(key);
    odd_.push_back(odd);
  }
  const auto split_of = [&](Key key) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(keys, key) - keys.begin());
  };
  start_ = std::uint64_t{split_of(start)} * heads_.size();
  moves_ = moves.size();
  degrees_.resize(keys.size());
  if (blocks() * states() / 4 > most_bytes) return false;
  ways_.resize(keys.size() * moves_);
  Rows head_rows(heads_, false, head_rows_), tail_rows(tails_, half_, tail_rows_);
  for (std::uint32_t split = 0; split < keys.size(); ++split)
    for (std::size_t i = 0; i < moves_; ++i) {
      const auto found = step(puzzle, keys[split], moves[i]);
      if (!found) continue;
      ++degrees_[split];
      ways_[split_of(found->to) * moves_ + i] = {split, head_rows.at(heads_.inverse(found->head)),
                                                 tail_rows.at(found->tail)};
      if (bytes() > most_bytes) return false;
    }
  return true;
}

}  // namespace hstar
