"""What can be proven of a heuristic from its expression: integrality, range, admissibility, consistency.

A heuristic h is *consistent* if h(goal) = 0 and no move of cost 1 lowers it by more than 1; it is then *admissible*:
never above the true distance h*. Every feature knows by how much a move can change it, and `bounds` carries these
bounds through the expression (interval arithmetic in exact fractions), so the proof holds for any expression, not for
a list of known ones. What it cannot prove may still hold: `judge` then looks for a counterexample close to the goal,
and otherwise the answer is ``unknown``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Literal

from hstar.errors import InvalidExpression
from hstar.heuristics.expression import Expression, Node
from hstar.puzzles.base import MoveSet, Puzzle, State

Verdict = Literal["proven", "refuted", "unknown"]

#: how many states around the goal a refutation looks at
BALL = 4000
#: no value on the way may be larger, so that double arithmetic on integers is exact
MAX_VALUE = 2**31


@dataclass(frozen=True, slots=True)
class Bounds:
    """What holds on every state: ``low <= value <= high``, and a move lowers it by at most ``drop``, raises it by
    ``rise``.

    ``exact``: computed without rounding in doubles, or rounded once in a way that ceil, floor and comparisons survive.
    """

    low: Fraction
    high: Fraction
    drop: Fraction
    rise: Fraction
    integer: bool
    exact: bool


def bounds(expression: Expression, moves: MoveSet) -> Bounds:
    """The bounds of an expression under the moves of a move set.

    Each move is looked at on its own: a sum of features of which no one move lowers two is lowered by one of them only.
    """
    each = [_bounds(expression.root, expression, move) for move in moves.moves]
    return replace(each[0], drop=max(b.drop for b in each), rise=max(b.rise for b in each))


def _bounds(node: Node, e: Expression, move: str) -> Bounds:
    joint = _manhattan_with_conflicts(node, e)
    parts = [_bounds(a, e, move) for a in node.arguments]
    found = _combine(node, parts, e, move)
    if max(abs(found.low), abs(found.high)) > MAX_VALUE:
        raise InvalidExpression("the heuristic can become too large", 1, f"values up to {MAX_VALUE}")
    # No change is larger than the whole range.
    width = Fraction(1) if joint else found.high - found.low
    return Bounds(found.low, found.high, min(found.drop, width), min(found.rise, width), found.integer, found.exact)


def _manhattan_with_conflicts(node: Node, e: Expression) -> bool:
    """manhattan + linear_conflict changes by exactly 1 with every move (Hansson, Mayer and Yung 1992)."""
    names = {e.features[int(a.operand)].name for a in node.arguments if a.op == "feature" and a.operand is not None}
    return node.op == "add" and names == {"manhattan", "linear_conflict"}


def _combine(node: Node, parts: list[Bounds], e: Expression, move: str) -> Bounds:
    zero = Fraction(0)
    if node.op == "const":
        value = Fraction(node.operand or 0.0)
        return Bounds(value, value, zero, zero, value.denominator == 1, True)
    if node.op == "feature":
        feature = e.features[int(node.operand or 0)]
        drop, rise = feature.change((move,))
        return Bounds(Fraction(feature.low), Fraction(feature.high), Fraction(drop), Fraction(rise), True, True)
    a, b = parts[0], parts[-1]
    exact = all(p.exact for p in parts)
    whole = all(p.integer for p in parts)
    dyadic = exact and all(_dyadic(p) for p in parts)
    match node.op:
        case "add":
            return Bounds(a.low + b.low, a.high + b.high, a.drop + b.drop, a.rise + b.rise, whole, dyadic)
        case "sub":
            return Bounds(a.low - b.high, a.high - b.low, a.drop + b.rise, a.rise + b.drop, whole, dyadic)
        case "neg":
            return Bounds(-a.high, -a.low, a.rise, a.drop, whole, exact)
        case "mul":
            return _times(a, b, whole, dyadic)
        case "div" | "floordiv":
            scaled = _times(
                a, Bounds(1 / b.low, 1 / b.low, zero, zero, False, True), False, a.integer and b.integer and exact
            )
            return scaled if node.op == "div" else _rounded(scaled, floor)
        case "ceil":
            return _rounded(a, ceil)
        case "floor":
            return _rounded(a, floor)
        case "abs":
            change = max(a.drop, a.rise)
            low = zero if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
            return Bounds(low, max(abs(a.low), abs(a.high)), change, change, whole, exact)
        case "max":
            return Bounds(
                max(a.low, b.low), max(a.high, b.high), max(a.drop, b.drop), max(a.rise, b.rise), whole, exact
            )
        case "min":
            return Bounds(
                min(a.low, b.low), min(a.high, b.high), max(a.drop, b.drop), max(a.rise, b.rise), whole, exact
            )
        case "select":
            low, high = min(parts[0].low, parts[1].low), max(parts[0].high, parts[1].high)
            return Bounds(low, high, high - low, high - low, parts[0].integer and parts[1].integer, exact)
    return Bounds(zero, Fraction(1), Fraction(1), Fraction(1), True, exact)  # comparisons and logic


def _dyadic(part: Bounds) -> bool:
    """Integers, and constants whose binary fraction is short, add and multiply without rounding."""
    return part.integer or (part.low == part.high and part.low.denominator <= 2**16)


def _times(a: Bounds, b: Bounds, integer: bool, exact: bool) -> Bounds:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    low, high = min(corners), max(corners)
    if b.low != b.high:
        a, b = b, a
    if b.low != b.high:  # neither is constant: only the range bounds the change
        return Bounds(low, high, high - low, high - low, integer, exact)
    factor = b.low
    drop, rise = (a.drop, a.rise) if factor >= 0 else (a.rise, a.drop)
    return Bounds(low, high, abs(factor) * drop, abs(factor) * rise, integer, exact)


def _rounded(a: Bounds, rounding: Callable[[Fraction], int]) -> Bounds:
    return Bounds(
        Fraction(rounding(a.low)),
        Fraction(rounding(a.high)),
        Fraction(ceil(a.drop)),
        Fraction(ceil(a.rise)),
        True,
        a.exact,
    )


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Whether h is admissible and consistent for one move set, and why; a counterexample is an alg from solved."""

    admissible: Verdict
    consistent: Verdict
    reason: str
    counterexample: tuple[str, ...] | None = None


