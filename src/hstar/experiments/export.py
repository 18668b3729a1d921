"""Rows and tables as CSV, JSON and Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import islice
from typing import IO, Any, get_type_hints

from pydantic import TypeAdapter

from hstar.errors import HstarError
from hstar.experiments.rows import COLUMNS, ExperimentRow
from hstar.experiments.schema import Outcomes, Summary, Table
from hstar.options import Options
from hstar.schema import Layers

_ROW = TypeAdapter(ExperimentRow)

#: columns that files of earlier versions do not have
LATER = {name for name, field in Options.model_fields.items() if field.default is None} | {
    "instance", "start", "optimum", "layers",
}  # fmt: skip
#: rows of one row group of a Parquet file
ROW_GROUP = 10_000

#: first characters that make a spreadsheet read a cell as a formula, or skip to one
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


class ParquetNotInstalled(HstarError):
    """pyarrow, which writes Parquet, is not installed."""

    code = "parquet-not-installed"


def cell(value: object) -> str:
    """A value as the text of a CSV cell; text that would start a formula gets an apostrophe in front, numbers do not.

    >>> cell("=1+1"), cell(-1), cell(2.0), cell(None)
    ("'=1+1", '-1', '2', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def write_csv(header: Sequence[str], lines: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a CSV file (RFC 4180), each a string, the header first."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(map(cell, header))
    yield _drain(buffer)
    for line in lines:
        writer.writerow(map(cell, line))
        yield _drain(buffer)


def _drain(buffer: StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def rows_csv(rows: Iterable[ExperimentRow]) -> Iterator[str]:
    """One line for each row, as a generator, so that a service can send 100,000 rows without keeping them in memory."""
    return write_csv(COLUMNS, ([_written(getattr(row, column)) for column in COLUMNS] for row in rows))


def _written(value: object) -> object:
    """What a cell has of a value: of f-layers ``f:expansions``, one after another."""
    return " ".join(f"{cell(f)}:{count}" for f, count in value) if isinstance(value, tuple) else value


def _layers(text: str) -> Iterator[tuple[str, str]]:
    for layer in text.split():
        f, _, count = layer.partition(":")
        yield f, count


def read_rows_csv(lines: Iterable[str]) -> Iterator[ExperimentRow]:
    """The rows that `rows_csv` wrote, also in a version without `LATER`. Raises ValueError for anything else."""
    reader = csv.DictReader(lines, strict=True)
    found = tuple(reader.fieldnames or ())
    if len(found) != len(set(found)) or not set(COLUMNS) - LATER <= set(found) <= set(COLUMNS):
        raise ValueError(f"the columns are not those of an experiment: {', '.join(COLUMNS[:5])}, ...")
    for line in reader:
        values = {name: _value(text) for name, text in line.items()}
        if None in values:
            raise ValueError(f"line {reader.line_num} has more cells than columns")
        layers = values.get("layers")
        yield _ROW.validate_python(values | {"layers": None if layers is None else tuple(_layers(layers))})


def _value(text: str | None) -> str | None:
    if not text:
        return None
    return text[1:] if text[0] == "'" and text[1:].startswith(FORMULA_STARTS) else text


def rows_json(rows: Iterable[ExperimentRow]) -> Iterator[str]:
    """A JSON array of rows, in pieces."""
    separator = "[\n"
    for row in rows:
        yield separator + json.dumps({name: getattr(row, name) for name in COLUMNS}, allow_nan=False)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def table_csv(table: Table) -> Iterator[str]:
    """One line for each x and series: outcomes, then every statistic of every measure as ``<measure>_<statistic>``."""
    measures = list(table.groups[0].measures) if table.groups else []
    header = [table.x, "algorithm", "heuristic", *Options.model_fields, *Outcomes.model_fields]
    header += [f"{measure}_{statistic}" for measure in measures for statistic in Summary.model_fields]
    return write_csv(
        header,
        (
            [
                group.x,
                group.series.algorithm,
                group.series.heuristic,
                *(getattr(group.series, name) for name in Options.model_fields),
                *group.outcomes.model_dump().values(),
                *(value for measure in measures for value in group.measures[measure].model_dump().values()),
            ]
            for group in table.groups
        ),
    )


def write_parquet(sink: IO[bytes], rows: Iterable[ExperimentRow], metadata: Mapping[str, str] | None = None) -> None:
    """A Parquet file with a typed column for each field; ``metadata`` becomes its key-value metadata.

    :raises ParquetNotInstalled: install ``hstar[parquet]``
    """
    pyarrow = _pyarrow()
    schema = _arrow_schema(pyarrow, metadata)
    rows = iter(rows)
    with pyarrow.parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        while group := list(islice(rows, ROW_GROUP)):
            writer.write_table(_arrow(pyarrow, group, schema))


def arrow_table(rows: Sequence[ExperimentRow]) -> Any:
    """A `pyarrow.Table` with a typed column for each field.

    :raises ParquetNotInstalled: install ``hstar[parquet]``
    """
    pyarrow = _pyarrow()
    return _arrow(pyarrow, rows, _arrow_schema(pyarrow))


def _pyarrow() -> Any:
    try:
        import pyarrow  # importing it takes a tenth of a second and 170 MB, which most processes save
        import pyarrow.parquet
    except ImportError:
        raise ParquetNotInstalled('Parquet needs pyarrow: pip install "hstar[parquet]"') from None
    return pyarrow


def _arrow_schema(pyarrow: Any, metadata: Mapping[str, str] | None = None) -> Any:
    hints = get_type_hints(ExperimentRow)
    types = [(name, _arrow_type(pyarrow, hints[name])) for name in COLUMNS]
    return pyarrow.schema(types, metadata=dict(metadata or {}) or None)


def _arrow(pyarrow: Any, rows: Sequence[ExperimentRow], schema: Any) -> Any:
    columns = [pyarrow.array([getattr(row, field.name) for row in rows], type=field.type) for field in schema]
    return pyarrow.Table.from_arrays(columns, schema=schema)


def _arrow_type(pyarrow: Any, hint: Any) -> Any:
    if hint == Layers | None:
        return pyarrow.list_(pyarrow.struct({"f": pyarrow.float64(), "expanded": pyarrow.int64()}))
    parts = getattr(hint, "__args__", (hint,))
    if int in parts:
        return pyarrow.int64()
    return pyarrow.float64() if float in parts else pyarrow.string()
