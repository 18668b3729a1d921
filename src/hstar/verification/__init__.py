"""Verification: is a claimed solution valid, how far is it from the optimum, and are the claimed numbers possible?

>>> verdict = verify(VerificationRequest(puzzle="8-puzzle", state="2 8 3 / 1 6 4 / 0 7 5", solution="U R U L D R"))
>>> verdict.valid, verdict.length, verdict.optimal_length, verdict.excess                        # doctest: +SKIP
"""

from __future__ import annotations

from hstar import search
from hstar.errors import Fault, InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.heuristics.databases import named_by
from hstar.labels import labelling_of
from hstar.verification import claims
from hstar.verification.optimum import Optimum, optimum
from hstar.verification.replay import Reader, Replay, replay
from hstar.verification.schema import ClaimJudged, Claims, Verification, VerificationRequest

__all__ = ["Claims", "Prepared", "Verification", "VerificationRequest", "prepare", "verify"]


class Prepared:
    """A verification whose instance has been read. From here on nothing is refused, only judged.

    :raises HstarError: the puzzle, instance, labels, notation, move set or heuristic is not acceptable; has all faults
    """

    def __init__(self, request: VerificationRequest) -> None:
        self.request = request
        # Prepared as the search for the optimum, which does not use the heuristic of the claimed counts.
        problem = search.prepare(
            search.SolveRequest(
                puzzle=request.puzzle, goal=request.goal, state=request.state, scramble=request.scramble,
                alg=request.alg, labels=request.labels, moves=request.moves, algorithm="auto",
            ),
            costs=True,
        )  # fmt: skip
        self.puzzle = problem.puzzle
        self.moves = problem.moves
        counted = [name for name in ("expanded", "generated") if getattr(request.claims, name) is not None]
        if self.moves.costs and counted:
            faults = [Fault(f"/claims/{name}", "nodes are counted where each move costs 1") for name in counted]
            raise InvalidRequest("with costs no number of nodes can be verified", faults)
        self.state = problem.start
        if request.notation is not None:
            self.puzzle.notation(request.notation)
        self.heuristic = get_heuristic(request.heuristic, self.puzzle, self.moves)
        shown = search.question(problem)
        labelling = labelling_of(shown)
        self.reader = Reader(self.puzzle, labelling, request.notation)
        self.start = shown.start if labelling is None else labelling.rename_solve(shown).start

    @property
    def databases(self) -> dict[str, int]:
        """The identity of each pattern database that may be built for it, and its largest size in bytes."""
        request = search.SolveRequest(
            puzzle=self.puzzle.name, goal=self.puzzle.goal_board(), alg="", moves=self.moves.name, algorithm="auto"
        )
        return search.databases_of(search.prepare(request, costs=True)) | named_by([self.heuristic.expression])

    def run(self, control: search.Control | None = None) -> Verification:
        """Replay, search for the optimum, and judge the claims."""
        limit = self.request.limits.expanded
        replayed = replay(self.reader, self.state, self.moves, self.request.solution)
        best = optimum(self.puzzle, self.state, self.moves, limit, control)
        judged = claims.judge(
            self.request.claims, self.puzzle, self.state, self.moves, self.heuristic, replayed, best, limit, control
        )
        return self._answer(replayed, best, judged)

    def _answer(self, replayed: Replay, best: Optimum, judged: list[ClaimJudged]) -> Verification:
        length = replayed.length
        known = best.length
        # If a valid solution is as long as the bound, the bound is h*.
        if known is None and replayed.valid and length == best.lower_bound:
            known = length
        excess = length - known if replayed.valid and known is not None else None
        return Verification(
            puzzle=self.puzzle.name,
            goal=self.puzzle.goal_board(),
            moves=self.moves.name,
            start=self.start,
            solution=self.reader.format(replayed.moves),
            valid=replayed.valid,
            first_wrong=replayed.number,
            reason=replayed.reason,
            unsolved=list(replayed.unsolved),
            length=length,
            optimal_length=known,
            lower_bound=best.lower_bound,
            excess=excess,
            shorter=self.reader.format(best.solution) if excess and best.solution is not None else None,
            optimality=None if not replayed.valid else "proven" if length == known else "feasible",
            claims=judged,
            searched=best.expanded,
        )


def prepare(request: VerificationRequest) -> Prepared:
    """Read and check a request; raises `HstarError` with all its faults."""
    return Prepared(request)


def verify(request: VerificationRequest, control: search.Control | None = None) -> Verification:
    """The verdict on a claimed solution.

    :raises HstarError: the instance, labels, notation, move set or heuristic is not acceptable; a wrong solution is a
        verdict, not an error
    """
    return prepare(request).run(control)
