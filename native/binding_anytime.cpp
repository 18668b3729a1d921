// Chains of words for Python: translates, and computes nothing.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>  // of the kinds of halves
#include <nanobind/stl/vector.h>

#include <exception>

#include "anytime/bundles.hpp"
#include "anytime/insertions.hpp"
#include "anytime/reduction.hpp"
#include "anytime/stage_search.hpp"
#include "binding.hpp"
#include "search/meter.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using hstar::Perimeter;
using hstar::Permutation;
using hstar::PieceTriples;
using hstar::Point;
using hstar::WordChain;
using HalfKind = std::tuple<std::vector<std::uint8_t>, unsigned, std::uint64_t, std::size_t>;

// Cancelled, or out of time?
hstar::Interruption stop_of(const hstar::Control& control, const hstar::Limits& limits) {
  return {limits, control, control.now()};
}
hstar::Interruption stop_of(const hstar::Control& control, double seconds) {
  return stop_of(control, hstar::Limits{.seconds = seconds});
}

// Calls a Python function, which may raise.
class Poll final : public hstar::Stop {
 public:
  explicit Poll(const nb::callable& poll) : poll_(poll) {}
  bool requested() const noexcept override {
    const nb::gil_scoped_acquire locked;
    try {
      if (!raised_) poll_();
    } catch (...) {
      raised_ = std::current_exception();
    }
    return raised_ != nullptr;
  }
  void raise() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  const nb::callable& poll_;
  mutable std::exception_ptr raised_;
};

void build_chain(WordChain* self, const Images& images, std::vector<Point> base, const std::vector<HalfKind>& kinds,
                 std::size_t words, std::uint64_t matches, double seconds, hstar::Control& control) {
  const std::vector<Permutation> generators = to_generators(images);
  std::vector<hstar::HalfWords> halves;
  for (const auto& [moves, longest, most, from_level] : kinds) halves.push_back({moves, longest, most, from_level});
  const nb::gil_scoped_release unlocked;
  new (self) WordChain(generators, std::move(base), halves, {words, matches}, stop_of(control, seconds));
}

// `poll` may raise, which ends the reading.
void read_chain(WordChain* self, const Images& images, std::vector<Point> base, const nb::bytes& text,
                const nb::callable& poll) {
  const std::vector<Permutation> generators = to_generators(images);
  const std::vector<std::uint8_t> words = copy(text);
  const Poll stop(poll);
  WordChain chain = [&] {
    const nb::gil_scoped_release unlocked;
    return WordChain(generators, std::move(base), words, stop);
  }();
  stop.raise();
  new (self) WordChain(std::move(chain));
}

void build_triples(PieceTriples* self, const Images& images, std::vector<Point> base, const Images& symmetries,
                   const std::vector<Point>& first, const std::vector<std::uint8_t>& last_moves, double seconds,
                   hstar::Control& control) {
  const std::vector<Permutation> generators = to_generators(images), alike = to_generators(symmetries);
  const nb::gil_scoped_release unlocked;
  new (self) PieceTriples(generators, std::move(base), alike, first, last_moves, stop_of(control, seconds));
}

void build_ranking(hstar::StageRanking* self,
                   const nb::ndarray<const std::int8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>& weights,
                   std::vector<std::int16_t> first, std::vector<std::int16_t> counts, std::int32_t constant) {
  if (weights.shape(2) != hstar::StageRanking::kUnits)
    throw std::invalid_argument("a ranking has another number of units");
  new (self) hstar::StageRanking(weights.shape(0), weights.shape(1), {weights.data(), weights.data() + weights.size()},
                                 std::move(first), std::move(counts), constant);
}

void build_perimeter(Perimeter* self, const Images& images, std::vector<Point> base, std::size_t level,
                     std::vector<std::uint8_t> moves, std::size_t most, double seconds, hstar::Control& control,
                     const std::vector<std::uint8_t>& up_to, const std::vector<Point>& slots,
                     std::optional<std::uint64_t> memory_bytes) {
  const std::vector<Permutation> generators = to_generators(images);
  const nb::gil_scoped_release unlocked;
  new (self) Perimeter(generators, std::move(base), level, std::move(moves), most, stop_of(control, seconds), up_to,
                       slots, memory_bytes.value_or(std::numeric_limits<std::uint64_t>::max()));
}

