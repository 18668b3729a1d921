"""Shared by all tests: how many instances are tested, and real servers, started once a session when a test needs one.

`make test` takes few instances of everything, the same ones each time, and leaves out the tests that `slow.txt` lists,
most of which take more than half a CPU second. `make test-slow` runs just those, and continuous integration runs both.
`make test-all` (`HSTAR_TEST_ALL=1`) takes everything and all instances, with new random seeds (`HSTAR_TEST_SEED`
repeats a run). There are three ways to choose instances:

```python
from tests.conftest import SEED, instances

@pytest.mark.parametrize("k", instances(range(3, 21), few=4))  # four of them, the first and the last among them; or all
def test_lengths(k): ...

@pytest.mark.thorough                                          # only in test-all
def test_everything_at_once(): ...

random.Random(SEED)                                            # 0, or new in each test-all
```
"""

import atexit
import fcntl
import gc
import os
import random
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import structlog
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from hstar.puzzles import get_puzzle
from tests import forking
from tests.servers import PostgreSQL, Valkey, migrate_once

T = TypeVar("T")

#: the longest parts, which run first
LONG = ("packaging", "web", "worker", "test_docs.py", "test_http.py")

#: the smallest first
LARGE_CUBES = ("4x4x4", "5x5x5", "6x6x6", "7x7x7")

#: modules, tests, and tests with one of their parameters
SLOW = frozenset((Path(__file__).parent / "slow.txt").read_text().splitlines())
#: "quick" without the slow tests, "slow" with these alone; else all that pytest is asked for
TESTS = os.environ.get("TESTS", "")
TEST_ALL = forking.TEST_ALL
if TEST_ALL:
    # Set before pytest-xdist starts its processes, so that all of them have one seed.
    SEED = int(os.environ.setdefault("HSTAR_TEST_SEED", str(random.SystemRandom().getrandbits(31))))
else:
    SEED = 0

# No test asserts durations, and no test that decides about a change may depend on chance.
settings.register_profile("hstar", deadline=None, derandomize=not TEST_ALL, max_examples=100 if TEST_ALL else 20)
settings.load_profile("hstar")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell ignores Ctrl-C in what it starts in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)


def instances(every: Iterable[T], few: int) -> list[T]:
    """All items in `make test-all`; otherwise `few` of them, evenly spread from the first to the last."""
    found = list(every)
    if TEST_ALL or few >= len(found):
        return found
    return [found[round(i * (len(found) - 1) / max(few - 1, 1))] for i in range(few)]


def large_cubes_thorough(names: Iterable[str]) -> list[Any]:
    """Parameters; of the large cubes, which take seconds each, only the smallest is tested each time."""
    return [pytest.param(name, marks=_marks(name)) for name in names]


def move_sets(names: Iterable[str]) -> list[Any]:
    """Parameters (puzzle, move set), of large cubes as above."""
    return [pytest.param(name, moves, marks=_marks(name)) for name in names for moves in get_puzzle(name).move_sets]


def _marks(name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.thorough] if name in LARGE_CUBES[1:] else []


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "thorough: long, and only in `make test-all`")
    # Logged errors as the programs write them: the default, which draws a table of all variables, takes a second each.
    *first, _ = structlog.get_config()["processors"]
    plain = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*first, plain])
    if config.getoption("numprocesses", None) and not TEST_ALL:
        forking.prepare()  # one for all processes of pytest-xdist


def pytest_report_header() -> str:
    return f"hstar: all instances, HSTAR_TEST_SEED={SEED}" if TEST_ALL else "hstar: few instances (all: make test-all)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests, and run the longest parts first, so that none of them is the last to end."""
    if not TEST_ALL:
        others = {item for item in items if item.get_closest_marker("thorough")}
        if TESTS:
            others |= {item for item in items if is_slow(item.nodeid) != (TESTS == "slow")}
        config.hook.pytest_deselected(items=[*others])
        items[:] = [item for item in items if item not in others]
    items.sort(key=lambda item: not (item.path.parent.name in LONG or item.path.name in LONG))


