"""From an experiment's request to its rows, which are the same and in the same order on every machine.

An *instance* is a scramble, a random state, or a given state or alg. The seed of a scramble is the first 48 bits of
``SHA-256("hstar experiment 1|<seed of the experiment>|<k>|<trial>")``, trials counted from 1; that of a random state
has ``random`` for k. 48 bits, because JavaScript and spreadsheets read such a number exactly. More trials, more k or
another heuristic do not change the other instances.

>>> design = plan(ExperimentRequest(puzzle="8-puzzle", k=[4, 6], trials=2, seed=7, heuristics=["manhattan"]))
>>> [(row.index, row.k, row.trial) for row in design.rows()]
[(0, 4, 1), (1, 4, 2), (2, 6, 1), (3, 6, 2)]
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice, product
from typing import Any, Literal

from hstar import schema, search
from hstar.errors import Fault, HstarError, InvalidRequest, UnknownName
from hstar.experiments.instances import Instance, check
from hstar.experiments.schema import MAX_ROWS, ExperimentRequest, Series
from hstar.heuristics import Heuristic
from hstar.options import OPTIONS, Options
from hstar.puzzles import get_puzzle

#: each at its default
NO_OPTIONS = Options()

Role = Literal["search", "true_distance"]

#: what proves h* of an instance
TRUE_DISTANCE_ALGORITHM: schema.Algorithm = "auto"


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to search, used for every instance; if ``heuristic`` is None, the algorithm chooses it."""

    role: Role
    algorithm: schema.Algorithm
    heuristic: str | None
    options: Options = NO_OPTIONS

    @property
    def series(self) -> Series:
        return Series(algorithm=self.algorithm, heuristic=self.heuristic, **dict(self.options))


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """One search of an experiment; ``index`` is its position, from 0.

    ``seed`` is that of its scramble of k moves, or of its random state if k is None; ``given`` the instance that it has
    instead. ``trial`` is counted from 1, for each k.
    """

    index: int
    k: int | None
    trial: int
    seed: int | None
    given: Instance | None
    configuration: Configuration


