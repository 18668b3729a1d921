"""What students hand in as it comes: their columns, moves, orders and printed output, and what is inferred of them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from hstar.grading import Assignment, grade, read_assignment, read_submission
from hstar.grading.intake import Notation, rewritten, understood
from hstar.puzzles.megaminx.colours import format_colours

MEGAMINX = read_assignment(
    json.dumps({
        "title": "Megaminx", "puzzle": "megaminx", "scramble_moves": "cw", "moves": "ccw",
        "instances": [{"k": [3, 4, 5, 6], "each": 3, "seed": 1}], "rubric": [{"kind": "valid", "points": 12}],
    })
)  # fmt: skip
BOARDS = read_assignment(
    json.dumps({
        "title": "Boards", "puzzle": "8-puzzle",
        "instances": [{"k": [4, 6, 8], "each": 2, "seed": 3}], "rubric": [{"kind": "valid", "points": 6}],
    })
)  # fmt: skip
FACES = list(MEGAMINX.puzzle.move_set("cw").moves)
NUMBER = {face: (5 * i + 7) % 12 for i, face in enumerate(FACES)}
COLOUR = {face: format_colours([face]) for face in FACES}


def algs(over: Assignment) -> list[tuple[str, ...]]:
    return [instance.alg or () for instance in over.instances]


def back(over: Assignment, alg: tuple[str, ...]) -> list[str]:
    """The moves that undo an alg, first the last one."""
    puzzle = over.puzzle
    undo = {}
    for move in {*over.puzzle.move_set(over.given.scramble_moves).moves, *alg}:
        start = puzzle.apply_alg(puzzle.solved, [move])
        undo[move] = next(m for m, there in puzzle.successors(start, over.moves.moves) if there == puzzle.solved)
    return [undo[move] for move in reversed(alg)]


def signed_numbers() -> bytes:
    """``+10 -7``: faces by number, with a sign for the direction, as lists in JSON."""
    rows = [
        {
            "scramble": [f"+{NUMBER[m]}" for m in alg],
            "solution": [f"-{NUMBER[m]}" for m in reversed(alg)],
        }
        for alg in algs(MEGAMINX)
    ]
    return json.dumps(rows).encode()


def numbers_alone() -> bytes:
    """``[10, 7]``: the solution names the faces, always turned the other way, in a German table."""
    numbers = [[NUMBER[m] for m in alg] for alg in algs(MEGAMINX)]
    return "\n".join(["Scramble;Lösung;Knoten", *(f"{one};{one[::-1]};17" for one in numbers)]).encode("cp1252")


def printed_colours() -> bytes:
    """Colours for both, and the solution in the order of the scramble, as the first system prints them."""
    blocks = []
    for number, alg in enumerate(algs(MEGAMINX)):
        colours = " ".join(COLOUR[m] for m in alg)
        blocks.append(
            f"Puzzle {number}\n  scramble: {colours}\n  solution: {colours}\n  nodes expanded: {10 + number}\n"
        )
    return "\n".join(blocks).encode()


def solutions_alone() -> bytes:
    """Only the names of instances, and moves of the student's own."""
    rows = [
        {"instance": i.name, "solution": " ".join(f"turn{NUMBER[m]}" for m in reversed(i.alg or ()))}
        for i in MEGAMINX.instances
    ]
    return json.dumps({"results": rows}).encode()


def directions() -> bytes:
    """Words for the moves of boards."""
    words = {"U": "oben", "D": "unten", "L": "links", "R": "rechts"}
    lines = ["Instanz\tLösungsweg\tTiefe"]
    for instance in BOARDS.instances:
        moves = back(BOARDS, instance.alg or ())
        lines.append(f"{instance.name}\t{' -> '.join(words[m] for m in moves)}\t{len(moves)}")
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    ("over", "made"),
    [
        (MEGAMINX, signed_numbers), (MEGAMINX, numbers_alone), (MEGAMINX, printed_colours), (MEGAMINX, solutions_alone),
        (BOARDS, directions),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)  # fmt: skip
def test_a_notation_is_inferred_and_confirmed(over: Assignment, made: Callable[[], bytes]) -> None:
    read = read_submission(made(), "file")
    assert read.faults == []
    assert len(read.rows) == len(over.instances)
    found = understood(read, over)
    assert (found.certain, found.source) == (False, "inferred"), found
    assert found.valid == len(over.instances), found.why
    assert found.why
    assert all(line.valid for line in found.preview)
    # As it came it would have had no points; confirmed it has all, and keeps them for the next file.
    assert grade(over, rewritten(read, over, None)).score == 0
    graded = grade(over, rewritten(read, over, found.notation))
    assert (graded.score, graded.ignored) == (graded.max_score, [])
    again = understood(read_submission(made(), "file"), over, found.notation)
    assert (again.certain, again.source, again.valid) == (True, "kept", len(over.instances))


@pytest.mark.parametrize(
    "solution",
    ["R' F' U'", ["R'", "F'", "U'"], "[R', F', U']", "R',F',U'", '["R\'", "F\'", "U\'"]', "R' -> F' -> U'"],
)
def test_lists_and_commas_need_no_confirmation(solution: object) -> None:
    over = read_assignment(
        json.dumps({
            "title": "t", "puzzle": "megaminx", "moves": "ccw", "instances": [{"name": "one", "alg": "U F R"}],
            "rubric": [{"kind": "valid", "points": 1}],
        })
    )  # fmt: skip
    read = read_submission(json.dumps([{"scramble": ["U", "F", "R"], "solution": solution}]).encode())
    found = understood(read, over)
    assert (found.certain, found.source, found.valid, found.tokens) == (True, "none", 1, [])
    assert grade(over, rewritten(read, over, found.notation)).score == 1


def test_what_cannot_be_inferred_is_offered_and_not_worth_nothing() -> None:
    rows = [{"instance": i.name, "solution": "foo bar"} for i in MEGAMINX.instances]
    found = understood(read_submission(json.dumps(rows).encode()), MEGAMINX)
    assert (found.certain, found.source, found.tokens) == (False, "unknown", ["foo", "bar"])
    assert "U'" in found.moves


def test_wrong_work_in_our_notation_is_wrong_and_not_reinterpreted() -> None:
    rows = [{"instance": i.name, "solution": "U' F' R'"} for i in MEGAMINX.instances]
    found = understood(read_submission(json.dumps(rows).encode()), MEGAMINX)
    assert (found.certain, found.source) == (True, "none")
    half = [
        {"instance": i.name, "solution": " ".join(back(MEGAMINX, i.alg or ())) if n % 2 else "U'"}
        for n, i in enumerate(MEGAMINX.instances)
    ]
    found = understood(read_submission(json.dumps(half).encode()), MEGAMINX)
    assert (found.certain, found.notation) == (True, Notation())


def test_columns_that_are_missing_are_named() -> None:
    with pytest.raises(Exception, match="found the columns Verdrehung, Antwort; expected"):
        read_submission(b"Verdrehung;Antwort\nU;U'\n")
