"""`python -m chaos memory`: every documented request at its limits, six at once, and the API's memory.

The requests are those of the OpenAPI document. Those with a body are sent with bodies at their limits (`at_limits`),
the others for objects as large as the service accepts. Each is sent six times at once, for six different puzzles of 512
pieces and 200 moves where it names a puzzle. After each, the peak of the API's process is read and reset (Linux).

    found = measure()
    write_table(Path("docs/reliability.md"), found)
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import psutil
from sqlalchemy import func, update
from sqlalchemy.orm import Session

from chaos.processes import peak_mib, reset_peak
from chaos.report import replace_between
from store.database import make_engine, make_sessions
from store.jobs import machine
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.jobs.states import State
from store.solves.models import Solve
from store.solves.status import Status
from tests.servers import Valkey
from tests.service.processes import Api

#: requests at a time
AT_ONCE = 6
#: what a process of the API may have in memory, in MiB
MOST_MIB = 400
PIECES, MOVES = 512, 100
BIG = [f"big{number}" for number in range(AT_ONCE)]
JOBS = 200
JOB_KINDS = ["solve", "heuristic-audit", "verification", "model-audit", "database", "experiment"]
BEGIN, END = "<!-- the memory begins -->", "<!-- and the memory ends -->"


@dataclass
class Measured:
    """One operation. ``mib``: the greatest resident memory of the API's process while it was asked; ``beside``: that of
    the largest process beside it."""

    operation: str
    statuses: list[int]
    seconds: float
    mib: int
    beside: int


def definition(seed: int) -> dict[str, Any]:
    """The largest definition of a puzzle that is accepted: random permutations, which have inverses of their own."""
    draw = random.Random(seed)

    def turn() -> dict[str, Any]:
        order = list(range(PIECES))
        draw.shuffle(order)
        return {"P": {"permutation": order, "orientationDelta": [0] * PIECES}}

    return {
        "name": BIG[seed],
        "orbits": [{"orbitName": "P", "numPieces": PIECES, "numOrientations": 1}],
        "defaultPattern": {"P": {"pieces": list(range(PIECES)), "orientation": [0] * PIECES}},
        "moves": {f"M{number}": turn() for number in range(MOVES)},
    }


def at_limits(operation: str, number: int) -> Iterator[dict[str, Any]]:
    """Bodies of an operation at its limits; ``number``: which of the six."""
    puzzle, k = BIG[number], {"k": 10_000, "seed": number}
    rubric = [{"kind": "valid", "points": 1}]
    match operation:
        case "addPuzzle":
            yield {"definition": definition(number)}
        case "checkHeuristic":
            yield {"puzzle": puzzle, "heuristic": "misplaced_pieces"}
            yield {"puzzle": "megaminx", "heuristic": 'pdb("corners:5")'}
        case "lookNearby":
            yield {"puzzle": puzzle, "heuristic": "misplaced_pieces", "states": 20_000}
            yield {"puzzle": "megaminx", "heuristic": "misplaced_facelets", "states": 20_000}
        case "traceSearch":
            yield {"puzzle": puzzle, "scramble": k, "heuristics": ["zero", "misplaced_pieces"], "expanded": 3000}
            yield {"puzzle": "megaminx", "scramble": k, "heuristics": ["zero", "misplaced_facelets"], "expanded": 3000}
        case "readState":
            yield {"puzzle": puzzle, "alg": "", "then": " ".join(["M1"] * 1000)}
            yield {"puzzle": puzzle, "scramble": k, "compose": ["M1"] * 100}
            yield {"puzzle": "megaminx", "scramble": k, "then": " ".join(["U"] * 1000)}
        case "createScramble":
            yield {"puzzle": puzzle, **k}
            yield {"puzzle": "megaminx", **k}
        case "submitSolve":
            yield {"puzzle": puzzle, "scramble": k, "algorithm": "auto"}
            yield {"puzzle": "megaminx", "scramble": k, "heuristic": 'pdb("corners:5")'}
            yield {"puzzle": puzzle, "random": number, "heuristic": "misplaced_pieces"}
        case "submitExperiment":
            yield {"puzzle": puzzle, "k": [1000], "trials": 1000, "seed": number, "heuristics": ["misplaced_pieces"]}
            yield {"puzzle": "megaminx", "k": [10], "trials": 10_000, "seed": number, "heuristics": ["zero"]}
        case "checkAssignment" | "createAssignment" | "replaceAssignment":
            for name in (puzzle, "megaminx"):
                each = [{"k": [9990 + n for n in range(5)], "each": 200, "seed": number}]
                yield {"title": "at its limits", "puzzle": name, "instances": each, "rubric": rubric}
        case "submitVerificationJob":
            yield {"puzzle": puzzle, "scramble": k, "solution": " ".join(["M1"] * 10_000)}
            yield {"items": [{"puzzle": puzzle, "alg": "M1", "solution": "M1'"}] * 1000}
        case "submitHeuristicAuditJob":
            yield {"puzzle": puzzle, "heuristic": "misplaced_pieces", "radius": 1000}
            yield {"puzzle": puzzle, "values": [{"alg": "M1 M2", "h": 1}] * 20_000}
        case "submitModelAuditJob":
            turn = list(range(1000))
            yield {"puzzle": puzzle, "turns": {f"M{n}": turn for n in range(100)}}
        case "submitDatabaseJob":
            yield {"puzzle": puzzle, "pattern": "P:2"}


def measure(only: Sequence[str] = (), tell: Callable[[Measured], None] = lambda _: None) -> list[Measured]:
    """Ask a service with one process; ``only`` these operations, if there are any."""
    with Valkey() as valkey:
        file = Path(valkey.home) / "memory.sqlite"
        with Api(f"sqlite:///{file}", valkey.url, real=True, api_processes=1, max_queued=200_000) as api:
            return list(_measure(api, only, tell))


def _measure(api: Api, only: Sequence[str], tell: Callable[[Measured], None]) -> Iterator[Measured]:
    assert api.process is not None
    (process,) = psutil.Process(api.process.pid).children()
    with httpx.Client(base_url=api.url, timeout=600, limits=httpx.Limits(max_connections=2 * AT_ONCE)) as client:
        for number in range(AT_ONCE):
            client.post("/v1/puzzles", json={"definition": definition(number)}).raise_for_status()
        known = _objects(api, client)
        document = client.get("/openapi.json").json()["paths"]
        asked = [
            (path, method, spec["operationId"], spec)
            for path, methods in document.items()
            for method, spec in methods.items()
            if not only or spec["operationId"] in only
        ]
        # First what reads, then what makes, then what removes.
        for path, method, name, spec in sorted(
            asked, key=lambda one: ["get", "post", "put", "patch", "delete"].index(one[1])
        ):
            found = _ask(client, process, path, method, name, spec, known)
            tell(found)
            yield found


def _objects(api: Api, client: httpx.Client) -> dict[str, str]:
    """Objects as large as they can be: of each kind of jobs 200 with a body of nearly 1 MiB; solves of 10,000 moves, a
    finished experiment of 10,000 rows, and a course of 5,000 students of whom 1,000 have handed in. Returns their ids,
    by what the path is about."""
    large = {
        "heuristic-audit": {"puzzle": "megaminx", "values": [{"alg": "U R F", "h": 1}] * 20_000},
        "verification": {"puzzle": "megaminx", "alg": "U", "solution": " ".join(["U"] * 200_000)},
        "model-audit": {"puzzle": "megaminx", "turns": {f"T{n}": list(range(1000)) for n in range(60)}},
        "database": {"puzzle": "megaminx", "pattern": "corners:3"},
    }
    found = {"course": "ai-1"}

    def make(method: str, path: str, body: Any) -> Any:
        return client.request(method, path, json=body).raise_for_status().json()

    with closing(make_sessions(make_engine(str(api.settings["database_url"])))) as sessions:
        for kind, body in large.items():
            jobs = [NewJob(kind, json.dumps(body), "local") for _ in range(JOBS)]
            sessions.run(lambda session, jobs=jobs: machine.submit(session, jobs))  # type: ignore[misc]
            found[kind] = jobs[0].id
        experiment = {
            "puzzle": "8-puzzle",
            "k": [5, 10],
            "trials": 2500,
            "heuristics": ["manhattan", "zero"],
            "seed": 1,
        }
        found["experiment"] = make("POST", "/v1/experiments", experiment)["id"]
        sessions.run(_finish_solves)
    tags = {f"t{n}": "x" * 256 for n in range(32)}
    solve = {"puzzle": "megaminx", "scramble": {"k": 10_000, "seed": 1}, "tags": tags}
    for _ in range(JOBS):
        found["solve"] = make("POST", "/v1/solves", solve)["id"]
    students = [{"student": f"s{n}", "name": "x" * 150, "email": f"{n}@{'x' * 150}.org"} for n in range(2500)]
    for part in (students, [one | {"student": f"t{n}"} for n, one in enumerate(students)]):
        make("PUT", "/v1/courses/ai-1/roster", {"students": part})
    assignment = {
        "title": "large", "puzzle": "megaminx", "course": "ai-1", "attempts": 10,
        "rubric": [{"kind": "valid", "points": 1}],
        "instances": [{"name": f"i{n}", "alg": "U R F"} for n in range(100)],
    }  # fmt: skip
    found["assignment"] = make("POST", "/v1/assignments", assignment)["id"]
    text = "instance,solution\n" + "".join(f"i{n},F' R' U'\n" for n in range(50))
    files = [{"filename": f"s{n}.csv", "content": text} for n in range(1000)]
    of_class = f"/v1/assignments/{found['assignment']}"
    found["upload"] = make("POST", f"{of_class}/uploads", {"files": files})["items"][0]["id"]
    found["submission"] = make("GET", f"{of_class}/submissions", None)["items"][0]["id"]
    found["regrade_request"] = found["submission"]  # of which nothing is graded yet
    return found


def _finish_solves(session: Session) -> None:
    """Let all solves so far be solved, as a worker would."""
    draw = random.Random(1)
    counters = {name: draw.randrange(2**30) for name in ("expanded", "generated", "evaluated", "stored")}
    session.execute(
        update(Solve).values(
            outcome=Status.SOLVED,
            length=5,
            lower_bound=5,
            optimality="proven",
            seconds=0.1,
            peak_bytes=2**20,
            solution=["U"] * 5,
            **counters,
        )
    )
    session.execute(update(Job).where(Job.kind == "solve").values(state=State.DONE, attempt=1, finished_at=func.now()))


def _ask(
    client: httpx.Client, process: psutil.Process, path: str, method: str, name: str, spec: Any, known: dict[str, str]
) -> Measured:
    kinds = {"/v1/experiments": ["experiment"], "/v1/assignments": ["assignment"], "/v1/jobs": JOB_KINDS}
    about = next((kinds[start] for start in kinds if path.startswith(start)), ["solve"])
    content = spec.get("requestBody", {}).get("content", {}).get("application/json", {})
    queries = {one["name"] for one in spec.get("parameters", []) if one["in"] == "query"}
    work: list[Callable[[], httpx.Response]] = []
    for kind, number in product(about, range(AT_ONCE)):
        names = known | {"id": known[kind], "name": BIG[number], "version": "1"}
        filled = re.sub(r"{(\w+)}", lambda part, names=names: names[part[1]], path)  # type: ignore[misc]
        query: dict[str, Any] = {"limit": 200} if "limit" in queries else {}
        query |= {"puzzle": BIG[number]} if name == "listHeuristics" else {}
        two = name == "compareSubmissions"
        query |= {"student": ["s1", "s2"] if two else "s1"} if "student" in queries else {}
        query |= {"instance": "i1"} if name == "getClassCounts" else {}
        bodies: list[Any] = list(at_limits(name, number))
        if content and not bodies:
            bodies = [next(iter(content["examples"].values()))["value"]]
        work += [partial(client.request, method, filled, params=query, json=body) for body in bodies or [None]]
    for one in (process, *process.children(recursive=True)):
        reset_peak(one.pid)
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = [answer.status_code for answer in pool.map(lambda one: one(), work)]
    seconds = time.monotonic() - began
    beside = max((peak_mib(one.pid) for one in process.children(recursive=True)), default=0)
    return Measured(name, sorted(set(statuses)), seconds, peak_mib(process.pid), beside)


def write_table(page: Path, found: list[Measured]) -> None:
    """Write the table into a page."""
    lines = ["| operation | answers | seconds | API process, MiB | beside it, MiB |", "|---|---|---|---|---|"]
    for one in sorted(found, key=lambda one: -one.mib):
        answers = ", ".join(map(str, one.statuses))
        lines.append(f"| `{one.operation}` | {answers} | {one.seconds:.1f} | {one.mib} | {one.beside or ''} |")
    replace_between(page, BEGIN, END, "\n".join(lines))
