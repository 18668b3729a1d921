"""A second model of the Master Pyraminx, without pieces: 64 facelets in space, moved by rotation matrices.

It shares only the names of corners, faces and layers with `hstar.puzzles`, so it is an independent witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import sqrt
from random import Random
from typing import Any

import numpy as np

Vector = np.ndarray[Any, np.dtype[np.float64]]
Permutation = tuple[int, ...]

#: unit vectors from the centre: U up, L and R to the left and the right in front, B behind (x right, y back, z up)
CORNERS: dict[str, Vector] = {
    "U": np.array([0.0, 0.0, 1.0]),
    "L": np.array([-sqrt(6) / 3, -sqrt(2) / 3, -1 / 3]),
    "R": np.array([sqrt(6) / 3, -sqrt(2) / 3, -1 / 3]),
    "B": np.array([0.0, 2 * sqrt(2) / 3, -1 / 3]),
}
#: the corner that each face lies opposite to, and the corner that is on top when its facelets are numbered
OPPOSITE = {"F": "B", "BL": "R", "BR": "L", "D": "U"}
TOP = {"F": "U", "BL": "U", "BR": "U", "D": "B"}
FACELETS = [(face, number) for face in OPPOSITE for number in range(16)]
SOLVED = tuple(face for face, _ in FACELETS)


def _centroids(face: str) -> Iterator[Vector]:
    """The middles of a face's 16 triangles, row by row from the top corner, left to right seen from outside."""
    top = CORNERS[TOP[face]]
    left, right = (CORNERS[c] for c in CORNERS if c not in (TOP[face], OPPOSITE[face]))
    if np.dot(np.cross(left - top, right - top), -CORNERS[OPPOSITE[face]]) < 0:
        left, right = right, left

    def point(row: int, across: int) -> Vector:
        corner: Vector = top + row / 4 * (left - top) + across / 4 * (right - left)
        return corner

    for row in range(4):
        for i in range(row + 1):
            yield (point(row, i) + point(row + 1, i) + point(row + 1, i + 1)) / 3
            if i < row:  # the triangle that stands on its head to the right of it
                yield (point(row, i) + point(row, i + 1) + point(row + 1, i + 1)) / 3


PLACES: Vector = np.array([place for face in OPPOSITE for place in _centroids(face)])


def _clockwise(axis: Vector) -> Vector:
    """The matrix of a rotation by 120 degrees about a unit vector, clockwise as seen from its tip (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix: Vector = np.eye(3) - sqrt(3) / 2 * cross + 3 / 2 * cross @ cross
    return matrix


def layer_of(corner: str) -> list[int]:
    """The layer, 1 to 4, of each facelet from a corner: cuts at equal distances between the corner and the face."""
    depth = (1 - PLACES @ CORNERS[corner]) * 3
    return [min(int(d + 1e-9), 3) + 1 for d in depth]


@cache
def turn(corner: str, layers: tuple[int, ...], clockwise: bool) -> Permutation:
    """The place that each place takes its facelet from."""
    matrix = _clockwise(CORNERS[corner])
    carried = PLACES @ (matrix.T if clockwise else matrix)
    source = list(range(64))
    for old, layer in enumerate(layer_of(corner)):
        if layer in layers:
            distance = np.linalg.norm(PLACES - carried[old], axis=1)
            new = int(np.argmin(distance))
            assert distance[new] < 1e-9
            source[new] = old
    assert sorted(source) == list(range(64))
    return tuple(source)


def apply(state: Sequence[Any], source: Permutation) -> tuple[Any, ...]:
    return tuple(state[old] for old in source)


def inverse(p: Permutation) -> Permutation:
    found = [0] * len(p)
    for i, j in enumerate(p):
        found[j] = i
    return tuple(found)


def orbits(generators: Sequence[Permutation]) -> list[set[int]]:
    """The sets of places that the generators carry onto one another."""
    left, found = set(range(64)), []
    while left:
        reached = {left.pop()}
        todo = list(reached)
        while todo:
            at = todo.pop()
            new = {g[at] for g in generators} - reached
            reached |= new
            todo += new
        left -= reached
        found.append(reached)
    return found


def order(generators: Sequence[Permutation], seed: int = 1, patience: int = 40) -> int:
    """The order of the group that they generate, by random Schreier-Sims.

    Every factor is the size of an orbit of a subgroup, so the product is never above the true order. It stops when
    ``patience`` random elements in a row have added nothing.
    """
    random = Random(seed)
    base: list[int] = []
    strong: list[list[Permutation]] = []
    transversals: list[dict[int, Permutation]] = []

    def extend(level: int, element: Permutation) -> None:
        strong[level].append(element)
        transversals[level] = {base[level]: tuple(range(64))}
        todo = [base[level]]
        while todo:
            at = todo.pop()
            for g in strong[level]:
                if g[at] not in transversals[level]:
                    transversals[level][g[at]] = apply(g, transversals[level][at])
                    todo.append(g[at])

    def sift(element: Permutation) -> bool:
        """Whether the element was new; if so, it becomes a generator of the first stabiliser that lacked it."""
        level = 0
        while element != tuple(range(64)):
            if level == len(base):
                base.append(next(i for i in range(64) if element[i] != i))
                strong.append([])
                transversals.append({})
                extend(level, element)
                return True
            image = element[base[level]]
            if image not in transversals[level]:
                extend(level, element)
                return True
            element = apply(inverse(transversals[level][image]), element)
            level += 1
        return False

    # random elements by product replacement
    pool = [g for g in generators for _ in range(max(1, 12 // len(generators)))]
    quiet = 0
    for step in range(100_000):
        i, j = random.sample(range(len(pool)), 2)
        other = pool[j] if random.random() < 0.5 else inverse(pool[j])
        pool[i] = apply(pool[i], other)
        if step > 200:
            quiet = 0 if sift(pool[i]) else quiet + 1
            if quiet == patience:
                break
    size = 1
    for transversal in transversals:
        size *= len(transversal)
    return size
