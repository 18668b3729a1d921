"""``python -m store migrate | current | settings | keys``: the database's schema, the settings, and API keys."""

from __future__ import annotations

import sys

from sqlalchemy.exc import DBAPIError, OperationalError

from store.database import make_engine, make_sessions, migrate
from store.owners import command as keys
from store.settings import OTHER_VARIABLES, Settings, SettingsError

USAGE = "usage: python -m store migrate | current | settings | keys create | list | revoke"


def main(arguments: list[str]) -> int:
    """Run one command; the exit status is 0 if all is well, 1 if the database is not current, 2 for a wrong call."""
    if arguments == ["settings"]:
        print("The service, the workers and the sweeper:")
        for variable, default, text in Settings.describe():
            print(f"  {variable:<26} {default or '(empty)':<26} {text}")
        print("\nOther parts of hstar:")
        for variable, text in OTHER_VARIABLES.items():
            print(f"  {variable:<26} {text}")
        return 0
    if arguments in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if arguments[:1] == ["keys"]:
        return _keys(arguments[1:])
    if arguments not in (["migrate"], ["current"]):
        print(USAGE, file=sys.stderr)
        return 2
    try:
        engine = make_engine(Settings.from_env().database_url)
        if arguments == ["migrate"]:
            migrate.upgrade(engine)
        revision = migrate.current(engine)
        print(f"{engine.url.render_as_string()}: {revision or 'empty'} (newest: {migrate.newest(engine)})")
        return 0 if revision == migrate.newest(engine) else 1
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    except OperationalError as error:
        print(f"the database does not answer: {error.orig}", file=sys.stderr)
        return 1


def _keys(arguments: list[str]) -> int:
    keys.parser().parse_args(arguments)  # what is wrong with them is told before the database is asked
    try:
        return keys.run(arguments, make_sessions(make_engine(Settings.from_env().database_url)))
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2
    except DBAPIError as error:
        print(f"the database does not answer, or is not migrated: {error.orig}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
