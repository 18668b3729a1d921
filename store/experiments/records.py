"""Experiments: a request, and the solves that are its rows.

    with stage(sessions.engine, records.row_sets(id, owner, design)) as staged:
        with sessions.write(staged.file) as session:
            records.create(session, id, owner, design, staged)  # all rows or none; commit first, then wake workers
    with sessions.read() as session:
        found = records.get(session, id, owner)
        rows = list(rows.read(session, found))                  # hstar.experiments takes it from here

Each row is an ordinary solve: workers claim it and ``GET /v1/jobs/{id}`` shows it. Only its start is not stored,
because its scramble always gives the same start; that of other instances is. Rows are numbered in the design's order:
by k, then trial, then configuration; so k, trial and configuration follow from a row's number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any, cast

from sqlalchemy import ColumnElement, Table, bindparam, case, func, insert, literal, select
from sqlalchemy import delete as sql_delete
from sqlalchemy.orm import Session

from hstar import __version__, schema
from hstar.experiments.design import Design, PlannedRow, instance_seed, start_of
from hstar.experiments.forecast import Tally
from hstar.experiments.instances import numbered
from hstar.experiments.rows import ExperimentRow, columns_of_given
from hstar.experiments.schema import ExperimentRequest, Outcomes
from hstar.puzzles import get_puzzle, make_scramble
from hstar.search import prepare, question
from hstar.search.prepare import read_start
from store.database.options import OPTION_COLUMNS
from store.database.staging import RowSet, Staged
from store.experiments.models import Experiment, ExperimentMember
from store.ids import created_at, new_id, parse_id
from store.jobs import rules, statements
from store.jobs.models import Job
from store.jobs.statements import is_in, row
from store.jobs.states import FINAL, State
from store.owners.principal import Principal, visible_to
from store.solves.models import Solve, SolveDocument, SolveTag
from store.solves.status import DONE, Status
from store.solves.submission import NewSolve, document_values, solve_values

_jobs = cast(Table, Job.__table__)
_solves = cast(Table, Solve.__table__)
_documents = cast(Table, SolveDocument.__table__)
_members = cast(Table, ExperimentMember.__table__)
_tags = cast(Table, SolveTag.__table__)

#: rows that one statement of `rows` reads
PIECE = 2000

_TEXTS = ("solution", "layers")
_ANSWER = tuple(name for name in schema.ANSWER_COLUMNS if name not in _TEXTS)
_QUESTION = (
    "puzzle", "scramble_moves", "moves", "algorithm", *OPTION_COLUMNS,
    *(f"limit_{name}" for name in schema.Limits.model_fields),
)  # fmt: skip


# An arbitrary number that no other lock of ours has: requests that look for the same experiment go one at a time.
_LOOKING = 0x68737465


@dataclass(frozen=True, slots=True)
class Standing:
    """The counts of an experiment's rows in one snapshot; ``finished_at``: when the last one ended, if all have."""

    outcomes: Outcomes
    running: int
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Version:
    """The version of an experiment's rows: equal versions mean equal rows.

    Ended rows never change, so their number is enough; running rows are listed by id.
    """

    ended: int
    running: tuple[int, ...]


def create(session: Session, experiment_id: str, owner: str, design: Design, staged: Staged) -> None:
    """Insert an experiment and all its rows, queued, in a few statements; ``staged``: its `row_sets`."""
    session.add(
        Experiment(
            id=experiment_id,
            owner=owner,
            created_at=created_at(experiment_id),
            puzzle=design.problem.puzzle.name,
            request=design.request.model_dump_json(exclude_unset=True),
            configurations=_configurations(design),
            trials=design.request.trials if design.ks else design.request.instance_count,
            row_count=len(design),
            fingerprint=_fingerprint(design),
        )
    )
    session.flush()
    staged.insert_into(session)
    mine = select(_members.c.solve_id).where(_members.c.experiment_id == experiment_id)
    for key, value in design.request.tags.items():
        tag = mine.add_columns(literal(key), literal(value))
        session.execute(insert(_tags).from_select(["solve_id", "key", "value"], tag))


