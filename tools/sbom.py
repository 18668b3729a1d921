"""`make sbom`: every shipped package with its version and hashes, in the format CycloneDX.

build/sbom/python.json is made from requirements/run.txt, and build/sbom/web.json, if npm is installed, from the page's
lock file.
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
    """The packages of the service, the worker and the library."""
    program = Path(sys.executable).parent / "cyclonedx-py"
    command = [str(program), "requirements", "requirements/run.txt", "--pyproject", "pyproject.toml"]
    command += ["--output-reproducible", "--output-format", "JSON", "--output-file", str(OUT / "python.json")]
    subprocess.run(command, cwd=ROOT, check=True)


def write_web() -> None:
    """The packages of the page's bundle."""
    with tempfile.TemporaryDirectory() as directory:
        # npm needs a version, and the page has none because it is not published.
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
