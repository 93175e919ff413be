"""Store what ppvideo's networks answer to seeded weights and inputs: outputs, losses, gradients.

    REFERENCE_PYTHON tests/parity/PaddleVideo/make_networks.py [counts] [bmn_proposals] [CASE ...]

REFERENCE_PYTHON has paddlepaddle 2.6.2 and ppvideo 2.3.1. Without names it writes all of
``tests/parity/PaddleVideo/networks``: ``names`` and ``shapes`` of the official state; ``evaluation 0`` and so on, the
outputs in evaluation mode, with the batch's own
statistics; and of cases with targets ``training 0``, those in training
mode without dropout, in float64, as everything that follows; ``loss``; ``input gradient 0`` and
so on, of the loss by each floating-point input; ``gradients``, a length and a projection of that by each parameter.
Large arrays are thinned. ``counts.json`` has the trainable
parameters of the published sizes.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PARITY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402

from tests.parity.foreign.stand_ins import StandIns  # noqa: E402
from tests.parity.PaddleVideo.network_cases import CASES, DRAWS, FOLDER, HIDDEN_SIZES, PROPOSALS, WHOLE, Case  # noqa: E402
from tests.parity.PaddleVideo.network_weights import calibrate, digest, fill, of_mode, shapes, thinned, without_dropout  # noqa: E402

UNUSED = ("paddle.fluid", "decord", "av", "SimpleITK", "lmdb", "nvidia", "moviepy", "librosa", "ppcls", "imageio")
"""What ppvideo imports and its networks never use."""


def official(case: Case) -> Any:
    """Return a whole network of ppvideo."""
    from paddlevideo.modeling import framework
    from paddlevideo.utils.config import AttrDict

    folder, name = case.framework.split(".")
    if folder == "backbones":
        return getattr(importlib.import_module(f"paddlevideo.modeling.backbones.{name.lower()}"), name)(
            **(case.backbone or {})
        )
    parts = {
        part: AttrDict(dict(settings))
        for part, settings in (("backbone", case.backbone), ("loss" if folder == "localizers" else "head", case.head))
        if settings is not None
    }
    return getattr(importlib.import_module(f"{framework.__name__}.{folder}"), name)(**parts)


def flat(outputs: Any) -> list[Any]:
    """Return the Tensors of nested lists and tuples in order."""
    if not isinstance(outputs, (list, tuple)):
        return [outputs]
    return [tensor for output in outputs for tensor in flat(output)]


def of_features(network: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return logits and probabilities of features of frames, which the official network takes with masks."""
    rgb, audio, lengths = inputs
    steps = paddle.arange(rgb.shape[1])
    mask = (steps.unsqueeze(0) < lengths.unsqueeze(1)).astype(rgb.dtype).unsqueeze(2)
    return network.forward_net([(one, lengths, mask.expand_as(one)) for one in (rgb, audio)])


