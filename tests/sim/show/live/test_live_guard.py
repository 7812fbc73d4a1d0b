"""Who may ask the live view: the page with its token on this machine, in small requests, and nobody else."""

import json
import socket
import threading
import time

import pytest

from sim.show.live import live_guard, live_timeout
from sim.show.live.live_guard import LARGEST_BODY
from sim.show.live.live_server import LiveServer, ServerError

BODY = json.dumps({"values": {}})


def test_page_needs_its_token(rod):
    for query in ("", "?token=", "?token=wrong", f"?token={rod.token[:-1]}", f"?token={rod.token}&token={rod.token}",
                  f"?Token={rod.token}", "?token=%C3%A9"):
        assert rod.request("GET", f"/{query}", token=False)[0] == 403
    status, headers, page = rod.request("GET", f"/?token={rod.token}", token=False)
    assert status == 200 and page.startswith(b"<!doctype html>")
    assert rod.token.encode() not in page  # it is in the address alone
    assert headers["referrer-policy"] == "no-referrer" and headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "unsafe" not in policy
    assert not any(name.startswith("access-control") for name in headers)


def test_questions_need_the_token_in_a_header(rod):
    for path in ("/instant", "/run", "/text"):
        assert rod.request("POST", path, BODY, token=False)[0] == 403
        assert rod.request("POST", f"{path}?token={rod.token}", BODY, token=False)[0] == 403
        assert rod.request("POST", path, BODY, {"X-Stiction-Token": "wrong"})[0] == 403
    assert rod.request("GET", "/scene", token=False)[0] == 403
    assert rod.request("POST", "/instant", BODY)[0] == 200


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1", "127.0.0.1:1", "localhost", "", "127.0.0.1.example.org"])
def test_other_names_of_the_server_are_refused(rod, host):
    """A name of somebody else may point here (DNS rebinding)."""
    assert rod.request("GET", f"/?token={rod.token}", headers={"Host": host})[0] in (400, 403)
    assert rod.request("POST", "/instant", BODY, {"Host": host})[0] in (400, 403)


def test_its_names_are_accepted(rod):
    for name in ("127.0.0.1", "localhost"):
        assert rod.request("POST", "/instant", BODY, {"Host": f"{name}:{rod.port}"})[0] == 200


@pytest.mark.parametrize("origin", ["http://example.org", "null", "https://127.0.0.1", "http://127.0.0.1:1", ""])
def test_other_origins_are_refused(rod, origin):
    status, _, body = rod.request("POST", "/instant", BODY, {"Origin": origin})
    assert status == 403 and "other origins" in json.loads(body)["error"]
    assert rod.request("OPTIONS", "/instant", headers={"Origin": origin})[0] == 403  # no answer to a preflight


def test_own_origin_is_accepted(rod):
    assert rod.request("POST", "/instant", BODY, {"Origin": f"http://127.0.0.1:{rod.port}"})[0] == 200


def test_methods_paths_and_types_are_limited(rod):
    for method in ("GET", "PUT", "DELETE", "PATCH", "TRACE"):
        assert rod.request(method, "/instant")[0] == 405
    assert rod.request("POST", "/", BODY)[0] == 405
    for path in ("/other", "/static/", "/assets/main.js", "/../pyproject.toml", "/%2e%2e/pyproject.toml", "//scene",
                 "/instant/", "/docs", "/favicon.ico"):
        assert rod.request("GET", path)[0] in (404, 307)
        assert b"pyproject" not in rod.request("GET", path)[2]
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", None):
        assert rod.request("POST", "/instant", BODY, {"Content-Type": kind})[0] == 415
    assert rod.request("POST", "/instant", BODY, {"Content-Type": "application/json; charset=utf-8"})[0] == 200