def row_sets(experiment_id: str, owner: str, design: Design) -> list[RowSet]:
    """All rows of an experiment, table by table, generated from the design."""
    ids = [new_id() for _ in range(len(design))]
    templates = [_Template(design, owner, number) for number in range(len(design.configurations))]

    def planned() -> Iterator[tuple[PlannedRow, str, _Template]]:
        for one in design.rows():
            yield one, ids[one.index], templates[one.index % len(templates)]

    first = templates[0]
    return [
        RowSet(_jobs, first.job_columns, lambda: (kind.job(one, id) for one, id, kind in planned())),
        RowSet(_solves, first.solve_columns, lambda: (kind.solve(one, id) for one, id, kind in planned())),
        RowSet(_documents, first.document_columns, lambda: (kind.document(one, id) for one, id, kind in planned())),
        RowSet(
            _members,
            ("experiment_id", "row_index", "solve_id"),
            lambda: ((experiment_id, index, id) for index, id in enumerate(ids)),
        ),
    ]


class _Template:
    """The rows of one configuration, which differ only in their start."""

    def __init__(self, design: Design, owner: str, number: int) -> None:
        self._design = design
        first = next(islice(design.rows(), number, None))
        request = design.solve_request(first)
        asked = question(prepare(request, costs=True), deep=False)
        asked = asked.model_copy(update={"tags": request.tags, "priority": request.priority})
        new = NewSolve(request, asked, owner)
        # Never tried as quick jobs: they are many, and the slot is for single requests.
        self._job = replace(new.job(), quick=False).values()
        self._solve = solve_values(new)
        self._document = document_values(new) | {"start": None}
        starts = ("scramble", "random", "state", "alg")
        given = json.loads(str(self._job["request"]))
        self._request = {name: value for name, value in given.items() if name not in starts}
        self.job_columns = tuple(self._job)
        self.solve_columns = tuple(self._solve)
        self.document_columns = ("solve_id", *self._document)

    def job(self, planned: PlannedRow, identifier: str) -> list[Any]:
        start = start_of(planned.k, planned.seed, self._design.scramble_moves, planned.given)
        if isinstance(scramble := start.get("scramble"), schema.ScrambleIn):
            start = {"scramble": scramble.model_dump(exclude_none=True)}
        request = json.dumps(self._request | start, separators=(",", ":"), ensure_ascii=False)
        own = {"id": identifier, "created_at": created_at(identifier), "request": request}
        return list((self._job | own).values())

    def solve(self, planned: PlannedRow, identifier: str) -> list[Any]:
        seed = None if planned.k is None else planned.seed
        return list((self._solve | {"id": identifier, "k": planned.k, "seed": seed}).values())

    def document(self, planned: PlannedRow, identifier: str) -> list[Any]:
        start = None
        if planned.k is None:
            _, read, _ = read_start(self._design.solve_request(planned))
            start = read.model_dump(mode="json", exclude_none=True)
        return [identifier, *(self._document | {"start": start}).values()]


def _configurations(design: Design) -> list[dict[str, Any]]:
    found = []
    for configuration, heuristic in zip(design.configurations, design.heuristics, strict=True):
        # Verdicts that need a look at many states come with the answers (see `_verdicts`).
        verdicts = heuristic.verdicts(design.problem.moves, deep=False)
        found.append(
            {
                "role": configuration.role,
                "algorithm": configuration.algorithm,
                "heuristic": configuration.heuristic,
                **dict(configuration.options),
                "expression": heuristic.expression.text,
                "admissible": verdicts.admissible,
                "consistent": verdicts.consistent,
            }
        )
    return found


