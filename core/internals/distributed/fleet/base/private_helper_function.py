"""Inner names of ``paddle.distributed.fleet.base.private_helper_function``."""

import socket
import sys
import time
from collections.abc import Sequence

__all__ = ["wait_server_ready"]


def wait_server_ready(endpoints: Sequence[str]) -> None:
    """Wait until something answers at each address; says every three seconds where nothing does.

    Args:
        endpoints: ``host:port`` each.

    Raises:
        TypeError: it is one text instead of a list.
        ValueError: an address has no port.
    """
    if isinstance(endpoints, str):
        raise TypeError("wait_server_ready: endpoints must be a list of addresses, not one")
    places = []
    for endpoint in endpoints:
        host, _, port = endpoint.rpartition(":")
        if not host or not port.isdigit():
            raise ValueError(f"wait_server_ready: {endpoint!r} must be host:port")
        places.append((host, int(port)))
    while True:
        silent = [place for place in places if not _answers(place)]
        if not silent:
            return
        addresses = ", ".join(f"{host}:{port}" for host, port in silent)
        print(f"wait_server_ready: nothing answers yet at {addresses}; next try in 3 s", file=sys.stderr, flush=True)
        time.sleep(3)


def _answers(place: tuple[str, int]) -> bool:
    try:
        socket.create_connection(place, timeout=2).close()
    except OSError:
        return False
    return True
