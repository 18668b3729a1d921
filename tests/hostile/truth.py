"""The bounds that searches use in depth, compared with the distances of all states of whole puzzles.

Learned cost partitions, matched pairs of pieces, tables of cosets and of whole orbits (modulo 3), patterns through
symmetries and inverses, sums over boards: each is asked for the value of every state, and where it is an exact distance
in an abstraction, for equality with a search from all states that the abstraction counts as solved. Every method that
proves its answers solves some states below each of them. `python -m tests.hostile.truth` prints the table of
docs/certificates.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.resources import files
from math import factorial, prod
from random import Random
from typing import Any

import numpy as np

from hstar import _kernel, schema
from hstar.databases import databases_named, patterns
from hstar.databases.cosets import CosetDatabases
from hstar.databases.orbits import OrbitDatabases
from hstar.databases.permutation import PatternDatabases, move_numbers
from hstar.heuristics import get_heuristic
from hstar.options import Options, Scratch
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, puzzle_from_definition, read_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.subgroups import Coordinate, coset_of, joined, subgroup_of
from hstar.puzzles.symmetry import images_of_moves
from hstar.search import Control, Problem, Result, sharing, solve
from hstar.search.methods import METHODS
from tests.hostile.comparison import cosets_of_small_groups
from tests.hostile.whole import FAR, Integers, Whole, of_board, of_definition
from tests.search.test_sharing import Others

__all__ = ["PUZZLES", "Report", "Row", "truth_of"]

#: what a search learns partitions for
STARTS, PATHS, PATH = 6, 40, 60
#: the most expansions of an answer
MOST_EXPANDED = 100_000


@dataclass
class Row:
    """What was compared of one bound.

    :param exact: values compared for equality with an abstraction's distances
    """

    states: int = 0
    over: int = 0
    exact: int = 0
    unequal: int = 0


@dataclass
class Report:
    """By puzzle and bound. ``subtrees``: how many other workers were given."""

    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    subtrees: int = 0

    def compare(
        self, puzzle: str, bound: str, values: Integers, truth: Integers, exact: Integers | None = None
    ) -> None:
        row = self.rows.setdefault((puzzle, bound), Row())
        row.states += len(values)
        row.over += int((values > truth).sum())
        if exact is not None:
            row.exact += len(values)
            row.unequal += int((values != exact).sum())

    def table(self) -> str:
        lines = ["| puzzle | bound | states compared | overestimates | equal to the abstraction's distance | unequal |"]
        lines.append("|---|---|---:|---:|---:|---:|")
        for (puzzle, bound), row in self.rows.items():
            exact = f"{row.exact:,} | {row.unequal}" if row.exact else " | "
            lines.append(f"| {puzzle} | {bound} | {row.states:,} | {row.over} | {exact} |")
        return "\n".join(lines)

    def answers(self) -> str:
        """The rows of answers, all puzzles together."""
        found: dict[str, list[Row]] = {}
        for (_, bound), row in self.rows.items():
            if bound.endswith(_ANSWERED):
                found.setdefault(bound, []).append(row)
        lines = ["| answers | puzzles | compared | overestimates | compared for equality | unequal |"]
        lines.append("|---|---:|---:|---:|---:|---:|")
        for bound, rows in sorted(found.items()):
            over, exact, unequal = (sum(getattr(row, name) for row in rows) for name in ("over", "exact", "unequal"))
            lines.append(
                f"| {bound} | {len(rows)} | {sum(row.states for row in rows):,} | {over} | {exact:,} | {unequal} |"
            )
        return "\n".join(lines)


_ANSWERED = (": answers", ": bounds")


@dataclass(frozen=True)
class Case:
    """A puzzle, its whole space, the moves, and the bounds that are compared."""

    name: str
    puzzle: Callable[[], Puzzle]
    whole: Callable[[], Whole]
    moves: str | None
    texts: Sequence[str]
    quick: bool = False


def truth_of(case: Case, report: Report, starts: int = STARTS) -> None:
    """Compare everything of one puzzle."""
    with cosets_of_small_groups():
        puzzle, whole = case.puzzle(), case.whole()
        moves = puzzle.move_set(case.moves)
        truth = whole.distances([*moves.moves])
        assert truth.max() < FAR
        assert puzzle.solved == whole.states[whole.solved]
        name = f"{case.name}, {len(whole):,} states"
        for text in case.texts:
            if text.startswith("pdb("):
                _databases(report, name, puzzle, moves, whole, truth, text)
            else:
                heuristic = get_heuristic(text, puzzle, moves)
                assert heuristic.verdicts(moves).admissible == "proven", text
                values = [heuristic.kernel.evaluate(state) for state in whole.states]
                report.compare(name, f"`{text}`", np.ceil(np.array(values) - 1e-6).astype(np.int64), truth)
        if isinstance(puzzle, PermutationPuzzle):
            if puzzle.length_parity(puzzle.solved, moves) is not None:
                parities = np.array([puzzle.length_parity(state, moves) for state in whole.states], dtype=np.int64)
                report.compare(name, "parity of lengths", parities, truth % 2, truth % 2)
            _partitions(report, name, puzzle, moves, whole, truth, starts)
            _unordered_blocks(report, name, puzzle, moves, whole, truth, starts)
        _answers(report, name, case.texts, puzzle, moves, whole, truth, starts)


def _values(database: _kernel.Database, whole: Whole) -> Integers:
    ask: Any = database
    return np.array([FAR if (value := ask.value(state)) is None else value for state in whole.states], dtype=np.int64)


def _databases(
    report: Report, name: str, puzzle: Puzzle, moves: MoveSet, whole: Whole, truth: Integers, text: str
) -> None:
    inside = text[5:-2]
    databases = databases_named(puzzle, moves, inside)
    databases.load()
    exact: Integers | None = None
    if isinstance(databases, PatternDatabases):
        assert isinstance(puzzle, PermutationPuzzle)
        (table,) = databases.own
        space, numbers = puzzle.kernel_space, move_numbers(puzzle, moves)
        itself = next(view for view, reversing in databases._views if not reversing)
        entries = _values(_kernel.PatternHeuristic(space, numbers, [table.kernel], [itself]), whole)
        chosen = patterns.choose(puzzle, moves, table.parts)
        exact = _distances_with(whole, puzzle, moves, chosen)
        report.compare(name, f"`{text}`, its table", entries, truth, exact)
        report.compare(name, f"`{text}`, all symmetries", _values(databases.direct, whole), truth)
        report.compare(name, f"`{text}`, and inverse states", _values(databases.kernel, whole), truth)
        return
    if isinstance(databases, CosetDatabases):
        exact = _to_subgroup(databases, puzzle, moves, whole)
    elif isinstance(databases, OrbitDatabases) and "/" in inside:
        (orbits,) = databases.own
        solved = coset_of(databases.puzzle, orbits.coordinates, puzzle.solved)
        kept = [coset_of(databases.puzzle, orbits.coordinates, state) == solved for state in whole.states]
        exact = whole.distances([*moves.moves], np.array(kept))
    elif isinstance(puzzle, PermutationPuzzle):
        kept_orbits = [puzzle.orbit(part) for part in inside.split("+")]
        exact = _distances_with(whole, puzzle, moves, [slot for orbit in kept_orbits for slot in orbit.slots])
    values = _values(databases.direct, whole)
    report.compare(name, f"`{text}`", values, truth, exact)
    if databases.kernel is not databases.direct:
        report.compare(name, f"`{text}`, in searches", _values(databases.kernel, whole), truth)


def _distances_with(whole: Whole, puzzle: PermutationPuzzle, moves: MoveSet, pieces: Sequence[int]) -> Integers:
    """By state the fewest moves that bring home these pieces, each given by its slot at home."""
    home = whole.rows[whole.solved]
    kept = np.ones(len(whole), dtype=bool)
    for slot in pieces:
        kept &= whole.rows[:, slot] == home[slot]
    return whole.distances([*moves.moves], kept)


def _to_subgroup(databases: CosetDatabases, puzzle: Puzzle, moves: MoveSet, whole: Whole) -> Integers | None:
    """By state the most moves to the images of the subgroup; None for the smaller subgroup with blocks, which no moves
    generate."""
    assert isinstance(puzzle, PermutationPuzzle)
    if databases.blocks is not None:
        return None
    most = np.zeros(len(whole), dtype=np.int64)
    own = [puzzle.moves.index(move) for move in databases.subgroup.moves]
    for image in {frozenset(symmetry.moves[move] for move in own) for symmetry, _ in images_of_moves(puzzle, moves)}:
        inside = [puzzle.moves[number] for number in image]
        most = np.maximum(most, whole.distances([*moves.moves], whole.reached(inside)))
    return most


def _unordered_blocks(
    report: Report, name: str, puzzle: PermutationPuzzle, moves: MoveSet, whole: Whole, truth: Integers, starts: int
) -> None:
    """Tables of cosets that also keep an orbit in blocks that are not told apart, as on the 3x3x3 the largest one."""
    subgroup = subgroup_of(puzzle, moves)
    if subgroup is None:
        return
    own = [symmetry for symmetry, _ in subgroup.symmetries(puzzle, moves)]
    for number, orbit in enumerate(puzzle.orbits):
        n = orbit.orientations
        pieces = [[image // n for image in symmetry.images[number][::n]] for symmetry in own]
        for classes in sorted({joined(pieces, orbit.pieces, other) for other in range(1, orbit.pieces)}):
            sizes = [classes.count(block) for block in set(classes)]
            orders = prod(factorial(sizes.count(size)) for size in set(sizes))
            if max(sizes) == 1 or not 1 < orders <= 24:
                continue
            size = factorial(orbit.pieces) // prod(map(factorial, sizes)) // orders
            blocks = Coordinate(number, classes, False, (0,) * orbit.pieces, size, unordered=True)
            databases = CosetDatabases(puzzle, moves, subgroup, blocks)
            (table,) = databases.own
            solved = coset_of(puzzle, table.coordinates, puzzle.solved)
            kept = np.array([coset_of(puzzle, table.coordinates, state) == solved for state in whole.states])
            space, (itself, images) = puzzle.kernel_space, table.views[0]
            view = _kernel.Symmetry(space, move_numbers(puzzle, moves), itself.images, False), images
            alone = _kernel.CosetTable(table.number(), table.file.parts[0], [view], False)
            entries = _values(_kernel.CosetHeuristic(space, [alone], False), whole)
            bound = f"`cosets` and {orbit.name} in {len(sizes)} blocks not told apart"
            report.compare(name, f"{bound}, its table", entries, truth, whole.distances([*moves.moves], kept))
            report.compare(name, bound, _values(databases.kernel, whole), truth)
            for at in Random(3).sample(range(len(whole)), min(20 * starts, len(whole))):
                found = databases.search(whole.states[at], threads=1, control=Control().search())
                length, distance = np.array([len(found.path)]), truth[[at]]
                report.compare(name, "ida_star, blocks not told apart: answers", length, distance, distance)


def _partitions(
    report: Report, name: str, puzzle: PermutationPuzzle, moves: MoveSet, whole: Whole, truth: Integers, starts: int
) -> None:
    """What a search would learn before its first node, for some starts, of all states and along random paths."""
    numbers, random = move_numbers(puzzle, moves), Random(1)
    far = np.flatnonzero(truth >= truth.max() - 2)
    for _ in range(starts):
        start = int(random.choice(far))
        learned = _kernel.LearnedPartitions(puzzle.kernel, whole.states[start], numbers, int(truth[start]))
        bound = "learned partitions and matched pairs" if learned.pairs else "learned partitions"
        report.compare(name, bound, np.array(learned.values(whole.states), dtype=np.int64), truth)
        for _ in range(PATHS):
            at = random.randrange(len(whole))
            path = [random.choice(moves.moves) for _ in range(PATH)]
            walked = [at]
            for move in path:
                walked.append(int(whole.after[move][walked[-1]]))
            values = learned.along(whole.states[at], [puzzle.moves.index(move) for move in path])
            report.compare(name, f"{bound}, inherited along paths", np.array(values, dtype=np.int64), truth[walked])


@dataclass(frozen=True)
class Way:
    """How a state is solved.

    :param shared: by three workers that lose and take back subtrees, from the second iteration on
    :param files: in 1 MiB of memory, and the rest on disk
    """

    name: str
    method: str
    heuristic: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    shared: bool = False
    files: bool = False


def _ways(puzzle: Puzzle, moves: MoveSet, texts: Sequence[str]) -> Iterator[Way]:
    """Every method that proves a solution shortest, below every bound that it can use."""
    for method in METHODS.values():
        if not method.optimal or method.search is None or method.refuses(puzzle, moves) is not None:
            continue
        for text in texts if method.heuristic else [None]:
            yield Way(method.name, method.name, text)
    for text in texts:
        yield Way("ida_star, shared", "ida_star", text, settings={"share_after": 2}, shared=True)
        yield Way("ida_star, two threads", "ida_star", text, threads=2)
        yield Way("layered, two threads, files", "layered", text, threads=2, files=True)
    if isinstance(puzzle, PermutationPuzzle):
        forced = {"partitions": True, "learn_after": 0}
        yield Way("ida_star, partitions from the first node", "ida_star", "zero", settings=forced)
    yield Way("auto", "auto")


def _answers(
    report: Report,
    name: str,
    texts: Sequence[str],
    puzzle: Puzzle,
    moves: MoveSet,
    whole: Whole,
    truth: Integers,
    count: int,
) -> None:
    """The length and the lower bound of random states, and of as many near ones, in every way. Where a limit ends a
    search, its lower bound is compared."""
    for way in _ways(puzzle, moves, texts):
        random = Random(2)
        near = np.flatnonzero(truth <= 3).tolist()
        drawn = random.sample(range(len(whole)), min(count, len(whole))) + random.sample(near, min(count, len(near)))
        for number in drawn:
            problem = _problem(way, puzzle, whole.states[number], moves)
            result = _solved(problem, way, random, report)
            said = (name, way, problem.start, result.length, result.lower_bound, int(truth[number]))
            assert result.lower_bound is not None, said
            bound = np.array([result.lower_bound], dtype=np.int64)
            proven = result.optimality == "proven"
            # Of each iteration by layers a state is expanded once, and thresholds are integers.
            few = way.method == "layered" and len(whole) * (int(truth[number]) + 1) < MOST_EXPANDED
            assert proven or (result.limit is not None and not few), said
            exact = truth[[number]] if proven else None
            report.compare(name, f"{way.name}: {'answers' if proven else 'bounds'}", bound, truth[[number]], exact)
            if result.solution is None:
                continue
            at = number
            for move in result.solution:
                at = int(whole.after[move][at])
            assert at == whole.solved, said
            assert not proven or len(result.solution) == truth[number], said


def _problem(way: Way, puzzle: Puzzle, state: State, moves: MoveSet) -> Problem:
    limits = schema.Limits(memory_mib=1 if way.files else 1024, expanded=MOST_EXPANDED)
    given = schema.Start(given_as="state", state=puzzle.format_state(state))
    if way.method == "auto":
        return Problem(puzzle, state, moves, "auto", None, limits, given)
    step = {"method": way.method, "heuristic": way.heuristic, "settings": dict(way.settings)}
    options = Options.model_validate({"plan": [step]})
    return Problem(puzzle, state, moves, "plan", None, limits, given, options, workers=3 if way.shared else 1)


def _solved(problem: Problem, way: Way, random: Random, report: Report) -> Result:
    with ExitStack() as stack:
        scratch = Scratch(stack.enter_context(tempfile.TemporaryDirectory()), 64) if way.files else None
        if not way.shared:
            return solve(problem, threads=way.threads, scratch=scratch)
        before, sharing.LOOK = sharing.LOOK, 0.0
        others = Others(problem, random)
        try:
            return solve(problem, queue=others)
        finally:
            sharing.LOOK = before
            report.subtrees += len(others.jobs)


# -- puzzles -----------------------------------------------------------------------------------------------------------


def _shipped(name: str, moves: Sequence[str]) -> dict[str, Any]:
    """The definition of a puzzle with these moves alone."""
    found: dict[str, Any] = json.loads(files("hstar.puzzles").joinpath("data", f"{name}.json").read_text())
    del found["hstar"]
    return found | {"moves": {move: found["moves"][move] for move in moves}}


def _master(orbits: Sequence[str]) -> dict[str, Any]:
    """Some orbits of the Master Pyraminx."""
    return _part("master_pyraminx", orbits, [move for move in get_puzzle("master_pyraminx").moves if move[-1] != "'"])


def _part(name: str, orbits: Sequence[str], moves: Sequence[str]) -> dict[str, Any]:
    """The KPuzzle of some orbits of a puzzle, and of some of its moves; pieces that none of them moves are left out."""
    puzzle: Any = get_puzzle(name)
    kept = []
    for orbit in (own for own in puzzle.orbits if own.name in orbits):
        touched = {slot for move in moves for slot, _, _ in puzzle.touched(move) if slot in orbit.slots}
        kept.append((orbit, sorted(touched)))
    made: dict[str, Any] = {
        "name": f"{name}-part",
        "orbits": [
            {"orbitName": o.name, "numPieces": len(slots), "numOrientations": o.orientations} for o, slots in kept
        ],
        "defaultPattern": {
            o.name: {"pieces": [*range(len(slots))], "orientation": [0] * len(slots)} for o, slots in kept
        },
        "moves": {},
    }
    for move in moves:
        turn = puzzle.turns[move]
        if any(turn.source[slot] != slot or turn.twist[slot] for _, slots in kept for slot in slots):
            made["moves"][move] = {
                o.name: {
                    "permutation": [slots.index(turn.source[slot]) for slot in slots],
                    "orientationDelta": [turn.twist[slot] for slot in slots],
                }
                for o, slots in kept
            }
    return made


def _defined(definition: Mapping[str, Any]) -> Puzzle:
    return puzzle_from_definition(read_definition(definition))


def _of(
    name: str, definition: Callable[[], dict[str, Any]], moves: str, texts: Sequence[str], quick: bool = False
) -> Case:
    return Case(name, lambda: _defined(definition()), lambda: of_definition(definition()), moves, texts, quick)


def _board(rows: int, columns: int, texts: Sequence[str], quick: bool = False) -> Case:
    goal = [*range(1, rows * columns), 0]
    name = f"tiles:{rows}x{columns}"
    return Case(name, lambda: get_puzzle(name, goal), lambda: of_board(rows, columns, goal), None, texts, quick)


_TILES = ("manhattan + linear_conflict", "walking_distance", "gaschnig", "out_of_row + out_of_column")

#: the smallest first
PUZZLES: tuple[Case, ...] = (
    _of("3x3x3, edges of U and R", lambda: _part("3x3x3", ["EDGES"], ["U", "R"]), "all",
        ['pdb("EDGES:3")', 'pdb("EDGES")', 'pdb("EDGES/3o")', 'pdb("cosets")'], quick=True),
    _of("Pyraminx, two layers", lambda: _part("pyraminx", ["EDGES", "CORNERS"], ["U", "L"]), "all",
        ['pdb("EDGES/1o+CORNERS")', 'pdb("EDGES/1o")'], quick=True),
    _of("Master Pyraminx, centres and tips", lambda: _master(["tips", "centres"]), "all",
        ['pdb("tips+centres")', 'pdb("centres:2")'], quick=True),
    _board(2, 4, ['pdb("4-3")', 'pdb("3-2-2")', 'pdb("blocks:3")', *_TILES], quick=True),
    _of("3x3x3, corners of U and R", lambda: _part("3x3x3", ["CORNERS"], ["U", "R"]), "all",
        ['pdb("CORNERS:3")', 'pdb("CORNERS/2o")', 'pdb("cosets")'], quick=True),
    _of("3x3x3, corners of U and R, quarter turns", lambda: _part("3x3x3", ["CORNERS"], ["U", "R"]), "single",
        ['pdb("CORNERS/1o")', 'pdb("cosets")'], quick=True),
    _of("Master Pyraminx, tips and axials", lambda: _master(["tips", "axials"]), "all",
        ['pdb("tips+axials")', 'pdb("axials:3")', 'pdb("tips:2+axials:2")']),
    _of("Master Pyraminx, edges and centres", lambda: _master(["edges", "centres"]), "all",
        ['pdb("edges+centres")', 'pdb("edges:4")', 'pdb("edges:3+centres:2")', 'pdb("cosets")']),
    _of("Megaminx, edges of U and R", lambda: _part("megaminx", ["edges"], ["U", "R"]), "all",
        ['pdb("edges:4")', 'pdb("edges")']),
    _of("Megaminx, edges of U and R, clockwise", lambda: _part("megaminx", ["edges"], ["U", "R"]), "U R",
        ['pdb("edges:4")']),
    _board(3, 3, ['pdb("4-4")', 'pdb("6-2")', 'pdb("blocks:3")', *_TILES]),
    _of("Pyraminx, corners with tips", lambda: _shipped("pyraminx", ["U", "L", "R", "B"]), "all",
        ['pdb("EDGES:4")', 'pdb("EDGES:3+CORNERS:1")', 'pdb("EDGES+CORNERS")', 'pdb("EDGES/3+CORNERS/1o")']),
    _of("Skewb", lambda: _part("skewb", ["CORNERS", "CENTERS"], ["R", "U", "L", "B"]), "all",
        ['pdb("CORNERS:4")', 'pdb("CORNERS:2+CENTERS:2")', 'pdb("CORNERS+CENTERS")', 'pdb("CORNERS/2o+CENTERS/3")',
         'pdb("cosets")']),
    _of("2x2x2", lambda: _part("2x2x2", ["CORNERS"], ["U", "R", "F"]), "all",
        ['pdb("CORNERS:4")', 'pdb("cosets")']),
    _of("2x2x2, quarter turns", lambda: _shipped("2x2x2", ["U", "R", "F"]), "single",
        ['pdb("CORNERS:3")', 'pdb("CORNERS/7")', 'pdb("CORNERS/1o")', 'pdb("cosets")']),
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.truth", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the small puzzles")
    asked = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HSTAR_DATABASES"] = folder
        for case in PUZZLES:
            if case.quick or not asked.quick:
                truth_of(case, report)
                print(case.name, file=sys.stderr, flush=True)
    print(report.table())
    print(f"\n{report.answers()}\n\n{report.subtrees:,} subtrees were given to other workers")
    rows = report.rows.values()
    states, exact = sum(row.states for row in rows), sum(row.exact for row in rows)
    wrong = sum(row.over + row.unequal for row in rows)
    print(f"\n{states:,} values, {exact:,} of them compared for equality: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
