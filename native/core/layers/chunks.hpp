// Memory in chunks of one size, which the threads of a search take and give back.
#pragma once

#include <cstdint>
#include <mutex>

#include "memory/memory.hpp"

namespace hstar {

class ChunkPool {
 public:
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::uint32_t kNone = 0xffffffff;

  // `charging`: guards the budget. The pool grows to at most `most` bytes.
  ChunkPool(Region& region, Budget& budget, std::mutex& charging, std::uint64_t most) noexcept
      : region_(region), budget_(budget), charging_(charging), most_(most / kBytes) {}

  // kNone: there is no memory.
  std::uint32_t take() noexcept {
    const std::lock_guard lock(mutex_);
    if (first_free_ == kNone && !grow()) return kNone;
    const std::uint32_t chunk = first_free_;
    first_free_ = next(chunk);
    --free_;
    return chunk;
  }
  void give(std::uint32_t chunk) noexcept {
    const std::lock_guard lock(mutex_);
    push(chunk);
  }
  // Whether it has fewer than so many chunks to give.
  bool scarce(std::uint64_t chunks) noexcept {
    const std::lock_guard lock(mutex_);
    return free_ + (most_ - made_) < chunks;
  }
  std::byte* operator[](std::uint32_t chunk) const noexcept { return region_.data() + std::size_t{chunk} * kBytes; }
  std::uint32_t number(const void* address) const noexcept {
    return static_cast<std::uint32_t>(
        static_cast<std::size_t>(static_cast<const std::byte*>(address) - region_.data()) / kBytes);
  }

 private:
  static constexpr std::uint64_t kStep = 256;  // chunks made at a time

  std::uint32_t& next(std::uint32_t chunk) const noexcept { return *reinterpret_cast<std::uint32_t*>((*this)[chunk]); }
  void push(std::uint32_t chunk) noexcept {
    next(chunk) = first_free_;
    first_free_ = chunk;
    ++free_;
  }
  bool grow() noexcept {
    const std::uint64_t step = kStep < most_ - made_ ? kStep : most_ - made_;
    {
      const std::lock_guard lock(charging_);
      if (step == 0 || made_ + step >= kNone || !region_.grow(budget_, (made_ + step) * kBytes)) {
        most_ = made_;
        return false;
      }
    }
    for (std::uint64_t i = step; i-- > 0;) push(static_cast<std::uint32_t>(made_ + i));
    made_ += step;
    return true;
  }

  Region& region_;
  Budget& budget_;
  std::mutex& charging_;
  std::mutex mutex_;
  std::uint64_t most_, made_ = 0, free_ = 0;  // chunks
  std::uint32_t first_free_ = kNone;
};

}  // namespace hstar
