"""Solids as neighbour lists: for each face the faces around it, clockwise seen from outside.

Such a table determines a solid up to rotation. An isomorphism between two tables is determined by the image of one face
and of one of its neighbours, so it is found by walking outwards from these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Neighbours = Mapping[str, Sequence[str]]

__all__ = ["Neighbours", "extend", "isomorphisms", "reversed_order"]


def extend(source: Neighbours, target: Neighbours, face: str, image: str, turn: int) -> dict[str, str] | None:
    """The isomorphism that maps ``face`` to ``image`` and its first neighbour to neighbour number ``turn`` of
    ``image``.

    None if there is no such isomorphism.
    """
    carried = {face: image}
    first = {
        face: turn
    }  # the image of each face's first neighbour, as an index into the neighbours of the face's image
    todo = [face]
    while todo:
        here = todo.pop()
        around, there = source[here], target[carried[here]]
        if len(around) != len(there):
            return None
        for k, neighbour in enumerate(around):
            goes = there[(first[here] + k) % len(there)]
            if here not in source[neighbour] or carried[here] not in target[goes]:
                return None
            if neighbour not in carried:
                start = target[goes].index(carried[here]) - source[neighbour].index(here)
                carried[neighbour], first[neighbour] = goes, start
                todo.append(neighbour)
            elif carried[neighbour] != goes:
                return None
    return carried if len(carried) == len(source) == len(set(carried.values())) else None


def isomorphisms(source: Neighbours, target: Neighbours) -> list[dict[str, str]]:
    """All isomorphisms that keep the sense of rotation, in the order of the target's faces and of their neighbours."""
    face = next(iter(source))
    found = (extend(source, target, face, image, turn) for image in target for turn in range(len(target[image])))
    return [carried for carried in found if carried is not None]


def reversed_order(neighbours: Neighbours) -> dict[str, tuple[str, ...]]:
    """The mirror image: the same neighbours of each face in reverse order, beginning with the same one."""
    return {face: (*around[:1], *reversed(around[1:])) for face, around in neighbours.items()}
