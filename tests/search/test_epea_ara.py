"""EPEA* and ARA* of the kernel count what these plain ones count; what they print holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from heapq import heappop, heappush
from math import ceil, inf
from zlib import crc32

import pytest

import hstar
from hstar import _kernel, schema
from hstar.errors import HstarError
from hstar.experiments.instances import known_set
from hstar.heuristics import get_heuristic
from hstar.puzzles import State, get_puzzle
from hstar.search import ALGORITHMS, Problem, Result, SolveRequest, prepare, solve
from hstar.search.control import Control
from tests.conftest import instances
from tests.search.test_meeting import PROBLEMS, asked

#: length, expanded, generated, reopened, max_open
Counts = tuple[int | None, int, int, int, int]


def counted(result: Result) -> Counts:
    counters = result.counters
    return result.length, counters.expanded, counters.generated, counters.reopened, counters.max_open


def whole(problem: Problem) -> Callable[[State], int]:
    return cache(lambda state: ceil(problem.heuristic(state) - 1e-6))


def partial(problem: Problem) -> tuple[Counts, dict[int, int]]:
    """EPEA*: its counts, and the expansions with each stored value."""
    puzzle, h, moves = problem.puzzle, whole(problem), problem.moves.moves
    g, stored, begun, ever, is_open = {problem.start: 0}, {}, set[State](), set[State](), {problem.start}
    waiting: dict[tuple[int, int], list[tuple[State, int]]] = defaultdict(list)
    layers: dict[int, int] = defaultdict(int)
    expanded = generated = reopened = 0
    most = 1

    def push(state: State, value: int) -> None:
        stored[state] = value
        waiting[value, h(state)].append((state, g[state]))

    push(problem.start, h(problem.start))
    while keys := sorted(key for key, cell in waiting.items() if cell):
        state, its_g = waiting[keys[0]].pop()
        value = keys[0][0]
        if state not in is_open or g[state] != its_g or stored[state] != value:
            continue
        if state == puzzle.solved:
            return (its_g, expanded, generated, reopened, most), dict(layers)
        expanded += 1
        layers[value] += 1
        reopened += state in ever
        ever.add(state)
        left: float = inf
        for _, after in puzzle.successors(state, moves):
            f = its_g + 1 + h(after)
            if f > value:
                left = min(left, f)
                continue
            if state in begun and f < value:
                continue
            generated += 1
            if its_g + 1 < g.get(after, inf):
                g[after] = its_g + 1
                begun.discard(after)
                is_open.add(after)
                most = max(most, len(is_open))
                push(after, f)
        begun.add(state)
        if left < inf:
            push(state, int(left))
        else:
            is_open.discard(state)
    return (None, expanded, generated, reopened, most), dict(layers)


def repairing(problem: Problem, weight: float, less: float) -> tuple[Counts, dict[int, int], list[list[float]]]:
    """ARA*: its counts, the expansions with each g + h, and for each of its searches the weight, the length and the
    bound."""
    puzzle, h, moves = problem.puzzle, whole(problem), problem.moves.moves
    g = {problem.start: 0}
    expanded_in: dict[State, int] = {}
    is_open, inconsistent = {problem.start}, set[State]()
    expanded = generated = reopened = sequence = most = 0
    steps: list[list[float]] = []
    layers: dict[int, int] = defaultdict(int)
    order = [problem.start]
    while True:
        heap: list[tuple[float, int, int, int, State]] = []

        def push(state: State, heap: list[tuple[float, int, int, int, State]] = heap, weight: float = weight) -> None:
            nonlocal sequence
            sequence += 1
            heappush(heap, (g[state] + weight * h(state), h(state), -sequence, g[state], state))

        is_open |= inconsistent
        most = max(most, len(is_open))
        inconsistent.clear()
        for state in order:
            if state in is_open:
                push(state)
        while heap:
            key, _, _, its_g, state = heap[0]
            if state not in is_open or g[state] != its_g:
                heappop(heap)
                continue
            if key >= g.get(puzzle.solved, inf):
                break
            heappop(heap)
            expanded += 1
            layers[its_g + h(state)] += 1
            reopened += state in expanded_in
            expanded_in[state] = len(steps)
            is_open.discard(state)
            for _, after in puzzle.successors(state, moves):
                generated += 1
                if after not in g:
                    order.append(after)
                if its_g + 1 >= g.get(after, inf):
                    continue
                g[after] = its_g + 1
                if expanded_in.get(after) == len(steps):
                    inconsistent.add(after)
                else:
                    is_open.add(after)
                    most = max(most, len(is_open))
                    push(after)
        length = g.get(puzzle.solved)
        if length is None:
            return (None, expanded, generated, reopened, most), dict(layers), steps
        bound = min([length, *(g[state] + h(state) for state in is_open | inconsistent)])
        steps.append([weight, length, bound])
        if bound >= length:
            return (length, expanded, generated, reopened, most), dict(layers), steps
        weight = max(1.0, round(weight - less, 9))


@pytest.mark.parametrize(("name", "moves", "text", "k"), PROBLEMS)
def test_epea_counts_as_the_plain_one(name: str, moves: str, text: str | None, k: int) -> None:
    for seed in instances(list(range(20)), few=3):
        problem = asked(name, moves, text, k, seed, "epea_star")
        result = solve(problem)
        counts, layers = partial(problem)
        assert counted(result) == counts
        assert dict(result.layers or ()) == layers
        a_star = solve(asked(name, moves, text, k, seed, "astar"))
        assert (result.optimality, result.length) == ("proven", a_star.length)
        assert result.counters.stored <= a_star.counters.stored or result.counters.expanded > a_star.counters.expanded


@pytest.mark.parametrize(("name", "moves", "text", "k"), PROBLEMS)
def test_ara_counts_as_the_plain_one(name: str, moves: str, text: str | None, k: int) -> None:
    for seed in instances(list(range(20)), few=3):
        problem = asked(name, moves, text, k, seed, "ara_star")
        result = solve(problem)
        counts, layers, steps = repairing(problem, 3.0, 0.2)
        assert counted(result) == counts
        assert dict(result.layers or ()) == layers
        assert result.optimality == "proven"
        shortest = result.length or 0
        assert all(length <= weight * shortest and bound <= shortest for weight, length, bound in steps)
        assert result.length == solve(asked(name, moves, text, k, seed, "astar")).length


def test_each_step_holds_what_it_says_with_a_heuristic_that_is_not_consistent() -> None:
    """All stacks of six pancakes, with a function that is the distance of some states and 0 of the others."""
    board, puzzle = hstar.puzzle("pancake:6"), get_puzzle("pancake:6")
    distance = {puzzle.solved: 0}
    queue = [puzzle.solved]
    for state in queue:
        for _, after in puzzle.successors(state, puzzle.moves):
            if after not in distance:
                distance[after] = distance[state] + 1
                queue.append(after)

    def ragged(state: hstar.State) -> int:
        return distance[state._state] if crc32(state._state) % 2 else 0

    assert hstar.check(ragged, board).admissible == "proven"
    found = get_heuristic(hstar.session.text_of(ragged), puzzle)
    numbers = list(range(len(puzzle.moves)))
    repeated = too_long = 0
    for state, true in instances(list(distance.items()), few=400):
        search = _kernel.RepairingSearch(puzzle.kernel, state, numbers, found.kernel, memory_bytes=2**24)
        steps = [search.improve(1.0, control=_kernel.Control()) for _ in range(8)]
        for step in steps:
            assert step.status == "solved"
            assert step.f_bound <= true <= len(step.path)
        too_long += len(steps[0].path) > true
        repeated += steps[0].f_bound < len(steps[0].path)
        assert steps[-1].f_bound == len(steps[-1].path) == true
        shown = hstar.State(board, state)
        assert hstar.solve(shown, heuristic=ragged, algorithm="ara_star", weight=1.01).proven  # soon at weight 1
        partial_one = _kernel.partial_expansion(
            puzzle.kernel, state, numbers, found.kernel, memory_bytes=2**24, control=_kernel.Control()
        )
        assert len(partial_one.path) == partial_one.f_bound == true
    assert repeated > 0  # at weight 1, too, some states were left over
    assert too_long > 0  # so a factor of w is said only by the bound


def test_a_limit_ends_ara_with_its_best_solution_and_a_true_bound() -> None:
    third = next(one for one in known_set("korf-15-puzzle") if one.name == "3")
    given = {"puzzle": "15-puzzle", "algorithm": "ara_star", "heuristic": "manhattan", "state": third.state}
    bounds, lengths = [], []
    for expanded in (0, 500, 20_000, 100_000):
        result = solve(prepare(SolveRequest.model_validate(given | {"limits": {"expanded": expanded}})))
        assert result.counters.expanded <= expanded
        assert result.optimality != "proven"
        bounds.append(result.lower_bound or 0)
        lengths.append(result.length or 10**6)
    assert bounds == sorted(bounds)
    assert lengths == sorted(lengths, reverse=True)
    assert third.optimum == 59
    assert 41 <= bounds[-1] <= 59 <= lengths[-1] < 10**6  # 41 is Manhattan distance
    little = solve(prepare(SolveRequest.model_validate(given | {"limits": {"memory_mib": 1, "expanded": 10**6}})))
    assert little.peak_bytes <= 2**20
    assert (little.lower_bound or 0) <= 59


def test_ara_publishes_each_better_solution() -> None:
    seen: list[tuple[int, int]] = []

    class Watching(Control):
        def show_best(self, alg: tuple[str, ...]) -> None:
            super().show_best(alg)
            seen.append((len(alg), self.lower_bound))

    problem = asked("15-puzzle", "slide", "manhattan", 60, 2, "ara_star")
    result = solve(problem, Watching())
    assert [length for length, _ in seen] == sorted({length for length, _ in seen}, reverse=True)
    assert len(seen) > 1
    assert all(bound <= (result.length or 0) <= length for length, bound in seen)
    assert seen[-1][0] == result.length == result.lower_bound


def test_options_of_ara() -> None:
    request = {"puzzle": "8-puzzle", "random": 5, "algorithm": "ara_star", "heuristic": "manhattan"}
    assert prepare(SolveRequest.model_validate(request)).options.weight == 3
    assert prepare(SolveRequest.model_validate(request | {"weight": 1.5})).options.weight == 1.5
    plan = [{"method": "ara_star", "heuristic": "manhattan", "weight": 2, "settings": {"less": 1}}]
    steps = {"puzzle": "8-puzzle", "random": 5, "plan": plan}
    assert (
        counted(solve(prepare(SolveRequest.model_validate(steps))))
        == repairing(prepare(SolveRequest.model_validate(request)), 2, 1)[0]
    )
    wrong = steps | {"plan": [plan[0] | {"settings": {"less": 0}}]}
    with pytest.raises(HstarError, match="options"):
        prepare(SolveRequest.model_validate(wrong))
    with pytest.raises(HstarError, match="options"):
        prepare(SolveRequest.model_validate(request | {"algorithm": "epea_star", "weight": 2}))


LAYERED = [*(name for name, method in ALGORITHMS.items() if method.layers), "rbfs", "ara_star", "mm", "nbs"]


@pytest.mark.parametrize("algorithm", LAYERED)
@pytest.mark.parametrize(("name", "k"), [("8-puzzle", 40), ("pyraminx", 5), ("skewb", 4)])
def test_layers_add_up_to_all_expansions(name: str, k: int, algorithm: schema.Algorithm) -> None:
    for seed in range(2):
        request = SolveRequest(puzzle=name, scramble=schema.ScrambleIn(k=k, seed=seed), algorithm=algorithm)
        result = solve(prepare(request))
        assert result.layers is not None
        fs = [f for f, _ in result.layers]
        assert fs == sorted(set(fs))
        if result.counters.expanded_last_layer:
            assert result.layers[-1][1] == result.counters.expanded_last_layer
        if algorithm == "auto":  # of its last search alone
            continue
        assert sum(expanded for _, expanded in result.layers) == result.counters.expanded
        limits = schema.LimitsIn(expanded=max(1, result.counters.expanded // 2))
        stopped = solve(prepare(request.model_copy(update={"limits": limits})))
        assert sum(expanded for _, expanded in stopped.layers or ()) == stopped.counters.expanded


@pytest.mark.parametrize("algorithm", ["greedy", "constructive", "beam", "windows", "anytime"])
def test_what_has_no_layers_says_so(algorithm: schema.Algorithm) -> None:
    assert solve(prepare(SolveRequest(puzzle="8-puzzle", random=1, algorithm=algorithm))).layers is None


def test_very_many_layers_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = prepare(SolveRequest(puzzle="15-puzzle", scramble=schema.ScrambleIn(k=30, seed=1), heuristic="manhattan"))
    full = solve(problem).layers
    assert full is not None
    monkeypatch.setattr(schema, "MOST_LAYERS", len(full))
    assert solve(problem).layers == full
    monkeypatch.setattr(schema, "MOST_LAYERS", len(full) - 1)
    assert solve(problem).layers is None
