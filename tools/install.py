"""Install into this environment what `pip install` would: `python -m tools.install --require-hashes -r FILE`

uv does it, in a tenth of pip's time, from the package index that pip is set to use. Where uv does not work (no wheel of
it for this machine, an index that only pip can reach), pip does the same. Standard library only: nothing else is
installed yet.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

#: pip's options, what uv calls them, and what uv puts between several values
UV_OPTIONS = {
    "index-url": ("UV_DEFAULT_INDEX", ""),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", ""),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "cert": ("SSL_CERT_FILE", ""),
}
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
# Python compiles what is imported when it is; most of what the packages hold never is.
PIP_INSTALL = [*PIP, "install", "--quiet", "--no-compile"]
LOCK = Path(__file__).resolve().parent.parent / "requirements" / "install.txt"


def uv_environment() -> dict[str, str]:
    """What makes uv ask the package index that pip is set to ask, in its files or in its environment."""
    listed = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=True).stdout
    given = dict(line.split("=", 1) for line in listed.splitlines() if "=" in line)
    env = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # as pip: the best version of all indexes, held to its hashes
    for section in ("global", "install", ":env:"):  # what comes later holds
        for option, (variable, separator) in UV_OPTIONS.items():
            if value := given.get(f"{section}.{option}"):
                words = str(ast.literal_eval(value)).split()
                if option == "find-links":  # a directory that is not there is nothing to pip, and an error to uv
                    words = [word for word in words if "://" in word or Path(word).exists()]
                if words:
                    env[variable] = separator.join(words)
    return env


def find_uv() -> str | None:
    """The environment's uv, which pip installs from the lock if it is not there; None if that fails."""
    here = str(Path(sys.executable).parent)
    if shutil.which("uv", path=here) is None:
        subprocess.run([*PIP_INSTALL, "--require-hashes", "-r", str(LOCK)], check=False)
    return shutil.which("uv", path=here)


def main(arguments: list[str]) -> int:
    if uv := find_uv():
        command = [uv, "pip", "install", "--quiet", "--python", sys.executable, *arguments]
        if subprocess.run(command, env=uv_environment() | os.environ, check=False).returncode == 0:
            return 0
        print("uv did not install this; pip tries", file=sys.stderr)
    return subprocess.run([*PIP_INSTALL, *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
