"""Reading submissions: JSON, JSON lines, CSV, or a zip of these. Unreadable parts are reported, and the rest is graded.

A zip may have these files: ``results`` or ``submission`` (``.json``, ``.jsonl``, ``.csv``), ``model.json``,
``labels.json``, ``heuristic.txt``, ``values.csv``. Nothing in it is trusted, neither sizes nor names.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError

from hstar.errors import Fault, InvalidRequest
from hstar.grading.schema import MAX_ROWS, ReadFault, Submission, SubmissionRow
from hstar.grading.tables import MAX_CELL, decoded, plain

__all__ = ["Read", "read_something", "read_submission"]

MAX_BYTES = 20 * 2**20
MAX_FILES = 50
MAX_FAULTS = 50
#: files of a submission, besides its results
PARTS = ("model.json", "labels.json", "heuristic.txt", "values.csv")

#: our columns, by the names that students use, as `plain` writes them
_NAMES: Mapping[str, Sequence[str]] = {
    "instance": ("instance", "id", "instanz", "aufgabe", "instancia", "nr", "test", "case"),
    "scramble": (
        "scramble", "alg", "puzzle", "scramble moves", "verdrehung", "mischung", "zuge der verdrehung", "melange",
        "mezcla", "shuffle", "randomize", "randomized", "randomized with", "randomized by", "scrambled",
        "scrambled with", "scramble log", "log",
    ),
    "state": ("state", "board", "start", "zustand", "stellung", "brett", "etat", "estado", "tablero", "initial state"),
    "solution": (
        "solution", "moves", "losung", "loesung", "zuge", "zuege", "losungsweg", "losungszuge", "path", "pfad", "weg",
        "solucion", "soluzione", "mouvements", "total path", "solution path", "moves to solve", "solved with",
    ),
    "length": (
        "length", "depth", "lange", "laenge", "tiefe", "losungslange", "d", "cost", "total cost", "longueur",
        "profundidad", "longitud", "solution length",
    ),
    "nodes": (
        "nodes", "expanded", "nodes expanded", "expanded nodes", "ne", "knoten", "expandiert", "expandierte knoten",
        "anzahl knoten", "nœuds", "nodos", "nodes expanded total", "expansions",
    ),
    "generated": ("generated", "nodes generated", "generated nodes", "ng", "erzeugt", "erzeugte knoten", "generiert"),
    "optimal": ("optimal", "optimal solution", "minimal"),
    "heuristic": ("heuristic", "h", "heuristik", "h start", "h value", "heuristikwert"),
    "labels": ("labels",),
    "student": ("student", "student id", "matrikelnummer", "sid"),
    "name": ("name", "full name", "student name"),
    "email": ("email", "e mail", "mail"),
}  # fmt: skip
_COLUMNS = {words: column for column, known in _NAMES.items() for words in known}


def column_of(text: object) -> str | None:
    """Our column for a student's name of it; None: not read."""
    return _COLUMNS.get(plain(str(text or "")))


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
        raise InvalidRequest("the submission is too large", [Fault(name, f"at most {MAX_BYTES // 2**20} MiB")])
    parts = _Parts()
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        _read_zip(data, name, parts)
    else:
        _read_text(decoded(data, name), name, parts)
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
    for key, value in parts.whole.items():
        if key == "model" and isinstance(value, dict):
            value = {"puzzle": "", **value}
        try:
            Submission.model_validate({key: value})
        except ValidationError as error:
            for detail in error.errors()[:5]:
                parts.fault("/".join(map(str, detail["loc"])), detail["msg"].removeprefix("Value error, "))
        else:
            good[key] = value
    return Submission.model_validate(good)


def _read_zip(data: bytes, name: str, parts: _Parts) -> None:
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
                    text = f"unpacked it has more than {MAX_BYTES // 2**20} MiB"
                    raise InvalidRequest("the zip is too large", [Fault(entry.filename[:100], text)])
                files[entry.filename] = content
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        raise InvalidRequest("cannot read the zip", [Fault(name, str(error)[:200])]) from None
    known = 0
    for path, content in sorted(files.items()):
        known += _read_file(path, content, parts)
    if files and not known:
        names = ", ".join(sorted(files))[:200]
        text = f"found {names}; expected results.json, results.jsonl or results.csv"
        raise InvalidRequest("the zip has no submission", [Fault(name, text)])


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


def _read_text(text: str, name: str, parts: _Parts) -> None:
    start = text.lstrip()[:1]
    if not start:
        parts.fault(name, "the file is empty")
    elif start in "[{":
        _read_json(text, name, parts)
    elif not _read_blocks(text, parts):
        _read_csv(text, name, parts)


