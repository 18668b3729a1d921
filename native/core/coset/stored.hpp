// Arrays of numbers one after another in one block of memory, as a file keeps them: before each its length, and each
// begins at a multiple of eight bytes. Whoever reads them has to know their types and their order.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace hstar {

class StoredArrays {
 public:
  template <class T>
  void add(std::span<const T> values) {
    static_assert(std::has_unique_object_representations_v<T> && alignof(T) <= 8);
    const std::uint64_t length = values.size();
    append(&length, sizeof length);
    append(values.data(), values.size_bytes());
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
  }
  const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }

 private:
  void append(const void* from, std::size_t size) {
    if (size == 0) return;
    const std::size_t begin = bytes_.size();
    bytes_.resize(begin + size);
    std::memcpy(bytes_.data() + begin, from, size);
  }
  std::vector<std::uint8_t> bytes_;
};

// Reads in place: what it returns lives as long as the bytes.
class StoredReader {
 public:
  explicit StoredReader(std::span<const std::uint8_t> bytes) : left_(bytes) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) fail();
  }
  template <class T>
  std::span<const T> take() {
    if (left_.size() < sizeof(std::uint64_t)) fail();
    std::uint64_t length;
    std::memcpy(&length, left_.data(), sizeof length);
    left_ = left_.subspan(sizeof length);
    if (length > left_.size() / sizeof(T)) fail();
    const std::span<const T> values(reinterpret_cast<const T*>(left_.data()), length);
    const std::size_t padded = (values.size_bytes() + 7) / 8 * 8;
    if (padded > left_.size()) fail();
    left_ = left_.subspan(padded);
    return values;
  }
  // Of this length. Throws std::invalid_argument, as take() does if the bytes end before.
  template <class T>
  std::span<const T> take(std::size_t length) {
    const auto values = take<T>();
    if (values.size() != length) fail();
    return values;
  }
  bool empty() const noexcept { return left_.empty(); }

 private:
  [[noreturn]] static void fail() { throw std::invalid_argument("stored arrays: not those that were expected"); }
  std::span<const std::uint8_t> left_;
};

}  // namespace hstar
