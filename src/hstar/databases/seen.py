"""Which files of tables were read and found whole, and when they were last used.

Reading gigabytes takes seconds, and a file that nobody has written to since is as it was. So beside a table there is a
small file ``NAME.seen``: device, inode, size, and times of modification and change of the table when its bytes were
last compared with their SHA-256. A table with other ones is compared again. What this does not find are bytes that
change without a write, as on a failing disk: `hstar database list --check` reads everything.

The time of modification of the small file is when the table was last used; that of the table would be a change.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path

from hstar.polling import poll

__all__ = ["forget", "is_seen", "last_used", "mark_used", "remember", "remove"]

#: a file system's clock may be as coarse as this: a table that changed later than this ago is not remembered yet
_TICK_SECONDS = 0.02


def is_seen(path: Path, status: os.stat_result) -> bool:
    """Whether the file of this status is the one that was found whole."""
    try:
        return bool(json.loads(_note(path).read_text()) == _identity(status))
    except (OSError, ValueError):
        return False


def remember(path: Path, descriptor: int, status: os.stat_result) -> None:
    """Note that the open file was found whole when it had this status."""
    while time.time() - status.st_ctime < _TICK_SECONDS and status.st_ctime <= time.time():
        poll()
        time.sleep(_TICK_SECONDS / 4)
    if _identity(os.fstat(descriptor)) != _identity(status):
        return  # it was written to meanwhile
    with contextlib.suppress(OSError):  # it is read again next time
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=f"{path.stem}-", suffix=".part", delete=False
        ) as file:
            json.dump(_identity(status), file)
        written = Path(file.name)
        written.chmod(0o644)
        written.replace(_note(path))


def forget(path: Path) -> None:
    """Read the table again when it is next opened; when it was used is forgotten, too."""
    with contextlib.suppress(OSError):
        _note(path).unlink()


def remove(path: Path) -> None:
    """Delete a table. Processes that have it open keep it until they end."""
    path.unlink(missing_ok=True)
    forget(path)


def mark_used(path: Path) -> None:
    """Record that a table is used now."""
    with contextlib.suppress(OSError):
        os.utime(_note(path))


def last_used(path: Path) -> int:
    """When a table was last used, in nanoseconds since 1970.

    :raises FileNotFoundError: there is no such table
    """
    with contextlib.suppress(OSError):
        return _note(path).stat().st_mtime_ns
    return path.stat().st_mtime_ns


def _note(path: Path) -> Path:
    return path.with_suffix(".seen")


def _identity(status: os.stat_result) -> list[int]:
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
