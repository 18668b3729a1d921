"""Every request makes the round trip: form, link, API, command, row and question all ask the same.

The functions are the page's own, run by Node; the commands are read by a shell and by ``hstar``, the rows are written
and read by the service. The requests are random, over every option and limit that is declared.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hstar.errors import HstarError
from hstar.experiments.schema import ExperimentRequest
from hstar.options import OPTIONS, OWN_SOLVER, Option
from hstar.puzzles import get_puzzle, random_state
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import ALGORITHMS, Problem, prepare
from service.app import create_app
from store.database import make_engine, migrate
from store.settings import Settings
from tests.command_line import run
from tests.conftest import TEST_ALL
from tests.servers import Valkey
from tools import web

EXAMPLES = settings(
    max_examples=1000 if TEST_ALL else 30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not TEST_ALL,
)
SAFE = st.integers(0, 2**53 - 1)

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """Call a function of the page: ``page("question", "toQuery", request)``."""
    try:
        web.install()
    except web.CannotBuildError as fault:
        pytest.skip(str(fault))
    command = [
        "node",
        str(Path(__file__).with_name("questions.mjs")),
        str(web.WEB),
        str(tmp_path_factory.mktemp("page")),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdin is not None
        assert node.stdout is not None
        asked, answers = node.stdin, node.stdout

        def call(module: str, name: str, *arguments: object) -> Any:
            asked.write(json.dumps([module, name, arguments]) + "\n")
            asked.flush()
            return json.loads(answers.readline())

        yield call
        asked.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, valkey: Valkey) -> Iterator[FlaskClient]:
    """A client of a service on SQLite without a worker: its rows stay as they were written."""
    settings = Settings(var=tmp_path_factory.mktemp("requests"), broker_url=valkey.url)
    migrate.upgrade(make_engine(settings.database_url))
    app = create_app(settings)
    yield app.test_client()
    app.extensions["hstar"].sessions.close()


@pytest.fixture(scope="module")
def catalogue(client: FlaskClient) -> Any:
    return client.get("/v1/algorithms").get_json()


# -- random requests --------------------------------------------------------------------------------------------------

PLANS = (
    [{"method": "beam", "width": 7, "seconds": 0.5}, {"method": "astar", "heuristic": "zero  ", "weight": 1.5}],
    [{"method": "plan", "steps": [{"method": "greedy", "tie_breaking": "lifo"}]}, {"method": "breadth_first"}],
)
HEURISTICS = {
    "8-puzzle": ("manhattan", "max(manhattan, misplaced_tiles) - 1", "manhattan --1", "0.5 * manhattan"),
    "tiles:2x3": ("manhattan", "manhattan + linear_conflict"),
    "megaminx": ("misplaced_facelets // 15", "max(corner_moves // 5, edge_moves // 5)"),
    "2x2x2": ("zero", "misplaced_facelets // 4"),
}


def values(option: Option, puzzle: str, algorithm: str | None) -> st.SearchStrategy[Any]:
    """Any value of an option; of one that is added too."""
    schema = option.schema
    if option.name == "heuristic":
        return st.sampled_from(HEURISTICS[puzzle])
    if option.name == "plan":
        return st.sampled_from([SolveRequest(puzzle="8-puzzle", alg="", plan=one).plan for one in PLANS])  # type: ignore[arg-type]
    if "enum" in schema:
        choices = ALGORITHMS[algorithm].choices.get(option.name) if algorithm else None  # type: ignore[index]
        return st.sampled_from(choices or schema["enum"])
    if schema["type"] == "integer":
        return st.integers(schema["minimum"], schema["maximum"])
    return st.floats(schema["minimum"], schema["maximum"]).map(lambda one: int(one) if one == int(one) else one)


def limits() -> st.SearchStrategy[dict[str, Any]]:
    """Any limits; with so much memory that every heuristic here fits."""
    return st.fixed_dictionaries(
        {},
        optional={
            "expanded": st.integers(0, 10**9),
            "generated": st.integers(0, 10**9),
            "seconds": st.floats(0, 600).map(lambda one: int(one) if one == int(one) else one),
            "memory_mib": st.integers(900, 1024),
        },
    )


TAGS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=9),
    st.text("a=& é%\"'", max_size=9),
    min_size=1,
    max_size=3,
)


def state(puzzle: str, seed: int, goal: list[int] | None, *, text: bool = False) -> Any:
    model = get_puzzle(puzzle, goal)
    found = model.format_state(random_state(model, seed))
    if "tiles" in found:
        return found["rows"] if text else found["tiles"]
    return {"facelets": found["facelets"]} if "facelets" in found else {"pieces": found["pieces"]}


@st.composite
def requests(draw: st.DrawFn, seeds: st.SearchStrategy[int] = SAFE) -> dict[str, Any]:
    """A request with fields of every kind, as the page has it: without those that say nothing."""
    puzzle = draw(st.sampled_from(list(HEURISTICS)))
    board = puzzle in ("8-puzzle", "tiles:2x3")
    found: dict[str, Any] = {"puzzle": puzzle}
    goal = state(puzzle, draw(SAFE), None) if board and draw(st.booleans()) else None
    if goal is not None:
        found["goal"] = goal
    model = get_puzzle(puzzle, goal)
    moves = draw(st.none() | st.sampled_from(sorted(model.move_sets)))
    sets: st.SearchStrategy[dict[str, Any]] = st.sampled_from([{}, *({"moves": name} for name in model.move_sets)])
    recipe = st.builds(lambda k, seed, more: {"k": k, "seed": seed, **more}, st.integers(0, 12), seeds, sets)
    blank = "" if board else " ".join(draw(st.lists(st.sampled_from(model.moves), max_size=4)))
    start = draw(st.sampled_from(["state", "scramble", "alg", "random", "shorten"]))
    starts: dict[str, Callable[[], Any]] = {
        "state": lambda: state(puzzle, draw(SAFE), goal, text=draw(st.booleans())),
        "scramble": lambda: draw(recipe),
        "alg": lambda: blank,
        "random": lambda: draw(seeds),
        "shorten": lambda: blank,
    }
    found[start] = starts[start]()
    if start != "shorten" and draw(st.booleans()):
        found["target"] = draw(st.sampled_from([{"alg": ""}, {"random": 7}, state(puzzle, 11, goal)]))
    if moves is not None:
        found["moves"] = moves
    algorithm = draw(st.none() | st.sampled_from([
        name for name, method in ALGORITHMS.items() if method.shortens or start != "shorten"
    ]))  # fmt: skip
    if algorithm is not None:
        found["algorithm"] = algorithm
    used = ALGORITHMS[algorithm or ("anytime" if start == "shorten" else "astar")].options
    for name in used:
        if not OPTIONS[name].shown.local and (name == "plan" or draw(st.booleans())):
            found[name] = draw(values(OPTIONS[name], puzzle, algorithm))
    if more := draw(limits()):
        found["limits"] = more
    if draw(st.booleans()):
        found["tags"] = draw(TAGS)
    if priority := draw(st.integers(-100, 100)):
        found["priority"] = priority
    return found


def problem_of(request: dict[str, Any]) -> Problem:
    """What is asked; the same for requests that ask the same."""
    return prepare(SolveRequest.model_validate(request))


def accepted(request: dict[str, Any]) -> bool:
    try:
        problem_of(request)
    except HstarError:
        return False
    return True


asked = requests().filter(accepted)


# -- the round trips --------------------------------------------------------------------------------------------------


@EXAMPLES
@given(request=requests(), labels=st.booleans(), scramble=st.none() | st.text(min_size=1, max_size=20))
def test_a_link_has_the_whole_request(
    page: Call, catalogue: Any, request: dict[str, Any], labels: bool, scramble: str | None
) -> None:
    if labels:
        request = {**request, "labels": {"neighbours": {"a b": ["c", "é&="]}, "anchors": {"a b": "U"}}}
    if scramble is not None and "scramble" in request and not any(0xD800 <= ord(one) < 0xE000 for one in scramble):
        request = {**request, "scramble": scramble}
    link = page("question", "toQuery", request)
    assert page("question", "fromQuery", link, catalogue) == request


@pytest.mark.parametrize(
    "state",
    ["a: b", '{"x": 1}', "[1]", '"', "1 2  3", [[1, 2], [3, 0]], {"facelets": {"U": []}}, "99999999999999999999"],
)
def test_a_state_is_linked_as_it_was_given(page: Call, catalogue: Any, state: object) -> None:
    request = {"puzzle": "8-puzzle", "state": state}
    assert page("question", "fromQuery", page("question", "toQuery", request), catalogue) == request


class _Read(Exception):
    """What a command would do."""


def read_command(text: str, monkeypatch: pytest.MonkeyPatch, function: str) -> Any:
    """What ``hstar`` does first with a command line, which a shell reads."""
    told = subprocess.run(
        ["sh", "-c", f"hstar() {{ printf '%s\\0' \"$@\"; }}\n{text}"], capture_output=True, text=True, check=True
    )
    found: list[Any] = []

    def note(*arguments: Any, **_: Any) -> None:
        found.append(arguments[0])
        raise _Read

    with monkeypatch.context() as patch:
        patch.setattr(function, note)
        ended = run(*told.stdout.split("\0")[:-1])
    assert isinstance(ended.exception, _Read), (text, ended.output)
    return found[0]


@EXAMPLES
@given(request=asked)
@example(request={"puzzle": "8-puzzle", "alg": "U L D R", "heuristic": "max(misplaced_tiles, manhattan --1) --2"})
def test_a_command_asks_the_same(page: Call, catalogue: Any, request: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        problem = read_command(page("command", "command", request, catalogue), patch, "hstar.commands.solve._run")
    assert problem == problem_of(request)


@pytest.mark.parametrize(
    "more",
    [
        {"alg": "", "labels": {"neighbours": {}}},
        {"scramble": "01J0000000000000000000000"},
        {"state": "board.txt"},
        {"state": "-"},
        {"alg": "", "target": "{}"},
    ],
)
def test_where_no_command_asks_it_there_is_none(page: Call, catalogue: Any, more: dict[str, Any]) -> None:
    said = page("command", "command", {"puzzle": "8-puzzle", **more}, catalogue)
    assert said.startswith("# No command asks this")
    assert "\n" not in said


def solve_of(client: FlaskClient, request: dict[str, Any]) -> dict[str, Any]:
    """The row of a request, as the service shows it."""
    taken = client.post("/v1/solves", json=request)
    assert taken.status_code == 202, (request, taken.get_json())
    shown: dict[str, Any] = client.get(taken.headers["Location"]).get_json()
    assert client.post(f"{taken.headers['Location']}/cancel").status_code == 200
    return shown


def question_in(solve: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in solve.items() if name not in ("id", "about", "created_at", "progress")}


@pytest.fixture(scope="module")
def defaults(client: FlaskClient) -> Any:
    shown = client.get("/v1/limits").get_json()
    return {"limits": {**shown["caps"], "memory_mib": shown["default_memory_mib"]}}


@EXAMPLES
@given(request=asked)
def test_a_row_is_asked_again_as_it_was(
    page: Call, client: FlaskClient, catalogue: Any, defaults: Any, request: dict[str, Any]
) -> None:
    solve = solve_of(client, request)
    with_own = {**defaults, "heuristic": get_puzzle(request["puzzle"]).default_heuristic}
    again = page("question", "fromSolve", solve, catalogue, with_own)
    once_more = solve_of(client, again)
    assert question_in(once_more) == question_in(solve)
    assert page("question", "algorithmOf", request) == solve["algorithm"]
    assert page("question", "fromSolve", once_more, catalogue, with_own) == again
    # All that the request said is said again; a target is then a state.
    for name in request.keys() - {"target", "heuristic", "limits", "scramble"}:
        if name == "state" or (name in OPTIONS and request[name] in (OPTIONS[name].default, OPTIONS[name].shown.own)):
            continue
        assert again[name] == request[name], name
    assert again.keys() >= request.keys() & {"target", "scramble", "state"}


@EXAMPLES
@given(request=requests(st.integers(2**53, 2**63 - 1)).filter(accepted))
def test_a_seed_too_large_for_the_page_is_asked_again_as_its_state(
    page: Call, client: FlaskClient, catalogue: Any, defaults: Any, request: dict[str, Any]
) -> None:
    solve = solve_of(client, request)
    once_more = solve_of(client, page("question", "fromSolve", solve, catalogue, defaults))
    for name in ("state", "target", "goal"):
        assert once_more["start"][name] == solve["start"][name]
    assert once_more["goal"] == solve["goal"]


def test_a_stored_scramble_and_own_names_are_asked_again(
    page: Call, client: FlaskClient, catalogue: Any, defaults: Any
) -> None:
    stored = client.post("/v1/scrambles", json={"puzzle": "8-puzzle", "k": 5, "seed": 3}).get_json()["id"]
    puzzle = get_puzzle("megaminx")
    assert puzzle.shape is not None
    names = {face: f"side{'ABCDEFGHIJKL'[number]}" for number, face in enumerate(puzzle.shape.neighbours)}
    table = {names[face]: [names[one] for one in row] for face, row in puzzle.shape.neighbours.items()}
    labels = {"neighbours": table, "anchors": {names["U"]: "U", names["F"]: "F"}}
    for request in (
        {"puzzle": "8-puzzle", "scramble": stored},
        {"puzzle": "8-puzzle", "scramble": stored, "target": {"random": 3}},
        {"puzzle": "megaminx", "labels": labels, "scramble": {"k": 2, "seed": 1}},
        {"puzzle": "megaminx", "labels": labels, "alg": f"{names['U']} {names['F']}2"},
        {"puzzle": "megaminx", "labels": labels, "random": 4},
    ):
        solve = solve_of(client, request)
        again = page("question", "fromSolve", solve, catalogue, defaults)
        assert question_in(solve_of(client, again)) == question_in(solve)


# -- experiments ------------------------------------------------------------------------------------------------------


@st.composite
def experiments(draw: st.DrawFn) -> dict[str, Any]:
    puzzle = draw(st.sampled_from(list(HEURISTICS)))
    span = st.builds(lambda first, more: {"from": first, "to": first + more}, st.integers(0, 9), st.integers(0, 9))
    several = st.lists(st.integers(0, 20), min_size=1, max_size=6)
    found: dict[str, Any] = {"puzzle": puzzle, "k": draw(span | several), "seed": draw(SAFE)}
    algorithms = draw(st.lists(st.sampled_from(list(ALGORITHMS)), max_size=4, unique=True))
    if algorithms:
        found["algorithms"] = algorithms
    for name in dict.fromkeys(name for one in algorithms or ["astar"] for name in ALGORITHMS[one].options):
        option = OPTIONS[name]
        if option.shown.local or draw(st.booleans()):
            continue
        one = values(option, puzzle, None)
        found[option.shown.plural or name] = draw(st.lists(one, min_size=1, max_size=3) if option.shown.plural else one)
    if more := draw(limits()):
        found["limits"] = more
    for name, strategy in {
        "trials": st.integers(1, 5), "true_distance": st.just(True), "tags": TAGS,
        "scramble_moves": st.sampled_from(sorted(get_puzzle(puzzle).move_sets)),
        "moves": st.sampled_from(sorted(get_puzzle(puzzle).move_sets)), "priority": st.integers(1, 9),
    }.items():  # fmt: skip
        if draw(st.booleans()):
            found[name] = draw(strategy)
    if puzzle in ("8-puzzle", "tiles:2x3") and draw(st.booleans()):
        found["goal"] = state(puzzle, draw(SAFE), None)
    return found


def design_of(request: object, *, but: tuple[str, ...] = ()) -> dict[str, Any]:
    """What an experiment asks; numbers of moves however they are listed."""
    read = request if isinstance(request, ExperimentRequest) else ExperimentRequest.model_validate(request)
    return read.model_dump(exclude={"k", *but}) | {"ks": read.ks()}


@EXAMPLES
@given(request=experiments())
def test_an_experiment_is_linked_commanded_and_asked_again(page: Call, catalogue: Any, request: dict[str, Any]) -> None:
    link = page("experiment", "toQuery", request)
    assert design_of(page("experiment", "fromQuery", link, catalogue)) == design_of(request)
    text = page("experiment", "command", request, catalogue, "http://127.0.0.1:1")
    with pytest.MonkeyPatch.context() as patch:
        read = read_command(text, patch, "hstar.commands.experiment._on_server")
    assert design_of(read, but=("tags", "priority")) == design_of(request, but=("tags", "priority"))
    shown = ExperimentRequest.model_validate(request).model_dump(mode="json")
    assert design_of(page("experiment", "fromExperiment", shown)) == design_of(request)


def test_the_page_begins_with_the_metric_of_the_community(page: Call, client: FlaskClient, catalogue: Any) -> None:
    first = page("question", "fromQuery", {"address": ""}, catalogue)
    puzzles = client.get("/v1/puzzles").get_json()["items"]
    assert first == page("question", "scrambled", puzzles, "megaminx", 6)
    assert prepare(SolveRequest.model_validate(first)).moves.name == first["scramble"]["moves"] == "all"
    assert page("question", "scrambled", puzzles, "3x3x3", 6) == {"puzzle": "3x3x3", "scramble": {"k": 6, "seed": 1}}


def test_every_option_and_limit_is_in_the_catalogue(catalogue: Any) -> None:
    assert [one["name"] for one in catalogue["options"]] == [
        name for name, one in OPTIONS.items() if not one.shown.local
    ]
    assert [one["name"] for one in catalogue["limits"]] == list(LimitsIn.model_fields)


@pytest.mark.parametrize("puzzle", ["3x3x3", *OWN_SOLVER])
@pytest.mark.parametrize("options", [{}, {"weight": 2}, {"heuristic": "zero"}, {"plan": '[{"method":"astar"}]'}])
def test_the_page_knows_the_solvers_of_single_puzzles(page: Call, puzzle: str, options: dict[str, Any]) -> None:
    asked = {"puzzle": puzzle, "alg": "", **options}
    assert page("question", "algorithmOf", asked) == SolveRequest.model_validate(asked).algorithm
