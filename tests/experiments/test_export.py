"""CSV that no spreadsheet executes, and JSON and Parquet with the same values."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import asdict
from io import BytesIO, StringIO
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hstar.experiments.export import cell, read_rows_csv, rows_csv, rows_json, table_csv, write_csv, write_parquet
from hstar.experiments.rows import COLUMNS, ExperimentRow
from hstar.experiments.schema import Summary
from hstar.experiments.table import tabulate
from tests.experiments.builders import row, rows, searched_once

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", '=HYPERLINK("http://x")', "-", "="]


def read(text: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text, newline="")))


@given(st.text(max_size=20))
@example("=1+1")
@example("\r\n=1")
def test_no_text_starts_a_formula_and_none_is_lost(text: str) -> None:
    ((got,),) = read("".join(write_csv([text], [])))
    assert not got.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert got.removeprefix("'" if got != text else "") == text


@given(st.integers(-(2**63), 2**63), st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_untouched(whole: int, real: float) -> None:
    assert int(cell(whole)) == whole
    assert float(cell(real)) == real
    assert cell(whole).lstrip("-").isdigit()


@pytest.mark.parametrize("text", FORMULAS)
def test_a_students_formula_stays_text_everywhere(text: str) -> None:
    """A heuristic may begin with a minus sign, and an error may have any text."""
    found = [row(0, heuristic=text, expression=text, ending="failed", error=text)]
    header, line = read("".join(rows_csv(found)))
    for name in ("heuristic", "expression", "error"):
        assert line[header.index(name)] == f"'{text}"
    header, line = read("".join(table_csv(tabulate(found))))
    assert line[header.index("heuristic")] == f"'{text}"


def as_csv(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(f"{as_csv(f)}:{count}" for f, count in value)
    return "" if value is None else str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def test_rows_as_csv_json_and_parquet_are_the_same() -> None:
    found = [*searched_once(heuristics=("zero", "s2-face-distance")), row(99, ending="limit_reached", weight=1.5)]
    header, *lines = read("".join(rows_csv(found)))
    assert tuple(header) == COLUMNS
    assert lines == [[as_csv(asdict(one)[name]) for name in COLUMNS] for one in found]
    assert list(read_rows_csv(rows_csv(found))) == found
    assert json.loads("".join(rows_json(found))) == [
        asdict(one) | {"layers": one.layers and [list(layer) for layer in one.layers]} for one in found
    ]
    sink = BytesIO()
    write_parquet(sink, found, {"seed": "7"})
    table = pyarrow.parquet.read_table(sink)
    assert table.to_pylist() == [
        asdict(one) | {"layers": one.layers and [{"f": f, "expanded": count} for f, count in one.layers]}
        for one in found
    ]
    assert sum(one.layers is not None for one in found) > 1
    assert table.schema.metadata[b"seed"] == b"7"
    types = {
        name: str(table.schema.field(name).type)
        for name in ("k", "weight", "seconds", "status", "outcome", "peak_bytes")
    }
    assert types == {
        "k": "int64", "weight": "double", "seconds": "double", "status": "string", "outcome": "string",
        "peak_bytes": "int64",
    }  # fmt: skip


def test_no_rows_are_still_a_file() -> None:
    assert read("".join(rows_csv([]))) == [list(COLUMNS)]
    assert json.loads("".join(rows_json([]))) == []
    sink = BytesIO()
    write_parquet(sink, [])
    assert pyarrow.parquet.read_table(sink).num_rows == 0


@settings(deadline=None, max_examples=30)
@given(rows(max_size=12), st.sampled_from(FORMULAS))
def test_rows_are_read_back_from_csv(found: list[ExperimentRow], text: str) -> None:
    found = [*found, row(1, heuristic=text, error=text)]
    assert list(read_rows_csv(rows_csv(found))) == found


def test_files_of_versions_without_the_width_are_read() -> None:
    found = [row(0), row(1)]
    kept = [name for name in COLUMNS if name != "width"]
    older = "".join(write_csv(kept, ([getattr(one, name) for name in kept] for one in found)))
    assert list(read_rows_csv(StringIO(older, newline=""))) == found


@pytest.mark.parametrize("change", [lambda text: text.replace("index", "number"), lambda text: text[:-2] + ",1\r\n"])
def test_other_files_are_not_rows(change: Callable[[str], str]) -> None:
    with pytest.raises(ValueError, match=r"columns|cells"):
        list(read_rows_csv(StringIO(change("".join(rows_csv([row(0)]))), newline="")))


@settings(deadline=None, max_examples=20)
@given(rows(max_size=12))
def test_the_tables_csv_has_every_statistic(found: list[ExperimentRow]) -> None:
    table = tabulate(found, measures=["expanded", "seconds"])
    header, *lines = read("".join(table_csv(table)))
    assert len(lines) == len(table.groups)
    for group, line in zip(table.groups, lines, strict=True):
        cells = dict(zip(header, line, strict=True))
        assert (cells["k"], cells["n"], cells["heuristic"]) == (
            str(group.x), str(group.outcomes.n), group.series.heuristic,
        )  # fmt: skip
        for measure, summary in group.measures.items():
            for statistic in Summary.model_fields:
                value = getattr(summary, statistic)
                got = cells[f"{measure}_{statistic}"]
                if isinstance(value, bool):
                    assert got == ("true" if value else "false")
                else:
                    assert (float(got) if got else None) == value
