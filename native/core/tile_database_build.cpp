#include <array>
#include <bit>
#include <memory>

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
      : columns_(puzzle.columns()),
        cells_(static_cast<unsigned>(puzzle.slots())),
        all_(static_cast<Cells>((std::uint64_t{1} << cells_) - 1)) {
    for (unsigned cell = 0; cell < cells_; ++cell) {
      if (cell % columns_ != 0) not_first_ |= Cells{1} << cell;
      if (cell % columns_ + 1 != columns_) not_last_ |= Cells{1} << cell;
    }
    if (cells_ > kTabulated) return;
    reach_.resize(std::size_t{cells_} << cells_);
    for (unsigned cell = 0; cell < cells_; ++cell)
      for (Cells free = 0; free <= all_; ++free)
        reach_[std::size_t{cell} << cells_ | free] = static_cast<std::uint16_t>(flood(cell, free));
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
    return cells_ <= kTabulated ? reach_[std::size_t{cell} << cells_ | free] : flood(cell, free);
  }

 private:
  static constexpr unsigned kTabulated = 16;  // cells; 2 MiB then

  Cells flood(unsigned cell, Cells free) const noexcept {
    Cells reached = Cells{1} << cell;
    for (Cells before = 0; before != reached;) {
      before = reached;
      reached |= beside(reached) & free;
    }
    return reached;
  }

  unsigned columns_, cells_;
  Cells all_, not_first_ = 0, not_last_ = 0;
  std::vector<std::uint16_t> reach_;  // by cell and free cells
};

// A layer is expanded in the order of the ranks, this many at a time: where a tile goes from one cell to another, the rank
// changes by much the same for all of them, so that what they reach lies together as well and stays in the cache.
constexpr unsigned kBucketBits = 13;

// Ways to lie of one bucket that were reached, and where the blank can then be; in blocks, so that no memory is spare.
template <class Seen>
struct Block {
  static constexpr unsigned kMost = 60;
  struct Reached {
    std::uint16_t rank;  // within the bucket
    Seen blank;
  };

  std::unique_ptr<Block> next;
  unsigned count = 0;
  std::array<Reached, kMost> reached;
};

// What one thread has reached.
template <class Seen>
struct Layer {
  explicit Layer(std::size_t buckets) : blocks(buckets) {}

  void add(std::uint32_t rank, Seen blank) {
    std::unique_ptr<Block<Seen>>& block = blocks[rank >> kBucketBits];
    if (!block || block->count == Block<Seen>::kMost) {
      std::unique_ptr<Block<Seen>> more(new Block<Seen>);
      more->next = std::move(block);
      block = std::move(more);
    }
    block->reached[block->count++] = {static_cast<std::uint16_t>(rank % (1u << kBucketBits)), blank};
  }

  std::vector<std::unique_ptr<Block<Seen>>> blocks;  // by bucket
  // How many were not known, and how many were, but with the blank elsewhere.
  std::uint64_t fresh = 0, later = 0;
};

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
        buckets_((pattern.entries() >> kBucketBits) + 1),
        memory_(pattern.entries() * sizeof(Seen)),
        seen_(memory_.as<Seen>()) {
    progress.total = pattern.entries();
    built_.packing.bits = 4;
    built_.table.resize(built_.packing.bytes(pattern.entries()));
  }

  BuiltTable build() {
    std::vector<Layer<Seen>> layer = start();
    for (unsigned distance = 0;; ++distance) {
      std::uint64_t fresh = 0, later = 0;
      for (const Layer<Seen>& part : layer) {
        fresh += part.fresh;
        later += part.later;
      }
      if (fresh + later == 0) break;
      built_.counts.push_back(fresh);
      progress_.done += fresh;
      std::vector<Layer<Seen>> next;
      for (unsigned i = 0; i < threads_; ++i) next.emplace_back(buckets_);
      std::atomic<std::size_t> taken{0};
      std::atomic<unsigned> numbers{0};
      on_threads(threads_, [&] {
        Layer<Seen>& out = next[numbers.fetch_add(1)];
        for (std::size_t i; (i = taken.fetch_add(1)) < buckets_ && !progress_.cancelled;) {
          for (Layer<Seen>& part : layer) {
            for (auto block = std::move(part.blocks[i]); block; block = std::move(block->next))
              for (unsigned j = 0; j < block->count; ++j)
                expand(static_cast<std::uint32_t>(i << kBucketBits) + block->reached[j].rank, block->reached[j].blank,
                       distance + 1, out);
          }
        }
      });
      if (progress_.cancelled) return {{4}, {}, {}};
      layer = std::move(next);
    }
    while (built_.counts.back() == 0) built_.counts.pop_back();
    return std::move(built_);
  }

 private:
  std::vector<Layer<Seen>> start() {
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
    std::vector<Layer<Seen>> layer;
    layer.emplace_back(buckets_);
    layer[0].add(rank, static_cast<Seen>(reach));
    layer[0].fresh = 1;
    return layer;
  }

  // Reaches what one move of a tile leads to.
  void expand(std::uint32_t rank, Cells reached, unsigned distance, Layer<Seen>& out) {
    std::uint8_t cells[TilePattern::kMaxTiles], at[TilePattern::kMaxCells];
    pattern_.unrank(rank, cells);
    std::fill_n(at, pattern_.puzzle().slots(), TilePattern::kNone);
    Cells free = board_.all();
    for (unsigned i = 0; i < count_; ++i) {
      at[cells[i]] = static_cast<std::uint8_t>(i);
      free &= ~(Cells{1} << cells[i]);
    }
    for (unsigned i = 0; i < count_; ++i) {
      const Cells from = Cells{1} << cells[i];
      for (Cells targets = board_.beside(from) & reached; targets != 0; targets &= targets - 1) {
        const auto to = static_cast<unsigned>(std::countr_zero(targets));
        const auto there = static_cast<std::uint32_t>(
            rank + pattern_.rank_change(i, cells[i], to, [&](unsigned cell) { return at[cell]; }));
        const Cells blank = board_.reach(cells[i], (free | from) & ~(Cells{1} << to));
        Seen& seen = seen_[there];
        if ((__atomic_load_n(&seen, __ATOMIC_RELAXED) & blank) == blank) continue;
        const Cells before = __atomic_fetch_or(&seen, static_cast<Seen>(blank), __ATOMIC_RELAXED);
        if ((before & blank) == blank) continue;
        out.add(there, static_cast<Seen>(blank));
        ++(before == 0 ? out.fresh : out.later);
        if (before != 0) continue;
        const unsigned manhattan =
            pattern_.manhattan(cells) - pattern_.manhattan(i, cells[i]) + pattern_.manhattan(i, to);
        const unsigned excess = std::min((distance - manhattan) / 2, Packing{4}.unreachable());
        // Two states share a byte.
        __atomic_fetch_or(&built_.table[there / 2], static_cast<std::uint8_t>(excess << (there % 2 * 4)),
                          __ATOMIC_RELAXED);
      }
    }
  }

  const TilePattern& pattern_;
  const Board board_;
  const unsigned count_, threads_;
  BuildProgress& progress_;
  const std::size_t buckets_;
  Zeros memory_;
  Seen* seen_;
  BuiltTable built_{{4}, {}, {}};
};

}  // namespace

BuiltTable build_tile_database(const TilePattern& pattern, unsigned threads, BuildProgress& progress) {
  if (pattern.puzzle().slots() <= 16) return Builder<std::uint16_t>(pattern, threads, progress).build();
  return Builder<std::uint32_t>(pattern, threads, progress).build();
}

}  // namespace hstar
