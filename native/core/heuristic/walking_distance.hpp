// Walking distance (Takahashi 2002): the fewest moves if tiles forget their columns, plus the fewest if they forget
// their rows.
//
// If tiles forget their columns, all that is left of a board is how many tiles of each goal row stand in each row, and
// that the blank's row has one tile less. A vertical move exchanges the blank with any tile of the next row. The graph
// of these counts is small enough to be searched once, breadth first from the goal. The same holds for columns.
//
// A move follows one edge of one of the two graphs, and edges lead both ways: every move changes the sum by exactly 1,
// so the heuristic is consistent.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "puzzle/puzzle.hpp"

namespace hstar {

class WalkingDistance {
 public:
  // The graph of the counts of one direction. A count is one number: a sum over the tiles, one digit for each line and
  // goal line.
  class Graph {
   public:
    // `goal` is the line in which a tile belongs, by tile; lines are numbered from 0 and have `length` cells each.
    Graph(unsigned lines, unsigned length, const std::vector<unsigned>& goal, const Stop& stop);

    std::uint64_t one(unsigned line, unsigned goal_line) const noexcept {
      return std::uint64_t{1} << (bits_ * (line * lines_ + goal_line));
    }
    int distance(std::uint64_t counts) const noexcept { return table_[place(counts)].distance; }

    // For callers that follow a board move by move: the nodes, numbered from 0, and the edges.
    std::uint32_t node(std::uint64_t counts) const noexcept { return table_[place(counts)].node; }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(distances_.size()); }
    int distance_of(std::uint32_t node) const noexcept { return distances_[node]; }
    int most() const noexcept { return distances_.back(); }
    // The edge of the blank's move to the next line (`forward`) or the previous one, in exchange for a tile of this
    // goal line. It leads to next()[node * width() + edge(...)].
    unsigned width() const noexcept { return 2 * lines_; }
    unsigned edge(bool forward, unsigned goal_line) const noexcept { return (forward ? lines_ : 0) + goal_line; }
    const std::uint32_t* next() const noexcept { return next_.data(); }

   private:
    struct Entry {
      std::uint64_t counts = kEmpty;
      std::int32_t distance = 0;
      std::uint32_t node = 0;
    };
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

    void clear(std::size_t places);
    void search(std::uint64_t goal, unsigned blank_line, const Stop& stop);
    std::size_t place(std::uint64_t counts) const noexcept;  // the slot with these counts, or the free one for them

    unsigned lines_, bits_;
    unsigned shift_ = 0;                   // the hash's high bits are a place in table_
    std::vector<Entry> table_;             // open addressing, at most half full
    std::vector<std::int32_t> distances_;  // by node, rising
    std::vector<std::uint32_t> next_;      // by node and edge; 0 for edges that no board with these counts has
  };

  // Throws std::invalid_argument if the counts do not fit into 63 bits, which also bounds the size of the graphs:
  // boards of up to 4 x 4, 3 x 5, 2 x 5 and 1 x 7 cells, either way round, do fit.
  // Throws Stopped.
  explicit WalkingDistance(const SlidingTiles& puzzle, const Stop& stop = NoStop());

  // 0 for counts from which the goal's cannot be reached (only of boards one cell wide).
  int operator()(Bytes board) const noexcept;

  // The rows of a board, which vertical moves change, and its columns.
  const Graph& rows() const noexcept { return rows_; }
  const Graph& columns() const noexcept { return across_; }
  struct Counts {
    std::uint64_t rows = 0, columns = 0;
  };
  Counts counts(Bytes board) const noexcept;

 private:
  unsigned columns_;
  std::vector<unsigned> goal_row_, goal_column_;  // by tile
  Graph rows_, across_;
};

}  // namespace hstar
