"""The kernel's control: a cancel and a deadline end everything that takes long, and can be told apart."""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import inf, nan

import pytest

from hstar import _kernel
from hstar.databases.building import run, tell
from hstar.groups.permutation_group import CHECK_STEPS, MEMORY_BYTES
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import Limits
from hstar.search.anytime.chains import chains_of
from hstar.search.budget import Budget, Counted
from hstar.search.control import Control, Stopped


def overdue() -> _kernel.Control:
    control = _kernel.Control()
    control.end_after(0)
    return control


def cancelled() -> _kernel.Control:
    control = _kernel.Control()
    control.cancel()
    return control


def test_a_search_ends_at_the_deadline_of_its_control_as_at_its_own() -> None:
    board = _kernel.SlidingTiles(4, 4, bytes(range(16)))
    nothing = _kernel.Heuristic(board, [], [("const", 0.0)], True, 0.0)
    start = bytes([1, 0, *range(3, 16), 2])
    for control, own, status in (
        (overdue(), None, "limit_reached"),
        (overdue(), 1000, "limit_reached"),
        (_kernel.Control(), 0, "limit_reached"),
        (cancelled(), None, "cancelled"),
    ):
        outcome = _kernel.astar(
            board, start, [0, 1, 2, 3], nothing, seconds=own, memory_bytes=2**24, control=control
        )  # fmt: skip
        assert outcome.status == status
        assert outcome.limit == ("seconds" if status == "limit_reached" else None)


def test_the_bound_is_zero_before_one_is_known() -> None:
    assert Control().lower_bound == 0


def test_a_cancel_reaches_each_search_that_runs() -> None:
    control = Control()
    searches = control.search(), control.search()
    control.cancel()
    assert [search.cancelled for search in searches] == [True, True]
    assert control.search().cancelled


def test_a_deadline_is_no_cancel_and_can_be_taken_away() -> None:
    control = _kernel.Control()
    for seconds in (1000, inf, None):
        control.end_after(seconds)
        assert not control.overdue
    control.end_after(-1)
    assert control.overdue
    assert not control.cancelled
    assert not cancelled().overdue
    with pytest.raises(ValueError, match="not a number"):
        control.end_after(nan)


def test_a_search_of_a_solve_ends_with_its_time() -> None:
    assert Control().search(seconds=0).overdue
    assert not Control().search(seconds=1000).overdue
    assert not Control().search().overdue


@pytest.mark.parametrize("stopped", [overdue, cancelled])
def test_what_is_built_is_given_up(stopped: Callable[[], _kernel.Control]) -> None:
    puzzle = get_puzzle("3x3x3")
    assert isinstance(puzzle, PermutationPuzzle)
    chains = chains_of(puzzle, puzzle.move_set("single"))
    assert not chains.quick(stopped()).complete
    assert chains.triples(stopped()) is None
    assert chains.perimeters(stopped()) == []
    with pytest.raises(_kernel.Stopped):
        _kernel.PermutationGroup(chains.generators, MEMORY_BYTES, CHECK_STEPS, stopped())
    board = _kernel.SlidingTiles(4, 4, bytes(range(16)))
    with pytest.raises(_kernel.Stopped):
        _kernel.Heuristic(board, [("walking_distance", None)], [("feature", 0)], True, 100, control=stopped())


def test_a_paused_solve_waits_in_the_kernel_in_python_and_in_builds_and_its_clock_stands_still() -> None:
    control = Control()
    control.pause()
    begun = control.now()
    search = control.search(seconds=3600)
    asked, built, ended = threading.Event(), threading.Event(), threading.Event()

    def build(progress: _kernel.Control) -> int:
        board = _kernel.SlidingTiles(3, 3, bytes(range(9)))
        nothing = _kernel.Heuristic(board, [], [("const", 0.0)], True, 0.0)
        _kernel.astar(
            board, bytes([1, 0, *range(3, 9), 2]), [0, 1, 2, 3], nothing, memory_bytes=2**24, control=progress
        )
        built.set()
        return 1

    def work() -> None:
        asked.set()
        with control.watching_builds():
            run("a table", build)
        ended.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    asked.wait()
    assert not ended.wait(0.2)
    assert control.paused
    assert (control.now(), search.now) == (begun, search.now)
    control.resume()
    assert ended.wait(60)
    assert built.is_set()
    assert control.now() > begun
    # A cancel ends the pause, and there is no other after it.
    control.pause()
    control.cancel()
    control.pause()
    with pytest.raises(Stopped):
        control.check()
    assert search.cancelled


def test_the_time_of_a_pause_counts_for_no_limit() -> None:
    control = Control()
    budget = Budget(Limits(seconds=10, memory_mib=64), control)
    search = budget.search()
    control.pause()
    left, now = budget.seconds_left, search.now
    threading.Event().wait(0.05)
    assert (budget.seconds_left, search.now) == (left, now)
    control.resume()
    assert budget.seconds_left < left


def test_a_solve_shows_the_sums_of_its_searches_and_the_best_of_their_bounds() -> None:
    control = Control()
    counts = [Counted(expanded=5, generated=40, stored=9, peak_bytes=700), Counted(expanded=3, generated=11, stored=30),
              Counted(expanded=1, generated=2, stored=4, peak_bytes=300)]  # fmt: skip
    for one in counts:
        control.search()
        control.count(one)
    assert (control.expanded, control.generated, control.stored, control.bytes) == (9, 53, 30, 700)
    for bound in (3, 2):
        control.raise_bound(bound)
    assert control.lower_bound == 3
    for found, shown in ((5, 5), (1, 3)):
        control.search(lambda f: found)  # noqa: B023
        assert control.lower_bound == shown
        control.count(Counted())
        assert control.lower_bound == 3  # that of a search counts until its end; what it proved is raised then
    assert control.building is None
    with control.watching_builds():
        run("a table", lambda progress: 1)
    assert control.building is None


def test_the_part_of_a_build_that_is_done() -> None:
    control = Control()
    seen = []
    with control.watching_builds():
        for done, total in ((1, 4), (3, 0)):
            tell("a table", done, total)
            seen.append(control.building)
    assert seen == [("a table", 0.25), ("a table", None)]


def test_a_wait_ends_after_its_time_after_a_pause_or_by_a_cancel() -> None:
    control = Control()
    begun = control.now()
    control.wait(0.05)
    assert control.now() - begun >= 0.05
    control.pause()
    waits = threading.Thread(target=lambda: control.wait(0), daemon=True)
    waits.start()
    waits.join(0.05)
    assert waits.is_alive()
    control.resume()
    waits.join(60)
    assert not waits.is_alive()
    waits = threading.Thread(target=lambda: control.wait(3600), daemon=True)
    waits.start()
    control.cancel()
    waits.join(60)
    assert not waits.is_alive()
    control.wait(3600)  # nor is there one after it


def test_a_search_that_begins_in_a_pause_waits() -> None:
    control = Control()
    control.pause()
    begun = control.now()
    search = control.search(seconds=1e6)
    threading.Event().wait(0.02)
    assert (control.now(), search.now) == (begun, search.now)
    control.resume()
    control.resume()  # nothing is lost twice
    assert begun <= control.now() < begun + 60
    assert not control.paused
