"""Solutions in two phases: the subgroup found by rule, its variants, and how long the solutions are."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from hstar import _kernel, search
from hstar.puzzles import get_puzzle, random_state
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.defined import DefinedPuzzle, puzzle_from_definition
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import subgroup_of
from hstar.schema import Limits, SolveRequest
from hstar.search.anytime.phases import Phases, _pairs, fitting, phases_of
from hstar.search.budget import Budget
from hstar.search.methods import two_phase
from hstar.search.methods.two_phase import Settings
from tests.conftest import TEST_ALL
from tests.hostile.comparison import cosets_of_small_groups
from tests.hostile.truth import PUZZLES

CUBING = Path(__file__).resolve().parents[1] / "data" / "cubingjs_3x3x3.json"
#: the cosets of the subgroup of U, D and half turns (Kociemba), and its order
COSETS, ORDER = 2_217_093_120, 19_508_428_800


def shipped() -> dict[str, Any]:
    definition: dict[str, Any] = json.loads(files("hstar.puzzles").joinpath("data", "3x3x3.json").read_text("utf-8"))
    return definition


def with_other_orientations() -> dict[str, Any]:
    """The shipped definition with other orientations counted as 0, slot by slot, so that every move seems to turn
    pieces."""
    definition, choose = shipped(), Random(16)
    del definition["hstar"]
    for orbit in definition["orbits"]:
        name, n = orbit["orbitName"], orbit["numOrientations"]
        zero = [choose.randrange(n) for _ in range(orbit["numPieces"])]
        for move in definition["moves"].values():
            part = move[name]
            part["orientationDelta"] = [
                (delta + zero[source] - zero[slot]) % n
                for slot, (source, delta) in enumerate(zip(part["permutation"], part["orientationDelta"], strict=True))
            ]
    return definition


@pytest.mark.parametrize("definition", [shipped, lambda: json.loads(CUBING.read_text()), with_other_orientations])
def test_the_subgroup_of_any_3x3x3_is_found(definition: Callable[[], dict[str, Any]]) -> None:
    puzzle = puzzle_from_definition(read_any_definition(definition(), "posted"))
    moves = puzzle.move_set(None)
    subgroup = subgroup_of(puzzle, moves)
    assert subgroup is not None
    assert (len(moves.moves), len(subgroup.moves), subgroup.index) == (18, 10, COSETS)
    assert puzzle.group(MoveSet("its own", subgroup.moves, "")).order == ORDER
    phases = phases_of(puzzle, moves)
    assert phases is not None
    first, second = phases.kernel
    assert sorted(first.sizes) == sorted(c.size for c in subgroup.cosets) == [495, 2048, 2187]
    assert sorted(second.sizes) == sorted(c.size for c in subgroup.own) == [24, 40320, 40320]
    assert first.bytes + second.bytes <= phases.table_bytes
    check_variants(puzzle)


def test_half_turns_are_words_where_only_quarter_turns_are_moves() -> None:
    puzzle = get_puzzle("3x3x3")
    assert isinstance(puzzle, PermutationPuzzle)
    moves = puzzle.move_set("single")
    subgroup = subgroup_of(puzzle, moves)
    assert subgroup is not None
    assert (len(moves.moves), subgroup.index) == (12, COSETS)
    assert sorted(map(len, subgroup.words)) == [1, 1, 1, 1, 2, 2, 2, 2]
    for move, word in zip(subgroup.moves, subgroup.words, strict=True):
        assert puzzle.apply_alg(puzzle.solved, word) == puzzle.apply(puzzle.solved, move)
        assert set(word) <= set(moves.moves)
    for seed in range(2):
        asked = {"puzzle": "3x3x3", "random": seed, "moves": "single", "algorithm": "two_phase",
                 "limits": {"expanded": 250_000}}  # fmt: skip
        problem = search.prepare(SolveRequest.model_validate(asked))
        result = search.solve(problem)
        assert result.solution is not None
        assert problem.is_solution(result.solution)
        assert set(result.solution) <= set(moves.moves)
        assert len(result.solution) <= 27


def test_lengths_in_quarter_turns_fall_to_the_distance() -> None:
    """On the corners of two faces, whose distances a search outside knows."""
    case = next(one for one in PUZZLES if one.name == "3x3x3, corners of U and R, quarter turns")
    puzzle, whole = case.puzzle(), case.whole()
    assert isinstance(puzzle, PermutationPuzzle)
    moves = puzzle.move_set(case.moves)
    truth = whole.distances([*moves.moves])
    with cosets_of_small_groups():
        phases = phases_of(puzzle, moves)
        assert phases is not None
        for number in Random(5).sample(range(len(whole)), 1_000 if TEST_ALL else 20):
            for cosets, threads in ((None, 1), (phases.all_cosets.kernel, 1), (phases.all_cosets.kernel, 2)):
                check_shortest(phases, whole.states[number], int(truth[number]), cosets, threads)


def check_shortest(
    phases: Phases, start: State, distance: int, cosets: _kernel.CosetHeuristic | None, threads: int
) -> None:
    """The last solution of a search to its end has as many moves as the distance; each is shorter than those before."""
    running, variants = phases.search(start, 10**6, cosets, threads)
    below = 250
    while (outcome := running.run(below, control=search.Control().search())).status == "solved":
        solution = variants[running.variant].read([phases.puzzle.moves[number] for number in outcome.path])
        assert phases.puzzle.apply_alg(start, solution) == phases.puzzle.solved
        assert set(solution) <= set(phases.moves.moves)
        assert len(solution) < below
        below = len(solution)
    assert below == distance


def check_variants(puzzle: DefinedPuzzle) -> None:
    """Three axes, and the inverse of each: what solves a variant, read back, solves the state."""
    phases = phases_of(puzzle, puzzle.move_set(None))
    assert phases is not None
    scramble = puzzle.parse_alg("R U2 F' L D B R2")
    start = puzzle.apply_alg(puzzle.solved, scramble)
    variants = list(phases.variants(start))
    assert len(variants) == 6
    assert len({variant.start for variant in variants}) == 6
    solution = puzzle.inverse_alg(scramble)
    for variant in variants:
        theirs = {ours: move for move, (ours,) in variant.moves.items()}
        path = [theirs[move] for move in (solution[::-1] if variant.backwards else solution)]
        assert puzzle.apply_alg(variant.start, path) == puzzle.solved
        assert puzzle.apply_alg(start, variant.read(path)) == puzzle.solved


def test_pairs_of_coordinates_and_the_memory_of_their_tables() -> None:
    """The largest pairs that are not too large; with quarter turns alone there are fewer moves for each value."""
    puzzle = get_puzzle("3x3x3")
    assert isinstance(puzzle, PermutationPuzzle)
    for moves, more in ((None, 18), ("single", 12)):
        phases = phases_of(puzzle, puzzle.move_set(moves), 8_000_000)
        assert phases is not None
        cosets, own = phases.subgroup.cosets, phases.subgroup.own
        turned, slices, twisted, home = 2048, 495, 2187, 40320
        assert [one.size for one in (*cosets, *own)] == [turned, slices, twisted, home, 24, home]
        assert [_pairs(some, 8_000_000) for some in (cosets, own)] == [[(0, 2), (1, 2), (0, 1)], [(0, 1), (1, 2)]]
        assert _pairs(cosets, turned * twisted - 1) == [(1, 2), (0, 1)]
        values = turned + slices + twisted + 2 * home + 24
        tables = turned * twisted + slices * twisted + turned * slices + 2 * 24 * home
        assert phases.table_bytes == tables + values * (4 * more + 32)
        for memory, fits in ((phases.table_bytes, True), (phases.table_bytes - 1, False)):
            assert (fitting(puzzle, phases.moves, memory) is phases) is fits
        assert _pairs(own[:1], 8_000_000) == [(0, 0)]  # by itself
        assert _pairs(own[::2], 8_000_000) == [(0, 0), (1, 1)]
    many: list[Any] = [SimpleNamespace(size=size) for size in (2, 3, 5, 7, 11, 13)]
    every = sorted(combinations(range(6), 2), key=lambda pair: -many[pair[0]].size * many[pair[1]].size)
    assert _pairs(many, 143) == every[:12]  # twice as many as there are coordinates


@pytest.mark.parametrize(
    ("puzzle", "moves"), [("2x2x2", "all"), ("skewb", "all"), ("megaminx", "all"), ("megaminx", "cw")]
)
def test_not_every_puzzle_has_such_a_subgroup(puzzle: str, moves: str) -> None:
    its_puzzle = get_puzzle(puzzle)
    assert isinstance(its_puzzle, PermutationPuzzle)
    assert subgroup_of(its_puzzle, its_puzzle.move_set(moves)) is None


def test_random_states_take_at_most_21_moves_soon() -> None:
    for seed in range(3):
        asked = {"puzzle": "3x3x3", "random": seed, "algorithm": "anytime", "limits": {"expanded": 250_000}}
        problem = search.prepare(SolveRequest.model_validate(asked))
        result = search.solve(problem)
        assert result.solution is not None
        assert problem.is_solution(result.solution)
        assert len(result.solution) <= 21
        assert result.lower_bound is not None
        assert result.lower_bound <= len(result.solution)
        assert result.counters.expanded <= 250_000


def test_the_superflip_is_not_solved_in_fewer_than_20_moves() -> None:
    """Reid (1995): 20 face turns are needed; an alg of 20 is known."""
    known = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
    puzzle = get_puzzle("3x3x3")
    start = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(known))
    assert puzzle.apply_alg(start, puzzle.parse_alg(known)) == puzzle.solved  # it is its own inverse
    asked = {"puzzle": "3x3x3", "alg": known, "algorithm": "anytime", "limits": {"expanded": 300_000}}
    result = search.solve(search.prepare(SolveRequest.model_validate(asked)))
    assert result.length is not None
    assert 20 <= result.length <= 23


def test_a_cancel_keeps_the_best_solution() -> None:
    puzzle = get_puzzle("3x3x3")
    assert isinstance(puzzle, PermutationPuzzle)
    phases = phases_of(puzzle, puzzle.move_set(None))
    assert phases is not None
    control = search.Control()
    control.cancel()
    running, _ = phases.search(random_state(puzzle, 3), 2_000)
    assert running.run(250, control=control.search()).status == "cancelled"
    asked = {"puzzle": "3x3x3", "random": 3, "algorithm": "anytime"}
    assert search.solve(search.prepare(SolveRequest.model_validate(asked)), control).status == "cancelled"


def test_all_cosets_are_asked_if_their_table_is_soon_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the part of the seconds that are left, or for many expansions; and in the memory."""
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    puzzle = get_puzzle("3x3x3")
    assert isinstance(puzzle, PermutationPuzzle)
    phases = phases_of(puzzle, puzzle.move_set(None))
    assert phases is not None
    cosets = phases.all_cosets
    seconds, own = cosets.build_seconds, cosets.own[0].processor_seconds
    memory = (phases.table_bytes + cosets.build_bytes) / 2**20
    assert min(seconds, own) > 0

    def worth(
        expanded: int | None = None, untimed: int = 10**6, *, time: float | None = None, part: float = 0.5,
        least: float = 1.0, first: bool = False, mib: float = memory + 1,
    ) -> bool:  # fmt: skip
        limits = Limits(expanded=expanded, seconds=time, memory_mib=int(mib))
        settings = Settings(building=part, worth=1000, build_seconds=own * least, first=first)
        return two_phase._worth(phases, Budget(limits, clock=lambda: 100.0), settings, untimed)

    assert [worth(time=seconds / part * much, part=part) for part in (0.5, 0.25) for much in (1.01, 0.99)] == [
        True, False, True, False,
    ]  # fmt: skip
    assert [worth(mib=memory + more, time=seconds * 9) for more in (1, -1)] == [True, False]
    assert [worth(untimed=untimed) for untimed in (999, 1000)] == [False, True]
    assert [worth(expanded=expanded) for expanded in (999, 1000)] == [False, True]
    assert not worth(expanded=10**6, untimed=999)
    assert [worth(least=least) for least in (0.99, 1.0)] == [False, True]
    assert not worth(first=True)
