"""Bounds on a heuristic that hold on every state: its range, by how much one move can change it, and how large the
error of doubles can be.

Every feature knows by how much a move can change it, and `bounds` computes the same for the expression: interval
arithmetic in exact fractions, with the constants as they are written (0.1 is a tenth), and a bound on the difference to
the result in doubles. So proofs from bounds work for any expression, not only for known ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, inf, nextafter
from typing import TYPE_CHECKING, NamedTuple

from hstar.errors import InvalidExpression
from hstar.heuristics.expression import Expression, Node

if TYPE_CHECKING:
    from hstar.puzzles.base import MoveSet

#: the largest intermediate value
MAX_VALUE = 2**31
#: the largest relative error of rounding to nearest
UNIT = Fraction(1, 2**53)
#: an upper bound on the error of results that are too small for a normal double
TINY = Fraction(1, 2**1000)
#: the double of a constant that is farther from it has been on the other side of an integer or of a comparison
FAR = Fraction(1, 2**20)
#: all integers up to here are doubles, and so are their products with powers of two
EXACT = 2**53

#: a binary fraction that is short enough for all of the following
SHORT = Fraction(1, 2**100)

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds for every state: ``low <= value <= high``, and a move lowers the value by at most ``drop`` and raises it
    by at most ``rise``.

    :param error: the largest difference between the double and the value that the bounds are for
    :param grain: every value is a multiple of this power of two; None if there is no such power
    :param nearest: the double is the one nearest to the value, and the value is a fraction with so small a numerator
    that both are on the same side of every integer (and equal, if the value is an integer)
    """

    low: Fraction
    high: Fraction
    drop: Fraction
    rise: Fraction
    error: Fraction = ZERO
    grain: Fraction | None = None
    nearest: bool = True

    @property
    def integer(self) -> bool:
        """Whether every value is an integer, computed without rounding."""
        return self.error == 0 and self.grain is not None and self.grain >= 1

    @property
    def size(self) -> Fraction:
        return max(abs(self.low), abs(self.high))

    def of_doubles(self) -> DoubleBounds:
        """Bounds on what is computed, which differs from the value by up to ``error``."""
        if self.nearest:  # and those nearest to two values are in the order of the values
            low, high = float(self.low), float(self.high)
        else:
            low, high = -_up(self.error - self.low), _up(self.high + self.error)
        width = Fraction(high) - Fraction(low)
        drop, rise = (_up(min(change + 2 * self.error, width)) for change in (self.drop, self.rise))
        return DoubleBounds(low, high, drop, rise)


class DoubleBounds(NamedTuple):
    """Bounds on a value as it is computed: ``low <= value <= high``, and a move lowers it by at most ``drop`` and
    raises it by at most ``rise``."""

    low: float
    high: float
    drop: float
    rise: float


def _up(value: Fraction) -> float:
    """The smallest double that is not below."""
    return float(value) if float(value) >= value else nextafter(float(value), inf)


def bounds(expression: Expression, moves: MoveSet) -> Bounds:
    """The bounds of h, which is at least 0, under the moves of a move set.

    Each move is considered separately. So if no single move lowers two features of a sum, their drops are not added.

    :raises InvalidExpression: a value can become larger than `MAX_VALUE`
    """
    root = Node("max", (expression.root, Node("const", operand=0.0)))
    return bounds_of(root, expression, moves)


def bounds_of(node: Node, e: Expression, moves: MoveSet) -> Bounds:
    """The same for a part of an expression."""
    # Most moves change each feature by the same amounts, so the bounds are computed once for all of these.
    alike = {tuple(feature.change((move,)) for feature in e.features) for move in moves.moves}
    each = [_Carrier(e, changes).bounds(node) for changes in alike]
    return replace(each[0], drop=max(b.drop for b in each), rise=max(b.rise for b in each))


def steep(node: Node, e: Expression, moves: MoveSet) -> bool:
    """Whether a move may lower a part of an expression by more than it costs, as far as its bounds say."""
    alike = {(tuple(feature.change((move,)) for feature in e.features), moves.cost(move)) for move in moves.moves}
    return any(_Carrier(e, changes).bounds(node).drop > cost for changes, cost in alike)


