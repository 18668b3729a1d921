"""Solving: proven lengths, valid bounds, limits, cancelling, and known node counts."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from hstar.errors import HstarError, InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.options import Scratch
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import LimitsIn, ScrambleIn
from hstar.search import (
    ALGORITHMS,
    Control,
    Result,
    SolveRequest,
    answer,
    plans,
    prepare,
    progress,
    question,
    solve,
    solve_interruptibly,
)  # fmt: skip
from hstar.search.control import Stopped
from hstar.search.perft import count_states, perft
from hstar.search.problem import round_up
from hstar.search.result import branching_effective

BOARD_A, BOARD_B = "2 8 3 / 1 6 4 / 0 7 5", "2 1 6 / 4 0 8 / 7 5 3"
ADMISSIBLE_TILES = ["zero", "misplaced-tiles", "manhattan", "linear-conflict", "max(misplaced_tiles, manhattan // 2)"]


def run(**fields: object) -> Result:
    return solve(prepare(SolveRequest.model_validate(fields)))


@pytest.mark.parametrize("heuristic", ADMISSIBLE_TILES)
@pytest.mark.parametrize(("board", "length"), [(BOARD_A, 6), (BOARD_B, 18)])
def test_s5_boards_have_their_reported_lengths(board: str, length: int, heuristic: str) -> None:
    result = run(puzzle="8-puzzle", state=board, heuristic=heuristic)
    assert (result.status, result.length, result.lower_bound, result.optimality) == ("solved", length, length, "proven")


def test_s5_board_b_node_counts_with_first_in_ties() -> None:
    """A correct A* on board B with misplaced cells; S5's NE is one less, because it does not count the start."""
    result = run(puzzle="8-puzzle", state=BOARD_B, heuristic="s5-misplaced-cells", tie_breaking="fifo")
    assert (result.counters.expanded, result.counters.generated) == (1858, 5232)
    assert result.counters.branching_generated == 5232 / 18


def test_every_eight_puzzle_distance() -> None:
    """States of every breadth-first distance are proven at exactly that length, however ties are broken."""
    puzzle = get_puzzle("tiles:3x3")
    layer, seen = [puzzle.solved], {puzzle.solved}
    for distance in range(32):
        for state in layer[:: max(1, len(layer) // 4)]:
            for tie_breaking in ("low_h", "lifo", "fifo", "batch"):
                result = run(puzzle="tiles:3x3", state=list(state), tie_breaking=tie_breaking)
                assert (result.length, result.optimality) == (distance, "proven"), (state, tie_breaking)
        layer = list({after for state in layer for _, after in puzzle.successors(state, puzzle.moves)} - seen)
        seen.update(layer)
    assert len(seen) == sum(perft(puzzle, puzzle.move_set(None), 40))


def test_a_solved_start_is_an_answer_like_any_other() -> None:
    result = run(puzzle="megaminx", alg="")
    assert (result.status, result.solution, result.length, result.optimality) == ("solved", [], 0, "proven")
    assert result.counters.expanded == 0
    assert result.counters.branching_generated is None


def test_megaminx_clockwise_scramble_is_solved_counter_clockwise_and_proven() -> None:
    problem = prepare(
        SolveRequest(
            puzzle="megaminx",
            scramble=ScrambleIn(k=6, seed=5, moves="cw"),
            moves="ccw",
            heuristic="ceil(misplaced_facelets / 15)",
            limits=LimitsIn(expanded=2_000_000),
        )
    )
    result = solve(problem)
    shown = answer(problem, result)
    assert result.status == "solved"
    assert result.solution is not None
    assert all(move.endswith("'") for move in result.solution)
    assert result.length is not None
    assert result.length <= 6
    assert result.optimality == "proven"
    assert shown.start.scramble is not None
    assert shown.start.scramble.k == 6
    counters = result.counters
    assert counters.expanded_last_layer is not None
    assert counters.expanded_before_last_layer == counters.expanded - counters.expanded_last_layer
    assert counters.generated == 12 * counters.expanded
    assert counters.evaluated == counters.stored


def test_an_inadmissible_heuristic_proves_nothing_by_itself() -> None:
    result = run(puzzle="8-puzzle", state=BOARD_B, heuristic="s5-conflicts-inversions")
    assert result.status == "solved"
    assert result.optimality == "feasible"
    assert result.lower_bound is not None
    assert result.length is not None
    assert 12 <= result.lower_bound <= 18 <= result.length


def test_weighted_astar_keeps_a_true_bound() -> None:
    result = run(puzzle="8-puzzle", state=BOARD_B, heuristic="manhattan", weight=5.0)
    assert result.length is not None
    assert result.lower_bound is not None
    assert result.lower_bound <= 18 <= result.length <= 5 * 18


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        ({"expanded": 100}, "expanded"),
        ({"generated": 1000}, "generated"),
        ({"seconds": 0.05}, "seconds"),
        ({"memory_mib": 16}, "memory"),
    ],
)
def test_limits_are_endings_with_counters_and_a_bound(limits: dict[str, float], limit: str) -> None:
    result = run(
        puzzle="megaminx",
        scramble={"k": 18, "seed": 1, "moves": "cw"},
        heuristic="s1-misplaced-facelets",
        limits=limits,
    )
    assert (result.status, result.limit, result.solution, result.length) == ("limit_reached", limit, None, None)
    assert result.lower_bound is not None
    assert 1 <= result.lower_bound <= 18
    if limit == "expanded":
        assert result.counters.expanded == 100
    if limit == "generated":
        assert 1000 <= result.counters.generated < 1012
    assert result.peak_bytes <= 16 * 2**20 or limit != "memory"