@dataclass(frozen=True)
class Design:
    """A checked experiment. ``problem`` is its first row, ready to search; all rows have its puzzle, moves and
    limits."""

    request: ExperimentRequest
    ks: tuple[int, ...]
    configurations: tuple[Configuration, ...]
    #: for each configuration its heuristic, compiled
    heuristics: tuple[Heuristic, ...]
    problem: search.Problem
    scramble_moves: str | None
    #: those that the request gives
    instances: tuple[Instance, ...] = ()

    def __len__(self) -> int:
        return self.request.instance_count * len(self.configurations)

    def rows(self) -> Iterator[PlannedRow]:
        """Every row, by k, then trial, then configuration, so that comparable rows are done together."""
        index = 0
        for k, trial, seed, given in self._instances():
            for configuration in self.configurations:
                yield PlannedRow(index, k, trial, seed, given, configuration)
                index += 1

    def _instances(self) -> Iterator[tuple[int | None, int, int | None, Instance | None]]:
        request = self.request
        for k in self.ks:
            for trial in range(1, request.trials + 1):
                yield k, trial, instance_seed(request.seed, k, trial), None
        for trial in range(1, (request.random or 0) + 1):
            yield None, trial, instance_seed(request.seed, None, trial), None
        for trial, given in enumerate(self.instances, start=1):
            yield None, trial, None, given

    def solve_request(self, row: PlannedRow) -> schema.SolveRequest:
        """The search of a row: the body of ``POST /v1/solves`` that gives the same answer."""
        request = self.request
        return schema.SolveRequest(
            puzzle=request.puzzle,
            goal=request.goal,
            **start_of(row.k, row.seed, self.scramble_moves, row.given),
            moves=self.problem.moves.name,
            algorithm=row.configuration.algorithm,
            heuristic=row.configuration.heuristic,
            **dict(row.configuration.options),
            limits=schema.LimitsIn(**self.problem.limits.model_dump()),
            tags=request.tags,
            priority=request.priority,
        )

    @property
    def databases(self) -> dict[str, int]:
        """The identity of each pattern database that may be built for it, and its largest size in bytes."""
        kinds = (self.solve_request(row) for row in islice(self.rows(), len(self.configurations)))
        return {
            name: size for one in kinds for name, size in search.databases_of(search.prepare(one, costs=True)).items()
        }

    @property
    def fingerprint(self) -> str:
        """64 hexadecimal digits, equal for two designs only if their rows are the same searches.

        Names are resolved and defaults are filled in. Tags and priority, which change no search, are left out.
        """
        problem = self.problem
        searched = {
            "puzzle": problem.puzzle.name,
            "goal": problem.puzzle.goal_board(),
            "scramble_moves": self.scramble_moves,
            "moves": problem.moves.name,
            **self._asked(),
            "configurations": [
                {
                    "role": configuration.role,
                    "algorithm": configuration.algorithm,
                    "heuristic": heuristic.expression.text,
                    **configuration.options.model_dump(exclude_none=True),
                }
                for configuration, heuristic in zip(self.configurations, self.heuristics, strict=True)
            ],
            "limits": problem.limits.model_dump(),
        }
        return sha256(json.dumps(searched, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def _asked(self) -> dict[str, object]:
        """What tells the instances from those of another experiment."""
        request = self.request
        if request.instances is not None:
            return {"instances": [[*one.start, one.name, one.text, one.optimum] for one in self.instances]}
        if request.random is not None:
            return {"random": request.random, "seed": request.seed}
        return {"k": self.ks, "trials": request.trials, "seed": request.seed}


def instance_seed(seed: int, k: int | None, trial: int) -> int:
    """The seed of the scramble, or of the random state if k is None, of (experiment seed, k, trial): 48 bits of
    SHA-256."""
    digest = sha256(f"hstar experiment 1|{seed}|{'random' if k is None else k}|{trial}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


def start_of(k: int | None, seed: int | None, scramble_moves: str | None, given: Instance | None) -> dict[str, Any]:
    """The field of a solve's request that sets its start."""
    if given is not None:
        return given.start
    return {"random": seed} if k is None else {"scramble": schema.ScrambleIn(k=k, seed=seed or 0, moves=scramble_moves)}


def plan(request: ExperimentRequest, caps: schema.LimitsIn | None = None, max_rows: int = MAX_ROWS) -> Design:
    """Check a whole experiment before any of its rows is made.

    :param caps: no limit may be above these; a limit that is left out takes the cap
    :raises InvalidRequest: it has too many rows, or an unknown name; has all faults
    """
    ks = request.ks()
    configurations = tuple(_configurations(request))
    rows = request.instance_count * len(configurations)
    if rows > max_rows:
        of_k = f"{len(ks)} k x {request.trials} trials"
        those = f"{request.instance_count:,} instances" if request.k is None else of_k
        text = f"{those} x {len(configurations)} searches is {rows:,}"
        raise InvalidRequest("the experiment is too large", [Fault("", f"{text}; the most is {max_rows:,}")])
    faults = [*_unused_options(request), *_unknown_names(request)]
    instances = _instances(request, faults)
    problems = _prepare(request, next(iter(ks), None), instances, configurations, caps, faults)
    seen: dict[tuple[str, Options, str, Role], str] = {}
    for configuration, problem in problems.items():
        name = configuration.heuristic or "the default"
        text = search.heuristic_of(problem).expression.text
        key = (configuration.algorithm, configuration.options, text, configuration.role)
        if key in seen:
            faults.append(Fault("/heuristics", f"{name} is the same heuristic as {seen[key]}"))
        seen[key] = name
    if faults:
        raise InvalidRequest("the experiment cannot be run", list(dict.fromkeys(faults)))
    # The default is made explicit, so that tables and plots name it.
    problems = {_named(configuration, problem): problem for configuration, problem in problems.items()}
    configurations = tuple(problems)
    first = problems[configurations[0]]
    return Design(
        request=request,
        ks=ks,
        configurations=configurations,
        heuristics=tuple(search.heuristic_of(problems[configuration]) for configuration in configurations),
        problem=first,
        scramble_moves=None if first.given.scramble is None else first.given.scramble.moves,
        instances=tuple(instances),
    )


def _configurations(request: ExperimentRequest) -> Iterator[Configuration]:
    """The ways to search; the proof of the true distance comes first.

    If an algorithm does not use an option, there is one row, not one for each of its values.
    """
    if request.true_distance:
        yield Configuration("true_distance", TRUE_DISTANCE_ALGORITHM, None)
    yielded = set()
    heuristics: list[str | None] = [*request.heuristics] or [None]
    values = [request.values(name) or [OPTIONS[name].default] for name in Options.model_fields]
    for algorithm in request.algorithms:
        for heuristic in heuristics:
            for chosen in product(*values):
                given = Options.model_construct(**dict(zip(Options.model_fields, chosen, strict=True)))
                configuration = Configuration(
                    "search",
                    algorithm,
                    heuristic if _uses("heuristic", algorithm) else None,
                    search.options_in_force(algorithm, given),
                )
                if configuration not in yielded:
                    yielded.add(configuration)
                    yield configuration


def _uses(option: str, algorithm: schema.Algorithm) -> bool:
    """``auto`` chooses all for itself."""
    return option in search.ALGORITHMS[algorithm].options


def _named(configuration: Configuration, problem: search.Problem) -> Configuration:
    if configuration.heuristic is not None or not _uses("heuristic", configuration.algorithm):
        return configuration
    heuristic = problem.heuristic
    return replace(configuration, heuristic=heuristic.name or heuristic.expression.text)


def _unused_options(request: ExperimentRequest) -> Iterator[Fault]:
    """Faults of options that no algorithm of the request uses."""
    names = " and ".join(dict.fromkeys(request.algorithms))
    for option in OPTIONS.values():
        given = [] if option.shown.local else [v for v in request.values(option.name) if v != option.default]
        if given and not any(_uses(option.name, name) for name in request.algorithms):
            place = option.shown.plural or option.name
            yield Fault(f"/{place}", f"{names} would not look at them; leave them out")


def _unknown_names(request: ExperimentRequest) -> Iterator[Fault]:
    """Faults of unknown move sets. Raises `InvalidRequest` for an unknown puzzle, because nothing else can be checked
    then."""
    try:
        puzzle = get_puzzle(request.puzzle, request.goal)
    except HstarError as error:
        raise InvalidRequest("the experiment cannot be run", error.faults) from None
    for field in ("moves", "scramble_moves"):
        try:
            puzzle.move_set(getattr(request, field), costs=field == "moves")
        except UnknownName as error:
            yield Fault(f"/{field}", error.message)


def _instances(request: ExperimentRequest, faults: list[Fault]) -> list[Instance]:
    """The given instances, checked; their faults are added to ``faults``."""
    try:
        return check(request.instances or (), get_puzzle(request.puzzle, request.goal))
    except InvalidRequest as error:
        faults += error.faults
    return []


def _prepare(
    request: ExperimentRequest,
    k: int | None,
    instances: list[Instance],
    configurations: tuple[Configuration, ...],
    caps: schema.LimitsIn | None,
    faults: list[Fault],
) -> dict[Configuration, search.Problem]:
    """The first instance prepared for every configuration, which finds the faults of all rows.

    They are added to ``faults``. Move sets that are named there already are replaced by the puzzle's own.
    """
    problems: dict[Configuration, search.Problem] = {}
    unknown = {fault.where for fault in faults}
    scramble_moves = None if "/scramble_moves" in unknown else request.scramble_moves
    seed = instance_seed(request.seed, k, 1)
    if request.instances is not None and not instances:  # their faults are known
        return {}
    start = start_of(k, seed, scramble_moves, next(iter(instances), None))
    for configuration in configurations:
        try:
            problems[configuration] = search.prepare(
                schema.SolveRequest(
                    puzzle=request.puzzle,
                    goal=request.goal,
                    **start,
                    moves=None if "/moves" in unknown else request.moves,
                    algorithm=configuration.algorithm,
                    heuristic=configuration.heuristic,
                    **dict(configuration.options),
                    limits=request.limits,
                ),
                caps,
                costs=True,
            )
        except HstarError as error:
            name = configuration.heuristic
            where = "" if name is None else f"/heuristics/{request.heuristics.index(name)}"
            for fault in error.faults or (Fault("", ""),):
                if fault.where.startswith("/"):
                    faults.append(fault)
                else:
                    parts = ("" if name is None else f"{name!r:.80}", error.message, str(fault))
                    faults.append(Fault(where, ": ".join(filter(None, parts))))
    return problems
