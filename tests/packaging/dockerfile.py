"""Parses a Dockerfile, and runs its steps without a container engine (a "rehearsal").

Every step runs as written, in a directory that stands for the image's root: the image's paths become paths below it.
Steps of the system's package manager and user database are skipped (`SYSTEM`); the base image's `python` is the one
that runs the tests. The base image itself is not tested.

With a wheel, a rehearsal is brief: that wheel replaces the one that the image would build, and uv replaces pip
(`BRIEF`). The result is the same packages in the same places, in a tenth of the time.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

from uv import find_uv_bin

from tools.install import uv_environment

SYSTEM = ("apt-get", "groupadd", "useradd")
# The directories below the image's root that our steps name.
OURS = re.compile(r"(?<![\w./-])/(opt|app|src)(?=[/\s:]|$)")
# The commands that a brief rehearsal replaces.
BRIEF = [
    (re.compile(r"\bpython -m venv\b"), "python -m venv --without-pip"),
    (re.compile(r"(/opt/\w+)/bin/pip install\b"), rf"{shlex.quote(find_uv_bin())} pip install --python \1/bin/python"),
    (re.compile(r"(PATH=\S+ )?/opt/\w+/bin/pip wheel .*--wheel-dir (/opt/\w+) .*"), r"install -D -t \2 $WHEEL"),
]


@dataclass(frozen=True)
class Step:
    """One instruction: `COPY --from=build /app /app` is ("COPY", "/app /app", {"from": "build"})."""

    instruction: str
    text: str
    flags: dict[str, str]


@dataclass
class Stage:
    """A stage: the steps after one FROM."""

    base: str
    name: str | None
    steps: list[Step] = field(default_factory=list)

    def all(self, instruction: str) -> list[Step]:
        """The steps of one kind, in order."""
        return [step for step in self.steps if step.instruction == instruction]

    def last(self, instruction: str) -> str:
        """The text of the last step of one kind, which is the effective one."""
        return self.all(instruction)[-1].text


def parse(text: str) -> list[Stage]:
    """The stages of a Dockerfile without heredocs. Raises ValueError on a step before the first FROM."""
    stages: list[Stage] = []
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        instruction, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        flags = {}
        while found := re.match(r"--(\w+)=(\S+)\s+", rest):
            flags[found[1]] = found[2]
            rest = rest[found.end() :]
        if instruction == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(base, name or None))
        elif not stages:
            raise ValueError(f"{instruction} before FROM")
        else:
            stages[-1].steps.append(Step(instruction, rest, flags))
    return stages


def proxies() -> dict[str, str]:
    """The machine's proxy settings, which its package index may need."""
    return {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}


def share_bytecode(environment: Path, prefix: Path | None = None) -> None:
    """Give another environment what Python has compiled for this one, so that it need not compile a thousand modules.

    Python takes a compiled module if its source has the same time and size, which is so if uv linked both environments
    to one cache. `prefix`: the other environment's PYTHONPYCACHEPREFIX.
    """
    ours = Path(sysconfig.get_path("purelib"))
    (packages,) = environment.glob("lib/python*/site-packages")
    for compiled in ours.rglob("__pycache__"):
        package = packages / compiled.relative_to(ours).parent
        if package.is_dir():
            target = package / "__pycache__" if prefix is None else prefix / str(package).lstrip("/")
            shutil.copytree(compiled, target, dirs_exist_ok=True, copy_function=shutil.copyfile)


