"""What the methods of plans do when their searches, which end as they are told, end in one way or another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from hstar import _kernel, search
from hstar.databases import TileDatabases, tile_databases
from hstar.errors import Fault, InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.options import Step, Tuning
from hstar.puzzles import get_puzzle, random_state
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.schema import Limits, LimitsIn
from hstar.search import Budget, Control, Problem, SolveRequest, prepare
from hstar.search.anytime import boards, rankings
from hstar.search.anytime.windows import shorten
from hstar.search.method import Method
from hstar.search.methods import (
    METHODS,
    ara_star,
    ida_star,
    two_phase,
    weights,
    windows,
)
from hstar.search.run import Run, Search
from tests.search.test_budget import Clock
from tests.search.told import CUBE, LONG, SHORT, Ended, begun, nothing, stopped


def test_a_method_has_options_that_there_are_and_one_way_to_run() -> None:
    kept = {field: getattr(METHODS["astar"], field) for field in ("name", "summary", "duplicates", "search")}
    assert Method(**kept, options=("heuristic",)).heuristic
    for wrong in ({"options": ("heuristic", "nothing")}, {"search": None}, {"improve": windows.improve}):
        with pytest.raises(AssertionError):
            Method(**{**kept, **wrong})


def test_a_bound_has_the_parity_that_all_solutions_have() -> None:
    run = begun({"puzzle": "2x2x2", "alg": "R U R", "moves": "single"})
    for bound, raised in ((0, 1), (2, 3), (3, 3), (4, 5), (2, 5)):
        run.raise_bound(bound)
        assert run.bound == raised


def test_a_search_over_databases_looks_for_what_is_shorter_than_the_known(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, run = list[dict[str, Any]](), begun()
    kernel = SimpleNamespace(search=lambda start, **given: asked.append(given))
    monkeypatch.setattr(ida_star, "matching", lambda expression, moves: kernel)
    for known in (None, LONG):
        ida_star.search(Search(run.problem, run.zero(), Tuning(), run.budget, 2, known=known))
    assert [one["longest"] for one in asked] == [None, len(LONG) - 1]
    assert [(one["threads"], one["part"], "memory_bytes" in one) for one in asked] == [(2, None, False)] * 2


def test_two_phases_that_are_stopped_or_lack_memory() -> None:
    run = begun()
    phases: Any = SimpleNamespace(search=stopped)
    assert two_phase._begin(run, phases, run.budget, 9) is None
    assert not run.lacked_memory

    def lacks(*_: Any) -> Any:
        raise MemoryError

    phases.search = lacks
    assert two_phase._begin(run, phases, run.budget, 9) is None
    assert run.lacked_memory


def test_only_a_search_over_all_cosets_has_several_threads() -> None:
    run, asked = begun(), list[tuple[Any, ...]]()
    run.threads = 3

    def search(*given: Any) -> tuple[Any, list[Any]]:
        asked.append(given)
        return None, []

    phases: Any = SimpleNamespace(search=search)
    for cosets in (None, SimpleNamespace(kernel="all")):
        found = two_phase._begin(run, phases, run.budget, 9, cast("Any", cosets))
        assert found is not None
        assert found.asked is (cosets is not None)
    assert asked == [(run.problem.start, 9, None, 1), (run.problem.start, 9, "all", 3)]


@pytest.mark.parametrize(
    ("limits", "changed", "worth"),
    [
        ({"seconds": 10.0}, {}, True), ({"seconds": 9.9}, {}, False), ({"seconds": 10.0}, {"first": True}, False),
        ({"seconds": 10.0, "memory_mib": 29}, {}, False), ({"seconds": 10.0, "memory_mib": 30}, {}, True),
        ({}, {}, True), ({}, {"worth": 501}, False), ({"expanded": 500}, {}, True), ({"expanded": 499}, {}, False),
        ({"expanded": 900}, {"worth": 501}, False), ({}, {"build_seconds": 7}, True),
        ({}, {"build_seconds": 6.9}, False),
    ],
)  # fmt: skip
def test_when_all_cosets_are_worth_their_table(limits: dict[str, Any], changed: dict[str, Any], worth: bool) -> None:
    cosets = SimpleNamespace(build_bytes=20 << 20, build_seconds=3.0, own=[SimpleNamespace(processor_seconds=7.0)])
    phases: Any = SimpleNamespace(table_bytes=10 << 20, all_cosets=cosets)
    settings = two_phase.Settings(**({"worth": 500, "building": 0.3} | changed))
    assert two_phase._worth(phases, begun(CUBE, **limits).budget, settings, 500) is worth


def test_weights_fall_on_both_sides_and_wait_for_the_next_round(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, parts = list[tuple[bool, float, int]](), list[windows.Settings]()
    monkeypatch.setattr(windows, "shorten_parts", lambda run, share, settings: parts.append(settings))
    start = {"puzzle": "8-puzzle", "alg": "U", "algorithm": "anytime"}
    forward, backward = (Ended("solved", [get_puzzle("8-puzzle").moves.index(move)]) for move in "DU")
    nodes, memory = (Ended("limit_reached", limit=limit) for limit in ("expanded", "memory"))

    def tried(*endings: Ended, **limits: Any) -> list[tuple[bool, float, int]]:
        run, left = begun(start, None, **limits), iter(endings)

        def astar(search: Any) -> Any:
            asked.append((search.problem is run.problem, search.options.weight, search.budget.left("expanded") or 0))
            return next(left)

        asked.clear()
        parts.clear()
        run.searches = {"astar": astar}
        settings = {"weights": [3.0, 2.0], "expanded": 10, "more": 3, "rounds": 2}
        weights.improve(run, Step(method="weights", settings=settings), run.budget)
        assert next(left, None) is None
        return asked

    both = [(True, 3.0, 10), (False, 3.0, 10), (True, 3.0, 30), (False, 3.0, 30)]
    assert tried(*[nodes] * 4) == both
    assert parts == []
    # With a limit of seconds until memory is full, on this side or that.
    timed = tried(*[nodes] * 3, memory, nodes, memory, seconds=9.0)
    assert timed == [*both, (True, 3.0, 90), (True, 3.0, 270)]
    found = tried(forward, forward, nodes, backward, backward)
    assert found == [(True, 3.0, 10), (True, 2.0, 10), (False, 3.0, 10), (False, 3.0, 30), (False, 2.0, 30)]
    assert len(parts) == 1  # when there was a shorter one


def test_repairing_search_is_asked_again_with_smaller_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, twice = list[tuple[float, int]](), [get_puzzle("2x2x2").moves.index("U")] * 2
    steps = [Ended("solved", twice, expanded=3), Ended("solved", twice, expanded=3), Ended("solved", twice)]
    steps += [Ended("solved", twice, f_bound=1), Ended("limit_reached", f_bound=1)]

    def improve(weight: float, max_expanded: int, **_: Any) -> Ended:
        asked.append((weight, max_expanded))
        return left.pop(0)

    monkeypatch.setattr(_kernel, "RepairingSearch", lambda *_, **__: SimpleNamespace(improve=improve))
    left, run = list(steps), begun({"puzzle": "2x2x2", "alg": "U2", "algorithm": "ara_star"}, expanded=9)
    step = Step(method="ara_star", weight=1.7, settings={"less": 0.4})
    ara_star.improve(run, step, run.budget)
    assert asked == [(1.7, 9), (1.3, 6), (1.0, 3), (1.0, 3), (1.0, 3)]
    assert run.solution == ("U", "U")  # as it was found
    left, run = [Ended("exhausted")], begun({"puzzle": "2x2x2", "alg": "U2", "algorithm": "ara_star"})
    ara_star.improve(run, step, run.budget)
    assert run.exhausted
    left, run = [Ended("limit_reached", expanded=1)], begun({"puzzle": "2x2x2", "alg": "U2"}, expanded=1)
    ara_star.improve(run, step, run.budget)
    assert (run.limit, run.exhausted, run.solution) == (None, False, None)
    # Memory ends it at any weight, and at weight 1 a solution that no open node can make shorter, proven or not.
    left, run = [Ended("limit_reached", limit="memory")], begun({"puzzle": "2x2x2", "alg": "U2"})
    ara_star.improve(run, step, run.budget)
    assert (run.lacked_memory, left) == (True, [])
    left, run = [Ended("solved", twice, f_bound=2)] * 2, begun({"puzzle": "2x2x2", "alg": "U2"})
    ara_star.improve(run, Step(method="ara_star", weight=1.2, heuristic="9 * misplaced_pieces"), run.budget)
    assert (run.length, run.proven, left) == (2, False, [])


class Line:
    """A puzzle whose moves only undo those in the other case; a state is the moves that led to it."""

    always_legal = False

    def inverse(self, move: str) -> str:
        return move.swapcase()

    def along(self, state: str, part: Sequence[str]) -> tuple[str, str]:
        return "".join(part), state

    def apply_alg(self, state: str, alg: Sequence[str]) -> str:
        return state + "".join(alg)


def shortened(
    alg: str, better: Mapping[str, str | None], lengths: Sequence[int], patience: int = 0, most: int = 99
) -> Any:
    """The parts that were asked for, each behind the state before it, and what was offered."""
    asked, offered = list[str](), list[str]()

    def shortest(part: Any) -> tuple[str, ...] | None:
        its, before = part
        asked.append(f"{before}.{its}")
        found = better.get(its, its)
        return None if found is None else tuple(found)

    problem: Any = SimpleNamespace(
        puzzle=Line(), start="", moves=SimpleNamespace(moves=()), toward=lambda part, start: (part, start)
    )
    shorten(
        problem, alg, shortest, lambda one: offered.append("".join(one)), lambda: len(asked) >= most, lengths, patience
    )
    return asked, offered


def test_which_parts_of_a_solution_are_shortened() -> None:
    whole = [".ab", "a.bc", "ab.cd", "abc.d"]
    assert shortened("abcd", {}, (2, 3, 5)) == ([*whole, ".abc", "a.bcd", "ab.cd", "abc.d"], ["abcd"])
    assert shortened("abcd", {}, (5, 6))[0] == [".abcd", "a.bcd", "ab.cd", "abc.d"]  # the first length in any case
    assert shortened("abcd", {}, (2, 4))[0][4:] == [".abcd", "a.bcd", "ab.cd", "abc.d"]
    assert shortened("aAbcd", {"d": None}, (2,), 1) == ([".bc", "b.cd", "bc.d"], ["bcd"])
    one_less = shortened("abcde", {"de": "x"}, (2,))
    assert one_less == ([".ab", "a.bc", "ab.cd", "abc.de", "a.bc", "ab.cx", "abc.x"], ["abcde", "abcx"])
    none = {"bc": None, "cd": None}
    assert shortened("abcd", none, (2, 3), 1)[0] == whole[:3]
    assert shortened("abcd", none, (2, 3), 2)[0][4:] == [".abc", "a.bcd", "ab.cd", "abc.d"]
    assert shortened("abcd", none | {"bcd": None}, (2, 3), 1)[0] == whole[:3]
    assert shortened("abcd", {}, (2,), most=2)[0] == whole[:2]


@pytest.mark.parametrize(("known", "different", "solves"), list(product((False, True), repeat=3)))
def test_parts_are_shortened_of_a_solution_whose_pieces_are_told_apart(
    known: bool, different: bool, solves: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = list[Any]()
    monkeypatch.setattr(windows, "shorten", lambda *given: done.append(given[1]))
    whole = SimpleNamespace(puzzle=SimpleNamespace(all_different=different), is_solution=lambda alg: solves)
    for late in (True, False):
        run: Any = SimpleNamespace(
            whole=whole, solution=LONG if known else None, offer=None, over=lambda share, late=late: late
        )
        windows.shorten_parts(run, cast("Budget", None), windows.Settings())
        assert done == ([LONG] if known and different and solves and not late else [])


def test_parts_are_searched_without_tables_and_within_the_share() -> None:
    """A first way that takes too long is followed by others, but not by those that would build tables."""
    asked = list[tuple[bool, int]]()
    run = begun({"puzzle": "15-puzzle", "shorten": "R D R D L U", "algorithm": "windows"}, expanded=9)
    run.offer(run.problem.known or (), merge=False)

    def search(search: Any) -> Any:
        assert (search.threads, search.keep, search.known) == (1, False, None)
        asked.append((search.heuristic.build_bytes > 0, search.budget.left("expanded") or 0))
        return Ended("limit_reached", limit="expanded", expanded=4)

    run.searches = dict.fromkeys(METHODS, search)
    settings = windows.Settings(lengths=(2, 3), expanded=7, patience=9)
    assert any(get_heuristic(choice.heuristic, run.problem.puzzle, run.problem.moves).build_bytes
               for choice in run.problem.puzzle.auto(run.problem.moves))  # fmt: skip
    windows.shorten_parts(run, run.budget, settings)
    assert asked == [(False, 7), (False, 5), (False, 1)]


@dataclass
class Tables:
    """Databases of a board; bytes are mebibytes."""

    bytes: int
    build_bytes: int
    build_seconds: float
    parts: tuple[int, ...] = (1, 2)
    views = 3

    @property
    def kernel(self) -> Tables:
        return self


@pytest.mark.parametrize(
    ("limits", "number"),
    [
        ({}, 2), ({"memory_mib": 15}, 0), ({"memory_mib": 16}, 1), ({"memory_mib": 59}, 1), ({"memory_mib": 60}, 2),
        ({"seconds": 2.9}, 0), ({"seconds": 3.0}, 1), ({"seconds": 9.9}, 1), ({"seconds": 10.0}, 2),
        ({"expanded": 99}, 1), ({"expanded": 100}, 2), ({"generated": 99}, 1), ({"expanded": 500, "generated": 100}, 2),
    ],
)  # fmt: skip
def test_the_databases_of_a_board_are_those_that_the_limits_allow(limits: dict[str, Any], number: int) -> None:
    run = begun({"puzzle": "15-puzzle", "random": 1}, **limits)
    choices = [cast("TileDatabases", Tables(5 << 20, 8 << 20, 3.0)), cast("TileDatabases", Tables(30 << 20, 9, 5.0))]
    assert boards._affordable(run, choices, run.budget, boards.Settings(worth_large=100)) == choices[:number]


@pytest.mark.parametrize(
    ("limits", "widest", "seconds", "wanted"),
    [
        # four times as wide, until the widest; without seconds always the first ranking
        ({}, inf, 1.0, [(10, 0), (40, 0), (160, 0)]),
        ({}, 40, 1.0, [(10, 0), (40, 0)]),
        # with time for all of them each ranking of a wide one
        ({"seconds": 6e5}, 200, 0.2, [(10, 0), (40, 0), *((160, number) for number in range(5))]),
        # with time for some of them, the last one somewhat narrower
        ({"seconds": 140.0}, 200, 0.2, [(10, 0), (40, 0), (160, 0), (160, 1), (160, 2), (147, 3)]),
        # time for one more beam, which is as wide as there is time for, if that is worth it
        ({"seconds": 11.3}, 9999, 0.2, [(10, 0), (40, 0)]),
        ({"seconds": 9.0}, 9999, 0.2, [(10, 0), (30, 0)]),
        ({"seconds": 5.6}, 9999, 0.2, [(10, 0), (15, 0)]),
        ({"seconds": 5.3}, 9999, 0.2, [(10, 0)]),
        # memory for 25 states
        ({"memory_mib": 1}, inf, 1.0, [(10, 0), (25, 0)]),
    ],
)
def test_beams_over_boards_get_wider_while_there_is_time_and_memory(
    limits: dict[str, Any], widest: float, seconds: float, wanted: list[tuple[int, int]], monkeypatch: Any
) -> None:
    clock, tried = Clock(), list[tuple[int, int]]()
    run = begun({"puzzle": "15-puzzle", "random": 1}, clock, **limits)
    run.solution = ("U",) * 40
    a_state = 2 * (16 + 3 * 2) + boards._STATE + 40

    def one_beam(run: Run, side: Any, ranking: rankings.Ranking, width: int, share: Budget) -> Ended:
        tried.append((width, rankings.RANKINGS.index(ranking)))
        clock.now += seconds * width
        return Ended("exhausted", expanded=1, seconds=seconds * width)

    monkeypatch.setattr(boards, "_beam", one_beam)
    settings = boards.Settings(width=10, wider=4, widest=160, varied=160, few=3, slower=1.15, wider_least=1.5, last=4)
    tables = cast("TileDatabases", Tables((1 << 20) - 25 * a_state - 7 if "memory_mib" in limits else 0, 0, 0.0))
    monkeypatch.setattr(boards, "_sides", lambda run, databases, share: [boards._Side(run.problem.start, databases)])
    boards._widen(run, tables, run.budget, settings, widest)
    assert tried == wanted


@pytest.mark.parametrize(
    ("ended", "tried"),
    [(Ended("limit_reached", expanded=1), 1), (Ended("exhausted"), 1), (Ended("exhausted", expanded=1), 3),
     (Ended("solved", expanded=1), 3)],
)  # fmt: skip
def test_a_beam_that_can_do_no_more_is_the_last(ended: Ended, tried: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run, widths = begun({"puzzle": "15-puzzle", "random": 1}), list[int]()
    run.solution = ("U",) * 80

    def one_beam(run: Run, side: Any, ranking: Any, width: int, share: Budget) -> Ended:
        widths.append(width)
        return ended

    monkeypatch.setattr(boards, "_beam", one_beam)
    monkeypatch.setattr(boards, "_sides", lambda run, databases, share: [boards._Side(run.problem.start, databases)])
    monkeypatch.setattr(boards, "_sides", lambda run, databases, share: [boards._Side(run.problem.start, databases)])
    boards._widen(run, cast("TileDatabases", Tables(0, 0, 0.0)), run.budget, boards.Settings(widest=16_000), inf)
    assert len(widths) == tried


def test_wide_beams_over_boards_are_also_made_on_the_way_back_and_share_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, tried = Clock(), list[tuple[int, bool, float]]()
    run = begun({"puzzle": "tiles:5x5", "random": 1}, clock, seconds=100.0)
    run.solution = ("U",) * 300

    def one_beam(run: Run, side: Any, ranking: Any, width: int, share: Budget) -> Ended:
        left = share.seconds_left
        tried.append((width, side.image is not None, left))
        seconds = 0.01 * width
        clock.now += min(seconds, left)
        status, limit = ("limit_reached", "seconds") if seconds > left else ("exhausted", None)
        return Ended(status, limit=limit, expanded=1, seconds=min(seconds, left))

    monkeypatch.setattr(boards, "_beam", one_beam)
    tables = tile_databases(cast("SlidingTiles", run.problem.puzzle), "blocks:2")
    settings = boards.Settings(width=100, varied=1_000, slower=0.5, last=4)
    boards._widen(run, tables, run.budget, settings, inf)
    # The last ones are wider than there is time for: the first ends with half of it.
    assert [(width, back, round(left)) for width, back, left in tried] == [
        (100, True, 100), (400, True, 99), (1600, True, 48), (1600, False, 79), (6300, True, 32), (6300, False, 32),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["tiles:3x3", "tiles:3x4", "tiles:5x5"])
def test_a_way_back_from_the_goal_is_a_solution(name: str) -> None:
    puzzle = cast("SlidingTiles", get_puzzle(name))
    databases, seen = tile_databases(puzzle, "blocks:2"), set[int]()
    for seed in range(5):
        start = random_state(puzzle, seed)
        back = boards._back(databases, start)
        seen.add(back.puzzle.home[0])
        lengths = []
        for side in (back, boards._Side(start, databases)):
            outcome = _kernel.tile_beam(
                side.databases.kernel, side.start, ranking=rankings.kernel_ranking(side.puzzle, rankings.RANKINGS[2]),
                width=30_000 if puzzle.cells == 9 else 500, longest=400, memory_bytes=2**28, control=_kernel.Control(),
            )  # fmt: skip
            alg = side.read(outcome.path)
            assert puzzle.apply_alg(start, alg) == puzzle.solved
            lengths.append(len(alg))
        # The smallest board's beams leave no state out.
        assert puzzle.cells > 9 or lengths[0] == lengths[1]
    # By symmetry the blank's other cells are like these.
    assert seen <= {"tiles:3x3": {4, 7, 8}, "tiles:3x4": {6, 7, 10, 11}, "tiles:5x5": {12, 17, 18, 22, 23, 24}}[name]


def test_a_ranking_as_the_kernel_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a move, and the weights of all pairs of tiles by their offsets; far ones count as the farthest."""
    made: dict[str, Any] = {}
    monkeypatch.setattr(_kernel, "TileRanking", lambda kernel, **given: made.update(given))
    make: Any = rankings.kernel_ranking.__wrapped__
    for columns in (3, 9):
        puzzle = get_puzzle(f"tiles:2x{columns}")
        make(puzzle, rankings.Ranking(manhattan=1.3, excess=1.5, pairs=0.5))
        assert (made["manhattan"], made["excess"]) == (21, 24)
        cells = 2 * columns
        assert len(made["pairs"]) == cells**4
        for number in range(0, cells**4, 97):
            home, other, here, there = (number // cells**power % cells for power in (3, 2, 1, 0))
            steps = [b // columns - a // columns if row else b % columns - a % columns
                     for a, b in ((home, other), (here, there)) for row in (True, False)]  # fmt: skip
            weight = rankings._weights()[tuple(max(-5, min(5, step)) + 5 for step in steps)]
            assert made["pairs"][number] == round(weight / 2) % 256
        make(puzzle, rankings.Ranking(manhattan=1.0, excess=1.25, pairs=0.0))
    assert made == {"manhattan": 16, "excess": 20, "pairs": b""}


def test_weights_by_cells_are_equal_where_symmetries_and_the_inverse_map_pairs_to_one_another() -> None:
    classes, count = rankings.cell_classes(3)
    assert sorted({*classes.flat}) == [*range(count)]
    homes, cells = (0, 5), (4, 1)
    turned = [2, 5, 8, 1, 4, 7, 0, 3, 6]
    for a, b in ((homes, cells), (cells, homes), (homes[::-1], cells[::-1])):
        assert classes[*a, *b] == classes[0, 5, 4, 1]
        assert classes[tuple(turned[cell] for cell in (*a, *b))] == classes[0, 5, 4, 1]
    assert classes[0, 5, 1, 4] != classes[0, 5, 4, 1]


def test_boards_with_weights_by_cells_have_a_ranking_of_their_own() -> None:
    assert rankings.rankings_of(cast("SlidingTiles", get_puzzle("tiles:5x6"))) == rankings.RANKINGS
    for side in (5, 6, 7):
        puzzle = cast("SlidingTiles", get_puzzle(f"tiles:{side}x{side}"))
        if rankings.by_cells(puzzle):
            assert rankings.rankings_of(puzzle) == rankings.BY_CELLS
            pairs = rankings._pairs(puzzle)
            assert pairs.shape == (side**2,) * 4
            assert np.array_equal(pairs, pairs.transpose(2, 3, 0, 1))


def faults(**asked: Any) -> Sequence[Fault]:
    with pytest.raises(InvalidRequest) as refused:
        prepare(SolveRequest.model_validate({"puzzle": "8-puzzle", "alg": "", **asked}))
    return refused.value.faults


@pytest.mark.parametrize(("algorithm", "why"), [
    ("auto", "auto chooses its own"), ("anytime", "anytime does not use it"), ("beam", "beam does not use it"),
])  # fmt: skip
def test_why_a_heuristic_is_not_taken(algorithm: str, why: str) -> None:
    assert [str(fault) for fault in faults(algorithm=algorithm, heuristic="zero")] == [
        f"/heuristic: {why}; leave it out"
    ]


def test_constants_of_methods_have_their_ranges() -> None:
    for method, name, allowed, refused in (
        ("ara_star", "less", 0.001, 0), ("ida_star", "learn_after", 0, -1),
    ):  # fmt: skip
        asked = {"puzzle": "8-puzzle", "alg": "", "plan": [{"method": method, "settings": {name: allowed}}]}
        assert prepare(SolveRequest.model_validate(asked)).algorithm == "plan"
        (fault,) = faults(plan=[{"method": "constructive"}, {"method": method, "settings": {name: refused}}])
        assert fault.where == f"/plan/1/settings/{name}"


def test_tables_that_do_not_fit_are_told_to_the_mebibyte() -> None:
    asked = {"puzzle": "15-puzzle", "heuristic": 'pdb("6-6-3")', "algorithm": "ida_star"}
    heuristic = prepare(SolveRequest.model_validate({**asked, "alg": ""})).heuristic
    needed = -(-heuristic.build_bytes // 2**20)
    assert heuristic.build_bytes % 2**20
    (fault,) = faults(**asked, limits={"memory_mib": needed - 1})
    assert str(fault) == f"/limits/memory_mib: building them takes {needed} MiB, and the limit is {needed - 1}"
    fits = prepare(SolveRequest.model_validate({**asked, "alg": "", "limits": {"memory_mib": needed}}))
    assert fits.limits.memory_mib == needed
    plan = [{"method": "plan", "steps": [{"method": "ida_star", "heuristic": "nothing"}]}]
    assert [fault.where for fault in faults(plan=plan)] == ["/plan/0/steps/0/heuristic"]


def test_limits_may_be_as_high_as_their_caps() -> None:
    def limits(caps: LimitsIn, **asked: float) -> Limits:
        request = SolveRequest.model_validate({"puzzle": "8-puzzle", "alg": "", "limits": asked})
        return prepare(request, caps).limits

    assert limits(LimitsIn(expanded=7, memory_mib=4096), expanded=7).model_dump() == {
        "expanded": 7, "generated": None, "seconds": None, "memory_mib": 1024,
    }  # fmt: skip
    assert limits(LimitsIn(memory_mib=64)).memory_mib == 64
    assert limits(LimitsIn(), memory_mib=9).memory_mib == 9


def test_progress_and_a_cancelled_answer_take_no_time_for_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, asked = prepare(SolveRequest.model_validate({"puzzle": "15-puzzle", "random": 1})), list[bool]()
    bound = Problem.root_bound

    def root_bound(self: Problem, deep: bool = True) -> int:
        asked.append(deep)
        return bound(self, deep)

    monkeypatch.setattr(Problem, "root_bound", root_bound)
    assert search.progress(problem, Control()).lower_bound == bound(problem)
    assert asked == [False]
    control = Control()
    control.cancel()
    ended = search.solve(problem, control)
    assert (ended.status, ended.patience, ended.counters.expanded) == ("cancelled", 0.0, 0)


@pytest.mark.parametrize(
    ("settings", "endings", "wanted"),
    [
        # the longest solution of use, and the expansions that are left
        ({}, [("solved", 40), ("solved", 40), ("limit_reached", 20)], [(250, 100), (2, 60), (2, 20)]),
        ({}, [("solved", 60), ("solved", 40)], [(250, 100), (2, 40)]),
        ({}, [("exhausted", 1)], [(250, 100)]),
        ({"first": True}, [("solved", 40)], [(250, None)]),
    ],
)
def test_two_phases_are_searched_until_nothing_is_left(
    settings: dict[str, Any], endings: list[tuple[str, int]], wanted: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, asked, left = begun(), list[tuple[int, int | None]](), list[int]()

    def search(longest: int, *, max_expanded: int | None, control: Any, **_: Any) -> Ended:
        asked.append((longest, max_expanded))
        status, expanded = endings[(len(asked) - 1) % len(endings)]
        return Ended(status, [0], expanded=expanded)

    def searching(run: Run, phases: Any, share: Budget, settings: Any, untimed: int) -> Any:
        left.append(untimed)
        kernel = SimpleNamespace(run=search, variant=1)
        return SimpleNamespace(kernel=kernel, variants=[None, SimpleNamespace(read=lambda path: SHORT)])

    monkeypatch.setattr(two_phase, "fitting", lambda puzzle, moves, memory, entries: object())
    monkeypatch.setattr(two_phase, "_searching", searching)
    step = Step(method="two_phase", settings=settings | {"untimed": 100})
    two_phase.improve(run, step, run.budget)
    assert asked == wanted
    assert left == [100, *(most for _, most in wanted[1:])]
    assert (run.solution is not None) == (endings[0][0] == "solved")
    if settings:  # another first solution may be as long as ever
        two_phase.improve(run, step, run.budget)
        assert asked[1:] == asked[:1]
    monkeypatch.setattr(two_phase, "_searching", nothing)
    two_phase.improve(begun(), step, run.budget)
    assert len(asked) == len(wanted) * (2 if settings else 1)


def test_all_cosets_are_asked_for_once_and_when_there_is_a_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    run, opened, worth = begun(), [False, True], [True]
    phases: Any = SimpleNamespace(all_cosets="all")

    def begin(run: Run, phases: Any, share: Budget, patience: int, cosets: Any = None) -> Any:
        assert patience == two_phase.Settings().patience
        return two_phase._Searching(cast("Any", cosets), [], cosets is not None)

    monkeypatch.setattr(two_phase, "_begin", begin)
    monkeypatch.setattr(two_phase, "_worth", lambda *_: worth[0])
    monkeypatch.setattr(Run, "open", lambda run, databases, share: opened.pop(0))

    def found() -> tuple[Any, bool, int]:
        searching = two_phase._searching(run, phases, run.budget, two_phase.Settings(), 100)
        assert searching is run.kept[f"two_phase {two_phase.Settings().entries}"]
        assert searching is not None
        return searching.kernel, searching.asked, len(opened)

    assert found() == (None, False, 2)
    run.solution = SHORT
    worth[0] = False
    assert found() == (None, False, 2)
    worth[0] = True
    assert found() == (None, True, 1)
    assert found() == (None, True, 1)
    run.kept.clear()
    assert found() == ("all", True, 0)
    assert found() == ("all", True, 0)


def test_only_the_last_databases_of_a_board_have_the_widest_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    run, tried, opened = begun({"puzzle": "tiles:5x5", "random": 1}), list[Any](), list[bool]()
    monkeypatch.setattr(boards, "tile_databases", lambda puzzle, name: name)
    monkeypatch.setattr(boards, "_affordable", lambda run, choices, share, settings: choices)
    monkeypatch.setattr(boards, "_widen", lambda run, one, share, settings, widest: tried.append((one, widest)))
    monkeypatch.setattr(Run, "open", lambda run, databases, share: opened.pop(0))
    for able, number in (([True, True], 2), ([False, True], 1), ([True, False], 1)):
        opened[:], tried[:] = able, []
        boards.beams(run, run.budget, boards.Settings(small_widest=77))
        names = [f"blocks:{size}" for size in run.problem.puzzle.blocks]  # type: ignore[attr-defined]
        assert len(names) == 2
        assert tried == [one for one, done in zip([(names[0], 77), (names[1], inf)], able, strict=True) if done]
        assert len(tried) == number
