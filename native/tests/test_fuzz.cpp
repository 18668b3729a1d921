// Random definitions, states, heuristics and limits, valid and invalid, while allocations fail at random: invalid ones
// are refused with std::invalid_argument, all others end with an Outcome that meets its contract.
//
//   HSTAR_FUZZ_FIRST=1000 HSTAR_FUZZ_COUNT=1000000 hstar_tests fuzz    (other seeds than the usual ones)
#include <cmath>

#include "check.hpp"
#include "model.hpp"
#include "pages.hpp"
#include "searches.hpp"
#include "starving.hpp"

namespace test_fuzz {

using namespace hstar;
using test::below;
using test::Random;
using test::State;

namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Runs `round(seed)` for many seeds; a failure names its seed.
void for_seeds(std::uint64_t count, void (*round)(Random&)) {
  const std::uint64_t first = setting("HSTAR_FUZZ_FIRST", 0);
  count = setting("HSTAR_FUZZ_COUNT", count);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Random random(static_cast<unsigned>(seed));
    try {
      round(random);
    } catch (const std::exception& error) {
      throw test::Failure("seed " + std::to_string(seed) + ": " + error.what());
    }
  }
}

bool one_in(Random& random, unsigned n) { return below(random, n) == 0; }

template <class T>
const T& any_of(const std::vector<T>& items, Random& random) {
  return items[below(random, static_cast<unsigned>(items.size()))];
}

// The result of `make`; nothing if it throws std::invalid_argument.
template <class Make>
auto unless_refused(Make make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    CHECK(*error.what() != '\0');
    return std::nullopt;
  }
}

// Changes, adds or drops an entry.
template <class T>
void damage(std::vector<T>& items, Random& random) {
  if (items.empty() || one_in(random, 4))
    items.push_back(static_cast<T>(random()));
  else if (one_in(random, 3))
    items.pop_back();
  else
    items[below(random, static_cast<unsigned>(items.size()))] = static_cast<T>(random());
}

// The parts of a definition. Permutation puzzles have any number of values a slot and any moves, up to the maximum.
std::shared_ptr<const Puzzle> make_permutation(Random& random, bool broken) {
  const unsigned slots = 1 + below(random, one_in(random, 8) ? 128 : 12), most = one_in(random, 8) ? 256 : 6;
  std::vector<unsigned> values;
  for (unsigned slot = 0; slot < slots; ++slot)  // few different numbers, so that slots can exchange their contents
    values.push_back(one_in(random, 3) ? 1 + below(random, most) : most);
  State goal;
  for (const unsigned count : values) goal.push_back(static_cast<std::uint8_t>(below(random, count)));
  std::vector<PermutationPuzzle::Definition> moves(below(random, one_in(random, 16) ? 256 : 8));
  for (PermutationPuzzle::Definition& move : moves) {
    test::Numbers alike = test::numbers_to(slots);
    const unsigned kind = any_of(values, random);
    std::erase_if(alike, [&](unsigned slot) { return values[slot] != kind; });
    test::shuffle(alike, random);
    alike.resize(below(random, static_cast<unsigned>(alike.size()) + 1));
    move.dst = move.src = alike;
    test::shuffle(move.src, random);
    for (std::size_t i = 0; i < alike.size(); ++i) {
      move.maps.push_back(test::numbers_to(kind));
      if (one_in(random, 2)) test::shuffle(move.maps.back(), random);
    }
  }
  if (broken) {
    switch (below(random, 6)) {
      case 0: values.resize(below(random, 200), below(random, 300)); break;
      case 1: damage(goal, random); break;
      case 2: moves.resize(257); break;
      default: {
        if (moves.empty()) break;
        PermutationPuzzle::Definition& move = moves[below(random, static_cast<unsigned>(moves.size()))];
        if (one_in(random, 3))
          damage(move.dst, random);
        else if (one_in(random, 2) || move.maps.empty())
          damage(move.src, random);
        else
          damage(move.maps[below(random, static_cast<unsigned>(move.maps.size()))], random);
      }
    }
  }
  return std::make_shared<const PermutationPuzzle>(values, goal, moves);
}

