"""Every route with every role and every owner's resources; routes come from the OpenAPI document, so none is missed.

A new operation fails `test_every_operation_has_a_rule` until `RULES` says who may use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from hstar.grading.requests import RegradeRequestIn
from service.app import create_app
from store.database import make_engine, migrate
from store.grading import regrade_requests
from store.grading.models import StoredSubmission
from store.ids import new_id
from store.owners import keys
from store.owners.roles import Role
from store.settings import Settings
from tests.service.contract import CheckedClient
from tests.service.problems import problem


class Rule(Enum):
    """Who may use an operation."""

    OPEN = "anybody, without a key"
    KEY = "any key; what it lists or makes is the owner's"
    OWN = "who may see what the path names; to all others it is not there"
    CLASS = "who is of the assignment's course; to all others it is not there"
    CLASS_OWN = "as CLASS, but of students only the one whose it is"
    MANAGE = "the instructors of the assignment's course; its students are told so, and to all others it is not there"
    NOT_STUDENTS = "instructors and operators"
    OPERATORS = "operators"


RULES = {
    **dict.fromkeys(("getLiveness", "getReadiness"), Rule.OPEN),
    **dict.fromkeys(
        (
            "listPuzzles", "getPuzzle", "drawPuzzle", "listHeuristics", "listAlgorithms", "checkHeuristic",
            "getSolid", "lookNearby", "getLimits",
            "readState", "traceSearch", "getMe", "getStats",
            "submitSolve", "createScramble", "listScrambles", "submitExperiment", "listExperiments",
            "submitDatabaseJob", "submitVerificationJob", "submitHeuristicAuditJob", "submitModelAuditJob",
            "submitAnalysisJob",
            "listAssignments", "checkAssignment", "previewInstances", "listJobs", "listKeys", "addPuzzle",
            "createWebhook", "listWebhooks",
        ),
        Rule.KEY,
    ),
    **dict.fromkeys(
        (
            "drawJob", "getJob", "cancelJob", "deleteJob", "getCertificate", "getScramble", "deleteScramble",
            "getExperiment", "cancelExperiment", "deleteExperiment", "getExperimentTable", "getExperimentRows",
            "plotExperiment", "compareExperiment", "revokeKey", "removePuzzle", "deleteWebhook",
        ),
        Rule.OWN,
    ),
    **dict.fromkeys(
        ("getAssignment", "submitSubmission", "listSubmissions", "getStanding", "getRecord", "listRegradeRequests",
         "readSubmission", "forgetNotation", "getClassCounts"),
        Rule.CLASS,
    ),
    **dict.fromkeys(("getSubmission", "requestRegrade", "getRegradeRequest"), Rule.CLASS_OWN),
    **dict.fromkeys(
        (
            "replaceAssignment", "listAssignmentVersions", "regradeAssignment",
            "answerRegradeRequest", "getGradebook", "getAssignmentStatistics", "listResults",
            "listCopies", "compareSubmissions",
            "getRoster", "putRoster", "deleteRoster", "changeRecord", "listRecords", "uploadSubmissions", "listUploads",
            "getUpload", "changeUpload", "deleteUpload", "deleteSubmission", "deleteAssignment",
        ),
        Rule.MANAGE,
    ),
    **dict.fromkeys(("getMetrics", "createAssignment", "getSubmissionStats", "listCourses"), Rule.NOT_STUDENTS),
    **dict.fromkeys(("createKey", "listChanges"), Rule.OPERATORS),
}  # fmt: skip

#: name: (role, course); prof1 owns the assignment that the paths name, and ann everything else
PEOPLE = {
    "ann": (Role.STUDENT, "cs1"),
    "bea": (Role.STUDENT, "cs1"),
    "cem": (Role.STUDENT, "cs2"),
    "dee": (Role.STUDENT, None),
    "prof1": (Role.INSTRUCTOR, "cs1"),
    "prof2": (Role.INSTRUCTOR, "cs2"),
    "root": (Role.OPERATOR, None),
}
SEE_ANN = {"ann", "prof1", "root"}
SEE_CLASS = SEE_ANN | {"bea"}
#: for rules about the resource of a path: who may use it, and who gets the error that a role is needed
ALLOWED = {
    Rule.OWN: (SEE_ANN, set[str]()),
    Rule.CLASS: (SEE_CLASS, set[str]()),
    Rule.CLASS_OWN: (SEE_ANN, set[str]()),
    Rule.MANAGE: (SEE_CLASS - {"ann", "bea"}, {"ann", "bea"}),
}
#: what everybody who may do it does to a resource of its own
DELETES = {
    "deleteUpload", "deleteSubmission", "deleteAssignment", "deleteJob", "deleteExperiment", "deleteScramble",
    "deleteWebhook",
}  # fmt: skip
NOT_STUDENTS = {name for name, (role, _) in PEOPLE.items() if role is not Role.STUDENT}


class House:
    """A service with a key for everybody, in which ann has made one resource of each kind."""

    def __init__(self, app: APIFlask) -> None:
        self.client: FlaskClient = app.test_client()
        sessions = app.extensions["hstar"].sessions
        with sessions.write() as session:
            made = {
                name: keys.create(session, keys.NewKey(name, role, course), "test")
                for name, (role, course) in PEOPLE.items()
            }
            spare, _ = keys.create(session, keys.NewKey("ann", Role.STUDENT, "cs1", "spare"), "test")
        self.keys = {name: key for name, (_, key) in made.items()}
        document = self.client.get("/openapi.json").get_json()
        self.operations = {
            operation["operationId"]: (method, path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        }
        self.sessions = sessions
        self.made = {"/v1/keys/": spare.id, "/v1/courses/": "cs1"}

    def ask(
        self, operation: str, who: str | None, key: str | None = None, replace: tuple[str, str] = ("", "")
    ) -> TestResponse:
        """Use an operation with its first example, on ann's resources; ``replace``: in its path."""
        method, path, described = self.operations[operation]
        token = self.keys[who] if who is not None else key
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        is_student = PEOPLE.get(who or "", (None,))[0] is Role.STUDENT
        body: Any = None
        if "requestBody" in described:
            examples = described["requestBody"]["content"]["application/json"]["examples"]
            body = dict(next(iter(examples.values()))["value"])
            if is_student:
                body.pop("student", None)  # her key tells it
            if operation in ("createAssignment", "replaceAssignment"):
                body["attempts"] = None  # many are handed in, to be deleted
        of_one = operation in ("getStanding", "getRecord", "changeRecord", "forgetNotation")
        query: dict[str, Any] | None = {"student": "1001"} if of_one and not is_student else None
        if operation == "compareSubmissions":
            query = {"student": ["1", "2"]}
        if operation == "getClassCounts":
            query = {"instance": "one"}
        if operation in DELETES and replace == ("", "") and who is not None and method == "delete":
            replace = self.fresh(path)
        path = self.fill(path if operation != "removePuzzle" else path.replace("{name}", "{added}")).replace(*replace)
        return self.client.open(path, method=method.upper(), headers=headers, json=body, query_string=query)

    def fill(self, path: str) -> str:
        """The path with the ids of ann's resources, or of an existing one if it is not owned."""
        while found := re.search(r"\{(\w+)\}", path):
            value = "megaminx" if found[1] == "name" else self.id_below(path[: found.start()])
            path = path[: found.start()] + value + path[found.end() :]
        return path

    def id_below(self, collection: str) -> str:
        """Ann's resource of a collection (prof1's assignment), made on first use."""
        if collection.endswith("/regrade-requests/") and collection not in self.made:
            self.made[collection] = self.regrade_request(collection.removesuffix("regrade-requests/"))
        if collection not in self.made:
            posts = {
                name: path
                for name, (method, path, _) in self.operations.items()
                if method == "post" and not path.endswith("/cancel")
            }
            there = collection.rstrip("/").replace("/v1/jobs", "/v1/solves")  # any kind of job
            creator = next(name for name, path in posts.items() if self.fill(path) == there)
            by_staff = creator in ("createAssignment", "uploadSubmissions")
            answer = self.ask(creator, "prof1" if by_staff else "ann")
            assert answer.status_code in (201, 202), (creator, answer.get_json())
            made = answer.get_json() if creator != "uploadSubmissions" else answer.get_json()["items"][0]
            self.made[collection] = made["name"] if creator == "addPuzzle" else made["id"]
        return self.made[collection]

    def fresh(self, path: str) -> tuple[str, str]:
        """A new resource in place of the one at the end of a path, because everybody who may delete it does."""
        collection = self.fill(path[: path.rindex("{")])
        old = self.made.pop(collection, None)
        new = self.id_below(collection)
        if old is None:
            return ("", "")
        self.made[collection] = old
        return old, new

    def regrade_request(self, assignment: str) -> str:
        """Ann's request, inserted into the database, because over HTTP her submission would have to be graded first."""
        submission, made = self.id_below(f"{assignment}submissions/"), new_id()

        def add(session: Session) -> None:
            row = session.get_one(StoredSubmission, submission)
            regrade_requests.add(session, made, row, RegradeRequestIn(note="why?"))

        self.sessions.run(add)
        return made


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    home = tmp_path_factory.mktemp("roles")
    # Without rate limits, which tests/service/test_limits.py tests.
    settings = Settings(
        var=home, broker_url="redis://127.0.0.1:1/0", wrong_keys_per_minute=0, requests_per_minute=0, webhooks=1000
    )  # fmt: skip
    migrate.upgrade(make_engine(settings.database_url))
    app = create_app(settings)
    app.test_client_class = CheckedClient
    sessions = app.extensions["hstar"].sessions
    sessions.run(lambda session: keys.create(session, keys.NewKey("first"), "test"))
    assert app.test_client().get("/v1/limits").status_code == 401  # from here on the document describes keys
    yield House(app)
    sessions.close()


