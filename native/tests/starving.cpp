#include "starving.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr long kPlenty = -1;
thread_local long allocations_left = kPlenty;
thread_local bool refused = false;

void* allocate(std::size_t size, std::size_t alignment) {
  if (allocations_left == 0) {
    refused = true;
    throw std::bad_alloc();
  }
  if (allocations_left > 0) --allocations_left;
  void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace test {

Starving::Starving(long allocations) noexcept {
  allocations_left = allocations;
  refused = false;
}
Starving::~Starving() { allocations_left = kPlenty; }
bool Starving::starved() const noexcept { return refused; }

}  // namespace test

// The forms for arrays and the nothrow forms call these.
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
