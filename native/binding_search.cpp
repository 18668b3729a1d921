// The searches, Control and Outcome.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "beam/gap_beam.hpp"
#include "binding.hpp"
#include "deepening/learned_partitions.hpp"
#include "deepening/rbfs.hpp"
#include "heuristic/cost_partition.hpp"
#include "search/meeting.hpp"
#include "search/partial_expansion.hpp"
#include "search/repairing.hpp"
#include "layers/layered.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Moves = std::vector<std::uint8_t>;

hstar::TieBreaking to_tie_breaking(const std::string& name) {
  if (name == "low_h") return hstar::TieBreaking::low_h;
  if (name == "lifo") return hstar::TieBreaking::lifo;
  if (name == "fifo") return hstar::TieBreaking::fifo;
  if (name == "batch") return hstar::TieBreaking::batch;
  throw std::invalid_argument("tie_breaking is " + name + ", expected low_h, lifo, fifo or batch");
}

hstar::Pruning to_pruning(const std::string& name) {
  if (name == "none") return hstar::Pruning::none;
  if (name == "inverse") return hstar::Pruning::inverse;
  if (name == "canonical") return hstar::Pruning::canonical;
  throw std::invalid_argument("pruning is " + name + ", expected none, inverse or canonical");
}

const char* status_name(const hstar::Outcome& outcome) {
  switch (outcome.status) {
    case hstar::Status::solved: return "solved";
    case hstar::Status::exhausted: return "exhausted";
    case hstar::Status::cancelled: return "cancelled";
    default: return "limit_reached";
  }
}

std::optional<std::string> limit(const hstar::Outcome& outcome) {
  switch (outcome.limit) {
    case hstar::Limit::expanded: return "expanded";
    case hstar::Limit::generated: return "generated";
    case hstar::Limit::seconds: return "seconds";
    case hstar::Limit::memory: return "memory";
    default: return std::nullopt;
  }
}

template <class Options>
using Search = hstar::Outcome (*)(hstar::Bytes, hstar::Bytes, const hstar::Heuristic&, const Options&, hstar::Control&);

template <class Options>
hstar::Outcome informed(Search<Options> search, const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                        const hstar::Heuristic& heuristic, const Options& options, hstar::Control& control) {
  if (&puzzle != &heuristic.puzzle()) throw std::invalid_argument("the heuristic is of another puzzle");
  const std::vector<std::uint8_t> state = copy(start);  // a copy, since the GIL is released
  const nb::gil_scoped_release unlocked;
  return search(state, moves, heuristic, options, control);
}

hstar::Outcome astar(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                     const hstar::Heuristic& heuristic, double weight, const std::string& tie_breaking,
                     Count max_expanded, Count max_generated, std::optional<double> seconds,
                     std::uint64_t memory_bytes, bool keep_tree, const Moves& costs, hstar::Control& control) {
  hstar::SearchOptions options;
  options.costs = costs;
  options.weight = weight;
  options.keep_tree = keep_tree;
  options.tie_breaking = to_tie_breaking(tie_breaking);
  options.limits = to_limits(max_expanded, max_generated, seconds, memory_bytes);
  return informed(&hstar::astar, puzzle, start, moves, heuristic, options, control);
}

hstar::Outcome ida_star(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                        const hstar::Heuristic& heuristic, double weight, const std::string& pruning, bool partitions,
                        std::uint64_t learn_after, Count max_expanded, Count max_generated,
                        std::optional<double> seconds, std::uint64_t memory_bytes, unsigned threads,
                        const GivenPart& part, bool keep_tree, const Moves& costs, hstar::Control& control) {
  hstar::SearchOptions options;
  options.costs = costs;
  options.part = to_part(part);
  options.keep_tree = keep_tree;
  options.weight = weight;
  options.pruning = to_pruning(pruning);
  options.partitions = partitions;
  options.learn_after = learn_after;
  options.threads = threads;
  options.limits = to_limits(max_expanded, max_generated, seconds, memory_bytes);
  return informed(&hstar::ida_star, puzzle, start, moves, heuristic, options, control);
}

hstar::Outcome greedy(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                      const hstar::Heuristic& heuristic, const std::string& tie_breaking, Count max_expanded,
                      Count max_generated, std::optional<double> seconds, std::uint64_t memory_bytes,
                      hstar::Control& control) {
  hstar::SearchOptions options;
  options.tie_breaking = to_tie_breaking(tie_breaking);
  options.limits = to_limits(max_expanded, max_generated, seconds, memory_bytes);
  return informed(&hstar::greedy, puzzle, start, moves, heuristic, options, control);
}

