"""API keys as JSON: the request for one, what is shown of one, and a new one, which is shown once."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field

from hstar.schema import Out, Strict

RoleName = Literal["student", "instructor", "operator"]


def in_utc(moment: datetime) -> datetime:
    """The same moment in UTC; ValueError where there is no such year."""
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("the time is outside the years 1 to 9999 in UTC") from None


class KeyRequest(Strict):
    """Body of ``POST /v1/keys``."""

    owner: str = Field(max_length=64, description="whose key it is: letters, digits and . _ @ + -")
    role: RoleName = Field("student", description="what it may do")
    course: str | None = Field(
        None, max_length=64, description="course of the owner; an instructor sees everything in it"
    )
    label: str = Field("", max_length=100, description="what it is for, in words")
    expires_at: Annotated[AwareDatetime, Field(strict=False), AfterValidator(in_utc)] | None = Field(
        None, description="when it expires (RFC 3339); null: never"
    )


class Key(Out):
    """An API key, without the key itself."""

    id: str
    owner: str
    role: RoleName
    course: str | None
    label: str
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    revoked_at: datetime | None


class NewKey(Key):
    """A key that was just made."""

    key: str = Field(description="send it as `Authorization: Bearer KEY`; it is shown only once")


class KeyPage(Out):
    """One page of a list of keys, newest first."""

    items: list[Key]
    next: str | None = Field(description="path of the next page; null on the last one")


class WhoAmI(Out):
    """Whose key was sent, and what it may do."""

    owner: str
    role: RoleName
    course: str | None
    key_id: str | None = Field(description="null: a key of the environment, or none")
