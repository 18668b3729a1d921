"""Generators as permutations of points, the form of the published permutation-puzzle competitions.

    {"f0": [0, 1, 19, 17, ...], "r1": [...]}                 # new[i] = old[f0[i]]
    {"generators": {...}, "central_state": [0, 0, 1, 1, ...]}     # with the colours of the points when it is solved
    {"actions": [[...], [...]], "action_names": ["L", "R"]}
    [[1, 2, 0], [1, 0, 2]]                                   # g1, g2

Points that always move together become pieces. If the points of an orbit stay in blocks, and a rotation of all blocks
commutes with every generator, the orbit becomes one of fewer pieces with orientations. An orbit that always follows
another one becomes part of it. So the facelets of a cube become its corners and edges. Orbits that are only rotated
become the pieces of one orbit that turn in place, so that symmetries may carry one onto another. The member ``points``
of the definition keeps the positions of the points, so that states can be given as lists of points or colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hstar.errors import Fault, InvalidRequest
from hstar.groups import orbits as orbits_of
from hstar.puzzles.definition import MAX_MOVES, MAX_ORBITS, MAX_PLACES, MAX_VALUES

__all__ = ["definition_of", "drop_powers", "read_generators"]

_MEMBERS = ("generators", "moves", "actions", "allowed_moves")
_SOLVED = ("central_state", "solution_state", "solved_state", "solved")

Points = np.ndarray[Any, np.dtype[np.int64]]


def read_generators(value: Mapping[str, Any] | list[Any]) -> dict[str, Any]:
    """The JSON value of the KPuzzle whose moves are some permutations.

    :raises InvalidRequest: they are not permutations of the same points; has all faults
    """
    names: object = None
    labels: object = None
    given: object = value
    name: object = None
    if isinstance(value, Mapping):
        name = value.get("name")
        names = value.get("action_names", value.get("names"))
        labels = next((value[member] for member in _SOLVED if value.get(member) is not None), None)
        given = next((value[member] for member in _MEMBERS if member in value), value)
    if isinstance(given, list):
        if names is None:
            names = [f"g{number}" for number in range(1, len(given) + 1)]
        if not isinstance(names, list) or len(names) != len(given) or not all(isinstance(n, str) for n in names):
            raise _refused([Fault("/action_names", f"expected {len(given)} names")])
        if len(set(names)) < len(names):
            raise _refused([Fault("/action_names", "expected each name once")])
        given = dict(zip(names, given, strict=True))
    if not isinstance(given, Mapping) or not given:
        raise _refused([Fault("", 'expected generators, such as {"U": [3, 0, 1, 2]}')])
    if len(given) > MAX_MOVES:
        raise _refused([Fault("", f"there are {len(given)} generators; at most {MAX_MOVES}")])
    first = next(iter(given.values()))
    points = len(first) if isinstance(first, list) else 0
    if not 1 <= points <= MAX_PLACES:
        raise _refused([Fault(f"/{next(iter(given))!s:.40}", f"expected a list of 1 to {MAX_PLACES} integers")])
    faults = [
        Fault(f"/{key!s:.40}", f"expected each integer from 0 to {points - 1} once")
        for key, row in given.items()
        if not isinstance(row, list)
        or len(row) != points
        or any(type(i) is not int for i in row)
        or set(row) != set(range(points))
    ]
    if isinstance(labels, str):
        labels = labels.split(";")
    if labels is not None and (
        not isinstance(labels, list) or len(labels) != points or any(type(c) not in (int, str) for c in labels)
    ):
        faults.append(Fault("/central_state", f"expected a list of {points} colours, as integers or texts"))
    if faults:
        raise _refused(faults)
    colours = labels if isinstance(labels, list) and len(set(labels)) < points else None
    made = definition_of({str(key): row for key, row in given.items()}, colours)
    return made if name is None else made | {"name": name}


def definition_of(generators: Mapping[str, Sequence[int]], labels: Sequence[int | str] | None) -> dict[str, Any]:
    """The KPuzzle of checked generators, as JSON.

    :param generators: by name, for each point i the point whose content comes there
    :param labels: for each point, its label when the puzzle is solved; all different if None
    """
    sources = np.array(list(generators.values()), dtype=np.int64)
    moved = np.argsort(sources, axis=1)  # the image of each point's content
    if not (moved != np.arange(sources.shape[1])).any():
        raise _refused([Fault("", "the generators move nothing")])
    value: dict[str, Any] = {"orbits": [], "defaultPattern": {}, "moves": {name: {} for name in generators}}
    shown: list[int | str] = [*range(sources.shape[1])] if labels is None else [*labels]
    points: dict[str, list[list[list[int]]]] = {}
    images = dict(zip(generators, moved.tolist(), strict=True))
    for slots in _with_turning(moved, _independent_orbits(moved), shown):
        name = f"ORBIT{len(points) + 1}"
        points[name] = slots
        _add_orbit(value, name, slots, images, shown)
    drop_powers(value)
    return value | {"hstar": {"points": points, "labels": [str(label) for label in shown]}}


def _refused(faults: list[Fault]) -> InvalidRequest:
    return InvalidRequest("these are not generators of a puzzle", faults)


def _tree(moved: Points) -> list[tuple[int, int, int]]:
    """A breadth-first tree of an orbit from its first point: (point, generator, point before)."""
    found, todo = {0}, [0]
    tree = []
    for before in todo:
        for number, row in enumerate(moved):
            point = int(row[before])
            if point not in found:
                found.add(point)
                todo.append(point)
                tree.append((point, number, before))
    return tree


def _maps(one: Points, other: Points, tree: Sequence[tuple[int, int, int]]) -> Points:
    """All maps from an orbit to another that commute with every generator; each row is a map.

    The image of the first point determines such a map, so each of the other orbit's points is tried.

    :param one: the images of the orbit's points under the generators, numbered from 0; shape (generators, points)
    :param tree: of this orbit
    """
    count = other.shape[1]
    maps = np.empty((count, one.shape[1]), dtype=np.int64)
    maps[:, 0] = np.arange(count)
    for point, number, before in tree:
        maps[:, point] = other[number][maps[:, before]]
    for row, there in zip(one, other, strict=True):
        maps = maps[(there[maps] == maps[:, row]).all(axis=1)]
    return maps


def _restricted(moved: Points, orbit: Sequence[int]) -> Points:
    number = np.full(moved.shape[1], -1, dtype=np.int64)
    number[list(orbit)] = np.arange(len(orbit))
    return number[moved[:, list(orbit)]]


def _independent_orbits(moved: Points) -> list[list[list[int]]]:
    """The independent orbits, each with the orbits that follow it, as lists of points: point i of a follower moves with
    point i of the orbit. Points that nothing moves are left out."""
    found: list[list[list[int]]] = []
    trees: list[tuple[Points, list[tuple[int, int, int]]]] = []
    fixed = moved == np.arange(moved.shape[1])
    for orbit in sorted(orbits_of(moved.tolist()), key=lambda own: (-len(own), own)):
        if len(orbit) == 1:
            continue
        if len(orbit) > MAX_VALUES:
            text = f"the generators bring {len(orbit)} points to one another; at most {MAX_VALUES}"
            raise _refused([Fault("", text)])
        own = _restricted(moved, orbit)
        still = fixed[:, orbit].sum(axis=1)
        for places, (images, tree) in zip(found, trees, strict=True):
            its = fixed[:, places[0]].sum(axis=1)  # where a point is fixed, one that follows it is, too
            if len(places[0]) % len(orbit) or (still[its > 0] == 0).any():
                continue
            if len(places[0]) == len(orbit) and (its != still).any():
                continue
            maps = _maps(images, own, tree).tolist()
            if maps:
                places.append([orbit[i] for i in maps[0]])
                break
        else:
            found.append([list(orbit)])
            trees.append((own, _tree(own)))
            if len(found) > MAX_ORBITS:
                raise _refused(
                    [Fault("", f"the generators have more than {MAX_ORBITS} orbits that move by themselves")]
                )
    return sorted(found, key=lambda places: places[0])


def _followers(places: list[list[int]], index: int) -> list[int]:
    return [own[index] for own in places]


def _with_turning(moved: Points, orbits: list[list[list[int]]], shown: list[int | str]) -> list[list[list[list[int]]]]:
    """The slots of each orbit, with their points by orientation. Orbits of equally many points, at least three, that
    are only rotated are one, at the place of the first, if they are several and look different: each is a slot."""
    found: list[list[list[list[int]]]] = []
    turning: dict[tuple[int, int], list[tuple[int, list[list[int]]]]] = {}
    for places in orbits:
        points = [_followers(places, x) for x in range(len(places[0]))]
        slots = _slots(moved, places[0], whole=True)
        if len(slots) == 1:
            if len(points) > 2:
                (slot,) = _oriented(slots, points, shown)
                turning.setdefault((len(points), len(places)), []).append((len(found), slot))
            slots = _slots(moved, places[0])
        found.append(_oriented(slots, points, shown))
    for together in turning.values():
        looks = {tuple(tuple(str(shown[p]) for p in place) for place in slot) for _, slot in together}
        if 1 < len(looks) == len(together):
            (first, _), *others = together
            found[first] = [slot for _, slot in together]
            for number, _ in others:
                found[number] = []
    return [slots for slots in found if slots]


def _slots(moved: Points, orbit: list[int], whole: bool = False) -> list[list[int]]:
    """The slots of an orbit, each a list of its points (numbered within the orbit) in the order of a rotation that
    commutes with every generator. The rotation of the highest order is used, and if it is not asked for, none of the
    whole orbit."""
    own = _restricted(moved, orbit)
    best: list[list[int]] = [[i] for i in range(len(orbit))]
    for row in _maps(own, own, _tree(own)).tolist():
        length, at = 1, row[0]
        while at != 0:
            length, at = length + 1, row[at]
        if len(best[0]) < length < len(orbit) + whole:
            best, seen = [], set()
            for begin in range(len(orbit)):
                if begin not in seen:
                    slot = [begin]
                    while (after := row[slot[-1]]) != begin:
                        slot.append(after)
                    seen.update(slot)
                    best.append(slot)
    return best


def _oriented(slots: list[list[int]], points: list[list[int]], shown: list[int | str]) -> list[list[list[int]]]:
    """The points of each slot by orientation, with the same first label for identical pieces."""
    found, some_alike = [], len(set(map(str, shown))) < len(shown)
    for slot in slots:
        looks = [tuple(str(shown[p]) for p in points[i]) for i in slot]
        turns = [looks[k:] + looks[:k] for k in range(len(slot))]
        first = min(range(len(slot)), key=lambda k: turns[k]) if some_alike else 0
        found.append([points[i] for i in slot[first:] + slot[:first]])
    return found


def _add_orbit(
    value: dict[str, Any],
    name: str,
    slots: list[list[list[int]]],
    images: dict[str, list[int]],
    shown: list[int | str],
) -> None:
    """Add an orbit with these slots to a definition: its solved pattern, and the effect of each move."""
    turns = len(slots[0])
    looks = [tuple(tuple(str(shown[p]) for p in points) for points in slot) for slot in slots]
    kinds = {look: number for number, look in enumerate(dict.fromkeys(looks))}
    periods = [next(k for k in range(1, turns + 1) if look[k:] + look[:k] == look) for look in looks]
    pattern: dict[str, Any] = {"pieces": [kinds[look] for look in looks], "orientation": [0] * len(slots)}
    if any(period < turns for period in periods):
        pattern["orientationMod"] = [period if period < turns else 0 for period in periods]
    value["orbits"].append({"orbitName": name, "numPieces": len(slots), "numOrientations": turns})
    value["defaultPattern"][name] = pattern
    place = {slot[k][0]: (number, k) for number, slot in enumerate(slots) for k in range(turns)}
    for move, row in images.items():
        permutation, delta = [0] * len(slots), [0] * len(slots)
        for number, slot in enumerate(slots):
            there, turned = place[row[slot[0][0]]]
            permutation[there], delta[there] = number, turned
        if permutation != list(range(len(slots))) or any(delta):
            value["moves"][move][name] = {"permutation": permutation, "orientationDelta": delta}


def drop_powers(value: dict[str, Any]) -> None:
    """Remove moves ``U'`` and ``U2`` that are the inverse and the square of a move ``U``. They follow from ``U``, and
    names in a definition have no prime. A name with a count after a digit or a prime would not be read so."""
    orientations = {orbit["orbitName"]: orbit["numOrientations"] for orbit in value["orbits"]}
    given, moves = dict(value["moves"]), value["moves"]
    for name in given:
        if name[:-1] not in given or name[-1:] not in ("'", "2") or (name[-1] == "2" and name[-2:-1] in "0123456789'"):
            continue
        base, other = given[name[:-1]], given[name]
        made = {
            orbit: (_inverse if name[-1] == "'" else _square)(
                own["permutation"], own["orientationDelta"], orientations[orbit]
            )
            for orbit, own in base.items()
        }
        if made == {orbit: (own["permutation"], own["orientationDelta"]) for orbit, own in other.items()}:
            del moves[name]


def _inverse(source: list[int], twist: list[int], n: int) -> tuple[list[int], list[int]]:
    back, turned = [0] * len(source), [0] * len(source)
    for slot, (s, t) in enumerate(zip(source, twist, strict=True)):
        back[s], turned[s] = slot, -t % n
    return back, turned


def _square(source: list[int], twist: list[int], n: int) -> tuple[list[int], list[int]]:
    return [source[s] for s in source], [(twist[s] + t) % n for s, t in zip(source, twist, strict=True)]