hstar::Outcome rbfs(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                    const hstar::Heuristic& heuristic, double weight, Count max_expanded, Count max_generated,
                    std::optional<double> seconds, std::uint64_t memory_bytes, hstar::Control& control) {
  hstar::SearchOptions options;
  options.weight = weight;
  options.limits = to_limits(max_expanded, max_generated, seconds, memory_bytes);
  return informed(&hstar::rbfs, puzzle, start, moves, heuristic, options, control);
}

hstar::Outcome partial_expansion(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                                 const hstar::Heuristic& heuristic, Count max_expanded, Count max_generated,
                                 std::optional<double> seconds, std::uint64_t memory_bytes, hstar::Control& control) {
  hstar::SearchOptions options;
  options.limits = to_limits(max_expanded, max_generated, seconds, memory_bytes);
  return informed(&hstar::partial_expansion, puzzle, start, moves, heuristic, options, control);
}

hstar::Outcome gap_beam(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                        const hstar::Heuristic& heuristic, std::size_t width, unsigned longest, Count max_expanded,
                        Count max_generated, std::optional<double> seconds, std::uint64_t memory_bytes,
                        unsigned threads, hstar::Control& control) {
  const hstar::GapBeamOptions options{width, longest, threads,
                                      to_limits(max_expanded, max_generated, seconds, memory_bytes)};
  return informed(&hstar::gap_beam, puzzle, start, moves, heuristic, options, control);
}

struct Repairing {
  std::shared_ptr<hstar::Heuristic> heuristic;  // which the search refers to
  hstar::RepairingSearch search;
};

std::shared_ptr<Repairing> repairing(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                                     std::shared_ptr<hstar::Heuristic> heuristic, std::uint64_t memory_bytes) {
  if (&puzzle != &heuristic->puzzle()) throw std::invalid_argument("the heuristic is of another puzzle");
  const hstar::Heuristic& of = *heuristic;
  return std::make_shared<Repairing>(Repairing{std::move(heuristic), {view(start), moves, of, memory_bytes}});
}

hstar::Outcome improve(Repairing& asked, double weight, Count max_expanded, Count max_generated,
                       std::optional<double> seconds, hstar::Control& control) {
  const hstar::Limits all = to_limits(max_expanded, max_generated, seconds);
  const nb::gil_scoped_release unlocked;
  return asked.search.improve(weight, all, control);
}

hstar::Outcome meet_in_the_middle(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                                  const hstar::Heuristic& heuristic, const hstar::Heuristic& back,
                                  std::vector<hstar::Value> images, const std::string& rule, Count max_expanded,
                                  Count max_generated, std::optional<double> seconds, std::uint64_t memory_bytes,
                                  hstar::Control& control) {
  if (&puzzle != &heuristic.puzzle()) throw std::invalid_argument("the heuristic is of another puzzle");
  if (rule != "mm" && rule != "nbs") throw std::invalid_argument("rule is " + rule + ", expected mm or nbs");
  const std::vector<std::uint8_t> state = copy(start);
  const hstar::Limits all = to_limits(max_expanded, max_generated, seconds, memory_bytes);
  const nb::gil_scoped_release unlocked;
  return hstar::meet_in_the_middle(rule == "mm" ? hstar::Meeting::mm : hstar::Meeting::nbs, state, moves, heuristic,
                                   {back, std::move(images)}, all, control);
}

hstar::LayerOptions to_layer_options(std::optional<std::string> directory, std::uint64_t disk_bytes, std::string key,
                                     double checkpoint_seconds) {
  hstar::LayerOptions where;
  where.directory = std::move(directory).value_or("");
  where.disk_bytes = disk_bytes;
  where.key = std::move(key);
  where.checkpoint_seconds = checkpoint_seconds;
  return where;
}

hstar::Outcome layered(const hstar::Puzzle& puzzle, const nb::bytes& start, const Moves& moves,
                       const hstar::Heuristic& heuristic, Count max_expanded, Count max_generated,
                       std::optional<double> seconds, std::uint64_t memory_bytes, unsigned threads,
                       std::optional<std::string> directory, std::uint64_t disk_bytes, std::string key,
                       double checkpoint_seconds, hstar::Control& control) {
  hstar::SearchOptions options;
  options.threads = threads;
  options.limits = to_limits(max_expanded, max_generated, seconds, memory_bytes);
  if (&puzzle != &heuristic.puzzle()) throw std::invalid_argument("the heuristic is of another puzzle");
  const std::vector<std::uint8_t> state = copy(start);
  const hstar::LayerOptions where =
      to_layer_options(std::move(directory), disk_bytes, std::move(key), checkpoint_seconds);
  const nb::gil_scoped_release unlocked;
  return hstar::layered(state, moves, heuristic, options, where, control);
}

