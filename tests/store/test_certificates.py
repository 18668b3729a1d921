"""The files of certificates: written whole or not at all, within their limits, and deleted with their jobs."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import pytest
from sqlalchemy import delete, update

from hstar.certificates import Refused
from hstar.search.control import Stopped
from store.certificates import CertificateFiles
from store.database import Sessions
from store.ids import new_id
from store.jobs.models import Job
from store.settings import Settings
from tests.store.builders import must_claim, submit


@pytest.fixture
def files(tmp_path: Path) -> CertificateFiles:
    return CertificateFiles.of(Settings(var=tmp_path, certificate_mib=2, certificates_mib=3, reserve_mib=0))


def writing(data: bytes) -> Callable[[BinaryIO, int], tuple[str, str]]:
    def write(file: BinaryIO, most: int) -> tuple[str, str]:
        if len(data) > most:
            raise Refused("too_large", f"it would be larger than {most} bytes")
        file.write(data)
        return "it is what it is", "looking"

    return write


def test_a_file_is_written_and_described(files: CertificateFiles) -> None:
    job = new_id()
    made = files.make(job, 3, writing(b"proof"))
    assert (made.status, made.bytes, made.reason) == ("made", 5, None)
    assert (made.proves, made.by) == ("it is what it is", "looking")
    assert made.sha256 == sha256(b"proof").hexdigest()
    assert files.path(job, 3).read_bytes() == b"proof"
    assert [path.name for path in files.directory.iterdir()] == [f"{job}-3.hcert"]


def raising(error: BaseException) -> Callable[[BinaryIO, int], tuple[str, str]]:
    def write(file: BinaryIO, most: int) -> tuple[str, str]:
        file.write(b"half a proof")
        raise error

    return write


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Refused("heuristic", "the heuristic has no argument"), "the heuristic has no argument"),
        (OSError(errno.ENOSPC, "No space left on device"), "the file cannot be written: No space left on device"),
        (MemoryError(), "there is not enough memory to make it"),
        (ZeroDivisionError("a defect"), "internal error: ZeroDivisionError: a defect"),
    ],
)
def test_whatever_fails_is_a_reason_and_leaves_nothing(
    files: CertificateFiles, error: BaseException, reason: str
) -> None:
    made = files.make(new_id(), 1, raising(error))
    assert (made.status, made.reason, made.bytes, made.sha256) == ("none", reason, None, None)
    assert list(files.directory.iterdir()) == []


def test_a_stop_goes_on_to_the_worker(files: CertificateFiles) -> None:
    with pytest.raises(Stopped):
        files.make(new_id(), 1, raising(Stopped()))
    assert list(files.directory.iterdir()) == []


def test_files_have_limits_alone_and_together(files: CertificateFiles) -> None:
    assert files.make(new_id(), 1, writing(bytes(2 << 20))).status == "made"
    # A MiB is left for the second.
    assert files.make(new_id(), 1, writing(bytes(2 << 20))).reason == "it would be larger than 1048576 bytes"
    assert files.make(new_id(), 1, writing(bytes(1 << 20))).status == "made"
    assert files.make(new_id(), 1, writing(b"")).reason == "the service has no room for more certificates"
    none = replace(files, most=0).make(new_id(), 1, writing(b""))
    assert none.reason == "this service makes none (HSTAR_CERTIFICATE_MIB=0)"
    full = replace(files, most_together=1 << 40, reserve=1 << 60).make(new_id(), 1, writing(b""))
    assert full.reason == "the service has no room for more certificates"


def test_a_directory_that_cannot_be_made_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "certificates").write_text("a file")
    made = CertificateFiles.of(Settings(var=tmp_path)).make(new_id(), 1, writing(b"proof"))
    assert made.reason == "the file cannot be written: File exists"


def test_files_go_with_their_jobs(sessions: Sessions, files: CertificateFiles) -> None:
    kept, gone, again = (submit(sessions) for _ in range(3))
    for _ in range(3):
        must_claim(sessions)
    with sessions.write() as session:
        session.execute(update(Job).where(Job.id == again).values(attempt=2))
    for job, attempt in ((kept, 1), (gone, 1), (again, 1), (again, 2)):
        files.make(job, attempt, writing(b"proof"))
    left = files.path(again, 1).with_suffix(".part")  # a killed worker's
    running = files.path(kept, 1).with_suffix(".part")
    foreign = files.directory / "notes.txt"
    for path in (left, running, foreign):
        path.touch()
    with sessions.write() as session:
        session.execute(delete(Job).where(Job.id == gone))
    assert files.sweep(sessions) == 3
    assert set(files.directory.iterdir()) == {files.path(kept, 1), files.path(again, 2), running, foreign}
    assert files.sweep(sessions) == 0


def test_without_a_directory_there_is_nothing_to_sweep(sqlite_sessions: Sessions, files: CertificateFiles) -> None:
    assert files.sweep(sqlite_sessions) == 0
    assert not files.directory.exists()
