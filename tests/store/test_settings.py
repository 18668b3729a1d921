"""Settings come from the environment, and invalid ones are refused with all faults."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hstar.databases import budget
from store.__main__ import main
from store.settings import OTHER_VARIABLES, Settings, SettingsError
from worker.sweeper import LONGEST_PAUSE_SECONDS


def test_an_empty_environment_is_enough() -> None:
    settings = Settings.from_env({})
    assert settings.database_url == "sqlite:///var/hstar.sqlite"
    assert settings.caps.model_dump() == {
        "expanded": 1_000_000_000,
        "generated": None,
        "seconds": 600.0,
        "memory_mib": 2048,
    }
    assert Settings.from_env({"HSTAR_CAP_SECONDS": "0", "HSTAR_CAP_EXPANDED": "0"}).caps.seconds is None
    assert settings.pace.heartbeat_seconds * 2 <= settings.lease_seconds


def test_what_the_library_reads_itself_has_its_defaults() -> None:
    assert (Settings().databases_mib, Settings().reserve_mib) == (budget.BUDGET_MIB, budget.RESERVE_MIB)


def test_variables_are_read_and_typed() -> None:
    settings = Settings.from_env(
        {
            "HSTAR_VAR": "/data",
            "HSTAR_LEASE_SECONDS": "2.5",
            "HSTAR_CAP_EXPANDED": "1000",
            "HSTAR_PACE": '{"max_losses": 5}',
            "HSTAR_API_KEYS": "very-secret",
            "HSTAR_TEST_SEED": "belongs to the tests",
            "PATH": "/bin",
        }
    )
    assert settings.var == Path("/data")
    assert settings.database_url == "sqlite:////data/hstar.sqlite"
    assert (settings.lease_seconds, settings.pace.max_losses, settings.caps.expanded) == (2.5, 5, 1000)
    assert "very-secret" not in repr(settings)


def test_every_fault_is_named() -> None:
    wrong = {
        "HSTAR_LEASE": "5",
        "HSTAR_LEASE_SECONDS": "soon",
        "HSTAR_API_THREADS": "1.5",
        "HSTAR_CAP_MEMORY_MIB": "0",
        "HSTAR_CAP_SECONDS": "nan",
        "HSTAR_LOG_FORMAT": "xml",
    }
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(wrong)
    assert all(name in str(caught.value) for name in wrong)
    for pace, fault in {
        '{"look_seconds": -1, "loook_seconds": 1}': r"HSTAR_PACE\.look_seconds=-1.*HSTAR_PACE\.loook_seconds=1",
        "{": "HSTAR_PACE='{' is not JSON",
    }.items():
        with pytest.raises(SettingsError, match=fault):
            Settings.from_env({"HSTAR_PACE": pace})


def test_a_lease_must_outlast_a_late_beat() -> None:
    with pytest.raises(SettingsError, match="two heartbeats"):
        Settings.from_env({"HSTAR_LEASE_SECONDS": "0.9"})


def test_a_misspelled_setting_gets_a_suggestion() -> None:
    for name, meant in {"HSTAR_LEASE": "HSTAR_LEASE_SECONDS", "HSTAR_WORKER": "HSTAR_WORKERS"}.items():
        with pytest.raises(SettingsError, match=f"^{name} is not a setting; did you mean {meant}\\?$"):
            Settings.from_env({name: "5"})
    with pytest.raises(SettingsError, match="`python -m store settings` lists them all"):
        Settings.from_env({"HSTAR_XYZZY": "5"})


def test_every_variable_that_is_written_anywhere_is_declared_and_used() -> None:
    """In the programs, tests, documents and Compose: none stops the service, and none is declared for nobody."""
    root = Path(__file__).resolve().parents[2]
    # Options of CMake, what stands for any name, and names that these tests make up.
    others = {"HSTAR_SANITIZE", "HSTAR_BENCH", "HSTAR_", "HSTAR_LEASE", "HSTAR_WORKER", "HSTAR_XYZZY"}
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout
    written: dict[str, set[str]] = {}
    for name in listed.splitlines():
        if name.startswith(("native/", "service/static/", "CHANGELOG")) or not (root / name).is_file():
            continue
        text = (root / name).read_bytes().decode(errors="ignore")
        for variable in re.findall(r"\bHSTAR_[A-Z_]*", text):
            written.setdefault(variable, set()).add(name)
    known = {f"HSTAR_{name.upper()}" for name in Settings.model_fields} | set(OTHER_VARIABLES)
    assert written.keys() - others - known == set()
    Settings.from_env(dict.fromkeys(written, ""))
    for name in Settings.model_fields:
        written[f"HSTAR_{name.upper()}"] = {"its field"}
    kernel = {"HSTAR_INSTRUCTIONS"}  # read in C++
    assert {name for name in known - kernel if written.get(name, set()) <= {"store/settings.py"}} == set()


def test_the_example_of_an_environment_shows_defaults() -> None:
    lines = (Path(__file__).resolve().parents[2] / ".env.example").read_text().splitlines()
    shown = dict(line.removeprefix("#").split("=", 1) for line in lines if line.startswith("#HSTAR_"))
    defaults = {variable: default for variable, default, _ in Settings.describe()}
    assert {name: float(value) for name, value in shown.items() if name in defaults} == {
        name: float(defaults[name]) for name in shown if name in defaults
    }
    assert set(shown) <= {*defaults, *OTHER_VARIABLES}


def test_the_command_prints_the_table_of_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings"]) == 0
    printed = capsys.readouterr().out
    for name, option in Settings.model_fields.items():
        assert f"HSTAR_{name.upper()}" in printed
        assert str(option.description) in printed
    assert all(name in printed and text in printed for name, text in OTHER_VARIABLES.items())


def test_a_reader_of_the_table_may_end_early() -> None:
    command = subprocess.Popen(
        [sys.executable, "-m", "store", "settings"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert command.stdout is not None
    command.stdout.close()
    assert command.communicate(timeout=60)[1] == ""
    assert command.returncode == 0


def test_the_environment_is_read_on_purpose_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_API_THREADS", "7")
    assert Settings().api_threads == 16
    assert Settings.from_env().api_threads == 7


def test_no_password_is_shown() -> None:
    secrets = {
        "HSTAR_DATABASE_URL": "postgresql://u:secret@h/d",
        "HSTAR_BROKER_URL": "redis://:secret@h",
        "HSTAR_API_KEYS": "alice:secret",
    }
    settings = Settings.from_env(secrets)
    assert "secret" in settings.database_url
    assert "secret" not in repr(settings)


@pytest.mark.parametrize("form", ["text", "json"])
def test_tracebacks_show_no_variables(form: str) -> None:
    script = (
        "from store import logs; import structlog; logs.configure()\n"
        "def fail(key):\n    raise ValueError('broken')\n"
        "try:\n    fail('sec' + 'ret')\n"
        "except ValueError:\n    structlog.get_logger().exception('it failed')\n"
    )
    env = {**os.environ, "HSTAR_LOG_FORMAT": form}
    said = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True).stderr
    assert "ValueError: broken" in said
    assert "secret" not in said


def test_by_default_lost_jobs_run_again_within_thirty_seconds() -> None:
    """The sum of docs/decisions/0147: lease, sweep after an outage of the database, sweep, and poll."""
    settings = Settings()
    longest_look = 1.25 * settings.pace.look_seconds
    assert settings.lease_seconds + LONGEST_PAUSE_SECONDS + settings.pace.sweep_seconds + longest_look < 30
