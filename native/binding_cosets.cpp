// Coordinates of cosets for Python, and the searches over them: translates, and computes nothing.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include "binding_database.hpp"
#include "deepening/coset_search.hpp"
#include "deepening/two_phases.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using hstar::Coordinate;
using hstar::CosetHeuristic;
using hstar::CosetSpace;
using hstar::CosetTable;
using hstar::Phase;
using hstar::PhaseSearch;
using CoordinateKind = std::tuple<unsigned, Numbers, bool, Numbers, bool>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// What is made, or nothing if that was stopped.
template <class Make>
auto unless_stopped(Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const hstar::Stopped&) {
    return nullptr;
  }
}

std::vector<Coordinate::Kind> to_kinds(const std::vector<CoordinateKind>& kinds) {
  std::vector<Coordinate::Kind> all;
  for (const auto& [orbit, classes, oriented, zero, unordered] : kinds)
    all.push_back({orbit, classes, oriented, zero, unordered});
  return all;
}

std::shared_ptr<Phase> make_phase(std::shared_ptr<hstar::PieceSpace> space, Numbers moves, Numbers costs,
                                  const std::vector<CoordinateKind>& kinds, const Pairs& pairs,
                                  std::uint32_t most_values, hstar::Control& progress) {
  const std::vector<Coordinate::Kind> all = to_kinds(kinds);
  std::vector<Phase::Pair> together;
  for (const auto& [first, second] : pairs) together.push_back({first, second});
  const nb::gil_scoped_release unlocked;
  return unless_stopped([&] {
    return std::make_shared<Phase>(std::move(space), std::move(moves), std::move(costs), all, together, most_values,
                                   progress);
  });
}

std::shared_ptr<PhaseSearch> make_search(std::shared_ptr<Phase> first, std::shared_ptr<Phase> second,
                                         const std::vector<nb::bytes>& starts, std::uint64_t patience,
                                         std::shared_ptr<CosetHeuristic> cosets, unsigned threads) {
  std::vector<Numbers> states;
  for (const nb::bytes& start : starts) states.push_back(copy(start));
  return std::make_shared<PhaseSearch>(hstar::TwoPhases{std::move(first), std::move(second), std::move(cosets)},
                                       std::move(states), patience, threads);
}

hstar::Outcome run(PhaseSearch& search, unsigned below, std::optional<std::uint64_t> max_expanded,
                   std::optional<std::uint64_t> max_generated, std::optional<double> seconds, hstar::Control& control) {
  const hstar::Limits limits = to_limits(max_expanded, max_generated, seconds);
  const nb::gil_scoped_release unlocked;
  return search.run(below, limits, control);
}

std::shared_ptr<CosetSpace> make_cosets(const std::shared_ptr<hstar::PieceSpace>& space, const Numbers& moves,
                                        const std::vector<CoordinateKind>& reduced,
                                        const std::vector<CoordinateKind>& rest,
                                        const std::vector<Numbers>& symmetries, std::uint32_t most_values,
                                        hstar::Control& progress) {
  const auto first = to_kinds(reduced), second = to_kinds(rest);
  const nb::gil_scoped_release unlocked;
  const auto coordinates = [&](const std::vector<Coordinate::Kind>& kinds) {
    CosetSpace::Coordinates all;
    for (const auto& kind : kinds)
      all.push_back(std::make_shared<const Coordinate>(space, kind, moves, most_values, progress));
    return all;
  };
  return unless_stopped(
      [&] { return std::make_shared<CosetSpace>(coordinates(first), coordinates(second), symmetries, progress); });
}

// The coordinates are read from what was stored, in this order, and then their numbers.
std::shared_ptr<CosetSpace> open_cosets(const std::shared_ptr<hstar::PieceSpace>& space, const Numbers& moves,
                                        const std::vector<CoordinateKind>& reduced,
                                        const std::vector<CoordinateKind>& rest,
                                        const std::vector<Numbers>& symmetries, const Entries& numbering) {
  hstar::StoredReader stored(std::span(numbering.data(), numbering.size()));
  const auto owner = keep(numbering);
  const auto coordinates = [&](const std::vector<CoordinateKind>& kinds) {
    CosetSpace::Coordinates all;
    for (const auto& kind : to_kinds(kinds))
      all.push_back(std::make_shared<const Coordinate>(space, kind, moves, stored, owner));
    return all;
  };
  auto first = coordinates(reduced), second = coordinates(rest);
  return std::make_shared<CosetSpace>(std::move(first), std::move(second), symmetries, stored, owner);
}