def test_one_way_moves_can_make_a_state_unreachable_only_by_exhaustion() -> None:
    """On 1 x 2 every board is one slide away; there is no unsolvable state that the model accepts."""
    result = run(puzzle="tiles:1x2", state=[0, 1])
    assert (result.status, result.solution) == ("solved", ["R"])


def test_cancel_from_another_thread_with_live_counters() -> None:
    problem = prepare(
        SolveRequest(
            puzzle="megaminx", scramble=ScrambleIn(k=18, seed=1, moves="cw"), heuristic="s1-misplaced-facelets"
        )
    )
    control = Control()
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(solve(problem, control)))
    thread.start()
    seen = [0]
    bound = None
    while len(seen) < 4:
        thread.join(0.02)
        assert thread.is_alive()
        now = progress(problem, control)
        bound = now.lower_bound
        if now.expanded > seen[-1]:
            seen.append(now.expanded)
    assert bound is not None
    assert bound >= 4
    control.cancel()
    thread.join(5)
    assert results[0].status == "cancelled"
    assert results[0].counters.expanded >= seen[-1]
    assert results[0].lower_bound is not None
    shown = answer(problem, results[0])
    assert (shown.status, shown.outcome) == ("cancelled", None)


@given(st.integers(1, 10**7), st.integers(1, 60))
@example(600_000, 85_529)  # a greedy solution of the Skewb
@example(5, 5)
def test_effective_branching_factor_is_the_root(generated: int, length: int) -> None:
    b = branching_effective(generated, length)
    assert b is not None
    assert sum(b**i for i in range(1, length + 1)) == pytest.approx(generated, rel=1e-6)


