"""The sides of benchmarks.PaddleDetection.detectors: one detector, the same weights and images, in every library."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

import numpy as np

from benchmarks.side import settled

Steps = Mapping[str, Callable[[], Any]]
Size = tuple[int, int]
"""Height and width of images, pixels."""

CLASSES = 80
WEIGHTS, ORDERED = "weights.pdparams", "ordered.npz"
"""Files of weights by name, and in the order in which layers are called."""


def data(size: Size, batch: int) -> dict[str, np.ndarray]:
    """Return images and their sizes."""
    images = np.random.default_rng(0).standard_normal((batch, 3, *size), dtype=np.float32)
    shapes = np.array([size] * batch, np.float32)
    return {"image": images, "im_shape": shapes, "scale_factor": np.ones((batch, 2), np.float32)}


# --- ours ------------------------------------------------------------------------------------------------------------


def make(name: str, size: Size, batch: int, folder: str, program: bool, file: bool) -> Steps:
    """Write a network's weights for all sides, and our exports: what that needs is no part of what runs them.

    Args:
        name: of the detector.
        size: height and width of images.
        batch: how many there are.
        folder: gets everything.
        program: whether our program is wanted.
        file: whether the ONNX file is.
    """
    import core
    from core.static import InputSpec

    network = built(name)
    arrays = data(size, batch)
    tensors = [core.to_tensor(array) for array in arrays.values()]
    draw_predictors(network, tensors)
    core.save(network.state_dict(), f"{folder}/{WEIGHTS}")
    np.savez(f"{folder}/{ORDERED}", *in_order(network, tensors))
    if program:
        specs = [InputSpec([batch, *array.shape[1:]], name=key) for key, array in arrays.items()]
        core.jit.save(network, f"{folder}/program", specs)
        if core.amp.is_bfloat16_supported():
            with core.amp.auto_cast(dtype="bfloat16"):
                core.jit.save(network, f"{folder}/bfloat16", specs)
    if file:
        core.onnx.export(network, f"{folder}/model", tensors)
    return {}


def ours(name: str, size: Size, batch: int, folder: str) -> Steps:
    """Return what our program does; and, of a network that is built when it is first asked for, the compiled one."""
    import core

    predictor = core.jit.Predictor(f"{folder}/program")
    arrays = list(data(size, batch).values())
    bfloat16 = functools.lru_cache(maxsize=1)(lambda: core.jit.Predictor(f"{folder}/bfloat16"))

    @functools.lru_cache(maxsize=1)
    def compiled() -> Any:
        network = built(name)
        network.set_state_dict(core.load(f"{folder}/{WEIGHTS}"))
        return core.jit.to_static(network.__call__)

    def forward() -> Any:
        with core.no_grad():
            return [result.numpy() for result in compiled()(*[core.to_tensor(array) for array in arrays])]

    steps = {
        "counts": lambda: predictor.run(arrays)[1].ravel().tolist(),
        "exported": lambda: predictor.run(arrays),
        "compiled": settled(forward),
    }
    if core.amp.is_bfloat16_supported():
        steps["exported, bfloat16"] = lambda: bfloat16().run(arrays)
    return steps


def built(name: str) -> Any:
    """Return one of our detectors, ready to be evaluated."""
    import core
    from core.train.config.table import Component
    from PaddleDetection.models.registry import NETWORKS

    core.seed(0)
    network: Any = NETWORKS.build(Component(name=name, num_classes=CLASSES))
    network.eval()
    return network


def in_order(network: Any, images: Any) -> list[np.ndarray]:
    """Return weights and statistics of convolutions and normalisations in the order in which they are called."""
    import core
    from core import nn

    found: list[np.ndarray] = []

    def note(layer: Any, *_: Any) -> None:
        for name in ("weight", "bias", "_mean", "_variance"):
            if getattr(layer, name, None) is not None:
                found.append(getattr(layer, name).numpy())

    layers = [layer for layer in network.sublayers() if isinstance(layer, (nn.Conv2D, nn.BatchNorm2D))]
    hooks = [layer.register_forward_pre_hook(note) for layer in layers]
    with core.no_grad():
        network(*images)
    for hook in hooks:
        hook.remove()
    return found


def draw_predictors(network: Any, images: Any) -> None:
    """Give the layers that predict logits of trained detectors' sizes: most of them say that there is nothing."""
    import core

    kind = type(network).__name__
    drawn = [(layer, [0.0] * 4, [0.3] * 4) for layer in shifts(network)]
    if kind == "YOLOv3":
        mean, deviation = [0, 0, 0, 0, -7, *[-3] * CLASSES], [*[0.5] * 4, *[1.5] * (CLASSES + 1)]
        layers = network.yolo_head.yolo_outputs
    elif kind == "PPYOLOE":
        mean, deviation = [-8] * CLASSES, [1.5] * CLASSES
        layers = list(network.yolo_head.pred_cls)
    elif kind == "SSD":
        mean, deviation = [*[0] * CLASSES, 9], [1.5] * (CLASSES + 1)
        layers = [layer for layer in network.ssd_head.sublayers() if layer.__class__.__name__ == "Conv2D"]
        layers = [layer for layer in layers if layer.weight.shape[0] % (CLASSES + 1) == 0]
    else:
        mean, deviation = [*[0] * CLASSES, 5], [1.5] * (CLASSES + 1)
        layers = [network.bbox_head.bbox_score]
    drawn += [(layer, mean, deviation) for layer in layers]
    random, seen = np.random.default_rng(2), {}
    hooks = []
    for layer, _, _ in drawn:
        layer.weight.set_value(random.standard_normal(layer.weight.shape).astype(np.float32))
        hook = layer.register_forward_post_hook(lambda layer, _, output: seen.update({id(layer): output.numpy()}))
        hooks.append(hook)
    for number, (layer, mean, deviation) in enumerate(drawn):
        if number == 0 or shifts(network):  # what regions show depends on the boxes that are proposed
            with core.no_grad():
                network(*images)
        hooks[number].remove()
        output, weight, bias = seen[id(layer)], layer.weight.numpy(), layer.bias.numpy()
        repeats, axes = len(bias) // len(mean), tuple(axis for axis in range(output.ndim) if axis != 1)
        spread = output.std(axes)
        factor = np.tile(deviation, repeats) / np.where(spread > 0, spread, 1)  # a map of one pixel has none
        scaled = weight * (factor if weight.ndim == 2 else factor[:, None, None, None])
        layer.weight.set_value(scaled.astype(np.float32))
        moved = (bias - output.mean(axes)) * factor + np.tile(mean, repeats)
        layer.bias.set_value(moved.astype(np.float32))


