"""MM, NBS and RBFS of the kernel count what these plain ones count, and find shortest solutions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from math import ceil, inf
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hstar import _kernel
from hstar.errors import HstarError
from hstar.heuristics import get_heuristic
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, make_scramble
from hstar.search import Problem, SolveRequest, meeting, prepare, solve
from tests.conftest import instances

H = Callable[[State], float]

PROBLEMS = [
    ("8-puzzle", "slide", "manhattan", 22),
    ("8-puzzle", "slide", "zero", 12),
    ("tiles:3x4", "slide", "linear-conflict", 22),
    ("2x2x2", "all", None, 5),
    ("pyraminx", "all", None, 6),
    ("pancake:9", "all", "gaps", 9),
    ("skewb", "all", None, 5),
    ("megaminx", "single", "ceil(misplaced_facelets / 15)", 3),
]


class Side:
    """One direction of MM or NBS: an open list is a list of states for each key, of which the last one is next."""

    def __init__(self, root: State, h: H, successors: Callable[[State], Iterator[State]], nbs: bool) -> None:
        self.h, self.successors, self.nbs = h, successors, nbs
        self.g: dict[State, int] = {}
        self.open: set[State] = set()
        self.is_ready: set[State] = set()
        self.waiting: dict[tuple[int, int], list[tuple[State, int]]] = defaultdict(list)
        self.ready: dict[int, list[tuple[State, int]]] = defaultdict(list)
        self.reach(root, 0)

    def f(self, state: State) -> int:
        return self.g[state] + ceil(self.h(state) - 1e-6)

    def reach(self, state: State, g: int) -> bool:
        if g >= self.g.get(state, g + 1):
            return False
        self.g[state] = g
        self.open.add(state)
        self.is_ready.discard(state)
        self.waiting[self.f(state) if self.nbs else max(self.f(state), 2 * g), g].append((state, g))
        return True

    def first_waiting(self) -> tuple[float, float, State | None]:
        for key in sorted(self.waiting):
            cell = self.waiting[key]
            while cell and (cell[-1][0] not in self.open - self.is_ready or self.g[cell[-1][0]] != cell[-1][1]):
                cell.pop()
            if cell:
                return *key, cell[-1][0]
        return inf, inf, None

    def first_ready(self) -> tuple[float, State | None]:
        for key in sorted(self.ready):
            cell = self.ready[key]
            while cell and (cell[-1][0] not in self.open & self.is_ready or self.g[cell[-1][0]] != cell[-1][1]):
                cell.pop()
            if cell:
                return key, cell[-1][0]
        return inf, None

    def make_ready(self) -> None:
        _, g, state = self.first_waiting()
        assert state is not None
        self.is_ready.add(state)
        self.ready[int(g)].append((state, int(g)))


#: expansions with each f, priority, lower bound or stored value
Layers = dict[float, int]


def meet(rule: str, forth: Side, back: Side) -> tuple[int | None, int, int, Layers]:
    """The length, the expansions, the generated nodes, and the expansions of each priority (MM) or bound (NBS)."""
    best, expanded, generated = inf, 0, 0
    layers: Layers = defaultdict(int)

    def expand(side: Side, other: Side, state: State) -> None:
        nonlocal best, expanded, generated
        layers[max(side.f(state), 2 * side.g[state]) if rule == "mm" else bound] += 1
        side.open.discard(state)
        expanded += 1
        for after in side.successors(state):
            generated += 1
            if side.reach(after, side.g[state] + 1) and after in other.g:
                best = min(best, side.g[after] + other.g[after])

    bound: float = 0
    if set(forth.g) & set(back.g):
        best = 0
    while best > bound and forth.open and back.open:
        if rule == "mm":
            (one, g, state), (two, other_g, other_state) = forth.first_waiting(), back.first_waiting()
            least_g = [min(side.g[each] for each in side.open) for side in (forth, back)]
            least_f = [min(map(side.f, side.open)) for side in (forth, back)]
            bound = max(bound, min(one, two), *least_f, sum(least_g) + 1)
            if best <= bound:
                break
            if (one, g) <= (two, other_g) if one == two else one < two:
                expand(forth, back, state or b"")
            else:
                expand(back, forth, other_state or b"")
            continue
        for side in (forth, back):
            while side.first_waiting()[0] < bound:
                side.make_ready()
        ready, other_ready = forth.first_ready(), back.first_ready()
        if ready[0] + other_ready[0] + 1 <= bound:
            expand(forth, back, ready[1] or b"")
            if best > bound:
                expand(back, forth, other_ready[1] or b"")
        elif forth.first_waiting()[0] <= bound:
            forth.make_ready()
        elif back.first_waiting()[0] <= bound:
            back.make_ready()
        else:
            bound = min(forth.first_waiting()[0], back.first_waiting()[0], ready[0] + other_ready[0] + 1)
    return None if best == inf else int(best), expanded, generated, dict(layers)


@dataclass
class Child:
    best: float
    f: float
    state: State
    move: str


def recursive(problem: Problem, h: H) -> tuple[int, int, int, Layers]:
    """RBFS: the length, the expansions, the generated nodes, and the expansions with each stored value."""
    puzzle, moves = problem.puzzle, problem.moves.moves
    counts = [0, 0]
    layers: Layers = defaultdict(int)
    found: list[int] = []

    def search(state: State, g: int, f: float, best: float, most: float, arrival: str | None) -> float:
        if state == puzzle.solved:
            found.append(g)
            return f
        counts[0] += 1
        layers[best] += 1
        children: list[Child] = []
        for move, after in puzzle.successors(state, moves):
            if arrival is not None and move == puzzle.inverse(arrival):
                continue
            counts[1] += 1
            own = g + 1 + h(after)
            children.append(Child(max(best, own) if f < best else own, own, after, move))
        while True:
            least, second, *_ = [*sorted(child.best for child in children), inf, inf]
            if least > most or least == inf:
                return least
            first = next(child for child in children if child.best == least)
            first.best = search(first.state, g + 1, first.f, first.best, min(most, second), first.move)
            if found:
                return least

    start = h(problem.start)
    search(problem.start, 0, start, start, inf, None)
    return found[0], counts[0], counts[1], dict(layers)


def asked(puzzle: str, moves: str, heuristic: str | None, k: int, seed: int, algorithm: str) -> Problem:
    return prepare(
        SolveRequest.model_validate(
            {"puzzle": puzzle, "moves": moves, "heuristic": heuristic, "algorithm": algorithm}
            | {"scramble": {"k": k, "seed": seed, "moves": moves}}
        )
    )


@pytest.mark.parametrize("rule", ["mm", "nbs"])
@pytest.mark.parametrize(("name", "moves", "text", "k"), PROBLEMS)
def test_meeting_in_the_middle_counts_as_the_plain_one(
    name: str, moves: str, text: str | None, k: int, rule: str
) -> None:
    for seed in instances(list(range(20)), few=2):
        problem = asked(name, moves, text, k, seed, rule)
        puzzle, chosen = problem.puzzle, problem.moves.moves

        def h_back(state: State, puzzle: Puzzle = puzzle, problem: Problem = problem) -> float:
            there, its = puzzle.toward(state, problem.start)
            return get_heuristic(problem.heuristic.expression.text, there, problem.moves)(its)

        def backward(state: State, puzzle: Puzzle = puzzle, chosen: tuple[str, ...] = chosen) -> Iterator[State]:
            return (after for _, after in puzzle.successors(state, [puzzle.inverse(move) for move in chosen]))

        def forward(state: State, puzzle: Puzzle = puzzle, chosen: tuple[str, ...] = chosen) -> Iterator[State]:
            return (after for _, after in puzzle.successors(state, chosen))

        forth = Side(problem.start, problem.heuristic, forward, rule == "nbs")
        back = Side(puzzle.solved, h_back, backward, rule == "nbs")
        result = solve(problem)
        assert result.counters is not None
        counts = (result.length, result.counters.expanded, result.counters.generated)
        assert (*counts, dict(result.layers or ())) == meet(rule, forth, back)
        assert result.optimality == "proven"
        shortest = solve(asked(name, moves, text, k, seed, "astar"))
        assert result.length == shortest.length


@pytest.mark.parametrize(("name", "moves", "text", "k"), PROBLEMS[:1] + PROBLEMS[2:])
def test_rbfs_counts_as_the_plain_one(name: str, moves: str, text: str | None, k: int) -> None:
    for seed in instances(list(range(20)), few=2):
        problem = asked(name, moves, text, min(k, 16), seed, "rbfs")
        result = solve(problem)
        assert result.counters is not None
        counts = (result.length, result.counters.expanded, result.counters.generated)
        assert (*counts, dict(result.layers or ())) == recursive(problem, problem.heuristic)
        assert (result.optimality, result.length) == (
            "proven", solve(asked(name, moves, text, min(k, 16), seed, "astar")).length,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("puzzle", "only_here", "bounds_here", "bounds_there"),
    list(product(("8-puzzle", "2x2x2"), (False, True), (False, True), (False, True))),
)
def test_the_way_back_has_a_bound_where_the_way_there_has_one(
    puzzle: str, only_here: bool, bounds_here: bool, bounds_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If there is none, or none is known of a board whose goal is the start, it is searched without."""
    used = list[str]()

    def heuristic(text: str, board: Puzzle, moves: MoveSet) -> Any:
        assert (board == get_puzzle(puzzle)) is (puzzle == "2x2x2")

        def is_admissible(moves: MoveSet, *, deep: bool) -> bool:
            assert not deep  # which may look at all states
            return bounds_there

        return SimpleNamespace(kernel=text, is_admissible=is_admissible)

    here = SimpleNamespace(
        expression=SimpleNamespace(text="own"), here_only=only_here, kernel=None,
        is_admissible=lambda moves, *, deep: bounds_here,
    )  # fmt: skip
    monkeypatch.setattr(meeting, "get_heuristic", heuristic)
    monkeypatch.setattr(
        meeting, "_kernel", SimpleNamespace(meet_in_the_middle=lambda *_, **given: used.append(given["back"]))
    )
    problem = asked(puzzle, get_puzzle(puzzle).move_set(None).name, None, 3, 1, "mm")
    meeting._search("mm", cast("Any", SimpleNamespace(problem=problem, heuristic=here, question=(), limits={})))
    without = (only_here and puzzle == "8-puzzle") or (bounds_here and not bounds_there)
    assert used == ["zero" if without else "own"]


