// The successors of one state in a row of records, for a search that keeps many such rows. It is compact, while
// Children (domain.hpp) has room for the most successors of any puzzle. Both are filled by Domain::expand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "domains/record.hpp"

namespace hstar {

template <class State>
struct Child {
  State state;
  std::uint64_t hash;
  std::uint32_t raw;
  std::uint32_t move;  // not a byte: the compiler must assume that a write through bytes changes anything
};

// Without the state, which follows from the parent's and the move.
template <>
struct Child<Recorded> {
  std::uint64_t hash;
  std::uint32_t raw;
  std::uint32_t move;
};

// One field of all children, by number.
template <class Record, auto Field>
struct Column {
  Record* first = nullptr;
  auto& operator[](std::size_t i) const noexcept { return first[i].*Field; }
};

template <class State>
struct ChildRow {
  using Record = Child<State>;
  explicit ChildRow(Record* first = nullptr) noexcept : hash{first}, raw{first}, move{first}, state{first} {}
  Record* begin() const noexcept { return hash.first; }
  Record* end() const noexcept { return hash.first + size; }

  unsigned produced = 0;  // all legal ones
  unsigned size = 0;      // without the one that leads back to the parent
  Column<Record, &Record::hash> hash;
  Column<Record, &Record::raw> raw;
  Column<Record, &Record::move> move;
  Column<Record, &Record::state> state;
};

template <>
struct ChildRow<Recorded> {
  using Record = Child<Recorded>;
  explicit ChildRow(Record* first = nullptr) noexcept : hash{first}, raw{first}, move{first} {}
  Record* begin() const noexcept { return hash.first; }
  Record* end() const noexcept { return hash.first + size; }

  unsigned produced = 0;
  unsigned size = 0;
  Column<Record, &Record::hash> hash;
  Column<Record, &Record::raw> raw;
  Column<Record, &Record::move> move;
};

// Whether it stores the states as well.
template <class Successors>
concept HasStates = requires(Successors children) { children.state; };

}  // namespace hstar
