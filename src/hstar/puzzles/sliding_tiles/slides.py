"""Sliding tiles named by the way a *tile* goes: the opposite of the way the blank goes, which is hstar's own name."""

from __future__ import annotations

from collections.abc import Sequence

from hstar.errors import Fault, InvalidAlg
from hstar.puzzles.notation import tokens_of

__all__ = ["format_slides", "parse_slides"]

#: the blank's way, by the tile's
_BLANK = {"up": "D", "down": "U", "left": "R", "right": "L"}
_TILE = {blank: tile for tile, blank in _BLANK.items()}


def parse_slides(text: str) -> tuple[str, ...]:
    """``up``, ``down``, ``left``, ``right``: the way each tile goes; `InvalidAlg` lists every token that is not one."""
    tokens = tokens_of(text)
    wrong = [number for number, token in enumerate(tokens, start=1) if token not in _BLANK]
    if wrong:
        known = "is not up, down, left or right (the way a tile goes)"
        faults = [Fault(f"move {n}", f"{tokens[n - 1][:40]!r} {known}") for n in wrong]
        raise InvalidAlg("the alg does not parse as ways of tiles", faults)
    return tuple(_BLANK[token] for token in tokens)


def format_slides(moves: Sequence[str]) -> str:
    """The inverse of `parse_slides`."""
    wrong = [move for move in moves if move not in _TILE]
    if wrong:
        raise InvalidAlg(f"{wrong[0]!r} is not a move of the blank")
    return " ".join(_TILE[move] for move in moves)
