"""`hstar.Client` and `hstar.AsyncClient` with the real application and a worker: what the library computes."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from apiflask import APIFlask
from werkzeug.serving import make_server

import hstar
from hstar import client as client_module
from hstar.client import AsyncClient, Calls, Client
from hstar.errors import InvalidRequest, UnknownName
from service.app import create_app
from store.settings import Settings
from tests import forking
from tests.certificates.checkers import second
from tests.command_line import run
from tests.conftest import instances
from worker.runner import Runner


@pytest.fixture
def url(settings: Settings) -> Iterator[str]:
    """The address of the application, with a worker beside it."""
    app = create_app(settings)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    stop = threading.Event()

    def work() -> None:
        runner = Runner(settings)
        while not stop.wait(0.02):
            runner.drain()
        runner.close()

    threads = [threading.Thread(target=server.serve_forever), threading.Thread(target=work)]
    for thread in threads:
        thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    stop.set()
    server.shutdown()
    for thread in threads:
        thread.join()
    server.server_close()
    app.extensions["hstar"].sessions.close()


class Twin:
    """The methods of `AsyncClient`, each run to its end, so that the tests of one are those of the other."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def run(*args: Any, **kwargs: Any) -> Any:
            async with AsyncClient(self._url) as client:
                made = getattr(client, name)(*args, **kwargs)
                return await made if inspect.isawaitable(made) else [item async for item in made]

        return lambda *args, **kwargs: asyncio.run(run(*args, **kwargs))


@pytest.fixture(params=["blocking", "asyncio"])
def client(request: pytest.FixtureRequest, url: str) -> Iterator[Any]:
    if request.param == "asyncio":
        yield Twin(url)
        return
    with Client(url) as made:
        yield made


def test_the_twins_have_the_same_methods_and_signatures() -> None:
    names = {name for name, value in vars(Calls).items() if not name.startswith("_") and callable(value)}
    for twin in (Client, AsyncClient):
        own = {name for name, value in vars(twin).items() if not name.startswith("_") and callable(value)}
        assert own - {"close", "aclose"} == names
        for name in names:
            assert inspect.signature(getattr(twin, name)) == inspect.signature(getattr(Calls, name))
            assert getattr(twin, name).__doc__


def compared(found: hstar.Solution) -> tuple[Any, ...]:
    return found.start, found.moves, found.proven, found.lower_bound, found.expanded, str(found).split(";")[0]


@pytest.mark.parametrize(
    ("start", "fields"),
    [
        ("3x3x3", {"k": 4, "seed": 1}),
        ("megaminx", {"alg": "U U F", "moves": "ccw", "heuristic": "ceil(misplaced_facelets / 15)"}),
        (hstar.puzzle("8-puzzle", goal="1 2 3 / 8 0 4 / 7 6 5").scramble(9, seed=2), {"heuristic": "manhattan"}),
        ("8-puzzle", {"k": 20, "heuristic": "manhattan", "limits": {"expanded": 3}}),
        (hstar.puzzle("pyraminx").solved, {"target": hstar.puzzle("pyraminx").scramble(4, seed=3)}),
    ],
)
def test_a_solve_is_that_of_the_library(client: Any, start: Any, fields: dict[str, Any]) -> None:
    assert compared(client.solve(start, **fields)) == compared(hstar.solve(start, **fields))


def test_shorten_and_check_are_those_of_the_library(client: Any) -> None:
    asked: dict[str, Any] = {"alg": "R U R' U' R U R' U'", "limits": {"expanded": 2000}}
    assert compared(client.shorten("2x2x2", **asked)) == compared(hstar.shorten("2x2x2", **asked))
    mine = hstar.check("ceil(misplaced_cells / 2)", "8-puzzle")
    assert client.check("ceil(misplaced_cells / 2)", "8-puzzle") == mine


def test_an_experiment_is_that_of_the_library(client: Any) -> None:
    asked: dict[str, Any] = {"k": "3-5", "heuristics": ["manhattan", "misplaced-tiles"], "trials": 2, "seed": 7}
    seen: list[Any] = []
    found = client.experiment("8-puzzle", **asked, progress=seen.append)
    mine = hstar.experiment("8-puzzle", jobs=1, **asked)
    kept = ("index", "k", "seed", "heuristic", "status", "length", "lower_bound", "expanded", "generated", "reopened")
    assert [[getattr(row, name) for name in kept] for row in found.rows] == [
        [getattr(row, name) for name in kept] for row in mine.rows
    ]
    assert found.request == mine.request
    assert seen[-1]["status"] == "done"
    table = found.to_arrow()
    assert table.num_rows == 12
    assert table.column("expanded").to_pylist() == [row.expanded for row in found.rows]
    assert found.plot().startswith("<?xml")
    assert "<svg" in found.plot()._repr_svg_()


def test_jobs_are_listed_page_by_page_and_cancelled(client: Any) -> None:
    body = {"puzzle": "8-puzzle", "scramble": {"k": 3, "seed": 1}, "heuristic": "manhattan", "tags": {"sheet": "2"}}
    made = [client.submit(body) for _ in range(3)]
    assert len({one.id for one in made}) == 3
    key = str(uuid4())
    assert client.submit(body, idempotency_key=key).id == client.submit(body, idempotency_key=key).id
    listed = list(client.solves(limit=2))
    assert [one.id for one in listed[1:]] == [one.id for one in reversed(made)]
    assert client.wait(made[0].id).outcome == "solved"
    assert client.get_solve(made[0].id).length == 3
    endless = client.submit({"puzzle": "megaminx", "scramble": {"k": 60, "seed": 1}, "limits": {"seconds": 100}})
    client.cancel(endless.id)
    assert client.wait(endless.id).status == "cancelled"


