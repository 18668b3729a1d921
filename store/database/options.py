"""The columns of a search's options, as `hstar.options` declares them."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

from sqlalchemy import Double, Integer, String, Text
from sqlalchemy.orm import mapped_column

from hstar.options import OPTIONS, Option
from store.database.base import Base

__all__ = ["OPTION_COLUMNS", "add_option_columns"]

#: every option that a row has
OPTION_COLUMNS = tuple(option.name for option in OPTIONS.values() if option.shown.column)


def add_option_columns(model: type[Base]) -> None:
    """Give a table a column for each option; null where a method does not use it and it has no other value then."""
    for name in OPTION_COLUMNS:
        option = OPTIONS[name]
        setattr(model, name, mapped_column(_type(option), nullable=option.default is None))


def _type(option: Option) -> Any:
    kind = option.kind
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if kind in (int, float):
        return Integer() if kind is int else Double()
    values = get_args(kind)  # of a Literal
    return String(16) if values else Text()
