#include "memory/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>

namespace hstar {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept { return (bytes + unit - 1) / unit * unit; }

std::size_t page_size() noexcept {
  static const std::size_t size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

}  // namespace

void* SystemPages::reserve(std::size_t bytes) noexcept {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_NORESERVE
  flags |= MAP_NORESERVE;
#endif
  void* address = mmap(nullptr, bytes, PROT_NONE, flags, -1, 0);
  if (address == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
  madvise(address, bytes, MADV_HUGEPAGE);  // a hint: refusal is harmless
#endif
  return address;
}

bool SystemPages::commit(void* address, std::size_t bytes) noexcept {
  return mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0;
}

void SystemPages::discard(void* address, std::size_t bytes) noexcept {
  madvise(address, bytes, MADV_DONTNEED);
  mprotect(address, bytes, PROT_NONE);  // else a touch nearby could bring a huge page back
}

void SystemPages::release(void* address, std::size_t bytes) noexcept { munmap(address, bytes); }

bool Region::open(std::size_t reserve_bytes) noexcept {
  charged_ = 0;
  if (reserve_bytes <= reserved_) return true;
  release();
  const std::size_t usable = round_up(reserve_bytes, kHugePage);
  if (usable < reserve_bytes || usable + kHugePage < usable) return false;
  void* address = pages_.reserve(usable + kHugePage);
  if (address == nullptr) return false;
  reservation_ = address;
  reservation_bytes_ = usable + kHugePage;
  // Start on a huge page, so that the kernel can back all of it with huge pages.
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  base_ = static_cast<std::byte*>(address) + (round_up(start, kHugePage) - start);
  reserved_ = usable;
  return true;
}

bool Region::grow(Budget& budget, std::size_t bytes) noexcept {
  if (bytes <= charged_) return true;
  if (bytes > reserved_ || !budget.charge(bytes - charged_)) return false;
  if (bytes > committed_ && !commit(bytes)) {
    budget.refund(bytes - charged_);
    return false;
  }
  charged_ = bytes;
  assert(valid());
  return true;
}

bool Region::commit(std::size_t bytes) noexcept {
  const std::size_t exact = std::min(round_up(bytes, page_size()), reserved_);
  const std::size_t huge = std::min(round_up(bytes, kHugePage), reserved_);
  const std::size_t generous = std::min(round_up(std::max(bytes, committed_ + committed_ / 8), kHugePage), reserved_);
  for (const std::size_t target : {generous, huge, exact}) {
    if (group_ != nullptr &&
        !group_->make_room(*this, target - committed_, target == exact ? page_size() : kHugePage)) {
      if (group_->stopped()) return false;
      if (target != exact) continue;
    }
    if (pages_.commit(base_ + committed_, target - committed_)) {
      committed_ = target;
      return true;
    }
  }
  return false;
}

void Region::trim(std::size_t bytes) noexcept {
  const std::size_t keep = round_up(std::max(bytes, charged_), page_size());
  if (keep >= committed_) return;
  pages_.discard(base_ + keep, committed_ - keep);
  committed_ = keep;
  assert(valid());
}

void Region::release() noexcept {
  if (const auto [address, bytes] = give_up(); address != nullptr) pages_.release(address, bytes);
}

Region::Reservation Region::give_up() noexcept {
  const Reservation all{reservation_, reservation_bytes_};
  reservation_ = nullptr;
  base_ = nullptr;
  reservation_bytes_ = reserved_ = committed_ = charged_ = 0;
  return all;
}

bool RegionGroup::cap(std::uint64_t bytes, const Stop* stop) noexcept {
  cap_ = bytes;
  stop_ = stop;
  for (std::uint64_t all; (all = committed()) > cap_;) {
    Region& largest = **std::max_element(
        regions_, regions_ + count_, [](const Region* a, const Region* b) { return a->committed() < b->committed(); });
    const std::size_t before = largest.committed();
    largest.trim(before - std::min<std::uint64_t>({before, all - cap_, kPiece}));
    if (largest.committed() == before) break;
    if (stopped()) return false;
  }
  return true;
}

std::size_t RegionGroup::committed() const noexcept {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count_; ++i) bytes += regions_[i]->committed();
  return bytes;
}

bool RegionGroup::make_room(const Region& growing, std::size_t bytes, std::size_t unit) noexcept {
  for (std::size_t i = 0; i < count_;) {
    const std::uint64_t all = committed() + bytes;
    if (all <= cap_) return true;
    Region& other = *regions_[i];
    const std::size_t before = other.committed(), used = round_up(other.charged(), unit);
    if (&other == &growing || used >= before) {
      ++i;
      continue;
    }
    // In large pieces, because each costs a call of the system.
    const std::uint64_t wanted = std::min<std::uint64_t>(round_up(all - cap_, std::size_t{8} << 20), kPiece);
    other.trim(std::max<std::size_t>(used, before - std::min<std::uint64_t>(before, wanted)));
    if (stopped()) return false;
  }
  return committed() + bytes <= cap_;
}

}  // namespace hstar
