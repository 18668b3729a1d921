"""Heuristics as certificates have them: the greatest of terms, each a table of integers, a divisor, and rounding up.

A term is the sum, or the maximum, over the slots of the table's entry for what the slot holds. A checker sees from the
moves by how much one of them can lower it, so it needs to believe nothing. What an expression means is not in the
file: its terms have to be at least as large wherever it is used, and admissible by themselves.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from hstar.certificates.file import Payload
from hstar.features import Feature
from hstar.features.base import MaximumFeature, TableFeature
from hstar.heuristics.expression import Expression, Node
from hstar.puzzles import MoveSet, Puzzle

__all__ = ["SUM", "Term", "terms_of"]

Table = np.ndarray[Any, np.dtype[np.int64]]

SUM, MAXIMUM = 0, 1
#: the most terms of a file, and the largest entry and divisor
MOST_TERMS, MOST_ENTRY = 64, 2**31 - 1


class _Unknown(Exception):
    """There are no terms for this part of an expression."""


@dataclass(frozen=True)
class _Linear:
    """A sum of features with factors, and a constant."""

    factors: Mapping[int, Fraction]
    constant: Fraction = Fraction(0)

    def __add__(self, other: _Linear) -> _Linear:
        keys = {**self.factors, **other.factors}
        sums = {key: self.factors.get(key, Fraction(0)) + other.factors.get(key, Fraction(0)) for key in keys}
        return _Linear(sums, self.constant + other.constant)

    def __mul__(self, factor: Fraction) -> _Linear:
        return _Linear({key: own * factor for key, own in self.factors.items()}, self.constant * factor)


@dataclass(frozen=True)
class Term:
    """``kind``: `SUM` or `MAXIMUM`. ``table``: one row for each slot, of all values of the largest slot."""

    kind: int
    divisor: int
    table: Table

    def section(self, puzzle: Puzzle) -> list[Payload]:
        """The term as a file has it."""
        rows = [row[:count] for row, count in zip(self.table, puzzle.values, strict=True)]
        return [struct.pack("<BI", self.kind, self.divisor), np.concatenate(rows).astype("<i4").tobytes()]

    def value(self, held: Sequence[int]) -> Fraction:
        """The term, before rounding, of a state whose slots hold these."""
        entries = [int(row[value]) for row, value in zip(self.table, held, strict=True)]
        return Fraction(sum(entries) if self.kind == SUM else max(entries), self.divisor)

    def values(self, puzzle: Puzzle, held: Table) -> Table:
        """The same for states, a row each, rounded up."""
        entries = self.table[np.arange(len(puzzle.values)), held]
        x: Table = entries.sum(axis=1) if self.kind == SUM else entries.max(axis=1)
        return -(-x // self.divisor)

    def admissible(self, puzzle: Puzzle, moves: MoveSet) -> bool:
        """Whether a checker will see that it is: at most 0 at the goal, and lowered by at most the divisor times what a
        move costs."""
        held = puzzle.contents(puzzle.solved)
        at_goal = [int(row[value]) for row, value in zip(self.table, held, strict=True)]
        join: Callable[[list[int]], int] = sum if self.kind == SUM else max
        if join(at_goal) > 0:
            return False
        return all(
            join(self._drops(condition, touches)) <= self.divisor * moves.cost(move)
            for move in moves.moves
            for condition, touches in puzzle.cases(move)
        )

    def _drops(self, condition: tuple[int, int] | None, touches: Sequence[tuple[int, int, Sequence[int]]]) -> list[int]:
        """By touch, by how much what is carried can lose."""
        drops = [0]
        for dst, src, values in touches:
            falls = self.table[src, : len(values)] - self.table[dst, list(values)]
            if condition is not None:
                slot, blank = condition
                falls = falls[blank : blank + 1] if src == slot else np.delete(falls, blank)
            drops.append(int(falls.max()))
        return drops


def terms_of(expression: Expression, puzzle: Puzzle, moves: MoveSet) -> tuple[list[Term], bool]:
    """Admissible terms of an expression; and whether their maximum is nowhere below it."""
    try:
        parts = _Reader(expression, puzzle, moves).parts(expression.root, top=True)
    except _Unknown:
        return [], False
    terms = [_term(part, expression.features, puzzle) for part in parts]
    proven = [term for term in terms if term is not None and term.admissible(puzzle, moves)]
    return proven[:MOST_TERMS], len(proven) == len(terms) <= MOST_TERMS


class _Reader:
    """Finds linear parts whose maximum, rounded up, is at least the value of an expression."""

    def __init__(self, expression: Expression, puzzle: Puzzle, moves: MoveSet) -> None:
        self.features = expression.features
        self.puzzle, self.moves = puzzle, moves

    def parts(self, node: Node, top: bool = False) -> list[_Linear]:
        """``top``: what is done with the value afterwards does no harm if it is rounded up now."""
        if node.constant:
            return [_Linear({}, node.evaluate_exactly(()))]
        match node.op:
            case "feature":
                return [_Linear({int(node.operand or 0): Fraction(1)})]
            case "max":
                return [part for one in node.arguments for part in self.parts(one, top)]
            case "floor":
                return self.parts(node.arguments[0], top)
            case "ceil" if top:
                return self.parts(node.arguments[0], top)
            case "neg":
                return [self._single(node.arguments[0]) * Fraction(-1)]
            case "abs":
                inner = self._single(node.arguments[0])
                return [inner, inner * Fraction(-1)]
            case "min":
                return self._either(node, top)
            case "select":  # a condition, at the end
                return [part for one in node.arguments[:2] for part in self.parts(one, top)]
        return self._arithmetic(node)

    def _arithmetic(self, node: Node) -> list[_Linear]:
        if node.op == "add":
            left, right = (self.parts(one) for one in node.arguments)
            return [a + b for a in left for b in right]
        if node.op == "sub":
            return [part + self._single(node.arguments[1]) * Fraction(-1) for part in self.parts(node.arguments[0])]
        if node.op in ("mul", "div", "floordiv"):
            whole, constant = node.arguments
            if node.op == "mul" and whole.constant:
                whole, constant = constant, whole
            if constant.constant and (factor := constant.evaluate_exactly(())) > 0:
                return [part * (factor if node.op == "mul" else 1 / factor) for part in self.parts(whole)]
        raise _Unknown

    def _single(self, node: Node) -> _Linear:
        """The value itself, where a bound from above is not enough."""
        if any(op not in ("const", "feature", "add", "sub", "neg", "mul", "div") for op, _ in node.postfix()):
            raise _Unknown
        (part,) = self.parts(node)
        return part

    def _either(self, node: Node, top: bool) -> list[_Linear]:
        """Parts of one of two; of the first that are admissible by themselves, if any are."""
        found: list[list[_Linear]] = []
        for one in node.arguments:
            try:
                found.append(self.parts(one, top))
            except _Unknown:
                continue
        for parts in found:
            terms = [_term(part, self.features, self.puzzle) for part in parts]
            if all(term is not None and term.admissible(self.puzzle, self.moves) for term in terms):
                return parts
        if not found:
            raise _Unknown
        return found[0]


def _term(part: _Linear, features: Sequence[Feature], puzzle: Puzzle) -> Term | None:
    """The term of a linear part, or None if there is none."""
    used = {features[key]: factor for key, factor in part.factors.items() if factor != 0}
    divisor = lcm(part.constant.denominator, *(factor.denominator for factor in used.values()))
    shape = len(puzzle.values), max(puzzle.values)
    table = np.zeros(shape, dtype=np.int64)
    kind = SUM
    for feature, factor in used.items():
        if not isinstance(feature, TableFeature) and (
            not isinstance(feature, MaximumFeature) or len(used) > 1 or factor < 0
        ):
            return None
        whole = int(factor * divisor)
        if abs(whole) * int(np.abs(feature.table).max()) > MOST_ENTRY:
            return None
        kind = SUM if isinstance(feature, TableFeature) else MAXIMUM
        table[:, : feature.table.shape[1]] += feature.table.astype(np.int64) * whole
    table[: 1 if kind == SUM else None] += int(part.constant * divisor)
    if np.abs(table).max() > MOST_ENTRY or divisor > MOST_ENTRY:
        return None
    return Term(kind, divisor, table)
