"""Reading what somebody's own A* printed for each node that it expanded.

>>> rows = read('g,h\\n0,3\\n1,2\\n')
>>> [(row.g, row.h) for row in rows.rows], rows.columns
([(0.0, 3.0), (1.0, 2.0)], {'g': 'g', 'h': 'h'})

A line for each expanded node, in order: CSV with any separator, a JSON list, or JSON lines. Columns are recognised by
their names in several languages. Without names, the first two columns are g and h; of three, one is the sum f.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hstar.analysis.schema import TraceFault
from hstar.errors import Fault, InvalidRequest

__all__ = ["Row", "Rows", "check", "read"]

#: words that name a column, in lower case
WORDS = {
    "g": "g g(n) cost depth level pathcost costsofar tiefe kosten coste costo coût cout profundidad",
    "h": "h h(n) heuristic hvalue estimate heuristik heuristica heurística heuristique schätzung",
    "f": "f f(n) fvalue total priority priorität prioridad priorité",
    "path": "path moves alg solution actions line züge zuege pfad weg camino movimientos chemin",
    "state": "state node board position zustand brett estado état etat",
    "order": "n no nr # i index number order step expanded expansion nummer schritt paso",
}
_SEPARATORS = ",;\t|"
MOST_ROWS = 200_000
#: rows whose path is followed
MOST_CHECKED = 3000
MOST_FAULTS = 50


@dataclass(frozen=True, slots=True)
class Row:
    """An expanded node; ``number`` counts the rows from 1."""

    number: int
    g: float
    h: float
    f: float | None
    path: str | None
    state: str | None


@dataclass
class Rows:
    """All rows that could be read."""

    rows: list[Row] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    faults: list[TraceFault] = field(default_factory=list)


def read(text: str) -> Rows:
    """The rows of a trace; rows that cannot be read are faults.

    :raises InvalidRequest: no row can be read, or g and h are missing
    """
    records = _json(text) if text.lstrip()[:1] in ("[", "{") else _table(text)
    found = Rows()
    if not records:
        raise _refused("it has no rows")
    if len(records) > MOST_ROWS:
        raise _refused(f"at most {MOST_ROWS:,} rows are read, found {len(records):,}")
    meaning = _meanings(records)
    if "g" not in meaning or "h" not in meaning:
        names = ", ".join(map(str, list(records[0])[:8]))
        raise _refused(f"it needs a column g and a column h (or f and one of them); its columns are {names}")
    found.columns = {column: what for what, column in meaning.items()}
    for number, record in enumerate(records, start=1):
        try:
            g, h = (_number(record.get(meaning[what])) for what in ("g", "h"))
            f = _number(record[meaning["f"]]) if record.get(meaning.get("f", "")) not in (None, "") else None
        except ValueError as error:
            found.faults.append(TraceFault(row=number, kind="unreadable", message=str(error)))
            continue
        path, state = (record.get(meaning[what]) if what in meaning else None for what in ("path", "state"))
        found.rows.append(Row(number, g, h, f, _joined(path), _joined(state)))
    if not found.rows:
        raise _refused(f"none of its {len(records)} rows can be read: {found.faults[0].message}")
    return found


def check(found: Rows, value: Callable[[str], tuple[float, int] | str]) -> tuple[list[TraceFault], int]:
    """What is wrong or unusual in a trace, and how many rows have a path that was followed.

    :param value: h and the number of moves of a path from the start, or why it cannot be followed
    """
    faults = list(found.faults)
    highest = None
    seen: dict[str, int] = {}
    checked = 0

    def say(row: Row, kind: Any, message: str) -> None:
        faults.append(TraceFault(row=row.number, kind=kind, message=message))

    for row in found.rows:
        f = row.g + row.h
        if row.f is not None and abs(row.f - f) > 1e-6:
            say(row, "f", f"f is {row.f:g}, and g + h is {f:g}")
        if highest is not None and f < highest - 1e-9:
            say(row, "order", f"f falls from {highest:g} to {f:g}: h is not consistent, or this is not the order of A*")
        highest = f if highest is None else max(highest, f)
        if row.state is not None:
            if row.state in seen:
                say(row, "again", f"the same state as in row {seen[row.state]} is expanded again")
            seen.setdefault(row.state, row.number)
        if row.path is not None and checked < MOST_CHECKED:
            checked += 1
            truth = value(row.path)
            if isinstance(truth, str):
                say(row, "path", truth)
            elif abs(truth[0] - row.h) > 1e-6:
                say(row, "h", f"h is {row.h:g}, and this heuristic gives {truth[0]:g} after {row.path or 'no move'}")
            elif abs(truth[1] - row.g) > 1e-6:
                say(row, "path", f"g is {row.g:g}, and the path has {truth[1]} moves")
    first: dict[str, TraceFault] = {}
    for fault in faults:
        first.setdefault(fault.kind, fault)
    leading = list(first.values())
    return leading + [fault for fault in faults if first[fault.kind] is not fault], checked


def _json(text: str) -> list[dict[str, Any]]:
    try:
        whole = json.loads(text)
        records = (
            next((v for v in whole.values() if isinstance(v, list)), [whole]) if isinstance(whole, dict) else whole
        )
    except ValueError:
        records = []
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                try:
                    records.append(json.loads(line))
                except ValueError:
                    raise _refused(f"line {number} is not JSON") from None
    made = []
    for record in records:
        if isinstance(record, Sequence) and not isinstance(record, str):
            record = {str(i): part for i, part in enumerate(record)}
        if not isinstance(record, Mapping):
            raise _refused("each node is an object or a list")
        made.append({str(key): part for key, part in record.items()})
    return made


def _list_in(whole: Any) -> list[Any]:
    """The first list of an object; the object alone, if it has none."""
    lists = (part for part in whole.values() if isinstance(part, list))
    return next(lists, [whole])


def _table(text: str) -> list[dict[str, Any]]:
    lines = [line for line in text.lstrip("\ufeff").splitlines() if line.strip()]
    if not lines:
        return []
    counts = {s: lines[0].count(s) for s in _SEPARATORS}
    separator = max(counts, key=lambda s: counts[s])
    if counts[separator]:
        cells = [
            [cell.strip() for cell in row] for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=separator)
        ]
    else:
        cells = [line.split() for line in lines]
    first = cells[0]
    if any(_is_number(cell) for cell in first):
        names = [str(i) for i in range(max(map(len, cells)))]
    else:
        names, cells = first, cells[1:]
    return [dict(zip(names, row, strict=False)) for row in cells]


def _meanings(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The column of each thing that is known."""
    columns = list(records[0])
    found: dict[str, str] = {}
    for column in columns:
        word = re.sub(r"[\s_*-]", "", column.lower())
        what = next((what for what, words in WORDS.items() if word in words.split()), None)
        if what is not None:
            found.setdefault(what, column)
    if not {"g", "h", "f"} & found.keys():
        numeric = [c for c in columns if c not in found.values() and _is_number(records[0].get(c))]
        return found | _unnamed(records, numeric)
    return found


