"""Submissions in a student's own notation: what their moves mean is inferred from the file, and confirmed once.

A student may number the faces, write ``+10 -7`` or ``left``, and print the solution from the last move to the first.
The assignment's instances are known, so scrambles, and solutions that undo them, tell what each token means: the tokens
at the same places vote. Then both orders and both senses of the solution are tried, and the one that solves most
instances is offered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations, product
from typing import Literal

from pydantic import Field

from hstar.errors import HstarError
from hstar.grading.assignments import Assignment, Instance
from hstar.grading.schema import SubmissionRow
from hstar.grading.submissions import Read
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.schema import Out, Strict

__all__ = ["Notation", "Reading", "rewritten", "understood"]

Order = Literal["as_written", "reversed"]

#: every meaning of a student's words is tried for so many moves
FEW_MOVES = 4
#: rows that are looked at
MAX_LOOKED = 200
#: characters of a text that a preview shows
MAX_SHOWN = 500
_ORDERS: tuple[Order, ...] = ("as_written", "reversed")
_BETWEEN = re.compile(r"[\s,;|]+|->|→|=>")
#: a move of several parts, such as ('U', 2, 1), is one token, its parts joined by `_JOINT`
_PARTS = re.compile(r"\(([^()]*,[^()]*)\)")
_JOINT = "\u00b7"
_ARROWS = re.compile("[\\s↑↓←→]*")
#: "1. up 2. left"
_NUMBERED = re.compile(r"(?:^|(?<=[\s,;|]))\d+[.)]\s")
_PHRASES = re.compile(r"[,;|]|->|→|=>")
_HYPHENS = re.compile(r"[^\W\d]+(?:-[^\W\d]+)+")
_LAST_PART = re.compile(rf"^(.*[^\W_])(?:{_JOINT}(-?\w+)|(\d))$")
_NUMBERS = re.compile(r"[\d\s,;|/()\[\]'\">→-]*")
#: how a turn goes, before or after its face; alone it is a part of the move before
_WAY = r"counter-?clockwise|anti-?clockwise|clockwise|acw|ccw|cw|inverse|inv|prime"
_WAYS = re.compile(_WAY, re.IGNORECASE)
#: a token's label, and its sign before or behind it; an i is a prime
_LABEL = re.compile(
    rf"([+-]|(?:ccw|acw|cw|cc|c)(?=[\W_]*\d))?[\W_]*(.+?)[\W_]*?({_WAY}|[+-]|['i])?", re.IGNORECASE | re.DOTALL
)


class Notation(Strict):
    """What a student's tokens mean, as it was inferred or confirmed."""

    scramble: dict[str, str] = Field(default_factory=dict, description="our moves, by the tokens of scrambles")
    solution: dict[str, str] = Field(default_factory=dict, description="our moves, by the tokens of solutions")
    order: Order = Field("as_written", description="reversed: the solution's first move is written last")


class PreviewRow(Out):
    """A line as it would be read."""

    row: int
    instance: str | None
    scramble: str | None
    solution: str
    scramble_read: str | None
    solution_read: str
    valid: bool


class Reading(Out):
    """How a file would be read."""

    certain: bool = Field(description="false: confirm the notation, or change it, before it is graded")
    notation: Notation
    source: Literal["none", "kept", "inferred", "unknown"] = Field(
        description="none: the file is in our notation; kept: confirmed earlier; unknown: nothing could be inferred"
    )
    why: list[str]
    rows: int
    valid: int = Field(description="lines of the assignment's instances whose solution solves them")
    tokens: list[str] = Field(description="tokens that are not understood")
    preview: list[PreviewRow]
    moves: list[str] = Field(description="our moves, to choose from")


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    row: SubmissionRow
    instance: Instance | None


def tokens_of(text: str, puzzle: Puzzle) -> list[str]:
    """The tokens of a text; brackets, quotes, commas and arrows are no part of them."""
    if _readable(puzzle, text):
        return text.split()
    if _ARROWS.fullmatch(text):
        return text.split() if " " in text.strip() else list(text)
    text = _NUMBERED.sub(" ", text)
    if len(phrases := _PHRASES.split(text.strip())) > 1 and all(len(_plainly(phrase)) > 1 for phrase in phrases):
        return [_JOINT.join(_plainly(phrase)) for phrase in phrases]
    if _HYPHENS.fullmatch(text.strip()):
        text = text.replace("-", " ")
    text = _PARTS.sub(lambda parts: f" {_JOINT.join(_bare(part.strip()) for part in parts[1].split(','))} ", text)
    found: list[str] = []
    for token in map(_bare, _BETWEEN.split(text.strip().strip("[](){}"))):
        if found and _WAYS.fullmatch(token):
            found[-1] += f"{_JOINT}{token}"
        elif token:
            found.append(token)
    return found


