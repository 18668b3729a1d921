"""The bases of the objects that clients send and that the service returns."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Out", "Strict"]


class Strict(BaseModel):
    """Base of all objects that a client sends.

    Types are strict: ``true`` is not an integer, ``"3"`` is not a number, NaN and infinities are refused, and an
    unknown field is an error that names it.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class Out(BaseModel):
    """Base of all objects that the service returns. Every field is written, so every field is required of an answer."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, defer_build=True, json_schema_serialization_defaults_required=True
    )
