"""The algorithm anytime: every valid state gets a solution, which is replayed, and a valid lower bound."""

from __future__ import annotations

import csv
import json
import threading
from importlib.resources import files
from math import inf
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast
from zlib import crc32

import numpy as np
import pytest

import hstar
from hstar import _kernel, schema, search
from hstar.databases import tile_databases
from hstar.polling import poll
from hstar.puzzles import (
    DefinedPuzzle,
    get_puzzle,
    puzzle_from_definition,
    puzzle_names,
    random_state,
    read_definition,
)
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.schema import LimitsIn, SolveRequest
from hstar.search.anytime import boards, rankings
from hstar.search.anytime.chains import Chains, ChainSettings, chains_of
from hstar.search.anytime.tiles import fill
from hstar.search.anytime.widths import next_width
from hstar.search.budget import Budget
from hstar.search.merging import merged
from hstar.search.methods.beams import Ladder, Settings
from hstar.search.run import Run
from tests.conftest import LARGE_CUBES, TEST_ALL, instances

PROBLEMS = [
    ("8-puzzle", None), ("15-puzzle", None), ("tiles:1x6", None), ("tiles:5x5", None), ("tiles:10x10", None),
    ("master_pyraminx", "cw12"), ("master_pyraminx", "layers32"), ("master_pyraminx", "physical24"),
    ("pyraminx", None), ("2x2x2", None), ("3x3x3", None), ("skewb", None), ("kilominx", None),
    ("master_tetraminx", None), ("fto", None), ("clock", None), ("square1", None),
    ("megaminx", "cw"), ("megaminx", "single"), ("megaminx", "all"),
]  # fmt: skip


with (Path(__file__).parent.parent / "data" / "anytime.csv").open() as file:
    #: puzzle, moves, algorithm, seed of the random state, most expansions: what `counted` returns
    SIGNATURES = {tuple(row[:5]): row[5:] for row in list(csv.reader(file))[1:] if TEST_ALL or row[3] != "1"}


def anytime(puzzle: str, seed: int, moves: str | None, **limits: float) -> tuple[search.Problem, search.Result]:
    wanted = LimitsIn.model_validate(limits)
    problem = search.prepare(SolveRequest(puzzle=puzzle, random=seed, moves=moves, algorithm="anytime", limits=wanted))
    return problem, search.solve(problem)


def check(problem: search.Problem, result: search.Result) -> None:
    assert result.status == "solved"
    assert result.solution is not None
    assert result.lower_bound is not None
    assert set(result.solution) <= set(problem.moves.moves)
    state = problem.start
    for move in result.solution:
        after = problem.puzzle.apply(state, move)
        assert after is not None
        state = after
    assert state == problem.puzzle.solved
    assert result.lower_bound <= len(result.solution)
    assert (result.optimality == "proven") == (result.lower_bound == len(result.solution))


def test_every_shipped_puzzle_is_asked_for_random_states() -> None:
    assert set(puzzle_names()) - set(LARGE_CUBES) <= {puzzle for puzzle, _ in PROBLEMS}


def counted(
    puzzle: str, moves: str | None, algorithm: schema.Method, seed: int, expanded: int
) -> tuple[int | str | None, ...]:
    """Length, bound and counters of a solve with a limit on expansions, and a checksum of its solution."""
    asked = {"puzzle": puzzle, "random": seed, "moves": moves, "algorithm": algorithm, "limits": {"expanded": expanded}}
    problem = search.prepare(SolveRequest.model_validate(asked))
    result = search.solve(problem)
    if result.solution is not None:
        check(problem, result)
    c, alg = result.counters, " ".join(result.solution or ())
    counts = (c.expanded, c.generated, c.evaluated, c.stored, c.max_open, c.reopened)
    return result.length, result.lower_bound, *counts, f"{crc32(alg.encode()):08x}"


@pytest.mark.parametrize("asked", SIGNATURES, ids=lambda asked: "-".join(asked))
def test_counts_and_solutions_are_the_signature(asked: tuple[str, ...]) -> None:
    """A row of the table changes only by intent: the whole way of a search stands behind its counts."""
    puzzle, moves, algorithm, seed, expanded = asked
    found = counted(puzzle, moves or None, cast(schema.Method, algorithm), int(seed), int(expanded))
    assert ["" if one is None else str(one) for one in found] == SIGNATURES[asked]


