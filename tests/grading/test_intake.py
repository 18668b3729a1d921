"""What students hand in as it comes: their columns, moves, orders and printed output, and what is inferred of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise

import pytest

from hstar.grading import Assignment, grade, read_assignment, read_something, read_submission
from hstar.grading.intake import Notation, Reading, _elected, rewritten, tokens_of, understood
from hstar.grading.schema import SubmissionRow
from hstar.puzzles import State
from hstar.puzzles.megaminx import NEIGHBOURS
from hstar.puzzles.megaminx.colours import format_colours
from tests.conftest import TEST_ALL

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
    [
        "R' F' U'", ["R'", "F'", "U'"], "[R', F', U']", "R',F',U'", '["R\'", "F\'", "U\'"]', "R' -> F' -> U'",
        '"R\' F\' U\'"', "`R', F', U'",
    ],
)  # fmt: skip
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


def test_a_prime_turns_the_other_way_after_any_letter() -> None:
    """``a'`` for most turns, and ``a a`` for the one that the scramble began with; scrambles have no primes."""
    letter = dict(zip(BOTH_WAYS.puzzle.move_set("cw12").moves, "acdefghijkmn", strict=True))
    lines = ["scramble,solution"]
    for first, *others in algs(BOTH_WAYS):
        back = [*(f"{letter[move]}'" for move in reversed(others)), letter[first], letter[first]]
        lines.append(f"{' '.join(letter[move] for move in (first, *others))},{' '.join(back)}")
    read = read_submission("\n".join(lines).encode(), "mine.csv")
    found = understood(read, BOTH_WAYS)
    assert (found.valid, found.certain) == (12, False)
    assert [line.instance for line in found.preview] == [one.name for one in BOTH_WAYS.instances[:10]]
    assert grade(BOTH_WAYS, rewritten(read, BOTH_WAYS, found.notation)).score == 12


def test_our_moves_may_be_written_from_the_last_to_the_first() -> None:
    there = {one.name: " ".join(back(BOARDS, one.alg or ())) for one in BOARDS.instances}
    del there["k = 6, 2"]  # it is right in either order
    lines = [f"{name},{' '.join(reversed(moves.split()))}" for name, moves in there.items()]
    read = read_submission("\n".join(["instance,solution", *lines]).encode(), "mine.csv")
    found = understood(read, BOARDS)
    assert (found.valid, found.certain, found.notation) == (len(there), False, Notation(order="reversed"))
    assert [line.solution_read for line in found.preview] == [*there.values()]


def test_what_nobody_can_read_stays_as_it_was_written() -> None:
    """So that the reason names what the student wrote; moves that a notation explains are rewritten anyhow."""
    rows = [{"instance": MEGAMINX.instances[0].name, "solution": text} for text in ("foo,  [bar]", "foo,  [U']")]
    read = read_submission(json.dumps(rows).encode())
    assert [row.solution for _, row in rewritten(read, MEGAMINX, None).rows] == ["foo,  [bar]", "foo,  [U']"]
    kept = Notation(solution={"foo": "R'"})
    assert [row.solution for _, row in rewritten(read, MEGAMINX, kept).rows] == ["R' bar", "R' U'"]


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


# -- what the programs of the five course reports print (docs/systems.md) ---------------------------------------------

FIVES = read_assignment(
    json.dumps({
        "title": "S5", "puzzle": "8-puzzle", "goal": [1, 2, 3, 8, 0, 4, 7, 6, 5],
        "instances": [
            {"name": "A", "state": [2, 8, 3, 1, 6, 4, 0, 7, 5]}, {"name": "B", "state": [2, 1, 6, 4, 0, 8, 7, 5, 3]},
        ],
        "rubric": [{"kind": "valid", "points": 2}],
    })
)  # fmt: skip


def pyraminx(scrambles: str, moves: str | None = None) -> Assignment:
    return read_assignment(
        json.dumps({
            "title": scrambles, "puzzle": "master_pyraminx", "scramble_moves": scrambles, "moves": moves or scrambles,
            "instances": [{"k": [2, 3, 4], "each": 4, "seed": 1}], "rubric": [{"kind": "valid", "points": 12}],
        })
    )  # fmt: skip


