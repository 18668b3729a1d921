"""Settings, read once from environment variables and passed along as one frozen value.

>>> Settings.from_env({"HSTAR_LEASE_SECONDS": "5"}).lease_seconds
5.0

Every field below is an option: ``HSTAR_`` and the name in capitals; ``python -m store settings`` prints the table. A
variable that is spelled wrong (``HSTAR_LEASE=5``) is refused rather than ignored; an empty one is as good as none.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as UnreadableError

from hstar.schema import LimitsIn

PREFIX = "HSTAR_"

#: variables with our prefix that other parts read: their reader and meaning
OTHER_VARIABLES = {
    "HSTAR_API_KEY": "the command line (--server): the key that it sends",
    "HSTAR_URL": "the command line (--server): the server that answers",
    "HSTAR_PUZZLES": "the command line: directory of added puzzles; empty: in the user's data directory",
    "HSTAR_INSTRUCTIONS": "the kernel: `portable` selects the code without vector instructions",
    "HSTAR_PUBLISH": "docker compose: address and port at which the API is published",
    "HSTAR_VERSION": "docker compose: tag of the image",
    "HSTAR_TEST_ALL": "the tests: 1 for every instance",
    "HSTAR_TEST_SEED": "the tests: seed of random data",
    "HSTAR_CHROMIUM": "the tests: the browser",
    "HSTAR_WRITE_DOCS": "the tests: 1 rewrites docs/cli.md",
    "HSTAR_WRITE_ANSWERS": "the tests: 1 rewrites the answers shown in /docs",
}


def _lower(text: object) -> object:
    return text.lower() if isinstance(text, str) else text


LogLevel = Annotated[Literal["debug", "info", "warning", "error", "critical"], BeforeValidator(_lower)]


class SettingsError(ValueError):
    """Invalid environment variables; the message lists every fault."""


def _option(default: Any, help_text: str, least: float | None = None, *, secret: bool = False) -> Any:
    return Field(default, description=help_text, ge=least, repr=not secret)


#: A solve with a limit of at most so many seconds is small: workers that take only those run it, too.
SMALL_SECONDS = 10.0


class Pace(BaseModel):
    """How often the programs look and how long they wait. Nobody needs other values in operation: only tests and the
    experiments with faults have them (``HSTAR_PACE``, JSON)."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    # A cancel without a message, and progress for those who poll, come this late.
    heartbeat_seconds: float = Field(0.5, ge=0.05)
    # With the lease and a look these are the 30 s within which a lost job runs again (docs/decisions/0147).
    sweep_seconds: float = Field(2.0, ge=0.05)
    # The sweeper sends another wake-up message for a job that has waited for this long.
    wake_after_seconds: float = Field(2.0, ge=0)
    # An idle process of a worker looks for jobs, woken or not; each look is one indexed read.
    look_seconds: float = Field(2.0, ge=0.05)
    # A long job keeps its slot for this long before another owner's may have it. A look of 2.5 s, a try of half a
    # second, this and a job of 3 s are together less than ten seconds (docs/jobs.md).
    slice_seconds: float = Field(3.0, ge=0.05)
    # A job whose worker was lost this often is probably the cause, and fails.
    max_losses: int = Field(3, ge=1)
    # The supervisor kills a process that has not reported for this long. The busiest one reports every two seconds.
    silent_seconds: float = Field(10.0, ge=2)
    # For a request's head to arrive; three times that for all of it. Slow lines send a head in far less.
    request_seconds: float = Field(10.0, ge=0.1)
    # After the first attempt to tell a webhook; `store.webhooks.messages` says by how much each next pause is longer.
    webhook_seconds: float = Field(5.0, ge=0)


