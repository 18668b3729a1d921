"""Pattern databases of permutation puzzles, compared with searches in Python, true distances and plain A*."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

import pytest

from hstar import _kernel
from hstar.databases import watching
from hstar.databases.patterns import choose, entries, parse, rank
from hstar.databases.permutation import PatternDatabases, pattern_databases
from hstar.errors import FeatureError
from hstar.heuristics import get_heuristic
from hstar.heuristics.databases import matching
from hstar.puzzles import MoveSet, State, get_puzzle, make_scramble
from hstar.puzzles.permutation import PermutationPuzzle

MOVE_SETS = [(name, moves) for name in ("megaminx", "master_pyraminx") for moves in get_puzzle(name).move_sets]
#: small, so that they are quick to build
SMALL = {
    "megaminx": ("corners:2", "edges:2", "corners:1+edges:1"),
    "master_pyraminx": ("wings:3", "edges:2+centres:2", "tips:1+axials:2"),
}


def permutation_puzzle(name: str) -> PermutationPuzzle:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return puzzle


def databases(name: str, moves: str) -> PatternDatabases:
    puzzle = permutation_puzzle(name)
    return pattern_databases(puzzle, puzzle.move_set(moves), SMALL[name])


def scrambled(puzzle: PermutationPuzzle, moves: MoveSet, k: int, seed: int) -> State:
    """A state that can be solved by k moves of the set."""
    random = Random(f"{moves.name} {k} {seed}")
    alg = [random.choice(moves.moves) for _ in range(k)]
    return puzzle.apply_alg(puzzle.solved, puzzle.inverse_alg(alg))


def by_hand(puzzle: PermutationPuzzle, moves: MoveSet, pieces: tuple[int, ...]) -> dict[State, int]:
    """Distances of all placements of these pieces, by turning whole puzzles and then ignoring all other pieces."""
    orbits = {slot: orbit for orbit in puzzle.orbits for slot in orbit.slots}
    wanted = {(orbits[p].name, puzzle.solved[p] // orbits[p].orientations) for p in pieces}

    def blotted(state: State) -> State:
        return bytes(
            value if (orbits[slot].name, value // orbits[slot].orientations) in wanted else 255
            for slot, value in enumerate(state)
        )

    found = {blotted(puzzle.solved): 0}
    layer = [puzzle.solved]
    while layer:
        after = []
        for state in layer:
            for move in moves.moves:
                before = puzzle.turned(state, puzzle.inverse(move))
                if blotted(before) not in found:
                    found[blotted(before)] = found[blotted(state)] + 1
                    after.append(before)
        layer = after
    return found


@pytest.mark.parametrize(
    ("name", "moves", "text"),
    [
        ("megaminx", "ccw", "corners:2"),
        ("megaminx", "single", "edges:1"),
        ("master_pyraminx", "layers32", "edges:1+centres:2"),
        ("master_pyraminx", "cw12", "tips:1+axials:2"),
    ],
)
def test_a_table_agrees_with_turns_of_the_puzzle(name: str, moves: str, text: str) -> None:
    puzzle = permutation_puzzle(name)
    chosen = puzzle.move_set(moves)
    small = pattern_databases(puzzle, chosen, (text,))
    pieces = choose(puzzle, chosen, small.own[0].parts)
    table = small.tables[0]
    bits = table.facts["bits"]
    numbers = [int(table.data[i] if bits == 8 else table.data[i // 2] >> i % 2 * 4 & 15) for i in range(small.states)]
    expected = by_hand(puzzle, chosen, pieces)
    ranks = {rank(puzzle, pieces, state) for state in expected}
    assert len(ranks) == len(expected)
    assert all(numbers[rank(puzzle, pieces, state)] == distance for state, distance in expected.items())
    unreachable = 2**bits - 1
    assert all(number == unreachable for i, number in enumerate(numbers) if i not in ranks)
    assert table.facts["counts"] == [list(expected.values()).count(d) for d in range(max(expected.values()) + 1)]


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_the_kernel_and_python_read_the_same_values(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    both = databases(name, moves)
    for k in (0, 1, 2, 5, 30, 60):
        state = scrambled(puzzle, puzzle.move_set(moves), k, 1)
        assert both.kernel.value(state) == both.evaluate(state)
        assert both.direct.value(state) == both.evaluate(state, direct=True)


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_it_is_a_lower_bound_and_the_direct_one_is_consistent(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    chosen = puzzle.move_set(moves)
    small = databases(name, moves)
    seen = 0
    for seed, k in product(range(40), range(9)):
        state = scrambled(puzzle, chosen, k, seed)
        direct, value = small.direct.value(state), small.kernel.value(state)
        assert direct is not None
        assert value is not None
        assert direct <= value <= k
        seen = max(seen, direct)
        for _, after in puzzle.successors(state, chosen.moves):
            below = small.direct.value(after)
            assert below is not None
            assert direct <= below + 1
    assert seen >= 3


def test_symmetries_raise_the_maximum() -> None:
    puzzle = permutation_puzzle("megaminx")
    moves = puzzle.move_set("ccw")
    through = pattern_databases(puzzle, moves, ("corners:2",))
    space = _kernel.PieceSpace(puzzle.kernel, [(o.first, o.pieces, o.orientations) for o in puzzle.orbits])
    numbers = [puzzle.moves.index(move) for move in moves.moves]
    pattern = _kernel.Pattern(space, list(choose(puzzle, moves, through.own[0].parts)))
    table = through.tables[0]
    alone = _kernel.PatternHeuristic(
        space, numbers, [_kernel.PatternDatabase(pattern, table.data, table.facts["bits"])], []
    )
    assert alone.lookups == 1
    values = [
        (alone.value(s) or 0, through.kernel.value(s) or 0)
        for s in (scrambled(puzzle, moves, 10, seed) for seed in range(100))
    ]
    assert all(a <= b for a, b in values)
    assert sum(b - a for a, b in values) > 200


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_solutions_are_as_short_as_those_of_a_star(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    chosen = puzzle.move_set(moves)
    small = databases(name, moves)
    default = get_heuristic(None, puzzle)
    assert default.verdicts(chosen).admissible == "proven"
    numbers = [puzzle.moves.index(move) for move in chosen.moves]
    lengths = set()
    for seed in range(12):
        state = scrambled(puzzle, chosen, 4 + seed % 2, seed)
        control = _kernel.Control()
        mine = small.search(state, threads=1 + seed % 2, control=control)
        assert mine.status == "solved"
        assert puzzle.apply_alg(state, [puzzle.moves[m] for m in mine.path]) == puzzle.solved
        assert {puzzle.moves[m] for m in mine.path} <= set(chosen.moves)
        plain = _kernel.astar(
            puzzle.kernel, state, numbers, default.kernel, memory_bytes=2**30, control=_kernel.Control()
        )
        assert len(mine.path) == len(plain.path) == mine.f_bound
        assert control.expanded == mine.expanded
        lengths.add(len(mine.path))
    assert max(lengths) >= 4


def test_scrambles_of_fourteen_are_proven() -> None:
    puzzle = permutation_puzzle("megaminx")
    moves = puzzle.move_set(None)
    strong = pattern_databases(puzzle, moves, ("corners:4", "edges:4"))
    seen: list[tuple[str, int, int]] = []
    with watching(lambda what, done, total: seen.append((what, done, total))):
        assert strong.kernel.value(puzzle.solved) == 0
    assert {what for what, _, _ in seen} == {"megaminx ccw corners:4", "megaminx ccw edges:4"}
    assert all(0 <= done <= total for _, done, total in seen)
    # 20 * 19 * 18 * 17 * 3^4 and 30 * 29 * 28 * 27 * 2^4
    assert {done for _, done, total in seen if done == total} == {9_418_680, 10_523_520}
    lengths = []
    for seed in range(20):
        state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 14, seed).alg)
        outcome = strong.search(state, control=_kernel.Control())
        assert outcome.status == "solved"
        assert puzzle.apply_alg(state, [puzzle.moves[m] for m in outcome.path]) == puzzle.solved
        # with turns in one direction only, the number of turns of a face is known modulo 5, and so is the length
        assert len(outcome.path) <= 14
        lengths.append(len(outcome.path))
    assert lengths.count(14) >= 15


def test_limits_and_lower_bounds() -> None:
    puzzle = permutation_puzzle("megaminx")
    moves = puzzle.move_set("all")
    small = databases("megaminx", "all")
    state = scrambled(puzzle, moves, 30, 5)
    root = small.kernel.value(state)
    assert root is not None
    outcome = small.search(state, max_expanded=2000, control=_kernel.Control())
    assert (outcome.status, outcome.limit, outcome.expanded) == ("limit_reached", "expanded", 2000)
    assert root <= outcome.f_bound < 30
    again = small.search(state, max_expanded=2000, control=_kernel.Control())
    assert again.generated == outcome.generated
    cancelled = _kernel.Control()
    cancelled.cancel()
    assert small.search(state, threads=2, control=cancelled).status == "cancelled"


def test_texts_of_patterns() -> None:
    puzzle = permutation_puzzle("megaminx")
    assert parse(puzzle, " edges:2 + corners:1 ") == (("corners", 1), ("edges", 2))
    assert entries(puzzle, parse(puzzle, "edges:2+corners:1")) == 60 * 60 * 58
    for text in ("", "corners", "corners:0", "corners:21", "wings:2", "corners:2+corners:1", "corners:-1", "edges:9"):
        with pytest.raises(FeatureError):
            parse(puzzle, text)


@pytest.mark.parametrize("moves", ["cw", "ccw", "single", "all"])
def test_the_pieces_chosen_are_read_as_often_as_can_be(moves: str) -> None:
    puzzle = permutation_puzzle("megaminx")
    chosen = puzzle.move_set(moves)
    four = pattern_databases(puzzle, chosen, ("corners:2",))
    # The best pair is at least as good as every other; all are tried with the kernel.
    space = _kernel.PieceSpace(puzzle.kernel, [(o.first, o.pieces, o.orientations) for o in puzzle.orbits])
    assert space is not None
    best = choose(puzzle, chosen, four.own[0].parts)
    touching = {
        pair: sum({pair[0], pair[1]} <= {dst for dst, _, _ in puzzle.touched(move)} for move in chosen.moves)
        for pair in permutations(range(20), 2)
    }
    assert touching[best[0], best[1]] == min(touching.values()) == 0


def test_verdicts_know_the_move_set() -> None:
    puzzle = permutation_puzzle("megaminx")
    for name, moves in puzzle.move_sets.items():
        heuristic = get_heuristic('max(pdb("corners:2"), pdb("edges:2"))', puzzle, moves)
        assert heuristic.verdicts(moves).consistent == "proven"
        assert heuristic.integer
        found = matching(heuristic.expression, moves)
        assert isinstance(found, PatternDatabases)
        assert (found.moves, found.name) == (moves, "corners:2, edges:2")
        state = scrambled(puzzle, moves, 20, 1)
        assert heuristic(state) == heuristic.kernel.evaluate(state) == found.direct.value(state)
        clockwise = get_heuristic('pdb("corners:2", "cw")', puzzle, moves)
        assert clockwise.verdicts(moves).admissible == ("proven" if name == "cw" else "refuted")
        assert (matching(clockwise.expression, moves) is None) == (name != "cw")
        # a distance under a move set is a lower bound under any subset
        assert get_heuristic('pdb("corners:2", "all")', puzzle, moves).verdicts(moves).admissible == "proven"
    assert matching(get_heuristic("misplaced_facelets", puzzle).expression, puzzle.move_set(None)) is None
    assert matching(get_heuristic('pdb("corners:2") // 2', puzzle).expression, puzzle.move_set(None)) is None


def test_databases_of_pieces_moved_by_different_moves_add_up() -> None:
    """The Master Pyraminx's first layer turns tips, the second axials, the third edges and centres."""
    puzzle = permutation_puzzle("master_pyraminx")
    text = 'pdb("tips:3") + pdb("axials:3") + pdb("edges:2+centres:2")'
    for name, expected in (("cw12", "proven"), ("layers32", "refuted")):
        moves = puzzle.move_set(name)
        heuristic = get_heuristic(text, puzzle, moves)
        assert heuristic.verdicts(moves).admissible == expected
        for seed in range(20):
            state = scrambled(puzzle, moves, 4, seed)
            assert heuristic(state) == heuristic.kernel.evaluate(state)
            assert name == "layers32" or heuristic(state) <= 4


def test_nothing_is_built_to_judge_a_large_database() -> None:
    puzzle = permutation_puzzle("megaminx")
    heuristic = get_heuristic('2 * pdb("corners:5")', puzzle)
    verdicts = heuristic.verdicts(puzzle.move_set(None))
    assert (verdicts.admissible, verdicts.consistent) == ("unknown", "unknown")
    assert "did not look for a counterexample" in verdicts.reason
