"""A wall clock that can be set, for programs that are started with `environment`: no other program sees it."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class Clock:
    """The library that is preloaded, and the file with the seconds. Needs a C compiler, and Linux."""

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="hstar-clock-"))
        # PostgreSQL is not run by root, and has to read both.
        self._home.chmod(0o755)
        self._seconds, self._library = self._home / "seconds", self._home / "clock.so"
        self.set(0)
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(self._library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)

    @property
    def environment(self) -> dict[str, str]:
        """What makes a program see this clock."""
        return {"LD_PRELOAD": str(self._library), "CHAOS_CLOCK": str(self._seconds)}

    def set(self, seconds: int) -> None:
        """Set it so far ahead of the true time (behind, if negative), for all who see it at once."""
        with self._seconds.open("r+b" if self._seconds.exists() else "w+b") as file:
            file.write(struct.pack("l", seconds))

    def close(self) -> None:
        """Remove the files."""
        shutil.rmtree(self._home, ignore_errors=True)
