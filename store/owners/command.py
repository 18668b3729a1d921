"""``python -m store keys``: API keys made directly in the database, without a running service; for the first key.

python -m store keys create root --role operator
python -m store keys list
python -m store keys revoke ID
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import NoReturn

from sqlalchemy.orm import Session

from hstar.errors import InvalidRequest
from store.database import Sessions
from store.owners import changes, keys
from store.owners.models import ApiKey
from store.owners.principal import SYSTEM, Principal
from store.owners.roles import Role

#: the creator of these keys in the list of keys and in the log of changes
BY = "(database)"
_ME = Principal(BY, Role.OPERATOR)


def parser() -> argparse.ArgumentParser:
    """The arguments after ``keys``."""
    found = argparse.ArgumentParser("python -m store keys", description="Make, list and revoke API keys.")
    commands = found.add_subparsers(dest="command", required=True)
    create = commands.add_parser("create", help="make keys and print them; they are shown only once")
    create.add_argument("owner", nargs="+")
    create.add_argument("--role", choices=[str(role) for role in Role], default=str(Role.STUDENT))
    create.add_argument("--course")
    create.add_argument("--label", default="")
    create.add_argument("--days", type=int, help="days until the key expires; left out: never")
    commands.add_parser("list", help="list all keys, without their secrets")
    commands.add_parser("revoke", help="revoke a key at once").add_argument("id")
    return found


def run(arguments: list[str], sessions: Sessions) -> int:
    """Run one command; the exit status is 0, or 2 if it is refused."""
    found = parser().parse_args(arguments)
    try:
        if found.command == "create":
            _create(found, sessions)
        elif found.command == "list":
            _list(sessions)
        else:
            _revoke(found.id, sessions)
    except InvalidRequest as error:
        faults = "; ".join(f"{fault.where.lstrip('/')}: {fault.message}" for fault in error.faults)
        _refuse(f"{error.message}: {faults}")
    return 0


def _create(found: argparse.Namespace, sessions: Sessions) -> None:
    expires_at = None if found.days is None else datetime.now(UTC) + timedelta(days=found.days)
    news = [keys.NewKey(owner, Role(found.role), found.course, found.label, expires_at) for owner in found.owner]

    def make(session: Session) -> list[tuple[ApiKey, str]]:
        made = [keys.create(session, new, BY) for new in news]
        for row, _ in made:
            changes.record(session, _ME, "createKey", row.id, f"{row.role} {row.owner}, course {row.course}")
        return made

    for row, key in sessions.run(make):
        print(f"{row.owner}  {key}")


def _list(sessions: Sessions) -> None:
    cursor = None
    with sessions.read() as session:
        while rows := keys.list_keys(session, SYSTEM, cursor=cursor, size=200):
            for row in rows:
                ended = "revoked" if row.revoked_at else f"until {row.expires_at:%Y-%m-%d}" if row.expires_at else ""
                print(f"{row.id}  {row.role:<10}  {row.owner}  {row.course or '-'}  {row.created_at:%Y-%m-%d}  {ended}")
            cursor = rows[-1].id


def _revoke(key_id: str, sessions: Sessions) -> None:
    def end(session: Session) -> ApiKey | None:
        row = keys.revoke(session, key_id, SYSTEM)
        if row is not None:
            changes.record(session, _ME, "revokeKey", row.id, f"{row.role} {row.owner}, course {row.course}")
        return row

    if sessions.run(end) is None:
        _refuse(f"there is no key {key_id!r}; `python -m store keys list` shows all")


def _refuse(message: str) -> NoReturn:
    parser().error(message)
