"""The check of the kernel's layers finds what breaks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.includes import NATIVE, faults, folders

TABLE = "| folder | contents |\n|---|---|\n| `base/` | first |\n| `search/` | then |\n"


@pytest.fixture
def native(tmp_path: Path) -> Path:
    """A kernel of two layers, with nothing wrong."""
    (tmp_path / "README.md").write_text(TABLE)
    for name, text in {
        "base/stop.hpp": "#pragma once\n#include <vector>\n",
        "base/stop.cpp": '#include "base/stop.hpp"\n',
        "search/search.hpp": '#include "base/stop.hpp"\n#include "search/node.hpp"\n',
        "search/node.hpp": "#pragma once\n",
        "kernel.hpp": '#include "search/search.hpp"\n',
    }.items():
        file = tmp_path / "core" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


def test_the_kernel_keeps_its_layers() -> None:
    assert list(faults()) == []
    assert len(folders((NATIVE / "README.md").read_text())) > 10


def test_layers_in_order_are_no_fault(native: Path) -> None:
    assert list(faults(native)) == []


@pytest.mark.parametrize(
    ("file", "line", "fault"),
    [
        ("base/stop.hpp", '#include "search/node.hpp"', "base/stop.hpp:1: search/node.hpp is not of base/"),
        ("base/stop.cpp", "  #  include <search/node.hpp>", "base/stop.cpp:1: search/node.hpp is not of base/"),
        ("search/node.hpp", '#include "kernel.hpp"', "search/node.hpp:1: kernel.hpp is not of search/"),
        ("search/node.hpp", '#include "../base/stop.hpp"', "node.hpp:1: there is no native/core/../base/stop.hpp"),
        ("search/node.hpp", '#include "base/none.hpp"', "node.hpp:1: there is no native/core/base/none.hpp"),
        ("search/node.hpp", "//" + 119 * "=", "native/core/search/node.hpp:1: 121 columns, at most 120"),
        ("beam/beam.hpp", "", "the table of folders and native/core differ in beam/"),
    ],
)
def test_a_planted_violation_is_found(native: Path, file: str, line: str, fault: str) -> None:
    path = native / "core" / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{line}\n" + (path.read_text() if path.is_file() else ""))
    assert any(fault in found for found in faults(native)), list(faults(native))
