"""``Prefer: wait=N``: granted up to the cap, limited in number, and ended by the end of the solve."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.context import Context
from tests.servers import wait_until

BODY = {"puzzle": "8-puzzle", "scramble": {"k": 20, "seed": 5}}
LONG = 25


def waiting_places(client: FlaskClient) -> int:
    """The number of waits that could begin now."""
    context = client.application.extensions["hstar"]
    assert isinstance(context, Context)
    return context.long_polling._places._value  # the semaphore has no public way to ask


def ask(client: FlaskClient, path: str, seconds: int = LONG) -> TestResponse:
    return client.application.test_client().get(path, headers={"Prefer": f"wait={seconds}"})


def test_a_wait_ends_with_the_solve(client: FlaskClient, work_off: Callable[[], int]) -> None:
    path = client.post("/v1/solves", json=BODY).headers["Location"]
    places = waiting_places(client)
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(ask, client, path)
        wait_until(lambda: waiting_places(client) == places - 1, "the wait to begin")
        work_off()
        answer = held.result()
    assert (answer.status_code, answer.get_json()["outcome"]) == (200, "solved")
    assert answer.headers["Preference-Applied"] == f"wait={LONG}"
    assert "Retry-After" not in answer.headers
    assert waiting_places(client) == places


def test_a_submission_can_wait_for_its_own_end(client: FlaskClient, work_off: Callable[[], int]) -> None:
    places = waiting_places(client)
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(
            lambda: client.application.test_client().post("/v1/solves", json=BODY, headers={"Prefer": f"wait={LONG}"})
        )
        wait_until(lambda: waiting_places(client) == places - 1, "the wait to begin")
        work_off()
        answer = held.result()
    assert (answer.status_code, answer.get_json()["outcome"]) == (200, "solved")
    assert answer.headers["Location"] == f"/v1/jobs/{answer.get_json()['id']}"


def test_a_wait_ends_with_the_cancel(client: FlaskClient) -> None:
    path = client.post("/v1/solves", json=BODY).headers["Location"]
    places = waiting_places(client)
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(ask, client, path)
        wait_until(lambda: waiting_places(client) == places - 1, "the wait to begin")
        assert client.post(f"{path}/cancel").status_code == 200
        assert held.result().get_json()["status"] == "cancelled"


def test_a_cancel_is_announced_to_those_who_wait(client: FlaskClient) -> None:
    context = client.application.extensions["hstar"]
    solve_id = client.post("/v1/solves", json=BODY).get_json()["id"]
    with context.doorbell.listen(solve_id) as finished:
        assert finished.connected
        client.post(f"/v1/jobs/{solve_id}/cancel")
        assert finished.wait(20) is not None


def test_after_the_wait_the_answer_is_the_present_state(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(wait_cap_seconds=0.2)
    answer = client.post("/v1/solves", json=BODY, headers={"Prefer": "wait=600"})
    assert (answer.status_code, answer.get_json()["status"]) == (202, "queued")
    assert answer.headers["Preference-Applied"] == "wait=0.2"
    assert answer.headers["Retry-After"] == "1"
    held = ask(client, answer.headers["Location"])
    assert (held.status_code, held.get_json()["status"]) == (200, "queued")


@pytest.mark.parametrize("prefer", ["wait=soon", "wait=-1", "respond-async", ""])
def test_other_preferences_change_nothing(client: FlaskClient, prefer: str) -> None:
    answer = client.post("/v1/solves", json=BODY, headers={"Prefer": prefer})
    assert answer.status_code == 202
    assert "Preference-Applied" not in answer.headers


def test_beyond_the_limit_no_request_waits(
    make_client: Callable[..., FlaskClient], work_off: Callable[[], int]
) -> None:
    client = make_client(api_threads=4)
    path = client.post("/v1/solves", json=BODY).headers["Location"]
    assert waiting_places(client) == 2
    with ThreadPoolExecutor(2) as pool:
        held = [pool.submit(ask, client, path) for _ in range(2)]
        wait_until(lambda: waiting_places(client) == 0, "both waits to begin")
        answer = ask(client, path)
        assert (answer.status_code, answer.get_json()["status"]) == (200, "queued")
        assert "Preference-Applied" not in answer.headers
        work_off()
        assert [one.result().get_json()["outcome"] for one in held] == ["solved", "solved"]
    assert waiting_places(client) == 2


def test_a_stopping_process_lets_its_waits_go(client: FlaskClient) -> None:
    context = client.application.extensions["hstar"]
    path = client.post("/v1/solves", json=BODY).headers["Location"]
    places = waiting_places(client)
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(ask, client, path)
        wait_until(lambda: waiting_places(client) == places - 1, "the wait to begin")
        context.long_polling.stop()
        assert held.result().get_json()["status"] == "queued"
    assert "Preference-Applied" not in ask(client, path).headers


def test_a_wait_holds_no_database_connection(client: FlaskClient, work_off: Callable[[], int]) -> None:
    context = client.application.extensions["hstar"]
    pool_of_database = context.sessions.engine.pool
    path = client.post("/v1/solves", json=BODY).headers["Location"]
    places = waiting_places(client)
    with ThreadPoolExecutor(4) as pool:
        held = [pool.submit(ask, client, path) for _ in range(4)]
        wait_until(lambda: waiting_places(client) == places - 4, "the waits to begin")
        wait_until(lambda: pool_of_database.checkedout() == 0, "all connections to be back")
        work_off()
        assert all(one.result().get_json()["outcome"] == "solved" for one in held)


def test_a_signal_may_interrupt_the_handler_of_another(client: FlaskClient) -> None:
    """A terminal signals the whole group, and gunicorn's main process then signals its workers again."""
    context = client.application.extensions["hstar"]
    interruptions = 0

    def interrupt(frame: FrameType, event: str, arg: object) -> Any:
        nonlocal interruptions
        if event == "line":
            interruptions += 1
            context.long_polling.stop()
        return interrupt

    def stop_interrupted() -> None:
        sys.settrace(interrupt)
        context.long_polling.stop()

    handler = threading.Thread(target=stop_interrupted, daemon=True)
    handler.start()
    handler.join(10)
    assert not handler.is_alive()
    assert interruptions
