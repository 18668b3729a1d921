"""What every command shares: where it prints, how it refuses bad input, and options that several have."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.markup import escape

from hstar import schema
from hstar.errors import Fault, HstarError, InvalidRequest

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

PuzzleName = Annotated[str, typer.Argument(help="a name from `hstar puzzles`, or tiles:ROWSxCOLUMNS")]
Json = Annotated[bool, typer.Option("--json", help="print the API's own object")]
ApiKey = Annotated[str | None, typer.Option(envvar="HSTAR_API_KEY", help="of the server")]
Goal = Annotated[str | None, typer.Option(help="goal board of sliding tiles, such as '1 2 3 / 4 5 6 / 7 8 0'")]


@contextmanager
def refusing() -> Iterator[None]:
    """Print what is wrong with the input and leave with status 2."""
    try:
        yield
    except HstarError as error:
        err.print(f"[bold red]error:[/] {escape(error.message)}")
        for fault in error.faults:
            err.print(f"  - {escape(str(fault))}")
    except ValidationError as error:
        err.print("[bold red]error:[/] the request is not valid")
        for detail in error.errors():
            where = ".".join(str(part) for part in detail["loc"])
            message = detail["msg"].removeprefix("Value error, ")
            err.print(f"  - {escape(where)}{': ' if where else ''}{escape(message)}")
    else:
        return
    raise typer.Exit(2)


def print_json(value: BaseModel | dict[str, Any] | list[Any]) -> None:
    """The object as it would travel over HTTP, and nothing else, on standard output."""
    data = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    sys.stdout.write(json.dumps(data, indent=2) + "\n")


def read_goal(text: str | None) -> list[int] | None:
    """A goal board: integers, row by row, with or without slashes and commas."""
    if text is None:
        return None
    try:
        return [int(token) for token in text.replace("/", " ").replace(",", " ").split()]
    except ValueError:
        raise InvalidRequest("the goal is not a board", [Fault("--goal", "expected integers, row by row")]) from None


def read_state(text: str | None) -> Any:
    """JSON if it looks like JSON, else the text of a board."""
    if text is not None and text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidRequest("the state is not JSON", [Fault("--state", str(error))]) from None
    return text


def read_labels(path: Path | None) -> schema.LabelsIn | None:
    """A file with a table of neighbours, or with the object that the API takes."""
    if path is None:
        return None
    try:
        given = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidRequest("the labels cannot be read", [Fault("--labels", str(error))]) from None
    is_table = isinstance(given, dict) and "neighbours" not in given
    return schema.LabelsIn.model_validate({"neighbours": given} if is_table else given)
