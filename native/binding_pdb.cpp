// Pattern databases for Python: translates, and computes nothing.
#include <nanobind/stl/shared_ptr.h>

#include <limits>

#include "binding_database.hpp"
#include "deepening/pattern_search.hpp"
#include "beam/tile_beam.hpp"
#include "deepening/tile_database_search.hpp"
#include "puzzle/length_parity.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using hstar::Pattern;
using hstar::PatternDatabase;
using hstar::PatternHeuristic;
using hstar::PieceSpace;
using hstar::Symmetry;
using hstar::TileDatabase;
using hstar::TileHeuristic;
using hstar::TilePattern;

std::shared_ptr<PieceSpace> make_space(std::shared_ptr<hstar::PermutationPuzzle> puzzle,
                                       const std::vector<std::tuple<unsigned, unsigned, unsigned>>& items,
                                       std::vector<unsigned> distinct) {
  std::vector<hstar::Orbit> orbits;
  for (const auto& [first, pieces, orientations] : items) orbits.push_back({first, pieces, orientations});
  return std::make_shared<PieceSpace>(std::move(puzzle), std::move(orbits), std::move(distinct));
}

std::optional<unsigned> length_parity(const PieceSpace& space, const Numbers& moves, const nb::bytes& state) {
  space.check_moves(moves);
  const Numbers checked = copy(state);
  space.puzzle().check(checked, "state");
  const hstar::LengthParity parity(space, moves);
  return parity.known() && space.is_complete(checked) ? std::optional(parity.of(checked)) : std::nullopt;
}

std::shared_ptr<Symmetry> make_symmetry(std::shared_ptr<PieceSpace> space, Numbers moves,
                                        const std::vector<nb::object>& images, bool reversing) {
  std::vector<std::vector<hstar::Place>> all;
  for (const nb::object& image : images) all.push_back(numbers(image));
  return std::make_shared<Symmetry>(std::move(space), std::move(moves), std::move(all), reversing);
}

std::optional<Built> build_pattern(const Pattern& pattern, const Numbers& moves, unsigned threads,
                                   hstar::Control& progress, const Numbers& costs) {
  return without_gil([&] { return hstar::build_pattern_database(pattern, moves, threads, progress, costs); });
}

std::optional<Built> build_tiles(const TilePattern& pattern, unsigned threads, hstar::Control& progress) {
  return without_gil([&] { return hstar::build_tile_database(pattern, threads, progress); });
}

std::shared_ptr<PatternHeuristic> make_pattern_heuristic(std::shared_ptr<PieceSpace> space, Numbers moves,
                                                         const std::vector<std::shared_ptr<PatternDatabase>>& databases,
                                                         const std::vector<std::shared_ptr<Symmetry>>& symmetries) {
  return std::make_shared<PatternHeuristic>(std::move(space), std::move(moves), present(databases),
                                            present(symmetries));
}

hstar::Outcome pattern_ida_star(const PatternHeuristic& heuristic, const nb::bytes& start,
                                std::optional<std::uint64_t> max_expanded, std::optional<std::uint64_t> max_generated,
                                std::optional<double> seconds, unsigned threads, const GivenPart& part,
                                hstar::Control& control) {
  const hstar::Limits limits = to_limits(max_expanded, max_generated, seconds);
  const std::vector<std::uint8_t> state = copy(start);  // a copy, since the GIL is released
  const nb::gil_scoped_release unlocked;
  return hstar::pattern_ida_star(state, heuristic, limits, threads, control, to_part(part));
}

hstar::Outcome tile_ida_star(const TileHeuristic& heuristic, const nb::bytes& start,
                             std::optional<std::uint64_t> max_expanded, std::optional<std::uint64_t> max_generated,
                             std::optional<double> seconds, unsigned threads, unsigned longest,
                             const GivenPart& part, hstar::Control& control) {
  const hstar::Limits limits = to_limits(max_expanded, max_generated, seconds);
  const std::vector<std::uint8_t> state = copy(start);
  const nb::gil_scoped_release unlocked;
  return hstar::tile_ida_star(state, heuristic, limits, threads, control, longest, to_part(part));
}

std::shared_ptr<TileHeuristic> make_tile_heuristic(std::shared_ptr<hstar::SlidingTiles> puzzle,
                                                   const std::vector<std::shared_ptr<TileDatabase>>& databases,
                                                   const std::vector<nb::bytes>& symmetries,
                                                   const std::vector<nb::bytes>& images) {
  const auto copies = [](const std::vector<nb::bytes>& all) {
    std::vector<Numbers> copied;
    for (const nb::bytes& image : all) copied.push_back(copy(image));
    return copied;
  };
  return std::make_shared<TileHeuristic>(std::move(puzzle), present(databases), copies(symmetries), copies(images));
}

hstar::Outcome tile_beam(const TileHeuristic& heuristic, const nb::bytes& start, std::size_t width, unsigned longest,
                         std::optional<std::uint64_t> max_expanded, std::optional<std::uint64_t> max_generated,
                         std::optional<double> seconds, std::uint64_t memory_bytes, unsigned threads,
                         const hstar::TileRanking* ranking, hstar::Control& control) {
  hstar::TileBeamOptions options{width, longest, threads, ranking, to_limits(max_expanded, max_generated, seconds)};
  options.limits.memory_bytes = memory_bytes;
  const std::vector<std::uint8_t> state = copy(start);
  const nb::gil_scoped_release unlocked;
  return hstar::tile_beam(state, heuristic, options, control);
}

