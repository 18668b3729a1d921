// hstar._kernel: translates between Python and the kernel, and computes nothing.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nanobind/stl/shared_ptr.h>

#include "binding.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Table = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Masks = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using MoveTuple = std::tuple<nb::object, nb::object, std::vector<nb::object>>;

// By move, slots with the values with which it is not legal.
using Forbidden = std::vector<std::vector<std::pair<std::uint16_t, std::vector<hstar::Value>>>>;

std::shared_ptr<hstar::PermutationPuzzle> make_permutation(std::vector<unsigned> values, const nb::bytes& goal,
                                                           const std::vector<MoveTuple>& moves,
                                                           const Forbidden& forbidden) {
  if (!forbidden.empty() && forbidden.size() != moves.size())
    throw std::invalid_argument("forbidden: expected a list for each move");
  std::vector<hstar::PermutationPuzzle::Definition> definitions;
  for (const auto& [dst, src, maps] : moves) {
    hstar::PermutationPuzzle::Definition& definition = definitions.emplace_back();
    definition.dst = numbers(dst);
    definition.src = numbers(src);
    for (const nb::object& map : maps) definition.maps.push_back(numbers(map));
    if (!forbidden.empty()) definition.forbidden = forbidden[definitions.size() - 1];
  }
  return std::make_shared<hstar::PermutationPuzzle>(std::move(values), copy(goal), std::move(definitions));
}

std::optional<nb::bytes> apply(const hstar::Puzzle& puzzle, const nb::bytes& state, unsigned move) {
  puzzle.check(view(state), "state");
  if (move >= puzzle.move_count()) throw std::invalid_argument("no move " + std::to_string(move));
  std::vector<std::uint8_t> out(puzzle.state_bytes());
  if (!puzzle.apply(view(state), move, out.data())) return std::nullopt;
  return nb::bytes(out.data(), out.size());
}

// The operand as a T. Other types of numbers or arrays are not converted (but an int counts as a float, as in Python).
template <class T>
T operand_as(const nb::object& operand, const std::string& owner, const char* expected) {
  T value{};
  const bool convert = std::is_same_v<T, double> && PyLong_Check(operand.ptr());
  if (!nb::try_cast(operand, value, convert)) throw nb::type_error((owner + ": operand is not " + expected).c_str());
  return value;
}

// A Python function from the bytes of a state to a number. It must not raise.
class Called final : public hstar::OwnFunction {
 public:
  explicit Called(nb::object function) : function_(std::move(function)) {}
  ~Called() override {
    const nb::gil_scoped_acquire locked;
    function_.reset();
  }
  double value(hstar::Bytes state) const noexcept override {
    const nb::gil_scoped_acquire locked;
    try {
      return nb::cast<double>(function_(nb::bytes(state.data(), state.size())));
    } catch (...) {
      PyErr_Clear();
      return 0;
    }
  }

 private:
  nb::object function_;
};

hstar::Feature to_feature(const std::tuple<std::string, nb::object>& item) {
  using Kind = hstar::Feature::Kind;
  const auto& [kind, operand] = item;
  if (kind == "table" || kind == "maximum") {
    const auto table = operand_as<Table>(operand, kind, "a C-contiguous int32 array of two dimensions");
    return {kind == "table" ? Kind::table : Kind::maximum, {table.data(), table.data() + table.size()}, table.shape(1)};
  }
  if (kind == "union") {
    const auto masks = operand_as<Masks>(operand, kind, "a C-contiguous uint64 array of two dimensions");
    return {Kind::union_of_groups, {}, masks.shape(1), {masks.data(), masks.data() + masks.size()}};
  }
  if (kind == "database") {
    hstar::Feature feature{Kind::database};
    feature.database = operand_as<std::shared_ptr<hstar::Database>>(operand, kind, "a database");
    return feature;
  }
  if (kind == "function") {
    if (!nb::isinstance<nb::callable>(operand)) throw nb::type_error("function: operand is not a function");
    hstar::Feature feature{Kind::function};
    feature.function = std::make_shared<Called>(operand);
    return feature;
  }
  if (!operand.is_none()) throw std::invalid_argument("feature " + kind + " has no operand");
  if (kind == "linear_conflict") return {Kind::linear_conflict};
  if (kind == "conflicts") return {Kind::conflicts};
  if (kind == "inversions") return {Kind::inversions};
  if (kind == "gaschnig") return {Kind::gaschnig};
  if (kind == "walking_distance") return {Kind::walking_distance};
  if (kind == "clustered_misplaced") return {Kind::clustered_misplaced};
  if (kind == "solved") return {Kind::solved};
  if (kind == "gaps") return {Kind::gaps};
  throw std::invalid_argument("no feature " + kind);
}

