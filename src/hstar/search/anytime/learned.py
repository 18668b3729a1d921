"""What stages of beams have learned: an estimate of how many moves bring the first pieces home.

A network of one hidden layer over the places of these pieces (`hstar._kernel.StageRanking`), for puzzles whose words
are shipped. `tools.stage_ranking` makes it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hstar import _kernel

__all__ = ["UNITS", "Learned", "packed", "read", "weights_file"]

UNITS = 64

Array = np.ndarray[tuple[int, ...], np.dtype[Any]]


@dataclass(frozen=True)
class Learned:
    """``weights``: bytes by piece of the base, place and unit. ``first``, ``counts``, ``constant``: as the kernel takes
    them. ``after``: the stage of so many pieces comes before."""

    weights: Array
    first: list[int]
    counts: list[int]
    constant: int
    after: int

    def ranking(self, place: Array) -> _kernel.StageRanking:
        """For a puzzle in other numbers. ``place[k, x]``: our place when piece k is at its place x, -1 if never."""
        weights = np.take_along_axis(self.weights, np.maximum(place, 0)[:, :, None], axis=1)
        weights[place < 0] = 0
        return _kernel.StageRanking(np.ascontiguousarray(weights), self.first, self.counts, self.constant)


def weights_file(name: str) -> Path:
    return Path(__file__).with_name(f"stages-{name}")


@lru_cache(maxsize=4)
def read(name: str) -> Learned | None:
    """What was learned for the puzzle and moves whose words have this file; None if nothing was."""
    file = weights_file(name)
    if not file.is_file():
        return None
    text = zlib.decompress(file.read_bytes())
    pieces, places, after, constant = (int(number) for number in np.frombuffer(text, "<i4", 4))
    first, counts = np.frombuffer(text, "<i2", 2 * UNITS, 16).reshape(2, UNITS).tolist()
    weights = np.frombuffer(text, np.int8, pieces * places * UNITS, 16 + 4 * UNITS).reshape(pieces, places, UNITS)
    return Learned(weights, first, counts, constant, after)


def packed(learned: Learned) -> bytes:
    """The file of it."""
    pieces, places, _ = learned.weights.shape
    numbers = np.array([pieces, places, learned.after, learned.constant], "<i4").tobytes()
    units = np.array([learned.first, learned.counts], "<i2").tobytes()
    return zlib.compress(numbers + units + learned.weights.astype(np.int8).tobytes(), 9)
