"""The Makefile: its targets, when it builds again, and its errors on a machine that lacks something."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXPECTED = {"help", "setup", "run", "test", "bench", "lint"}


def make(*arguments: str, cwd: Path = ROOT) -> str:
    """The output of `make`, without the variables of the `make` that runs the tests."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name != "MFLAGS"}
    done = subprocess.run(["make", *arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def preflight(**env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "tools/preflight.py"],
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A checkout where everything is installed and nothing has changed since."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("native", "requirements", "src"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    make("--dry-run", "setup", cwd=tmp_path)  # lists the modules
    for path in tmp_path.rglob("*"):
        os.utime(path, (0, 0))
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for age, name in enumerate(("bin/python", ".installed-run", ".installed-hstar"), 1):
        (tmp_path / ".venv" / name).touch()
        os.utime(tmp_path / ".venv" / name, (age, age))
    return tmp_path


def test_help_explains_every_target_a_user_needs() -> None:
    listed = dict(line.split(maxsplit=1) for line in make("help").splitlines())
    assert set(listed) >= EXPECTED
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(listed) <= rules
    assert make() == make("help")


def test_bytecode_is_kept_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    shown = f"shown: ; @{sys.executable} -c 'import sys; print(sys.dont_write_bytecode)'"
    assert make(f"--eval={shown}", "shown") == "False\n"


def test_continuous_integration_runs_every_test_that_is_not_thorough() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-2:] == ["make test", "exec make test-slow"]


def test_each_slow_test_is_there() -> None:
    """One that is renamed would be no longer slow."""
    for line in (ROOT / "tests" / "slow.txt").read_text().splitlines():
        module, _, test = line.partition("::")
        assert f"def {test.partition('[')[0]}" in (ROOT / module).read_text(), line


def test_a_module_that_moved_repeats_the_installation(installed: Path) -> None:
    (installed / "src/hstar/cli.py").rename(installed / "src/hstar/elsewhere.py")
    assert "--editable" in make("--dry-run", "setup", cwd=installed)
    assert "--editable" in make("--dry-run", "setup", cwd=installed)


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ("native/binding.cpp", ["--editable"]),
        ("native/tests/CMakeLists.txt", []),
        ("pyproject.toml", ["--editable"]),
        ("src/hstar/__init__.py", []),
        ("requirements/run.txt", ["-r requirements/run.txt", "--editable"]),
        ("requirements/build.txt", ["-r requirements/build.txt", "--editable"]),
    ],
)
def test_a_change_repeats_only_dependent_steps(installed: Path, changed: str, again: list[str]) -> None:
    assert "tools.install" not in make("--dry-run", "setup", cwd=installed)
    done = make("--dry-run", f"--what-if={changed}", "setup", cwd=installed)
    installs = [line for line in done.splitlines() if "tools.install" in line]
    assert bool(installs) == bool(again)
    for words in again:
        assert any(words in line for line in installs), done


def test_installing_demands_hashes_and_building_is_not_isolated() -> None:
    dry = make("--dry-run", "--always-make", "setup")
    installs = [line for line in dry.splitlines() if "tools.install" in line]
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert "--no-build-isolation --no-deps" in installs[1]


@pytest.mark.parametrize("uv_works", [True, False])
def test_the_installer_hands_the_same_to_uv_or_to_pip(tmp_path: Path, uv_works: bool) -> None:
    """Stand-ins for uv and pip, which only record their arguments."""
    calls = tmp_path / "calls"
    for name, status in (("uv", 0 if uv_works else 2), ("python", 0)):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$UV_FIND_LINKS" "$@" >> {calls}\nexit {status}\n')
        (tmp_path / name).chmod(0o755)
    script = (
        "import sys; from tools import install\n"
        "settings = install.uv_environment()\n"
        f"sys.executable = install.PIP_INSTALL[0] = {str(tmp_path / 'python')!r}\n"
        "install.uv_environment = lambda: settings\n"
        "sys.exit(install.main(['--require-hashes', '-r', 'some.txt']))"
    )
    env = {**os.environ, "PIP_FIND_LINKS": f"{tmp_path} /not/there https://elsewhere/"}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=env, check=False)
    assert done.returncode == 0
    wanted = "install --python TMP/python --quiet --require-hashes -r some.txt"
    said = calls.read_text().replace(str(tmp_path), "TMP").splitlines()
    assert said[0] == f"uv TMP,https://elsewhere/ pip {wanted}"
    assert len(said) == (1 if uv_works else 2)
    assert uv_works or said[1].endswith(
        "-m pip --disable-pip-version-check --no-input install --no-compile --quiet --require-hashes -r some.txt"
    )


def test_the_installer_says_how_many_packages_it_installs() -> None:
    locked = ROOT / "requirements" / "install.txt"
    said = installed_by(["-r", str(locked)], "true").stdout
    assert said == f"setup: installing {len(re.findall('^[a-z0-9-]+==', locked.read_text(), re.MULTILINE))} packages\n"


BUILD = """echo 'DEBUG configuring'; for n in 1 2 3; do echo "DEBUG [$n/3] Building CXX object $n.cpp.o"; done; """


def test_a_build_says_how_many_files_are_built_and_nothing_else() -> None:
    done = installed_by(["--editable", "."], f"{BUILD} exit 0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "building the kernel: 3 of 3 files\n"  # a line in seconds, and always the last


def test_a_failed_build_shows_the_compilers_output() -> None:
    done = installed_by(["--editable", "."], f"{BUILD} echo 'a.cpp:1: error: no such type'; exit 1")
    assert done.returncode == 1
    assert "a.cpp:1: error: no such type" in done.stderr
    assert "DEBUG" not in done.stderr


def installed_by(arguments: list[str], installer: str) -> subprocess.CompletedProcess[str]:
    """The installer with a shell script in place of pip, and no uv."""
    script = (
        "import sys; from tools import install\n"
        "install.find_uv = lambda: None\n"
        f"install.PIP_INSTALL[:] = ['sh', '-c', {installer!r}, 'pip']\n"
        f"sys.exit(install.main({arguments!r}))"
    )
    command = [sys.executable, "-c", script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_machine_with_everything_passes() -> None:
    done = preflight()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("compiler", "said"),
    [("no-such-compiler", "there is no C++ compiler no-such-compiler"), ("false", "false does not compile C++20")],
)
def test_a_missing_compiler_is_reported(compiler: str, said: str) -> None:
    done = preflight(CXX=compiler)
    assert done.returncode == 1
    assert said in done.stderr
    assert "apt-get install g++" in done.stderr


def test_all_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    """Each check, as for an interpreter without headers and a machine without a compiler."""
    script = (
        "import sys, sysconfig; sys.path.insert(0, '.'); from tools import preflight\n"
        f"sysconfig.get_path = lambda name: {str(tmp_path)!r}\n"
        "sys.exit(preflight.main())"
    )
    env = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "without its C headers" in done.stderr
    assert "no C++ compiler." in done.stderr
