"""Distances to a subgroup: against breadth-first search in plain Python, other searches, and published counts."""

from __future__ import annotations

import pytest

from hstar import _kernel
from hstar.databases.cosets import CosetDatabases, coset_databases
from hstar.databases.files import directory
from hstar.databases.permutation import pattern_databases
from hstar.errors import HstarError
from hstar.heuristics import get_heuristic
from hstar.puzzles import State, get_puzzle, random_state
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import Coordinate, blocks_of, coset_of, finer_of, generated_by, subgroup_of
from hstar.puzzles.symmetry import images_of_moves, symmetries
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import Control, plans, prepare, solve
from tests.conftest import TEST_ALL

#: cosets of the 3x3x3 at each distance from the subgroup of U, D and half turns (Kociemba, kociemba.org/cube.htm)
KOCIEMBA = [
    1, 4, 50, 592, 7156, 87236, 1043817, 12070278, 124946368, 821605960, 1199128738, 58202444, 476,
]  # fmt: skip


def cube(name: str) -> PermutationPuzzle:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return puzzle


@pytest.fixture(scope="module")
def pocket() -> CosetDatabases:
    """The 2x2x2 with the subgroup of one face's turns and half turns of the others, which keeps all orientations."""
    puzzle = cube("2x2x2")
    moves = puzzle.move_set("all")
    kept = tuple(move for move in moves.moves if move[0] == moves.moves[0][0] or "2" in move)
    subgroup = generated_by(puzzle, moves, kept)
    assert subgroup is not None
    return CosetDatabases(puzzle, moves, subgroup)


@pytest.fixture(scope="module")
def in_blocks(pocket: CosetDatabases) -> CosetDatabases:
    """The same with the corners in two tetrads. One corner never moves, so there are C(7, 3) arrangements of these."""
    blocks = Coordinate(0, (0, 1, 0, 1, 1, 0, 1, 0), False, (0,) * 8, 35)
    return CosetDatabases(pocket.puzzle, pocket.moves, pocket.subgroup, blocks)


@pytest.fixture(scope="module")
def in_pairs(pocket: CosetDatabases) -> CosetDatabases:
    """And with opposite corners in four pairs that are not told apart: 7 * 5 * 3 arrangements."""
    blocks = Coordinate(0, (0, 1, 2, 3, 2, 1, 0, 3), False, (0,) * 8, 105, unordered=True)
    return CosetDatabases(pocket.puzzle, pocket.moves, pocket.subgroup, blocks)


def distances(databases: CosetDatabases) -> dict[tuple[int, ...], int]:
    """The distance of every tuple of orientations from the solved one."""
    puzzle = databases.puzzle
    found = {orientations(puzzle, puzzle.solved): 0}
    waiting = [puzzle.solved]
    for state in waiting:
        for move in databases.moves.moves:
            after = puzzle.turned(state, move)
            if orientations(puzzle, after) not in found:
                found[orientations(puzzle, after)] = found[orientations(puzzle, state)] + 1
                waiting.append(after)
    return found


def orientations(puzzle: PermutationPuzzle, state: State) -> tuple[int, ...]:
    return tuple(value % n for value, n in zip(puzzle.contents(state), puzzle.orientations, strict=True))


def test_values_are_those_of_a_search_in_python(pocket: CosetDatabases) -> None:
    by_orientations = distances(pocket)
    counts = [list(by_orientations.values()).count(d) for d in range(1 + max(by_orientations.values()))]
    assert pocket.tables[0].facts["counts"] == counts
    assert sum(counts) == pocket.subgroup.index
    direct = [symmetry for symmetry in symmetries(pocket.puzzle, pocket.moves) if not symmetry.reversing]
    assert len(direct) > 1
    for seed in range(100):
        state = random_state(pocket.puzzle, seed)
        images = [symmetry.apply(pocket.puzzle, state) for symmetry in direct]
        assert pocket.kernel.value(state) == max(by_orientations[orientations(pocket.puzzle, s)] for s in images)


@pytest.mark.parametrize(("which", "name"), [("in_blocks", "cosets+CORNERS/2"), ("in_pairs", "cosets+CORNERS/4")])
def test_blocks_tell_more_cosets_apart(
    which: str, name: str, pocket: CosetDatabases, request: pytest.FixtureRequest
) -> None:
    in_blocks: CosetDatabases = request.getfixturevalue(which)
    puzzle, coordinates = in_blocks.puzzle, in_blocks.own[0].coordinates
    assert in_blocks.name == name
    found = {coset_of(puzzle, coordinates, puzzle.solved): 0}
    waiting = [puzzle.solved]
    for state in waiting:
        depth = found[coset_of(puzzle, coordinates, state)]
        for move in in_blocks.moves.moves if depth < 4 else ():
            after = puzzle.turned(state, move)
            coset = coset_of(puzzle, coordinates, after)
            if coset not in found:
                found[coset] = depth + 1
                waiting.append(after)
    (file,) = in_blocks.tables
    counts = file.facts["counts"]
    assert file.path is not None
    assert file.path.parent == directory()
    assert counts[:5] == [list(found.values()).count(d) for d in range(5)]
    assert sum(counts) == coordinates[-1].size * pocket.subgroup.index
    direct = [symmetry for symmetry in symmetries(puzzle, in_blocks.moves) if not symmetry.reversing]
    for state in waiting[::20]:
        images = [coset_of(puzzle, coordinates, symmetry.apply(puzzle, state)) for symmetry in direct]
        assert in_blocks.kernel.value(state) == max(found[coset] for coset in images)
        assert (in_blocks.kernel.value(state) or 0) >= (pocket.kernel.value(state) or 0)


