#include "pattern/pattern.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

namespace hstar {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("pattern: " + what); }

}  // namespace

Pattern::Pattern(std::shared_ptr<const PieceSpace> space, std::vector<std::uint16_t> pieces)
    : space_(std::move(space)), pieces_(std::move(pieces)) {
  if (pieces_.empty() || pieces_.size() > kMaxPieces)
    refuse(std::to_string(pieces_.size()) + " pieces, expected 1 to " + std::to_string(kMaxPieces));
  std::ranges::sort(pieces_);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i] >= space_->pieces()) refuse("no piece " + std::to_string(pieces_[i]));
    if (i > 0 && pieces_[i] == pieces_[i - 1]) refuse("piece " + std::to_string(pieces_[i]) + " appears twice");
  }
  for (unsigned first = 0; first < pieces_.size();) {
    const unsigned orbit = space_->orbit_of(pieces_[first]);
    unsigned count = 0;
    while (first + count < pieces_.size() && space_->orbit_of(pieces_[first + count]) == orbit) ++count;
    const Orbit& o = space_->orbits()[orbit];
    std::uint64_t states = 1, twists = 1;
    unsigned slot_sum = 0;
    for (unsigned i = 0; i < count; ++i) {
      states *= o.pieces - i;
      twists *= o.orientations;
      slot_sum += o.pieces - 1 - i;
      if (states * twists > kMaxEntries) refuse("more than " + std::to_string(kMaxEntries) + " states");
    }
    // The most that a word and the sum of a group's words can hold.
    const auto slot_bits = static_cast<unsigned>(std::bit_width(slot_sum));
    const std::uint64_t most = (o.orientations - 1) * (twists / o.orientations) << slot_bits;
    if (most + o.pieces - 1 > 65535) refuse("too many pieces of one orbit");
    groups_.push_back({{o.pieces, static_cast<unsigned>(twists), slot_bits}, orbit, first, count, o.orientations, 0});
    unsigned digit = 1;
    for (unsigned i = 1; i < count; ++i) digit *= o.places();
    for (std::uint64_t weight = twists; count > 0; --count, ++first, digit /= o.places())
      weights_.push_back({o.orientations, static_cast<unsigned>(weight /= o.orientations), digit, slot_bits});
    if (states * twists > kMaxEntries / entries_) refuse("more than " + std::to_string(kMaxEntries) + " states");
    entries_ *= states * twists;
  }
  std::uint64_t stride = entries_;
  for (Group& group : groups_) {
    std::uint64_t states = group.twists;
    for (unsigned i = 0; i < group.count; ++i) states *= group.slots - i;
    group.stride = stride /= states;
  }
}

std::uint64_t Pattern::rank(const Place* places) const noexcept {
  std::uint64_t rank = 0;
  for (const Group& group : groups_) {
    std::array<std::uint16_t, kMaxPieces> words;
    for (unsigned i = 0; i < group.count; ++i) words[i] = word(group.first + i, places[group.first + i]);
    rank += group.stride * rank_words(words, group.count, group);
  }
  return rank;
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
      for (unsigned i = 0; i < group.count; ++i)
        words[i] = word(group.first + i, static_cast<unsigned>(number / weights_[group.first + i].digit % places));
      // Two pieces in one slot do not occur; their rank is unspecified.
      table[number] =
          static_cast<std::uint32_t>(group.stride * rank_words(words, group.count, group));
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
