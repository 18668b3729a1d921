#include "pattern_database.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>

namespace hstar {

namespace {

constexpr std::uint8_t kUnseen = 255;
constexpr std::uint64_t kBlock = 1 << 16;  // entries that a thread takes at a time; even, so that no byte is shared

// Calls work(begin, end) for all blocks of 0 .. entries, on some threads, until all are done.
template <class Work>
void in_blocks(std::uint64_t entries, unsigned threads, Work work) {
  std::atomic<std::uint64_t> next{0};
  const auto run = [&] {
    for (std::uint64_t begin; (begin = next.fetch_add(kBlock, std::memory_order_relaxed)) < entries;)
      work(begin, std::min(entries, begin + kBlock));
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

// What moves do backwards to the places of a pattern's pieces.
class Retreats {
 public:
  Retreats(const Pattern& pattern, const std::vector<std::uint8_t>& moves) : pattern_(pattern) {
    const PieceSpace& space = pattern.space();
    for (const std::uint8_t move : moves) {
      for (const std::uint8_t piece : pattern.pieces()) {
        const unsigned orbit = space.orbit_of(piece);
        std::array<std::uint8_t, 256> back{};
        for (unsigned place = 0; place < space.orbits()[orbit].places(); ++place)
          back[space.carry(move, orbit)[place]] = static_cast<std::uint8_t>(place);
        back_.push_back(back);
      }
    }
  }

  // Calls visit(rank) for each state one move before the state of this rank.
  template <class Visit>
  void each(std::uint64_t rank, Visit visit) const {
    std::uint8_t places[Pattern::kMaxPieces], before[Pattern::kMaxPieces];
    pattern_.unrank(rank, places);
    const std::size_t count = pattern_.pieces().size();
    for (std::size_t first = 0; first < back_.size(); first += count) {
      bool moved = false;
      for (std::size_t i = 0; i < count; ++i) {
        before[i] = back_[first + i][places[i]];
        moved |= before[i] != places[i];
      }
      if (moved) visit(pattern_.rank(before));
    }
  }

 private:
  const Pattern& pattern_;
  std::vector<std::array<std::uint8_t, 256>> back_;
};

// Several threads write the same value to the same byte; nothing else is raced for.
std::uint8_t load(const std::uint8_t& byte) noexcept { return __atomic_load_n(&byte, __ATOMIC_RELAXED); }
void store(std::uint8_t& byte, std::uint8_t value) noexcept { __atomic_store_n(&byte, value, __ATOMIC_RELAXED); }

}  // namespace

std::vector<std::uint64_t> build_pattern_database(const Pattern& pattern, const std::vector<std::uint8_t>& moves,
                                                  std::span<std::uint8_t> table, unsigned threads,
                                                  BuildProgress& progress) {
  const std::uint64_t entries = pattern.entries();
  if (table.size() != nibbles::bytes(entries))
    throw std::invalid_argument("table has " + std::to_string(table.size()) + " bytes, expected " +
                                std::to_string(nibbles::bytes(entries)));
  for (const std::uint8_t move : moves)
    if (move >= pattern.space().puzzle().move_count())
      throw std::invalid_argument("no move " + std::to_string(move));
  progress.total = entries;
  std::vector<std::uint8_t> distance(entries, kUnseen);
  std::uint8_t home[Pattern::kMaxPieces];
  for (std::size_t i = 0; i < pattern.pieces().size(); ++i)
    home[i] = static_cast<std::uint8_t>(pattern.space().home(pattern.pieces()[i]));
  distance[pattern.rank(home)] = 0;

  const Retreats retreats(pattern, moves);
  std::vector<std::uint64_t> counts{1};
  for (std::uint8_t d = 0; counts.back() > 0 && d < kUnseen - 1; ++d) {
    std::atomic<std::uint64_t> expanded{0};
    in_blocks(entries, threads, [&](std::uint64_t begin, std::uint64_t end) {
      if (progress.cancelled.load(std::memory_order_relaxed)) return;
      std::uint64_t here = 0;
      for (std::uint64_t rank = begin; rank < end; ++rank) {
        if (load(distance[rank]) != d) continue;
        ++here;
        retreats.each(rank, [&](std::uint64_t before) {
          if (load(distance[before]) == kUnseen) store(distance[before], static_cast<std::uint8_t>(d + 1));
        });
      }
      expanded += here;
      progress.done.fetch_add(here, std::memory_order_relaxed);
    });
    if (progress.cancelled) return {};
    counts.back() = expanded;
    counts.push_back(expanded);
  }
  counts.pop_back();
  if (counts.back() == 0) counts.pop_back();

  const auto nibble = [&](std::uint64_t rank) -> unsigned {
    if (rank >= entries || distance[rank] == kUnseen) return nibbles::kUnreachable;
    return std::min<unsigned>(distance[rank], nibbles::kMost);
  };
  in_blocks(entries, threads, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t rank = begin; rank < end; rank += 2)
      table[rank / 2] = static_cast<std::uint8_t>(nibble(rank) | nibble(rank + 1) << 4);
  });
  return counts;
}

}  // namespace hstar
