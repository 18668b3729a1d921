"""`/v1/jobs`: all kinds in one list, filtered, paged, cancelled, and owned."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from hstar.schema import JobHead
from tests.conftest import TEST_ALL
from tests.service.conftest import KEYS
from tests.service.problems import problem
from tests.service.test_assignments import hand_in, post

UNKNOWN = "018f0000-0000-7000-8000-000000000000"
EXPERIMENT = {"puzzle": "8-puzzle", "k": [3], "trials": 2, "heuristics": ["manhattan"], "seed": 1}

SOLVE = {"puzzle": "8-puzzle", "scramble": {"k": 4, "seed": 1}, "heuristic": "manhattan"}
AUDIT = {"puzzle": "8-puzzle", "heuristic": "misplaced_tiles", "radius": 3}
CHECK = {"puzzle": "megaminx", "alg": "U", "moves": "ccw", "solution": "U'"}


def listed(client: FlaskClient, query: str = "", **headers: str) -> list[dict[str, Any]]:
    answer = client.get(f"/v1/jobs{query}", headers=headers)
    assert answer.status_code == 200, answer.text
    items = answer.get_json()["items"]
    assert isinstance(items, list)
    return items


def test_all_kinds_are_in_one_list(client: FlaskClient, work_off: Callable[[], int]) -> None:
    made = {
        "solve": client.post("/v1/solves", json=SOLVE).headers["Location"],
        "heuristic-audit": client.post("/v1/audits/heuristic", json=AUDIT).headers["Location"],
        "verification": client.post("/v1/verifications", json=CHECK).headers["Location"],
    }
    hand_in(client, post(client, title="Week 3"), "1001")
    jobs = {job["kind"]: job for job in listed(client)}
    assert list(jobs) == ["grading", "verification", "heuristic-audit", "solve"]
    for kind, where in made.items():
        assert where == f"/v1/jobs/{jobs[kind]['id']}"
        assert client.get(where).get_json() == jobs[kind]
    assert jobs["solve"]["about"] == ["8-puzzle", "k = 4, seed 1", "manhattan"]
    assert jobs["heuristic-audit"]["about"] == ["8-puzzle", "misplaced_tiles"]
    assert jobs["grading"]["about"] == ["Week 3", "1001"]
    assert client.get(jobs["grading"]["url"]).get_json()["student"] == "1001"
    assert {job["status"] for job in jobs.values()} == {"queued"}
    assert [job["kind"] for job in listed(client, "?kind=verification")] == ["verification"]
    assert listed(client, "?status=done") == []
    work_off()
    assert len(listed(client, "?status=done")) == 4
    assert listed(client, "?status=queued") == []
    shown = client.get(f"/v1/jobs/{jobs['solve']['id']}").get_json()
    assert (shown["status"], shown["error"]) == ("done", None)
    assert shown["finished_at"] >= shown["started_at"]


def test_pages_follow_one_another(client: FlaskClient) -> None:
    for seed in range(5):
        client.post("/v1/solves", json=SOLVE | {"scramble": {"k": 4, "seed": seed}})
    found: list[str] = []
    path: str | None = "/v1/jobs?limit=2&kind=solve"
    while path is not None:
        page = client.get(path).get_json()
        assert len(page["items"]) <= 2
        found += [job["about"][1] for job in page["items"]]
        path = page["next"]
    assert found == [f"k = 4, seed {seed}" for seed in (4, 3, 2, 1, 0)]


def test_a_job_of_any_kind_is_cancelled(client: FlaskClient, work_off: Callable[[], int]) -> None:
    client.post("/v1/solves", json=SOLVE)
    hand_in(client, post(client), "1001")
    for job in listed(client):
        assert client.post(f"/v1/jobs/{job['id']}/cancel").get_json()["status"] == "cancelled"
        assert client.post(f"/v1/jobs/{job['id']}/cancel").get_json()["status"] == "cancelled"
    assert work_off() == 0
    assert client.post("/v1/jobs/018f0000-0000-7000-8000-000000000000/cancel").status_code == 404


def test_each_owner_sees_her_own(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = ({"Authorization": f"Bearer key-of-{name}-in-tests"} for name in ("alice", "bob"))
    client.post("/v1/solves", json=SOLVE, headers=alice)
    (job,) = listed(client, **alice)
    assert job["owner"] == "alice"
    assert listed(client, **bob) == []
    for method, path in ((client.get, ""), (client.post, "/cancel"), (client.delete, "")):
        assert method(f"/v1/jobs/{job['id']}{path}", headers=bob).status_code == 404


def test_several_statuses_and_kinds_are_asked_for_together(client: FlaskClient, work_off: Callable[[], int]) -> None:
    client.post("/v1/solves", json=SOLVE)
    client.post("/v1/solves", json=SOLVE | {"limits": {"expanded": 1}})
    work_off()
    client.post("/v1/verifications", json=CHECK)
    client.post("/v1/audits/heuristic", json=AUDIT)
    client.post(f"/v1/jobs/{listed(client)[0]['id']}/cancel")

    def kinds(query: str) -> list[str]:
        return [job["kind"] for job in listed(client, query)]

    assert kinds("?status=queued&status=cancelled") == ["heuristic-audit", "verification"]
    assert kinds("?status=done&status=cancelled") == ["heuristic-audit", "solve", "solve"]
    assert kinds("?status=done&status=cancelled&kind=solve&kind=verification") == ["solve", "solve"]
    assert kinds("?outcome=solved&outcome=exhausted") == ["solve"]
    assert kinds("?outcome=solved&outcome=limit_reached&status=done") == ["solve", "solve"]
    assert kinds("?outcome=solved&status=queued") == kinds("?outcome=solved&kind=verification") == []
    assert client.get("/v1/jobs?status=solved").status_code == 422


def test_the_head_of_a_job_is_the_same_alone(client: FlaskClient, work_off: Callable[[], int]) -> None:
    client.post("/v1/solves", json=SOLVE)
    client.post("/v1/audits/heuristic", json=AUDIT)
    hand_in(client, post(client), "1001")
    work_off()
    names = list(JobHead.model_fields)
    whole = [{name: job[name] for name in names} for job in listed(client)]
    assert listed(client, f"?fields={','.join(names)}") == whole


def test_what_has_ended_can_be_deleted(client: FlaskClient, work_off: Callable[[], int]) -> None:
    solve = client.post("/v1/solves", json=SOLVE | {"tags": {"a": "b"}}).headers["Location"]
    audit = client.post("/v1/audits/heuristic", json=AUDIT).headers["Location"]
    assert "cancel it first" in problem(client.delete(solve), "job-in-use")["detail"]
    work_off()
    for path in (solve, audit):
        assert client.delete(path).status_code == 204
        for again in (client.delete(path), client.get(path), client.post(f"{path}/cancel")):
            problem(again, "not-found")
    assert listed(client) == listed(client, "?tag=a:b") == []
    # It had ended, so the statistics may have it; they must not fail.
    assert client.get("/v1/stats").status_code == 200


def test_rows_and_gradings_are_deleted_with_what_they_belong_to(
    client: FlaskClient, work_off: Callable[[], int]
) -> None:
    design = {"puzzle": "8-puzzle", "k": [3], "trials": 2, "heuristics": ["manhattan"], "seed": 1}
    experiment = client.post("/v1/experiments", json=design).headers["Location"]
    hand_in(client, post(client), "1001")
    assert "have not ended" in problem(client.delete(experiment), "job-in-use")["detail"]
    work_off()
    for job in listed(client):
        assert "delete that" in problem(client.delete(f"/v1/jobs/{job['id']}"), "job-in-use")["detail"]
    assert client.delete(experiment).status_code == 204
    assert [job["kind"] for job in listed(client)] == ["grading"]
    problem(client.get(experiment), "not-found")
    # The same experiment is a new one now.
    assert client.post("/v1/experiments", json=design).headers["Location"] != experiment


def test_a_batch_that_is_refused_says_where_and_what_in_each_item(client: FlaskClient) -> None:
    fine = {"puzzle": "8-puzzle", "scramble": {"k": 3, "seed": 1}}
    wrong = [
        fine,
        fine | {"puzzle": "9-puzzle"},
        fine | {"heuristic": "manhattan +"},
        {"puzzle": "8-puzzle", "state": {"tiles": [1, 2, 3, 4, 5, 6, 7, 8, 8]}},
    ]
    refused = client.post("/v1/solves", json={"items": wrong})
    assert refused.status_code == 422
    told = [(fault["where"], fault["message"]) for fault in refused.get_json()["errors"]]
    assert (told[0][0], told[0][1][:30]) == ("/items/1/puzzle", "there is no puzzle '9-puzzle';")
    assert told[1:] == [
        ("/items/2: column 12", "the heuristic ends too early: expected a number, a feature or )"),
        ("/items/3", "tile 8 appears 2 times"),
        ("/items/3", "tile 0 is missing"),
    ]
    assert client.get("/v1/jobs").get_json()["items"] == []


def test_ten_thousand_solves_in_one_request(client: FlaskClient, work_off: Callable[[], int]) -> None:
    items = [{"puzzle": "8-puzzle", "scramble": {"k": 3, "seed": seed}, "tags": {"n": "1"}} for seed in range(12)]
    few = client.post("/v1/solves", json={"items": items}, headers={"Idempotency-Key": "few"})
    assert few.status_code == 202
    again = client.post("/v1/solves", json={"items": items}, headers={"Idempotency-Key": "few"})
    assert again.headers["Idempotent-Replayed"] == "true"
    assert [job["id"] for job in again.get_json()["items"]] == [job["id"] for job in few.get_json()["items"]]
    assert work_off() == 12
    found: list[dict[str, Any]] = []
    path: str | None = few.headers["Location"] + "&limit=5"
    assert few.get_json()["url"] == few.headers["Location"]
    while path is not None:
        page = client.get(path).get_json()
        found += page["items"]
        path = page["next"]
    assert [job["id"] for job in reversed(found)] == [job["id"] for job in few.get_json()["items"]]
    assert [job["start"]["scramble"]["seed"] for job in reversed(found)] == list(range(12))
    assert {job["outcome"] for job in found} == {"solved"}
    small = [{"puzzle": "8-puzzle", "random": seed} for seed in range(10_000)]
    some = small if TEST_ALL else small[:500]
    many = client.post("/v1/solves", json={"items": some})
    assert (many.status_code, len(many.get_json()["items"])) == (202, len(some))
    assert (
        "schema" in problem(client.post("/v1/solves", json={"items": [*small, small[0]]}), "invalid-request")["detail"]
    )


def test_every_invalid_item_is_named(client: FlaskClient) -> None:
    good = {"puzzle": "8-puzzle", "scramble": {"k": 3, "seed": 1}}
    bad = [
        good,
        {"puzzle": "8-puzzle", "state": [1] * 9},
        good,
        good | {"heuristic": "nonsense"},
        {"puzzle": "8-puzzle", "alg": "Q"},
    ]
    answer = client.post("/v1/solves", json={"items": bad})
    places = [error["where"].split("/")[2][0] for error in answer.get_json()["errors"]]
    assert (answer.status_code, sorted(set(places))) == (422, ["1", "3", "4"])
    assert listed(client) == []


def events(answer: TestResponse) -> Iterator[dict[str, Any]]:
    """What a stream sends, as it comes."""
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    for part in answer.response:
        text = part.decode() if isinstance(part, bytes) else part
        if text.startswith("data: "):
            yield json.loads(text.removeprefix("data: "))


def test_events_tell_how_a_job_goes_on(make_client: Callable[..., FlaskClient], work_off: Callable[[], int]) -> None:
    client = make_client(wait_cap_seconds=600)
    asked = {"Accept": "text/event-stream"}
    for made, body in (("/v1/solves", SOLVE), ("/v1/experiments", EXPERIMENT)):
        where = client.post(made, json=body).headers["Location"]
        seen = events(client.get(where, headers=asked))
        assert next(seen)["status"] == "queued"
        worker = threading.Thread(target=work_off)
        worker.start()
        *_, last = seen
        worker.join()
        assert last == client.get(where).get_json()
        assert last["status"] in ("done", "done")
        # What has ended is one event.
        assert list(events(client.get(where, headers=asked))) == [last]
    problem(client.get(f"/v1/jobs/{UNKNOWN}", headers=asked), "not-found")


def test_there_are_only_so_many_streams(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_threads=4, wait_cap_seconds=600)
    where = client.post("/v1/solves", json=SOLVE).headers["Location"]
    asked = {"Accept": "text/event-stream"}
    first = client.get(where, headers=asked)  # is not read to its end
    parts = iter(first.response)
    assert [next(parts)[:5] for _ in range(3)] == [b"retry", b"data:", b":\n\n"]
    # The second has no place: it shows how things stand, and ends.
    assert [one["status"] for one in events(client.get(where, headers=asked))] == ["queued"]
    # A wait still has one.
    assert "Preference-Applied" in client.get(where, headers={"Prefer": "wait=1"}).headers
    first.close()
    again = client.get(where, headers=asked)
    parts = iter(again.response)
    assert [next(parts)[:5] for _ in range(3)] == [b"retry", b"data:", b":\n\n"]
    again.close()


def test_an_experiment_is_waited_for(make_client: Callable[..., FlaskClient], work_off: Callable[[], int]) -> None:
    client = make_client(wait_cap_seconds=600)
    where = client.post("/v1/experiments", json=EXPERIMENT).headers["Location"]
    short = client.get(where, headers={"Prefer": "wait=1"})
    assert (short.get_json()["status"], short.headers["Preference-Applied"]) == ("queued", "wait=1")
    worker = threading.Timer(0.5, work_off)
    worker.start()
    ended = client.get(where, headers={"Prefer": "wait=600"})
    worker.join()
    assert (ended.get_json()["status"], ended.headers["Preference-Applied"]) == ("done", "wait=600")
    cancelled = client.post(f"{where}/cancel", headers={"Prefer": "wait=5"})
    assert cancelled.get_json()["status"] == "done"