def _plainly(phrase: str) -> list[str]:
    """The words of a phrase, such as "move blank up"; those of a move and its way are none."""
    words = phrase.split()
    return [] if any(map(_WAYS.fullmatch, words)) or any(char in phrase for char in "[](){}'\"`") else words


def _bare(token: str) -> str:
    """Without brackets and quotation marks; the prime of ``U'`` stays."""
    token = token.strip("[](){}")
    return token[1:-1] if len(token) > 1 and token[0] == token[-1] and token[0] in "'\"`" else token.strip('"`')


def _readable(puzzle: Puzzle, text: str) -> bool:
    try:
        puzzle.parse_alg(text)
    except HstarError:
        return False
    return True


def rewritten(read: Read, assignment: Assignment, notation: Notation | None) -> Read:
    """The submission in our notation. Lists, commas, brackets, boards and tiles need no confirmation."""
    puzzle = assignment.puzzle
    if _says_its_notation(read):
        return read
    read = _in_moves(read, assignment)
    rows = []
    placed = _placed(read, assignment)
    for number, row in read.rows:
        update = {"instance": placed[number]} if number in placed else {}
        if row.scramble is not None:
            update["scramble"] = _said(row.scramble, puzzle, notation.scramble if notation else {}, "as_written")
        update["solution"] = _said(
            row.solution, puzzle, notation.solution if notation else {}, notation.order if notation else "as_written"
        )  # fmt: skip
        rows.append((number, row.model_copy(update=update)))
    return replace(read, rows=rows)


def _says_its_notation(read: Read) -> bool:
    return read.submission.labels is not None or read.submission.notation is not None


def _in_moves(read: Read, assignment: Assignment) -> Read:
    """With the moves of solutions that are written as the boards of a path, with or without the first one."""
    puzzle = assignment.puzzle
    if not isinstance(puzzle, SlidingTiles):
        return read
    named = {instance.name: instance.state for instance in assignment.instances}
    rows = []
    for number, row in read.rows:
        boards = _boards(row.solution, puzzle)
        start = named.get(row.instance or "") or _stated(row, puzzle)
        moves = (
            _between(boards if start in (None, boards[0]) else [start, *boards], puzzle) if boards
            else _tiles_moved(row.solution, start, puzzle)
        )  # fmt: skip
        update: dict[str, object] = {} if moves is None else {"solution": " ".join(moves)}
        start = boards[0] if start is None and moves is not None else start
        if start is not None and row.instance not in named:
            update["state"] = puzzle.format_state(start)["tiles"]
        rows.append((number, row.model_copy(update=update)))
    return replace(read, rows=rows)


def _placed(read: Read, assignment: Assignment) -> dict[int, str]:
    """The instances of rows that name none, by their number: in the assignment's order, if there is one for each."""
    shown = [instance.name for instance in assignment.instances if instance.visibility == "visible"]
    if len(read.rows) != len(shown) or any(row.instance or row.scramble or row.state for _, row in read.rows):
        return {}
    return {number: name for (number, _), name in zip(read.rows, shown, strict=True)}


def _tiles_moved(text: str, start: State | None, puzzle: SlidingTiles) -> list[str] | None:
    """The moves of a solution that names the tile that moves, if it is one from there to the goal."""
    if start is None or not _NUMBERS.fullmatch(text):
        return None
    here, moves = start, []
    for tile in map(int, re.findall(r"\d+", text)):
        if not 0 < tile < puzzle.cells:
            return None
        at = puzzle.format_state(here)["tiles"].index(tile)
        found = [one for one in puzzle.successors(here, puzzle.moves) if puzzle.format_state(one[1])["tiles"][at] == 0]
        if not found:
            return None
        ((move, here),) = found
        moves.append(move)
    return moves if here == puzzle.solved else None


