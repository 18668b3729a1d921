"""What commands with ``--server`` have in common: the same question, answered by a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from pydantic import BaseModel

from hstar.commands.terminal import shows_progress
from hstar.errors import Fault, InvalidRequest

if TYPE_CHECKING:
    from hstar.client import Client

M = TypeVar("M", bound=BaseModel)

Server = Annotated[
    str | None,
    typer.Option(envvar="HSTAR_URL", help="use this server, such as http://127.0.0.1:8000"),
]


def asking(server: str, api_key: str | None) -> Client:
    """A client of the server. It is imported here, because that takes a tenth of a second."""
    from hstar.client import Client

    return Client(server, api_key)


def answered(client: Client, path: str, request: BaseModel, answer: type[M]) -> M:
    """The answer of a job that is made with a POST to ``path``.

    :raises InvalidRequest: it ended without one
    """
    body = request.model_dump(mode="json", exclude_unset=True)
    job = client.job(path, body, progress=shows_progress())
    if job["answer"] is None:
        raise InvalidRequest(
            f"the server has no answer: the job is {job['status']}", [Fault("", job["error"] or job["id"])]
        )
    return answer.model_validate_json(json.dumps(job["answer"]))


def only_here(given: Mapping[str, Any]) -> None:
    """Refuse options that a server does not take, by their names, unless they were not given."""
    faults = [Fault(name, "a server does not take this; leave out --server") for name, value in given.items() if value]
    if faults:
        raise InvalidRequest("this needs your own machine", faults)
