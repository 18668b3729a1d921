"""Tables on disk: built once, checked, and mapped read-only, so that all processes of a machine share them.

A file is a page of 4096 bytes, then the table: one or more parts, each from the beginning of a page. The first page
has a magic word, the format's version, the length and the CRC-32 of a JSON header, and the header: the identity of the
table (``key``), the sizes of its parts, and the SHA-256 of their bytes. A file of another version, or one that was cut
short or changed, is built again. A file is written under another name and renamed when it is complete. A lock makes one
process build while the others wait. The lock ends with its process: a killed build leaves at most a partial file, which
the next build removes.

Reading all bytes of a large table takes seconds, so it is done once: `hstar.databases.seen` remembers for which file.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import mmap
import os
import struct
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import platformdirs

from hstar.databases import seen
from hstar.databases.budget import make_room
from hstar.databases.building import aside, tell
from hstar.polling import poll

__all__ = [
    "Build", "Bytes", "Kept", "TableFile", "directory", "is_kept", "kept_files", "load_or_build", "take_unkept_bytes",
]  # fmt: skip

VERSION = 2
_MAGIC = b"hstarpdb"
_PAGE = 4096
_RETRY_SECONDS = 0.02
#: bytes that are read or written between two polls
_PIECE = 4 << 20
_PREFIX = struct.Struct("<8sIII")  # magic, version, length and CRC-32 of the header

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
#: returns facts (JSON) and the parts of the table
Build = Callable[[], tuple[Mapping[str, Any], *tuple[Bytes, ...]]]


#: bytes of tables without a file that this process has built since the last `take_unkept_bytes`
_unkept_bytes = 0


def take_unkept_bytes() -> int:
    """The bytes of tables without a file that were built since the last call. This memory is not freed."""
    global _unkept_bytes
    taken, _unkept_bytes = _unkept_bytes, 0
    return taken


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table with the facts from its builder; its parts are uint8, one-dimensional and read-only."""

    facts: Mapping[str, Any]
    parts: Sequence[Bytes]
    path: Path | None

    @property
    def data(self) -> Bytes:
        """The first part."""
        return self.parts[0]

    @property
    def size(self) -> int:
        """The bytes of all parts."""
        return sum(part.nbytes for part in self.parts)


def directory() -> Path:
    """The directory of the tables: ``HSTAR_DATABASES``, or the user's cache directory."""
    chosen = os.environ.get("HSTAR_DATABASES")
    return Path(chosen) if chosen else platformdirs.user_cache_path("hstar", appauthor=False)


