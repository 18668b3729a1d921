"""``/v1/webhooks``; what is sent is in tests/worker/test_webhooks.py."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from tests.service.problems import problem

URL = "https://example.org/ended"


def test_a_secret_is_shown_once(client: FlaskClient) -> None:
    answer = client.post("/v1/webhooks", json={"url": URL})
    made = answer.get_json()
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    assert made["secret"].startswith("whsec_")
    secret = made.pop("secret")
    assert (made["url"], made["waiting"], made["delivered"], made["given_up"]) == (URL, 0, 0, 0)
    listed = client.get("/v1/webhooks")
    assert listed.get_json() == {"items": [made], "next": None}
    assert secret not in listed.get_data(as_text=True)
    assert client.delete(f"/v1/webhooks/{made['id']}").status_code == 204
    assert client.get("/v1/webhooks").get_json()["items"] == []
    problem(client.delete(f"/v1/webhooks/{made['id']}"), "not-found")


def test_an_end_waits_to_be_told(client: FlaskClient, work_off: Callable[[], int]) -> None:
    client.post("/v1/webhooks", json={"url": URL})
    client.post("/v1/solves", json={"puzzle": "8-puzzle", "alg": "U", "heuristic": "manhattan"})
    assert client.get("/v1/webhooks").get_json()["items"][0]["waiting"] == 0
    work_off()
    assert client.get("/v1/webhooks").get_json()["items"][0]["waiting"] == 1


def test_an_owner_may_have_a_few(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(webhooks=2)
    for number in range(2):
        assert client.post("/v1/webhooks", json={"url": f"{URL}/{number}"}).status_code == 201
    assert "may have 2" in problem(client.post("/v1/webhooks", json={"url": URL}), "too-many-webhooks")["detail"]
    first = client.get("/v1/webhooks?limit=1").get_json()
    second = client.get(first["next"]).get_json()
    assert [one["items"][0]["url"] for one in (first, second)] == [f"{URL}/1", f"{URL}/0"]
    assert second["next"] is None


@pytest.mark.parametrize(
    "url",
    [
        "example.org", "ftp://example.org/", "https://", "https://me:secret@example.org/", "https://example.org/#x",
        "https://example.org/a b", "https://exämple.org/", "https://example.org:99999/", "https://127.0.0.1/",
        "https://[::1]/", "https://169.254.169.254/latest/meta-data", "https://e/" + "x" * 2000,
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused(client: FlaskClient, url: str) -> None:
    answer = problem(client.post("/v1/webhooks", json={"url": url}), "invalid-request")
    assert [fault["where"] for fault in answer["errors"]] == ["/url"]