def find_same(session: Session, owner: str, design: Design) -> str | None:
    """The id of the newest experiment of ``owner`` with the same rows and tags, unless some of its rows were lost.

    Lost rows failed, were cancelled or are about to be. Until ``session`` has committed, other requests wait here.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(select(func.pg_advisory_xact_lock(_LOOKING)))
    found = session.scalar(
        select(Experiment.id)
        .where(Experiment.owner == owner, Experiment.fingerprint == _fingerprint(design))
        .order_by(Experiment.id.desc())
        .limit(1)
    )
    ending = _jobs.c.cancel_requested & ~_jobs.c.state.in_(FINAL)
    lost = (
        select(_members.c.row_index)
        .join(_jobs, _jobs.c.id == _members.c.solve_id)
        .where(_members.c.experiment_id == found)
        .where(_jobs.c.state.in_((State.CANCELLED, State.FAILED)) | ending)
        .limit(1)
    )
    return found if found is not None and session.scalar(lost) is None else None


def _fingerprint(design: Design) -> str:
    asked = [__version__, design.fingerprint, design.request.tags, design.request.priority]
    return sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def get(session: Session, experiment_id: str, principal: Principal) -> Experiment | None:
    """The experiment with this id, if it exists and ``principal`` may see it."""
    identifier = parse_id(experiment_id)
    if identifier is None:
        return None
    return session.scalar(
        select(Experiment).where(Experiment.id == identifier, visible_to(principal, Experiment.owner))
    )


def is_member(session: Session, solve_id: str) -> bool:
    """Whether a job is a row of an experiment."""
    return session.scalar(select(ExperimentMember.solve_id).where(ExperimentMember.solve_id == solve_id)) is not None


def list_experiments(
    session: Session, principal: Principal, *, puzzle: str | None = None, cursor: str | None = None, size: int = 50
) -> list[Experiment]:
    """At most ``size`` experiments, newest first, after the one with the id ``cursor`` (None: from the newest)."""
    wanted = (
        select(Experiment).where(visible_to(principal, Experiment.owner)).order_by(Experiment.id.desc()).limit(size)
    )
    if puzzle is not None:
        wanted = wanted.where(Experiment.puzzle == puzzle)
    if cursor is not None:
        wanted = wanted.where(Experiment.id < cursor)
    return list(session.scalars(wanted))


def request_of(experiment: Experiment) -> ExperimentRequest:
    """The request."""
    return ExperimentRequest.model_validate_json(experiment.request)


def given_of(experiment: Experiment) -> list[dict[str, Any]]:
    """The columns of its given instances; empty if it has none."""
    return [columns_of_given(one) for one in numbered(request_of(experiment).instances or ())]


def standing_of(session: Session, experiments: Sequence[Experiment]) -> dict[str, Standing]:
    """The counts of experiments, by id."""
    found = {one.id: standing for one in experiments if (standing := _noted(one)) is not None}
    return found | count_standing(session, [one.id for one in experiments if one.id not in found])


def _noted(experiment: Experiment) -> Standing | None:
    """The stored counts of a finished experiment."""
    if experiment.outcomes is None:
        return None
    return Standing(Outcomes(**experiment.outcomes), 0, experiment.finished_at)


def count_standing(session: Session, experiment_ids: Sequence[str]) -> dict[str, Standing]:
    """The counts of experiments, computed from their rows."""
    if not experiment_ids:
        return {}
    outcome = _solves.c.outcome
    counted = session.execute(
        select(_members.c.experiment_id, outcome, _solves.c.optimality, func.count())
        .join(_solves, _solves.c.id == _members.c.solve_id)
        .where(_members.c.experiment_id.in_(experiment_ids))
        .group_by(_members.c.experiment_id, outcome, _solves.c.optimality)
    )
    counts: dict[str, list[tuple[Status | None, str | None, int]]] = {identifier: [] for identifier in experiment_ids}
    for identifier, ending, optimality, count in counted:
        counts[identifier].append((ending, optimality, count))
    outcomes = {identifier: Outcomes.of(found) for identifier, found in counts.items()}
    ended = [identifier for identifier, found in outcomes.items() if not found.pending]
    running = dict(_by_experiment(session, func.count(), experiment_ids, is_in(State.RUNNING)))
    last = dict(_by_experiment(session, func.max(_jobs.c.finished_at), ended)) if ended else {}
    return {
        identifier: Standing(found, running.get(identifier, 0), last.get(identifier))
        for identifier, found in outcomes.items()
    }


def _by_experiment(
    session: Session, what: ColumnElement[Any], experiment_ids: Sequence[str], *where: ColumnElement[bool]
) -> Iterator[tuple[str, Any]]:
    """An aggregate over the jobs of each experiment's rows."""
    found = session.execute(
        select(_members.c.experiment_id, what)
        .join(_jobs, _jobs.c.id == _members.c.solve_id)
        .where(_members.c.experiment_id.in_(experiment_ids), *where)
        .group_by(_members.c.experiment_id)
    )
    return ((line[0], line[1]) for line in found)