def test_every_operation_has_a_rule(house: House) -> None:
    assert set(RULES) == set(house.operations), "an operation is new or gone: say in RULES who may use it"


def test_a_key_is_needed(house: House) -> None:
    for operation, rule in RULES.items():
        for wrong in (None, "hstar_" + "x" * 43, "wrong", ""):
            answer = house.ask(operation, None, wrong)
            if rule is Rule.OPEN:
                assert answer.status_code == 200, operation
            else:
                problem(answer, "unauthorized")


def test_other_owners_resources_are_not_found(house: House) -> None:
    for operation, rule in RULES.items():
        if rule not in ALLOWED:
            continue
        allowed, told = ALLOWED[rule]
        # First those who may not see it, because the others may end it.
        for who in sorted(PEOPLE, key=lambda name: name in allowed):
            answer = house.ask(operation, who)
            assert answer.status_code < 500, (operation, who, answer.get_json())
            if who in allowed:
                # What has not ended has no certificate, but it is there.
                there = b"/docs/errors#no-certificate" in answer.data
                assert answer.status_code not in (401, 403, 404) or there, (operation, who, answer.get_json())
            else:
                problem(answer, "role-needed" if who in told else "not-found")


#: operations that make something new, which carries its owner and time itself
MAKES_NEW = {"submitSubmission", "requestRegrade"}


