"""API keys in the database: what is stored, when they are valid, who may own them, and what their owners see."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from hstar.errors import InvalidRequest
from store.database import Sessions
from store.database.clock import from_now
from store.jobs.models import Job
from store.owners import changes, keys
from store.owners.models import ApiKey
from store.owners.principal import SYSTEM, Principal, visible_to
from store.owners.roles import Role
from tests.store.builders import submit


def make(sessions: Sessions, *asked: object, **more: object) -> tuple[ApiKey, str]:
    new = keys.NewKey(*asked, **more)  # type: ignore[arg-type]
    return sessions.run(lambda session: keys.create(session, new, by="root"))


def who(sessions: Sessions, key: str) -> Principal | None:
    with sessions.read() as session:
        return keys.find(session, keys.digest(key))


def test_a_key_is_256_bits_and_only_its_digest_is_kept(sessions: Sessions) -> None:
    row, key = make(sessions, "ann", Role.STUDENT, "cs1", "laptop")
    assert re.fullmatch(r"hstar_[A-Za-z0-9_-]{43}", key)
    assert key != make(sessions, "ann", Role.STUDENT, "cs1")[1]
    found = who(sessions, key)
    assert found == Principal("ann", Role.STUDENT, "cs1")
    assert found.key_id == row.id
    with sessions.read() as session:
        stored = " ".join(map(str, session.execute(text("SELECT * FROM api_keys")).all()))
    assert key not in stored
    assert key.removeprefix("hstar_") not in stored
    assert who(sessions, key + "x") is None


def test_a_revoked_key_is_dead_at_once_and_stays_in_the_list(sessions: Sessions) -> None:
    row, key = make(sessions, "ann")
    with sessions.read() as session:
        assert keys.any_made(session)
    ended = sessions.run(lambda session: keys.revoke(session, row.id, Principal("ann")))
    assert ended is not None
    assert ended.revoked_at is not None
    assert who(sessions, key) is None
    again = sessions.run(lambda session: keys.revoke(session, row.id, SYSTEM))
    assert again is not None
    assert again.revoked_at == ended.revoked_at
    with sessions.read() as session:
        assert [listed.id for listed in keys.list_keys(session, SYSTEM)] == [row.id]
        assert keys.any_made(session)


def test_a_key_ends_when_it_expires(sessions: Sessions) -> None:
    row, key = make(sessions, "ann", expires_at=datetime.now(UTC) + timedelta(hours=1))
    assert who(sessions, key) is not None
    with sessions.write() as session:
        past = from_now(timedelta(seconds=-1))
        session.execute(update(ApiKey).where(ApiKey.id == row.id).values(expires_at=past))
    assert who(sessions, key) is None


def test_another_owners_key_is_not_found(sessions: Sessions) -> None:
    row, key = make(sessions, "ann", Role.STUDENT, "cs1")
    for other in (Principal("bea", Role.STUDENT, "cs1"), Principal("prof", Role.INSTRUCTOR, "cs2")):
        assert sessions.run(lambda session, other=other: keys.revoke(session, row.id, other)) is None  # type: ignore[misc]
    assert who(sessions, key) is not None
    assert sessions.run(lambda session: keys.revoke(session, "no-id", SYSTEM)) is None


@pytest.mark.parametrize(
    ("asked", "where"),
    [
        ({"owner": ""}, "/owner"),
        ({"owner": "a b"}, "/owner"),
        ({"owner": "x" * 65}, "/owner"),
        ({"owner": "a\0"}, "/owner"),
        ({"owner": "a", "course": "c/d"}, "/course"),
        ({"owner": "a", "role": Role.OPERATOR, "course": "cs1"}, "/course"),
        ({"owner": "a", "role": Role.INSTRUCTOR}, "/course"),
        ({"owner": "a", "label": "x" * 101}, "/label"),
        ({"owner": "a", "label": "two\nlines"}, "/label"),
    ],
)
def test_invalid_keys_are_refused(asked: dict[str, object], where: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        keys.NewKey(**asked)  # type: ignore[arg-type]
    assert [fault.where for fault in caught.value.faults] == [where]


def test_an_owner_is_of_one_course(sessions: Sessions) -> None:
    make(sessions, "ann", Role.STUDENT, "cs1")
    make(sessions, "bob")
    for owner, course in (("ann", "cs2"), ("ann", None), ("bob", "cs1")):
        with pytest.raises(InvalidRequest, match="cannot be made"):
            make(sessions, owner, Role.STUDENT, course)


def test_roles_decide_what_is_visible(sessions: Sessions) -> None:
    for owner, course in (("ann", "cs1"), ("bea", "cs1"), ("cem", "cs2"), ("dee", None)):
        make(sessions, owner, Role.STUDENT, course)
        submit(sessions, owner)
    make(sessions, "prof", Role.INSTRUCTOR, "cs1")

    def seen(principal: Principal) -> set[str]:
        with sessions.read() as session:
            return set(session.scalars(select(Job.owner).where(visible_to(principal, Job.owner))))

    assert seen(Principal("ann", Role.STUDENT, "cs1")) == {"ann"}
    assert seen(Principal("prof", Role.INSTRUCTOR, "cs1")) == {"ann", "bea"}
    assert seen(Principal("dee", Role.INSTRUCTOR)) == {"dee"}  # of the environment's keys
    assert seen(SYSTEM) == {"ann", "bea", "cem", "dee"}


def test_the_log_of_changes_is_written_with_the_change(sessions: Sessions) -> None:
    me = Principal("root", Role.OPERATOR, key_id="01890000-0000-7000-8000-000000000000")
    sessions.run(lambda session: changes.record(session, me, "revokeKey", "x", "why"))

    def fail(session: Session) -> None:
        changes.record(session, me, "revokeKey", "y")
        raise RuntimeError("the change failed")

    with pytest.raises(RuntimeError):
        sessions.run(fail)
    with sessions.read() as session:
        lines = changes.list_changes(session)
        assert [(line.owner, line.operation, line.target, line.detail) for line in lines] == [
            ("root", "revokeKey", "x", "why")
        ]
        assert changes.list_changes(session, target="y") == []
