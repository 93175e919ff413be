"""Convolutions over time and pixels, in the shapes of I3D and SlowFast: ours beside PyTorch's, in milliseconds.

    python -m benchmarks.PaddleVideo.volumes [--peers PYTHON] [--rounds 7] [--threads 2] [--processor] [--only TEXT]

Each row is a convolution of float32, forward as a compiled function, and forward with the gradients of input and
weight. `--torch` names a Python in which torch is installed. Each side is a process of its own; the sides of a row take
turns, and the ratio is the median of the rounds' ratios. A ratio above 1 says that ours is faster. ``--processor``
compares the time that processors worked, for machines that are busy otherwise.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

import numpy as np

Steps = Mapping[str, Callable[[], Any]]


class Case(NamedTuple):
    """A convolution.

    Attributes:
        x: the input's shape, (N, C, T, H, W).
        weight: the kernel's, (C', C / groups, T, H, W); padding keeps sizes at stride 1.
        stride: of time, height, width.
        groups: of channels.
    """

    x: tuple[int, ...]
    weight: tuple[int, ...]
    stride: tuple[int, ...] = (1, 1, 1)
    groups: int = 1

    @property
    def padding(self) -> tuple[int, ...]:
        """Of time, height, width."""
        return tuple(size // 2 for size in self.weight[2:])


CASES = {
    "I3D stem (5,7,7) strided": Case((1, 3, 8, 224, 224), (64, 3, 5, 7, 7), (1, 2, 2)),
    "I3D res2 (1,3,3)": Case((1, 64, 8, 56, 56), (64, 64, 1, 3, 3)),
    "I3D res2 (3,1,1)": Case((1, 256, 8, 56, 56), (64, 256, 3, 1, 1)),
    "I3D res2 (1,1,1)": Case((1, 64, 8, 56, 56), (256, 64, 1, 1, 1)),
    "I3D res3 (1,3,3) strided": Case((1, 128, 4, 56, 56), (128, 128, 1, 3, 3), (1, 2, 2)),
    "I3D res4 (1,3,3)": Case((1, 256, 4, 14, 14), (256, 256, 1, 3, 3)),
    "I3D res4 (3,1,1)": Case((1, 1024, 4, 14, 14), (256, 1024, 3, 1, 1)),
    "SlowFast fast stem (5,7,7) strided": Case((1, 3, 32, 224, 224), (8, 3, 5, 7, 7), (1, 2, 2)),
    "SlowFast fast res2 (1,3,3)": Case((1, 8, 32, 56, 56), (8, 8, 1, 3, 3)),
    "SlowFast fast res2 (3,1,1)": Case((1, 32, 32, 56, 56), (8, 32, 3, 1, 1)),
    "SlowFast fusion (5,1,1) strided": Case((1, 32, 32, 56, 56), (64, 32, 5, 1, 1), (8, 1, 1)),
    "grouped (3,3,3)": Case((1, 64, 8, 28, 28), (64, 8, 3, 3, 3), groups=8),
    "depthwise (3,1,1)": Case((1, 128, 8, 28, 28), (128, 1, 3, 1, 1), groups=128),
}


def main() -> None:
    """Print one row per convolution and direction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", metavar="PYTHON", default=sys.executable, help="the Python that has torch")
    parser.add_argument("--rounds", type=int, default=7, help="rounds in which the sides take turns (default 7)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    parser.add_argument("--processor", action="store_true", help="compare the time that processors worked")
    parser.add_argument("--only", default="", help="rows with this in their name")
    options = parser.parse_args()
    from benchmarks.side import Side, compare, require

    require("torch", "numpy", python=options.peers)
    settings = {"threads": options.threads, "processor": options.processor}
    mine = Side("ours", ours, **settings)
    peer = Side("PyTorch", pytorch, (options.threads,), **settings, python=options.peers)
    print(f"{'':50} {'ours':>12} {'PyTorch':>12} {'ratio':>7}")
    for step in [step for step in mine.steps if options.only in step]:
        own, theirs, ratio = compare((mine, step), (peer, step), options.rounds)
        print(f"{step:50} {own * 1e3:9.2f} ms {theirs * 1e3:9.2f} ms {ratio:7.2f}", flush=True)
    for side in (mine, peer):
        side.close()


# --- inside a side ---------------------------------------------------------------------------------------------------


def given(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return the same input and weight for both sides."""
    draw = np.random.default_rng(0)
    return draw.standard_normal(case.x, np.float32), draw.standard_normal(case.weight, np.float32)


def steps_of(convolved: Callable[[Case, bool], Any]) -> Steps:
    """Return a forward and a backward step for each case."""
    steps = {}
    for name, case in CASES.items():
        steps[f"{name}, forward"] = functools.partial(convolved, case, False)
        steps[f"{name}, backward"] = functools.partial(convolved, case, True)
    return steps


def ours() -> Steps:
    """Return ours."""
    import core
    from core.nn import functional as F

    @functools.cache
    def ready(case: Case, learns: bool) -> tuple[Any, list[Any]]:
        tensors = [core.to_tensor(array) for array in given(case)]
        for tensor in tensors:
            tensor.stop_gradient = not learns
        window = {"stride": case.stride, "padding": case.padding, "groups": case.groups}
        return core.jit.to_static(lambda x, weight: F.conv3d(x, weight, **window)), tensors

    def convolved(case: Case, learns: bool) -> Any:
        function, tensors = ready(case, learns)
        found = function(*tensors)
        if not learns:
            return found.numpy()
        for tensor in tensors:
            tensor.grad = None
        found.backward(core.ones_like(found))
        return [tensor.grad.numpy() for tensor in tensors]

    return steps_of(convolved)


def pytorch(threads: int) -> Steps:
    """Return PyTorch's."""
    import torch

    torch.set_num_threads(threads)

    @functools.cache
    def ready(case: Case) -> list[Any]:
        return [torch.from_numpy(array) for array in given(case)]

    def convolved(case: Case, learns: bool) -> Any:
        tensors = ready(case)
        for tensor in tensors:
            tensor.requires_grad, tensor.grad = learns, None
        found = torch.nn.functional.conv3d(*tensors, None, case.stride, case.padding, 1, case.groups)
        if not learns:
            return found.numpy()
        found.backward(torch.ones_like(found))
        return [tensor.grad.numpy() for tensor in tensors]

    return steps_of(convolved)


if __name__ == "__main__":
    main()
