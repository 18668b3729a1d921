"""Tables on disk: built once, checked, and mapped read-only, so that all processes of a machine share them.

A file is a page of 4096 bytes, then the table. The page has a magic word, the format's version, the length and the
CRC-32 of a JSON header, and the header: the identity of the table (``key``), its size, and the SHA-256 of its bytes. A
file of another version, or one that was cut short or changed, is built again. A file is written under another name and
renamed when it is complete. A lock makes one process build while the others wait. The lock ends with its process: a
killed build leaves at most a partial file, which the next build removes.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import struct
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from hstar.databases.budget import make_room, used
from hstar.databases.building import tell
from hstar.polling import poll

__all__ = ["Bytes", "TableFile", "directory", "is_kept", "load_or_build", "take_unkept_bytes"]

VERSION = 1
_MAGIC = b"hstarpdb"
_PAGE = 4096
_RETRY_SECONDS = 0.02
#: bytes that are read or written between two polls
_PIECE = 8 << 20
_PREFIX = struct.Struct("<8sIII")  # magic, version, length and CRC-32 of the header

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


#: bytes of tables without a file that this process has built since the last `take_unkept_bytes`
_unkept_bytes = 0


def take_unkept_bytes() -> int:
    """The bytes of tables without a file that were built since the last call. This memory is not freed."""
    global _unkept_bytes
    taken, _unkept_bytes = _unkept_bytes, 0
    return taken


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table with the facts from its builder; ``data`` is uint8, one-dimensional and read-only."""

    facts: Mapping[str, Any]
    data: Bytes
    path: Path | None


def directory() -> Path:
    """The directory of the tables: ``HSTAR_DATABASES``, or the user's cache directory."""
    chosen = os.environ.get("HSTAR_DATABASES")
    return Path(chosen) if chosen else platformdirs.user_cache_path("hstar", appauthor=False)


def load_or_build(name: str, key: Mapping[str, Any], build: Callable[[], tuple[Mapping[str, Any], Bytes]]) -> TableFile:
    """The table of this key, from its file; or built now, and written to it.

    :param name: the beginning of the file's name
    :param key: JSON with everything that the table depends on. Tables with different keys have different files
    :param build: returns facts (JSON) and the table; called at most once, and by one process at a time
    :raises MemoryError: there is not enough memory to build the table
    """
    path, digest = _path(name, key)
    table = _read(path, digest)
    if table is not None:
        return table
    with _lock(path) as writable:
        table = _read(path, digest)  # another process may have built it while this one waited
        if table is None:
            for part in path.parent.glob(f"{path.stem}-*.part") if writable else ():
                part.unlink(missing_ok=True)
            facts, data = build()
            table = TableFile(facts, data, None)
            if writable and _write(path, digest, facts, data):
                table = _read(path, digest) or table
    table.data.flags.writeable = False
    if table.path is None:
        global _unkept_bytes
        _unkept_bytes += table.data.nbytes
    return table


def is_kept(name: str, key: Mapping[str, Any]) -> bool:
    """Whether there is a file for this key. It is not read, so the table may still have to be built."""
    return _path(name, key)[0].exists()


def _path(name: str, key: Mapping[str, Any]) -> tuple[Path, str]:
    digest = sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    return directory() / f"{name}-{digest[:16]}.pdb", digest


def _read(path: Path, digest: str) -> TableFile | None:
    try:
        with path.open("rb") as file:
            page = file.read(_PAGE)
            magic, version, length, crc = _PREFIX.unpack_from(page)
            text = page[_PREFIX.size : _PREFIX.size + length]
            if magic != _MAGIC or version != VERSION or len(text) != length or zlib.crc32(text) != crc:
                return None
            header = json.loads(text)
            if header["digest"] != digest or os.fstat(file.fileno()).st_size != _PAGE + header["bytes"]:
                return None
            data = np.memmap(file, dtype=np.uint8, mode="r", offset=_PAGE, shape=(header["bytes"],))
    except (OSError, ValueError, KeyError, TypeError, struct.error):
        return None
    if _sha256(data) != header["sha256"]:
        return None
    used(path)
    return TableFile(header["facts"], data, path)


def _write(path: Path, digest: str, facts: Mapping[str, Any], data: Bytes) -> bool:
    """False if there is no room or no permission to write; the table is then kept in this process only."""
    header = {"digest": digest, "bytes": int(data.size), "sha256": _sha256(data), "facts": facts}
    text = json.dumps(header).encode()
    if _PREFIX.size + len(text) > _PAGE:
        raise ValueError("the header of a table does not fit its page")
    page = _PREFIX.pack(_MAGIC, VERSION, len(text), zlib.crc32(text)) + text
    try:
        if not make_room(path.parent, _PAGE + data.size):
            return False
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.stem}-", suffix=".part", delete=False) as file:
            part = Path(file.name)
            try:
                file.write(page.ljust(_PAGE, b"\0"))
                for piece in _pieces(data):
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
                part.chmod(0o644)
                part.replace(path)
            except BaseException:
                part.unlink(missing_ok=True)
                raise
    except OSError:
        return False
    return True


def _pieces(data: Bytes) -> Iterator[memoryview]:
    for begin in range(0, data.size, _PIECE):
        poll()
        yield data[begin : begin + _PIECE].data


def _sha256(data: Bytes) -> str:
    digest = sha256()
    for piece in _pieces(data):
        digest.update(piece)
    return digest.hexdigest()


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[bool]:
    """Hold the lock of a file that is to be built; False if the directory is not writable."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("a")
    except OSError:
        yield False
        return
    with lock:
        while not _locked(lock.fileno()):
            tell(f"{path.stem}, by another process")  # which may end the wait
            time.sleep(_RETRY_SECONDS)
        yield True


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