def tallies_of(session: Session, experiment: Experiment) -> list[Tally]:
    """The data for the forecast of the remaining time; a kind is a configuration."""
    kind = (_members.c.row_index % len(experiment.configurations)).label("kind")
    stopped = case((_solves.c.outcome == Status.LIMIT_REACHED, _solves.c.seconds))
    found = session.execute(
        select(
            kind,
            func.coalesce(_solves.c.k, 0),
            func.count() - func.count(_solves.c.outcome),
            func.count(_solves.c.seconds),
            func.coalesce(func.sum(_solves.c.seconds), 0.0),
            func.max(stopped),
        )
        .join(_solves, _solves.c.id == _members.c.solve_id)
        .where(_members.c.experiment_id == experiment.id)
        .group_by(kind, _solves.c.k)
    )
    return [Tally(*line) for line in found]


def version_of(session: Session, experiment: Experiment) -> Version:
    """The version of an experiment's rows."""
    if experiment.outcomes is not None:
        return Version(experiment.row_count, ())
    own = select(_members.c.row_index).where(_members.c.experiment_id == experiment.id)
    solves = own.join(_solves, _solves.c.id == _members.c.solve_id).where(_solves.c.outcome.is_not(None))
    ended = session.scalar(select(func.count()).select_from(solves.subquery())) or 0
    running = session.scalars(own.join(_jobs, _jobs.c.id == _members.c.solve_id).where(is_in(State.RUNNING)))
    return Version(ended, tuple(sorted(running)))


