"""Keys over HTTP, from the command line, and directly in the database."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from service import access
from store.__main__ import main
from store.database import Sessions
from store.owners import keys
from store.owners.roles import Role
from tests.command_line import run
from tests.servers import Valkey
from tests.service.problems import faults, problem
from tests.service.processes import ROOT, Api, environment


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def sessions_of(client: FlaskClient) -> Sessions:
    found = client.application.extensions["hstar"].sessions
    assert isinstance(found, Sessions)
    return found


@pytest.fixture
def root(client: FlaskClient) -> dict[str, str]:
    """The header of an operator, with the first key."""
    new = keys.NewKey("root", Role.OPERATOR)
    return bearer(sessions_of(client).run(lambda session: keys.create(session, new, "test"))[1])


def test_a_key_is_shown_once_and_works_until_it_is_revoked(client: FlaskClient, root: dict[str, str]) -> None:
    answer = client.post("/v1/keys", json={"owner": "ann", "course": "cs1", "label": "laptop"}, headers=root)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
    made = answer.get_json()
    assert (made["role"], made["created_by"], made["revoked_at"]) == ("student", "root", None)
    ann = bearer(made["key"])
    assert client.get("/v1/me", headers=ann).get_json()["owner"] == "ann"
    listed = client.get("/v1/keys", headers=root)
    assert made["key"] not in listed.get_data(as_text=True)
    assert [item["owner"] for item in listed.get_json()["items"]] == ["ann", "root"]
    assert [item["owner"] for item in client.get("/v1/keys", headers=ann).get_json()["items"]] == ["ann"]

    assert client.delete(f"/v1/keys/{made['id']}", headers=root).get_json()["revoked_at"] is not None
    problem(client.get("/v1/me", headers=ann), "unauthorized")
    log = client.get(f"/v1/changes?target={made['id']}", headers=root).get_json()["items"]
    assert [(line["operation"], line["owner"]) for line in log] == [("revokeKey", "root"), ("createKey", "root")]
    assert made["key"] not in json.dumps(log)


def test_invalid_keys_are_refused(client: FlaskClient, root: dict[str, str]) -> None:
    for body, where in (
        ({"owner": "a/b"}, "/owner"),
        ({"owner": "ann", "role": "king"}, "/role"),
        ({"owner": "ann", "role": "instructor"}, "/course"),
        ({"owner": "ann", "role": "operator", "course": "cs1"}, "/course"),
        ({"owner": "ann", "expires_at": "2020-01-01T00:00:00Z"}, "/expires_at"),
        ({"owner": "ann", "expires_at": "0001-01-01T00:00:00+10:00"}, "/expires_at"),
        ({"owner": "ann", "expires_at": "tomorrow"}, "/expires_at"),
        ({"owner": "root", "course": "cs1"}, "/owner"),
    ):
        assert list(faults(client.post("/v1/keys", json=body, headers=root))) == [where]


def test_the_first_key_cannot_be_made_over_http(client: FlaskClient) -> None:
    """Otherwise any user of the machine could lock out its owner."""
    problem(client.post("/v1/keys", json={"owner": "me", "role": "operator"}), "role-needed")
    problem(client.get("/v1/changes"), "role-needed")
    assert client.get("/v1/me").get_json() == {"owner": "local", "role": "instructor", "course": None, "key_id": None}


def test_the_first_key_locks_the_door_and_revoking_it_does_not_open_it(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/v1/jobs?kind=solve").status_code == 200
    sessions = sessions_of(client)
    row, key = sessions.run(lambda session: keys.create(session, keys.NewKey("root", Role.OPERATOR), "test"))
    monkeypatch.setattr(access, "LOOK_SECONDS", 0)
    client.application.extensions["hstar"].gate.made._look_at = 0
    problem(client.get("/v1/jobs?kind=solve"), "unauthorized")
    assert client.get("/v1/jobs?kind=solve", headers=bearer(key)).status_code == 200
    # From now on other machines may send requests, too.
    remote = {"REMOTE_ADDR": "10.0.0.5"}
    host = bearer(key) | {"Host": "solver.example"}
    assert client.get("/v1/jobs?kind=solve", headers=host, environ_overrides=remote).status_code == 200
    client.delete(f"/v1/keys/{row.id}", headers=bearer(key))
    problem(client.get("/v1/jobs?kind=solve", headers=bearer(key)), "unauthorized")
    problem(client.get("/v1/jobs?kind=solve"), "unauthorized")


def test_keys_of_the_environment_go_on_working_beside_the_database_s(
    make_client: Callable[..., FlaskClient],
) -> None:
    client = make_client(api_keys="alice:key-of-alice-in-tests")
    new = keys.NewKey("ann", Role.STUDENT, "cs1")
    key = sessions_of(client).run(lambda session: keys.create(session, new, "test"))[1]
    assert client.get("/v1/me", headers=bearer(key)).get_json()["owner"] == "ann"
    alice = client.get("/v1/me", headers=bearer("key-of-alice-in-tests")).get_json()
    assert (alice["owner"], alice["role"], alice["key_id"]) == ("alice", "instructor", None)


def test_the_first_key_comes_from_beside_the_database_and_the_others_from_the_command_line(
    tmp_path: Path, valkey: Valkey, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path / 'keys.sqlite'}"
    monkeypatch.setenv("HSTAR_DATABASE_URL", url)

    def store(*arguments: str) -> tuple[int, str, str]:
        try:
            status = main(["keys", *arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capsys.readouterr()

    class Everywhere(Api):
        def options(self) -> dict[str, Any]:
            return {"cwd": ROOT, "env": environment(bind=f"0.0.0.0:{self.port}", **self.settings)}

    status, said, why = store("list")
    assert (status, said, "not migrated" in why) == (2, "", True)
    api = Everywhere(url, valkey.url, api_processes=1, api_threads=2)
    status, said, _ = store("create", "root", "--role", "operator")
    name, key = said.split()
    assert (status, name) == (0, "root")
    with api:  # it listens beyond loopback, for there is a key
        monkeypatch.setenv("HSTAR_URL", api.url)
        monkeypatch.setenv("HSTAR_API_KEY", key)
        done = run("keys", "create", "ann", "bob", "--course", "cs1", "--days", "120")
        assert done.exit_code == 0, done.stderr
        theirs = dict(line.split() for line in done.stdout.splitlines())
        assert set(theirs) == {"ann", "bob"}
        with api.client(**bearer(theirs["ann"])) as ann:
            assert ann.get("/v1/me").json()["course"] == "cs1"
            listed = json.loads(run("keys", "list", "--json").stdout)["items"]
            until = datetime.fromisoformat(listed[0]["expires_at"])
            assert abs(until - datetime.now(UTC) - timedelta(days=120)) < timedelta(hours=1)
            (mine,) = [item["id"] for item in listed if item["owner"] == "ann"]
            assert "revoked" in run("keys", "revoke", mine).stderr
            assert ann.get("/v1/me").status_code == 401
        assert "live until" in run("keys", "list").stdout
        refused = run("keys", "revoke", "nonsense")
        assert (refused.exit_code, "there is no key" in refused.stderr) == (2, True)
        refused = run("keys", "create", "cyd", "ann", "--course", "cs2", "--json")
        assert (refused.exit_code, "ann" in json.loads(refused.stderr)["detail"]) == (2, True), refused.stderr
        (made,) = json.loads(refused.stdout)["items"]  # what was made before, in one answer
        assert (made["owner"], made["course"]) == ("cyd", "cs2")
        api_log = api.log.read_text()
    assert key not in api_log
    assert not any(one in api_log for one in theirs.values())
    status, shown, _ = store("list")
    assert (status, len(shown.splitlines()), key in shown) == (0, 4, False)
    assert store("revoke", "nonsense")[0] == 2
    assert store("create", "a b")[0] == 2
    assert store("revoke", shown.split()[0])[0] == 0


def test_an_operators_assignment_is_in_the_course_that_it_names(client: FlaskClient, root: dict[str, str]) -> None:
    def key(owner: str, role: str, course: str) -> dict[str, str]:
        asked = {"owner": owner, "role": role, "course": course}
        return bearer(client.post("/v1/keys", json=asked, headers=root).get_json()["key"])

    teacher, student, other = key("t", "instructor", "cs1"), key("ann", "student", "cs1"), key("o", "student", "cs2")
    client.put("/v1/courses/cs1/roster", json={"content": "id,name\nann,Ann\n"}, headers=root)
    asked = {
        "title": "Boards", "puzzle": "8-puzzle", "course": "cs1", "instances": [{"k": [2], "each": 1, "seed": 1}],
        "rubric": [{"kind": "valid", "points": 10}],
    }  # fmt: skip
    path = f"/v1/assignments/{client.post('/v1/assignments', json=asked, headers=root).get_json()['id']}"
    for who in (teacher, student):
        assert client.get(path, headers=who).status_code == 200
    problem(client.get(path, headers=other), "not-found")
    for who in (root, teacher):
        book = client.get(f"{path}/gradebook", headers=who).get_json()
        assert [line["student"] for line in book["entries"]] == ["ann"]