NewEntries numbering(const CosetSpace& cosets) {
  auto arrays = std::make_unique<hstar::StoredArrays>();
  {
    const nb::gil_scoped_release unlocked;
    cosets.store(*arrays);
  }
  auto* const held = arrays.release();
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<hstar::StoredArrays*>(p); });
  return NewEntries(const_cast<std::uint8_t*>(held->bytes().data()), {held->bytes().size()}, owner);
}

std::optional<Built> build_distances(const CosetSpace& space, unsigned threads, hstar::Control& progress) {
  return without_gil([&] { return space.distances(threads, progress); });
}

std::shared_ptr<CosetTable> make_table(std::shared_ptr<CosetSpace> space, const Entries& table,
                                       const std::vector<std::pair<std::shared_ptr<hstar::Symmetry>, Numbers>>& views,
                                       bool normal) {
  std::vector<CosetTable::View> all;
  for (const auto& [symmetry, moves] : views) all.push_back({symmetry, moves});
  return std::make_shared<CosetTable>(std::move(space), std::span(table.data(), table.size()), keep(table),
                                      std::move(all), normal);
}

std::shared_ptr<CosetHeuristic> make_coset_heuristic(std::shared_ptr<hstar::PieceSpace> pieces,
                                                     const std::vector<std::shared_ptr<CosetTable>>& tables,
                                                     bool meeting) {
  return std::make_shared<CosetHeuristic>(std::move(pieces), present(tables), meeting);
}

hstar::Outcome coset_ida_star(const CosetHeuristic& heuristic, const nb::bytes& start,
                              std::optional<std::uint64_t> max_expanded, std::optional<std::uint64_t> max_generated,
                              std::optional<double> seconds, unsigned threads, unsigned longest,
                              const GivenPart& part, hstar::Control& control) {
  const hstar::Limits limits = to_limits(max_expanded, max_generated, seconds);
  const Numbers state = copy(start);
  const nb::gil_scoped_release unlocked;
  return hstar::coset_ida_star(state, heuristic, limits, threads, control, longest, to_part(part));
}

}  // namespace

void bind_cosets(nb::module_& m) {
  nb::class_<Phase>(m, "Phase")
      .def_prop_ro("sizes", &Phase::sizes)
      .def_prop_ro("bytes", &Phase::bytes);
  m.def("make_phase", &make_phase, "space"_a, "moves"_a, "costs"_a, "kinds"_a, "pairs"_a, "most_values"_a,
        "progress"_a);
  nb::class_<PhaseSearch>(m, "PhaseSearch")
      .def(nb::new_(&make_search), "first"_a, "second"_a, "starts"_a, "patience"_a, "cosets"_a = nb::none(),
           "threads"_a = 1)
      .def("run", &run, "below"_a, nb::kw_only(), "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
           "seconds"_a = nb::none(), "control"_a)
      .def_prop_ro("variant", &PhaseSearch::variant);

  nb::class_<CosetSpace>(m, "CosetSpace")
      .def_prop_ro("entries", &CosetSpace::entries)
      .def("numbering", &numbering);
  m.def("open_coset_space", &open_cosets, "space"_a, "moves"_a, "reduced"_a, "rest"_a, "symmetries"_a, "numbering"_a);
  m.def("make_coset_space", &make_cosets, "space"_a, "moves"_a, "reduced"_a, "rest"_a, "symmetries"_a, "most_values"_a,
        "progress"_a);
  m.def("build_coset_distances", &build_distances, "space"_a, nb::kw_only(), "threads"_a, "progress"_a);
  nb::class_<CosetTable>(m, "CosetTable")
      .def(nb::new_(&make_table), "space"_a, "table"_a, "views"_a, "normal"_a);
  nb::class_<CosetHeuristic, hstar::Database>(m, "CosetHeuristic")
      .def(nb::new_(&make_coset_heuristic), "pieces"_a, "tables"_a, "meeting"_a)
      .def("value", &value<CosetHeuristic>, "state"_a);
  m.def("coset_ida_star", &coset_ida_star, "heuristic"_a, "start"_a, nb::kw_only(), "max_expanded"_a = nb::none(),
        "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "threads"_a = 1,
        "longest"_a = std::numeric_limits<unsigned>::max(), "part"_a = nb::none(), "control"_a);
}
