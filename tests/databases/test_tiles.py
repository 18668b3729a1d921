"""Additive pattern databases of sliding tiles, compared with true distances, Python and plain A*."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from random import Random

import pytest

from bench.lengths import boards
from hstar import _kernel
from hstar.databases import TileDatabases, tile_databases
from hstar.databases.tiles import board_symmetries, parse, patterns, with_goal
from hstar.errors import FeatureError
from hstar.experiments.instances import known_set
from hstar.heuristics import get_heuristic
from hstar.heuristics.databases import matching
from hstar.puzzles import State, get_puzzle, make_scramble, random_state
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.anytime.rankings import RANKINGS, Ranking, kernel_ranking
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
    ("tiles:3x3", [4, 1, 0, 7, 2, 8, 6, 3, 5], "blocks:3"),
    ("tiles:3x4", None, "blocks:4"),
    ("15-puzzle", None, "4-4-4-3"),
    ("tiles:5x5", list(range(25)), "blocks:3"),
    ("tiles:6x6", None, "blocks:3"),
]


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


@pytest.mark.parametrize("text", ["4-4", "3-5", "2-2-2-2", "8", "blocks:2", "blocks:4"])
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


@pytest.mark.parametrize(("name", "goal", "text"), BOARDS[:-3])
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
        assert len(mine.path) == len(plain.path) == mine.f_bound
        assert puzzle.apply_alg(state, [puzzle.moves[m] for m in mine.path]) == puzzle.solved
        assert control.generated == mine.generated


def test_korfs_hundred() -> None:
    puzzle = tiles("15-puzzle", None)
    additive = tile_databases(puzzle, "6-6-3")
    assert len(known_set("korf-15-puzzle")) == 100
    rows = instances(list(known_set("korf-15-puzzle")), few=25)
    lengths = []
    for row in rows:
        outcome = additive.search(puzzle.parse_state(row.state), control=_kernel.Control())
        assert outcome.status == "solved"
        lengths.append(len(outcome.path))
    assert lengths == [row.optimum for row in rows]


def test_partitions() -> None:
    puzzle = tiles("8-puzzle", None)
    assert patterns(puzzle, parse(puzzle, "3 - 5")) == [(1, 2, 3), (4, 5, 6, 7, 8)]
    assert patterns(tiles("15-puzzle", None), (7, 8)) == [(1, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11, 12, 13, 14, 15)]
    for text in ("", "4", "4-5", "8-0", "x", "4-4-", "-8"):
        with pytest.raises(FeatureError):
            parse(puzzle, text)
    with pytest.raises(FeatureError, match="states"):
        parse(tiles("15-puzzle", None), "9-6")


def test_blocks_are_compact_and_share_tables() -> None:
    puzzle = tiles("tiles:5x5", list(range(25)))
    # the partition of Korf and Felner (2002)
    published = [{1, 2, 5, 6, 7, 12}, {3, 4, 8, 9, 13, 14}, {10, 11, 15, 16, 20, 21}, {17, 18, 19, 22, 23, 24}]
    found = tile_databases(puzzle, " blocks:6")
    assert sorted(map(sorted, found.groups)) == sorted(map(sorted, published))
    assert len({part.tiles for part in found.parts}) == 2
    assert found.states == 2 * 25 * 24 * 23 * 22 * 21 * 20 == 2 * found.bytes
    assert puzzle.blocks == (4, 6)
    assert puzzle.partition == "blocks:6"
    assert tiles("tiles:10x10", None).blocks == tiles("15-puzzle", None).blocks == ()
    for name, size, largest in (("15-puzzle", 3, 3), ("tiles:4x5", 4, 4), ("tiles:6x6", 5, 5), ("tiles:3x3", 8, 8)):
        board = tiles(name, None)
        groups = tile_databases(board, f"blocks:{size}").groups
        assert sorted(tile for group in groups for tile in group) == list(range(1, board.cells))
        assert max(map(len, groups)) == largest
    for name, text in (
        *(("8-puzzle", text) for text in ("blocks:0", "blocks:9", "blocks:x", "blocks:")),
        *(
            ("tiles:5x5", "blocks:1"),
            ("15-puzzle", "blocks:15"),
            ("tiles:1x6", "blocks:2"),
            ("tiles:10x10", "blocks:9"),
        ),
    ):
        with pytest.raises(FeatureError):
            tile_databases(tiles(name, None), text)


@pytest.mark.parametrize(("name", "size"), [("tiles:5x5", 4), ("tiles:3x5", 4), ("tiles:3x3", 3)])
def test_shared_tables_say_what_own_tables_say(name: str, size: int) -> None:
    puzzle = tiles(name, None)
    shared = tile_databases(puzzle, f"blocks:{size}")
    own = TileDatabases(puzzle, "own tables", shared.groups)
    assert len(shared.tables) <= len(own.tables)
    assert name != "tiles:5x5" or (len(shared.tables), len(own.tables)) == (4, 6)
    for seed in range(200):
        state = random_state(puzzle, seed)
        assert shared.kernel.value(state) == own.kernel.value(state)


@pytest.mark.parametrize(("name", "blank", "size", "new"), [
    ("tiles:3x3", 5, 3, None), ("tiles:3x4", 6, 4, None), ("tiles:5x5", 18, 4, 1), ("tiles:4x4", 10, 4, None),
])  # fmt: skip
def test_a_goal_with_the_blank_elsewhere_has_nearly_all_tables(
    name: str, blank: int, size: int, new: int | None
) -> None:
    before = tiles(name, None)
    goal = list(before.solved)
    home = goal.index(0)
    goal[home], goal[blank] = goal[blank], 0
    puzzle = tiles(name, goal)
    shared = with_goal(tile_databases(before, f"blocks:{size}"), puzzle)
    if new is not None:
        kept = {table.kept_as[0] + repr(table.kept_as[1]) for table in tile_databases(before, f"blocks:{size}").own}
        assert len({table.kept_as[0] + repr(table.kept_as[1]) for table in shared.own} - kept) == new
    for table in shared.own:
        # What was kept for another goal is what would be built for this one.
        assert bytes(table.file.data) == bytes(table.build()[1])
    if puzzle.cells == 9:
        truth = distances(puzzle)
        assert all((shared.kernel.value(state) or 0) <= distance for state, distance in truth.items())
        assert shared.kernel.value(puzzle.solved) == 0


@pytest.mark.parametrize("ranking", [None, *RANKINGS[:2]])
def test_no_beam_is_shorter_than_the_published_optimum(ranking: Ranking | None) -> None:
    """Korf and Felner (2002); replayed move by move."""
    puzzle = tiles("tiles:5x5", list(range(25)))
    kernel = tile_databases(puzzle, "blocks:4").kernel
    lengths = Counter[int]()
    for board in boards()[::24]:
        for width in (500, 5_000):
            outcome = _kernel.tile_beam(
                kernel, bytes(board.tiles), width=width, longest=300, threads=2, memory_bytes=2**26,
                ranking=None if ranking is None else kernel_ranking(puzzle, ranking), control=_kernel.Control(),
            )  # fmt: skip
            assert outcome.status == "solved"
            assert outcome.f_bound <= board.length <= len(outcome.path)
            solution = [puzzle.moves[number] for number in outcome.path]
            assert puzzle.apply_alg(bytes(board.tiles), solution) == puzzle.solved
            lengths[width] += len(outcome.path)
    assert lengths[5_000] < lengths[500]


def test_a_value_of_255_is_a_number() -> None:
    puzzle = tiles("tiles:7x7", None)
    heuristic = tile_databases(puzzle, "blocks:3").kernel
    values = {heuristic.value(random_state(puzzle, seed)) for seed in range(2_000)}
    assert {253, 255, 257} <= values


def test_samples_of_a_beams_layers() -> None:
    puzzle = tiles("8-puzzle", None)
    truth = distances(puzzle)
    start, farthest = max(truth.items(), key=itemgetter(1))
    outcome, depths, boards = _kernel.tile_beam_samples(
        tile_databases(puzzle, "blocks:4").kernel, start, ranking=kernel_ranking(puzzle, RANKINGS[0]), width=50,
        longest=100, memory_bytes=2**26, of_layer=4, control=_kernel.Control(),
    )  # fmt: skip
    assert outcome.status == "solved"
    counts = Counter(depths)
    assert sorted(counts) == [*range(1, len(outcome.path))]
    assert (counts[1], counts[10]) == (len(list(puzzle.successors(start, puzzle.moves))), 4)
    for i, depth in enumerate(depths):
        distance = truth[boards[9 * i : 9 * i + 9]]
        assert distance >= farthest - depth
        assert (distance + depth - farthest) % 2 == 0


@pytest.mark.parametrize("name", ["tiles:2x24", "tiles:4x5", "tiles:6x6", "tiles:7x7"])
def test_rankings_are_those_of_any_board(name: str) -> None:
    puzzle = tiles(name, None)
    kernel = tile_databases(puzzle, "blocks:3").kernel
    start = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 20, 1).alg)
    for ranking in RANKINGS:
        outcome = _kernel.tile_beam(
            kernel, start, ranking=kernel_ranking(puzzle, ranking), width=2_000, longest=100, memory_bytes=2**26,
            control=_kernel.Control(),
        )  # fmt: skip
        solution = [puzzle.moves[number] for number in outcome.path]
        assert 0 < len(solution) <= 20
        assert puzzle.apply_alg(start, solution) == puzzle.solved


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
