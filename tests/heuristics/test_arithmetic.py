"""One definition of every operator: the kernel and Python compute the same bits, and exact fractions agree with both
wherever doubles are exact."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest

from hstar import _kernel
from hstar.heuristics.arithmetic import OPERATORS
from hstar.heuristics.expression import Node
from tests.conftest import SEED, TEST_ALL

#: programs of each size, and rows of values each is run on
PROGRAMS, ROWS = (40_000, 100) if TEST_ALL else (2_000, 100)

FEATURES = 4
SPECIAL = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1 / 3, 0.1, 0.3, -0.1, 2.5, 7.0, 15.0, 1e6),
    *(2.0**31, 2.0**52 + 0.5, 2.0**53, 2.0**53 + 2, -(2.0**53), 1e15 + 0.3, 1e300, -1e308, 1.7976931348623157e308),
    *(5e-324, -5e-324, 2.2250738585072014e-308, 1e-300, math.nextafter(1, 0), math.nextafter(1, 2)),
    *(math.inf, -math.inf, math.nan),
]


def bits(value: float) -> bytes:
    """The value's bits, with one pattern for all NaNs."""
    return struct.pack("<d", math.nan if value != value else value)


def number(rng: random.Random) -> float:
    match rng.randrange(5):
        case 0:
            return rng.choice(SPECIAL)
        case 1:
            return float(rng.randint(-200, 200))
        case 2:
            return round(rng.uniform(-50, 50), rng.randint(0, 3))
        case 3:
            return rng.randint(-50, 50) / rng.choice([3, 7, 10, 15, 0.1])
        case _:
            return rng.uniform(-1, 1) * 2.0 ** rng.randint(-60, 60)


def divisor(rng: random.Random) -> float:
    while True:
        value = number(rng)
        if value != 0 and math.isfinite(value):
            return value


def tree(rng: random.Random, depth: int) -> Node:
    """A random expression over four features; every divisor is a constant other than zero."""
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.7:
            return Node("feature", operand=rng.randrange(FEATURES))
        value = number(rng)
        return Node("const", operand=value if math.isfinite(value) else 1.0)
    op = rng.choice(list(OPERATORS))
    parts = [tree(rng, depth - 1) for _ in range(OPERATORS[op].arguments)]
    if op in ("div", "floordiv"):
        parts[1] = Node("const", operand=divisor(rng))
    return Node(op, tuple(parts))


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_the_kernel_computes_the_bits_that_python_computes(depth: int) -> None:
    rng = random.Random(f"{SEED} {depth}")
    for _ in range(PROGRAMS // depth):
        node = tree(rng, depth)
        program = node.postfix()
        if any(op == "const" and not math.isfinite(value or 0.0) for op, value in program):
            continue  # heuristics refuse such constants
        rows = np.array([[number(rng) for _ in range(FEATURES)] for _ in range(ROWS // depth)])
        found = _kernel.run_program(program, rows)
        for row, value in zip(rows.tolist(), found.tolist(), strict=True):
            assert bits(value) == bits(node.evaluate(row)), (node, row)


@pytest.mark.parametrize("op", OPERATORS)
def test_every_operator_at_its_limits(op: str) -> None:
    """All pairs of special values, also as divisors."""
    count = OPERATORS[op].arguments
    values = [v for v in SPECIAL if op not in ("div", "floordiv") or v == v]
    for a in values:
        for b in values if count > 1 else [0.0]:
            if op in ("div", "floordiv") and (b == 0 or not math.isfinite(b)):
                continue
            for c in (0.0, -0.0, 1.0, math.nan) if count > 2 else (0.0,):
                row = [a, b, c][:count]
                node = Node(op, tuple(Node("feature", operand=i) for i in range(count)))
                program = [("feature", i) for i in range(count)] + [(op, None)]
                found = float(_kernel.run_program(program, np.array([row]))[0])
                assert bits(found) == bits(node.evaluate(row)), row


@pytest.mark.parametrize("op", OPERATORS)
def test_doubles_are_exact_where_they_can_be(op: str) -> None:
    """On small integers and quarters only the quotient rounds, and only once."""
    rng = random.Random(f"{SEED} {op}")
    for _ in range(20_000 if TEST_ALL else 2_000):
        row = [rng.randint(-400, 400) / 4 for _ in range(OPERATORS[op].arguments)]
        if op in ("div", "floordiv") and row[1] == 0:
            continue
        node = Node(op, tuple(Node("feature", operand=i) for i in range(len(row))))
        exact = Fraction(OPERATORS[op].compute(*map(Fraction, row)))
        assert node.evaluate(row) == float(exact), row


def test_floor_division_is_the_floor_of_the_exact_quotient() -> None:
    rng = random.Random(SEED)
    for _ in range(200_000 if TEST_ALL else 20_000):
        a, b = float(rng.randint(-1000, 1000)), divisor(rng)
        exact = Fraction(a) / Fraction(b)
        if abs(exact) < 2**31:
            assert a // b == math.floor(exact), (a, b)
            assert _kernel.run_program([("feature", 0), ("const", b), ("floordiv", None)], np.array([[a]]))[0] == a // b
    assert 4.0 // 0.1 == 39
