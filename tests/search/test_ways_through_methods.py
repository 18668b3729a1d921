"""What the methods of plans do when their searches end in one way or another: the searches here end as they are told.

So a test reaches, at once and on every machine, what otherwise needs a large puzzle or a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest

from hstar import _kernel, search
from hstar.databases import TileDatabases
from hstar.errors import Fault, InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.options import Step, Tuning
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import Limits, LimitsIn
from hstar.search import Budget, Control, Problem, SolveRequest, prepare
from hstar.search.anytime import boards, rankings
from hstar.search.anytime import insertions as inserting
from hstar.search.anytime.chains import OUTLOOK, Chains, Variant
from hstar.search.anytime.windows import shorten
from hstar.search.control import Stopped
from hstar.search.methods import (
    METHODS,
    ara_star,
    beam,
    beams,
    constructive,
    ida_star,
    insertions,
    spins,
    two_phase,
    weights,
    windows,
)
from hstar.search.methods.beams import Ladder, Settings
from hstar.search.methods.part import Part
from hstar.search.run import Run, Search
from tests.search.test_budget import Clock

#: two moves from solved
CUBE = {"puzzle": "2x2x2", "alg": "R U"}
SHORT, LONG = ("U'", "R'"), ("U'", "F", "F'", "R'")


class Way(NamedTuple):
    """How a beam of words has ended."""

    ending: str
    moves: bytes = b"\0"
    expanded: int = 1
    generated: int = 2
    stored: int = 3
    peak_bytes: int = 4


@dataclass
class Chain:
    """A chain whose beams end as they are told, the last ones by solutions; what they were asked."""

    endings: list[str] = field(default_factory=list)
    complete: bool = True
    asked: list[tuple[Any, int, dict[str, Any]]] = field(default_factory=list)
    at_each: Callable[[], None] = lambda: None

    def descend(self, element: Any, width: int, outlook: float, seconds: float, control: Any, **options: Any) -> Way:
        assert outlook == OUTLOOK
        self.asked.append((element, width, options))
        self.at_each()
        return Way(self.endings.pop(0) if self.endings else "done")


def begun(question: Mapping[str, Any] = CUBE, clock: Clock | None = None, **limits: Any) -> Run:
    """A run whose clock stands still until it is told to go on."""
    problem = prepare(SolveRequest.model_validate({**question, "limits": limits}))
    return Run(problem, Budget(problem.limits, clock=clock or Clock()), {})


def test_a_run_begins_with_nothing() -> None:
    run = begun()
    assert (run.threads, run.keep, run.solution, run.bound, run.gap) == (1, False, None, 0, None)
    assert [run.exhausted, run.lacked_memory, run.proven] == [False] * 3


def ladder(run: Run, chain: Chain | None, algs: Sequence[tuple[str, ...]] = (SHORT,), **changed: Any) -> Ladder:
    """Beams over a variant for each solution that they find, with perimeters of a mebibyte."""
    chains = SimpleNamespace(
        puzzle=run.problem.puzzle, shipped=chain, stages=lambda pieces=0: [pieces],
        variants=lambda _: [Variant([number], (alg,), False) for number, alg in enumerate(algs)],
        triples=lambda control, seconds: f"triples in {seconds:g} s",
        perimeters=lambda control, seconds, memory: [SimpleNamespace(bytes=2**20, seconds=seconds, memory=memory)],
    )  # fmt: skip
    return Ladder(run, cast("Chains", chains), Settings(**changed))


WIDTHS: dict[str, Any] = {"widths": ((2, 3), (5, 2), (9, 6)), "last_moves": 5}


def test_which_beams_are_tried_and_in_which_order() -> None:
    """Variants are taken from the whole list, 7919 places apart, and none twice at one width."""
    algs = [SHORT] * 4
    order: list[tuple[int, str | None, int]] = [(2, way, number) for number in (0, 3, 2) for way in ("stages", "words")]
    order += [(5, "last moves", 0), (5, "stages", 0), (5, None, 3)]
    last: list[tuple[int, str | None, int]] = [(9, "last moves", 0), (9, None, 3), (9, "last moves", 2), (9, None, 1)]
    for seconds, wanted in ((None, order), (9.0, order + last)):
        waiting = ladder(begun(seconds=seconds), None, algs, **WIDTHS).waiting
        assert [(width, way, variant.element[0]) for width, variant, way in reversed(waiting)] == wanted
    between = ladder(begun(seconds=9.0), None, algs, widths=((2, 1), (4, 4), (9, 1)), last_moves=5).waiting
    assert [way for width, _, way in between if width == 4] == [None] * 4


@pytest.mark.parametrize(
    ("lengths", "ways"),
    [
        # stages, words, last moves and stages again; then the best: words from there on, or last moves
        ((4, 2, 4, 4, 4, 4), ["stages", "words", "last moves", "stages", "words", "words"]),
        ((4, 4, 2, 4, 4, 4), ["stages", "words", "last moves", "stages", "last moves", "last moves"]),
        ((2, 4, 4, 4, 2, 4), ["stages", "words", "last moves", "stages", "last moves", "last moves"]),
        ((2, 4, 4, 4, 4, 4), ["stages", "words", "last moves", "stages", "last moves", "stages"]),
    ],
)
def test_wide_beams_go_the_way_that_was_the_best(lengths: tuple[int, ...], ways: list[str]) -> None:
    run, chain, found = begun(seconds=9.0, memory_mib=512), Chain(), iter(lengths)
    beams_ = ladder(run, chain, [SHORT, SHORT], widths=((2, 1), (5, 1), (9, 2)), last_moves=5, long_stages_width=9)

    def give_next() -> None:
        alg = SHORT if next(found) == 2 else LONG
        beams_.waiting = [(width, Variant(one.element, (alg,), False), way) for width, one, way in beams_.waiting]

    # Each beam gives a solution of the length that is next, so all that wait are given it.
    give_next()
    asked = []
    while beams_.waiting:
        width, variant, way = beams_.waiting.pop()
        rest, beams_.waiting = beams_.waiting, [(width, variant, way)]
        beams_.climb(run.budget)
        asked.append(chain.asked.pop())
        beams_.waiting = rest
        if rest:
            give_next()
    done = [
        "words" if options["triples"] is None else "last moves" if options["perimeters"] else "stages"
        for _, _, options in asked
    ]
    assert done == ways
    assert [options["stages"] for _, _, options in asked] == [[0]] * 4 + [[7]] * 2
    memory = 512 * 2**20
    for _, _, options in asked:
        assert options["memory_bytes"] == memory - 2**20 * len(options["perimeters"])
        assert [(one.seconds, one.memory) for one in options["perimeters"]] in ([], [(4.5, memory)])
        assert options["triples"] in (None, "triples in 4.5 s")
    assert run.solution == SHORT
    assert run.budget.counted.generated == 12


def test_perimeters_need_their_memory() -> None:
    run, chain = begun(seconds=9.0, memory_mib=511), Chain()
    ladder(run, chain, **WIDTHS).climb(run.budget)
    assert all(options["perimeters"] == [] for _, _, options in chain.asked)


def test_what_ends_a_beam_decides_what_is_tried_after_it() -> None:
    run, chain = begun(seconds=9.0), Chain(["done", "memory"])
    tried = ladder(run, chain, [LONG] * 2, widths=((2, 1), (5, 2), (9, 2)), last_moves=5)
    tried.climb(run.budget)
    assert [width for _, width, _ in chain.asked] == [2, 2]  # as wide ones would lack memory, too
    assert tried.waiting == []

    run, chain = begun(expanded=5, generated=9), Chain(["done", "generated"])
    tried = ladder(run, chain, **WIDTHS)
    tried.climb(run.budget)
    assert [options["max_expanded"] for _, _, options in chain.asked] == [5, 4]
    assert [options["max_generated"] for _, _, options in chain.asked] == [9, 7]
    assert run.budget.ended() == "generated"
    assert tried.shortest == {"last moves": inf, "stages": 2, "words": inf}

    run = begun()
    chain = Chain(["done", "stopped"], at_each=lambda: run.control.cancel() if len(chain.asked) == 2 else None)
    tried = ladder(run, chain, **WIDTHS)
    before = list(tried.waiting)
    tried.climb(run.budget)
    assert tried.waiting == before[:-1]
    tried.climb(run.budget)
    assert len(chain.asked) == 2


@pytest.mark.parametrize(
    ("thorough", "quick", "chosen"), [(True, True, "thorough"), (False, True, "quick"), (False, False, None)]
)
def test_a_ladder_has_the_best_chain_for_which_there_is_time(thorough: bool, quick: bool, chosen: str | None) -> None:
    run, asked = begun(seconds=30.0), list[tuple[str, float]]()
    kinds = {"thorough": Chain(complete=thorough), "quick": Chain(complete=quick)}

    def build(name: str, seconds: float) -> Chain:
        asked.append((name, seconds))
        return kinds[name]

    tried: Any = ladder(run, None)
    tried.chains.thorough = lambda control, seconds: build("thorough", seconds)
    tried.chains.quick_in_order = lambda control, seconds: build("quick", seconds)
    tried.climb(run.budget)
    assert tried.chain is (kinds[chosen] if chosen else None)
    assert asked == [("thorough", 15.0), ("quick", 20.0)][: 1 if thorough else 2]
    assert bool(tried.waiting) == (chosen is None)
    tried.climb(run.budget)
    assert len(asked) == (4 if chosen is None else 1 if thorough else 2)  # the next step has the chain
    run.control.cancel()
    ladder(run, None).climb(run.budget)


@pytest.mark.parametrize(
    ("ending", "why"),
    [("done", None), ("memory", "memory"), ("stopped", "method"), ("expanded", "expanded"), ("generated", "generated")],
)
def test_what_ended_a_beam_of_words_is_why_there_is_no_solution(ending: str, why: str | None) -> None:
    run, chain = begun(expanded=50, generated=90), Chain([ending])
    chains: Any = SimpleNamespace(element=lambda start: start, algs=(SHORT,), stages=lambda pieces: [pieces])
    share = run.budget.share(nodes=0.5)
    start = run.problem.start
    words = constructive.Words(long_stages_width=8, long_stage=3)
    for width in (7, 8):
        chain.endings = [ending]
        constructive.descend(run, share, chains, chain, start, width, words)  # type: ignore[arg-type]
    first = {"max_expanded": 25, "max_generated": 45, "memory_bytes": 2**30, "triples": None, "stages": [0]}
    after = first | {"max_expanded": 24, "max_generated": 43, "stages": [3]}
    assert chain.asked == [(start, 7, first), (start, 8, after)]
    assert run.solution == (SHORT if ending == "done" else None)
    assert (run.limit, run.lacked_memory) == (why if why in ("expanded", "generated") else None, why == "memory")
    assert (why or "method") == run.why_none
    assert share.ended() == (why if why in ("expanded", "generated") else None)


def stopped(*_: Any, **__: Any) -> Any:
    raise Stopped


def nothing(*_: Any, **__: Any) -> None:
    """Of what there is none of."""


def test_nothing_is_constructed_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun({"puzzle": "3x3x3", "alg": "R U"})
    monkeypatch.setattr(constructive, "chains_of", stopped)
    assert constructive.pieces(run, run.budget) is None
    constructive.construct(run, Step(method="constructive"), run.budget)
    insertions.improve(run, Step(method="insertions"), run.budget)
    assert run.solution is None
    monkeypatch.setattr(constructive, "spins", lambda puzzle, moves: True)
    chains: Any = SimpleNamespace(puzzle=None, moves=None)
    for error in (Stopped, _kernel.Stopped):

        def fails(_: Any, error: type[Exception] = error) -> Any:
            raise error

        monkeypatch.setattr(constructive, "spins_of", fails)
        assert constructive.all_but_spins(run, chains, run.problem.start, run.budget) is None


@pytest.mark.parametrize(
    ("traits", "seconds", "wanted"),
    [
        ({"large", "solved"}, None, ["orbits"]), ({"large", "complete"}, None, ["orbits", "words"]),
        ({"complete"}, None, ["words"]), ({"complete", "too long"}, None, ["words", "orbits"]),
        ({"complete", "too long"}, 0.0, ["words"]), ({"part"}, None, ["others", "their pieces"]),
        (set(), None, ["others", "orbits"]), ({"large"}, None, ["orbits", "others"]), ({"part"}, 0.0, []),
    ],
)  # fmt: skip
def test_what_constructs_a_solution(
    traits: set[str], seconds: float | None, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One orbit after another where there are many pieces; else words, and orbits where words are too long or none."""
    run, done = begun(seconds=seconds), list[str]()
    chains = SimpleNamespace(
        large="large" in traits, shipped=None, words_too_long="too long" in traits,
        quick=lambda control, seconds: Chain(complete="complete" in traits),
    )  # fmt: skip
    part: Any = SimpleNamespace(problem=SimpleNamespace(puzzle=None))

    def by_orbits(*_: Any) -> bool:
        done.append("orbits")
        return "solved" in traits

    def but_spins(*_: Any) -> Any:
        done.append("others")
        return part if "part" in traits else None

    def pieces(its: Any, share: Budget) -> Any:
        if its is run:
            return chains, run.problem.start
        done.append("their pieces")
        return None

    monkeypatch.setattr(constructive, "by_orbits", by_orbits)
    monkeypatch.setattr(constructive, "all_but_spins", but_spins)
    monkeypatch.setattr(constructive, "descend", lambda *_: done.append("words"))
    monkeypatch.setattr(constructive, "pieces", pieces)
    constructive.construct(run, Step(method="constructive"), run.budget)
    assert done == wanted


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


