"""Keys, owners, loopback, Host and Origin."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs
from werkzeug.test import EnvironBuilder, run_wsgi_app

from service.access import AddressError, check_bind, is_loopback, parse_api_keys
from tests.service.conftest import KEYS
from tests.service.problems import problem

BODY = {"puzzle": "8-puzzle", "alg": "U"}
SECRET = "secret-of-16-chars"


def as_owner(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer key-of-{name}-in-tests"}


def test_keys_belong_to_owners_and_an_owner_may_have_several() -> None:
    keys = parse_api_keys(f" a:1:2{'x' * 16}, b:3{'x' * 16},a:4{'x' * 16} ,")
    assert [key.owner for key in keys] == ["a", "b", "a"]
    assert len({key.digest for key in keys}) == 3
    assert parse_api_keys("") == ()


@pytest.mark.parametrize(
    "text",
    [
        "secret", "a:", ":secret", f"a:{SECRET},b", f"a:{SECRET},b:{SECRET}", "a:schlüssel-schlüssel",
        "x" * 65 + ":" + SECRET, "a:s", "a:secretsecret123",
    ],
)  # fmt: skip
def test_bad_keys_are_refused_without_showing_them(text: str) -> None:
    with pytest.raises(ValueError, match="HSTAR_API_KEYS") as caught:
        parse_api_keys(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "bind",
    ["127.0.0.1:8000", "127.9.9.9:1", "[::1]:8000", "localhost:8000", "unix:/run/hstar.sock", "127.0.0.1", "fd://3"],
)
def test_loopback_needs_no_keys(bind: str) -> None:
    check_bind([bind], secured=False)


@pytest.mark.parametrize(
    "bind", ["0.0.0.0:8000", "[::]:8000", ":8000", "192.168.1.5:80", "8.8.8.8:80", "no.such.host.invalid:80"]
)
def test_other_addresses_need_keys(bind: str) -> None:
    with pytest.raises(AddressError, match="HSTAR_API_KEYS"):
        check_bind(["127.0.0.1:8000", bind], secured=False)
    check_bind([bind], secured=True)


@given(st.ip_addresses())
def test_loopback_agrees_with_ipaddress(address: object) -> None:
    assert is_loopback(str(address)) == getattr(address, "is_loopback", None)


def test_mapped_and_odd_addresses() -> None:
    assert is_loopback("::ffff:127.0.0.1")
    assert not is_loopback("::ffff:10.0.0.1")
    assert is_loopback("")
    assert not is_loopback("somewhere")


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.5:8000"])
def test_without_keys_only_loopback_names_are_answered(open_client: FlaskClient, host: str) -> None:
    answer = open_client.get("/v1/limits", headers={"Host": host})
    assert host in problem(answer, "misdirected-host")["detail"]


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_loopback_names_are_answered(open_client: FlaskClient, host: str) -> None:
    assert open_client.get("/v1/limits", headers={"Host": host}).status_code == 200


def test_without_keys_only_this_machine_is_answered(open_client: FlaskClient) -> None:
    problem(open_client.get("/v1/limits", environ_overrides={"REMOTE_ADDR": "10.0.0.5"}), "forbidden")
    assert open_client.get("/v1/limits", environ_overrides={"REMOTE_ADDR": "::1"}).status_code == 200


@pytest.mark.parametrize("name", ["Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto"])
def test_without_keys_no_proxy_is_answered(
    open_client: FlaskClient, make_client: Callable[..., FlaskClient], name: str
) -> None:
    refused = open_client.get("/v1/limits", headers={name: "203.0.113.9"})
    assert "refuses requests from a proxy" in problem(refused, "forbidden")["detail"]
    keyed = make_client(api_keys=KEYS).get(
        "/v1/limits", headers={name: "203.0.113.9", "Authorization": "Bearer key-of-bob-in-tests"}
    )
    assert keyed.status_code == 200


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_other_web_sites_change_nothing(open_client: FlaskClient, headers: dict[str, str]) -> None:
    problem(open_client.post("/v1/solves", json=BODY, headers=headers), "forbidden")
    problem(open_client.post("/v1/jobs/x/cancel", headers=headers), "forbidden")
    assert open_client.get("/v1/limits", headers=headers).status_code == 200


def test_the_service_s_own_pages_may_post(client: FlaskClient) -> None:
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert client.post("/v1/solves", json=BODY, headers=headers).status_code == 202


def test_a_key_is_needed_where_there_are_keys(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    for path in ("/v1/puzzles", "/v1/solves", "/v1/nothing", "/metrics"):
        answer = client.get(path)
        problem(answer, "unauthorized")
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    near = ("Bearer key-of-alice-in-tests2", "Bearer KEY-OF-ALICE-IN-TESTS")
    for wrong in ("Bearer wrong", "Bearer ", "Bearer", "Basic YTpi", *near):
        problem(client.get("/v1/puzzles", headers={"Authorization": wrong}), "unauthorized")
    for path in ("/", "/docs", "/docs/errors", "/openapi.json", "/health/live", "/health/ready"):
        assert client.get(path).status_code == 200
    assert client.get("/v1/puzzles", headers=as_owner("alice")).status_code == 200
    assert client.get("/metrics", headers=as_owner("bob")).status_code == 200


def test_with_keys_any_host_and_address_may_ask_unless_names_are_given(make_client: Callable[..., FlaskClient]) -> None:
    remote = {"REMOTE_ADDR": "10.0.0.5"}
    headers = as_owner("alice") | {"Host": "solver.example"}
    client = make_client(api_keys=KEYS)
    assert client.get("/v1/puzzles", headers=headers, environ_overrides=remote).status_code == 200
    named = make_client(api_keys=KEYS, allowed_hosts="solver.example, other.example")
    assert named.get("/v1/puzzles", headers=headers).status_code == 200
    problem(named.get("/v1/puzzles", headers=as_owner("alice") | {"Host": "evil.example"}), "misdirected-host")


def test_owners_see_their_own_rows_alone(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    alice, bob = as_owner("alice"), as_owner("bob")
    scramble = client.post("/v1/scrambles", json={"puzzle": "8-puzzle", "k": 3, "seed": 1}, headers=alice)
    solve = client.post("/v1/solves", json={"puzzle": "8-puzzle", "scramble": scramble.get_json()["id"]}, headers=alice)
    assert solve.status_code == 202
    for path in (scramble.headers["Location"], solve.headers["Location"]):
        assert client.get(path, headers=alice).status_code == 200
        problem(client.get(path, headers=bob), "not-found")
    problem(client.post(f"{solve.headers['Location']}/cancel", headers=bob), "not-found")
    assert client.get(solve.headers["Location"], headers=alice).get_json()["status"] == "queued"
    for path in ("/v1/jobs", "/v1/scrambles"):
        assert len(client.get(path, headers=alice).get_json()["items"]) == 1
        assert client.get(path, headers=bob).get_json()["items"] == []
    stolen = client.post("/v1/solves", json={"puzzle": "8-puzzle", "scramble": scramble.get_json()["id"]}, headers=bob)
    assert "no stored scramble" in problem(stolen, "invalid-request")["errors"][0]["message"]


def test_a_key_for_idempotency_belongs_to_its_owner(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client(api_keys=KEYS)
    first = client.post("/v1/solves", json=BODY, headers=as_owner("alice") | {"Idempotency-Key": "k"})
    other = client.post("/v1/solves", json=BODY, headers=as_owner("bob") | {"Idempotency-Key": "k"})
    assert first.status_code == other.status_code == 202
    assert first.get_json()["id"] != other.get_json()["id"]


def test_security_headers_are_on_every_answer(open_client: FlaskClient) -> None:
    for path in ("/", "/docs", "/v1/limits", "/v1/nothing", "/openapi.json"):
        headers = open_client.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert "Access-Control-Allow-Origin" not in headers


def test_every_log_line_of_a_request_has_its_id_and_its_job(make_client: Callable[..., FlaskClient]) -> None:
    client = make_client()
    with capture_logs(processors=[merge_contextvars]) as lines:
        taken = client.post("/v1/solves", json={"puzzle": "8-puzzle", "alg": "U"}, headers={"X-Request-Id": "proxy-7"})
        named = client.get("/v1/me")
        refused = client.post("/v1/solves", json={}, headers={"X-Request-Id": 'two\tlines"'})
    assert [line["status"] for line in lines if line["event"] == "request"] == [202, 200, 422]
    assert [line["request_id"] for line in lines] == [
        answer.headers["X-Request-Id"] for answer in (taken, named, refused)
    ]
    assert taken.headers["X-Request-Id"] == "proxy-7"
    # A request without a valid id gets a new, unique one.
    made = {named.headers["X-Request-Id"], refused.headers["X-Request-Id"]}
    assert len(made) == 2
    assert all(len(one) == 32 for one in made)
    assert [line["location"] for line in lines] == [f"/v1/jobs/{taken.get_json()['id']}", None, None]


UNREADABLE = [
    "http://[",
    "http://[::::]",
    "//",
    "[",
    "http://]",
    "http://a\u2100b",
    "::::",
    "[::::]",
    "[1.2.3]:80",
    "a:b:c",
]


def status_of(client: FlaskClient, method: str, path: str, headers: dict[str, str]) -> int:
    """Without werkzeug's client, which reads the Host itself."""
    body = BODY if method == "POST" else None
    environ = EnvironBuilder(path, method=method, headers=headers.items(), json=body).get_environ()
    return int(run_wsgi_app(client.application, environ)[1][:3])


