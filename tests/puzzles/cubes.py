"""Cubes of any size as lists of generators, from the coordinates of their facelets alone."""

from __future__ import annotations

from collections.abc import Sequence

#: what published lists of generators are: ``new[i] = old[g[i]]``
Generators = dict[str, list[int]]


def cube(n: int) -> Generators:
    """Every layer of an n x n x n cube turned a quarter, x0 to z(n - 1), as permutations of its 6 n n facelets."""
    last = n - 1
    facelets = [
        (*(a, b)[:axis], side, *(a, b)[axis:])
        for axis in range(3)
        for side in (-n, n)
        for a in range(-last, n, 2)
        for b in range(-last, n, 2)
    ]
    number = {facelet: i for i, facelet in enumerate(facelets)}
    generators: Generators = {}
    for axis, letter in enumerate("xyz"):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        for layer in range(n):
            at = 2 * layer - last
            images = list(range(len(facelets)))
            for facelet in facelets:
                here = facelet[axis]
                if here == at or (abs(at) == last and here == at + at // last):
                    turned = list(facelet)
                    turned[i], turned[j] = facelet[j], -facelet[i]
                    images[number[turned[0], turned[1], turned[2]]] = number[facelet]
            generators[f"{letter}{layer}"] = images
    return generators


def replayed(generators: Generators, shown: Sequence[int], alg: Sequence[str]) -> list[int]:
    """What each facelet shows after an alg of quarter turns, ``x0``, ``x0'`` and ``(x0)2``, by lists alone."""
    now = list(shown)
    for move in alg:
        name, times = (move[1 : move.index(")")], 2) if move[0] == "(" else (move.rstrip("'"), 3 if "'" in move else 1)
        for _ in range(times):
            now = [now[i] for i in generators[name]]
    return now