def test_any_job_and_any_operation(client: Any) -> None:
    claim = {"puzzle": "8-puzzle", "scramble": {"k": 2, "seed": 1}, "solution": "U"}
    job = client.run("submitVerificationJob", claim)
    assert (job["status"], job["answer"]["valid"]) == ("done", False)
    assert client.call("getJob", id=job["id"]) == job
    assert [item["id"] for item in client.call("listJobs", kind="verification", limit=1)["items"]] == [job["id"]]
    assert client.call("drawPuzzle", name="8-puzzle").startswith("<svg")
    with pytest.raises(UnknownName, match="getJob"):
        client.call("getJobss")
    with pytest.raises(InvalidRequest, match="this parameter is missing"):
        client.call("getJob")
    with pytest.raises(InvalidRequest, match="no such parameter"):
        client.call("getMe", who=1)


def test_a_puzzle_that_only_the_server_has(client: Any) -> None:
    turns = {"a": [1, 2, 3, 0], "b": [1, 0, 2, 3]}
    named = client.request("POST", "/v1/puzzles", json={"definition": turns, "name": "four"})
    there = client.puzzle(named["name"])
    assert there.state_count == 24
    start = there.scramble(5, seed=1)
    assert compared(client.solve(start)) == compared(hstar.solve(start))


def test_ctrl_c_cancels_the_solve_and_keeps_its_answer(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pressed: list[str] = []

    def press(*_: object) -> None:
        if not pressed:
            pressed.append("Ctrl-C")
            raise KeyboardInterrupt

    with Client(url) as client:
        found = client.solve("megaminx", k=60, limits={"seconds": 100}, progress=press)
        assert pressed
        assert found.answer.status == "cancelled"
        assert found.lower_bound is not None


def test_every_operation_is_reachable(settings: Settings) -> None:
    """The requests that `call` makes, given to the router of the application."""
    app = create_app(settings)
    document = app.test_client().get("/openapi.json").get_json()
    reached = set()
    for path, methods in document["paths"].items():
        for method, spec in methods.items():
            needed = {
                one["name"].replace("-", "_").lower(): str(uuid4()) if one["name"] == "id" else "3"
                for one in spec.get("parameters", ())
                if one["in"] == "path" or one.get("required")
            }
            steps = Calls("http://test").call(spec["operationId"], **needed)
            first = next(steps)
            assert isinstance(first, client_module._Send)
            sent = steps.send(httpx.Response(200, json=document))
            assert isinstance(sent, client_module._Send)
            steps.close()
            assert sent.method == method.upper()
            assert routed(app, sent) == routed(app, client_module._Send(method.upper(), example(path, needed)))
            reached.add(spec["operationId"])
    assert len(reached) == sum(len(methods) for methods in document["paths"].values()) > 80
    app.extensions["hstar"].sessions.close()


def example(path: str, values: dict[str, str]) -> str:
    return re.sub(r"{(\w+)}", lambda found: values[found[1]], path)


def routed(app: APIFlask, sent: Any) -> object:
    endpoint, _ = app.url_map.bind("localhost").match(sent.path, method=sent.method)
    assert endpoint in app.view_functions
    return endpoint


#: of the same question, what depends on the machine, and the limits of the service
COSTS = ("seconds", "peak_bytes", "limits")


def without_costs(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in COSTS}


@pytest.mark.parametrize(
    "command",
    instances([
        ("solve", "8-puzzle", "--state", "2 8 3 / 1 6 4 / 0 7 5", "--heuristic", "manhattan"),
        ("solve", "15-puzzle", "--k", "60", "--seed", "1", "--limit-expanded", "10"),
        ("check", "megaminx", "s2-face-distance", "--moves", "ccw"),
        ("verify", "megaminx", "--alg", "U F R", "--solution", "R' F U'", "--moves", "ccw"),
        ("audit", "heuristic", "8-puzzle", "misplaced_tiles", "--radius", "3"),
        ("shorten", "2x2x2", "R U U' R F F'", "--limit-expanded", "1000"),
        ("database", "build", "8-puzzle", "4-4"),
    ], few=3),
    ids=" ".join,
)  # fmt: skip
def test_a_command_says_the_same_of_a_server(url: str, command: tuple[str, ...]) -> None:
    here, there = run(*command, "--json"), alone(*command, "--json", HSTAR_URL=url)
    assert (there.returncode, there.stderr) == (here.exit_code, "")
    assert without_costs(json.loads(there.stdout)) == without_costs(json.loads(here.stdout))


def alone(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, because the worker in this one writes its log to standard output."""
    return forking.run(["-m", "hstar.cli", *command], env=os.environ | environment, timeout=300)


def test_a_certificate_comes_from_the_server(url: str, tmp_path: Path) -> None:
    file = tmp_path / "proof.hcert"
    state = ("solve", "8-puzzle", "--state", "2 8 3 / 1 6 4 / 0 7 5", "--server", url)
    assert alone(*state, "--certificate", str(file)).returncode == 0
    assert second(file).proven
    refused = run(*state, "--threads", "2", "--picture", str(tmp_path / "a.svg"))
    assert (refused.exit_code, "--threads" in refused.stderr, "--picture" in refused.stderr) == (2, True, True)
