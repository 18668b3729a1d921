"""The files of certificates, in ``certificates/`` below ``HSTAR_VAR``: one for each attempt of a job that has made one.

files = CertificateFiles.of(settings)
made = files.make(job_id, attempt, lambda file, most: write_it(file, most))     # never raises because of the file
path = files.path(job_id, attempt)

A file is written under another name and renamed when it is complete. It stays as long as its job: `sweep` removes files
whose job is gone or was run again, and what killed workers have left. Workers and the API need the same directory.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import structlog
from sqlalchemy import select

from hstar import schema
from hstar.certificates import Refused
from hstar.search.control import Stopped
from store.database import Sessions
from store.ids import parse_id
from store.jobs.models import Job
from store.settings import Settings

__all__ = ["SUFFIX", "CertificateFiles", "Write"]

log = structlog.get_logger(__name__)

#: writes a certificate of at most so many bytes, and returns what it proves and by what
Write = Callable[[BinaryIO, int], tuple[str, str]]

SUFFIX, _PART = ".hcert", ".part"
_PIECE = 1 << 20
#: jobs of one query
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """The directory and its limits in bytes: of one file, of all together, and what stays free on the disk."""

    directory: Path
    most: int
    most_together: int
    reserve: int

    @classmethod
    def of(cls, settings: Settings) -> CertificateFiles:
        """The files of a service with these settings."""
        sizes = (settings.certificate_mib, settings.certificates_mib, settings.reserve_mib)
        return cls(settings.var / "certificates", *(size * 2**20 for size in sizes))

    def path(self, job_id: str, attempt: int) -> Path:
        """Where the certificate of this attempt is, if it made one."""
        return self.directory / f"{job_id}-{attempt}{SUFFIX}"

    def make(self, job_id: str, attempt: int, write: Write) -> schema.Certificate:
        """Write a certificate and say what became of it: a certificate that cannot be made has a reason.

        :raises Stopped: the search was told to stop meanwhile
        """
        path = self.path(job_id, attempt)
        part = path.with_suffix(_PART)
        try:
            most = self._room()
            with part.open("w+b") as file:
                proves, by = write(file, most)
                file.flush()
                os.fsync(file.fileno())
                size, digest = file.seek(0, os.SEEK_END), _sha256(file)
            part.replace(path)
        except Refused as error:
            return _none(str(error))
        except OSError as error:
            log.warning("cannot write a certificate", error=str(error))
            return _none(f"the file cannot be written: {error.strerror or error}")
        except MemoryError:
            return _none("there is not enough memory to make it")
        except Stopped:
            raise
        except Exception as error:  # a defect must not cost the answer
            log.exception("cannot make a certificate")
            return _none(f"internal error: {type(error).__name__}: {error}")
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return schema.Certificate(status="made", proves=proves, by=by, bytes=size, sha256=digest)

    def _room(self) -> int:
        """The most bytes that the next file may have; makes the directory."""
        if not self.most:
            raise Refused("too_large", "this service makes none (HSTAR_CERTIFICATE_MIB=0)")
        self.directory.mkdir(parents=True, exist_ok=True)
        taken = sum(self._sizes().values())
        room = min(self.most_together - taken, shutil.disk_usage(self.directory).free - self.reserve)
        if room <= 0:
            raise Refused("too_large", "the service has no room for more certificates")
        return min(self.most, room)

    def _sizes(self) -> dict[Path, int]:
        """The files in the directory."""
        found = {}
        for path in self.directory.glob("*"):
            with suppress(FileNotFoundError):  # another process has removed it
                found[path] = path.stat().st_size
        return found

    def sweep(self, sessions: Sessions) -> int:
        """Delete the files of jobs that are gone, and of attempts that were not the last; returns how many."""
        deleted, paths = 0, list(self._sizes())
        for begin in range(0, len(paths), _AT_ONCE):
            some = paths[begin : begin + _AT_ONCE]
            ids = {path: _named(path) for path in some}
            wanted = select(Job.id, Job.attempt).where(Job.id.in_({id for id, _ in filter(None, ids.values())}))
            with sessions.read() as session:
                last = {(row.id, row.attempt) for row in session.execute(wanted)}
            for path, named in ids.items():
                if named is not None and named not in last:
                    path.unlink(missing_ok=True)
                    deleted += 1
        return deleted


def _named(path: Path) -> tuple[str, int] | None:
    """The job and the attempt that a file is of; None: it is none of ours."""
    name, _, attempt = path.stem.rpartition("-")
    found = parse_id(name)
    if path.suffix not in (SUFFIX, _PART) or found is None or not attempt.isdecimal():
        return None
    return found, int(attempt)


def _none(reason: str) -> schema.Certificate:
    return schema.Certificate(status="none", reason=reason)


def _sha256(file: BinaryIO) -> str:
    digest = sha256()
    file.seek(0)
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()
