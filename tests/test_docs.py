"""The documents are right: every command and every snippet in README.md and docs/*.md is run."""

from __future__ import annotations

import csv
import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

from hstar.commands import statuses
from hstar.experiments.design import plan
from hstar.experiments.export import read_rows_csv
from hstar.experiments.schema import ExperimentRequest
from tests import forking
from tests.command_line import run as hstar
from tests.conftest import TEST_ALL
from tests.experiments.test_docs import TEXT as EXPERIMENTS
from tests.experiments.test_docs import without_costs
from tests.packaging.test_run import running
from tests.servers import Valkey
from tests.service.processes import Api, Worker

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OTHER_PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "native/README.md", *sorted((ROOT / "docs/decisions").glob("*.md"))]
#: files that may refer to a decision
#: a page is one topic, and read in two minutes
MOST_WORDS_OF_A_DECISION = 400
TEXTS = {".md", ".py", ".cpp", ".hpp", ".txt", ".ts", ".tsx", ".toml", ".yml", ".conf"}
BLOCK = re.compile(r"^```(sh|python|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str, containing: str) -> list[tuple[str, str]]:
    """(page and line, text) of each block of a language that has this text in it."""
    return [
        (f"{page.name}:{page.read_text()[: m.start()].count(chr(10)) + 1}", m[2])
        for page in PAGES
        for m in BLOCK.finditer(page.read_text())
        if m[1] == language and containing in m[2]
    ]


def shell(text: str, directory: Path, *, stand_in: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a block as a reader would; `curl` is tests/curl.py if curl is missing, or to test that."""
    programs = directory / "programs"
    programs.mkdir(exist_ok=True)
    forking.put_hstar(programs)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    if stand_in or shutil.which("curl") is None:
        text = f"""curl() {{ {shlex.join([sys.executable, str(ROOT / "tests/curl.py")])} "$@"; }}\n{text}"""
    return subprocess.run(
        ["sh", "-eu", "-c", text],
        cwd=directory,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_ten_published_tables_take_under_30_lines_each() -> None:
    own = [text for place, text in blocks("python", "") if place.startswith("published-tables.md:")]
    assert len(own) >= 10
    assert max(len(text.splitlines()) for text in own) < 30


def plain(text: str) -> list[list[str]] | None:
    """The words of each command of a block, if all are plain calls of `hstar` or `cd`; None if a shell is needed."""
    text = text.replace("\\\n", " ")
    bare = re.sub(r"""'[^'\n]*'|"[^"$`\\\n]*\"""", "", text)
    if re.search(r"[^\w\s./:,+=#-]", bare):
        return None
    commands = [words for line in text.splitlines() if (words := shlex.split(line, comments=True))]
    # `hstar store` and `hstar serve` become another program, and would end the tests with success.
    here = all(words[0] in ("hstar", "cd") and words[1] not in ("store", "serve") for words in commands)
    return commands if here else None


def refuted(status: int, said: str) -> bool:
    """Whether a command ended like this because it refutes something."""
    return status == 1 and re.search("refuted|^wrong: ", said, re.MULTILINE) is not None


@pytest.mark.parametrize(("where", "text"), blocks("sh", "hstar "))
def test_commands(where: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process if no shell is needed, because starting Python takes longer than most commands."""
    for folder in ("examples", "checker"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    text = re.sub(r"--trials [0-9]{2,}", "--trials 2", text)
    if not TEST_ALL:
        text = re.sub(r"--k (\d+)-(\d+)", lambda k: f"--k {k[1]}-{min(int(k[2]), int(k[1]) + 4)}", text)
        text = re.sub(r"--limit-seconds \d+", "--limit-seconds 1", text)
    commands = plain(text)
    if commands is None:
        done = shell(text, tmp_path)
        assert done.returncode == 0 or refuted(done.returncode, done.stdout), f"{where}: {done.stderr}"
        assert done.stdout
        return
    monkeypatch.chdir(tmp_path)
    for program, *arguments in commands:
        if program == "cd":
            monkeypatch.chdir(*arguments)
        else:
            said = hstar(*arguments)
            assert said.exit_code == 0 or refuted(said.exit_code, said.stdout), f"{where}: {said.stderr}"
            assert said.stdout


@pytest.mark.parametrize(("where", "text"), blocks("json", '"trials"'))
def test_experiments(where: str, text: str) -> None:
    assert len(plan(ExperimentRequest.model_validate_json(text))) > 0, where


@pytest.mark.parametrize(("where", "text"), blocks("python", ""))
def test_snippets(where: str, text: str) -> None:
    done = forking.run(["-c", text])
    assert done.returncode == 0, f"{where}: {done.stderr}"


@pytest.fixture
def service_url(sqlite_url: str, tmp_path: Path) -> Iterator[str]:
    """The service with one worker; in `make test-all` that of `make run`."""
    with ExitStack() as stack:
        if TEST_ALL:
            yield stack.enter_context(running(tmp_path)).url
            return
        api = stack.enter_context(Api(sqlite_url, stack.enter_context(Valkey()).url))
        stack.enter_context(Worker(api))
        yield api.url


def test_the_documented_calls_of_the_service(service_url: str, tmp_path: Path) -> None:
    """All on one service; the experiment's commands come first, because statistics cover all solves."""
    check_report_of_an_experiment(service_url, tmp_path)
    check_calls_of_the_readme(service_url, tmp_path)


def check_report_of_an_experiment(url: str, tmp_path: Path) -> None:
    ((_, text),) = blocks("sh", "/v1/experiments")
    done = shell(text.replace("localhost:8000", url), tmp_path)
    assert done.returncode == 0, done.stderr
    *_, answer = done.stdout.splitlines()
    shown = without_costs(re.findall(r"```text\n(.*?)```", EXPERIMENTS, re.DOTALL)[0])
    found = {group["values"]["k"]: group["measures"]["expanded"] for group in json.loads(answer)["groups"]}
    assert list(found) == [int(line[0]) for line in shown]
    for k, _, _, median, mean, *_ in shown:
        assert found[int(k)]["median"] == int(median.replace(",", ""))
        assert found[int(k)]["mean"] == pytest.approx(float(mean.replace(",", "")), rel=0.01)
    with (tmp_path / "table.csv").open(newline="") as file:
        assert [float(line["expanded_median_all"]) for line in csv.DictReader(file)] == [
            measure["median_all"] for measure in found.values()
        ]
    with (tmp_path / "rows.csv").open(newline="") as file:
        assert len(list(read_rows_csv(file))) == 60
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def check_calls_of_the_readme(url: str, tmp_path: Path) -> None:
    ((where, text),) = blocks("sh", "/v1/solves")
    text = text.replace("http://localhost:8000", url).replace("localhost:8000", url)
    for stand_in in (False, True):
        done = shell(text, tmp_path, stand_in=stand_in)
        assert done.returncode == 0, f"{where}: {done.stderr}"
        assert '"outcome":"solved"' in done.stdout
        assert '"optimality":"proven"' in done.stdout


def test_the_session_of_the_readme(tmp_path: Path) -> None:
    """The page's commands, and their output; ``...`` stands for omitted lines."""
    (session,) = re.findall(r"^```console\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, expected = part.split("\n", 1)
        done = shell(f"COLUMNS=120 {command}", tmp_path)
        assert done.stderr == ""
        same = OutputChecker().check_output(expected, done.stdout, ELLIPSIS | NORMALIZE_WHITESPACE)
        assert same, f"{command}\n{done.stdout}"


def test_the_page_of_the_command_line_is_what_the_program_says() -> None:
    """To rewrite it: HSTAR_WRITE_DOCS=1 pytest tests/test_docs.py -k page_of_the_command_line"""
    page = ROOT / "docs" / "cli.md"
    made = forking.run(
        ["-m", "typer", "hstar.cli", "utils", "docs", "--name", "hstar", "--title", "Command line"]
    ).stdout
    made = html.unescape(re.sub(r"\n{3,}", "\n\n", made)).strip() + "\n"
    assert made.count(statuses.line()) == 1
    made = made.replace(statuses.line(), statuses.table())
    if os.environ.get("HSTAR_WRITE_DOCS"):
        page.write_text(made)
    assert page.read_text() == made, (
        "make it anew: HSTAR_WRITE_DOCS=1 pytest tests/test_docs.py -k page_of_the_command_line"
    )


def decisions() -> dict[str, tuple[Path, str, str]]:
    """The page, title and status of each decision by its number; a page without them is a failure."""
    found = {}
    for page in sorted((ROOT / "docs" / "decisions").glob("0*.md")):
        head = re.match(
            r"# (\d{4}): (.+)\n\nStatus: (accepted|replaced by \d{4}), \d{4}-\d{2}-\d{2}\.( Includes [\d, ]+\.)?\n\n",
            page.read_text(),
        )
        assert head is not None, f"{page.name} does not begin with its number, title, status and date"
        assert page.name.startswith(f"{head[1]}-"), page.name
        found[head[1]] = (page, head[2], head[3])
    return found


def test_the_index_of_decisions_is_complete() -> None:
    """Each page has one row, under one topic, in the order of the numbers."""
    pages = decisions()
    topics = (ROOT / "docs/decisions/README.md").read_text().split("\n## ")[1:]
    tables = [topic.partition("|---|---|---|\n")[2].rstrip("\n").splitlines() for topic in topics]
    rows = [f"| [{number}]({page.name}) | {title} | {status} |" for number, (page, title, status) in pages.items()]
    assert all(table == sorted(table) for table in tables)
    assert sorted(row for table in tables for row in table) == rows
    assert {status[-4:] for _, _, status in pages.values() if status != "accepted"} <= pages.keys()


def test_decisions_are_short_and_a_number_is_used_once() -> None:
    pages = decisions()
    former: list[str] = []
    for page, _, _ in pages.values():
        text = page.read_text()
        assert len(text.split()) <= MOST_WORDS_OF_A_DECISION, page.name
        former += re.findall(r"\d{4}", text.splitlines()[2].partition("Includes")[2])
    assert len({*former} | pages.keys()) == len(former) + len(pages), sorted(former)


def test_every_decision_that_is_referred_to_is_in_force() -> None:
    pages = decisions()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    referred = 0
    for name in listed.splitlines():
        file = ROOT / name
        if file.suffix not in TEXTS or not file.exists() or name == "docs/decisions/README.md":
            continue
        for number in re.findall(r"\b[Dd]ecisions?[/ ]\n?(\d{4})\b", file.read_text()):
            assert number in pages, f"{name} refers to decision {number}, which does not exist"
            assert pages[number][2] == "accepted", f"{name} refers to decision {number}, which is {pages[number][2]}"
            referred += 1
    assert referred


@pytest.mark.parametrize("page", [*PAGES, *OTHER_PAGES], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target
