"""Bodies that are one request or many: ``{...}`` or ``{"items": [{...}, ...]}``."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field, RootModel, create_model

from hstar.schema import Strict

#: requests of one batch
MAX_ITEMS = 10_000


class OneOrMany(RootModel[Any]):
    """Base of bodies that are one object or a batch. A body is parsed as the one that it looks like, and only faults of
    that one are reported."""

    one: ClassVar[type[BaseModel]]
    many: ClassVar[type[BaseModel]]

    @classmethod
    def meant(cls, data: Any) -> type[BaseModel]:
        """The model of the body ``data``."""
        return cls.many if isinstance(data, dict) and "items" in data else cls.one


def one_or_many(request: type[BaseModel]) -> type[OneOrMany]:
    """The body that is one ``request`` or a batch of them."""
    items: Any = Annotated[list[request], Field(min_length=1, max_length=MAX_ITEMS)]  # type: ignore[valid-type]
    name = request.__name__.removesuffix("Request")
    doc = f"Several of {request.__name__}, taken together or not at all."
    return _either(request, create_model(f"{name}Batch", __base__=Strict, __doc__=doc, items=(items, ...)))


def _either(one: type[BaseModel], many: type[BaseModel]) -> type[OneOrMany]:
    fields = {"__annotations__": {"root": one | many}, "__doc__": f"One {one.__name__}, or a batch of them."}
    made: Any = type(f"{one.__name__}OrBatch", (OneOrMany,), fields)
    made.one, made.many = one, many
    found: type[OneOrMany] = made
    return found
