#include "pattern/pattern.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "puzzle/refuse.hpp"

namespace hstar {

Pattern::Pattern(std::shared_ptr<const PieceSpace> space, std::vector<std::uint16_t> pieces)
    : space_(std::move(space)), pieces_(std::move(pieces)) {
  if (pieces_.empty() || pieces_.size() > kMaxPieces)
    refuse("pattern", std::to_string(pieces_.size()) + " pieces, expected 1 to " + std::to_string(kMaxPieces));
  std::ranges::sort(pieces_);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i] >= space_->pieces()) refuse("pattern", "no piece " + std::to_string(pieces_[i]));
    if (i > 0 && pieces_[i] == pieces_[i - 1])
      refuse("pattern", "piece " + std::to_string(pieces_[i]) + " appears twice");
  }
  if (alike()) {
    for (std::size_t piece = 0; piece < space_->pieces(); ++piece) {
      const auto in_it = [&](std::uint16_t one) { return std::ranges::binary_search(pieces_, one); };
      const auto one = static_cast<std::uint16_t>(piece);
      if (in_it(one) != in_it(space_->kind(piece)))
        refuse("pattern", "not all pieces that look like piece " + std::to_string(space_->kind(piece)));
    }
    std::ranges::sort(pieces_, {}, [&](std::uint16_t piece) { return std::pair(space_->kind(piece), piece); });
    unsigned most = 0;
    for (const Orbit& orbit : space_->orbits()) most = std::max(most, orbit.pieces);
    ways_.resize((most + 1) * (kMaxPieces + 1));
    for (unsigned among = 0; among <= most; ++among)
      for (unsigned count = 0; count <= kMaxPieces; ++count)
        ways_[among * (kMaxPieces + 1) + count] =
            count == 0   ? 1
            : among == 0 ? 0
                         : std::min(ways(among - 1, count) + ways(among - 1, count - 1), kMaxEntries + 1);
  }
  for (unsigned first = 0; first < pieces_.size();) {
    const unsigned orbit = space_->orbit_of(pieces_[first]);
    unsigned count = 0;
    while (first + count < pieces_.size() && space_->orbit_of(pieces_[first + count]) == orbit) ++count;
    add_group(first, count);
    first += count;
  }
  std::uint64_t stride = entries_;
  for (Group& group : groups_) group.stride = stride /= group.stride;
}

// Its stride is that of the last group until all are known: the number of its states.
void Pattern::add_group(unsigned first, unsigned count) {
  const unsigned orbit = space_->orbit_of(pieces_[first]);
  const Orbit& o = space_->orbits()[orbit];
  Group group{{o.pieces, 1, 0}, orbit, first, count, o.orientations, 1, static_cast<unsigned>(kinds_.size()), 0};
  unsigned slot_sum = 0, digit = 1;
  std::uint64_t twists = 1;
  if (alike()) {
    add_kinds(group);
    twists = group.twists;
  } else {
    for (unsigned i = 0; i < count; ++i) {
      group.stride *= o.pieces - i;
      twists *= o.orientations;
      slot_sum += o.pieces - 1 - i;
      if (group.stride * twists > kMaxEntries)
        refuse("pattern", "more than " + std::to_string(kMaxEntries) + " states");
    }
    // The most that a word and the sum of a group's words can hold.
    group.slot_bits = static_cast<unsigned>(std::bit_width(slot_sum));
    const std::uint64_t most = (o.orientations - 1) * (twists / o.orientations) << group.slot_bits;
    if (most + o.pieces - 1 > 65535) refuse("pattern", "too many pieces of one orbit");
    group.twists = static_cast<unsigned>(twists);
    group.stride *= twists;
  }
  for (unsigned i = 1; i < count; ++i) digit *= o.places();
  for (unsigned i = first; i < first + count; ++i, digit /= o.places()) {
    if (!alike()) twists /= o.orientations;
    weights_.push_back(
        {o.orientations, static_cast<unsigned>(twists), digit, group.slot_bits, space_->distinct(pieces_[i])});
  }
  if (group.stride > kMaxEntries / entries_) refuse("pattern", "more than " + std::to_string(kMaxEntries) + " states");
  entries_ *= group.stride;
  groups_.push_back(group);
}

void Pattern::add_kinds(Group& group) {
  std::uint64_t twists = 1;
  unsigned free = group.slots;
  const auto most = [](std::uint64_t states) {
    if (states > kMaxEntries)
        refuse("pattern", "more than " + std::to_string(kMaxEntries) + " states");
    return states;
  };
  for (unsigned i = group.first; i < group.first + group.count;) {
    Kind kind{0, space_->distinct(pieces_[i]), 0};
    for (; i + kind.count < group.first + group.count &&
           space_->kind(pieces_[i + kind.count]) == space_->kind(pieces_[i]);
         ++kind.count)
      twists = most(twists * kind.distinct);
    kind.choices = most(ways(free, kind.count));
    if (kind.choices > kMaxEntries / group.stride) most(kMaxEntries + 1);
    group.stride *= kind.choices;
    free -= kind.count;
    i += kind.count;
    kinds_.push_back(kind);
    ++group.kinds;
  }
  if (twists > kMaxEntries / group.stride || twists > ~0u) most(kMaxEntries + 1);
  group.twists = static_cast<unsigned>(twists);
  group.stride *= twists;
}