def test_effective_branching_factor_from_the_textbook() -> None:
    """Russell and Norvig: a solution at depth 5 using 52 nodes has b* = 1.92."""
    assert branching_effective(52, 5) == pytest.approx(1.92, abs=0.01)
    assert branching_effective(10, 0) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"puzzle": "megaminx"},
        {"puzzle": "megaminx", "alg": "", "state": "x"},
        {"puzzle": "megaminx", "alg": "", "bogus": 1},
        {"puzzle": "megaminx", "alg": "", "priority": True},
        {"puzzle": "megaminx", "alg": "", "weight": float("nan")},
        {"puzzle": "megaminx", "alg": "", "weight": 0.5},
        {"puzzle": "megaminx", "alg": "", "limits": {"expanded": True}},
        {"puzzle": "megaminx", "alg": "", "limits": {"expanded": -1}},
        {"puzzle": "megaminx", "alg": "", "limits": {"expanded": "3"}},
        {"puzzle": "megaminx", "scramble": {"k": 3}},
        {"puzzle": "megaminx", "scramble": {"k": 3.0, "seed": 1}},
        {"puzzle": "megaminx", "alg": "", "tie_breaking": "random"},
        {"puzzle": "megaminx", "alg": "", "tags": {"": "x"}},
    ],
)
def test_requests_are_strict(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SolveRequest.model_validate(fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"puzzle": "nope", "alg": ""},
        {"puzzle": "megaminx", "alg": "Q"},
        {"puzzle": "megaminx", "alg": "", "moves": "up"},
        {"puzzle": "megaminx", "alg": "", "heuristic": "("},
        {"puzzle": "megaminx", "alg": "", "goal": [1]},
        {"puzzle": "8-puzzle", "state": "1 2"},
        {"puzzle": "megaminx", "scramble": "no-such-id"},
    ],
)
def test_wrong_problems_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(HstarError):
        prepare(SolveRequest.model_validate(fields))


def test_caps_bound_requested_limits() -> None:
    caps = LimitsIn(expanded=1000, memory_mib=64)
    request = SolveRequest(puzzle="megaminx", alg="U")
    assert prepare(request, caps).limits.model_dump() == {
        "expanded": 1000,
        "generated": None,
        "seconds": None,
        "memory_mib": 64,
    }
    with pytest.raises(InvalidRequest, match="/limits/expanded: at most 1000"):
        prepare(SolveRequest(puzzle="megaminx", alg="U", limits=LimitsIn(expanded=1001)), caps)


def test_all_faults_of_a_request_are_reported_at_once() -> None:
    request = SolveRequest(
        puzzle="megaminx", alg="U Q", moves="up", heuristic="misplaced_facelets +", limits=LimitsIn(expanded=11)
    )
    with pytest.raises(InvalidRequest) as caught:
        prepare(request, LimitsIn(expanded=10))
    text = str(caught.value)
    for said in ("no move set 'up'", "move 2: 'Q'", "column 21", "/limits/expanded: at most 10"):
        assert said in text


def test_what_no_moves_can_solve_is_known_without_a_search() -> None:
    result = run(puzzle="2x2x2", alg="F", moves="U U'", algorithm="breadth_first")
    assert (result.status, result.counters.expanded) == ("exhausted", 0)
    twisted = get_puzzle("4x4x4")
    assert isinstance(twisted, PermutationPuzzle)
    held = list(twisted.contents(twisted.solved))
    held[twisted.orbits[0].first] += 1
    state = twisted.format_state(twisted.state_of(held))
    assert run(puzzle="4x4x4", state=state, algorithm="ida_star").status == "exhausted"


def test_a_question_names_the_rule_for_duplicates_unless_auto_chooses() -> None:
    asked = SolveRequest(puzzle="8-puzzle", alg="U", algorithm="astar")
    assert question(prepare(asked)).duplicate_detection == ALGORITHMS["astar"].duplicates
    assert question(prepare(asked.model_copy(update={"algorithm": "auto"}))).duplicate_detection is None


def test_a_shorter_alg_on_a_board_has_the_same_effect() -> None:
    """The goal is where the alg leads from solved, not the board that is solved."""
    puzzle, alg = get_puzzle("8-puzzle"), "U L D R U L D R"
    problem = prepare(SolveRequest(puzzle="8-puzzle", shorten=alg, algorithm="windows"))
    found = solve(problem).solution
    assert found is not None
    assert len(found) < len(alg.split())
    effect = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(alg))
    assert puzzle.apply_alg(puzzle.solved, tuple(found)) == effect