std::shared_ptr<const Puzzle> make_tiles(Random& random, bool broken) {
  unsigned rows = 1 + below(random, one_in(random, 8) ? 16 : 5),
           columns = 1 + below(random, one_in(random, 8) ? 16 : 5);
  State goal = test::identity(rows * columns);
  test::shuffle(goal, random);
  if (broken) {
    if (one_in(random, 2)) damage(goal, random);
    if (one_in(random, 4)) rows = static_cast<unsigned>(random());
    if (one_in(random, 4)) columns = static_cast<unsigned>(random());
  }
  return std::make_shared<const SlidingTiles>(rows, columns, goal);
}

Feature random_feature(const Puzzle& puzzle, Random& random, bool broken) {
  using Kind = Feature::Kind;
  const std::size_t width = test::width_of(puzzle) + below(random, 2);
  Feature feature{any_of<Kind>(
      {Kind::table, Kind::table, Kind::table, Kind::maximum, Kind::union_of_groups, Kind::solved, Kind::linear_conflict,
       Kind::conflicts, Kind::inversions, Kind::gaschnig, Kind::walking_distance, Kind::clustered_misplaced},
      random)};
  const auto most = any_of<int>({1, 3, 50, std::numeric_limits<int>::max()}, random);
  if (feature.kind == Kind::table || feature.kind == Kind::maximum) {
    feature.width = width;
    feature.table = test::random_table(puzzle, width, one_in(random, 3) ? -most : 0, most, random);
  } else if (feature.kind == Kind::union_of_groups) {
    feature = test::random_groups(puzzle, width, random);
  }
  if (broken && one_in(random, 3)) feature.width = static_cast<std::size_t>(random()) << below(random, 40);
  if (broken && one_in(random, 3)) damage(feature.table, random);
  if (broken && one_in(random, 3)) damage(feature.masks, random);
  return feature;
}

// Operations in any order, or (mostly) in an order that gives each its operands.
std::vector<Instruction> random_program(std::size_t features, Random& random) {
  std::vector<Instruction> program;
  const bool wild = one_in(random, 8);
  std::size_t depth = 0;
  const unsigned length = 1 + below(random, one_in(random, 16) ? 200 : 8);
  while (program.size() < length || (!wild && depth > 1)) {
    Instruction next{static_cast<Op>(below(random, static_cast<unsigned>(Op::select) + 1))};
    if (!wild) {
      if (depth == 0 || (program.size() < length && depth < 40 && one_in(random, 2)))
        next.op = one_in(random, 3) ? Op::constant : Op::feature;
      if (next.op == Op::feature && features == 0) next.op = Op::constant;
      const std::size_t taken = next.op <= Op::feature      ? 0
                                : next.op <= Op::logical_or ? 2
                                : next.op < Op::select      ? 1
                                                            : 3;
      if (taken > depth || (program.size() >= length && taken < 2)) continue;
      depth = depth - taken + 1;
    }
    next.feature = below(random, static_cast<unsigned>(features) + (wild ? 1 : 0) + (features == 0 ? 1 : 0));
    next.number = any_of<double>({0, 1, -1, 3, 0.37, 1e-310, 1e300, -1e300, wild ? double{NAN} : 7.0}, random);
    program.push_back(next);
  }
  return program;
}

std::optional<Heuristic> random_heuristic(const std::shared_ptr<const Puzzle>& puzzle, Random& random) {
  const bool broken = one_in(random, 8);
  std::vector<Feature> features;
  for (unsigned i = below(random, 4); i > 0; --i) features.push_back(random_feature(*puzzle, random, broken));
  const std::vector<Instruction> program = random_program(features.size(), random);
  const double most = any_of<double>({0, 1, 40, 4095, 1e9, 1e300, INFINITY, broken ? double{NAN} : 0.5}, random);
  return unless_refused([&] { return Heuristic(puzzle, features, program, one_in(random, 2), most); });
}

std::uint64_t random_limit(Random& random) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  return one_in(random, 4)
             ? any_of<std::uint64_t>({kHalf - 1, kHalf, kHalf + 1, Limits::kNone - 1, Limits::kNone}, random)
             : below(random, 600);
}

