#include <cmath>

#include "check.hpp"
#include "heuristic/program.hpp"

namespace test_program {

using namespace hstar;

namespace {

double run(std::vector<Instruction> instructions, std::vector<double> features = {}) {
  return Program(std::move(instructions), features.size()).run(features);
}

double run2(Op op, double a, double b) { return run({{Op::constant, a, 0}, {Op::constant, b, 0}, {op, 0, 0}}); }
double run1(Op op, double a) { return run({{Op::constant, a, 0}, {op, 0, 0}}); }

}  // namespace

TEST(program, computes_every_operation) {
  CHECK_EQUAL(run2(Op::add, 2, 3), 5);
  CHECK_EQUAL(run2(Op::sub, 2, 3), -1);
  CHECK_EQUAL(run2(Op::mul, 2, 3), 6);
  CHECK_EQUAL(run2(Op::div, 3, 2), 1.5);
  CHECK_EQUAL(run2(Op::min, 3, 2), 2);
  CHECK_EQUAL(run2(Op::max, 3, 2), 3);
  CHECK_EQUAL(run2(Op::lt, 2, 3), 1);
  CHECK_EQUAL(run2(Op::lt, 3, 3), 0);
  CHECK_EQUAL(run2(Op::le, 3, 3), 1);
  CHECK_EQUAL(run2(Op::gt, 4, 3), 1);
  CHECK_EQUAL(run2(Op::gt, 3, 3), 0);
  CHECK_EQUAL(run2(Op::ge, 3, 3), 1);
  CHECK_EQUAL(run2(Op::eq, 3, 3), 1);
  CHECK_EQUAL(run2(Op::ne, 3, 3), 0);
  CHECK_EQUAL(run2(Op::logical_and, 2, 0), 0);
  CHECK_EQUAL(run2(Op::logical_and, 2, -1), 1);
  CHECK_EQUAL(run2(Op::logical_or, 0, 0), 0);
  CHECK_EQUAL(run2(Op::logical_or, 0, 5), 1);
  CHECK_EQUAL(run1(Op::ceil, 1.2), 2);
  CHECK_EQUAL(run1(Op::floor, -1.2), -2);
  CHECK_EQUAL(run1(Op::abs, -4), 4);
  CHECK_EQUAL(run1(Op::neg, 4), -4);
  CHECK_EQUAL(run1(Op::logical_not, 0), 1);
  CHECK_EQUAL(run1(Op::logical_not, 7), 0);
  for (const double condition : {0.0, 1.0, -3.0})
    CHECK_EQUAL(run({{Op::constant, 10, 0}, {Op::constant, 20, 0}, {Op::constant, condition, 0}, {Op::select, 0, 0}}),
                condition != 0 ? 10 : 20);
}

TEST(program, floor_division_is_pythons) {
  CHECK_EQUAL(run2(Op::floordiv, 7, 2), 3);
  CHECK_EQUAL(run2(Op::floordiv, -7, 2), -4);
  CHECK_EQUAL(run2(Op::floordiv, 7, -2), -4);
  CHECK_EQUAL(run2(Op::floordiv, -7, -2), 3);
  CHECK_EQUAL(run2(Op::floordiv, 1.0, 0.1), 9);  // 0.1 is a little more than a tenth
  CHECK_EQUAL(run2(Op::floordiv, 0.3, 0.1), 2);
  CHECK_EQUAL(run2(Op::floordiv, -0.3, 0.1), -3);
  CHECK_EQUAL(run2(Op::floordiv, 4.0, 0.1), 39);
  CHECK_EQUAL(run2(Op::floordiv, 0x1p60, 3), 384307168202282304.0);
  // A zero has the sign of the quotient.
  CHECK(!std::signbit(run2(Op::floordiv, 1, 2)) && std::signbit(run2(Op::floordiv, -0.0, 2)));
  CHECK(std::signbit(run2(Op::floordiv, 0, -7)) && !std::signbit(run2(Op::floordiv, -0.0, -7)));
  for (int a = -50; a <= 50; ++a)
    for (int b = -9; b <= 9; ++b)
      if (b != 0) CHECK_EQUAL(run2(Op::floordiv, a, b), std::floor(static_cast<double>(a) / b));
}

TEST(program, reads_features_in_order) {
  const std::vector<Instruction> instructions{{Op::feature, 0, 1}, {Op::constant, 15, 0}, {Op::div, 0, 0},
                                              {Op::ceil, 0, 0},    {Op::feature, 0, 0},   {Op::max, 0, 0}};
  CHECK_EQUAL(run(instructions, {2, 31}), 3);
  CHECK_EQUAL(run(instructions, {7, 31}), 7);
  const Program program(instructions, 3);
  CHECK(program.uses(0) && program.uses(1) && !program.uses(2));
}

TEST(program, refuses_what_is_not_well_formed) {
  CHECK_THROWS(Program({}, 0), "leaves 0 values");
  CHECK_THROWS(Program({{Op::constant, 1, 0}, {Op::constant, 1, 0}}, 0), "leaves 2 values");
  CHECK_THROWS(Program({{Op::constant, 1, 0}, {Op::add, 0, 0}}, 0), "instruction 1: too few");
  CHECK_THROWS(Program({{Op::feature, 0, 2}}, 2), "instruction 0: no feature 2");
  CHECK_THROWS(Program({{Op::constant, std::nan(""), 0}}, 0), "not finite");
  std::vector<Instruction> deep(Program::kMaxDepth, {Op::constant, 1, 0});
  std::vector<Instruction> adds(Program::kMaxDepth - 1, {Op::add, 0, 0});
  std::vector<Instruction> fits = deep;
  fits.insert(fits.end(), adds.begin(), adds.end());
  CHECK_EQUAL(run(fits), static_cast<double>(Program::kMaxDepth));
  deep.push_back({Op::constant, 1, 0});
  CHECK_THROWS(Program(deep, 0), "on the stack");
  CHECK_THROWS(Program(std::vector<Instruction>(Program::kMaxLength + 1, {Op::constant, 1, 0}), 0), "instructions");
}

TEST(program, knows_operations_by_name) {
  CHECK(op_from_name("floordiv") == Op::floordiv);
  CHECK(op_from_name("and") == Op::logical_and);
  CHECK(op_from_name("select") == Op::select);
  CHECK(op_from_name("const") == Op::constant);
  CHECK(!op_from_name("pow"));
  CHECK(!op_from_name(""));
}

}  // namespace test_program
