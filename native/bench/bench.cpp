// Measures the kernel alone.   bench tiles KORF_INSTANCE [repeats] | bench megaminx-like [expansions] [repeats]
// Measures the memory's latency: bench probe [MiB]
//
// Prints one line a repeat: status, length, counters, seconds, millions generated a CPU second, bytes a stored state.
// The first repeat pays for the page faults, the later ones run on the warm arena.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <sstream>
#include <string>

#include "hstar.hpp"
#include "memory/memory.hpp"

namespace {

using namespace hstar;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void report(const Outcome& o, double cpu) {
  std::printf(
      "%-10s length %2zu expanded %9llu generated %10llu stored %9llu  %6.3f s wall %6.3f s cpu  %5.2f M generated/s  "
      "%4.1f B/state\n",
      o.status == Status::solved ? "solved" : "not solved", o.path.size(), static_cast<unsigned long long>(o.expanded),
      static_cast<unsigned long long>(o.generated), static_cast<unsigned long long>(o.stored), o.seconds, cpu,
      static_cast<double>(o.generated) / cpu / 1e6, static_cast<double>(o.peak_bytes) / static_cast<double>(o.stored));
  std::fflush(stdout);
}

int tiles(const std::string& board, int repeats, TieBreaking tie) {
  std::vector<std::uint8_t> start, goal(16);
  std::istringstream in(board);
  for (int tile; in >> tile;) start.push_back(static_cast<std::uint8_t>(tile));
  for (int i = 0; i < 16; ++i) goal[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
  const auto puzzle = std::make_shared<const SlidingTiles>(4, 4, goal);
  std::vector<std::int32_t> manhattan(256);
  for (int cell = 0; cell < 16; ++cell)
    for (int tile = 1; tile < 16; ++tile)
      manhattan[static_cast<std::size_t>(cell * 16 + tile)] =
          std::abs(cell / 4 - tile / 4) + std::abs(cell % 4 - tile % 4);
  const Heuristic h(puzzle, {{Feature::Kind::table, manhattan, 16}}, {{Op::feature, 0, 0}}, true, 96);
  const std::uint8_t moves[] = {0, 1, 2, 3};
  SearchOptions options;
  options.tie_breaking = tie;
  options.limits.memory_bytes = std::uint64_t{16} << 30;
  for (int i = 0; i < repeats; ++i) {
    Control control;
    const double before = cpu_seconds();
    const Outcome outcome = astar(start, moves, h, options, control);
    report(outcome, cpu_seconds() - before);
  }
  return 0;
}

// 50 slots and 12 moves of order 5, each turning two 5-cycles (corners with twists, edges with flips) as the
// Megaminx does, at random places: the same work a node, without its geometry.
int megaminx_like(std::uint64_t expansions, int repeats) {
  std::mt19937 random(7);
  std::vector<unsigned> values(50, 60);
  std::vector<std::uint8_t> goal(50);
  for (std::size_t i = 0; i < 50; ++i) goal[i] = static_cast<std::uint8_t>(i < 20 ? 3 * i : 2 * (i - 20));
  std::vector<PermutationPuzzle::Definition> moves(12);
  for (auto& move : moves) {
    for (const std::size_t first : {std::size_t{0}, std::size_t{20}}) {
      const std::size_t count = first == 0 ? 20 : 30;
      const unsigned orientations = first == 0 ? 3 : 2;
      std::vector<std::uint16_t> slots(count);
      for (std::size_t i = 0; i < count; ++i) slots[i] = static_cast<std::uint16_t>(first + i);
      std::shuffle(slots.begin(), slots.end(), random);
      for (std::size_t i = 0; i < 5; ++i) {
        move.dst.push_back(slots[i]);
        move.src.push_back(slots[(i + 1) % 5]);
        const unsigned twist = static_cast<unsigned>(random()) % orientations;
        std::vector<Value> map(60);
        for (unsigned v = 0; v < 60; ++v)
          map[v] = static_cast<Value>(v / orientations * orientations + (v + twist) % orientations);
        move.maps.push_back(map);
      }
    }
  }
  const auto puzzle = std::make_shared<const PermutationPuzzle>(values, goal, moves);
  std::vector<std::int32_t> wrong(50 * 60);
  for (std::size_t slot = 0; slot < 50; ++slot)
    for (unsigned v = 0; v < 60; ++v) wrong[slot * 60 + v] = v == goal[slot] ? 0 : slot < 20 ? 3 : 2;
  const Heuristic h(puzzle, {{Feature::Kind::table, wrong, 60}},
                    {{Op::feature, 0, 0}, {Op::constant, 15, 0}, {Op::div, 0, 0}, {Op::ceil, 0, 0}}, true, 8);
  std::vector<std::uint8_t> state = goal, next(50), all(12);
  for (int i = 0; i < 40; ++i) {
    puzzle->apply(state, static_cast<unsigned>(random()) % 12, next.data());
    state = next;
  }
  for (std::size_t i = 0; i < 12; ++i) all[i] = static_cast<std::uint8_t>(i);
  SearchOptions options;
  options.limits.expanded = expansions;
  options.limits.memory_bytes = std::uint64_t{16} << 30;
  for (int i = 0; i < repeats; ++i) {
    Control control;
    const double before = cpu_seconds();
    const Outcome outcome = astar(state, all, h, options, control);
    report(outcome, cpu_seconds() - before);
  }
  return 0;
}

// Reads and writes random lines of 64 bytes, `ahead` of them prefetched; 0: each address depends on the last line.
int probe(std::size_t mebibytes) {
  struct alignas(64) Line {
    std::uint64_t words[8];
  };
  SystemPages pages;
  Region region(pages);
  const std::size_t bytes = mebibytes << 20, count = bytes / sizeof(Line);
  Budget budget(bytes + (std::uint64_t{64} << 20));
  if (count == 0 || !region.open(bytes) || !region.grow(budget, bytes)) {
    std::fprintf(stderr, "cannot allocate %zu MiB\n", mebibytes);
    return 1;
  }
  Line* const lines = reinterpret_cast<Line*>(region.data());
  for (std::size_t i = 0; i < count; ++i) lines[i].words[0] = 0;
  constexpr std::uint64_t kReads = 20'000'000;
  const auto place = [&](std::uint64_t number) {
    number *= 0x9e3779b97f4a7c15;
    return ((number ^ number >> 29) * 0xbf58476d1ce4e5b9 >> 32) * count >> 32;
  };
  for (const unsigned ahead : {0U, 4U, 16U, 64U, 128U}) {
    std::uint64_t last = 0;
    const double before = cpu_seconds();
    for (std::uint64_t i = 0; i < kReads; ++i) {
      if (ahead != 0) __builtin_prefetch(&lines[place(i + ahead)], 0, 2);
      std::uint64_t& word = lines[place(ahead == 0 ? i + last % 2 : i)].words[0];
      last = word++;
    }
    const double cpu = cpu_seconds() - before;
    std::printf("%3u ahead  %6.1f ns a line  %6.1f M lines/s\n", ahead, cpu / kReads * 1e9, kReads / cpu / 1e6);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "tiles" && argc > 2) {
    const std::string tie = argc > 4 ? argv[4] : "low_h";
    return tiles(argv[2], argc > 3 ? std::atoi(argv[3]) : 2,
                 tie == "fifo" ? TieBreaking::fifo : tie == "lifo" ? TieBreaking::lifo : TieBreaking::low_h);
  }
  if (what == "megaminx-like")
    return megaminx_like(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2000000, argc > 3 ? std::atoi(argv[3]) : 3);
  if (what == "probe") return probe(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 400);
  std::fprintf(stderr,
               "usage: bench tiles '14 13 15 7 ...' [repeats] [tie] | bench megaminx-like [expansions] [repeats]"
               " | bench probe [MiB]\n");
  return 2;
}
