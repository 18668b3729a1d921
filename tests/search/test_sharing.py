"""One IDA* on several workers: the same bounds, the same nodes, whatever becomes of the subtrees."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from hstar import schema
from hstar.heuristics import get_heuristic
from hstar.options import Step
from hstar.search import Budget, Control, Problem, SolveRequest, prepare, sharing, solve
from hstar.search.budget import Counted
from hstar.search.methods import ida_star
from hstar.search.methods.ida_star import search_part
from hstar.search.run import Search
from hstar.search.subtrees import Seen, Shared, Subtree, SubtreeTask


def answered(problem: Problem, task: SubtreeTask) -> Subtree:
    """As a worker does it, from what it is sent."""
    task = SubtreeTask.model_validate_json(task.model_dump_json())
    heuristic = get_heuristic(task.heuristic, problem.puzzle, problem.moves)
    budget = Budget(schema.Limits(memory_mib=64))
    asked = Search(problem, heuristic, Step(method="ida_star"), budget)
    outcome = search_part(asked, (task.root, task.bound, 0))
    return Subtree.model_validate_json(Subtree.of(outcome).model_dump_json())


@dataclass
class Others:
    """Other workers: at each look some begin, some answer, and some fail."""

    problem: Problem
    random: random.Random
    jobs: dict[str, tuple[SubtreeTask, str]] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("answered", "failed", "taken", "cancelled"), 0))

    def submit(self, tasks: Sequence[SubtreeTask]) -> list[str]:
        ids = [str(len(self.jobs) + number) for number in range(len(tasks))]
        self.jobs |= {job: (task, "queued") for job, task in zip(ids, tasks, strict=True)}
        return ids

    def look(self, ids: Sequence[str]) -> Mapping[str, Seen]:
        return {job: self._seen(job) for job in ids}

    def _seen(self, job: str) -> Seen:
        task, state = self.jobs[job]
        match self.random.choice(("stay", "begin", "end", "end", "fail")):
            case "begin" if state == "queued":
                self.jobs[job] = task, "running"
                return Seen("running")
            case "end" if state == "running":
                self.ends["answered"] += 1
                return Seen("ended", answered(self.problem, task))
            case "fail" if state == "running":
                self.ends["failed"] += 1
                return Seen("ended")
        return Seen("queued" if state == "queued" else "running")

    def take(self, job: str) -> bool:
        # Somebody may have begun it since the look.
        taken = self.random.random() < 0.5
        self.ends["taken"] += taken
        self.jobs[job] = self.jobs[job][0], "gone" if taken else "running"
        return taken

    def cancel(self, ids: Sequence[str]) -> None:
        self.ends["cancelled"] += len(ids)


ASKED: list[dict[str, Any]] = [
    {"puzzle": "8-puzzle", "goal": [1, 2, 3, 4, 5, 6, 7, 8, 0], "state": {"tiles": [8, 6, 7, 2, 5, 4, 3, 0, 1]}},
    {"puzzle": "tiles:2x4", "random": 4, "heuristic": 'pdb("4-3")'},
    {"puzzle": "megaminx", "scramble": {"k": 3, "seed": 3}, "heuristic": "zero"},
    {"puzzle": "pyraminx", "random": 5, "heuristic": 'pdb("edges:3")'},
    {"puzzle": "pyraminx", "random": 6, "heuristic": 'pdb("edges")'},
    {"puzzle": "skewb", "random": 7},
]


@pytest.fixture(autouse=True)
def every_iteration_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    own, shared = ida_star.Settings(), ida_star.Settings(share_after=10)
    monkeypatch.setattr(
        ida_star, "_settings", lambda asked: shared if asked.settings in (None, own) else asked.settings
    )
    monkeypatch.setattr(sharing, "LOOK", 0.0)


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: f"{asked['puzzle']}-{asked.get('heuristic', 'own')}")
def test_the_iterations_are_those_of_a_search_alone(asked: dict[str, Any]) -> None:
    request = SolveRequest.model_validate({"algorithm": "ida_star", "workers": 3, **asked})
    problem = prepare(request)
    alone = solve(problem)
    assert alone.status == "solved"
    for seed in range(3):
        others = Others(problem, random.Random(seed))
        together = solve(problem, queue=others)
        assert (together.length, together.optimality, together.lower_bound) == (
            alone.length, alone.optimality, alone.lower_bound,
        )  # fmt: skip
        assert together.counters.expanded_before_last_layer == alone.counters.expanded_before_last_layer
        assert (together.layers or ())[:-1] == (alone.layers or ())[:-1]
        assert others.jobs


@pytest.mark.parametrize("asked", ASKED[:4:3], ids=("tiles", "pieces"))
def test_all_nodes_are_counted_once_where_nothing_is_found(asked: dict[str, Any]) -> None:
    """A shortest solution is known: the proof searches everything below it."""
    problem = prepare(SolveRequest.model_validate({"algorithm": "ida_star", "workers": 5, **asked}))
    length = solve(problem).length
    assert length is not None
    heuristic = problem.heuristic
    heuristic.load()
    known = [problem.moves.moves[0]] * (length - 1)  # only its length counts

    def search(queue: Others | None) -> tuple[str, float, int, int]:
        budget = Budget(schema.Limits(memory_mib=64))
        step = Step(method="ida_star")
        one = Search(problem, heuristic, step, budget, queue=queue, known=known)
        found = sharing.search(one, queue or Nobody(), partial(search_part, one), 10, 5 * 16, 10**9)
        return found.status, found.f_bound, budget.counted.expanded, budget.counted.generated

    first = search(None)
    assert first[0] == "exhausted"
    assert first[1] >= length - 1
    ends = dict.fromkeys(("answered", "failed", "taken"), 0)
    for seed in range(4):
        others = Others(problem, random.Random(seed))
        assert search(others) == first
        ends = {name: count + others.ends[name] for name, count in ends.items()}
    assert all(ends.values()), ends


@pytest.mark.parametrize("asked", [ASKED[0], ASKED[1], ASKED[3]], ids=("manhattan", "tiles", "pieces"))
def test_a_known_shortest_solution_is_proven(asked: dict[str, Any]) -> None:
    problem = prepare(SolveRequest.model_validate({"algorithm": "ida_star", "workers": 2, **asked}))
    known = solve(problem).solution
    assert known is not None
    for queue in (Others(problem, random.Random(1)), Nobody()):
        again = solve(replace(problem, known=known), queue=queue)
        assert (again.solution, again.optimality, again.lower_bound) == (known, "proven", len(known))


class Nobody:
    """No other worker ever begins a subtree."""

    def submit(self, tasks: Sequence[SubtreeTask]) -> list[str]:
        return [str(number) for number in range(len(tasks))]

    def look(self, ids: Sequence[str]) -> Mapping[str, Seen]:
        return {job: Seen("queued") for job in ids}

    def take(self, job: str) -> bool:
        return True

    def cancel(self, ids: Sequence[str]) -> None:
        return


class Waits(Nobody):
    """All others have begun, and none ends."""

    def __init__(self, control: Control) -> None:
        self.control, self.cancelled, self.looks = control, list[str](), 0

    def look(self, ids: Sequence[str]) -> Mapping[str, Seen]:
        self.looks += 1
        if self.looks == 3:
            self.control.cancel()
        return {job: Seen("running") for job in ids}

    def cancel(self, ids: Sequence[str]) -> None:
        self.cancelled += ids


def test_a_cancel_ends_the_subtrees_and_keeps_the_bound() -> None:
    problem = prepare(SolveRequest.model_validate({"algorithm": "ida_star", "workers": 2, **ASKED[0]}))
    control = Control()
    waits = Waits(control)
    result = solve(problem, control, queue=waits)
    assert result.status == "cancelled"
    assert waits.cancelled
    assert result.lower_bound is not None
    assert result.lower_bound >= problem.heuristic(problem.start)


def test_a_cancel_is_no_limit() -> None:
    problem = prepare(SolveRequest.model_validate({"algorithm": "ida_star", "workers": 2, **ASKED[0]}))
    control = Control()
    asked = Search(problem, problem.heuristic, Step(method="ida_star"), Budget(problem.limits, control))
    ended = sharing.search(asked, Waits(control), partial(search_part, asked), 10, 40, 10**9)
    assert (ended.status, ended.limit) == ("cancelled", None)


def test_a_limit_of_expansions_ends_it() -> None:
    asked = {"algorithm": "ida_star", "workers": 2, "limits": {"expanded": 500}, **ASKED[0]}
    result = solve(prepare(SolveRequest.model_validate(asked)), queue=Nobody())
    assert (result.status, result.limit, result.counters.expanded) == ("limit_reached", "expanded", 500)


def test_a_step_says_when_it_is_shared_and_in_how_many_parts() -> None:
    jobs = []
    few = {"share_after": 10, "subtrees": 1}
    large = few | {"subtree_expanded": 20}
    for settings in ({"share_after": 10**9}, few, few | {"subtrees": 40}, large, large):
        asked = {**ASKED[0], "algorithm": "plan", "plan": [{"method": "ida_star", "settings": settings}], "workers": 2}
        problem = prepare(SolveRequest.model_validate(asked))
        others = Others(problem, random.Random(3))
        assert solve(problem, queue=others).optimality == "proven"
        jobs.append(len(others.jobs))
    assert jobs[0] == 0 < jobs[1] < jobs[2] / 10
    assert jobs[1] < jobs[3] / 10
    assert jobs[3] == jobs[4]


def test_an_algorithm_that_cannot_be_shared_is_refused() -> None:
    with pytest.raises(Exception, match="astar is not shared; auto, ida_star and plan are"):
        prepare(SolveRequest.model_validate({"algorithm": "astar", "workers": 2, **ASKED[0]}))


def test_a_shared_search_has_counted_its_nodes_and_says_what_it_left_out() -> None:
    budget = Budget(schema.Limits(memory_mib=1))
    budget.count(Shared("solved"))
    assert budget.counted == Counted()
    assert (Shared("solved").expanded_last_layer, Shared("solved").f_bound) == (0, 0)
    for status, f_bound, left in (("exhausted", inf, None), ("exhausted", 7.0, 7.0), ("solved", 5.0, None)):
        outcome: Any = SimpleNamespace(
            status=status, f_bound=f_bound, path=[3, 1], expanded=1, generated=2, evaluated=3, stored=4, peak_bytes=5
        )
        found = Subtree.of(outcome)
        assert (found.solution, found.next) == ([3, 1] if status == "solved" else None, left)
