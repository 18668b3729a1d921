"""A wall clock that can be set, seen only by programs that are started with `environment`."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class Clock:
    """The preloaded library, and the file with the seconds. Needs Linux and a C compiler."""

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="hstar-clock-"))
        # PostgreSQL does not run as root, and must read both.
        self._home.chmod(0o755)
        self._seconds, self._library = self._home / "seconds", self._home / "clock.so"
        self.set(0)
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(self._library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that make a program see this clock."""
        return {"LD_PRELOAD": str(self._library), "CHAOS_CLOCK": str(self._seconds)}

    def set(self, seconds: int) -> None:
        """Set it so many seconds ahead of the true time (behind, if negative), for all its programs at once."""
        with self._seconds.open("r+b" if self._seconds.exists() else "w+b") as file:
            file.write(struct.pack("l", seconds))

    def close(self) -> None:
        """Remove the files."""
        shutil.rmtree(self._home, ignore_errors=True)