def send_raw(client, head, *parts, wait=0.0):
    """What the server answers to bytes."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as link:
        link.sendall(head)
        for part in parts:
            time.sleep(wait)
            link.sendall(part)
        answer = b""
        while chunk := link.recv(65536):
            answer += chunk
            if b"\r\n\r\n" in answer and b"connection: close" not in answer.lower():
                break
        return answer


def make_head(client, *lines):
    common = [f"Host: 127.0.0.1:{client.port}", f"X-Stiction-Token: {client.token}", "Content-Type: application/json"]
    return "\r\n".join(["POST /instant HTTP/1.1", *common, *lines, "", ""]).encode()


@pytest.mark.parametrize("length", [LARGEST_BODY + 1, 10**11, 10**13])
def test_huge_bodies_are_refused_before_they_come(rod, length):
    answer = send_raw(rod, make_head(rod, f"Content-Length: {length}"))  # not one byte of it is sent
    assert answer.split()[1] == b"413"


def test_huge_body_without_a_length_is_read_no_further_than_the_limit(rod):
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    answer = send_raw(rod, make_head(rod, "Transfer-Encoding: chunked"), *[chunk] * (LARGEST_BODY // 4096 + 1))
    assert answer.split()[1] == b"413"


def test_wrong_lengths_are_refused(rod):
    for length in ("-1", "1e3", "abc", "1, 2", "1" + "0" * 40):
        assert send_raw(rod, make_head(rod, f"Content-Length: {length}")).split()[1] in (b"400", b"413")


def test_slow_bodies_are_given_up(rod, monkeypatch):
    monkeypatch.setattr(live_guard, "LONGEST_WAIT", 0.3)
    began = time.monotonic()
    answer = send_raw(rod, make_head(rod, "Content-Length: 13"), b'{"val')
    assert answer.split()[1] == b"408" and time.monotonic() - began < 5.0


def test_silent_connections_are_closed(rod, monkeypatch):
    monkeypatch.setattr(live_timeout, "LONGEST_HEAD", 0.3)
    for begin in (b"", b"GET / HT"):
        with socket.create_connection(("127.0.0.1", rod.port), timeout=10) as link:
            link.sendall(begin)
            assert link.recv(1) == b""


def test_huge_head_is_refused(rod):
    answer = send_raw(rod, make_head(rod, f"X-Much: {'a' * 100_000}"))
    assert answer.split()[1] in (b"400", b"431")


def test_not_http_is_refused(rod):
    assert send_raw(rod, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n").split()[1] == b"400"


@pytest.mark.parametrize("body", ["", "{", "[]", "1", "null", '{"values": []}', '{"values": 1}', '{"value": {}}',
                                  '{"values": {}, "more": 1}', "[" * 10_000, "\udcff"])
def test_bodies_that_are_no_values_are_refused(rod, body):
    status, _, answer = rod.request("POST", "/instant", body.encode("utf-8", "surrogateescape"))
    assert status == 400 and json.loads(answer)["error"]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999", '"1"', '"__import__"', "true", "null",
                                   "[1]", '{"a": 1}', "1" + "0" * 400])
def test_values_must_be_finite_numbers(rod, value):
    status, _, answer = rod.request("POST", "/instant", f'{{"values": {{"friction.default": {value}}}}}')
    assert status == 400 and json.loads(answer)["error"]


@pytest.mark.parametrize("path", ["", "friction", "friction.nobody", "workpiece.name", "run.choice", "__class__",
                                  "workpiece.outline.file", "friction.default.x", "../../etc/passwd", "x" * 1000])
def test_only_numbers_of_the_scene_can_be_set(rod, path):
    status, answer = rod.ask("/instant", {path: 1.0})
    assert status == 400 and "no number of this scene" in answer["error"] and len(answer["error"]) < 200


def test_only_this_machine_is_listened_to(rod):
    assert rod.server._socket.getsockname()[0] == "127.0.0.1"
    others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing; says which address would be used
        others.add(probe.getsockname()[0])
    others = {address for address in others if not address.startswith("127.")}
    if not others:
        pytest.skip("this machine has no address but its own")
    for address in others:
        with pytest.raises(OSError):
            socket.create_connection((address, rod.port), timeout=2).close()


def test_many_connections_are_refused_and_do_no_harm(rod):
    links = [socket.create_connection(("127.0.0.1", rod.port), timeout=10) for _ in range(40)]
    try:
        time.sleep(0.2)
        assert rod.request("POST", "/instant", BODY)[0] == 503
    finally:
        for link in links:
            link.close()
    time.sleep(0.3)
    assert rod.request("POST", "/instant", BODY)[0] == 200


def test_tokens_differ_and_are_long(rod, start_server):
    other = start_server(rod.server.live.scene)
    assert other.token != rod.token and min(len(other.token), len(rod.token)) >= 43
    assert other.request("POST", "/instant", BODY, {"X-Stiction-Token": rod.token})[0] == 403


def test_port_that_is_taken_is_told(rod):
    with pytest.raises(ServerError, match=f"--port {rod.port}: .*in use"):
        LiveServer(rod.server.live.scene, rod.port)


def test_requests_at_once_are_all_answered(rod):
    found = []

    def ask(k):
        found.append((k, rod.ask("/instant", {"friction.default": 0.1 * k})))

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(k for k, _ in found) == list(range(10))
    for k, (status, answer) in found:
        assert status == 200 and answer["instant"]["contacts"][0]["mu"] == 0.1 * k
