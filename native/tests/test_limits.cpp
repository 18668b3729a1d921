// Limits, cancelling, memory caps, failing allocations, several searches at once.
#include <chrono>
#include <thread>

#include "check.hpp"
#include "pages.hpp"
#include "deepening/pattern_search.hpp"
#include "pattern_worlds.hpp"
#include "search/meter.hpp"
#include "searches.hpp"
#include "starving.hpp"
#include "deepening/tile_database_search.hpp"

namespace test_limits {

using namespace hstar;
using test::State;

namespace {

struct Fifteen {
  std::shared_ptr<const SlidingTiles> puzzle = test::tiles(4, 4);
  Heuristic heuristic = test::manhattan_heuristic(puzzle);
  Heuristic real{
      puzzle, {test::manhattan(*puzzle)}, {{Op::feature, 0, 0}, {Op::constant, 0.9, 0}, {Op::mul, 0, 0}}, false, 99};
  State start{13, 14, 15, 7, 11, 12, 9, 5, 6, 0, 2, 1, 4, 8, 10, 3};  // cannot be solved
  State moves{0, 1, 2, 3};

  test::Problem problem(const Heuristic& h) const { return {puzzle, h, start, moves}; }
  test::Problem problem() const { return problem(heuristic); }
  test::Problem at_goal() const { return {puzzle, heuristic, test::identity(16), moves}; }
};

bool same_counts(const Outcome& a, const Outcome& b) {
  return a.expanded == b.expanded && a.generated == b.generated && a.stored == b.stored && a.max_open == b.max_open &&
         a.f_bound == b.f_bound && a.path == b.path;
}

Outcome run(const test::Search& search, const test::Problem& problem, const SearchOptions& options, Control& control) {
  ArenaLease lease;
  return search.run(lease.arena(), problem, options, control);
}

bool out_of_memory(const Outcome& o) { return o.status == Status::limit_reached && o.limit == Limit::memory; }

}  // namespace

TEST(limits, expansions_and_generations) {
  const Fifteen f;
  for (const test::Search& search : test::kSearches) {
    for (const std::uint64_t limit : {0u, 1u, 1000u, 12345u}) {
      SearchOptions options;
      options.limits.expanded = limit;
      Control control;
      const Outcome o = run(search, f.problem(), options, control);
      CHECK(o.status == Status::limit_reached && o.limit == Limit::expanded);
      CHECK_EQUAL(o.expanded, limit);
      CHECK(search.blind || o.f_bound >= 41);  // Manhattan distance of the start
      SearchOptions by_generated;
      by_generated.limits.generated = limit;
      const Outcome g = run(search, f.problem(), by_generated, control);
      CHECK(g.limit == Limit::generated);
      CHECK(g.generated >= limit && g.generated < limit + 4);
    }
    // The goal test comes first.
    SearchOptions none;
    none.limits.expanded = none.limits.generated = 0;
    Control control;
    CHECK(run(search, f.at_goal(), none, control).status == Status::solved);
    // Limits larger than any counter have no effect.
    SearchOptions vast;
    vast.limits.expanded = 2000;
    vast.limits.generated = std::uint64_t{1} << 63;
    CHECK_EQUAL(run(search, f.problem(), vast, control).expanded, 2000u);
    vast.limits.memory_bytes = ~std::uint64_t{0};
    SystemPages pages;
    Arena arena(pages);
    CHECK_EQUAL(search.run(arena, f.problem(), vast, control).expanded, 2000u);
  }
}

TEST(limits, no_time_at_all_stops_at_once) {
  const Fifteen f;
  for (const test::Search& search : test::kSearches) {
    SearchOptions options;
    options.limits.seconds = 0;
    Control control;
    const Outcome o = run(search, f.problem(), options, control);
    CHECK(o.status == Status::limit_reached && o.limit == Limit::seconds);
    CHECK_EQUAL(o.expanded, 0u);
    CHECK_EQUAL(o.evaluated, search.blind ? 0u : 1u);
  }
}

TEST(limits, time_ends_a_search_that_would_go_on) {
  const Fifteen f;
  for (const test::Search& search : test::kSearches) {
    SearchOptions options;
    options.limits.seconds = 0.05;
    Control control;
    const Outcome o = run(search, f.problem(), options, control);
    CHECK(o.limit == Limit::seconds);
    CHECK(o.seconds >= 0.05);
    CHECK(o.expanded > 0);
  }
}

TEST(limits, a_search_looks_up_as_often_as_its_expansions_are_slow) {
  constexpr auto next = Meter::next_interval;
  CHECK_EQUAL(next(1, 0.0001), 2u);       // quick: more seldom
  CHECK_EQUAL(next(1024, 0.0001), 1024u);  // but no more than that
  CHECK_EQUAL(next(16, 0.005), 16u);
  CHECK_EQUAL(next(1024, 0.02), 512u);
  CHECK_EQUAL(next(1024, 2.0), 4u);  // at once, not step by step
  CHECK_EQUAL(next(1, 100.0), 1u);
  // The second poll comes after two expansions: how long one takes is not known before.
  Control control;
  const Budget budget(0);
  Meter meter({}, control, Clock::now(), budget);
  CHECK(!meter.stop());
  control.cancel();
  meter.count.expanded = 2;
  CHECK(meter.stop().has_value());
}

TEST(limits, a_paused_search_waits_and_goes_on_where_it_was) {
  const Fifteen f;
  for (const test::Search& search : test::kSearches) {
    SearchOptions options;
    options.limits.memory_bytes = std::uint64_t{2} << 30;
    options.limits.expanded = 100'000;
    options.limits.seconds = 60;
    Control alone, paused;
    const Outcome expected = run(search, f.problem(), options, alone);
    std::atomic<bool> ended = false;
    paused.pause();
    const Clock::time_point begun = paused.now();
    Outcome o;
    std::thread searching([&] {
      o = run(search, f.problem(), options, paused);
      ended = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(!ended && paused.expanded == 0 && paused.now() == begun);
    // Paused again and again; also twice, and resumed without a pause.
    while (!ended) {
      paused.resume();
      paused.resume();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      paused.pause();
      paused.pause();
      const Clock::time_point still = paused.now();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      CHECK(paused.now() == still);
    }
    searching.join();
    CHECK(o.status == expected.status && o.limit == expected.limit);
    CHECK_EQUAL(o.expanded, expected.expanded);
    CHECK_EQUAL(o.generated, expected.generated);
    // A cancel wakes it, and then it is paused no more.
    Control cancelled;
    cancelled.pause();
    std::thread waiting([&] { o = run(search, f.problem(), options, cancelled); });
    cancelled.cancel();
    waiting.join();
    cancelled.pause();
    CHECK(o.status == Status::cancelled && cancelled.requested());
  }
}

TEST(limits, another_thread_watches_and_cancels) {
  const Fifteen f;
  for (const test::Search& search : test::kSearches) {
    SearchOptions options;
    options.limits.memory_bytes = std::uint64_t{2} << 30;
    options.limits.seconds = 60;  // so that the test fails instead of hanging if cancelling is broken
    Control control;
    Outcome o;
    std::thread searching([&] { o = run(search, f.problem(), options, control); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::uint64_t seen = 0;
    while (control.expanded < 5000 && std::chrono::steady_clock::now() < deadline) {
      CHECK(control.expanded >= seen);
      seen = control.expanded;
      std::this_thread::yield();
    }
    CHECK(control.generated > control.expanded && control.bytes > 0 && control.f_bound >= (search.blind ? 5 : 41));
    control.cancel();
    searching.join();
    CHECK(o.status == Status::cancelled && o.limit == Limit::none);
    CHECK(o.expanded >= 5000);
    CHECK_EQUAL(control.expanded.load(), o.expanded);

    // Cancelled before the start.
    const Outcome at_once = run(search, f.problem(), options, control);
    CHECK(at_once.status == Status::cancelled);
    CHECK_EQUAL(at_once.expanded, 0u);
  }
}

TEST(limits, memory_is_never_exceeded_and_well_used) {
  constexpr std::uint64_t kFixed = 300000;  // at most, for structures that do not grow
  const Fifteen f;
  for (const test::Search& search : test::kSearches) {
    for (const Heuristic* h : {&f.heuristic, &f.real}) {
      if (search.blind && h == &f.real) continue;
      const test::Problem problem = f.problem(*h);
      std::uint64_t stored = 0;
      for (std::uint64_t cap = 0; cap <= 4 << 20; cap = cap < 2000 ? cap + 97 : cap * test::instances(5, 6) / 4) {
        SystemPages pages;
        Arena arena(pages);
        SearchOptions options;
        options.limits.memory_bytes = cap;
        if (!search.grows) options.limits.expanded = 5000;
        Control control;
        const Outcome o = search.run(arena, problem, options, control);
        CHECK(out_of_memory(o) || (!search.grows && o.limit == Limit::expanded));
        CHECK(o.peak_bytes <= cap);
        CHECK(control.bytes <= cap);
        if (cap < kFixed + 100000 || !search.grows) continue;
        // More memory holds more states.
        CHECK(o.stored > stored);
        stored = o.stored;
        if (std::string(search.name) != "astar") continue;
        // Nearly all of the memory is in use; the heap's entries are larger.
        CHECK(o.peak_bytes * 100 >= cap * 98);
        CHECK(o.stored >= (cap - kFixed) / (h == &f.heuristic ? 48 : 60));
      }
    }
  }
}

// What an iterative deepening search is granted between two polls depends on time; its memory must not, or a limit of
// memory would end it earlier or later.
TEST(limits, memory_of_deepening_depends_on_the_paths_alone) {
  const Fifteen f;
  const auto peak = [&](std::uint64_t expanded) {
    SearchOptions options;
    options.limits.expanded = expanded;
    Control control;
    return ida_star(f.start, f.moves, f.heuristic, options, control).peak_bytes;
  };
  CHECK_EQUAL(peak(10), peak(200'000));
}

TEST(limits, every_refused_page_ends_as_out_of_memory) {
  const Fifteen f;
  for (const test::Search& search : test::kSearches) {
    for (const Heuristic* h : {&f.heuristic, &f.real}) {
      if (search.blind && h == &f.real) continue;
      const test::Problem problem = f.problem(*h);
      SearchOptions options;
      options.limits.expanded = test::instances(30000, 10000);
      Outcome whole;
      {
        test::FailingPages pages;
        Arena arena(pages);
        Control control;
        whole = search.run(arena, problem, options, control);
        CHECK(whole.limit == Limit::expanded);
      }
      int failures = 0;
      for (long calls = 0;; ++calls) {
        test::FailingPages pages;
        pages.left = calls;
        Arena arena(pages);
        Control control;
        const Outcome o = search.run(arena, problem, options, control);
        if (o.limit == Limit::expanded) {
          CHECK(same_counts(o, whole));
          break;
        }
        CHECK(out_of_memory(o));
        CHECK(o.expanded < whole.expanded);
        ++failures;
        // The arena works normally once the system has memory again.
        pages.left = -1;
        Control again;
        CHECK(same_counts(search.run(arena, problem, options, again), whole));
      }
      CHECK(failures >= 6);  // five reservations and their commits
    }
  }
}

TEST(limits, every_refused_allocation_ends_as_out_of_memory) {
  test::Random random(91);
  SystemPages pages;
  Arena arena(pages);
  SearchOptions options;
  options.limits.expanded = 200;
  for (const test::Search& search : test::kSearches) {
    for (int trial = 0; trial < test::instances(6, 2); ++trial) {
      const test::Problem problem =
          trial % 2 ? test::random_permutation_problem(random) : test::random_tile_problem(random);
      long allocations = 0;
      for (bool starved = true; starved; allocations += allocations < 100 ? 1 : 17) {
        Control control;
        const test::Starving starving(allocations);
        const Outcome o = search.run(arena, problem, options, control);
        starved = starving.starved();
        CHECK_EQUAL(starved, out_of_memory(o));
      }
      CHECK(allocations > 1);
    }
  }
}

TEST(limits, searches_over_databases_end_out_of_memory_too) {
  const auto space = test::ring(6);
  const State moves = test::all_moves(space->puzzle());
  const PatternHeuristic pattern(space, moves, {test::database(space, moves, {0, 1})}, {});
  test::Random random(92);
  const State far = test::walk(space->puzzle(), test::goal_of(space->puzzle()), 9, random);
  const auto board = test::tiles(3, 3);
  const TilePattern all(board, {1, 2, 3, 4, 5, 6, 7, 8});
  Control progress;
  const auto built = std::make_shared<BuiltTable>(build_tile_database(all, 1, progress));
  const TileHeuristic additive(board, {std::make_shared<const TileDatabase>(all, built->table, built)}, {});
  const State mixed = test::walk(*board, test::goal_of(*board), 60, random);
  const auto starve = [](const auto& search) {
    bool starved = true;
    long allocations = 0;
    for (; starved; ++allocations) {
      Control control;
      const test::Starving starving(allocations);
      const Outcome o = search(control);
      starved = starving.starved();
      CHECK(starved ? out_of_memory(o) : o.status == Status::solved);
    }
    CHECK(allocations > 3);
  };
  starve([&](Control& control) { return pattern_ida_star(far, pattern, {}, 1, control); });
  starve([&](Control& control) { return tile_ida_star(mixed, additive, {}, 1, control); });
  // With several threads, only this thread's allocations fail: the others go on, and all are joined.
  for (long allocations = 0; allocations < 60; ++allocations) {
    Control control;
    const test::Starving starving(allocations);
    const Outcome o = pattern_ida_star(far, pattern, {}, 3, control);
    CHECK(out_of_memory(o) || o.status == Status::solved);
  }
}

TEST(limits, a_warm_arena_changes_nothing) {
  const Fifteen f;
  test::Random random(9);
  const auto permutation = test::random_permutation(50, random);
  const std::size_t width = test::width_of(*permutation);
  const Heuristic noise(permutation,
                        {{Feature::Kind::table, test::random_table(*permutation, width, 0, 3, random), width}},
                        {{Op::feature, 0, 0}}, true, 4000);
  const State far = test::walk(*permutation, {permutation->goal().begin(), permutation->goal().end()}, 100, random);
  const State turns = test::all_moves(*permutation);
  SearchOptions options;
  options.limits.expanded = 3000;
  Control control;
  SystemPages pages;
  Arena fresh(pages);
  const Outcome tiles = astar_in(fresh, f.start, f.moves, f.heuristic, options, control);
  fresh.release();
  const Outcome turned = astar_in(fresh, far, turns, noise, options, control);
  Arena warm(pages);
  for (int i = 0; i < 4; ++i) {
    CHECK(same_counts(astar_in(warm, f.start, f.moves, f.heuristic, options, control), tiles));
    CHECK(same_counts(astar_in(warm, far, turns, noise, options, control), turned));
    SearchOptions real = options;
    real.tie_breaking = TieBreaking::fifo;
    astar_in(warm, f.start, f.moves, f.real, real, control);
  }
}

TEST(limits, several_searches_at_once_do_not_disturb_each_other) {
  const Fifteen f;
  SearchOptions options;
  options.limits.expanded = 20000;
  options.limits.memory_bytes = 64 << 20;
  Control alone;
  const Outcome expected = astar(f.start, f.moves, f.heuristic, options, alone);
  std::vector<Outcome> outcomes(6);
  std::vector<std::thread> threads;
  for (Outcome& outcome : outcomes)
    threads.emplace_back([&] {
      Control control;
      outcome = astar(f.start, f.moves, f.heuristic, options, control);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& outcome : outcomes) CHECK(same_counts(outcome, expected));
}

}  // namespace test_limits
