"""Is a table of clockwise neighbours a solid? If not, which faces and pairs of faces are wrong? All are reported."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches

from hstar.errors import Fault, InvalidRequest

MAX_NAME = 32

#: the parts of an alg's tokens besides names
_RESERVED = re.compile(r"[\s'\u2019()]")
_COUNTS = {3: "three", 4: "four", 5: "five", 12: "twelve"}

Table = dict[str, tuple[str, ...]]


def check_table(value: object, faces: int, sides: int, solid: str) -> Table:
    """The table, after checking that it is the solid with this many faces and sides.

    :param value: for each face, by the student's name, the names of its neighbours, clockwise seen from outside
    :raises InvalidRequest: with all faults: wrong shapes, or else pairs that contradict each other
    """
    faults: list[Fault] = []
    table = _read(value, faces, sides, faults)
    if not faults:
        faults = _one_sided(table)
    if not faults:
        faults = _contradictions(table)
    if faults:
        raise InvalidRequest(f"the table of neighbours is not a {solid}", faults)
    # What is left is the solid: where every pair agrees, the faces around each corner close to three, so F faces of
    # s sides have sF/2 edges and sF/3 corners. Euler's number F - sF/2 + sF/3 is then 2: one sphere, cut regularly.
    return table


def _read(value: object, faces: int, sides: int, faults: list[Fault]) -> Table:
    table: Table = {}
    if not isinstance(value, Mapping):
        faults.append(
            Fault("/neighbours", f"expected an object with a list of {_COUNTS[sides]} neighbours for each face")
        )
        return table
    if len(value) != faces:
        faults.append(Fault("/neighbours", f"there are {len(value)} faces; there must be {_COUNTS[faces]}"))
    known = [name for name in list(value)[: 2 * faces] if isinstance(name, str)]
    for name in list(value)[: 2 * faces]:
        wrong = _wrong_name(name)
        if wrong:
            faults.append(Fault(f"/neighbours/{name!s:.{MAX_NAME}}", wrong))
            continue
        around = value[name]
        where = f"/neighbours/{name}"
        if not isinstance(around, list | tuple):
            faults.append(Fault(where, f"expected a list of {_COUNTS[sides]} names"))
            continue
        if len(around) != sides:
            faults.append(Fault(where, f"{name} has {len(around)} neighbours; there must be {_COUNTS[sides]}"))
        faults += _wrong_neighbours(name, list(around[: 2 * sides]), known, where)
        table[name] = tuple(around)
    return table


def _wrong_name(name: object) -> str | None:
    if not isinstance(name, str):
        return "a name is text"
    if not 1 <= len(name) <= MAX_NAME:
        return f"a name has 1 to {MAX_NAME} characters"
    if _RESERVED.search(name) or not name.isprintable():
        return "a name cannot have white space, apostrophes or parentheses, because moves would be ambiguous"
    return None


def _wrong_neighbours(face: str, around: list[object], known: list[str], where: str) -> list[Fault]:
    faults = []
    for i, name in enumerate(around):
        if name == face:
            faults.append(Fault(f"{where}/{i}", f"{face} lists itself as a neighbour"))
        elif name not in known:
            close = get_close_matches(name, known, n=1) if isinstance(name, str) and len(name) <= MAX_NAME else []
            hint = f"; did you mean {close[0]!r}?" if close else ""
            faults.append(Fault(f"{where}/{i}", f"{face} lists {name!r:.40}, which is no face of the table{hint}"))
    counts = Counter(name for name in around if isinstance(name, str))
    faults += [Fault(where, f"{face} lists {name} {n} times") for name, n in counts.items() if n > 1 and name in known]
    return faults


def _one_sided(table: Table) -> list[Fault]:
    return [
        Fault(f"/neighbours/{a}", f"{a} lists {b} as a neighbour, but {b} does not list {a}")
        for a, around in table.items()
        for b in around
        if a not in table[b]
    ]


def _beside(table: Table, face: str, neighbour: str) -> tuple[str, str]:
    """The faces just before and just after a neighbour, clockwise around a face."""
    around = table[face]
    at = around.index(neighbour)
    return around[at - 1], around[(at + 1) % len(around)]


def _contradictions(table: Table) -> list[Fault]:
    """Pairs that cannot both be right.

    Two neighbouring faces have two common neighbours, at the ends of their edge. Clockwise around the one face, these
    come in the opposite order as around the other.
    """
    index = {face: i for i, face in enumerate(table)}
    pairs = [(a, b) for a in table for b in table[a] if index[a] < index[b]]
    same_sense = {(a, b): _beside(table, a, b) == _beside(table, b, a)[::-1] for a, b in pairs}
    apart = [pair for pair in pairs if not same_sense[pair]]
    if not apart:
        return []
    if all(_beside(table, a, b) == _beside(table, b, a) for a, b in apart):
        mirrored = _listed_backwards(table, same_sense)
        if mirrored:
            return mirrored
    faults = [
        Fault(
            f"/neighbours/{a}",
            f"{a} and {b} disagree: around {a}, {b} comes between {' and '.join(_beside(table, a, b))}; "
            f"around {b}, {a} comes between {' and '.join(_beside(table, b, a))}; "
            "these must be the same two faces, in the other order",
        )
        for a, b in apart
    ]
    involved = Counter(face for pair in apart for face in pair)
    for face, count in involved.items():
        if count == len(apart) > 1:
            faults.insert(
                0, Fault(f"/neighbours/{face}", f"every contradiction involves {face}: the order of its list is wrong")
            )
    return faults


def _listed_backwards(table: Table, same_sense: Mapping[tuple[str, str], bool]) -> list[Fault]:
    """The faces whose lists are in the opposite direction to most others; empty if reversing lists does not make a
    solid."""
    first = next(iter(table))
    backwards = {first: False}
    todo = [first]
    while todo:
        a = todo.pop()
        for b in table[a]:
            agrees = same_sense[(a, b) if (a, b) in same_sense else (b, a)]
            wanted = backwards[a] if agrees else not backwards[a]
            if b not in backwards:
                backwards[b] = wanted
                todo.append(b)
            elif backwards[b] != wanted:
                return []
    chosen = [face for face, turned in backwards.items() if turned]
    if 2 * len(chosen) > len(table):
        chosen = [face for face, turned in backwards.items() if not turned]
    text = (
        "is listed in the opposite sense to the other faces (a mirror image): counter-clockwise, if they are clockwise"
    )
    return [Fault(f"/neighbours/{face}", f"{face} {text}") for face in table if face in chosen]
