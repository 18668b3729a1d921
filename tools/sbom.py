"""`make sbom`: every package that is shipped, with its version and hashes, as CycloneDX has it.

build/sbom/python.json is made from requirements/run.txt, and build/sbom/web.json, where npm is installed, from the
page's lock.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "sbom"


def write_python() -> None:
    """What the service, the worker and the library need."""
    program = Path(sys.executable).parent / "cyclonedx-py"
    command = [str(program), "requirements", "requirements/run.txt", "--pyproject", "pyproject.toml"]
    command += ["--output-reproducible", "--output-format", "JSON", "--output-file", str(OUT / "python.json")]
    subprocess.run(command, cwd=ROOT, check=True)


def write_web() -> None:
    """What the page's bundle is made of."""
    with tempfile.TemporaryDirectory() as directory:
        # npm asks for a version, which a page that is never published has not.
        for name in ("package.json", "package-lock.json"):
            text = json.loads((ROOT / "web" / name).read_text()) | {"version": "0.0.0"}
            for own in text.get("packages", {}).values():
                own.setdefault("version", "0.0.0")
            (Path(directory) / name).write_text(json.dumps(text))
        command = ["npm", "sbom", "--package-lock-only", "--omit", "dev", "--sbom-format", "cyclonedx"]
        done = subprocess.run(command, cwd=directory, check=True, stdout=subprocess.PIPE)
    (OUT / "web.json").write_bytes(done.stdout)


def main() -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    write_python()
    if shutil.which("npm") is None:
        print("npm is not installed: build/sbom/web.json was not written")
        return 0
    write_web()
    return 0


if __name__ == "__main__":
    sys.exit(main())
