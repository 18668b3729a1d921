"""Ids: of version 7, ascending, unique across threads and forks."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import RFC_4122, UUID

from hypothesis import given
from hypothesis import strategies as st

from store.ids import created_at, ids_from, new_id, new_ids, parse_id


def test_ids_ascend_and_carry_their_time() -> None:
    before = datetime.now(UTC)
    made = [new_id() for _ in range(20_000)]
    after = datetime.now(UTC)
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    for one in (made[0], made[-1]):
        identifier = UUID(one)
        assert (identifier.version, identifier.variant) == (7, RFC_4122)
        assert before - timedelta(milliseconds=1) <= created_at(one) <= after + timedelta(milliseconds=50)


def test_threads_never_share_an_id() -> None:
    with ThreadPoolExecutor(8) as pool:
        made = [one for part in pool.map(lambda _: [new_id() for _ in range(2_000)], range(8)) for one in part]
    assert len(set(made)) == len(made)


def test_a_forked_process_does_not_count_on_from_its_parent() -> None:
    new_id()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - in the other process
        os.write(writing, " ".join(new_id() for _ in range(200)).encode())
        os._exit(0)
    os.close(writing)
    mine = {new_id() for _ in range(200)}
    with os.fdopen(reading) as stream:
        theirs = set(stream.read().split())
    os.waitpid(child, 0)
    assert len(theirs) == 200
    assert not mine & theirs
    assert not {one[-12:] for one in mine} & {one[-12:] for one in theirs}


@given(st.uuids())
def test_every_spelling_of_an_id_parses_to_one(identifier: UUID) -> None:
    assert parse_id(str(identifier)) == str(identifier)
    assert parse_id(str(identifier).upper()) == str(identifier)


@given(st.text(max_size=40))
def test_anything_else_is_no_id(text: str) -> None:
    parsed = parse_id(text)
    assert parsed is None or parsed == text.lower()


def test_a_run_of_ids_follows_from_the_first() -> None:
    runs = [new_ids(count) for count in (1, 1000, 3, 1000)]
    assert [ids_from(run[0], len(run)) for run in runs] == runs
    every = [id for run in runs for id in run]
    assert sorted(set(every)) == every
    assert new_id() > every[-1]
    assert all(UUID(id).version == 7 and UUID(id).variant == RFC_4122 for id in every)
