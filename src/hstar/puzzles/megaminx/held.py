"""Rotations of the whole Megaminx, and algs with rotations.

In hstar the centres do not move. So an alg with rotations is read as the equivalent face turns, and later tokens are
looked up in a frame: for each place (``U`` is the top, ``F`` the front, ...), which of our faces is there.

As in cubing.js, ``Uv`` rotates the whole puzzle in the direction of ``U``; ``2U`` turns the layer below U, which equals
rotating the puzzle and turning U and the opposite face back; ``Uw`` turns U with that layer; ``3U`` turns the opposite
face.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from hstar.errors import InvalidAlg
from hstar.polyhedra import extend, isomorphisms
from hstar.puzzles.megaminx.geometry import FACES, NEIGHBOURS, OPPOSITE

__all__ = ["SUFFIXES", "Frame", "back_home", "home_frame", "read_held", "rotated", "turned_home"]

Frame = Mapping[str, str]
#: by the number of clockwise turns of 72 degrees
SUFFIXES = {1: "", 2: "2", 3: "2'", 4: "'"}

_TOKEN = re.compile(rf"^([123]?)({'|'.join(sorted(FACES, key=len, reverse=True))})([wv]?)([0-9]{{0,3}})('?)$")


def home_frame() -> Frame:
    """The frame with every face in its own place."""
    return {face: face for face in FACES}


@cache
def _rotation(axis: str, steps: int) -> Frame:
    """The image of each place when the whole puzzle is rotated ``steps`` times by 72 degrees clockwise."""
    carried = extend(NEIGHBOURS, NEIGHBOURS, axis, axis, steps % 5)
    assert carried is not None, "a dodecahedron can be rotated about each of its faces"
    return carried


def rotated(frame: Frame, axis: str, steps: int) -> Frame:
    """The frame after a rotation of the whole puzzle about the place ``axis``."""
    return {goes: frame[place] for place, goes in _rotation(axis, steps).items()}


def read_held(token: str, frame: Frame) -> tuple[tuple[str, ...], Frame] | None:
    """The face turns of a token in a frame, and the frame after it; None if it is not a token of this notation.

    :raises InvalidAlg: it turns by a multiple of 360 degrees, or names layers that do not turn together
    """
    match = _TOKEN.match(token)
    if match is None:
        return None
    layer, place, kind = match[1], match[2], match[3]
    steps = int(match[4] or 1) * (-1 if match[5] else 1) % 5
    if steps == 0:
        raise InvalidAlg(f"{token[:40]!r} turns by a multiple of 360 degrees, which is no move")
    here, beyond = frame[place], frame[OPPOSITE[place]]
    if kind == "v" and not layer:
        return (), rotated(frame, place, steps)
    if kind == "w" and layer in ("", "2"):
        return (beyond + SUFFIXES[steps],), rotated(frame, place, steps)
    if not kind and layer == "2":
        return (here + SUFFIXES[5 - steps], beyond + SUFFIXES[steps]), rotated(frame, place, steps)
    if not kind and layer == "3":
        return (beyond + SUFFIXES[5 - steps],), frame
    if not kind:
        return (here + SUFFIXES[steps],), frame
    raise InvalidAlg(f"{token[:40]!r} is no turn: U, 2U, 3U, Uw and Uv are, for each face")


def turned_home(faces: Mapping[str, list[str]]) -> dict[str, list[str]] | None:
    """The facelets of a rotated puzzle after rotating its centres to their places.

    None if its centres are not those of a rotated puzzle.
    """
    frame = {face: shown[0] for face, shown in faces.items()}
    if frame not in _frames():
        return None
    place_of = {colour: place for place, colour in frame.items()}
    home = {}
    for face in FACES:
        place = place_of[face]
        turn = 2 * NEIGHBOURS[place].index(place_of[NEIGHBOURS[face][0]])
        around = faces[place][1:]
        home[face] = [face, *around[turn:], *around[:turn]]
    return home


def back_home(frame: Frame) -> str:
    """The shortest rotations that move every centre to its place, as tokens such as ``Rv2 Uv'``."""
    reached: dict[tuple[str, ...], str] = {tuple(frame[face] for face in FACES): ""}
    layer = dict(reached)
    while tuple(FACES) not in reached:
        found: dict[tuple[str, ...], str] = {}
        for key, tokens in layer.items():
            now = dict(zip(FACES, key, strict=True))
            for axis in FACES:
                for steps, suffix in SUFFIXES.items():
                    after = rotated(now, axis, steps)
                    found.setdefault(tuple(after[face] for face in FACES), f"{tokens} {axis}v{suffix}".strip())
        layer = {key: tokens for key, tokens in found.items() if key not in reached}
        reached |= layer
    return reached[tuple(FACES)]


@cache
def _frames() -> list[Frame]:
    """All orientations of the whole puzzle, as frames."""
    return list(isomorphisms(NEIGHBOURS, NEIGHBOURS))
