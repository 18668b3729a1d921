"""What an alg may say besides the moves of a definition: inner layers, wide turns, slices, and the whole puzzle.

A **grip** is a face or a corner whose layers turn, counted from it. A definition has, for each grip, the alg that turns
its first layer, its first two and so on, up to the whole puzzle; all of them turn about one axis, and so commute. For a
grip R these words follow, as in cubing.js::

    2R        the second layer         Rw, r     the first two         3Rw, 3r   the first three
    2-3R      the second and third (2-3Rw and 2-3r too)                Rv        the whole puzzle

Where a definition has no grips but moves with such names (R, 2R, Rv), they are found: the layers are those whose
product is the rotation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hstar.puzzles.permutation import Turn

__all__ = ["Grip", "Terms", "aliases", "found_grips", "spellings"]

#: moves and rotations by name with their counts; they turn about one axis, and their order does not matter
Terms = tuple[tuple[str, int], ...]
_LAYER = re.compile(r"^([2-9]|1[0-9])?([A-Z]{1,3})$")
#: the letters of rotations of a cube, by the face in whose direction they go
CUBE = {"x": "R", "y": "U", "z": "F"}


@dataclass(frozen=True, slots=True)
class Grip:
    """
    :param blocks: what turns the first layer, the first two, ..., the whole puzzle
    :param opposite: the grip on the other side, from which the layers are counted too
    :param nothing: terms that together do nothing, such as all layers and the whole puzzle back
    """

    blocks: Sequence[Terms]
    opposite: str | None = None
    nothing: Terms = ()

    def turned(self) -> Grip:
        """The layers counted from the other side."""
        *inner, whole = self.blocks
        return Grip([*(_sum(part, whole, -1) for part in reversed(inner)), _sum((), whole, -1)], None, self.nothing)


def spellings(grips: Mapping[str, Grip], rotations: Iterable[str], known: Iterable[str]) -> dict[str, Terms]:
    """What can be said, with the moves and rotations that it is.

    :param rotations: the names of rotations
    :param known: names that have a meaning
    """
    rotating, taken = set(rotations), set(known)
    every = dict(grips)
    for grip in grips.values():
        if grip.opposite is not None:
            every.setdefault(grip.opposite, grip.turned())
    found: dict[str, Terms] = {}
    for name, grip in every.items():
        first, last = [(), *grip.blocks], len(grip.blocks)
        for a in range(1, last + 1):
            for b in range(a, last + 1):
                part = _sum(first[b], first[a - 1], -1)
                ways = [_sum(part, grip.nothing, times) for times in (0, 1, -1)]
                fewest = min(ways, key=lambda terms: sum(one not in rotating for one, _ in terms))
                found |= dict.fromkeys(_names(name, a, b, last), fewest)
    return {name: terms for name, terms in found.items() if name not in taken}


def _names(grip: str, a: int, b: int, last: int) -> list[str]:
    """How layers ``a`` to ``b`` of ``last`` are written."""
    letters = [f"{grip}w", *([grip.lower()] if grip.isupper() else [])]
    if a == b:
        return [f"{a}{grip}", *([grip] if a == 1 else [])]
    names = [f"{a}-{b}{name}" for name in (grip, *letters)]
    if a == 1:
        names += [f"{b}{name}" for name in letters] + (letters if b == 2 else []) + ([f"{grip}v"] if b == last else [])
    return names


def _sum(terms: Terms, other: Terms, times: int) -> Terms:
    counts = Counter(dict(terms))
    for name, count in other:
        counts[name] += times * count
    return tuple((name, count) for name, count in counts.items() if count)


def found_grips(base: Mapping[str, Turn], rotations: Iterable[str], orientations: Sequence[int]) -> dict[str, Grip]:
    """The grips of a definition that names layers as cubing.js does."""
    own: dict[str, dict[int, str]] = {}
    for name in base:
        if (match := _LAYER.match(name)) is not None:
            own.setdefault(match[2], {})[int(match[1] or 1)] = name
    layers = {grip: [names[i] for i in sorted(names)] for grip, names in own.items() if 1 in names}
    grips: dict[str, Grip] = {}
    for whole in rotations:
        grip = CUBE.get(whole, whole[:-1] if whole.endswith("v") else "")
        if grip not in layers or grip in grips or grip in {one.opposite for one in grips.values()}:
            continue
        for other in (None, *(name for name in layers if name != grip)):
            beyond = [] if other is None else [(name, -1) for name in reversed(layers[other])]
            terms = [(name, 1) for name in layers[grip]] + beyond
            if _product(terms, base, orientations) == base[whole]:
                nothing = _sum(((whole, 1),), tuple(terms), -1)
                blocks = [tuple(terms[:count]) for count in range(1, len(terms))]
                grips[grip] = Grip([*blocks, ((whole, 1),)], other, nothing)
                break
    return grips


def _product(terms: Iterable[tuple[str, int]], base: Mapping[str, Turn], orientations: Sequence[int]) -> Turn:
    turn = Turn(tuple(range(len(orientations))), (0,) * len(orientations))
    for name, count in terms:
        turn = turn.then(base[name] if count > 0 else base[name].inverse(orientations), orientations)
    return turn


def aliases(known: Iterable[str], has: Callable[[str], bool]) -> dict[str, str]:
    """Other spellings of names that a definition has: ``Rw`` of ``r``, ``3Rw`` of ``3r``, and ``x`` of ``Rv``."""
    found = {}
    for name in known:
        match = re.match(r"^([2-9]?)([a-z]{1,2})$", name)
        if match is not None and name not in "xyz" and has(match[2].upper()):
            found[f"{match[1]}{match[2].upper()}w"] = name
    return {name: own for name, own in found.items() if not has(name)}