def test_every_change_is_in_the_log(house: House) -> None:
    """Must run after the test before this one, in which everything was changed by the first owner who may."""
    headers = {"Authorization": f"Bearer {house.keys['root']}"}
    log = house.client.get("/v1/changes?limit=200", headers=headers).get_json()["items"]
    changing = {name for name, (method, _, _) in house.operations.items() if method != "get" and RULES[name] in ALLOWED}
    # What waits cannot be deleted, and the file had been handed in.
    without = {"deleteJob", "deleteExperiment", "changeUpload", "readSubmission"}
    assert {line["operation"] for line in log} == changing - MAKES_NEW - without
    assert all(line["owner"] in SEE_CLASS and line["key_id"] for line in log)


def test_an_unknown_id_and_another_owners_get_the_same_answer(house: House) -> None:
    unknown = "01890000-0000-7000-8000-000000000000"
    for operation in (name for name, rule in RULES.items() if rule in ALLOWED):
        _, path, _ = house.operations[operation]
        hers = house.id_below(path[: path.index("{")])
        theirs, absent = (house.ask(operation, "cem", replace=(hers, name)) for name in (hers, unknown))
        assert absent.status_code == theirs.status_code == 404
        assert absent.get_json()["detail"] == theirs.get_json()["detail"].replace(hers, unknown), operation


