"""The parent's side of worker processes: who reads what, in which order it is handed on, and what goes wrong.

A worker that dies closes its end of the connection, which is seen at once. Another one reads its batches anew, which
gives the same samples; the second death over one batch is an error. A worker that does not get on is found by asking
it: as long as it reads samples, or starts, time does not count. Its stack then comes with the error.
"""

from __future__ import annotations

import collections
import contextlib
import itertools
import logging
import multiprocessing.connection
import os
import pickle
import signal
import socket
import struct
import time
import weakref
from collections.abc import Generator, Iterator
from multiprocessing.connection import Connection
from typing import Any, Callable, Optional

from core.io.reading import Reader
from core.io.workers import messages, sendable, worker_info
from core.io.workers.batch_memory import BatchReader
from core.io.workers.worker import NoMainGuard, Settings, Task, main
from core.io.workers.worker_process import WorkerProcess, main_module
from core.paddle_alias import installed

WATCH = 60.0  # seconds that one sample may take, where no timeout is given
SHARED_MEMORY: Optional[int] = None  # bytes that one worker may take; None: what the machine has
_ASK = 5.0  # seconds between questions to a silent worker
_LESS_MEMORY = "use fewer workers, smaller batches or a smaller prefetch_factor"
_LAST_MOMENT = 1.0  # seconds in which a worker ends by itself, or answers with its stack
_logger = logging.getLogger("core.io")


class WorkerError(RuntimeError):
    """A worker process could not start, died, or did not get on."""


class WorkerTraceback(Exception):
    """The traceback of an exception in a worker process, as text; it is the cause of the exception raised here."""

    def __str__(self) -> str:
        return "\n\n" + str(self.args[0])


class _Worker:
    """One worker as the parent sees it."""

    def __init__(self, number: int, settings: Settings, limit: float) -> None:
        self.number = number
        self.settings = settings
        self.limit = limit
        self.results: collections.deque[Any] = collections.deque()
        self.tasks: collections.deque[Task] = collections.deque()
        self.start()

    def start(self) -> None:
        """Start the process."""
        ours, theirs = multiprocessing.connection.Pipe()
        faults, write_faults = multiprocessing.connection.Pipe(duplex=False)
        self.connection: Connection = ours
        self.faults: Connection = faults
        self.memory = BatchReader(ours)
        self.ready = False
        self.progress = -1
        self.process = WorkerProcess(
            target=main,
            args=(theirs, write_faults, self.settings),
            name=f"DataLoader worker {self.number}",
            daemon=True,
        )
        self.process.start()
        theirs.close()
        write_faults.close()
        _limit_blocking(self.memory.socket, self.limit)

    def start_anew(self) -> None:
        """Start another process in the place of one that is dead."""
        self.process.kill()
        self.process.join()
        for end in (self.connection, self.memory, self.process, self.faults):
            end.close()
        self.start()

    def send(self, task: Task) -> None:
        if task.kind in ("read", "next"):
            self.tasks.append(task)
        messages.send(self.connection, task._replace(returned=tuple(self.memory.returned())))

    def hear(self) -> tuple[Any, ...]:
        """Return the next message; that of a batch is (kind, generation, whether its share is its own, batch)."""
        message: tuple[Any, ...] = messages.receive(self.connection)
        if message[0] == "batch":
            return (*message[:-1], self.memory.receive(message[-1]))
        return message

    def doing(self) -> str:
        """Say what the worker does, as far as is known."""
        if not self.ready:
            return "while it started"
        if not self.tasks:
            return "while it waited for work"
        task = self.tasks[0]
        if task.kind == "next":
            return "while it read its stream"
        group = list(task.group) if isinstance(task.group, (list, tuple)) else [task.group]
        shown = ", ".join(map(str, group[:8])) + (", ..." if len(group) > 8 else "")
        return f"while it read batch {task.number} (samples {shown})"

    def stack(self) -> str:
        """Return what the process wrote about its own crash, or about its hang when asked for it."""
        text = b""
        while self.faults.poll(0.05):
            part = os.read(self.faults.fileno(), 1 << 16)
            if not part:
                break
            text += part
        return text.decode("utf-8", "replace")

    def __str__(self) -> str:
        return f"DataLoader worker {self.number} (pid {self.process.pid})"


