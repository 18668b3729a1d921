"""Permutation groups given by generators: the kernel's Schreier-Sims, with checked input and exact integers.

A permutation of n points is the list of their images, from 0 to n - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.errors import Fault, InvalidRequest
from hstar.polling import poll

Images = np.ndarray[Any, np.dtype[np.uint16]]

#: the most points of a group: its chain of stabilisers takes time and memory like the square of them
MAX_DEGREE = 2304
#: those of orbits and blocks
_MAX_POINTS = 2**16
#: memory for the transversals; the symmetric group of 500 points takes 84 MB
MEMORY_BYTES = 2**29
#: a chain of stabilisers is checked completely if that takes at most this many look-ups, about a second
CHECK_STEPS = 1_000_000_000


class PermutationGroup:
    """The group that some permutations generate.

    :param generators: permutations of the same n points; if the list is empty, ``degree`` is n
    :raises InvalidRequest: a generator is not one-to-one, or there are more than ``MAX_DEGREE`` points
    :raises MemoryError: the chain of stabilisers would take more than 512 MiB
    """

    def __init__(self, generators: Sequence[Sequence[int]], degree: int | None = None) -> None:
        self.generators = _checked(generators, degree)
        self.degree = int(self.generators.shape[1])
        if self.degree > MAX_DEGREE:
            raise InvalidRequest(
                "cannot compute the group", [Fault("", f"expected permutations of 1 to {MAX_DEGREE} points")]
            )
        poll()  # what follows takes 30 ms for the Megaminx
        self._kernel = _kernel.PermutationGroup(self.generators, memory_bytes=MEMORY_BYTES, check_steps=CHECK_STEPS)

    @cached_property
    def orbit_sizes(self) -> list[int]:
        """For each i, the size of the orbit of i under the elements that fix all points below i."""
        return list(self._kernel.orbit_sizes)

    @property
    def order(self) -> int:
        """The number of elements of the group."""
        return prod(self.orbit_sizes)

    @property
    def proven(self) -> bool:
        """Whether the order is proven. If a proof would take too long, it is too small with a probability of 2^-64; it
        always divides the true order."""
        return bool(self._kernel.proven)

    def __contains__(self, permutation: Sequence[int]) -> bool:
        """Whether a permutation is an element; False for anything that is not a permutation of these points."""
        if len(permutation) != self.degree or not all(0 <= image < self.degree for image in permutation):
            return False
        return bool(self._kernel.contains(list(permutation)))

    def at(self, choices: Sequence[int]) -> list[int]:
        """An element by its number, digit by digit: ``choices[i]`` of ``orbit_sizes[i]`` chooses the image of i, in
        ascending order, among those that the images of the points below i leave possible. The element depends on
        nothing but the group and the digits.

        :raises ValueError: there is not one choice for each point, or one is out of range
        """
        return list(self._kernel.at(list(choices)))


def group_order(generators: Sequence[Sequence[int]]) -> int:
    """The number of elements of the group that these permutations generate.

    :raises InvalidRequest: a generator is not a permutation
    """
    return PermutationGroup(generators).order


def orbits(generators: Sequence[Sequence[int]]) -> list[list[int]]:
    """The sets of points that the generators map to each other, each ascending, in the order of their first points."""
    return [list(orbit) for orbit in _kernel.orbits(_checked(generators, None))]


def block_systems(generators: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """The minimal block systems: for each orbit, every finest partition into blocks in which its first point and some
    other point are in the same block, unless that block is the whole orbit.

    A corner's facelets are a block: they always move together.
    """
    images = _checked(generators, None)
    found: list[list[list[int]]] = []
    for orbit in _kernel.orbits(images):
        seen = set()
        for other in orbit[1:]:
            least = _kernel.finest_blocks(images, orbit[0], other)
            blocks: dict[int, list[int]] = {}
            for point in orbit:
                blocks.setdefault(least[point], []).append(point)
            key = tuple(map(tuple, blocks.values()))
            if len(blocks) > 1 and key not in seen:
                seen.add(key)
                found.append([list(block) for block in key])
    return found


def _checked(generators: Sequence[Sequence[int]], degree: int | None) -> Images:
    """The generators as rows of images, uint16, shape (generators, points); only the identity if there are none."""
    if degree is None:
        degree = len(generators[0]) if len(generators) else 1
    if not 1 <= degree <= _MAX_POINTS:
        raise InvalidRequest("these are no permutations", [Fault("", f"expected those of 1 to {_MAX_POINTS} points")])
    faults = [
        Fault(f"/{number}", f"expected each integer from 0 to {degree - 1} once")
        for number, images in enumerate(generators)
        if len(images) != degree or any(type(i) is not int for i in images) or set(images) != set(range(degree))
    ]
    if faults:
        raise InvalidRequest("the generators are not permutations of the same points", faults)
    rows = np.array(list(generators) or [range(degree)], dtype=np.uint16)
    return np.ascontiguousarray(rows)
