"""A class on the service: its submissions are graded while a worker is killed, and regraded while new ones arrive.

Raises if a submission was lost or graded twice, or if the second grading differs from the first in any byte.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import httpx
import psutil
from sqlalchemy import select

from bench.rows import Figure, Measured, Scale, row
from bench.serving import CLIENTS, DATABASES, Service, serving
from hstar.puzzles import get_puzzle, make_scramble
from store.database import make_engine, make_sessions
from store.grading.models import StoredSubmission
from store.jobs.models import Job
from tests.servers import wait_until

ATTEMPTS = 3
KS = (3, 4, 5, 6)
#: so many different heuristics are submitted by a class, and each is audited
HEURISTICS = 12
WAIT_SECONDS = 1800.0

ASSIGNMENT: dict[str, Any] = {
    "title": "A class", "puzzle": "megaminx", "scramble_moves": "cw", "moves": "ccw",
    "instances": [{"k": list(KS), "seed": 1}], "limits": {"expanded": 100_000},
    "rubric": [
        {"kind": "valid", "points": 50},
        {"kind": "optimal", "points": 20},
        {"kind": "claims_true", "points": 15},
        {"kind": "heuristic_admissible", "points": 15, "radius": 3},
    ],
    "attempts": ATTEMPTS,
}  # fmt: skip


@dataclass
class Run:
    """The times for a class, in seconds."""

    students: int
    graded: float = 0.0
    regraded: float = 0.0
    fresh: list[float] = field(default_factory=list)
    lost: int = 0


def submission(student: int, attempt: int) -> dict[str, Any]:
    """A submission with solutions for more k at each attempt; some students claim node counts, some are wrong."""
    puzzle = get_puzzle("megaminx")
    lines = []
    for k in KS[: attempt + 1]:
        alg = tuple(make_scramble(puzzle, k, 1, "cw").alg)
        solution = puzzle.format_alg(puzzle.inverse_alg(alg))
        wrong = (student + k) % 7 == 0
        line = {"scramble": puzzle.format_alg(alg), "solution": f"{solution} U" if wrong else solution}
        lines.append(line | ({"nodes": k + student % 3} if student % 2 else {}))
    heuristic = f"misplaced_facelets / {10 + student % HEURISTICS}"
    content = json.dumps({"results": lines, "heuristic": heuristic})
    return {"student": f"s{student:03}", "name": f"Student {student}", "content": content}


def run(service: Service, students: int, fresh: int) -> Run:
    """A whole class, with a search process killed once a third of it is graded."""
    found = Run(students)
    with httpx.Client(base_url=service.url, timeout=120) as client:
        made = client.post("/v1/assignments", json=ASSIGNMENT)
        made.raise_for_status()
        where = made.headers["Location"]
        began = time.monotonic()
        ids = _hand_in(service.url, where, students)
        wait_until(lambda: _ended(client, where) >= len(ids) // 3, "a third to be graded", WAIT_SECONDS, pause=0.1)
        _kill_a_search(service)
        wait_until(lambda: _ended(client, where) == len(ids), "the class to be graded", WAIT_SECONDS, pause=0.25)
        found.graded = time.monotonic() - began
        found.lost = _check(client, where, service.database_url, ids, students)
        began = time.monotonic()
        queued = client.post(f"{where}/regrades").json()["queued"]
        _expect(queued == len(ids), f"{queued} of {len(ids)} are graded again")
        for number in range(fresh):
            found.fresh.append(_submit_and_wait(client, where, students + number))
        left = [item for item in _items(client, where) if item["regrading"]]
        _expect(bool(left) or students < 50, "the class was regraded before the last new submission arrived")
        wait_until(lambda: not _regrading(client, where), "the class to be graded again", WAIT_SECONDS, pause=0.25)
        found.regraded = time.monotonic() - began
    _check_identical(service.database_url, ids)
    return found


def _hand_in(url: str, where: str, students: int) -> list[str]:
    """Submit all attempts of all students, the students in parallel; every fifth request is sent twice."""

    def all_of(student: int) -> list[str]:
        ids: list[str] = []
        with httpx.Client(base_url=url, timeout=120) as client:
            for attempt in range(ATTEMPTS):
                headers = {"Idempotency-Key": f"{student}-{attempt}"}
                made = set()
                for _ in range(2 if (student + attempt) % 5 == 0 else 1):
                    answer = client.post(f"{where}/submissions", json=submission(student, attempt), headers=headers)
                    _expect(answer.status_code == 202, f"{answer.status_code} {answer.text[:300]}")
                    made.add(answer.json()["id"])
                _expect(len(made) == 1, "one Idempotency-Key made two submissions")
                ids += made
        return ids

    with ThreadPoolExecutor(CLIENTS) as pool:
        return [id for ids in pool.map(all_of, range(students)) for id in ids]


def _submit_and_wait(client: httpx.Client, where: str, student: int) -> float:
    """Seconds from the submission to the score."""
    began = time.perf_counter()
    answer = client.post(f"{where}/submissions", json=submission(student, 2), headers={"Prefer": "wait=60"})
    took = time.perf_counter() - began
    _expect(answer.json().get("status") == "done", f"a new submission has no score: {answer.text[:300]}")
    return took


def _items(client: httpx.Client, where: str) -> Iterator[dict[str, Any]]:
    path: str | None = f"{where}/submissions?limit=200"
    while path is not None:
        page = client.get(path).raise_for_status().json()
        yield from page["items"]
        path = page["next"]


def _ended(client: httpx.Client, where: str) -> int:
    return sum(item["status"] in ("done", "failed", "cancelled") for item in _items(client, where))


def _regrading(client: httpx.Client, where: str) -> bool:
    return any(item["regrading"] for item in _items(client, where))


def _kill_a_search(service: Service) -> None:
    """Send SIGKILL to one of the worker's processes."""
    assert service.process is not None
    processes = psutil.Process(service.process.pid).children(recursive=True)
    workers = {p.pid for p in processes if "celery" in " ".join(p.cmdline())}
    children = [p for p in processes if p.pid in workers and p.ppid() in workers]
    _expect(bool(children), "found no worker process to kill")
    children[0].kill()


