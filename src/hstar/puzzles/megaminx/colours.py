"""Megaminx moves by the colour of the face that turns: ``white blue2' tan``.

`format_undone` and `parse_undone` are the report's way to print a solution of counter-clockwise turns (system S1): the
clockwise turns that it undoes, last undone first, so that it reads like the scramble.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hstar.errors import Fault, InvalidAlg
from hstar.puzzles.facelets import faces_by_name
from hstar.puzzles.megaminx.geometry import COLOURS, FACES
from hstar.puzzles.megaminx.held import SUFFIXES
from hstar.puzzles.notation import tokens_of

__all__ = ["FACE_OF", "format_colours", "format_undone", "parse_colours", "parse_undone"]

#: the face of each colour
FACE_OF = {name: face for name, face in faces_by_name(COLOURS).items() if name not in FACES}
_TOKEN = re.compile(r"^([a-z]+)([0-9]{0,3})('?)$")
_COUNTS = {suffix: count for count, suffix in SUFFIXES.items()}
_MOVE = re.compile(r"^([A-Z]+)(.*)$")


def parse_colours(text: str) -> tuple[str, ...]:
    """Face turns from colours; `InvalidAlg` lists every token that is not one."""
    tokens = tokens_of(text)
    moves: list[str] = []
    faults: list[Fault] = []
    for number, token in enumerate(tokens, start=1):
        match = _TOKEN.match(token)
        count = int(match[2] or 1) * (-1 if match[3] else 1) % 5 if match else 0
        if match is None or match[1] not in FACE_OF:
            faults.append(
                Fault(
                    f"move {number}",
                    f"{token[:40]!r} is not a colour, with a count or a prime: {', '.join(COLOURS.values())}",
                )
            )
        elif count == 0:
            faults.append(
                Fault(f"move {number}", f"{token!r} turns a face by a multiple of 360 degrees, which is no move")
            )
        else:
            moves.append(FACE_OF[match[1]] + SUFFIXES[count])
    if faults:
        raise InvalidAlg("the alg does not parse as colours of faces", faults)
    return tuple(moves)


def format_colours(moves: Sequence[str]) -> str:
    """The inverse of `parse_colours`."""
    return " ".join(COLOURS[face] + suffix for face, suffix in map(_split, moves))


def format_undone(solution: Sequence[str]) -> str:
    """The turns that a solution undoes, in the order of the scramble that they make, as colours."""
    undone = (face + SUFFIXES[5 - _COUNTS[suffix]] for face, suffix in map(_split, reversed(solution)))
    return format_colours(tuple(undone))


def parse_undone(text: str) -> tuple[str, ...]:
    """The solution that `format_undone` printed."""
    turns = (_split(move) for move in reversed(parse_colours(text)))
    return tuple(face + SUFFIXES[5 - _COUNTS[suffix]] for face, suffix in turns)


def _split(move: str) -> tuple[str, str]:
    match = _MOVE.match(move)
    if match is None or match[1] not in FACES or match[2] not in _COUNTS:
        raise InvalidAlg(f"{move!r} is not a move of the Megaminx")
    return match[1], match[2]
