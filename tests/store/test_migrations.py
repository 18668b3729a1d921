"""Migrations: up, down, and equal to the models, on both databases."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import CheckConstraint, Engine, inspect, text
from sqlalchemy.schema import CreateIndex

from store.__main__ import main
from store.database import make_engine, migrate
from store.tables import Base
from tests import forking
from tests.conftest import TEST_ALL
from tests.forking import ROOT


@pytest.fixture
def engine(empty_database_url: str) -> Iterator[Engine]:
    made = make_engine(empty_database_url)
    yield made
    made.dispose()


#: migrations, of which no other version has most of what is stored yet
NEWEST = 8


def revisions(engine: Engine) -> list[str]:
    """From the oldest to the newest."""
    scripts = ScriptDirectory.from_config(migrate.make_config(engine))
    return [script.revision for script in scripts.walk_revisions()][::-1]


def schema_of(engine: Engine) -> dict[str, Any]:
    """Tables with their columns, constraints and indices, in a comparable form."""
    inspector = inspect(engine)
    return {
        table: (
            sorted((c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)),
            sorted(str(c["name"]) for c in inspector.get_check_constraints(table)),
            sorted((str(i["name"]), i["column_names"]) for i in inspector.get_indexes(table)),
            sorted((str(k["name"]), k["constrained_columns"]) for k in inspector.get_foreign_keys(table)),
        )
        for table in inspector.get_table_names()
        if table != "alembic_version"
    }


#: what no program reads or writes any more, and older ones write: a migration of the next version drops it
LEFT_BEHIND = {("remove_column", table, "heuristic_name") for table in ("solves", "statistics_rollup")}


def test_the_migrated_schema_is_the_models(engine: Engine) -> None:
    migrate.upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        found = compare_metadata(context, Base.metadata)
    assert {(kind, table, column.name) for kind, _, table, column in found} == LEFT_BEHIND

    # Alembic does not compare these.
    inspector = inspect(engine)
    for table in Base.metadata.sorted_tables:
        checks = {c.name for c in table.constraints if isinstance(c, CheckConstraint)}
        assert {c["name"] for c in inspector.get_check_constraints(table.name)} == checks
        found = {i["name"]: i.get("dialect_options", {}) for i in inspector.get_indexes(table.name)}
        for index in table.indexes:
            wanted = str(CreateIndex(index).compile(dialect=engine.dialect))
            where = found[index.name].get(f"{engine.dialect.name}_where")
            assert (" WHERE " in wanted) == (where is not None), index.name


def test_every_step_down_undoes_its_step_up(engine: Engine) -> None:
    """All on SQLite; on PostgreSQL, where it takes four times as long, the newest, and all in `make test-all`."""
    steps = revisions(engine)
    if engine.dialect.name == "postgresql" and not TEST_ALL:
        oldest, steps = steps[-NEWEST - 1], steps[-NEWEST:]
        migrate.upgrade(engine, oldest)
        seen = [schema_of(engine)]
    else:
        oldest, seen = "base", [schema_of(engine)]
        assert seen == [{}]
    for revision in steps:
        migrate.upgrade(engine, revision)
        seen.append(schema_of(engine))
        assert migrate.current(engine) == revision
    assert migrate.current(engine) == migrate.newest()
    for revision, expected in zip([*steps[-2::-1], oldest], seen[-2::-1], strict=True):
        migrate.downgrade(engine, revision)
        assert schema_of(engine) == expected
    migrate.downgrade(engine, "base")
    assert migrate.current(engine) is None
    migrate.upgrade(engine)
    assert schema_of(engine) == seen[-1]


def test_many_may_migrate_at_once(empty_database_url: str, tmp_path: Path) -> None:
    engines = [make_engine(empty_database_url) for _ in range(3)]
    # Alembic keeps its context in a module, so the migrations must run in separate processes.
    command, environment = [sys.executable, "-m", "store", "migrate"], {"HSTAR_DATABASE_URL": empty_database_url}
    with (tmp_path / "log").open("ab") as log:
        running = [forking.start(command, log, cwd=ROOT, env=os.environ | environment, real=TEST_ALL) for _ in engines]
    assert [one.wait(60) for one in running] == [0, 0, 0], (tmp_path / "log").read_text()
    assert all(migrate.current(engine) == migrate.newest() for engine in engines)
    for engine in engines:
        engine.dispose()


def test_the_command_tells_whether_the_database_is_current(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HSTAR_DATABASE_URL", f"sqlite:///{tmp_path}/hstar.db")
    assert main(["current"]) == 1
    assert "empty" in capsys.readouterr().out
    assert main(["migrate"]) == 0
    capsys.readouterr()
    assert main(["current"]) == 0
    assert f": {migrate.newest()} " in capsys.readouterr().out


def test_a_database_that_does_not_answer_is_said_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HSTAR_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    assert main(["current"]) == 2
    assert "does not answer" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["explode"])


def test_a_program_works_on_a_database_that_a_newer_one_has_migrated(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """During an upgrade both versions are running."""
    engine = make_engine(database_url)
    migrate.upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert migrate.suffices("9999")
    monkeypatch.setenv("HSTAR_DATABASE_URL", database_url)
    assert main(["current"]) == 0
    assert main(["migrate"]) == 0
    assert migrate.current(engine) == "9999"
    engine.dispose()
    assert not migrate.suffices(None)
    assert not migrate.suffices(migrate.revisions()[1])


# Programs from before these migrations cannot run with them.
FIRST_THAT_ONLY_ADDS = "0007"
TAKES_AWAY = {"drop_table", "drop_column", "drop_constraint", "rename_table", "alter_column", "batch_alter_table"}


def test_a_migration_only_adds() -> None:
    checked = 0
    for path in sorted((migrate.MIGRATIONS / "versions").glob("*.py")):
        if path.name < FIRST_THAT_ONLY_ADDS:
            continue
        (up,) = (
            node
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.FunctionDef) and node.name == "upgrade"
        )
        calls = {node.func.attr for node in ast.walk(up) if isinstance(node, ast.Call) and hasattr(node.func, "attr")}
        assert not calls & TAKES_AWAY, f"{path.name}: what old programs need goes one version later"
        checked += 1
    assert checked
