"""Features of sliding tiles, compared with their definitions and with the true distances of whole boards."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import permutations
from random import Random

import numpy as np
import pytest

from hstar.errors import InvalidExpression
from hstar.features import make_feature
from hstar.features.walking_distance import WalkingDistance
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle, make_scramble
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.puzzles.sliding_tiles.heuristics import can_walk

CONSISTENT = ["manhattan", "walking_distance", "gaschnig", "out_of_row + out_of_column", "misplaced_tiles"]
SUMS = ["out_of_row", "out_of_column"]
OTHERS = ["linear_conflict", "clustered_misplaced", "misplaced_cells"]

S5_A, S5_B = bytes([2, 8, 3, 1, 6, 4, 0, 7, 5]), bytes([2, 1, 6, 4, 0, 8, 7, 5, 3])


def board(name: str, goal: tuple[int, ...] | None = None) -> SlidingTiles:
    puzzle = get_puzzle(name, goal)
    assert isinstance(puzzle, SlidingTiles)
    return puzzle


def neighbours(rows: int, columns: int, cell: int) -> Iterator[int]:
    row, column = divmod(cell, columns)
    for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
        if 0 <= r < rows and 0 <= c < columns:
            yield r * columns + c


@cache
def distances(rows: int, columns: int, goal: bytes) -> dict[bytes, int]:
    """h* of every board, by breadth-first search with its own implementation of moves."""
    found, layer, distance = {goal: 0}, [goal], 0
    beside = [list(neighbours(rows, columns, cell)) for cell in range(rows * columns)]
    while layer:
        distance += 1
        after = []
        for state in layer:
            blank = state.index(0)
            for cell in beside[blank]:
                moved = bytearray(state)
                moved[blank], moved[cell] = state[cell], 0
                key = bytes(moved)
                if key not in found:
                    found[key] = distance
                    after.append(key)
        layer = after
    return found


WHOLE = [
    ("8-puzzle", None, 30),
    ("tiles:3x3", (4, 7, 1, 0, 3, 8, 2, 5, 6), None),
    ("tiles:2x3", None, 21),
    ("tiles:3x2", (3, 0, 1, 5, 2, 4), None),
    ("tiles:2x4", (1, 2, 0, 3, 7, 6, 5, 4), None),
    ("tiles:1x5", (2, 0, 1, 4, 3), None),
]


@pytest.mark.parametrize(("name", "goal", "radius"), WHOLE)
def test_on_every_board_of_a_puzzle(name: str, goal: tuple[int, ...] | None, radius: int | None) -> None:
    """Consistent heuristics are below h* and change by at most 1; every feature keeps the bounds it gives."""
    puzzle = board(name, goal)
    true = distances(puzzle.rows, puzzle.columns, puzzle.solved)
    assert radius in (None, max(true.values()))
    assert len(true) == puzzle.state_count
    states = list(true)
    index = {state: i for i, state in enumerate(states)}
    array = np.frombuffer(b"".join(states), dtype=np.uint8).reshape(len(states), puzzle.cells)
    edges = []  # (from, to, move) of every move of every board
    for move in puzzle.moves:
        able = [state for state in states if (state.index(0), move) in puzzle.beside]
        moved = puzzle.apply_to_all(array, move)
        edges.append(([index[s] for s in able], [index[bytes(s)] for s in moved], move))
    sample = Random(name).sample(states, min(len(states), 500))

    def values_of(text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        heuristic = get_heuristic(text, puzzle)
        assert [heuristic(s) for s in sample] == [heuristic.kernel.evaluate(s) for s in sample]
        return np.array([heuristic.kernel.evaluate(s) for s in states])

    h_star = np.array([true[state] for state in states])
    for text in CONSISTENT:
        values = values_of(text)
        assert (values <= h_star).all()
        assert all((np.abs(values[before] - values[after]) <= 1).all() for before, after, _ in edges)
        assert get_heuristic(text, puzzle).verdicts(puzzle.move_sets["slide"]).consistent == "proven"
    for text in SUMS + OTHERS:
        values = values_of(text)
        feature = make_feature(puzzle, text, ())
        assert feature.low <= values.min()
        assert values.max() <= feature.high
        for before, after, move in edges:
            drop, rise = feature.changes[move]
            change = values[after] - values[before]
            assert (-drop <= change).all()
            assert (change <= rise).all()


@pytest.mark.parametrize("goal", [(0, 1, 2, 3, 4, 5), (4, 1, 0, 5, 3, 2)])
def test_gaschnig_is_the_distance_when_any_tile_may_go_to_the_blank(goal: tuple[int, ...]) -> None:
    puzzle = board("tiles:2x3", goal)
    gaschnig = make_feature(puzzle, "gaschnig", ())
    found, layer, distance = {puzzle.solved: 0}, [puzzle.solved], 0
    while layer:
        distance += 1
        after = []
        for state in layer:
            for tile in range(1, 6):
                swapped = state.translate(bytes.maketrans(bytes([0, tile]), bytes([tile, 0])))
                if swapped not in found:
                    found[swapped] = distance
                    after.append(swapped)
        layer = after
    assert set(found) == {bytes(p) for p in permutations(range(6))}
    assert {state: gaschnig.evaluate(state) for state in found} == found


def test_gaschnig_by_hand() -> None:
    gaschnig = make_feature(board("8-puzzle"), "gaschnig", ())  # goal 1 2 3 / 8 0 4 / 7 6 5
    assert gaschnig.evaluate(bytes([2, 1, 3, 8, 0, 4, 7, 6, 5])) == 3  # two tiles exchanged: the blank goes in and out
    assert gaschnig.evaluate(bytes([1, 0, 3, 8, 2, 4, 7, 6, 5])) == 1
    # the blank is at home, so each cycle of the seven wrong tiles takes a move more than it has tiles
    assert gaschnig.evaluate(S5_B) == 7 + cycles_without_the_blank(S5_B)


def cycles_without_the_blank(state: bytes) -> int:
    goal = board("8-puzzle").solved
    left, count = {c for c in range(9) if state[c] != goal[c]}, 0
    while left:
        cell, cycle = min(left), set()
        while cell not in cycle:
            cycle.add(cell)
            cell = goal.index(state[cell])
        left -= cycle
        count += all(state[c] for c in cycle)
    return count


def walks(lines: int, homes: tuple[tuple[int, ...], ...]) -> dict[tuple[tuple[int, ...], ...], int]:
    """Fewest moves to each arrangement of tiles in lines, where a tile is its goal line, -1 is the blank, and only the
    contents of a line matter: the definition of Takahashi, on the tiles themselves instead of counts of them."""
    found, layer, distance = {homes: 0}, [homes], 0
    while layer:
        distance += 1
        after = []
        for state in layer:
            blank = next(i for i, line in enumerate(state) if -1 in line)
            for other in (blank - 1, blank + 1):
                for tile in set(state[other]) if 0 <= other < lines else ():
                    rows = [list(line) for line in state]
                    rows[blank].remove(-1)
                    rows[other].remove(tile)
                    rows[blank].append(tile)
                    rows[other].append(-1)
                    key = tuple(tuple(sorted(row)) for row in rows)
                    if key not in found:
                        found[key] = distance
                        after.append(key)
        layer = after
    return found


def forget(puzzle: SlidingTiles, state: bytes, rows: bool) -> tuple[tuple[int, ...], ...]:
    n = puzzle.columns
    lines: list[list[int]] = [[] for _ in range(puzzle.rows if rows else n)]
    for cell, tile in enumerate(state):
        home = puzzle.solved.index(tile)
        lines[cell // n if rows else cell % n].append(-1 if tile == 0 else home // n if rows else home % n)
    return tuple(tuple(sorted(line)) for line in lines)


@pytest.mark.parametrize(
    ("name", "goal", "arrangements"),
    [
        ("15-puzzle", None, (24964, 24964)),  # the published number
        ("tiles:2x5", (3, 1, 4, 0, 5, 9, 2, 6, 8, 7), None),
        ("tiles:4x3", (7, 1, 8, 2, 0, 5, 9, 4, 11, 3, 10, 6), None),
        ("tiles:7x1", None, (7, 1)),
    ],
)
def test_walking_distance_is_its_definition(
    name: str, goal: tuple[int, ...] | None, arrangements: tuple[int, int] | None
) -> None:
    puzzle = board(name, goal)
    heuristic = get_heuristic("walking_distance", puzzle)
    vertical = walks(puzzle.rows, forget(puzzle, puzzle.solved, True))
    horizontal = walks(puzzle.columns, forget(puzzle, puzzle.solved, False))
    assert arrangements in (None, (len(vertical), len(horizontal)))
    high = max(vertical.values()) + max(horizontal.values())
    assert make_feature(puzzle, "walking_distance", ()).high == high
    for seed in range(200):
        state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, seed, seed).alg)
        expected = vertical[forget(puzzle, state, True)] + horizontal[forget(puzzle, state, False)]
        assert heuristic(state) == expected == heuristic.kernel.evaluate(state)
        assert expected >= get_heuristic("manhattan", puzzle)(state)


def test_walking_distance_knows_its_sizes() -> None:
    fitting = {(r, c) for r in range(1, 9) for c in range(1, 9) if r * c > 1 and can_walk(r, c)}
    assert fitting == (
        {(r, c) for r in range(1, 5) for c in range(1, 5)}
        | {(1, n) for n in (5, 6, 7)} | {(n, 1) for n in (5, 6, 7)}
        | {(2, 5), (3, 5), (5, 2), (5, 3)}
    ) - {(1, 1)}  # fmt: skip
    with pytest.raises(ValueError, match="5 x 5 is not a board of up to"):
        WalkingDistance(5, 5, range(25))
    for name in ("tiles:5x5", "tiles:2x6"):
        with pytest.raises(InvalidExpression) as caught:
            get_heuristic("max(manhattan, walking_distance)", board(name))
        assert caught.value.column == 16
        assert f"not available for {name}" in str(caught.value)
        assert "4 x 4, 3 x 5" in caught.value.expected
    with pytest.raises(InvalidExpression, match="wrong arguments"):
        get_heuristic("walking_distance(1)", board("8-puzzle"))


def test_rows_and_columns_on_s5s_board() -> None:
    """2 1 6 / 4 0 8 / 7 5 3 for 1 2 3 / 8 0 4 / 7 6 5: 6 and 3 are in wrong rows, all but 7 and 3 in wrong columns."""
    puzzle = board("8-puzzle")
    values = {name: make_feature(puzzle, name, ()).evaluate(S5_B) for name in (*SUMS, "misplaced_tiles", "manhattan")}
    assert values == {"out_of_row": 2, "out_of_column": 6, "misplaced_tiles": 7, "manhattan": 12}
    assert get_heuristic("out-of-row-and-column", puzzle)(S5_B) == 8
    vertical, horizontal = (make_feature(puzzle, name, ()) for name in SUMS)
    assert [vertical.change([m]) for m in "URDL"] == [(1, 1), (0, 0), (1, 1), (0, 0)]
    assert [horizontal.change([m]) for m in "URDL"] == [(0, 0), (1, 1), (0, 0), (1, 1)]


@pytest.mark.parametrize("size", [(1, 6), (6, 1), (3, 3), (4, 5)])
def test_clustered_misplaced_by_its_definition(size: tuple[int, int]) -> None:
    rows, columns = size
    random = Random(str(size))
    for _ in range(100):
        goal = random.sample(range(rows * columns), rows * columns)
        puzzle = board(f"tiles:{rows}x{columns}", tuple(goal))
        state = bytearray(puzzle.solved)
        for _ in range(random.randint(0, 3)):
            i, j = random.sample(range(rows * columns), 2)
            state[i], state[j] = state[j], state[i]
        wrong = {divmod(cell, columns) for cell in range(rows * columns) if state[cell] != goal[cell]}
        expected = sum(any(abs(r - s) + abs(c - d) == 1 for s, d in wrong) for r, c in wrong)
        feature = make_feature(puzzle, "clustered_misplaced", ())
        assert feature.evaluate(bytes(state)) == expected
        assert get_heuristic("clustered_misplaced", puzzle).kernel.evaluate(bytes(state)) == expected


def test_s5s_clustered_misplaced_is_refuted_one_move_from_the_goal() -> None:
    puzzle = board("8-puzzle")
    heuristic = get_heuristic("s5-clustered-misplaced", puzzle)
    assert [heuristic(S5_A), heuristic(S5_B), heuristic(puzzle.solved)] == [6, 7, 0]
    verdict = heuristic.verdicts(puzzle.move_sets["slide"])
    assert (verdict.admissible, verdict.consistent) == ("refuted", "refuted")
    assert verdict.counterexample is not None
    assert len(verdict.counterexample) == 1
    assert heuristic(puzzle.apply_alg(puzzle.solved, verdict.counterexample)) == 2
    # a move touches two cells, with five more beside them on this board
    assert (
        get_heuristic("ceil(clustered_misplaced / 7)", puzzle).verdicts(puzzle.move_sets["slide"]).admissible
        == "proven"
    )


EXPRESSIONS = {
    "walking_distance + linear_conflict": "refuted",
    "max(manhattan + linear_conflict, walking_distance, gaschnig)": "proven",
    "walking_distance + 1": "refuted",
    "out_of_row + out_of_column + misplaced_tiles": "refuted",
    "max(out_of_row, out_of_column, misplaced_tiles)": "proven",
    "(gaschnig + walking_distance) / 2": "proven",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
@pytest.mark.parametrize("name", ["8-puzzle", "15-puzzle"])
def test_verdicts_of_expressions(name: str, text: str) -> None:
    puzzle = board(name)
    assert get_heuristic(text, puzzle).verdicts(puzzle.move_sets["slide"]).admissible == EXPRESSIONS[text]
