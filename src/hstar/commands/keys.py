"""``hstar keys``: the API keys of a server. The first key is made where the database is: ``python -m store keys``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, cast

import typer
from rich.markup import escape
from rich.table import Table

from hstar.client import Client
from hstar.commands.terminal import HERE, ApiKey, Json, Server, err, out, print_json, refusing
from hstar.keys import Key, KeyPage, KeyRequest, NewKey, RoleName

app = typer.Typer(no_args_is_help=True, add_completion=False, help="API keys of a server: make, list and revoke them.")


@app.command()
def create(
    owner: Annotated[list[str], typer.Argument(metavar="OWNER...", help="whose keys; one key is made for each")],
    role: Annotated[str, typer.Option(help="student, instructor (sees the course) or operator (sees all)")] = "student",
    course: Annotated[str | None, typer.Option(help="the owners' course")] = None,
    label: Annotated[str, typer.Option(help="what it is for")] = "",
    days: Annotated[int | None, typer.Option(min=1, max=36_500, help="days until it expires; left out: never")] = None,
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Make keys and print them. They are never shown again. For operators.

    Example: hstar keys create ann bob --course cs1 --days 120
    """
    expires_at = None if days is None else datetime.now(UTC) + timedelta(days=days)
    with refusing(), Client(server, api_key) as client:
        asked = [
            KeyRequest(owner=name, role=cast(RoleName, role), course=course, label=label, expires_at=expires_at)
            for name in owner
        ]
        made: list[NewKey] = []
        try:
            for one in asked:
                made.append(client.create_key(one))
                if not as_json:
                    out.print(f"{escape(made[-1].owner)}  {escape(made[-1].key)}", soft_wrap=True)
        finally:  # a key that was made cannot be shown again if making the next one fails
            if as_json:
                print_json({"items": [key.model_dump(mode="json") for key in made]})


@app.command("list")
def list_keys(server: Server = HERE, api_key: ApiKey = None, as_json: Json = False) -> None:
    """List the keys that you may see: your own, your course's, or all. The keys themselves are not shown."""
    with refusing(), Client(server, api_key) as client:
        found = list(client.keys())
    if as_json:
        print_json(KeyPage(items=found, next=None))
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("id", "owner", "role", "course", "made", "state", "label"):
        table.add_column(heading, overflow="fold")
    for key in found:
        cells = (key.id, key.owner, key.role, key.course or "", f"{key.created_at:%Y-%m-%d}", _state(key), key.label)
        table.add_row(*map(escape, cells))
    out.print(table)


@app.command()
def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="of `hstar keys list`")],
    server: Server = HERE,
    api_key: ApiKey = None,
    as_json: Json = False,
) -> None:
    """Revoke a key: it is refused from the next request on. What its owner made stays."""
    with refusing(), Client(server, api_key) as client:
        ended = client.revoke_key(id)
    if as_json:
        print_json(ended)
    else:
        err.print(f"the key {ended.id} of {escape(ended.owner)} is revoked", soft_wrap=True)


def _state(key: Key) -> str:
    if key.revoked_at is not None:
        return f"revoked {key.revoked_at:%Y-%m-%d}"
    if key.expires_at is None:
        return "live"
    return f"{'live until' if key.expires_at > datetime.now(UTC) else 'expired'} {key.expires_at:%Y-%m-%d}"
