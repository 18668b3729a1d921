"""Files of tables: a damaged file is built again, and only one of several processes builds."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hstar.databases import watching
from hstar.databases.files import TableFile, directory, kept_files, load_or_build

KEY = {"kind": "test", "size": 3}
DATA = np.arange(5000, dtype=np.uint8)


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path / "tables"))
    return tmp_path / "tables"


class Builder:
    """Builds the table, and counts how often."""

    def __init__(self) -> None:
        self.built = 0

    def __call__(self) -> tuple[dict[str, int], np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]:
        self.built += 1
        return {"bits": 8, "number": self.built}, DATA.copy()


def load(builder: Builder) -> TableFile:
    return load_or_build("test", KEY, builder)


def test_it_is_built_once_and_mapped_read_only(own_directory: Path) -> None:
    builder = Builder()
    first, second = load(builder), load(builder)
    assert builder.built == 1
    for table in (first, second):
        assert isinstance(table.data, np.memmap)
        assert (table.data == DATA).all()
        assert dict(table.facts) == {"bits": 8, "number": 1}
        assert table.path is not None
        assert table.path.parent == own_directory
        with pytest.raises(ValueError, match="read-only"):
            table.data[0] = 1
    assert not list(own_directory.glob("*.part"))


def test_a_file_system_without_locks_keeps_tables_too(own_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    builder = Builder()
    assert load(builder).path is not None
    assert (load(builder).data == DATA).all()
    assert builder.built == 1


def test_another_key_is_another_file() -> None:
    builder = Builder()
    load(builder)
    other = load_or_build("test", {**KEY, "size": 4}, builder)
    assert builder.built == 2
    assert other.facts["number"] == 2
    assert load(builder).facts["number"] == 1


@pytest.mark.parametrize("offset", [0, 8, 12, 20, 40, 4096, 6000, -1])
def test_a_changed_byte_is_noticed(offset: int) -> None:
    builder = Builder()
    path = load(builder).path
    assert path is not None
    content = bytearray(path.read_bytes())
    content[offset] ^= 0x40
    path.write_bytes(content)
    assert (load(builder).data == DATA).all()
    assert builder.built == 2
    load(builder)
    assert builder.built == 2


@pytest.mark.parametrize("size", [0, 7, 100, 4095, 4096, 9000])
def test_a_file_cut_short_is_noticed(size: int) -> None:
    builder = Builder()
    path = load(builder).path
    assert path is not None
    path.write_bytes(path.read_bytes()[:size])
    assert (load(builder).data == DATA).all()
    assert builder.built == 2


def test_a_table_of_another_version_is_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = Builder()
    load(builder)
    monkeypatch.setattr("hstar.databases.files.VERSION", 3)
    load(builder)
    assert builder.built == 2


def test_without_a_place_to_write_the_table_is_kept_in_memory(own_directory: Path) -> None:
    own_directory.parent.mkdir(exist_ok=True)
    own_directory.write_text("a file where the directory should be")
    builder = Builder()
    table = load(builder)
    assert (table.data == DATA).all()
    assert table.path is None
    assert not table.data.flags.writeable


def test_a_build_that_fails_leaves_nothing(own_directory: Path) -> None:
    def fail() -> tuple[dict[str, int], np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]:
        raise MemoryError

    with pytest.raises(MemoryError):
        load_or_build("test", KEY, fail)
    assert not list(own_directory.glob("*.p*"))
    assert load(Builder()).facts["number"] == 1


def test_of_several_processes_one_builds(tmp_path: Path, own_directory: Path) -> None:
    program = tmp_path / "build.py"
    program.write_text(
        "import os, sys, time\n"
        "import numpy as np\n"
        "from hstar.databases.files import load_or_build\n"
        "def build():\n"
        "    open(os.path.join(sys.argv[1], f'built-{os.getpid()}'), 'w').close()\n"
        "    time.sleep(0.5)\n"
        "    return {}, np.arange(1000, dtype=np.uint8)\n"
        "table = load_or_build('shared', {'a': 1}, build)\n"
        "print(int(table.data.sum()), type(table.data).__name__)\n"
    )
    environment = {**os.environ, "HSTAR_DATABASES": str(own_directory)}
    running = [
        subprocess.Popen([sys.executable, program, tmp_path], stdout=subprocess.PIPE, env=environment, text=True)
        for _ in range(3)
    ]
    outputs = {process.communicate(timeout=60)[0].strip() for process in running}
    assert all(process.returncode == 0 for process in running)
    assert outputs == {f"{int(np.arange(1000, dtype=np.uint8).sum())} memmap"}
    assert len(list(tmp_path.glob("built-*"))) == 1


def test_a_full_disk_costs_the_file_and_not_the_table(tmp_path: Path, own_directory: Path) -> None:
    program = tmp_path / "full.py"
    program.write_text(
        "import resource\n"
        "import numpy as np\n"
        "from hstar.databases.files import load_or_build\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "table = load_or_build('full', {}, lambda: ({}, np.arange(5000, dtype=np.uint8)))\n"
        "print(len(table.data), table.path)\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["5000", "None"]
    assert not [*own_directory.glob("*.part"), *own_directory.glob("*.pdb")]


def test_a_build_that_was_killed_is_begun_again(tmp_path: Path, own_directory: Path) -> None:
    program = tmp_path / "killed.py"
    program.write_text(
        "import time\n"
        "from hstar.databases.files import load_or_build\n"
        "def build():\n"
        "    print('building', flush=True)\n"
        "    time.sleep(600)\n"
        f"load_or_build('test', {KEY!r}, build)\n"
    )
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline() == "building\n"
        (lock,) = own_directory.glob("*.lock")
        (own_directory / f"{lock.stem}-cut.part").write_bytes(b"what a killed process had written")
        killed.kill()
    assert (load(Builder()).data == DATA).all()
    assert not list(own_directory.glob("*.part"))


def test_waiting_for_another_process_is_shown_and_can_be_cancelled(own_directory: Path) -> None:
    class Enough(Exception):
        pass

    told = []

    def watch(what: str, done: int, total: int) -> None:
        told.append((what, done, total))
        if len(told) == 2:
            raise Enough

    path = load(Builder()).path
    assert path is not None
    path.unlink()
    with path.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Enough), watching(watch):
            load(Builder())
    assert told == [(f"{path.stem}, by another process", 0, 0)] * 2
    assert load(Builder()).facts["number"] == 1


def test_where_tables_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert directory() == tmp_path / "tables"
    monkeypatch.delenv("HSTAR_DATABASES")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert directory() == tmp_path / "cache" / "hstar"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert directory() == tmp_path / ".cache" / "hstar"


def load_sized(name: str, mib: int) -> TableFile:
    def build() -> tuple[dict[str, int], np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]:
        return {"bits": 8}, np.zeros(mib * 2**20, dtype=np.uint8)

    return load_or_build(name, {"name": name}, build)


def names(directory: Path) -> set[str]:
    return {path.name.partition("-")[0] for path in directory.glob("*.pdb")}


def no_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_parts: object) -> str:
        raise AssertionError("all bytes are read")

    monkeypatch.setattr("hstar.databases.files._sha256", refuse)


def test_a_file_is_read_once_and_again_after_a_write(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = Builder()
    path = load(builder).path
    assert path is not None
    with monkeypatch.context() as patched:
        no_reading(patched)
        assert (load(builder).data == DATA).all()  # since it was written by a build
        path.touch()
        with pytest.raises(AssertionError, match="all bytes are read"):
            load(builder)
    assert (load(builder).data == DATA).all()
    no_reading(monkeypatch)
    assert (load(builder).data == DATA).all()
    assert builder.built == 1


def test_a_note_about_another_file_is_not_believed(own_directory: Path) -> None:
    builder = Builder()
    path = load(builder).path
    assert path is not None
    # Of the same size and time, as a backup that was damaged.
    copy = own_directory / "copy"
    shutil.copy2(path, copy)
    with copy.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"?")
    os.utime(copy, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    copy.replace(path)
    assert (load(builder).data == DATA).all()
    assert builder.built == 2
    note = path.with_suffix(".seen")
    for text in ("", "[]", "null", "{", note.read_text()[:-2] + "9]"):
        note.write_text(text)
        assert (load(builder).data == DATA).all()
    assert builder.built == 2


def two_parts(second: bytes) -> TableFile:
    return load_or_build("parts", {}, lambda: ({}, DATA.copy(), np.frombuffer(second, dtype=np.uint8).copy()))


@pytest.mark.parametrize("size", [1, 4095, 4096, 10_000])
def test_every_part_is_kept_and_checked(size: int) -> None:
    built, opened = two_parts(b"a" * size), two_parts(b"b" * size)
    for table in (built, opened):
        assert [part.tobytes() for part in table.parts] == [DATA.tobytes(), b"a" * size]
        assert all(part.ctypes.data % 4096 == 0 for part in table.parts)
        assert table.size == len(DATA) + size
    assert opened.path is not None
    with opened.path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"?")
    assert two_parts(b"c" * size).parts[1].tobytes() == b"c" * size


def test_processes_that_open_a_table_at_once_all_find_it_whole(tmp_path: Path, own_directory: Path) -> None:
    load(Builder())
    program = tmp_path / "open.py"
    program.write_text(
        "from hstar.databases.files import load_or_build\n"
        f"table = load_or_build('test', {KEY!r}, lambda: 1 / 0)\n"
        "print(int(table.data.sum()), len(list(table.path.parent.glob('*.seen'))))\n"
    )
    (note,) = own_directory.glob("*.seen")
    note.unlink()
    running = [subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = {process.communicate(timeout=60)[0].strip() for process in running}
    assert outputs == {f"{int(DATA.sum())} 1"}
    assert not list(own_directory.glob("*.part"))


def test_a_check_reads_everything_and_removes_what_is_damaged(own_directory: Path) -> None:
    assert list(kept_files()) == []
    load(Builder())
    for name in ("cut", "changed", "older"):
        path = load_sized(name, 1).path
        assert path is not None
        content = bytearray(path.read_bytes())
        content[8 if name == "older" else -1] ^= 1  # the version, or a byte of the table
        path.write_bytes(content[: -1 if name == "cut" else None])
    (own_directory / "no-table.pdb").write_text("?")
    assert [(kept.name.partition("-")[0], kept.whole) for kept in kept_files()] == [
        (name, None) for name in ("changed", "cut", "no", "older", "test")
    ]
    assert {kept.name.partition("-")[0]: kept.whole for kept in kept_files(check=True)} == {
        "changed": False, "cut": False, "no": False, "older": False, "test": True,
    }  # fmt: skip
    (kept,) = kept_files()
    assert (kept.name.partition("-")[0], kept.bytes) == ("test", 4096 + len(DATA))
    assert names(own_directory) == {"test"}


def test_the_least_recently_used_file_is_deleted(own_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES_MIB", "7")
    for age, name in enumerate(("first", "second", "third")):
        path = load_sized(name, 2).path
        assert path is not None
        os.utime(path.with_suffix(".seen"), (1000 + age, 1000 + age))
    held = load_sized("first", 2)
    assert load_sized("fourth", 2).path is not None
    assert names(own_directory) == {"first", "third", "fourth"}
    # A table that can never fit is not saved, and no other is deleted for it.
    assert load_sized("huge", 8).path is None
    assert names(own_directory) == {"first", "third", "fourth"}
    monkeypatch.setenv("HSTAR_DATABASES_MIB", "3")
    assert load_sized("fifth", 2).path is not None
    assert names(own_directory) == {"fifth"}
    # A process that has opened a deleted file can still read it.
    assert not held.data.any()


def test_a_reserve_of_the_disk_stays_free(own_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_sized("first", 1).path is not None
    monkeypatch.setenv("HSTAR_RESERVE_MIB", str(2**39))
    assert load_sized("second", 1).path is None
    assert names(own_directory) == {"first"}
