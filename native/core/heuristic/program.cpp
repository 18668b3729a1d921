#include "heuristic/program.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace hstar {

namespace {

struct Signature {
  std::string_view name;
  Op op;
  int arguments;
};

constexpr Signature kSignatures[] = {
    {"const", Op::constant, 0}, {"feature", Op::feature, 0}, {"add", Op::add, 2},
    {"sub", Op::sub, 2},        {"mul", Op::mul, 2},         {"div", Op::div, 2},
    {"floordiv", Op::floordiv, 2}, {"min", Op::min, 2},      {"max", Op::max, 2},
    {"lt", Op::lt, 2},          {"le", Op::le, 2},           {"gt", Op::gt, 2},
    {"ge", Op::ge, 2},          {"eq", Op::eq, 2},           {"ne", Op::ne, 2},
    {"and", Op::logical_and, 2}, {"or", Op::logical_or, 2},  {"ceil", Op::ceil, 1},
    {"floor", Op::floor, 1},    {"abs", Op::abs, 1},         {"neg", Op::neg, 1},
    {"not", Op::logical_not, 1}, {"select", Op::select, 3},
};

int arguments(Op op) {
  return std::ranges::find(kSignatures, op, &Signature::op)->arguments;
}

// Python's `//`: the greatest integer not above the exact quotient of two doubles. The steps are Python's too, because
// they decide the sign of a zero and the rounding of quotients that no double holds. 1.0 // 0.1 is 9.
double floor_divide(double a, double b) noexcept {
  const double remainder = std::fmod(a, b);  // exact, with the sign of a
  double quotient = (a - remainder) / b;     // an integer, up to rounding
  if (remainder != 0 && (b < 0) != (remainder < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

double binary(Op op, double a, double b) noexcept {
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    case Op::floordiv: return floor_divide(a, b);
    case Op::min: return b < a ? b : a;
    case Op::max: return b > a ? b : a;
    case Op::lt: return a < b;
    case Op::le: return a <= b;
    case Op::gt: return a > b;
    case Op::ge: return a >= b;
    case Op::eq: return a == b;
    case Op::ne: return a != b;
    case Op::logical_and: return a != 0 && b != 0;
    default: return a != 0 || b != 0;
  }
}

double unary(Op op, double a) noexcept {
  switch (op) {
    case Op::ceil: return std::ceil(a);
    case Op::floor: return std::floor(a);
    case Op::abs: return std::fabs(a);
    case Op::neg: return -a;
    default: return a == 0;
  }
}

}  // namespace

std::optional<Op> op_from_name(std::string_view name) noexcept {
  const auto* found = std::ranges::find(kSignatures, name, &Signature::name);
  if (found == std::end(kSignatures)) return std::nullopt;
  return found->op;
}

Program::Program(std::vector<Instruction> instructions, std::size_t features) : instructions_(std::move(instructions)) {
  if (instructions_.size() > kMaxLength)
    throw std::invalid_argument("program has " + std::to_string(instructions_.size()) +
                                " instructions, expected at most " + std::to_string(kMaxLength));
  std::size_t depth = 0;
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    const Instruction& instruction = instructions_[i];
    const std::string where = "instruction " + std::to_string(i) + ": ";
    if (instruction.op == Op::feature && instruction.feature >= features)
      throw std::invalid_argument(where + "no feature " + std::to_string(instruction.feature));
    if (instruction.op == Op::constant && !std::isfinite(instruction.number))
      throw std::invalid_argument(where + "constant is not finite");
    const auto taken = static_cast<std::size_t>(arguments(instruction.op));
    if (depth < taken) throw std::invalid_argument(where + "too few operands on the stack");
    depth = depth - taken + 1;
    if (depth > kMaxDepth)
      throw std::invalid_argument(where + "more than " + std::to_string(kMaxDepth) + " on the stack");
  }
  if (depth != 1) throw std::invalid_argument("program leaves " + std::to_string(depth) + " values, expected 1");
}

double Program::run(std::span<const double> features) const noexcept {
  double stack[kMaxDepth];
  std::size_t top = 0;  // number of values on the stack
  for (const Instruction& instruction : instructions_) {
    switch (instruction.op) {
      case Op::constant: stack[top++] = instruction.number; break;
      case Op::feature: stack[top++] = features[instruction.feature]; break;
      case Op::ceil:
      case Op::floor:
      case Op::abs:
      case Op::neg:
      case Op::logical_not: stack[top - 1] = unary(instruction.op, stack[top - 1]); break;
      case Op::select:
        top -= 2;
        if (stack[top + 1] == 0) stack[top - 1] = stack[top];
        break;
      default:
        --top;
        stack[top - 1] = binary(instruction.op, stack[top - 1], stack[top]);
    }
  }
  return stack[0];
}

bool Program::uses(std::size_t feature) const noexcept {
  return std::ranges::any_of(
      instructions_, [&](const Instruction& i) { return i.op == Op::feature && i.feature == feature; });
}

}  // namespace hstar
