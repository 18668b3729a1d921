"""Beams over gaps, compared with the distances of all stacks, and with one another."""

from __future__ import annotations

from typing import Any

import pytest

from hstar import _kernel
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.schema import SolveRequest
from hstar.search import Problem, prepare, solve
from hstar.search.anytime import widths
from hstar.search.control import Control
from tests.conftest import instances
from tests.heuristics.test_gaps import flips

MIB = 2**20


def problem(name: str, **asked: Any) -> Problem:
    return prepare(SolveRequest.model_validate({"puzzle": name, "algorithm": "anytime", **asked}))


def beam(of: Problem, width: int, **limits: Any) -> _kernel.Outcome:
    asked: dict[str, Any] = {
        "longest": 2 * len(of.start),
        "memory_bytes": 256 * MIB,
        "control": _kernel.Control(),
    } | limits
    heuristic = get_heuristic("gaps", of.puzzle, of.moves)
    return _kernel.gap_beam(of.puzzle.kernel, of.start, of.move_numbers, heuristic.kernel, width=width, **asked)


def replayed(of: Problem, outcome: _kernel.Outcome) -> list[str]:
    moves = [of.puzzle.moves[number] for number in outcome.path]
    assert of.puzzle.apply_alg(of.start, moves) == of.puzzle.solved
    return moves


def stack(row: tuple[int, ...]) -> dict[str, Any]:
    return {"state": {"PIECES": {"pieces": [*row], "orientation": [0] * len(row)}}}


def test_a_beam_as_wide_as_the_space_is_a_breadth_first_search() -> None:
    longer = 0
    for row, distance in instances([*flips(6).items()], few=60):
        of = problem("pancake:6", **stack(row))
        assert len(replayed(of, beam(of, 720, longest=10))) == distance
        assert beam(of, 720, longest=distance).status == "solved"
        if distance:
            assert beam(of, 720, longest=distance - 1).status == "exhausted"
        narrow = beam(of, 1)
        assert narrow.status == "exhausted" or len(replayed(of, narrow)) >= distance
        longer += narrow.status == "exhausted" or len(narrow.path) > distance
    assert longer  # so the width matters


@pytest.mark.parametrize("size", [30, 100, 140])
def test_wider_beams_are_shorter_and_the_same_with_any_number_of_threads(size: int) -> None:
    of = problem(f"pancake:{size}", random=2)
    bound = get_heuristic("gaps", of.puzzle)(of.start)
    lengths = []
    for width in (10, 1_000):
        one, two = (beam(of, width, threads=threads) for threads in (1, 2))
        assert (one.path, one.expanded, one.generated, one.stored) == (
            two.path,
            two.expanded,
            two.generated,
            two.stored,
        )
        lengths.append(len(replayed(of, one)))
        assert one.stored == width
        assert one.f_bound == bound <= lengths[-1]
    assert lengths[1] <= lengths[0]
    assert lengths[1] <= bound + 6


def test_limits_hold_and_are_named() -> None:
    of = problem("pancake:40", random=1)
    for limit, kept in (("max_expanded", "expanded"), ("max_generated", "generated")):
        for most in (0, 1, 39, 40, 3_000):
            outcome = beam(of, 200, **{limit: most})
            assert (outcome.status, outcome.limit) == ("limit_reached", kept)
            assert most - 40 < getattr(outcome, kept) <= most
    small = beam(of, 100_000, memory_bytes=MIB)
    assert (small.status, small.limit) == ("limit_reached", "memory")
    assert beam(of, 200, seconds=0.0).limit == "seconds"
    control = _kernel.Control()
    control.cancel()
    assert beam(of, 200, control=control).status == "cancelled"
    assert beam(of, 200, memory_bytes=2 * MIB).peak_bytes <= 2 * MIB


