// What the translation units of hstar._kernel share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "groups/permutation_group.hpp"
#include "hstar.hpp"

inline hstar::Bytes view(const nanobind::bytes& bytes) {
  return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
inline std::vector<std::uint8_t> copy(const nanobind::bytes& bytes) {
  const hstar::Bytes all = view(bytes);
  return {all.begin(), all.end()};
}

// For what may be made without a control.
inline const hstar::Stop& or_never(const hstar::Control* control) {
  static const hstar::NoStop never;
  return control != nullptr ? static_cast<const hstar::Stop&>(*control) : never;
}

// Numbers of one byte each as bytes, larger ones as a sequence of integers.
inline std::vector<std::uint16_t> numbers(const nanobind::object& object) {
  if (!nanobind::isinstance<nanobind::bytes>(object)) return nanobind::cast<std::vector<std::uint16_t>>(object);
  const hstar::Bytes all = view(nanobind::borrow<nanobind::bytes>(object));
  return {all.begin(), all.end()};
}

using Count = std::optional<std::uint64_t>;
inline hstar::Limits to_limits(Count max_expanded, Count max_generated, std::optional<double> seconds,
                               std::uint64_t memory_bytes = hstar::Limits{}.memory_bytes) {
  hstar::Limits limits;
  limits.expanded = max_expanded.value_or(hstar::Limits::kNone);
  limits.generated = max_generated.value_or(hstar::Limits::kNone);
  if (seconds) limits.seconds = *seconds;
  limits.memory_bytes = memory_bytes;
  return limits;
}

// A part of an iteration: the moves to its root, the bound, and how many pieces it is to be split into.
using GivenPart = std::optional<std::tuple<std::vector<std::uint8_t>, double, std::size_t>>;
inline std::optional<hstar::Part> to_part(const GivenPart& given) {
  if (!given) return std::nullopt;
  const auto& [root, bound, pieces] = *given;
  return hstar::Part{root, bound, pieces};
}

// Generators of a group, each the images of all points.
using Images = nanobind::ndarray<const hstar::Point, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
inline std::vector<hstar::Permutation> to_generators(const Images& images) {
  std::vector<hstar::Permutation> generators;
  for (std::size_t g = 0; g < images.shape(0); ++g) {
    const hstar::Point* const row = images.data() + g * images.shape(1);
    generators.emplace_back(row, row + images.shape(1));
  }
  return generators;
}

void bind_audit(nanobind::module_& m);
void bind_anytime(nanobind::module_& m);
void bind_cosets(nanobind::module_& m);
void bind_groups(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_pattern_databases(nanobind::module_& m);
