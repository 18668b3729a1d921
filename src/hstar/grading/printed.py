"""What students' programs write, as rows.

Their names of columns, what Python prints, lines of a log, and tables that are drawn or have no header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hstar.grading.tables import plain

__all__ = ["bare", "blocks", "column_of", "columns_of", "flat", "is_number", "loaded", "nested", "undrawn"]

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
        "anzahl knoten", "nœuds", "nodos", "nodes expanded total", "expansions", "number of nodes expanded",
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
#: a name with one of these words is such a column, if no name says it exactly, ...
_GUESSED = {
    "scramble": {"scramble", "scrambled", "shuffle", "shuffled", "mischung", "verdrehung", "verdreht", "gemischt"},
    "solution": {"solution", "solved", "path", "losung", "loesung", "losungsweg", "solucion", "soluzione"},
}
#: ... unless it has one of these
_OTHER = {
    "time", "seconds", "sec", "ms", "length", "len", "depth", "cost", "costs", "number", "num", "count", "anzahl",
    "lange", "laenge", "tiefe", "zeit", "dauer", "steps", "size", "nodes", "knoten", "seed", "state", "board", "valid",
    "optimal", "rate", "name", "file",
}  # fmt: skip
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def column_of(text: object) -> str | None:
    """Our column for a student's name of it; None: not read."""
    return _COLUMNS.get(plain(_HUMP.sub(" ", str(text or ""))))


def _guess(text: object) -> str | None:
    words = set(plain(_HUMP.sub(" ", str(text or ""))).split())
    return None if words & _OTHER else next((column for column, known in _GUESSED.items() if words & known), None)


def columns_of(names: Iterable[Any]) -> dict[Any, str | None]:
    """Our column for each name: what a name says exactly, then what it says among other words; each column once."""
    listed = list(names)
    found = {name: column_of(name) for name in listed}
    for name in listed:
        if found[name] is None and (guess := _guess(name)) not in found.values():
            found[name] = guess
    return found