def rows(
    session: Session, experiment: Experiment, *, texts: bool = True, first: int = 0, last: int | None = None
) -> Iterator[ExperimentRow]:
    """The rows from ``first`` up to ``last`` (None: the end; not included) in order, read in pieces.

    ``texts``: with scramble, solution and f-layers, which tables do not need. If ``first`` is the first row of an
    instance, no instance is split between pieces, so that a proven distance is known for all its rows.
    """
    names = (
        *_QUESTION,
        "method",
        "heuristic",
        "goal",
        "k",
        "seed",
        "outcome",
        *_ANSWER,
        *(_TEXTS if texts else ()),
    )
    piece = max(1, PIECE // len(experiment.configurations)) * len(experiment.configurations)
    wanted = (
        select(_members.c.row_index, _jobs.c.state, _jobs.c.error, *(_solves.c[name] for name in names))
        .join(_solves, _solves.c.id == _members.c.solve_id)
        .join(_jobs, _jobs.c.id == _members.c.solve_id)
        .where(_members.c.experiment_id == experiment.id)
        .order_by(_members.c.row_index)
    )
    make = _RowMaker(experiment, _verdicts(session, experiment), texts)
    end = experiment.row_count if last is None else min(last, experiment.row_count)
    for begin in range(first, end, piece):
        within = (_members.c.row_index >= begin, _members.c.row_index < min(begin + piece, end))
        for found in session.execute(wanted.where(*within)):
            yield make(found)


def solve_ids(session: Session, experiment: Experiment, first: int, last: int) -> dict[int, str]:
    """The ids of the solves that are the rows from ``first`` up to ``last`` (not included), by their number."""
    wanted = select(_members.c.row_index, _members.c.solve_id).where(
        _members.c.experiment_id == experiment.id, _members.c.row_index >= first, _members.c.row_index < last
    )
    return {one.row_index: one.solve_id for one in session.execute(wanted)}


def _verdicts(session: Session, experiment: Experiment) -> list[dict[str, Any]]:
    """The configurations, with the verdict on the heuristic from the first answer of each."""
    size = len(experiment.configurations)
    found = []
    for number, configuration in enumerate(experiment.configurations):
        described = session.scalar(
            select(_documents.c.heuristic)
            .join(_members, _members.c.solve_id == _documents.c.solve_id)
            .join(_solves, _solves.c.id == _members.c.solve_id)
            .where(_members.c.experiment_id == experiment.id, _members.c.row_index % size == number)
            .where(_solves.c.expanded.is_not(None))
            .order_by(_members.c.row_index)
            .limit(1)
        )
        told = {} if described is None else {name: described[name] for name in ("admissible", "consistent")}
        found.append(configuration | told)
    return found


class _RowMaker:
    """From columns to rows; the scramble of an instance is made once for all its rows."""

    def __init__(self, experiment: Experiment, configurations: list[dict[str, Any]], texts: bool) -> None:
        self._configurations = configurations
        self._trials = experiment.trials
        self._texts = texts
        self._scramble: tuple[tuple[int, int], str] | None = None
        self._request = request_of(experiment)
        self._given = given_of(experiment)

    def __call__(self, found: Any) -> ExperimentRow:
        configuration = self._configurations[found.row_index % len(self._configurations)]
        instance = found.row_index // len(self._configurations)
        answered = found.outcome is not None
        layers = found.layers if self._texts and answered else None
        question: dict[str, Any] = {name: getattr(found, name) for name in _QUESTION}
        answer: dict[str, Any] = {name: getattr(found, name) for name in _ANSWER} if answered else {}
        trial = instance % self._trials + 1
        seed = instance_seed(self._request.seed, None, trial) if self._request.random else found.seed
        return ExperimentRow(
            index=found.row_index,
            trial=trial,
            role=configuration["role"],
            heuristic=configuration["heuristic"],
            expression=found.heuristic,
            admissible=configuration["admissible"],
            consistent=configuration["consistent"],
            k=found.k,
            seed=seed,
            **(self._given[instance] if self._given else {}),
            goal=None if found.goal is None else found.goal.replace(",", " "),
            status=found.state.value,
            outcome=found.outcome.value if found.outcome in DONE else None,
            error=found.error,
            scramble=self._scramble_of(found) if self._texts and answered else None,
            solution=" ".join(found.solution) if self._texts and found.solution is not None else None,
            layers=None if layers is None else tuple((f, count) for f, count in layers),
            method=found.method if answered or found.algorithm != "auto" else None,
            **question,
            **answer,
        )

    def _scramble_of(self, found: Any) -> str | None:
        if found.k is None:
            return None
        key = found.k, found.seed
        if self._scramble is None or self._scramble[0] != key:
            goal = None if found.goal is None else [int(cell) for cell in found.goal.split(",")]
            puzzle = get_puzzle(found.puzzle, goal)
            made = make_scramble(puzzle, found.k, found.seed, found.scramble_moves)
            self._scramble = key, " ".join(made.alg)
        return self._scramble[1]


def delete(session: Session, experiment_id: str) -> None:
    """Delete an experiment that has ended, with all its rows."""
    own = row.id.in_(select(_members.c.solve_id).where(_members.c.experiment_id == experiment_id))
    session.connection().execute(sql_delete(_jobs).where(own, row.state.in_(sorted(FINAL))))
    session.connection().execute(sql_delete(Experiment).where(Experiment.id == experiment_id))


def request_cancel(session: Session, experiment_id: str) -> list[str]:
    """Cancel the queued rows at once and flag the running ones; returns the ids of the running ones.

    A row that returns to the queue meanwhile (its worker shuts down) is cancelled in the next round.
    """
    # Two requests that cancel the same experiment could lock its rows in different orders.
    session.execute(select(Experiment.id).where(Experiment.id == experiment_id).with_for_update())
    own = row.id.in_(select(_members.c.solve_id).where(_members.c.experiment_id == bindparam("experiment_id")))
    connection, parameters = session.connection(), {"experiment_id": experiment_id}
    cancel = statements.update(rules.CANCEL_QUEUED, own)
    flag = statements.update(rules.FLAG_RUNNING, own).returning(row.id)
    queued = select(func.count()).select_from(_jobs).where(is_in(State.QUEUED), own)
    while True:
        connection.execute(cancel, parameters)
        running = list(connection.execute(flag, parameters).scalars())
        if not connection.execute(queued, parameters).scalar_one():
            return running
