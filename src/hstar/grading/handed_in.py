"""The files of a class, from files, folders and zips, also those of Canvas and Moodle; a `HandedIn` for each student.

Nothing here raises for a file that cannot be read: it has a fault, and the others are graded.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from hstar.errors import HstarError, why
from hstar.grading.roster import CANVAS, MOODLE, Roster
from hstar.grading.submissions import MAX_BYTES as MOST_OF_ONE
from hstar.grading.submissions import OFFICE, PARTS, ZIP_ERRORS, is_litter, read_submission

__all__ = ["HandedIn", "from_disk", "unpacked"]

#: of a whole class, unpacked
MAX_MIB = 200
MAX_BYTES = MAX_MIB * 2**20
MAX_FILES = 5000


@dataclass(frozen=True, slots=True)
class HandedIn:
    """What one student handed in, or why it cannot be read."""

    path: str
    data: bytes = b""
    fault: str | None = None
    changed: datetime | None = None


def from_disk(paths: Iterable[Path], roster: Roster | None = None) -> list[HandedIn]:
    """What is in files, folders and zips of a class, in the order of their names."""
    found: list[HandedIn] = []
    for path in paths:
        if path.is_dir():
            files, faults = _below(path)
            found += [*_grouped(files, roster), *faults]
        else:
            changed = _changed(path)
            found += [replace(one, changed=changed) for one in _file(path, path.name, roster)]
    return found


def _changed(path: Path) -> datetime | None:
    """When a file was last written, for systems that keep the newer of two scores."""
    try:
        return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except OSError:
        return None


def _below(folder: Path) -> tuple[dict[str, bytes], list[HandedIn]]:
    files: dict[str, bytes] = {}
    faults: list[HandedIn] = []
    left = MAX_BYTES
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or is_litter(name) or any(part.startswith(".") for part in PurePosixPath(name).parts):
            continue
        read = _read(path, name)
        left -= len(read.data)
        if read.fault is not None:
            faults.append(read)
        elif left < 0 or len(files) >= MAX_FILES:
            faults.append(HandedIn(name, fault=f"not read: more than {MAX_MIB} MiB or {MAX_FILES:,} files"))
        else:
            files[name] = read.data
    return files, faults


def _read(path: Path, name: str) -> HandedIn:
    try:
        with path.open("rb") as file:
            return HandedIn(name, file.read(MOST_OF_ONE + 1))
    except OSError as error:
        return HandedIn(name, fault=why(error))


def _file(path: Path, name: str, roster: Roster | None) -> list[HandedIn]:
    try:
        with path.open("rb") as file:
            is_zip = file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
            file.seek(0)
            one = HandedIn(name, file.read(MAX_BYTES if is_zip else MOST_OF_ONE + 1))
    except OSError as error:
        return [HandedIn(name, fault=why(error))]
    return unpacked(one.path, one.data, roster)


def unpacked(name: str, data: bytes, roster: Roster | None = None) -> list[HandedIn]:
    """The submissions in a zip of a class; only the file itself if it is not one."""
    one = [HandedIn(name, data)]
    if data[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        return one
    files: dict[str, bytes] = {}
    left = MAX_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir() and not is_litter(entry.filename)]
            if len(entries) > MAX_FILES:
                return [HandedIn(name, fault=f"the zip has {len(entries):,} files; at most {MAX_FILES:,}")]
            for entry in entries:
                with archive.open(entry) as file:
                    files[entry.filename.lstrip("/")] = content = file.read(min(left + 1, MOST_OF_ONE + 1))
                left -= len(content)
                if left < 0:
                    return [HandedIn(name, fault=f"unpacked the zip has more than {MAX_MIB} MiB")]
    except ZIP_ERRORS:
        return one  # `read_submission` says what is wrong
    if OFFICE in files:
        return one
    files = _without_common_folder(files)
    return _grouped(files, roster) if _of_a_class(files, roster) else one


def _without_common_folder(files: Mapping[str, bytes]) -> dict[str, bytes]:
    tops = {name.partition("/")[0] if "/" in name else "" for name in files}
    if len(tops) != 1 or "" in tops:
        return dict(files)
    return {name.partition("/")[2]: content for name, content in files.items()}


def _of_a_class(files: Mapping[str, bytes], roster: Roster | None) -> bool:
    """Whether a zip has the submissions of several students."""
    tops = {name.partition("/")[0] for name in files}
    if any(CANVAS.match(top) or MOODLE.match(top) for top in tops):
        return True
    if any(is_part(name) for name in files if "/" not in name):
        return False
    if len(files) < 2:
        return False
    folders = {name.partition("/")[0] for name in files if "/" in name}
    if len(folders) > 1 or any(name.lower().endswith(".zip") for name in files):
        return True
    if roster is not None and len({line.student for name in files if (line := roster.of_path(name))}) > 1:
        return True
    return len({who for name, content in files.items() if (who := _author(name, content))}) > 1


def is_part(name: str) -> bool:
    """Whether a file has one of the names of a submission's parts."""
    bare = PurePosixPath(name).name.lower()
    return bare in PARTS or PurePosixPath(bare).stem in ("results", "submission")


def _author(name: str, content: bytes) -> str | None:
    try:
        submission = read_submission(content, name).submission
    except HstarError:
        return None
    return submission.student or submission.email or submission.name


def _grouped(files: Mapping[str, bytes], roster: Roster | None) -> list[HandedIn]:
    """The files of each student: a folder, or what has the same beginning that a platform makes; else each file."""
    units: dict[str, dict[str, bytes]] = {}
    for name, content in files.items():
        top, inside, rest = name.partition("/")
        made = None if inside else (CANVAS.match(top) or MOODLE.match(top))
        if made is not None:
            unit, short = made[0], top[made.end() :]
        else:
            unit, short = top, rest if inside else top
        units.setdefault(unit, {})[short] = content
    found: list[HandedIn] = []
    for unit in sorted(units):
        mine = units[unit]
        if len(mine) > 1:
            found.append(HandedIn(unit, _packed(mine)))
            continue
        ((short, content),) = mine.items()
        whole = unit if short == unit else f"{unit}{'' if unit.endswith('_') else '/'}{short}"
        found += unpacked(whole, content, roster) if short == unit else [HandedIn(whole, content)]
    return found


def _packed(files: Mapping[str, bytes]) -> bytes:
    """Several files of a student as one zip, always with the same bytes."""
    if all(name.lower().endswith(".zip") for name in files):
        return files[max(files)]  # handed in twice: the last one
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), files[name], zipfile.ZIP_DEFLATED)
    return memory.getvalue()
