"""Inserting many rows at once, from an iterator, in memory that does not grow with their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import JSON, Column, Dialect, Table
from sqlalchemy.orm import Session

#: rows of one statement where there is no COPY
AT_ONCE = 1000

Row = Sequence[Any]


def insert_rows(session: Session, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Insert ``rows``, whose values stand in the order of ``columns``; other columns are null, without defaults.

    With COPY on PostgreSQL, where that is several times as fast as statements; else some at a time.
    """
    connection = session.connection()
    quote = connection.dialect.identifier_preparer.quote
    name, names = quote(table.name), ", ".join(map(quote, columns))
    processors = [_processor(table.c[column], connection.dialect) for column in columns]
    processed = (
        [value if process is None else process(value) for process, value in zip(processors, row, strict=True)]
        for row in rows
    )
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection
        with driver.cursor() as cursor, cursor.copy(f"COPY {name} ({names}) FROM STDIN") as copy:
            for row in processed:
                copy.write_row(row)
        return
    statement = f"INSERT INTO {name} ({names}) VALUES ({', '.join('?' * len(columns))})"
    while some := [tuple(row) for row in islice(processed, AT_ONCE)]:
        connection.exec_driver_sql(statement, some)


def _processor(column: Column[Any], dialect: Dialect) -> Callable[[Any], Any] | None:
    """What SQLAlchemy itself does to a value of the column before it hands it to the driver."""
    kind = column.type.dialect_impl(dialect)
    processor: Callable[[Any], Any] | None = kind.bind_processor(dialect)
    if processor is None or not isinstance(column.type, JSON):
        return processor
    # Rows share their documents, and writing one out takes longer than anything else.
    written: dict[int, tuple[Any, Any]] = {}

    def write_once(value: Any) -> Any:
        found = written.get(id(value))
        if found is None:
            found = written[id(value)] = value, processor(value)
            if len(written) > AT_ONCE:
                written.clear()
        return found[1]

    return write_once