def test_what_has_no_gaps_is_refused() -> None:
    board, cube = problem("8-puzzle", random=1), problem("2x2x2", random=1)
    zero = get_heuristic("zero", board.puzzle)
    options: dict[str, Any] = {"width": 10, "longest": 9, "memory_bytes": MIB, "control": _kernel.Control()}
    with pytest.raises(ValueError, match="a board has no gaps"):
        _kernel.gap_beam(board.puzzle.kernel, board.start, board.move_numbers, zero.kernel, **options)
    turned = get_heuristic("zero", cube.puzzle)
    with pytest.raises(ValueError, match="turn pieces"):
        _kernel.gap_beam(cube.puzzle.kernel, cube.start, cube.move_numbers, turned.kernel, **options)
    with pytest.raises(ValueError, match="width"):
        beam(problem("pancake:5", random=1), 0)


def test_the_step_tries_the_inverse_too_and_counts_both() -> None:
    one, both = (
        solve(problem("pancake:60", random=3, algorithm="plan", plan=[{"method": "beams", "settings": {"row": row}}]))
        for row in ({"width": 100, "widest": 100}, {"width": 100, "widest": 100, "varied": 100})
    )
    assert one.length is not None
    assert both.length is not None
    assert both.length <= one.length
    assert both.counters.expanded > one.counters.expanded


@pytest.mark.parametrize("size", [75, 100])
def test_tall_stacks_are_near_their_bound(size: int) -> None:
    of = problem(f"pancake:{size}", random=5, limits={"expanded": 400_000})
    found = solve(of, Control())
    assert found.length is not None
    assert found.lower_bound is not None
    assert found.lower_bound <= found.length <= found.lower_bound + 5
    assert found.counters.expanded <= 400_000


def test_a_row_of_which_few_parts_can_be_turned_over_is_answered() -> None:
    """Where beams may be lost."""
    puzzle = get_puzzle("pancake:7")
    of = problem("pancake:7", random=4, moves=" ".join((puzzle.moves[0], puzzle.moves[1], puzzle.moves[-1])))
    found = solve(of, Control())
    assert found.solution is not None
    assert puzzle.apply_alg(of.start, found.solution) == puzzle.solved


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The options of all beams from now on, with their statuses."""
    found: list[dict[str, Any]] = []
    search = _kernel.gap_beam

    def beam_of(*given: Any, **options: Any) -> _kernel.Outcome:
        outcome = search(*given, **options)
        found.append(options | {"status": outcome.status, "peak": outcome.peak_bytes})
        return outcome

    monkeypatch.setattr(_kernel, "gap_beam", beam_of)
    return found


def solved_by_beams(row: dict[str, Any], **limits: Any) -> int:
    plan = [{"method": "beams", "settings": {"row": row}}]
    found = solve(problem("pancake:100", random=3, algorithm="plan", plan=plan, limits=limits))
    assert found.length is not None
    return found.length


@pytest.mark.parametrize(
    ("first", "widths"),
    [(1, [1, 10, 100, 868, 868, 873, 873]), (900, [900, 900])],  # by the length of the best solution
)
def test_beams_widen_as_far_as_memory_allows(tried: list[dict[str, Any]], first: int, widths: list[int]) -> None:
    length = solved_by_beams({"width": first, "wider": 10, "widest": 100_000, "varied": 400}, memory_mib=1)
    assert [one["width"] for one in tried] == widths
    assert max(one["peak"] for one in tried) <= MIB
    assert {one["status"] for one in tried} == {"solved", "exhausted"}  # a beam that is lost is followed by a wider one
    # Two turns bring home each of a hundred.
    assert (tried[0]["longest"], tried[-1]["longest"]) == (200, length - 1)


def test_beams_widen_as_far_as_the_time_allows(tried: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widths, "fitting_width", lambda *given: 280.0)
    row = {"width": 100, "wider": 10, "widest": 100}
    solved_by_beams(row, seconds=600)
    assert [one["width"] for one in tried] == [100, 280]
    del tried[:]
    solved_by_beams(row)
    assert [one["width"] for one in tried] == [100]
