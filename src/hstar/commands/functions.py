"""Heuristics in Python files, on the command line: ``--heuristic FILE.py:FUNCTION``."""

from __future__ import annotations

import re
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from hstar.errors import Fault, InvalidRequest
from hstar.session import text_of

__all__ = ["read_heuristic"]


def read_heuristic(text: str) -> str:
    """A heuristic; of ``FILE.py:FUNCTION`` the expression of that function, whose name has a digest of the file."""
    found = re.fullmatch(r"(.+\.py):([A-Za-z_]\w*)", text.strip())
    if found is None:
        return text
    path, name = Path(found[1]), found[2]
    try:
        source = path.read_bytes()
        loaded = ModuleType(path.stem)
        loaded.__file__ = str(path)
        sys.path.insert(0, str(path.parent))  # it may import what is beside it
        exec(compile(source, str(path), "exec"), loaded.__dict__)  # it is the user's own, here
    except Exception as error:
        raise InvalidRequest(
            f"cannot read {path}", [Fault("--heuristic", f"{type(error).__name__}: {error}")]
        ) from error
    function = getattr(loaded, name, None)
    if not callable(function):
        raise InvalidRequest(f"cannot read {path}", [Fault("--heuristic", f"it has no function {name}")])
    return text_of(function, f"{path.name}:{name}, sha256 {sha256(source).hexdigest()[:8]}")
