"""Settings come from the environment, and what makes no sense is refused with every fault."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from store.settings import Settings, SettingsError


def test_an_empty_environment_is_enough() -> None:
    settings = Settings.from_env({})
    assert settings.database_url == "sqlite:///var/hstar.sqlite"
    assert settings.caps.model_dump() == {"expanded": None, "generated": None, "seconds": None, "memory_mib": 2048}
    assert settings.heartbeat_seconds * 2 <= settings.lease_seconds


def test_variables_are_read_and_typed() -> None:
    settings = Settings.from_env(
        {
            "HSTAR_VAR": "/data",
            "HSTAR_LEASE_SECONDS": "2.5",
            "HSTAR_MAX_LOSSES": "5",
            "HSTAR_CAP_EXPANDED": "1000",
            "HSTAR_API_KEYS": "very-secret",
            "HSTAR_TEST_ANYTHING": "belongs to the tests",
            "PATH": "/bin",
        }
    )
    assert settings.var == Path("/data")
    assert settings.database_url == "sqlite:////data/hstar.sqlite"
    assert (settings.lease_seconds, settings.max_losses, settings.caps.expanded) == (2.5, 5, 1000)
    assert "very-secret" not in repr(settings)


def test_every_fault_is_named() -> None:
    wrong = {
        "HSTAR_LEASE": "5",
        "HSTAR_LEASE_SECONDS": "soon",
        "HSTAR_MAX_LOSSES": "1.5",
        "HSTAR_CAP_MEMORY_MIB": "0",
        "HSTAR_SWEEP_SECONDS": "nan",
    }
    with pytest.raises(SettingsError) as caught:
        Settings.from_env(wrong)
    assert all(name in str(caught.value) for name in wrong)


def test_a_lease_must_outlast_a_late_beat() -> None:
    with pytest.raises(SettingsError, match="half"):
        Settings.from_env({"HSTAR_LEASE_SECONDS": "1", "HSTAR_HEARTBEAT_SECONDS": "0.6"})


def test_the_command_prints_the_table_of_settings() -> None:
    end = subprocess.run(
        [sys.executable, "-m", "store", "settings"], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    for name, option in Settings.model_fields.items():
        assert f"HSTAR_{name.upper()}" in end.stdout
        assert str(option.description) in end.stdout


def test_the_environment_is_read_on_purpose_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_MAX_LOSSES", "7")
    assert Settings().max_losses == 3
    assert Settings.from_env().max_losses == 7


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