def load_or_build(name: str, key: Mapping[str, Any], build: Build) -> TableFile:
    """The table of this key, from its file; or built now, and written to it.

    :param name: the beginning of the file's name
    :param key: JSON with everything that the table depends on. Tables with different keys have different files
    :param build: called at most once, and by one process at a time
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
            facts, *parts = build()
            table = TableFile(facts, parts, None)
            if writable and _write(path, digest, facts, parts):
                table = _read(path, digest) or table
    for own in table.parts:
        own.flags.writeable = False
    if table.path is None:
        global _unkept_bytes
        _unkept_bytes += table.size
    return table


def is_kept(name: str, key: Mapping[str, Any]) -> bool:
    """Whether there is a file of this key, version and size. Its bytes are not read, so the table may still have to be
    built."""
    path, digest = _path(name, key)
    try:
        with path.open("rb") as file:
            return bool(_header(file)["digest"] == digest)
    except _NOT_OURS:
        return False


@dataclass(frozen=True)
class Kept:
    """A file of a table: its name, its size, when it was last used (seconds since 1970), and whether it is whole (None:
    not checked)."""

    name: str
    bytes: int
    used: float
    whole: bool | None = None


def kept_files(check: bool = False) -> Iterator[Kept]:
    """The tables in the directory, by name.

    :param check: read all their bytes, and remove those that were damaged, or are of another version
    """
    for path in sorted(directory().glob("*.pdb")):
        with contextlib.suppress(FileNotFoundError):  # another process has removed it
            status, whole = path.stat(), None
            used = seen.last_used(path)
            if check:
                seen.forget(path)
                whole = _is_whole(path)
                if not whole:
                    seen.remove(path)
            yield Kept(path.stem, status.st_size, used / 1e9, whole)


def _path(name: str, key: Mapping[str, Any]) -> tuple[Path, str]:
    digest = sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    return directory() / f"{name}-{digest[:16]}.pdb", digest


#: what a file that is missing, or no table, raises when it is read
_NOT_OURS = (OSError, ValueError, KeyError, TypeError, struct.error)


def _header(file: BinaryIO) -> dict[str, Any]:
    """The header of a file; raises one of `_NOT_OURS` unless it is of this version and has the size of its parts."""
    page = file.read(_PAGE)
    magic, version, length, crc = _PREFIX.unpack_from(page)
    text = page[_PREFIX.size : _PREFIX.size + length]
    if magic != _MAGIC or version != VERSION or len(text) != length or zlib.crc32(text) != crc:
        raise ValueError("no table of this version")
    header = json.loads(text)
    if os.fstat(file.fileno()).st_size != _begins(header["bytes"])[-1] or not isinstance(header, dict):
        raise ValueError("a table that was cut short")
    return header


def _begins(sizes: Sequence[int]) -> list[int]:
    """Where each part begins in the file, a page; and where the last one ends."""
    begins = [_PAGE]
    for size in sizes:
        begins.append(begins[-1] + size)
        if len(begins) <= len(sizes):
            begins[-1] += -begins[-1] % _PAGE
    return begins


def _read(path: Path, digest: str) -> TableFile | None:
    try:
        with path.open("rb") as file:
            header = _header(file)
            if header["digest"] != digest:
                return None
            parts = _mapped(file, header["bytes"])
            status = os.fstat(file.fileno())
            if not seen.is_seen(path, status):
                if _sha256(parts) != header["sha256"]:
                    return None
                seen.remember(path, file.fileno(), status)
    except _NOT_OURS:
        return None
    seen.mark_used(path)
    return TableFile(header["facts"], parts, path)


def _mapped(file: BinaryIO, sizes: Sequence[int]) -> list[Bytes]:
    places = zip(_begins(sizes), sizes, strict=False)
    found = [np.memmap(file, dtype=np.uint8, mode="r", offset=begin, shape=(size,)) for begin, size in places]
    for part in found:
        # On pages of 2 MiB a look-up takes 47 ns instead of 66, if the system reads the file into such.
        with contextlib.suppress(AttributeError, OSError):
            held: Any = part.base
            held.madvise(mmap.MADV_HUGEPAGE)
    return list(found)


def _is_whole(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            header, status = _header(file), os.fstat(file.fileno())
            whole = _sha256(_mapped(file, header["bytes"])) == header["sha256"]
            if whole:
                seen.remember(path, file.fileno(), status)
            return bool(whole)
    except _NOT_OURS:
        return False


def _write(path: Path, digest: str, facts: Mapping[str, Any], parts: Sequence[Bytes]) -> bool:
    """False if there is no room or no permission to write; the table is then kept in this process only."""
    sizes = [int(part.size) for part in parts]
    header = {"digest": digest, "bytes": sizes, "sha256": _sha256(parts), "facts": facts}
    text = json.dumps(header).encode()
    if _PREFIX.size + len(text) > _PAGE:
        raise ValueError("the header of a table does not fit its page")
    page = _PREFIX.pack(_MAGIC, VERSION, len(text), zlib.crc32(text)) + text
    try:
        if not make_room(path.parent, _begins(sizes)[-1]):
            return False
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.stem}-", suffix=".part", delete=False) as file:
            temporary = Path(file.name)
            try:
                file.write(page)
                for begin, part in zip(_begins(sizes), parts, strict=False):
                    file.write(bytes(begin - file.tell()))
                    for piece in _pieces(part, begin):
                        file.write(piece)
                file.flush()
                # All bytes are on the disk before anything says that they were seen.
                aside(partial(_sync, os.dup(file.fileno())))
                temporary.chmod(0o644)
                temporary.replace(path)
                seen.remember(path, file.fileno(), os.fstat(file.fileno()))
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError:
        return False
    return True


def _sync(descriptor: int) -> None:
    """Put a file on the disk and out of memory: what is read again is in pages of 2 MiB, what was written seldom."""
    try:
        os.fsync(descriptor)
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def _pieces(data: Bytes, begins: int = 0) -> Iterator[memoryview]:
    """All but the first begin at multiples of `_PIECE` in a file where the data `begins`: of pieces that are written so
    the system keeps nearly all in pages of 2 MiB, of others half."""
    at = 0
    while at < data.size:
        poll()
        end = at + _PIECE - (begins + at) % _PIECE
        yield data[at:end].data
        at = end


def _sha256(parts: Sequence[Bytes]) -> str:
    digest = sha256()
    for part in parts:
        for piece in _pieces(part):
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
    except OSError:  # the file system has no locks: two processes may build, and the file of either is whole
        return True
    return True