class _Carrier:
    """Computes the bounds of an expression for one move, which changes the features by at most ``changes``."""

    def __init__(self, e: Expression, changes: tuple[tuple[int, int], ...]) -> None:
        self.e = e
        self.changes = changes

    def bounds(self, node: Node) -> Bounds:
        joint = _manhattan_with_conflicts(node, self.e)
        b = self._combine(node)
        if b.size > MAX_VALUE:
            raise InvalidExpression("the heuristic can become too large", 1, f"values up to {MAX_VALUE}")
        width = ONE if joint else b.high - b.low  # no change is larger than the whole range
        return replace(b, drop=min(b.drop, width), rise=min(b.rise, width))

    def _combine(self, node: Node) -> Bounds:
        if node.constant:
            return _constant(node)
        if node.op == "feature":
            number = int(node.operand or 0)
            feature = self.e.features[number]
            drop, rise = self.changes[number]
            return Bounds(
                Fraction(feature.low), Fraction(feature.high), Fraction(drop), Fraction(rise),
                grain=ONE if feature.whole else None,
            )  # fmt: skip
        parts = [self.bounds(a) for a in node.arguments]
        a, b = parts[0], parts[-1]
        match node.op:
            case "add":
                return _sum(a, b)
            case "sub":
                return _sum(a, _negated(b))
            case "neg":
                return _negated(a)
            case "mul":
                return _product(a, b)
            case "div":
                return _quotient(a, b)
            case "floordiv":
                return _floor_quotient(a, Fraction(node.arguments[1].evaluate(())))
            case "ceil":
                return _to_integer(a, ceil)
            case "floor":
                return _to_integer(a, floor)
            case "abs":
                low = ZERO if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
                change = max(a.drop, a.rise)
                return replace(a, low=low, high=a.size, drop=change, rise=change)
            case "max":
                return _either(a, b, max(a.low, b.low), max(a.high, b.high))
            case "min":
                return _either(a, b, min(a.low, b.low), min(a.high, b.high))
            case "select":
                return self._selected(node, parts[0], parts[1])
        return Bounds(ZERO, ONE, ONE, ONE, grain=ONE)  # comparisons and logic

    def _selected(self, node: Node, a: Bounds, b: Bounds) -> Bounds:
        either = _either(a, b, min(a.low, b.low), max(a.high, b.high))
        width = either.high - either.low
        condition = node.arguments[2]
        if condition.op != "feature" or self.e.features[int(condition.operand or 0)].name != "solved":
            return replace(either, drop=width, rise=width)
        # a is true only at the goal. Next to the goal, b is within one move of its value there.
        goal = [feature.at_goal for feature in self.e.features]
        at_goal = Fraction(node.arguments[0].evaluate(goal))
        step = Fraction(node.arguments[1].evaluate(goal)) - at_goal
        error = a.error + b.error
        above, below = b.high - at_goal + error, at_goal - b.low + error
        drop = max(b.drop, min(b.drop + step + error, above), min(b.drop - step + error, below))
        rise = max(b.rise, min(b.rise + step + error, above), min(b.rise - step + error, below))
        return replace(either, drop=drop, rise=rise)


def _manhattan_with_conflicts(node: Node, e: Expression) -> bool:
    """manhattan + linear_conflict changes by exactly 1 with every move (Hansson, Mayer and Yung 1992)."""
    names = {e.features[int(a.operand)].name for a in node.arguments if a.op == "feature" and a.operand is not None}
    return node.op == "add" and names == {"manhattan", "linear_conflict"}


def _constant(node: Node) -> Bounds:
    double = node.evaluate(())
    if not abs(double) <= MAX_VALUE:
        raise InvalidExpression("the heuristic can become too large", 1, f"values up to {MAX_VALUE}")
    value, exact = Fraction(double), node.evaluate_exactly(())
    if TINY < abs(value - exact) <= FAR:
        return Bounds(exact, exact, ZERO, ZERO, abs(value - exact), None, nearest=False)
    return Bounds(value, value, ZERO, ZERO, grain=_grain(value))


