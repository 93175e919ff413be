"""Forks processes before and after it has computed; started by test_forked.py, one line of JSON for each child.

The argument says what is computed before most of them are forked: ``convolution``, or ``kernels``, which are numba's
threads without the engine.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import signal
import sys
import threading
from typing import Any, Callable

import numpy as np
from PIL import Image

import core
from core.kernels.engine import forked
from core.kernels.graphs.adjacency import compress
from core.vision.decoding import decode_image

NUMBERS = np.arange(16 * 16 * 9, dtype="float32").reshape(16, 16, 3, 3)
WEIGHT = core.to_tensor(NUMBERS)
JPEG = io.BytesIO()
Image.new("RGB", (6, 4)).save(JPEG, "JPEG")


def convolve() -> float:
    """Compute a convolution with the engine."""
    image = core.to_tensor(np.ones((2, 16, 12, 12), "float32"))
    return float(core.nn.functional.conv2d(image, WEIGHT).max())


def number_edges() -> list[int]:
    """Compute with a custom kernel on numba's threads, without the engine."""
    return [int(number) for number in compress(np.array([0, 2, 2]), np.array([1, 0, 1]), 3)[0]]


@core.jit.to_static
def program(image: core.Tensor) -> core.Tensor:
    """Compute a convolution for whose weight the engine lays it out anew, in place."""
    return core.nn.functional.conv2d(image, WEIGHT)


def run() -> float:
    """Run the program."""
    with core.no_grad():
        return float(program(core.to_tensor(np.ones((2, 16, 12, 12), "float32"))).max())


def read() -> list[Any]:
    """Read an image and a weight, and data without and with a worker process."""
    data = core.io.TensorDataset([np.arange(3.0)])
    loaders = [core.io.DataLoader(data, batch_size=2, num_workers=workers) for workers in (0, 1)]
    return [
        list(decode_image(JPEG.getvalue(), "image").shape),
        bool((WEIGHT.numpy() == NUMBERS).all()),
        *[[batch[0].numpy().tolist() for batch in loader] for loader in loaders],
    ]


def read_in_another() -> list[Any]:
    """Read the same in a process that Python forks from this one."""
    context = multiprocessing.get_context("fork")
    ours, others = context.Pipe()
    process = context.Process(target=lambda: others.send(read()))
    process.start()
    found: list[Any] = ours.recv()
    process.join()
    return found


def in_child(work: Callable[[], Any], end: Callable[[int], Any] = os._exit) -> None:
    """Do something in a child, and print what came of it; one that hangs is killed."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            print(json.dumps(work()), flush=True)
        except Exception as error:
            print(json.dumps(f"{type(error).__name__}: {error}"), flush=True)
        end(3)
    status = os.waitpid(child, 0)[1]
    if status != 3 << 8:
        print(json.dumps(f"ended with status {status}"), flush=True)


def main() -> None:
    """Fork, compute what was asked for, and fork again; the last time while another thread computes."""
    in_child(lambda: [convolve(), number_edges()])
    if sys.argv[1] == "kernels":
        number_edges()
    else:
        run()
    in_child(convolve, end=sys.exit)  # what the engine does where a process ends is part of it
    for work in (number_edges, read, read_in_another):
        in_child(work)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with contextlib.ExitStack() as stack:
            for lock in forked._locks:
                stack.enter_context(lock)
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    in_child(run)
    done.set()
    thread.join()
    print(json.dumps([convolve(), number_edges()]))


if __name__ == "__main__":
    main()
