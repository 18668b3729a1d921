// A state of as many bytes as its puzzle needs, for puzzles of more slots or values than states of fixed size are for.
#pragma once

#include <cstring>

#include "puzzle/puzzle.hpp"

namespace hstar {

// Has the puzzle states that no fixed capacity is for, or moves that are not always legal? Only what is compiled for
// states of any size asks whether a move is legal; all else has no time for it.
inline bool is_wide(const PermutationPuzzle& puzzle) noexcept {
  return puzzle.slots() > 128 || puzzle.width() > 1 || puzzle.forbids();
}

// On its own it has room for any state. As the last member of a record in memory that was cut to size (`record_bytes`)
// it has room for its own size only; then it may be read, and be overwritten by states of that size.
class WideState {
 public:
  static constexpr std::size_t kMost = kMostStateBytes;

  WideState() noexcept : size_(0) {}
  explicit WideState(std::size_t size) noexcept : size_(static_cast<std::uint16_t>(size)) {}  // of whatever values
  explicit WideState(Bytes bytes) noexcept : WideState(bytes.size()) {
    std::memcpy(bytes_, bytes.data(), bytes.size());
  }
  WideState(const WideState& other) noexcept : size_(other.size_) { std::memcpy(bytes_, other.bytes_, size_); }
  WideState& operator=(const WideState& other) noexcept {
    size_ = other.size_;
    std::memmove(bytes_, other.bytes_, size_);
    return *this;
  }

  std::size_t size() const noexcept { return size_; }
  void resize(std::size_t size) noexcept { size_ = static_cast<std::uint16_t>(size); }
  std::uint8_t* data() noexcept { return bytes_; }
  const std::uint8_t* data() const noexcept { return bytes_; }
  bool operator==(const WideState& other) const noexcept {
    return size_ == other.size_ && std::memcmp(bytes_, other.bytes_, size_) == 0;
  }

 private:
  std::uint16_t size_;
  std::uint8_t bytes_[kMost];
};

}  // namespace hstar
