"""Tables of whole orbits: against published counts, breadth-first search in plain Python, and other databases."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Literal

import pytest

from hstar import _kernel
from hstar.databases import orbits
from hstar.databases.orbits import OrbitDatabases, OrbitTable, read
from hstar.databases.permutation import pattern_databases
from hstar.errors import HstarError
from hstar.heuristics import get_heuristic
from hstar.puzzles import DefinedPuzzle, MoveSet, State, get_puzzle, make_scramble, puzzle_from_definition, random_state
from hstar.puzzles.defined import BEFORE_PARTS
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.kept_parts import strongest
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import symmetries
from hstar.schema import Limits, LimitsIn, SolveRequest, Start
from hstar.search import Control, Problem, plan_of, plans, prepare
from tests.conftest import SEED, TEST_ALL

#: states of the Pyraminx without tips at each distance (Jaap Scherphuis, jaapsch.net/puzzles/pyraminx.htm)
PYRAMINX = [1, 8, 48, 288, 1728, 9896, 51808, 220111, 480467, 166276, 2457, 32]


def permutation_puzzle(name: str) -> PermutationPuzzle:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return puzzle


def distances_of(puzzle: PermutationPuzzle, moves: MoveSet) -> dict[State, int]:
    """Of all states from solved, the nearest first."""
    distances, waiting = {puzzle.solved: 0}, [puzzle.solved]
    for state in waiting:
        for move in moves.moves:
            after = puzzle.turned(state, move)
            if after not in distances:
                distances[after] = distances[state] + 1
                waiting.append(after)
    return distances


def orbits_of(name: str, *texts: str) -> OrbitDatabases:
    puzzle = permutation_puzzle(name)
    moves = puzzle.move_set(None)
    first, *others = [databases for text in texts if (databases := read(puzzle, moves, text)) is not None]
    together = first.together_with(others, moves)
    assert together is not None
    return together


def shortest(puzzle: PermutationPuzzle, state: State) -> int:
    """The distance by search from both ends."""
    numbers = [puzzle.moves.index(move) for move in puzzle.move_set(None).moves]
    control = Control().search()
    return len(_kernel.bidirectional(puzzle.kernel, state, numbers, memory_bytes=2**28, control=control).path)


def test_a_whole_puzzle_has_the_published_distances() -> None:
    # Turns of tips change none of these pieces.
    databases = orbits_of("pyraminx", "EDGES+CORNERS")
    assert databases.tables[0].facts["counts"] == PYRAMINX
    assert databases.own[0].states == sum(PYRAMINX) // 24


def test_values_are_those_of_a_search_in_python() -> None:
    databases = orbits_of("pyraminx", "EDGES/3+CORNERS")
    puzzle = databases.puzzle
    edges, corners = puzzle.orbit("EDGES"), puzzle.orbit("CORNERS")
    (table,) = databases.own
    classes = {c.orbit: c.classes for c in table.coordinates}[puzzle.orbits.index(edges)]
    assert sorted(classes) == [0, 0, 1, 1, 2, 2]
    assert not table.normal

    def seen(state: State) -> tuple[int, ...]:
        held = puzzle.contents(state)
        return (
            *(classes[held[slot] // edges.orientations] for slot in edges.slots),
            *(held[slot] for slot in corners.slots),
        )

    found = {seen(puzzle.solved): 0}
    waiting = [puzzle.solved]
    for state in waiting:
        for move in databases.moves.moves:
            after = puzzle.turned(state, move)
            if seen(after) not in found:
                found[seen(after)] = found[seen(state)] + 1
                waiting.append(after)
    assert table.file.facts["counts"] == [list(found.values()).count(d) for d in range(1 + max(found.values()))]
    direct = [symmetry for symmetry in symmetries(puzzle, databases.moves) if not symmetry.reversing]
    assert len(direct) == 24
    for seed in range(100):
        state = random_state(puzzle, seed)
        assert databases.kernel.value(state) == found[seen(state)]
        assert {found[seen(symmetry.apply(puzzle, state))] for symmetry in direct} == {found[seen(state)]}


def test_orbits_that_move_together_are_as_in_a_pattern_database() -> None:
    databases = orbits_of("master_pyraminx", "tips+axials")
    # Tips say where axials are, so of these only orientations are left.
    assert [(c.size, c.oriented) for c in databases.own[0].coordinates] == [(12 * 3**4, True), (3**4, True)]
    counts = databases.tables[0].facts["counts"]
    assert sum(counts) == 12 * 3**8
    pattern = pattern_databases(databases.puzzle, databases.moves, ("tips:4+axials:4",))
    assert pattern.tables[0].facts["counts"] == counts
    reversing = next(s for s in symmetries(databases.puzzle, databases.moves) if s.reversing)
    assert databases.own[0].normal
    for seed in range(200):
        state = random_state(databases.puzzle, seed)
        value = databases.kernel.value(state)
        assert value == pattern.kernel.value(state)
        assert value == databases.kernel.value(reversing.apply(databases.puzzle, state))


def test_solutions_are_as_short_as_those_of_other_searches() -> None:
    databases = orbits_of("pyraminx", "EDGES", "CORNERS+CORNERS2", "CORNERS")
    puzzle = databases.puzzle
    for seed in range(100 if TEST_ALL else 10):
        state = random_state(puzzle, seed)
        length = shortest(puzzle, state)
        for threads in (1, 2):
            found = databases.search(state, threads=threads, control=Control().search())
            assert (found.status, len(found.path), found.f_bound) == ("solved", length, length)
            assert puzzle.apply_alg(state, [puzzle.moves[n] for n in found.path]) == puzzle.solved


def test_turns_of_tips_come_last() -> None:
    databases = orbits_of("master_pyraminx", "tips+axials", "edges+centres")
    puzzle = databases.puzzle
    patterns = pattern_databases(puzzle, databases.moves, ("tips:4+axials:4", "edges:3+centres:2", "wings:4"))
    ended = 0
    for seed in range(40 if TEST_ALL else 12):
        state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 7, seed, "layers32").alg)
        found = databases.search(state, control=Control().search())
        assert len(found.path) == len(patterns.search(state, control=Control().search()).path)
        names = [puzzle.moves[number] for number in found.path]
        assert puzzle.apply_alg(state, names) == puzzle.solved
        tips = [len(puzzle.touched(name)) == 1 for name in names]
        assert tips == sorted(tips)
        ended += any(tips)
    assert ended > 0


def test_what_there_is_not_is_explained() -> None:
    for name, text, why in (
        ("kilominx", "CORNERS", "too many arrangements of all CORNERS"),
        ("master_pyraminx", "wings/5", "wings/4"),
        ("master_pyraminx", "wings", "wings:4 or wings/4"),
        ("master_pyraminx", "wings/6", "more than 400,000"),
        ("master_pyraminx", "tips+axials+edges+wings/4", "more than 8,000,000,000"),
        ("pyraminx", "CORNERS/2o", "symmetries keep no partition of the CORNERS into 2 blocks"),
        ("pyraminx", "EDGES/3o", "no orientations of the EDGES are kept"),
        ("master_pyraminx", "tips+petals", "orbits of master_pyraminx and how many"),
    ):
        with pytest.raises(HstarError, match=why):
            get_heuristic(f'pdb("{text}")', get_puzzle(name))
    puzzle = get_puzzle("master_pyraminx")
    with pytest.raises(HstarError, match="the inverse of each move"):
        get_heuristic('pdb("edges")', puzzle, puzzle.move_set("cw12"))


def test_the_expression_is_proven_admissible_and_consistent() -> None:
    puzzle = permutation_puzzle("master_pyraminx")
    heuristic = get_heuristic(puzzle.auto(puzzle.move_set(None))[-1].heuristic, puzzle)
    assert heuristic.build_bytes > 300_000_000  # and nothing is built
    verdicts = heuristic.verdicts(puzzle.move_set(None))
    assert (verdicts.admissible, verdicts.consistent) == ("proven", "proven")


def test_auto_takes_them_last_and_only_if_they_fit() -> None:
    def heuristics(memory_mib: int) -> list[str]:
        limits = LimitsIn(memory_mib=memory_mib)
        problem = prepare(SolveRequest(puzzle="master_pyraminx", random=1, algorithm="auto", limits=limits))
        steps = plans.proving(problem)
        assert steps[-1].expanded is None
        return [get_heuristic(step.heuristic, problem.puzzle, problem.moves).expression.text for step in steps]

    without = 'pdb("tips+axials+edges+centres")'
    small, medium, large, largest = map(heuristics, (250, 300, 400, 3_000))
    assert medium[-1] == f'max({without}, pdb("axials+wings/4+centres"))'
    assert small == [medium[0], medium[-1]]  # building the patterns of pieces takes more memory
    assert large == [*medium, f'max({without}, pdb("tips+axials+wings/4"))']
    assert largest == [*large, f'max({without}, pdb("tips+axials+wings/4"), pdb("edges+wings/4+centres"))']


def test_blocks_are_those_that_most_moves_keep_with_the_rest_of_the_table() -> None:
    """Second layers turn axials, third ones edges and centres: those that turn nothing else of the table leave it."""
    puzzle = permutation_puzzle("master_pyraminx")
    wings = puzzle.orbit("wings")

    def keeps(text: str, move: str) -> bool:
        databases = read(puzzle, puzzle.move_set(None), text)
        assert databases is not None
        (classes,) = (c.classes for c in databases.own[0].coordinates if len(c.classes) == wings.pieces)
        own = [(dst - wings.first, src - wings.first) for dst, src, _ in puzzle.touched(move) if dst in wings.slots]
        return all(classes[dst] == classes[src] for dst, src in own)

    for text, kept, other in (("tips+axials+wings/4", "2D", "2U"), ("edges+wings/4+centres", "2U", "2D")):
        assert keeps(text, kept), text
        assert not keeps(text, other), text


@pytest.mark.skipif(not TEST_ALL, reason="building takes forty seconds of processor time")
def test_far_states_of_the_master_pyraminx_are_as_far_as_patterns_say() -> None:
    puzzle = permutation_puzzle("master_pyraminx")
    moves = puzzle.move_set(None)
    databases = orbits_of("master_pyraminx", "tips+axials+edges+centres", "axials+wings/4+centres")
    assert sum(databases.tables[0].facts["counts"]) == 12 * 3**8 * 11520 * 12
    assert sum(databases.tables[1].facts["counts"]) == 12 * 3**4 * 369_600 * 12
    others = pattern_databases(puzzle, moves, tuple(puzzle.patterns or ()))
    for k, seed in ((12, 1), (13, 14), (13, 35), (14, 9)):
        state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, k, seed, "layers32").alg)
        found = databases.search(state, control=Control().search())
        assert len(found.path) == len(others.search(state, control=Control().search()).path)
        assert puzzle.apply_alg(state, [puzzle.moves[n] for n in found.path]) == puzzle.solved


def supercube_without_corners() -> DefinedPuzzle:
    """The edges of a 3x3x3, and pictures on its faces, posted as quarter turns of points: Christopher's Jewel."""
    cube, generators = permutation_puzzle("3x3x3"), {}
    edges = cube.orbit("EDGES")
    for face, name in enumerate("URFDLB"):
        to = [*cube.carry(name, edges).tolist(), *range(24, 48)]
        turned = range(24 + 4 * face, 28 + 4 * face)
        for number, point in enumerate(turned):
            to[point] = turned[(number + 1) % 4]
        generators[name], generators[f"{name}'"] = [to.index(point) for point in range(48)], to
    return puzzle_from_definition(read_any_definition({"name": "jewel", "generators": generators}))


