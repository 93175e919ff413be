"""The sides of the benchmark of ResNet-50: the same network, images and optimizer in core, bare Gluon and PyTorch."""

from __future__ import annotations

from typing import Any, Callable

from benchmarks.side import settled

Steps = dict[str, Callable[[], None]]
STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))


def data(batch: int) -> tuple[Any, Any]:
    """Return images of shape [batch, 3, 224, 224] and their classes as numpy arrays."""
    import numpy as np

    generator = np.random.default_rng(0)
    return generator.standard_normal((batch, 3, 224, 224), dtype="float32"), generator.integers(0, 1000, batch)


def ours(batch: int) -> Steps:
    """Return our forward pass and training step, eager and compiled."""
    import core
    import core.nn.functional as F
    import PaddleClas

    images, labels = (core.to_tensor(array) for array in data(batch))
    model = PaddleClas.create_model("ResNet50")
    optimizer = core.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())

    def loss(x: Any, y: Any) -> Any:
        return F.cross_entropy(model(x), y)

    def forward(function: Callable[[Any], Any]) -> Callable[[], None]:
        def step() -> None:
            model.eval()
            with core.no_grad():
                function(images).numpy()

        return step

    def training(function: Callable[[Any, Any], Any]) -> Callable[[], None]:
        def step() -> None:
            model.train()
            value = function(images, labels)
            value.backward()
            optimizer.step()
            optimizer.clear_grad(set_to_zero=False)
            value.item()
            core.kernels.engine.engine.wait_all()

        return step

    return {
        "forward, eager": forward(model),
        "forward, compiled": settled(forward(core.jit.to_static(lambda x: model(x)))),
        "training, eager": training(loss),
        "training, compiled": training(core.jit.to_static(loss)),
    }


def gluon(batch: int) -> Steps:
    """Return the forward pass and training step of the engine's own front end, hybridized with static buffers."""
    import numpy as np

    np.bool = bool  # type: ignore[attr-defined]
    import mxnet as mx
    from mxnet.gluon import nn

    def unit(inputs: int, outputs: int, kernel: int, stride: int = 1) -> list[Any]:
        convolution = nn.Conv2D(outputs, kernel, stride, kernel // 2, use_bias=False, in_channels=inputs)
        return [convolution, nn.BatchNorm(in_channels=outputs)]

    class Bottleneck(nn.HybridBlock):
        def __init__(self, inputs: int, width: int, stride: int) -> None:
            super().__init__()
            with self.name_scope():
                self.body = nn.HybridSequential()
                self.body.add(*unit(inputs, width, 1), nn.Activation("relu"))
                self.body.add(*unit(width, width, 3, stride), nn.Activation("relu"))
                self.body.add(*unit(width, 4 * width, 1))
                self.short = None
                if stride != 1 or inputs != 4 * width:
                    self.short = nn.HybridSequential()
                    self.short.add(*unit(inputs, 4 * width, 1, stride))
                self.relu = nn.Activation("relu")

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.relu(self.body(x) + (x if self.short is None else self.short(x)))

    model = nn.HybridSequential()
    model.add(*unit(3, 64, 7, 2), nn.Activation("relu"), nn.MaxPool2D(3, 2, 1))
    channels = 64
    for stage, (width, depth) in enumerate(STAGES):
        for block in range(depth):
            model.add(Bottleneck(channels, width, 2 if block == 0 and stage else 1))
            channels = 4 * width
    model.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(1000, in_units=channels))
    model.initialize(mx.init.Xavier())
    model.hybridize(static_alloc=True, static_shape=True)
    images, labels = (mx.nd.array(array) for array in data(batch))
    cross_entropy = mx.gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = mx.gluon.Trainer(model.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})

    def forward() -> None:
        model(images).asnumpy()

    def training() -> None:
        with mx.autograd.record():
            loss = cross_entropy(model(images), labels)
        loss.backward()
        trainer.step(batch)
        mx.nd.waitall()

    return {"forward": forward, "training": training}


def pytorch(batch: int, threads: int) -> Steps:
    """Return PyTorch's eager forward pass and training step with channels-last memory, its fastest plain form."""
    import torch
    import torch.nn as nn

    class Bottleneck(nn.Module):
        def __init__(self, inputs: int, width: int, stride: int) -> None:
            super().__init__()
            self.body = nn.Sequential(
                *[*unit(inputs, width, 1), nn.ReLU()],
                *[*unit(width, width, 3, stride), nn.ReLU()],
                *unit(width, 4 * width, 1),
            )
            changed = stride != 1 or inputs != 4 * width
            self.short = nn.Sequential(*unit(inputs, 4 * width, 1, stride)) if changed else nn.Identity()
            self.relu = nn.ReLU()

        def forward(self, x: Any) -> Any:
            return self.relu(self.body(x) + self.short(x))

    def unit(inputs: int, outputs: int, kernel: int, stride: int = 1) -> list[Any]:
        return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs)]

    torch.set_num_threads(threads)
    layers: list[Any] = [*unit(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for stage, (width, depth) in enumerate(STAGES):
        for block in range(depth):
            layers.append(Bottleneck(channels, width, 2 if block == 0 and stage else 1))
            channels = 4 * width
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))
    model = model.to(memory_format=torch.channels_last)
    arrays = data(batch)
    images = torch.from_numpy(arrays[0]).to(memory_format=torch.channels_last)
    labels = torch.from_numpy(arrays[1])
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)

    def forward() -> None:
        model.eval()
        with torch.inference_mode():
            model(images)

    def training() -> None:
        model.train()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return {"forward": forward, "training": training}
