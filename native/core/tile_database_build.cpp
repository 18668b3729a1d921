#include <bit>
#include <mutex>

#include "memory.hpp"
#include "parallel.hpp"
#include "tile_database.hpp"

namespace hstar {

namespace {

using Cells = std::uint32_t;  // a set of cells

// The cells of a board and how the blank goes about among them.
class Board {
 public:
  explicit Board(const SlidingTiles& puzzle)
      : columns_(puzzle.columns()), all_(static_cast<Cells>((std::uint64_t{1} << puzzle.slots()) - 1)) {
    for (unsigned cell = 0; cell < puzzle.slots(); ++cell) {
      if (cell % columns_ != 0) not_first_ |= Cells{1} << cell;
      if (cell % columns_ + 1 != columns_) not_last_ |= Cells{1} << cell;
    }
  }

  Cells all() const noexcept { return all_; }
  Cells beside(Cells cells) const noexcept {
    // Shifts in 64 bits: a board may have as many columns as a set has bits.
    const std::uint64_t wide = cells;
    return static_cast<Cells>(wide << columns_ | wide >> columns_ | (wide & not_last_) << 1 | (wide & not_first_) >> 1) &
           all_;
  }
  // All that the blank can reach from one cell through free cells.
  Cells reach(unsigned cell, Cells free) const noexcept {
    Cells reached = Cells{1} << cell;
    for (Cells before = 0; before != reached;) {
      before = reached;
      reached |= beside(reached) & free;
    }
    return reached;
  }

 private:
  unsigned columns_;
  Cells all_, not_first_ = 0, not_last_ = 0;
};

// A way to lie that was reached, and where the blank can then be.
struct Reached {
  std::uint32_t rank;
  Cells blank;
};

constexpr std::size_t kChunk = 1 << 15;
using Chunk = std::vector<Reached>;

// Zeroed memory on huge pages, if the system has them.
class Zeros {
 public:
  explicit Zeros(std::size_t bytes) : region_(pages_) {
    Budget budget(~std::uint64_t{0});
    if (!region_.open(bytes) || !region_.grow(budget, bytes)) throw std::bad_alloc();
  }
  template <class T>
  T* as() const noexcept { return reinterpret_cast<T*>(region_.data()); }

 private:
  SystemPages pages_;
  Region region_;
};

// A way to lie that a move leads to.
struct Arrival {
  std::uint32_t rank;
  Cells blank;
  unsigned excess;
};
constexpr std::size_t kPending = 64;  // arrivals whose memory is on its way

// Seen: an integer with a bit for each cell.
template <class Seen>
class Builder {
 public:
  Builder(const TilePattern& pattern, unsigned threads, BuildProgress& progress)
      : pattern_(pattern),
        board_(pattern.puzzle()),
        count_(static_cast<unsigned>(pattern.tiles().size())),
        threads_(threads),
        progress_(progress),
        memory_(pattern.entries() * sizeof(Seen)),
        seen_(memory_.as<Seen>()) {
    progress.total = pattern.entries();
    built_.packing.bits = 4;
    built_.table.resize(built_.packing.bytes(pattern.entries()));
  }

  BuiltTable build() {
    start();
    for (unsigned distance = 0; !layer_.empty(); ++distance) {
      built_.counts.push_back(fresh_);
      fresh_ = 0;
      std::vector<Chunk> next;
      std::mutex mutex;
      std::atomic<std::size_t> taken{0};
      on_threads(threads_, [&] {
        Chunk out;
        std::vector<Arrival> pending;
        const auto hand_over = [&] {
          const std::lock_guard lock(mutex);
          next.push_back(std::move(out));
          out = {};
        };
        for (std::size_t i; (i = taken.fetch_add(1)) < layer_.size() && !progress_.cancelled;) {
          for (const Reached& reached : layer_[i]) {
            expand(reached, distance + 1, pending);
            if (pending.size() >= kPending) settle(pending, out);
            if (out.size() >= kChunk) hand_over();
          }
          layer_[i] = {};
        }
        settle(pending, out);
        if (!out.empty()) hand_over();
      });
      if (progress_.cancelled) return {{4}, {}, {}};
      progress_.done += fresh_;
      layer_ = std::move(next);
    }
    while (built_.counts.back() == 0) built_.counts.pop_back();
    return std::move(built_);
  }

