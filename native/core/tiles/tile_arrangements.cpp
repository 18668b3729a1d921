#include "tiles/tile_arrangements.hpp"

#include <algorithm>

namespace hstar {

namespace {

constexpr std::uint32_t kSets = 1 << 10;  // from one look whether to stop to the next

// Positions taken before are not counted.
std::uint32_t lehmer(const std::uint8_t* positions, unsigned count, unsigned of) {
  std::uint32_t code = 0;
  for (unsigned i = 0; i < count; ++i) {
    unsigned free = positions[i];
    for (unsigned j = 0; j < i; ++j) free -= positions[j] < positions[i];
    code = code * (of - i) + free;
  }
  return code;
}

void unlehmer(std::uint32_t code, std::uint8_t* positions, unsigned count, unsigned of) {
  for (unsigned i = count; i-- > 0; code /= of - i) positions[i] = static_cast<std::uint8_t>(code % (of - i));
  for (unsigned i = count; i-- > 0;)
    for (unsigned j = i; j-- > 0;)
      positions[i] = static_cast<std::uint8_t>(positions[i] + (positions[i] >= positions[j]));
}

// The new position of what is in a position, after one tile has gone past others.
unsigned shifted(Arrangements::Shift shift, unsigned position) {
  if (position == shift.from) return shift.to;
  if (shift.from < position && position <= shift.to) return position - 1;
  if (shift.to <= position && position < shift.from) return position + 1;
  return position;
}

}  // namespace

CellSets::CellSets(unsigned cells, unsigned size) {
  for (unsigned cell = 1; cell < TilePattern::kMaxCells; ++cell) {
    choose_[0][cell] = cell;
    for (unsigned i = 1; i < TilePattern::kMaxTiles; ++i)
      choose_[i][cell] = choose_[i][cell - 1] + choose_[i - 1][cell - 1];
  }
  // The next set of the same size (Gosper): of the lowest run of cells, the top one moves up and the others move to the
  // bottom.
  const std::uint64_t end = std::uint64_t{1} << cells;
  for (std::uint64_t set = (std::uint64_t{1} << size) - 1; set < end;) {
    all_.push_back(static_cast<Cells>(set));
    const std::uint64_t low = set & -set, carried = set + low;
    set = carried | ((set ^ carried) >> 2) / low;
  }
}

Arrangements::Arrangements(unsigned count, Stop stop)
    : count_(count), tail_(std::min(count, 4u)), stop_(std::move(stop)) {
  for (auto& row : numbers_) row.fill(kNoNumber);
  for (unsigned i = 0; i < head(); ++i) words_ *= count_ - i;
  unsigned tails = 1;
  for (unsigned i = 2; i <= tail_; ++i) tails *= i;
  orders_.resize(tails);
  for (unsigned bit = 0; bit < tails; ++bit) unlehmer(bit, orders_[bit].data(), tail_, tail_);
  shift_tails();
  number({0, 0});
}

std::uint32_t Arrangements::word(const std::uint8_t* positions) const noexcept {
  return lehmer(positions, head(), count_);
}

void Arrangements::shift_tails() {
  for (unsigned number = 0; number < tail_shifts_.size(); ++number) {
    const Shift shift{number / 4, number % 4};
    if (std::max(shift.from, shift.to) >= tail_) continue;
    for (unsigned bit = 0; bit < bits(); ++bit) {
      std::vector<std::uint8_t> order(tail_);
      for (unsigned i = 0; i < tail_; ++i) order[i] = static_cast<std::uint8_t>(shifted(shift, orders_[bit][i]));
      const std::uint32_t there = std::uint32_t{1} << lehmer(order.data(), tail_, tail_);
      for (unsigned byte = 0; byte < 256; ++byte)
        if (byte >> bit % 8 & 1) tail_shifts_[number][bit / 8][byte] |= there;
    }
  }
}

std::uint16_t Arrangements::number(Shift shift) {
  if (shift.from == shift.to) shift = {0, 0};
  std::uint16_t& number = numbers_[shift.from][shift.to];
  if (number == kNoNumber) {
    number = static_cast<std::uint16_t>(steps_.size());
    steps_.push_back(steps(shift));
  }
  return number;
}

std::vector<Arrangements::Step> Arrangements::steps(Shift shift) const {
  std::vector<Step> steps(words_);
  for (std::uint32_t word = 0; word < words_; ++word) {
    if (word % (1 << 14) == (1 << 14) - 1 && stop_()) break;
    std::uint8_t before[TilePattern::kMaxTiles], after[TilePattern::kMaxTiles];
    unlehmer(word, before, head(), count_);
    Cells taken = 0, taken_after = 0;
    for (unsigned i = 0; i < head(); ++i) {
      after[i] = static_cast<std::uint8_t>(shifted(shift, before[i]));
      taken |= Cells{1} << before[i];
      taken_after |= Cells{1} << after[i];
    }
    steps[word].word = lehmer(after, head(), count_) & ((1u << 28) - 1);
    if (taken >> shift.from & 1) continue;  // a tile of the head shifts, those of the tail keep their order
    const unsigned from = position(~taken, shift.from), to = position(~taken_after, shift.to);
    steps[word].tail_shift = (from == to ? 0 : 4 * from + to) & 15;
  }
  return steps;
}

void Arrangements::add(std::uint16_t shift, const std::uint32_t* source, std::uint32_t* target) const noexcept {
  if (shift == kStill) {
    for (std::uint32_t i = 0; i < words_; ++i) target[i] |= source[i];
    return;
  }
  const Step* steps = steps_[shift].data();
  for (std::uint32_t i = 0; i < words_; ++i) {
    const std::uint32_t bits = source[i];
    if (bits == 0) continue;
    const Bits& bits_of = tail_shifts_[steps[i].tail_shift];
    target[steps[i].word] |= bits_of[0][bits & 255] | bits_of[1][bits >> 8 & 255] | bits_of[2][bits >> 16];
  }
}

TileRegions::TileRegions(const SlidingTiles& puzzle, const CellSets& sets, Arrangements& arrangements,
                         const Arrangements::Stop& stop) {
  const auto cells = static_cast<unsigned>(puzzle.slots());
  const auto all = static_cast<Cells>((std::uint64_t{1} << cells) - 1);
  std::array<Cells, TilePattern::kMaxCells> beside{};
  for (unsigned cell = 0; cell < cells; ++cell)
    for (unsigned move = 0; move < SlidingTiles::kMoves; ++move)
      if (const unsigned to = puzzle.neighbour(cell, move); to != SlidingTiles::kNoCell) beside[cell] |= Cells{1} << to;

  const auto each = [](Cells set, auto visit) {
    for (; set != 0; set &= set - 1) visit(static_cast<unsigned>(std::countr_zero(set)));
  };
  const auto stopping = [&](std::uint32_t number) { return number % kSets == 0 && stop(); };
  for (std::uint32_t number = 0; number < sets.all().size(); ++number) {
    if (stopping(number)) return;
    first_.push_back(count());
    unsigned parity = 0;
    each(sets.all()[number], [&](unsigned cell) { parity ^= (cell / puzzle.columns() + cell % puzzle.columns()) & 1; });
    by_parity_[parity].push_back(number);
    for (Cells left = all & ~sets.all()[number]; left != 0; left &= ~blank_.back()) {
      Cells reached = left & -left;
      for (Cells edge = reached; edge != 0;) {
        Cells next = 0;
        each(edge, [&](unsigned cell) { next |= beside[cell]; });
        edge = next & left & ~reached;
        reached |= edge;
      }
      blank_.push_back(reached);
    }
  }
  first_.push_back(count());
  for (std::uint32_t number = 0; number < sets.all().size(); ++number) {
    if (stopping(number)) return;
    const Cells set = sets.all()[number];
    for (std::uint32_t region = first(number); region < first(number + 1); ++region) {
      // A tile has come to `cell` from where the blank is now.
      each(blank_[region], [&](unsigned blank) {
        each(beside[blank] & set, [&](unsigned cell) {
          const Cells before = (set ^ Cells{1} << cell) | Cells{1} << blank;
          edges_.push_back({find(sets.number(before), cell),
                            arrangements.number({position(before, blank), position(set, cell)})});
        });
      });
      first_edge_.push_back(edges_.size());
    }
  }
  complete_ = !stop();
}

std::uint32_t TileRegions::find(std::uint32_t set, unsigned blank) const noexcept {
  std::uint32_t region = first(set);
  while (!(blank_[region] >> blank & 1)) ++region;
  return region;
}

}  // namespace hstar