class Rehearsal:
    """Runs the stages of a Dockerfile one after the other.

    `root` has the files of the current stage. When the next stage begins, they are moved to a directory with the
    stage's name, so that each stage has its files under the same paths, and only those that it copied.
    """

    def __init__(self, context: Path, directory: Path, wheel: Path | None = None) -> None:
        self.context = context
        self.directory = directory
        self.wheel = wheel
        self._uv = {**uv_environment(), **proxies()} if wheel else {}
        self.root = directory / "root"
        self.workdir = self.root
        self.env: dict[str, str] = {}
        self._base = directory / "base" / "bin"
        self._base.mkdir(parents=True)
        for name in ("python", "python3"):
            (self._base / name).symlink_to(Path(sys.base_prefix) / "bin" / "python3")

    def build(self, stages: list[Stage]) -> None:
        """Run every stage; afterwards `root`, `workdir` and `env` are the image's."""
        for number, stage in enumerate(stages):
            self.workdir, self.env = self.root, {}
            self.root.mkdir()
            for step in stage.steps:
                handler = getattr(self, f"_{step.instruction.lower()}", None)
                if handler is None:
                    raise ValueError(f"no rehearsal of {step.instruction}")
                handler(step)
            if number < len(stages) - 1:
                self.root.rename(self.directory / str(stage.name))
        if self.wheel is not None:
            share_bytecode(self.root / "opt" / "hstar", self.directory / "bytecode")

    def path(self, path: str) -> Path:
        """Where the image's `path` is on this machine."""
        return self.root / path.lstrip("/") if path.startswith("/") else self.workdir / path

    def relocate(self, text: str) -> str:
        """`text` with the image's own absolute paths replaced by theirs on this machine."""
        return OURS.sub(lambda found: f"{self.root}/{found[1]}", text)

    def environment(self) -> dict[str, str]:
        """The environment of a process in the image: its ENV, and this machine's settings for the package index."""
        base_path = os.pathsep.join([str(self._base), "/usr/local/bin", "/usr/bin", "/bin"])
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
        own = {name: value.replace("$PATH", base_path) for name, value in self.env.items()}
        home = os.environ.get("HOME", str(self.directory))
        # Without optimisation, which takes most of the time of a build and is not tested here.
        quick = {"SKBUILD_CMAKE_BUILD_TYPE": "None"}
        env = {"PATH": base_path, "HOME": home, "TMPDIR": os.environ.get("TMPDIR", "/tmp"), **quick, **kept, **own}
        if self.wheel is not None:
            # pip compiles everything that it installs; here Python compiles only imported modules, outside of the
            # image.
            env.pop("PYTHONDONTWRITEBYTECODE", None)
            env |= {"WHEEL": str(self.wheel), "PYTHONPYCACHEPREFIX": str(self.directory / "bytecode"), **self._uv}
        return env

    def run(self, command: list[str], **more: str) -> subprocess.Popen[bytes]:
        """Start a process as the image would; its output goes to a file in `directory`. `more`: environment."""
        env = {**self.environment(), **more}
        program = shutil.which(command[0], path=env["PATH"])
        assert program is not None, f"the image has no {command[0]}"
        with (self.directory / f"{Path(program).name}.log").open("ab") as log:
            return subprocess.Popen([program, *command[1:]], cwd=self.workdir, env=env, stdout=log, stderr=log)

    def _run(self, step: Step) -> None:
        if step.text.startswith(SYSTEM):
            return
        text = step.text
        for written, brief in BRIEF if self.wheel is not None else ():
            text = written.sub(brief, text)
        done = subprocess.run(
            ["sh", "-c", self.relocate(text)],
            cwd=self.workdir,
            env=self.environment(),
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.returncode == 0, f"RUN {step.text}\n{done.stdout.decode(errors='replace')}"

    def _copy(self, step: Step) -> None:
        source = self.directory / step.flags["from"] if "from" in step.flags else self.context
        *froms, to = shlex.split(step.text)
        target = self.path(to)
        for name in froms:
            found = source / name.lstrip("/")
            if found.is_dir() and source is self.context:
                unwanted = shutil.ignore_patterns("__pycache__", "*.so")
                shutil.copytree(found, target, dirs_exist_ok=True, ignore=unwanted)
            elif found.is_dir():
                # Links instead of copies: the stage that these files come from is finished.
                shutil.copytree(found, target, symlinks=True, dirs_exist_ok=True, copy_function=os.link)
            else:
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy2(found, target / found.name)

    def _workdir(self, step: Step) -> None:
        self.workdir = self.path(step.text)
        self.workdir.mkdir(parents=True, exist_ok=True)

    def _env(self, step: Step) -> None:
        pairs = (pair.split("=", 1) for pair in shlex.split(step.text))
        self.env.update({name: self.relocate(value) for name, value in pairs})

    def _ignore(self, step: Step) -> None:
        """Metadata: nothing happens when the image is built."""

    _user = _expose = _cmd = _ignore
