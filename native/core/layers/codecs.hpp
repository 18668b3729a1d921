// States as records of whole 64-bit words, for layers.
#pragma once

#include <array>
#include <bit>
#include <stdexcept>

#include "domains/domain.hpp"
#include "domains/packed_tiles.hpp"

namespace hstar {

inline std::uint64_t mixed(std::uint64_t x) noexcept {
  x *= 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
  return x ^ (x >> 32);
}

// Boards of up to 16 cells in 60 bits, and a mark for each move that leads back to a state of the layer before. All
// moves must have their inverses. No layer has a state of the next one's, so that a layer is compared with no other.
struct MarkedTiles {
  static constexpr bool kMarks = true;
  using Record = std::array<std::uint64_t, 1>;
  static constexpr Record kEmpty{~std::uint64_t{0}};  // no board: all cells hold 15
  static bool empty(const Record& record) noexcept { return record[0] == kEmpty[0]; }

  explicit MarkedTiles(std::size_t cells) noexcept : full_(cells == PackedTiles::kMaxCells) {}

  template <class D>
  Record pack(const D&, const PackedTiles::State& state) const noexcept {
    return {state.cells << 4};
  }
  // The last cell of 16 has the tile that no other has: the numbers from 0 to 15 add up to 0 without carrying.
  template <class D>
  PackedTiles::State unpack(const D&, const Record& record) const noexcept {
    const std::uint64_t cells = record[0] >> 4;
    if (!full_) return {cells | std::uint64_t{15} << 60};
    std::uint64_t last = cells ^ (cells >> 32);
    last ^= last >> 16;
    last ^= last >> 8;
    last ^= last >> 4;
    return {cells | last << 60};
  }
  static unsigned marks(const Record& record) noexcept { return record[0] & 15; }
  static void mark(Record& record, std::uint8_t move) noexcept { record[0] |= 1u << (move ^ 2u); }  // up 0, down 2
  static void join(Record& record, const Record& other) noexcept { record[0] |= other[0]; }
  static bool same(const Record& a, const Record& b) noexcept { return (a[0] ^ b[0]) >> 4 == 0; }
  static bool live(const Record& record) noexcept { return !empty(record); }
  static std::uint64_t hash(const Record& record) noexcept { return mixed(record[0] >> 4); }

 private:
  bool full_;
};

// Where the values of a state's slots are in a record: each has bits of its own within one word. The last cell of a
// board has none, because it has the tile that no other has.
class SlotBits {
 public:
  explicit SlotBits(const Puzzle& puzzle) : width_(puzzle.width()) {
    const bool board = dynamic_cast<const SlidingTiles*>(&puzzle) != nullptr;
    const std::size_t slots = puzzle.slots() - (board ? 1 : 0);
    if (board) tiles_ = static_cast<unsigned>(slots * (slots + 1) / 2);
    unsigned word = 0, used = 0;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto bits = static_cast<unsigned>(std::bit_width(puzzle.values(slot) - 1u));
      if (used + bits > 64) {
        ++word;
        used = 0;
      }
      if (used == 64) used = 0, ++word;
      places_.push_back({static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(used), (1u << bits) - 1});
      used += bits;
    }
    words_ = word + (used > 62 ? 2 : 1);  // the last two bits of a record are its own
  }
  unsigned words() const noexcept { return words_; }
  std::size_t bytes() const noexcept { return (places_.size() + (tiles_ > 0)) * width_; }

  void pack(const std::uint8_t* state, std::uint64_t* words) const noexcept {
    for (std::size_t slot = 0; slot < places_.size(); ++slot)
      words[places_[slot].word] |= std::uint64_t{value_at(state, slot, width_)} << places_[slot].shift;
  }
  void unpack(const std::uint64_t* words, std::uint8_t* state) const noexcept {
    unsigned sum = 0;
    for (std::size_t slot = 0; slot < places_.size(); ++slot) {
      const auto value = static_cast<unsigned>(words[places_[slot].word] >> places_[slot].shift & places_[slot].mask);
      set_value(state, slot, width_, value);
      sum += value;
    }
    if (tiles_ > 0) set_value(state, places_.size(), width_, tiles_ - sum);
  }

 private:
  struct Place {
    std::uint8_t word, shift;
    std::uint32_t mask;
  };
  std::size_t width_;
  std::vector<Place> places_;
  unsigned words_ = 0;
  unsigned tiles_ = 0;  // of a board: the sum of all tiles
};

// Any puzzle. The last bit says that the state is of an earlier layer; the one before it is set in no state.
template <unsigned kWords>
struct SlotRecords {
  static constexpr bool kMarks = false;
  using Record = std::array<std::uint64_t, kWords>;
  static constexpr std::uint64_t kDead = std::uint64_t{1} << 63;
  static constexpr Record kEmpty = [] {
    Record record;
    record.fill(~std::uint64_t{0});  // also dead, so that it is never live
    return record;
  }();

  // Every other record has a 0 in the bit before the last.
  static bool empty(const Record& record) noexcept { return record.back() >> 62 == 3; }

  SlotBits bits;

  template <class D>
  Record pack(const D& domain, const typename D::State& state) const noexcept {
    std::uint8_t bytes[kMostStateBytes];
    domain.unpack(state, bytes);
    Record record{};
    bits.pack(bytes, record.data());
    return record;
  }
  template <class D>
  typename D::State unpack(const D& domain, const Record& record) const noexcept {
    std::uint8_t bytes[kMostStateBytes];
    bits.unpack(record.data(), bytes);
    return domain.pack({bytes, bits.bytes()});
  }
  static bool same(const Record& a, const Record& b) noexcept {
    std::uint64_t different = (a.back() ^ b.back()) & ~kDead;
    for (unsigned i = 0; i + 1 < kWords; ++i) different |= a[i] ^ b[i];
    return different == 0;
  }
  static bool live(const Record& record) noexcept { return (record.back() & kDead) == 0; }
  static std::uint64_t hash(const Record& record) noexcept {
    std::uint64_t x = record.back() & ~kDead;
    for (unsigned i = 0; i + 1 < kWords; ++i) x = mixed(x ^ record[i]) + i;
    return mixed(x);
  }
};

}  // namespace hstar
