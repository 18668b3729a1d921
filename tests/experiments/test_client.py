"""The client with a real HTTP server: retries, problem documents, and malformed answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from hstar.client import Calls, Client, ServerError, _Pause
from hstar.experiments.design import plan
from hstar.experiments.report import report
from hstar.experiments.rows import row_of
from hstar.experiments.schema import Experiment
from tests.experiments.builders import request, searched_once

Reply = tuple[int, dict[str, str], bytes]


@contextmanager
def serving(replies: list[Reply]) -> Iterator[tuple[str, list[Any]]]:
    """A server that sends these replies in turn, and records its requests."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append((self.command, self.path, dict(self.headers), body))
            status, headers, content = replies.pop(0)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815  # the names that http.server calls

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def experiment(done: int) -> bytes:
    design = plan(request())
    waiting = [row_of(design, planned) for planned in design.rows()]
    rows = [*searched_once()[:done], *waiting[done:]]
    answer = report(design.request, rows, id="42")
    return answer.model_dump_json(include=set(Experiment.model_fields)).encode()


def test_submit_and_follow() -> None:
    replies: list[Reply] = [(202, {}, experiment(0)), (200, {}, experiment(3)), (200, {}, experiment(6))]
    with serving(replies) as (url, asked), Client(url, "secret") as client:
        submitted = client.submit_experiment(request(), idempotency_key="once")
        assert submitted.id == "42"
        followed = list(client.follow_experiment(submitted.id, every=0.01))
    assert [now.fraction_done for now in followed] == [0.5, 1.0]
    method, path, headers, body = asked[0]
    assert (method, path) == ("POST", "/v1/experiments")
    assert (headers["Authorization"], headers["Idempotency-Key"]) == ("Bearer secret", "once")
    assert json.loads(body)["k"] == {"from": 3, "to": 5}
    assert [one[:2] for one in asked[1:]] == [("GET", "/v1/experiments/42")] * 2


def test_files_and_cancelling() -> None:
    replies: list[Reply] = [(200, {}, b"index\r\n"), (200, {}, b"<svg/>"), (204, {}, b"")]
    with serving(replies) as (url, asked), Client(url) as client:
        assert client.experiment_rows("42") == b"index\r\n"
        assert client.experiment_plot("42", x="true_distance", y="seconds") == b"<svg/>"
        client.cancel_experiment("42")
    assert [one[:2] for one in asked] == [
        ("GET", "/v1/experiments/42/rows.csv"),
        ("GET", "/v1/experiments/42/plot.svg?x=true_distance&y=seconds&size=page"),
        ("POST", "/v1/experiments/42/cancel"),
    ]
    assert "Authorization" not in asked[0][2]


def test_a_busy_server_is_asked_again() -> None:
    busy: Reply = (503, {"Retry-After": "0"}, b"{}")
    with serving([busy, busy, (200, {}, experiment(6))]) as (url, asked), Client(url) as client:
        assert client.get_experiment("42").status == "done"
    assert len(asked) == 3


def test_a_long_wait_is_not_waited_for() -> None:
    with (
        serving([(429, {"Retry-After": "3600"}, b"{}")]) as (url, asked),
        Client(url) as client,
        pytest.raises(ServerError) as refused,
    ):
        client.get_experiment("42")
    assert (refused.value.status, len(asked)) == (429, 1)


def test_a_problem_document_becomes_an_error_with_all_its_faults() -> None:
    problem = {"title": "t", "detail": "the request breaks its schema", "errors": [{"where": "/k", "message": "no"}]}
    with (
        serving([(422, {}, json.dumps(problem).encode())]) as (url, _),
        Client(url) as client,
        pytest.raises(ServerError) as refused,
    ):
        client.submit_experiment(request())
    assert refused.value.status == 422
    assert str(refused.value) == "the request breaks its schema\n  - /k: no"


@pytest.mark.parametrize("content", [b"<html>", b"[]", b'{"errors": 3}', b"\xff"])
def test_an_error_without_a_problem_document(content: bytes) -> None:
    with (
        serving([(404, {}, content)]) as (url, _),
        Client(url) as client,
        pytest.raises(ServerError, match="answered 404"),
    ):
        client.get_experiment("42")


def test_an_answer_that_is_no_experiment() -> None:
    with (
        serving([(200, {}, b"<html>welcome</html>")]) as (url, _),
        Client(url) as client,
        pytest.raises(ServerError, match="not an object Experiment"),
    ):
        client.get_experiment("42")


@pytest.mark.parametrize("url", ["", "ftp://127.0.0.1", "not a url"])
def test_an_invalid_address(url: str) -> None:
    with pytest.raises(ServerError, match="is not the address of a server"), Client(url) as client:
        client.get_experiment("42")


def test_a_server_that_has_answered_is_waited_for_while_it_starts_again() -> None:
    """It can be away for a minute; an address at which nobody has answered is given up soon."""
    calls = Calls("http://127.0.0.1:1")

    def pauses() -> float:
        """How long a request waits in all before it fails."""
        total, steps = 0.0, calls._send("GET", "/v1/limits")
        step = next(steps)
        while True:
            if isinstance(step, _Pause):
                total += step.seconds
                step = next(steps)
            else:
                try:
                    step = steps.throw(httpx.ConnectError("refused"))
                except ServerError as failure:
                    assert "cannot be reached" in str(failure)  # noqa: PT017  # the steps end here
                    return total

    assert pauses() < 10
    answered = calls._send("GET", "/v1/limits")
    next(answered)
    with pytest.raises(StopIteration):
        answered.send(httpx.Response(200))
    assert 60 < pauses() < 90
