"""Report everything that this machine lacks for `make setup`, before anything is installed.

Runs on the system's Python, which may be too old for hstar: standard library only, and nothing newer than Python 3.7.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

OLDEST = (3, 11)
PROBE = "#include <bit>\n#include <span>\nint main() { return std::popcount(0u); }\n"


def python_faults() -> list[str]:
    """The fault of the interpreter that runs this, if any."""
    running = f"{sys.executable} is Python {sys.version_info[0]}.{sys.version_info[1]}"
    if tuple(sys.version_info[:2]) < OLDEST:
        return [f"{running}; hstar needs {OLDEST[0]}.{OLDEST[1]} or newer. Choose one: make setup PYTHON=python3.12"]
    faults = []
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        faults.append(f"{running} without venv and ensurepip. Debian: apt-get install python3-venv")
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        faults.append(f"{running} without its C headers (Python.h). Debian: apt-get install python3-dev")
    return faults


def compiler_faults() -> list[str]:
    """The fault of the C++ compiler that CMake will find, if any."""
    advice = "Debian: apt-get install g++; macOS: xcode-select --install; or set CXX to a compiler"
    command = shlex.split(os.environ.get("CXX", "")) or [c for c in ("c++", "g++", "clang++") if shutil.which(c)][:1]
    if not command:
        return [f"there is no C++ compiler. {advice}"]
    if shutil.which(command[0]) is None:
        return [f"there is no C++ compiler {command[0]} (from CXX). {advice}"]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.cpp"
        source.write_text(PROBE)
        probe = [*command, "-std=c++20", str(source), "-o", str(Path(folder) / "probe")]
        tried = subprocess.run(probe, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [] if tried.returncode == 0 else [f"{command[0]} does not compile C++20. {advice}"]


def main() -> int:
    faults = python_faults() + compiler_faults()
    for fault in faults:
        sys.stderr.write(f"hstar cannot be set up: {fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
