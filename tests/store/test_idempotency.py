"""Idempotency keys, also under concurrency."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from store.database import Sessions
from store.ids import new_id
from store.owners import idempotency
from store.owners.idempotency import KeyReusedError, fingerprint, remember
from store.solves import submission
from store.solves.models import Solve
from tests.store.builders import new_solve


def test_a_key_gives_the_resource_of_its_first_request(sessions: Sessions) -> None:
    first, second = new_id(), new_id()
    body = fingerprint(b"{}")
    assert sessions.run(lambda session: remember(session, "ann", "key", body, first)) == first
    assert sessions.run(lambda session: remember(session, "ann", "key", body, second)) == first
    assert sessions.run(lambda session: remember(session, "bob", "key", body, second)) == second
    with pytest.raises(KeyReusedError):
        sessions.run(lambda session: remember(session, "ann", "key", fingerprint(b"[]"), second))


def test_a_request_that_failed_leaves_its_key_free(sessions: Sessions) -> None:
    first, second = new_id(), new_id()

    def fail(session: Session) -> None:
        remember(session, "ann", "key", "f", first)
        raise RuntimeError("the request turned out to be wrong")

    with pytest.raises(RuntimeError):
        sessions.run(fail)
    assert sessions.run(lambda session: remember(session, "ann", "key", "f", second)) == second


def test_concurrent_requests_with_one_key_make_one_job(sessions: Sessions) -> None:
    start = threading.Barrier(8)

    def post(_: int) -> str:
        new = new_solve()
        start.wait()
        with sessions.write() as session:
            mine = remember(session, "ann", "key", "f", new.id)
            if mine == new.id:
                submission.submit(session, new)
        return mine

    with ThreadPoolExecutor(8) as pool:
        answered = set(pool.map(post, range(8)))
    with sessions.read() as session:
        assert session.scalar(select(func.count()).select_from(Solve)) == 1
        assert answered == set(session.scalars(select(Solve.id)))


def test_old_keys_are_forgotten(sessions: Sessions) -> None:
    sessions.run(lambda session: remember(session, "ann", "key", "f", new_id()))
    with sessions.read() as session:
        assert not idempotency.any_old(session, timedelta(hours=1))
        assert idempotency.any_old(session, timedelta(0))
        assert idempotency.find(session, "ann", "key") is not None
    assert sessions.run(lambda session: idempotency.forget_old(session, timedelta(hours=1))) == 0
    assert sessions.run(lambda session: idempotency.forget_old(session, timedelta(0))) == 1
    with sessions.read() as session:
        assert idempotency.find(session, "ann", "key") is None
