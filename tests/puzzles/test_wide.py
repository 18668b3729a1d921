"""Puzzles of more than 128 slots, or of more than 256 values in a slot: all works on them as on the small ones."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import fields
from functools import cache
from math import comb
from pathlib import Path
from random import Random

import pytest

from hstar import _kernel, search
from hstar.audits.heuristic import HeuristicAuditRequest, audit
from hstar.databases.patterns import entries
from hstar.databases.permutation import pattern_databases
from hstar.errors import HstarError, InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.puzzles import Puzzle, State, get_puzzle, random_state
from hstar.puzzles.defined import DefinedPuzzle, puzzle_from_definition
from hstar.puzzles.families import family_member
from hstar.puzzles.formats import read_any_definition
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import reference, reference_graph, reference_tree
from hstar.search.anytime.alike import told_apart
from hstar.search.anytime.orbit_by_orbit import orbit_by_orbit
from hstar.search.perft import perft
from tests.command_line import run
from tests.conftest import TEST_ALL
from tests.puzzles.cubes import cube, replayed

#: a 9 x 9 x 9 cube has 486 facelets; `topspin:300` has states of two bytes a slot
SIZES = [5, 7, 9] if TEST_ALL else [7, 9]


@cache
def large(name: str) -> DefinedPuzzle:
    if ":" in name:
        puzzle = get_puzzle(name)
        assert isinstance(puzzle, DefinedPuzzle)
        return puzzle
    return puzzle_from_definition(read_any_definition({"generators": cube(int(name[4:]))}, name))


WIDE = [*(f"cube{n}" for n in SIZES), "topspin:300", "lrx:257"]


def test_sizes_and_states_are_as_they_should_be() -> None:
    assert (len(large("cube7").values), len(large("cube9").values)) == (215, 383)
    assert (large("cube9").dtype.itemsize, len(large("cube9").solved)) == (1, 383)
    puzzle = large("topspin:300")
    assert (puzzle.dtype.itemsize, len(puzzle.solved)) == (2, 600)
    assert list(puzzle.contents(puzzle.solved)) == list(range(300))
    assert puzzle.state_of(puzzle.contents(puzzle.solved)) == puzzle.solved


@pytest.mark.parametrize("n", SIZES)
def test_moves_are_those_of_the_generators(n: int) -> None:
    puzzle, generators = large(f"cube{n}"), cube(n)
    alg = puzzle.parse_alg(" ".join(search_scramble(puzzle, 40)))
    shown = puzzle.format_state(puzzle.apply_alg(puzzle.solved, alg))["points"]
    assert shown == replayed(generators, range(6 * n * n), alg)
    state = puzzle.parse_state(shown)
    for move in alg[:5]:
        assert puzzle.kernel.apply(state, puzzle.moves.index(move)) == puzzle.apply(state, move)


def search_scramble(puzzle: Puzzle, k: int) -> list[str]:
    moves = puzzle.move_set(None).moves
    return [moves[i * 7919 % len(moves)] for i in range(1, k + 1)]


def distances(puzzle: Puzzle, radius: int) -> dict[State, int]:
    """By breadth-first search in plain Python."""
    moves = puzzle.move_set(None).moves
    known, queue = {puzzle.solved: 0}, deque([puzzle.solved])
    while queue and known[queue[0]] < radius:
        state = queue.popleft()
        for _, after in puzzle.successors(state, moves):
            if after not in known:
                known[after] = known[state] + 1
                queue.append(after)
    return known


@pytest.mark.parametrize("name", WIDE)
def test_every_search_counts_as_plain_python_does(name: str) -> None:
    puzzle = large(name)
    moves = puzzle.move_set(None)
    numbers = [puzzle.moves.index(move) for move in moves.moves]
    heuristic = get_heuristic(None, puzzle, moves)
    start = puzzle.apply_alg(puzzle.solved, search_scramble(puzzle, 3))
    most = 2_000 if len(moves.moves) < 10 else 20
    for kernel, python, informed in (
        (_kernel.astar, reference.astar, True),
        (_kernel.ida_star, reference_tree.ida_star, True),
        (_kernel.greedy, reference_graph.greedy, True),
        (_kernel.breadth_first, reference_graph.breadth_first, False),
        (_kernel.bidirectional, reference_graph.bidirectional, False),
    ):
        if kernel is _kernel.ida_star and len(moves.moves) > 10:
            continue  # what may follow what takes plain Python a minute
        with_h = [heuristic] if informed else []
        expected = python(puzzle, start, moves.moves, *with_h, max_expanded=most)
        got = kernel(
            puzzle.kernel, start, numbers, *(h.kernel for h in with_h), max_expanded=most, memory_bytes=2**28,
            control=_kernel.Control(),
        )  # fmt: skip
        assert [puzzle.moves[move] for move in got.path] == list(expected.path)
        for field in fields(expected):
            if field.name != "path":
                assert getattr(got, field.name) == getattr(expected, field.name), (kernel, field.name)


@pytest.mark.parametrize("name", WIDE)
def test_counts_audits_and_features(name: str) -> None:
    puzzle = large(name)
    moves = puzzle.move_set(None)
    radius = 1 if len(moves.moves) > 10 else 3
    known = distances(puzzle, radius)
    counts = [list(known.values()).count(distance) for distance in range(radius + 1)]
    assert list(perft(puzzle, moves, radius)) == counts
    orbit = puzzle.orbits[0]
    for text in (f"{orbit.one}_moves", f"max_{orbit.one}_moves", "misplaced_pieces"):
        heuristic = get_heuristic(text, puzzle, moves)
        for state in list(known)[:40]:
            assert heuristic(state) == heuristic.expression.evaluate(state)


def test_an_audit_of_two_bytes_a_slot() -> None:
    puzzle = large("topspin:300")
    request = {"puzzle": "topspin:300", "heuristic": "misplaced_pieces / 4", "radius": 3}
    found = audit(HeuristicAuditRequest.model_validate(request))
    known = distances(puzzle, 3)
    assert [row.states for row in found.by_distance] == [list(known.values()).count(d) for d in range(4)]


@pytest.mark.parametrize(("name", "pattern"), [("topspin:300", "pieces:2"), ("lrx:257", "pieces:2")])
def test_pattern_databases(name: str, pattern: str) -> None:
    puzzle = large(name)
    moves = puzzle.move_set(None)
    databases = pattern_databases(puzzle, moves, (pattern,))
    start = puzzle.apply_alg(puzzle.solved, search_scramble(puzzle, 3))
    assert databases.kernel.value(start) == databases.evaluate(start)
    outcome = databases.search(start, control=_kernel.Control())
    assert outcome.status == "solved"
    assert len(outcome.path) <= 3
    assert puzzle.apply_alg(start, [puzzle.moves[move] for move in outcome.path]) == puzzle.solved


@pytest.mark.parametrize("name", WIDE)
def test_states_are_read_written_composed_and_drawn(name: str) -> None:
    puzzle = large(name)
    state = random_state(puzzle, 5)
    assert puzzle.parse_state(puzzle.format_state(state)) == state
    assert puzzle.compose(state, puzzle.inverse_state(state)) == puzzle.solved
    assert puzzle.parse_pieces(puzzle.format_pieces(state)) == state
    swapped = list(puzzle.contents(state))
    swapped[0], swapped[1] = swapped[1], swapped[0]
    for _ in puzzle.faults(puzzle.state_of(swapped)):
        pass
    assert puzzle.painter.describe(state, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["cube4", *(f"cube{n}" for n in SIZES), "topspin:20", "topspin:100", "lrx:50", "pancake:60"]
)
def test_random_states_are_answered_orbit_by_orbit(name: str) -> None:
    puzzle = large(name)
    moves = puzzle.move_set(None)
    answering = orbit_by_orbit(puzzle, moves)
    for seed in range(100 if TEST_ALL else 2):
        state = random_state(puzzle, seed)
        alg = answering.solve(state)
        assert alg is not None
        assert set(alg) <= set(moves.moves)
        assert puzzle.apply_alg(state, alg) == puzzle.solved
        assert len(alg) <= 40 * sum(orbit.pieces for orbit in puzzle.orbits) or ":" in name


def test_a_chain_of_words_that_grow_ends() -> None:
    """The words of this one would take tens of GiB."""
    puzzle = large("cube5")
    chains = orbit_by_orbit(puzzle, puzzle.move_set(None)).chains
    assert not chains.quick(_kernel.Control()).complete


def test_added_and_solved_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_PUZZLES", str(tmp_path / "puzzles"))
    file = tmp_path / "cube9.json"
    file.write_text(json.dumps({"generators": cube(9)}))
    assert run("puzzle", "add", str(file), "--name", "nine").exit_code == 0
    solved = json.loads(run("solve", "nine", "--alg", "x0 y4 z8", "--algorithm", "ida_star", "--json").stdout)
    assert (solved["outcome"], solved["length"], solved["optimality"]) == ("solved", 3, "proven")


def test_what_is_larger_is_refused_with_a_clear_word() -> None:
    with pytest.raises(InvalidRequest, match="a list of 1 to 8192 integers"):
        read_any_definition({"generators": cube(37)}, "thirty-seven")
    with pytest.raises(InvalidRequest, match="orientations of all pieces; at most 2304 where all look different"):
        read_any_definition({"generators": cube(21)}, "twenty-one")
    with pytest.raises(InvalidRequest, match="bring 513 points to one another; at most 512"):
        read_any_definition({"generators": {"g": [*range(1, 513), 0]}}, "ring")
    with pytest.raises(InvalidRequest, match="topspin:512"):
        family_member("topspin:513")
    ring = {"orbits": [{"orbitName": "A", "numPieces": 300, "numOrientations": 2}]}
    with pytest.raises(InvalidRequest, match="512"):
        read_any_definition(
            ring | {"name": "ring", "defaultPattern": {"A": {"pieces": list(range(300)), "orientation": [0] * 300}},
                    "moves": {"L": {"A": {"permutation": [*range(1, 300), 0], "orientationDelta": [0] * 300}}}}
        )  # fmt: skip


def test_limits_are_kept_on_large_puzzles() -> None:
    request = SolveRequest(
        puzzle="topspin:300", random=2, algorithm="astar", heuristic="misplaced_pieces / 4",
        limits=LimitsIn(expanded=5_000, memory_mib=64),
    )  # fmt: skip
    result = search.solve(search.prepare(request))
    assert (result.status, result.limit, result.counters.expanded) == ("limit_reached", "expanded", 5_000)
    request = request.model_copy(update={"limits": LimitsIn(memory_mib=32)})
    assert search.solve(search.prepare(request)).limit == "memory"


@pytest.mark.parametrize("n", [4, 5, 7] if TEST_ALL else [4, 7])
def test_a_coloured_cube_is_solved_as_one_of_different_pieces(n: int) -> None:
    """As a person sees it: 24 centres of a kind, of which four are alike."""
    colours = [number // (n * n) for number in range(6 * n * n)]
    definition = {"generators": cube(n), "central_state": colours}
    puzzle = puzzle_from_definition(read_any_definition(definition, f"coloured{n}"))
    moves = puzzle.move_set(None)
    assert not puzzle.all_different
    twin = puzzle.twin
    assert twin is not None
    for seed in range(50 if TEST_ALL else 3):
        state = random_state(puzzle, seed)
        apart = told_apart(puzzle, state, moves)
        assert apart is not None
        alg = orbit_by_orbit(twin, moves).solve(apart)
        assert alg is not None
        shown = [int(colour) for colour in puzzle.format_state(state)["points"]]
        assert replayed(cube(n), shown, alg) == colours


def test_a_coloured_cube_has_databases_of_its_kinds() -> None:
    definition = {"generators": cube(4), "central_state": [number // 16 for number in range(96)]}
    puzzle = puzzle_from_definition(read_any_definition(definition, "coloured4"))
    centres = next(orbit for orbit in puzzle.orbits if len(puzzle.kinds(orbit)) == 6)
    assert entries(puzzle, ((centres.name, 1),)) == comb(24, 4)
    assert entries(puzzle, ((centres.name, 3),)) == comb(24, 4) * comb(20, 4) * comb(16, 4)
    heuristic = get_heuristic(f'pdb("{centres.name}:1")', puzzle)
    verdicts = heuristic.verdicts(puzzle.move_set(None))
    assert (verdicts.admissible, verdicts.consistent) == ("proven", "proven")
    state = puzzle.solved
    for number, move in enumerate(Random(4).choices(puzzle.move_set(None).moves, k=30), start=1):
        state = puzzle.turned(state, move)
        assert heuristic(state) <= number
    with pytest.raises(HstarError, match="fewer pieces"):
        get_heuristic(f'pdb("{centres.name}:5")', puzzle)
