"""The page has a word for every kind of job and every state, and for nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

import service.resources  # each makes its jobs' path known
from service.job_resource import SHOWN
from store.jobs.states import State
from store.solves.status import DONE
from tools import web
from worker.kinds import KINDS

WORDS = (web.WEB / "src" / "parts" / "format.ts").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("KIND_WORDS", KINDS),
        ("STATUS_WORDS", [*State, *DONE]),
    ],
)
def test_each_has_a_word(name: str, wanted: Iterable[str]) -> None:
    body = re.search(rf"{name}: Record<string, string> = {{(.*?)}};", WORDS, re.DOTALL)
    assert body is not None
    keys = re.findall(r'"?([\w-]+)"?: "', body[1])
    assert sorted(keys) == sorted(wanted)


def test_a_job_of_every_kind_is_shown() -> None:
    assert len(service.resources.RESOURCES) > len(SHOWN)
    assert SHOWN.keys() == KINDS.keys()
