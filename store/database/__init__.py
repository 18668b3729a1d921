"""The database: engines and sessions, column types, its clock, bulk inserts, migrations."""

from store.database.sessions import Sessions, is_passing, make_engine, make_sessions, normal_url, take_snapshot

__all__ = ["Sessions", "is_passing", "make_engine", "make_sessions", "normal_url", "take_snapshot"]
