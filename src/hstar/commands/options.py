"""The options of a search and its limits, on the command line: read from where they are declared (`hstar.options`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_args, get_origin

import typer

from hstar.commands.functions import read_heuristic
from hstar.commands.terminal import read_text, refusing
from hstar.options import OPTIONS, Option, flag_of
from hstar.schema import LimitsIn

__all__ = ["taking_options"]


def taking_options(several: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The command with an option for each option of a search and for each limit.

    The command's own parameters ``options``, if it has it, and ``limits`` have those that were given, by the names of
    the request.

    :param several: options with a plural may be repeated, and have the plural's name; those of this machine are left
        out
    """

    def taking(command: Callable[..., None]) -> Callable[..., None]:
        own = signature(command, eval_str=True)
        searches = "options" in own.parameters
        chosen = [option for option in OPTIONS.values() if searches and not (several and option.shown.local)]
        parameters: list[Parameter] = []
        for one in own.parameters.values():
            if one.name == "options":
                parameters += [_parameter(option, several) for option in chosen]
            elif one.name == "limits":
                parameters += _limits()
            else:
                parameters.append(one)

        @wraps(command)
        def run(**given: Any) -> None:
            options = {}
            with refusing():
                for option in chosen:
                    value = given.pop(option.name)
                    if value not in (None, []):
                        plural = option.shown.plural if several else None
                        options[plural or option.name] = _read(option, value)
            limits = {name: given.pop(f"limit_{name}") for name in LimitsIn.model_fields}
            set_limits = {name: value for name, value in limits.items() if value is not None}
            command(**given, **({"options": options} if searches else {}), limits=set_limits)

        run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return taking


def _parameter(option: Option, several: bool) -> Parameter:
    kind: Any = _plain(option.kind)
    words = option.help + (", or FILE.py:FUNCTION" if option.name == "heuristic" else "")
    if several and option.shown.plural is not None:
        kind, words = list[kind], f"{words}; may be repeated"
    shown = Annotated[kind | None, typer.Option(option.flag, help=words)]
    return Parameter(option.name, Parameter.KEYWORD_ONLY, default=None, annotation=shown)


def _limits() -> list[Parameter]:
    found = []
    for name, field in LimitsIn.model_fields.items():
        (kind,) = {_plain(one) for one in get_args(field.annotation)} - {type(None)}
        shown = typer.Option(flag_of(f"limit_{name}"), help=f"most {field.description}")
        annotation = Annotated[kind | None, shown]  # type: ignore[valid-type]
        found.append(Parameter(f"limit_{name}", Parameter.KEYWORD_ONLY, default=None, annotation=annotation))
    return found


def _plain(kind: Any) -> Any:
    """The type that the command line reads: int, float or text."""
    if get_origin(kind) is Annotated:
        return _plain(get_args(kind)[0])
    return kind if kind in (int, float, bool, type(None)) else str


def _read(option: Option, value: Any) -> Any:
    """A value, or what a file of this name holds where that is allowed."""
    if isinstance(value, list):
        return [_read(option, one) for one in value]
    if option.name == "heuristic":
        return read_heuristic(value)
    return read_text(value, option.flag) if option.shown.file else value
