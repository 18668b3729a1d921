"""Bulk inserts: many rows into one table, in bounded memory, or one row into each of several tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from sqlalchemy import JSON, Column, Dialect, Insert, Table, bindparam, insert
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

#: rows of one statement if there is no COPY
AT_ONCE = 1000

Row = Sequence[Any]


def insert_rows(session: Session, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Insert ``rows``, whose values are in the order of ``columns``; other columns become null, without defaults.

    On PostgreSQL with COPY, which is several times as fast as INSERT; otherwise some rows at a time.
    """
    connection = session.connection()
    quote = connection.dialect.identifier_preparer.quote
    name, names = quote(table.name), ", ".join(map(quote, columns))
    values = processed(table, columns, rows, connection.dialect)
    if connection.dialect.name == "postgresql":
        driver: Any = connection.connection
        with driver.cursor() as cursor, cursor.copy(f"COPY {name} ({names}) FROM STDIN") as copy:
            for row in values:
                copy.write_row(row)
        return
    statement = f"INSERT INTO {name} ({names}) VALUES ({', '.join('?' * len(columns))})"
    for some in some_at_a_time(values):
        connection.exec_driver_sql(statement, some)


def processed(table: Table, columns: Sequence[str], rows: Iterable[Row], dialect: Dialect) -> Iterator[Row]:
    """The rows in the driver's types."""
    processors = [_processor(table.c[column], dialect) for column in columns]
    for row in rows:
        yield [value if process is None else process(value) for process, value in zip(processors, row, strict=True)]


def some_at_a_time(rows: Iterator[Row]) -> Iterator[list[tuple[Any, ...]]]:
    """Batches of `AT_ONCE` rows."""
    while some := [tuple(row) for row in islice(rows, AT_ONCE)]:
        yield some


def insert_into(session: Session, table: Any) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that can have ON CONFLICT, for either database."""
    return sqlite.insert(table) if session.get_bind().dialect.name == "sqlite" else postgresql.insert(table)


def insert_together(session: Session, rows: Sequence[tuple[Table, Mapping[str, Any]]]) -> None:
    """Insert one row into each of several tables; on PostgreSQL with one statement, to save round trips.

    Foreign keys between these rows are checked after all are inserted.
    """
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        for table, values in rows:
            connection.execute(_insert(table), values)
        return
    statement = _together(tuple((table, tuple(values)) for table, values in rows))
    connection.execute(statement, {f"{t.name}_{name}": value for t, values in rows for name, value in values.items()})


# Cached: building a statement takes longer than running it.
@lru_cache(maxsize=64)
def _insert(table: Table) -> Insert:
    return insert(table)


@lru_cache(maxsize=64)
def _together(columns: tuple[tuple[Table, tuple[str, ...]], ...]) -> Insert:
    """One statement: all INSERTs but the last are in the WITH clause of the last."""
    *first, last = (
        insert(table).values({name: bindparam(f"{table.name}_{name}", type_=table.c[name].type) for name in names})
        for table, names in columns
    )
    return last.add_cte(*(one.cte(f"insert_{number}") for number, one in enumerate(first)))


def _processor(column: Column[Any], dialect: Dialect) -> Callable[[Any], Any] | None:
    """SQLAlchemy's own conversion of a value of the column for the driver."""
    kind = column.type.dialect_impl(dialect)
    processor: Callable[[Any], Any] | None = kind.bind_processor(dialect)
    if processor is None or not isinstance(column.type, JSON):
        return processor
    # Cached: rows share their documents, and serializing one takes longer than anything else.
    written: dict[int, tuple[Any, Any]] = {}

    def write_once(value: Any) -> Any:
        found = written.get(id(value))
        if found is None:
            found = written[id(value)] = value, processor(value)
            if len(written) > AT_ONCE:
                written.clear()
        return found[1]

    return write_once
