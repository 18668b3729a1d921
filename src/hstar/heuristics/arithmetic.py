"""The operators of heuristics, each defined once.

Every value is an IEEE 754 double, and every operation rounds once, to nearest. The kernel (`native/core/program.cpp`)
computes the same bits; `tests/heuristics/test_arithmetic.py` compares the two on random programs and values. Searches
and verdicts use only this arithmetic, so the checked heuristic is the one that is used in the search.

========================  ==========================================================================================
``a + b  a - b  a * b``   the sum, difference and product
``a / b``                 the quotient; b is a constant other than zero
``a // b``                Python's: the greatest integer that is not above the *exact* quotient of the two doubles.
                          ``4 // 0.1`` is 39, because the double 0.1 is a little more than a tenth. A zero has the
                          sign of the quotient.
``ceil(a)  floor(a)``     the nearest integer not below, not above; a zero has the sign of a
``abs(a)  -a``            the sign cleared, the sign changed
``max(a, b)  min(a, b)``  the greater, the lesser; a if they are equal
``a < b`` and the like    1 if it holds, else 0; -0 and 0 are equal
``and  or  not``          1 or 0; a number is true if it is not zero
``a if c else b``         a if c is not zero, else b
========================  ==========================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["OPERATORS", "Operator"]


@dataclass(frozen=True, slots=True)
class Operator:
    """``compute`` takes doubles; given fractions, it computes exactly."""

    arguments: int
    compute: Callable[..., Any]


def _to_integer(rounding: Callable[[Any], int]) -> Callable[[Any], Any]:
    def compute(a: Any) -> Any:
        if not isinstance(a, float):
            return rounding(a)
        return math.copysign(rounding(a), a) if math.isfinite(a) else a

    return compute


OPERATORS: dict[str, Operator] = {
    "add": Operator(2, lambda a, b: a + b),
    "sub": Operator(2, lambda a, b: a - b),
    "mul": Operator(2, lambda a, b: a * b),
    "div": Operator(2, lambda a, b: a / b),
    "floordiv": Operator(2, lambda a, b: a // b),
    "min": Operator(2, min),
    "max": Operator(2, max),
    "lt": Operator(2, lambda a, b: float(a < b)),
    "le": Operator(2, lambda a, b: float(a <= b)),
    "gt": Operator(2, lambda a, b: float(a > b)),
    "ge": Operator(2, lambda a, b: float(a >= b)),
    "eq": Operator(2, lambda a, b: float(a == b)),
    "ne": Operator(2, lambda a, b: float(a != b)),
    "and": Operator(2, lambda a, b: float(a != 0 and b != 0)),
    "or": Operator(2, lambda a, b: float(a != 0 or b != 0)),
    "ceil": Operator(1, _to_integer(math.ceil)),
    "floor": Operator(1, _to_integer(math.floor)),
    "abs": Operator(1, abs),
    "neg": Operator(1, lambda a: -a),
    "not": Operator(1, lambda a: float(a == 0)),
    "select": Operator(3, lambda a, b, condition: a if condition != 0 else b),
}
