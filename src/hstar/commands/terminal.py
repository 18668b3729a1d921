"""What all commands share: where they print, how they refuse bad input, and options of several commands."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import TextIOBase
from pathlib import Path
from typing import IO, Annotated, Any, NoReturn, cast

import typer
from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.markup import escape

from hstar import schema
from hstar.commands.statuses import Status
from hstar.errors import Fault, HstarError, InvalidRequest, in_words, why
from hstar.options import OPTIONS, flag_of

#: columns of a pipe, in which no line is broken
NEVER_WRAPPED = 10_000


class _Standard(TextIOBase):
    """Standard output as it is when something is printed; in a pipe lines end without blanks."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return sys.stdout.write(text if self.isatty() else re.sub(r" +$", "", text, flags=re.MULTILINE))

    def isatty(self) -> bool:
        return sys.stdout.isatty()

    def flush(self) -> None:
        sys.stdout.flush()


out = Console(file=cast(IO[str], _Standard()), highlight=False)
if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
    out = Console(file=out.file, highlight=False, width=NEVER_WRAPPED, height=25)
err = Console(stderr=True, highlight=False)

#: what every command takes as a puzzle
PUZZLE_HELP = "a name from `hstar puzzles`, or tiles:ROWSxCOLUMNS, pancake:N, lrx:N or topspin:N"
PuzzleName = Annotated[str, typer.Argument(help=PUZZLE_HELP)]
#: whether the running command has ``--json``, so that its errors are JSON, too
_as_json = ContextVar("_as_json", default=False)


def _remember_json(context: typer.Context, wanted: bool) -> bool:
    if wanted:
        _as_json.set(True)
        context.call_on_close(lambda: _as_json.set(False))
    return wanted


Json = Annotated[
    bool, typer.Option("--json", callback=_remember_json, help="print JSON; its fields have the names of the API")
]
Server = Annotated[str, typer.Option(envvar="HSTAR_URL", help="the server")]
HERE = "http://127.0.0.1:8000"
ApiKey = Annotated[str | None, typer.Option(envvar="HSTAR_API_KEY", help="API key of the server")]
Goal = Annotated[str | None, typer.Option(help="goal board of sliding tiles, such as '1 2 3 / 4 5 6 / 7 8 0'")]


#: the option that sets a field of a request, if it is not named like the field
_OPTIONS = {
    "puzzle": "PUZZLE",
    "scramble/k": "--k",
    "scramble/seed": "--seed",
    "scramble/moves": "--scramble-moves",
    **{
        f"{place}{name}": flag_of(f"limit_{name}") for place in ("", "limits/") for name in schema.LimitsIn.model_fields
    },
}
#: options that may be repeated; their values are numbered from 1
_LISTS = (
    {"algorithms": "--algorithm"}
    | {option.shown.plural: option.flag for option in OPTIONS.values() if option.shown.plural is not None}
    | {"instances": "--instances"}
)
_FIELDS = {*schema.SolveRequest.model_fields, "k", "trials", "seed", "instances"}


def shows_progress() -> bool:
    """Whether there is somebody who sees it move, also where colours are asked for in a pipe."""
    return sys.stderr.isatty() and not err.quiet


def be_quiet(context: typer.Context) -> None:
    """Print no progress, hints and notes: only answers, and why an input was refused."""
    err.quiet = True

    def again() -> None:
        err.quiet = False

    context.call_on_close(again)


@contextmanager
def refusing(*, options: bool = True) -> Iterator[None]:
    """Print what is wrong with the input, as JSON for a command with ``--json``, and exit with status 2.

    :param options: whether fields are named by the options that set them, or as in a file
    """
    try:
        yield
    except HstarError as error:
        code, message, faults = error.code, error.message, list(error.faults)
    except ValidationError as error:
        details = error.errors()
        message = "the input was refused" if len(details) > 1 else "this input was refused"
        faults = [Fault("/" + "/".join(map(str, detail["loc"])), in_words(detail)) for detail in details]
        for detail in details:
            # The frames of a validator lead to those that hold `error`, whose references pydantic hides from Python's
            # search for garbage: none of them, and no object of the kernel in them, would ever be freed.
            if isinstance(cause := detail.get("ctx", {}).get("error"), Exception):
                cause.__traceback__ = None
        code = InvalidRequest.code
    else:
        return
    named = [Fault(option_of(fault.where) if options else fault.where, fault.message) for fault in faults]
    if _as_json.get():
        refuse_as_json(code, message, named)
    err.quiet = False
    err.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)
    for fault in named:
        if fault.message != message:
            err.print(f"  - {escape(str(fault))}", soft_wrap=True)
    raise typer.Exit(Status.REFUSED)