def test_parts_of_orbits_that_all_symmetries_keep_are_put_together() -> None:
    puzzle = supercube_without_corners()
    moves = puzzle.move_sets["single"]
    assert strongest(puzzle, moves) == ("ORBIT1/3+ORBIT2", "ORBIT1/3o+ORBIT2")
    blind, small, large = puzzle.auto(moves)
    assert (blind.method, small.expanded, large.expanded) == ("bidirectional", BEFORE_PARTS, None)
    databases = read(puzzle, moves, large.heuristic[5:-2] if large.heuristic else "")
    assert databases is not None
    assert not databases.kept
    (table,) = databases.own
    assert [c.size for part in table.split for c in part] == [4096, 2048, 34650]
    assert table.cosets == 4096 * 2048 * 34650
    assert len(table.carried) == 48
    assert databases.build_bytes < 2**31
    # Other moves have fewer symmetries, moves without their inverses none; small puzzles need no such tables.
    assert strongest(puzzle, puzzle.move_set("U R F")) == ()
    for name in ("2x2x2", "skewb", "pyraminx"):
        assert strongest(permutation_puzzle(name), permutation_puzzle(name).move_set(None)) == ()


def test_a_small_table_of_parts_leads_to_shortest_solutions() -> None:
    puzzle = supercube_without_corners()
    moves = puzzle.move_sets["single"]
    small = read(puzzle, moves, "ORBIT1/3+ORBIT2/1o")
    turned = read(puzzle, moves, "ORBIT1/1o+ORBIT2")
    assert small is not None
    assert turned is not None
    both = small.together_with([turned], moves)
    assert both is not None
    assert sum(small.tables[0].facts["counts"]) == 34650 * 4096
    assert sum(turned.tables[0].facts["counts"]) == 2048 * 4096
    random = Random(SEED)
    for k in (3, 6, 8):
        state = puzzle.apply_alg(puzzle.solved, [random.choice(moves.moves) for _ in range(k)])
        numbers = [puzzle.moves.index(move) for move in moves.moves]
        control = Control().search()
        length = len(_kernel.bidirectional(puzzle.kernel, state, numbers, memory_bytes=2**28, control=control).path)
        found = both.search(state, threads=2, control=Control().search())
        assert (found.status, len(found.path), found.f_bound) == ("solved", length, length)
        assert puzzle.apply_alg(state, [puzzle.moves[n] for n in found.path]) == puzzle.solved


