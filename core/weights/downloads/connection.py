"""HTTP connections that keep a deadline at every stage: name, connection, handshake, proxy, headers and body.

A socket's own timeout begins again with every byte, so a server that drips its status line, its headers or answers of
``100 Continue`` would be waited for without end. Here every wait is for what is left of the whole time, too.
"""

from __future__ import annotations

import functools
import http.client
import io
import socket
import threading
import time
import urllib.request
from typing import Any, Optional
from urllib.parse import urlsplit

from core.weights.downloads.deadline import Deadline
from core.weights.messages import one_line

CONNECT_TIMEOUT = 10.0
"""Seconds for finding a server's addresses and connecting to one of them."""
TIMEOUT = 30.0
"""Seconds without a byte after which a connection counts as broken."""


class TooLate(Exception):
    """The deadline has passed."""


class Refused(Exception):
    """The source will not give the file: another attempt would end in the same way."""


def opener(deadline: Deadline) -> urllib.request.OpenerDirector:
    """Return what opens addresses within a deadline, through the environment's proxies.

    Args:
        deadline: for everything that is done with it; :class:`TooLate` is raised when it has passed.
    """
    return urllib.request.build_opener(_Redirects, _Http(deadline), _Https(deadline))


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a redirection, but neither from https to http nor out of the two."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        scheme = urlsplit(newurl).scheme
        if scheme not in ("http", "https") or (req.type == "https" and scheme != "https"):
            fp.close()
            raise Refused(f"the server redirects to {one_line(newurl, 200)}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Http(urllib.request.HTTPHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def http_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(functools.partial(_timed, http.client.HTTPConnection, self._deadline), req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, deadline: Deadline) -> None:
        super().__init__()
        self._deadline = deadline

    def https_open(self, req: urllib.request.Request) -> Any:
        return self.do_open(functools.partial(_timed, http.client.HTTPSConnection, self._deadline), req)


def _timed(kind: type[http.client.HTTPConnection], deadline: Deadline, host: str, **options: Any) -> Any:
    """Return a connection that connects, and reads its answers, a proxy's too, within the deadline."""
    connection: Any = kind(host, **options)
    connection._create_connection = functools.partial(_connected, deadline)
    connection.response_class = functools.partial(_response, deadline)
    return connection


def _response(deadline: Deadline, sock: socket.socket, *arguments: Any, **options: Any) -> http.client.HTTPResponse:
    return http.client.HTTPResponse(_TimedSocket(sock, deadline), *arguments, **options)  # type: ignore[arg-type]  # it has what HTTPResponse uses of a socket


class _TimedSocket:
    """What an HTTPResponse needs of a socket."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return the socket's bytes as a stream."""
        return io.BufferedReader(_TimedReader(self._sock, self._deadline))


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        self._sock = sock
        self._stream = sock.makefile("rb", buffering=0)  # keeps the socket open when its connection is closed
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        try:
            self._sock.settimeout(_patience(self._deadline))
            return self._stream.readinto(buffer)
        except (OSError, TooLate):
            self._stream.close()  # http.client does not close a proxy's answer that ends early
            _patience(self._deadline)  # which of the two times was over
            raise

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def _patience(deadline: Deadline, most: Optional[float] = None) -> float:
    """Return how long to wait for the next byte.

    Raises:
        TooLate: no longer.
    """
    left = deadline.left()
    if left <= 0:
        raise TooLate
    return min(left, TIMEOUT if most is None else most)


def _connected(deadline: Deadline, address: tuple[str, int], *_: Any) -> socket.socket:
    """Connect to a server; its addresses share the time."""
    end = time.monotonic() + _patience(deadline, CONNECT_TIMEOUT)
    error: OSError = TimeoutError("the name of the server is not resolved in time")
    places = _resolved(address, end)
    for number, (family, kind, protocol, _, place) in enumerate(places):
        left = end - time.monotonic()
        if left <= 0:
            break
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(left / (len(places) - number))
            sock.connect(place)
            sock.settimeout(_patience(deadline))
            return sock
        except OSError as reason:
            sock.close()
            error = reason
        except BaseException:
            sock.close()
            raise
    raise error


def _resolved(address: tuple[str, int], end: float) -> list[Any]:
    """Return the addresses of a server; nothing ends a search that is under way, so that it runs beside."""
    found: list[Any] = []

    def resolve() -> None:
        try:
            found.append(socket.getaddrinfo(*address, type=socket.SOCK_STREAM))
        except OSError as error:
            found.append(error)

    thread = threading.Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(max(end - time.monotonic(), 0))
    if not found:
        return []
    if isinstance(found[0], OSError):
        raise found[0]
    places: list[Any] = found[0]
    return places
