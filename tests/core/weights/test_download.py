"""Fetching from a local server: cache, checksum, lock, mirror, and no network."""
from __future__ import annotations

import hashlib
import http.server
import os
import threading

import pytest

from core.weights import WeightRecord, cache_path, fetch

CONTENT = bytes(range(256)) * 40
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requested.append(self.path)
        if "missing" in self.path:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:100] if "short" in self.path else CONTENT)

    def log_message(self, *_arguments):
        """Keep quiet."""


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.setenv("CORE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CORE_WEIGHTS_MIRROR", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requested = []
    server.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
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


def test_short_answer_is_an_error_even_without_a_checksum(server):
    url = server.address + "/short.pdparams"
    with pytest.raises(ConnectionError, match=r"cannot download .* \(100 of 10240 bytes came\)"):
        fetch(url, progress=False)
    assert rest(url) == []


@pytest.mark.parametrize("name", ["missing.pdparams", "net.pdparams"])
def test_no_network_says_where_to_put_the_file(server, name, monkeypatch):
    url = server.address + "/" + name
    if "missing" not in name:
        url = "http://127.0.0.1:9/" + name  # the discard port: nobody answers
    with pytest.raises(ConnectionError) as caught:
        fetch(url, DIGEST, progress=False)
    assert f"fetch {url} elsewhere and put it at {cache_path(url)}, or set CORE_WEIGHTS_MIRROR" in str(caught.value)
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
