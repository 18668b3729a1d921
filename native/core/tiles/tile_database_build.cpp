#include <algorithm>

#include "memory/zeros.hpp"
#include "base/parallel.hpp"
#include "tiles/tile_arrangements.hpp"
#include "tiles/tile_database.hpp"

namespace hstar {

namespace {

// The search: the distance of each arrangement of each set, in a byte.
class Layers {
 public:
  Layers(const TilePattern& pattern, const CellSets& sets, const Arrangements& arrangements, const TileRegions& regions,
         unsigned threads, Control& progress)
      : sets_(sets),
        arrangements_(arrangements),
        regions_(regions),
        threads_(threads),
        progress_(progress),
        words_(arrangements.words()),
        seen_memory_(std::size_t{regions_.count()} * words_ * sizeof(std::uint32_t)),
        newest_memory_(std::size_t{regions_.count()} * words_ * sizeof(std::uint32_t)),
        seen_(seen_memory_.as<std::uint32_t>()),
        newest_(newest_memory_.as<std::uint32_t>()),
        is_new_(regions_.count()) {
    start(pattern);
  }

  // Fills `distances`, which must be zero, and returns how many there are of each; stops when it is cancelled.
  std::vector<std::uint64_t> run(std::uint8_t* distances) {
    std::vector<std::uint64_t> counts{1};
    for (unsigned distance = 1;; ++distance) {
      parity_ ^= 1;
      const std::vector<std::uint32_t>& sets = regions_.sets(parity_);
      std::atomic<std::uint64_t> fresh{0}, reached{0};
      std::atomic<std::size_t> next{0};
      on_threads(threads_, [&] {
        std::vector<std::uint32_t> sum(words_);
        for (std::size_t i; (i = next.fetch_add(1)) < sets.size() && !progress_.requested();) {
          const Reached one = expand_into(sets[i], distances, std::min(distance, 255u), sum);
          fresh += one.fresh;
          reached += one.regions;
        }
      });
      if (reached == 0 || progress_.cancelled) break;
      counts.push_back(fresh);
      progress_.done += fresh;
    }
    while (counts.back() == 0) counts.pop_back();
    return counts;
  }

 private:
  struct Reached {
    std::uint64_t fresh = 0;  // arrangements reached for the first time
    unsigned regions = 0;     // of the set, with a new arrangement
  };

  void start(const TilePattern& pattern) {
    std::array<unsigned, TilePattern::kMaxTiles> home{};
    const Bytes goal = pattern.puzzle().goal();
    unsigned blank = 0;
    Cells set = 0;
    for (unsigned cell = 0; cell < goal.size(); ++cell) {
      if (goal[cell] == 0) blank = cell;
      const std::uint8_t tile = pattern.number(goal[cell]);
      if (tile == TilePattern::kNone) continue;
      home[tile] = cell;
      set |= Cells{1} << cell;
    }
    std::uint8_t positions[TilePattern::kMaxTiles], rest[4];
    Cells left = set;
    for (unsigned i = 0; i < pattern.tiles().size(); ++i) {
      if (i < arrangements_.head()) {
        positions[i] = position(set, home[i]);
        left ^= Cells{1} << home[i];
      } else {
        rest[i - arrangements_.head()] = position(left, home[i]);
      }
    }
    unsigned bit = 0;
    while (!std::equal(rest, rest + arrangements_.tail(), arrangements_.order(bit).begin())) ++bit;
    const std::uint32_t number = sets_.number(set), region = regions_.find(number, blank);
    const std::size_t word = std::size_t{region} * words_ + arrangements_.word(positions);
    seen_[word] = newest_[word] = std::uint32_t{1} << bit;
    is_new_[region] = 1;
    const std::vector<std::uint32_t>& odd = regions_.sets(1);
    parity_ = std::ranges::binary_search(odd, number);
  }