def test_what_cannot_meet_is_refused() -> None:
    with pytest.raises(HstarError, match="do not have the inverse of each"):
        asked("megaminx", "ccw", None, 3, 1, "mm")
    with pytest.raises(HstarError, match="some pieces are identical"):
        asked("4x4x4", "single", None, 3, 1, "nbs")


@pytest.mark.parametrize("algorithm", ["mm", "nbs", "rbfs"])
def test_a_limit_leaves_a_proven_bound(algorithm: str) -> None:
    puzzle = get_puzzle("15-puzzle")
    start = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 200, 5, None).alg)
    given = {"puzzle": "15-puzzle", "state": list(start), "algorithm": algorithm, "heuristic": "manhattan"}
    auto = {name: value for name, value in given.items() if name != "heuristic"} | {"algorithm": "auto"}
    shortest = solve(prepare(SolveRequest.model_validate(auto))).length
    bounds = []
    for expanded in (0, 100, 20_000):
        result = solve(prepare(SolveRequest.model_validate(given | {"limits": {"expanded": expanded}})))
        assert (result.status, result.limit) == ("limit_reached", "expanded")
        bounds.append(result.lower_bound or 0)
    assert bounds == sorted(bounds)
    assert bounds[-1] <= (shortest or 0)
    little = solve(prepare(SolveRequest.model_validate(given | {"limits": {"memory_mib": 1, "expanded": 10**6}})))
    assert (little.lower_bound or 0) <= (shortest or 0)
    if algorithm != "rbfs":
        assert (little.limit, little.peak_bytes <= 2**20) == ("memory", True)


def test_wrong_images_are_refused() -> None:
    puzzle = get_puzzle("2x2x2")
    h = get_heuristic("zero", puzzle).kernel
    call = {"back": h, "rule": "mm", "memory_bytes": 2**20, "control": _kernel.Control()}
    with pytest.raises(ValueError, match="images has 3 values"):
        _kernel.meet_in_the_middle(puzzle.kernel, puzzle.solved, [0], h, images=[1, 2, 3], **call)  # type: ignore[arg-type]
    row = max(puzzle.values) * len(puzzle.values)
    with pytest.raises(ValueError, match="no such value"):
        _kernel.meet_in_the_middle(puzzle.kernel, puzzle.solved, [0], h, images=[999] * row, **call)  # type: ignore[arg-type]