@pytest.mark.thorough
@pytest.mark.parametrize(("puzzle", "moves"), PROBLEMS)
def test_every_random_state_is_answered(puzzle: str, moves: str | None) -> None:
    for seed in range(1000):
        check(*anytime(puzzle, seed, moves, expanded=500))


@pytest.mark.parametrize(("puzzle", "moves"), [("tiles:4x4", None), ("master_pyraminx", "layers32")])
def test_more_nodes_give_no_worse_an_answer_and_the_same_each_time(puzzle: str, moves: str | None) -> None:
    _, little = anytime(puzzle, 5, moves, expanded=100)
    problem, more = anytime(puzzle, 5, moves, expanded=30_000)
    check(problem, more)
    assert little.length is not None
    assert more.length is not None
    assert more.length <= little.length
    assert anytime(puzzle, 5, moves, expanded=30_000)[1].solution == more.solution


def test_an_answer_without_a_solution_says_why() -> None:
    problem = search.prepare(SolveRequest(puzzle="megaminx", random=1, algorithm="anytime"))
    assert Run(problem, Budget(problem.limits), {}).why_none == "method"
    assert Run(problem, Budget(problem.limits), {}, lacked_memory=True).why_none == "memory"
    assert Run(problem, Budget(problem.limits), {}, limit="generated", lacked_memory=True).why_none == "generated"
    none = problem.limits.model_copy(update={"seconds": 0.0})
    assert Run(problem, Budget(none), {}, limit="generated").why_none == "seconds"


