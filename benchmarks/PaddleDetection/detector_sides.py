"""The sides of benchmarks.PaddleDetection.detectors: one detector, the same weights and images, in every library."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

import numpy as np

from benchmarks.side import settled

Steps = Mapping[str, Callable[[], Any]]
Size = tuple[int, int]
"""Height and width of images, pixels."""

CLASSES, OBJECTS = 80, 8
WEIGHTS, ORDERED = "weights.pdparams", "ordered.npz"
"""Files of weights by name, and in the order in which layers are called."""


def data(size: Size, batch: int) -> dict[str, np.ndarray]:
    """Return images and their sizes."""
    images = np.random.default_rng(0).standard_normal((batch, 3, *size), dtype=np.float32)
    shapes = np.array([size] * batch, np.float32)
    return {"image": images, "im_shape": shapes, "scale_factor": np.ones((batch, 2), np.float32)}


def objects(size: Size, batch: int) -> dict[str, np.ndarray]:
    """Return what a training step learns: eight objects in each image."""
    random = np.random.default_rng(1)
    corners = random.uniform(0, 0.7, (batch, OBJECTS, 2))
    ends = corners + random.uniform(0.05, 0.3, (batch, OBJECTS, 2))
    boxes = (np.concatenate([corners, ends], -1) * np.tile(size[::-1], 2)).astype(np.float32)
    classes = random.integers(0, CLASSES, (batch, OBJECTS))
    return {"gt_bbox": boxes, "gt_class": classes, "gt_count": np.full(batch, OBJECTS)}


# --- ours ------------------------------------------------------------------------------------------------------------


def ours(name: str, size: Size, batch: int, folder: str, file_wanted: bool) -> Steps:
    """Return what our detector does, exported and compiled, and its training step; writes weights for the others."""
    import core
    from core.static import InputSpec
    from core.train.config.table import Component
    from PaddleDetection.models.registry import NETWORKS

    core.seed(0)
    network = NETWORKS.build(Component(name=name, num_classes=CLASSES))
    network.eval()
    arrays = data(size, batch)
    draw_predictors(network, [core.to_tensor(array) for array in arrays.values()])
    core.save(network.state_dict(), f"{folder}/{WEIGHTS}")
    np.savez(f"{folder}/{ORDERED}", *in_order(network, [core.to_tensor(array) for array in arrays.values()]))
    specs = [InputSpec([batch, *array.shape[1:]], name=key) for key, array in arrays.items()]
    core.jit.save(network, f"{folder}/program", specs)
    tensors = [core.to_tensor(array) for array in arrays.values()]
    if file_wanted:
        core.onnx.export(network, f"{folder}/model", tensors)
    predictor = core.jit.Predictor(f"{folder}/program")
    given = list(arrays.values())
    compiled = core.jit.to_static(network.__call__)

    def forward(half: bool) -> Any:
        network.eval()
        with core.no_grad(), core.amp.auto_cast(dtype="bfloat16") if half else contextlib.nullcontext():
            return [result.numpy() for result in compiled(*tensors)]

    targets = {key: core.to_tensor(array) for key, array in objects(size, batch).items()}
    optimizer = core.optimizer.Momentum(1e-5, 0.9, parameters=network.parameters())
    loss = core.jit.to_static(lambda *given: core.add_n(list(network.losses(*given, targets).values())))

    def training() -> None:
        network.train()
        value = loss(*tensors)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        value.item()
        core.kernels.engine.engine.wait_all()

    steps = {
        "counts": lambda: predictor.run(given)[1].ravel().tolist(),
        "exported": lambda: predictor.run(given),
        "compiled": settled(lambda: forward(False)),
        "training, compiled": training,
    }
    if core.amp.is_bfloat16_supported():
        steps["compiled, bfloat16"] = settled(lambda: forward(True))
    return steps


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

    from benchmarks.PaddleDetection.detector_paddle import built, yolo_targets

    framework.set_device("cpu")
    model = built(name, CLASSES)
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

    steps = {"counts": lambda: run()[1].ravel().tolist(), "inference with oneDNN": run}
    if name.startswith("yolov3"):
        learner = built(name, CLASSES)
        learner.set_state_dict(framework.load(f"{folder}/{WEIGHTS}"))
        optimizer = framework.optimizer.Momentum(1e-5, 0.9, parameters=learner.parameters())
        fields = {**arrays, **yolo_targets(arrays["image"], objects(size, batch), CLASSES)}
        inputs = {key: framework.to_tensor(array) for key, array in fields.items()}

        def training() -> None:
            learner.train()
            value = learner(inputs)["loss"]
            value.backward()
            optimizer.step()
            optimizer.clear_grad()
            value.item()

        steps["training, dynamic"] = training
    return steps


def pytorch(name: str, size: Size, batch: int, threads: int, folder: str) -> Steps:
    """Return forward pass and training step of a plain network with channels-last memory."""
    import torch

    from benchmarks.PaddleDetection import detector_torch

    torch.set_num_threads(threads)
    arrays = data(size, batch)
    network = detector_torch.YOLOv3(name, CLASSES)
    detector_torch.load(network, list(np.load(f"{folder}/{ORDERED}").values()))
    network.to(memory_format=torch.channels_last)
    images = torch.from_numpy(arrays["image"]).to(memory_format=torch.channels_last)
    original = torch.from_numpy(arrays["im_shape"] / arrays["scale_factor"])
    targets = {key: torch.from_numpy(array) for key, array in objects(size, batch).items()}
    optimizer = torch.optim.SGD(network.parameters(), 1e-5, momentum=0.9)

    compiled = torch.compile(network)

    def forward(called: Any = network) -> list[Any]:
        network.eval()
        with torch.inference_mode():
            return detector_torch.detected(called(images), original)

    def training() -> None:
        network.train()
        optimizer.zero_grad()
        value = detector_torch.loss(network(images), targets, size[0] * size[1])
        value.backward()
        optimizer.step()

    counted = {"counts": lambda: [len(scores) for _, scores, _ in forward()]}
    compiled_forward = {"forward, torch.compile": lambda: forward(compiled)}
    return {**counted, "forward, eager": forward, **compiled_forward, "training, eager": training}
