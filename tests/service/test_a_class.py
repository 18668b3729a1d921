"""A small class on the whole service, like that of two hundred students in `python -m bench --only class`."""

from __future__ import annotations

from bench.classes import run
from bench.serving import Service, database_of
from tests.servers import Valkey


def test_five_students_graded_with_a_search_killed_and_graded_again() -> None:
    """`run` raises if a submission is lost, duplicated, or graded differently the second time."""
    with Valkey() as valkey, database_of("SQLite") as url, Service(valkey.url, url, lease_seconds=6) as service:
        found = run(service, students=5, fresh=2)
    assert len(found.fresh) == 2
