"""The journal: however the process ends, finished rows are kept, and nothing else counts as finished."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hstar import __version__
from hstar.experiments import journal
from hstar.experiments.design import plan
from hstar.experiments.journal import JournalError
from tests.experiments.builders import request, searched_once


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A journal with four of six rows."""
    path = tmp_path / "it.jsonl"
    with journal.create(path, plan(request())) as book:
        for row in searched_once()[:4]:
            book.append(row)
    return path


def test_rows_come_back_as_they_were(begun: Path) -> None:
    with journal.resume(begun) as book:
        assert book.rows == list(searched_once()[:4])
        assert book.design.fingerprint == plan(request()).fingerprint
        assert book.design.request == request()
        book.append(searched_once()[4])
    with journal.resume(begun) as book:
        assert book.rows == list(searched_once()[:5])


@pytest.mark.parametrize("torn", [1, 20, 200])
def test_a_torn_line_is_dropped_and_searched_again(begun: Path, torn: int) -> None:
    whole = begun.read_bytes()
    begun.write_bytes(whole[:-torn])
    with journal.resume(begun) as book:
        assert book.rows == list(searched_once()[:3])
        book.append(searched_once()[3])
    assert begun.read_bytes() == whole


def test_a_row_is_on_its_way_before_append_returns(begun: Path) -> None:
    with journal.resume(begun) as book:
        book.append(searched_once()[5])
        assert len(begun.read_bytes().splitlines()) == 6


def test_two_processes_do_not_write_to_one_journal(begun: Path) -> None:
    with journal.resume(begun), pytest.raises(JournalError, match="in use"), journal.resume(begun):
        raise AssertionError("opened twice")


def test_a_journal_is_not_begun_over_a_file(begun: Path) -> None:
    with pytest.raises(JournalError, match="cannot create"), journal.create(begun, plan(request())):
        raise AssertionError("overwritten")


@pytest.mark.parametrize(
    ("line", "text", "message"),
    [
        (0, "", "not the journal"),
        (0, "{}", "not the journal"),
        (0, "[1]", "not the journal"),
        (0, '{"format": "hstar experiment 9"}', "its format is 'hstar experiment 9'"),
        (2, "{}", "line 3"),
        (2, "nonsense", "line 3"),
    ],
)
def test_another_file_is_refused(begun: Path, line: int, text: str, message: str) -> None:
    lines = begun.read_text().splitlines()
    lines[line] = text
    begun.write_text("\n".join(lines) + "\n")
    with pytest.raises(JournalError) as refused, journal.resume(begun):
        raise AssertionError("taken for a journal")
    assert message in str(refused.value)


def test_another_version_is_refused(begun: Path) -> None:
    lines = begun.read_text().splitlines()
    header = json.loads(lines[0])
    assert header["hstar"] == __version__
    lines[0] = json.dumps(header | {"hstar": "0.0.1"})
    begun.write_text("\n".join(lines) + "\n")
    with pytest.raises(JournalError, match=r"started with hstar 0\.0\.1"), journal.resume(begun):
        raise AssertionError("resumed")


@pytest.mark.parametrize("index", [2, 99])
def test_rows_of_elsewhere_are_refused(begun: Path, index: int) -> None:
    lines = begun.read_text().splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | {"index": index})
    begun.write_text("\n".join(lines) + "\n")
    with pytest.raises(JournalError, match="not in this experiment, or is here twice"), journal.resume(begun):
        raise AssertionError("resumed")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot read"), journal.resume(tmp_path / "none.jsonl"):
        raise AssertionError("resumed")
