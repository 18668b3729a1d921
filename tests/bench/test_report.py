"""The results: saved and read again, compared with the aims, and written into the page."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import plots, report
from bench.__main__ import PAGES, main, rows
from bench.report import Outcome, Run, number
from bench.rows import Curve, Figure, Measured

ROOT = Path(__file__).resolve().parents[2]

FAST = Figure("rate", "M/s", (20.0, 30.0, 40.0), "higher", aim=25, baselines={"other": (3.0, 2.0)})
SLOW = Figure("time", "s", (2.0, 1.0, 4.0), aim=1, sample="scramble")
RATIO = Figure("work", "s", (1.0, 2.0), baselines={"plain": (100.0, 180.0)}, ratio_aim=100)
CURVE = Curve("rate", "nodes", "a second", "hstar", ((1.0, 2.0), (10.0, 3.5)))


@pytest.fixture
def run() -> Run:
    measured = Measured((FAST, SLOW), (CURVE,), {"expanded": 7}, ("a note",))
    rows = {
        "one": Outcome("One", 1.5, measured),
        "two": Outcome("Two", 0.1, missing="no such thing"),
        "three": Outcome("Three", 0.1, Measured((RATIO,))),
    }
    machine = {"processor": "P", "cores": 2, "memory_gib": 24, "system": "S", "python": "3.11", "load_before": 0.0}
    return Run("2026-11-21T20:00:00+00:00", "abcdef12", machine, rows)


def test_a_run_comes_back_as_it_was_kept(run: Run, tmp_path: Path) -> None:
    path = report.save(run, tmp_path)
    assert path.name == "2026-11-21-abcdef12.json"
    assert report.load(path) == run
    assert report.history(tmp_path) == [run]


def test_medians_are_judged_by_the_aims(run: Run) -> None:
    lines = [[line[0], line[1], line[3], *line[-2:]] for line in report.aim_lines(run)]
    assert lines == [
        ["One", "rate", "30 M/s", "1.2 times", "met"],
        ["One", "time", "2 s", "0.5 times", "short"],
        ["Two", "no such thing", "", "", "missing"],
        ["Three", "work, against plain", "93.3 times", "0.933 times", "short"],
    ]
    assert [line[-1] for line in report.baseline_lines(run)] == ["12 times", "93.3 times"]


def test_the_spread_and_the_number_of_samples_are_shown(run: Run) -> None:
    first, second, *_ = report.aim_lines(run)
    assert first[4:6] == ("20 .. 40", "3 runs")
    assert second[4:6] == ("1 .. 4", "3 scrambles")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1234567, "1,234,567"), (99.94, "99.9"), (1.5, "1.5"), (0.0123456, "0.0123"), (3e-5, "0.00003")],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_the_tables_go_between_their_markers(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    sections = report.markdown(run)
    page.write_text("a\n" + "".join(f"<!-- bench: {name} -->\nold\n<!-- bench: end -->\nb\n" for name in sections))
    report.write_into([page], sections)
    once = page.read_text()
    assert "old" not in once
    assert once.count("| One |") == 2
    assert "- One: a note." in once
    report.write_into([page], sections)
    assert page.read_text() == once
    with pytest.raises(ValueError, match="no page has markers for other"):
        report.write_into([page], {"other": ""})


def test_the_page_has_a_place_for_each_table(run: Run, tmp_path: Path) -> None:
    copies = [tmp_path / page.name for page in PAGES]
    for page, copy in zip(PAGES, copies, strict=True):
        copy.write_text(page.read_text())
    report.write_into(copies, report.markdown(run))
    assert "| One |" in "".join(copy.read_text() for copy in copies)


def test_the_pictures_are_drawings_of_all_curves(run: Run, tmp_path: Path) -> None:
    for name, canvas in (("growth", plots.growth(run)), ("history", plots.history([run, run]))):
        plots.write(canvas, tmp_path / name)
        first = (tmp_path / name).read_bytes()
        assert ElementTree.fromstring(first).tag.endswith("svg")
        plots.write(canvas, tmp_path / name)
        assert (tmp_path / name).read_bytes() == first
    assert "a second" in (tmp_path / "growth").read_text()
    assert "One: rate" in (tmp_path / "history").read_text()


def test_the_command_lists_measures_and_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == rows()
    assert main(["--only", "tiles-astar", "--smoke", "--markdown"]) == 0
    printed = capsys.readouterr()
    assert "| 15-puzzle, A* with Manhattan distance, Korf's 84th board | generated | ≥ 20 M/s |" in printed.out
    assert "tiles-astar" in printed.err
    with pytest.raises(SystemExit):
        main(["--only", "nothing"])
    assert "unknown row: nothing" in capsys.readouterr().err


def test_a_run_that_was_kept_is_shown_again(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show", str(report.save(run, tmp_path)), "--markdown"]) == 0
    assert "| Two | no such thing |" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["growth", "history"])
def test_the_kept_plots_are_whole(name: str) -> None:
    drawn = ElementTree.parse(ROOT / "bench" / "results" / f"{name}.svg").getroot()
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}path"))) > 20