def test_a_rule_finds_blocks_of_which_few_moves_lead_out() -> None:
    puzzle = cube("3x3x3")
    moves = puzzle.move_set(None)
    subgroup = subgroup_of(puzzle, moves)
    assert subgroup is not None
    # Half turns keep the tetrads, and both quarter turns of a face do the same to them: 6 cosets are one move away. Two
    # faces' turns keep their layers, and half and quarter turns of the other four lead to 12.
    found = blocks_of(puzzle, moves, subgroup)
    assert [blocks.size for blocks in found] == [70, 70]
    for blocks, neighbours in zip(found, (6, 12), strict=True):
        cosets = {
            coset_of(puzzle, (*subgroup.cosets, blocks), puzzle.turned(puzzle.solved, move)) for move in moves.moves
        }
        assert len(cosets - {coset_of(puzzle, (*subgroup.cosets, blocks), puzzle.solved)}) == neighbours
    # Opposite edges of the middle slice are in two pairs, which turns of the slice's faces exchange.
    finer = finer_of(puzzle, moves, subgroup, found[0])
    assert finer is not None
    assert (finer.size, finer.classes, finer.orders) == (1485, (0,) * 8 + (1, 2, 2, 1), [[0, 1, 2], [0, 2, 1]])
    for text, least in (("cosets+corners/2", 2**31), ("cosets+corners/2+edges/3", 7 * 2**30)):
        heuristic = get_heuristic(f'pdb("{text}")', puzzle)
        assert heuristic.expression.text.lower() == f'pdb("{text}")'
        assert least < heuristic.build_bytes < 1.5 * least  # and nothing is built
        assert heuristic.verdicts(moves).admissible == "proven"
    for text, why in (("cosets+CORNERS/3", "cosets\\+CORNERS/2"), ("cosets+EDGES/2", "cosets\\+CORNERS/2")):
        with pytest.raises(HstarError, match=why):
            get_heuristic(f'pdb("{text}")', puzzle)
    with pytest.raises(HstarError, match="no subgroup with blocks"):
        get_heuristic('pdb("cosets+CORNERS/2")', get_puzzle("2x2x2"))


@pytest.mark.parametrize("which", ["pocket", "in_blocks", "in_pairs"])
def test_solutions_are_as_short_as_those_of_other_searches(which: str, request: pytest.FixtureRequest) -> None:
    pocket: CosetDatabases = request.getfixturevalue(which)
    for seed in range(200 if TEST_ALL else 20):
        state = random_state(pocket.puzzle, seed)
        other = _kernel.bidirectional(
            pocket.puzzle.kernel,
            state,
            [pocket.puzzle.moves.index(move) for move in pocket.moves.moves],
            memory_bytes=2**28,
            control=Control().search(),
        )
        for threads in (1, 2):
            found = pocket.search(state, threads=threads, control=Control().search())
            assert (found.status, len(found.path)) == ("solved", len(other.path))
            assert pocket.puzzle.apply_alg(state, [pocket.puzzle.moves[n] for n in found.path]) == pocket.puzzle.solved


def test_a_build_can_be_cancelled(pocket: CosetDatabases) -> None:
    progress = _kernel.Control()
    progress.cancel()
    assert _kernel.build_coset_distances(pocket.own[0].number(), threads=1, progress=progress) is None


def test_the_expression_names_them_where_there_are_any() -> None:
    puzzle = cube("3x3x3")
    heuristic = get_heuristic('pdb("cosets")', puzzle)
    assert 50_000_000 < heuristic.build_bytes < 150_000_000  # and nothing is built
    assert heuristic.verdicts(puzzle.move_set(None)).admissible == "proven"
    assert heuristic.verdicts(puzzle.move_set(None)).consistent == "proven"
    assert coset_databases(puzzle, puzzle.move_set("all")) is coset_databases(puzzle, puzzle.move_set("all"))
    for name in ("2x2x2", "megaminx"):
        with pytest.raises(HstarError, match="no subgroup of use"):
            get_heuristic('pdb("cosets")', get_puzzle(name))


