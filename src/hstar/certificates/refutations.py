"""Refutations: small files that show that something is wrong, for `checker/check.py` (docs/certificates.md).

>>> refutation = unsolvable(puzzle, moves, held)                                  # doctest: +SKIP
>>> with open("unsolvable.hcert", "wb") as file: refutation.write(file)           # doctest: +SKIP

Each function raises `Refused` if it has no witness that the checker accepts.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, BinaryIO

import numpy as np

from hstar.certificates.file import Refused, Writer
from hstar.features.base import Feature, SlotFeature
from hstar.groups.permutations import cycle_type, order
from hstar.heuristics.expression import Expression
from hstar.puzzles import MoveSet, Puzzle, State, invariants
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = [
    "Refutation",
    "inadmissible",
    "inconsistent",
    "no_path",
    "not_a_permutation",
    "shorter",
    "stated_too_high",
    "unsolvable",
    "wrong_turns",
]

UNSOLVABLE, INADMISSIBLE, INCONSISTENT, MODEL, NO_PATH, AT_MOST = 3, 4, 5, 6, 7, 8
NOT_A_PERMUTATION, WORD, SHAPE, COUNT = range(4)
SUM, MAXIMUM, UNION, STATED = range(4)
#: the checker's numbers of operations; 0 and 1 are followed by an operand
OPERATIONS = (
    "const", "feature", "add", "sub", "mul", "div", "floordiv", "min", "max", "lt", "le", "gt", "ge", "eq", "ne", "and",
    "or", "ceil", "floor", "abs", "neg", "not", "select",
)  # fmt: skip
#: words that are tried, shortest first
MAX_WORDS = 20_000
#: letters of two turns a and b: their product, their commutator, and a conjugate
SHAPES = ((0, 2), (0, 2, 1, 3), (0, 2, 2), (0, 0, 2), (0, 2, 1), (0, 2, 0, 2, 1, 3))

Turn = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Refutation:
    """A file of a puzzle, a claim, and the sections that the claim needs."""

    puzzle: Puzzle
    moves: MoveSet
    claim: bytes
    sections: Mapping[str, bytes]

    def write(self, destination: BinaryIO) -> None:
        """Write the file."""
        writer = Writer(destination)
        writer.meta(puzzle=self.puzzle.name, moves=self.moves.name)
        writer.puzzle(self.puzzle, self.moves)
        writer.section("CLAM", self.claim)
        for tag, payload in self.sections.items():
            writer.section(tag, payload)
        writer.close()


def unsolvable(puzzle: Puzzle, moves: MoveSet, held: Sequence[int]) -> Refutation:
    """No moves lead from a state to the goal, because of an invariant. What moves cost does not matter.

    :param held: what the slots of the state hold, whether or not it is a state of the puzzle
    """
    moves = puzzle.at_cost_1(moves)
    found = invariants.find(puzzle, moves, held)
    if found is None:
        raise Refused("no_witness", "no invariant of the moves differs between the state and the goal")
    return Refutation(puzzle, moves, _u8(UNSOLVABLE) + _u16(*held), {"INVR": invariant_section(puzzle, found)})


def invariant_section(puzzle: Puzzle, found: invariants.Invariant) -> bytes:
    """The section ``INVR``."""
    parts = [_u16(found.modulus, len(found.blocks))]
    parts += [_u16(block.first, len(block.labels)) for block in found.blocks]
    parts += [_u16(*found.table[slot, :count]) for slot, count in enumerate(puzzle.values)]
    for block in found.blocks:
        parts += [_u16(*block.labels[i, : puzzle.values[slot]]) for i, slot in enumerate(block.slots)]
    return b"".join(parts)


def inadmissible(puzzle: Puzzle, moves: MoveSet, h: Expression, state: State, solution: Sequence[str]) -> Refutation:
    """h is above what a solution costs."""
    claim = _u8(INADMISSIBLE) + _from_state(puzzle, moves, state, solution)
    if not h.evaluate(state) > moves.length(solution):
        raise Refused(
            "no_witness", f"in doubles h is {h.evaluate(state)!r}, and the solution has {_many(moves, solution)}"
        )
    return Refutation(puzzle, moves, claim, {"EXPR": _expression(puzzle, h, state, state)})


def stated_too_high(
    puzzle: Puzzle, moves: MoveSet, name: str, h: float, state: State, solution: Sequence[str]
) -> Refutation:
    """A value that a program printed for a state is above what a solution costs.

    :param name: what it is called, such as ``row 3``
    """
    claim = _u8(INADMISSIBLE) + _from_state(puzzle, moves, state, solution)
    if not h > moves.length(solution):
        raise Refused("no_witness", f"{name} is {h!r}, and the solution has {_many(moves, solution)}")
    stated = _u16(1) + _stated(name, h, h) + _u16(1) + _u8(OPERATIONS.index("feature")) + _u16(0)
    return Refutation(puzzle, moves, claim, {"EXPR": stated})


def inconsistent(puzzle: Puzzle, moves: MoveSet, h: Expression, state: State, move: str) -> Refutation:
    """One move lowers h by more than it costs."""
    after = puzzle.apply_alg(state, [move])
    claim = _u8(INCONSISTENT) + _from_state(puzzle, moves, state, [move])
    if not h.evaluate(state) > moves.cost(move) + h.evaluate(after):
        raise Refused("no_witness", f"in doubles {move} lowers h from {h.evaluate(state)!r} to {h.evaluate(after)!r}")
    return Refutation(puzzle, moves, claim, {"EXPR": _expression(puzzle, h, state, after)})


def shorter(puzzle: Puzzle, moves: MoveSet, state: State, solution: Sequence[str]) -> Refutation:
    """A solution of so many moves, or one that costs so much, exists."""
    return Refutation(puzzle, moves, _u8(AT_MOST) + _from_state(puzzle, moves, state, solution), {})


def no_path(puzzle: Puzzle, moves: MoveSet, start: State, end: Sequence[int], alg: Sequence[str]) -> Refutation:
    """An alg does not lead from a state to another, or one of its moves cannot be made. What it costs does not matter.

    :param end: what the slots of the other hold
    """
    moves = puzzle.at_cost_1(moves)
    claim = _u8(NO_PATH) + _u16(*puzzle.contents(start), *end) + _alg(moves, alg)
    return Refutation(puzzle, moves, claim, {})


def not_a_permutation(puzzle: Puzzle, moves: MoveSet, turns: Mapping[str, Sequence[object]]) -> Refutation:
    """One of the turns of a model is no permutation of its slots. Of turns with something else than numbers there is
    no proof: a file cannot hold them."""
    size = max(map(len, turns.values()))
    numbers = {name: [v for v in p if type(v) is int and 0 <= v < 2**16] for name, p in turns.items()}
    fitting = {name: p for name, p in numbers.items() if len(p) == len(turns[name]) == size}
    for number, p in enumerate(fitting.values()):
        if sorted(p) != list(range(size)):
            return Refutation(puzzle, moves, struct.pack("<BBH", MODEL, NOT_A_PERMUTATION, number), _model(fitting))
    raise Refused("no_witness", "the turns have different numbers of slots, or no numbers")


def wrong_turns(
    puzzle: Puzzle, moves: MoveSet, turns: Mapping[str, Sequence[int]], ours: Sequence[str] | None = None
) -> Refutation:
    """The turns of a model are not the moves of the puzzle, whatever their names and numbers of slots.

    :param ours: our move for each of their turns, if that is known: then a word has another order
    """
    if not isinstance(puzzle, PermutationPuzzle) or not puzzle.all_different:
        raise Refused("no_witness", f"{puzzle.name} has identical pieces, which words do not tell apart")
    if len(turns) != len(moves.moves):
        return Refutation(puzzle, moves, struct.pack("<BB", MODEL, COUNT), _model(turns))
    theirs = [np.array(p) for p in turns.values()]
    own = dict(zip(moves.moves, np.argsort(puzzle.images(moves.moves), axis=1), strict=True))
    if ours is not None and set(ours) <= set(own):
        word = _differing([*theirs], [own[move] for move in ours])
        if word is not None:
            numbers = [moves.moves.index(ours[turn]) for turn in sorted(set(word))]
            claim = struct.pack("<BB", MODEL, WORD) + _u16(len(word), *(2 * turn for turn in word), *numbers)
            return Refutation(puzzle, moves, claim, _model(turns))
    found = _shape(theirs, list(own.values()))
    if found is None:
        raise Refused("no_witness", "no short word of the turns has an order that shows it")
    chosen, letters = found
    claim = struct.pack("<BB", MODEL, SHAPE) + _u16(len(letters), *(2 * chosen[n // 2] + n % 2 for n in letters))
    return Refutation(puzzle, moves, claim, _model(turns))


def _differing(theirs: Sequence[Turn], ours: Sequence[Turn]) -> tuple[int, ...] | None:
    """The shortest word, of those that are tried, that has another order in one than in the other."""
    tried = 0
    for length in range(1, 9):
        for word in product(range(len(theirs)), repeat=length):
            tried += 1
            if tried > MAX_WORDS:
                return None
            if _order_of([theirs[n] for n in word]) != _order_of([ours[n] for n in word]):
                return word
    return None


def _shape(theirs: Sequence[Turn], ours: Sequence[Turn]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """One or two turns and letters of them whose order no moves of ours have, whichever are chosen."""
    for letters in ((0,), *SHAPES):
        variables = 1 + max(letters) // 2
        allowed = {_instance(chosen, letters) for chosen in permutations(ours, variables)}
        for chosen in permutations(range(len(theirs)), variables):
            if _instance([theirs[n] for n in chosen], letters) not in allowed:
                return chosen, letters
    return None


def _instance(chosen: Sequence[Turn], letters: Sequence[int]) -> int:
    return _order_of([np.argsort(chosen[n // 2]) if n % 2 else chosen[n // 2] for n in letters])


def _order_of(turns: Sequence[Turn]) -> int:
    """How often turns are repeated, one after the other, until nothing has moved; new[i] = old[p[i]]."""
    word = np.arange(len(turns[0]))
    for turn in turns:
        word = word[turn]
    return order(cycle_type(tuple(word.tolist())))


def _model(turns: Mapping[str, Sequence[int]]) -> dict[str, bytes]:
    size = len(next(iter(turns.values())))
    names = b"".join(_text(name) for name in turns)
    return {"MODL": _u16(size, len(turns)) + names + b"".join(_u16(*p) for p in turns.values())}


def _expression(puzzle: Puzzle, h: Expression, state: State, after: State) -> bytes:
    """The section ``EXPR``: features as tables, or as values at two states where they have none, and the program."""
    program = h.root.postfix()
    parts = [_u16(len(h.features)), *(_feature(puzzle, feature, state, after) for feature in h.features)]
    parts.append(_u16(len(program)))
    for op, operand in program:
        parts.append(_u8(OPERATIONS.index(op)))
        if op == "const":
            parts.append(struct.pack("<d", operand))
        elif op == "feature":
            parts.append(_u16(int(operand or 0)))
    return b"".join(parts)


def _feature(puzzle: Puzzle, feature: Feature, state: State, after: State) -> bytes:
    if not isinstance(feature, SlotFeature):
        return _stated(feature.name, feature.evaluate(state), feature.evaluate(after))
    kind, dtype = {"table": (SUM, "<i4"), "maximum": (MAXIMUM, "<i4"), "union": (UNION, "<u8")}[feature.kind]
    rows = (feature.table[slot, :count].astype(dtype).tobytes() for slot, count in enumerate(puzzle.values))
    return _u8(kind) + b"".join(rows)


def _stated(name: str, value: float, after: float) -> bytes:
    return _u8(STATED) + _text(name) + struct.pack("<dd", value, after)


def _from_state(puzzle: Puzzle, moves: MoveSet, state: State, alg: Sequence[str]) -> bytes:
    return _u16(*puzzle.contents(state)) + _alg(moves, alg)


def _alg(moves: MoveSet, alg: Sequence[str]) -> bytes:
    outside = sorted(set(alg) - set(moves.moves))
    if outside:
        raise Refused("no_witness", f"{outside[0]} is not one of the moves {moves.name}")
    return struct.pack("<I", len(alg)) + bytes(moves.moves.index(move) for move in alg)


def _many(moves: MoveSet, alg: Sequence[str]) -> str:
    return f"moves that cost {moves.length(alg)}" if moves.costs else f"{len(alg)} moves"


def _text(text: str) -> bytes:
    cut = text.encode()[:255].decode(errors="ignore").encode()
    return _u8(len(cut)) + cut


def _u8(value: int) -> bytes:
    return struct.pack("<B", value)


def _u16(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}H", *(int(value) for value in values))
