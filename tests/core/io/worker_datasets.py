"""Data sets for the tests of worker processes, which import this module; so it imports little."""

# ruff: noqa: NPY002 -- global generators are part of what is tested
from __future__ import annotations

import ctypes
import faulthandler
import itertools
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from core.io import DataLoader, Dataset, IterableDataset, StreamDataset, get_worker_info
from core.io.randomness import uniform


class Noisy(Dataset):
    """Sample i is i and three random numbers: the loader's, numpy's and Python's."""

    def __init__(self, length: int = 10) -> None:
        self.length = length

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return index, uniform(), np.random.rand(), random.random()

    def __len__(self) -> int:
        return self.length


class Doing(Dataset):
    """Sample i is i, except that sample ``at`` does something first."""

    def __init__(self, action: Callable[[], Any], at: int = 5, length: int = 10) -> None:
        self.action = action
        self.at = at
        self.length = length

    def __getitem__(self, index: int) -> int:
        if index == self.at:
            self.action()
        return index

    def __len__(self) -> int:
        return self.length


class DyingOnce(Noisy):
    """The process that reads sample 5 is killed, the first time."""

    def __init__(self, mark: Path) -> None:
        super().__init__()
        self.mark = mark

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        if index == 5 and not self.mark.exists():
            self.mark.touch()
            kill()
        return super().__getitem__(index)


class Slow(Dataset):
    """Every sample takes as many seconds."""

    def __init__(self, seconds: float, length: int) -> None:
        self.seconds = seconds
        self.length = length

    def __getitem__(self, index: int) -> int:
        time.sleep(self.seconds)
        return index

    def __len__(self) -> int:
        return self.length


class Process(Dataset):
    """Sample i is the process that reads it and whether the engine is loaded there."""

    def __getitem__(self, index: int) -> tuple[int, bool]:
        return os.getpid(), not {"mxnet", "numba", "core.kernels"}.isdisjoint(sys.modules)

    def __len__(self) -> int:
        return 8


class Speaking(Dataset):
    """Sample 0 is the process that reads it; the others are too large for a pipe to hold."""

    def __getitem__(self, index: int) -> Any:
        return np.zeros(1 << 22) if index else os.getpid()

    def __len__(self) -> int:
        return 3


class Structured(Dataset):
    """Samples of every structure; large enough for shared memory when ``size`` is."""

    def __init__(self, size: int) -> None:
        self.size = size

    def __getitem__(self, index: int) -> dict[str, Any]:
        grid = np.arange(self.size * 3, dtype=np.float32).reshape(3, self.size) + index
        return {
            "image": grid,
            "turned": grid.T.astype(np.float64),
            "pair": (np.uint8(index), f"name {index}", bytes([index])),
            "nothing": np.zeros((0, 4), np.int16),
            "count": index,
        }

    def __len__(self) -> int:
        return 6


class Growing(Dataset):
    """Sample i has i + 1 rows."""

    def __getitem__(self, index: int) -> np.ndarray:
        return np.full((index + 1, 5000), index, np.float32)

    def __len__(self) -> int:
        return 9


class Counting(IterableDataset):
    """0, 1, ..., and noise; ``ask`` says how it finds its share: not, itself, too late, or by :func:`choose_share`."""

    def __init__(self, length: int = 11, ask: str = "no") -> None:
        self.length = length
        self.ask = ask
        self.first = 0
        self.step = 1

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        info = get_worker_info() if self.ask == "yes" else None
        first, step = (self.first, self.step) if info is None else (info.id, info.num_workers)
        for number in itertools.islice(range(self.length), first, None, step):
            if self.ask == "late" and number == 3:
                get_worker_info()
            yield number, uniform(), np.random.rand()


class Records(StreamDataset):
    """0, 1, ..., shuffled in pairs by chance, which a transform turns into the number, noise and the process."""

    def __init__(self, length: int = 13) -> None:
        super().__init__(noted)
        self.length = length

    def records(self) -> Iterator[int]:
        for number in range(0, self.length, 2):
            pair = [n for n in (number, number + 1) if n < self.length]
            yield from reversed(pair) if uniform() < 0.5 else pair


