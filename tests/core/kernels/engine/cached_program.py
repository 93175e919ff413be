"""Runs one of the programs below, which its arguments name; prints, as JSON, what was compiled, and one result."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path[0] = str(Path(__file__).resolve().parents[4])


def kernels(types: str = "float32 float64") -> float:
    """A kernel on the calling thread, and one on all threads that calls another."""
    from core.kernels.layers import cross_entropy
    from core.kernels.numeric import matrix_rows

    loss = np.zeros((), np.float32)
    cross_entropy.mean_cross_entropy(np.zeros((3, 4), np.float32), np.arange(3), ignore_index=-100, out=loss)
    total = 0.0
    for name in types.split():
        sums = np.zeros(2)
        matrix_rows.sum_of_rows(np.ones((5000, 2), name), sums)
        total += float(sums.sum())
    return float(loss) + total


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


def gcn() -> float:
    """Training of a graph network on a drawn citation graph."""
    from PGL import train
    from tests.PGL.small_sets import write_cora

    with tempfile.TemporaryDirectory() as folder:
        data = write_cora(Path(folder, "cora"))
        config = f"PGL/configs/cora_gcn.yaml --data {data} -o task.passes_per_epoch=2 -o expect=null"
        return _trained(train, config, Path(folder, "run"))


def dcgan() -> float:
    """Training of a generator and a discriminator on drawn faces."""
    from PaddleGAN import train

    with tempfile.TemporaryDirectory() as folder:
        changes = "-o data.train.dataset.count=64 -o data.test.dataset.count=64 -o data.test.batch_size=64"
        return _trained(train, f"PaddleGAN/configs/faces_dcgan.yaml {changes}", Path(folder, "run"))


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


def _trained(command: Any, config: str, output: Path) -> float:
    os.chdir(sys.path[0])
    code = command.main(["-c", *config.split(), "-o", "train.epochs=1", "-o", f"output={output}"])
    assert code == 0
    return float(code)


def main(program: str, *arguments: str) -> None:
    """Run a program of this file."""
    from numba.core import event

    class Compiled(event.Listener):
        names: list[str] = []

        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            self.names.append(f"{function.__module__}.{function.__qualname__} {event.data['args']}")

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Compiled())
    answer = globals()[program](*arguments)
    print(json.dumps({"compiled": Compiled.names, "answer": answer}))


if __name__ == "__main__":
    main(*sys.argv[1:])
