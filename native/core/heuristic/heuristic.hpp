// A heuristic: features of a state and a program over them.
//
// Features that are sums over slots (tables, and `solved` as "no slot is wrong") are packed, as digits of one number,
// into a state's `raw`. A move changes raw by a few additions. A program that uses only packed features is compiled to
// a vector indexed by raw; other features are computed from the state, once for each distinct state.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "heuristic/database.hpp"
#include "heuristic/heuristic_table.hpp"
#include "heuristic/program.hpp"
#include "puzzle/puzzle.hpp"
#include "heuristic/tile_features.hpp"
#include "heuristic/walking_distance.hpp"

namespace hstar {

struct Feature {
  enum class Kind {
    table, maximum, union_of_groups, database, solved,
    gaps,  // puzzles whose goal is 0, 1, 2 ...
    function,
    linear_conflict, conflicts, inversions, gaschnig, walking_distance, clustered_misplaced,  // sliding tiles only
  };
  Kind kind;
  std::vector<std::int32_t> table{};  // row-major [slots, width]; kind table: summed, kind maximum: the greatest
  std::size_t width = 0;
  // kind union_of_groups: row-major [slots, width]; the value is the number of bits set in the OR over the slots
  std::vector<std::uint64_t> masks{};
  std::shared_ptr<const Database> database{};  // kind database: looked up for the whole state
  std::shared_ptr<const OwnFunction> function{};  // kind function: called for the whole state
};

// Slots whose value is not next to that of the slot behind; behind the last one stands the number of slots.
unsigned gaps(const Puzzle& puzzle, Bytes state) noexcept;

class Heuristic {
 public:
  static constexpr unsigned kRawBits = 20;
  static constexpr std::uint32_t kRawLimit = 1u << kRawBits;
  static constexpr std::uint32_t kLookupLimit = 1u << 19;
  static constexpr std::size_t kMaxFeatures = 64;

  // The caller has proved that every value is an integer (if `integer`) and at most `max_value` (may be infinite). A
  // value outside [0, max_value] is clamped. Throws std::invalid_argument; Stopped.
  Heuristic(std::shared_ptr<const Puzzle> puzzle, std::vector<Feature> features, std::vector<Instruction> program,
            bool integer, double max_value, const Stop& stop = NoStop());

  const Puzzle& puzzle() const noexcept { return *puzzle_; }
  bool integer() const noexcept { return integer_; }
  double max_value() const noexcept { return max_value_; }  // a bound on all values, at most the caller's max_value

  // What `value` in `slot` adds to raw; raw of a state is the sum over its slots, below kRawLimit.
  std::uint32_t share(std::size_t slot, unsigned value) const noexcept { return shares_[slot * row_ + value]; }
  std::uint32_t raw(Bytes state) const noexcept;
  // h by raw; empty if h needs more than raw.
  const HeuristicTable& lookup() const noexcept { return lookup_; }
  // h of a state, given its raw.
  double value(std::uint32_t raw, Bytes state) const noexcept;
  // Whether the program uses, besides packed features, only features of these kinds; and h, given raw and their values
  // (values of unused kinds are ignored).
  bool needs_at_most(std::initializer_list<Feature::Kind> kinds) const noexcept;
  bool uses(Feature::Kind kind) const noexcept;
  double value(std::uint32_t raw, int linear_conflict, int walking_distance) const noexcept;
  // The one database that the program asks, if it needs nothing else beside what is in raw; else nullptr. Then h of a
  // state, given its raw and the database's value.
  const Database* only_database() const noexcept;
  double value_with(std::uint32_t raw, unsigned database) const noexcept;
  // Weight times h by the number of gaps, if the program needs nothing else and all of them are whole numbers; else
  // empty.
  std::vector<std::int32_t> by_gaps(double weight) const;
  std::uint32_t raw_size() const noexcept { return raw_size_; }  // raw is below this
  const std::optional<WalkingDistance>& walking_distance() const noexcept { return walking_distance_; }
  // h of a state given in bytes; checks the state.
  double evaluate(Bytes state) const;

 private:
  // How one feature is read.
  struct Source {
    Feature feature;
    bool used = false;
    std::uint32_t stride = 0, radix = 0;  // packed: digit = raw / stride % radix; radix 0: not packed
    std::int64_t least = 0;               // packed: value = digit + least
  };

  void check(const Feature& feature, std::size_t number) const;
  std::int64_t term(const Feature& feature, std::size_t slot, unsigned value) const noexcept;
  void pack(const Stop& stop);
  double read(const Source& source, std::uint32_t raw, Bytes state) const noexcept;
  double clamp(double value) const noexcept;

  std::shared_ptr<const Puzzle> puzzle_;
  const SlidingTiles* tiles_;
  std::optional<LinearConflict> linear_conflict_;
  std::optional<Gaschnig> gaschnig_;
  std::optional<WalkingDistance> walking_distance_;  // built only if a feature needs it, since its tables take time
  Program program_;
  bool integer_;
  double max_value_;
  std::vector<Source> sources_;
  std::uint32_t raw_size_ = 1;
  std::size_t row_ = 256;  // shares of a slot
  std::vector<std::uint32_t> shares_;
  HeuristicTable lookup_;
};

}  // namespace hstar
