"""`make web`: build the page in web/ into service/static/, and record the digests of its sources in web/built.json.

    python -m tools.web [--out DIRECTORY]

Needs Node 20.19 or newer with npm. Running the service needs neither, because the bundle is in the repository. Its
tests compare the digests of sources and bundle with web/built.json, and rebuild the bundle if Node is installed.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
BUNDLE = ROOT / "service" / "static"
BUILT = WEB / "built.json"
LEAST_NODE = (20, 19)
#: generated files
GENERATED = ("node_modules", "openapi.json", "schema.d.ts", "built.json")
CHROMIUM = """
import { inflate } from "./node_modules/@sparticuz/chromium/build/esm/lambdafs.js";
for (const name of ["chromium.br", "swiftshader.tar.br", "al2023.tar.br", "fonts.tar.br"])
  await inflate(`./node_modules/@sparticuz/chromium/bin/${name}`);
"""


class CannotBuildError(Exception):
    """The reason why the page cannot be built here, as a sentence for the user."""


def check_node() -> None:
    """Raise CannotBuildError unless npm and a new enough Node are installed."""
    wanted = ".".join(map(str, LEAST_NODE))
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise CannotBuildError(f"Building the page needs Node {wanted} or newer and npm, which are not installed.")
    text = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if tuple(map(int, re.findall(r"\d+", text)[:2])) < LEAST_NODE:
        raise CannotBuildError(f"Building the page needs Node {wanted} or newer; found {text}.")


def install() -> None:
    """Install the locked packages into web/node_modules, unless they are installed."""
    check_node()
    stamp = WEB / "node_modules" / ".installed"
    wanted = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    with _alone():
        if not stamp.exists() or stamp.read_text() != wanted:
            _run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
            stamp.write_text(wanted)


def chromium() -> Path:
    """The locked Chromium (of the package @sparticuz/chromium), unpacked below web/node_modules.

    Its libraries are in al2023/lib beside it: add that directory to LD_LIBRARY_PATH.
    """
    install()
    home = WEB / "node_modules" / ".chromium"
    with _alone():
        if not (home / "complete").exists():
            home.mkdir(exist_ok=True)
            _run("node", "--input-type=module", "--eval", CHROMIUM, TMPDIR=str(home))
            (home / "complete").touch()
    return home / "chromium"


def write_types() -> None:
    """Write web/src/api/schema.d.ts from the service's own OpenAPI document."""
    from service.app import create_app
    from store.settings import Settings

    with tempfile.TemporaryDirectory() as home:
        app = create_app(Settings(var=Path(home), broker_url="redis://127.0.0.1:1/0"))
        with app.app_context():
            document = app._get_spec("json")
        app.extensions["hstar"].sessions.close()
    (WEB / "openapi.json").write_text(json.dumps(document, indent=1))
    _run("npm", "run", "--silent", "types")


def build(out: Path) -> None:
    """Check the types of the page and build it into the directory ``out``, which is emptied first."""
    install()
    with _alone():
        write_types()
        _run("npm", "run", "--silent", "check")
        _run("npm", "run", "--silent", "build", "--", "--logLevel", "warn", "--outDir", str(out))
        (out / "licenses.txt").write_text(licenses(), encoding="utf-8")


def shipped() -> dict[str, str]:
    """The versions of the packages of others that the bundle may contain, by their places in node_modules."""
    locked = json.loads((WEB / "package-lock.json").read_text())["packages"]
    return {place: one["version"] for place, one in sorted(locked.items()) if place and not one.get("dev")}


def licenses() -> str:
    """The licence of each of these packages, in full."""
    texts = []
    for place, version in shipped().items():
        files = sorted(path for path in (WEB / place).iterdir() if re.match(r"(?i)licen[sc]e|copying", path.name))
        if not files:
            raise CannotBuildError(f"{place} has no licence")
        text = "\n\n".join(path.read_text(encoding="utf-8").strip() for path in files)
        texts.append(f"{place.rpartition('node_modules/')[2]} {version}\n\n{text}\n")
    return f"\n{'-' * 80}\n\n".join(texts)


def digests() -> dict[str, str]:
    """SHA-256 of the page's sources and of the bundle, as in web/built.json."""
    sources = (path for path in WEB.rglob("*") if not set(path.relative_to(WEB).parts) & set(GENERATED))
    return {"sources": _digest(WEB, sources), "bundle": _digest(BUNDLE, BUNDLE.rglob("*"))}


def _digest(root: Path, paths: Iterator[Path]) -> str:
    found = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        found.update(f"{content}  {path.relative_to(root).as_posix()}\n".encode())
    return found.hexdigest()


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """A lock, so that only one process installs or builds here at a time."""
    with (WEB / "package.json").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _run(*command: str, **more: str) -> None:
    made = subprocess.run(
        command,
        cwd=WEB,
        env=os.environ | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        raise CannotBuildError(f"{' '.join(command[:3])} failed:\n{made.stdout[-4000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the page into service/static/.")
    parser.add_argument("--out", type=Path, default=BUNDLE, help="directory of the bundle (default: service/static)")
    out = parser.parse_args().out.resolve()
    try:
        build(out)
    except CannotBuildError as fault:
        print(fault, file=sys.stderr)
        return 1
    if out == BUNDLE:
        BUILT.write_text(json.dumps(digests(), indent=2) + "\n")
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    print(f"{out}: {size / 1024:.0f} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