hstar::Descent descend(const WordChain& chain, const Permutation& element, std::size_t width, double outlook,
                       hstar::Control& control, Count max_expanded, Count max_generated, std::optional<double> seconds,
                       std::uint64_t memory_bytes, const PieceTriples* triples, const std::vector<std::size_t>& stages,
                       const std::vector<const Perimeter*>& perimeters, unsigned threads,
                       const hstar::StageRanking* ranking) {
  const hstar::ChainSearchOptions options{
      width, outlook, to_limits(max_expanded, max_generated, seconds, memory_bytes)};
  const nb::gil_scoped_release unlocked;
  const hstar::Interruption stop = stop_of(control, options.limits);
  if (triples == nullptr) return hstar::descend(chain, element, options, stop);
  hstar::StageOptions staged;
  staged.levels = stages;
  staged.width = width;
  staged.threads = threads;
  staged.ranking = ranking;
  return hstar::descend_in_stages(*triples, chain, element, staged, options, stop, perimeters);
}

nb::tuple stage_samples(const PieceTriples& triples, const hstar::StageRanking& ranking, const Images& elements,
                        std::size_t width, std::size_t longest, std::size_t of_layer, hstar::Control& control) {
  hstar::StageSamples samples;
  samples.starts = to_generators(elements);
  samples.of_layer = of_layer;
  if (samples.starts.empty()) throw std::invalid_argument("there are no elements");
  const Permutation last = std::move(samples.starts.back());
  samples.starts.pop_back();
  hstar::StageOptions options;
  options.levels = {ranking.pieces()};
  options.width = width, options.wider = 1, options.patience = longest, options.later = 0;
  options.ranking = &ranking, options.samples = &samples;
  const std::vector<hstar::Partial> found = [&] {
    const nb::gil_scoped_release unlocked;
    hstar::Descent way;
    return search_stages(triples, last, options, {}, stop_of(control, std::numeric_limits<double>::infinity()), way);
  }();
  const std::vector<std::uint8_t> none, &moves = found.empty() ? none : found.front().moves;
  return nb::make_tuple(nb::bytes(moves.data(), moves.size()), samples.depths,
                        nb::bytes(samples.places.data(), samples.places.size() * sizeof(Point)));
}

// Insertions, or Bundles.
template <class Cycles>
void build_cycles(Cycles* self, const Images& images, const std::vector<std::uint16_t>& slot_of,
                  const std::vector<std::tuple<std::uint32_t, std::uint32_t>>& orbits, double seconds,
                  hstar::Control& control) {
  const std::vector<Permutation> generators = to_generators(images);
  std::vector<hstar::SlotOrbit> own;
  for (const auto& [first, pieces] : orbits) own.push_back({first, pieces});
  const nb::gil_scoped_release unlocked;
  new (self) Cycles(generators, slot_of, std::move(own), stop_of(control, seconds));
}

hstar::Descent insert(const hstar::Insertions& insertions, const std::vector<std::uint16_t>& start,
                      const std::vector<std::uint16_t>& home, const std::vector<std::uint8_t>& base, std::size_t width,
                      double misplaced, std::uint64_t seed, std::uint64_t anneals, std::uint64_t starts,
                      hstar::Control& control, Count max_expanded, Count max_generated, std::optional<double> seconds,
                      unsigned threads) {
  const hstar::InsertionOptions options{
      width, misplaced, seed, anneals, starts, threads, to_limits(max_expanded, max_generated, seconds)};
  const nb::gil_scoped_release unlocked;
  return insertions.solve(start, home, base, options, stop_of(control, options.limits));
}

hstar::Descent bundle(const hstar::Bundles& bundles, const std::vector<std::uint16_t>& start,
                      const std::vector<std::uint16_t>& home, const std::vector<std::uint8_t>& base, double misplaced,
                      std::uint64_t seed, std::uint64_t anneals, std::uint64_t cells, double heat, std::size_t starts,
                      hstar::Control& control, Count max_expanded, Count max_generated, std::optional<double> seconds,
                      unsigned threads) {
  const hstar::BundleOptions options{
      misplaced, seed, anneals, cells, heat, starts, threads, to_limits(max_expanded, max_generated, seconds)};
  const nb::gil_scoped_release unlocked;
  return bundles.solve(start, home, base, options, stop_of(control, options.limits));
}

