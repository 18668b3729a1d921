"""Rotations of the whole Megaminx, and algs with rotations.

In hstar the centres do not move. So an alg with rotations is read as the equivalent face turns, and later tokens are
looked up in a frame: for each place (``U`` is the top, ``F`` the front, ...), which of our faces is there.

As in cubing.js, ``Uv`` rotates the whole puzzle in the direction of ``U``; ``2U`` turns the layer below U, which equals
rotating the puzzle and turning U and the opposite face back; ``Uw`` and ``u`` turn U with that layer; ``3U`` turns the
opposite face; ``2-3U`` turns all but U; ``y`` is ``Uv``. ``R++`` and ``D--`` are those of the World Cube Association
(`wca`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from hstar.errors import InvalidAlg
from hstar.polyhedra import extend, isomorphisms
from hstar.puzzles.megaminx.geometry import FACES, NEIGHBOURS, OPPOSITE
from hstar.puzzles.notation import Rotation, Step

__all__ = ["SUFFIXES", "TOKENS", "Frame", "Turning", "back_home", "home_frame", "read_held", "rotated", "turned_home"]

Frame = Mapping[str, str]
#: by the number of clockwise turns of 72 degrees
SUFFIXES = {1: "", 2: "2", 3: "2'", 4: "'"}

#: for each token of the World Cube Association: the face that turns in a fixed frame, its steps of 72 degrees
#: clockwise, and whether the puzzle rotates
TOKENS: Mapping[str, tuple[str, int, bool]] = {
    "R++": ("L", 2, True),
    "R--": ("L", -2, True),
    "D++": ("U", 2, True),
    "D--": ("U", -2, True),
    "U": ("U", 1, False),
    "U'": ("U", -1, False),
}
_FACES = "|".join(sorted(FACES, key=len, reverse=True))
_TOKEN = re.compile(rf"^((?:[123](?:-[123])?)?)({_FACES}|{_FACES.lower()}|y)([wv]?)([0-9]{{0,3}})('?)$")


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


def read_held(token: str) -> tuple[Step, ...] | None:
    """What a token does, in the places of the puzzle as it is held; None if it is not a token of this notation.

    :raises InvalidAlg: it turns by a multiple of 360 degrees, or names layers that do not turn together
    """
    if (turned := TOKENS.get(token)) is not None and turned[2]:
        place, steps, _ = turned
        return place + SUFFIXES[steps % 5], Rotation(place, -steps)
    match = _TOKEN.match(token)
    if match is None:
        return None
    layers, place, kind = match[1], match[2], match[3]
    steps = int(match[4] or 1) * (-1 if match[5] else 1) % 5
    if place.islower():
        if kind or (place == "y" and layers):
            return None
        place, kind = ("U", "v") if place == "y" else (place.upper(), "w")
    if steps == 0:
        raise InvalidAlg(f"{token[:40]!r} turns by a multiple of 360 degrees, which is no move")
    here, back, whole = place + SUFFIXES[steps], place + SUFFIXES[5 - steps], Rotation(place, steps)
    beyond, beyond_back = OPPOSITE[place] + SUFFIXES[steps], OPPOSITE[place] + SUFFIXES[5 - steps]
    # The opposite face is seen from the other side: turning it by as much is turning it back.
    spelled: dict[str, tuple[Step, ...]] = {
        "v": (whole,), "w": (beyond, whole), "2w": (beyond, whole), "1-2w": (beyond, whole), "3w": (whole,),
        "": (here,), "1": (here,), "2": (back, beyond, whole), "3": (beyond_back,), "1-2": (beyond, whole),
        "2-3": (back, whole), "1-3": (whole,), "2-3w": (back, whole), "1-3w": (whole,), "1w": (here,),
    }  # fmt: skip
    if layers + kind not in spelled:
        raise InvalidAlg(f"{token[:40]!r} is no turn: U, 2U, 3U, Uw and Uv are, for each face")
    return spelled[layers + kind]


class Turning:
    """Reads the steps of an alg one after the other, as turns of faces that keep their places."""

    def __init__(self) -> None:
        self.frame = home_frame()

    def __call__(self, step: Step) -> tuple[str, ...]:
        if isinstance(step, Rotation):
            self.frame = rotated(self.frame, step.name, step.count)
            return ()
        place = step.rstrip("2'")
        return (self.frame[place] + step[len(place) :],)


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