def judge(expression: Expression, puzzle: Puzzle, moves: MoveSet) -> Verdicts:
    """Prove, refute within a small ball around the goal, or say that it is unknown."""
    found = bounds(expression, moves)
    at_goal = expression.evaluate(puzzle.solved)
    if at_goal == 0 and found.drop <= 1 and found.exact:
        why = f"h is 0 at the goal and no {moves.name} move lowers it by more than {_number(found.drop)}"
        return Verdicts("proven", "proven", why)
    if puzzle.state_count < BALL or all(feature.cheap for feature in expression.features):
        looked = _refute(expression, puzzle, moves)
    else:
        looked = Verdicts("unknown", "unknown", "not provable from the features' bounds; no counterexample was sought")
    if looked.admissible == "unknown" and _is_lower_bound(expression.root, expression, moves):
        why = f"made of lower bounds on the distance under {moves.name} moves"
        if looked.consistent == "refuted":
            why += f", but {looked.reason}"
        return replace(looked, admissible="proven", reason=why)
    return looked


def _is_lower_bound(node: Node, e: Expression, moves: MoveSet) -> bool:
    """Whether ``node`` is never above the true distance: because it is consistent, because its feature is known to be
    such, or because what it does to a lower bound leaves one."""
    if node.op == "feature" and e.features[int(node.operand or 0)].is_lower_bound(moves):
        return True
    own = bounds(Expression(e.text, node, e.features), moves)
    values = [feature.at_goal for feature in e.features]
    if own.exact and own.drop <= 1 and node.evaluate(values) <= 0:
        return True
    bounded = [_is_lower_bound(a, e, moves) for a in node.arguments]
    match node.op:
        case "max" | "select":
            return all(bounded[:2])
        case "min":
            return any(bounded)
        case "ceil" | "floor":  # distances are integers
            return bounded[0]
        case "mul" | "div":
            return _shrinks(node, bounded)
    return False


def _shrinks(node: Node, bounded: list[bool]) -> bool:
    """A lower bound times a constant from 0 to 1, or divided by one of at least 1: h* >= 0, so it stays one."""
    for value, other in ((0, 1), (1, 0)):
        constant = node.arguments[other]
        if bounded[value] and constant.op == "const" and constant.operand is not None:
            if node.op == "mul":
                return 0 <= constant.operand <= 1
            return other == 1 and constant.operand >= 1
    return False


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):.4g}"


def _refute(expression: Expression, puzzle: Puzzle, moves: MoveSet) -> Verdicts:
    ball = _ball(puzzle, moves)
    values: dict[State, float] = {}
    for state, (distance, alg) in ball.items():
        values[state] = expression.evaluate(state)
        if values[state] > distance:
            shown = puzzle.format_alg(alg) or "no moves (the goal itself)"
            why = f"h = {values[state]:g} but h* = {distance} after {shown}"
            return Verdicts("refuted", "refuted", why, alg)
    inconsistent = next(
        (
            (state, move)
            for state in ball
            for move, after in puzzle.successors(state, moves.moves)
            if after in values and values[state] > 1 + values[after]
        ),
        None,
    )
    radius = max(distance for distance, _ in ball.values()) - 1  # the last layer is not complete
    if len(ball) < BALL:
        verdict: Verdict = "proven" if inconsistent is None else "refuted"
        return Verdicts("proven", verdict, f"checked on all {len(ball)} states of the puzzle")
    if inconsistent is not None:
        state, move = inconsistent
        why = f"{move} lowers h by {values[state] - values[puzzle.apply(state, move) or b'']:g} after "
        return Verdicts("unknown", "refuted", why + puzzle.format_alg(ball[state][1]), ball[state][1])
    return Verdicts(
        "unknown", "unknown", f"not provable from the features' bounds; no counterexample within {radius} moves"
    )


@lru_cache(maxsize=32)
def _ball(puzzle: Puzzle, moves: MoveSet) -> dict[State, tuple[int, tuple[str, ...]]]:
    """The first BALL states by true distance under ``moves``: state -> (h*, the alg that leads to it from solved)."""
    ball: dict[State, tuple[int, tuple[str, ...]]] = {puzzle.solved: (0, ())}
    frontier = [puzzle.solved]
    # A solution of length d read backwards is d inverse moves from the goal.
    backwards = [puzzle.inverse(move) for move in moves.moves]
    while frontier and len(ball) < BALL:
        layer = []
        for state in frontier:
            distance, alg = ball[state]
            for move, before in puzzle.successors(state, backwards):
                if before not in ball and len(ball) < BALL:
                    ball[before] = distance + 1, (*alg, move)
                    layer.append(before)
        frontier = layer
    return ball
