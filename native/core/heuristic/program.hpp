// A heuristic's arithmetic: a short postfix program over feature values, in IEEE doubles. Each operation is defined in
// src/hstar/heuristics/arithmetic.py, which computes the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace hstar {

enum class Op : std::uint8_t {
  constant, feature,                                  // with an operand
  add, sub, mul, div, floordiv, min, max,             // two arguments
  lt, le, gt, ge, eq, ne, logical_and, logical_or,    // two arguments, 0 or 1
  ceil, floor, abs, neg, logical_not,                 // one argument
  select,                                             // a b cond: a if cond is not 0, else b
};

struct Instruction {
  Op op;
  double number = 0;          // constant
  std::uint32_t feature = 0;  // feature
};

// The operation that Python calls by this name ("add", "and", "const", ...), if there is one.
std::optional<Op> op_from_name(std::string_view name) noexcept;

class Program {
 public:
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxLength = 4096;

  // Throws std::invalid_argument if the program is not well formed for `features` features.
  Program(std::vector<Instruction> instructions, std::size_t features);

  // Division by zero follows IEEE; heuristics are checked beforehand to contain none.
  double run(std::span<const double> features) const noexcept;
  bool uses(std::size_t feature) const noexcept;

 private:
  std::vector<Instruction> instructions_;
};

}  // namespace hstar
