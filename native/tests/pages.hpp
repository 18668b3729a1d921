// A page source that fails on command and records what it handed out.
#pragma once

#include <map>
#include <new>

#include "memory/memory.hpp"

namespace test {

class FailingPages final : public hstar::PageSource {
 public:
  void* reserve(std::size_t bytes) noexcept override {
    if (bytes > largest_reservation || spent()) return nullptr;
    void* address = system_.reserve(bytes);
    if (address == nullptr) return nullptr;
    try {
      live[address] = bytes;
    } catch (const std::bad_alloc&) {
      system_.release(address, bytes);
      return nullptr;
    }
    return address;
  }
  bool commit(void* address, std::size_t bytes) noexcept override {
    ++commits;
    return !spent() && system_.commit(address, bytes);
  }
  void discard(void* address, std::size_t bytes) noexcept override { system_.discard(address, bytes); }
  void release(void* address, std::size_t bytes) noexcept override {
    if (live.at(address) != bytes) std::abort();
    live.erase(address);
    system_.release(address, bytes);
  }

  std::size_t largest_reservation = ~std::size_t{0};
  long left = -1;  // calls that still succeed; negative: all
  long commits = 0;
  std::map<void*, std::size_t> live;

 private:
  bool spent() noexcept { return left >= 0 && left-- == 0 && (left = 0, true); }
  hstar::SystemPages system_;
};

}  // namespace test
