// Work in blocks of consecutive numbers, on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace hstar {

// Calls run() on `threads` threads, including this one, waits for all, and rethrows the first exception. Uses fewer
// threads if the system refuses more.
template <class Run>
void on_threads(unsigned threads, Run run) {
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto guarded = [&] {
    try {
      run();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < threads) {
      others.reserve(others.size() + 1);  // a started thread must be joined, whatever is thrown
      others.emplace_back(guarded);
    }
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (thrown) std::rethrow_exception(thrown);
}

// Calls work(begin, end) for all of 0 .. count, `block` numbers at a time.
template <class Work>
void in_blocks(std::uint64_t count, std::uint64_t block, unsigned threads, Work work) {
  std::atomic<std::uint64_t> next{0};
  on_threads(threads, [&] {
    for (std::uint64_t begin; (begin = next.fetch_add(block, std::memory_order_relaxed)) < count;)
      work(begin, std::min(count, begin + block));
  });
}

// Several threads may write the same value to the same byte.
inline std::uint8_t load_shared(const std::uint8_t& byte) noexcept { return __atomic_load_n(&byte, __ATOMIC_RELAXED); }
inline void store_shared(std::uint8_t& byte, std::uint8_t value) noexcept {
  __atomic_store_n(&byte, value, __ATOMIC_RELAXED);
}
// Whether the byte was greater; then it becomes `value`.
inline bool lower_shared(std::uint8_t& byte, std::uint8_t value) noexcept {
  std::uint8_t before = load_shared(byte);
  while (value < before)
    if (__atomic_compare_exchange_n(&byte, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return true;
  return false;
}

}  // namespace hstar