def is_number(text: str) -> bool:
    """Whether a program reads it as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


# -- JSON and what Python prints --------------------------------------------------------------------------------------

_LITERAL = re.compile(
    r"'((?:[^'\\\n]|\\.)*)'|\"((?:[^\"\\\n]|\\.)*)\"|([()])|\b(True|False|None)\b|,(?=\s*[\]})])", re.DOTALL
)
_WORDS = {"(": "[", ")": "]", "True": "true", "False": "false", "None": "null"}


def _as_json(match: re.Match[str]) -> str:
    single, double, bracket, word = match.groups()
    if single is not None:
        return json.dumps(single.replace("\\'", "'"))
    if double is not None:
        return match[0]
    return _WORDS.get(bracket or word or "", "")


def loaded(text: str) -> Any:
    """What JSON says, or lists and dictionaries as Python prints them; tuples are lists.

    :raises ValueError: it is neither; the message is that about JSON
    """
    try:
        return json.loads(text)
    except ValueError as error:
        try:
            return json.loads(_LITERAL.sub(_as_json, text))
        except ValueError:
            raise error from None


def flat(row: object) -> object:
    """A row whose columns are in objects in it: `{"puzzle": {"scramble": ...}, "result": {"solution": ...}}`."""
    if not isinstance(row, dict) or "solution" in columns_of(row).values():
        return row
    found = {key: value for key, value in row.items() if not isinstance(value, dict)}
    for value in row.values():
        if isinstance(value, dict):
            found |= value
    known = set(columns_of(found).values())
    return found if {"solution", "scramble"} <= known or {"solution", "instance"} <= known else row


def nested(key: object, value: object, depth: int = 0) -> Iterator[object]:
    """The rows in an object: lists of them under any name, and rows by the names of their instances."""
    if depth > 3:
        return
    value = flat(value)
    if isinstance(value, dict):
        known = set(columns_of(value).values())
        if "solution" in known:
            yield value if known & {"instance", "scramble", "state"} else {"instance": str(key), **value}
        else:
            for inner, one in value.items():
                yield from nested(inner, one, depth + 1)
    elif isinstance(value, list):
        for one in map(flat, value):
            if isinstance(one, dict) and "solution" in columns_of(one).values():
                yield one


# -- lines that a program prints --------------------------------------------------------------------------------------

#: a row of a board, among those of a path that is printed board by board, and what is drawn between boards
_BOARD = re.compile(r"^[\s\d,|()\[\]_*]*$")
_NUMBERED = re.compile(r"^\s*\d+[.)]\s+(\S.*?)\s*$")
_RULE = re.compile(r"^[\s|+=_-]*$")
#: a line of printed output: "nodes expanded: 17", "Solution = U' F'"
_PRINTED = re.compile(r"^\s*([^:=,;\t]{1,40}?)\s*[:=]\s*(.*?)\s*$")
_K = re.compile(r"\(\s*k\s*=\s*\d+\s*\)")
_KNOWN = [name.replace(" ", "[ _]") for name in _COLUMNS if name.isascii()]
_SEVERAL = re.compile(rf"(?<![\w'])({'|'.join(_KNOWN)})\s*[:=]\s*", re.IGNORECASE)
_EXPANDED = re.compile(r"\bexpanded\s+(\d+)\s+nodes?\b|\b(\d+)\s+nodes?\s+(?:were\s+)?expanded\b", re.IGNORECASE)


def _fields(line: str) -> Iterator[tuple[str, str]]:
    """The columns that a line says, with their texts."""
    line = _K.sub("", line)
    marks = list(_SEVERAL.finditer(line))
    if len(marks) > 1:
        ends = [mark.start() for mark in marks[1:]] + [len(line)]
        for mark, end in zip(marks, ends, strict=True):
            yield column_of(mark[1]) or "", line[mark.end() : end].strip().rstrip(",;|").strip()
        return
    match = _PRINTED.match(line)
    if match is not None:
        column = column_of(match[1])
        if column is None and not re.fullmatch(r"(?i)true|false|yes|no|ja|nein|[\d.,]+", match[2]):
            column = _guess(match[1])
        if column is not None:
            yield column, match[2]
    elif said := _EXPANDED.search(line):
        yield "nodes", said[1] or said[2]


def blocks(text: str) -> tuple[list[tuple[int, dict[str, str]]], dict[str, str], list[str]]:
    """What a program printed, a line for each field; a field that comes again begins the next row.

    Then who it is, and the heuristics that it names.

    A solution may go on in rows of numbers below it: the boards of a path.
    """
    rows: list[tuple[int, dict[str, str]]] = []
    who: dict[str, str] = {}
    heuristics: list[str] = []
    boards: list[str] = []
    path: dict[str, str] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        fields = list(_fields(line))
        if not fields and path is not None:
            if _BOARD.match(line) or _RULE.match(line):
                boards.append(_cells(line))
            elif numbered := _NUMBERED.match(line):
                boards.append(numbered[1])
        for column, value in fields:
            if path is not None:
                path["solution"] = " ".join([path["solution"], *boards]).strip()
                path, boards = None, []
            if column == "heuristic" and not is_number(value):
                heuristics += [value] if value else []
                continue
            if column in ("student", "name", "email"):
                who.setdefault(column, value)
                continue
            if not rows or column in rows[-1][1]:
                rows.append((number, {}))
            rows[-1][1][column] = value
            if column == "solution":
                path = rows[-1][1]
    if path is not None:
        path["solution"] = " ".join([path["solution"], *boards]).strip()
    return rows, who, heuristics


def _cells(line: str) -> str:
    """A row of a board in numbers; the blank may be empty, or a mark."""
    if _RULE.match(line) and not re.search(r"[|]\s*[|_]", line):
        return ""
    cells = line.strip().strip("|").split("|") if "|" in line else line.split()
    return " ".join("0" if cell.strip() in ("", "_", "*") else cell for cell in cells)


# -- tables -----------------------------------------------------------------------------------------------------------


_GAP = re.compile(r"\t|\s{2,}")


def _spaced(lines: Sequence[str]) -> list[str]:
    """Lines whose cells are set apart by spaces, as tables with tabs; the number of a row, without a header, goes."""
    header = _GAP.split(lines[0].strip()) if lines else []
    if "solution" not in columns_of(header).values():
        return []
    rows = [_GAP.split(line.strip()) for line in lines[1:]]
    return ["\t".join(header), *("\t".join(row[len(row) - len(header) :]) for row in rows if len(row) >= len(header))]


def undrawn(text: str) -> str:
    """A table without what draws it, and without the lines above its header."""
    lines = text.splitlines()
    if sum(" & " in line for line in lines) > 1:
        lines = [re.sub(r"\\\\.*|\\hline", "", line).replace("&", "|") for line in lines]
        lines = [f"|{line}|" for line in lines if "|" in line]
    if sum(line.lstrip().startswith("|") for line in lines) > 1:
        lines = [line.strip().strip("|") for line in lines if line.lstrip().startswith("|") and not _drawn(line)]
        lines = ["|".join(cell.strip() for cell in line.split("|")) for line in lines]
    for at, line in enumerate(lines[:20]):
        delimiter = max(",;\t|", key=line.count)
        if delimiter in line and "solution" in columns_of(line.split(delimiter)).values():
            return "\n".join(lines[at:])
    for at in range(min(20, len(lines))):
        if spaced := _spaced(lines[at:]):
            return "\n".join(spaced)
    return text


def _drawn(line: str) -> bool:
    return re.fullmatch(r"[\s|:+=-]*", line) is not None


#: a cell that names an instance; anything else before a solution is its scramble
_NAMED = re.compile(r"k ?=? ?\d+([, ._-]+\d+)?|\w{0,12}?[-_ #]?\d+|\(?[#\d.]+\)?|[A-Z]", re.IGNORECASE)
_WORD = re.compile(r"[^\s,;|()\[\]]+")


def bare(text: str) -> list[dict[str, str]]:
    """Rows without a header: a solution on each line, alone or after its instance or scramble.

    Empty unless the lines are made of few words that come again and again, as moves do.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for separator in ("\t", ";", ":", "|", ",", None):
        parts = [line.split(separator, 1) if separator else [line] for line in lines]
        if not all(len(part) == (2 if separator else 1) for part in parts):
            continue
        words = [word for *_, solution in parts for word in _WORD.findall(solution)]
        if len(words) < max(4, 2 * len(set(words))):
            continue
        rows = []
        for *first, solution in parts:
            cell = first[0].strip() if first else ""
            key = "instance" if _NAMED.fullmatch(cell) else "scramble"
            rows.append(({key: cell} if cell else {}) | {"solution": solution.strip()})
        return rows
    return []
