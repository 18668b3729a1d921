"""Permutations of slots: a tuple p with new[i] = old[p[i]]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import lcm

Permutation = tuple[int, ...]
#: the number of cycles of each length above 1, by length
CycleType = tuple[tuple[int, int], ...]


def then(first: Permutation, second: Permutation) -> Permutation:
    """The permutation of one turn followed by another."""
    return tuple(first[i] for i in second)


def inverse(p: Permutation) -> Permutation:
    """The inverse of p."""
    back = [0] * len(p)
    for i, source in enumerate(p):
        back[source] = i
    return tuple(back)


def commutator(a: Permutation, b: Permutation) -> Permutation:
    """The commutator: a, b, a', b'."""
    return then(then(a, b), then(inverse(a), inverse(b)))


def word(turns: Sequence[Permutation], size: int) -> Permutation:
    """The permutation of all turns, one after the other."""
    p = tuple(range(size))
    for turn in turns:
        p = then(p, turn)
    return p


def cycle_type(p: Permutation) -> CycleType:
    """The cycle type, which does not depend on the numbering of the slots."""
    seen = bytearray(len(p))
    lengths: Counter[int] = Counter()
    for start, source in enumerate(p):
        if seen[start] or source == start:
            continue
        length, at = 0, start
        while not seen[at]:
            seen[at] = 1
            at = p[at]
            length += 1
        lengths[length] += 1
    return tuple(sorted(lengths.items()))


def order(kind: CycleType) -> int:
    """The order: how often it is repeated until nothing has moved."""
    return lcm(1, *(length for length, _ in kind))


def moved(kind: CycleType) -> int:
    """The number of slots it moves."""
    return sum(length * count for length, count in kind)


def in_words(kind: CycleType) -> str:
    """Text such as ``5 cycles of length 5``."""
    shown = " and ".join(f"{count} cycle{'s' if count > 1 else ''} of length {length}" for length, count in kind)
    return shown or "nothing"
