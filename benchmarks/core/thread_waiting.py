"""What threads do that wait for others: spin, as OpenMP's library lets them by default, or sleep at once.

    python -m benchmarks.core.thread_waiting [--cases small,resnet50,mobilenet,training,mask_rcnn] [--busy 1]
    [--rounds 5] [--threads 2]

``--busy`` programs that do nothing but occupy a processor run beside all rows. A row is a case with threads that spin
for 300,000 turns, as the library's do on a machine with as many processors as threads, and the same with threads that
spin for less; each is a process of its own, and the two take turns. A ratio above 1: those that spin are faster. The
cases: 60 element-wise operations of a megabyte each, ResNet-50's and MobileNetV3's forward passes from exported
programs, MobileNetV3's training step with eight images of 128 x 128, and that of ``digits_mask_rcnn.yaml``.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, Callable

import numpy as np

from benchmarks.side import Side, Steps, compare

CASES = ("small", "resnet50", "mobilenet", "training", "mask_rcnn")
SPINNING = {"GOMP_SPINCOUNT": "300000"}
SLEEPING = {"passive": {"OMP_WAIT_POLICY": "passive"}, "10,000 turns": {"GOMP_SPINCOUNT": "10000"}}


def main() -> None:
    """Print a row for each case and way to wait."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default=",".join(CASES), help="separated by commas (default all)")
    parser.add_argument("--busy", type=int, default=0, help="programs that occupy processors beside it (default 0)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the sides take turns (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="threads of each side (default 2)")
    options = parser.parse_args()
    if set(options.cases.split(",")) - set(CASES):
        parser.error(f"--cases takes {', '.join(CASES)}")
    with _occupied(options.busy):
        for case in options.cases.split(","):
            spinning = Side("spinning", steps, (case,), options.threads, SPINNING)
            for name, environment in SLEEPING.items():
                other = Side(name, steps, (case,), options.threads, environment)
                row = compare((spinning, case), (other, case), options.rounds, case=case)
                print(f"{case:12} spinning {row[0] * 1e3:9.1f} ms   {name:14} {row[1] * 1e3:9.1f} ms {row[2]:6.2f}")
                other.close()
            spinning.close()


@contextlib.contextmanager
def _occupied(count: int) -> Iterator[None]:
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()


# --- inside a side ---------------------------------------------------------------------------------------------------


def steps(case: str) -> Steps:
    """Return the step of a case, under its name."""
    import core

    core.seed(0)
    if case == "small":
        return {case: _small()}
    if case == "mask_rcnn":
        return {case: _of_digits()}
    return {case: _classifier("ResNet50" if case == "resnet50" else "MobileNetV3_large_x1_0", case == "training")}


def _small() -> Callable[[], Any]:
    import core

    x, y = core.rand([512, 512]), core.rand([512, 512])

    def run() -> Any:
        z = x
        for _ in range(20):
            z = core.tanh(core.add(core.multiply(z, y), x))
        return z.numpy()

    return run


def _classifier(name: str, training: bool) -> Callable[[], Any]:
    import core
    import PaddleClas
    from core.static import InputSpec

    network = PaddleClas.create_model(name)
    random = np.random.default_rng(0)
    if training:
        images, labels = core.to_tensor(random.random((8, 3, 128, 128), np.float32)), core.arange(8)
        network.train()
        return _training(lambda x: core.nn.functional.cross_entropy(network(x), labels), [images], network)
    network.eval()
    with tempfile.TemporaryDirectory() as folder:
        core.jit.save(network, f"{folder}/program", [InputSpec([1, 3, 224, 224])])
        predictor = core.jit.Predictor(f"{folder}/program")
    image = random.random((1, 3, 224, 224), np.float32)
    return lambda: predictor.run([image])


def _of_digits() -> Callable[[], Any]:
    from PaddleDetection.config import TOOLKIT
    from PaddleDetection.task import DetectionTask

    config = TOOLKIT.load("PaddleDetection/configs/digits_mask_rcnn.yaml", ["data.num_workers=0"])
    task = DetectionTask(config)
    loader = task.loader("train")
    assert loader is not None
    fields = next(iter(loader.batches()))
    names = [name for name, field in fields.items() if hasattr(field, "numpy")]
    task.network.train()

    def loss(*given: Any) -> Any:
        return task.loss(dict(zip(names, given)))[0]

    return _training(loss, [fields[name] for name in names], task.network)


def _training(loss: Callable[..., Any], inputs: Sequence[Any], network: Any) -> Callable[[], Any]:
    import core

    optimizer = core.optimizer.Momentum(1e-5, 0.9, parameters=network.parameters())
    compiled = core.jit.to_static(loss)

    def run() -> float:
        value = compiled(*inputs)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        return float(value.item())

    return run


if __name__ == "__main__":
    main()
