#include "pattern/pattern_database.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/layers.hpp"
#include "base/parallel.hpp"

namespace hstar {

namespace {

constexpr std::uint8_t kUnseen = 255;
constexpr std::uint64_t kBlock = 1 << 12;  // entries; even, and few enough that a cancel is seen in time

// The neighbours of an abstract state, given and returned as ranks, by the moves or against them.
class Neighbours {
 public:
  Neighbours(const Pattern& pattern, const std::vector<std::uint8_t>& moves, bool backwards)
      : pattern_(pattern),
        ranks_(pattern.rank_tables()),
        moves_(moves.size()),
        pieces_(pattern.pieces().size()) {
    const PieceSpace& space = pattern.space();
    for (const std::uint16_t piece : pattern.pieces()) row_ = std::max<std::size_t>(row_, space.orbit(piece).places());
    words_.resize(moves_ * pieces_ * row_);
    std::uint16_t* table = words_.data();
    for (const std::uint8_t move : moves) {
      for (std::size_t i = 0; i < pieces_; ++i, table += row_) {
        const unsigned orbit = space.orbit_of(pattern.pieces()[i]);
        for (unsigned place = 0; place < space.orbits()[orbit].places(); ++place) {
          const unsigned carried = space.carry(move, orbit)[place];
          const unsigned there = backwards ? place : carried;
          table[backwards ? carried : place] = ranks_.empty() ? pattern.word(i, there) : pattern.digit(i, there);
        }
      }
    }
  }

  // Calls visit(rank) for the neighbours until it returns true.
  template <class Visit>
  void each(std::uint64_t rank, Visit visit) const {
    if (!ranks_.empty()) return visit_by_tables(rank, visit);
    if (pattern_.groups().size() > 1 || pattern_.alike()) return visit_all<0>(rank, visit);
    switch (pieces_) {
      case 3: return visit_all<3>(rank, visit);
      case 4: return visit_all<4>(rank, visit);
      case 5: return visit_all<5>(rank, visit);
      default: return visit_all<0>(rank, visit);
    }
  }

 private:
  template <class Visit>
  void visit_by_tables(std::uint64_t rank, Visit visit) const {
    Place places[Pattern::kMaxPieces];
    pattern_.unrank(rank, places);
    const std::uint16_t* table = words_.data();
    for (std::size_t move = 0; move < moves_; ++move) {
      std::uint64_t there = 0;
      const Place* place = places;
      for (std::size_t i = 0; i < ranks_.size(); ++i) {
        unsigned number = 0;
        for (unsigned left = pattern_.groups()[i].count; left > 0; --left, table += row_) number += table[*place++];
        there += ranks_[i][number];
      }
      if (visit(there)) return;
    }
  }

  // Without tables, for K pieces of one orbit (0: any pieces).
  template <unsigned K, class Visit>
  void visit_all(std::uint64_t rank, Visit visit) const {
    Place places[Pattern::kMaxPieces];
    pattern_.unrank(rank, places);
    const std::uint16_t* table = words_.data();
    for (std::size_t move = 0; move < moves_; ++move) {
      std::array<unsigned, Pattern::kMaxPieces> words;
      for (std::size_t i = 0; i < (K ? K : pieces_); ++i, table += row_) words[i] = table[places[i]];
      std::uint64_t there = 0;
      if constexpr (K > 0) {
        const Pattern::Group& group = pattern_.groups().front();
        there = Pattern::rank_words(words.data(), K, group);
      } else {
        for (const Pattern::Group& group : pattern_.groups())
          there += group.stride * pattern_.rank_group(words.data() + group.first, group);
      }
      if (visit(there)) return;
    }
  }