class Spun(NamedTuple):
    ending: str
    moves: Sequence[int] = ()
    expanded: int = 10
    generated: int = 20
    stored: int = 0
    peak_bytes: int = 0


@pytest.mark.parametrize("timed", [False, True])
def test_rounds_of_insertions(timed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without seconds each round once, and the next step goes on with the next one; with seconds the last again."""
    run = begun(expanded=55, seconds=60.0 if timed else None)
    run.offer(LONG, merge=False)
    asked: list[tuple[Any, ...]] = []
    algs = [("U",), SHORT]

    def solve(*given: Any, max_expanded: int, max_generated: int | None) -> Spun:
        asked.append((*given[2:8], max_expanded))
        return Spun("done", [min(len(asked) - 1, 1)] if len(asked) < 3 else [])

    made = SimpleNamespace(kernel=SimpleNamespace(solve=solve), first=None, kinds=lambda puzzle, state: [])
    chains = SimpleNamespace(names=("a", "b"), algs=algs)
    monkeypatch.setattr(insertions, "inserting_of", lambda chains, control, seconds: made)
    monkeypatch.setattr(constructive, "pieces", lambda run, share: (chains, run.problem.start))
    rounds = [[1, 100, 2], [3, 200, 4], [5, 300, 6]]
    step = Step(method="insertions", settings={"rounds": rounds, "misplaced": [2.0, 3.0]})
    insertions.improve(run, step, run.budget)
    assert run.length == len(LONG)  # the first round found none, so that others are tried first
    assert asked == [([], 1, 2.0, 0, 100, 2, 55)]
    insertions.improve(run, step, run.budget)
    again: list[tuple[Any, ...]] = [([], 3, 3.0, 1, 200, 4, 45), ([], 5, 2.0, 2, 300, 6, 35)]
    again += [([], 5, 3.0, 3, 300, 6, 25), ([], 5, 2.0, 4, 300, 6, 15), ([], 5, 3.0, 5, 300, 6, 5)] if timed else []
    assert asked[1:] == again
    assert begun().problem.is_solution(run.solution or ())
    assert run.length == len(SHORT)
    assert run.kept["insertions done"] == len(asked)


def test_the_first_solution_of_insertions_is_one_round_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    run, asked = begun(), list[Any]()

    def solve(*given: Any, **_: Any) -> Spun:
        asked.append(given[2:6])
        return Spun("done", [1])

    first: list[tuple[bool, float]] = []

    def firsts(run: Run, inserting: Any, state: bytes, share: Budget, *, quickly: bool) -> tuple[str, ...] | None:
        first.append((quickly, share.seconds_left))
        return ("b",) if quickly else None

    made = SimpleNamespace(kernel=SimpleNamespace(solve=solve), first=object(), kinds=lambda puzzle, state: [])
    chains = SimpleNamespace(names=("a", "b"), algs=[LONG, SHORT])
    monkeypatch.setattr(insertions, "inserting_of", lambda chains, control, seconds: made)
    monkeypatch.setattr(insertions, "_first", firsts)
    monkeypatch.setattr(constructive, "pieces", lambda run, share: (chains, run.problem.start))
    insertions.improve(run, Step(method="insertions", settings={"first": True}), run.budget)
    assert (asked, first) == ([([1], 10, 2.2, 0)], [(True, inf)])
    assert run.solution == SHORT
    assert "insertions done" not in run.kept
    run.solution = LONG
    insertions.improve(run, Step(method="insertions"), run.budget)  # the first orbits are those of the first solution
    assert asked[1:] == [([1], 10, 2.2, 0), ([1], 50, 2.0, 1), ([1], 100, 2.4, 2)]
    assert first[1:] == [(False, inf)]
    for ended in (nothing, stopped):
        run = begun()
        monkeypatch.setattr(insertions, "inserting_of", ended)
        insertions.improve(run, Step(method="insertions"), run.budget)
        assert run.solution is None
    monkeypatch.setattr(insertions, "inserting_of", lambda chains, control, seconds: made)
    monkeypatch.setattr(insertions, "_first", lambda *_, **__: None)
    insertions.improve(run, Step(method="insertions"), run.budget)
    assert run.solution is None


class Ended(NamedTuple):
    """How a search of the kernel has ended."""

    status: str
    path: Sequence[int] = ()
    limit: str | None = None
    expanded: int = 0
    generated: int = 0
    stored: int = 0
    peak_bytes: int = 0
    f_bound: float = 0.0
    seconds: float = 1.0


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
    run: Any = SimpleNamespace(whole=whole, solution=LONG if known else None, offer=None)
    windows.shorten_parts(run, cast("Budget", None), windows.Settings())
    assert done == ([LONG] if known and different and solves else [])


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
    a_state = 2 * 16 + boards._TABLE * 2 + boards._STATE + boards._MOVE * 40

    def one_beam(run: Run, databases: Any, ranking: rankings.Ranking, width: int, share: Budget) -> Ended:
        tried.append((width, rankings.RANKINGS.index(ranking)))
        clock.now += seconds * width
        return Ended("exhausted", expanded=1, seconds=seconds * width)

    monkeypatch.setattr(boards, "_beam", one_beam)
    settings = boards.Settings(width=10, wider=4, widest=160, varied=160, few=3, slower=1.15, wider_least=1.5)
    tables = cast("TileDatabases", Tables((1 << 20) - 25 * a_state - 7 if "memory_mib" in limits else 0, 0, 0.0))
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

    def one_beam(run: Run, databases: Any, ranking: Any, width: int, share: Budget) -> Ended:
        widths.append(width)
        return ended

    monkeypatch.setattr(boards, "_beam", one_beam)
    boards._widen(run, cast("TileDatabases", Tables(0, 0, 0.0)), run.budget, boards.Settings(widest=16_000), inf)
    assert len(widths) == tried


def test_a_ranking_as_the_kernel_takes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a move, and the weights of all pairs of offsets on the board; far ones count as the farthest."""
    made: dict[str, Any] = {}
    monkeypatch.setattr(_kernel, "TileRanking", lambda kernel, **given: made.update(given))
    make: Any = rankings.kernel_ranking.__wrapped__
    for columns in (3, 9):
        puzzle = get_puzzle(f"tiles:2x{columns}")
        make(puzzle, rankings.Ranking(1.3, 1.5, 0.5))
        assert (made["manhattan"], made["excess"]) == (21, 24)
        pairs = [
            round(rankings._weights()[tuple(max(-5, min(5, one)) + 5 for one in offsets)] / 2) % 256
            for offsets in product(*[range(-1, 2), range(1 - columns, columns)] * 2)
        ]
        assert list(made["pairs"]) == pairs
        make(puzzle, rankings.Ranking(1.0, 1.25, 0.0))
    assert made == {"manhattan": 16, "excess": 20, "pairs": b""}


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

    monkeypatch.setattr(two_phase, "fitting", lambda puzzle, moves, memory: object())
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
        assert searching is run.kept["two_phase"]
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


@pytest.mark.parametrize(
    ("large", "complete", "solution", "done"),
    [(False, True, SHORT, False), (False, False, SHORT, True), (True, True, SHORT, True), (False, True, None, True)],
)
def test_spins_follow_where_no_chain_has_solved_the_whole(
    large: bool, complete: bool, solution: Any, done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun()
    run.solution = solution
    chains = SimpleNamespace(large=large, shipped=None, quick=lambda control, seconds: Chain(complete=complete))
    monkeypatch.setattr(constructive, "pieces", lambda run, share: (chains, run.problem.start))
    others: Any = object()
    monkeypatch.setattr(constructive, "all_but_spins", lambda *_: others)
    assert spins.others(run, run.budget) is (others if done else None)
    monkeypatch.setattr(constructive, "pieces", nothing)
    assert spins.others(run, run.budget) is None


@pytest.mark.parametrize("phases", [False, True])
@pytest.mark.parametrize("quickly", [False, True])
def test_how_the_first_orbits_are_solved(phases: bool, quickly: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    run, done = begun(seconds=10.0), list[Any]()
    solved = run.problem.puzzle.solved
    own: Any = SimpleNamespace(problem=run.problem, solution=SHORT)
    first = SimpleNamespace(solved=solved, state_in=lambda puzzle, state: state)
    orbits: Any = SimpleNamespace(first=first, puzzle=None)

    def method(name: str) -> Any:
        return lambda run, step, share: done.append((name, getattr(step, "settings", {}), share.seconds_left))

    monkeypatch.setattr(Part, "of", lambda *_, told: own)
    monkeypatch.setattr(insertions, "fitting", lambda *_: phases or None)
    monkeypatch.setattr(two_phase, "improve", method("two_phase"))
    monkeypatch.setattr(constructive, "construct", method("constructive"))
    monkeypatch.setattr(beams, "improve", method("beams"))
    monkeypatch.setattr(windows, "shorten_parts", lambda run, share, settings: done.append("windows"))
    assert insertions._first(run, orbits, b"", run.budget, quickly=quickly) == SHORT
    wide: list[Any] = [] if quickly else [("beams", {}, 10 * insertions._BEAMS)]
    direct = [("two_phase", {"first": quickly}, 10.0)] if phases else [("constructive", {}, 10.0), *wide]
    assert done == direct + ([] if quickly else ["windows"])
    first.solved = run.problem.start
    done.clear()
    assert insertions._first(run, orbits, b"", run.budget, quickly=quickly) == ()
    assert done == []


@pytest.mark.parametrize(
    ("complete", "triples", "ordered", "wanted"),
    [
        (True, "triples", True, ("ordered", "triples")), (True, "triples", False, ("quick", None)),
        (True, None, True, ("quick", None)), (False, "triples", True, "orbits"),
    ],
)  # fmt: skip
def test_which_chain_and_stages_a_beam_has(
    complete: bool, triples: str | None, ordered: bool, wanted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = list[Any]()
    chain, in_order = Chain(complete=complete), Chain(complete=ordered)
    chains = SimpleNamespace(
        shipped=None, quick=lambda control, seconds: chain, quick_in_order=lambda control, seconds: in_order,
        triples=lambda control, seconds: triples,
    )  # fmt: skip

    def descend(run: Any, share: Any, chains: Any, used: Any, start: Any, width: int, words: Any, triples: Any) -> None:
        assert (width, words.long_stage) == (70, 3)
        done.append(("ordered" if used is in_order else "quick", triples))

    monkeypatch.setattr(constructive, "pieces", lambda run, share: (chains, run.problem.start))
    monkeypatch.setattr(constructive, "descend", descend)
    monkeypatch.setattr(constructive, "by_orbits", lambda *_: done.append("orbits"))
    step = Step(method="beam", width=70, settings={"long_stage": 3})
    for seconds in (None, 0.0):
        run = begun(seconds=seconds)
        beam.improve(run, step, run.budget)
    assert done == ([wanted] if wanted == "orbits" else [wanted] * 2)  # no orbits without time
    monkeypatch.setattr(constructive, "pieces", nothing)
    beam.improve(begun(), step, begun().budget)


def test_where_cycles_are_put_in() -> None:
    """Many pieces that do not turn, but not too many, and many moves; and a puzzle that has a twin."""
    fewest, most, moves = inserting._MANY_PIECES, inserting._MOST_PIECES, inserting._MANY_MOVES

    def asked(still: int, number: int = moves, twin: object = 1) -> bool:
        orbits = [SimpleNamespace(pieces=9, orientations=2), *[SimpleNamespace(pieces=1, orientations=1)] * still]
        puzzle: Any = SimpleNamespace(orbits=orbits, twin=twin)
        return inserting.inserts(puzzle, cast("Any", SimpleNamespace(moves=range(number))))

    assert [asked(still) for still in (fewest - 1, fewest, most, most + 1)] == [False, True, True, False]
    assert [asked(fewest, moves - 1), asked(fewest, moves + 1), asked(fewest, moves, None)] == [False, True, False]


@pytest.mark.parametrize(
    ("lengths", "taken", "too_long"),
    [
        # moves of a solution for each order of the 10 pieces; others are tried beyond 3 for each piece
        ((30, 1, 1), 0, False), ((31, 30, 29), 2, False), ((31, 29, 30), 1, False), ((31, 31, 32), 0, False),
        ((70, 61, 62), 1, True), ((70, 60, 62), 1, False), ((70, None, 60), 2, False), ((None, 1, 1), None, False),
    ],
)  # fmt: skip
def test_a_quick_chain_has_the_order_with_the_shortest_solutions(
    lengths: tuple[Any, ...], taken: int | None, too_long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = get_puzzle("topspin:12")
    assert isinstance(puzzle, PermutationPuzzle)
    made = list[int]()
    orders = [list(range(first, 10 + first)) for first in range(3)]
    monkeypatch.setattr(Chains, "bases", property(lambda _: orders))

    def quick(chains: Chains, base: list[int], control: Any, seconds: float) -> Any:
        made.append(base[0])
        length = lengths[base[0]] if base[0] < 3 else 0
        return SimpleNamespace(complete=length is not None, length=length, base=base)

    monkeypatch.setattr(Chains, "_quick", quick)
    monkeypatch.setattr(Chains, "_typical", lambda chains, chain: chain.length)
    chains, control = Chains(puzzle, puzzle.move_set(None)), _kernel.Control()
    found: Any = chains.quick(control)
    assert found.base == orders[taken or 0]
    assert made == ([0, 1, 2] if taken is not None and lengths[0] > 30 else [0])
    again: Any = chains.quick(control)
    assert (again is found) == (taken is not None)
    if taken is not None:
        assert chains.base == (chains.order[0] if too_long else orders[taken])
        made.clear()
        assert (chains.quick_in_order(control) is found) != too_long
        assert made == ([chains.order[0][0]] if too_long else [])
    cut = Chains(puzzle, puzzle.move_set(None))
    control.cancel()
    made.clear()
    found = cut.quick(control)
    if lengths[1] is None:  # cut short: the first, and the next call looks for the best
        assert (found.base, made) == (orders[0], [0, 1])
        assert cut.quick(_kernel.Control()).base == orders[2]  # type: ignore[attr-defined]
