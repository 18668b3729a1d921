#include <cstring>
#include <random>

#include "check.hpp"
#include "memory/arena.hpp"
#include "pages.hpp"

namespace test_memory {

using namespace hstar;

TEST(memory, a_budget_is_never_overdrawn) {
  Budget budget(100);
  CHECK(budget.charge(60));
  CHECK(!budget.charge(41));
  CHECK_EQUAL(budget.used(), 60u);
  CHECK(budget.charge(40));
  CHECK(!budget.charge(1));
  budget.refund(100);
  CHECK_EQUAL(budget.left(), 100u);
  CHECK_EQUAL(budget.peak(), 100u);
  CHECK(!budget.charge(~std::uint64_t{0}));
}

TEST(memory, a_region_grows_in_place_and_stays_warm) {
  test::FailingPages pages;
  Region region(pages);
  CHECK(region.open(std::size_t{64} << 20));
  Budget budget(std::size_t{32} << 20);
  CHECK(region.grow(budget, 1000));
  std::byte* const base = region.data();
  CHECK_EQUAL(reinterpret_cast<std::uintptr_t>(base) % (std::uintptr_t{2} << 20), 0u);
  std::memset(base, 7, 1000);
  CHECK(region.grow(budget, std::size_t{20} << 20));
  CHECK_EQUAL(region.data(), base);
  CHECK_EQUAL(static_cast<int>(base[999]), 7);
  std::memset(base, 8, std::size_t{20} << 20);  // all of it is writable
  CHECK(!region.grow(budget, (std::size_t{32} << 20) + 1));
  CHECK_EQUAL(budget.used(), std::uint64_t{20} << 20);

  const long commits = pages.commits;
  CHECK(region.open(std::size_t{64} << 20));
  CHECK_EQUAL(region.charged(), 0u);
  Budget second(std::size_t{32} << 20);
  CHECK(region.grow(second, std::size_t{20} << 20));
  CHECK_EQUAL(pages.commits, commits);  // warm
  CHECK(region.open(std::size_t{128} << 20));
  CHECK_EQUAL(region.committed(), 0u);
  CHECK_EQUAL(pages.live.size(), 1u);
  region.release();
  CHECK_EQUAL(pages.live.size(), 0u);
}

TEST(memory, a_refused_commit_leaves_everything_as_it_was) {
  test::FailingPages pages;
  Region region(pages);
  CHECK(region.open(std::size_t{64} << 20));
  Budget budget(std::size_t{64} << 20);
  CHECK(region.grow(budget, 4096));
  const std::size_t committed = region.committed();
  pages.left = 0;
  CHECK(!region.grow(budget, std::size_t{10} << 20));
  CHECK_EQUAL(budget.used(), 4096u);
  CHECK_EQUAL(region.charged(), 4096u);
  CHECK_EQUAL(region.committed(), committed);
  CHECK(region.grow(budget, committed));  // committed memory needs no further call
  pages.left = -1;
  CHECK(region.grow(budget, std::size_t{10} << 20));
}

TEST(memory, a_region_ends_at_its_reservation) {
  test::FailingPages pages;
  Region region(pages);
  CHECK(region.open(std::size_t{2} << 20));
  Budget budget(std::size_t{1} << 30);
  CHECK(region.grow(budget, region.reserved()));
  CHECK(!region.grow(budget, region.reserved() + 1));
  CHECK_EQUAL(budget.used(), region.reserved());
}

TEST(memory, pools_take_spare_room_only_within_the_budget) {
  test::FailingPages pages;
  Region region(pages);
  CHECK(region.open(std::size_t{64} << 20));
  Budget budget(10000);
  Pool<std::uint64_t> pool(region, budget);
  std::mt19937 random(1);
  std::size_t filled = 0;
  while (pool.ensure(filled + 1)) {
    CHECK(pool.capacity() > filled);
    CHECK(pool.capacity() * 8 <= budget.used());
    for (; filled < pool.capacity(); ++filled) pool[filled] = random();
  }
  CHECK_EQUAL(filled, 1250u);
  CHECK_EQUAL(budget.used(), 10000u);
}

TEST(memory, an_arena_makes_do_with_less_address_space) {
  test::FailingPages pages;
  pages.largest_reservation = std::size_t{100} << 20;
  Arena arena(pages);
  CHECK(arena.open(std::uint64_t{1} << 30));
  CHECK(arena.nodes.reserved() >= std::size_t{64} << 20);
  CHECK(arena.nodes.reserved() <= pages.largest_reservation);
  pages.largest_reservation = 0;
  Arena none(pages);
  CHECK(!none.open(std::uint64_t{1} << 30));
  arena.release();
  CHECK_EQUAL(pages.live.size(), 0u);
}

TEST(memory, the_warm_arena_is_for_one_search_at_a_time) {
  trim_arena();
  {
    ArenaLease first;
    ArenaLease second;
    CHECK(&first.arena() != &second.arena());
    CHECK(first.arena().open(1 << 20));
    Budget budget(1 << 20);
    CHECK(first.arena().nodes.grow(budget, 5000));
    CHECK_EQUAL(trim_arena(), 0u);  // in use
  }
  Arena* warm;
  {
    ArenaLease third;
    warm = &third.arena();
    CHECK(warm->committed() >= 5000);
  }
  CHECK(trim_arena() >= 5000);
  CHECK_EQUAL(warm->committed(), 0u);
}

TEST(memory, the_regions_of_an_arena_share_its_cap) {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20, kCap = 64 * kMebibyte;
  test::FailingPages pages;
  Arena arena(pages);
  const auto fill = [](Region& region, Budget& budget, std::size_t bytes) {
    for (std::size_t size = 0; size < bytes; size += kMebibyte) {
      if (!region.grow(budget, size + kMebibyte)) return size;
      std::memset(region.data() + size, 7, kMebibyte);
    }
    return bytes;
  };
  // Each solve fills other regions than the ones before.
  for (Region* region : {&arena.nodes, &arena.table, &arena.entries, &arena.records, &arena.nodes}) {
    CHECK(arena.open(kCap));
    Budget budget(kCap);
    CHECK_EQUAL(fill(*region, budget, kCap), kCap);
    CHECK(arena.committed() <= kCap);
    CHECK_EQUAL(region->committed(), kCap);
  }
  // A smaller cap gives pages back at once, and half-full regions keep their contents.
  CHECK(arena.open(kCap / 2));
  CHECK(arena.committed() <= kCap / 2);
  Budget budget(kCap / 2);
  CHECK_EQUAL(fill(arena.table, budget, 10 * kMebibyte), 10 * kMebibyte);
  CHECK_EQUAL(fill(arena.entries, budget, kCap), 22 * kMebibyte);
  CHECK(arena.committed() <= kCap / 2);
  for (std::size_t at = 0; at < 10 * kMebibyte; at += 4096) CHECK_EQUAL(static_cast<int>(arena.table.data()[at]), 7);
  // Pages that were given back are zero when they are committed again.
  CHECK(arena.open(kCap));
  Budget again(kCap);
  CHECK(arena.nodes.grow(again, kCap));
  CHECK_EQUAL(static_cast<int>(arena.nodes.data()[kCap - 1]), 0);
}

TEST(memory, giving_back_asks_whether_to_stop) {
  constexpr std::size_t kPiece = RegionGroup::kPiece, kCap = 8 * kPiece;
  struct Asked final : Stop {
    explicit Asked(std::size_t at) : stop_at(at) {}
    bool requested() const noexcept override { return ++asked >= stop_at; }
    std::size_t stop_at;
    mutable std::size_t asked = 0;
  };
  test::FailingPages pages;
  const auto filled = [&](Arena& arena) {  // committed, which takes no memory until it is touched
    CHECK(arena.open(kCap));
    Budget budget(kCap);
    CHECK(arena.nodes.grow(budget, kCap));
  };
  Arena arena(pages);
  filled(arena);
  const Asked third(3);
  CHECK(!arena.open(kPiece, &third));  // seven pieces to give back
  CHECK_EQUAL(arena.committed(), kCap - 3 * kPiece);
  const Asked never(100);
  CHECK(arena.open(kPiece, &never));
  CHECK_EQUAL(never.asked, 4u);
  CHECK_EQUAL(arena.committed(), kPiece);
  // And where one region makes room for another.
  filled(arena);
  const Asked second(2);
  CHECK(arena.open(kCap, &second));
  Budget budget(kCap);
  CHECK(!arena.table.grow(budget, kCap));
  CHECK_EQUAL(arena.committed(), kCap - 2 * kPiece);
  CHECK_EQUAL(budget.used(), 0u);
}

}  // namespace test_memory
