"""Reading submissions: JSON, JSON lines, CSV, or a zip of these. Unreadable parts are reported, and the rest is graded.

A zip may have these files: ``results`` or ``submission`` (``.json``, ``.jsonl``, ``.csv``), ``model.json``,
``labels.json``, ``heuristic.txt``, ``values.csv``. Nothing in it is trusted, neither sizes nor names.
"""

from __future__ import annotations

import csv
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree

from pydantic import ValidationError

from hstar.errors import Fault, InvalidRequest, in_words
from hstar.grading.printed import bare, blocks, column_of, columns_of, flat, is_number, loaded, nested, undrawn
from hstar.grading.schema import MAX_ROWS, ReadFault, Submission, SubmissionRow
from hstar.grading.tables import MAX_CELL, decoded, sheet

__all__ = ["Read", "read_something", "read_submission"]

MAX_MIB = 20
MAX_BYTES = MAX_MIB * 2**20
MAX_FILES = 50
MAX_FAULTS = 50
#: what .xlsx and .docx files, which are zips, have in them
OFFICE = "[Content_Types].xml"
#: files of a submission, besides its results
PARTS = ("model.json", "labels.json", "heuristic.txt", "values.csv")

#: what a damaged or encrypted zip raises while it is read
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, EOFError, OSError, ValueError)

_WHOLE = ("student", "name", "email", "labels", "notation", "heuristic", "values", "model")


@dataclass
class Read:
    """A submission, with the faults of its unreadable parts and the number of each row.

    ``named``: somebody else whose id or name is in the file. ``name``: the file's.
    """

    submission: Submission
    rows: list[tuple[int, SubmissionRow]]
    faults: list[ReadFault]
    fingerprint: str
    named: str | None = None
    name: str = "submission"


