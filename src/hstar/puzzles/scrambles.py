"""Scrambles: k random moves from a seed, the same on every machine and in every version.

The random numbers are SHA-256 of a text, so that no library's generator can change them:
block b of the stream is ``SHA-256("hstar scramble 1|<puzzle>|<move set>|<k>|<seed>|<b>")``, read as four big-endian
64-bit words. A choice among n is the next word w with ``w < n * floor(2**64 / n)``, modulo n (no bias). Each move is
drawn from the moves of the set that can be made, in the set's order, without the one that undoes the move before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from hstar import schema
from hstar.errors import Fault, InvalidRequest
from hstar.puzzles.base import Puzzle, State


def random_words(label: str) -> Iterator[int]:
    """Random 64-bit words from a text, without end."""
    block = 0
    while True:
        digest = sha256(f"{label}|{block}".encode()).digest()
        for i in range(0, 32, 8):
            yield int.from_bytes(digest[i : i + 8], "big")
        block += 1


def choose(words: Iterator[int], count: int) -> int:
    """A number from 0 to ``count`` - 1, all equally likely."""
    fair = 2**64 // count * count
    return next(word for word in words if word < fair) % count


def random_state(puzzle: Puzzle, seed: int, moves: str | None = None) -> State:
    """A uniformly random state among those that the moves (default: the puzzle's) reach from the goal.

    A seed gives the same state on every machine and in every version. The random numbers are made as for scrambles,
    with the text ``hstar random state 1|<puzzle>|<seed>``. Each puzzle's own ``random_state`` defines what they choose.

    :raises UnknownName: no such move set
    :raises InvalidRequest: the seed is out of range
    """
    if not 0 <= seed < 2**63:
        raise InvalidRequest("no such random state", [Fault("/seed", "expected 0 to 2^63 - 1")])
    words = random_words(f"hstar random state 1|{puzzle.name}|{seed}")
    return puzzle.random_state(lambda count: choose(words, count), puzzle.at_cost_1(puzzle.move_set(moves, costs=True)))


def make_scramble(puzzle: Puzzle, k: int, seed: int, moves: str | None = None) -> schema.Scramble:
    """k random moves of the move set ``moves`` (default: the puzzle's scramble set), and the state that they lead to.

    The goal board of a sliding-tile puzzle is where the moves start; it does not change which moves are drawn.

    :raises UnknownName: no such move set
    :raises InvalidRequest: k or seed out of range, or fewer than k of these moves can be made one after the other
    """
    faults = []
    if not 0 <= k <= schema.MAX_SCRAMBLE_LENGTH:
        faults.append(Fault("/k", f"expected 0 to {schema.MAX_SCRAMBLE_LENGTH}, found {k}"))
    if not 0 <= seed < 2**63:
        faults.append(Fault("/seed", "expected 0 to 2^63 - 1"))
    if faults:
        raise InvalidRequest("no such scramble", faults)
    move_set = puzzle.move_set(puzzle.default_scramble_moves if moves is None else moves)
    words = random_words(f"hstar scramble 1|{puzzle.name}|{move_set.name}|{k}|{seed}")
    state = puzzle.solved
    alg: list[str] = []
    for _ in range(k):
        undoing = puzzle.inverse(alg[-1]) if alg else None
        legal = puzzle.legal(state, move_set.moves)
        # At the end of a board one cell wide the only move is back.
        choices = [move for move in legal if move != undoing] or legal
        if not choices:
            text = f"after {len(alg)} of {k} moves none of {move_set.name} can be made"
            raise InvalidRequest("no such scramble", [Fault("/moves", text)])
        alg.append(choices[choose(words, len(choices))])
        state = puzzle.apply_alg(state, alg[-1:])
    return schema.Scramble(
        puzzle=puzzle.name, moves=move_set.name, k=k, seed=seed, alg=alg, state=puzzle.format_state(state)
    )
