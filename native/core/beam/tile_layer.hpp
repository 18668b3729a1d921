// The layers of a beam over boards, and the candidates for the next one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "tiles/tile_database.hpp"

namespace hstar {

// Parts of the candidates by the blank's cell, of which the first bits of their hash tell: each can be searched for
// duplicates by any thread, and is expanded with few of the changes of a ranking, which stay in the cache. Two cells
// beside one another are one part, because the blank is never in one of them at even and in the other at odd depth.
constexpr unsigned kPieces = 32;

// How a state was reached from a state of the last layer whose ways are kept, at most kMoves moves before: the number
// of that state in its layer, and the moves since. So the ways to all states take a byte a layer and state.
class TileWay {
 public:
  static constexpr unsigned kMoves = 4;
  static constexpr std::size_t kStates = std::size_t{1} << 24;

  TileWay() = default;
  explicit TileWay(std::size_t from) : bits_(static_cast<std::uint32_t>(from) << 2 * kMoves) {}

  TileWay then(unsigned move) const noexcept {
    TileWay longer(from());
    longer.bits_ |= (bits_ << 2 & kAllMoves) | move;
    return longer;
  }
  std::size_t from() const noexcept { return bits_ >> 2 * kMoves; }
  // The last move but `before`.
  unsigned move(unsigned before) const noexcept { return bits_ >> 2 * before & 3; }

 private:
  static constexpr std::uint32_t kAllMoves = (1u << 2 * kMoves) - 1;
  std::uint32_t bits_ = 0;
};

// The states of one layer, field by field.
class TileLayer {
 public:
  TileLayer(std::size_t cells, std::size_t entries) : cells_(cells), entries_(entries) {}

  void resize(std::size_t count) {
    each_field([&](auto& field, std::size_t of_one) { field.resize(count * of_one); });
  }
  void reserve(std::size_t count) {
    each_field([&](auto& field, std::size_t of_one) { field.reserve(count * of_one); });
  }
  std::size_t size() const noexcept { return hash.size(); }
  static std::size_t bytes_of_one(std::size_t cells, std::size_t entries) noexcept {
    std::size_t bytes = 0;
    TileLayer(cells, entries).each_field([&](const auto& field, std::size_t of_one) {
      bytes += of_one * sizeof(field[0]);
    });
    return bytes;
  }
  // What is allocated.
  std::size_t bytes() const noexcept {
    return boards_.capacity() + excess_.capacity() + hash.capacity() * sizeof hash[0] +
           pairs.capacity() * sizeof pairs[0] + manhattan.capacity() * sizeof manhattan[0] +
           way.capacity() * sizeof way[0] + blank.capacity() + last.capacity();
  }
  std::uint8_t* board(std::size_t i) noexcept { return boards_.data() + i * cells_; }
  const std::uint8_t* board(std::size_t i) const noexcept { return boards_.data() + i * cells_; }
  // By view and part.
  std::uint8_t* excess(std::size_t i) noexcept { return excess_.data() + i * entries_; }
  const std::uint8_t* excess(std::size_t i) const noexcept { return excess_.data() + i * entries_; }

  std::vector<std::uint64_t> hash;
  std::vector<std::int32_t> pairs;  // what the pairs of tiles add to the ranking, beyond those of the start
  std::vector<std::uint16_t> manhattan;
  std::vector<TileWay> way;
  std::vector<std::uint8_t> blank, last;  // cell; move that led to it, or kMoves
  std::array<std::size_t, kPieces + 1> piece{};  // states whose hash is of piece k: piece[k] .. piece[k + 1]

 private:
  // visit(field, how many elements a state has in it)
  template <class Visit>
  void each_field(Visit visit) {
    visit(boards_, cells_);
    visit(excess_, entries_);
    visit(hash, std::size_t{1});
    visit(pairs, std::size_t{1});
    visit(manhattan, std::size_t{1});
    visit(way, std::size_t{1});
    visit(blank, std::size_t{1});
    visit(last, std::size_t{1});
  }

  std::size_t cells_, entries_;
  std::vector<std::uint8_t> boards_, excess_;
};

// A child of a state, not made yet.
struct TileCandidate {
  std::uint64_t hash;
  std::uint32_t origin;  // parent * 4 + move
  std::uint32_t excess;  // of the part that has the tile, four bits a view
  std::int32_t pairs, score;
  std::uint32_t parent() const noexcept { return origin / 4; }
  unsigned move() const noexcept { return origin % 4; }
};
constexpr unsigned piece_of(std::uint64_t hash) noexcept { return static_cast<unsigned>(hash >> 59); }
constexpr std::uint64_t hash_of_piece(std::uint64_t piece) noexcept { return piece << 59; }
static_assert(kPieces == 32 && TilePattern::kMaxCells <= 2 * kPieces && TileHeuristic::kMaxViews * 4 <= 32);

// Hashes of a piece: those of the last layer but one, and of the candidates so far.
class SeenTiles {
 public:
  void clear(std::size_t most) {
    std::size_t size = 1024;
    while (size < 2 * most) size *= 2;
    slots_.assign(std::max(size, slots_.size()), 0);
    mask_ = slots_.size() - 1;
  }
  // False if it was there. 0 is never there.
  bool insert(std::uint64_t hash) noexcept {
    std::size_t i = hash & mask_;
    for (; slots_[i] != 0; i = (i + 1) & mask_)
      if (slots_[i] == hash) return false;
    slots_[i] = hash;
    return true;
  }
  std::size_t bytes() const noexcept { return slots_.capacity() * sizeof(std::uint64_t); }

 private:
  std::vector<std::uint64_t> slots_;
  std::size_t mask_ = 0;
};

// The candidates that one thread makes of its share of the parents.
struct TileCandidates {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::int32_t kNoScore = std::numeric_limits<std::int32_t>::max();

  std::array<std::vector<TileCandidate>, kPieces> pieces;
  std::uint64_t expanded = 0, generated = 0;
  std::uint32_t goal = kNone;     // origin of the first child that is the goal
  std::int32_t least = kNoScore;  // of their scores
  SeenTiles seen;

  // More memory is taken in small steps, because it is kept for later layers.
  void add(const TileCandidate& candidate) {
    std::vector<TileCandidate>& piece = pieces[piece_of(candidate.hash)];
    if (piece.size() == piece.capacity()) piece.reserve(piece.size() + piece.size() / 4 + 64);
    piece.push_back(candidate);
    least = std::min(least, candidate.score);
  }
  void clear() noexcept {
    for (auto& piece : pieces) piece.clear();
    expanded = generated = 0;
    goal = kNone;
    least = kNoScore;
  }
  // What is allocated.
  std::size_t bytes() const noexcept {
    std::size_t candidates = 0;
    for (const auto& piece : pieces) candidates += piece.capacity();
    return candidates * sizeof(TileCandidate) + seen.bytes();
  }
};

}  // namespace hstar