class Settings(BaseSettings):
    """All options of the service, the worker and the sweeper, with their defaults."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", allow_inf_nan=False)

    var: Path = _option(Path("var"), "directory of the SQLite file, of the certificates, and of layered searches")
    # Both may contain a password.
    database_url: str = _option(
        "", "URL (sqlite:///..., postgresql://...); empty: hstar.sqlite in HSTAR_VAR", secret=True
    )
    broker_url: str = _option("redis://127.0.0.1:6379/0", "Redis or Valkey, for messages that may be lost", secret=True)
    bind: str = _option("127.0.0.1:8000", "address and port of the API")
    workers: int = _option(1, "long jobs that one worker runs at a time", 1)
    quick_slots: int = _option(1, "more processes, which try new jobs while all slots for long jobs are taken", 0)
    paused_slots: int = _option(
        2, "more processes, in which long jobs wait while those of other owners have their turn; 0: no turns", 0
    )
    worker_takes: Literal["all", "small"] = _option(
        "all", f"jobs that one worker runs: all, or small (solves with a limit of at most {SMALL_SECONDS:g} seconds)"
    )
    api_keys: str = _option("", "API keys besides those in the database (docs/operating.md)", secret=True)
    allowed_hosts: str = _option(
        "", "allowed names in the Host header, separated by commas; empty: any, but without keys only loopback"
    )
    api_processes: int = _option(2, "processes of the API", 1)
    api_threads: int = _option(16, "threads in each process of the API; half of them may be held by Prefer: wait", 2)
    lease_seconds: float = _option(15.0, "a worker that sends no heartbeat for this long has lost its job", 0.2)
    cap_expanded: int = _option(10**9, "highest limit of expansions a solve may ask for; 0: no cap", 0)
    cap_seconds: float = _option(600.0, "highest limit of seconds a solve may ask for; 0: no cap", 0)
    cap_memory_mib: int = _option(2048, "highest memory limit of a solve, in MiB", 1)
    wait_cap_seconds: float = _option(30.0, "longest Prefer: wait that is honoured", 0)
    max_queued: int = _option(100_000, "submissions are refused (429) while this many jobs are queued", 1)
    owner_queued: int = _option(50_000, "with keys: jobs of one owner that may be queued", 1)
    student_queued: int = _option(1_000, "with keys: the same for a student", 1)
    owner_running: int = _option(
        0, "jobs of one owner that may run at once; less than the worker processes leaves room for others; 0: no cap", 0
    )
    requests_per_minute: int = _option(3_000, "with keys: requests of one owner in a minute (429); 0: no limit", 0)
    wrong_keys_per_minute: int = _option(20, "wrong keys from one address in a minute (429); 0: no limit", 0)
    proxies: int = _option(0, "number of proxies in front, whose X-Forwarded-For has the client's address", 0)
    # Checked here, but read before there are settings (store/logs.py) and by the library (hstar/databases).
    databases: str = _option("", "directory of the pattern databases; empty: the user's cache directory")
    databases_mib: int = _option(8192, "disk space for pattern databases; the least recently used are deleted", 0)
    owner_databases_mib: int = _option(
        2048, "with keys: total size of the pattern databases that one owner may name in a day; 0: no limit", 0
    )
    certificate_mib: int = _option(512, "size of the largest certificate of a solve; 0: none are made", 0)
    certificates_mib: int = _option(4096, "disk space for all certificates; without room no more are made", 0)
    layers_mib: int = _option(4096, "disk space of each running layered search, below HSTAR_VAR/layers; 0: none", 0)
    webhooks: int = _option(5, "webhooks of one owner; 0: none", 0)
    webhook_networks: str = _option(
        "", "networks besides public addresses to which webhooks may be sent, also without TLS: 10.0.0.0/8,127.0.0.1"
    )
    reserve_mib: int = _option(
        256,
        "with SQLite: submissions are refused (507) while its disk has less free space; tables leave twice as much",
        0,
    )
    keep_days: Annotated[float, Field(lt=100_000)] = _option(
        0.0, "the sweeper deletes jobs, experiments and scrambles so many days after their end; 0: never", 0
    )
    keep_log_days: Annotated[float, Field(lt=100_000)] = _option(
        0.0, "the same for lines of the log of changes; 0: never", 0
    )
    log_format: Literal["", "text", "json"] = _option("", "text or json; empty: text at a terminal, json otherwise")
    log_level: LogLevel = _option("info", "debug, info, warning or error")
    pace: Pace = _option(Pace(), "other intervals, as JSON, for tests and experiments with faults (store/settings.py)")

    @model_validator(mode="after")
    def _whole(self) -> Settings:
        if not self.database_url:
            object.__setattr__(self, "database_url", f"sqlite:///{self.var / 'hstar.sqlite'}")
        if self.pace.heartbeat_seconds * 2 > self.lease_seconds:
            raise ValueError(
                f"HSTAR_LEASE_SECONDS={self.lease_seconds:g} must be at least two heartbeats "
                f"({2 * self.pace.heartbeat_seconds:g} s), or one late heartbeat loses the job"
            )
        _ = self.networks  # raises ValueError for what is none
        return self

    @property
    def takes_small(self) -> bool:
        """Whether a worker takes only small jobs."""
        return self.worker_takes == "small"

    @property
    def networks(self) -> Sequence[IPv4Network | IPv6Network]:
        """The networks besides the public ones to which webhooks may be sent."""
        return [ip_network(one.strip()) for one in self.webhook_networks.split(",") if one.strip()]

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *_: Any, **__: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use only the given values: the environment is read by `from_env` alone."""
        return (init_settings,)

    @property
    def caps(self) -> LimitsIn:
        """The highest limits that a solve may ask for; None: no cap."""
        return LimitsIn(
            expanded=self.cap_expanded or None,
            seconds=self.cap_seconds or None,
            memory_mib=self.cap_memory_mib,
        )

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read ``environ`` (by default the process's), checking every variable; raises :class:`SettingsError`."""
        environ = os.environ if environ is None else environ
        ours = {
            name: value
            for name, value in environ.items()
            if value and name.startswith(PREFIX) and name not in OTHER_VARIABLES
        }
        known = [PREFIX + name.upper() for name in cls.model_fields]
        faults = [_unknown(name, known) for name in sorted(ours.keys() - {*known})]
        source = EnvSettingsSource(cls)
        source.env_vars = {name.lower(): value for name, value in ours.items()}
        settings = None
        try:
            settings = cls(**source())
        except UnreadableError:
            faults.append(f"{PREFIX}PACE={ours[PREFIX + 'PACE']!r} is not JSON")
        except ValidationError as error:
            for detail in error.errors():
                name, *parts = [str(part) for part in detail["loc"]] or [""]
                place = f"{PREFIX}{name.upper()}{''.join(f'.{part}' for part in parts)}={detail['input']!r}: "
                faults.append((place if name else "") + detail["msg"].removeprefix("Value error, "))
        if faults or settings is None:
            raise SettingsError("; ".join(faults))
        return settings

    @classmethod
    def describe(cls) -> list[tuple[str, str, str]]:
        """(variable, default, help) for every option, in order."""
        return [
            (PREFIX + name.upper(), "" if name == "pace" else str(option.default), option.description or "")
            for name, option in cls.model_fields.items()
        ]


def _unknown(name: str, known: Sequence[str]) -> str:
    # Compared without the prefix, which makes any two names similar.
    names = [other.removeprefix(PREFIX) for other in known]
    own = name.removeprefix(PREFIX)
    close = [other for other in names if other.startswith(own)] or get_close_matches(own, names, n=1)
    meant = f"did you mean {PREFIX}{close[0]}?" if close else "`python -m store settings` lists them all"
    return f"{name} is not a setting; {meant}"