SearchOptions random_options(Random& random) {
  SearchOptions options;
  options.weight = any_of<double>({1, 1, 1, 0, 2, 0.3, 4096, 1e9, 1e300, 1e-310, one_in(random, 8) ? -1.0 : 1.0,
                                   one_in(random, 8) ? double{NAN} : 1.0}, random);
  options.tie_breaking = static_cast<TieBreaking>(below(random, 3));
  options.pruning = static_cast<Pruning>(below(random, 3));
  options.limits.expanded = below(random, 600);  // so that it ends
  options.limits.generated = random_limit(random);
  options.limits.memory_bytes = one_in(random, 3) ? below(random, 100000) : random_limit(random) << below(random, 20);
  if (one_in(random, 8)) options.limits.seconds = any_of<double>({0, 1e-9, 1e300, -1, NAN}, random);
  return options;
}

// The distance from the start to the goal, if breadth-first search finds it within its limits.
std::optional<test::ModelOutcome> truth(const test::Problem& problem) {
  Limits limits;
  limits.expanded = 100;
  test::ModelOutcome outcome = test::model_breadth_first(problem.puzzle, problem.start, problem.moves, limits);
  if (outcome.ending != "solved" && outcome.ending != "exhausted") return std::nullopt;
  return outcome;
}

void check_promises(const test::Search& search, const test::Problem& problem, const SearchOptions& options,
                    const Outcome& o, const Control& control) {
  const Limits& limits = options.limits;
  CHECK(o.expanded <= limits.expanded);
  CHECK(o.generated <= o.expanded * problem.moves.size());
  // A tree search checks its limits before an expansion, and may first have to backtrack a long way.
  if (search.grows && o.generated > problem.moves.size())
    CHECK(o.generated - problem.moves.size() < limits.generated);
  CHECK(o.peak_bytes <= limits.memory_bytes && control.bytes <= limits.memory_bytes);
  CHECK(o.reopened <= o.expanded && o.expanded_last_layer <= o.expanded && o.f_bound >= 0);
  CHECK(o.max_open <= o.stored);
  CHECK_EQUAL(o.limit != Limit::none, o.status == Status::limit_reached);
  CHECK_EQUAL(control.expanded.load(), o.expanded);
  CHECK_EQUAL(control.generated.load(), o.generated);
  if (o.status == Status::solved)
    test::replay(*problem.puzzle, problem.start, o.path);
  else
    CHECK(o.path.empty() && o.expanded_last_layer == 0);
  if (const auto true_outcome = truth(problem)) {
    const bool reachable = true_outcome->ending == "solved";
    CHECK(reachable || o.status != Status::solved);
    if (reachable && o.status == Status::solved) CHECK(o.path.size() >= true_outcome->path.size());
    if (search.blind && reachable) {
      CHECK(o.status != Status::exhausted);
      CHECK(o.f_bound <= std::max<double>(1, static_cast<double>(true_outcome->path.size())));
      if (o.status == Status::solved) CHECK_EQUAL(o.path.size(), true_outcome->path.size());
    }
  }
}

bool same(const Outcome& a, const Outcome& b) {
  return test::ending(a) == test::ending(b) && a.path == b.path && a.expanded == b.expanded &&
         a.generated == b.generated && a.evaluated == b.evaluated && a.stored == b.stored && a.max_open == b.max_open &&
         a.f_bound == b.f_bound;
}

std::optional<std::shared_ptr<const Puzzle>> random_puzzle(Random& random) {
  const bool broken = one_in(random, 4);
  return unless_refused(
      [&] { return one_in(random, 2) ? make_tiles(random, broken) : make_permutation(random, broken); });
}

std::map<std::string, std::map<std::string, int>> endings;  // by search, and how it ended

