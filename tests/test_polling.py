"""What takes long in Python asks whether to stop, and leaves nothing half made behind when it is stopped."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hstar import search
from hstar.databases import files, patterns
from hstar.features.piece_moves import moves_home
from hstar.heuristics import analysis, get_heuristic, space
from hstar.polling import polling
from hstar.puzzles import get_puzzle, random_state, symmetry
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import Limits, SolveRequest
from hstar.search.anytime import chains
from hstar.search.anytime.orbit_by_orbit import OrbitByOrbit
from hstar.search.anytime.rankings import cell_classes
from hstar.search.budget import GRACE, Budget
from hstar.search.control import Stopped


class Enough(Exception):
    pass


class Check:
    """Counts how often it is asked, and stops the work at one of these times."""

    def __init__(self, last: int | None = None) -> None:
        self.asked = 0
        self.last = last

    def __call__(self) -> None:
        self.asked += 1
        if self.asked == self.last:
            raise Enough


def permutation_puzzle(name: str) -> PermutationPuzzle:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return puzzle


def forget_symmetries() -> None:
    symmetry.symmetries.cache_clear()
    symmetry._of_puzzle.cache_clear()


def symmetries() -> list[Any]:
    puzzle = permutation_puzzle("pyraminx")
    forget_symmetries()
    return [(s.images, s.reversing) for s in symmetry.symmetries(puzzle, puzzle.move_set(None))]


def orbit_by_orbit() -> list[Any]:
    puzzle = permutation_puzzle("skewb")
    ways = OrbitByOrbit(puzzle, puzzle.move_set(None))
    return [ways.solve(random_state(puzzle, seed)) for seed in range(3)]


def distances_of_pieces() -> bytes:
    puzzle = permutation_puzzle("kilominx")
    home = list(puzzle.home)
    return moves_home(puzzle, puzzle.move_set(None).moves, lambda slot, value: home[slot] == value).tobytes()


def chosen_pieces() -> tuple[int, ...]:
    puzzle = permutation_puzzle("kilominx")
    patterns.choose.cache_clear()
    return patterns.choose(puzzle, puzzle.move_set(None), (("CORNERS", 3),))


def verdict() -> analysis.Verdicts:
    puzzle = get_puzzle("kilominx")
    moves = puzzle.move_set(None)
    heuristic = get_heuristic("misplaced_pieces", puzzle, moves)
    space.nearest_states.cache_clear()
    known = analysis.prove(heuristic.expression, moves)
    return analysis.look_nearby(heuristic.expression, heuristic.kernel.evaluate, puzzle, moves, known)


def shipped_words() -> bytes:
    puzzle = permutation_puzzle("megaminx")
    chain = chains.Chains(puzzle, puzzle.move_set("single")).shipped
    assert chain is not None
    return chain.text()


def a_table_from_its_file() -> bytes:
    data = np.arange(3_000, dtype=np.uint8)
    for note in files.directory().glob("asked-*.seen"):
        note.unlink()  # so that all bytes are read
    return files.load_or_build("asked", {"table": 1}, lambda: ({}, data)).data.tobytes()


#: the work, and how often it asks at least
WORK: list[tuple[Callable[[], Any], int]] = [
    (symmetries, 100),
    (orbit_by_orbit, 100),
    (distances_of_pieces, 4),
    (chosen_pieces, 100),
    (a_table_from_its_file, 3),
    (verdict, 10),
    (shipped_words, 10),
]


@pytest.mark.parametrize(("work", "least"), WORK, ids=[work.__name__ for work, _ in WORK])
def test_it_asks_often_and_can_be_stopped_each_time(
    work: Callable[[], Any], least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_PIECE", 1_000)
    whole, every = work(), Check()
    with polling(every):
        assert work() == whole
    assert every.asked >= least
    for last in {1, every.asked // 2, every.asked}:
        with polling(Check(last)), pytest.raises(Enough):
            work()
    assert work() == whole


def test_a_bound_looks_for_no_counterexample_where_that_proves_nothing() -> None:
    request = {"puzzle": "megaminx", "alg": "U", "algorithm": "greedy", "heuristic": "misplaced_facelets + 0"}
    space.nearest_states.cache_clear()
    result = search.solve(search.prepare(SolveRequest.model_validate(request)))
    assert (result.status, result.length) == ("solved", 1)
    assert space.nearest_states.cache_info().misses == 0


def test_a_cancelled_search_does_not_look_at_all_states_for_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    request = {"puzzle": "8-puzzle", "random": 1, "algorithm": "greedy", "heuristic": "manhattan * 1.46875"}
    problem, control = search.prepare(SolveRequest.model_validate(request)), search.Control()
    control.cancel()
    space.nearest_states.cache_clear()
    result = search.solve(problem, control)
    assert (result.status, result.lower_bound) == ("cancelled", problem.root_bound())
    assert space.nearest_states.cache_info().currsize == 0


def solved_with(weight: str) -> tuple[search.Problem, search.Result]:
    """A solve with a heuristic that is refuted only by looking at states, which the search itself does not do."""
    request = {"puzzle": "15-puzzle", "scramble": {"k": 3, "seed": 1}, "heuristic": f"manhattan * {weight}"}
    problem = search.prepare(SolveRequest.model_validate(request))
    space.nearest_states.cache_clear()
    return problem, search.solve(problem)


def verdict_of(problem: search.Problem, result: search.Result) -> str | None:
    shown = search.answer(problem, result).heuristic
    assert shown is not None
    return shown.admissible


def test_an_answer_looks_at_states_only_while_there_is_time() -> None:
    problem, result = solved_with("1.453125")
    assert verdict_of(problem, result.model_copy(update={"patience": 0.0})) == "unknown"
    assert space.nearest_states.cache_info().currsize == 0
    assert verdict_of(problem, result) == "refuted"


def test_ctrl_c_does_not_lose_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, result = solved_with("1.390625")
    monkeypatch.setattr(space, "poll", lambda: signal.raise_signal(signal.SIGINT))
    assert verdict_of(problem, result) == "unknown"


def test_an_answer_reads_no_heuristic_that_was_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, control = search.prepare(SolveRequest(puzzle="kilominx", random=1, algorithm="auto")), search.Control()
    control.cancel()
    result = search.solve(problem, control)
    read: list[str | None] = []
    monkeypatch.setattr("hstar.search.plans.get_heuristic", lambda text, *_: read.append(text))
    shown = search.answer(problem, result).heuristic
    assert shown is not None
    assert (shown.name, read) == ("zero", [])


def test_a_cancelled_solve_has_no_time_left() -> None:
    problem, control = search.prepare(SolveRequest(puzzle="8-puzzle", random=1)), search.Control()
    assert search.solve(problem, control).patience > 0
    control.cancel()
    assert search.solve(problem, control).patience == 0


def test_a_proof_ends_soon_after_the_limit_of_seconds() -> None:
    now = 100.0
    budget = Budget(Limits(seconds=5.0, memory_mib=1), clock=lambda: now)
    budget.check()
    now = 105.0
    with pytest.raises(Stopped):
        budget.check()
    budget.check_late()
    assert budget.patience == pytest.approx(GRACE)
    now = 105.0 + GRACE
    assert budget.patience == 0
    with pytest.raises(Stopped):
        budget.check_late()


def test_a_cancelled_anytime_search_prepares_no_beams() -> None:
    problem = search.prepare(SolveRequest(puzzle="megaminx", moves="all", random=1, algorithm="anytime"))
    forget_symmetries()
    chains.chains_of.cache_clear()
    control = search.Control()
    control.cancel()
    assert search.solve(problem, control).status == "cancelled"
    assert symmetry._of_puzzle.cache_info().misses == 0


def test_a_time_limit_ends_the_preparation_of_the_first_solution_too() -> None:
    request = SolveRequest.model_validate(
        {"puzzle": "master_tetraminx", "random": 1, "algorithm": "anytime", "limits": {"seconds": 0.0}}
    )
    problem = search.prepare(request)
    forget_symmetries()
    result = search.solve(problem, search.Control())
    assert (result.status, result.limit) == ("limit_reached", "seconds")
    assert symmetry._of_puzzle.cache_info().misses == 0


def test_weights_of_a_large_board_are_not_made_after_the_limit() -> None:
    cell_classes.cache_clear()
    asked: list[None] = []

    def check() -> None:
        asked.append(None)
        if len(asked) == 3:
            raise Stopped

    with polling(check), pytest.raises(Stopped):
        cell_classes(6)
    assert len(asked) == 3
    assert cell_classes.cache_info().currsize == 0
