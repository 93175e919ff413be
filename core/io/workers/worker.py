"""What a worker process does: it reads batches for its parent until the parent is done with it, or gone.

Two threads share the work. The main one reads batches. The other one listens to the parent, so that the worker can
always say what it is doing, and ends at once when the parent does.
"""

from __future__ import annotations

import faulthandler
import fcntl
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from multiprocessing import spawn
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Optional

from core.io.reading import Reader
from core.io.workers import messages, sendable, worker_info
from core.io.workers.batch_memory import BatchWriter
from core.paddle_alias import install_as_paddle

GRACE = 0.5  # seconds to the end of a worker that is in the middle of a sample when it is asked to stop


class Settings(NamedTuple):
    """What a worker gets when it starts."""

    number: int
    workers: int
    environment: dict[str, str]
    main_module: dict[str, str]
    shared_memory: Optional[int]  # bytes that the worker may take; None: what there is
    spare_segments: int
    reader: dict[str, Any]  # what the reader needs beside the data set and the collate function
    as_paddle: bool = False  # whether the modules that define the data set may import core by the name of paddle


class Task(NamedTuple):
    """A request of the parent."""

    kind: str  # "read" a batch, begin a "stream", give its "next" batch, send the "progress", or "forget" the rest
    generation: int = 0  # counts iterations over the data set; what belongs to an earlier one is not wanted any more
    number: int = 0
    group: Any = None
    seed: Optional[int] = None
    epoch: int = 0
    returned: tuple[int, ...] = ()  # segments that the parent has read


class NoMainGuard(BaseException):
    """The main module, imported by a worker, started workers itself; not an Exception, lest the module catches it."""


class _Worker:
    def __init__(self, connection: Connection, settings: Settings) -> None:
        self.connection = connection
        self.settings = settings
        self.sending = threading.Lock()
        self.tasks: queue.SimpleQueue[Optional[Task]] = queue.SimpleQueue()
        self.generation = 0
        self.reader: Optional[Reader] = None
        self.writer = BatchWriter(settings.shared_memory, settings.spare_segments)
        self.stream: Optional[Iterator[Any]] = None

    def run(self) -> None:
        try:
            parcel = sendable.receive(self.connection)
            threading.Thread(target=self.listen, name="DataLoader listener", daemon=True).start()
            if not self.start(parcel):
                return
            while (task := self.tasks.get()) is not None:
                self.work(task)
        except (BrokenPipeError, ConnectionResetError, EOFError):
            return  # the parent is gone

    def listen(self) -> None:
        while True:
            try:
                task: Task = messages.receive(self.connection)
                if task.kind == "progress":
                    read, _ = (0, None) if self.reader is None else self.reader.progress
                    self.send("progress", read)
                    continue
            except (OSError, EOFError):  # the parent is gone, or has what it wanted
                break
            self.generation = task.generation
            self.tasks.put(task)
        self.tasks.put(None)
        threading.Event().wait(GRACE)
        os._exit(0)

    def start(self, parcel: sendable.Parcel) -> bool:
        try:
            if self.settings.as_paddle:
                install_as_paddle()
            if parcel.needs_main:
                self.import_main()
            objects = sendable.unpack(parcel)
            initialize = objects.pop("worker_init_fn")
            self.reader = Reader(**objects, **self.settings.reader, owns_random_state=True, empty=self.writer.empty)
            worker_info.process.info = worker_info.WorkerInfo(
                self.settings.number, self.settings.workers, self.reader.dataset
            )
            if initialize is not None:
                initialize(self.settings.number)
        except NoMainGuard:
            self.send("no main guard")
            return False
        except BaseException as error:  # noqa: B036  # every one goes to the parent, which raises it
            self.send("broken start", *_described(error))
            return False
        self.send("ready")
        return True

    def import_main(self) -> None:
        worker_info.process.importing_main = True
        try:
            spawn.prepare(dict(self.settings.main_module))
        finally:
            worker_info.process.importing_main = False

    def work(self, task: Task) -> None:
        self.writer.begin(task.returned)
        if task.generation != self.generation or task.kind == "forget":
            return
        assert self.reader is not None
        try:
            if task.kind == "stream":
                self.stream = self.reader.stream(
                    task.seed, task.epoch, task.number, self.settings.number, self.settings.workers
                )
                return
            if task.kind == "next":
                assert self.stream is not None
                try:
                    batch = next(self.stream)
                except StopIteration:
                    self.send("end", task.generation, worker_info.process.asked)
                    return
            else:
                batch = self.reader.batch(task.group, task.seed, task.epoch, task.number)
            with self.sending:
                self.writer.send(self.connection, ("batch", task.generation, worker_info.process.asked), batch)
        except (BrokenPipeError, ConnectionResetError):
            raise
        except BaseException as error:  # noqa: B036  # every one goes to the parent, which raises it
            self.send("error", task.generation, worker_info.process.asked, *_described(error))

    def send(self, *message: Any) -> None:
        with self.sending:
            messages.send(self.connection, message)


def main(connection: Connection, faults: Connection, settings: Settings) -> None:
    """Serve the parent.

    Args:
        connection: to the parent.
        faults: where stacks go, when the process crashes or the parent asks.
        settings: the rest.
    """
    faulthandler.enable(file=faults.fileno())
    faulthandler.register(signal.SIGUSR1, file=faults.fileno())
    _die_with_parent()
    os.environ.clear()
    os.environ.update(settings.environment)
    _use_one_thread()
    _Worker(connection, settings).run()


def _die_with_parent() -> None:
    """Let the kernel end this process when the parent is gone, even inside a call that never returns to Python."""
    parent = multiprocessing.parent_process()
    if parent is None or sys.platform != "linux":
        return
    pipe = parent.sentinel  # nothing is ever written to it; its other end closes with the parent
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if multiprocessing.connection.wait([pipe], 0):
        os._exit(0)


def _use_one_thread() -> None:
    """Workers are as many as there are cores; threads inside them would only get in each other's way."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OPENCV_FOR_THREADS_NUM="1")
    if "cv2" in sys.modules:
        sys.modules["cv2"].setNumThreads(1)


def _described(error: BaseException) -> tuple[Optional[bytes], str, str]:
    """Return an exception, pickled where that works, its last line, and its traceback without our own frames."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    line = traceback.format_exception_only(type(error), error)[-1].strip()
    try:
        packed: Optional[bytes] = pickle.dumps(error)
        pickle.loads(packed or b"")
    except Exception:
        packed = None
    return packed, line, text
