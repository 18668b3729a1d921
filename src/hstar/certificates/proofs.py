"""Certificates of answers: of a shortest solution, of a lower bound, and of a state that no moves solve.

>>> result = solve(problem, keep=True)                                            # doctest: +SKIP
>>> write(problem, result, file).claim                                            # doctest: +SKIP
'no solution has fewer than 31 moves, and there is one of 31'

A*, breadth-first and bidirectional search keep what proves their bound, if they are asked to. For the other methods the
proof is made again, by a kernel search that keeps it; or, if that is too large or the search had databases of a board,
the file has some states near the start and near the goal, and a checker searches the subtrees between them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np

from hstar import _kernel
from hstar.certificates.cost import UP, nodes_to_search
from hstar.certificates.file import MOST_OF_TABLES, Refused, Writer, numbers_of
from hstar.certificates.refutations import invariant_section
from hstar.certificates.tables import PatternTerm, pattern_terms, piece_terms
from hstar.certificates.terms import SUM, Term, terms_of
from hstar.errors import Fault, InvalidExpression, InvalidRequest, why
from hstar.heuristics import Heuristic, get_heuristic
from hstar.puzzles import invariants
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.control import Control
from hstar.search.problem import Problem
from hstar.search.result import Result

__all__ = ["Written", "can_certify", "write", "write_file"]

AnyTerm = TypeVar("AnyTerm", bound=Term | PatternTerm)

SHORTEST, AT_LEAST, UNSOLVABLE = 1, 2, 3
KEPT = "the states of the search"
#: a proof that is made again has at most so many expansions; the balls of a search by subtrees so many states
MOST_AGAIN, MOST_OF_BALLS = 50_000, 50_000
#: the balls of a search with a board's databases: a part of what it generated, and what is always allowed
PART_OF_BALLS, FEW_OF_BALLS = 1 / 32, 1_000
#: the most states of a proof that there is no solution
MOST_CLOSED = 2_000_000
#: terms of heuristics that the search did not use
MOST_OWN = 4
#: after so many expansions a search is not made again; partitions are learned for the file, which takes 0.2 s
MANY = 500_000
#: after so many generated states the cost of a check is estimated; with so many nodes it is called hopeless: a checker
#: searches 0.4 to 5 million a second
MANY_GENERATED, HOPELESS = 1_000_000, 10**12
#: the most tables of sums, maxima and patterns together that checkers take
MOST_TABLES = 63
#: the longest solution, and the deepest tree; the largest bound, where moves have costs
MOST_MOVES, MOST_BOUND = 254, 1 << 20


@dataclass(frozen=True)
class Written:
    """What was written.

    :param claim: what the file proves, in words
    :param bytes: the size of the file
    :param states: how many states it has
    :param searched: whether a checker has to search subtrees
    :param by: in words, what the bound is proven by, which need not be what the search used; and of subtrees, how much
        a checker has to search
    """

    claim: str
    bytes: int
    states: int
    searched: bool
    by: str


@dataclass(frozen=True)
class _Proof:
    """States round the start; round the goal, up to a distance, or none; and the terms that keep others out."""

    tree: memoryview
    back_tree: memoryview | None
    back_depth: int
    terms: Sequence[Term | PatternTerm]
    searched: bool
    by: str

    @property
    def states(self) -> int:
        trees = [self.tree] if self.back_tree is None else [self.tree, self.back_tree]
        return sum(1 + int(np.count_nonzero(np.frombuffer(tree, np.uint8) != 255)) for tree in trees)


def can_certify(problem: Problem) -> None:
    """Refuse, before it is searched, a problem whose answer no file can have.

    :raises InvalidRequest: with the reason
    """
    try:
        numbers_of(problem.puzzle, problem.moves)
    except Refused as refused:
        raise InvalidRequest("no certificate can be made", [Fault("/certificate", str(refused))]) from None


def write(
    problem: Problem,
    result: Result,
    destination: BinaryIO,
    *,
    most_bytes: int | None = None,
    control: Control | None = None,
) -> Written:
    """Write the certificate of an answer: that its solution is shortest, or else its lower bound.

    :param result: of `hstar.search.solve`; with ``keep=True`` proofs of A*, breadth-first and bidirectional search are
        cheap
    :param most_bytes: the most that the file may have
    :param control: cancels it
    :raises Refused: with the reason why there is none
    """
    puzzle, moves = problem.puzzle, problem.moves
    if result.status == "exhausted" and moves.costs:  # they do not matter
        problem, result = replace(problem, moves=puzzle.at_cost_1(moves)), result.model_copy(update={"kept": None})
        return write(problem, result, destination, most_bytes=most_bytes, control=control)
    writer = Writer(destination, most_bytes)
    writer.meta(
        puzzle=puzzle.name, moves=moves.name, algorithm=problem.algorithm, heuristic=result.heuristic.expression.text
    )
    writer.puzzle(puzzle, moves)
    start = struct.pack(f"<{len(puzzle.values)}H", *puzzle.contents(problem.start))
    if result.status == "exhausted":
        return _unsolvable(problem, result, writer, start, control)
    bound = result.lower_bound or 0
    if bound > (most := MOST_BOUND if moves.costs else MOST_MOVES):
        raise Refused("too_deep", f"a certificate proves bounds of at most {most}, and this one is {bound}")
    claim = f"no solution costs less than {bound}" if moves.costs else f"no solution has fewer than {bound} moves"
    if result.optimality == "proven":
        numbers = bytes(moves.moves.index(move) for move in result.solution or ())
        writer.section("CLAM", bytes([SHORTEST]), start, struct.pack("<II", bound, len(numbers)), numbers)
        claim += f", and there is one {'that costs' if moves.costs else 'of'} {bound}"
    else:
        writer.section("CLAM", bytes([AT_LEAST]), start, struct.pack("<I", bound))
    proof = _proof(problem, result, bound, control)
    if proof.terms:
        parts = [part for term in proof.terms for part in term.section(puzzle)]
        writer.section("HEUR", struct.pack("<H", len(proof.terms)), *parts)
    writer.section("TREE", proof.tree)
    if proof.back_tree is not None:
        writer.section("BACK", bytes([proof.back_depth]), proof.back_tree)
    if proof.searched:
        writer.section("ROOT")
    by = proof.by + (_left_to_search(problem, result, proof, bound) if proof.searched else "")
    return Written(claim, writer.close(), proof.states, proof.searched, by)


def write_file(problem: Problem, result: Result, path: Path) -> Written:
    """`write` to a file, which is there only if the certificate is.

    :raises InvalidRequest: the file cannot be written
    """
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            written = write(problem, result, file)
        part.replace(path)
    except OSError as error:
        raise InvalidRequest("cannot write the certificate", [Fault("/certificate", why(error))]) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return written


def _left_to_search(problem: Problem, result: Result, proof: _Proof, bound: int) -> str:
    """In words, how much a checker has to search. A short search is not worth the 0.05 s of an estimate."""
    said = "; a checker has to search subtrees"
    if result.counters.generated < MANY_GENERATED:
        return said
    near = proof.back_depth if proof.back_tree is not None else -1
    nodes = nodes_to_search(problem.puzzle, problem.moves, problem.start, proof.tree, bound, near, proof.terms)
    said += f" of some {float(f'{nodes:.1e}'):,.0f} nodes"
    return (
        said if nodes < HOPELESS else f"{said}, which takes it weeks or years: let it check a sample of them, or shares"
    )


def _proof(problem: Problem, result: Result, bound: int, control: Control | None) -> _Proof:
    """The best that there is: kept by the search, made again, or to be searched by the checker."""
    if bound <= 1 and problem.start != problem.puzzle.solved:
        return _Proof(memoryview(b""), None, 0, [], searched=False, by="a look at the start")
    terms, whole = _terms(problem, result.heuristic)
    outcome = result.kept
    if outcome is not None and outcome.tree is not None and (outcome.status == "solved" or outcome.f_bound >= bound):
        if result.method != "astar":
            return _of(outcome, [], searched=False, by=KEPT)
        if whole:
            return _of(outcome, terms, searched=outcome.reopened > 0, by=KEPT)
    tables = pattern_terms(result.heuristic.expression, problem.moves, result.counters.expanded)
    if tables:
        states = min(max(int(PART_OF_BALLS * result.counters.generated), FEW_OF_BALLS), MOST_OF_BALLS)
        return _again(problem, bound, _fitting(problem, [*tables, *terms]), control, result.roots, states)
    learned = _tables(problem, outcome.learned) if outcome is not None else []
    if (
        not learned
        and not result.roots
        and result.counters.expanded < MANY
        and (again := _informed(problem, result, bound, control)) is not None
    ):
        return again
    pieces = piece_terms(problem.puzzle, problem.moves)
    if not learned and result.counters.expanded >= MANY:
        learned = _learned(problem, bound)
    used: list[Term | PatternTerm] = [*pieces, *terms, *(learned or _own_terms(problem))]
    return _again(problem, bound, _fitting(problem, used), control, result.roots)


def _informed(problem: Problem, result: Result, bound: int, control: Control | None) -> _Proof | None:
    """A* with a heuristic that has terms: that of the search, if it then expands hardly more states than the search,
    or else of all that are known the one that is largest at the start; None if that takes too many states."""
    as_many = min(result.counters.expanded + 1_000, MOST_AGAIN)
    own = _astar(problem, [result.heuristic], bound, as_many, control)
    return own or _astar(problem, [result.heuristic, *_known(problem)], bound, MOST_AGAIN, control)


def _astar(
    problem: Problem, known: Sequence[Heuristic], bound: int, most: int, control: Control | None
) -> _Proof | None:
    fitting = [(one(problem.start), one, terms) for one in known for terms, whole in [_terms(problem, one)] if whole]
    if not fitting:
        return None
    _, best, terms = max(fitting, key=itemgetter(0))
    costs = problem.moves.costs
    found = _kernel.astar(heuristic=best.kernel, **_kept(problem, control), max_expanded=most, costs=costs)
    if found.tree is None or (found.status not in ("solved", "exhausted") and found.f_bound < bound):
        return None
    return _of(found, terms, searched=found.reopened > 0, by=f"the states of A* with {best.expression.text}")


def _known(problem: Problem) -> list[Heuristic]:
    """What the puzzle knows by name, if it has it for this board and these moves."""
    puzzle, found = problem.puzzle, []
    for expression in (puzzle.default_heuristic, *(named.expression for named in puzzle.heuristics)):
        with suppress(InvalidExpression):
            found.append(get_heuristic(expression, puzzle, problem.moves))
    return found


def _own_terms(problem: Problem) -> list[Term]:
    """Of all heuristics that the puzzle knows, the terms that are largest at the start."""
    puzzle, found = problem.puzzle, {}
    for heuristic in _known(problem):
        for term in _terms(problem, heuristic)[0]:
            found[b"".join(term.section(puzzle))] = term
    held = puzzle.contents(problem.start)
    return sorted(found.values(), key=lambda term: term.value(held), reverse=True)[:MOST_OWN]


def _learned(problem: Problem, bound: int) -> list[Term]:
    """The cost partitions that IDA* learns for this start and bound."""
    puzzle = problem.puzzle
    if not isinstance(puzzle, PermutationPuzzle):
        return []
    try:
        learned = _kernel.LearnedPartitions(puzzle.kernel, problem.start, problem.move_numbers, bound, pairs=False)
    except ValueError:  # the puzzle is too large for them
        return []
    return _tables(problem, learned.costs)


def _tables(problem: Problem, costs: Sequence[Sequence[int]]) -> list[Term]:
    """Cost partitions as terms: tables of shares of a move."""
    puzzle = problem.puzzle
    tables = np.array(costs).reshape(-1, len(puzzle.values), max(puzzle.values))
    terms = [Term(SUM, _kernel.LearnedPartitions.scale, table) for table in np.unique(tables, axis=0)]
    return [term for term in terms if term.admissible(puzzle, problem.moves)]


def _terms(problem: Problem, heuristic: Heuristic) -> tuple[list[Term], bool]:
    terms, whole = terms_of(heuristic.expression, problem.puzzle, problem.moves)
    fitting = _fitting(problem, terms)
    return fitting, whole and len(fitting) == len(terms)


def _fitting(problem: Problem, terms: Sequence[AnyTerm]) -> list[AnyTerm]:
    """The first of these, as many as checkers take."""
    most = min(MOST_OF_TABLES // max(numbers_of(problem.puzzle, problem.moves), 1) - 1, MOST_TABLES)
    tables = [len(term.patterns) if isinstance(term, PatternTerm) else 1 for term in terms]
    return [term for term, used in zip(terms, accumulate(tables), strict=True) if used <= most]


def _of(outcome: _kernel.Outcome, terms: Sequence[Term | PatternTerm], *, searched: bool, by: str) -> _Proof:
    assert outcome.tree is not None
    back = None if outcome.back_tree is None else outcome.back_tree.data
    return _Proof(outcome.tree.data, back, outcome.back_depth, terms, searched, by)


def _again(
    problem: Problem,
    bound: int,
    terms: Sequence[Term | PatternTerm],
    control: Control | None,
    roots: Sequence[Sequence[int]],
    states: int | None = None,
) -> _Proof:
    """Some states near the start and near the goal, where moves have costs only near the start; what is between them is
    for the checker. Near the start they are those above the roots of subtrees, if a search was shared."""
    kept, most = _kept(problem, control), states or MOST_OF_BALLS
    if problem.moves.costs:
        blind = get_heuristic("zero", problem.puzzle, problem.moves).kernel
        found = _kernel.astar(heuristic=blind, costs=problem.moves.costs, **kept, max_generated=most)
    else:
        found = _kernel.bidirectional(**kept, max_generated=most)
    # The start has no solution, which the method of these states does not know.
    if found.status == "exhausted" and not problem.moves.costs:
        found, terms = _kernel.breadth_first(**_kept(problem, control), max_expanded=MOST_CLOSED), []
    if found.tree is None:
        raise Refused("too_large", "there was no time or memory for the states near the start and the goal")
    sizes = [term.sizes for term in terms if isinstance(term, PatternTerm)]
    databases = f" databases of {', '.join(sizes)} pieces and" if sizes else ""
    near = (
        "near the start, and from them on" if problem.moves.costs else "near the start and the goal, and between them"
    )
    by = f"states {near}{databases} {len(terms) - len(sizes)} sums and maxima"
    proof = _of(found, terms, searched=found.status == "limit_reached" and found.f_bound < bound, by=by)
    if not proof.searched or not roots:
        return proof
    by += f"; the subtrees are the {len(roots)} that workers searched, and others where the file's bounds are weaker"
    return replace(proof, tree=_above(problem, roots), by=by)


def _above(problem: Problem, roots: Sequence[Sequence[int]]) -> memoryview:
    """The tree of the states on the ways to these roots, without these, which are in the order of a search."""
    places = {number: place for place, number in enumerate(problem.move_numbers)}
    tree, path = bytearray(), list[int]()
    for root in roots:
        word = [places[number] for number in root[:-1]]
        same = 0
        while same < min(len(path), len(word)) and path[same] == word[same]:
            same += 1
        tree += bytes([UP] * (len(path) - same) + word[same:])
        path = word
    return memoryview(tree + bytes([UP] * len(path)))


def _kept(problem: Problem, control: Control | None) -> dict[str, Any]:
    """The arguments of a blind search that keeps its states."""
    return {
        "puzzle": problem.puzzle.kernel, "start": problem.start, "moves": problem.move_numbers,
        "memory_bytes": problem.limits.memory_mib << 20, "keep_tree": True, "control": (control or Control()).search(),
    }  # fmt: skip


def _unsolvable(problem: Problem, result: Result, writer: Writer, start: bytes, control: Control | None) -> Written:
    puzzle, moves = problem.puzzle, problem.moves
    claim = "the goal cannot be reached"
    writer.section("CLAM", bytes([UNSOLVABLE]), start)
    found = invariants.find(puzzle, moves, puzzle.contents(problem.start))
    if found is not None:
        writer.section("INVR", invariant_section(puzzle, found))
        return Written(claim, writer.close(), 0, searched=False, by="an invariant of the moves")
    outcome = result.kept
    if outcome is None or outcome.tree is None or outcome.back_tree is not None:
        outcome = _kernel.breadth_first(**_kept(problem, control), max_expanded=MOST_CLOSED)
    if outcome.status != "exhausted":
        raise Refused("too_large", "too many states can be reached, and no invariant was found")
    if outcome.tree is None:
        raise Refused("too_deep", f"states of the proof are more than {MOST_MOVES} moves away")
    proof = _of(outcome, [], searched=False, by="all states that can be reached")
    writer.section("TREE", proof.tree)
    return Written(claim, writer.close(), proof.states, searched=False, by=proof.by)