def _boards(text: str, puzzle: SlidingTiles) -> list[State]:
    """The boards that a text lists; none if it is anything else."""
    if not _NUMBERS.fullmatch(text):
        return []
    words = re.findall(r"\d+", text)
    if puzzle.cells <= 10 and all(len(word) == puzzle.cells for word in words):
        words = [digit for word in words for digit in word]  # 283164075
    numbers = [int(word) for word in words]
    boards = [numbers[at : at + puzzle.cells] for at in range(0, len(numbers), puzzle.cells)]
    try:
        return [puzzle.parse_state(board) for board in boards]
    except HstarError:  # no board, or one from which the goal cannot be reached
        return []


def _stated(row: SubmissionRow, puzzle: SlidingTiles) -> State | None:
    """The start of a row that gives it as a state or a scramble."""
    try:
        if row.state is not None:
            boards = _boards(row.state, puzzle) if isinstance(row.state, str) else []
            return boards[0] if len(boards) == 1 else puzzle.parse_state(row.state)
        return None if row.scramble is None else puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(row.scramble))
    except HstarError:
        return None


def _between(boards: Sequence[State], puzzle: Puzzle) -> list[str] | None:
    """The moves from each board to the next; None if no move leads there."""
    moves = []
    for here, there in pairwise(boards):
        if here == there:
            continue
        move = next((move for move, state in puzzle.successors(here, puzzle.moves) if state == there), None)
        if move is None:
            return None
        moves.append(move)
    return moves


def _said(text: str, puzzle: Puzzle, meaning: Mapping[str, str], order: str) -> str:
    if not meaning and order == "as_written" and _readable(puzzle, text):
        return text
    found = [meaning.get(token, token) for token in tokens_of(text, puzzle)]
    if order == "reversed":
        found.reverse()
    said = " ".join(found)
    return said if meaning or order == "reversed" or _readable(puzzle, said) else text


def understood(read: Read, assignment: Assignment, kept: Notation | None = None) -> Reading:
    """How the file would be read: as it is, as it was confirmed earlier, or as it is inferred."""
    puzzle = assignment.puzzle
    plain = Notation()
    if _says_its_notation(read):
        return _reading(read, assignment, list(_lines(read, assignment)), plain, "none", [], certain=True)
    read = _in_moves(read, assignment)
    lines = list(_lines(read, assignment))
    if kept is not None and (kept.scramble or kept.solution or kept.order == "reversed"):
        unknown = _unknown(lines, puzzle, kept)
        if len(unknown) <= _few(lines):
            return _reading(read, assignment, lines, kept, "kept", ["as you confirmed it earlier"], certain=True)
    unknown = _unknown(lines, puzzle, plain)
    valid = _valid(lines, assignment, plain)
    if len(unknown) <= _few(lines) and (valid or not _known(lines)):
        return _reading(read, assignment, lines, plain, "none", [], certain=True)
    best, reached, why = plain, valid, list[str]()
    for candidate, words in _candidates(lines, assignment):
        solved = _valid(lines, assignment, candidate)
        # One line that is wrong in our moves is wrong: some other meaning would always make it right.
        if solved > reached and (solved > 1 or unknown):
            best, reached, why = candidate, solved, words
    if best is plain:
        certain = len(unknown) <= _few(lines)  # it is in our moves, and wrong
        words = [] if certain else [f"{len(unknown)} of {len(lines)} solutions are not in moves that are known here"]
        return _reading(read, assignment, lines, plain, "none" if certain else "unknown", words, certain=certain)
    why.append(f"so read, {reached} of {len(lines)} lines are right, and {valid} as they are written")
    return _reading(read, assignment, lines, best, "inferred", why, certain=False)


