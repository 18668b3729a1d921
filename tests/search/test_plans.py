"""Plans: the steps that are shipped, steps of a user's own, and the runner that does them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import hstar
from hstar import schema
from hstar.errors import InvalidRequest, InvalidState, SolutionRejected
from hstar.heuristics import Heuristic, get_heuristic
from hstar.options import Step, steps_of
from hstar.puzzles import get_puzzle, puzzle_names
from hstar.search import (
    ALGORITHMS,
    Budget,
    Problem,
    Result,
    SolveRequest,
    answer,
    databases_of,
    plan_of,
    plans,
    prepare,
    shortest_if_admissible,
    solve,
)
from hstar.search.methods import METHODS
from hstar.search.prepare import heuristic_of
from hstar.search.run import Run, Search
from hstar.search.runner import follow
from tests.conftest import large_cubes_thorough

#: questions, and the steps of their algorithm
SHIPPED = json.loads((Path(__file__).parent.parent / "data" / "plans.json").read_text())

BOARD: dict[str, object] = {"puzzle": "15-puzzle", "random": 3}
CUBE: dict[str, object] = {"puzzle": "2x2x2", "random": 3}


def run(question: dict[str, Any], *steps: dict[str, Any], **limits: float) -> Result:
    return solve(ready(question, *steps, **limits))


def ready(question: dict[str, Any], *steps: dict[str, Any], **limits: float) -> Problem:
    return prepare(SolveRequest.model_validate({**question, "plan": list(steps), "limits": limits}))


@pytest.mark.parametrize("name", large_cubes_thorough([*puzzle_names(), "tiles:5x5", "tiles:10x10", "lrx:9"]))
def test_a_shipped_plan_sent_as_ones_own_does_the_same(name: str) -> None:
    asked = {"puzzle": name, "random": 5, "limits": {"expanded": 3_000}}
    whole = solve(problem := prepare(SolveRequest.model_validate(asked | {"algorithm": "anytime"})))
    steps = [step.model_dump(mode="json", exclude_defaults=True) for step in plan_of(problem)]
    again = solve(prepare(SolveRequest.model_validate(asked | {"plan": steps})))
    assert (again.solution, again.lower_bound, again.status) == (whole.solution, whole.lower_bound, whole.status)
    assert again.counters == whole.counters
    assert again.method == "plan"


def test_steps_follow_one_another_within_one_budget() -> None:
    direct = run(BOARD, {"method": "constructive"})
    both = run(BOARD, {"method": "constructive"}, {"method": "windows"}, expanded=100_000)
    assert (both.length or 0) < (direct.length or 0)
    assert 0 < both.counters.expanded <= 100_000
    proof = run(CUBE, {"method": "constructive"}, {"method": "ida_star"})
    alone = solve(prepare(SolveRequest.model_validate({**CUBE, "algorithm": "ida_star"})))
    assert (proof.optimality, proof.length) == ("proven", alone.length)
    assert proof.counters.expanded >= alone.counters.expanded


def test_the_last_width_of_beams_is_only_for_a_limit_of_seconds() -> None:
    def expanded(*widths: tuple[int, int], **limits: float) -> int:
        beams = {"method": "beams", "settings": {"widths": widths, "last_moves": 10**6}}
        question = {"puzzle": "megaminx", "scramble": {"k": 20, "seed": 1}}
        return run(question, {"method": "constructive"}, beams, **limits).counters.expanded

    assert expanded((2, 1), (3, 1), (5, 1)) == expanded((2, 1), (3, 1), (9, 2)) > expanded((2, 1), (9, 1))
    assert expanded((2, 1), (3, 1), seconds=600) == expanded((2, 1), (3, 1), (5, 1))
    assert expanded((2, 1), (3, 2), (9, 1)) > expanded((2, 1), (3, 1), (9, 1))


def test_the_conditions_of_steps() -> None:
    near = {"method": "bidirectional", "expanded": 10}
    far = {"method": "bidirectional"}
    none = run(CUBE, near, {**far, "when": "solved"})
    assert (none.status, none.limit) == ("limit_reached", "method")  # no limit of the caller's
    assert none.counters.expanded == 10
    assert run(CUBE, near, {**far, "when": "unsolved"}).optimality == "proven"
    first = {"method": "constructive"}
    for condition, done in (
        ({"when": "unsolved"}, False), ({"when": "solved"}, True), ({"when": "known"}, False),
        ({"when": "unimproved"}, False), ({"when": "improved"}, True), ({"gap_most": 0}, False),
        ({"gap_most": 10_000}, True), ({"gap_least": 1}, True), ({"gap_least": 10_000}, False),
    ):  # fmt: skip
        counted = run(CUBE, first, {**far, **condition}).counters.expanded
        assert (counted > run(CUBE, first).counters.expanded) == done, condition


def test_the_edges_of_conditions() -> None:
    """The gap between the first solution and the bound; and a solution that is as long as the one that was known."""
    first = {"method": "constructive"}
    begun = run(CUBE, first)
    gap = (begun.length or 0) - (begun.lower_bound or 0)
    assert gap > 1
    for condition, done in (
        ({"gap_most": gap}, True), ({"gap_most": gap - 1}, False),
        ({"gap_least": gap}, True), ({"gap_least": gap + 1}, False),
    ):  # fmt: skip
        found = run(CUBE, first, {"method": "bidirectional", **condition})
        assert (found.counters.expanded > begun.counters.expanded) == done, condition
    alg = {"puzzle": "2x2x2", "shorten": "R U R' U' " * 3, "algorithm": "plan"}
    assert run(alg, {"method": "windows", "when": "known"}).counters.expanded > 0
    assert run(alg, {"method": "bidirectional"}, {"method": "windows", "when": "known"}).optimality == "proven"


def test_a_plan_is_ended_by_its_last_proof_or_by_what_found_the_solution() -> None:
    def last(*steps: dict[str, Any]) -> str:
        problem = ready(CUBE, *steps)
        searches = {name: method.search for name, method in METHODS.items() if method.search is not None}
        budget = Budget(problem.limits)
        found = follow(Run(problem, budget, searches), plan_of(problem), budget)
        return "" if found is None else found.method

    first, near, far = {"method": "constructive"}, {"method": "bidirectional", "expanded": 10}, {"method": "ida_star"}
    assert last(near) == "bidirectional"
    assert last(first, near) == "constructive"
    assert last(first, near, far) == last(near, far) == "ida_star"
    assert last({**first, "when": "solved"}) == ""


def test_shares_of_nodes_and_steps_within_steps() -> None:
    near = {"method": "bidirectional", "nodes": 0.25}
    assert run(CUBE, near, expanded=1_000).counters.expanded == 250
    again = run(CUBE, near, near, {"method": "breadth_first", "nodes": 0.5}, expanded=1_000)
    assert again.counters.expanded == 500  # the second has nothing left, and the third the rest
    nested = {"method": "plan", "nodes": 0.5, "steps": [near, {"method": "breadth_first", "nodes": 0.5}]}
    assert run(CUBE, nested, expanded=800).counters.expanded == 200  # 100 and another 100: half of the half
    together = [{"method": "bidirectional", "expanded": n, "together": True} for n in (30, 50)]
    assert run(CUBE, *together).counters.expanded == 50


def test_a_step_is_left_out_if_its_tables_take_too_long(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    large = {"method": "ida_star", "heuristic": 'pdb("corners:5")'}
    question = {"puzzle": "megaminx", "scramble": {"k": 3, "seed": 1}}
    found = run(question, large, {"method": "ida_star"}, seconds=5.0)
    assert found.optimality == "proven"
    assert [databases.name for databases in found.unbuilt] == ["corners:5"]
    assert not list(tmp_path.glob("*.pdb"))
    assert run(question, {**large, "tables": False}, {"method": "ida_star"}).unbuilt == ()


def test_a_step_is_left_out_if_there_is_no_memory_for_its_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    load = Heuristic.load

    def fails(self: Heuristic) -> None:
        if self.build_bytes:
            raise MemoryError
        load(self)

    monkeypatch.setattr(Heuristic, "load", fails)
    large = {"method": "ida_star", "heuristic": 'pdb("4-4")'}
    question = {"puzzle": "8-puzzle", "random": 5}
    found = run(question, large)
    assert (found.status, found.limit, found.counters.expanded) == ("limit_reached", "memory", 0)
    assert run(question, large, {"method": "ida_star"}).optimality == "proven"


def test_a_run_keeps_the_shortest_solution_and_nothing_that_is_none() -> None:
    asked = {"puzzle": "megaminx", "alg": "U F R", "moves": "ccw"}
    problem = prepare(SolveRequest.model_validate(asked))
    state = Run(problem, Budget(problem.limits), {})
    moves = problem.moves.moves
    for wrong in ([], *([move] for move in moves), *(["R'", "F'", move] for move in moves if move != "U'")):
        with pytest.raises(SolutionRejected, match="does not solve"):
            state.offer(wrong)
    with pytest.raises(SolutionRejected, match="not in the move set"):
        state.offer(["R'", "F'", "U", "U", "U", "U"])
    assert (state.solution, state.gap, state.proven) == (None, None, False)
    long, short = ("R'", "F'", *["U'"] * 6), ("R'", "F'", "U'")
    assert state.offer(long)
    assert not state.offer(long)
    assert state.gap == 8
    assert state.offer(short)
    assert not state.offer(long)
    for bound, gap in ((1, 2), (0, 2), (3, 0), (2, 0)):
        state.raise_bound(bound)
        assert (state.solution, state.gap, state.proven) == (short, gap, gap == 0)


def nested(deep: int) -> dict[str, Any]:
    """A step within steps, so many in all."""
    return {"method": "constructive"} if deep == 1 else {"method": "plan", "steps": [nested(deep - 1)]}


@pytest.mark.parametrize(
    ("steps", "where"),
    [
        ([{"method": "constructive", "width": 7}], "/plan/0/width"),
        ([{"method": "windows"}, {"method": "windows", "settings": {"lengths": "all"}}], "/plan/1/settings/lengths"),
        ([{"method": "windows", "settings": {"length": [6]}}], "/plan/0/settings/length"),
        ([{"method": "ida_star", "heuristic": "nothing"}], "/plan/0/heuristic"),
        ([{"method": "two_phase"}], "/plan/0/method"),
        ([{"method": "astar", "steps": [{"method": "astar"}]}], "/plan/0/steps"),
        ([{"method": "plan", "steps": [{"method": "beam", "weight": 2.0}]}], "/plan/0/steps/0/weight"),
        ([{"method": "plan"}], "/plan/0/steps"),
        ([nested(4)], "/plan/0/steps/0/steps/0/steps/0"),
    ],
)
def test_what_a_step_cannot_have_is_refused(steps: list[dict[str, Any]], where: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        ready(BOARD, *steps)
    assert where in [fault.where for fault in caught.value.faults]
    assert run(BOARD, nested(3)).length == run(BOARD, {"method": "constructive"}).length


@pytest.mark.parametrize("plan", [[], [{}], [{"method": "magic"}], [{"method": "astar", "until": 0}], "[", "{}", 7])
def test_what_is_no_plan_is_refused(plan: object) -> None:
    with pytest.raises(ValidationError):
        SolveRequest.model_validate({**BOARD, "plan": plan})


def test_a_plan_has_one_text() -> None:
    steps = [{"until": 0.5, "method": "constructive"}, {"method": "windows", "settings": {"patience": 1}}]
    given = [steps, json.dumps(steps, indent=2), [Step.model_validate(step) for step in steps]]
    texts = {SolveRequest.model_validate({**BOARD, "plan": plan}).plan for plan in given}
    assert len(texts) == 1
    (text,) = texts
    assert SolveRequest.model_validate({**BOARD, "plan": text}).plan == text
    assert [step.method for step in steps_of(text)] == ["constructive", "windows"]


def test_a_plan_without_steps_and_an_algorithm_with_them_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="give its steps"):
        prepare(SolveRequest.model_validate({**BOARD, "algorithm": "plan"}))
    with pytest.raises(InvalidRequest, match="astar does not use it"):
        prepare(SolveRequest.model_validate({**BOARD, "algorithm": "astar", "plan": [{"method": "greedy"}]}))


def test_methods_say_what_they_are() -> None:
    for name, method in METHODS.items():
        assert method.name == name
        method.settings()  # every constant has a value
    only_steps = {"beams", "bundles", "by_shape", "commuting", "insertions", "reduction", "spins", "weights"}
    assert only_steps == METHODS.keys() - ALGORITHMS.keys()
    assert [name for name, method in ALGORITHMS.items() if method.improves] == [
        "ara_star", "two_phase", "windows", "anytime", "plan", "auto",
    ]  # fmt: skip

    def those(flag: str) -> set[str]:
        return {name for name, method in METHODS.items() if getattr(method, flag)}

    proving = {"astar", "ida_star", "epea_star", "breadth_first", "bidirectional", "layered", "auto"}
    assert those("layers") == proving
    assert those("optimal") == proving | {"rbfs", "mm", "nbs"}
    assert those("costs") == {"astar", "ida_star", "auto", "commuting"}
    assert those("shortens") == {"windows", "anytime", "plan", "auto"}
    assert those("shared") == {"ida_star", "plan", "auto"}


@pytest.mark.parametrize(
    ("asked", "steps"), SHIPPED, ids=lambda one: "-".join(map(str, one.values())) if isinstance(one, dict) else ""
)
def test_the_plans_that_are_shipped(asked: dict[str, Any], steps: list[dict[str, Any]]) -> None:
    """A step, share or constant changes only by intent."""
    problem = prepare(SolveRequest.model_validate(asked | {"alg": ""}))
    assert [step.model_dump(mode="json", exclude_defaults=True) for step in plan_of(problem)] == steps


def test_a_single_step_waits_for_its_tables_unless_it_is_within_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    step = {"method": "ida_star", "heuristic": 'pdb("corners:5")'}
    problem = ready({"puzzle": "megaminx", "scramble": {"k": 3, "seed": 1}}, step, seconds=0.2)
    assert get_heuristic(step["heuristic"], problem.puzzle, problem.moves).build_seconds > 0.2
    began: list[str] = []
    monkeypatch.setattr(Run, "load", lambda run, heuristic, share: began.append(heuristic.expression.text))
    solve(problem)
    assert began == [step["heuristic"]]
    solve(
        ready({"puzzle": "megaminx", "scramble": {"k": 3, "seed": 1}}, {"method": "plan", "steps": [step]}, seconds=0.2)
    )
    assert began == [step["heuristic"]]


def test_the_counters_of_a_plan_are_those_of_its_searches() -> None:
    """Sums of expanded, generated, evaluated and reopened; the largest of what is held at one time."""
    problem = prepare(SolveRequest.model_validate({**BOARD, "algorithm": "anytime", "limits": {"expanded": 700_000}}))
    seen: list[Any] = []
    searches = {name: _noting(method.search, seen) for name, method in METHODS.items() if method.search is not None}
    budget = Budget(problem.limits)
    state = Run(problem, budget, searches)
    steps = [step for step in plan_of(problem) if step.method != "beams"]
    follow(state, steps, budget)
    assert len(seen) > 3
    for name in ("expanded", "generated", "evaluated", "reopened"):
        assert getattr(budget.counted, name) == sum(getattr(one, name) for one in seen) > 0, name
    for name in ("stored", "max_open", "peak_bytes"):
        assert getattr(budget.counted, name) == max(getattr(one, name) for one in seen) > 0, name


def _noting(search: Any, seen: list[Any]) -> Any:
    def noted(asked: Any) -> Any:
        seen.append(search(asked))
        return seen[-1]

    return noted


def test_the_library_takes_every_option() -> None:
    start = hstar.puzzle("8-puzzle").random(seed=4)
    found = hstar.solve(start, plan=[{"method": "constructive"}, {"method": "windows"}], limits={"expanded": 5_000})
    assert found.moves is not None
    one = hstar.solve(start, tie_breaking="fifo", weight=2.0, heuristic="manhattan")
    assert (one.answer.tie_breaking, one.answer.weight) == ("fifo", 2.0)
    assert hstar.solve(start, algorithm="ida_star", threads=2).proven
    with pytest.raises(InvalidRequest, match="unknown field"):
        hstar.solve(start, wdith=3)
    assert get_puzzle("8-puzzle").move_set(None).moves
    assert "tie_breaking" in (hstar.solve.__doc__ or "")


def test_the_plan_of_auto_proves_first() -> None:
    problem = prepare(SolveRequest.model_validate({**BOARD, "algorithm": "auto"}))
    *proving, last = plan_of(problem)
    assert [step.method for step in proving] == [step.method for step in plans.proving(problem)]
    assert {(step.nodes, step.until) for step in proving} == {(plans.PROVING, plans.PROVING)}
    assert (last.method, last.nodes, last.until) == ("anytime", 1.0, 1.0)
    alone = steps_of(plans.proof(problem).options.plan)
    assert [(step.expanded, step.together) for step in alone] == [(step.expanded, True) for step in proving]


def test_auto_looks_for_a_solution_before_its_last_proof_on_large_boards() -> None:
    asked = {"puzzle": "tiles:5x5", "random": 1, "algorithm": "auto", "limits": {"seconds": 10, "memory_mib": 512}}
    problem = prepare(SolveRequest.model_validate(asked))
    *before, last = [step.heuristic for step in plans.proving(problem)]
    found = [(step.method, step.heuristic, step.when) for step in plan_of(problem)]
    assert len(before) == 2
    assert [heuristic for _, heuristic, _ in found] == [*before, None, last, None]
    assert found[2][::2] == ("anytime", "unsolved")
    assert found[4][::2] == ("anytime", "always")  # where there is no time for the tables of the proof
    assert (plan_of(problem)[-2].until, plan_of(problem)[-2].nodes) == (1.0, 1.0)  # all that is left
    known = plan_of(replace(problem, known=()))
    assert [step.heuristic for step in known] == [*before, last, None]
    assert {step.until for step in known[:-1]} == {plans.PROVING}


@pytest.mark.parametrize(
    ("heuristic", "weight", "bounds"),
    [("manhattan", 1.0, [0, 0, 5, 6]), ("manhattan", 2.0, [0, 0, 3, 3]), ("9 * manhattan", 1.0, [0, 0, 0, 0])],
)
def test_only_open_nodes_of_an_admissible_heuristic_prove_a_bound(
    heuristic: str, weight: float, bounds: list[int]
) -> None:
    problem = prepare(SolveRequest.model_validate({**BOARD, "algorithm": "astar"}))
    read = get_heuristic(heuristic, problem.puzzle, problem.moves)
    asked = Search(problem, read, Step(method="astar", weight=weight), Budget(schema.Limits(memory_mib=64)))
    assert [asked.bound_from(f) for f in (-1.0, 0.0, 5.0, 5.5)] == bounds


@pytest.mark.parametrize("algorithm", ["anytime", "astar", "ida_star", "breadth_first", "auto"])
def test_the_heuristic_of_a_question(algorithm: str) -> None:
    problem = prepare(SolveRequest.model_validate({**BOARD, "algorithm": algorithm}))
    if algorithm in ("astar", "ida_star"):
        problem = prepare(
            SolveRequest.model_validate({**BOARD, "algorithm": algorithm, "heuristic": "misplaced_tiles"})
        )
    expected = {"auto": plans.proving(problem)[-1].heuristic, "breadth_first": "zero", "anytime": "zero"}
    wanted = get_heuristic(expected.get(algorithm, "misplaced_tiles"), problem.puzzle, problem.moves)
    assert heuristic_of(problem).expression == wanted.expression


def test_weights_go_on_after_a_limit_of_nodes() -> None:
    """The next round has four times the nodes, until all of them are used."""
    settings = {"expanded": 2_000, "rounds": 3}
    weights: dict[str, Any] = {"method": "weights", "heuristic": "manhattan", "settings": settings}
    assert run(BOARD, {"method": "constructive"}, weights, expanded=60_000).counters.expanded == 60_000


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_only_shared_methods_take_several_workers(algorithm: str) -> None:
    steps = [{"method": "ida_star"}] if algorithm == "plan" else None
    asked = {**BOARD, "algorithm": algorithm, "workers": 2, "plan": steps}
    if algorithm in ("auto", "ida_star", "plan"):
        assert prepare(SolveRequest.model_validate(asked)).algorithm == algorithm
        return
    with pytest.raises(InvalidRequest) as refused:
        prepare(SolveRequest.model_validate(asked))
    assert "/workers" in [fault.where for fault in refused.value.faults]
    assert algorithm not in str(refused.value).partition("is not shared; ")[2]


@pytest.mark.parametrize(
    "question",
    [{"puzzle": "8-puzzle", "alg": "D R", "moves": "U L D"}, {"puzzle": "lrx:4", "alg": "X L", "moves": "L X"},
     {"puzzle": "4x4x4", "alg": "U"}],
)  # fmt: skip
def test_weights_go_one_way_where_moves_have_no_inverse_or_pieces_look_alike(question: dict[str, Any]) -> None:
    found = run(question, {"method": "weights"}, expanded=3_000)
    assert found.status == "solved"


def test_a_beam_without_a_width_has_the_usual_one() -> None:
    found, usual = (run(CUBE, {"method": "beam", **width}) for width in ({}, {"width": 1000}))
    assert (found.solution, found.counters) == (usual.solution, usual.counters)


@pytest.mark.parametrize("algorithm", ["anytime", "auto"])
def test_moves_that_many_repetitions_undo_are_searched_without_words(algorithm: schema.Algorithm) -> None:
    lengths = (2, 7, 9, 11)  # of cycles, so 1385 repetitions undo a move
    first = [sum(lengths[:i]) for i in range(4)]
    turned = [begin + (i + 1) % n for begin, n in zip(first, lengths, strict=True) for i in range(n)]
    puzzle = hstar.Puzzle.from_generators({"A": turned, "B": [0, 1, 3, 2, *range(4, sum(lengths))]})
    start = puzzle.solved @ "A' B A'"
    found = hstar.solve(start, moves="A B", algorithm=algorithm)
    assert (found.moves, found.proven) == (("A", "B", "A"), True)
    far = hstar.solve(puzzle.solved @ "A5", moves="A B", algorithm=algorithm, limits={"expanded": 1})
    assert far.moves is None
    assert far.lower_bound
    with pytest.raises(InvalidRequest):
        hstar.solve(start, moves="A B", plan=[{"method": "beams"}])


def test_weights_go_both_ways_on_a_row() -> None:
    """From the start, and from the goal, whose solution is read backwards."""
    row = {"puzzle": "pancake:30", "random": 2}
    step = {"method": "weights", "heuristic": "gaps", "settings": {"weights": [2.0, 1.2], "expanded": 300}}
    found = run(row, step, expanded=40_000)
    assert found.solution is not None
    assert ready(row, step).is_solution(found.solution)
    once = run(row, {**step, "settings": {"weights": [2.0], "expanded": 300}}, expanded=40_000)
    assert (found.length or 0) <= (once.length or 0)


@pytest.mark.parametrize(
    ("target", "same"),
    [
        ({"alg": "R U"}, "R U"), ({"alg": "R U", "more": 1}, None), ({"random": True}, None), ({"alg": 3}, None),
        ({"random": 5, "more": 1}, None),
    ],
)  # fmt: skip
def test_a_target_is_a_state_an_alg_or_a_random_state(target: dict[str, object], same: str | None) -> None:
    asked = {"puzzle": "2x2x2", "alg": "F", "target": target}
    if same is None:
        with pytest.raises(InvalidState):
            prepare(SolveRequest.model_validate(asked))
        return
    problem, puzzle = prepare(SolveRequest.model_validate(asked)), get_puzzle("2x2x2")
    there = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(same))
    assert problem.given.target == puzzle.format_state(there)
    found = solve(problem).solution
    assert found is not None
    assert puzzle.apply_alg(puzzle.apply_alg(puzzle.solved, ["F"]), found) == there


def test_what_begins_with_an_alg_and_which_ties_there_are() -> None:
    with pytest.raises(InvalidRequest, match="astar begins with no alg; anytime, auto, plan and windows do"):
        prepare(SolveRequest.model_validate({"puzzle": "2x2x2", "shorten": "R U", "algorithm": "astar"}))
    with pytest.raises(InvalidRequest, match="greedy takes low_h or lifo or fifo"):
        prepare(SolveRequest.model_validate({**BOARD, "algorithm": "greedy", "tie_breaking": "batch"}))


def test_the_databases_of_a_problem() -> None:
    """Of the heuristic, of all steps of a plan, and of all that auto may build."""

    def names(**asked: object) -> list[str]:
        return sorted(databases_of(prepare(SolveRequest.model_validate({**BOARD, **asked}))))

    one, other = (names(algorithm="ida_star", heuristic=f'pdb("{name}")') for name in ("6-6-3", "5-5-5"))
    assert len(one) == len(other) == 1
    assert names(algorithm="astar") == names(algorithm="breadth_first") == []
    assert names(algorithm="auto") == one
    steps = [{"method": "ida_star", "heuristic": 'pdb("5-5-5")'}]
    assert names(
        plan=[{"method": "ida_star", "heuristic": 'pdb("6-6-3")'}, {"method": "plan", "steps": steps}]
    ) == sorted(one + other)


def test_when_a_solution_without_a_proof_is_shortest_if_its_heuristic_is_admissible() -> None:
    def found(**asked: object) -> bool:
        problem = prepare(
            SolveRequest.model_validate({"puzzle": "15-puzzle", "scramble": {"k": 3, "seed": 1}, **asked})
        )
        return shortest_if_admissible(answer(problem, solve(problem)))

    unknown = {"heuristic": "max(manhattan, inversions / 9)"}
    assert found(**unknown)
    assert not found(**unknown, weight=2.0)
    assert not found(**unknown, algorithm="greedy")
    assert not found(heuristic="manhattan")
    assert not found(**unknown, limits={"expanded": 1})


def test_a_proof_comes_before_the_end_only_where_its_tables_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    strong, strongest = 'pdb("cosets+CORNERS/2")', 'pdb("cosets+CORNERS/2+EDGES/3")'

    def exact(**limits: float) -> list[tuple[str, str | None, float]]:
        asked = {"puzzle": "3x3x3", "moves": "single", "random": 1, "algorithm": "anytime", "limits": limits}
        steps = plan_of(prepare(SolveRequest.model_validate(asked)))
        first = [step.method for step in steps].index("windows")
        return [(s.method, s.heuristic, s.until) for s in steps[first:] if s.method == "ida_star" and s.until < 1]

    room = {"seconds": 10, "memory_mib": 4096}
    assert exact(**room) == []
    monkeypatch.setattr(Heuristic, "kept", property(lambda self: True))
    assert exact(**room) == [("ida_star", strong, 0.98)]
    assert exact(seconds=10, memory_mib=8192) == [("ida_star", strongest, 0.98)]
    monkeypatch.setattr(Heuristic, "kept", property(lambda self: self.expression.text == strong))
    assert exact(seconds=10, memory_mib=8192) == [("ida_star", strong, 0.98)]
    assert exact(seconds=10, memory_mib=1024) == []
    assert exact(expanded=10**9, memory_mib=4096) == []  # the same on every machine
