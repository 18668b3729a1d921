"""The database: engines and sessions, column types, its clock, bulk inserts, migrations."""

from store.database.sessions import (
    Sessions,
    Transaction,
    execute_alone,
    is_passing,
    make_engine,
    make_sessions,
    normal_url,
    take_snapshot,
)

__all__ = [
    "Sessions",
    "Transaction",
    "execute_alone",
    "is_passing",
    "make_engine",
    "make_sessions",
    "normal_url",
    "take_snapshot",
]
