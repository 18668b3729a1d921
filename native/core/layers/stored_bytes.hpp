// What a checkpoint is made of: plain values and texts, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace hstar {

template <class T>
void put(std::vector<std::byte>& to, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}
inline void put_text(std::vector<std::byte>& to, const std::string& text) {
  put(to, static_cast<std::uint64_t>(text.size()));
  const auto bytes = std::as_bytes(std::span(text));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

// Reads what `put` wrote; zeros once the bytes have ended.
struct StoredBytes {
  std::span<const std::byte> left;
  bool whole = true;
  template <class T>
  T get() {
    T value{};
    if (left.size() < sizeof value) {
      whole = false;
      return value;
    }
    std::memcpy(&value, left.data(), sizeof value);
    left = left.subspan(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = get<std::uint64_t>();
    if (left.size() < size) {
      whole = false;
      return {};
    }
    std::string found(reinterpret_cast<const char*>(left.data()), size);
    left = left.subspan(size);
    return found;
  }
};

}  // namespace hstar