def test_memory_is_reported_and_limits_hold_within_a_beam() -> None:
    for puzzle, moves in (("megaminx", "single"), ("3x3x3", None), ("15-puzzle", None)):
        problem, result = anytime(puzzle, 5, moves, expanded=9_000)
        check(problem, result)
        assert result.counters.evaluated > 0
        assert result.counters.stored > 0
        assert result.peak_bytes > 0
        # The first answer may take more than the limit; nothing after it does.
        assert result.counters.expanded <= 9_000
    chains = chains_of(get_puzzle("megaminx"), get_puzzle("megaminx").move_set("single"))
    assert chains.shipped is not None
    element = chains.puzzle.permutation_of(random_state(get_puzzle("megaminx"), 2))
    control = search.Control().search()
    whole = chains.shipped.descend(element, 100, 0.25, control=control)
    assert (whole.ending, whole.generated >= whole.expanded > 0) == ("done", True)
    for limit in ("expanded", "generated"):
        most = getattr(whole, limit)
        part = chains.shipped.descend(element, 100, 0.25, control=control, **{f"max_{limit}": most - 1})
        assert (part.ending, part.moves) == (limit, b"")
        assert getattr(part, limit) <= most - 1
        enough = chains.shipped.descend(element, 100, 0.25, control=control, **{f"max_{limit}": most})
        assert enough.moves == whole.moves
    small = chains.shipped.descend(element, 100, 0.25, control=control, memory_bytes=whole.peak_bytes // 2)
    assert small.ending == "memory"
    assert small.peak_bytes < whole.peak_bytes


def test_near_states_are_proven() -> None:
    problem = search.prepare(SolveRequest(puzzle="megaminx", alg="U R2' F", moves="single", algorithm="anytime"))
    result = search.solve(problem)
    check(problem, result)
    assert (result.length, result.optimality) == (4, "proven")
    solved = search.solve(search.prepare(SolveRequest(puzzle="megaminx", alg="", algorithm="anytime")))
    assert (solved.length, solved.optimality) == (0, "proven")


class LateControl(search.Control):
    """Its first solution takes ten more seconds."""

    late = 0.0

    def show_best(self, solution: tuple[str, ...]) -> None:
        self.late = 10.0
        super().show_best(solution)

    def now(self) -> float:
        return super().now() + self.late


def test_near_states_are_proven_however_long_the_first_solution_took() -> None:
    asked = SolveRequest(puzzle="lrx:8", random=1, algorithm="anytime", limits=LimitsIn(seconds=100))
    problem = search.prepare(asked)
    result = search.solve(problem, LateControl())
    check(problem, result)
    assert (result.length, result.optimality) == (19, "proven")


def test_a_first_solution_may_exceed_limits_on_nodes_but_not_the_time() -> None:
    for puzzle, moves in PROBLEMS:
        check(*anytime(puzzle, 3, moves, expanded=0))
        _, late = anytime(puzzle, 3, moves, seconds=0.0)
        assert (late.status, late.limit, late.counters.expanded) == ("limit_reached", "seconds", 0)


def test_a_found_solution_survives_cancelling() -> None:
    problem = search.prepare(SolveRequest(puzzle="tiles:6x6", random=1, algorithm="anytime"))
    control = search.Control()
    results: list[search.Result] = []
    running = threading.Thread(target=lambda: results.append(search.solve(problem, control)))
    running.start()
    while control.best is None:
        running.join(0.01)
    shown = search.progress(problem, control)
    control.cancel()
    running.join(30)
    assert not running.is_alive()
    check(problem, results[0])
    assert shown.best is not None
    assert results[0].length is not None
    assert results[0].length <= len(shown.best) == shown.best_length
    assert problem.puzzle.apply_alg(problem.start, shown.best) == problem.puzzle.solved


@pytest.mark.parametrize(
    ("puzzle", "moves", "limits"),
    [
        ("megaminx", "single", {"expanded": 40_000}),
        ("master_pyraminx", "layers32", {"generated": 300_000}),
        ("tiles:5x5", None, {"expanded": 20_000}),
        *([("tiles:6x6", None, {"seconds": 1.0})] if TEST_ALL else []),
    ],
)
def test_auto_answers_states_that_it_cannot_prove(puzzle: str, moves: str | None, limits: dict[str, float]) -> None:
    asked = {"puzzle": puzzle, "random": 7, "moves": moves, "algorithm": "auto", "limits": limits}
    problem = search.prepare(SolveRequest.model_validate(asked))
    result = search.solve(problem)
    assert (result.status, result.optimality, result.limit) == ("solved", "feasible", None)
    assert result.solution is not None
    assert result.lower_bound is not None
    assert problem.is_solution(result.solution)
    proving = search.solve(search.proof(problem))
    assert proving.status == "limit_reached"
    assert problem.root_bound() <= result.lower_bound < len(result.solution)
    for name, most in limits.items():
        if name != "seconds":
            assert search.plans.PROVING * most <= getattr(result.counters, name) <= most
            assert search.solve(problem).solution == result.solution
    shown = search.answer(problem, result)
    assert (shown.algorithm, shown.method, shown.heuristic.expression) == ("auto", "anytime", "0")


def test_a_board_that_may_not_go_every_way_is_searched() -> None:
    """It cannot be filled, and its solutions read backwards have other moves."""
    for algorithm in ("anytime", "auto"):
        request = {"puzzle": "8-puzzle", "alg": "L U", "moves": "D R U", "algorithm": algorithm}
        problem = search.prepare(SolveRequest.model_validate(request | {"limits": {"expanded": 2000}}))
        assert search.solve(problem).solution == ["D", "R"]


@pytest.mark.parametrize("name", ["tiles:5x5", "15-puzzle"])
def test_a_board_gets_better_until_its_limit(name: str) -> None:
    """With beams over databases, and without databases from both ends."""
    lengths = []
    for expanded in (20_000, 320_000, 900_000):
        problem, result = anytime(name, 3, None, expanded=expanded)
        check(problem, result)
        assert result.counters.expanded <= expanded
        lengths.append(result.length or 0)
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] < lengths[0]


@pytest.mark.thorough
def test_the_last_beam_over_a_board_ends_in_time_and_in_memory() -> None:
    """The large databases would be built for it, but there is not the time for that."""
    first = anytime("tiles:5x5", 4, None, expanded=0)[1].length or 0
    for limits in instances([{"seconds": 2.0, "memory_mib": 4}, {"seconds": 2.0}], few=1):
        problem, result = anytime("tiles:5x5", 4, None, **limits)
        check(problem, result)
        assert (result.length or 0) < first
        assert result.peak_bytes <= problem.limits.memory_mib * 2**20


#: moves of all boards of the test
FILLED = 24_270


