// Walking distance (Takahashi 2002): the fewest moves if tiles forget their columns, plus the fewest if they forget
// their rows.
//
// Where tiles forget their columns, all that is left of a board is how many tiles of each goal row stand in each row,
// and that the blank's row has one tile less. A vertical move exchanges the blank with any tile of the next row. The
// graph of these counts is small enough to be searched breadth first from the goal, once. The same with columns.
//
// A move changes one of the two counts along an edge of its graph and leaves the other alone, and edges lead both ways:
// the sum changes by exactly 1, so the heuristic is consistent.
#pragma once

#include <cstdint>
#include <vector>

#include "puzzle.hpp"

namespace hstar {

class WalkingDistance {
 public:
  // Throws std::invalid_argument if the counts do not fit into 63 bits, which also bounds the size of the graphs: boards
  // of up to 4 x 4, 3 x 5, 2 x 5 and 1 x 7 cells, either way round, do fit.
  explicit WalkingDistance(const SlidingTiles& puzzle);

  // 0 for counts from which the goal's cannot be reached (only of boards one cell wide).
  int operator()(Bytes board) const noexcept;

 private:
  // The counts of one direction, as one number: a sum over the tiles, one digit for each line and goal line.
  class Lines {
   public:
    // `goal` is the line in which a tile belongs, by tile; lines are numbered from 0 and have `length` cells each.
    Lines(unsigned lines, unsigned length, const std::vector<unsigned>& goal);

    std::uint64_t one(unsigned line, unsigned goal_line) const noexcept {
      return std::uint64_t{1} << (bits_ * (line * lines_ + goal_line));
    }
    int distance(std::uint64_t counts) const noexcept;

   private:
    struct Entry {
      std::uint64_t counts = kEmpty;
      int distance = 0;
    };
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

    void search(std::uint64_t goal, unsigned blank_line);
    std::size_t place(std::uint64_t counts) const noexcept;  // of these counts, or the free one where they belong

    unsigned lines_, bits_;
    unsigned shift_ = 0;         // the hash's high bits are a place in table_
    std::vector<Entry> table_;   // open addressing, at most half full
  };

  unsigned columns_;
  std::vector<unsigned> goal_row_, goal_column_;  // by tile
  Lines rows_, across_;
};

}  // namespace hstar
