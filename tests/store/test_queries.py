"""Objects and lists: answers equal what was written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from hstar import schema
from hstar.search.methods import METHODS
from store.database import Sessions
from store.ids import new_id
from store.jobs import machine
from store.jobs.models import Job
from store.jobs.queries import Span, count_queued, get_state
from store.jobs.states import State
from store.owners.principal import SYSTEM, Principal
from store.puzzles.scrambles import add_scramble, get_scramble
from store.puzzles.scrambles import to_object as to_scramble
from store.solves import queries, submission
from store.solves.models import Solve
from store.solves.objects import to_object
from store.solves.queries import SolveFilter
from store.solves.status import OUTCOMES, Status
from tests.store.builders import COUNTERS, LEASE, answer, end, expire, must_claim, new_solve, question, submit, sweep


def read(sessions: Sessions, solve_id: str) -> schema.Solve:
    with sessions.read() as session:
        solve = queries.get_solve(session, solve_id, SYSTEM)
        assert solve is not None
        return to_object(solve)


def times(solve: schema.Solve) -> dict[str, object]:
    return {"created_at": solve.created_at, "started_at": solve.started_at, "finished_at": solve.finished_at}


def test_a_queued_object_is_the_question_with_an_id(sessions: Sessions) -> None:
    asked = question(
        puzzle="tiles:2x3",
        goal=[1, 2, 3, 4, 5, 0],
        tags={"a": "1", "ü": "☃"},
        priority=3,
        weight=1.5,
        tie_breaking="fifo",
    )
    solve_id = submit(
        sessions,
        puzzle="tiles:2x3",
        **asked.model_dump(exclude={"status", "puzzle", "owner", "progress", "kind", "about"}),
    )
    found = read(sessions, solve_id)
    assert found == asked.model_copy(
        update={"id": solve_id, "owner": "ann", "about": ["tiles:2x3", "k = 3, seed 7"], "created_at": found.created_at}
    )
    assert found.created_at is not None
    assert abs(datetime.now(UTC) - found.created_at) < timedelta(minutes=1)


def test_a_running_object_has_progress_from_the_first_moment(sessions: Sessions) -> None:
    solve_id = submit(sessions)
    claimed = must_claim(sessions)
    found = read(sessions, solve_id)
    assert (found.status, found.attempt, found.progress) == ("running", 1, schema.Progress())
    progress = schema.Progress(
        expanded=2**40, generated=2**43, stored=5, lower_bound=4, bytes=2**35, building="corners:4", built=0.25
    )
    sessions.run(lambda session: machine.heartbeat(session, claimed, LEASE, progress.model_dump_json()))
    found = read(sessions, solve_id)
    assert found.progress is not None
    assert found.progress.updated_at is not None
    assert found.progress.model_copy(update={"updated_at": None}) == progress
    assert found.counters is None


@pytest.mark.parametrize("status", sorted(OUTCOMES - {Status.FAILED}))
def test_a_finished_object_is_the_answer(sessions: Sessions, status: str) -> None:
    solve_id = submit(sessions)
    claimed = must_claim(sessions)
    sessions.run(lambda session: machine.heartbeat(session, claimed, LEASE, '{"expanded":1}'))
    answered = answer(status)
    assert sessions.run(lambda session: end(session, claimed, answered))
    found = read(sessions, solve_id)
    assert found == answered.model_copy(
        update={"id": solve_id, "owner": "ann", "about": found.about, "attempt": 1, **times(found)}
    )
    assert found.counters == COUNTERS
    assert found.finished_at is not None
    assert found.started_at is not None
    assert found.finished_at >= found.started_at


def test_the_end_says_what_auto_has_chosen(sessions: Sessions) -> None:
    solve_id = submit(sessions, algorithm="auto", method=None, duplicate_detection=None)
    assert (read(sessions, solve_id).method, read(sessions, solve_id).duplicate_detection) == (None, None)
    chosen = schema.HeuristicUsed(
        expression="pdb('corners:4')", admissible="proven", consistent="proven", reason="made of lower bounds"
    )
    answered = answer(
        algorithm="auto", method="ida_star", heuristic=chosen, duplicate_detection=METHODS["ida_star"].duplicates
    )
    claimed = must_claim(sessions)
    assert sessions.run(lambda session: end(session, claimed, answered))
    found = read(sessions, solve_id)
    assert (found.method, found.heuristic) == ("ida_star", chosen)
    assert found.duplicate_detection == answered.duplicate_detection
    with sessions.read() as session:
        row = session.get_one(Solve, solve_id)
        assert (row.method, row.heuristic) == ("ida_star", "pdb('corners:4')")


def test_a_job_that_failed_by_loss_shows_how_far_it_had_come(sessions: Sessions) -> None:
    solve_id = submit(sessions)
    claimed = must_claim(sessions)
    sessions.run(lambda session: machine.heartbeat(session, claimed, LEASE, '{"expanded":77}'))
    sessions.run(lambda session: machine.fail(session, claimed, "out\0of luck " + "x" * 10_000))
    found = read(sessions, solve_id)
    assert found.counters is None
    assert found.progress is not None
    assert found.progress.expanded == 77
    assert found.error is not None
    assert found.error.startswith("out\N{REPLACEMENT CHARACTER}of luck")
    assert len(found.error) == machine.MAX_ERROR_LENGTH


def test_the_best_of_an_attempt_outlives_it(sessions: Sessions) -> None:
    """It is there for the next one, however often the job is lost, and when it has failed for good."""
    solve_id = submit(sessions)
    told = schema.Progress(expanded=7, best=["U", "R"], best_length=2, lower_bound=1)
    for attempt in (1, 2, 3):
        claimed = must_claim(sessions)
        assert (claimed.attempt, claimed.progress) == (attempt, None if attempt == 1 else told.model_dump_json())
        if attempt == 1:
            sessions.run(partial(machine.heartbeat, claim=claimed, lease=LEASE, progress=told.model_dump_json()))
        shown = read(sessions, solve_id).progress
        assert shown is not None
        assert (shown.best, shown.best_length, shown.lower_bound) == (["U", "R"], 2, 1)
        assert shown.expanded == (7 if attempt == 1 else 0)
        expire(sessions, solve_id)
        sweep(sessions)
    found = read(sessions, solve_id)
    assert (found.status, found.solution) == ("failed", None)
    assert found.progress is not None
    assert found.progress.best == ["U", "R"]


def test_an_empty_solution_is_a_solution(sessions: Sessions) -> None:
    solve_id = submit(sessions)
    claimed = must_claim(sessions)
    assert sessions.run(lambda session: end(session, claimed, answer(solution=[], length=0)))
    found = read(sessions, solve_id)
    assert (found.outcome, found.solution, found.length) == ("solved", [], 0)


def test_unknown_solves_are_none(sessions: Sessions) -> None:
    solve_id = submit(sessions, "ann")
    with sessions.read() as session:
        for wrong in (new_id(), "", "x" * 36, "' OR 1=1 --", solve_id[:-1], "☃"):
            assert queries.get_solve(session, wrong, SYSTEM) is None
            assert get_state(session, wrong) is None
            assert get_scramble(session, wrong, SYSTEM) is None
        assert queries.get_solve(session, solve_id, Principal("bob")) is None
        assert queries.get_solve(session, solve_id, Principal("ann")) is not None
        assert queries.get_solve(session, solve_id.upper(), Principal("ann")) is not None
        assert get_state(session, solve_id) is State.QUEUED


def test_pages_partition_the_list_newest_first(sessions: Sessions) -> None:
    news = [new_solve("ann" if number % 3 else "bob", tags={"n": str(number % 2)}) for number in range(25)]
    sessions.run(lambda session: submission.submit_many(session, news))
    wanted, ann = SolveFilter(), Principal("ann")
    expected = [new.id for new in reversed(news) if new.owner == "ann"]
    found: list[str] = []
    cursor = None
    pages = 0
    while True:
        with sessions.read() as session:
            page = queries.list_solves(session, ann, wanted, cursor=cursor, size=4)
        found += [solve.id for solve in page.solves]
        pages += 1
        # Newer rows do not change the following pages.
        submit(sessions, "ann")
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == expected
    assert pages == 4


def test_filters_narrow_and_combine(sessions: Sessions) -> None:
    first = submit(sessions, "ann", tags={"class": "a", "week": "1"})
    second = submit(sessions, "bob", puzzle="8-puzzle", moves="all", tags={"class": "a"})
    third = submit(sessions, "bob", tags={"class": "b"}, algorithm="astar")
    claimed = must_claim(sessions)
    assert claimed.id == first
    sessions.run(lambda session: end(session, claimed, answer()))
    with sessions.read() as session:
        middle = session.get_one(Job, second).created_at

    cases: list[tuple[SolveFilter, list[str]]] = [
        (SolveFilter(), [third, second, first]),
        (SolveFilter(states=[State.QUEUED]), [third, second]),
        (SolveFilter(states=[State.DONE]), [first]),
        (SolveFilter(states=[State.QUEUED, State.DONE]), [third, second, first]),
        (SolveFilter(states=[State.RUNNING, State.CANCELLED, State.FAILED]), []),
        (SolveFilter(outcomes=[Status.SOLVED]), [first]),
        (SolveFilter(outcomes=[Status.EXHAUSTED, Status.LIMIT_REACHED]), []),
        (SolveFilter(puzzle="8-puzzle"), [second]),
        (SolveFilter(puzzle="megaminx", moves="ccw"), [third, first]),
        (SolveFilter(algorithm="astar", moves="all"), [second]),
        (SolveFilter(heuristics=("ceil(misplaced_facelets / 15)", "s2")), [third, second, first]),
        (SolveFilter(heuristics=("manhattan",)), []),
        (SolveFilter(tags={"class": "a"}), [second, first]),
        (SolveFilter(tags={"class": "a", "week": "1"}), [first]),
        (SolveFilter(tags={"class": "' OR 1=1"}), []),
        (SolveFilter(span=Span(created_from=middle)), [third, second]),
        (SolveFilter(span=Span(created_before=middle)), [first]),
        (SolveFilter(span=Span(second, second)), [second]),
    ]
    with sessions.read() as session:
        for wanted, expected in cases:
            # Ids made within the same millisecond have the same time, so times may not separate neighbours.
            found = [solve.id for solve in queries.list_solves(session, SYSTEM, wanted).solves]
            assert found == expected, wanted
        with pytest.raises(ValueError, match="not a cursor"):
            queries.list_solves(session, SYSTEM, SolveFilter(), cursor="nonsense")


def test_counts(sessions: Sessions) -> None:
    sessions.run(lambda session: submission.submit_many(session, [new_solve() for _ in range(5)]))
    must_claim(sessions)
    with sessions.read() as session:
        assert count_queued(session, most=100) == 4
        assert count_queued(session, most=3) == 3
        counts = queries.count_by_status(session)
    assert counts == {**dict.fromkeys(Status, 0), Status.QUEUED: 4, Status.RUNNING: 1}


def test_a_scramble_is_answered_as_it_was_stored(sessions: Sessions) -> None:
    made = schema.Scramble(
        puzzle="megaminx", moves="cw", k=2, seed=2**63 - 1, alg=["U", "R"], state={"facelets": "abc"}
    )
    stored = sessions.run(lambda session: add_scramble(session, made, goal=[1, 2, 0]))
    with sessions.read() as session:
        found = get_scramble(session, stored.id, SYSTEM)
        assert found is not None
        assert found.goal == "1,2,0"
        assert to_scramble(found) == made.model_copy(
            update={"id": stored.id, "owner": "local", "created_at": found.created_at}
        )
