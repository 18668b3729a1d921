"""What a row of the bench is: a function that measures, and the figures that it brings home.

    @row("tiles-astar", "15-puzzle, A* with Manhattan distance")
    def tiles_astar(scale: Scale) -> Measured: ...

A row runs in a process of its own, so that none inherits another's warm memory or a fragmented heap. It checks what it
counts, and raises if that is wrong: a fast wrong answer is no measurement. What it cannot do for want of something that
is not installed or not built, it says by raising `Missing`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Literal, TypeVar

T = TypeVar("T")


class Missing(Exception):
    """Why a row cannot be measured here, as a sentence."""


@dataclass(frozen=True)
class Scale:
    """How large the measurements are. ``smoke`` makes each row so small that its counts alone are of interest."""

    repeats: int = 5
    smoke: bool = False

    def pick(self, full: T, smoke: T) -> T:
        """The size of something at this scale."""
        return smoke if self.smoke else full


@dataclass(frozen=True)
class Figure:
    """One quantity, measured several times, what it should be, and what others reach in the same run.

    :param better: whether more is better ("higher", a rate) or less ("lower", a time or a size)
    :param aim: the least or the most it should be, in the same unit
    :param sample: what one of ``samples`` is
    :param baselines: by name, the samples of others doing the same
    :param ratio_aim: how many times better than the baseline it should be, at least
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
        """How many times better the median is than ``other``; below 1: worse."""
        return self.median / other if self.better == "higher" else other / self.median

    @property
    def met(self) -> bool | None:
        """Whether the median reaches the aim; None without an aim."""
        return None if self.aim is None else self.times_better(self.aim) >= 1


@dataclass(frozen=True)
class Curve:
    """How one quantity grows with another: a line of the plot with this title and these axes."""

    plot: str
    x: str
    y: str
    label: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Measured:
    """What a row found. ``counts`` are exact: they must be the same on every machine."""

    figures: tuple[Figure, ...] = ()
    curves: tuple[Curve, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """One row: its name for ``--only``, its title, and how it is measured."""

    name: str
    title: str
    measure: Callable[[Scale], Measured]


ROWS: dict[str, Row] = {}


def row(name: str, title: str) -> Callable[[Callable[[Scale], Measured]], Callable[[Scale], Measured]]:
    """Register a function as a row; rows run and are shown in the order of their registration."""

    def register(measure: Callable[[Scale], Measured]) -> Callable[[Scale], Measured]:
        ROWS[name] = Row(name, title, measure)
        return measure

    return register
