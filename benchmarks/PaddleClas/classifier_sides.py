"""The sides of benchmarks.PaddleClas.classifiers: one network, fresh weights, random images, in every framework."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable

from benchmarks import model_files
from benchmarks.side import settled

Steps = Mapping[str, Callable[[], Any]]
SIZES = {"InceptionV3": 299, "InceptionV4": 299}


def main_head(outputs: Any) -> Any:
    """Return a network's logits; GoogLeNet gives those of three heads, the last one's first."""
    return outputs[0] if isinstance(outputs, (list, tuple)) else outputs


def data(name: str, batch: int) -> tuple[Any, Any]:
    """Return images [batch, 3, size, size] and their classes as numpy arrays."""
    import numpy as np

    generator = np.random.default_rng(0)
    size = SIZES.get(name, 224)
    return generator.standard_normal((batch, 3, size, size), dtype="float32"), generator.integers(0, 1000, batch)


def ours(name: str, batch: int, folder: str, file_wanted: bool) -> Steps:
    """Return forward pass and training step, eager and compiled, in float32 and bfloat16; exports into the folder.

    ``folder/program`` is our exported program and, if wanted, ``folder/model.onnx`` the same for other run times.
    Processors without AVX-512 have no steps in bfloat16.
    """
    import core
    import PaddleClas
    from core.static import InputSpec

    images, labels = (core.to_tensor(array) for array in data(name, batch))
    model = PaddleClas.create_model(name)
    optimizer = core.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())
    _exported(core, model, InputSpec([batch, *images.shape[1:]], name="image"), folder, file_wanted)
    predictor = core.jit.Predictor(f"{folder}/program", warm_up=[[images.shape]])
    array = images.numpy()

    def loss(x: Any, y: Any) -> Any:
        return core.nn.functional.cross_entropy(main_head(model(x)), y)

    def precision(half: bool) -> Any:
        return core.amp.auto_cast(dtype="bfloat16") if half else contextlib.nullcontext()

    def forward(function: Callable[[Any], Any], half: bool) -> Callable[[], None]:
        def step() -> None:
            model.eval()
            with core.no_grad(), precision(half):
                main_head(function(images)).numpy()

        return step

    def training(function: Callable[[Any, Any], Any], half: bool) -> Callable[[], None]:
        def step() -> None:
            model.train()
            with precision(half):
                value = function(images, labels)
            value.backward()
            optimizer.step()
            optimizer.clear_grad(set_to_zero=False)
            value.item()
            core.kernels.engine.engine.wait_all()

        return step

    compiled, compiled_loss = core.jit.to_static(lambda x: model(x)), core.jit.to_static(loss)
    steps = {
        "forward, eager": forward(model, False),
        "forward, compiled": settled(forward(compiled, False)),
        "forward, exported": lambda: predictor.run(array),
        "training, eager": training(loss, False),
        "training, compiled": training(compiled_loss, False),
    }
    if core.amp.is_bfloat16_supported():
        steps["forward, compiled, bfloat16"] = settled(forward(compiled, True))
        steps["training, compiled, bfloat16"] = training(compiled_loss, True)
    return steps


def _exported(core: Any, model: Any, spec: Any, folder: str, file_wanted: bool) -> None:
    Path(folder).mkdir(parents=True, exist_ok=True)
    model.eval()
    core.jit.save(model, f"{folder}/program", [spec])
    if file_wanted:
        core.onnx.export(model, f"{folder}/model", [spec])


def pytorch(name: str, batch: int, threads: int) -> Steps:
    """Return forward pass and training step with channels-last memory, eager and through torch.compile."""
    import torch

    torch.set_num_threads(threads)
    arrays = data(name, batch)
    images = torch.from_numpy(arrays[0]).to(memory_format=torch.channels_last)
    labels = torch.from_numpy(arrays[1])
    model = model_files.on_torch(name).to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)

    def forward(function: Callable[[Any], Any], half: bool) -> Callable[[], None]:
        def step() -> None:
            model.eval()
            with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=half):
                function(images)

        return step

    def training(function: Callable[[Any], Any], half: bool) -> Callable[[], None]:
        def step() -> None:
            model.train()
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=half):
                value = torch.nn.functional.cross_entropy(function(images), labels)
            value.backward()
            optimizer.step()

        return step

    compiled = torch.compile(model)
    return {
        "forward, eager": forward(model, False),
        "forward, torch.compile": forward(compiled, False),
        "forward, eager, bfloat16": forward(model, True),
        "training, eager": training(model, False),
        "training, torch.compile": training(compiled, False),
        "training, eager, bfloat16": training(model, True),
    }


def paddle(name: str, batch: int, threads: int, folder: str) -> Steps:
    """Return the dynamic forward pass and training step, and the inference library with oneDNN."""
    import paddle as framework
    from paddle import inference

    framework.set_device("cpu")
    model = model_files.on_paddle(name)
    arrays = data(name, batch)
    images, labels = (framework.to_tensor(array) for array in arrays)
    optimizer = framework.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())
    model.eval()
    spec = framework.static.InputSpec(list(images.shape), "float32", "image")
    framework.jit.save(framework.jit.to_static(model, input_spec=[spec]), f"{folder}/paddle")
    found = sorted(Path(folder).glob("paddle.json")) or sorted(Path(folder).glob("paddle.pdmodel"))
    config = inference.Config(str(found[0]), f"{folder}/paddle.pdiparams")
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(threads)
    config.disable_glog_info()
    predictor = inference.create_predictor(config)
    model = model_files.on_paddle(name)
    optimizer = framework.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())

    def infer() -> None:
        handle = predictor.get_input_handle(predictor.get_input_names()[0])
        handle.copy_from_cpu(arrays[0])
        predictor.run()
        predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()

    def forward() -> None:
        model.eval()
        with framework.no_grad():
            main_head(model(images)).numpy()

    def training() -> None:
        model.train()
        value = framework.nn.functional.cross_entropy(main_head(model(images)), labels)
        value.backward()
        optimizer.step()
        optimizer.clear_grad()
        value.item()

    return {"forward, dynamic": forward, "forward, inference with oneDNN": infer, "training, dynamic": training}


def onnxruntime(name: str, batch: int, threads: int, folder: str) -> Steps:
    """Return the forward pass of the ONNX file."""
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    session = runtime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: data(name, batch)[0]}
    return {"forward": lambda: session.run(None, feed)}


def openvino(name: str, batch: int, threads: int, folder: str) -> Steps:
    """Return the forward pass of the ONNX file, in float32 and in bfloat16."""
    import openvino as library

    core = library.Core()
    images = data(name, batch)[0]
    steps = {}
    for label, precision in (("forward", "f32"), ("forward, bfloat16", "bf16")):
        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": precision,
            "PERFORMANCE_HINT": "LATENCY",
        }
        compiled = core.compile_model(f"{folder}/model.onnx", "CPU", settings)
        request = compiled.create_infer_request()
        steps[label] = lambda request=request: request.infer([images])
    return steps