def test_boards_are_filled_whatever_their_goal() -> None:
    moves = 0
    for rows in range(1, 7):
        for columns in range(1, 7):
            if rows * columns < 2:
                continue
            name = f"tiles:{rows}x{columns}"
            goal = list(random_state(get_puzzle(name), 100))
            for puzzle in (get_puzzle(name), get_puzzle(name, goal)):
                assert isinstance(puzzle, SlidingTiles)
                for seed in range(200 if TEST_ALL else 3):
                    start = random_state(puzzle, seed)
                    alg = fill(puzzle, start)
                    assert puzzle.apply_alg(start, alg) == puzzle.solved
                    moves += len(alg) if seed < 3 else 0
    assert moves == FILLED  # every way that a tile and the blank go stands behind it


def test_a_chain_is_the_same_after_it_was_written_and_read() -> None:
    puzzle = get_puzzle("master_pyraminx")
    chains = chains_of(puzzle, puzzle.move_set("layers32"))
    chain = chains.quick(search.Control().search())
    kernel = type(chain)
    again = kernel(chains.generators, chains.base, chain.text(), poll)
    element = chains.puzzle.permutation_of(random_state(puzzle, 1))
    way = chain.descend(element, 50, 0.25, control=search.Control().search())
    assert way.ending == "done"
    assert way.moves == again.descend(element, 50, 0.25, control=search.Control().search()).moves
    for damaged in (chain.text()[:-1], chain.text()[:2000], b"\xff" * 60):
        with pytest.raises(ValueError, match="words"):
            kernel(chains.generators, chains.base, damaged, poll)


def test_every_variant_of_a_state_has_solutions_of_the_state() -> None:
    puzzle = get_puzzle("megaminx")
    chains = chains_of(puzzle, puzzle.move_set("single"))
    assert chains.shipped is not None
    state = random_state(puzzle, 2)
    variants = chains.variants(state)
    assert len(variants) == 240
    for variant in variants[::23]:
        way = chains.shipped.descend(variant.element, 1, 0.25, control=search.Control().search())
        assert way.ending == "done"
        assert puzzle.apply_alg(state, variant.read(chains.puzzle, way.moves)) == puzzle.solved


def test_moves_with_one_effect_are_read_in_every_variant() -> None:
    """Of the octahedron's corners alone, one layer turns the same as two."""
    puzzle = _corners_of_the_octahedron()
    chains = chains_of(puzzle, puzzle.move_set("all"))
    chain = chains.quick(search.Control().search())
    state = random_state(puzzle, 2)
    variants = chains.variants(state)
    assert len(variants) > 2
    for variant in variants:
        way = chain.descend(variant.element, 20, 0.25, control=search.Control().search())
        assert way.ending == "done"
        assert puzzle.apply_alg(state, variant.read(puzzle, way.moves)) == puzzle.solved


def test_last_moves_are_found_where_moves_turn_pieces_to_some_of_their_orientations() -> None:
    """Of four orientations of a corner of the octahedron two are possible."""
    puzzle = _corners_of_the_octahedron()
    chains = chains_of(puzzle, puzzle.move_set("all"))
    perimeters = chains.perimeters(search.Control().search())
    assert len(perimeters) == len([moves for moves in (chains.last_moves, 1) if moves])
    for seed in range(3 if TEST_ALL else 1):
        found = hstar.solve("fto", random=seed, algorithm="anytime", limits={"expanded": 200_000, "seconds": 60})
        assert found.moves