def test_auto_takes_them_last_and_only_if_they_fit() -> None:
    def heuristics(memory_mib: int) -> list[str]:
        limits = LimitsIn(memory_mib=memory_mib)
        problem = prepare(SolveRequest(puzzle="3x3x3", random=1, algorithm="auto", limits=limits))
        steps = plans.proving(problem)
        assert steps[-1].expanded is None
        return [get_heuristic(step.heuristic, problem.puzzle, problem.moves).expression.text for step in steps]

    largest, larger, large, small = (heuristics(mib) for mib in (8192, 4096, 1024, 60))
    assert large == [*small, 'pdb("cosets")']
    assert larger == [*large, 'pdb("cosets+CORNERS/2")']
    assert largest == [*larger, 'pdb("cosets+CORNERS/2+EDGES/3")']


def test_each_image_of_the_subgroup_is_looked_up_once() -> None:
    """A turn of a third of a circle carries one axis to another, and its inverse to the third: what is looked up
    through it is the latter. With two axes the bound was one too large for quarter turns of the third."""
    for name in ("3x3x3", "2x2x2"):
        puzzle = cube(name)
        moves = puzzle.move_set("all")
        kept = tuple(move for move in moves.moves if move[0] in "UD" or "2" in move)
        subgroup = generated_by(puzzle, moves, kept)
        assert subgroup is not None
        table = CosetDatabases(puzzle, moves, subgroup).own[0]
        left = [moves.moves.index(move) for move in kept]
        every = {frozenset(images[number] for number in left) for _, images in images_of_moves(puzzle, moves)}
        looked_up = [subgroup.looked_up(puzzle, symmetry) for symmetry, _ in table.views]
        assert len(looked_up) == len(every) == 3
        assert set(looked_up) == every
        assert table.meeting
        assert frozenset().union(*looked_up) == {*range(len(moves.moves))}


@pytest.mark.skipif(not TEST_ALL, reason="building takes five seconds of processor time")
def test_near_states_of_the_3x3x3_are_proven_at_their_distance() -> None:
    puzzle = cube("3x3x3")
    databases = coset_databases(puzzle, puzzle.move_set(None))
    assert databases is not None
    for move in puzzle.move_set(None).moves:
        for second in ("", "U", "R", "F2"):
            start = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(f"{move} {second}"))
            found = databases.search(start, control=Control().search())
            moves = [puzzle.moves.index(own) for own in puzzle.move_set(None).moves]
            known = _kernel.breadth_first(puzzle.kernel, start, moves, memory_bytes=2**28, control=Control().search())
            assert len(found.path) == len(known.path)
            assert found.f_bound <= len(known.path)


@pytest.mark.skipif(not TEST_ALL, reason="building takes five seconds of processor time")
def test_the_3x3x3_has_the_published_distances_and_far_states_are_proven() -> None:
    puzzle = cube("3x3x3")
    moves = puzzle.move_set(None)
    databases = coset_databases(puzzle, moves)
    assert databases is not None
    assert databases.tables[0].facts["counts"] == KOCIEMBA
    others = pattern_databases(puzzle, moves, ("EDGES:5", "CORNERS:5"))
    for alg in ("R U F' L2 D B", "R2 U F' L2 D B' R U2 F2 L D' R", "U F' L2 D B' R U2 F2 L D' R2 B U"):
        start = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(alg))
        found = databases.search(start, control=Control().search())
        assert len(found.path) == len(others.search(start, control=Control().search()).path)
    asked = {"puzzle": "3x3x3", "alg": "U F' L2 D B' R U2 F2 L D' R2 B U F2 R'", "algorithm": "auto"}
    result = solve(prepare(SolveRequest.model_validate(asked)))
    assert (result.optimality, result.heuristic.expression.text) == ("proven", 'pdb("cosets")')


def test_quarter_turns_need_no_iteration_of_the_other_parity(pocket: CosetDatabases) -> None:
    puzzle = pocket.puzzle
    moves = puzzle.move_set("single")
    databases = CosetDatabases(puzzle, moves, pocket.subgroup)
    for seed in range(20):
        start = random_state(puzzle, seed)
        outcome = databases.search(start, control=_kernel.Control())
        length = len(outcome.path)
        parity = puzzle.length_parity(start, moves)
        assert {int(f) % 2 for f, _ in outcome.layers} == {length % 2} == {parity}
        # Where a solution is known, the iteration that would find another is not begun.
        below = databases.search(start, longest=length - 1, control=_kernel.Control())
        assert (below.status, below.f_bound) == ("exhausted", length)
        assert below.expanded == outcome.expanded - outcome.expanded_last_layer
        asked = {"puzzle": "2x2x2", "moves": "single", "state": puzzle.format_state(start), "algorithm": "ida_star"}
        request = {**asked, "heuristic": "zero", "limits": {"expanded": 200}}
        assert (solve(prepare(SolveRequest.model_validate(request))).lower_bound or 0) % 2 == parity


def test_lengths_have_no_parity_where_some_moves_are_even() -> None:
    for name, moves in (("3x3x3", "all"), ("skewb", None), ("megaminx", "single")):
        puzzle = get_puzzle(name)
        assert puzzle.length_parity(puzzle.solved, puzzle.move_set(moves)) is None
