"""Puzzles that users add: named definitions, identified by fingerprints.

>>> full_name(definition)                                                         # doctest: +SKIP
'my-cube@DzqcUdJ76EYJcO1Hv3zQ_w'

Both ``my-cube`` and the full name are accepted wherever a puzzle's name is. Jobs, results and scrambles keep the full
name, so that another definition under the same name does not change them. The library and the command line look up
definitions in a `Folder`, a service in its database.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import platformdirs

from hstar.errors import Fault, HstarError, InvalidRequest, why
from hstar.puzzles.definition import KPuzzle, read_definition

__all__ = ["Definitions", "Folder", "bare_name", "definitions", "full_name", "is_name", "looking_in", "to_json"]

#: letters of a fingerprint, six bits each; with a name of 40 they fit into the 64 letters of the columns
LETTERS = 22
#: hexadecimal digits of the fingerprints of 64 bits, which hstar made first
EARLIER_DIGITS = 16
_FULL = re.compile(rf"^([A-Za-z0-9][A-Za-z0-9_.-]{{0,39}})@([A-Za-z0-9_-]{{{LETTERS}}}|[0-9a-f]{{{EARLIER_DIGITS}}})$")
_BARE = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$")


class Definitions(Protocol):
    """A source of added puzzles."""

    def find(self, name: str) -> KPuzzle | None:
        """The definition with this name or full name, or None."""

    def names(self) -> list[str]:
        """All names."""


def fingerprint(definition: KPuzzle) -> str:
    """The first 132 bits of the SHA-256 of a definition, whatever its name, in URL-safe base64 (RFC 4648)."""
    value = definition.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    del value["name"]
    digest = sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).digest()
    return base64.urlsafe_b64encode(digest).decode()[:LETTERS]


def full_name(definition: KPuzzle) -> str:
    """The name with the fingerprint."""
    return f"{definition.name}@{fingerprint(definition)}"


def earlier_name(full: str) -> str:
    """The full name that a definition had at first, with 64 bits of the same digest; rows and links may have it."""
    name, _, letters = full.partition("@")
    return f"{name}@{base64.urlsafe_b64decode(letters + '==')[: EARLIER_DIGITS // 2].hex()}"


def bare_name(name: str) -> str:
    """A name without its fingerprint, if it has one."""
    match = _FULL.match(name)
    return match[1] if match else name


def is_name(text: str) -> bool:
    """Whether an added puzzle could have this name or full name."""
    return bool(_BARE.match(text) or _FULL.match(text))


def to_json(definition: KPuzzle) -> str:
    """The definition as it is stored; `read_definition` reads it."""
    return definition.model_dump_json(by_alias=True, exclude_defaults=True)


class Folder:
    """Definitions as files ``NAME.json`` in a folder: ``HSTAR_PUZZLES``, or the user's data folder."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        if self._path is not None:
            return self._path
        chosen = os.environ.get("HSTAR_PUZZLES")
        return Path(chosen) if chosen else platformdirs.user_data_path("hstar", appauthor=False) / "puzzles"

    def find(self, name: str) -> KPuzzle | None:
        """
        :raises InvalidRequest: the file cannot be read, or the definition is not the one that the full name means
        """
        own = bare_name(name)
        if not _BARE.match(own):
            return None
        try:
            text = (self.path / f"{own}.json").read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InvalidRequest(f"the definition of {own} cannot be read", [Fault("", why(error))]) from None
        try:
            definition = read_definition(json.loads(text))
        except (ValueError, HstarError) as error:
            place = str(self.path / f"{own}.json")
            raise InvalidRequest(f"the definition of {own} cannot be read", [Fault(place, str(error))]) from None
        full = full_name(definition)
        if name not in (own, full, earlier_name(full)):
            text = f"the definition of {own} has changed since: it is {full} now"
            raise InvalidRequest(f"there is no puzzle {name!r}", [Fault("/puzzle", text)])
        return definition

    def names(self) -> list[str]:
        return sorted(path.stem for path in self.path.glob("*.json") if _BARE.match(path.stem))

    def add(self, definition: KPuzzle) -> bool:
        """Store a definition under its name, replacing any other; returns whether there was another one.

        :raises InvalidRequest: it cannot be written
        """
        path = self.path / f"{definition.name}.json"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            replaced = path.exists()
            part = path.with_suffix(f".{os.getpid()}.part")
            part.write_text(to_json(definition), encoding="utf-8")
            part.replace(path)
        except OSError as error:
            raise InvalidRequest("cannot store the definition", [Fault("", why(error))]) from None
        return replaced

    def remove(self, name: str) -> bool:
        """Remove a name; returns False if it does not exist."""
        path = self.path / f"{name}.json"
        if not _BARE.match(name) or not path.is_file():
            return False
        path.unlink()
        return True


_OF_THE_USER = Folder()
_definitions: ContextVar[Definitions | None] = ContextVar("definitions", default=None)


def definitions() -> Definitions:
    """The current source of added puzzles."""
    return _definitions.get() or _OF_THE_USER


@contextmanager
def looking_in(there: Definitions) -> Iterator[None]:
    """Within the block, use ``there`` as the source of added puzzles."""
    token = _definitions.set(there)
    try:
        yield
    finally:
        _definitions.reset(token)
