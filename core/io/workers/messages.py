"""Messages between a loader and its workers.

``Connection.send`` keeps a view of a BytesIO in its frame; when it fails, garbage collection of the traceback crashes
Python 3.12.1 and older ones (python/cpython issue 111049). So messages are sent as plain bytes.
"""

from __future__ import annotations

import pickle
from multiprocessing.connection import Connection
from typing import Any


def send(connection: Connection, message: Any) -> None:
    """Send anything that can be pickled."""
    connection.send_bytes(pickle.dumps(message, protocol=5))


def receive(connection: Connection) -> Any:
    """Return what the other end, a process of our own, has sent."""
    return pickle.loads(connection.recv_bytes())