CORNERS3, CORNERS4 = pyraminx("cw12"), pyraminx("layers32")
BOTH_WAYS = pyraminx("cw12", "layers32")


def s1() -> bytes:
    """Colours in lists, and the solution in the order of the scramble."""
    blocks = []
    for number, alg in enumerate(algs(MEGAMINX)):
        colours = [COLOUR[move] for move in alg]
        said = f"scramble: {colours}\nsolution: {colours}\nnodes expanded: 9\ndepth: {len(alg)}\n"
        blocks.append(f"k = {len(alg)}, puzzle {number}\n{said}")
    return "\n".join(blocks).encode()


def s2() -> bytes:
    """Faces by number; clockwise turns undone by counter-clockwise ones."""
    blocks = []
    for number, alg in enumerate(algs(MEGAMINX)):
        faces = [NUMBER[move] for move in alg]
        blocks.append(f"k: {len(alg)} trial: {number}\nScrambled with: {faces}\nMoves to solve: {faces[::-1]}\n")
    return "".join(blocks).encode()


def s3() -> bytes:
    """A log of corners and layers; a turn is undone by the same one twice."""
    names = {move: f"{'ULRB'[n // 3]}{n % 3 + 1}" for n, move in enumerate(CORNERS3.moves.moves)}
    blocks = []
    for alg in algs(CORNERS3):
        said, twice = [names[move] for move in alg], [names[move] for move in reversed(alg) for _ in range(2)]
        cost = f"Total cost: {len(twice)}\nDepth: {len(twice)}"
        blocks.append(f"Scramble log: {', '.join(said)}\nSolution: {', '.join(twice)}\n{cost}\n")
    return "\n".join(blocks).encode()