  // The images in this set of the newest arrangements of all neighbouring regions.
  Reached expand_into(std::uint32_t set, std::uint8_t* distances, unsigned distance, std::vector<std::uint32_t>& sum) {
    Reached reached;
    const std::uint32_t begin = regions_.first(set), end = regions_.first(set + 1);
    for (std::uint32_t region = begin; region < end; ++region) {
      bool any = false;
      for (const TileRegions::Edge& edge : regions_.edges(region)) {
        if (!is_new_[edge.from]) continue;
        if (!any) std::ranges::fill(sum, 0);
        any = true;
        arrangements_.add(edge.shift, newest_ + std::size_t{edge.from} * words_, sum.data());
      }
      is_new_[region] = 0;
      if (!any) continue;
      std::uint32_t* seen = seen_ + std::size_t{region} * words_;
      std::uint32_t* newest = newest_ + std::size_t{region} * words_;
      std::uint32_t all = 0;
      for (std::uint32_t i = 0; i < words_; ++i) all |= newest[i] = sum[i] & ~seen[i];
      if (all == 0) continue;
      is_new_[region] = 1;
      ++reached.regions;
      for (std::uint32_t i = 0; i < words_; ++i) {
        std::uint32_t fresh = newest[i];
        if (fresh == 0) continue;
        for (std::uint32_t other = begin; other < end; ++other) fresh &= ~seen_[std::size_t{other} * words_ + i];
        seen[i] |= newest[i];
        reached.fresh += static_cast<unsigned>(std::popcount(fresh));
        std::uint8_t* out = distances + (std::size_t{set} * words_ + i) * arrangements_.bits();
        for (; fresh != 0; fresh &= fresh - 1) out[std::countr_zero(fresh)] = static_cast<std::uint8_t>(distance);
      }
    }
    return reached;
  }

  const CellSets& sets_;
  const Arrangements& arrangements_;
  const TileRegions& regions_;
  const unsigned threads_;
  Control& progress_;
  const std::uint32_t words_;
  // By region and word: all arrangements reached, and those of the last layer of the region's parity.
  Zeros seen_memory_, newest_memory_;
  std::uint32_t *seen_, *newest_;
  std::vector<std::uint8_t> is_new_;  // by region: whether the last layer has any there
  unsigned parity_ = 0;
};

// The table in the order of the pattern's ranks, whose leading digits are the head's cells: for each placement of the
// head, the placements of the tail are one block.
class Table {
 public:
  Table(const TilePattern& pattern, const CellSets& sets, const Arrangements& arrangements)
      : pattern_(pattern),
        sets_(sets),
        arrangements_(arrangements),
        cells_(static_cast<unsigned>(pattern.puzzle().slots())),
        tails_(cells_, arrangements.tail()),
        places_(cells_ - arrangements.head(), arrangements.tail()) {
    for (unsigned i = 0; i < arrangements_.tail(); ++i) block_ *= cells_ - arrangements_.head() - i;
    each_way(tails_, [&](const std::uint8_t* cells) {
      unsigned sum = 0;
      for (unsigned i = 0; i < arrangements_.tail(); ++i) sum += pattern_.manhattan(arrangements_.head() + i, cells[i]);
      manhattan_.push_back(static_cast<std::uint8_t>(sum));
    });
    const unsigned free = cells_ - arrangements_.head();
    each_way(places_, [&](const std::uint8_t* cells) {
      std::uint32_t code = 0;
      for (unsigned i = 0; i < arrangements_.tail(); ++i) {
        unsigned digit = cells[i];
        for (unsigned j = 0; j < i; ++j) digit -= cells[j] < cells[i];
        code = code * (free - i) + digit;
      }
      offset_.push_back(code);
    });
  }

  // Of no use if it is cancelled.
  Zeros read(const std::uint8_t* distances, unsigned threads, Control& progress) const {
    Zeros table(Packing{4}.bytes(pattern_.entries()));
    in_blocks(pattern_.entries() / block_, 1, threads, [&](std::uint64_t head, std::uint64_t) {
      if (progress.requested()) return;
      std::vector<std::uint8_t> excess(block_ + block_ % 2);
      read_block(head * block_, distances, excess.data());
      std::uint8_t* out = table.data() + head * block_ / 2;
      for (std::size_t i = 0; i < excess.size(); i += 2)
        out[i / 2] = static_cast<std::uint8_t>(excess[i] | excess[i + 1] << 4);
    });
    return table;
  }

