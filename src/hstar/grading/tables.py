"""Texts and tables as people save them: encodings, separators, words without capitals and accents; and tables as we
write them, with cells that a spreadsheet must not run.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from xml.etree import ElementTree

from hstar.errors import Fault, InvalidRequest

__all__ = ["decoded", "number_cell", "plain", "sheet", "table", "table_of", "text_cell"]

#: the longest cell of a table: a solution of 100,000 moves fits
MAX_CELL = 2 * 2**20
_SEPARATORS = ",;\t|"
#: bytes that no text has
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r\f\x1a")
#: what files that are no text begin with
_FORMATS = {
    b"%PDF": "a PDF", b"%!PS": "PostScript", b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture", b"\xd0\xcf\x11": "an Office file", b"{\\rtf": "a text with formatting (RTF)",
    b"\x1f\x8b": "a gzip archive", b"7z\xbc\xaf": "a 7z archive", b"Rar!": "a RAR archive",
    b"PK\x03\x04": "an Excel file or a zip",
}  # fmt: skip
#: a spreadsheet runs a cell with one of these first characters as a formula (OWASP, CSV injection)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def text_cell(text: str | None) -> str:
    """Text that a spreadsheet shows but does not run; an apostrophe in front marks it as text."""
    if not text:
        return ""
    return f"'{text}" if text.startswith(_FORMULA) else text


def number_cell(value: float) -> str:
    """A number with as many digits as it needs."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


def table(rows: Iterable[Sequence[str]]) -> str:
    """CSV according to RFC 4180."""
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue()


def decoded(data: bytes, name: str) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, or what Windows saves in Western Europe.

    :raises InvalidRequest: it is no text; names what it is, or the first byte that shows so
    """
    _refuse_other(data, name)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16").replace("\x00", "")
        except UnicodeDecodeError as error:
            raise _no_text(data, error.start, name, "not UTF-16") from None
    try:
        return data.decode("utf-8-sig").replace("\x00", "")
    except UnicodeDecodeError as error:
        wrong = next((i for i, byte in enumerate(data) if byte in _CONTROLS), None)
        if wrong is None:
            try:
                return data.decode("cp1252")
            except UnicodeDecodeError:
                pass
        raise _no_text(data, error.start, name, "not UTF-8") from None


def _refuse_other(data: bytes, name: str) -> None:
    kind = next((words for mark, words in _FORMATS.items() if data.startswith(mark)), None)
    if kind is not None:
        raise InvalidRequest(
            "the file cannot be read",
            [Fault(name, f"it is {kind}; expected a table (CSV, Excel), JSON, printed text, or a zip of them")],
        )


def _no_text(data: bytes, at: int, name: str, why: str) -> InvalidRequest:
    line = data[:at].count(b"\n") + 1
    text = f"line {line} is not text that can be read (byte 0x{data[at]:02x} is {why}); save the file as UTF-8"
    return InvalidRequest("the submission is not text in UTF-8", [Fault(name, text)])


def table_of(text: str, name: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The header of a table and its rows with their lines, from 1; the separator is the one that the header has most.

    :raises InvalidRequest: the text is no table
    """
    _refuse_other(text[:8].encode(), name)
    csv.field_size_limit(MAX_CELL)
    body = text.lstrip("\r\n")
    lines = body.splitlines()
    if not lines:
        raise InvalidRequest("cannot read the table", [Fault(name, "the file is empty")])
    skipped = text.count("\n") - body.count("\n")
    if (said := re.fullmatch(r"sep=(.)", lines[0].strip(), re.IGNORECASE)) is not None:  # a spreadsheet's own note
        body = body.partition("\n")[2]
        separator, skipped = said[1], skipped + 1
    else:
        separator = max(_SEPARATORS, key=lines[0].count)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True)
    try:
        header = next(reader, [])
        rows = []
        last = reader.line_num
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((last + 1 + skipped, row))
            last = reader.line_num
    except csv.Error as error:
        raise InvalidRequest(
            "cannot read the table", [Fault(name, f"line {reader.line_num + skipped}: {error}")]
        ) from None
    return [column.strip() for column in header], rows


_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def sheet(files: Mapping[str, bytes]) -> str | None:
    """The first sheet of an .xlsx file, of which these are the parts, as CSV; None if there is none.

    :raises ElementTree.ParseError: a part is no XML
    """
    name = min((name for name in files if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name)), default=None)
    if name is None:
        return None
    shared = ElementTree.fromstring(files.get("xl/sharedStrings.xml", b"<none/>"))
    texts = ["".join(t.text or "" for t in one.iter(f"{_SHEET}t")) for one in shared]
    rows: list[list[str]] = []
    for row in ElementTree.fromstring(files[name]).iter(f"{_SHEET}row"):
        cells: dict[int, str] = {}
        for at, cell in enumerate(row.iter(f"{_SHEET}c")):
            value = cell.findtext(f"{_SHEET}v") or "".join(t.text or "" for t in cell.iter(f"{_SHEET}t"))
            known = cell.get("t") == "s" and value.isdecimal() and int(value) < len(texts)
            cells[_column(cell.get("r", ""), at)] = texts[int(value)] if known else _whole(value)
        if cells:
            rows.append([cells.get(at, "") for at in range(max(cells) + 1)])
    width = max(map(len, rows), default=0)
    return table([*row, *[""] * (width - len(row))] for row in rows if any(row))


def _whole(value: str) -> str:
    """A whole number without the exponent that spreadsheets store from twelve digits on."""
    if re.fullmatch(r"\d(?:\.\d+)?E\+?\d{1,2}", value) is None:
        return value
    number = Decimal(value)
    return str(int(number)) if number == int(number) else value


def _column(place: str, otherwise: int) -> int:
    """The column, from 0, of a place such as B3."""
    letters = re.match(r"[A-Z]{1,3}", place)
    if letters is None:
        return otherwise
    found = 0
    for letter in letters[0]:
        found = 26 * found + ord(letter) - ord("A") + 1
    return found - 1


def plain(text: str) -> str:
    """Words as they are compared: small letters, no accents, one space for everything between words."""
    small = unicodedata.normalize("NFKD", text.replace("ß", "ss").casefold())
    kept = "".join(c if c.isalnum() or c == "@" else " " for c in small if not unicodedata.combining(c))
    return " ".join(kept.split())
