// The cosets of a subgroup, numbered by their coordinates, with one number for those that symmetries carry onto one
// another.
//
// The coordinates are in two parts. The values of the first are reduced: of those that symmetries map onto one another one
// is kept, as a class. What is left of the second is the value that the symmetry onto the class makes of it. (The table of
// Kociemba's optimal solver: flip and slice in 64,430 classes, times 2,187 twists.)
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

  // The symmetries are a group with the identity first, at most 256. Throws std::invalid_argument unless all coordinates
  // are for the same moves, moves reach all their values together within each part, and each symmetry carries values of a
  // part onto values of it; Stopped.
  CosetSpace(Coordinates reduced, Coordinates rest, const std::vector<MoveImages>& symmetries, const Stop& stop);
  // The numbers of one that was stored with the same coordinates, for look-ups only; `owner` keeps their memory. Throws
  // std::invalid_argument if they do not fit.
  CosetSpace(Coordinates reduced, Coordinates rest, StoredReader& stored, std::shared_ptr<const void> owner);
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

  // The place in a table of a coset, given by the values of its coordinates: first those that are reduced.
  std::uint64_t entry(const std::uint32_t* values) const noexcept {
    return entry_of_values([&](std::size_t i) { return values[i]; });
  }

  // The coordinates' rows of a coset, from which entry_after() reads.
  void rows(const std::uint32_t* values, const std::uint32_t** rows) const noexcept {
    for (std::size_t i = 0; i < coordinates_.size(); ++i) rows[i] = coordinates_[i]->row(values[i]);
  }
  // The place of a coset after one of the moves.
  std::uint64_t entry_after(const std::uint32_t* const* rows, std::size_t move) const noexcept {
    return entry_of_values([&](std::size_t i) { return rows[i][move]; });
  }

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

  template <class Value>
  std::uint64_t entry_of_values(Value value) const noexcept {
    std::uint32_t first = 0, second = 0;
    for (std::size_t i = 0; i < reduced_; ++i) first += weights_[i] * value(i);
    for (std::size_t i = reduced_; i < weights_.size(); ++i) second += weights_[i] * value(i);
    return entry_of(class_of_[first], second);
  }
  std::uint64_t row_words() const noexcept { return (rest_size_ + Residues::kPerWord - 1) / Residues::kPerWord; }
  std::uint64_t entry_of(const Member& member, std::uint32_t second) const noexcept {
    return member.number * row_words() * Residues::kPerWord + image_[std::size_t{member.symmetry} * rest_size_ + second];
  }
  void weigh(const Product& first, const Product& second);
  void reduce(const Product& first, const std::vector<MoveImages>& symmetries, const Stop& stop);

  Coordinates coordinates_;
  std::size_t reduced_, symmetries_ = 0;
  std::vector<std::uint32_t> weights_;      // of the values within each part
  std::uint32_t rest_size_ = 1, classes_ = 0;
  std::span<const Member> class_of_;        // by value of the first part
  std::vector<Member> after_;               // by class and move: of the value that is kept
  std::vector<std::vector<std::uint16_t>> fixing_;  // by class: symmetries that map the value that is kept onto itself
  std::span<const std::uint32_t> image_;    // by symmetry and value of the second part
  std::vector<std::uint32_t> second_after_;  // by move and value of the second part
  // What the spans are of: own memory, or that of the owner.
  std::vector<Member> own_class_of_;
  std::vector<std::uint32_t> own_image_;
  std::shared_ptr<const void> owner_;
};

}  // namespace hstar