hstar::Outcome count_layers(std::shared_ptr<hstar::Puzzle> puzzle, const nb::bytes& start, const Moves& moves,
                            std::optional<unsigned> depth, std::uint64_t memory_bytes, unsigned threads,
                            std::optional<std::string> directory, std::uint64_t disk_bytes, std::string key,
                            double checkpoint_seconds, hstar::Control& control) {
  hstar::SearchOptions options;
  options.threads = threads;
  options.limits.memory_bytes = memory_bytes;
  const std::vector<std::uint8_t> state = copy(start);
  const hstar::LayerOptions where =
      to_layer_options(std::move(directory), disk_bytes, std::move(key), checkpoint_seconds);
  const nb::gil_scoped_release unlocked;
  return hstar::count_layers(puzzle, state, moves, depth, options, where, control);
}

template <auto search>
hstar::Outcome blind(std::shared_ptr<hstar::Puzzle> puzzle, const nb::bytes& start, const Moves& moves,
                     Count max_expanded, Count max_generated, std::optional<double> seconds,
                     std::uint64_t memory_bytes, bool keep_tree, hstar::Control& control) {
  const std::vector<std::uint8_t> state = copy(start);
  const hstar::Limits all = to_limits(max_expanded, max_generated, seconds, memory_bytes);
  const nb::gil_scoped_release unlocked;
  return search(puzzle, state, moves, all, control, keep_tree);
}

std::shared_ptr<hstar::LearnedPartitions> learned_partitions(std::shared_ptr<hstar::PermutationPuzzle> puzzle,
                                                             const nb::bytes& start, const Moves& moves,
                                                             std::int32_t bound, bool pairs) {
  const std::vector<std::uint8_t> state = copy(start);
  const nb::gil_scoped_release unlocked;
  return hstar::LearnedPartitions::of(std::move(puzzle), state, moves, bound, pairs);
}

std::vector<std::int32_t> values_of(const hstar::LearnedPartitions& learned, const std::vector<nb::bytes>& states) {
  std::vector<std::int32_t> values;
  for (const nb::bytes& state : states) values.push_back(learned.value(view(state)));
  return values;
}

std::vector<std::int32_t> values_along(const hstar::LearnedPartitions& learned, const nb::bytes& start,
                                       const Moves& path) {
  return learned.along(view(start), path);
}

// A tree's bytes, which belong to the outcome; none if nothing was kept.
template <auto member>
nb::object code_of(nb::handle_t<hstar::Outcome> outcome) {
  const hstar::KeptTree& tree = nb::cast<const hstar::Outcome&>(outcome).*member;
  if (!tree.whole) return nb::none();
  return nb::cast(
      nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(tree.code.data(), {tree.code.size()}, outcome));
}