def _few(lines: Sequence[_Line]) -> int:
    """A few lines may have slips of the pen."""
    return max(1, len(lines) // 4)


def _lines(read: Read, assignment: Assignment) -> Iterator[_Line]:
    """Each line with its instance: by its name, by its scramble, or by its place in the file."""
    # Visible ones alone, so that a reading tells nothing of hidden ones.
    shown = [instance for instance in assignment.instances if instance.visibility == "visible"]
    by_name = {instance.name: instance for instance in shown}
    by_alg = {instance.alg: instance for instance in shown if instance.alg}
    puzzle = assignment.puzzle
    rows = read.rows[:MAX_LOOKED]
    in_order = len(rows) == len(shown) and all(
        row.scramble is None or instance.alg is None or len(tokens_of(row.scramble, puzzle)) == len(instance.alg)
        for (_, row), instance in zip(rows, shown, strict=True)
    )
    for place, (number, row) in enumerate(rows):
        instance = by_name.get(row.instance or "")
        if instance is None and row.scramble is not None and _readable(puzzle, row.scramble):
            instance = by_alg.get(tuple(puzzle.parse_alg(row.scramble)))
        if instance is None and in_order:
            instance = shown[place]
        yield _Line(number, row, instance)


def _known(lines: Sequence[_Line]) -> bool:
    return any(line.instance is not None for line in lines)


def _unknown(lines: Sequence[_Line], puzzle: Puzzle, notation: Notation) -> list[int]:
    """The lines whose scramble or solution cannot be read."""
    return [
        line.number
        for line in lines
        if not _readable(puzzle, _said(line.row.solution, puzzle, notation.solution, notation.order))
        or (
            line.row.scramble is not None
            and not _readable(puzzle, _said(line.row.scramble, puzzle, notation.scramble, "as_written"))
        )
    ]


def _valid(lines: Sequence[_Line], assignment: Assignment, notation: Notation) -> int:
    return sum(_solves(line, assignment, notation) for line in lines)


def _solves(line: _Line, assignment: Assignment, notation: Notation) -> bool:
    if line.instance is None:
        return False
    puzzle = assignment.puzzle
    try:
        alg = puzzle.parse_alg(_said(line.row.solution, puzzle, notation.solution, notation.order))
        if any(move not in assignment.moves.moves for move in alg):
            return False
        return puzzle.apply_alg(line.instance.state, alg) == puzzle.solved
    except HstarError:
        return False


def _candidates(lines: Sequence[_Line], assignment: Assignment) -> Iterator[tuple[Notation, list[str]]]:
    """Notations that the file may be in, with the reasons."""
    puzzle, allowed = assignment.puzzle, assignment.moves
    undo = _inverses(puzzle, assignment)
    votes: Counter[tuple[str, str]] = Counter()
    for line in lines:
        if line.instance is not None and line.instance.alg and line.row.scramble is not None:
            votes.update(zip(tokens_of(line.row.scramble, puzzle), line.instance.alg, strict=False))
    scramble = _elected(votes)
    reasons = [f"{token} is {move} in {votes[token, move]} scrambles" for token, move in list(scramble.items())[:6]]
    seen = {token for line in lines for token in tokens_of(line.row.solution, puzzle)}
    if scramble:
        # The last part of a move may be its direction: ('U', 2, 1), U21.
        ways = sorted({False, any(map(_LAST_PART.match, seen))})
        for apart, order, same, other in product(ways, _ORDERS, (False, True), (True, False)):
            solution = dict(_signed(seen, scramble, undo, same=same, other=other, apart=apart))
            yield Notation(scramble=_changed(scramble, puzzle), solution=_changed(solution, puzzle), order=order), [
                *reasons, *(["solutions are written from the last move to the first"] if order == "reversed" else []),
            ]  # fmt: skip
    known = {token: token for token in seen if _readable(puzzle, token) and len(puzzle.parse_alg(token)) == 1}
    if known:
        own = {token: puzzle.parse_alg(token)[0] for token in known}
        for order, inverse in product(_ORDERS, (False, True)):
            solution = {token: undo.get(move, move) if inverse else move for token, move in own.items()}
            words = ["solutions name the turns that they undo"] if inverse else []
            words += ["solutions are written from the last move to the first"] if order == "reversed" else []
            yield Notation(solution=_changed(solution, puzzle), order=order), words
    # Without scrambles, a solution that undoes the scramble move by move.
    for order in _ORDERS:
        votes = Counter()
        for line in lines:
            if line.instance is None or not line.instance.alg:
                continue
            back = [undo.get(move, "?") for move in reversed(line.instance.alg)]
            tokens = tokens_of(line.row.solution, puzzle)
            tokens = tokens[::-1] if order == "reversed" else tokens
            if len(tokens) == len(back):
                pairs = zip(tokens, back, strict=True)
                votes.update((token, move) for token, move in pairs if scramble or not _readable(puzzle, token))
        solution = {token: move for token, move in _elected(votes).items() if move in allowed.moves}
        if solution:
            first = list(solution.items())[:6]
            words = [f"{token} is {move} in {votes[token, move]} solutions" for token, move in first]
            read = {"scramble": _changed(scramble, puzzle), "solution": _changed(solution, puzzle)}
            yield Notation(**read, order=order), [*reasons, *words]
    # Of so few moves every meaning can be tried.
    if len(seen) <= len(allowed.moves) <= FEW_MOVES and not scramble:
        tokens = sorted(seen)
        for meant in permutations(allowed.moves, len(tokens)):
            solution = dict(zip(tokens, meant, strict=True))
            words = [f"with {', '.join(f'{token} as {move}' for token, move in solution.items())} most lines are right"]
            yield Notation(solution=_changed(solution, puzzle)), words


def _changed(meaning: Mapping[str, str], puzzle: Puzzle) -> dict[str, str]:
    """Without the tokens that mean what they are."""
    return {
        token: move
        for token, move in meaning.items()
        if not (_readable(puzzle, token) and tuple(puzzle.parse_alg(token)) == (move,))
    }


def _elected(votes: Counter[tuple[str, str]]) -> dict[str, str]:
    """A move for each token and a token for each move, by most votes."""
    meaning: dict[str, str] = {}
    taken: set[str] = set()
    for (token, move), _ in sorted(votes.items(), key=lambda item: (-item[1], item[0])):
        if token not in meaning and move not in taken:
            meaning[token] = move
            taken.add(move)
    return meaning


def _signed(
    seen: set[str], scramble: Mapping[str, str], undo: Mapping[str, str], *, same: bool, other: bool, apart: bool
) -> Iterator[tuple[str, str]]:
    """The moves of a solution's tokens by those of scrambles.

    :param same: whether a token with the same sign as in scrambles means the inverse; ``other``: with another sign
    :param apart: whether the last digit of a token is its sign
    """

    def split(token: str) -> tuple[str, str]:
        parts = _LAST_PART.match(token)
        if apart and parts:
            return parts[1], parts[2] or parts[3]
        signed = _LABEL.fullmatch(token)
        assert signed is not None
        return signed[2], "'" if signed[3] in ("i", "I") else (signed[1] or signed[3] or "").lower()

    by_label = {label: (sign, move) for token, move in scramble.items() for label, sign in [split(token)]}
    for token in seen:
        label, mine = split(token)
        found = (mine, scramble[token]) if token in scramble else by_label.get(label)
        if found is None:
            continue
        sign, move = found
        inverse = same if mine == sign else other
        yield token, undo.get(move, move) if inverse else move


def _inverses(puzzle: Puzzle, assignment: Assignment) -> dict[str, str]:
    """The move of the assignment that undoes each move, by its effect."""
    sets: list[MoveSet] = [puzzle.move_set(assignment.given.scramble_moves), puzzle.move_set(None), assignment.moves]
    found = {}
    for move in dict.fromkeys(move for one in sets for move in one.moves):
        start = puzzle.apply_alg(puzzle.solved, [move])
        for back, there in puzzle.successors(start, assignment.moves.moves):
            if there == puzzle.solved:
                found[move] = back
    return found


def _reading(
    read: Read, assignment: Assignment, lines: Sequence[_Line], notation: Notation, source: str, why: list[str], *,
    certain: bool,
) -> Reading:  # fmt: skip
    puzzle = assignment.puzzle
    shown = []
    for line in lines[:10]:
        scramble = line.row.scramble
        said = None if scramble is None else _said(scramble, puzzle, notation.scramble, "as_written")[:MAX_SHOWN]
        shown.append(
            PreviewRow(
                row=line.number, instance=None if line.instance is None else line.instance.name,
                scramble=None if scramble is None else scramble[:MAX_SHOWN],
                solution=line.row.solution[:MAX_SHOWN],
                scramble_read=said,
                solution_read=_said(line.row.solution, puzzle, notation.solution, notation.order)[:MAX_SHOWN],
                valid=_solves(line, assignment, notation),
            )
        )  # fmt: skip
    sets = [puzzle.move_set(assignment.given.scramble_moves), puzzle.move_set(None), assignment.moves]
    texts = [(line.row.solution, notation.solution) for line in lines]
    texts += [(line.row.scramble, notation.scramble) for line in lines if line.row.scramble is not None]
    tokens = dict.fromkeys(
        token for text, meaning in texts for token in tokens_of(text, puzzle) if token not in meaning
    )
    strange = [token for token in tokens if not _readable(puzzle, token)]
    return Reading.model_validate(
        {
            "certain": certain, "notation": notation, "source": source, "why": why, "rows": len(read.rows),
            "valid": _valid(lines, assignment, notation),
            "tokens": strange[:60] if read.submission.labels is None else [],
            "preview": shown, "moves": list(dict.fromkeys(move for one in sets for move in one.moves)),
        }
    )  # fmt: skip