std::uint64_t Pattern::rank(const Place* places) const noexcept {
  std::uint64_t rank = 0;
  for (const Group& group : groups_) {
    std::array<std::uint16_t, kMaxPieces> words;
    for (unsigned i = 0; i < group.count; ++i) words[i] = word(group.first + i, places[group.first + i]);
    rank += group.stride * rank_group(words, group);
  }
  return rank;
}

// The slots of each kind are a combination of those that are left, numbered by binomial coefficients (the combinatorial
// number system); the orientations follow in the order of the slots.
std::uint64_t Pattern::rank_alike(std::array<unsigned, kMaxPieces>& places, const Group& group) const noexcept {
  std::uint64_t code = 0;
  unsigned twist = 0, begin = 0;
  for (unsigned number = group.first_kind; number < group.first_kind + group.kinds; ++number) {
    const Kind& kind = kinds_[number];
    const auto own = std::span(places).subspan(begin, kind.count);
    std::ranges::sort(own);
    std::uint64_t chosen = 0;
    for (unsigned i = 0; i < kind.count; ++i) {
      const unsigned slot = own[i] / group.orientations;
      unsigned free = slot;
      for (unsigned j = 0; j < begin; ++j) free -= places[j] / group.orientations < slot;
      chosen += ways(free, i + 1);
      twist = twist * kind.distinct + own[i] % group.orientations;
    }
    code = code * kind.choices + chosen;
    begin += kind.count;
  }
  return code * group.twists + twist;
}

void Pattern::unrank_alike(std::uint64_t code, unsigned twist, const Group& group, Place* out) const noexcept {
  unsigned end = group.count;
  for (unsigned number = group.first_kind + group.kinds; number-- > group.first_kind;) {
    const Kind& kind = kinds_[number];
    const unsigned begin = end - kind.count;
    std::uint64_t chosen = code % kind.choices;
    code /= kind.choices;
    unsigned slot = group.slots - begin;  // among the free ones
    for (unsigned i = end; i-- > begin;) {
      do --slot;
      while (ways(slot, i - begin + 1) > chosen);
      chosen -= ways(slot, i - begin + 1);
      out[i] = static_cast<Place>(slot);
    }
    end = begin;
  }
  // A slot among those that the kinds before leave free -> the slot.
  std::array<Place, kMaxPieces> taken;  // ascending
  unsigned begin = 0;
  for (unsigned number = group.first_kind; number < group.first_kind + group.kinds; ++number) {
    const unsigned next = begin + kinds_[number].count;
    for (unsigned i = begin; i < next; ++i)
      for (unsigned j = 0; j < begin; ++j) out[i] = static_cast<Place>(out[i] + (taken[j] <= out[i]));
    std::copy(out, out + next, taken.begin());
    std::sort(taken.begin(), taken.begin() + next);
    begin = next;
  }
  unsigned i = group.count;
  for (unsigned number = group.first_kind + group.kinds; number-- > group.first_kind;)
    for (unsigned left = kinds_[number].count; left > 0; --left, twist /= kinds_[number].distinct) {
      --i;
      out[i] = static_cast<Place>(out[i] * group.orientations + twist % kinds_[number].distinct);
    }
}

Pattern::RankTables Pattern::rank_tables() const {
  RankTables tables;
  if (entries_ > std::uint64_t{1} << 32) return {};
  for (const Group& group : groups_) {
    const unsigned places = group.slots * group.orientations;
    std::size_t size = 1;
    for (unsigned i = 0; i < group.count; ++i)
      if ((size *= places) > kMaxRanks) return {};
    std::vector<std::uint32_t>& table = tables.emplace_back(size);
    for (std::size_t number = 0; number < size; ++number) {
      std::array<std::uint16_t, kMaxPieces> words{};
      bool apart = true;
      for (unsigned i = 0; i < group.count; ++i) {
        const auto place = static_cast<unsigned>(number / weights_[group.first + i].digit % places);
        for (unsigned j = 0; j < i; ++j)
          apart &= number / weights_[group.first + j].digit % places / group.orientations != place / group.orientations;
        words[i] = word(group.first + i, place);
      }
      if (!apart) continue;  // two pieces in one slot do not occur
      table[number] =
          static_cast<std::uint32_t>(group.stride * rank_group(words, group));
    }
  }
  return tables;
}

void Pattern::unrank(std::uint64_t rank, Place* places) const noexcept {
  for (const Group& group : groups_) {
    std::uint64_t code = rank / group.stride;
    rank %= group.stride;
    unsigned twist = static_cast<unsigned>(code % group.twists);
    code /= group.twists;
    Place* out = places + group.first;
    if (alike()) {
      unrank_alike(code, twist, group, out);
      continue;
    }
    for (unsigned i = group.count; i-- > 0; code /= group.slots - i)
      out[i] = static_cast<Place>(code % (group.slots - i));
    // From the last to the first: a piece takes the free slot that its digit counts.
    for (unsigned i = group.count; i-- > 0;)
      for (unsigned j = i; j-- > 0;) out[i] = static_cast<Place>(out[i] + (out[i] >= out[j]));
    for (unsigned i = group.count; i-- > 0; twist /= group.orientations)
      out[i] = static_cast<Place>(out[i] * group.orientations + twist % group.orientations);
  }
}

}  // namespace hstar
