"""The bundle in the repository: built from exactly these sources, small, and locked."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from tools import web

FIRST_VIEW_BYTES = 100_000


def test_the_bundle_is_the_one_built_of_these_sources() -> None:
    assert json.loads(web.BUILT.read_text()) == web.digests(), "run `make web` and commit what it changes"


@pytest.mark.thorough  # the test above compares the digests of the sources and of the bundle
def test_building_again_makes_the_same_bytes(tmp_path: Path) -> None:
    try:
        web.build(tmp_path)
    except web.CannotBuildError as fault:
        if "needs Node" in str(fault):
            pytest.skip(str(fault))
        raise
    names = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {path.relative_to(web.BUNDLE) for path in web.BUNDLE.rglob("*") if path.is_file()}
    for name in names:
        assert (tmp_path / name).read_bytes() == (web.BUNDLE / name).read_bytes(), f"{name} is stale: run `make web`"


def test_the_first_view_is_small() -> None:
    page = (web.BUNDLE / "index.html").read_text(encoding="utf-8")
    needed = re.findall(r'(?:src|href)="/static/([^"]+)"', page)
    assert any(name.endswith(".js") for name in needed)
    assert any(name.endswith(".css") for name in needed)
    files = [web.BUNDLE / "index.html", *(web.BUNDLE / name for name in needed)]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) <= FIRST_VIEW_BYTES


def test_the_page_names_no_other_host() -> None:
    page = (web.BUNDLE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r'(?:src|href)="(?!/|data:)', page)


def test_packages_are_locked_with_hashes_and_without_addresses() -> None:
    packages = json.loads((web.WEB / "package-lock.json").read_text())["packages"]
    assert len(packages) > 10
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert not name or package["integrity"].startswith("sha512-"), name
    wanted = json.loads((web.WEB / "package.json").read_text())
    for version in (wanted["dependencies"] | wanted["devDependencies"]).values():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version)


def test_the_licence_of_every_package_in_it_comes_with_it() -> None:
    text = (web.BUNDLE / "licenses.txt").read_text(encoding="utf-8")
    parts = {part.partition("\n")[0]: part for part in text.split(f"\n{'-' * 80}\n\n")}
    assert list(parts) == [
        f"{place.rpartition('node_modules/')[2]} {version}" for place, version in web.shipped().items()
    ]
    assert {"preact", "openapi-fetch", "@observablehq/plot"} <= {name.rpartition(" ")[0] for name in parts}
    assert all(re.search("(?i)permission|redistribution|licen[sc]e", part) for part in parts.values())