def _check(client: httpx.Client, where: str, database_url: str, ids: list[str], students: int) -> int:
    """Check that every submission exists once, has a score, and was graded by one job; returns the losses."""
    items = list(_items(client, where))
    _expect(sorted(item["id"] for item in items) == sorted(ids), f"{len(items)} submissions stored, {len(ids)} sent")
    _expect({item["status"] for item in items} == {"done"}, str(Counter(item["status"] for item in items)))
    attempts = Counter((item["student"], item["attempt"]) for item in items)
    _expect(len(attempts) == ATTEMPTS * students, f"{len(attempts)} attempts of {students} students")
    book = client.get(f"{where}/gradebook").json()["entries"]
    _expect([line["attempts"] for line in book] == [ATTEMPTS] * students, "an attempt is missing from the gradebook")
    sessions = make_sessions(make_engine(database_url))
    with sessions.read() as session:
        jobs = session.execute(select(Job.losses).where(Job.kind == "grading")).scalars().all()
    sessions.close()
    _expect(len(jobs) == len(ids), f"{len(jobs)} jobs for {len(ids)} submissions")
    return sum(jobs)


def _check_identical(database_url: str, ids: list[str]) -> None:
    """Check that the answers of both gradings are equal, byte for byte."""
    sessions = make_sessions(make_engine(database_url))
    with sessions.read() as session:
        rows = session.scalars(select(StoredSubmission).where(StoredSubmission.regrade_id.is_not(None))).all()
        answers = {job.id: job.answer for job in session.execute(select(Job.id, Job.answer))}
    sessions.close()
    _expect(sorted(row.id for row in rows) == sorted(ids), f"{len(rows)} of {len(ids)} were regraded")
    pairs = {row.id: (answers[row.job_id], answers[row.regrade_id or ""]) for row in rows}
    other = [id for id, (first, again) in pairs.items() if first is None or first != again]
    _expect(not other, f"{len(other)} gradings differ from the first ones, such as {other[:3]}")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


@row("class", f"a class, {ATTEMPTS} attempts each, graded with a search killed, and graded again")
def a_class(scale: Scale) -> Measured:
    """Measured once, because it takes minutes. New submissions arrive one after the other during the regrade."""
    students, fresh = scale.pick(200, 4), scale.pick(40, 2)
    sample = f"class of {students}"
    figures, notes = [], []
    for database in DATABASES[: scale.pick(2, 1)]:
        with serving(database) as service:
            found = run(service, students, fresh)
        slowest = sorted(found.fresh)[max(0, round(0.95 * len(found.fresh)) - 1)]
        figures += [
            Figure(f"graded, {database}", "s", (found.graded,), sample=sample),
            Figure(f"graded again, {database}", "s", (found.regraded,), sample=sample),
            Figure(f"a fresh submission meanwhile, p95, {database}", "s", (slowest,), aim=2, sample=f"run of {fresh}"),
        ]
        notes.append(f"{database}: {found.lost} job lost its worker and was run again; nothing was lost or doubled")
    count = students * ATTEMPTS * len(notes)
    return Measured(tuple(figures), counts={"submissions": count, "graded twice alike": count}, notes=tuple(notes))