@dataclass
class _Parts:
    """The parts that have been read so far."""

    whole: dict[str, Any] = field(default_factory=dict)
    rows: list[tuple[int, SubmissionRow]] = field(default_factory=list)
    faults: list[ReadFault] = field(default_factory=list)
    left_out: int = 0
    #: names in rows that are no columns
    unread: dict[str, None] = field(default_factory=dict)
    #: heuristics that lines name; a number in their place is h of the instance
    heuristics: dict[str, None] = field(default_factory=dict)

    def fault(self, where: str, message: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            self.faults.append(ReadFault(where=where, message=message[:500]))
        else:
            self.left_out += 1


def read_submission(data: bytes, name: str = "submission") -> Read:
    """A submission from the bytes of a file.

    :param name: the name of the file; its content decides how it is read
    :raises InvalidRequest: no part can be read: it is too large, no text, or a broken or too large zip
    """
    if len(data) > MAX_BYTES:
        raise InvalidRequest("the submission is too large", [Fault(name, f"at most {MAX_MIB} MiB")])
    parts = _Parts()
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        _read_zip(data, name, parts)
    else:
        _read_text(decoded(data, name), name, parts)
    if parts.unread:
        parts.fault(name, f"not read: {', '.join(parts.unread)[:200]}")
    if parts.left_out:
        parts.faults.append(ReadFault(where=name, message=f"and {parts.left_out} more"))
    return Read(_whole(parts), parts.rows, parts.faults, sha256(data).hexdigest()[:16], name=name)


def read_something(data: bytes, name: str = "submission") -> Read:
    """As `read_submission`; a file in which nothing can be graded is refused, so that it costs no attempt.

    :raises InvalidRequest: no part can be read, or it has no line and no other part
    """
    read = read_submission(data, name)
    submission = read.submission
    others = submission.heuristic, submission.values, submission.model
    if not read.rows and all(part is None for part in others):
        faults = [Fault(fault.where, fault.message) for fault in read.faults]
        raise InvalidRequest("nothing in the file can be graded", faults or [Fault(name, "it has no line")])
    return read


def _whole(parts: _Parts) -> Submission:
    """Check each part of the submission by itself, so that a wrong part does not affect the others."""
    good: dict[str, Any] = {}
    valued = "values" in parts.whole or any(row.heuristic is not None for _, row in parts.rows)
    if parts.heuristics and "heuristic" not in parts.whole and not valued:
        if len(parts.heuristics) == 1:
            parts.whole["heuristic"] = next(iter(parts.heuristics))
        else:
            named = ", ".join(parts.heuristics)
            parts.fault("heuristic", f"the lines name several, of which none is taken: {named[:200]}")
    for key, value in parts.whole.items():
        if key == "model" and isinstance(value, dict):
            value = {"puzzle": "", **value}
        try:
            Submission.model_validate({key: value})
        except ValidationError as error:
            for detail in error.errors()[:5]:
                parts.fault("/".join(map(str, detail["loc"])), in_words(detail))
        else:
            good[key] = value
    return Submission.model_validate(good)


def unzipped(data: bytes, name: str) -> dict[str, bytes]:
    """The files of a zip.

    :raises InvalidRequest: it cannot be read, or has more than MAX_FILES files or MAX_MIB MiB
    """
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [e for e in archive.infolist() if not e.is_dir() and not is_litter(e.filename)]
            if len(entries) > MAX_FILES:
                raise InvalidRequest(
                    "the zip has too many files", [Fault(name, f"{len(entries)}; at most {MAX_FILES}")]
                )
            for entry in entries:
                with archive.open(entry) as file:
                    content = file.read(left + 1)  # its header may state a wrong size
                left -= len(content)
                if left < 0:
                    text = f"unpacked it has more than {MAX_MIB} MiB"
                    raise InvalidRequest("the zip is too large", [Fault(entry.filename[:100], text)])
                files[entry.filename] = content
    except ZIP_ERRORS as error:
        cut = not str(error) or "not a zip file" in str(error)
        raise InvalidRequest(
            "cannot read the zip", [Fault(name, "it is cut off or damaged" if cut else str(error)[:200])]
        ) from None
    return files


def _read_zip(data: bytes, name: str, parts: _Parts) -> None:
    files = unzipped(data, name)
    if OFFICE in files:
        _read_csv(office_table(files, name), name, parts)
        return
    known = 0
    for path, content in sorted(files.items()):
        known += _read_file(path, content, parts)
    if files and not known:
        names = ", ".join(sorted(files))[:200]
        text = f"found {names}; expected results.json, results.jsonl or results.csv"
        raise InvalidRequest("the zip has no submission", [Fault(name, text)])


def office_table(files: Mapping[str, bytes], name: str) -> str:
    """The first sheet of the Office file that has these parts, as CSV; raises `InvalidRequest` if it has none."""
    try:
        text = sheet(files)
    except ElementTree.ParseError as error:
        raise InvalidRequest("cannot read the table", [Fault(name, str(error))]) from None
    if text is None:
        kind = "a Word file" if any(path.startswith("word/") for path in files) else "an Office file without a table"
        raise InvalidRequest("the file has no table", [Fault(name, f"it is {kind}; save the table as CSV")])
    return text


def is_litter(path: str) -> bool:
    """Whether a file was not meant to be handed in."""
    return path.startswith("__MACOSX/") or PurePosixPath(path).name in (".DS_Store", "Thumbs.db")


def _read_file(path: str, content: bytes, parts: _Parts) -> bool:
    """Read one file of a zip by its name; returns whether it belongs to a submission."""
    bare = PurePosixPath(path).name.lower()
    try:
        if bare in ("model.json", "labels.json"):
            parts.whole[bare.removesuffix(".json")] = _labels_or_model(bare, json.loads(decoded(content, path)))
        elif bare == "heuristic.txt":
            parts.whole["heuristic"] = decoded(content, path).strip()
        elif bare == "values.csv":
            parts.whole["values"] = [_value(row) for row in csv.DictReader(io.StringIO(decoded(content, path)))]
        elif PurePosixPath(bare).stem in ("results", "submission") or bare.endswith((".csv", ".jsonl", ".json")):
            _read_text(decoded(content, path), path, parts)
        else:
            parts.fault(path[:100], "not read: a submission is results.json, results.jsonl or results.csv")
            return False
    except (ValueError, TypeError, KeyError, RecursionError, InvalidRequest) as error:
        faults = error.faults if isinstance(error, InvalidRequest) else ()
        parts.fault(path[:100], str(faults[0].message if faults else error))
    return True


def _labels_or_model(bare: str, given: Any) -> Any:
    table = bare == "labels.json" and isinstance(given, dict) and "neighbours" not in given
    return {"neighbours": given} if table else given


def _value(row: dict[str, Any]) -> dict[str, Any]:
    found = {key: row[key] for key in ("alg", "state") if row.get(key) is not None}
    return found | {"h": float(row["h"])}


#: "[INFO] solution: ..." is no JSON
_LOG = re.compile(r"\s*\[[A-Za-z][^\],]*\][^\],]")


def _read_text(text: str, name: str, parts: _Parts) -> None:
    start = text.lstrip()[:1]
    if not start:
        parts.fault(name, "the file is empty")
    elif start in "[{" and not _LOG.match(text):
        _read_json(text, name, parts)
    elif not _read_blocks(text, parts):
        _read_csv(undrawn(text), name, parts)


def _read_json(text: str, name: str, parts: _Parts) -> None:
    try:
        given = loaded(text)
    except RecursionError:
        raise InvalidRequest("the submission is not JSON", [Fault(name, "it is nested too deeply")]) from None
    except ValueError as error:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        if len(lines) > 1 and lines[0][1].rstrip().endswith("}"):
            return _read_lines(lines, parts)
        raise InvalidRequest("the submission is not JSON", [Fault(name, _broken(error))]) from None
    if isinstance(given, dict) and "results" not in given and "solution" in columns_of(given).values():
        given = [given]
    if isinstance(given, dict):
        parts.whole |= {key: given[key] for key in _WHOLE if given.get(key) is not None}
        rows = given.get("results", [])
        others = {key: list(nested(key, given[key])) for key in given if key not in (*_WHOLE, "results")}
        if not any(others.values()) and others.keys() == given.keys() and _texts(given.values()):
            others = {key: [{"instance": str(key), "solution": one}] for key, one in given.items() if key in others}
        unknown = sorted(str(key) for key, found in others.items() if not found)
        if unknown:
            parts.fault(name, f"not read: {', '.join(unknown)[:200]}")
        given = [*rows, *(row for found in others.values() for row in found)] if isinstance(rows, list) else rows
    if not isinstance(given, list):
        parts.fault("results", "expected a list of rows")
        return None
    for number, row in enumerate(given, start=1):
        _add(number, row, parts)
    return None


def _broken(error: ValueError) -> str:
    """Where a text is no JSON any more."""
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    where = f"line {error.lineno}, column {error.colno}"
    # The place of a text without an end is its beginning.
    ends = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    return f"it breaks off at {where}" if ends else f"it is not JSON from {where} on: {error.msg}"


def _texts(values: Iterable[object]) -> bool:
    return all(isinstance(one, (str, list)) for one in values)


def _read_lines(lines: list[tuple[int, str]], parts: _Parts) -> None:
    rows = 0
    for number, line in lines:
        try:
            row = loaded(line)
        except (ValueError, RecursionError) as error:
            rows += 1
            parts.fault(f"line {number}", f"not JSON: {error}")
            continue
        if isinstance(row, dict) and "solution" not in row and set(row) <= set(_WHOLE):
            parts.whole |= row
            continue
        rows += 1
        _add(rows, row, parts, f"line {number}")


def _read_blocks(text: str, parts: _Parts) -> bool:
    """Read what a program printed; returns whether there is a solution in it."""
    rows, who, heuristics = blocks(text)
    if not any("solution" in cells for _, cells in rows):
        return False
    for key, value in who.items():
        parts.whole.setdefault(key, value)
    parts.heuristics.update(dict.fromkeys(heuristics))
    for place, (number, cells) in enumerate(rows, start=1):
        if "solution" in cells:
            _add(place, _typed(cells), parts, f"line {number}")
    return True


def _read_csv(text: str, name: str, parts: _Parts) -> None:
    csv.field_size_limit(MAX_CELL)
    first = text.splitlines()[0]
    delimiter = max(",;\t|", key=first.count)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        known = columns_of(reader.fieldnames or ())
        if "solution" not in known.values():
            seen = ", ".join(str(column) for column in known if column)[:200] or "none"
            expected = (
                f"found the columns {seen}; expected scramble (or instance, state) and solution, and optionally "
                "length, nodes, generated, optimal, heuristic, labels"
            )
            if rows := bare(text):
                for number, row in enumerate(rows, start=1):
                    _add(number, row, parts)
                return
            raise InvalidRequest("the table has no column solution", [Fault(f"{name}, line 1", expected)])
        for number, read in enumerate(reader, start=1):
            row = _with_commas(read, reader.fieldnames or ())
            cells = {
                kept: value.strip() for column, kept in known.items() if kept and (value := row.get(column)) is not None
            }
            for key in ("student", "name", "email", "labels"):
                if value := cells.pop(key, ""):
                    parts.whole.setdefault(key, _labels(value) if key == "labels" else value)
            _add(number, _typed(cells), parts)
    except csv.Error as error:
        raise InvalidRequest("cannot read the table", [Fault(name, str(error))]) from None


def _with_commas(row: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """A row in which the name of an instance, such as "k = 3, 1", was not quoted."""
    if None not in row:
        return row
    cells = [*(row[column] for column in columns), *row[None]]  # type: ignore[index]
    for at, column in enumerate(columns):
        if column_of(column) == "instance" and re.fullmatch(r"k = \d+", cells[at].strip()):
            cells[at : at + 2] = [f"{cells[at].strip()}, {cells[at + 1].strip()}"]
    return dict(zip(columns, cells, strict=True)) if len(cells) == len(columns) else row


def _labels(value: str) -> Any:
    try:
        return _labels_or_model("labels.json", json.loads(value))
    except ValueError:
        return value


def _whole_number(text: str) -> int:
    """A number, also with what a program prints after it: `12 | time: 0.01 s`."""
    return int(re.sub(r"(?<=\d)\s+[|,;(].*|\s*[|;].*", "", text))


_YES_OR_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_READERS: dict[str, Callable[[str], Any]] = {
    "length": _whole_number, "nodes": _whole_number, "generated": _whole_number, "heuristic": float,
    "optimal": lambda text: _YES_OR_NO[text.lower()],
}  # fmt: skip


def _typed(cells: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, text in cells.items():
        if not text and key != "solution":
            continue
        try:
            found[key] = _READERS[key](text) if key in _READERS else text
        except (ValueError, KeyError):
            found[key] = text  # refused with the row's other faults
    return found


def _joined(key: str, value: object) -> object:
    """A list of moves as the text that it means."""
    if key in ("scramble", "solution") and isinstance(value, list):
        return " ".join(
            f"({_numbers(_parts(move))})" if isinstance(move, (list, dict)) else str(move) for move in value
        )
    return value


def _parts(move: list[object] | dict[str, object]) -> list[object]:
    """A move of several parts: a list, or an object such as `{"face": 3, "direction": "cw"}`."""
    return list(move.values()) if isinstance(move, dict) else move


def _numbers(nested: list[object]) -> str:
    """A move of several parts, or a board, which may be a list of its rows."""
    return ", ".join(_numbers(one) if isinstance(one, list) else str(one) for one in nested)


def _add(number: int, row: object, parts: _Parts, where: str | None = None) -> None:
    place = where or f"row {number}"
    if len(parts.rows) >= MAX_ROWS:
        return parts.fault(place, f"only the first {MAX_ROWS:,} rows are read")
    row = flat(row)
    if isinstance(row, dict):
        columns = columns_of(row)
        read = {key: column for key, column in columns.items() if column in SubmissionRow.model_fields}
        parts.unread.update({str(key): None for key in row if key not in read})
        row = {
            column: _joined(column, row[key]) for key, column in read.items() if column and row[key] is not None
        }  # fmt: skip
        if isinstance(named := row.get("heuristic"), str):
            if is_number(named):
                row["heuristic"] = float(named)
            else:
                del row["heuristic"]
                parts.heuristics[named.strip()] = None
    try:
        parts.rows.append((number, SubmissionRow.model_validate(row)))
    except ValidationError as error:
        for detail in error.errors()[:3]:
            field_name = ".".join(map(str, detail["loc"]))
            parts.fault(f"{place}, {field_name}".rstrip(", "), in_words(detail))
    return None