void end_after(hstar::Control& control, std::optional<double> seconds) {
  if (seconds && std::isnan(*seconds)) throw std::invalid_argument("seconds is not a number");
  control.end_after(seconds.value_or(std::numeric_limits<double>::infinity()));
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::class_<hstar::Control>(m, "Control")
      .def(nb::init<>())
      .def("cancel", &hstar::Control::cancel)
      .def("pause", &hstar::Control::pause)
      .def("resume", &hstar::Control::resume)
      .def_prop_ro("now", [](const hstar::Control& c) { return c.seconds_since({}); })
      .def("end_after", &end_after, "seconds"_a.none())
      .def_prop_ro("cancelled", [](const hstar::Control& c) { return c.cancelled.load(); })
      .def_prop_ro("overdue", &hstar::Control::overdue)
      .def_prop_ro("expanded", [](const hstar::Control& c) { return c.expanded.load(); })
      .def_prop_ro("generated", [](const hstar::Control& c) { return c.generated.load(); })
      .def_prop_ro("evaluated", [](const hstar::Control& c) { return c.evaluated.load(); })
      .def_prop_ro("reopened", [](const hstar::Control& c) { return c.reopened.load(); })
      .def_prop_ro("stored", [](const hstar::Control& c) { return c.stored.load(); })
      .def_prop_ro("f_bound", [](const hstar::Control& c) { return c.f_bound.load(); })
      .def_prop_ro("bytes", [](const hstar::Control& c) { return c.bytes.load(); })
      .def_prop_ro("done", [](const hstar::Control& c) { return c.done.load(); })
      .def_prop_ro("total", [](const hstar::Control& c) { return c.total.load(); });

  nb::class_<hstar::Outcome>(m, "Outcome")
      .def_prop_ro("status", &status_name)
      .def_prop_ro("limit", &limit)
      .def_ro("path", &hstar::Outcome::path)
      .def_ro("expanded", &hstar::Outcome::expanded)
      .def_ro("generated", &hstar::Outcome::generated)
      .def_ro("evaluated", &hstar::Outcome::evaluated)
      .def_ro("reopened", &hstar::Outcome::reopened)
      .def_ro("expanded_last_layer", &hstar::Outcome::expanded_last_layer)
      .def_ro("layers", &hstar::Outcome::layers)
      .def_ro("stored", &hstar::Outcome::stored)
      .def_ro("max_open", &hstar::Outcome::max_open)
      .def_ro("f_bound", &hstar::Outcome::f_bound)
      .def_ro("seconds", &hstar::Outcome::seconds)
      .def_ro("peak_bytes", &hstar::Outcome::peak_bytes)
      .def_prop_ro("tree", &code_of<&hstar::Outcome::tree>)
      .def_prop_ro("back_tree", &code_of<&hstar::Outcome::back_tree>)
      .def_ro("back_depth", &hstar::Outcome::back_depth)
      .def_ro("learned", &hstar::Outcome::learned)
      .def_ro("roots", &hstar::Outcome::roots);

  nb::class_<hstar::LearnedPartitions>(m, "LearnedPartitions")
      .def(nb::new_(&learned_partitions), "puzzle"_a, "start"_a, "moves"_a, "bound"_a, nb::kw_only(),
           "pairs"_a = true)
      .def_prop_ro("pairs", &hstar::LearnedPartitions::pairs)
      .def_prop_ro("costs", &hstar::LearnedPartitions::costs)
      .def_prop_ro_static("scale", [](nb::handle) { return hstar::CostPartitions::kScale; })
      .def("values", &values_of, "states"_a)
      .def("along", &values_along, "start"_a, "path"_a);

  nb::class_<Repairing>(m, "RepairingSearch")
      .def(nb::new_(&repairing), "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(), "memory_bytes"_a)
      .def("improve", &improve, "weight"_a, nb::kw_only(), "max_expanded"_a = nb::none(),
           "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "control"_a);

  m.def("astar", &astar, "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(), "weight"_a = 1.0,
        "tie_breaking"_a = "low_h", "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
        "seconds"_a = nb::none(), "memory_bytes"_a, "keep_tree"_a = false, "costs"_a = Moves(), "control"_a);
  m.def("ida_star", &ida_star, "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(), "weight"_a = 1.0,
        "pruning"_a = "canonical", "partitions"_a = false, "learn_after"_a = hstar::SearchOptions{}.learn_after,
        "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
        "seconds"_a = nb::none(), "memory_bytes"_a, "threads"_a = 1, "part"_a = nb::none(),
        "keep_tree"_a = false, "costs"_a = Moves(), "control"_a);
  m.def("layered", &layered, "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(),
        "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "memory_bytes"_a,
        "threads"_a = 1, "directory"_a = nb::none(), "disk_bytes"_a = 0, "key"_a = "",
        "checkpoint_seconds"_a = hstar::LayerOptions{}.checkpoint_seconds, "control"_a);
  m.def("count_layers", &count_layers, "puzzle"_a, "start"_a, "moves"_a, nb::kw_only(), "depth"_a.none(),
        "memory_bytes"_a, "threads"_a = 1, "directory"_a = nb::none(), "disk_bytes"_a = 0, "key"_a = "",
        "checkpoint_seconds"_a = hstar::LayerOptions{}.checkpoint_seconds, "control"_a);
  m.def("greedy", &greedy, "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(),
        "tie_breaking"_a = "low_h", "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
        "seconds"_a = nb::none(), "memory_bytes"_a, "control"_a);
  m.def("breadth_first", &blind<&hstar::breadth_first>, "puzzle"_a, "start"_a, "moves"_a, nb::kw_only(),
        "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "memory_bytes"_a,
        "keep_tree"_a = false, "control"_a);
  m.def("bidirectional", &blind<&hstar::bidirectional>, "puzzle"_a, "start"_a, "moves"_a, nb::kw_only(),
        "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "memory_bytes"_a,
        "keep_tree"_a = false, "control"_a);
  m.def("rbfs", &rbfs, "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(), "weight"_a = 1.0,
        "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "memory_bytes"_a,
        "control"_a);
  m.def("partial_expansion", &partial_expansion, "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(),
        "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "memory_bytes"_a,
        "control"_a);
  m.def("gap_beam", &gap_beam, "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(), "width"_a, "longest"_a,
        "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "memory_bytes"_a,
        "threads"_a = 1, "control"_a);
  m.def("meet_in_the_middle", &meet_in_the_middle, "puzzle"_a, "start"_a, "moves"_a, "heuristic"_a, nb::kw_only(),
        "back"_a, "images"_a, "rule"_a, "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
        "seconds"_a = nb::none(), "memory_bytes"_a, "control"_a);
  m.def("trim_arena", &hstar::trim_arena, nb::call_guard<nb::gil_scoped_release>());
}
