"""Compile the custom kernels that most programs use, so that the first run of each does not wait for them.

    python tools/compile_kernels.py [PROGRAM ...] [--seconds 60]

Small programs run in processes of their own, as many at once as there are processors; what they compile is kept on disk
(core/kernels/engine/kernel_cache.py says where). `python3 start.py` does this once. What is not compiled when time is
up, or is used by other programs alone, is compiled when it is first called.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

import numpy as np

ROOT = Path(__file__).resolve().parents[1]


def encoder() -> float:
    """A transformer: its answer, steps, and its export."""
    import core

    class Tagger(core.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = core.nn.Embedding(100, 64)
            layer = core.nn.TransformerEncoderLayer(64, 4, 128, activation="gelu")
            self.encoder = core.nn.TransformerEncoder(layer, 2)
            self.scores = core.nn.Linear(64, 5)

        def forward(self, words: Any) -> Any:
            return self.scores(self.encoder(self.embedding(words))[:, 0])

    network, words = Tagger(), core.zeros([8, 16], "int64")
    network.eval()
    network(words).numpy()
    network.train()
    bound = core.nn.ClipGradByGlobalNorm(1.0)
    optimizer = core.optimizer.AdamW(0.001, parameters=network.parameters(), grad_clip=bound)
    _steps(network, optimizer, words, core.zeros([8], "int64"))
    return _exported(network, core.static.InputSpec([None, 16], "int64"), words.numpy())


def mobilenet() -> float:
    """An exported MobileNetV3, which runs with channels last."""
    import core
    from PaddleClas import create_model

    network = create_model("MobileNetV3_small_x0_35", class_num=10)
    image = np.ones((1, 3, 64, 64), np.float32)
    return _exported(network, core.static.InputSpec([None, 3, 64, 64], "float32"), image)


def mobilenet_steps() -> float:
    """Compiled steps of a MobileNetV3, which run with channels last."""
    import core
    from PaddleClas import create_model

    network = core.jit.to_static(create_model("MobileNetV3_small_x0_35", class_num=10))
    optimizer = core.optimizer.Momentum(0.01, parameters=network.parameters())
    return _steps(network, optimizer, core.ones([2, 3, 64, 64]), core.zeros([2], "int64"))


def recurrent() -> float:
    """Steps of an LSTM and a GRU, each in both directions."""
    import core

    class Tagger(core.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.lstm = core.nn.LSTM(8, 16, direction="bidirectional")
            self.gru = core.nn.GRU(32, 16, direction="bidirectional")
            self.scores = core.nn.Linear(32, 5)

        def forward(self, words: Any) -> Any:
            return self.scores(self.gru(self.lstm(words)[0])[0][:, 0])

    network = Tagger()
    optimizer = core.optimizer.Adam(0.001, parameters=network.parameters())
    return _steps(network, optimizer, core.ones([8, 6, 8]), core.zeros([8], "int64"))


def mlp() -> float:
    """Steps of a multilayer perceptron, operator by operator."""
    import core

    network = core.nn.Sequential(core.nn.Linear(64, 128), core.nn.ReLU(), core.nn.Dropout(0.5), core.nn.Linear(128, 10))
    optimizer = core.optimizer.Adam(0.001, parameters=network.parameters())
    return _steps(network, optimizer, core.ones([256, 64]), core.zeros([256], "int64"))


def resnet() -> float:
    """Compiled steps of a ResNet-18 on images of digits' size."""
    import core
    from PaddleClas import create_model

    network = core.jit.to_static(create_model("ResNet18", class_num=10))
    optimizer = core.optimizer.Momentum(0.01, parameters=network.parameters(), weight_decay=5e-4)
    return _steps(network, optimizer, core.ones([8, 3, 32, 32]), core.zeros([8], "int64"))


def bytes_mobilenet() -> float:
    """A MobileNetV3 that is exported in 8 bits."""
    import core
    from core.quantization.post_training import PostTraining
    from PaddleClas import create_model

    network = create_model("MobileNetV3_small_x0_35", class_num=10)
    network.eval()
    image = np.random.default_rng(0).standard_normal((1, 3, 64, 64), np.float32)
    quantization = PostTraining({"network": network}, "absmax")
    network(core.to_tensor(image))
    quantization.convert()
    return _exported(network, core.static.InputSpec([None, 3, 64, 64], "float32"), image)


def bfloat16_mobilenet() -> float:
    """A MobileNetV3 that is exported in bfloat16, where that is computed."""
    import core

    with core.amp.auto_cast(core.amp.is_bfloat16_supported(), dtype="bfloat16"):
        return mobilenet()


PROGRAMS: Mapping[str, Callable[[], float]] = {
    function.__name__: function
    for function in (encoder, mobilenet, mobilenet_steps, recurrent, mlp, resnet, bytes_mobilenet, bfloat16_mobilenet)
}
"""Those that compile longest first, and last those that fewer programs share."""


def _steps(network: Any, optimizer: Any, inputs: Any, labels: Any) -> float:
    import core

    for _ in range(2):
        loss = core.nn.functional.cross_entropy(network(inputs), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    return float(loss)


def _exported(network: Any, spec: Any, given: np.ndarray) -> float:
    import core

    network.eval()
    with tempfile.TemporaryDirectory() as folder:
        core.jit.save(network, os.path.join(folder, "network"), [spec])
        return float(core.jit.Predictor(os.path.join(folder, "network")).run(given).sum())


def compile_kernels(names: list[str], seconds: float) -> list[str]:
    """Run programs, as many at once as there are processors; return the names of those that did not end in time.

    Args:
        names: of :data:`PROGRAMS`, in this order.
        seconds: so long together at most; then those that run are stopped.

    Raises:
        SystemExit: a program fails; its message is above.
    """
    end = time.monotonic() + seconds
    waiting = list(names)
    running: dict[str, subprocess.Popen[bytes]] = {}
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    try:
        while (waiting or running) and time.monotonic() < end:
            while waiting and len(running) < len(os.sched_getaffinity(0)):
                code = f"from tools.compile_kernels import PROGRAMS; PROGRAMS[{waiting[0]!r}]()"
                command = [sys.executable, "-W", "ignore", "-c", code]
                running[waiting.pop(0)] = subprocess.Popen(command, cwd=ROOT, env=environment)
            time.sleep(0.05)
            for name in [name for name, process in running.items() if process.poll() is not None]:
                if running.pop(name).returncode:
                    raise SystemExit(f"the program {name!r} failed; its message is above")
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    return [*running, *waiting]


def main() -> None:
    """Do as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"some of {', '.join(PROGRAMS)}; all by default")
    parser.add_argument("--seconds", type=float, default=60.0, help="time for all of them (default 60)")
    options = parser.parse_args()
    unknown = [name for name in options.programs if name not in PROGRAMS]
    if unknown:
        parser.error(f"no program {unknown[0]!r}; there are {', '.join(PROGRAMS)}")
    began = time.monotonic()
    names = options.programs or list(PROGRAMS)
    left = compile_kernels(names, options.seconds)
    text = f"; not in time: {', '.join(left)}" if left else ""
    print(f"compiled what {len(names) - len(left)} programs use in {time.monotonic() - began:.0f} s{text}")


if __name__ == "__main__":
    main()
