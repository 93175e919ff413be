"""The sides of benchmarks.PaddleVideo.recognisers: one network, the same weights and clips, in every library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import numpy as np

from benchmarks.side import settled

Steps = Mapping[str, Callable[[], Any]]
CLASSES = 400
FRAMES = {"slowfast_r50": 32}
"""Of a clip; 8, unless said."""

WEIGHTS = "weights.pdparams"


def clips(name: str) -> np.ndarray:
    """Return a clip, (1, T, 3, 224, 224)."""
    return np.random.default_rng(0).standard_normal((1, FRAMES.get(name, 8), 3, 224, 224), np.float32)


# --- ours ------------------------------------------------------------------------------------------------------------


def written(name: str, folder: str, as_onnx: bool) -> Steps:
    """Write a network's weights, its exports and perhaps an ONNX file; return what gives its logits."""
    import core
    from core.static import InputSpec

    network, tensor = network_of(name), core.to_tensor(clips(name))
    network.eval()
    core.save(network.state_dict(), f"{folder}/{WEIGHTS}")
    np.savez(f"{folder}/weights.npz", **{key: value.numpy() for key, value in network.state_dict().items()})
    specs = [InputSpec(list(tensor.shape), name="clips")]
    core.jit.save(network, f"{folder}/exported", specs)
    if core.amp.is_bfloat16_supported():
        with core.amp.auto_cast(dtype="bfloat16"):
            core.jit.save(network, f"{folder}/bfloat16", specs)
    if as_onnx:
        core.onnx.export(network, f"{folder}/model", [tensor])

    def answer() -> np.ndarray:
        with core.no_grad():
            found: np.ndarray = network(tensor).numpy()
        return found

    return {"answer": answer}


def network_of(name: str) -> Any:
    """Return our network with the same weights in each process."""
    import core
    import PaddleVideo

    core.seed(0)
    network = PaddleVideo.create_model(name, class_num=CLASSES, dropout=0.0)
    draw = np.random.default_rng(1)
    for key, value in network.state_dict().items():
        if key.endswith("_variance"):
            value.set_value(draw.random(value.shape, np.float32) + 0.5)
        elif value.ndim == 1:  # scales, so that no branch is 0
            value.set_value(draw.random(value.shape, np.float32) * 0.5 + (0.2 if key.endswith("weight") else -0.25))
    return network


def ours(name: str, folder: str, step: str) -> Steps:
    """Return what an export does, "exported" or "bfloat16", or the training step."""
    import core
    from core.nn import functional as F

    given = clips(name)
    if step != "training":
        predictor = core.jit.Predictor(f"{folder}/{step}")
        return {"answer": lambda: np.asarray(predictor.run(given)), step: settled(lambda: predictor.run(given))}
    network, tensor, truth = network_of(name), core.to_tensor(given), core.to_tensor([[3]])
    network.train()
    optimizer = core.optimizer.Momentum(1e-6, 0.9, parameters=network.parameters())
    loss = core.jit.to_static(lambda x: F.cross_entropy(network(x), truth))

    def answer() -> np.ndarray:
        found: np.ndarray = loss(tensor).numpy()
        return found

    def training() -> None:
        value = loss(tensor)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        value.item()
        core.kernels.engine.engine.wait_all()

    return {"answer": answer, "training": training}


# --- others ----------------------------------------------------------------------------------------------------------


def onnxruntime(name: str, threads: int, folder: str, step: str) -> Steps:
    """Return what our ONNX file does."""
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    session = runtime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: clips(name)}
    return {"answer": lambda: session.run(None, feed)[0], "exported": lambda: session.run(None, feed)}


def openvino(name: str, threads: int, folder: str, step: str) -> Steps:
    """Return the same, in float32 or bfloat16."""
    import openvino as library

    precision = "bf16" if step == "bfloat16" else "f32"
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": "LATENCY"}
    request = library.Core().compile_model(f"{folder}/model.onnx", "CPU", settings).create_infer_request()
    given = clips(name)

    def run() -> np.ndarray:
        return np.array(next(iter(request.infer([given]).values())))

    return {"answer": run, step: run}


def pytorch(name: str, threads: int, folder: str, step: str, compiled: bool = False, by_parts: bool = False) -> Steps:
    """Return what a plain network in PyTorch does."""
    import torch

    from benchmarks.PaddleClas.accuracy_sides import _load
    from benchmarks.PaddleVideo.networks_torch import network as of_name

    torch.set_num_threads(threads)
    network = of_name(name, CLASSES, by_parts)
    _load(network, dict(np.load(f"{folder}/weights.npz")))
    given, truth = torch.from_numpy(clips(name)), torch.tensor([3])
    optimizer = torch.optim.SGD(network.parameters(), 1e-6, momentum=0.9)
    call = torch.compile(network) if compiled else network

    def forward() -> np.ndarray:
        network.eval()
        with torch.inference_mode():
            return call(given).numpy()

    def loss() -> Any:
        network.train()
        return torch.nn.functional.cross_entropy(call(given), truth)

    def training() -> None:
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    answer = (lambda: loss().detach().numpy()) if step == "training" else forward
    return {"answer": answer, "exported": forward, "training": training}


def pytorch_compiled(name: str, threads: int, folder: str, step: str) -> Steps:
    """Return the same, compiled."""
    return pytorch(name, threads, folder, step, compiled=True)


def pytorch_by_parts(name: str, threads: int, folder: str, step: str) -> Steps:
    """Return the same with TSM's shift padded, cut and joined, as PaddlePaddle's release 1.5 wrote it."""
    return pytorch(name, threads, folder, step, by_parts=True)


def paddle(name: str, threads: int, folder: str, step: str) -> Steps:
    """Return what PaddleVideo's own network does in Paddle's inference library with oneDNN."""
    import zlib  # noqa: F401  # before paddle, which crashes after it

    import paddle as framework
    from paddle import inference

    from benchmarks.PaddleVideo.recognisers_paddle import built

    framework.set_device("cpu")
    model = built(name, CLASSES)
    model.set_state_dict(framework.load(f"{folder}/{WEIGHTS}"))
    model.eval()
    given = clips(name)
    spec = framework.static.InputSpec(given.shape, "float32", "clips")
    framework.jit.save(framework.jit.to_static(model, input_spec=[spec]), f"{folder}/paddle")
    config = inference.Config(f"{folder}/paddle.pdmodel", f"{folder}/paddle.pdiparams")
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(threads)
    config.disable_glog_info()
    predictor = inference.create_predictor(config)

    def run() -> np.ndarray:
        predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(given)
        predictor.run()
        found: np.ndarray = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
        return found

    return {"answer": run, "exported": run}
