"""The sides of benchmarks.core.training_steps: a classifier's training step, fresh weights, random images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

from benchmarks import model_files

Steps = Mapping[str, Callable[[], Any]]


def data(batch: int, size: int) -> tuple[Any, Any]:
    """Return images [batch, 3, size, size] and their classes as numpy arrays."""
    import numpy as np

    generator = np.random.default_rng(0)
    return generator.standard_normal((batch, 3, size, size), dtype="float32"), generator.integers(0, 1000, batch)


def with_regions(model: str, batch: int, size: int) -> Steps:
    """Return a compiled step: forward, backward, momentum."""
    import core
    import PaddleClas

    images, labels = (core.to_tensor(array) for array in data(batch, size))
    network = PaddleClas.create_model(model)
    network.train()
    optimizer = core.optimizer.Momentum(0.01, 0.9, parameters=network.parameters())
    loss = core.jit.to_static(lambda x, y: core.nn.functional.cross_entropy(network(x), y))

    def step() -> None:
        value = loss(images, labels)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        value.item()
        core.kernels.engine.engine.wait_all()

    return {"step": step}


def ordinary(model: str, batch: int, size: int) -> Steps:
    """Return the same without regions."""
    from core.jit.running import segments

    segments.with_regions = lambda trace, outputs: None
    return with_regions(model, batch, size)


def pytorch(model: str, batch: int, size: int, threads: int) -> Steps:
    """Return PyTorch's step with channels-last memory, eager and through torch.compile."""
    import torch

    torch.set_num_threads(threads)
    arrays = data(batch, size)
    images = torch.from_numpy(arrays[0]).to(memory_format=torch.channels_last)
    labels = torch.from_numpy(arrays[1])
    network = model_files.on_torch(model).to(memory_format=torch.channels_last)
    network.train()
    optimizer = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9)

    def training(function: Callable[[Any], Any]) -> Callable[[], None]:
        def step() -> None:
            optimizer.zero_grad()
            value = torch.nn.functional.cross_entropy(function(images), labels)
            value.backward()
            optimizer.step()
            value.item()

        return step

    return {"eager": training(network), "torch.compile": training(torch.compile(network))}
