"""Starting worker processes: forked from a small server process that has never loaded the engine.

The standard library's fork server would import the program's main module into itself and into each worker, engine and
all. This one imports nothing of the user's; a worker imports the main module only when its data set is defined there.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from multiprocessing import context, popen_forkserver, process, reduction, resource_tracker, spawn, util
from multiprocessing.forkserver import ForkServer
from typing import Any

_server = ForkServer()
_PRELOADED = ("cv2", "core.vision.transforms")  # what a worker will want, where the parent already has it
_MAIN = ("init_main_from_name", "init_main_from_path")


def main_module() -> dict[str, str]:
    """Return how a worker can import the program's main module; empty when it cannot, as in an interactive session."""
    return {key: value for key, value in spawn.get_preparation_data("main").items() if key in _MAIN}


class _Popen(popen_forkserver.Popen):
    def _launch(self, process_object: process.BaseProcess) -> None:
        prepared = spawn.get_preparation_data(process_object.name)
        data = {key: value for key, value in prepared.items() if key not in _MAIN}
        message = io.BytesIO()
        context.set_spawning_popen(self)
        try:
            reduction.dump(data, message)
            reduction.dump(process_object, message)
        finally:
            context.set_spawning_popen(None)
        with _server_environment():
            self.sentinel, writer = _server.connect_to_new_process(self._fds)  # type: ignore[attr-defined]  # typeshed leaves it out
        self.finalizer = util.Finalize(self, util.close_fds, (os.dup(writer), self.sentinel))  # type: ignore[attr-defined]  # typeshed leaves it out
        with open(writer, "wb", closefd=True) as stream:
            stream.write(message.getvalue())
        self.pid = popen_forkserver.forkserver.read_signed(self.sentinel)  # type: ignore[attr-defined]  # typeshed leaves it out


class WorkerProcess(process.BaseProcess):
    """A process forked from the server; used as ``multiprocessing.Process`` is."""

    _start_method = "forkserver"

    @staticmethod
    def _Popen(process_object: Any) -> Any:
        return _Popen(process_object)


@contextlib.contextmanager
def _server_environment() -> Iterator[None]:
    """The server, if it must be started, finds our modules and starts no threads: it is going to fork.

    Ctrl-C reaches all processes of a terminal, and the parent alone decides what it means. The server and its workers
    are born with the signal blocked: ignoring it later would leave a moment in which it ends them with a traceback.
    """
    _server.set_forkserver_preload(["core.io.workers.worker", *(name for name in _PRELOADED if name in sys.modules)])
    wanted = {
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    resource_tracker.ensure_running()  # it sets the mask of signals as well, so it must be there before
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