def refuse_as_json(code: str, message: str, faults: Sequence[Fault]) -> NoReturn:
    """Print what is wrong as JSON on standard error, and exit with status 2."""
    errors = [{"where": fault.where, "message": fault.message} for fault in faults]
    sys.stderr.write(compact_json({"code": code, "detail": message, "errors": errors}) + "\n")
    raise typer.Exit(Status.REFUSED)


def option_of(where: str) -> str:
    """The option that sets the field at a JSON pointer; the pointer itself where no option does."""
    path = where.removeprefix("/")
    if path in _OPTIONS:
        return _OPTIONS[path]
    first, _, rest = path.partition("/")
    if first in _LISTS and (not rest or rest.isdecimal()):
        return _LISTS[first] + (f" no. {int(rest) + 1}" if rest else "")
    if where.startswith("/") and first in _FIELDS:
        return "--" + first.replace("_", "-") + (f" ({rest})" if rest else "")
    return where if path else ""


def print_json(value: BaseModel | dict[str, Any] | list[Any]) -> None:
    """Print the object as the API would return it, and nothing else."""
    data = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    sys.stdout.write(compact_json(data) + "\n")


def compact_json(value: Any, indent: str = "", width: int = 118) -> str:
    """JSON in which everything that fits into one line, and every list of numbers, is on one line."""
    line = json.dumps(value)
    scalars = isinstance(value, list) and not any(isinstance(part, (list, dict)) for part in value)
    if not isinstance(value, (list, dict)) or not value or scalars or (indent and len(indent) + len(line) <= width):
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(key)}: {compact_json(part, inner, width)}" for key, part in value.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + compact_json(part, inner, width) for part in value) + f"\n{indent}]"


def read_goal(text: str | None) -> list[int] | None:
    """A goal board: integers, row by row, with or without slashes and commas."""
    if text is None:
        return None
    try:
        return cast(list[int], schema.read_board(text))
    except ValueError as error:
        raise InvalidRequest("the goal is not a board", [Fault("--goal", str(error))]) from None


def read_text(text: str, where: str) -> str:
    """The text itself, or what the file of this name holds, or standard input for ``-``."""
    if text == "-":
        return sys.stdin.read()
    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # too long for a name
        is_file = False
    if not is_file:
        if re.fullmatch(r"[^\s{}\[\]]*\.[A-Za-z]\w*", text):  # board.txt is not a board, nor an alg
            raise InvalidRequest(f"cannot read {text}", [Fault(where, "there is no such file")])
        return text
    try:
        return Path(text).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"cannot read {text}", [Fault(where, str(error))]) from None


def read_bytes(path: Path, where: str) -> bytes:
    """The content of a file.

    :param where: the option or argument that names it
    :raises InvalidRequest: it cannot be read
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidRequest("cannot read a file", [Fault(where, why(error))]) from None


def read_state(text: str | None) -> Any:
    """A state from an argument, a file, or standard input for ``-``: JSON if it looks like JSON, else the text of a
    board."""
    if text is not None:
        text = read_text(text, "--state")
    if text is not None and text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidRequest("the state is not JSON", [Fault("--state", str(error))]) from None
    return text


def read_labels(path: Path | None) -> schema.LabelsIn | None:
    """Read a file with a table of neighbours, or with the object that the API takes."""
    if path is None:
        return None
    try:
        given = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidRequest("cannot read the labels", [Fault("--labels", str(error))]) from None
    is_table = isinstance(given, dict) and "neighbours" not in given
    return schema.LabelsIn.model_validate({"neighbours": given} if is_table else given)


def check_picture(option: str, path: Path | None) -> None:
    """Refuse a file type that cannot be drawn, before anything is searched."""
    if path is not None and path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise InvalidRequest(
            "pictures are SVG, PNG or PDF",
            [Fault(option, f"expected a name that ends in .svg, .png or .pdf, found {path.name!r}")],
        )
