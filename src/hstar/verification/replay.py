"""Replaying a claimed solution, move by move, in the student's names and notation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hstar.errors import InvalidAlg
from hstar.labels import Labelling
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.puzzles.notation import Said
from hstar.schema import MAX_SCRAMBLE_LENGTH

__all__ = ["Reader", "Replay", "replay"]


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay: the moves that were made, and the first wrong one, if any.

    ``length`` is what the moves cost, and 1 for each token that was not made; ``number`` counts the solution's tokens
    from 1; ``reason`` is set if the solution is not valid.
    """

    moves: tuple[str, ...]
    length: int
    end: State
    number: int | None
    reason: str | None
    unsolved: tuple[str, ...]

    @property
    def valid(self) -> bool:
        return self.reason is None


@dataclass(frozen=True)
class Reader:
    """Reads and writes moves in a student's labels and notation."""

    puzzle: Puzzle
    labelling: Labelling | None = None
    notation: str | None = None

    def said(self, text: str) -> list[Said]:
        """The parts of an alg that are moves by themselves."""
        if self._own_notation:
            try:
                return self.puzzle.said(text)
            except InvalidAlg:  # the first token that cannot be read is the first wrong move
                pass
        elif self.labelling is None and self.notation == "wca":
            return [Said(text)]  # which rotates the puzzle, so that the meaning of a token depends on those before
        return [Said(token) for token in text.split()]

    @property
    def _own_notation(self) -> bool:
        return self.labelling is None and self.notation in (None, next(iter(self.puzzle.notations)))

    def begin(self) -> Callable[[Said], tuple[str, ...]]:
        """A function that reads the tokens of one alg, one after the other; it raises `InvalidAlg`."""
        if self._own_notation:
            return self.puzzle.reader()
        reads = self.labelling.parse_alg if self.labelling else self.puzzle.notation(self.notation or "").parse
        return lambda said: reads(said.text)

    def format(self, moves: Sequence[str]) -> list[str]:
        """Each of our moves as the student writes it, by itself."""
        if self.labelling is not None:
            return self.labelling.format_moves(moves)
        if self.notation not in (None, "wca"):
            return [self.puzzle.notation(self.notation).format([move]) for move in moves]
        return [self.puzzle.format_alg([move]) for move in moves]

    def in_names(self, text: str) -> str:
        """A message in the student's names."""
        return text if self.labelling is None else self.labelling.in_names(text)


def replay(reader: Reader, start: State, moves: MoveSet, solution: str) -> Replay:
    """Make the moves of ``solution`` from ``start`` until one is wrong.

    A move is wrong if it cannot be read, is not in the move set, or is not possible at that point. That is part of the
    answer; nothing is raised.
    """
    puzzle = reader.puzzle
    allowed = set(moves.moves)
    state = start
    made: list[str] = []

    def wrong(number: int, reason: str) -> Replay:
        return Replay(tuple(made), moves.length(made) + len(tokens) - number + 1, state, number, reason, ())

    tokens, read_next = reader.said(solution), reader.begin()
    for number, token in enumerate(tokens, start=1):
        if len(made) >= MAX_SCRAMBLE_LENGTH:
            return wrong(number, f"the solution has more than {MAX_SCRAMBLE_LENGTH:,} moves, the most that are read")
        try:
            read = read_next(token)
        except InvalidAlg as error:
            return wrong(number, error.shortly)
        for move in read:
            if move not in allowed:
                return wrong(number, f"{str(token)[:40]} is not in the move set {moves.name}: {moves.description}")
            after = puzzle.apply(state, move)
            if after is None:
                return wrong(number, f"{str(token)[:40]} is not possible: {puzzle.why_not(state, move)}")
            state = after
            made.append(move)
    unsolved = tuple(map(reader.in_names, still_unsolved(puzzle, state)))
    reason = None if state == puzzle.solved else f"after the last move the puzzle is not solved: {', '.join(unsolved)}"
    return Replay(tuple(made), moves.length(made), state, None, reason, unsolved)


def still_unsolved(puzzle: Puzzle, state: State) -> list[str]:
    """Pieces by orbit, or tiles, that are out of place, as text."""
    wrong = puzzle.out_of_place(state)
    return [f"{len(names)} {kind} out of place ({_some(names)})" for kind, names in wrong.items()]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