hstar::Instruction to_instruction(const std::tuple<std::string, nb::object>& item) {
  const auto& [name, operand] = item;
  const auto op = hstar::op_from_name(name);
  if (!op) throw std::invalid_argument("no operation " + name);
  hstar::Instruction instruction{*op};
  if (*op == hstar::Op::constant)
    instruction.number = operand_as<double>(operand, name, "a number");
  else if (*op == hstar::Op::feature)
    instruction.feature = operand_as<std::uint32_t>(operand, name, "the number of a feature");
  else if (!operand.is_none())
    throw std::invalid_argument("operation " + name + " has no operand");
  return instruction;
}

using Items = std::vector<std::tuple<std::string, nb::object>>;

std::vector<hstar::Instruction> to_program(const Items& items) {
  std::vector<hstar::Instruction> instructions;
  for (const auto& item : items) instructions.push_back(to_instruction(item));
  return instructions;
}

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The program's value for each row of feature values.
nb::object run_program(const Items& items, const Rows& rows) {
  const hstar::Program program(to_program(items), rows.shape(1));
  auto values = std::make_unique<std::vector<double>>(rows.shape(0));
  for (std::size_t i = 0; i < values->size(); ++i)
    (*values)[i] = program.run({rows.data() + i * rows.shape(1), rows.shape(1)});
  const nb::capsule owner(values.get(), [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  const std::vector<double>& kept = *values.release();
  return nb::cast(nb::ndarray<nb::numpy, const double, nb::ndim<1>>(kept.data(), {kept.size()}, owner));
}

void init_heuristic(hstar::Heuristic* self, std::shared_ptr<hstar::Puzzle> puzzle, const Items& features,
                    const Items& program, bool integer, double max_value, const hstar::Control* control) {
  std::vector<hstar::Feature> kernel_features;
  for (const auto& item : features) kernel_features.push_back(to_feature(item));
  std::vector<hstar::Instruction> instructions = to_program(program);
  const nb::gil_scoped_release unlocked;  // the tables can take tens of milliseconds
  new (self) hstar::Heuristic(std::move(puzzle), std::move(kernel_features), std::move(instructions), integer,
                              max_value, or_never(control));
}

}  // namespace

NB_MODULE(_kernel, m) {
  m.doc() = "hstar's native search kernel.";
  nb::set_leak_warnings(false);  // Python does not free everything when it exits, and users would take it for a fault
  nb::exception<hstar::Stopped>(m, "Stopped");

  nb::class_<hstar::Puzzle>(m, "Puzzle")
      .def_prop_ro("goal", [](const hstar::Puzzle& p) { return nb::bytes(p.goal().data(), p.goal().size()); });
  nb::class_<hstar::PermutationPuzzle, hstar::Puzzle>(m, "PermutationPuzzle")
      .def(nb::new_(&make_permutation), "values"_a, "goal"_a, "moves"_a, "forbidden"_a = Forbidden())
      .def("apply", &apply, "state"_a, "move"_a);
  nb::class_<hstar::SlidingTiles, hstar::Puzzle>(m, "SlidingTiles")
      .def(nb::new_([](unsigned rows, unsigned columns, const nb::bytes& goal) {
             return std::make_shared<hstar::SlidingTiles>(rows, columns, copy(goal));
           }),
           "rows"_a, "columns"_a, "goal"_a)
      .def("apply", &apply, "state"_a, "move"_a);

  nb::class_<hstar::Heuristic>(m, "Heuristic")
      .def("__init__", &init_heuristic, "puzzle"_a, "features"_a, "program"_a, "integer"_a, "max_value"_a,
           "control"_a = nb::none())
      .def("evaluate", [](const hstar::Heuristic& h, const nb::bytes& state) { return h.evaluate(view(state)); },
           "state"_a);

  m.def("run_program", &run_program, "program"_a, "features"_a);
  bind_anytime(m);
  bind_groups(m);
  bind_search(m);
  bind_audit(m);
  bind_pattern_databases(m);
  bind_cosets(m);
}