def fours() -> dict[str, tuple[str, int, int]]:
    moves = CORNERS4.moves.moves
    return {move: ("ULRB"[n // 8], n % 8 // 2 + 1, n % 2 + 1) for n, move in enumerate(moves)}


def s4() -> bytes:
    """Corner, layer and direction (1 clockwise, 2 counter-clockwise) as Python prints tuples. No convention counts
    these nodes, which takes seconds to find out where a scramble is long."""
    names = fours()
    return "".join(
        f"Scrambled: {[names[m] for m in alg]}\nSolution: {[names[m] for m in back(CORNERS4, alg)]}\n"
        + ("Nodes: 9\n" if len(alg) < 4 or TEST_ALL else "")
        for alg in algs(CORNERS4)
    ).encode()


def s4_in_digits() -> bytes:
    names = {move: "".join(map(str, parts)) for move, parts in fours().items()}
    lines = [[[names[m] for m in alg], [names[m] for m in back(CORNERS4, alg)]] for alg in algs(CORNERS4)]
    return "\n".join(["scramble,solution", *(",".join(" ".join(part) for part in line) for line in lines)]).encode()


def s5() -> bytes:
    """The total path board by board, and ET, NG, NE, D and b*."""
    blocks = []
    for instance in FIVES.instances:
        boards = [FIVES.puzzle.format_state(state)["tiles"] for state in path_of(instance.state)]
        shown = "\n\n".join("\n".join(" ".join(map(str, tiles[i : i + 3])) for i in (0, 3, 6)) for tiles in boards)
        figures = f"ET: 0.1\nNG: 27\nNE: 8\nD: {len(boards) - 1}\nb*: 4"
        blocks.append(f"Heuristic: misplaced\nTotal path:\n{shown}\n\n{figures}\n")
    return "\n".join(blocks).encode()


def s5_in_json() -> bytes:
    """Boards as lists of rows, without the one that it starts from."""
    rows = []
    for instance in FIVES.instances:
        tiles = [FIVES.puzzle.format_state(state)["tiles"] for state in path_of(instance.state)[1:]]
        rows.append({"instance": instance.name, "path": [[b[0:3], b[3:6], b[6:9]] for b in tiles], "NE": 8})
    return json.dumps(rows).encode()


def path_of(start: State) -> list[State]:
    """The boards of a shortest path to the goal, by breadth first search."""
    puzzle = FIVES.puzzle
    before: dict[State, State | None] = {start: None}
    layer = [start]
    while puzzle.solved not in before:
        layer = [there for here in layer for there in unseen(here, before)]
    path: list[State] = []
    at: State | None = puzzle.solved
    while at is not None:
        path.append(at)
        at = before[at]
    return path[::-1]


def unseen(here: State, before: dict[State, State | None]) -> list[State]:
    found = [there for _, there in FIVES.puzzle.successors(here, FIVES.moves.moves) if there not in before]
    before.update(dict.fromkeys(found, here))
    return found


@pytest.mark.parametrize(
    ("over", "made"),
    [
        (MEGAMINX, s1), (MEGAMINX, s2), (CORNERS3, s3), (CORNERS4, s4), (CORNERS4, s4_in_digits), (FIVES, s5),
        (FIVES, s5_in_json),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)  # fmt: skip
def test_the_output_of_each_report_is_graded_as_it_stands(over: Assignment, made: Callable[[], bytes]) -> None:
    """With at most one question, whose answer is offered: all points, and the same in our own notation."""
    read = read_something(made(), "output.txt")
    reading = understood(read, over)
    assert (reading.valid, reading.rows) == (len(over.instances), len(over.instances))
    assert reading.certain == (over is FIVES)
    found = grade(over, rewritten(read, over, reading.notation))
    assert (found.score, found.faults) == (len(over.instances), [])


def test_a_path_that_jumps_is_wrong_and_not_read_as_moves() -> None:
    data = json.loads(s5_in_json())
    del data[1]["path"][4]
    read = read_something(json.dumps(data).encode(), "path.json")
    found = grade(FIVES, rewritten(read, FIVES, understood(read, FIVES).notation))
    assert [one.valid for one in found.graded] == [True, False]


def test_names_of_instances_need_no_quotation_marks() -> None:
    """An instance without a name of its own is called "k = 3, 1"."""
    lines = [f"{i.name},{' '.join(back(MEGAMINX, i.alg or ()))},17" for i in MEGAMINX.instances]
    read = read_something("\n".join(["instance,solution,nodes", *lines]).encode(), "mine.csv")
    found = grade(MEGAMINX, read)
    assert (found.score, found.faults, found.ignored) == (12, [], [])
    assert {one.expanded for one in found.graded} == {17}


# -- word by word ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a, b", ["a", "b"]),
        ("move up, move left", ["move·up", "move·left"]),
        ("move up, move left, go down now", ["move·up", "move·left", "go·down·now"]),
        ("move up", ["move", "up"]),
        ("move up, left", ["move", "up", "left"]),
        ("turn up cw, turn left", ["turn", "up·cw", "turn", "left"]),
        ("(a b), (c d)", ["a", "b", "c", "d"]),
        ("('x', 2, 1), ('y', 3, 2)", ["x·2·1", "y·3·2"]),
        ("cw a b cw c", ["cw", "a", "b·cw", "c"]),
        ("'x', `y`, \"z\", x', '', 'w, aba", ["x", "y", "z", "x'", "'w", "aba"]),
        ("'' aa", ["aa"]),
        ("1. x 2. y", ["x", "y"]),
        ("ab-cd-ef", ["ab", "cd", "ef"]),
        ("↑↓", ["↑", "↓"]),
        ("↑ ↓", ["↑", "↓"]),
        ("[x', y']", ["x'", "y'"]),
        ("  ", []),
    ],
)
def test_the_words_of_a_text(text: str, tokens: list[str]) -> None:
    assert tokens_of(text, MEGAMINX.puzzle) == tokens


def test_each_word_has_one_meaning_by_most_votes() -> None:
    votes = {("b", "U"): 2, ("a", "U"): 2, ("a", "F"): 1, ("b", "F"): 1, ("c", "R"): 3, ("c", "F"): 4}
    assert _elected(Counter(votes)) == {"c": "F", "a": "U"}


@pytest.mark.parametrize("forms", [("x x", "x'"), ("x' x'", "x"), ("x'", "x"), ("x x'", "x' x")])
@pytest.mark.parametrize("mark", ["'", "i"])
def test_a_sign_means_the_same_turn_or_the_other_one(mark: str, forms: tuple[str, str]) -> None:
    """Turns of a third: one turn back, or two turns on; with and without a sign, whatever the sign means."""
    letter = dict(zip(BOTH_WAYS.puzzle.move_set("cw12").moves, "abdefghjkmno", strict=True))
    lines = ["scramble,solution"]
    for alg in algs(BOTH_WAYS):
        undone = [forms[n % 2].replace("'", mark).replace("x", letter[move]) for n, move in enumerate(reversed(alg))]
        lines.append(f"{' '.join(letter[move] for move in alg)},{' '.join(undone)}")
    found = understood(read_submission("\n".join(lines).encode(), "mine.csv"), BOTH_WAYS)
    assert (found.valid, found.certain) == (12, False)


def plain_rows(broken: int, over: Assignment = MEGAMINX) -> list[dict[str, str]]:
    """Right lines in our moves, but for the first ones."""
    return [
        {"instance": i.name, "solution": "?! ??" if n < broken else " ".join(back(over, i.alg or ()))}
        for n, i in enumerate(over.instances)
    ]


def reading_of(rows: object, over: Assignment = MEGAMINX, kept: Notation | None = None) -> Reading:
    return understood(read_submission(json.dumps(rows).encode(), "file"), over, kept)


@pytest.mark.parametrize(
    ("lines", "broken", "certain"),
    [(1, 1, True), (4, 1, True), (4, 2, False), (7, 2, False), (12, 3, True), (12, 4, False)],
)
def test_a_quarter_of_the_lines_may_have_slips_of_the_pen(lines: int, broken: int, certain: bool) -> None:
    rows = plain_rows(broken)[:lines]
    found = reading_of(rows)
    assert (found.certain, found.valid) == (certain, lines - broken)
    why = f"{broken} of {lines} solutions are not in moves that are known here"
    assert (found.source, found.why) == (("none", []) if certain else ("unknown", [why]))
    # What was confirmed earlier may have as many.
    for kept in (Notation(solution={"foo": "R'"}), Notation(scramble={"foo": "R'"})):
        again = reading_of(rows, kept=kept)
        assert (again.source, again.certain) == ("kept" if certain else "unknown", certain)
    assert reading_of(rows, kept=Notation()).source == found.source


def test_lines_that_are_right_in_our_moves_show_that_they_are_ours() -> None:
    """Others in the same file are wrong, though in another order they would be right."""
    rows = plain_rows(0)
    for row in rows[:8]:
        row["solution"] = " ".join(reversed(row["solution"].split()))
    found = reading_of(rows)
    assert (found.source, found.certain, found.notation) == ("none", True, Notation())
    assert [line.solution for line in found.preview] == [line.solution_read for line in found.preview]


def test_one_wrong_line_in_our_moves_is_wrong_and_two_have_another_order() -> None:
    rows = [{"instance": i.name, "solution": " ".join(back(MEGAMINX, i.alg or ())[::-1])} for i in MEGAMINX.instances]
    one, two = (reading_of(rows[3 : 3 + number]) for number in (1, 2))
    assert (one.certain, one.notation.order) == (True, "as_written")
    assert (two.certain, two.notation.order) == (False, "reversed")
    assert two.why[0] == "solutions are written from the last move to the first"
    kept = reading_of(rows[3:4], kept=Notation(order="reversed"))
    assert (kept.source, kept.valid, kept.why) == ("kept", 1, ["as you confirmed it earlier"])


def test_our_moves_may_name_the_turns_that_they_undo() -> None:
    rows = [{"instance": i.name, "solution": " ".join(i.alg or ())} for i in MEGAMINX.instances]
    found = reading_of(rows)
    assert (found.valid, found.notation.order) == (12, "reversed")
    assert found.why[:2] == [
        "solutions name the turns that they undo", "solutions are written from the last move to the first",
    ]  # fmt: skip


def test_a_preview_is_short() -> None:
    rows = [{"scramble": "x" * 600, "solution": "y" * 600}, *({"solution": f"w{n} v{n}"} for n in range(40))]
    found = reading_of(rows)
    assert (found.rows, len(found.preview), len(found.tokens)) == (41, 10, 60)
    assert found.tokens[:3] == ["y" * 600, "w0", "v0"]
    first, second = found.preview[:2]
    assert (first.row, first.instance, first.scramble, first.solution) == (1, None, "x" * 500, "y" * 500)
    assert (first.scramble_read, first.solution_read) == ("x" * 500, "y" * 500)
    assert (second.row, second.scramble, second.scramble_read, second.solution_read) == (2, None, None, "w0 v0")
    assert not any(line.valid for line in found.preview)


def test_why_names_six_words_at_most() -> None:
    found = understood(read_submission(signed_numbers(), "file"), MEGAMINX)
    assert [" scrambles" in text for text in found.why] == [*([True] * 6), False]
    assert found.why[-1] == "so read, 12 of 12 lines are right, and 0 as they are written"
    alone = json.loads(solutions_alone())["results"]
    # A line for an instance that does not exist votes for nothing.
    found = reading_of([{"instance": "none", "solution": "turn1 turn2"}, *alone])
    assert [" solutions" in text for text in found.why] == [*([True] * 6), False]
    assert found.valid == 12


def test_files_that_say_their_notation_are_read_by_it() -> None:
    names = {face: f"f{number}" for number, face in enumerate(NEIGHBOURS)}
    labels = {"neighbours": {names[face]: [names[one] for one in around] for face, around in NEIGHBOURS.items()}}
    rows = [{"instance": i.name, "solution": "foo, bar"} for i in MEGAMINX.instances]
    for whole in ({"labels": labels}, {"notation": "wca"}):
        read = read_submission(json.dumps({"results": rows, **whole}).encode())
        found = understood(read, MEGAMINX)
        assert (found.certain, found.source, found.why, found.valid) == (True, "none", [], 0)
        assert found.tokens == ([] if "labels" in whole else ["foo", "bar"])
        assert rewritten(read, MEGAMINX, Notation(solution={"foo": "U'"})) is read


def test_moves_that_are_not_allowed_solve_nothing() -> None:
    over = read_assignment(
        json.dumps(MEGAMINX.given.model_dump(mode="json") | {"instances": [{"name": "one", "alg": "U"}]})
    )
    found = reading_of([{"instance": "one", "solution": "U U U U"}], over)
    assert (found.certain, found.valid, found.preview[0].valid) == (True, 0, False)
    assert reading_of([{"instance": "one", "solution": "U'"}], over).valid == 1


def test_lines_find_their_instances_by_name_then_scramble_then_order() -> None:
    hidden = read_assignment(
        json.dumps(
            MEGAMINX.given.model_dump(mode="json")
            | {
                "submitted": "program",
                "instances": [
                    {"name": "a", "alg": "U F"}, {"name": "b", "alg": "R L D"},
                    {"name": "z", "alg": "D R", "visibility": "hidden"},
                ],
            }
        )
    )  # fmt: skip

    def placed(*rows: dict[str, str]) -> list[str | None]:
        return [line.instance for line in reading_of([{"solution": "x y"} | row for row in rows], hidden).preview]

    assert placed({"instance": "z"}, {"instance": "b"}, {"instance": "a"}) == [None, "b", "a"]
    assert placed({"scramble": "R L D"}, {"scramble": "U F"}) == ["b", "a"]
    assert placed({"instance": "a", "scramble": "R L D"}) == ["a"]
    assert placed({}, {}) == ["a", "b"]
    assert placed({"scramble": "x y"}, {"scramble": "x y z"}) == ["a", "b"]
    assert placed({"scramble": "x y"}, {}) == ["a", "b"]
    assert placed({"scramble": "x y z"}, {"scramble": "x y"}) == [None, None]
    assert placed({"scramble": "x"}, {"scramble": "x y"}) == [None, None]
    assert placed({"scramble": "x y"}, {"scramble": "x y z"}, {}) == [None] * 3
    assert placed({"scramble": "x y"}) == [None]


# -- boards ------------------------------------------------------------------------------------------------------------


def moved(row: Mapping[str, object], over: Assignment = FIVES) -> SubmissionRow:
    read = read_submission(json.dumps([row]).encode())
    ((_, found),) = rewritten(read, over, None).rows
    return found


def text_of(boards: list[State], over: Assignment = FIVES) -> str:
    return " -> ".join(" ".join(map(str, over.puzzle.format_state(board)["tiles"])) for board in boards)


def test_a_path_of_boards_is_read_with_and_without_its_first_one() -> None:
    path = path_of(FIVES.instances[0].state)
    moves = moved({"instance": "A", "solution": text_of(path)}).solution
    assert len(moves.split()) == len(path) - 1 > 3
    for shown in (path[1:], [path[0], *path], [*path, path[-1]], [*path[:3], path[2], *path[3:]]):
        assert moved({"instance": "A", "solution": text_of(shown)}).solution == moves
    padded = re.sub(r"(\d)", r"0\1", text_of(path))
    assert moved({"instance": "A", "solution": padded}).solution == moves
    # Without a name the start is stated, or the path's first board.
    tiles = FIVES.puzzle.format_state(path[0])["tiles"]
    for start in ({}, {"state": tiles}, {"state": "".join(map(str, tiles))}, {"instance": "no such"}):
        found = moved({"solution": text_of(path), **start})
        assert (found.solution, found.state) == (moves, tiles)
    assert moved({"state": tiles, "solution": text_of(path[1:])}).solution == moves
    # What is no path stays as it was written.
    jump = text_of([path[0], *path[2:]])
    twice = " ".join(["1"] * 9)
    unsolvable = "2 1 3 8 0 4 7 6 5"
    for text in (jump, twice, unsolvable, text_of(path) + " 1 2", "9 9 9", "0 1", "x"):
        found = moved({"instance": "A", "solution": text})
        assert (found.solution, found.state) == (text, None)
    assert moved({"state": "1 2", "solution": "x"}).state == "1 2"
    several = text_of(path[:2])
    assert moved({"state": several, "solution": "x"}).state == several


def test_boards_with_tiles_of_two_digits() -> None:
    over = read_assignment(
        json.dumps({
            "title": "t", "puzzle": "15-puzzle", "rubric": [{"kind": "valid", "points": 1}],
            "instances": [{"name": "one", "alg": "R"}],
        })
    )  # fmt: skip
    start = over.instances[0].state
    row = {"instance": "one", "solution": text_of([start, over.puzzle.solved], over)}
    assert moved(row, over).solution == "L"
    assert grade(over, rewritten(read_submission(json.dumps([row]).encode()), over, None)).score == 1


def test_tiles_that_move_are_read_if_they_lead_to_the_goal() -> None:
    path = path_of(FIVES.instances[0].state)
    boards = [FIVES.puzzle.format_state(state)["tiles"] for state in path]
    tiles = [here[there.index(0)] for here, there in pairwise(boards)]
    moves = moved({"instance": "A", "solution": text_of(path)}).solution
    assert moved({"instance": "A", "solution": ", ".join(map(str, tiles))}).solution == moves
    for wrong in (tiles[:-1], [*tiles, tiles[-1]], [0, *tiles], [9, *tiles], [tiles[-1], *tiles[1:]]):
        text = " ".join(map(str, wrong))
        assert moved({"instance": "A", "solution": text}).solution == text
    text = " ".join(map(str, tiles))
    assert moved({"solution": text}).solution == text  # nobody knows from where
    assert moved({"instance": "A", "solution": ""}).solution == ""