def _grain(value: Fraction) -> Fraction:
    """The greatest power of two that divides a double; 1 for zero."""
    if value == 0:
        return ONE
    numerator = abs(value.numerator)
    return Fraction(numerator & -numerator, value.denominator)


def _rounded(b: Bounds) -> Bounds:
    """``b`` after its result was rounded to a double; without rounding if every value is one."""
    if b.error == 0 and b.grain is not None and b.grain >= SHORT and b.size / b.grain <= EXACT:
        return b
    return replace(b, error=b.error + UNIT * (b.size + b.error) + TINY, grain=None, nearest=False)


def _sum(a: Bounds, b: Bounds) -> Bounds:
    grain = None if a.grain is None or b.grain is None else min(a.grain, b.grain)
    return _rounded(
        Bounds(a.low + b.low, a.high + b.high, a.drop + b.drop, a.rise + b.rise, a.error + b.error, grain)
    )  # fmt: skip


def _negated(a: Bounds) -> Bounds:
    return replace(a, low=-a.high, high=-a.low, drop=a.rise, rise=a.drop)


def _scaled(a: Bounds, factor: Fraction, error: Fraction, grain: Fraction | None) -> Bounds:
    low, high = sorted((a.low * factor, a.high * factor))
    drop, rise = (a.drop, a.rise) if factor >= 0 else (a.rise, a.drop)
    return Bounds(low, high, abs(factor) * drop, abs(factor) * rise, error, grain)


def _product(a: Bounds, b: Bounds) -> Bounds:
    grain = None if a.grain is None or b.grain is None else a.grain * b.grain
    error = a.size * b.error + b.size * a.error + a.error * b.error
    if a.low == a.high:
        a, b = b, a
    if b.low == b.high:
        return _rounded(_scaled(a, b.low, error, grain))
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = min(corners), max(corners)  # neither is constant: only the range bounds the change
    return _rounded(Bounds(low, high, high - low, high - low, error, grain))


def _quotient(a: Bounds, b: Bounds) -> Bounds:
    """The quotient by ``b``, a constant that is not zero as a double."""
    size = abs(b.low) - b.error
    if size <= TINY:
        raise InvalidExpression("the heuristic can become too large", 1, f"values up to {MAX_VALUE}")
    scaled = _scaled(a, 1 / b.low, (a.error + a.size / abs(b.low) * b.error) / size, None)
    if a.grain is None or b.grain is None or min(a.grain, b.grain) < SHORT:
        return _rounded(scaled)
    if b.grain == abs(b.low):  # a power of two
        return _rounded(replace(scaled, grain=a.grain / b.grain))
    if a.size / min(a.grain, b.grain) <= EXACT / 4:  # the numerator, if the denominator is an odd integer
        return replace(scaled, error=UNIT * scaled.size, nearest=True)
    return _rounded(scaled)


def _floor_quotient(a: Bounds, divisor: Fraction) -> Bounds:
    """The floor of the exact quotient; an integer divisor keeps doubles on their side of every integer."""
    nearest = a.error == 0 or (a.nearest and divisor.denominator == 1)
    return _to_integer(replace(_scaled(a, 1 / divisor, a.error / abs(divisor), None), nearest=nearest), floor)


def _to_integer(a: Bounds, rounding: Callable[[Fraction], int]) -> Bounds:
    """``a`` rounded to integers. If its doubles may be on the other side of an integer, the bounds from here on are
    those of the doubles."""
    slack = ZERO if a.nearest else a.error
    return Bounds(
        Fraction(rounding(a.low - slack)),
        Fraction(rounding(a.high + slack)),
        Fraction(ceil(a.drop + 2 * slack)),
        Fraction(ceil(a.rise + 2 * slack)),
        grain=ONE,
    )


def _either(a: Bounds, b: Bounds, low: Fraction, high: Fraction) -> Bounds:
    """One of two values; the bounds on its changes are the larger ones of the two."""
    grain = None if a.grain is None or b.grain is None else min(a.grain, b.grain)
    return Bounds(
        low, high, max(a.drop, b.drop), max(a.rise, b.rise), max(a.error, b.error), grain, a.nearest and b.nearest
    )  # fmt: skip
