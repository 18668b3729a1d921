// Audits of heuristics.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "audit/audit.hpp"
#include "binding.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Moves = std::vector<std::uint8_t>;

std::optional<std::string> ended_early(const hstar::Audit& audit) {
  if (!audit.early) return std::nullopt;
  if (audit.early->status == hstar::Status::cancelled) return "cancelled";
  switch (audit.early->limit) {
    case hstar::Limit::expanded: return "expanded";
    case hstar::Limit::generated: return "generated";
    case hstar::Limit::seconds: return "seconds";
    default: return "memory";
  }
}

hstar::Audit audit(const hstar::Heuristic& heuristic, const hstar::Heuristic* other, const Moves& moves,
                   const Moves& inverses, unsigned radius, std::optional<std::uint64_t> max_states,
                   std::uint64_t memory_bytes, hstar::Control& control) {
  hstar::Limits limits;
  limits.expanded = max_states.value_or(hstar::Limits::kNone);
  limits.memory_bytes = memory_bytes;
  const nb::gil_scoped_release unlocked;
  return hstar::audit(heuristic, other, moves, inverses, radius, limits, control);
}

}  // namespace

void bind_audit(nb::module_& m) {
  nb::class_<hstar::AuditRow>(m, "AuditRow")
      .def_ro("states", &hstar::AuditRow::states)
      .def_ro("inadmissible", &hstar::AuditRow::inadmissible)
      .def_ro("inconsistent", &hstar::AuditRow::inconsistent)
      .def_ro("largest_excess", &hstar::AuditRow::largest_excess)
      .def_ro("ratio_sum", &hstar::AuditRow::ratio_sum)
      .def_ro("above_other", &hstar::AuditRow::above_other)
      .def_ro("below_other", &hstar::AuditRow::below_other);
  nb::class_<hstar::Overestimate>(m, "Overestimate")
      .def_ro("path", &hstar::Overestimate::path)
      .def_ro("h", &hstar::Overestimate::h)
      .def_ro("distance", &hstar::Overestimate::distance);
  nb::class_<hstar::Drop>(m, "Drop")
      .def_ro("path", &hstar::Drop::path)
      .def_ro("move", &hstar::Drop::move)
      .def_ro("before", &hstar::Drop::before)
      .def_ro("after", &hstar::Drop::after);
  nb::class_<hstar::Audit>(m, "Audit")
      .def_ro("rows", &hstar::Audit::rows)
      .def_ro("whole", &hstar::Audit::whole)
      .def_prop_ro("early", &ended_early)
      .def_ro("overestimate", &hstar::Audit::overestimate)
      .def_ro("drop", &hstar::Audit::drop)
      .def_ro("peak_bytes", &hstar::Audit::peak_bytes);
  m.def("audit", &audit, "heuristic"_a, "other"_a.none(), "moves"_a, "inverses"_a, "radius"_a, nb::kw_only(),
        "max_states"_a = nb::none(), "memory_bytes"_a, "control"_a);
}