def _unnamed(records: Sequence[Mapping[str, Any]], numeric: Sequence[str]) -> dict[str, str]:
    """Of two columns of numbers g and h; of more, three of which one is the sum of the others."""
    if len(numeric) == 2:
        return {"g": numeric[0], "h": numeric[1]}
    some = records[:50]
    for a in numeric:
        for b in numeric:
            for c in numeric:
                if len({a, b, c}) == 3 and numeric.index(a) < numeric.index(b):
                    try:
                        if all(abs(_number(r[a]) + _number(r[b]) - _number(r[c])) < 1e-6 for r in some):
                            # g of the start is 0
                            g, h = (a, b) if _number(some[0][a]) == 0 else (b, a)
                            return {"g": g, "h": h, "f": c}
                    except (ValueError, KeyError):
                        continue
    return {}


def _is_number(value: object) -> bool:
    try:
        _number(value)
    except ValueError:
        return False
    return True


def _number(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    text = str(value).strip().replace(",", ".")
    if not re.fullmatch(r"[-+]?\d+(\.\d+)?", text):
        raise ValueError(f"{str(value)[:40]!r} is not a number")
    return float(text)


def _joined(value: object) -> str | None:
    if value is None:
        return None
    return " ".join(map(str, value)) if isinstance(value, list) else str(value).strip()


def _refused(why: str) -> InvalidRequest:
    return InvalidRequest("the trace cannot be read", [Fault("/trace", why)])
