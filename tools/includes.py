"""Checks the kernel (part of `make lint`): a folder of native/core includes only itself and those above it, and lines
have at most 120 columns.

The order is that of the table in native/README.md, the only place that states it. Headers beside the folders are for
the kernel's users; no folder includes them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

__all__ = ["faults", "folders"]

NATIVE = Path(__file__).parent.parent / "native"
_INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]*)[">]')
_ROW = re.compile(r"\| `(\w+)/` \|")


def folders(readme: str) -> list[str]:
    """The folders of the table, in its order."""
    return [row[1] for line in readme.splitlines() if (row := _ROW.match(line))]


def faults(native: Path = NATIVE) -> Iterator[str]:
    """What is not as the table says, each with its file and line."""
    order = folders((native / "README.md").read_text())
    core = native / "core"
    there = {path.name for path in core.iterdir() if path.is_dir()}
    for name in sorted(there ^ set(order)):
        yield f"native/README.md: the table of folders and native/core differ in {name}/"
    for path in sorted(native.rglob("*.?pp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > 120:
                yield f"native/{path.relative_to(native)}:{number}: {len(line)} columns, at most 120"
    for path in sorted(core.rglob("*.?pp")):
        own = path.relative_to(core)
        if len(own.parts) == 1:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not (include := _INCLUDE.match(line)):
                continue
            name, where = include[2], f"native/core/{own}:{number}"
            allowed = order[: order.index(own.parts[0]) + 1] if own.parts[0] in order else []
            if (core / name).is_file() and name.partition("/")[0] not in allowed:
                yield f"{where}: {name} is not of {own.parts[0]}/ or a folder above it in native/README.md"
            elif include[1] == '"' and not (core / name).is_file():
                yield f"{where}: there is no native/core/{name}"


def main() -> int:
    found = list(faults())
    print("\n".join(found) if found else "The kernel's folders include only those above them, in 120 columns.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