def test_ctrl_c_ends_a_search_and_keeps_its_solution() -> None:
    problem = prepare(SolveRequest(puzzle="tiles:6x6", random=1, algorithm="anytime"))
    control = Control()

    def press() -> None:
        while control.best is None:
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    pressing = threading.Thread(target=press)
    pressing.start()
    result = solve_interruptibly(problem, control)
    pressing.join()
    assert control.cancelled
    assert result.status == "solved"


def test_ctrl_c_while_the_thread_is_started_does_not_start_another(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = prepare(SolveRequest(puzzle="tiles:6x6", random=1, algorithm="anytime"))
    control, threads, again = Control(), list[threading.Thread](), threading.Event()

    class Interrupted(ThreadPoolExecutor):
        def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Any:
            if not threads:
                threads.append(threading.Thread(target=work))
                threads[0].start()
                while control.best is None:
                    time.sleep(0.01)
                raise KeyboardInterrupt
            done = super().submit(work)
            done.result(60)
            again.set()
            return done

    def solve_and_wait(*args: Any, **kwargs: Any) -> Any:
        result = solve(*args, **kwargs)
        if threading.current_thread() in threads:
            assert again.wait(60)
        return result

    monkeypatch.setattr("hstar.search.ThreadPoolExecutor", Interrupted)
    monkeypatch.setattr("hstar.search.solve", solve_and_wait)
    assert solve_interruptibly(problem, control).status == "solved"
    threads[0].join(60)


@pytest.mark.parametrize("taken", [False, True])
def test_ctrl_c_while_the_search_is_started(taken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether or not its thread has taken the search, it ends at once, and it is searched once."""
    searched = 0

    class Pressed(ThreadPoolExecutor):
        pressed = False

        def submit(self, work: Callable[..., object]) -> Future[object]:  # type: ignore[override]
            if self.pressed:
                return super().submit(work)
            self.pressed = True
            if taken:
                super().submit(work)
            raise KeyboardInterrupt

    def counted(*given: object, **named: object) -> Result:
        nonlocal searched
        searched += 1
        return solve(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("hstar.search.ThreadPoolExecutor", Pressed)
    monkeypatch.setattr("hstar.search.solve", counted)
    control = Control()
    result = solve_interruptibly(prepare(SolveRequest(puzzle="15-puzzle", random=1, algorithm="ida_star")), control)
    assert (result.status, control.cancelled, searched) == ("cancelled", True, 1)


def test_auto_leaves_out_tables_that_do_not_fit_into_memory() -> None:
    request = SolveRequest(puzzle="15-puzzle", random=1, algorithm="auto")
    problem = prepare(request)
    needs = [
        get_heuristic(choice.heuristic, problem.puzzle, problem.moves).build_bytes
        for choice in problem.puzzle.auto(problem.moves)
    ]
    most = max(needs) // 2**20
    assert most > 1
    for mib, fitting in ((most, len(needs) - 1), (most + 1, len(needs))):
        limits = problem.limits.model_copy(update={"memory_mib": mib})
        assert len(plans.proving(replace(problem, limits=limits))) == fitting


@pytest.mark.parametrize("whole", [0, 1, 7, 52])
def test_bounds_are_rounded_up_but_for_what_doubles_lose(whole: int) -> None:
    lost = [sum([whole / parts] * parts) for parts in (3, 7, 10, 49)]
    assert {round_up(value) for value in (whole, whole - 1e-9, whole + 1e-9, *lost)} == {whole}
    assert {round_up(whole + more) for more in (1e-5, 0.1, 0.5, 0.999999, 1.0)} == {whole + 1}


def test_a_solution_has_allowed_moves_that_lead_to_the_goal_over_the_board() -> None:
    problem = prepare(SolveRequest.model_validate({"puzzle": "8-puzzle", "scramble": {"k": 5, "seed": 2}}))
    puzzle = problem.puzzle
    right = puzzle.inverse_alg(problem.given.alg or ())
    back = [right[0], puzzle.inverse(right[0])]
    off = [right[0]] * 3 + [puzzle.inverse(right[0])] * 3
    for alg, is_one in ((right, True), ([*back, *right], True), (right[1:], False), ([], False), (off, False),
                        ([*right, right[-1]], False), ([*right[:-1], "X"], False)):  # fmt: skip
        assert problem.is_solution(alg) is is_one, alg
    few = prepare(SolveRequest.model_validate({"puzzle": "megaminx", "alg": "U", "moves": "ccw"}))
    assert few.is_solution(["U'"])
    assert not few.is_solution(["U"] * 4)


def test_layers_are_counted_up_to_the_largest_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = get_puzzle("8-puzzle")
    moves = puzzle.move_set(None)
    assert list(perft(puzzle, moves, 2)) == [1, 4, 8]
    assert list(perft(puzzle, moves, 0)) == [1]
    nine = 4 * 9  # bytes of four boards of nine cells
    for most, fits in ((nine - 1, 0), (nine, 1), (4 * nine - 1, 1), (4 * nine, 2)):
        monkeypatch.setattr("hstar.search.perft.MAX_BYTES", most)
        assert len(list(perft(puzzle, moves, fits))) == fits + 1
        with pytest.raises(InvalidRequest, match=f"distance {fits + 1} is too large") as refused:
            list(perft(puzzle, moves, fits + 1))
        assert str(refused.value.faults[0]) == f"/depth: at most {fits}"
    with pytest.raises(InvalidRequest, match="no such depth"):
        list(perft(puzzle, moves, -1))


def test_states_are_counted_up_to_the_distance_that_is_named(tmp_path: Path) -> None:
    """A count that does not fit says how far it would."""
    puzzle = get_puzzle("15-puzzle")
    moves = puzzle.move_set(None)
    little = Scratch(str(tmp_path), 1)
    for scratch, room in ((None, "1 MiB"), (little, "1 MiB and 1 on disk")):
        with pytest.raises(InvalidRequest) as refused:
            count_states(puzzle, moves, memory_mib=1, scratch=scratch)
        (fault,) = refused.value.faults
        distance, _, rest = fault.message.removeprefix("at most ").partition(" in ")
        assert (fault.where, rest) == ("/depth", room)
        assert f"distance {int(distance) + 1} is too large" in str(refused.value)
        counts = count_states(puzzle, moves, int(distance), memory_mib=1, scratch=scratch)
        assert counts == list(perft(puzzle, moves, int(distance)))
        assert len(counts) == int(distance) + 1
    assert count_states(puzzle, moves, 0) == [1]
    small = get_puzzle("tiles:2x2")
    assert count_states(small, small.move_set(None)) == list(perft(small, small.move_set(None), 99))
    with pytest.raises(InvalidRequest, match="no such depth"):
        count_states(puzzle, moves, -1)
    cancelled = Control()
    cancelled.cancel()
    with pytest.raises(Stopped):
        count_states(puzzle, moves, 20, control=cancelled)


def test_a_directory_that_cannot_be_used_is_an_error_of_every_way_to_search(tmp_path: Path) -> None:
    wrong = tmp_path / "file"
    wrong.write_text("no directory")
    scratch = Scratch(str(wrong / "below"), 1)
    problem = prepare(SolveRequest(puzzle="15-puzzle", random=1, algorithm="layered", limits=LimitsIn(memory_mib=1)))
    puzzle = problem.puzzle
    for search in (
        lambda: solve(problem, scratch=scratch),
        lambda: solve_interruptibly(problem, scratch=scratch),
        lambda: count_states(puzzle, problem.moves, memory_mib=1, scratch=scratch),
    ):
        with pytest.raises(InvalidRequest) as refused:
            search()
        assert [fault.where for fault in refused.value.faults] == ["/directory"]
