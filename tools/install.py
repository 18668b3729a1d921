"""Install into this environment what `pip install` would: `python -m tools.install --require-hashes -r FILE`

It uses uv, which takes a tenth of pip's time, with the package index that pip is configured for. If uv does not work
(no wheel for this machine, an index that only pip can reach), it uses pip. It reports what it installs and, with
`--editable`, the progress of the kernel's build. Standard library only, because nothing else is installed yet.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from time import monotonic

#: pip's options, uv's names for them, and uv's separator between several values
UV_OPTIONS = {
    "index-url": ("UV_DEFAULT_INDEX", ""),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", ""),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", ""),
}
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
# Python compiles modules when they are imported; most modules of the packages never are.
PIP_INSTALL = [*PIP, "install", "--no-compile"]
LOCK = Path(__file__).resolve().parent.parent / "requirements" / "install.txt"
#: ninja's count of built files, after any prefix of uv or pip
BUILT = re.compile(r"\[(\d+)/(\d+)\] (?:Building|Linking)")
#: seconds between two lines of progress in a file; on a terminal one line is overwritten
BETWEEN_LINES = 5


def uv_environment() -> dict[str, str]:
    """The variables that make uv use the package index of pip's configuration files and environment."""
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=True).stdout
    given = dict(line.split("=", 1) for line in listed.splitlines() if "=" in line)
    env = {
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # like pip: the best version of all indexes, checked by its hashes
    }
    for section in ("global", "install", ":env:"):  # later files override earlier ones
        for option, (variable, separator) in UV_OPTIONS.items():
            if value := given.get(f"{section}.{option}"):
                words = str(ast.literal_eval(value)).split()
                if option == "find-links":  # pip ignores a missing directory, uv fails
                    words = [word for word in words if "://" in word or Path(word).exists()]
                if words:
                    env[variable] = separator.join(words)
    return env


def find_uv() -> str | None:
    """The environment's uv, installed from the lock by pip if it is missing; None if that fails."""
    here = str(Path(sys.executable).parent)
    if shutil.which("uv", path=here) is None:
        subprocess.run([*PIP_INSTALL, "--quiet", "--require-hashes", "-r", str(LOCK)], check=False)
    return shutil.which("uv", path=here)


def packages_of(arguments: list[str]) -> int:
    """The number of packages that the requirements files lock."""
    files = [Path(name) for option, name in pairwise(arguments) if option == "-r"]
    lines = (line for file in files if file.exists() for line in file.read_text().splitlines())
    return sum("==" in line and line[:1].isalnum() for line in lines)


def follow_build(command: list[str], env: dict[str, str]) -> int:
    """Run a command that builds the kernel, and show its progress; its output is shown only if it fails."""
    terminal = sys.stdout.isatty()
    written, last, shown = [], monotonic(), False
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            written.append(line)
            found = BUILT.search(line)
            if found and (terminal or found[1] == found[2] or monotonic() - last >= BETWEEN_LINES):
                text = f"building the kernel: {found[1]} of {found[2]} files"
                print(f"\r{text}" if terminal else text, end="" if terminal else "\n", flush=True)
                last, shown = monotonic(), True
    if terminal and shown:
        print()
    if process.returncode:
        # at its end uv repeats the compiler's output, outside of its own log
        sys.stderr.writelines(line for line in written if not line.startswith(("DEBUG", "TRACE")))
    return process.returncode


def install(command: list[str], arguments: list[str], env: dict[str, str]) -> int:
    """Run an installer, quietly, or with the progress of the build if it builds the kernel."""
    if "--editable" in arguments:
        return follow_build([*command, "--verbose", *arguments], env)
    return subprocess.run([*command, "--quiet", *arguments], env=env, check=False).returncode


def main(arguments: list[str]) -> int:
    if packages := packages_of(arguments):
        print(f"setup: installing {packages} packages", flush=True)
    if uv := find_uv():
        command = [uv, "pip", "install", "--python", sys.executable]
        if install(command, arguments, uv_environment() | os.environ) == 0:
            return 0
        print("uv failed; trying pip", file=sys.stderr)
    return install(PIP_INSTALL, arguments, dict(os.environ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
