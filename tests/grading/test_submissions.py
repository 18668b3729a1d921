"""Submissions in every format, and with all kinds of faults: right answers or clear errors, and nothing is lost."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from hstar.errors import InvalidRequest
from hstar.grading import grade, read_submission
from hstar.grading.submissions import MAX_BYTES
from tests.grading.test_score import assignment

ROW = {"scramble": "U F R", "solution": "R' F' U'", "nodes": 6}
CSV = "scramble,solution,nodes\nU F R,R' F' U',6\nL DR,DR' L',2\n"


def packed(files: dict[str, bytes | str]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        json.dumps([ROW]).encode(),
        json.dumps({"results": [ROW], "student": "7"}).encode(),
        json.dumps(ROW).encode(),
        (json.dumps({"student": "7"}) + "\n" + json.dumps(ROW) + "\n").encode(),
        CSV.encode(),
        ("\ufeff" + CSV).encode(),
        CSV.replace(",", ";").encode(),
        CSV.replace(",", "\t").encode(),
        CSV.replace("\n", "\r\n").encode(),
        CSV.encode("utf-16"),
        CSV.replace("scramble", "Alg").replace("nodes", " Nodes Expanded ").encode(),
        packed({"results.csv": CSV, "__MACOSX/x": "junk"}),
        packed({"deep/results.json": json.dumps([ROW])}),
    ],
    ids=[
        "list",
        "object",
        "row",
        "lines",
        "csv",
        "mark",
        "semicolons",
        "tabs",
        "crlf",
        "utf-16",
        "columns",
        "zip",
        "folder",
    ],
)
def test_every_form_is_read(data: bytes) -> None:
    read = read_submission(data)
    assert not read.faults
    assert read.rows[0][1].solution == "R' F' U'"
    assert read.rows[0][1].nodes == 6
    assert grade(assignment(), read).graded[0].valid


def test_a_zip_with_everything() -> None:
    data = packed({
        "results.csv": CSV, "heuristic.txt": "misplaced_facelets / 15\n", "values.csv": "alg,h\nU,1\n",
        "model.json": json.dumps({"turns": {"U": [1, 0]}}), "labels.json": json.dumps({"U": ["F"]}),
    })  # fmt: skip
    read = read_submission(data)
    assert read.submission.heuristic == "misplaced_facelets / 15"
    assert read.submission.values is not None
    assert read.submission.model is not None
    assert read.submission.labels is not None
    assert not read.faults


def test_ten_thousand_lines() -> None:
    rows = [{"scramble": "B " * (i % 5 + 1), "solution": "U"} for i in range(9_999)]
    found = grade(assignment(), read_submission(json.dumps([*rows, ROW]).encode()))
    assert found.graded[0].row == 10_000
    assert found.graded[0].valid
    assert found.ignored[-1] == "and 9,979 more"
    table = "instance,solution\n" + "one,U\n" * 9_999 + "one,R' F' U'\n"
    assert grade(assignment(), read_submission(table.encode())).graded[0].valid


@pytest.mark.parametrize("data", [b"", b"   \n", b"[]", b"scramble,solution\n", b'{"results": []}', packed({})])
def test_no_lines_at_all(data: bytes) -> None:
    found = grade(assignment(), read_submission(data))
    assert found.score == 0
    assert all(deduction.reason for part in found.parts for deduction in part.deductions)


def test_the_wrong_encoding() -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_submission("scramble,solution,name\nU,U',Müller\n".encode("latin-1"))
    assert "line 2 has the byte 0xfc, which is not UTF-8; save" in str(refused.value)
    assert "save the file as UTF-8" in str(refused.value)
    with pytest.raises(InvalidRequest):
        read_submission(b"\xff\xfe\x00")


def test_a_solution_of_a_hundred_thousand_moves() -> None:
    found = grade(assignment(), read_submission(json.dumps([{**ROW, "solution": "U' " * 100_000}]).encode()))
    deduction = found.parts[0].deductions[0]
    assert "more than 10,000 moves" in deduction.reason
    assert deduction.command is None
    table = f"scramble,solution\nU F R,{'U ' * 100_000}\n"
    assert not grade(assignment(), read_submission(table.encode())).graded[0].valid


def test_a_broken_line_costs_no_other() -> None:
    data = json.dumps(
        [{"scramble": 3, "solution": "U"}, {"solution": True}, 17, {**ROW, "depth": "three"}, ROW]
    ).encode()
    read = read_submission(data)
    assert [number for number, _ in read.rows] == [5]
    assert len(read.faults) == 4
    assert read.faults[0].where == "row 1, scramble"
    assert read.faults[3].where == "row 4, length"
    assert grade(assignment(), read).graded[0].valid
    lines = json.dumps(ROW) + "\n{broken\n" + json.dumps({**ROW, "instance": "two"}) + "\n"
    read = read_submission(lines.encode())
    assert (len(read.rows), read.faults[0].where) == (2, "line 2")
    whole = json.dumps({"results": [ROW], "labels": 3, "heuristic": "0", "values": [{"h": 1}], "colour": 1}).encode()
    read = read_submission(whole)
    assert read.submission.heuristic == "0"
    assert {fault.where.split("/")[0] for fault in read.faults} == {"submission", "labels", "values"}


def test_zips_that_are_traps() -> None:
    bomb = packed({"results.csv": b"0" * (MAX_BYTES + 1)})
    assert len(bomb) < 100_000
    with pytest.raises(InvalidRequest, match="too large"):
        read_submission(bomb)
    many = packed({f"{i}.csv": CSV for i in range(60)})
    with pytest.raises(InvalidRequest, match="too many files"):
        read_submission(many)
    lying = bytearray(bomb)
    at = lying.rfind(b"PK\x01\x02")
    lying[at + 24 : at + 28] = (10).to_bytes(4, "little")  # says that it has ten bytes
    with pytest.raises(InvalidRequest):
        read_submission(bytes(lying))
    for broken in (packed({"results.csv": CSV})[:-30], b"PK\x03\x04" + b"\0" * 50):
        with pytest.raises(InvalidRequest, match="cannot read"):
            read_submission(broken)
    with pytest.raises(InvalidRequest, match="has no submission"):
        read_submission(packed({"program.py": "print()"}))
    inside = packed({"inner.zip": packed({"results.csv": CSV})})
    with pytest.raises(InvalidRequest):
        read_submission(inside)


def test_unreadable_submissions() -> None:
    for data in (b"{", b"hello", b"\x00\x01\x02\xff", b"[" * 100_000, b"a,b\n1,2\n", b'scramble,solution\n"U,U\n'):
        with pytest.raises(InvalidRequest):
            read_submission(data)
    with pytest.raises(InvalidRequest, match="too large"):
        read_submission(b" " * (MAX_BYTES + 1))
