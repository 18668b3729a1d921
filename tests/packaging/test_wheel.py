"""The wheel: what it holds, and that `pip install "hstar[server]"` and `hstar serve` are enough for a first proof."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import httpx
import pytest
from packaging.requirements import Requirement

import hstar
from tests.command_line import run
from tests.packaging import compose
from tests.packaging.wheels import alone, install, serving

#: pages whose commands are run from the wheel; tests/test_docs.py runs all pages from the sources
RUN = [
    "tutorial-instructor",
    "tutorial-student",
    "tutorial-puzzler",
    "tutorial-researcher",
    "tutorial-operator",
    "grading",
]
PROJECT = tomllib.loads((compose.ROOT / "pyproject.toml").read_text())["project"]


def test_the_wheel_holds_the_library_and_below_it_the_service(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    information = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    assert {name.split("/")[0] for name in names} == {"hstar", information}
    below = {name.split("/")[2] for name in names if name.startswith("hstar/server/")}
    assert below == {"checker", "docs", "examples", "migrations", "running", "service", "store", "worker"}
    expected = {
        str(path.relative_to(compose.ROOT))
        for name in below
        for path in (compose.ROOT / name).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    # The manual without what is for developers, and without the large pictures of the page.
    expected = {name for name in expected if not name.startswith(("docs/decisions/", "docs/pictures/page/"))}
    assert {name.removeprefix("hstar/server/") for name in names if name.startswith("hstar/server/")} == expected
    assert "hstar/py.typed" in names
    assert f"{information}/licenses/LICENSE" in names
    assert [name for name in names if name.startswith("hstar/_kernel") and name.endswith(".so")]
    assert not [name for name in names if name.endswith((".pyc", ".cpp", ".hpp"))]


def test_the_extra_has_what_the_service_needs() -> None:
    lines = (compose.ROOT / "requirements" / "run.in").read_text().splitlines()
    locked = {Requirement(line).name for line in lines if line and not line.startswith("#")}
    library = {Requirement(text).name for text in PROJECT["dependencies"]}
    extra = {Requirement(text).name for text in PROJECT["optional-dependencies"]["server"]}
    assert library | extra == locked
    assert not library & extra


def test_the_version_is_the_changelogs_newest() -> None:
    versions = re.findall(
        r"^## (\d+\.\d+\.\d+), \d{4}-\d\d-\d\d$", (compose.ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    assert versions[0] == PROJECT["version"] == hstar.__version__
    assert versions == sorted(versions, key=lambda text: [*map(int, text.split("."))], reverse=True)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("installed"))


def test_the_whole_service_starts_in_an_empty_directory_and_proves(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "store.py").write_text("raise SystemExit('a module of the user was imported')\n")
    with serving(installed, tmp_path) as url:
        with httpx.Client(base_url=url, timeout=60) as client:
            page = client.get("/").text
            script = re.search(r"/static/[^\"]+\.js", page)
            assert script is not None
            assert client.get(script[0]).status_code == 200
            body = {"puzzle": "megaminx", "alg": "U U F", "moves": "ccw", "heuristic": "ceil(misplaced_facelets / 15)"}
            answer = client.post("/v1/solves", json=body, headers={"Prefer": "wait=30"})
            found = client.get(answer.headers["Location"], headers={"Prefer": "wait=30"}).json()
            assert (found["outcome"], found["optimality"], found["length"]) == ("solved", "proven", 3)
        keys = subprocess.run(
            [installed / "hstar", "store", "keys", "list"],
            cwd=tmp_path, env=alone(tmp_path), capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert keys.returncode == 0, keys.stderr
    # Its data is in the user's directory, and nothing beside the output in the empty one.
    assert (tmp_path / "data" / "hstar" / "server" / "hstar.sqlite").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {"output", "data", "store.py", "programs"}


def on_a_page(page: str) -> list[str]:
    """The blocks of a page that are run, as commands of a shell."""
    found = re.findall(
        r"^```(sh|python)\n(.*?)^```$", (compose.ROOT / "docs" / f"{page}.md").read_text(), re.MULTILINE | re.DOTALL
    )
    return [text if language == "sh" else f"python - <<'END'\n{text}END\n" for language, text in found]


@pytest.mark.thorough
@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_run_as_they_stand(page: str, installed: Path, tmp_path: Path) -> None:
    """In one empty directory, one after the other, as their reader runs them; the status is 1 where one refutes."""
    environment = alone(tmp_path) | {"PATH": f"{installed}{os.pathsep}{os.environ['PATH']}"}
    blocks = on_a_page(page)
    for block in blocks:
        done = subprocess.run(
            ["sh", "-eu", "-c", block], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 or (
            done.returncode == 1 and re.search("refuted|^wrong: ", done.stdout, re.MULTILINE)
        ), f"{block}\n{done.stdout}\n{done.stderr}"
    assert len(blocks) >= 2


def test_files_are_unpacked_once_and_never_over_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = run("unpack", "checker", "there", "--json")
    assert (first.exit_code, len(json.loads(first.stdout)["items"])) == (0, 2), first.stderr
    script = Path("there", "checker", "check.py")
    assert script.read_bytes() == (compose.ROOT / "checker" / "check.py").read_bytes()
    Path("there", "checker", "check.c").unlink()
    assert run("unpack", "checker", "there").exit_code == 0
    assert Path("there", "checker", "check.c").exists()
    script.write_text("# mine\n")
    Path("there", "checker", "check.c").unlink()
    refused = run("unpack", "checker", "there")
    assert (refused.exit_code, str(script) in refused.stderr, script.read_text()) == (2, True, "# mine\n")
    assert not Path("there", "checker", "check.c").exists()
    Path("file").write_text("")
    assert run("unpack", "examples", "file").exit_code == 2


def test_without_the_extra_it_says_what_to_install(wheel: Path, tmp_path: Path) -> None:
    code = (
        "import importlib.util as u, sys; found = u.find_spec\n"
        "import hstar.commands.serve as s; s.find_spec = lambda name: None if name == 'celery' else found(name)\n"
        "sys.argv = ['hstar', 'serve']; from hstar.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'hstar[server]'" in done.stderr
    assert "celery is not installed" in done.stderr
