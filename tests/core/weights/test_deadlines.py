"""Servers that stall at each stage of a download, and locks whose holder does not end: all end within the deadline."""

from __future__ import annotations

import concurrent.futures
import fcntl
import logging
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.weights import cache_path, fetch, locks
from core.weights.downloads import connection, deadline, transfer

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 10240\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
STAGES = {
    # what the server sends once, what it goes on sending without end, what the download says
    "silent": (b"", b"", "timed out|0 bytes came within 0.5 s"),
    "status": (b"", b"H", "0 bytes came within 0.5 s, at least 50,000 a second are needed"),
    "header": (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x", "0 bytes came within 0.5 s"),
    "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n", "0 bytes came within 0.5 s"),
    "body": (ANSWER + b"x" * 100, b"", "timed out|100 bytes came within 0.7048 s"),
    "drip": (ANSWER, b"x", r"\d+ bytes came within 0.7048 s|only \d+ bytes in 0.5 s"),
    "chunk": (CHUNKED, b"0", "0 bytes came within 0.5 s"),
    "trailer": (CHUNKED + b"1\r\nx\r\n0\r\nX-Slow: ", b"x", "1 bytes came within 0.5"),
    "redirect": (b"HTTP/1.1 302 Found\r\nLocation: /body\r\n", b"X-Slow: x", "0 bytes came within 0.5 s"),
}


@pytest.fixture
def _short_deadlines(tmp_path, monkeypatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "CORE_WEIGHTS_MIRROR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    for module, name in ((connection, "CONNECT_TIMEOUT"), (connection, "TIMEOUT"), (deadline, "GRACE")):
        monkeypatch.setattr(module, name, 0.5)
    monkeypatch.setattr(transfer, "PAUSE", 0.01)


@pytest.fixture
def address(_short_deadlines) -> Iterator[str]:
    """A server that sends what the stage named in the request says."""
    server = socket.create_server(("127.0.0.1", 0), backlog=50)
    released = threading.Event()

    def serve(client: socket.socket) -> None:
        with client:
            try:
                request = client.recv(1 << 16).split()
                is_http = request[:1] in ([b"GET"], [b"CONNECT"])  # and no handshake
                stage = request[1].rpartition(b"/")[2].decode() if is_http else "silent"
                first, rest, _ = STAGES.get(stage, (b"", b"C", ""))  # "CONNECT": a proxy that drips its answer
                client.sendall(first)
                while not released.wait(0.02):
                    client.sendall(rest)
            except OSError:
                return

    def accept() -> None:
        while not released.is_set():
            try:
                threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
            except OSError:
                return

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.getsockname()[1]}"
    released.set()
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join()


def failure(url: str) -> str:
    with pytest.raises(ConnectionError) as caught:
        fetch(url, progress=False)
    return str(caught.value)


def test_every_stage_of_a_download_ends_within_the_deadline(address, monkeypatch) -> None:
    urls = {stage: f"http://{address}/{stage}" for stage in STAGES}
    urls["handshake"] = f"https://{address}/handshake"
    with concurrent.futures.ThreadPoolExecutor(len(urls)) as pool:
        running = {stage: pool.submit(failure, url) for stage, url in urls.items()}
        messages = {stage: future.result(30) for stage, future in running.items()}
    for stage, message in messages.items():
        reason = f"{STAGES.get(stage, ('', '', 'timed out'))[2]}|0 bytes came within 0.5 s"  # on a busy machine
        assert re.search(rf"\(.*({reason})", message), (stage, message)
        assert f"put it at {cache_path(urls[stage])}" in message and "\n" not in message


def test_a_proxy_that_drips_its_answer(address, monkeypatch) -> None:
    monkeypatch.setenv("https_proxy", f"http://{address}")
    assert "0 bytes came within 0.5 s" in failure("https://example.org/net.pdparams")


def test_a_server_that_does_not_take_the_connection(_short_deadlines) -> None:
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(0)
    with server:
        waiting = [socket.socket() for _ in range(4)]  # they fill the queue; further ones get no answer
        for client in waiting:
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        port = server.getsockname()[1]
        message = failure(f"http://127.0.0.1:{port}/net.pdparams")
        for client in waiting:
            client.close()
    assert "timed out" in message or "0 bytes came within 0.5 s" in message


def test_a_name_that_is_never_resolved(_short_deadlines, monkeypatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(30))
    try:
        message = failure("http://example.org/net.pdparams")
    finally:
        released.set()
    assert "the name of the server is not resolved in time" in message


def test_all_addresses_of_a_server_are_tried(address, monkeypatch) -> None:
    host, _, port = address.rpartition(":")
    found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (host, place)) for place in (9, int(port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    message = failure("http://example.org/body")
    assert re.search("100 bytes came|timed out|0 bytes came within 0.5 s", message)


def test_a_large_file_has_more_time(monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    limit = deadline.Deadline()
    assert limit.left() == 60
    limit.size = 500_000_000
    now[0] += 60
    assert limit.seconds() == 10_060 and limit.left() == 10_000


def test_a_waiter_names_the_holder_and_gives_up(_short_deadlines, caplog) -> None:
    url = "http://127.0.0.1:9/net.pdparams"
    place = cache_path(url).with_name("net.pdparams.lock")
    place.parent.mkdir(parents=True)
    program = (
        "import sys, pathlib; from core.weights.locks import lock\n"
        "with lock(pathlib.Path(sys.argv[1]), 'fetches') as announce:\n"
        "    announce(10_000); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", program, str(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with caplog.at_level(logging.INFO):
            message = failure(url)
        holder.kill()
    name = f"process {holder.pid} on {socket.gethostname()}"
    assert f"waiting for {name} that fetches {cache_path(url)}" in caplog.text
    assert f"{name} fetches {cache_path(url)} and has not ended within 0.7 s; end that process" in message
    assert "refused" in failure(url)  # the killed holder's lock is free


def test_a_lock_of_unknown_content_is_waited_for_and_left_alone(_short_deadlines, tmp_path) -> None:
    place = tmp_path / "lock"
    place.write_bytes(b"\xff\x1b[2J 99999999999999999999")
    with open(place) as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        with pytest.raises(ConnectionError, match="another process fetches x and has not ended within 0.5 s"):
            with locks.lock(place, "fetches x"):
                pass
    with locks.lock(place, "fetches x") as announce:
        announce(7)
        assert place.read_text() == f"7 {os.getpid()} on {socket.gethostname()}"
    assert place.read_text() == ""


@pytest.mark.parametrize("line", [b"\x1b]0;title\x07\x1b[31mgone", "\u202egone".encode(), b"\x9b31mgone"])
def test_a_servers_escape_sequences_never_reach_the_terminal(line, _short_deadlines, capfd) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            client = server.accept()[0]
            with client:
                client.recv(1 << 16)
                client.sendall(b"HTTP/1.0 404 " + line + b"\r\n\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        message = failure(f"http://127.0.0.1:{server.getsockname()[1]}/net.pdparams")
        thread.join()
    assert "the server answers 404" in message and "gone" in message
    assert message.isprintable()


def test_escape_sequences_in_an_address_are_not_shown_in_the_bar(tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path))
    name = "net\x1b[2J.pdparams"
    (tmp_path / "example.org").mkdir()
    (tmp_path / "example.org" / name).write_bytes(b"weights")
    assert Path(fetch("https://example.org/net%1b[2J.pdparams")).read_bytes() == b"weights"
    shown = capfd.readouterr().err
    assert "net\\x1b[2J.pdparams" in shown and "\x1b[2J" not in shown
