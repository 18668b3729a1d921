"""Additive pattern databases of sliding tiles, compared with true distances, Python and plain A*."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

import pytest

from hstar import _kernel
from hstar.databases import TileDatabases, tile_databases
from hstar.databases.tiles import board_symmetries, parse, patterns
from hstar.errors import FeatureError
from hstar.heuristics import get_heuristic
from hstar.heuristics.databases import matching
from hstar.puzzles import State, get_puzzle, make_scramble
from hstar.puzzles.sliding_tiles import SlidingTiles
from tests.conftest import instances

#: (puzzle, goal, partition); blanks in the middle, in a corner and elsewhere
BOARDS = [
    ("8-puzzle", None, "4-4"),
    ("8-puzzle", None, "3-5"),
    ("8-puzzle", None, "8"),
    ("tiles:3x3", None, "2-3-3"),
    ("tiles:3x3", [4, 1, 0, 7, 2, 8, 6, 3, 5], "6-2"),
    ("tiles:2x4", None, "4-3"),
    ("tiles:5x2", [0, 5, 3, 2, 1, 4, 9, 7, 8, 6], "5-4"),
    ("15-puzzle", None, "4-4-4-3"),
]

#: Korf (1985), with the published lengths
KORF = Path(__file__).parents[1] / "data" / "korf100.csv"


def tiles(name: str, goal: list[int] | None) -> SlidingTiles:
    puzzle = get_puzzle(name, goal)
    assert isinstance(puzzle, SlidingTiles)
    return puzzle


def distances(puzzle: SlidingTiles) -> dict[State, int]:
    found = {puzzle.solved: 0}
    layer = [puzzle.solved]
    while layer:
        after = []
        for state in layer:
            for _, beside in puzzle.successors(state, puzzle.moves):
                if beside not in found:
                    found[beside] = found[state] + 1
                    after.append(beside)
        layer = after
    return found


@pytest.mark.parametrize(("name", "goal", "text"), BOARDS)
def test_the_kernel_and_python_read_the_same_values(name: str, goal: list[int] | None, text: str) -> None:
    puzzle = tiles(name, goal)
    additive = tile_databases(puzzle, text)
    for k in (0, 1, 2, 7, 40, 80):
        state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, k, 1).alg)
        assert additive.kernel.value(state) == additive.evaluate(state) <= k


@pytest.mark.parametrize("text", ["4-4", "3-5", "2-2-2-2", "8"])
def test_every_board_of_the_8_puzzle_is_bounded(text: str) -> None:
    puzzle = tiles("8-puzzle", None)
    kernel = tile_databases(puzzle, text).kernel
    truth = distances(puzzle)
    assert len(truth) == puzzle.state_count
    below = 0
    for state, distance in truth.items():
        value = kernel.value(state)
        assert value is not None
        assert value <= distance
        below += distance - value
    # one pattern of all tiles is exact
    assert (below == 0) == (text == "8")


@pytest.mark.parametrize(("name", "goal", "text"), BOARDS[:-1])
def test_solutions_are_as_short_as_those_of_a_star(name: str, goal: list[int] | None, text: str) -> None:
    puzzle = tiles(name, goal)
    additive = tile_databases(puzzle, text)
    default = get_heuristic(None, puzzle)
    random = Random(text)
    for _ in range(60):
        state = puzzle.apply_alg(
            puzzle.solved, make_scramble(puzzle, random.randint(0, 90), random.getrandbits(60)).alg
        )
        control = _kernel.Control()
        mine = additive.search(state, control=control)
        plain = _kernel.astar(
            puzzle.kernel, state, range(4), default.kernel, memory_bytes=2**30, control=_kernel.Control()
        )
        assert mine.status == "solved"
        assert len(mine.path) == len(plain.path) == mine.f_bound == mine.f_solution
        assert puzzle.apply_alg(state, [puzzle.moves[m] for m in mine.path]) == puzzle.solved
        assert control.generated == mine.generated


def test_korfs_hundred() -> None:
    puzzle = tiles("15-puzzle", None)
    additive = tile_databases(puzzle, "6-6-3")
    with KORF.open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert len(rows) == 100
    rows = instances(rows, few=25)
    lengths = []
    for row in rows:
        outcome = additive.search(puzzle.parse_state(row["tiles"]), control=_kernel.Control())
        assert outcome.status == "solved"
        lengths.append(len(outcome.path))
    assert lengths == [int(row["length"]) for row in rows]


def test_partitions() -> None:
    puzzle = tiles("8-puzzle", None)
    assert patterns(puzzle, parse(puzzle, "3 - 5")) == [(1, 2, 3), (4, 5, 6, 7, 8)]
    assert patterns(tiles("15-puzzle", None), (7, 8)) == [(1, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11, 12, 13, 14, 15)]
    for text in ("", "4", "4-5", "8-0", "x", "4-4-", "-8"):
        with pytest.raises(FeatureError):
            parse(puzzle, text)
    with pytest.raises(FeatureError, match="states"):
        parse(tiles("15-puzzle", None), "9-6")


def test_board_symmetries_keep_the_blank_at_home() -> None:
    assert len(board_symmetries(tiles("8-puzzle", None))) == 8  # its blank is in the middle
    assert len(board_symmetries(tiles("15-puzzle", None))) == 2
    assert len(board_symmetries(tiles("tiles:2x4", None))) == 1
    assert len(board_symmetries(tiles("tiles:3x4", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0]))) == 1
    assert len(board_symmetries(tiles("tiles:3x5", [*range(1, 8), 0, *range(8, 15)]))) == 4
    for image in board_symmetries(tiles("15-puzzle", None)):
        assert sorted(image) == list(range(16))


def test_verdicts_on_databases_as_heuristics() -> None:
    puzzle = tiles("8-puzzle", None)
    moves = puzzle.move_set(None)
    heuristic = get_heuristic('pdb("4-4")', puzzle)
    assert heuristic.verdicts(moves).admissible == "proven"
    assert heuristic.verdicts(moves).consistent != "proven"
    found = matching(heuristic.expression, moves)
    assert isinstance(found, TileDatabases)
    assert found.name == "4-4"
    for text in ('max(pdb("4-4"), manhattan + linear_conflict)', 'ceil(pdb("4-4") * 0.9)', 'min(pdb("4-4"), 100)',
                 'pdb("4-4") / 2 if solved else pdb("3-5")'):  # fmt: skip
        assert get_heuristic(text, puzzle).verdicts(moves).admissible == "proven", text
    for text in ('pdb("4-4") * 1.1', 'pdb("4-4") + pdb("3-5")', 'pdb("4-4") / 0.5', 'pdb("4-4") + 0.5'):
        assert get_heuristic(text, puzzle).verdicts(moves).admissible == "refuted", text


def test_a_star_reopens_and_is_optimal_with_them() -> None:
    puzzle = tiles("8-puzzle", None)
    truth = distances(puzzle)
    heuristic = get_heuristic('pdb("4-4")', puzzle)
    for state in Random(1).sample(sorted(truth), 200):
        outcome = _kernel.astar(
            puzzle.kernel, state, range(4), heuristic.kernel, memory_bytes=2**28, control=_kernel.Control()
        )
        assert len(outcome.path) == truth[state]


def test_auto_knows_all_distances_of_small_boards() -> None:
    puzzle = tiles("8-puzzle", None)
    assert puzzle.partition == "8"
    strong = tile_databases(puzzle, puzzle.partition)
    state = puzzle.parse_state("2 1 6 / 4 0 8 / 7 5 3")
    outcome = strong.search(state, control=_kernel.Control())
    assert len(outcome.path) == 18
    assert outcome.expanded == 18
    fifteen = tiles("15-puzzle", None)
    assert fifteen.partition == "6-6-3"  # 7-8 takes longer to build than most boards to solve
    assert tiles("tiles:1x5", None).partition is None
