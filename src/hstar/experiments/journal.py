"""The journal of a local experiment: a line that identifies the experiment, then a line of JSON for each row that has
ended.

Each line is written at once when its row has ended. So if the process is killed, at most the last line is incomplete;
`Journal.resume` drops it, and its row is searched again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import BufferedRandom
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from hstar import __version__
from hstar.errors import Fault, HstarError
from hstar.experiments.design import Design, plan
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import ExperimentRequest

FORMAT = "hstar experiment 1"
_ROW = TypeAdapter(ExperimentRow)


class JournalError(HstarError):
    """The file is not the journal of this experiment, or another process is writing to it."""

    code = "invalid-journal"


class Journal:
    """An open journal: its design, and the rows that had ended when it was opened; `append` adds rows."""

    def __init__(self, path: Path, file: BufferedRandom, design: Design, rows: list[ExperimentRow]) -> None:
        self.path = path
        self.design = design
        self.rows = rows
        self._file = file

    def append(self, row: ExperimentRow) -> None:
        """Write a row; the operating system has it when this returns."""
        self.rows.append(row)
        self._file.write(_line(asdict(row)))
        self._file.flush()


@contextmanager
def create(path: Path, design: Design) -> Iterator[Journal]:
    """A new journal. Raises `JournalError` if the file exists."""
    try:
        file = path.open("x+b")
    except OSError as error:
        raise JournalError(f"cannot create the journal {path}", [Fault("", error.strerror or str(error))]) from None
    with file:
        _lock(file, path)
        request = design.request.model_dump(mode="json", exclude_unset=True)
        header = {"format": FORMAT, "hstar": __version__, "fingerprint": design.fingerprint, "request": request}
        file.write(_line(header))
        file.flush()
        yield Journal(path, file, design, [])


@contextmanager
def resume(path: Path) -> Iterator[Journal]:
    """The journal of an interrupted experiment, ready to continue.

    :raises JournalError: the file does not exist, is not a journal, was started with another version (whose counts may
    differ), or another process is writing to it
    """
    try:
        file = path.open("r+b")
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}", [Fault("", error.strerror or str(error))]) from None
    with file:
        _lock(file, path)
        lines = file.read().splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            file.truncate(sum(map(len, lines[:-1])))
            file.seek(0, os.SEEK_END)
            lines.pop()
        design = _read_header(path, lines[0] if lines else b"")
        yield Journal(path, file, design, _read_rows(path, lines[1:], design))


def _read_header(path: Path, line: bytes) -> Design:
    try:
        header = json.loads(line)
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}, not {FORMAT!r}")
        begun_with, fingerprint = header["hstar"], header["fingerprint"]
        design = plan(ExperimentRequest.model_validate_json(json.dumps(header["request"])))
    except (ValueError, KeyError, TypeError) as error:
        raise JournalError(f"{path} is not the journal of an experiment", [Fault("line 1", str(error))]) from None
    if begun_with != __version__ or fingerprint != design.fingerprint:
        text = f"it was started with hstar {begun_with}; this is {__version__}, whose searches may differ"
        raise JournalError(f"cannot resume {path}", [Fault("line 1", text)])
    return design


def _read_rows(path: Path, lines: list[bytes], design: Design) -> list[ExperimentRow]:
    rows: dict[int, ExperimentRow] = {}
    for number, line in enumerate(lines, start=2):
        try:
            row = _ROW.validate_json(line)
            if not 0 <= row.index < len(design) or row.index in rows:
                raise ValueError(f"row {row.index} is not in this experiment, or is here twice")
        except (ValidationError, ValueError) as error:
            raise JournalError(f"{path} is damaged", [Fault(f"line {number}", str(error))]) from None
        rows[row.index] = row
    return list(rows.values())


def _lock(file: BufferedRandom, path: Path) -> None:
    """Lock the file until it is closed, or this process ends."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise JournalError(f"{path} is in use", [Fault("", "another process is running this experiment")]) from None


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode() + b"\n"
