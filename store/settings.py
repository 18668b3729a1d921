"""Settings, read once from environment variables and passed along as one frozen value.

>>> Settings.from_env({"HSTAR_LEASE_SECONDS": "5"}).lease_seconds
5.0

Every field below is an option: ``HSTAR_`` and the name in capitals. Its help is its metadata; ``python -m store
settings`` prints the table. A variable that is spelled wrong (``HSTAR_LEASE=5``) is refused rather than ignored.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from hstar.schema import LimitsIn

PREFIX = "HSTAR_"

# Variables with our prefix that are read elsewhere (build, command line), so that they are not called misspelled.
READ_ELSEWHERE = ("HSTAR_SANITIZE", "HSTAR_TEST_", "HSTAR_BENCH_", "HSTAR_URL", "HSTAR_LOG_", "HSTAR_DATABASES")


class SettingsError(ValueError):
    """An environment variable has no meaning; the message lists every fault."""


def _option(default: Any, help_text: str, least: float | None = None) -> Any:
    return field(default=default, metadata={"help": help_text, "least": least})


@dataclass(frozen=True, slots=True)
class Settings:
    """All options of the service, the worker and the sweeper, with their defaults."""

    var: Path = field(default=Path("var"), metadata={"help": "directory of the SQLite file", "least": None})
    database_url: str = _option("", "URL (sqlite:///..., postgresql://...); empty: hstar.sqlite in HSTAR_VAR")
    broker_url: str = _option("redis://127.0.0.1:6379/0", "Redis or Valkey: the doorbell, never the truth")
    bind: str = _option("127.0.0.1:8000", "address and port of the API")
    workers: int = _option(1, "processes that search, in one worker", 1)
    api_keys: str = field(
        default="", repr=False, metadata={"help": "keys of the API (see service/); empty: loopback only", "least": None}
    )
    allowed_hosts: str = _option("", "names in the Host header that the API answers to, by commas; empty: see service/")
    api_processes: int = _option(2, "processes of the API", 1)
    api_threads: int = _option(16, "threads in each process of the API; half of them may be held by Prefer: wait", 2)
    api_request_seconds: float = _option(
        10.0, "time for a request's head to arrive, and thrice that for all of it", 0.1
    )
    lease_seconds: float = _option(15.0, "a worker silent for this long has lost its job", 0.2)
    heartbeat_seconds: float = _option(0.5, "how often a running job extends its lease and writes its progress", 0.05)
    sweep_seconds: float = _option(2.0, "how often the sweeper looks", 0.05)
    ring_after_seconds: float = _option(2.0, "the sweeper rings for a job that has been queued for longer than this", 0)
    look_seconds: float = _option(2.0, "an idle worker process looks for jobs this often, rung for or not", 0.05)
    sign_of_life: str = _option("", "a file that worker processes touch each time they have looked; empty: none")
    max_losses: int = _option(3, "a job whose worker was lost this often has failed", 1)
    cap_expanded: int = _option(0, "highest limit of expansions a solve may ask for; 0: no cap", 0)
    cap_generated: int = _option(0, "highest limit of generated nodes a solve may ask for; 0: no cap", 0)
    cap_seconds: float = _option(0.0, "highest limit of seconds a solve may ask for; 0: no cap", 0)
    cap_memory_mib: int = _option(2048, "highest memory limit of a solve, in MiB", 1)
    wait_cap_seconds: float = _option(30.0, "longest Prefer: wait that is honoured", 0)
    max_queued: int = _option(100_000, "submissions are refused (429) while this many jobs are queued", 1)
    idempotency_hours: float = _option(24.0, "how long an Idempotency-Key is remembered", 0)

    def __post_init__(self) -> None:
        if not self.database_url:
            object.__setattr__(self, "database_url", f"sqlite:///{self.var / 'hstar.sqlite'}")
        if self.heartbeat_seconds * 2 > self.lease_seconds:
            raise SettingsError(
                f"HSTAR_HEARTBEAT_SECONDS={self.heartbeat_seconds:g} must be at most half of "
                f"HSTAR_LEASE_SECONDS={self.lease_seconds:g}, or one late beat loses the job"
            )

    @property
    def caps(self) -> LimitsIn:
        """The highest limits that a solve may ask for; None where there is no cap."""
        return LimitsIn(
            expanded=self.cap_expanded or None,
            generated=self.cap_generated or None,
            seconds=self.cap_seconds or None,
            memory_mib=self.cap_memory_mib,
        )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read ``environ`` (by default the process's), checking every variable; raises :class:`SettingsError`."""
        environ = os.environ if environ is None else environ
        known = {PREFIX + option.name.upper(): option for option in fields(cls)}
        values: dict[str, Any] = {}
        faults: list[str] = []
        for variable, text in sorted(environ.items()):
            if not variable.startswith(PREFIX) or variable.startswith(READ_ELSEWHERE):
                continue
            option = known.get(variable)
            if option is None:
                faults.append(f"{variable} is not a setting; known: {', '.join(known)}")
                continue
            kind: type[Any] = type(cast(Any, option.default))
            try:
                value = kind(text)
            except ValueError:
                faults.append(f"{variable}={text!r} is not {'an integer' if kind is int else 'a number'}")
                continue
            least = option.metadata["least"]
            if least is not None and not value >= least:
                faults.append(f"{variable}={text!r} is less than {least:g}")
                continue
            values[option.name] = value
        if faults:
            raise SettingsError("; ".join(faults))
        return cls(**values)

    @classmethod
    def describe(cls) -> list[tuple[str, str, str]]:
        """(variable, default, help) for every option, in order."""
        return [(PREFIX + o.name.upper(), str(o.default), o.metadata["help"]) for o in fields(cls)]
