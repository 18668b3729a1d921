"""Inserting many rows at once, from an iterator, in memory that does not grow with their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Table, insert
from sqlalchemy.orm import Session

#: rows of one statement where there is no COPY
AT_ONCE = 1000

Row = Sequence[Any]


def insert_rows(session: Session, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Insert ``rows``, whose values stand in the order of ``columns``; other columns are null, without defaults.

    With COPY on PostgreSQL, where that is several times as fast as statements; else some at a time.
    """
    if session.get_bind().dialect.name == "postgresql":
        _copy(session, table, columns, rows)
        return
    statement = insert(table)
    for some in _pieces(rows):
        session.connection().execute(statement, [dict(zip(columns, row, strict=True)) for row in some])


def _pieces(rows: Iterable[Row]) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while some := list(islice(iterator, AT_ONCE)):
        yield some


def _copy(session: Session, table: Table, columns: Sequence[str], rows: Iterable[Row]) -> None:
    connection = session.connection()
    quote = connection.dialect.identifier_preparer.quote
    processors = [_processor(table, name, connection.dialect) for name in columns]
    statement = f"COPY {quote(table.name)} ({', '.join(map(quote, columns))}) FROM STDIN"
    driver: Any = connection.connection
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(
                [value if process is None else process(value) for process, value in zip(processors, row, strict=True)]
            )


def _processor(table: Table, column: str, dialect: Any) -> Callable[[Any], Any] | None:
    """What SQLAlchemy itself does to a value of the column before it hands it to the driver."""
    kind = table.c[column].type.dialect_impl(dialect)
    processor: Callable[[Any], Any] | None = kind.bind_processor(dialect)
    return processor