def shifts(network: Any) -> list[Any]:
    """Return the layers of a two-stage detector that move boxes, whose inputs are large with random weights."""
    if not hasattr(network, "rpn_head"):
        return []
    return [network.rpn_head.rpn_rois_delta, network.bbox_head.bbox_delta]


# --- the others ------------------------------------------------------------------------------------------------------


def onnxruntime(name: str, size: Size, batch: int, threads: int, folder: str) -> Steps:
    """Return what our ONNX file does."""
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    session = runtime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
    arrays = data(size, batch)
    feed = {entry.name: arrays[entry.name] for entry in session.get_inputs()}
    steps = {"counts": lambda: session.run(None, feed)[1].ravel().tolist(), "forward": lambda: session.run(None, feed)}
    return steps


def openvino(name: str, size: Size, batch: int, threads: int, folder: str) -> Steps:
    """Return the same, in float32 and in bfloat16."""
    import openvino as library

    steps: dict[str, Callable[[], Any]] = {}
    for label, precision in (("forward", "f32"), ("forward, bfloat16", "bf16")):
        settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": precision}
        compiled = library.Core().compile_model(
            f"{folder}/model.onnx", "CPU", {**settings, "PERFORMANCE_HINT": "LATENCY"}
        )
        names = {one for entry in compiled.inputs for one in entry.names}
        feed = {key: array for key, array in data(size, batch).items() if key in names}
        request = compiled.create_infer_request()

        def run(request: Any = request, feed: Any = feed) -> list[np.ndarray]:
            return [np.array(result) for result in request.infer(feed).values()]

        steps[label] = run
    steps["counts"] = lambda: steps["forward"]()[1].ravel().tolist()
    return steps


def paddle(name: str, size: Size, batch: int, threads: int, folder: str) -> Steps:
    """Return what PaddleDetection's own export does in Paddle's inference library with oneDNN."""
    import zlib  # noqa: F401  # before paddle, which crashes after it

    import paddle as framework
    from paddle import inference

    from benchmarks.PaddleDetection import detector_paddle

    framework.set_device("cpu")
    model = detector_paddle.built(name, CLASSES)
    model.set_state_dict(framework.load(f"{folder}/{WEIGHTS}"))
    model.eval()
    for layer in model.sublayers():
        if hasattr(layer, "convert_to_deploy"):
            layer.convert_to_deploy()
    arrays = data(size, batch)
    if name.startswith("ppyoloe"):  # its program does not read it, and cannot be saved with it
        del arrays["im_shape"]
    specs = {key: framework.static.InputSpec(array.shape, "float32", key) for key, array in arrays.items()}
    framework.jit.save(framework.jit.to_static(model, input_spec=[specs]), f"{folder}/paddle")
    config = inference.Config(f"{folder}/paddle.pdmodel", f"{folder}/paddle.pdiparams")
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(threads)
    config.disable_glog_info()
    predictor = inference.create_predictor(config)
    Path(f"{folder}/paddle.pdiparams").unlink()

    def run() -> list[np.ndarray]:
        for key in predictor.get_input_names():
            predictor.get_input_handle(key).copy_from_cpu(arrays[key])
        predictor.run()
        return [predictor.get_output_handle(key).copy_to_cpu() for key in predictor.get_output_names()]

    return {"counts": lambda: run()[1].ravel().tolist(), "inference with oneDNN": run}


def pytorch(name: str, size: Size, batch: int, threads: int, folder: str) -> Steps:
    """Return what a plain network with channels-last memory does."""
    import torch

    from benchmarks.PaddleDetection import detector_torch

    torch.set_num_threads(threads)
    arrays = data(size, batch)
    network = detector_torch.YOLOv3(name, CLASSES)
    detector_torch.load(network, list(np.load(f"{folder}/{ORDERED}").values()))
    network.to(memory_format=torch.channels_last)
    network.eval()
    images = torch.from_numpy(arrays["image"]).to(memory_format=torch.channels_last)
    original = torch.from_numpy(arrays["im_shape"] / arrays["scale_factor"])
    compiled = torch.compile(network)

    def forward(called: Any = network) -> list[Any]:
        with torch.inference_mode():
            return detector_torch.detected(called(images), original)

    counts: Callable[[], Any] = lambda: [len(scores) for _, scores, _ in forward()]  # noqa: E731
    return {"counts": counts, "forward, eager": forward, "forward, torch.compile": lambda: forward(compiled)}
