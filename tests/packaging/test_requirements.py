"""The locked requirements: complete, hashed, the same in every file, and without download addresses."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements"
LOCKS = ("bench", "build", "install", "mutants", "run", "sbom", "test")


def wanted(name: str) -> list[Requirement]:
    """The requirements of `name`.in and of the files that it includes."""
    found = []
    for line in (REQUIREMENTS / f"{name}.in").read_text().splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("-r "):
            found += wanted(text.removeprefix("-r ").removesuffix(".in"))
        elif text:
            found.append(Requirement(text))
    return found


def locked(name: str) -> dict[str, set[str]]:
    """Package -> its versions in `name`.txt (several if they depend on Python's version)."""
    versions: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([\w.-]+)==(\S+)", (REQUIREMENTS / f"{name}.txt").read_text(), re.MULTILINE):
        versions.setdefault(canonicalize_name(package), set()).add(version)
    return versions


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_and_hashed_and_none_has_an_address(name: str) -> None:
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    assert "://" not in text
    assert "index-url" not in text
    entries = [
        entry for entry in re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)) if entry.strip()
    ]
    assert len(entries) == sum(map(len, locked(name).values()))
    for entry in entries:
        assert re.match(r"[\w.-]+==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_fulfils_its_source(name: str) -> None:
    versions = locked(name)
    for requirement in wanted(name):
        found = versions.get(canonicalize_name(requirement.name), set())
        assert found, f"{requirement} is not locked: make lock"
        assert all(requirement.specifier.contains(version) for version in found), requirement


@pytest.mark.parametrize("name", ["build", "install", "run"])
def test_the_tests_run_with_the_versions_that_are_shipped(name: str) -> None:
    versions = locked("test")
    assert {package: versions.get(package) for package in locked(name)} == locked(name)


def test_the_package_asks_for_nothing_that_is_not_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    needed = [(text, "run") for text in project["project"]["dependencies"]]
    needed += [(text, "run") for extra in project["project"]["optional-dependencies"].values() for text in extra]
    needed += [(text, "build") for text in project["build-system"]["requires"]]
    for text, lock in needed:
        requirement = Requirement(text)
        found = locked(lock).get(canonicalize_name(requirement.name), set())
        assert found, text
        assert all(requirement.specifier.contains(version) for version in found), text