def noted(number: int) -> tuple[int, float, int]:
    return number, uniform(), os.getpid()


def choose_share(number: int) -> None:
    info = get_worker_info()
    assert info is not None and info.id == number
    info.dataset.first, info.dataset.step = info.id, info.num_workers


def as_lists(batch: Any) -> list[Any]:
    return list(batch)


def wait_long() -> None:
    time.sleep(600)


def wait_at_start(number: int) -> None:
    time.sleep(600)


def hold_the_interpreter() -> None:
    ctypes.PyDLL(None).sleep(600)


def exit_3() -> None:
    os._exit(3)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def crash() -> None:
    faulthandler._sigsegv()  # type: ignore[attr-defined]


def leave() -> None:
    sys.exit(4)


def stop() -> None:
    raise StopIteration


def break_down() -> None:
    raise OSError("photo 5 is truncated")


class PeculiarError(Exception):
    """Cannot be made again from its arguments."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} is not {second}")


def be_peculiar() -> None:
    raise PeculiarError(1, 2)


def take_too_much() -> None:
    np.ones(1 << 36)


def nest() -> None:
    list(DataLoader(Noisy(), num_workers=1))


def allow_little_memory(number: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1 << 33, 1 << 33))


def allow_no_files(number: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def fail_to_start(number: int) -> None:
    raise ValueError(f"no camera {number}")


class FailsToLoad(Noisy):
    def __setstate__(self, state: dict[str, Any]) -> None:
        raise FileNotFoundError("no index file 'train.idx'")


class Holding(Noisy):
    """Holds something."""

    def __init__(self, held: Optional[Any]) -> None:
        super().__init__()
        self.held = held


class Shared(Dataset):
    """Writes into its own array when sample 0 is read; the other samples are the array's sum."""

    def __init__(self, count: int) -> None:
        self.array = np.ones(count, np.float32)

    def __getitem__(self, index: int) -> float:
        if index == 0:
            self.array[:] = 7
        return float(self.array.sum())

    def __len__(self) -> int:
        return 2


class Scenes(Dataset):
    """Texts of 0 to 19 tokens, and 0 to 4 boxes; what is to be found is the sum of both."""

    def __init__(self, count: int) -> None:
        generator = np.random.default_rng(2)
        self.lengths = generator.integers(0, 20, count).tolist()
        self.texts = [generator.integers(0, 11, length).tolist() for length in self.lengths]
        self.boxes = [generator.random((number, 4), np.float32) for number in generator.integers(0, 5, count)]

    def __getitem__(self, index: int) -> dict[str, Any]:
        boxes = self.boxes[index]
        return {
            "tokens": self.texts[index],
            "boxes": boxes + np.float32(uniform(0, 0.01)),
            "side": {"weights": np.full(self.lengths[index], 0.5, np.float32)},
            "name": f"scene {index}",
            "target": np.float32(sum(self.texts[index]) / 50 + boxes.sum()),
        }

    def __len__(self) -> int:
        return len(self.lengths)


class SceneStream(StreamDataset):
    """The same as a stream: records are numbers and lengths."""

    def __init__(self, count: int) -> None:
        self.scenes = Scenes(count)
        super().__init__(self.scene)

    def records(self) -> Iterator[tuple[int, int]]:
        yield from enumerate(self.scenes.lengths)

    def scene(self, record: tuple[int, int]) -> dict[str, Any]:
        return self.scenes[record[0]]


def length_of_record(record: tuple[int, int]) -> int:
    return record[1]


def number_of_line(line: str) -> tuple[int, float]:
    return int(line.split()[1]), uniform()


def drawn_with(samples: Any) -> list[tuple[Any, float]]:
    """Return each sample's number with one that is drawn for the batch."""
    drawn = uniform()
    return [(sample[0], drawn) for sample in samples]