class Workers:
    """Worker processes that read batches for a loader.

    Args:
        reader: what they read.
        count: how many there are.
        prefetch: how many batches each may have in work.
        timeout: seconds that a batch may take; 0: as long as no sample takes longer than :data:`WATCH`.
        worker_init_fn: called in each worker with its number.
        use_shared_memory: whether batches come through shared memory.

    Raises:
        TypeError: something cannot be sent to a worker; the message names it and the fix.
        WorkerError: workers cannot be started from here.
    """

    def __init__(
        self,
        reader: Reader,
        count: int,
        prefetch: int,
        timeout: float,
        worker_init_fn: Optional[Callable[[int], None]],
        use_shared_memory: bool,
    ) -> None:
        if worker_info.process.importing_main:
            raise NoMainGuard
        if worker_info.process.info is not None:
            raise WorkerError("DataLoader: a worker process cannot start workers of its own; use num_workers=0 in it")
        self.prefetch = prefetch
        self.timeout = timeout
        self.busy = False
        self.generation = 0
        self.read_anew: set[int] = set()
        self.workers: list[_Worker] = []
        self._closing = weakref.finalize(self, _close, self.workers)  # at the program's end, too
        self._start(reader, count, worker_init_fn, use_shared_memory)

    def _start(self, reader: Reader, count: int, initialize: Any, use_shared_memory: bool) -> None:
        self.contents = {"dataset": reader.dataset, "collate_fn": reader.collate_fn, "worker_init_fn": initialize}
        parcel = sendable.pack(**self.contents)
        options = {name: getattr(reader, name) for name in ("makes_batches", "batch_size", "drop_last")}
        main_is = main_module()
        memory = SHARED_MEMORY if use_shared_memory else 0
        try:
            if parcel.needs_main and not main_is:
                raise WorkerError(
                    "DataLoader: the data set, or a function given to the loader, is defined in an interactive session "
                    "or by python -c, where worker processes cannot find it; put it into a .py file, or use "
                    "num_workers=0"
                )
            for number in range(count):
                settings = Settings(
                    number,
                    count,
                    dict(os.environ),
                    main_is,
                    memory,
                    self.prefetch + 1,
                    options,
                    installed() is not None,
                )
                self.workers.append(_Worker(number, settings, max(self.timeout, WATCH)))
            for worker in self.workers:
                with self._blamed(worker):
                    parcel.send(worker.connection)
        except BaseException:
            self.close()
            raise
        finally:
            parcel.close()

    def read(self, groups: Iterator[Any], seed: int, epoch: int, start: int) -> Generator[Any, None, None]:
        """Iterate over the batches of a map-style data set, in order.

        Args:
            groups: the indices of each batch.
            seed: for what is drawn while reading.
            epoch: the epoch's number.
            start: the number of the first batch.

        Returns:
            Batches of arrays.
        """
        self._begin()
        numbered = enumerate(groups, start)
        order: collections.deque[_Worker] = collections.deque()

        def fill() -> None:
            for number, group in itertools.islice(numbered, self.prefetch * len(self.workers) - len(order)):
                worker = min(self.workers, key=lambda worker: len(worker.tasks))
                self._send(worker, Task("read", self.generation, number, group, seed, epoch))
                order.append(worker)

        try:
            fill()
            while order:
                result = self._result(order.popleft())
                fill()
                yield self._batch(result)
        finally:
            self._end()

    def stream(self, seed: int, epoch: int, start: int) -> Generator[Any, None, None]:
        """Iterate over the batches of an IterableDataset: one of each worker in turn.

        Args:
            seed: for what is drawn while reading.
            epoch: the epoch's number.
            start: how many batches to skip.

        Returns:
            Batches of arrays.
        """
        self._begin()
        try:
            for worker in self.workers:
                self._send(worker, Task("stream", self.generation, start, None, seed, epoch))
                for _ in range(self.prefetch):
                    self._send(worker, Task("next", self.generation))
            turns = collections.deque(self.workers)
            turns.rotate(-(start % len(turns)))
            skipped = 0
            self._await(turns[0])
            if turns[0].results[0][1]:  # a share of its own: what to skip is only known by reading it
                turns, skipped = collections.deque(self.workers), start
            while turns:
                worker = turns[0]
                result = self._result(worker)
                if result[0] == "end":
                    turns.popleft()
                    continue
                turns.rotate(-1)
                self._send(worker, Task("next", self.generation))
                batch = self._batch(result)
                skipped -= 1
                if skipped < 0:
                    yield batch
        finally:
            self._end()

    def close(self) -> None:
        """End the processes: those that do not stop by themselves within a second are killed."""
        self._closing()

    def _begin(self) -> None:
        self.busy = True
        self.generation += 1
        self.read_anew.clear()
        for worker in self.workers:
            worker.tasks.clear()
            worker.results.clear()

    def _end(self) -> None:
        self.busy = False
        for worker in self.workers:
            worker.results.clear()
            if worker.tasks:  # given up in the middle of an epoch
                with contextlib.suppress(OSError):  # a worker that is gone is found by the next epoch
                    worker.send(Task("forget", self.generation + 1))

    def _send(self, worker: _Worker, task: Task) -> None:
        with self._blamed(worker):
            worker.send(task)

    def _result(self, worker: _Worker) -> Any:
        self._await(worker)
        return worker.results.popleft()

    def _batch(self, result: tuple[Any, ...]) -> Any:
        kind, _, *content, worker, doing = result
        if kind == "error":
            self._raise(worker, doing, *content)
        return content[0]

    def _await(self, worker: _Worker) -> None:
        """Wait until a worker has a result, as long as it gets on."""
        heard = asked = time.monotonic()
        while not worker.results:
            before = worker.ready, worker.progress
            limit = self.timeout if self.timeout and worker.ready else max(self.timeout, WATCH)
            now = time.monotonic()
            if now - heard >= limit:
                raise self._hung(worker, limit)
            if worker.ready and not self.timeout and now - asked >= _ASK:
                with self._blamed(worker):
                    messages.send(worker.connection, Task("progress"))
                asked = now
            self._receive(min(heard + limit - now, _ASK))
            if before != (worker.ready, worker.progress):
                heard = time.monotonic()

    def _receive(self, seconds: float) -> None:
        """Take in what workers have to say, waiting for the first word at most so long."""
        sources: dict[Any, tuple[_Worker, WorkerProcess]] = {}
        for worker in self.workers:
            sources[worker.connection] = sources[worker.process.sentinel] = worker, worker.process
        for source in multiprocessing.connection.wait(list(sources), seconds):
            worker, process = sources[source]
            message: tuple[Any, ...] = ()
            if worker.process is not process:  # it has just been started anew
                continue
            with self._blamed(worker):
                if source is not worker.connection and not worker.connection.poll(0):
                    raise EOFError
                message = worker.hear()
            if message:
                self._take(worker, *message)

    def _take(self, worker: _Worker, kind: str, *content: Any) -> None:
        if kind == "ready":
            worker.ready = True
        elif kind == "progress":
            worker.progress = content[0]
        elif kind == "no main guard":
            program = main_module().get("init_main_from_path") or "the main module"
            raise WorkerError(
                f"DataLoader: {program} starts worker processes as soon as it is imported, and workers import it; put "
                'what it runs under `if __name__ == "__main__":`, or use num_workers=0'
            )
        elif kind == "broken start":
            self._raise(worker, "while it started", *content)
        elif content[0] == self.generation:
            doing = worker.doing()
            worker.tasks.popleft()
            worker.results.append((kind, *content[1:], worker, doing))

    @contextlib.contextmanager
    def _blamed(self, worker: _Worker) -> Iterator[None]:
        """Turn a broken connection into an error that says what became of the worker."""
        try:
            yield
        except BlockingIOError:
            failure = self._hung(worker, max(self.timeout, WATCH))
        except (EOFError, OSError):
            failure = self._dead(worker)
            if self._starts_anew(worker, failure):
                return
        else:
            return
        raise failure

    def _starts_anew(self, worker: _Worker, failure: WorkerError) -> bool:
        """Let another process read a dead worker's batches, unless the first of them has cost a process before."""
        task = worker.tasks[0] if worker.ready and worker.tasks else None
        if task is None or task.kind != "read" or task.number in self.read_anew:
            return False
        self.read_anew.add(task.number)
        _logger.warning("%s; another one reads that batch anew", failure)
        worker.start_anew()
        parcel = sendable.pack(**self.contents)
        try:
            with self._blamed(worker):
                parcel.send(worker.connection)
                for again in worker.tasks:
                    messages.send(worker.connection, again)
        finally:
            parcel.close()
        return True

    def _raise(self, worker: _Worker, doing: str, packed: Optional[bytes], line: str, text: str) -> None:
        """Raise an exception of a worker as if it had been raised here."""
        cause = WorkerTraceback(f"{worker}, {doing}:\n\n{text}")
        error = None if packed is None else pickle.loads(packed)  # written by our own worker
        if isinstance(error, MemoryError):
            raise MemoryError(f"{worker} ran out of memory {doing}; {_LESS_MEMORY}") from cause
        if not isinstance(error, Exception) or isinstance(error, StopIteration):  # would end a loop, or the program
            raise WorkerError(f"{worker} stopped {doing}: {line}") from cause
        raise error from cause

    def _dead(self, worker: _Worker) -> WorkerError:
        worker.process.join(_LAST_MOMENT)
        code = worker.process.exitcode
        if code == -signal.SIGKILL:
            how = f"was killed by SIGKILL, as happens when the machine runs out of memory; {_LESS_MEMORY}"
        elif code is not None and code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        else:
            how = "closed its connection" if code is None else f"exited with code {code}"
        error = WorkerError(f"{worker} died {worker.doing()}: it {how}")
        stack = worker.stack()
        error.__cause__ = WorkerTraceback(stack) if stack else None
        return error

    def _hung(self, worker: _Worker, limit: float) -> WorkerError:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.process.pid or 0, signal.SIGUSR1)
        worker.faults.poll(_LAST_MOMENT)
        error = WorkerError(
            f"{worker} did not get on for {limit:g} s {worker.doing()}; its stack trace is above. If that may take so "
            "long, pass a larger timeout="
        )
        stack = worker.stack()
        error.__cause__ = WorkerTraceback(stack) if stack else None
        return error


def _close(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.connection.close()
        worker.memory.close()
    alive = [worker.process.sentinel for worker in workers]
    deadline = time.monotonic() + _LAST_MOMENT
    while alive and (left := deadline - time.monotonic()) > 0:
        ended = multiprocessing.connection.wait(alive, left)
        alive = [sentinel for sentinel in alive if sentinel not in ended]
    for worker in workers:
        if worker.process.sentinel in alive:
            worker.process.kill()
        worker.process.join()
        worker.process.close()
        worker.faults.close()
    workers.clear()


def _limit_blocking(end: socket.socket, seconds: float) -> None:
    """Let reading and writing fail when the other end stops in the middle of a message."""
    span = struct.pack("@ll", int(seconds) + 1, 0)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, span)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, span)
