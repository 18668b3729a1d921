"""`pytest -n 2`: parts, failures of all kinds, and processes that end."""

import textwrap
from pathlib import Path

from tests import forking

CONFTEST = """
    from tests import parallel
    pytest_addoption = parallel.add_option
    def pytest_runtestloop(session):
        parallel.run(session, lambda name: name.partition("::")[0], session.config.getoption("processes"))
        return True
"""
MODULE = """
    import os, pytest, signal
    from pathlib import Path
    ran = Path(__file__).with_suffix(".ran").open("a")
    @pytest.fixture(scope="session")
    def lasting():
        ran.write(f"up {os.getpid()}\\n")
        yield
        ran.write(f"down {os.getpid()}\\n")
        ran.close()
        raise RuntimeError("this cannot be taken down")
    @pytest.fixture(autouse=True)
    def of_each(lasting):
        ran.write(f"test {os.getpid()}\\n")
        ran.flush()
"""
ONE = """
    def test_passes(tmp_path): assert tmp_path.parent.name == "process-0"
    def test_fails(): print("this was printed"); assert [1] == [2]
    def test_dies(): os.kill(os.getpid(), signal.SIGKILL)
    def test_goes_on(): pass
"""
OTHER = """
    @pytest.mark.parametrize("number", range(5))
    def test_some(number): pass
    @pytest.mark.skip
    def test_none(): pass
"""


def test_every_test_runs_once_and_every_failure_is_told(tmp_path: Path) -> None:
    for name, text in (("conftest", CONFTEST), ("test_one", MODULE + ONE), ("test_other", MODULE + OTHER)):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
    command = ["-m", "pytest", "-n", "2", "-p", "no:xdist", "-p", "no:cacheprovider", "--rootdir", "."]
    done = forking.run([*command, "."], cwd=tmp_path)
    said = done.stdout
    assert done.returncode == 1, said
    assert "2 failed, 7 passed, 1 skipped, 2 errors" in said, said
    for told in (
        "FAILED test_one.py::test_fails", "this was printed", "assert [1] == [2]", "At index 0 diff",
        "FAILED test_one.py::test_dies", "its process has ended with -9",
        "ERROR test_one.py::test_goes_on", "ERROR test_other.py::test_none", "this cannot be taken down",
    ):  # fmt: skip
        assert told in said, said
    (one, other) = ([line.split() for line in (tmp_path / f"test_{name}.ran").read_text().splitlines()]
                    for name in ("one", "other"))  # fmt: skip
    # What is set up for the session is so once in each process, and that which was killed took nothing down.
    assert [word for word, _ in one] == ["up", "test", "test", "test", "up", "test", "down"]
    assert [word for word, _ in other] == ["up", *["test"] * 5, "down"]
    assert len({process for _, process in [*one, *other]}) == 3
