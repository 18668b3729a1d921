"""Submissions in every format, and with all kinds of faults: right answers or clear errors, and nothing is lost."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping

import pytest

from hstar.errors import InvalidRequest
from hstar.grading import grade, read_something, read_submission
from hstar.grading.handed_in import unpacked
from hstar.grading.printed import bare, blocks, columns_of, flat, nested, undrawn
from hstar.grading.schema import MAX_ROWS
from hstar.grading.submissions import MAX_BYTES, MAX_FAULTS, MAX_FILES
from hstar.grading.tables import _column, sheet
from tests.grading.test_score import assignment

ROW = {"scramble": "U F R", "solution": "R' F' U'", "nodes": 6}
CSV = "scramble,solution,nodes\nU F R,R' F' U',6\nL DR,DR' L',2\n"


def packed(files: Mapping[str, bytes | str]) -> bytes:
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


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n\x00\xff\xfe", "a PDF"), (b"%PDF-1.7 in words, with a comma", "a PDF"),
        (b"\x89PNG\r\n", "a picture"),
        (b"{\\rtf1 scramble,solution}", "a text with formatting (RTF)"), (b"\x1f\x8b\x08", "a gzip archive"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_called_what_it_is(data: bytes, kind: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_something(data, "week1.csv")
    assert (
        str(refused.value.faults[0])
        == f"week1.csv: it is {kind}; expected a table (CSV, Excel), JSON, printed text, or a zip of them"
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"results": [', "it breaks off at line 1, column 14"),
        ('{"results": [{"solution": "U F', "it breaks off at line 1, column 27"),
        ('{"results": ]', "it is not JSON from line 1, column 13 on"),
        ("[1, 2]", "row 1: expected an object, found 1"),
        ('{"results": [{"scramble": "U"}]}', "row 1, solution: missing"),
        ("scramble,solution,nodes\nU,U',many\n", "row 1, nodes: expected a whole number, found 'many'"),
        ('{"results": [{"scramble": 5, "solution": "U"}]}', "row 1, scramble: expected text, found 5"),
        ('{"model": {"x": 1}}', "model/x: unknown field"),
    ],
)
def test_faults_are_said_in_plain_words(text: str, says: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_something(text.encode(), "week1.json")
    assert says in "; ".join(map(str, refused.value.faults))


def test_the_wrong_encoding() -> None:
    windows = read_submission("scramble,solution,name\nU,U',Müller\n".encode("latin-1"))
    assert windows.submission.name == "Müller"
    with pytest.raises(InvalidRequest) as refused:
        read_submission("scramble,solution,name\nU,U',Müller\0\n".encode("latin-1"))
    assert "line 2 is not text that can be read (byte 0xfc is not UTF-8); save" in str(refused.value)
    for control in (0, 1, 8, 11, 14, 27, 31, 0x81):  # the last is none, but no character of Windows either
        with pytest.raises(InvalidRequest, match="not UTF-8"):
            read_submission("scramble,solution,name\nU,U',Müller".encode("latin-1") + bytes([control]))
    for allowed in (b"\x1a", b" "):
        named = read_submission(b"scramble,solution,name\nU,U',M" + allowed + "üller".encode("latin-1"))
        assert (named.submission.name or "").endswith("üller")
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
    assert ([number for number, _ in read.rows], read.faults[0].where) == ([1, 3], "line 2")
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


LONG = "x" * 300 + ".csv"


def damaged(kind: str) -> bytes:
    """A zip of two files that cannot be read for some reason."""
    methods = {"deflate": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", methods.get(kind, zipfile.ZIP_STORED)) as archive:
        archive.writestr(LONG, CSV * 20)
        archive.writestr("b.csv", CSV)
    data = bytearray(target.getvalue())
    local, central = 0, data.find(b"PK\x01\x02")
    if kind == "encrypted":
        data[local + 6] |= 1
        data[central + 8] |= 1
    elif kind == "method":
        data[local + 8] = data[central + 10] = 99
    elif kind == "place":
        data[central + 42 : central + 46] = b"\xff\xff\xff\x7f"
    elif kind == "size":
        data[central + 20 : central + 28] = 2 * b"\xff\xff\xff\x00"
    else:
        data[60 + len(LONG) : 100 + len(LONG)] = b"\xfe" * 40
    return bytes(data)


@pytest.mark.parametrize("kind", ["stored", "deflate", "bzip2", "lzma", "encrypted", "method", "place", "size"])
def test_a_damaged_zip_says_so(kind: str) -> None:
    data = damaged(kind)
    with pytest.raises(InvalidRequest, match="cannot read the zip") as refused:
        read_submission(data, "a.zip")
    ((where, message),) = [(fault.where, fault.message) for fault in refused.value.faults]
    assert where == "a.zip"
    assert 0 < len(message) <= 200
    if kind == "stored":
        assert message == f"Bad CRC-32 for file '{LONG}'"[:200]
    assert [(one.path, one.data) for one in unpacked("a.zip", data)] == [("a.zip", data)]


def test_unreadable_submissions() -> None:
    for data in (b"{", b"hello", b"\x00\x01\x02\xff", b"[" * 100_000, b"a,b\n1,2\n", b'scramble,solution\n"U,U\n'):
        with pytest.raises(InvalidRequest):
            read_submission(data)
    with pytest.raises(InvalidRequest, match="too large"):
        read_submission(b" " * (MAX_BYTES + 1))


# -- at the limits -----------------------------------------------------------------------------------------------------


def csv_of(column: str, *cells: str) -> list[object]:
    table = f"scramble,solution,{column}\n" + "".join(f"U,U',{cell}\n" for cell in cells)
    read = read_submission(table.encode())
    assert not read.faults
    return [getattr(row, column) for _, row in read.rows]


def test_cells_of_a_table_are_typed() -> None:
    assert csv_of("optimal", "true", "Yes", "1", "FALSE", "no", "0", "") == [
        True,
        True,
        True,
        False,
        False,
        False,
        None,
    ]
    assert csv_of("nodes", "0", " 7 ", "") == [0, 7, None]
    assert csv_of("heuristic", "2.5", "0", "") == [2.5, 0, None]
    wrong = read_submission(b"scramble,solution,optimal,nodes,depth,h\nU,U',perhaps,many,-1,?\nU,U',no,3,1,1\n")
    assert [fault.where for fault in wrong.faults] == [
        "row 1, length",
        "row 1, nodes",
        "row 1, optimal",
    ]  # the first three
    assert [number for number, _ in wrong.rows] == [2]
    empty = read_submission(b"scramble,solution\n,\n").rows[0][1]
    assert (empty.scramble, empty.solution) == (None, "")


def test_who_handed_it_in_may_be_in_a_table() -> None:
    labels = json.dumps({"U": ["F"]}).replace('"', '""')
    table = f'student,name,email,labels,solution\n,,,,U\n7,Ann,a@b,"{labels}",U\n8,Bea,b@b,"{labels}",U\n'
    whole = read_submission(table.encode())
    assert (whole.submission.student, whole.submission.name, whole.submission.email) == ("7", "Ann", "a@b")
    assert whole.submission.labels is not None
    assert whole.submission.labels.neighbours == {"U": ["F"]}
    assert len(whole.rows) == 3
    named = read_submission(b"labels,solution\nno table,U\n")
    assert [fault.where for fault in named.faults] == ["labels"]


def test_no_more_rows_files_bytes_and_faults_than_the_limits() -> None:
    rows = [{"instance": "one", "solution": "U"}] * (MAX_ROWS + 1)
    read = read_submission(json.dumps(rows[:-1]).encode())
    assert (len(read.rows), read.faults) == (MAX_ROWS, [])
    read = read_submission(json.dumps(rows).encode())
    assert len(read.rows) == MAX_ROWS
    assert [fault.where for fault in read.faults] == [f"row {MAX_ROWS + 1}"]
    assert "only the first 20,000 rows" in read.faults[0].message

    full = {f"{number}.csv": CSV for number in range(MAX_FILES)}
    assert len(read_submission(packed(full | {"a/.DS_Store": "x", "__MACOSX/y": "x"})).rows) == 2 * MAX_FILES
    with pytest.raises(InvalidRequest) as refused:
        read_submission(packed({**full, "more.csv": CSV}))
    assert refused.value.faults[0].message == "51; at most 50"

    exactly = CSV.encode() + b" " * (MAX_BYTES - len(CSV))
    assert len(exactly) == MAX_BYTES
    assert read_submission(packed({"results.jsonl": json.dumps(ROW) + " " * (MAX_BYTES - len(json.dumps(ROW)))})).rows
    for data, message in ((exactly + b" ", "at most 20 MiB"), (packed({"a.csv": exactly + b" "}), "more than 20 MiB")):
        with pytest.raises(InvalidRequest) as refused:
            read_submission(data)
        assert message in refused.value.faults[0].message
    half = b" " * (MAX_BYTES // 2)
    with pytest.raises(InvalidRequest, match="too large"):
        read_submission(packed({"a.csv": half, "b.csv": half, "c.csv": b" "}))

    for number in (MAX_FAULTS, MAX_FAULTS + 3):
        read = read_submission(json.dumps([17] * number).encode())
        assert len(read.faults) == min(number, MAX_FAULTS + 1)
        if number > MAX_FAULTS:
            assert read.faults[-1].message == "and 3 more"


def test_the_lines_for_no_instance_are_named_up_to_a_number() -> None:
    for number in (20, 21, 1500):
        lines = [{"instance": f"no {i}", "solution": "U"} for i in range(number)]
        found = grade(assignment(), read_submission(json.dumps(lines).encode()))
        assert found.ignored[:20] == [f"row {i + 1}: no instance is called 'no {i}'" for i in range(20)]
        assert found.ignored[20:] == ([] if number == 20 else [f"and {number - 20:,} more"])


def test_the_wrong_file_of_a_zip_costs_no_other() -> None:
    read = read_submission(packed({
        "results.csv": CSV, "other.json": b"{broken", "model.json": "{", "values.csv": "alg,h\nU,much\n",
        "labels.json": b"\xff", "notes.txt": "x", "empty.csv": "",
    }))  # fmt: skip
    assert len(read.rows) == 2
    assert sorted(fault.where for fault in read.faults) == [
        "empty.csv", "labels.json", "model.json", "notes.txt", "other.json", "values.csv",
    ]  # fmt: skip
    one = read_submission(packed({"labels.json": json.dumps({"neighbours": {"U": ["F"]}, "anchors": {"U": "U"}})}))
    assert one.submission.labels is not None
    assert one.submission.labels.anchors == {"U": "U"}
    values = read_submission(packed({"values.csv": "alg,h\n,0\nU,1.5\n"})).submission.values
    assert values is not None
    assert [(value.alg, value.h) for value in values] == [("", 0), ("U", 1.5)]


def test_json_lines_are_numbered_as_rows_of_the_whole() -> None:
    lines = [{"student": "7", "name": "Ann"}, ROW, [], {"heuristic": "0"}, ROW]
    read = read_submission("\n\n".join(json.dumps(line) for line in lines).encode())
    assert [number for number, _ in read.rows] == [1, 3]
    assert [fault.where for fault in read.faults] == ["line 5"]
    assert (read.submission.student, read.submission.heuristic) == ("7", "0")
    for text, where in (('{"results": 3}', "results"), ('{"results": [], "colour": 1}', "submission")):
        assert [fault.where for fault in read_submission(text.encode()).faults] == [where]
    null = read_submission(json.dumps({"results": [{**ROW, "length": None}], "name": None}).encode())
    assert (null.faults, null.submission.name, null.rows[0][1].length) == ([], None, None)


def test_names_that_are_not_read_are_cut_to_a_length() -> None:
    names = [f"colour{n}" for n in range(40)]
    listed = ", ".join(names)[:200]
    read = read_submission(json.dumps([ROW | dict.fromkeys(names, 1)]).encode(), "a.json")
    assert [(fault.where, fault.message) for fault in read.faults] == [("a.json", f"not read: {listed}")]
    read = read_submission(json.dumps({"results": [ROW], **dict.fromkeys(names, 1)}).encode(), "a.json")
    assert [fault.message for fault in read.faults] == [f"not read: {', '.join(sorted(names))[:200]}"]
    with pytest.raises(InvalidRequest) as refused:
        read_submission(packed({f"{name}.py": "x" for name in names}), "a.zip")
    files = ", ".join(sorted(f"{name}.py" for name in names))[:200]
    assert refused.value.faults[0].message.startswith(f"found {files}; expected results.json")
    for header, seen in ((",".join(names), listed), (",,", "none")):
        with pytest.raises(InvalidRequest) as refused:
            read_submission(f"{header}\n1,2,3\n".encode(), "a.csv")
        assert refused.value.faults[0].where == "a.csv, line 1"
        assert refused.value.faults[0].message.startswith(f"found the columns {seen}; expected")


def test_a_file_with_nothing_to_grade_is_refused_with_its_faults() -> None:
    for data, faults in (
        (b"[]", ["a.json: it has no line"]),
        (b'[{"solution": 3}, 17]', [
            "row 1, solution: expected text, found 3",
            "row 2: expected an object, found 17",
        ]),
    ):  # fmt: skip
        with pytest.raises(InvalidRequest, match="nothing in the file can be graded") as refused:
            read_something(data, "a.json")
        assert list(map(str, refused.value.faults)) == faults
    for part in ({"heuristic": "0"}, {"values": [{"alg": "", "h": 0.0}]}, {"model": {"turns": {"U": [1, 0]}}}):
        assert read_something(json.dumps(part).encode()).rows == []


def test_each_part_names_five_faults_at_most() -> None:
    values = [{"alg": "U"}] * 7
    read = read_submission(json.dumps({"values": values, "results": [ROW]}).encode())
    assert [fault.where for fault in read.faults] == [f"values/{n}/h" for n in range(5)]


def test_a_zip_that_is_too_large_names_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed({"y" * 150 + ".csv": CSV * 100})
    monkeypatch.setattr("hstar.grading.submissions.MAX_BYTES", len(data))
    with pytest.raises(InvalidRequest, match="the zip is too large") as refused:
        read_submission(data)
    ((where, message),) = [(fault.where, fault.message) for fault in refused.value.faults]
    assert (where, message) == ("y" * 100, "unpacked it has more than 20 MiB")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("values.csv", "alg\nU\n", "'h'"),
        ("values.csv", "alg,h\nU\n", "float() argument must be a string or a real number, not 'NoneType'"),
        ("values.csv", f"alg,h\nU,{'x' * 600}\n", f"could not convert string to float: '{'x' * 600}'"[:500]),
        (
            "model.json",
            "[" * 100_000,
            "maximum recursion depth exceeded while decoding a JSON array from a unicode string",
        ),
        (
            "heuristic.txt",
            b"\xff\0",
            "line 1 is not text that can be read (byte 0xff is not UTF-8); save the file as UTF-8",
        ),
    ],
)
def test_a_part_that_cannot_be_read_costs_no_other(name: str, content: str | bytes, message: str) -> None:
    read = read_submission(packed({"results.csv": CSV, name: content}))
    assert [(fault.where, fault.message) for fault in read.faults] == [(name, message)]
    assert len(read.rows) == 2


@pytest.mark.parametrize("name", ["work.csv", "Results.txt", "a/submission", "x.jsonl"])
def test_files_of_a_zip_that_have_results(name: str) -> None:
    content = json.dumps(ROW) if name == "x.jsonl" else CSV
    assert read_submission(packed({name: content})).rows[0][1].solution == ROW["solution"]


def test_what_looks_like_lines_of_json() -> None:
    for text in ("{broken}", "{broken}\n", "\n{broken}\n\n"):
        with pytest.raises(InvalidRequest, match="the submission is not JSON"):
            read_submission(text.encode())
    texts = {"one": "R' F' U'", "two": "DR' L'"}
    assert [row.instance for _, row in read_submission(json.dumps(texts).encode()).rows] == ["one", "two"]
    more = read_submission(json.dumps({"student": "7", **texts}).encode(), "a.json")
    assert (more.rows, [fault.message for fault in more.faults]) == ([], ["not read: one, two"])


def test_cells_in_any_order_and_left_out() -> None:
    ((number, row),) = read_submission(b"scramble,optimal,solution,nodes\n,,U',6\n").rows
    assert (number, row.scramble, row.optimal, row.solution, row.nodes) == (1, None, None, "U'", 6)
    ((_, row),) = read_submission(b"k,instance,solution\nk = 3,one,U',extra\n").rows
    assert (row.instance, row.solution) == ("one", "U'")
    tiles = [1, 2, 3, 8, 4, 0, 7, 6, 5]
    ((_, row),) = read_submission(json.dumps([{"state": tiles, "solution": ["U", [3, "cw"]]}]).encode()).rows
    assert (row.state, row.solution) == (tiles, "U (3, cw)")


def test_rows_are_numbered_from_one_in_every_form() -> None:
    for text in (
        "scramble: U\nsolution: U'\n\nscramble: F\nsolution: F'\n",
        "U' F' U'\nU' F' F'\n",
        "scramble,solution\nU,U'\nF,F'\n",
    ):
        assert [number for number, _ in read_submission(text.encode()).rows] == [1, 2]


PLACES = [("A1", 0), ("Z1", 25), ("AA1", 26), ("AB12", 27), ("BA1", 52), ("ZZ9", 701), ("AAA1", 702), ("", 7), ("9", 7)]


@pytest.mark.parametrize(("place", "column"), PLACES)
def test_the_column_of_a_place(place: str, column: int) -> None:
    assert _column(place, 7) == column


def test_the_cells_of_a_sheet() -> None:
    of = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    rows = (
        '<row><c r="A1" t="s"><v>0</v></c><c r="D1" t="s"><v>1</v></c></row><row/><row><c r="A3"><v/></c></row>'
        '<row><c t="inlineStr"><is><t>a</t><t/><t>b</t></is></c><c><v>0</v></c><c t="s"><v>2</v></c>'
        '<c t="s"><v>x</v></c></row>'
    )
    parts = {
        "xl/worksheets/sheet2.xml": b"<",
        "xl/worksheets/sheet1.xml": f"<worksheet {of}>{rows}</worksheet>".encode(),
    }
    shared = f"<sst {of}><si><t>one</t><r><t/></r></si><si><r><t>tw</t></r><r><t>o</t></r></si></sst>".encode()
    assert sheet(parts | {"xl/sharedStrings.xml": shared}) == "one,,,two\r\nab,0,2,x\r\n"
    assert sheet(parts) == "0,,,1\r\nab,0,2,x\r\n"
    assert sheet({"xl/worksheets/sheet1.xml": f"<worksheet {of}><row/></worksheet>".encode()}) == ""
    narrow = f"<worksheet {of}><row/><row><c><v>7</v></c></row></worksheet>".encode()
    assert sheet({"xl/worksheets/sheet1.xml": narrow}) == "7\r\n"
    assert sheet({"xl/workbook.xml": b"<"}) is None


# -- what programs print -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (["Scramble", "nodesExpanded", "Lösung"], ["scramble", "nodes", "solution"]),
        (["solution", "found solution"], ["solution", None]),
        (["the scramble used", "solution found"], ["scramble", "solution"]),
        (["path length", "solution time", "colour", None], [None, None, None, None]),
    ],
)
def test_the_columns_that_names_mean(names: list[str | None], columns: list[str | None]) -> None:
    assert list(columns_of(names).values()) == columns


def test_rows_in_objects() -> None:
    whole: dict[str, object] = {"solution": "U", "nodes": 3}
    assert flat({"instance": "one", "result": whole}) == {"instance": "one", **whole}
    assert flat({"puzzle": {"scramble": "U"}, "result": whole}) == {"scramble": "U", **whole}
    for row in ({"result": {"solution": "U"}}, {"result": whole}, {"k": 3, "result": whole}, 17, [whole]):
        assert flat(row) == row
    assert list(nested("x", {"a": {"b": {"c": whole}}})) == [{"instance": "c", **whole}]
    assert list(nested("x", {"a": {"b": {"c": {"d": whole}}}})) == []
    assert list(nested("x", [whole, 17, {"nodes": 3}])) == list(nested("x", {"a": [whole]})) == [whole]
    assert list(nested("x", {"scramble": "U", **whole})) == [{"scramble": "U", **whole}]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("scramble: U F solution: F' U'", [{"scramble": "U F", "solution": "F' U'"}]),
        ("moves: U' F'", [{"solution": "U' F'"}]),
        ("Optimal solution cost = 7", []),
        ("found solution: true", []),
        ("solution: U'\nExpanded 17 nodes", [{"solution": "U'", "nodes": "17"}]),
        ("solution: U'\n18 nodes were expanded", [{"solution": "U'", "nodes": "18"}]),
        ("heuristic: manhattan, solution: U'", [{"solution": "U'"}]),
        ("h: 2.5\nsolution: U'", [{"heuristic": "2.5", "solution": "U'"}]),
        ("student: 7, solution: U'", [{"solution": "U'"}]),
        ("solution:\n1. U\n2. F\n\nnodes: 3", [{"solution": "U F", "nodes": "3"}]),
        ("path:\n1 | 2\n_ | 3\n---\n1 2\n0 3\nnodes: 3", [{"solution": "1   2 0  3  1 2 0 3", "nodes": "3"}]),
        ("solution: a\nsolution: b\nnodes: 2\nsolution: c", [
            {"solution": "a"}, {"solution": "b", "nodes": "2"}, {"solution": "c"}]),
    ],
)  # fmt: skip
def test_the_fields_of_printed_lines(text: str, rows: list[dict[str, str]]) -> None:
    found, who, heuristics = blocks(text)
    assert [cells for _, cells in found] == rows
    assert heuristics == (["manhattan"] if "manhattan" in text else [])
    assert who == ({"student": "7"} if "student" in text else {})


H, OTHER_H = "ceil(misplaced_facelets / 15)", "misplaced_facelets"
#: lines with a solution, with what stands for the heuristic
TOLD = {
    "a column": "scramble,solution,heuristic\nU,U',{0}\nF,F',{1}",
    "in JSON": '[{{"solution": "U\'", "h": "{0}"}}, {{"solution": "F\'", "h": "{1}"}}]',
    "a log": "Heuristic: {0}\nScramble: U\nSolution: U'\nHeuristic: {1}\nScramble: F\nSolution: F'",
}


@pytest.mark.parametrize("text", TOLD.values(), ids=list(TOLD))
def test_a_heuristic_that_lines_name_is_that_of_the_submission(text: str) -> None:
    """Where a number is h of the instance, its expression may stand."""
    read = read_submission(text.format(H, H).encode())
    assert (read.submission.heuristic, len(read.rows), read.faults) == (H, 2, [])
    read = read_submission(text.format(H, OTHER_H).encode())
    assert (read.submission.heuristic, len(read.rows)) == (None, 2)
    assert [fault.where for fault in read.faults] == ["heuristic"]
    assert f"{H}, {OTHER_H}" in read.faults[0].message
    read = read_submission(text.format(H, 4).encode())
    assert (read.submission.heuristic, {row.heuristic for _, row in read.rows}, read.faults) == (None, {None, 4}, [])


def test_a_heuristic_of_its_own_goes_before_those_that_lines_name() -> None:
    text = json.dumps({"heuristic": H, "results": [{"scramble": "U", "solution": "U'", "heuristic": OTHER_H}]})
    assert (read_submission(text.encode()).submission.heuristic, len(read_submission(text.encode()).rows)) == (H, 1)


HEADED = "scramble,solution\nU,U'"


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("x\n" * 19 + HEADED, HEADED),
        ("x\n" * 20 + HEADED, "x\n" * 20 + HEADED),
        (
            "x\n" * 19 + "k   scramble   solution\n0   3   U   U'\n4   F   F'\nnone",
            "k\tscramble\tsolution\n3\tU\tU'\n4\tF\tF'",
        ),
        ("x\n" * 20 + "scramble   solution\nU   U'", "x\n" * 20 + "scramble   solution\nU   U'"),
        ("Tom & Ann\n" + HEADED, HEADED),
        ("k & solution \\\\ \\hline\n3 & U' \\\\", "k|solution\n3|U'"),
        ("|x\n" + HEADED, HEADED),
        ("|k|solution|\n|---|:-:|\n|3|U'|", "k|solution\n3|U'"),
        ("nothing", "nothing"),
        ("", ""),
    ],
)
def test_tables_without_what_draws_them(text: str, table: str) -> None:
    assert undrawn(text) == table


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("U U U", []),
        ("U U U U", [{"solution": "U U U U"}]),
        ("U F U\nF U", [{"solution": "U F U"}, {"solution": "F U"}]),
        ("U F\nR U F", []),
        ("k = 3, 1;U U U U", [{"instance": "k = 3, 1", "solution": "U U U U"}]),
        ("U F;F U F U\nF U;U F", [{"scramble": "U F", "solution": "F U F U"}, {"scramble": "F U", "solution": "U F"}]),
        (";U U U U", [{"solution": "U U U U"}]),
    ],
)
def test_rows_without_a_header(text: str, rows: list[dict[str, str]]) -> None:
    assert bare(text) == rows


def test_long_names_of_files_are_cut() -> None:
    names: dict[str, bytes | str] = {"x" * 150 + ".txt": "x", "y" * 150 + ".json": b"{broken", "results.csv": CSV}
    assert [fault.where for fault in read_submission(packed(names)).faults] == ["x" * 100, "y" * 100]


def test_one_file_has_one_fingerprint() -> None:
    assert read_submission(CSV.encode()).fingerprint == read_submission(CSV.encode()).fingerprint
    assert read_submission(CSV.encode()).fingerprint != read_submission(CSV.encode() + b"\n").fingerprint
    assert len(read_submission(CSV.encode()).fingerprint) == 16


def office(**parts: str) -> bytes:
    """An Office file; `a__b` is the part a/b.xml."""
    return packed({"[Content_Types].xml": "<Types/>"} | {f"{k.replace('__', '/')}.xml": v for k, v in parts.items()})


def test_a_spreadsheet_is_read_and_a_word_file_named() -> None:
    of = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    texts = ["scramble", "nodes", "solution", "U F R", "R' F' U'"]
    rows: list[list[tuple[str, int | None]]] = [
        [("A1", 0), ("B1", 1), ("D1", 2)], [("A2", 3), ("B2", None), ("D2", 4)],
    ]  # fmt: skip
    cells = "".join(
        "<row>" + "".join(
            f'<c r="{place}" t="s"><v>{text}</v></c>' if text is not None else f'<c r="{place}"><v>6</v></c>'
            for place, text in row
        ) + "</row>"
        for row in rows
    )  # fmt: skip
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    sheets = {"xl__worksheets__sheet1": f"<worksheet {of}><sheetData>{cells}</sheetData></worksheet>"}
    data = office(**sheets, xl__sharedStrings=f"<sst {of}>{shared}</sst>", docProps__app="<a/>")
    ((number, row),) = read_submission(data, "ann.xlsx").rows
    assert (number, row.scramble, row.nodes, row.solution) == (1, "U F R", 6, "R' F' U'")
    word = office(word__document="<a/>", word__styles="<a/>", docProps__app="<a/>")
    with pytest.raises(InvalidRequest, match="it is a Word file; save the table as CSV"):
        read_submission(word, "ann.docx")
    with pytest.raises(InvalidRequest, match="cannot read the table"):
        read_submission(office(xl__worksheets__sheet1="<"), "ann.xlsx")
    # In a class each is one student's file and not a folder of several.
    assert [(one.path, one.data) for one in unpacked("ann.docx", word)] == [("ann.docx", word)]