 private:
  // Calls visit(cells of the tail's tiles) for all sets and orders.
  template <class Visit>
  void each_way(const CellSets& sets, Visit visit) const {
    for (Cells set : sets.all()) {
      std::uint8_t in[4], cells[4];
      for (unsigned i = 0; set != 0; set &= set - 1) in[i++] = static_cast<std::uint8_t>(std::countr_zero(set));
      for (unsigned bit = 0; bit < arrangements_.bits(); ++bit) {
        for (unsigned i = 0; i < arrangements_.tail(); ++i) cells[i] = in[arrangements_.order(bit)[i]];
        visit(cells);
      }
    }
  }

  void read_block(std::uint64_t rank, const std::uint8_t* distances, std::uint8_t* excess) const {
    std::uint8_t cells[TilePattern::kMaxTiles], free[TilePattern::kMaxCells], positions[TilePattern::kMaxTiles];
    pattern_.unrank(rank, cells);
    Cells head = 0;
    unsigned manhattan = 0, count = 0;
    for (unsigned i = 0; i < arrangements_.head(); ++i) {
      head |= Cells{1} << cells[i];
      manhattan += pattern_.manhattan(i, cells[i]);
    }
    for (unsigned cell = 0; cell < cells_; ++cell)
      if (!(head >> cell & 1)) free[count++] = static_cast<std::uint8_t>(cell);
    const unsigned bits = arrangements_.bits();
    const std::uint32_t* offset = offset_.data();
    for (Cells place : places_.all()) {
      Cells tail = 0;
      for (; place != 0; place &= place - 1) tail |= Cells{1} << free[std::countr_zero(place)];
      const Cells set = head | tail;
      for (unsigned i = 0; i < arrangements_.head(); ++i) positions[i] = position(set, cells[i]);
      const std::uint8_t* far =
          distances + (std::size_t{sets_.number(set)} * arrangements_.words() + arrangements_.word(positions)) * bits;
      const std::uint8_t* near = manhattan_.data() + std::size_t{tails_.number(tail)} * bits;
      for (unsigned bit = 0; bit < bits; ++bit, ++offset) {
        // Unreachable placements have distance 0.
        const unsigned least = manhattan + near[bit];
        const unsigned more = far[bit] > least ? (far[bit] - least) / 2 : 0;
        excess[*offset] = static_cast<std::uint8_t>(std::min(more, Packing{4}.unreachable()));
      }
    }
  }

  const TilePattern& pattern_;
  const CellSets& sets_;
  const Arrangements& arrangements_;
  const unsigned cells_;
  // Sets for the tail's tiles: of all cells, and of those that the head leaves free.
  const CellSets tails_, places_;
  std::vector<std::uint8_t> manhattan_;  // of the tail, by its set and bit
  std::vector<std::uint32_t> offset_;    // within a block, by the set of free cells and bit
  std::size_t block_ = 1;
};

}  // namespace

BuiltTable build_tile_database(const TilePattern& pattern, unsigned threads, Control& progress) {
  progress.total = pattern.entries();
  progress.done = 1;
  const auto stop = [&] { return progress.requested(); };
  const auto count = static_cast<unsigned>(pattern.tiles().size());
  const CellSets sets(static_cast<unsigned>(pattern.puzzle().slots()), count);
  Arrangements arrangements(count, stop);
  const TileRegions regions(pattern.puzzle(), sets, arrangements, stop);
  if (!regions.complete()) return {{4}, {}, {}};
  const Zeros distances(pattern.entries());
  BuiltTable built{{4}, {}, {}};
  built.counts = Layers(pattern, sets, arrangements, regions, threads, progress).run(distances.data());
  if (!stop()) built.table = Table(pattern, sets, arrangements).read(distances.data(), threads, progress);
  if (stop()) return {{4}, {}, {}};
  return built;
}

}  // namespace hstar
