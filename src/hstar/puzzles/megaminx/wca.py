"""The Megaminx scrambling notation of the World Cube Association (regulation 12d, after Stefan Pochmann).

One hand holds three pieces at the top left and the rest is turned: ``R++`` turns everything except the left layer by
144 degrees clockwise seen from the right, ``D++`` everything except the top layer by 144 degrees clockwise seen from
below; ``--`` is counter-clockwise; ``U`` and ``U'`` turn the top face by 72 degrees.

In hstar the centres do not move. So ``R++`` is read as a rotation of the whole puzzle, and a turn of the left face by
144 degrees clockwise seen from the left. The rotation changes which faces are left and top for later tokens;
`WcaAlg.frame` is the final orientation.

>>> alg = parse_wca("R++ D-- U'")
>>> alg.moves
('L2', "FL2'", "FL'")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hstar.errors import Fault, InvalidAlg
from hstar.puzzles.megaminx.held import TOKENS, Frame, home_frame, rotated
from hstar.puzzles.notation import tokens_of

__all__ = ["TOKENS", "WcaAlg", "format_wca", "parse_wca"]

_SUFFIXES = {1: "", 2: "2", -2: "2'", -1: "'"}


@dataclass(frozen=True, slots=True)
class WcaAlg:
    """The effect of a WCA alg on a puzzle with fixed centres.

    ``moves`` are face turns, one for each token. ``frame`` says, for each place that a WCA token can name (``U`` is the
    top, ``F`` the front, ...), which of our faces is there after the alg.
    """

    moves: tuple[str, ...]
    frame: Frame


def parse_wca(text: str) -> WcaAlg:
    """Read tokens separated by white space.

    :raises InvalidAlg: with all tokens that are not WCA notation
    """
    tokens = tokens_of(text)
    wrong = [number for number, token in enumerate(tokens, start=1) if token not in TOKENS]
    if wrong:
        known = ", ".join(TOKENS)
        faults = [Fault(f"move {n}", f"{tokens[n - 1][:40]!r} is not one of {known}") for n in wrong]
        raise InvalidAlg(
            "the alg does not parse as WCA notation, which it must be because of a token such as R++", faults
        )
    frame: Frame = home_frame()
    moves = []
    for token in tokens:
        held, steps, rotates = TOKENS[token]
        moves.append(frame[held] + _SUFFIXES[steps])
        if rotates:
            frame = rotated(frame, held, -steps)
    return WcaAlg(tuple(moves), frame)


def format_wca(moves: Sequence[str]) -> str:
    """Face turns as WCA tokens, with U on top and F in front at the beginning: the inverse of `parse_wca`.

    Most algs cannot be written so: the notation turns the top face by 72 degrees, and the top and left faces by 144.

    :raises InvalidAlg: names the first other move, and the orientation of the puzzle there
    """
    frame: Frame = home_frame()
    tokens = []
    for number, move in enumerate(moves, start=1):
        token = next((t for t, (held, steps, _) in TOKENS.items() if frame[held] + _SUFFIXES[steps] == move), None)
        if token is None:
            top, left = frame["U"], frame["L"]
            possible = f"{top}, {top}', {top}2, {top}2', {left}2 and {left}2'"
            where = f"with {top} on top and {left} at the left"
            text = f"{move} is none of {possible}, which are all that can be turned {where}"
            raise InvalidAlg("the alg cannot be written in WCA Megaminx notation", [Fault(f"move {number}", text)])
        tokens.append(token)
        held, steps, rotates = TOKENS[token]
        if rotates:
            frame = rotated(frame, held, -steps)
    return " ".join(tokens)
