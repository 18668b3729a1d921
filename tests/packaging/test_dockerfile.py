"""The Dockerfile in a rehearsal: it builds, has the right files and no others, and its commands run and solve a job."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from running.ports import LOOPBACK, free_port
from tests.conftest import TEST_ALL
from tests.packaging import compose
from tests.packaging.dockerfile import Rehearsal, Stage, parse
from tests.servers import START_SECONDS, PostgreSQL, wait_until

SECRETS = {"POSTGRES_PASSWORD": "unused", "REDIS_PASSWORD": "unused", "HSTAR_API_KEYS": "teacher:chalk-and-blackboard"}
AS_TEACHER = {"Authorization": "Bearer chalk-and-blackboard"}
LONG_RUNNING = ("api", "worker", "sweeper")
Tree = dict[str, tuple[int, int]]


@pytest.fixture(scope="module")
def stages() -> list[Stage]:
    return parse((compose.ROOT / "Dockerfile").read_text())


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return dict(compose.load(SECRETS)["services"])


@pytest.fixture(scope="module")
def image(stages: list[Stage], wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """The built image: in `make test-all` with every step as written, otherwise a brief rehearsal with the wheel."""
    rehearsal = Rehearsal(compose.ROOT, tmp_path_factory.mktemp("image"), None if TEST_ALL else wheel)
    rehearsal.build(stages)
    yield rehearsal
    shutil.rmtree(rehearsal.directory)


def test_the_image_runs_as_an_unprivileged_user(stages: list[Stage]) -> None:
    image = stages[-1]
    user = image.last("USER")
    assert user == "10001:10001"
    made = next(step.text for step in image.all("RUN") if "useradd" in step.text)
    assert "--uid 10001" in made
    assert "--gid 10001" in made
    instructions = [step.instruction for step in image.steps]
    assert "RUN" not in instructions[instructions.index("USER") :]


def test_both_stages_have_one_base_and_only_the_first_a_compiler(stages: list[Stage]) -> None:
    assert len({stage.base for stage in stages}) == 1
    compilers = ["g++" in " ".join(step.text for step in stage.all("RUN")) for stage in stages]
    assert compilers == [True, False]


def test_copied_files_are_in_the_build_context(stages: list[Stage]) -> None:
    ignored = (compose.ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[1] == "*"
    allowed = {line[1:].split("/")[0] for line in ignored if line.startswith("!")}
    copied = [step.text.split()[:-1] for step in stages[0].all("COPY")]
    assert {name.split("/")[0] for names in copied for name in names} == allowed


def test_the_image_holds_no_build_tools_and_no_sources(image: Rehearsal) -> None:
    assert sorted(path.name for path in image.root.iterdir()) == ["app", "opt"]
    assert sorted(path.name for path in (image.root / "opt").iterdir()) == ["hstar"]
    installed = {path.name for path in (image.root / "opt/hstar").glob("lib/python*/site-packages/*")}
    assert not {"nanobind", "cmake", "scikit_build_core", "pytest"} & installed
    assert not (image.root / "app/tests").exists()


@pytest.fixture
def database(postgresql: PostgreSQL) -> Iterator[str]:
    url = postgresql.create_database()
    yield url
    postgresql.drop_database(url)


def tree(root: Path) -> Tree:
    """Every file below `root` with its size and the time of its last change."""
    return {str(path): ((found := path.lstat()).st_size, found.st_mtime_ns) for path in root.rglob("*")}


@pytest.mark.thorough
def test_the_services_start_in_the_image_and_solve_and_write_nothing_into_it(
    image: Rehearsal, services: dict[str, Any], database: str, broker_url: str
) -> None:
    port = free_port()

    def environment(name: str) -> dict[str, str]:
        given = dict(services[name]["environment"])
        # The container's host names and network are replaced by this machine's.
        given |= {"HSTAR_DATABASE_URL": database, "HSTAR_BROKER_URL": broker_url}
        if "HSTAR_BIND" in given:
            given["HSTAR_BIND"] = f"{LOOPBACK}:{port}"
        return given

    def is_healthy(name: str) -> bool:
        kind, *test = services[name]["healthcheck"]["test"]
        command = ["sh", "-c", *test] if kind == "CMD-SHELL" else test
        # Compose has replaced $$ already, and the port inside the container is not ours.
        command = [word.replace(":8000", f":{port}").replace("/tmp/", f"{image.directory}/") for word in command]
        return image.run(command, **environment(name)).wait(START_SECONDS) == 0

    before = tree(image.root)
    assert not is_healthy("api")
    assert image.run(services["migrate"]["command"], **environment("migrate")).wait(START_SECONDS) == 0, logs(image)
    with explained(image), contextlib.ExitStack() as stack:
        # One after the other: what one has compiled, the next need not.
        for name in LONG_RUNNING:
            stack.callback(stop, image.run(services[name]["command"], **environment(name)))
            # The checks start a Python, which takes processor time from what they wait for.
            wait_until(partial(is_healthy, name), f"{name} to be healthy", 120, pause=2)
        with httpx.Client(base_url=f"http://{LOOPBACK}:{port}", timeout=30) as client:
            body = {"puzzle": "8-puzzle", "scramble": {"k": 12, "seed": 1}, "heuristic": "manhattan"}
            assert client.post("/v1/solves", json=body).status_code == 401
            client.headers.update(AS_TEACHER)
            submitted = client.post("/v1/solves", json=body)
            assert submitted.status_code == 202, submitted.text
            address = f"/v1/jobs/{submitted.json()['id']}"
            wait_until(lambda: client.get(address).json()["status"] not in {"queued", "running"}, "an answer", 60)
            assert client.get(address).json()["outcome"] == "solved"
    assert tree(image.root) == before


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(30)


@contextlib.contextmanager
def explained(image: Rehearsal) -> Iterator[None]:
    """Add what the processes have printed to a failure."""
    try:
        yield
    except AssertionError as failure:
        failure.add_note(logs(image))
        raise


def logs(image: Rehearsal) -> str:
    """What the processes have printed."""
    return "\n".join(f"== {log.name}\n{log.read_text(errors='replace')}" for log in image.directory.glob("*.log"))
