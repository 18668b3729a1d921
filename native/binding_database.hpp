// Databases for Python, whatever they are of: their tables as arrays, and their values.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "heuristic/database.hpp"
#include "pattern/pattern_database.hpp"

using Numbers = std::vector<std::uint8_t>;
using Entries =
    nanobind::ndarray<const std::uint8_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using NewEntries = nanobind::ndarray<nanobind::numpy, std::uint8_t, nanobind::ndim<1>>;
using Built = std::tuple<unsigned, NewEntries, std::vector<std::uint64_t>>;  // bits an entry, table, entries by value

// The array, kept alive while C++ holds it. The last owner may release it without holding the GIL.
inline std::shared_ptr<const void> keep(const Entries& entries) {
  return {new Entries(entries), [](const void* held) {
            const nanobind::gil_scoped_acquire locked;
            delete static_cast<const Entries*>(held);
          }};
}

inline NewEntries give(hstar::Zeros bytes) {
  auto* held = new hstar::Zeros(std::move(bytes));
  const nanobind::capsule owner(held, [](void* p) noexcept { delete static_cast<hstar::Zeros*>(p); });
  return NewEntries(held->data(), {held->size()}, owner);
}

// Runs a build without the GIL; nothing if it was cancelled.
template <class Build>
std::optional<Built> without_gil(Build build) {
  hstar::BuiltTable built;
  {
    const nanobind::gil_scoped_release unlocked;
    built = build();
  }
  if (built.table.empty()) return std::nullopt;
  return Built{built.packing.bits, give(std::move(built.table)), std::move(built.counts)};
}

// None: no moves lead from the state to the goal.
template <class H>
std::optional<unsigned> value(const H& heuristic, const nanobind::bytes& state) {
  const unsigned found = heuristic.checked_value(view(state));
  if (found == hstar::Database::kUnreachable) return std::nullopt;
  return found;
}

// A Python list may hold None, which pybind11 turns into a null pointer.
template <class T>
std::vector<std::shared_ptr<const T>> present(const std::vector<std::shared_ptr<T>>& items) {
  for (const auto& item : items)
    if (item == nullptr) throw nanobind::type_error("the list must not hold None");
  return {items.begin(), items.end()};
}
