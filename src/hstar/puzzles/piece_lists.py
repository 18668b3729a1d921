"""Reads the lists of pieces and orientations by which a state is written, as in a KPattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hstar.errors import Fault

__all__ = ["read_integers"]


def _integers(value: object, count: int, below: int, where: str, faults: list[Fault]) -> list[int] | None:
    if not isinstance(value, list) or len(value) != count:
        faults.append(Fault(where, f"expected a list of {count} integers"))
        return None
    wrong = [i for i, v in enumerate(value) if type(v) is not int or not 0 <= v < below]
    faults += [
        Fault(f"{where}/{i}", f"expected an integer from 0 to {below - 1}, found {value[i]!r:.40}") for i in wrong
    ]
    return None if wrong else value


def read_integers(
    value: object, orbits: Mapping[str, tuple[int, int]], optional: Sequence[str] = ()
) -> tuple[dict[str, tuple[list[int], list[int]]], list[Fault]]:
    """(pieces, orientations) of each orbit of a KPattern, and all faults of their lists.

    :param orbits: the number of pieces and of orientations of each orbit
    :param optional: orbits that may be left out
    """
    if not isinstance(value, Mapping):
        return {}, [Fault("/", f"expected an object with {', '.join(orbits)}")]
    faults = [Fault(f"/{n!s:.40}", f"no such orbit; known are {', '.join(orbits)}") for n in value if n not in orbits]
    parts = {}
    for name, (count, orientations) in orbits.items():
        part = value.get(name)
        if part is None and name in optional:
            continue
        if not isinstance(part, Mapping) or set(part) - {"pieces", "orientation", "orientationMod"}:
            faults.append(Fault(f"/{name}", 'expected {"pieces": [...], "orientation": [...]}'))
            continue
        pieces = _integers(part.get("pieces"), count, count, f"/{name}/pieces", faults)
        turned = part.get("orientation", [0] * count)
        twists = _integers(turned, count, orientations, f"/{name}/orientation", faults)
        if pieces is not None and twists is not None:
            parts[name] = pieces, twists
    return parts, faults
