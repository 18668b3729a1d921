"""``/v1/stats/submissions``: scores over many assignments, grouped by student and assignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from apiflask import APIBlueprint
from flask import Response
from pydantic import Field

from hstar.grading.results import ScoreSummary
from hstar.grading.roster import StudentId
from hstar.schema import Out
from service.answering import object_response
from service.classes import is_student
from service.context import context, principal
from service.errors import ProblemError
from service.openapi import READ_PROBLEMS, include, responses
from service.resources.stats import TAG
from service.schema import Parameters
from store.grading.scores import Scored, scores
from store.ids import parse_id
from store.jobs.states import State

bp = APIBlueprint("submission_stats", __name__, url_prefix="/v1", tag=TAG)

Dimension = Literal["assignment", "student"]


class SubmissionStatsQuery(Parameters):
    """Filters and groups of submissions."""

    group_by: list[Dimension] = Field([], max_length=2, description="may be given more than once")
    assignment: list[Annotated[str, Field(max_length=64)]] = Field([], max_length=8, description="ids; any may fit")
    student: list[StudentId] = Field([], max_length=8, description="any may fit")


class SubmissionGroup(Out):
    """The submissions with the same values of the `group_by` fields."""

    values: dict[str, str]
    submissions: int
    students: int
    graded: int
    waiting: int = Field(description="queued or running")
    failed: int = Field(description="the service could not grade them; they cost no attempt")
    share: ScoreSummary | None = Field(
        description="scores as shares of the greatest possible one, from 0 to 1, so that assignments can be compared; "
        "over all graded ones; null: none is graded"
    )


class SubmissionStats(Out):
    """Statistics of submissions."""

    submissions: int
    groups: list[SubmissionGroup] = Field(description="sorted by their values")


include(SubmissionStats)


@bp.get("/stats/submissions")
@bp.input(SubmissionStatsQuery, location="query")
@bp.output(SubmissionStats, description="The statistics")
@bp.doc(operation_id="getSubmissionStats", responses=responses({}, *READ_PROBLEMS, "role-needed"))
def get_submission_stats(query_data: SubmissionStatsQuery) -> Response:
    """Aggregate submissions, by student and assignment

    Every submission counts, not only the one that counts in the gradebook, with its full score, hidden items included.
    """
    if is_student():
        raise ProblemError("role-needed", "only instructors can see these scores")
    wanted = [id for text in query_data.assignment if (id := parse_id(text)) is not None]
    if query_data.assignment and not wanted:
        return object_response(SubmissionStats(submissions=0, groups=[]))
    with context().sessions.read() as session:
        rows = scores(session, principal(), wanted, query_data.student)
    by = list(dict.fromkeys(query_data.group_by))
    groups: dict[tuple[str, ...], list[Scored]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in by), []).append(row)
    found = [_group(dict(zip(by, values, strict=True)), groups[values]) for values in sorted(groups)]
    return object_response(SubmissionStats(submissions=len(rows), groups=found))


def _group(values: dict[Dimension, str], rows: Sequence[Scored]) -> SubmissionGroup:
    shares = [row.score / row.max_score for row in rows if row.score is not None and row.max_score]
    return SubmissionGroup(
        values={str(name): value for name, value in values.items()},
        submissions=len(rows),
        students=len({row.student for row in rows}),
        graded=len(shares),
        waiting=sum(not row.state.final for row in rows),
        failed=sum(row.state in (State.FAILED, State.CANCELLED) for row in rows),
        share=ScoreSummary.of(shares),
    )
