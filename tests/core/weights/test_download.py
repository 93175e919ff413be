"""Fetching from a local server: cache, checksum, lock, mirror, and no network."""
from __future__ import annotations

import hashlib
import http.server
import logging
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.weights import WeightRecord, cache_path, fetch
from core.weights.downloads import connection, transfer

CONTENT = bytes(range(256)) * 40
DIGEST = hashlib.sha256(CONTENT).hexdigest()
ROOT = Path(__file__).parents[3]


class Handler(http.server.BaseHTTPRequestHandler):
    """A server that does what the name of the file says; from the second request on it behaves, where it says once."""

    def do_GET(self):
        self.server.requested.append(self.path)
        self.server.ranges.append(self.headers.get("Range"))
        first = len(self.server.requested) == 1
        name = self.path.rpartition("/")[2].partition("?")[0]
        if name.startswith("once-") and not first:
            name = name.partition(".")[0].replace("once-", "good-") + ".pdparams"
        method = getattr(self, name.partition(".")[0].replace("once-", "").replace("-", "_"), self.good)
        method()

    def good(self):
        """The whole file, or from where it is asked."""
        start = 0
        wanted = self.headers.get("Range")
        is_same = self.headers.get("If-Range", self.server.version) == self.server.version
        if wanted and is_same and self.server.has_ranges:
            start = int(wanted[6:-1])
            if start >= len(CONTENT):
                self.send_error(416)
                return
        self.start(start)
        self.wfile.write(CONTENT[start:])

    def start(self, start=0, length=None):
        if start:
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.send_header("ETag", self.server.version)
        self.end_headers()

    def pieces(self):
        """From where it is asked, but never more than 3000 bytes."""
        start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        self.start(start)
        self.wfile.write(CONTENT[start : start + 3000])

    def unnamed(self):
        self.send_response(206)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"piece")

    def stranger(self):
        """Continues another version, against the rules."""
        start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        self.server.version += "+"
        self.start(start)
        self.wfile.write(CONTENT[start : start + 3000])

    def missing(self):
        self.send_error(404)

    def short(self):
        self.start()
        self.wfile.write(CONTENT[:100])

    def stalls(self):
        self.start()
        self.wfile.write(CONTENT[:5000])
        self.wfile.flush()
        self.server.released.wait(5)

    def mute(self):
        self.server.released.wait(5)

    def drips(self):
        self.start()
        while not self.server.released.wait(0.02):
            try:
                self.wfile.write(b"x")
            except OSError:
                return

    def corrupt(self):
        self.start()
        self.wfile.write(CONTENT[:-1] + b"x")

    def chunked(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"1000\r\n" + CONTENT[:100])

    def page(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<html>please log in</html>")

    def redirect(self, target="/else/good.bin"):
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def loop(self):
        self.redirect("/loop.pdparams")

    def tofile(self):
        self.redirect("file:///etc/hostname")

    def toftp(self):
        self.redirect("ftp://example.org/x")

    def error(self):
        self.send_error(503)

    def log_message(self, *_arguments):
        """Keep quiet."""

    def version_string(self):
        return "test"

    @property
    def protocol_version(self):
        return "HTTP/1.1" if "chunked" in getattr(self, "path", "") else "HTTP/1.0"


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CORE_WEIGHTS_MIRROR", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(transfer, "PAUSE", 0.01)
    monkeypatch.setattr(connection, "TIMEOUT", 0.1)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requested = []
    server.ranges = []
    server.version = '"1"'
    server.has_ranges = True
    server.released = threading.Event()
    server.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


def rest(url: str) -> list:
    """The files beside a cached one."""
    return sorted(name for name in os.listdir(cache_path(url).parent) if not name.endswith(".lock"))


def test_fetched_once(server):
    url = server.address + "/models/net.pdparams?version=1"
    path = fetch(url, DIGEST, progress=False)
    assert path == cache_path(url) and path.read_bytes() == CONTENT
    assert path.parts[-3:] == (server.address[7:].replace(":", "_"), "models", "net.pdparams")
    assert fetch(url, DIGEST, progress=False) == path
    assert len(server.requested) == 1 and rest(url) == ["net.pdparams"]


def test_record_brings_its_checksum(server):
    record = WeightRecord(server.address + "/net.pdparams", "1" * 64, None, None, "MIT", "here", "none")
    with pytest.raises(ValueError, match=f"does not have the expected SHA-256 {'1' * 64}; it was not kept"):
        fetch(record, progress=False)
    assert rest(record.url) == []


def test_damaged_cache_is_fetched_again(server):
    url = server.address + "/net.pdparams"
    fetch(url, progress=False).write_bytes(b"damaged")
    assert fetch(url, DIGEST, progress=False).read_bytes() == CONTENT
    assert len(server.requested) == 2


def test_a_file_may_be_known_by_its_md5(server):
    url = server.address + "/net.pdparams"
    fetch(url, progress=False).write_bytes(b"damaged")
    assert fetch(url, md5=hashlib.md5(CONTENT).hexdigest().upper(), progress=False).read_bytes() == CONTENT
    fetch(url, progress=False).write_bytes(b"damaged")
    with pytest.raises(ValueError, match=f"does not have the expected MD5 {'1' * 32}; it was not kept. Try again"):
        fetch(url, md5="1" * 32, progress=False)
    assert rest(url) == []  # neither the new file nor the one that lay there


@pytest.mark.parametrize(
    "name, reason",
    [
        ("short", r"100 of 10240 bytes came; tried 4 times"),
        ("stalls", r"timed out; tried 4 times"),
        ("mute", r"timed out; tried 4 times"),
        ("drips", r"only \d+ bytes in 0.1 s; tried 4 times"),
        ("chunked", r"the connection was closed early; tried 4 times"),
        ("error", r"the server answers 503 Service Unavailable; tried 4 times"),
        ("page", r"the server answers with a web page instead of the file"),
        ("unnamed", r"the server answers with a part of the file that it does not name"),
        ("stranger", r"(the server continues another version of the file|3000 of 10240 bytes came); tried 4 times"),
        ("loop", r"the server answers 302 .* infinite loop"),
        ("tofile", r"the server answers 302 .*'file:///etc/hostname' is not allowed"),
        ("toftp", r"the server redirects to ftp://example.org/x, which is not followed"),
    ],
)
def test_a_bad_server_is_one_line_that_says_what_to_do(name, reason, server):
    server.has_ranges = False
    url = f"{server.address}/{name}.pdparams"
    message = rf"cannot download {url} \({reason}.*\); fetch {url} elsewhere"
    with pytest.raises(ConnectionError, match=message) as caught:
        fetch(url, progress=False)
    assert "\n" not in str(caught.value) and not cache_path(url).exists()


@pytest.mark.parametrize("name", ["once-short", "once-stalls", "once-error", "once-mute"])
@pytest.mark.parametrize("has_ranges", [True, False])
def test_a_broken_connection_is_tried_again_from_where_it_broke(name, has_ranges, server):
    server.has_ranges = has_ranges
    url = f"{server.address}/{name}.pdparams"
    for digest in (DIGEST, None):
        assert fetch(url, digest, progress=False).read_bytes() == CONTENT
    came = {"once-short": 100, "once-stalls": 5000}.get(name)
    assert server.ranges == [None, f"bytes={came}-" if came else None]
    assert rest(url) == [f"{name}.pdparams"]


def test_a_connection_that_brings_something_is_worth_the_next(server, monkeypatch):
    monkeypatch.setattr(transfer, "ATTEMPTS", 2)
    url = server.address + "/pieces.pdparams"
    with pytest.raises(ConnectionError, match="6000 of 10240 bytes came; tried 2 times"):
        fetch(url, DIGEST, progress=False)
    monkeypatch.setattr(transfer, "MEANINGFUL", 1000)
    assert fetch(url, DIGEST, progress=False).read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=3000-", "bytes=6000-", "bytes=9000-"]


def test_a_later_call_resumes_what_lies_there(server):
    url = server.address + "/good.pdparams"
    part = cache_path(url).with_name(".good.pdparams.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:7000])
    assert fetch(url, DIGEST, progress=False).read_bytes() == CONTENT
    assert server.ranges == ["bytes=7000-"] and rest(url) == ["good.pdparams"]


@pytest.mark.parametrize("content", [b"x" * 300, CONTENT, CONTENT + b"more"])
def test_a_piece_of_another_file_is_replaced(content, server):
    url = server.address + "/good.pdparams"
    part = cache_path(url).with_name(".good.pdparams.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(content)
    assert fetch(url, DIGEST, progress=False).read_bytes() == CONTENT
    assert rest(url) == ["good.pdparams"]


def test_without_a_checksum_only_the_same_version_is_continued(server):
    server.has_ranges = True
    url = server.address + "/once-short.pdparams"
    part = cache_path(url).with_name(".once-short.pdparams.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 200)  # of a version that nobody noted
    assert fetch(url, progress=False).read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=100-"]
    cache_path(url).unlink()
    part.write_bytes(b"y" * 200)
    part.with_name(part.name + ".version").write_text('"0"')
    assert fetch(url, progress=False).read_bytes() == CONTENT
    assert server.ranges[2:] == ["bytes=200-"] and rest(url) == ["once-short.pdparams"]


def test_a_corrupt_file_is_not_kept(server):
    url = server.address + "/corrupt.pdparams"
    with pytest.raises(ValueError, match=f"does not have the expected SHA-256 {DIGEST}; it was not kept. Try again"):
        fetch(url, DIGEST, progress=False)
    assert rest(url) == [] and len(server.requested) == 1


def test_a_redirection_is_followed(server):
    url = server.address + "/redirect.pdparams"
    assert fetch(url, DIGEST, progress=False) == cache_path(url)
    assert server.requested == ["/redirect.pdparams", "/else/good.bin"]


def test_a_redirection_from_https_to_http_is_not_followed():
    from urllib.request import Request

    class Answer:
        def close(self):
            """Nothing is open."""

    handler = connection._Redirects()
    with pytest.raises(Exception, match="the server redirects to http://example.org/x, which is not followed"):
        handler.redirect_request(Request("https://example.org/x"), Answer(), 302, "", {}, "http://example.org/x")


FETCH = "import sys; from core.weights import fetch; print(fetch(*sys.argv[1:3], progress=False))"


def test_two_processes_fetch_one_file_once(server):
    url = server.address + "/good.pdparams"
    command = [sys.executable, "-c", FETCH, url, DIGEST]
    processes = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = [process.communicate(timeout=60)[0].strip() for process in processes]
    assert answers == [str(cache_path(url))] * 3
    assert len(server.requested) == 1 and cache_path(url).read_bytes() == CONTENT


def test_a_killed_download_is_resumed_and_its_lock_is_free(server):
    url = server.address + "/once-stalls.pdparams"
    process = subprocess.Popen([sys.executable, "-c", FETCH, url, DIGEST], cwd=ROOT)
    part = cache_path(url).with_name(".once-stalls.pdparams.part")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not (part.exists() and server.requested):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not cache_path(url).exists()
    assert fetch(url, DIGEST, progress=False).read_bytes() == CONTENT
    assert rest(url) == ["once-stalls.pdparams"]


def test_waiting_for_another_process_is_logged(server, caplog):
    url = server.address + "/once-stalls.pdparams"
    with caplog.at_level(logging.INFO):
        threads = [threading.Thread(target=fetch, args=(url, DIGEST, False)) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    holder = f"process {os.getpid()} on {socket.gethostname()}"
    assert f"waiting for {holder} that fetches {cache_path(url)}" in caplog.text


def test_a_full_disk_is_called_a_full_disk(server):
    url = server.address + "/good.pdparams"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(OSError, match=r"cannot write .*/good.pdparams \(File too large\); free space there or set"):
            fetch(url, DIGEST, progress=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not cache_path(url).exists()
    assert fetch(url, DIGEST, progress=False).read_bytes() == CONTENT


def test_a_cache_that_cannot_be_made_is_named(server, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "file"))
    with pytest.raises(OSError, match=r"cannot write .*good.pdparams \(Not a directory\); .* set CORE_HOME to another"):
        fetch(server.address + "/good.pdparams", DIGEST, progress=False)


@pytest.mark.parametrize("name", ["missing.pdparams", "net.pdparams"])
def test_no_network_says_where_to_put_the_file(server, name, monkeypatch):
    url = server.address + "/" + name
    if "missing" not in name:
        url = "http://127.0.0.1:9/" + name  # the discard port: nobody answers
    with pytest.raises(ConnectionError) as caught:
        fetch(url, DIGEST, progress=False)
    assert f"fetch {url} elsewhere and put it at {cache_path(url)}, or set CORE_WEIGHTS_MIRROR to" in str(caught.value)
    assert ("the server answers 404 Not Found" if "missing" in name else "refused") in str(caught.value)
    assert "\n" not in str(caught.value) and rest(url) == []


def test_mirror_address(server, monkeypatch):
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", server.address + "/mirror/")
    path = fetch("https://example.org/models/net.pdparams", DIGEST, progress=False)
    assert path.read_bytes() == CONTENT and server.requested == ["/mirror/example.org/models/net.pdparams"]


def test_mirror_directory(tmp_path, server, monkeypatch):
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "mirror"))
    place = tmp_path / "mirror" / "example.org" / "net.pdparams"
    with pytest.raises(ConnectionError, match="No such file"):
        fetch("https://example.org/net.pdparams", DIGEST, progress=False)
    place.parent.mkdir(parents=True)
    place.write_bytes(CONTENT)
    assert fetch("https://example.org/net.pdparams", DIGEST, progress=False).read_bytes() == CONTENT


def test_two_at_once_fetch_once(server):
    url = server.address + "/net.pdparams"
    threads = [threading.Thread(target=fetch, args=(url, DIGEST, False)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.requested) == 1 and cache_path(url).read_bytes() == CONTENT


@pytest.mark.parametrize("url", ["https://example.org/a/../../x", "https://example.org/%2e%2e/%2e%2e/x"])
def test_address_may_not_leave_the_cache(url):
    with pytest.raises(ValueError, match="leaves the cache directory"):
        cache_path(url)


def test_address_needs_host_and_path():
    with pytest.raises(ValueError, match="must be https://HOST/PATH"):
        cache_path("net.pdparams")
