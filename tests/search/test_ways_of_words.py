"""What the methods that put words together do when their beams and rounds end in one way or another."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import pytest

from hstar import _kernel
from hstar.options import Step
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search import Budget
from hstar.search.anytime import insertions as inserting
from hstar.search.anytime.chains import Chains, Variant
from hstar.search.anytime.orbit_by_orbit import OrbitSettings
from hstar.search.anytime.spins import SpinSettings
from hstar.search.control import Stopped
from hstar.search.methods import (
    beam,
    beams,
    constructive,
    insertions,
    reduction,
    spins,
    two_phase,
    windows,
)
from hstar.search.methods.beams import Ladder, Settings
from hstar.search.methods.part import Part
from hstar.search.run import Run
from tests.search.test_budget import Clock
from tests.search.told import LONG, SHORT, Chain, begun, nothing, stopped


def test_a_run_begins_with_nothing() -> None:
    run = begun()
    assert (run.threads, run.keep, run.solution, run.bound, run.gap) == (1, False, None, 0, None)
    assert [run.exhausted, run.lacked_memory, run.proven] == [False] * 3


def ladder(run: Run, chain: Chain | None, algs: Sequence[tuple[str, ...]] = (SHORT,), **changed: Any) -> Ladder:
    """Beams over a variant for each solution that they find, with perimeters of a mebibyte."""
    chains = SimpleNamespace(
        puzzle=run.problem.puzzle, shipped=chain, ranking=None, stages=lambda pieces=0, ranked=False: [pieces],
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


def learned_ladder(
    seconds: float | None, algs: Sequence[tuple[str, ...]], widths: tuple[tuple[int, int], ...], narrow: float
) -> list[tuple[int, int]]:
    """The widths and variants of beams with a learned ranking, which take a tenth of a second for each state."""
    clock, chain = Clock(), Chain()
    limits: dict[str, Any] = {} if seconds is None else {"seconds": seconds}
    run = begun(clock=clock, memory_mib=512, **limits)
    some: dict[str, Any] = {"widths": widths, "last_moves": 5, "learned": 10, "narrow": narrow}
    tried = ladder(run, chain, algs, **some, part=0.8, wider=3, widest=100)
    tried.chains.__dict__["ranking"] = "a ranking"
    tried = Ladder(run, tried.chains, tried.settings)

    def goes_on() -> None:
        clock.now += chain.asked[-1][1] / 10

    chain.at_each = goes_on
    tried.climb(run.budget)
    return [(width, element[0]) for element, width, _ in chain.asked]


@pytest.mark.parametrize(
    ("seconds", "narrow", "widths"),
    [
        (None, 0.01, [2, 2, 5, 5, 10, 10]),
        (4.4, 0.01, [2, 2, 5, 5, 10, 10, 10]),  # 16 is not three times as wide
        (7.4, 0.01, [2, 2, 5, 5, 10, 40, 10]),
        (25.3, 0.01, [2, 2, 5, 5, 10, 100, 100, 10, 10, 10]),  # no wider than that, and once more as wide
        (7.4, 0.4, [2, 2, 5, 5, 10, 10, 32, 10]),  # two of 10 take a third of the 6 seconds
    ],
)
def test_with_a_learned_ranking_a_beam_is_as_wide_as_there_is_time_for(
    seconds: float | None, narrow: float, widths: list[int]
) -> None:
    asked = learned_ladder(seconds, [SHORT] * 4, ((2, 1), (5, 1), (10, 2), (10, 9)), narrow=narrow)
    assert [width for width, _ in asked] == widths


@pytest.mark.parametrize("shortest", [0, 1, 2])
def test_the_variant_with_the_shortest_solution_has_the_wide_beam(shortest: int) -> None:
    algs = [SHORT if number == shortest else LONG for number in range(3)]
    asked = learned_ladder(10.4, algs, ((2, 1), (5, 1), (10, 3), (20, 1)), narrow=0.4)
    assert [width for width, _ in asked[4:8]] == [10, 10, 10, 48]
    assert asked[7][1] == shortest


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
    assert tried.shortest == {"learned": inf, "last moves": inf, "stages": 2, "words": inf}

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
    chains: Any = SimpleNamespace(
        puzzle=SimpleNamespace(permutation_of=lambda start: start),
        alg_of=lambda moves: SHORT,
        stages=lambda pieces, ranked: [pieces],
    )
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


def test_nothing_is_constructed_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun({"puzzle": "3x3x3", "alg": "R U"})
    monkeypatch.setattr(constructive, "chains_of", stopped)
    assert constructive.pieces(run, run.budget, constructive.Pieces()) is None
    monkeypatch.setattr(constructive, "orbit_by_orbit", stopped)
    none: Any = SimpleNamespace(puzzle=None, moves=None)
    assert not constructive.by_orbits(run, none, b"", run.budget, OrbitSettings())
    constructive.construct(run, Step(method="constructive"), run.budget)
    insertions.improve(run, Step(method="insertions"), run.budget)
    assert run.solution is None
    monkeypatch.setattr(constructive, "spins", lambda puzzle, moves: True)
    chains: Any = SimpleNamespace(puzzle=None, moves=None)
    for error in (Stopped, _kernel.Stopped):

        def fails(*_: Any, error: type[Exception] = error) -> Any:
            raise error

        monkeypatch.setattr(constructive, "spins_of", fails)
        assert constructive.all_but_spins(run, chains, run.problem.start, run.budget, SpinSettings()) is None


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

    def pieces(its: Any, share: Budget, settings: Any) -> Any:
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

    def solve(*given: Any, max_expanded: int, **_: Any) -> Spun:
        asked.append((*given[2:8], max_expanded))
        return Spun("done", [min(len(asked) - 1, 1)] if len(asked) < 3 else [])

    made = SimpleNamespace(kernel=SimpleNamespace(solve=solve), first=None, puzzle=None)
    chains = SimpleNamespace(names=("a", "b"), alg_of=lambda moves: sum((algs[move] for move in moves), ()))
    monkeypatch.setattr(insertions, "inserting_of", lambda chains, control, seconds: made)
    monkeypatch.setattr(constructive, "pieces", lambda run, share, settings: (chains, run.problem.start))
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

    def firsts(run: Run, of: Any, state: bytes, share: Budget, settings: Any) -> tuple[str, ...] | None:
        first.append((settings.first, share.seconds_left))
        return ("b",) if settings.first else None

    unsolved = SimpleNamespace(state_in=lambda puzzle, state: state, slots=[])
    made = SimpleNamespace(kernel=SimpleNamespace(solve=solve), first=unsolved, puzzle=None)
    chains = SimpleNamespace(names=("a", "b"), alg_of=lambda moves: (LONG, SHORT)[moves[0]])
    monkeypatch.setattr(insertions, "inserting_of", lambda chains, control, seconds: made)
    monkeypatch.setattr(insertions, "first_orbits", firsts)
    monkeypatch.setattr(constructive, "pieces", lambda run, share, settings: (chains, run.problem.start))
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
    monkeypatch.setattr(insertions, "first_orbits", lambda *_, **__: None)
    insertions.improve(run, Step(method="insertions"), run.budget)
    assert run.solution is None


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
    monkeypatch.setattr(constructive, "pieces", lambda run, share, settings: (chains, run.problem.start))
    others: Any = object()
    monkeypatch.setattr(constructive, "all_but_spins", lambda *_: others)
    assert spins.others(run, Step(method="spins"), run.budget) is (others if done else None)
    monkeypatch.setattr(constructive, "pieces", nothing)
    assert spins.others(run, Step(method="spins"), run.budget) is None


@pytest.mark.parametrize("phases", [False, True])
@pytest.mark.parametrize("quickly", [False, True])
def test_how_the_first_orbits_are_solved(phases: bool, quickly: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    run, done = begun(seconds=10.0), list[Any]()
    solved = run.problem.puzzle.solved
    own: Any = SimpleNamespace(problem=run.problem, solution=SHORT)
    first: Any = SimpleNamespace(solved=solved, state_in=lambda puzzle, state: state)

    def method(name: str) -> Any:
        return lambda run, step, share: done.append((name, getattr(step, "settings", {}), share.seconds_left))

    settings = insertions.Settings.model_validate({"first": quickly, "beams": 0.7, "chains": {"large": 9}})
    monkeypatch.setattr(Part, "of", lambda *_, told: own)
    monkeypatch.setattr(insertions, "fitting", lambda *_: phases or None)
    monkeypatch.setattr(two_phase, "improve", method("two_phase"))
    monkeypatch.setattr(constructive, "construct", method("constructive"))
    monkeypatch.setattr(reduction, "improve", method("reduction"))
    monkeypatch.setattr(beams, "improve", method("beams"))
    monkeypatch.setattr(windows, "shorten_parts", lambda run, share, settings: done.append("windows"))
    assert insertions.first_orbits(run, first, b"", run.budget, settings) == SHORT
    words = {name: getattr(settings, name) for name in ("chains", "orbits", "spins", "alike")}
    wide: list[Any] = [] if quickly else [("reduction", words, 10.0), ("beams", words, 7.0)]
    direct = [("two_phase", {"first": quickly}, 10.0)] if phases else [("constructive", words, 10.0), *wide]
    assert done == direct + ([] if quickly else ["windows"])
    first.solved = run.problem.start
    done.clear()
    assert insertions.first_orbits(run, first, b"", run.budget, settings) == ()
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

    monkeypatch.setattr(constructive, "pieces", lambda run, share, settings: (chains, run.problem.start))
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
    fewest, most, moves = inserting._MANY_PIECES, inserting._MOST_PIECES, inserting.MANY_MOVES

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
