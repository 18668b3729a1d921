"""A row of the bench: a function that measures, and its figures.

    @row("tiles-astar", "15-puzzle, A* with Manhattan distance")
    def tiles_astar(scale: Scale) -> Measured: ...

Each row runs in a separate process, so that none inherits another's warm memory or fragmented heap. It checks its
counts and raises if they are wrong, because a fast wrong answer is no measurement. It raises `Missing` if something
that it needs is not installed or cannot be built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, TypeVar

T = TypeVar("T")


class Missing(Exception):
    """The reason why a row cannot be measured here, as a sentence."""


@dataclass(frozen=True)
class Scale:
    """The size of the measurements. ``smoke`` makes each row so small that only its counts are meaningful."""

    repeats: int = 5
    smoke: bool = False

    def pick(self, full: T, smoke: T) -> T:
        """A size at this scale."""
        return smoke if self.smoke else full


@dataclass(frozen=True)
class Figure:
    """A quantity measured several times, its aim, and the baselines' measurements in the same run.

    :param better: "higher" if more is better (a rate), "lower" if less is better (a time or a size)
    :param aim: the value to reach, in the same unit
    :param sample: what one of ``samples`` is
    :param baselines: samples of other programs that do the same, by name
    :param ratio_aim: the least factor by which it should be better than the baseline
    """

    name: str
    unit: str
    samples: tuple[float, ...]
    better: Literal["higher", "lower"] = "lower"
    aim: float | None = None
    sample: str = "run"
    baselines: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    ratio_aim: float | None = None

    @property
    def median(self) -> float:
        """The median of the samples."""
        return median(self.samples)

    def times_better(self, other: float) -> float:
        """The factor by which the median is better than ``other``; below 1: worse."""
        return self.median / other if self.better == "higher" else other / self.median

    @property
    def met(self) -> bool | None:
        """Whether the median reaches the aim; None without an aim."""
        return None if self.aim is None else self.times_better(self.aim) >= 1


@dataclass(frozen=True)
class Curve:
    """The growth of one quantity with another: a line of the plot with this title and these axes."""

    plot: str
    x: str
    y: str
    label: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Measured:
    """The result of a row. ``counts`` are exact, and must be the same on every machine."""

    figures: tuple[Figure, ...] = ()
    curves: tuple[Curve, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row: its name for ``--only``, its title, and its function.

    :param long: it takes more than a few minutes, and runs only if it is named
    """

    name: str
    title: str
    measure: Callable[[Scale], Measured]
    long: bool = False


ROWS: dict[str, Row] = {}


def row(
    name: str, title: str, long: bool = False
) -> Callable[[Callable[[Scale], Measured]], Callable[[Scale], Measured]]:
    """Register a function as a row; rows run, and are listed, in the order of registration."""

    def register(measure: Callable[[Scale], Measured]) -> Callable[[Scale], Measured]:
        if name in ROWS:
            raise ValueError(f"two rows are called {name}")
        ROWS[name] = Row(name, title, measure, long)
        return measure

    return register