def _read_json(text: str, name: str, parts: _Parts) -> None:
    try:
        given = json.loads(text)
    except RecursionError:
        raise InvalidRequest("the submission is not JSON", [Fault(name, "it is nested too deeply")]) from None
    except ValueError as error:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        if len(lines) > 1 and lines[0][1].rstrip().endswith("}"):
            return _read_lines(lines, parts)
        raise InvalidRequest("the submission is not JSON", [Fault(name, str(error))]) from None
    if isinstance(given, dict) and "results" not in given and "solution" in given:
        given = [given]
    if isinstance(given, dict):
        unknown = sorted(set(given) - {*_WHOLE, "results"})
        if unknown:
            parts.fault(name, f"not read: {', '.join(map(str, unknown))[:200]}")
        parts.whole |= {key: given[key] for key in _WHOLE if given.get(key) is not None}
        given = given.get("results", [])
    if not isinstance(given, list):
        parts.fault("results", "expected a list of rows")
        return None
    for number, row in enumerate(given, start=1):
        _add(number, row, parts)
    return None


def _read_lines(lines: list[tuple[int, str]], parts: _Parts) -> None:
    rows = 0
    for number, line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            rows += 1
            parts.fault(f"line {number}", f"not JSON: {error}")
            continue
        if isinstance(row, dict) and "solution" not in row and set(row) <= set(_WHOLE):
            parts.whole |= row
            continue
        rows += 1
        _add(rows, row, parts, f"line {number}")


_NUMBER = re.compile(r"[+-]?[\d.]")
#: a row of a board, among those of a path that a program prints board by board
_BOARD = re.compile(r"^[\s\d,|()\[\]]*$")
#: a line of printed output: "nodes expanded: 17", "Solution = U' F'"
_PRINTED = re.compile(r"^\s*([^:=,;\t]{1,40}?)\s*[:=]\s*(.*?)\s*$")


def _read_blocks(text: str, parts: _Parts) -> bool:
    """Read what a program printed, a line for each field; a field that comes again begins the next row.

    A solution may go on in rows of numbers below it: the boards of a path.
    """
    rows: list[tuple[int, dict[str, str]]] = []
    boards: list[str] = []
    path: dict[str, str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        match = _PRINTED.match(line)
        column = column_of(match[1]) if match else None
        if match is None or column is None:
            if path is not None and _BOARD.match(line):
                boards.append(line)
            continue
        if path is not None:
            path["solution"] = " ".join([path["solution"], *boards]).strip()
            path, boards = None, []
        if column == "heuristic" and not _NUMBER.match(match[2]):
            continue  # its name, which says nothing of the instance
        if column in ("student", "name", "email"):
            parts.whole.setdefault(column, match[2])
            continue
        if not rows or column in rows[-1][1]:
            rows.append((number, {}))
        rows[-1][1][column] = match[2]
        if column == "solution":
            path = rows[-1][1]
    if path is not None:
        path["solution"] = " ".join([path["solution"], *boards]).strip()
    if not any("solution" in cells for _, cells in rows):
        return False
    for place, (number, cells) in enumerate(rows, start=1):
        if "solution" in cells:
            _add(place, _typed(cells), parts, f"line {number}")
    return True


def _read_csv(text: str, name: str, parts: _Parts) -> None:
    csv.field_size_limit(MAX_CELL)
    first = text.splitlines()[0]
    delimiter = max(",;\t", key=first.count)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        known = {column: column_of(column) for column in reader.fieldnames or ()}
        if "solution" not in known.values():
            seen = ", ".join(str(column) for column in known if column)[:200] or "none"
            expected = (
                f"found the columns {seen}; expected scramble (or instance, state) and solution, and optionally "
                "length, nodes, generated, optimal, heuristic, labels"
            )
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


_YES_OR_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_READERS: dict[str, Callable[[str], Any]] = {
    "length": int, "nodes": int, "generated": int, "heuristic": float,
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
        return " ".join(f"({_numbers(move)})" if isinstance(move, list) else str(move) for move in value)
    return value


def _numbers(nested: list[object]) -> str:
    """A move of several parts, or a board, which may be a list of its rows."""
    return ", ".join(_numbers(one) if isinstance(one, list) else str(one) for one in nested)


def _add(number: int, row: object, parts: _Parts, where: str | None = None) -> None:
    place = where or f"row {number}"
    if len(parts.rows) >= MAX_ROWS:
        return parts.fault(place, f"only the first {MAX_ROWS:,} rows are read")
    if isinstance(row, dict):
        renamed = {column_of(key) or str(key): value for key, value in row.items()}
        row = {key: _joined(key, value) for key, value in renamed.items() if value is not None}
    try:
        parts.rows.append((number, SubmissionRow.model_validate(row)))
    except ValidationError as error:
        for detail in error.errors()[:3]:
            field_name = ".".join(map(str, detail["loc"]))
            parts.fault(f"{place}, {field_name}".rstrip(", "), detail["msg"].removeprefix("Value error, "))
    return None