void build_reduction(hstar::Reduction* self, const Images& images, const std::vector<std::uint16_t>& slot_of,
                     std::vector<std::uint8_t> left, const std::vector<std::uint16_t>& home,
                     const std::vector<std::tuple<std::uint32_t, std::uint32_t>>& alike, std::size_t perimeter,
                     double seconds, hstar::Control& control) {
  const std::vector<Permutation> generators = to_generators(images);
  std::vector<hstar::Reduction::Alike> own;
  for (const auto& [first, slots] : alike) own.push_back({first, slots});
  const nb::gil_scoped_release unlocked;
  new (self) hstar::Reduction(generators, slot_of, std::move(left), home, std::move(own), perimeter,
                              stop_of(control, seconds));
}

hstar::Reduced reduce(const hstar::Reduction& reduction, const Permutation& element,
                      const std::vector<std::uint16_t>& kinds, std::size_t width, double related, double alike,
                      double power, std::size_t most, hstar::Control& control, Count max_expanded, Count max_generated,
                      std::optional<double> seconds, unsigned threads) {
  hstar::ReductionOptions options;
  options.width = width, options.most = most;
  options.related = related, options.alike = alike, options.power = power;
  options.threads = threads;
  options.limits = to_limits(max_expanded, max_generated, seconds);
  const nb::gil_scoped_release unlocked;
  return reduction.search(element, kinds, options, stop_of(control, options.limits));
}

const char* ending_of(const hstar::Descent& way) {
  switch (way.ending) {
    case hstar::Descent::Ending::kDone: return "done";
    case hstar::Descent::Ending::kStopped: return "stopped";
    case hstar::Descent::Ending::kExpanded: return "expanded";
    case hstar::Descent::Ending::kGenerated: return "generated";
    case hstar::Descent::Ending::kMemory: return "memory";
  }
  return "stopped";
}

}  // namespace