  const Pattern& pattern_;
  const Pattern::RankTables ranks_;
  std::size_t moves_, pieces_;
  std::size_t row_ = 0;               // most places of a piece
  std::vector<std::uint16_t> words_;  // by move and piece, row_ each: place -> word of the place after it
};

}  // namespace

Zeros pack(std::span<const std::uint8_t> distances, Packing packing, unsigned threads, Control& progress) {
  Zeros table(packing.bytes(distances.size()));
  in_blocks(distances.size(), kBlock, threads, [&](std::uint64_t begin, std::uint64_t end) {
    if (progress.requested()) return;
    for (std::uint64_t i = begin; i < end; ++i) {
      const unsigned number =
          distances[i] == kUnseen ? packing.unreachable() : std::min<unsigned>(distances[i], packing.most());
      std::uint8_t& byte = packing.bits == 8 ? table.data()[i] : table.data()[i / 2];
      byte = static_cast<std::uint8_t>(byte | number << (packing.bits == 8 ? 0 : i % 2 * 4));
    }
  });
  return table;
}

BuiltTable build_pattern_database(const Pattern& pattern, const std::vector<std::uint8_t>& moves, unsigned threads,
                                  Control& progress, const std::vector<std::uint8_t>& costs) {
  pattern.space().check_moves(moves);
  if (!costs.empty() && (costs.size() != moves.size() || std::ranges::count(costs, 0) > 0))
    throw std::invalid_argument("expected a cost of at least 1 for each move");
  const std::uint64_t entries = pattern.entries();
  progress.total = entries;
  const Zeros distances(entries);
  const auto cancelled = [&] { return progress.requested(); };
  // Every byte of this value becomes that one.
  const auto replace = [&](std::uint8_t value, std::uint8_t by) {
    in_blocks(entries, kBlock, threads, [&](std::uint64_t begin, std::uint64_t end) {
      if (!cancelled()) std::replace(distances.begin() + begin, distances.begin() + end, value, by);
    });
  };
  replace(0, kUnseen);
  Place home[Pattern::kMaxPieces];
  for (std::size_t i = 0; i < pattern.pieces().size(); ++i)
    home[i] = static_cast<Place>(pattern.space().home(pattern.pieces()[i]));
  distances.data()[pattern.rank(home)] = 0;

  const Neighbours before(pattern, moves, true), after(pattern, moves, false);
  BuiltTable built{{4}, {}, {}};
  const auto expand = [&](unsigned d, std::uint64_t frontier, bool pull) -> std::uint64_t {
    built.counts.push_back(frontier);
    const auto next = static_cast<std::uint8_t>(d + 1);
    in_blocks(entries, kBlock, threads, [&](std::uint64_t begin, std::uint64_t end) {
      if (cancelled()) return;
      std::uint8_t* const at = distances.data();
      for (std::uint64_t rank = begin; rank < end; ++rank) {
        if (pull && load_shared(at[rank]) == kUnseen) {
          after.each(rank, [&](std::uint64_t there) {
            if (load_shared(at[there]) != d) return false;
            store_shared(at[rank], next);
            return true;
          });
        } else if (!pull && load_shared(at[rank]) == d) {
          before.each(rank, [&](std::uint64_t there) {
            if (load_shared(at[there]) == kUnseen) store_shared(at[there], next);
            return false;
          });
        }
      }
    });
    std::atomic<std::uint64_t> found{0};
    in_blocks(entries, kBlock, threads, [&](std::uint64_t begin, std::uint64_t end) {
      if (cancelled()) return;
      found += static_cast<std::uint64_t>(std::count(distances.begin() + begin, distances.begin() + end, next));
    });
    progress.done += frontier;
    return cancelled() ? 0 : found.load();
  };
  // Dijkstra's algorithm: what is at d is final when all nearer ones have been expanded. Whether any are farther than
  // the most, which stands for them.
  const auto expand_by_costs = [&] {
    constexpr unsigned kMost = Packing{8}.most();
    std::atomic<bool> more[kMost + 1] = {};
    more[0] = true;
    for (unsigned d = 0; d < kMost && !cancelled(); ++d) {
      std::atomic<std::uint64_t> frontier{0};
      if (more[d])
        in_blocks(entries, kBlock, threads, [&](std::uint64_t begin, std::uint64_t end) {
          if (cancelled()) return;
          std::uint8_t* const at = distances.data();
          std::uint64_t own = 0;
          for (std::uint64_t rank = begin; rank < end; ++rank) {
            if (load_shared(at[rank]) != d) continue;
            ++own;
            auto cost = costs.begin();
            before.each(rank, [&](std::uint64_t there) {
              const auto next = static_cast<std::uint8_t>(std::min(d + *cost++, kMost));
              if (lower_shared(at[there], next)) more[next] = true;
              return false;
            });
          }
          frontier += own;
        });
      built.counts.push_back(frontier);
      progress.done += frontier;
    }
    while (built.counts.size() > 1 && built.counts.back() == 0) built.counts.pop_back();
    return more[kMost].load();
  };
  const bool farther = costs.empty() ? each_layer(entries, Packing{8}.most(), expand) : expand_by_costs();
  // A lower bound for all that are farther away.
  if (farther) replace(kUnseen, static_cast<std::uint8_t>(Packing{8}.most()));
  if (cancelled()) return built;
  if (built.counts.size() > Packing{4}.most() + 1) built.packing.bits = 8;
  built.table = pack({distances.data(), entries}, built.packing, threads, progress);
  if (cancelled()) built.table = {};
  return built;
}

PatternDatabase::PatternDatabase(Pattern all, std::span<const std::uint8_t> bytes, unsigned bits,
                                 std::shared_ptr<const void> keep)
    : pattern(std::move(all)), table(bytes), packing{bits}, owner(std::move(keep)) {
  if (bits != 4 && bits != 8) throw std::invalid_argument("bits is " + std::to_string(bits) + ", expected 4 or 8");
  if (table.size() != packing.bytes(pattern.entries()))
    throw std::invalid_argument("table has " + std::to_string(table.size()) + " bytes, expected " +
                                std::to_string(packing.bytes(pattern.entries())));
}

}  // namespace hstar