@pytest.mark.parametrize(("name", "wider"), [("megaminx", [12, 13, 18, 19, 22, 23]), ("2x2x2", [])])
def test_perimeters_lead_into_the_last_moves_and_then_home(
    name: str, wider: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One with the moves of one more axis, unless these turn all pieces, and one with the last moves."""
    made, complete = list[list[Any]](), [False, True, True]

    def perimeter(generators: Any, base: Any, level: int, moves: list[int], most: int, *others: Any) -> Any:
        seconds, _, up_to, _, memory_bytes = others
        made.append([level, moves, up_to, memory_bytes, 7 < seconds <= 8])
        return SimpleNamespace(complete=complete.pop(0))

    monkeypatch.setattr(_kernel, "Perimeter", perimeter)
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    of_all, control = Chains(puzzle, puzzle.move_set(None)), search.Control().search()
    base, last = of_all.order[0], of_all.last_moves

    def level(moves: list[int]) -> int:
        return next(n for n, place in enumerate(base) if (of_all.generators[moves][:, place] != place).any())

    assert of_all.perimeters(control, 8, 2**20) == []  # it is not complete
    made.clear()
    found = of_all.perimeters(control, 8, 2**20)
    wanted = [(wider, last), (last, [])] if wider else [(last, [])]
    assert made == [[level(moves), moves, up_to, 2**20, True] for moves, up_to in wanted]
    assert len(found) == len(made)
    assert of_all.perimeters(control) is found


@pytest.mark.parametrize(("name", "axes"), [("megaminx", (3, 4)), ("skewb", (3,)), ("2x2x2", ())])
def test_a_chain_is_built_of_all_moves_and_of_the_last_axes(
    name: str, axes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    of_all = Chains(puzzle, puzzle.move_set(None))
    base, given_up = of_all.order
    lasts = [sorted(move for axis in given_up[-count:] for move in axis) for count in axes]
    made = list[Any]()
    monkeypatch.setattr(_kernel, "WordChain", lambda *given: made.append(given[1:3]))
    of_all.build(ChainSettings().thorough, search.Control().search(), 1, base)
    moves, effort = list(range(len(of_all.generators))), ChainSettings().thorough
    kinds = [(moves, effort.half, effort.most, 0)] + [
        (last, longest, effort.most, int(len(base) * 0.4))
        for last, longest in zip(lasts, effort.last_halves, strict=False)
    ]
    assert made == [(base, kinds)]
    for too_long, quick, wanted in ((True, [1], base), (False, [1], [1]), (False, None, base)):
        of_all.words_too_long, of_all._quick_base = too_long, quick
        assert of_all.base == wanted


def _corners_of_the_octahedron() -> DefinedPuzzle:
    made = json.loads((files("hstar.puzzles") / "data" / "fto.json").read_text())
    made |= {"name": "corners", "hstar": {}, "orbits": made["orbits"][:1]}
    made["defaultPattern"] = {"CORNERS": made["defaultPattern"]["CORNERS"]}
    made["moves"] = {name: {"CORNERS": move["CORNERS"]} for name, move in made["moves"].items()}
    return puzzle_from_definition(read_definition(made))


def test_moves_that_undo_each_other_are_merged_away() -> None:
    puzzle = get_puzzle("megaminx")
    assert merged(puzzle, ["U", "R", "R'", "U'", "F"]) == ("F",)
    assert merged(puzzle, ["U", "R", "R", "F"]) == ("U", "R", "R", "F")
    assert merged(puzzle, ["U", "R", "R", "R2'", "F", "F"], ["F2", "R2", "U"]) == ("U", "F2")


def test_pieces_are_tried_in_another_order_where_solutions_are_long() -> None:
    """Orbits with orientations first: pure turns of axials need long words, cycles of wings only four moves."""
    puzzle = get_puzzle("master_tetraminx")
    chains = chains_of(puzzle, puzzle.move_set(None))
    chain = chains.quick(search.Control().search())
    assert chain.complete
    assert chains.base != chains.order[0]
    assert sorted(chains.base) == sorted(chains.order[0])
    lengths = []
    for seed in range(20):
        state = random_state(puzzle, seed)
        way = chain.descend(chains.puzzle.permutation_of(state), 100, 0.25, control=search.Control().search())
        alg = [move for number in way.moves for move in chains.algs[number]]
        assert puzzle.apply_alg(state, alg) == puzzle.solved
        lengths.append(len(alg))
    assert sorted(lengths)[10] < 50


#: puzzle, moves: the order of pieces and moves in chains, and how states are read
CHAINS = {
    ("2x2x2", None): "3c56dde8", ("3x3x3", None): "bf3919ec", ("pyraminx", None): "179daf44",
    ("skewb", None): "e9fb8ced", ("kilominx", None): "440c7c57", ("master_pyraminx", "cw12"): "adc434b0",
    ("fto", None): "23543eb1", ("topspin:12", None): "5f446c64", ("lrx:9", None): "a8e5f915",
    ("master_tetraminx", None): "8f47e1a4", ("megaminx", "cw"): "7391221b", ("pancake:9", None): "2acda7c7",
}  # fmt: skip


@pytest.mark.parametrize(("name", "moves"), CHAINS)
def test_chains_of_shipped_puzzles_are_the_signature(name: str, moves: str | None) -> None:
    """A checksum of what decides which words there are: it changes only by intent."""
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    chains = Chains(puzzle, puzzle.move_set(moves))
    of_all = chains.names, chains.axes, chains.algs, chains.order, chains.levels, chains.last_moves, chains.bases
    orbits = [chains.follows(orbit) for orbit in puzzle.orbits]
    variants = [(one.element, one.algs, one.backwards) for one in chains.variants(random_state(puzzle, 1))]
    text = repr((*of_all, [chains.stages(pieces) for pieces in (0, 3, 7)], orbits, variants))
    assert f"{crc32(text.encode()):08x}" == CHAINS[name, moves]


def test_wide_beams_have_long_stages() -> None:
    puzzle = get_puzzle("megaminx")
    chains = chains_of(puzzle, puzzle.move_set("single"))
    assert chains.stages() == [1, 4, 7, 10, 15, 18, 23, 28, 33, 40]
    assert chains.stages(7) == [7, 15, 23, 33, 40]
    small = get_puzzle("skewb")
    chains = chains_of(small, small.move_set(None))
    assert chains.stages(7) == chains.levels[-1:]


@pytest.mark.parametrize("name", ["skewb", "2x2x2"])
def test_last_moves_bring_home_what_stages_leave(name: str) -> None:
    puzzle = get_puzzle(name)
    chains = chains_of(puzzle, puzzle.move_set(None))
    control = search.Control().search()
    chain, triples = chains.quick(control), chains.triples(control)
    assert triples is not None
    perimeters = chains.perimeters(control)
    assert perimeters
    assert triples.ending in chains.levels
    lengths = []
    for seed in range(5):
        state = random_state(puzzle, seed)
        by_last_moves, again, by_words = (
            chain.descend(
                chains.puzzle.permutation_of(state), 300, 0.25, control=control,
                triples=triples, stages=chains.stages(), perimeters=near_home, threads=threads,
            )
            for near_home, threads in ((perimeters, 1), (perimeters, 2), ([], 1))
        )  # fmt: skip
        assert {by_last_moves.ending, by_words.ending} == {"done"}
        assert by_last_moves.moves == again.moves
        alg = [move for number in by_last_moves.moves for move in chains.algs[number]]
        assert puzzle.apply_alg(state, alg) == puzzle.solved
        lengths.append((len(by_last_moves.moves), len(by_words.moves)))
    assert sum(ours for ours, _ in lengths) <= sum(words for _, words in lengths)


def test_a_cancel_reaches_a_beam_with_last_moves() -> None:
    request = SolveRequest(
        puzzle="megaminx", random=1, moves="all", algorithm="anytime", limits=LimitsIn(memory_mib=1024)
    )
    problem, control = search.prepare(request), search.Control()
    run, chains = Run(problem, Budget(problem.limits, control), {}), chains_of(problem.puzzle, problem.moves)
    assert chains.triples(search.Control().search()) is not None
    assert chains.perimeters(search.Control().search())
    beams = Ladder(run, chains, Settings())
    beams.chain, beams.triples = chains.shipped, chains.triples(search.Control().search())
    beam = next(each for each in beams.waiting if each[2] == "last moves")
    beams.waiting = [beam]
    thread = threading.Thread(target=beams.climb, args=(run.budget,))
    thread.start()
    while not control._live:
        assert thread.is_alive()
    control.cancel()
    thread.join()
    assert beams.waiting == [beam]  # stopped, not done


def test_the_next_beam_is_as_wide_as_there_is_time_for() -> None:
    settings, ways = boards.Settings(), 5
    few, varied = settings.few, settings.varied
    wide = varied // settings.wider  # from the next one on, several beams of a width have to fit
    last = int(settings.last)
    assert next_width(wide, few * last * wide, settings, ways) == varied
    assert next_width(wide, 2 * last * wide, settings, 2) == varied
    assert next_width(wide, few * last * wide - 1, settings, ways) == (few * last * wide - 1) // few
    assert next_width(wide, few * varied - 1, settings, ways) == (few * varied - 1) // few
    assert next_width(wide, few * wide * 3 / 2 - 1, settings, ways) == int(few * wide * 3 / 2 - 1)
    # Narrow ones, and those of one way: the last one is as wide as can be.
    for width, several in ((1_000, ways), (1_000, 1), (varied, 1)):
        assert [next_width(width, fits * width, settings, several) for fits in (inf, last, last - 0.1, 4, 1.4)] == [
            4 * width, 4 * width, int((last - 0.1) * width), 4 * width, int(1.4 * width),
        ]  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_beam_over_a_board_takes_no_more_memory_than_it_is_said_to(threads: int) -> None:
    problem = search.prepare(SolveRequest(puzzle="tiles:5x5", random=3))
    run, width = Run(problem, Budget(problem.limits, search.Control()), {}, threads=threads), 10_000
    assert isinstance(problem.puzzle, SlidingTiles)
    databases = tile_databases(problem.puzzle, "blocks:4")
    assert run.open(databases, run.budget)
    run.offer(fill(problem.puzzle, problem.start))
    side = boards._Side(problem.start, databases)
    bytes_of_width = boards._bytes_of_width(run, side)
    taken = boards._beam(run, side, rankings.BY_CELLS[0], width, run.budget).peak_bytes / width
    assert bytes_of_width / 3 < taken < bytes_of_width


def test_beams_without_a_limit_of_seconds_end_at_their_widest() -> None:
    """And all have the first ranking."""
    ended = []
    for widest in (100, 400, 500) if TEST_ALL else (100, 400):
        beams = {"method": "beams", "settings": {"board": {"width": 100, "widest": widest, "varied": 100}}}
        request = SolveRequest.model_validate(
            {"puzzle": "tiles:4x5", "random": 3, "plan": [{"method": "constructive"}, beams]}
        )
        counters = search.solve(search.prepare(request)).counters
        ended.append((counters.expanded, counters.stored))
    assert ended == [(15_861, 100), (72_435, 400), (72_435, 400)][: len(ended)]


@pytest.mark.parametrize(("limit", "most"), [(100, 30_000), (60_000, 60_000)])
def test_to_shorten_exceeds_limits_on_nodes_by_a_first_solution_at_most(limit: int, most: int) -> None:
    """Which need not be shorter than the one that is known."""
    asked = {"puzzle": "3x3x3", "shorten": "R U F' L2 D B R' U2 F D' L B2 R U' F2 R L D", "algorithm": "anytime"}
    found = search.solve(search.prepare(SolveRequest.model_validate({**asked, "limits": {"expanded": limit}})))
    assert found.status == "solved"
    assert limit <= found.counters.expanded <= most


def test_a_puzzle_is_solved_alike_under_two_names(tmp_path: Path) -> None:
    """A Megaminx that is posted as generators has the words of the one that is shipped."""
    own = get_puzzle("megaminx")
    assert isinstance(own, PermutationPuzzle)
    moves = own.move_set("single").moves
    rows = {move: np.argsort(own.images((move,))[0]).tolist() for move in moves}
    alg = " ".join(Random(1).choices(moves, k=200))
    with looking_in(Folder(tmp_path)):
        Folder(tmp_path).add(read_any_definition({"generators": rows}, "posted"))
        for algorithm, width in (("constructive", None), ("beam", 100)):
            asked = {"alg": alg, "moves": "single", "algorithm": algorithm} | ({"width": width} if width else {})
            one, other = (
                search.solve(search.prepare(SolveRequest.model_validate(asked | {"puzzle": name})))
                for name in ("megaminx", "posted")
            )
            assert one.solution
            assert one.solution == other.solution
            assert one.counters == other.counters


def test_a_posted_puzzle_with_long_words_has_stages() -> None:
    """In the order that is made for stages, not in the one that makes words a little less long."""
    puzzle = get_puzzle("kilominx")
    assert isinstance(puzzle, PermutationPuzzle)
    chains = Chains(puzzle, puzzle.move_set(None))
    chains._quick_base, chains.words_too_long = list(reversed(chains.order[0])), True
    assert chains.base == chains.order[0]
    assert chains.triples(search.Control().search()) is not None
    chains.words_too_long = False
    assert chains.triples(search.Control().search()) is None
