// Zeroed bytes that take no memory until they are touched, on huge pages if the system has them.
#pragma once

#include <memory>
#include <new>

#include "memory/memory.hpp"

namespace hstar {

class Zeros {
 public:
  Zeros() = default;
  // Throws std::bad_alloc.
  explicit Zeros(std::size_t bytes) : held_(std::make_unique<Held>()), size_(bytes) {
    Budget budget(~std::uint64_t{0});
    if (bytes != 0 && (!held_->region.open(bytes) || !held_->region.grow(budget, bytes))) throw std::bad_alloc();
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::uint8_t* data() const noexcept { return as<std::uint8_t>(); }
  std::uint8_t* begin() const noexcept { return data(); }
  std::uint8_t* end() const noexcept { return data() + size_; }
  template <class T>
  T* as() const noexcept {
    return held_ ? reinterpret_cast<T*>(held_->region.data()) : nullptr;
  }

 private:
  struct Held {
    SystemPages pages;
    Region region{pages};
  };
  std::unique_ptr<Held> held_;
  std::size_t size_ = 0;
};

}  // namespace hstar