def is_slow(nodeid: str) -> bool:
    """Whether `make test` leaves the test out."""
    return not SLOW.isdisjoint({nodeid, nodeid.partition("[")[0], nodeid.partition("::")[0]})


def part_of(nodeid: str) -> str:
    """The part of a test, which runs in one process: its module, or all modules of the page, which share a browser, or
    both modules that install the wheel."""
    module = nodeid.partition("::")[0]
    if module.endswith(("/test_wheel.py", "/test_dockerfile.py")):
        return "wheel"
    return "tests/web" if module.startswith("tests/web/") and "test_bundle" not in module else module


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Load all modules without looking for garbage, never look through them later, and look less often than Python
    does: a fifth of the tests' time."""
    gc.disable()
    result = yield
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()
    atexit.register(gc.unfreeze)  # so that the end of Python finds what the modules hold, as usual
    return result


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """`--dist loadscope` with our own parts."""
    made = LoadScopeScheduling(config, log)
    made._split_scope = part_of
    return made


def _common(factory: pytest.TempPathFactory) -> Path:
    """The directory of temporary files that all processes of this run share."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path | None:
    """A file or directory that the first process to need it makes for all; None where all tests run in one process."""
    everybodys = _common(factory)
    if everybodys == factory.getbasetemp():
        return None
    path = everybodys / name
    with path.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            beside = path.with_name(f"{name}.new")
            make(beside)
            beside.rename(path)
    return path


@pytest.fixture(scope="session", autouse=True)
def databases_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The directory of pattern databases and added puzzles for all processes of this run: empty at its start, removed
    at its end."""
    directory = _common(tmp_path_factory) / "databases"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HSTAR_DATABASES", str(directory))
        patch.setenv("HSTAR_PUZZLES", str(directory / "puzzles"))
        yield directory


@pytest.fixture(scope="session", autouse=True)
def every_answer_is_described() -> Iterator[None]:
    """Answers of the service over HTTP are compared with its OpenAPI document (tests/service/contract.py)."""
    from tests.service.contract import checking  # which imports tests.conftest

    with checking():
        yield


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """A running Valkey. A test that kills it must start its own: `with Valkey() as own:`."""
    with Valkey() as server:
        yield server


@pytest.fixture
def broker_url(valkey: Valkey) -> str:
    """The URL of the session's Valkey, emptied for this test."""
    valkey.empty()
    return valkey.url


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    """A running PostgreSQL; those of several processes are like one that the first has made."""
    like = _made_once(tmp_path_factory, "postgresql", PostgreSQL.save)
    with PostgreSQL(like) as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql: PostgreSQL) -> Iterator[str]:
    """A new PostgreSQL database for this test, migrated."""
    url = postgresql.create_database(migrated=True)
    yield url
    postgresql.drop_database(url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to be copied, since migrating takes longer than most tests."""
    made = _made_once(tmp_path_factory, "template.db", lambda path: migrate_once(f"sqlite:///{path}"))
    if made is None:
        made = tmp_path_factory.mktemp("template") / "hstar.db"
        migrate_once(f"sqlite:///{made}")
    return made


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """A new SQLite file for this test, migrated."""
    return f"sqlite:///{shutil.copy(sqlite_template, tmp_path)}"


@pytest.fixture(params=["postgresql", "sqlite"] if TEST_ALL else ["postgresql"])
def either_database_url(request: pytest.FixtureRequest) -> str:
    """As `database_url`, for tests where it matters little: PostgreSQL, and both in `make test-all`."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """A new migrated database for this test, which runs once on SQLite and once on PostgreSQL."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database_url(request: pytest.FixtureRequest, postgresql: PostgreSQL, tmp_path: Path) -> Iterator[str]:
    """As `database_url`, but without tables (SQLite: the file does not exist yet)."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'hstar.db'}"
        return
    url = postgresql.create_database()
    yield url
    postgresql.drop_database(url)
