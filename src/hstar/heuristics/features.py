"""Features: integers measured on a state, from which heuristics are written.

A feature knows its range, its value at the goal, and by how much each move can lower or raise it. From these bounds
`hstar.heuristics.analysis` proves that a heuristic is admissible and consistent, for any expression that a student writes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Table = np.ndarray[Any, np.dtype[np.int32]]


class FeatureError(Exception):
    """The arguments of a feature are wrong; the message says what was expected."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Feature(ABC):
    """An integer measure of a state.

    :param low: least value on any state
    :param high: greatest value on any state
    :param changes: for each move, how far it can at most (lower, raise) the value; both >= 0, from any state
    """

    name: str
    low: int
    high: int
    at_goal: int
    changes: Mapping[str, tuple[int, int]]

    @abstractmethod
    def evaluate(self, state: bytes) -> int:
        """The value on ``state``, computed in plain Python, independently of the kernel."""

    @abstractmethod
    def kernel_feature(self) -> tuple[str, Table | None]:
        """The (kind, table) that the kernel computes this feature from."""

    def change(self, moves: Iterable[str]) -> tuple[int, int]:
        """How far any one of ``moves`` can (lower, raise) the value."""
        pairs = [self.changes[move] for move in moves]
        return max((d for d, _ in pairs), default=0), max((r for _, r in pairs), default=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class TableFeature(Feature):
    """The sum over the slots of ``table[slot, value]``; ``table`` is int32 of shape (slots, values)."""

    table: Table

    def evaluate(self, state: bytes) -> int:
        return sum(int(self.table[slot, value]) for slot, value in enumerate(state))

    def kernel_feature(self) -> tuple[str, Table]:
        return "table", self.table


@dataclass(frozen=True, kw_only=True, eq=False)
class WholeStateFeature(Feature):
    """A feature that the kernel knows by its ``kind`` and that ``function`` computes in Python."""

    kind: str
    function: Callable[[bytes], int]

    def evaluate(self, state: bytes) -> int:
        return self.function(state)

    def kernel_feature(self) -> tuple[str, None]:
        return self.kind, None
