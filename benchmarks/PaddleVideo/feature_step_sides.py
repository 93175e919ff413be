"""The sides of benchmarks.PaddleVideo.feature_steps: a network of features, the same weights and videos, in each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import numpy as np

Steps = Mapping[str, Callable[[], Any]]
SETTINGS = {"nextvlad": {"drop_ratio": 0.0}, "ctcn": {"dropout": 0.0}, "bmn": {}}
INPUTS = {"nextvlad": 3, "ctcn": 1, "bmn": 1}
"""How many of the arrays are the network's; the others are its loss's."""

RATE = 1e-5


def videos(name: str, size: tuple[int, int]) -> list[np.ndarray]:
    """Return what a network takes, and what its loss compares the answer with.

    Args:
        name: the network.
        size: how many videos, and frames of NeXtVLAD's.
    """
    draw, count = np.random.default_rng(0), size[0]
    if name == "nextvlad":
        features = [draw.integers(0, 256, (*size, width)).astype(np.uint8) for width in (1024, 128)]
        return [*features, np.full(count, size[1], np.int64), (draw.random((count, 3862)) < 1e-3).astype(np.float32)]
    actions = [np.sort(draw.uniform(0.0, 1.0, (3, 2)), axis=1) for _ in range(count)]
    if name == "ctcn":
        from PaddleVideo.models.localizers.anchors import match

        truth = [match(512, 512 * one, draw.integers(1, 201, 3)) for one in actions]
        return [draw.standard_normal((count, 1, 512, 402), np.float32), *map(np.stack, zip(*truth))]
    from PaddleVideo.models.localizers.bmn_targets import bmn_targets

    targets = [bmn_targets(one, 1.0, 100, 100) for one in actions]
    draws = draw.random((2, 100, 100), np.float32)
    return [draw.standard_normal((count, 400, 100), np.float32), *map(np.stack, zip(*targets)), draws]


def loaded(name: str, folder: str) -> tuple[list[np.ndarray], dict[str, np.ndarray]]:
    """Return the arrays and the weights that were written."""
    with np.load(f"{folder}/videos.npz") as file:
        arrays = [file[f"arr_{number}"] for number in range(len(file.files))]
    with np.load(f"{folder}/weights.npz") as file:
        return arrays, {key: file[key] for key in file.files}


# --- ours ------------------------------------------------------------------------------------------------------------


def written(name: str, size: tuple[int, int], folder: str) -> Steps:
    """Write videos and weights for all sides."""
    import core
    import PaddleVideo

    core.seed(0)
    network = PaddleVideo.create_model(name, **SETTINGS[name])
    arrays = videos(name, size)
    np.savez(f"{folder}/videos.npz", *arrays)
    np.savez(f"{folder}/weights.npz", **{key: value.numpy() for key, value in network.state_dict().items()})
    if name == "bmn":
        np.save(f"{folder}/samples.npy", _samples())
    return {}


def _samples() -> np.ndarray:
    """Return how much each step counts in each sample of all intervals, (100, 32 * 100 * 100): as BMN is published."""
    from PaddleVideo.models.localizers.bmn import intervals, sampling_weights

    starts, durations = intervals(100, 100)
    whole = np.zeros((100, 32, 100, 100), np.float32)
    whole[:, :, durations, starts] = sampling_weights(100, 100, 0.5, 32, 3).transpose(1, 0, 2)
    return whole.reshape(100, -1)


def ours(name: str, folder: str, _: int = 0, changed: Callable[[Any], None] = lambda network: None) -> Steps:
    """Return the loss and the lengths of gradients, and the training step.

    Args:
        name: the network.
        folder: with what was written.
        changed: what is done to the network before its weights are read.
    """
    import core
    import PaddleVideo

    network = PaddleVideo.create_model(name, **SETTINGS[name])
    changed(network)
    arrays, weights = loaded(name, folder)
    network.set_state_dict(weights)
    network.train()
    tensors = [core.to_tensor(array) for array in arrays]
    given, truth = tensors[: INPUTS[name]], tensors[INPUTS[name] :]

    def whole(*given: Any) -> Any:
        found = network(*given)
        return network.loss(*(found if isinstance(found, tuple) else (found,)), *truth)

    loss = core.jit.to_static(whole)
    if name == "ctcn":
        optimizer: Any = core.optimizer.Momentum(RATE, 0.9, parameters=network.parameters())
    else:
        optimizer = core.optimizer.Adam(RATE, parameters=network.parameters())

    def answer() -> tuple[float, dict[str, float]]:
        value = loss(*given)
        value.backward()
        named = {key: one.grad for key, one in network.named_parameters()}
        lengths = {key: float(np.linalg.norm(one.numpy())) for key, one in named.items() if one is not None}
        optimizer.clear_grad(set_to_zero=False)
        return value.item(), lengths

    def training() -> None:
        value = loss(*given)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        value.item()
        core.kernels.engine.engine.wait_all()

    return {"answer": answer, "training": training}


def composition(name: str, folder: str, _: int = 0) -> Steps:
    """Return the same of a NeXtVLAD whose formulas are written down one by one."""
    import core
    from core.nn import functional as F
    from PaddleVideo.models.nextvlad import FrameBatchNorm, NeXtVLADLayer

    class Norm(FrameBatchNorm):
        def forward(self, x: Any, mask: Any = None) -> Any:
            count = mask.sum()
            mean = (x * mask).sum([0, 1]) / count
            variance = (core.square(x - mean) * mask).sum([0, 1]) / count
            with core.no_grad():
                for running, new in ((self._mean, mean), (self._variance, variance)):
                    running.update(running * self._momentum + new * (1.0 - self._momentum))
            return (x - mean) * (core.rsqrt(variance + self._epsilon) * self.weight) + self.bias

    class Composed(NeXtVLADLayer):
        def __init__(self, *sizes: int) -> None:
            super().__init__(*sizes)
            self.cluster_bn = Norm(self.groups * self.clusters)

        def forward(self, x: Any, mask: Any) -> Any:
            videos, frames, _ = x.shape
            wide = self.fc_expansion(x)
            attention = F.sigmoid(self.fc_attention(wide)) * mask
            scores = self.cluster_bn(core.matmul(wide, self.cluster_weights), mask)
            shares = F.softmax(scores.reshape([videos, frames, self.groups, self.clusters]), axis=3)
            shares = shares * attention.unsqueeze(3)
            grouped = wide.reshape([videos, frames, self.groups, self.width])
            sums = core.einsum("ntgk,ntgd->ndk", shares, grouped)
            vlad = sums - shares.sum([1, 2]).unsqueeze(1) * self.cluster_weights2
            return self.vlad_bn(F.normalize(vlad, axis=1).flatten(1))

    def changed(network: Any) -> None:
        for key in ("rgb_vlad", "audio_vlad"):
            one = getattr(network, key)
            features = one.fc_expansion.weight.shape[0]
            setattr(network, key, Composed(features, one.clusters, one.groups, one.groups * one.width // features))

    return ours(name, folder, changed=changed)


# --- others ----------------------------------------------------------------------------------------------------------


def pytorch(name: str, folder: str, threads: int, compiled: bool = False) -> Steps:
    """Return the same of a plain network in PyTorch."""
    import torch

    from benchmarks.PaddleVideo import feature_networks_torch as networks

    torch.set_num_threads(threads)
    arrays, weights = loaded(name, folder)
    network = networks.network(name, folder)
    networks.load(network, weights)
    network.train()
    tensors = [torch.from_numpy(array) for array in arrays]
    given, truth = tensors[: INPUTS[name]], tensors[INPUTS[name] :]
    call = torch.compile(network) if compiled else network
    if name == "ctcn":
        optimizer: Any = torch.optim.SGD(network.parameters(), RATE, momentum=0.9)
    else:
        optimizer = torch.optim.Adam(network.parameters(), RATE)

    def loss() -> Any:
        found = call(*given)
        value = network.loss(*(found if isinstance(found, tuple) else (found,)), *truth)
        optimizer.zero_grad()
        value.backward()
        return value

    def answer() -> tuple[float, dict[str, float]]:
        value = loss()
        return value.item(), {key: float(one.grad.norm()) for key, one in network.named_parameters()}

    def training() -> None:
        loss()
        optimizer.step()

    return {"answer": answer, "training": training}


def pytorch_compiled(name: str, folder: str, threads: int) -> Steps:
    """Return the same, compiled."""
    return pytorch(name, folder, threads, compiled=True)


def paddle(name: str, folder: str, threads: int) -> Steps:
    """Return the same of PaddleVideo's own BMN."""
    import zlib  # noqa: F401  # before paddle, which crashes after it

    import paddle as framework

    from benchmarks.PaddleVideo.recognisers_paddle import whole

    framework.set_device("cpu")
    arrays, weights = loaded(name, folder)
    network = whole(name)
    network.set_state_dict(weights)
    network.train()
    features, *truth, draws = (framework.to_tensor(array) for array in arrays)
    optimizer = framework.optimizer.Adam(RATE, parameters=network.parameters())

    def loss() -> Any:
        drawn, parts = framework.uniform, iter(draws)
        framework.uniform = lambda *args, **kwargs: next(parts)
        try:
            value = network.loss(*network.forward_net(features), *truth)
        finally:
            framework.uniform = drawn
        value.backward()
        return value

    def answer() -> tuple[float, dict[str, float]]:
        value = loss()
        lengths = {key: float(one.grad.norm()) for key, one in network.named_parameters() if one.grad is not None}
        optimizer.clear_grad()
        return float(value), lengths

    def training() -> None:
        float(loss())
        optimizer.step()
        optimizer.clear_grad()

    return {"answer": answer, "training": training}