@pytest.mark.parametrize(
    "changes", [{}, {"api_keys": KEYS}, {"api_keys": KEYS, "allowed_hosts": "a.example", "proxies": 1}]
)
def test_no_head_is_an_error_of_the_service(
    make_client: Callable[..., FlaskClient], changes: dict[str, object]
) -> None:
    """One application for all heads: each would make the document of its API again."""
    client = make_client(**changes)
    for name, text in product(("Origin", "Host", "Referer", "X-Forwarded-For", "Authorization"), UNREADABLE):
        headers = as_owner("alice") | {name: text.encode().decode("latin-1")}
        for method, path in (("POST", "/v1/solves"), ("GET", "/v1/limits"), ("GET", "/docs")):
            assert status_of(client, method, path, headers) < 500, (name, text, path)
        if name == "Origin" and "allowed_hosts" not in changes:
            problem(client.post("/v1/solves", json=BODY, headers=headers), "forbidden")


@given(
    st.sampled_from(["Origin", "Host", "Prefer", "Accept", "If-None-Match"]), st.text("[]:/@#?%.a0, ;=*", max_size=20)
)
def test_no_generated_head_is_one(open_client: FlaskClient, name: str, text: str) -> None:
    assert status_of(open_client, "POST", "/v1/solves", {name: text}) < 500
    assert status_of(open_client, "GET", "/v1/limits", {name: text}) < 500


def test_health_is_answered_under_any_name(make_client: Callable[..., FlaskClient]) -> None:
    for keys in ("", KEYS):
        client = make_client(api_keys=keys, allowed_hosts="solver.example")
        for host in ("127.0.0.1:8000", "[::1]", "10.1.2.3", "api"):
            for path in ("/health/live", "/health/ready"):
                assert client.get(path, headers={"Host": host}).status_code == 200
            problem(client.get("/docs", headers={"Host": host}), "misdirected-host")
    # Without keys and names only loopback names are answered, so that no page can find the service.
    problem(make_client().get("/health/live", headers={"Host": "evil.example"}), "misdirected-host")
