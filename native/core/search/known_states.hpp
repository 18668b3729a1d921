// States with numbers, and open nodes in buckets: what searches need whose speed is not their point. They work on the
// bytes of states, so that there is one program for all puzzles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <new>
#include <vector>

#include "memory/memory.hpp"
#include "search/node.hpp"

namespace hstar {

constexpr std::uint32_t kFar = 1u << 20;  // above every f

// h rounded up, since each move costs 1. States of a larger h are searched, too, and last.
inline std::uint32_t whole_h(double h) noexcept {
  constexpr double kMostH = 1 << 14;
  return static_cast<std::uint32_t>(std::ceil(std::min(h, kMostH) - 1e-6));
}

// What a growing array takes is charged before it grows; the old array stays until the new one is filled.
template <class T>
bool room_for(std::vector<T>& array, std::size_t more, Budget& budget) {
  if (array.size() + more <= array.capacity()) return true;
  const std::size_t old = array.capacity(), next = std::max(array.size() + more, old + old / 2 + 8);
  if (!budget.charge(next * sizeof(T))) return false;
  array.reserve(next);
  budget.refund(old * sizeof(T));
  return true;
}

class KnownStates {
 public:
  KnownStates(std::size_t bytes, Budget& budget) : bytes_(bytes), budget_(budget), slots_(256, kNoNode) {
    if (!budget.charge(slots_.size() * sizeof slots_[0])) throw std::bad_alloc();
  }
  const std::uint8_t* operator[](std::uint32_t number) const noexcept { return states_.data() + number * bytes_; }
  // The number of a state, or kNoNode.
  std::uint32_t find(const std::uint8_t* state) const noexcept { return slots_[place(state)]; }
  // Numbers a state that is not known, one after another; kNoNode if there is no memory, or interrupted() while the
  // table grows: then nothing has changed.
  template <class Interrupted>
  std::uint32_t add(const std::uint8_t* state, Interrupted interrupted) {
    if (count_ + 1 >= kNoNode || !room_for(states_, bytes_, budget_)) return kNoNode;
    if ((count_ + std::size_t{1}) * 2 > slots_.size() && !rehash(interrupted)) return kNoNode;
    slots_[place(state)] = count_;
    states_.insert(states_.end(), state, state + bytes_);
    return count_++;
  }

 private:
  std::size_t place(const std::uint8_t* state) const noexcept {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < bytes_; ++i) hash = (hash ^ state[i]) * 0x100000001b3u;
    hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (hash >> 20) & mask;
    while (slots_[at] != kNoNode && !std::equal(state, state + bytes_, (*this)[slots_[at]])) at = (at + 1) & mask;
    return at;
  }
  template <class Interrupted>
  bool rehash(Interrupted interrupted) {
    constexpr std::uint32_t kPace = 1 << 14;  // states between two looks
    const std::size_t size = slots_.size();
    if (!budget_.charge(2 * size * sizeof slots_[0])) return false;
    std::vector<std::uint32_t> before(2 * size, kNoNode);
    before.swap(slots_);
    for (std::uint32_t number = 0; number < count_; ++number) {
      if (number % kPace == kPace - 1 && interrupted()) {
        before.swap(slots_);
        budget_.refund(2 * size * sizeof slots_[0]);
        return false;
      }
      slots_[place((*this)[number])] = number;
    }
    budget_.refund(size * sizeof slots_[0]);
    return true;
  }

  const std::size_t bytes_;
  Budget& budget_;
  std::uint32_t count_ = 0;
  std::vector<std::uint8_t> states_;
  std::vector<std::uint32_t> slots_;
};

// Open nodes by a first and then a second small key; among equals the latest first. An entry is stale if its node is no
// longer open with that g and key.
class Buckets {
 public:
  struct Entry {
    std::uint32_t node, g;
  };
  explicit Buckets(Budget& budget) : budget_(budget) {}

  [[nodiscard]] bool push(std::uint32_t first, std::uint32_t second, Entry entry) {
    if (first >= rows_.size() && !grow(rows_, first)) return false;
    Row& row = rows_[first];
    if (second >= row.cells.size() && !grow(row.cells, second)) return false;
    if (!room_for(row.cells[second], 1, budget_)) return false;
    row.cells[second].push_back(entry);
    row.least = std::min(row.least, second);
    least_ = std::min(least_, first);
    return true;
  }
  // The first key of the first entry that is not stale, kFar if there is none; then it is `top()`.
  template <class Stale>
  std::uint32_t settle(Stale stale) {
    for (; least_ < rows_.size(); ++least_) {
      Row& row = rows_[least_];
      for (; row.least < row.cells.size(); ++row.least) {
        std::vector<Entry>& cell = row.cells[row.least];
        while (!cell.empty() && stale(cell.back())) cell.pop_back();
        if (!cell.empty()) return least_;
      }
    }
    return kFar;
  }
  std::uint32_t first() const noexcept { return least_; }
  std::uint32_t second() const noexcept { return rows_[least_].least; }
  Entry top() const noexcept { return rows_[least_].cells[second()].back(); }
  void pop() noexcept { rows_[least_].cells[second()].pop_back(); }

 private:
  struct Row {
    std::vector<std::vector<Entry>> cells;
    std::uint32_t least = 0;
  };
  template <class T>
  bool grow(std::vector<T>& array, std::uint32_t index) {
    if (!room_for(array, index + 1 - array.size(), budget_)) return false;
    array.resize(index + 1);
    return true;
  }

  Budget& budget_;
  std::vector<Row> rows_;
  std::uint32_t least_ = 0;
};

}  // namespace hstar