 private:
  void start() {
    const Bytes goal = pattern_.puzzle().goal();
    std::uint8_t cells[TilePattern::kMaxTiles] = {};
    Cells free = board_.all();
    unsigned blank = 0;
    for (unsigned cell = 0; cell < goal.size(); ++cell) {
      if (goal[cell] == 0) blank = cell;
      if (const std::uint8_t i = pattern_.number(goal[cell]); i != TilePattern::kNone) {
        cells[i] = static_cast<std::uint8_t>(cell);
        free &= ~(Cells{1} << cell);
      }
    }
    const auto rank = static_cast<std::uint32_t>(pattern_.rank(cells));
    const Cells reach = board_.reach(blank, free);
    seen_[rank] = static_cast<Seen>(reach);
    layer_.push_back({{rank, reach}});
    fresh_ = progress_.done = 1;
  }

  void expand(const Reached& reached, unsigned distance, std::vector<Arrival>& pending) const {
    std::uint8_t cells[TilePattern::kMaxTiles], at[TilePattern::kMaxCells];
    pattern_.unrank(reached.rank, cells);
    std::fill_n(at, pattern_.puzzle().slots(), TilePattern::kNone);
    Cells free = board_.all();
    for (unsigned i = 0; i < count_; ++i) {
      at[cells[i]] = static_cast<std::uint8_t>(i);
      free &= ~(Cells{1} << cells[i]);
    }
    const unsigned manhattan = pattern_.manhattan(cells);
    for (unsigned i = 0; i < count_; ++i) {
      const Cells from = Cells{1} << cells[i];
      for (Cells targets = board_.beside(from) & reached.blank; targets != 0; targets &= targets - 1) {
        const auto to = static_cast<unsigned>(std::countr_zero(targets));
        const auto rank = static_cast<std::uint32_t>(
            reached.rank + pattern_.rank_change(i, cells[i], to, [&](unsigned cell) { return at[cell]; }));
        __builtin_prefetch(&seen_[rank]);
        const unsigned there = manhattan - pattern_.manhattan(i, cells[i]) + pattern_.manhattan(i, to);
        pending.push_back({rank, board_.reach(cells[i], (free | from) & ~(Cells{1} << to)),
                           std::min((distance - there) / 2, Packing{4}.unreachable())});
      }
    }
  }

  void settle(std::vector<Arrival>& pending, Chunk& out) {
    std::uint64_t fresh = 0;
    for (const Arrival& arrival : pending) {
      Seen& seen = seen_[arrival.rank];
      if ((__atomic_load_n(&seen, __ATOMIC_RELAXED) & arrival.blank) == arrival.blank) continue;
      const Cells before = __atomic_fetch_or(&seen, static_cast<Seen>(arrival.blank), __ATOMIC_RELAXED);
      if ((before & arrival.blank) == arrival.blank) continue;
      out.push_back({arrival.rank, arrival.blank});
      if (before != 0) continue;
      ++fresh;
      // Two states share a byte.
      __atomic_fetch_or(&built_.table[arrival.rank / 2],
                        static_cast<std::uint8_t>(arrival.excess << (arrival.rank % 2 * 4)), __ATOMIC_RELAXED);
    }
    pending.clear();
    if (fresh > 0) fresh_.fetch_add(fresh, std::memory_order_relaxed);
  }

  const TilePattern& pattern_;
  const Board board_;
  const unsigned count_, threads_;
  BuildProgress& progress_;
  Zeros memory_;
  Seen* seen_;
  BuiltTable built_{{4}, {}, {}};
  std::vector<Chunk> layer_;
  std::atomic<std::uint64_t> fresh_{0};
};

}  // namespace

BuiltTable build_tile_database(const TilePattern& pattern, unsigned threads, BuildProgress& progress) {
  if (pattern.puzzle().slots() <= 16) return Builder<std::uint16_t>(pattern, threads, progress).build();
  return Builder<std::uint32_t>(pattern, threads, progress).build();
}

}  // namespace hstar
