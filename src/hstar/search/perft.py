"""Perft: the number of distinct states at each distance from solved.

`count_states` is the kernel's count, by layers or with two bits a state. `perft` does the same over whole layers in
NumPy: it shares no code with the kernel, and known counts are its external check (8-puzzle: 181,440 states, the last
at 31).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.errors import Fault, InvalidRequest
from hstar.options import Scratch
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.base import States
from hstar.search.control import Control, Stopped
from hstar.search.run import question

#: the most bytes for the successors of one layer, or for all states so far
MAX_BYTES = 2**30


def perft(puzzle: Puzzle, moves: MoveSet, depth: int) -> Iterator[int]:
    """Yield the number of distinct states at distance 0, 1, ... ``depth`` from solved, ending early when there are no
    more.

    :raises InvalidRequest: a layer would not fit (``MAX_BYTES``), or the depth is negative
    """
    if depth < 0:
        raise InvalidRequest("no such depth", [Fault("/depth", "expected 0 or more")])
    # States are compared with all earlier layers, because with one-way move sets a state of any earlier layer can come
    # back.
    layer = np.frombuffer(puzzle.solved, dtype=puzzle.dtype)[np.newaxis, :]
    seen = _keys(layer)
    yield 1
    for distance in range(1, depth + 1):
        if max(len(seen), len(layer) * len(moves.moves)) * layer.shape[1] * layer.itemsize > MAX_BYTES:
            raise InvalidRequest(
                f"distance {distance} is too large to count", [Fault("/depth", f"at most {distance - 1}")]
            )
        found = np.concatenate([puzzle.apply_to_all(layer, move) for move in moves.moves])
        keys, first = np.unique(_keys(found), return_index=True)
        new = ~np.isin(keys, seen, assume_unique=True)
        layer = found[first[new]]
        if not len(layer):
            return
        seen = np.concatenate([seen, keys[new]])
        yield len(layer)


def count_states(
    puzzle: Puzzle,
    moves: MoveSet,
    depth: int | None = None,
    *,
    memory_mib: int = 1024,
    threads: int = 1,
    scratch: Scratch | None = None,
    control: Control | None = None,
) -> list[int]:
    """The number of distinct states at distance 0, 1, ... ``depth`` from solved; None: of all that the moves reach.

    :param scratch: where files are kept of what memory cannot hold; an interrupted count goes on from there
    :raises InvalidRequest: a layer would not fit, the depth is negative, or the directory cannot be used
    :raises Stopped: cancelled
    """
    if depth is not None and depth < 0:
        raise InvalidRequest("no such depth", [Fault("/depth", "expected 0 or more")])
    files = {} if scratch is None else scratch.files(question(puzzle, moves, puzzle.solved, f"perft {depth}"))
    numbers = [puzzle.moves.index(move) for move in moves.moves]
    try:
        outcome = _kernel.count_layers(
            puzzle.kernel, puzzle.solved, numbers, depth=depth, threads=threads,
            memory_bytes=memory_mib << 20, control=(control or Control()).search(), **files,
        )  # fmt: skip
    except ValueError as error:
        raise InvalidRequest("the directory cannot be used", [Fault("/directory", str(error))]) from None
    if outcome.status == "cancelled":
        raise Stopped
    if outcome.status == "limit_reached":
        distance = len(outcome.layers)
        text = f"at most {distance - 1} in {memory_mib} MiB" + (
            "" if scratch is None else f" and {scratch.mib} on disk"
        )
        raise InvalidRequest(f"distance {distance} is too large to count", [Fault("/depth", text)])
    return [states for _, states in outcome.layers]


def _keys(states: States) -> np.ndarray[Any, Any]:
    """A comparable value for each row."""
    rows = np.ascontiguousarray(states)
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