void round_of_searches(Random& random) {
  const auto puzzle = random_puzzle(random);
  if (!puzzle) return;
  const auto heuristic = random_heuristic(*puzzle, random);
  if (!heuristic) return;
  State start = test::goal_of(**puzzle), moves = test::all_moves(**puzzle);
  if (!moves.empty()) start = test::walk(**puzzle, start, below(random, 12), random);
  if (one_in(random, 4)) {  // perhaps not reachable
    if (dynamic_cast<const SlidingTiles*>(puzzle->get())) {
      test::shuffle(start, random);
    } else {
      for (std::size_t slot = 0; slot < start.size(); ++slot)
        start[slot] = static_cast<std::uint8_t>(below(random, (*puzzle)->values(slot)));
    }
  }
  if (one_in(random, 2)) test::shuffle(moves, random);
  const bool damaged = one_in(random, 10);
  if (damaged) damage(one_in(random, 2) ? start : moves, random);
  const test::Problem problem{*puzzle, *heuristic, start, moves};
  SearchOptions options = random_options(random);
  if (one_in(random, 3))
    for (std::size_t i = 0; i < moves.size(); ++i)
      options.costs.push_back(static_cast<std::uint8_t>(one_in(random, 100) ? 0 : 1 + below(random, 255)));
  if (one_in(random, 50)) options.costs.push_back(1);
  const bool timed = options.limits.seconds <= 1;

  test::FailingPages pages;
  Arena arena(pages);
  for (const test::Search& search : test::kSearches) {
    Control control, starved_control, again_control;
    if (one_in(random, 16)) control.cancel();
    const auto outcome = unless_refused([&] { return search.run(arena, problem, options, control); });
    ++endings[search.name][outcome ? test::ending(*outcome) : "refused"];
    if (outcome) check_promises(search, problem, options, *outcome, control);
    // The same with failing allocations: refused again, or out of memory, or the same outcome.
    pages.left = one_in(random, 2) ? static_cast<long>(below(random, 12)) : -1;
    bool starved = false;
    const auto other = unless_refused([&] {
      const test::Starving starving(one_in(random, 2) ? static_cast<long>(below(random, 60)) : 1000000);
      const Outcome o = search.run(arena, problem, options, starved_control);
      starved = starving.starved();
      return o;
    });
    pages.left = -1;
    if (starved) CHECK(other->limit == Limit::memory);
    if (!outcome) {
      CHECK(!other || starved);  // no memory for the message of the exception
      continue;
    }
    if (other) check_promises(search, problem, options, *other, starved_control);
    // Repeat the first search.
    if (control.cancelled || timed) continue;
    CHECK(same(*outcome, search.run(arena, problem, options, again_control)));
  }
}

void round_of_definitions(Random& random) {
  const auto made = random_puzzle(random);
  if (!made) return;
  const Puzzle& puzzle = **made;
  const auto* permutation = dynamic_cast<const PermutationPuzzle*>(&puzzle);
  State state = test::goal_of(puzzle), after(puzzle.slots()), back(puzzle.slots());
  std::optional<PermutationPuzzle> reversed;
  if (permutation != nullptr) reversed = permutation->reversed();
  for (unsigned move = 0; move < puzzle.move_count(); ++move) {
    if (!puzzle.apply(state, move, after.data())) continue;
    puzzle.check(after, "after");
    CHECK(reversed ? reversed->apply(after, move, back.data()) : puzzle.apply(after, move ^ 2, back.data()));
    CHECK(back == state);
    if (reversed && permutation->inverse(move) != PermutationPuzzle::kNone) {
      permutation->apply(after, permutation->inverse(move), back.data());
      CHECK(back == state);
    }
    state = after;
  }
  const auto heuristic = random_heuristic(*made, random);
  if (!heuristic) return;
  const double h = heuristic->evaluate(state);
  CHECK(h >= 0 && h <= heuristic->max_value());
  CHECK(!heuristic->integer() || h == std::floor(h));
  damage(state, random);
  unless_refused([&] { return heuristic->evaluate(state); });
}

}  // namespace

TEST(fuzz, definitions_and_heuristics) { for_seeds(test::instances(4000, 700), round_of_definitions); }
TEST(fuzz, searches) {
  const auto usual = static_cast<std::uint64_t>(test::instances(1200, 250));
  for_seeds(usual, round_of_searches);
  if (setting("HSTAR_FUZZ_COUNT", usual) < usual) return;
  for (const auto& [search, counts] : endings)
    for (const char* ending :
         {"solved", "exhausted", "expanded", "generated", "seconds", "memory", "cancelled", "refused"})
      if (!counts.contains(ending)) throw test::Failure(search + " has never ended with " + ending);
}

}  // namespace test_fuzz
