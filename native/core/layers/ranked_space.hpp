// States that are orders of up to 14 different pieces (and a blank, which moves by its own rule), numbered without
// gaps: boards, and puzzles whose moves only rearrange pieces without orientations.
//
// The last seven pieces are the tail, the others the head. A split says which slots have pieces of the head (and where
// the blank is); a state is a split, an order of the head, and an order of the tail. A move sends a split to a split,
// and rearranges both orders in one way for all states of the split. So states are in blocks of one split and one order
// of the head, and a move sends a block to a block. Where each state has its parity from its split, only those orders
// of the tail that fit it are numbered.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "puzzle/puzzle.hpp"

namespace hstar {

// All orders of up to seven things, numbered as in a dictionary.
class Orders {
 public:
  static constexpr unsigned kMost = 7;
  using Order = std::array<std::uint8_t, kMost>;  // the place of each thing

  explicit Orders(unsigned count);

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(orders_.size()); }
  std::uint32_t number(const Order& order) const noexcept;
  bool odd(std::uint32_t number) const noexcept { return odd_[number]; }
  bool odd(const Order& order) const noexcept { return odd_[number(order)]; }
  // The numbers of all orders, by their own, when what is in place i comes to place by[i].
  std::vector<std::uint16_t> after(const Order& by) const;
  Order inverse(const Order& order) const noexcept;

 private:
  unsigned count_;
  std::vector<Order> orders_;
  std::vector<bool> odd_;
};

class RankedSpace {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kStill = 0;  // the row that changes nothing

  // How a move leads to a split: from which one (kNone: from none), and the rows of the orders. Of the head the row
  // says from where, of the tail where to.
  struct Way {
    std::uint32_t from = kNone, head = kStill, tail = kStill;
  };
  struct Block {
    std::uint32_t split, head;
    bool odd;  // its orders of the tail, if only half are numbered
  };

  // nullptr: the puzzle's states have no such numbers, or two bits for each would be more than `most_bytes`.
  static std::unique_ptr<const RankedSpace> of(const Puzzle& puzzle, Bytes start, Bytes moves,
                                               std::uint64_t most_bytes);

  std::uint64_t blocks() const noexcept { return std::uint64_t{heads_.size()} * degrees_.size(); }
  // Of a block: the states. The start is the first one of its block.
  std::uint32_t states() const noexcept { return half_ ? tails_.size() / 2 : tails_.size(); }
  std::uint64_t start_block() const noexcept { return start_; }
  Block block(std::uint64_t number) const noexcept {
    const auto split = static_cast<std::uint32_t>(number / heads_.size()),
               head = static_cast<std::uint32_t>(number % heads_.size());
    return {split, head, half_ && odd_[split] != heads_.odd(head)};
  }
  // One for each move, if it leads there.
  std::span<const Way> ways(std::uint32_t split) const noexcept { return {ways_.data() + split * moves_, moves_}; }
  std::uint64_t from(const Way& way, std::uint32_t head) const noexcept {
    return std::uint64_t{way.from} * heads_.size() + head_rows_[way.head + head];
  }
  // By state of a block that is odd or not: the state of the block that the way leads to.
  const std::uint16_t* tail_row(const Way& way, bool odd) const noexcept {
    return tail_rows_.data() + way.tail + (odd ? states() : 0);
  }
  // The moves that are legal in the states of a split.
  unsigned degree(std::uint32_t split) const noexcept { return degrees_[split]; }
  std::uint64_t bytes() const noexcept {
    return ways_.size() * sizeof(Way) + (head_rows_.size() + tail_rows_.size()) * sizeof(std::uint16_t) +
           degrees_.size() * 2 + (heads_.size() + tails_.size()) * sizeof(Orders::Order);
  }

 private:
  // Of a split: a bit for each slot but the blank's, and the blank's slot in the low four bits.
  using Key = std::uint32_t;
  struct Step {
    Key to;
    Orders::Order head, tail;
  };

  RankedSpace(unsigned slots, unsigned blank);
  std::optional<Step> step(const Puzzle& puzzle, Key key, unsigned move) const;
  bool number(const Puzzle& puzzle, Bytes moves, std::uint64_t most_bytes);

  const unsigned slots_, blank_;  // the blank's slot at the start, or kNoBlank
  const unsigned pieces_;
  const Orders heads_, tails_;
  std::size_t moves_ = 0;
  bool half_ = true;
  std::uint64_t start_ = 0;
  std::vector<Way> ways_;  // by split and move
  std::vector<std::uint8_t> degrees_;
  std::vector<bool> odd_;  // by split
  std::vector<std::uint16_t> head_rows_, tail_rows_;
};

}  // namespace hstar