def test_roles_decide_where_nothing_is_owned(house: House) -> None:
    for operation, rule in RULES.items():
        if rule in (Rule.KEY, Rule.NOT_STUDENTS, Rule.OPERATORS):
            allowed = {Rule.KEY: set(PEOPLE), Rule.NOT_STUDENTS: NOT_STUDENTS, Rule.OPERATORS: {"root"}}[rule]
            for who in PEOPLE:
                answer = house.ask(operation, who)
                if who in allowed:
                    assert answer.status_code < 300, (operation, who, answer.get_json())
                else:
                    problem(answer, "role-needed")


def test_lists_have_exactly_the_visible_items(house: House) -> None:
    listed = 0
    for name, (method, path, _) in house.operations.items():
        if method != "get" or RULES[name] is not Rule.KEY or f"{path}/" not in {*house.made, *_collections(house)}:
            continue
        if name == "listPuzzles":  # which has a name, and it is gone: tests/service/test_puzzles.py
            continue
        mine = house.id_below(f"{path}/")
        see = SEE_CLASS if name == "listAssignments" else SEE_ANN
        for who in PEOPLE:
            assert (mine in _listed(house, path, who)) == (who in see), (name, who)
        listed += 1
    assert listed >= 5


def _collections(house: House) -> set[str]:
    return {path[: path.index("{")] for _, path, _ in house.operations.values() if "{id}" in path}


def _listed(house: House, path: str | None, who: str) -> Iterator[str]:
    while path is not None:
        page = house.client.get(path, headers={"Authorization": f"Bearer {house.keys[who]}"}).get_json()
        yield from (item["id"] for item in page["items"])
        path = page.get("next")


def test_a_scramble_and_an_experiment_are_not_lent_by_name(house: House) -> None:
    """Another owner's id in a body or a query is unknown, as in a path."""
    scramble, experiment = house.id_below("/v1/scrambles/"), house.id_below("/v1/experiments/")
    for who in PEOPLE:
        headers = {"Authorization": f"Bearer {house.keys[who]}"}
        puzzle = house.client.get(f"/v1/scrambles/{scramble}", headers={"Authorization": f"Bearer {house.keys['ann']}"})
        body = {"puzzle": puzzle.get_json()["puzzle"], "scramble": scramble}
        assert (house.client.post("/v1/solves", json=body, headers=headers).status_code < 300) == (who in SEE_ANN)
        own = house.ask("submitExperiment", who).get_json()["id"]
        path = f"/v1/experiments/{own}/comparison?other={experiment}"
        assert (house.client.get(path, headers=headers).status_code == 404) == (who not in SEE_ANN)
        found = house.client.get(f"/v1/jobs?kind=solve&experiment={experiment}", headers=headers).get_json()["items"]
        assert bool(found) == (who in SEE_ANN)


def test_who_am_i(house: House) -> None:
    for who, (role, course) in PEOPLE.items():
        me = house.ask("getMe", who).get_json()
        assert (me["owner"], me["role"], me["course"]) == (who, role, course)