def of_clips(network: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return what a network answers."""
    return flat(network.forward_net(*inputs))


def narrow(network: Any) -> None:
    """Let the fully connected layers of AttentionLSTM, whose widths are fixed there, be small."""
    received, (wide, narrow) = network.head.fc_out1.weight.shape[0], HIDDEN_SIZES
    network.head.fc_out1 = paddle.nn.Linear(received, wide)
    network.head.fc_out2 = paddle.nn.Linear(wide, narrow)
    network.head.fc_logit = paddle.nn.Linear(narrow, network.head.num_classes)


NARROWED: dict[str, Callable[..., None]] = {"Recognizer1D": narrow}
"""What is done to a network, by framework, before it gets its weights."""


def of_pathways(network: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return what a network answers to the frames of two pathways, which it changes in place."""
    return [network.forward_net([tensor * 1.0 for tensor in inputs])]


FORWARD: dict[str, Callable[..., Any]] = {
    "ResNet3d": lambda network, inputs: [network(*inputs)],
    "Recognizer1D": of_features,
    "Recognizer2D": lambda network, inputs: [network.forward_net(inputs[0] * 1.0)],
    "Recognizer3D": of_pathways,
}
"""How a framework is called, where it is not with clips."""


def bmn_loss(network: Any, outputs: Sequence[Any], *truth: Any) -> Any:
    """Return the loss of BMN, whose draws are those of the cases."""
    draws = iter(DRAWS)
    drawn, paddle.uniform = paddle.uniform, lambda *args, **kwargs: paddle.to_tensor(next(draws).astype("float64"))
    mask = network.loss._get_mask
    network.loss._get_mask = lambda *sizes: mask(*sizes).astype("float64")
    try:
        return network.loss(*outputs, *truth)
    finally:
        paddle.uniform = drawn


LOSSES: dict[str, Callable[..., Any]] = {
    "BMNLocalizer": bmn_loss,
    "MSTCN": lambda network, outputs, labels: sum(network.head.loss(stage, labels) for stage in outputs[0]),
    "ResNet3d": lambda network, outputs, weights: (outputs[0] * weights).sum(),
    "Recognizer1D": lambda network, outputs, labels: network.head.loss(outputs[0], labels),
}
"""The loss by framework; of recognisers, that of their head."""


def answers(case: Case) -> dict[str, np.ndarray]:
    """Return what is stored of a case."""
    stored: dict[str, Any] = {}
    kind = case.framework.rpartition(".")[2]
    forward = FORWARD.get(kind, of_clips)
    for mode in ("evaluation", "training") if case.targets else ("evaluation",):
        paddle.set_default_dtype("float64" if mode == "training" and kind == "Recognizer1D" else "float32")
        with paddle.utils.unique_name.guard():
            network = official(case)
        NARROWED.get(kind, lambda network: None)(network)
        if mode == "training" and kind != "Recognizer1D":  # whose LSTM is not converted
            network.to(dtype="float64")
        if mode == "training" and kind == "BMNLocalizer":
            network.backbone.sample_mask = network.backbone.sample_mask.astype("float64")
        fill(network)
        network.train() if mode == "training" else network.eval()
        without_dropout(network)
        arrays = of_mode(case.inputs, mode)
        inputs = [paddle.to_tensor(array, stop_gradient=array.dtype.kind != "f") for array in arrays]
        if mode == "evaluation":
            with paddle.no_grad():
                calibrate(network, functools.partial(forward, network, inputs))
        outputs = forward(network, inputs)
        for number, output in enumerate(outputs):
            stored[f"{mode} {number}"] = thinned(output.numpy())
    stored["names"] = np.array(list(shapes(network)), "S")
    stored["shapes"] = np.array(list(shapes(network).values()), "S")
    if not case.targets:
        return stored
    targets = [paddle.to_tensor(array) for array in of_mode(case.targets, "training")]
    loss = LOSSES.get(kind, of_head)(network, outputs, *targets)
    loss.backward()
    stored["loss"] = np.float64(loss.item())
    for number, tensor in enumerate(inputs):
        if not tensor.stop_gradient:
            stored[f"input gradient {number}"] = thinned(tensor.grad.numpy())
    found = {name: tensor.grad for name, tensor in network.named_parameters() if not tensor.stop_gradient}
    found = {name: gradient.numpy() for name, gradient in found.items() if gradient is not None}
    stored["trained"] = np.array(sorted(found), "S")
    stored["gradients"] = digest(found)
    return stored


def trainable_parameters(case: Case) -> int:
    """Return how many trainable parameters a network has."""
    with paddle.utils.unique_name.guard():
        network = official(case)
    return int(sum(np.prod(one.shape) for one in network.parameters() if not one.stop_gradient))


def of_head(network: Any, outputs: Sequence[Any], *labels: Any) -> Any:
    """Return the loss of a recogniser."""
    return network.head.loss(outputs[0], labels, if_top5=False)["loss"]


def bmn_proposals() -> dict[str, np.ndarray]:
    """Return the boundaries and proposals that the official post-processing finds."""
    import pandas as pd
    from paddlevideo.metrics.bmn_metric import boundary_choose, soft_nms

    maps, starts, ends = PROPOSALS
    begins, finishes = boundary_choose(starts), boundary_choose(ends)
    stored = {"starts": begins.copy(), "ends": finishes.copy()}
    begins[0] = finishes[-1] = 1.0
    rows = []
    for duration in range(maps.shape[1]):
        for first in range(maps.shape[2] - duration):
            last = first + duration
            if begins[first] and finishes[last]:
                score = starts[first] * ends[last] * (maps[0] * maps[1])[duration, first]
                rows.append([first / len(starts), (last + 1) / len(starts), score])
    stored["candidates"] = np.array(rows)
    kept = soft_nms(pd.DataFrame(rows, columns=["xmin", "xmax", "score"]), 0.4, 0.55, 0.9)
    stored["proposals"] = kept[["xmin", "xmax", "score"]].values[:100]
    return stored


def main() -> None:
    """Write the answers to all cases, or to those that are named."""
    sys.meta_path.append(StandIns(UNUSED))
    paddle.device.is_compiled_with_npu = lambda: False  # the package was written for an earlier Paddle
    found = importlib.util.find_spec("ppvideo")
    assert found is not None and found.submodule_search_locations
    sys.path.insert(0, found.submodule_search_locations[0])
    FOLDER.mkdir(exist_ok=True)
    if not sys.argv[1:] or "counts" in sys.argv:
        counts = {name: trainable_parameters(case) for name, case in WHOLE.items()}
        (FOLDER / "counts.json").write_text(json.dumps(counts, indent=1) + "\n")
        print(counts)
    if not sys.argv[1:] or "bmn_proposals" in sys.argv:
        np.savez_compressed(FOLDER / "bmn_proposals.npz", **bmn_proposals())
    for name in [name for name in sys.argv[1:] if name in CASES] if sys.argv[1:] else CASES:
        stored = answers(CASES[name])
        np.savez_compressed(FOLDER / f"{name}.npz", **stored)
        size = (FOLDER / f"{name}.npz").stat().st_size
        print(f"{name}: loss {stored.get('loss')}, outputs up to {np.abs(stored['evaluation 0']).max():.3g}, {size} B")


if __name__ == "__main__":
    main()
