"""The clock that all workers share: the database's, read inside the statement that needs it.

    update(solves).values(lease_until=from_now(timedelta(seconds=15)))

With PostgreSQL it is the server's clock, since workers may run on hosts whose clocks differ; with SQLite all are on one
host. Both give UTC. SQLite's has a resolution of milliseconds, which is enough for leases.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BindParameter, Double, literal
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from store.database.types import UtcDateTime


class from_now(FunctionElement[datetime]):  # noqa: N801 - it is written like the SQL function that it is
    """Now plus an interval (which may be negative), as an SQL expression.

    The interval is a timedelta, or a bound parameter that will hold its seconds.
    """

    name = "from_now"
    inherit_cache = True
    type = UtcDateTime()

    def __init__(self, interval: timedelta | BindParameter[float]) -> None:
        seconds = literal(interval.total_seconds(), Double) if isinstance(interval, timedelta) else interval
        super().__init__(seconds)


def now() -> from_now:
    """The moment at which the statement runs."""
    return from_now(timedelta(0))


@compiles(from_now, "postgresql")
def _on_postgresql(element: from_now, compiler: Any, **options: Any) -> str:
    # clock_timestamp, not now(), which is the start of the transaction, even after it has waited for a lock.
    return f"(clock_timestamp() + make_interval(secs => {compiler.process(element.clauses, **options)}))"


@compiles(from_now, "sqlite")
def _on_sqlite(element: from_now, compiler: Any, **options: Any) -> str:
    # The same format as the column type's: six digits, so that times sort as text.
    modifier = f"printf('%+.3f seconds', {compiler.process(element.clauses, **options)})"
    return f"strftime('%Y-%m-%d %H:%M:%f000', 'now', {modifier})"
