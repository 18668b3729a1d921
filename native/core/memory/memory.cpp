#include "memory/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

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
  return true;
}

bool Region::commit(std::size_t bytes) noexcept {
  const std::size_t generous = std::min(round_up(std::max(bytes, committed_ + committed_ / 8), kHugePage), reserved_);
  for (const std::size_t target : {generous, std::min(round_up(bytes, page_size()), reserved_)}) {
    if (pages_.commit(base_ + committed_, target - committed_)) {
      committed_ = target;
      return true;
    }
  }
  return false;
}

void Region::release() noexcept {
  if (reservation_ != nullptr) pages_.release(reservation_, reservation_bytes_);
  reservation_ = nullptr;
  base_ = nullptr;
  reservation_bytes_ = reserved_ = committed_ = charged_ = 0;
}

}  // namespace hstar
