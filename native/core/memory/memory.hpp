// Memory of one solve: a budget that is never exceeded, and address ranges that grow in place.
//
//   SystemPages pages;  Region region(pages);  Budget budget(64 << 20);
//   Pool<Node> nodes(region, budget);
//   if (!nodes.ensure(1000)) ... refused by the cap or the system; nothing has changed ...
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/stop.hpp"

namespace hstar {

// Bytes that one solve may use. `charge` refuses more than the cap.
class Budget {
 public:
  explicit Budget(std::uint64_t cap) noexcept : cap_(cap) {}
  [[nodiscard]] bool charge(std::uint64_t bytes) noexcept {
    if (bytes > cap_ - used_) return false;
    used_ += bytes;
    if (used_ > peak_) peak_ = used_;
    return true;
  }
  void refund(std::uint64_t bytes) noexcept {
    assert(bytes <= used_);
    used_ -= bytes;
  }
  std::uint64_t left() const noexcept { return cap_ - used_; }
  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t peak() const noexcept { return peak_; }

 private:
  std::uint64_t cap_;
  std::uint64_t used_ = 0;
  std::uint64_t peak_ = 0;
};

// The source of address ranges. Tests replace it with one that fails on command.
class PageSource {
 public:
  virtual ~PageSource() = default;
  virtual void* reserve(std::size_t bytes) noexcept = 0;                        // nullptr: refused
  virtual bool commit(void* address, std::size_t bytes) noexcept = 0;           // make readable and writable
  virtual void discard(void* address, std::size_t bytes) noexcept = 0;          // give the pages back, keep the range
  virtual void release(void* address, std::size_t bytes) noexcept = 0;          // give a whole reservation back
};

class SystemPages final : public PageSource {
 public:
  void* reserve(std::size_t bytes) noexcept override;
  bool commit(void* address, std::size_t bytes) noexcept override;
  void discard(void* address, std::size_t bytes) noexcept override;
  void release(void* address, std::size_t bytes) noexcept override;
};

class Region;

// Regions with one cap for all their committed pages, warm ones included: when one has to grow, the others give back
// pages that they do not use. The cap may be exceeded by up to a page a region, because a budget counts bytes.
class RegionGroup {
 public:
  static constexpr std::size_t kMost = 8;

  static constexpr std::size_t kPiece = std::size_t{64} << 20;

  // Start of a solve: the cap from now on; what is warm beyond it is given back. That takes 60 ms a GiB, so the solve's
  // `stop` is asked after each kPiece, and as long as the solve lasts. False: it said yes.
  [[nodiscard]] bool cap(std::uint64_t bytes, const Stop* stop = nullptr) noexcept;
  std::size_t committed() const noexcept;

 private:
  friend class Region;
  void add(Region& region) noexcept { regions_[count_++] = &region; }
  // Have the others give back what is in the way of so many more bytes; false if that is not enough, or stopped.
  bool make_room(const Region& growing, std::size_t bytes, std::size_t unit) noexcept;
  bool stopped() const noexcept { return stop_ != nullptr && stop_->requested(); }

  std::uint64_t cap_ = ~std::uint64_t{0};
  const Stop* stop_ = nullptr;  // of the solve that `cap` has begun
  Region* regions_[kMost] = {};
  std::size_t count_ = 0;
};

// One address range, reserved once and committed from its start as it is used. The base never moves, so pointers
// into it stay valid while it grows. Committed pages stay with the region from one solve to the next (warm), so new
// ranges are NOT zero.
class Region {
 public:
  explicit Region(PageSource& pages) noexcept : pages_(pages) {}
  Region(PageSource& pages, RegionGroup& group) noexcept : pages_(pages), group_(&group) { group.add(*this); }
  ~Region() { release(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // Start of a solve: makes the reservation, or enlarges it (which drops the warm pages). Nothing is charged yet.
  [[nodiscard]] bool open(std::size_t reserve_bytes) noexcept;
  // Charge and commit the first `bytes`; true if they are now usable.
  [[nodiscard]] bool grow(Budget& budget, std::size_t bytes) noexcept;
  // Give back all committed pages past the first `bytes`, or past the charged bytes if those are more.
  void trim(std::size_t bytes) noexcept;
  void release() noexcept;
  // What was reserved, which the caller has to release instead; {nullptr, 0} if nothing was.
  struct Reservation {
    void* address;
    std::size_t bytes;
  };
  Reservation give_up() noexcept;

  // What is charged is committed, and what is committed is reserved.
  bool valid() const noexcept { return charged_ <= committed_ && committed_ <= reserved_; }

  std::byte* data() const noexcept { return base_; }
  std::size_t charged() const noexcept { return charged_; }
  std::size_t committed() const noexcept { return committed_; }
  std::size_t reserved() const noexcept { return reserved_; }

 private:
  bool commit(std::size_t bytes) noexcept;

  PageSource& pages_;
  RegionGroup* group_ = nullptr;
  std::byte* base_ = nullptr;
  void* reservation_ = nullptr;
  std::size_t reservation_bytes_ = 0;
  std::size_t reserved_ = 0;
  std::size_t committed_ = 0;
  std::size_t charged_ = 0;
};

// A growing array of T in a region. `kCut`: each element has but its first `element_bytes`, which are known at run
// time.
template <class T, bool kCut = false>
class Pool {
 public:
  Pool(Region& region, Budget& budget, std::size_t element_bytes = sizeof(T)) noexcept
      : region_(region), budget_(budget), element_bytes_(element_bytes) {}

  // Room for `count` elements, with some to spare when the budget allows it.
  [[nodiscard]] bool ensure(std::size_t count) noexcept {
    if (count <= capacity_) return true;
    const std::size_t need = count * bytes_of_one();
    std::size_t spare = region_.charged() / 16;
    spare = spare < kLeastSpare ? kLeastSpare : spare > kMostSpare ? kMostSpare : spare;
    if (!region_.grow(budget_, need + spare) && !region_.grow(budget_, need)) return false;
    settle();
    return true;
  }
  // Exactly `count` elements, nothing to spare.
  [[nodiscard]] bool resize_up(std::size_t count) noexcept {
    if (count > capacity_ && !region_.grow(budget_, count * bytes_of_one())) return false;
    settle();
    return true;
  }
  T* data() const noexcept { return reinterpret_cast<T*>(region_.data()); }
  T& operator[](std::size_t i) const noexcept {
    if constexpr (kCut)
      return *reinterpret_cast<T*>(region_.data() + i * element_bytes_);
    else
      return base_[i];
  }
  std::size_t capacity() const noexcept { return capacity_; }
  Budget& budget() const noexcept { return budget_; }

 private:
  static constexpr std::size_t kLeastSpare = 1 << 10;
  static constexpr std::size_t kMostSpare = 1 << 20;

  std::size_t bytes_of_one() const noexcept { return kCut ? element_bytes_ : sizeof(T); }
  void settle() noexcept {
    capacity_ = region_.charged() / bytes_of_one();
    base_ = data();
  }

  Region& region_;
  Budget& budget_;
  std::size_t element_bytes_;
  T* base_ = nullptr;  // a copy of the region's
  std::size_t capacity_ = 0;
};

}  // namespace hstar
