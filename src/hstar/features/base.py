"""Features: numbers measured on a state, with bounds that hold on all states.

A feature knows its range, its value at the goal, and by how much each move can lower or raise it. From these bounds
`hstar.heuristics.analysis` proves that an expression is admissible and consistent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import getitem, or_
from typing import Any, ClassVar

import numpy as np

from hstar import _kernel
from hstar.puzzles.base import MoveSet, contents

Table = np.ndarray[Any, np.dtype[np.int32]]
Masks = np.ndarray[Any, np.dtype[np.uint64]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Feature(ABC):
    """A measure of a state: an integer, unless it is a function of the user (``whole``).

    :param low: least value on any state
    :param high: greatest value on any state
    :param changes: for each move, by how much it can at most (lower, raise) the value from any state; both >= 0
    """

    name: str
    low: int
    high: int
    at_goal: float
    changes: Mapping[str, tuple[int, int]]

    @abstractmethod
    def evaluate(self, state: bytes) -> float:
        """The value on ``state``, computed in plain Python, independently of the kernel."""

    @abstractmethod
    def kernel_feature(self) -> tuple[str, _kernel.Operand]:
        """The (kind, operand) that the kernel computes this feature from."""

    @property
    def whole(self) -> bool:
        """Whether every value is an integer."""
        return True

    @property
    def cheap(self) -> bool:
        """Whether thousands of states can be evaluated at once to look for a counterexample."""
        return True

    @property
    def build_bytes(self) -> int:
        """Memory that `load` takes if it has to build a table."""
        return 0

    @property
    def kept(self) -> bool:
        """Whether `load` has nothing to build."""
        return True

    @property
    def build_seconds(self) -> float:
        """About how long `load` builds."""
        return 0.0

    def load(self) -> None:  # noqa: B027  # most features have nothing to load
        """Build or open the feature's tables, if it has any; otherwise the first evaluation does so."""

    def is_lower_bound(self, moves: MoveSet) -> bool:
        """Whether the value is known to be at most the true distance under these moves."""
        return False

    def change(self, moves: Iterable[str]) -> tuple[int, int]:
        """By how much any one of ``moves`` can (lower, raise) the value."""
        pairs = [self.changes[move] for move in moves]
        return max((d for d, _ in pairs), default=0), max((r for _, r in pairs), default=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class SlotFeature(Feature):
    """A measure of the entries ``table[slot, value]`` of all slots; ``table`` has the shape (slots, values)."""

    kind: ClassVar[str]
    table: np.ndarray[Any, np.dtype[Any]]

    @cached_property
    def _rows(self) -> list[list[int]]:
        rows: list[list[int]] = self.table.tolist()
        return rows

    def entries(self, state: bytes) -> Iterator[int]:
        """The entry of each slot."""
        return map(getitem, self._rows, contents(state, len(self._rows)))

    def kernel_feature(self) -> tuple[str, _kernel.Operand]:
        return self.kind, self.table


class TableFeature(SlotFeature):
    """Their sum; ``table`` is int32."""

    kind = "table"

    def evaluate(self, state: bytes) -> int:
        return sum(self.entries(state))


class MaximumFeature(SlotFeature):
    """The greatest; ``table`` is int32."""

    kind = "maximum"

    def evaluate(self, state: bytes) -> int:
        return max(self.entries(state))


class UnionFeature(SlotFeature):
    """The number of groups, of up to 64, that at least one slot touches: the bits set in any entry.

    ``table`` is uint64; bit g of ``table[slot, value]`` says that this value in this slot
    touches group g. Unlike in a sum, a group counts once, even if several slots touch it.
    """

    kind = "union"

    @classmethod
    def over(
        cls, name: str, table: Masks, goal: bytes, touched: Mapping[str, Iterable[tuple[int, int, Sequence[int]]]]
    ) -> UnionFeature:
        """The feature with its bounds.

        If a move removes a group from the count, some slot that the move touches loses it: a value has the group's bit
        before the move, and the value that it becomes does not. So the number of groups for which this is possible, for
        any slot and value, bounds how much the move lowers the count; likewise for raising it.

        :param touched: for each move, (destination slot, source slot, value map) of each slot whose content it changes
        """
        changes = {}
        for move, carried in touched.items():
            lost = gained = 0
            for dst, src, values in carried:
                before, after = table[src, : len(values)], table[dst, list(values)]
                lost |= int(np.bitwise_or.reduce(before & ~after))
                gained |= int(np.bitwise_or.reduce(after & ~before))
            changes[move] = lost.bit_count(), gained.bit_count()
        high = int(np.bitwise_or.reduce(table, axis=None)).bit_count()
        feature = cls(name=name, low=0, high=high, at_goal=0, changes=changes, table=table)
        return replace(feature, at_goal=feature.evaluate(goal))

    def evaluate(self, state: bytes) -> int:
        return reduce(or_, self.entries(state)).bit_count()


@dataclass(frozen=True, kw_only=True, eq=False)
class WholeStateFeature(Feature):
    """A feature that the kernel knows by its ``kind`` and that ``function`` computes in Python."""

    kind: str
    function: Callable[[bytes], int]

    def evaluate(self, state: bytes) -> int:
        return self.function(state)

    def kernel_feature(self) -> tuple[str, None]:
        return self.kind, None
