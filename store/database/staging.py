"""Rows prepared before SQLite's write lock is taken, so that the lock is held only while they are copied.

    with stage(sessions.engine, row_sets) as staged:
        sessions.run(lambda session: staged.insert_into(session), attach=staged.file)

Making the rows of a large experiment and binding their values takes several times as long as the database needs to
insert them. For SQLite they are first written to a separate file, which is then attached and copied table by table. For
PostgreSQL, where writers do not wait for each other, nothing is prepared.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, Table
from sqlalchemy.orm import Session

from store.database.bulk import Row, insert_rows, processed, some_at_a_time

#: the schema name of the attached file
SCHEMA = "staged"


@dataclass(frozen=True, slots=True)
class RowSet:
    """Rows of a table, with values in the order of ``columns``. Each call of ``rows`` makes the same rows."""

    table: Table
    columns: Sequence[str]
    rows: Callable[[], Iterable[Row]]


@dataclass(frozen=True, slots=True)
class Staged:
    """Prepared row sets. ``file``: to be attached by `Sessions.run`; None for PostgreSQL."""

    sets: Sequence[RowSet]
    file: Path | None

    def insert_into(self, session: Session) -> None:
        """Insert all row sets, one after the other."""
        for one in self.sets:
            if self.file is None:
                insert_rows(session, one.table, one.columns, one.rows())
                continue
            names = ", ".join(f'"{name}"' for name in one.columns)
            source = f'SELECT {names} FROM {SCHEMA}."{one.table.name}" ORDER BY rowid'
            session.connection().exec_driver_sql(f'INSERT INTO main."{one.table.name}" ({names}) {source}')


@contextmanager
def stage(engine: Engine, sets: Sequence[RowSet]) -> Iterator[Staged]:
    """Prepare row sets; the file is deleted after the block."""
    if engine.dialect.name != "sqlite":
        yield Staged(sets, None)
        return
    with tempfile.TemporaryDirectory(prefix="hstar-rows-") as directory:
        file = Path(directory) / "rows.sqlite"
        with closing(sqlite3.connect(file, isolation_level=None)) as own:
            # The file need not survive a crash.
            own.execute("PRAGMA journal_mode=OFF")
            own.execute("PRAGMA synchronous=OFF")
            own.execute("BEGIN")
            for one in sets:
                names = ", ".join(f'"{name}"' for name in one.columns)
                own.execute(f'CREATE TABLE "{one.table.name}" ({names})')
                marks = ", ".join("?" * len(one.columns))
                for some in some_at_a_time(processed(one.table, one.columns, one.rows(), engine.dialect)):
                    own.executemany(f'INSERT INTO "{one.table.name}" VALUES ({marks})', some)
            own.execute("COMMIT")
        yield Staged(sets, file)