void bind_anytime(nb::module_& m) {
  nb::class_<Perimeter>(m, "Perimeter")
      .def("__init__", &build_perimeter, "generators"_a, "base"_a, "level"_a, "moves"_a, "most"_a, "seconds"_a,
           "control"_a, "up_to"_a = std::vector<std::uint8_t>{}, "slots"_a = std::vector<Point>{},
           "memory_bytes"_a = nb::none())
      .def_prop_ro("complete", &Perimeter::complete)
      .def_prop_ro("radius", &Perimeter::radius)
      .def_prop_ro("states", &Perimeter::states)
      .def_prop_ro("bytes", &Perimeter::bytes)
      .def_prop_ro("peak_bytes", &Perimeter::peak_bytes);
  nb::class_<hstar::Descent>(m, "Descent")
      .def_prop_ro("ending", &ending_of)
      .def_prop_ro("moves", [](const hstar::Descent& way) { return nb::bytes(way.moves.data(), way.moves.size()); })
      .def_ro("expanded", &hstar::Descent::expanded)
      .def_ro("generated", &hstar::Descent::generated)
      .def_ro("stored", &hstar::Descent::stored)
      .def_ro("peak_bytes", &hstar::Descent::peak_bytes);
  nb::class_<hstar::StageRanking>(m, "StageRanking")
      .def("__init__", &build_ranking, "weights"_a, "first"_a, "counts"_a, "constant"_a)
      .def_prop_ro("pieces", &hstar::StageRanking::pieces);
  nb::class_<WordChain>(m, "WordChain")
      .def("__init__", &build_chain, "generators"_a, "base"_a, "kinds"_a, "words"_a, "matches"_a, "seconds"_a,
           "control"_a)
      .def("__init__", &read_chain, "generators"_a, "base"_a, "text"_a, "poll"_a)
      .def_prop_ro("complete", &WordChain::complete)
      .def("text",
           [](const WordChain& chain) {
             const std::vector<std::uint8_t> text = chain.text();
             return nb::bytes(text.data(), text.size());
           })
      .def("descend", &descend, "element"_a, "width"_a, "outlook"_a, nb::kw_only(), "control"_a,
           "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(), "seconds"_a = nb::none(),
           "memory_bytes"_a = hstar::Limits{}.memory_bytes, "triples"_a = nb::none(),
           "stages"_a = std::vector<std::size_t>{}, "perimeters"_a = std::vector<const Perimeter*>{}, "threads"_a = 1,
           "ranking"_a = nb::none());
  nb::class_<hstar::Insertions>(m, "Insertions")
      .def("__init__", &build_cycles<hstar::Insertions>, "generators"_a, "slot_of"_a, "orbits"_a, "seconds"_a,
           "control"_a)
      .def("has_all", &hstar::Insertions::has_all, "orbit"_a)
      .def("solve", &insert, "start"_a, "home"_a, "base"_a, "width"_a, "misplaced"_a, "seed"_a, "anneals"_a, "starts"_a,
           nb::kw_only(), "control"_a, "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
           "seconds"_a = nb::none(), "threads"_a = 1);
  nb::class_<hstar::Bundles>(m, "Bundles")
      .def("__init__", &build_cycles<hstar::Bundles>, "generators"_a, "slot_of"_a, "orbits"_a, "seconds"_a, "control"_a)
      .def("has_all", &hstar::Bundles::has_all, "orbit"_a)
      .def("solve", &bundle, "start"_a, "home"_a, "base"_a, "misplaced"_a, "seed"_a, "anneals"_a, "cells"_a, "heat"_a,
           "starts"_a, nb::kw_only(), "control"_a, "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
           "seconds"_a = nb::none(), "threads"_a = 1);
  nb::class_<hstar::Reduced>(m, "Reduced")
      .def_prop_ro("ways",
                   [](const hstar::Reduced& reduced) {
                     nb::list ways;
                     for (const auto& way : reduced.ways) ways.append(nb::bytes(way.data(), way.size()));
                     return ways;
                   })
      .def_ro("expanded", &hstar::Reduced::expanded)
      .def_ro("generated", &hstar::Reduced::generated)
      .def_ro("stored", &hstar::Reduced::stored)
      .def_ro("peak_bytes", &hstar::Reduced::peak_bytes);
  nb::class_<hstar::Reduction>(m, "Reduction")
      .def("__init__", &build_reduction, "generators"_a, "slot_of"_a, "left"_a, "home"_a, "alike"_a, "perimeter"_a,
           "seconds"_a, "control"_a)
      .def_prop_ro("tells", &hstar::Reduction::tells)
      .def_prop_ro("cosets", &hstar::Reduction::cosets)
      .def("search", &reduce, "element"_a, "kinds"_a, "width"_a, "related"_a, "alike"_a, "power"_a, "most"_a,
           nb::kw_only(), "control"_a, "max_expanded"_a = nb::none(), "max_generated"_a = nb::none(),
           "seconds"_a = nb::none(), "threads"_a = 1);
  nb::class_<PieceTriples>(m, "PieceTriples")
      .def("__init__", &build_triples, "generators"_a, "base"_a, "symmetries"_a, "first"_a, "last_moves"_a, "seconds"_a,
           "control"_a)
      .def_prop_ro("ending", &PieceTriples::ending)
      .def_prop_ro("complete", &PieceTriples::complete)
      .def_prop_ro("too_large", &PieceTriples::too_large)
      .def_prop_ro("bytes", &PieceTriples::bytes)
      .def("samples", &stage_samples, "ranking"_a, "elements"_a, "width"_a, "longest"_a, "of_layer"_a, "control"_a)
      .def(
          "distance",
          [](const PieceTriples& triples, const std::vector<Point>& places) {
            if (places.size() > triples.base().size()) throw std::invalid_argument("there are not so many pieces");
            for (const Point place : places)
              if (place >= triples.generators().front().size()) throw std::invalid_argument("there is no such place");
            return triples.distance(places.data(), places.size());
          },
          "places"_a)
      .def(
          "distances",
          [](const PieceTriples& triples,
             const nb::ndarray<const Point, nb::ndim<2>, nb::c_contig, nb::device::cpu>& places) {
            const std::size_t pieces = places.shape(1);
            if (pieces > triples.base().size()) throw std::invalid_argument("there are not so many pieces");
            if (!std::all_of(places.data(), places.data() + places.size(),
                             [&](Point x) { return x < triples.slots().size(); }))
              throw std::invalid_argument("there is no such place");
            std::vector<std::uint32_t> found;
            for (std::size_t n = 0; n < places.shape(0); ++n)
              found.push_back(triples.distance(places.data() + n * pieces, pieces));
            return found;
          },
          "places"_a);
}
