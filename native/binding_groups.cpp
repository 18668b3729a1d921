// Permutation groups for Python: translates, and computes nothing.
#include <nanobind/stl/vector.h>

#include "binding.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using hstar::Permutation;
using hstar::Point;

void init_group(hstar::PermutationGroup* self, const Images& images, std::uint64_t memory_bytes,
                std::uint64_t check_steps, const hstar::Control* control) {
  const std::vector<Permutation> generators = to_generators(images);
  const nb::gil_scoped_release unlocked;
  new (self) hstar::PermutationGroup(generators, {memory_bytes, check_steps}, or_never(control));
}

std::vector<std::size_t> orbit_sizes(const hstar::PermutationGroup& group) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < group.degree(); ++i) sizes.push_back(group.orbit_size(i));
  return sizes;
}

}  // namespace

void bind_groups(nb::module_& m) {
  nb::class_<hstar::PermutationGroup>(m, "PermutationGroup")
      .def("__init__", &init_group, "generators"_a, "memory_bytes"_a, "check_steps"_a,
           "control"_a = nb::none())
      .def_prop_ro("proven", &hstar::PermutationGroup::proven)
      .def_prop_ro("orbit_sizes", &orbit_sizes)
      .def("contains",
           [](const hstar::PermutationGroup& group, const Permutation& permutation) {
             return group.contains(permutation);
           },
           "permutation"_a)
      .def("at",
           [](const hstar::PermutationGroup& group, const std::vector<std::size_t>& choices) {
             return group.at(choices);
           },
           "choices"_a);
  m.def("orbits", [](const Images& images) { return hstar::orbits(to_generators(images)); }, "generators"_a);
  m.def("finest_blocks",
        [](const Images& images, Point a, Point b) { return hstar::finest_blocks(to_generators(images), a, b); },
        "generators"_a, "a"_a, "b"_a);
}