def test_all_parts_that_auto_puts_together_have_a_table() -> None:
    # Of three orbits the parities of some give those of others.
    a, b = (
        [4, 5, 3, 1, 6, 0, 2, 13, 8, 7, 9, 12, 11, 10, 16, 14, 18, 15, 17],
        [3, 1, 0, 4, 5, 2, 6, 8, 7, 9, 12, 11, 13, 10],
    )
    b += [17, 14, 15, 16, 18]
    generators = {"A": a, "A'": [a.index(i) for i in range(19)], "B": b, "B'": [b.index(i) for i in range(19)]}
    puzzle = puzzle_from_definition(read_any_definition({"name": "linked", "generators": generators}))
    moves = puzzle.move_set(None)
    assert strongest(puzzle, moves) == ("ORBIT1+ORBIT2", "ORBIT1+ORBIT2+ORBIT3")
    assert [choice.heuristic for choice in puzzle.auto(moves)][-1] == 'pdb("ORBIT1+ORBIT2+ORBIT3")'
    for text in strongest(puzzle, moves):
        assert read(puzzle, moves, text) is not None


def test_orbits_that_say_something_of_each_other_are_as_far_as_states(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    generators = {"A": [1, 2, 3, 0, 5, 4, 6, 7], "A'": [3, 0, 1, 2, 5, 4, 6, 7], "B": [1, 0, 2, 3, 4, 6, 5, 7]}
    generators |= {"C": [0, 2, 1, 3, 4, 5, 7, 6]}
    puzzle = puzzle_from_definition(read_any_definition({"name": "linked", "generators": generators}))
    moves = puzzle.move_set(None)
    distances = distances_of(puzzle, moves)
    assert len(distances) == 24 * 24 // 2
    databases = read(puzzle, moves, "ORBIT1+ORBIT2")
    assert databases is not None
    assert {state: databases.value(state) for state in distances} == distances
    far = list(distances)[-1]
    found = databases.search(far, threads=2, control=Control().search())
    assert (found.status, len(found.path)) == ("solved", distances[far])


def cycles(*lengths: int) -> list[int]:
    """A generator that turns cycles of points of these lengths."""
    first = [sum(lengths[:i]) for i in range(len(lengths))]
    return [begin + (i + 1) % length for begin, length in zip(first, lengths, strict=True) for i in range(length)]


def test_states_farther_than_254_moves_are_not_without_a_solution(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    puzzle = puzzle_from_definition(read_any_definition({"name": "far", "generators": {"A": cycles(5, 7, 8, 9)}}))
    moves = puzzle.move_set("A A'")
    databases = read(puzzle, moves, "+".join(orbit.name for orbit in puzzle.orbits))
    assert databases is not None
    state, order = puzzle.solved, 5 * 7 * 8 * 9
    for turns in range(order):
        distance = min(turns, order - turns)
        if distance < 300 or distance % 60 == 0:  # the farther, the longer it takes
            assert databases.value(state) == min(distance, 254)
        if distance % 100 == 50:
            found = databases.search(state, control=Control().search())
            assert (found.status, found.limit) == (("solved", None) if distance <= 250 else ("limit_reached", "memory"))
        state = puzzle.turned(state, "A")


def test_more_symmetries_than_a_table_takes_leave_a_table_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    swaps = {}
    for a, b in combinations(range(6), 2):
        row = list(range(6))
        row[a], row[b] = b, a
        swaps[f"S{'abcdef'[a]}{'abcdef'[b]}"] = row
    puzzle = puzzle_from_definition(read_any_definition({"name": "swaps", "generators": swaps}))
    moves = puzzle.move_set(None)
    databases = read(puzzle, moves, puzzle.orbits[0].name)
    assert databases is not None
    assert len([one for one in symmetries(puzzle, moves) if not one.reversing]) == 720
    distances = distances_of(puzzle, moves)
    assert {state: databases.value(state) for state in distances} == distances
    assert len(distances) == 720


def test_a_proof_over_tables_that_are_there_comes_first_where_few_states_are_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    puzzle = supercube_without_corners()
    moves = puzzle.move_sets["single"]
    (large,) = {choice.heuristic for choice in puzzle.auto(moves)[-1:]}

    def steps(algorithm: Literal["auto", "anytime"], seconds: float | None) -> list[str | None]:
        limits = Limits(memory_mib=2048, seconds=seconds)
        start = Start(given_as="state", state=puzzle.format_state(puzzle.solved))
        problem = Problem(puzzle, puzzle.solved, moves, algorithm, None, limits, start)
        return [step.heuristic for step in plan_of(problem) if step.method == "ida_star" and step.tables]

    small = 'pdb("ORBIT1/3+ORBIT2")'
    assert steps("auto", 60) == [small, large]
    assert steps("anytime", 60) == [small, large]
    monkeypatch.setattr(OrbitTable, "kept", True)
    assert steps("auto", 60) == [large]
    assert steps("anytime", 60) == [large, large]
    assert steps("auto", None) == [small, large]
    monkeypatch.setattr(plans, "_FEW_ALIKE", 6900)
    assert steps("anytime", 60) == [large]
    monkeypatch.setattr(plans, "_FEW_ALIKE", 6950)
    assert steps("anytime", 60) == [large, large]


def test_large_iterations_find_the_same_on_any_number_of_threads() -> None:
    """After an iteration of 10,000 expansions the next one is split, and what looks nearest comes first."""
    puzzle = permutation_puzzle("2x2x2")
    moves = puzzle.move_set("single")
    databases = read(puzzle, moves, "CORNERS/7")
    assert databases is not None
    numbers = [puzzle.moves.index(move) for move in moves.moves]
    split = 0
    for seed in range(20):
        state = random_state(puzzle, seed)
        alone, *others = (databases.search(state, threads=n, control=Control().search()) for n in (1, 2, 3))
        split += len(alone.layers) > 1 and alone.layers[-2][1] >= 10_000
        for found in others:
            assert found.path == alone.path
            assert found.layers[:-1] == alone.layers[:-1]
        solution = [puzzle.moves[number] for number in alone.path]
        assert puzzle.apply_alg(state, solution) == puzzle.solved
        known = _kernel.bidirectional(puzzle.kernel, state, numbers, memory_bytes=2**28, control=Control().search())
        assert len(solution) == len(known.path)
    assert split


def ring_of_eight(other: Mapping[int, int]) -> DefinedPuzzle:
    """Four moves of a ring of eight points and of four more, which a quarter turn of both carries onto one another, and
    one move that not all symmetries of these keep."""

    def turned(points: list[int]) -> list[int]:
        return [*((p + 2) % 8 for p in points[:8]), *(8 + (p + 1) % 4 for p in points[8:])]

    generators, quarter = {"E": [other.get(point, point) for point in range(12)]}, turned([*range(12)])
    to = [1, 2, 0, 3, 4, 5, 6, 7, 9, 8, 10, 11]
    for name in "ABCD":
        generators[name], generators[f"{name}'"] = to, [to.index(point) for point in range(12)]
        to = [quarter[to[quarter.index(point)]] for point in range(12)]
    return puzzle_from_definition(read_any_definition({"name": "ring", "generators": generators}))


def test_other_moves_of_a_puzzle_change_what_symmetries_a_table_of_the_same_moves_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    # What E leaves: two reflections and a half turn, the quarter turns, nothing.
    others = {1: 5, 5: 1}, {i: i ^ 1 for i in range(8)}, {0: 1, 1: 0}
    orders = []
    for other in others:
        orbits.forget()
        puzzle = ring_of_eight(other)
        moves = puzzle.move_set("A B C D A' B' C' D'")
        state = puzzle.apply_alg(puzzle.solved, ["A'", "B", "D", "C'", "D'"])
        databases = read(puzzle, moves, "ORBIT1+ORBIT2")
        assert databases is not None
        assert [c.size for part in databases.own[0].split for c in part] == [20160, 24]
        found = databases.search(state, threads=1, control=Control().search())
        assert (found.status, len(found.path)) == ("solved", 5)
        orders.append(len(databases.own[0].carried))
    orbits.forget()
    assert orders == [4, 4, 1]


def test_damaged_numbers_of_cosets_are_found_and_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    orbits.forget()
    before = orbits_of("pyraminx", "EDGES+CORNERS")
    states = [random_state(before.puzzle, seed) for seed in range(50)]
    values = [before.value(state) for state in states]
    distances, numbering = before.tables[0].parts
    (path,) = tmp_path.glob("*.pdb")
    for place in (distances.nbytes // 2, path.stat().st_size - numbering.nbytes // 2):
        content = bytearray(path.read_bytes())
        content[4096 + place if place < distances.nbytes else place] ^= 8
        path.write_bytes(content)
        orbits.forget()
        again = orbits_of("pyraminx", "EDGES+CORNERS")
        assert [again.value(state) for state in states] == values
        assert (again.tables[0].parts[1] == again.own[0].number().numbering()).all()
    orbits.forget()


def test_tables_can_be_put_together_after_work_on_many_other_puzzles() -> None:
    """A worker solves puzzles of all kinds. What the kernel knows of a puzzle was dropped after sixteen others, and a
    table that was made before did not fit together with one that was made after."""
    first = orbits_of("pyraminx", "EDGES")
    assert first.kernel.value(first.puzzle.solved) == 0
    for size in range(4, 22):
        other = permutation_puzzle(f"lrx:{size}")
        pattern_databases(other, other.move_set(None), (f"{other.orbits[0].name}:1",)).load()
    both = orbits_of("pyraminx", "EDGES", "CORNERS")
    assert both.kernel.value(both.puzzle.solved) == 0