nb::tuple tile_beam_samples(const TileHeuristic& heuristic, const nb::bytes& start, std::size_t width, unsigned longest,
                            std::uint64_t memory_bytes, const hstar::TileRanking& ranking, std::size_t of_layer,
                            hstar::Control& control) {
  hstar::TileSamples samples{of_layer};
  hstar::TileBeamOptions options{width, longest, 1, &ranking, {}, &samples};
  options.limits.memory_bytes = memory_bytes;
  const std::vector<std::uint8_t> state = copy(start);
  const hstar::Outcome outcome = [&] {
    const nb::gil_scoped_release unlocked;
    return hstar::tile_beam(state, heuristic, options, control);
  }();
  return nb::make_tuple(outcome, samples.depths, nb::bytes(samples.boards.data(), samples.boards.size()));
}

}  // namespace

void bind_pattern_databases(nb::module_& m) {
  nb::class_<PieceSpace>(m, "PieceSpace")
      .def(nb::new_(&make_space), "puzzle"_a, "orbits"_a, "distinct"_a = std::vector<unsigned>{})
      .def("length_parity", &length_parity, "moves"_a, "state"_a);
  nb::class_<Symmetry>(m, "Symmetry")
      .def(nb::new_(&make_symmetry), "space"_a, "moves"_a, "images"_a, "reversing"_a);
  nb::class_<Pattern>(m, "Pattern")
      .def(nb::new_([](std::shared_ptr<PieceSpace> space, std::vector<std::uint16_t> pieces) {
             return std::make_shared<Pattern>(std::move(space), std::move(pieces));
           }),
           "space"_a, "pieces"_a)
      .def_prop_ro("pieces", &Pattern::pieces)
      .def_prop_ro("entries", &Pattern::entries);

  m.def("build_pattern_database", &build_pattern, "pattern"_a, "moves"_a, nb::kw_only(), "threads"_a, "progress"_a,
        "costs"_a = Numbers());

  nb::class_<PatternDatabase>(m, "PatternDatabase")
      .def(nb::new_([](const Pattern& pattern, const Entries& table, unsigned bits) {
             return std::make_shared<PatternDatabase>(pattern, std::span(table.data(), table.size()), bits,
                                                      keep(table));
           }),
           "pattern"_a, "table"_a, "bits"_a);
  nb::class_<hstar::Database>(m, "Database");
  nb::class_<PatternHeuristic, hstar::Database>(m, "PatternHeuristic")
      .def(nb::new_(&make_pattern_heuristic), "space"_a, "moves"_a, "databases"_a, "symmetries"_a)
      .def("value", &value<PatternHeuristic>, "state"_a)
      .def_prop_ro("lookups", [](const PatternHeuristic& heuristic) { return heuristic.lookups().size(); });
  m.def("pattern_ida_star", &pattern_ida_star, "heuristic"_a, "start"_a, nb::kw_only(), "max_expanded"_a = nb::none(),
        "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "threads"_a = 1, "part"_a = nb::none(), "control"_a);

  nb::class_<TilePattern>(m, "TilePattern")
      .def(nb::new_([](std::shared_ptr<hstar::SlidingTiles> puzzle, Numbers tiles) {
             return std::make_shared<TilePattern>(std::move(puzzle), std::move(tiles));
           }),
           "puzzle"_a, "tiles"_a)
      .def_prop_ro("tiles", &TilePattern::tiles)
      .def_prop_ro("entries", &TilePattern::entries);
  m.def("build_tile_database", &build_tiles, "pattern"_a, nb::kw_only(), "threads"_a, "progress"_a);
  nb::class_<TileDatabase>(m, "TileDatabase")
      .def(nb::new_([](const TilePattern& pattern, const Entries& table) {
             return std::make_shared<TileDatabase>(pattern, std::span(table.data(), table.size()), keep(table));
           }),
           "pattern"_a, "table"_a);
  nb::class_<TileHeuristic, hstar::Database>(m, "TileHeuristic")
      .def(nb::new_(&make_tile_heuristic), "puzzle"_a, "databases"_a, "symmetries"_a,
           "images"_a = std::vector<nb::bytes>{})
      .def(
          "value",
          [](const TileHeuristic& heuristic, const nb::bytes& state) { return heuristic.checked_value(view(state)); },
          "state"_a)
      .def_prop_ro("views", [](const TileHeuristic& heuristic) { return heuristic.views().size(); });
  m.def("tile_ida_star", &tile_ida_star, "heuristic"_a, "start"_a, nb::kw_only(), "max_expanded"_a = nb::none(),
        "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "threads"_a = 1,
        "longest"_a = std::numeric_limits<unsigned>::max(), "part"_a = nb::none(), "control"_a);
  nb::class_<hstar::TileRanking>(m, "TileRanking")
      .def(nb::new_([](const hstar::SlidingTiles& puzzle, int manhattan, int excess, const nb::bytes& pairs) {
             const auto* const begin = static_cast<const std::int8_t*>(pairs.data());
             return std::make_shared<hstar::TileRanking>(puzzle, manhattan, excess, std::span(begin, pairs.size()));
           }),
           "puzzle"_a, nb::kw_only(), "manhattan"_a, "excess"_a, "pairs"_a = nb::bytes("", 0));
  m.def("tile_beam", &tile_beam, "heuristic"_a, "start"_a, nb::kw_only(), "width"_a,
        "longest"_a = std::numeric_limits<unsigned>::max(), "max_expanded"_a = nb::none(),
        "max_generated"_a = nb::none(), "seconds"_a = nb::none(), "memory_bytes"_a, "threads"_a = 1,
        "ranking"_a.none() = nb::none(), "control"_a);
  m.def("tile_beam_samples", &tile_beam_samples, "heuristic"_a, "start"_a, nb::kw_only(), "width"_a, "longest"_a,
        "memory_bytes"_a, "ranking"_a, "of_layer"_a, "control"_a);
}
