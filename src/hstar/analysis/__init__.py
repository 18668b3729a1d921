"""One instance from all sides: h and h* along a line of moves, the f-layers of A*, and somebody's own counts and trace.

>>> found = analyse(AnalysisRequest(puzzle="8-puzzle", alg="U L D", heuristic="manhattan"))
>>> [(position.h, position.distance) for position in found.line]
[(3.0, 3), (2.0, 2), (1.0, 1), (0.0, 0)]

What a position is worth is proven or missing: ``distance`` is null where a search came to its limit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Literal, cast

from hstar import search
from hstar.analysis import traces
from hstar.analysis.schema import (
    MAX_LINE,
    Analysis,
    AnalysisRequest,
    Counting,
    CountOf,
    Layer,
    Position,
    Searched,
    TraceRead,
)
from hstar.errors import Fault, HstarError, InvalidAlg, InvalidRequest
from hstar.heuristics.analysis import ROUNDING
from hstar.heuristics.databases import named_by
from hstar.labels import labelling_of
from hstar.puzzles import State
from hstar.schema import Counters, LimitsIn, SolveOutcome, SolveRequest
from hstar.search.control import Control, Stopped
from hstar.search.methods import METHODS
from hstar.search.result import branching_effective
from hstar.search.run import Run, Search
from hstar.verification import claims, conventions
from hstar.verification.optimum import optimum
from hstar.verification.replay import Reader
from hstar.verification.schema import Convention

__all__ = ["Analysis", "AnalysisRequest", "Prepared", "analyse", "prepare"]

#: searches for true distances together take at most this many times the limit of one
MOST_SEARCHES = 4


class Prepared:
    """An analysis whose inputs have been read. From here on nothing is refused.

    :raises HstarError: the start, labels, notation, line, move set, heuristic or trace is not acceptable
    """

    def __init__(self, request: AnalysisRequest) -> None:
        self.request = request
        names = {"puzzle", "goal", "state", "scramble", "random", "alg", "labels", "moves", "heuristic"}
        given = {name: getattr(request, name) for name in names if getattr(request, name) is not None}
        self.problem = search.prepare(
            SolveRequest(**given, algorithm="astar", limits=LimitsIn(expanded=request.limits.expanded))
        )
        self.puzzle, self.moves, self.state = self.problem.puzzle, self.problem.moves, self.problem.start
        self.heuristic = self.problem.heuristic
        if request.notation is not None:
            self.puzzle.notation(request.notation)
        shown = search.question(self.problem)
        labelling = labelling_of(shown)
        self.start = shown.start if labelling is None else labelling.rename_solve(shown).start
        self.reader = Reader(self.puzzle, labelling, request.notation)
        self.line = None if request.line is None else self._read(request.line, "/line")
        self.trace = None if request.trace is None else traces.read(request.trace)

    @property
    def databases(self) -> dict[str, int]:
        """The identity of each pattern database that may be built for it, and its largest size in bytes."""
        goal = self.puzzle.goal_board()
        proof = SolveRequest(puzzle=self.puzzle.name, goal=goal, alg="", moves=self.moves.name, algorithm="auto")
        return search.databases_of(search.prepare(proof)) | named_by([self.heuristic.expression])

    def run(self, control: Control | None = None) -> Analysis:
        """Search, and look at every position of the line.

        :raises Stopped: by the control
        """
        control = control or Control()
        limit = self.request.limits.expanded
        shortest = search.solve(search.proof(self._shortest()), control)
        _stop(control)
        proven = shortest.optimality == "proven"
        length = shortest.length
        line, spent = self._line(shortest.solution if proven else None, limit, control)
        over = (n for n, at in enumerate(line) if at.distance is not None and at.h > at.distance + ROUNDING)
        searched = self._searched(control)
        trace = None if self.trace is None else self._trace()
        if trace is not None:
            own = {layer.f: layer.expanded for layer in trace.layers}
            fs = sorted({layer.f for layer in searched.layers} | own.keys())
            counted = {layer.f: layer.expanded for layer in searched.layers}
            layers = [Layer(f=f, expanded=counted.get(f, 0), own=own.get(f, 0)) for f in fs]
            searched = searched.model_copy(update={"layers": layers})
        return Analysis(
            puzzle=self.puzzle.name,
            goal=self.puzzle.goal_board(),
            moves=self.moves.name,
            start=self.start,
            heuristic=self.problem.describe(self.heuristic),
            solution=None if shortest.solution is None else self.reader.format(shortest.solution),
            length=length,
            lower_bound=shortest.lower_bound,
            optimality=shortest.optimality,
            line=line,
            overestimates=next(over, None),
            search=searched,
            counting=self._counting(trace, limit, control),
            trace=trace,
            searched=shortest.counters.expanded + spent,
        )

    def _read(self, text: str, where: str) -> tuple[str, ...]:
        """The moves of an alg from the start on, each of which can be made there."""
        try:
            moves = self._parse(text)
            self.puzzle.apply_alg(self.state, moves)
        except HstarError as error:
            faults = [Fault(f"{where}: {fault.where}", fault.message) for fault in error.faults]
            raise InvalidRequest("the line cannot be followed", faults or [Fault(where, error.message)]) from None
        if len(moves) > MAX_LINE:
            fault = Fault(where, f"at most {MAX_LINE} moves, found {len(moves)}")
            raise InvalidRequest("there are too many moves", [fault])
        return moves

    def _parse(self, text: str) -> tuple[str, ...]:
        """An alg in the request's names, or else in the puzzle's own, which a turn by hand is written in."""
        try:
            read = self.reader.begin()
            return tuple(move for token in self.reader.said(text) for move in read(token))
        except InvalidAlg:
            if self.reader.labelling is None and self.reader.notation is None:
                raise
            return self.puzzle.parse_alg(text)

    def _shortest(self) -> search.Problem:
        shown = self.puzzle.format_state(self.state)
        state = {"pieces": shown["pieces"]} if "pieces" in shown else shown
        return search.prepare(
            SolveRequest(
                puzzle=self.puzzle.name, goal=self.puzzle.goal_board(), state=state, moves=self.moves.name,
                algorithm="auto", limits=LimitsIn(expanded=self.request.limits.expanded),
            )
        )  # fmt: skip

    def _line(self, shortest: list[str] | None, limit: int, control: Control) -> tuple[list[Position], int]:
        """Every position of the line, and the expansions that their distances took.

        On a shortest solution no search is needed: were one of its states nearer to the goal, there would be a shorter
        one.
        """
        moves = self.line if self.line is not None else tuple(shortest or ())
        given = self.reader.format(moves)
        states = [self.state]
        for move in moves:
            states.append(self.puzzle.apply_alg(states[-1], [move]))
        left = {}
        if shortest is not None:
            at: State = self.state
            for number in range(len(shortest) + 1):
                left[at] = len(shortest) - number
                if number < len(shortest):
                    at = self.puzzle.apply_alg(at, [shortest[number]])
        line, spent = [], 0
        for number, state in enumerate(states):
            distance = bound = left.get(state)
            if distance is None and spent < MOST_SEARCHES * limit:
                best = optimum(self.puzzle, state, self.moves, limit, control)
                _stop(control)
                distance, bound, spent = best.length, best.lower_bound, spent + best.expanded
            line.append(
                Position(
                    move=moves[number - 1] if number else None,
                    written=given[number - 1] if number else None,
                    state=self.puzzle.format_state(state),
                    h=self.heuristic(state),
                    distance=distance,
                    lower_bound=bound,
                )
            )
        return line, spent

    def _searched(self, control: Control) -> Searched:
        """A* with the heuristic, and its expansions by f."""
        problem = self.problem
        budget = search.Budget(problem.limits, control)
        method = METHODS["astar"]
        assert method.search is not None
        run = Run(problem, budget, {"astar": method.search})
        if not run.load(self.heuristic, budget):
            raise Stopped
        (step,) = search.plan_of(problem)
        outcome = run.search("astar", Search(problem, self.heuristic, step, budget))
        _stop(control)
        if outcome.status == "solved":
            run.offer([self.puzzle.moves[number] for number in outcome.path], merge=False)
        length = None if run.solution is None else len(run.solution)
        last = None if length is None else outcome.expanded_last_layer
        return Searched(
            outcome=cast(SolveOutcome, outcome.status),
            limit=outcome.limit,
            length=length,
            counters=Counters(
                expanded=outcome.expanded,
                expanded_last_layer=last,
                expanded_before_last_layer=None if last is None else outcome.expanded - last,
                generated=outcome.generated,
                evaluated=outcome.evaluated,
                reopened=outcome.reopened,
                stored=outcome.stored,
                max_open=outcome.max_open,
                branching_generated=outcome.generated / length if length else None,
                branching_effective=branching_effective(outcome.generated, length) if length else None,
            ),
            layers=[Layer(f=f, expanded=expanded) for f, expanded in outcome.layers],
        )

    def _trace(self) -> TraceRead:
        assert self.trace is not None
        by_path: dict[str, tuple[float, int] | str] = {}

        def value(path: str) -> tuple[float, int] | str:
            if path not in by_path:
                try:
                    moves = self._parse(path)
                    by_path[path] = self.heuristic(self.puzzle.apply_alg(self.state, moves)), len(moves)
                except HstarError as error:
                    by_path[path] = error.shortly
            return by_path[path]

        faults, checked = traces.check(self.trace, value)
        layers = Counter(row.g + row.h for row in self.trace.rows)
        return TraceRead(
            rows=len(self.trace.rows),
            columns=self.trace.columns,
            layers=[Layer(f=f, expanded=count) for f, count in sorted(layers.items())],
            checked=checked,
            faults=faults[: traces.MOST_FAULTS],
            more_faults=max(0, len(faults) - traces.MOST_FAULTS),
        )

    def _counting(self, trace: TraceRead | None, limit: int, control: Control) -> list[Counting]:
        given = {"expanded": self.request.counts.expanded, "generated": self.request.counts.generated}
        if given["expanded"] is None and trace is not None:
            given["expanded"] = trace.rows
        found = []
        for what in ("expanded", "generated"):
            claimed = given[what]
            if claimed is None:
                continue
            asked = (self.puzzle, self.moves, self.heuristic)
            judged = claims.judge_count(what, claimed, self.puzzle, self.state, *asked[1:], limit, control)
            spread = conventions.counts(*asked, self.state, what, control)
            matching: Callable[[int], list[Convention]]
            if spread is not None:
                tally, matching = Counter(count for count, _ in spread.counts), spread.matching
            else:
                long = claims.long_counts(self.puzzle, self.state, *asked[1:], limit, control)
                own = [] if long is None else long.expanded if what == "expanded" else long.generated
                tally, matching = Counter(own), _matching(dict(zip(claims.TIES, own, strict=False)), what)
            nearest = min(tally, key=lambda count: (abs(count - claimed), count), default=None)
            convention = None if nearest is None else matching(nearest)[0]
            found.append(
                Counting(
                    what=what,
                    claimed=claimed,
                    judged=judged,
                    spread=[CountOf(count=count, conventions=many) for count, many in sorted(tally.items())],
                    nearest=convention,
                    nearest_in_words=None if convention is None else conventions.in_words(convention),
                    nearest_count=nearest,
                )
            )
        return found


def _matching(
    counted: dict[Literal["low_h", "lifo", "fifo"], int], what: Literal["expanded", "generated"]
) -> Callable[[int], list[Convention]]:
    """The service's own conventions that give a count, as `conventions.Range.matching`."""
    return lambda count: [conventions.by_service(ties, what) for ties, found in counted.items() if found == count]


def _stop(control: Control) -> None:
    if control.cancelled:
        raise Stopped


def prepare(request: AnalysisRequest) -> Prepared:
    """Read and check a request; raises `HstarError` with its faults."""
    return Prepared(request)


def analyse(request: AnalysisRequest, control: Control | None = None) -> Analysis:
    """One instance from all sides.

    :raises HstarError: the request is not acceptable
    """
    return prepare(request).run(control)
