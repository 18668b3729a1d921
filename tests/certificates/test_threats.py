"""No lie is believed: each of docs/threats.md, told with a right digest, and mutants at random."""

from __future__ import annotations

import re
import secrets
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.certificates.checkers import ROOT, first_forked, first_module, second
from tests.certificates.container import taken_apart
from tests.certificates.lies import LIES
from tests.certificates.made import small_certificates
from tests.certificates.mutate import Report, campaign
from tests.certificates.mutations import MUTATIONS
from tests.conftest import SEED, TEST_ALL


@pytest.fixture(scope="module")
def certificates() -> dict[str, bytes]:
    return small_certificates()


def test_both_checkers_accept_what_is_true(certificates: dict[str, bytes], tmp_path: Path) -> None:
    file = tmp_path / "file.hcert"
    for name, data in certificates.items():
        file.write_bytes(data)
        one, two = first_forked(file), second(file)
        assert one.proven, (name, one.said)
        assert two.proven, (name, two.said)


@pytest.mark.parametrize("name", LIES)
def test_both_checkers_refuse_the_lie(name: str, certificates: dict[str, bytes], tmp_path: Path) -> None:
    lie = LIES[name]
    file = tmp_path / "file.hcert"
    file.write_bytes(lie.tell(taken_apart(certificates[lie.of])))
    one, two = first_forked(file), second(file)
    assert one.status == 1, one.said
    assert two.status == 1, two.said
    assert one.said.startswith("not proven: ")
    assert "\n" not in one.said


def test_what_a_file_only_states_is_said_to_be_stated(certificates: dict[str, bytes], tmp_path: Path) -> None:
    for name, stated in (
        ("8-puzzle: a feature without a table", ", if linear_conflict is 2 there"),
        ("megaminx: printed values", ", if row 2 is 4 there"),
    ):
        (tmp_path / "file").write_bytes(certificates[name])
        assert stated in first_forked(tmp_path / "file").said


def test_keys_of_states_are_drawn_anew(
    certificates: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, drawn = first_module(), list[bytes]()
    (tmp_path / "file").write_bytes(certificates["megaminx, A*"])

    def bytes_of(size: int) -> bytes:
        drawn.append(secrets.token_bytes(size))
        return drawn[-1]

    monkeypatch.setattr(check, "secrets", SimpleNamespace(token_bytes=bytes_of))
    for _ in range(2):
        assert check.check(str(tmp_path / "file"), SimpleNamespace(memory=1))[0]
    assert len(drawn) == len(set(drawn)) == 2


def test_the_page_lists_just_these_lies() -> None:
    rows = re.findall(r"^\|.*\|([^|]*)\|$", (ROOT / "docs" / "threats.md").read_text(), re.MULTILINE)
    told = [lie.strip() for row in rows for lie in row.split(";") if lie.strip()]
    written = [lie for lie in told if lie not in ("---", "told in the tests") and not lie[0].isdigit()]
    assert sorted(written) == sorted(LIES)


def test_no_mutant_is_believed(certificates: dict[str, bytes]) -> None:
    report, each = Report(), 100 if TEST_ALL else 4
    for _ in campaign(certificates, each * len(MUTATIONS), SEED, report):
        pass
    assert not report.wrong, str(report)
    assert report.made == {mutation.__name__: each for mutation in MUTATIONS}
