"""Right work in the forms that students' programs print: the share that is graded without a conversion by hand.

They are what one prints with little thought, in the moves of a program of one's own. The reader was made to read
these; the share of others is not known.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import pytest

from hstar.errors import HstarError
from hstar.grading import Assignment, grade, read_something
from hstar.grading.intake import rewritten, understood
from tests.grading.test_intake import BOARDS, COLOUR, FIVES, MEGAMINX, NUMBER, algs, back, path_of

S = [[NUMBER[move] for move in alg] for alg in algs(MEGAMINX)]
C = [[COLOUR[move] for move in alg] for alg in algs(MEGAMINX)]
OURS = [(" ".join(alg), " ".join(back(MEGAMINX, alg))) for alg in algs(MEGAMINX)]
NAMES = [instance.name for instance in MEGAMINX.instances]
PATHS = {
    instance.name: [FIVES.puzzle.format_state(state)["tiles"] for state in path_of(instance.state)]
    for instance in FIVES.instances
}
WORDS = {"U": "Up", "D": "Down", "L": "Left", "R": "Right"}
TILES = {"U": "Down", "D": "Up", "L": "Right", "R": "Left"}
GERMAN = {"U": "oben", "D": "unten", "L": "links", "R": "rechts"}
ARROWS = {"U": "↑", "D": "↓", "L": "←", "R": "→"}


def moves_along(boards: list[list[int]]) -> list[str]:
    """Where the blank goes from each board to the next."""
    steps = {-3: "U", 3: "D", -1: "L", 1: "R"}
    return [steps[b.index(0) - a.index(0)] for a, b in pairwise(boards)]


FIVE = {name: moves_along(boards) for name, boards in PATHS.items()}


def each(form: Callable[..., str], *parts: list[object] | object) -> str:
    return "\n".join(form(*given) for given in zip(*parts, strict=True))


def spaced(one: list[object]) -> str:
    return " ".join(map(str, one))


def in_rows(board: list[int]) -> list[list[int]]:
    return [board[0:3], board[3:6], board[6:9]]


def of_boards(form: Callable[[str, list[str]], str]) -> str:
    return "\n".join(form(name, moves) for name, moves in FIVE.items())


def drawn(board: list[int], blank: str = " ", edge: str = "| ", end: str = " |") -> str:
    between = " | " if edge else " "
    return "\n".join(edge + between.join(str(tile or blank) for tile in row) + end for row in in_rows(board))


FORMS: dict[str, tuple[Assignment, str]] = {
    "a table in Markdown": (MEGAMINX, "| Trial | k | Scramble | Solution | Nodes |\n|---|---|---|---|---|\n" + each(
        lambda n, s: f"| {n} | {len(s)} | {spaced(s)} | {spaced(s[::-1])} | 7 |", range(12), S)),
    "all on one line": (MEGAMINX, each(
        lambda n, c: f"Puzzle {n}: Scramble: {c} Solution: {c[::-1]} Nodes expanded: 10", range(12), C)),
    "names and values": (MEGAMINX, each(lambda s: f"k={len(s)}, scramble={s}, path={s[::-1]}, expanded=5", S)),
    "dictionaries of Python": (MEGAMINX, each(lambda c: str({"scramble": c, "solution": c[::-1], "nodes": 5}), C)),
    "a list of dictionaries": (MEGAMINX, str([{"scramble": c, "solution": c[::-1], "nodes": 5} for c in C])),
    "JSON by instance": (MEGAMINX, json.dumps(
        {n: {"solution": ours[1], "nodes": 4} for n, ours in zip(NAMES, OURS, strict=True)})),
    "JSON of texts by instance": (MEGAMINX, json.dumps({n: ours[1] for n, ours in zip(NAMES, OURS, strict=True)})),
    "JSON below another name": (MEGAMINX, json.dumps({"trials": [{"scramble": s, "solution": s[::-1]} for s in S]})),
    "JSON by k": (MEGAMINX, json.dumps({
        f"k={k}": [{"scramble": s, "solution": s[::-1], "nodes_expanded": 3} for s in S if len(s) == k]
        for k in (3, 4, 5, 6)})),
    "names with humps": (MEGAMINX, json.dumps(
        [{"scrambleMoves": s, "solutionMoves": s[::-1], "nodesExpanded": 4} for s in S])),
    "moves as objects": (MEGAMINX, json.dumps([
        {"scramble": [{"face": x, "dir": "cw"} for x in s], "solution": [{"face": x, "dir": "ccw"} for x in s[::-1]]}
        for s in S])),
    "rows in rows": (MEGAMINX, each(
        lambda s: json.dumps({"puzzle": {"scramble": s}, "result": {"solution": s[::-1], "nodes": 3}}), S)),
    "colours and words": (MEGAMINX, each(
        lambda c: f"Scramble: {', '.join(f'{x} clockwise' for x in c)}\n"
                  f"Solution: {', '.join(f'{x} counterclockwise' for x in c[::-1])}", C)),
    "3cw and 3ccw": (MEGAMINX, "scramble,solution\n" + each(
        lambda s: f"{spaced([f'{x}cw' for x in s])},{spaced([f'{x}ccw' for x in s[::-1]])}", S)),
    "c3 and cc3": (MEGAMINX, "scramble,solution\n" + each(
        lambda s: f"{spaced([f'c{x}' for x in s])},{spaced([f'cc{x}' for x in s[::-1]])}", S)),
    "numbers and primes": (MEGAMINX, "scramble;solution\n" + each(
        lambda s: f"{spaced(s)};" + " ".join(f"{x}'" for x in s[::-1]), S)),
    "tabs without a header": (MEGAMINX, each(lambda n, ours: f"{n}\t{ours[1]}", NAMES, OURS)),
    "commas without a header": (MEGAMINX, each(lambda a, b: f"{a},{b}", *zip(*OURS, strict=True))),
    "solutions alone": (MEGAMINX, "\n".join(ours[1] for ours in OURS)),
    "a log with sentences": (MEGAMINX, each(
        lambda c: f"Solving a puzzle with k={len(c)}\nScramble: {spaced(c)}\nSolved! Path: {spaced(c[::-1])}\n"
                  "Expanded 17 nodes\n", C)),
    "longer names": (MEGAMINX, each(
        lambda c: f"Scramble sequence: {spaced(c)}\nSolution found: {spaced(c[::-1])}\n"
                  "Number of nodes expanded: 1", C)),
    "YAML": (MEGAMINX, each(lambda c: f"- scramble: [{', '.join(c)}]\n  solution: [{', '.join(c[::-1])}]", C)),
    "arrows between moves": (MEGAMINX, each(
        lambda c: f"Scramble: {' -> '.join(c)}\nSolution: {' -> '.join(c[::-1])}", C)),
    "pairs with 1 and -1": (MEGAMINX, each(
        lambda s: f"scramble: {[(x, 1) for x in s]}\nsolution: {[(x, -1) for x in s[::-1]]}", S)),
    "pairs with words": (MEGAMINX, each(
        lambda c: f"scramble: {[(x, 'cw') for x in c]}\nsolution: {[(x, 'ccw') for x in c[::-1]]}", C)),
    "a report on a line": (MEGAMINX, each(
        lambda c: f"[k={len(c)}] scramble: {'-'.join(c)} | solution: {'-'.join(c[::-1])} | "
                  "nodes: 12 | time: 0.01s", C)),
    "a printed data frame": (MEGAMINX, "    k     scramble      solution  nodes\n" + each(
        lambda n, s: f"{n}   {len(s)}  {s}  {s[::-1]}  7", range(12), S)),
    "a data frame in CSV": (MEGAMINX, ",k,scramble,solution,nodes_expanded\n" + each(
        lambda n, s: f'{n},{len(s)},"{s}","{s[::-1]}",7', range(12), S)),
    "lists in quotes": (MEGAMINX, "k;scramble;path\n" + each(lambda c: f'{len(c)};"{c}";"{c[::-1]}"', C)),
    "constants": (MEGAMINX, each(
        lambda s: f"Scramble: {spaced([f'FACE_{x}' for x in s])}\n"
                  f"Solution: {spaced([f'FACE_{x}_CCW' for x in s[::-1]])}", S)),
    "calls": (MEGAMINX, each(
        lambda s: f"Scramble: {spaced([f'rotate({x})' for x in s])}\n"
                  f"Solution: {spaced([f'rotate_inv({x})' for x in s[::-1]])}", S)),
    "an enumeration": (MEGAMINX, each(
        lambda c: f"scramble = [{', '.join('Face.' + x for x in c)}]\n"
                  f"solution = [{', '.join('Face.' + x + '_CCW' for x in c[::-1])}]", C)),
    "a report in German": (MEGAMINX, each(
        lambda n, c: f"Rätsel {n}:\n  Verdrehung: {spaced(c)}\n  Lösung (von hinten): {spaced(c)}\n"
                     "  Expandierte Knoten: 12\n", range(12), C)),
    "capitals and tabs": (MEGAMINX, "TRIAL\tSCRAMBLE\tSOLUTION\tNODES EXPANDED\n" + each(
        lambda n, s: f"{n}\t{spaced(s)}\t{spaced(s[::-1])}\t9", range(12), S)),
    "the solution first": (MEGAMINX, each(lambda c: f"solution: {c[::-1]}\nscramble: {c}\n", C)),
    "numbered moves": (MEGAMINX, each(
        lambda c: f"Scramble: {spaced(c)}\nSolution:\n"
                  + "\n".join(f"  {i}. {x}" for i, x in enumerate(c[::-1], 1)), C)),
    "small letters": (MEGAMINX, "scramble,solution\n" + "\n".join(f"{a.lower()},{b.lower()}" for a, b in OURS)),
    "a table in LaTeX": (MEGAMINX, "k & scramble & solution & nodes \\\\ \\hline\n" + each(
        lambda c: f"{len(c)} & {spaced(c)} & {spaced(c[::-1])} & 5 \\\\", C)),
    "boards: words": (BOARDS, "\n".join(
        f"{i.name}: {', '.join(WORDS[m] for m in back(BOARDS, i.alg or ()))}" for i in BOARDS.instances)),
    "boards: where the tile goes": (BOARDS, "instance,solution\n" + "\n".join(
        f'"{i.name}",{spaced([TILES[m].lower() for m in back(BOARDS, i.alg or ())])}' for i in BOARDS.instances)),
    "states: words": (FIVES, of_boards(
        lambda n, s: f"Instance: {n}\nSolution: {spaced([WORDS[m] for m in s])}\nNE: 5")),
    "states: where the tile goes": (FIVES, of_boards(
        lambda n, s: f"Instance: {n}\nSolution: {spaced([TILES[m] for m in s])}\nNE: 5")),
    "states: German": (FIVES, of_boards(lambda n, s: f"Instance: {n}\nSolution: {spaced([GERMAN[m] for m in s])}")),
    "states: arrows": (FIVES, of_boards(lambda n, s: f"Instance: {n}\nSolution: {spaced([ARROWS[m] for m in s])}")),
    "states: numbered words": (FIVES, of_boards(
        lambda n, s: f"Board {n}\nSolution: {', '.join(f'{i}. {WORDS[m]}' for i, m in enumerate(s, 1))}")),
    "states: phrases": (FIVES, of_boards(
        lambda n, s: f"Instance: {n}\nSolution: {', '.join(f'move blank {WORDS[m].lower()}' for m in s)}")),
    "states: the tiles that move": (FIVES, "instance,solution\n" + "\n".join(
        f"{n},{spaced([b[a.index(0)] for a, b in pairwise(p)])}" for n, p in PATHS.items())),
    "states: digits": (FIVES, "\n".join(
        f"board: {''.join(map(str, p[0]))}\npath: {' -> '.join(''.join(map(str, b)) for b in p)}"
        for p in PATHS.values())),
    "states: tuples": (FIVES, "\n".join(f"instance: {n}\npath: {[tuple(b) for b in p]}" for n, p in PATHS.items())),
    "states: a mark for the blank": (FIVES, "\n".join(
        f"Initial state: {spaced(p[0])}\nSolution path:\n" + "\n\n".join(drawn(b, "_", "", "") for b in p)
        for p in PATHS.values())),
    "states: drawn": (FIVES, "\n".join(
        f"instance: {n}\nSolution path:\n" + "\n".join(f"{drawn(b)}\n-------------" for b in p)
        for n, p in PATHS.items())),
    "states: matrices": (FIVES, json.dumps(
        {n: {"path": [in_rows(b) for b in p], "expanded": 8} for n, p in PATHS.items()})),
    "states: as numpy prints": (FIVES, "\n".join(
        f"instance: {n}\nTotal path:\n"
        + "\n\n".join(str(in_rows(b)).replace(", [", "\n [").replace(",", "") for b in p)
        for n, p in PATHS.items())),
    "states: letters without spaces": (FIVES, of_boards(lambda n, s: f"{n}: {''.join(s)}")),
}  # fmt: skip
#: refused with the columns that were found; that costs no attempt
NOT_READ = {"states: letters without spaces"}


def judged(name: str) -> tuple[bool, bool]:
    """Whether right work has all points, and whether a question came first."""
    over, text = FORMS[name]
    try:
        read = read_something(text.encode(), "output.txt")
    except HstarError:
        return False, False
    reading = understood(read, over)
    found = grade(over, rewritten(read, over, reading.notation))
    return found.score == found.max_score, not reading.certain


@pytest.mark.parametrize("name", FORMS)
def test_right_work_is_right_in_every_form(name: str) -> None:
    """With at most one question, whose answer is offered."""
    assert judged(name)[0] == (name not in NOT_READ)


def test_the_share_that_is_graded_without_a_conversion_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    found = [judged(name) for name in FORMS]
    right = sum(full for full, _ in found)
    asked = sum(full and question for full, question in found)
    with capsys.disabled():
        print(f"\ngraded without a conversion by hand: {right} of {len(FORMS)} forms, {asked} after one question")
    assert right / len(FORMS) > 0.95
