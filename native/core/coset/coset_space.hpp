// The cosets of a subgroup, numbered by their coordinates, with one number for those that symmetries carry onto one
// another.
//
// The coordinates are in two parts. The values of the first are reduced: of those that symmetries map onto one another
// one is kept, as a class. What is left of the second is the value that the symmetry onto the class makes of it. (The
// table of Kociemba's optimal solver: flip and slice in 64,430 classes, times 2,187 twists.)
#pragma once

#include <memory>
#include <vector>

#include "coset/coordinate.hpp"
#include "coset/residues.hpp"
#include "pattern/pattern_database.hpp"

namespace hstar {

class CosetSpace {
 public:
  using Coordinates = std::vector<std::shared_ptr<const Coordinate>>;
  using MoveImages = std::vector<std::uint8_t>;  // by number of a move: the number of its image

  // The symmetries are a group with the identity first, at most 256. Throws std::invalid_argument unless all
  // coordinates are for the same moves, and each symmetry carries values of a part onto values of it; Stopped.
  CosetSpace(Coordinates reduced, Coordinates rest, const std::vector<MoveImages>& symmetries, const Stop& stop);
  // The numbers of one that was stored with the same coordinates and symmetries, for look-ups only; `owner` keeps their
  // memory. Throws std::invalid_argument if they do not fit.
  CosetSpace(Coordinates reduced, Coordinates rest, const std::vector<MoveImages>& symmetries, StoredReader& stored,
             std::shared_ptr<const void> owner);
  CosetSpace(const CosetSpace&) = delete;
  CosetSpace& operator=(const CosetSpace&) = delete;

  // The coordinates, then the numbers.
  void store(StoredArrays& arrays) const;

  std::size_t coordinates() const noexcept { return coordinates_.size(); }
  const Coordinate& coordinate(std::size_t i) const noexcept { return *coordinates_[i]; }
  const std::vector<std::uint8_t>& moves() const noexcept { return coordinates_[0]->moves(); }
  std::uint64_t entries() const noexcept { return std::uint64_t{classes_} * rest_size_; }
  // Words of a table. Each class begins with a new one, so its last may not be full.
  std::uint64_t words() const noexcept { return classes_ * row_words(); }

  // A class and a symmetry, from the reduced values of a coset to those that are kept for its class: what is known of
  // them in a search, in one number.
  using Seat = std::uint32_t;
  // Of a coset, given by the values of its coordinates: first those that are reduced.
  Seat seat(const std::uint32_t* values) const noexcept {
    return seat_at(weighed(0, reduced_, [&](std::size_t i) { return values[i]; }));
  }
  // The same by the sum of all weight(i) times the value of the coordinate i that is reduced.
  Seat seat_at(std::uint32_t sum) const noexcept { return seat_of(class_of_[sum].number, class_of_[sum].symmetry); }
  void prefetch_seat_at(std::uint32_t sum) const noexcept { __builtin_prefetch(class_of_.data() + sum); }
  std::uint32_t weight(std::size_t i) const noexcept { return weights_[i]; }
  // Whether moves lead to these values of the coordinates that are reduced, all together; else they have no seat.
  bool has_seat(const std::uint32_t* values) const noexcept {
    return class_of_[weighed(0, reduced_, [&](std::size_t i) { return values[i]; })].number < classes_;
  }
  // The seats after all moves stand in one row, so that the successors of a coset wait for memory once.
  struct SeatRow {
    const Seat* next;
    const std::uint8_t *images, *products;
    Seat mask;
    Seat after(std::size_t move) const noexcept {
      const Seat seat = next[images[move]];
      return (seat & ~mask) | products[seat & mask];
    }
  };
  SeatRow row(Seat seat) const noexcept {
    const std::size_t symmetry = symmetry_of(seat);
    return {after_.data() + (seat >> shift_) * moves_, images_of_moves_.data() + symmetry * moves_,
            products_.data() + (symmetry << shift_), (Seat{1} << shift_) - 1};
  }
  Seat after(Seat seat, std::size_t move) const noexcept { return row(seat).after(move); }
  // The entry in a table (Residues) of a coset with this seat; value(i): of its coordinate i, of those that are not
  // reduced.
  template <class Value>
  std::uint64_t entry(Seat seat, Value value) const noexcept {
    std::uint32_t second = 0;
    for (const Part& part : parts_)
      second += part.image[symmetry_of(seat) * part.size +
                           (part.begin + 1 == part.end ? value(part.begin) : weighed(part.begin, part.end, value))];
    return Residues::at((seat >> shift_) * row_words(), second);
  }
  // Before after() is called.
  void prefetch(Seat seat) const noexcept {
    const Seat* const row = after_.data() + (seat >> shift_) * moves_;
    for (std::size_t move = 0; move < moves_; move += 64 / sizeof(Seat)) __builtin_prefetch(row + move);
  }
  std::size_t reduced() const noexcept { return reduced_; }

  // Distances to the subgroup as residues, and how many cosets are at each; of no use if it is cancelled. Throws
  // std::bad_alloc, or std::invalid_argument if the numbers were stored.
  BuiltTable distances(unsigned threads, Control& progress) const;

 private:
  // A value of the first part: its class, and the symmetry onto the one that is kept.
  struct Member {
    std::uint32_t number;
    std::uint32_t symmetry;
  };
  struct Product;
  // Coordinates from `begin` to `end` of those that are not reduced, which each symmetry carries onto themselves: what
  // their values, weighed within the part, become.
  struct Part {
    std::size_t begin, end;
    std::uint32_t size;
    const std::uint32_t* image;
  };

  template <class Value>
  std::uint32_t weighed(std::size_t begin, std::size_t end, Value value) const noexcept {
    std::uint32_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += weights_[i] * value(i);
    return sum;
  }
  std::size_t symmetry_of(Seat seat) const noexcept { return seat & ((Seat{1} << shift_) - 1); }
  Seat seat_of(std::size_t number, std::size_t symmetry) const noexcept {
    return static_cast<Seat>(number << shift_ | symmetry);
  }
  std::uint64_t row_words() const noexcept { return row_words_; }
  void weigh(const Product& first, const Product& second);
  void multiply(const std::vector<MoveImages>& symmetries);
  void reduce(const Product& first, const std::vector<MoveImages>& symmetries, const Stop& stop);
  void seat_classes(const Product& first);
  void part();

  Coordinates coordinates_;
  std::size_t reduced_, moves_ = 0, symmetries_ = 0;
  unsigned shift_ = 0;                      // bits of a seat that are the symmetry
  std::vector<std::uint32_t> weights_;      // of the values: of those that are reduced, and within each part
  std::uint32_t rest_size_ = 1, classes_ = 0;
  std::uint64_t row_words_ = 1;
  std::span<const Member> class_of_;        // by value of the first part
  std::vector<Seat> after_;                 // by class and move: of the value that is kept
  std::vector<std::uint8_t> images_of_moves_;  // by symmetry and move
  std::vector<std::uint8_t> products_;      // by symmetry, and the one that follows it
  std::vector<std::vector<std::uint16_t>> fixing_;  // by class: symmetries that map the value that is kept onto itself
  std::span<const std::uint32_t> image_;    // by symmetry and value of the second part
  std::vector<std::uint32_t> second_after_;  // by move and value of the second part
  // What the spans are of: own memory, or that of the owner.
  std::vector<Member> own_class_of_;
  std::vector<std::uint32_t> own_image_;
  std::vector<Part> parts_;
  std::vector<std::vector<std::uint32_t>> own_parts_;
  std::shared_ptr<const void> owner_;
};

}  // namespace hstar
