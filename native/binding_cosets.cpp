// Searches in phases for Python: translates, and computes nothing.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "binding.hpp"
#include "coset/two_phases.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using hstar::Coordinate;
using hstar::Phase;
using hstar::PhaseSearch;
using Numbers = std::vector<std::uint8_t>;
using Kind = std::tuple<unsigned, Numbers, bool, Numbers>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

std::shared_ptr<Phase> make_phase(std::shared_ptr<hstar::PieceSpace> space, Numbers moves, const std::vector<Kind>& kinds,
                                  const Pairs& pairs, std::uint32_t most_values, hstar::BuildProgress& progress) {
  std::vector<Coordinate::Kind> all;
  for (const auto& [orbit, classes, oriented, zero] : kinds) all.push_back({orbit, classes, oriented, zero});
  std::vector<Phase::Pair> together;
  for (const auto& [first, second] : pairs) together.push_back({first, second});
  const nb::gil_scoped_release unlocked;
  auto phase = std::make_shared<Phase>(std::move(space), std::move(moves), all, together, most_values, progress);
  return progress.stopping() ? nullptr : phase;
}

std::shared_ptr<PhaseSearch> make_search(std::shared_ptr<Phase> first, std::shared_ptr<Phase> second,
                                         const std::vector<nb::bytes>& starts, std::uint64_t patience) {
  std::vector<Numbers> states;
  for (const nb::bytes& start : starts) states.push_back(copy(start));
  return std::make_shared<PhaseSearch>(hstar::TwoPhases{std::move(first), std::move(second)}, std::move(states),
                                       patience);
}

hstar::Outcome run(PhaseSearch& search, unsigned below, std::optional<std::uint64_t> max_expanded,
                   std::optional<std::uint64_t> max_generated, std::optional<double> seconds, hstar::Control& control) {
  hstar::Limits limits;
  limits.expanded = max_expanded.value_or(hstar::Limits::kNone);
  limits.generated = max_generated.value_or(hstar::Limits::kNone);
  if (seconds) limits.seconds = *seconds;
  const nb::gil_scoped_release unlocked;
  return search.run(below, limits, control);
}

}  // namespace

void bind_cosets(nb::module_& m) {
  nb::class_<Phase>(m, "Phase")
      .def_prop_ro("sizes", &Phase::sizes)
      .def_prop_ro("bytes", &Phase::bytes);
  m.def("make_phase", &make_phase, "space"_a, "moves"_a, "kinds"_a, "pairs"_a, "most_values"_a, "progress"_a);
  nb::class_<PhaseSearch>(m, "PhaseSearch")
      .def(nb::new_(&make_search), "first"_a, "second"_a, "starts"_a, "patience"_a)
      .def("run", &run, "below"_a, nb::kw_only(), "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
           "seconds"_a = nb::none(), "control"_a)
      .def_prop_ro("variant", &PhaseSearch::variant);
}
