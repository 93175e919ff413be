"""The sides of benchmarks.core.narrow: one network, fresh weights, in float32, bfloat16 and 8 bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

Steps = Mapping[str, Callable[[], Any]]
LENGTH = 128


def data(name: str, batch: int) -> Any:
    """Return a batch of random images, or of words, as a numpy array."""
    import numpy as np

    from benchmarks.core.sides.bert import WORDS

    generator = np.random.default_rng(0)
    if name == "BERT":
        return generator.integers(0, WORDS, (batch, LENGTH))
    return generator.standard_normal((batch, 3, 224, 224), dtype="float32")


def ours(name: str, batch: int, folder: str) -> Steps:
    """Export a network three times, calibrated on random data, for us and as ONNX files; return our forward passes."""
    import numpy as np

    import core
    import PaddleClas
    from benchmarks.core.sides import bert as encoder
    from core.quantization.folding import fold_batch_normalization
    from core.quantization.post_training import PostTraining
    from core.static import InputSpec

    generator, inputs = np.random.default_rng(0), data(name, batch)
    network = encoder.model_of(core, 0.0) if name == "BERT" else PaddleClas.create_model(name)
    network.eval()
    for key, buffer in network.state_dict().items():
        if key.endswith("_variance"):
            buffer.set_value(generator.random(buffer.shape).astype("float32") + 0.5)
    specs = [InputSpec(list(inputs.shape), str(inputs.dtype), name="inputs")]
    core.jit.save(network, f"{folder}/float32", specs)
    core.onnx.export(network, f"{folder}/float32", specs)
    if core.amp.is_bfloat16_supported():
        with core.amp.auto_cast(dtype="bfloat16"):
            core.jit.save(network, f"{folder}/bfloat16", specs)
    fold_batch_normalization(network, specs)
    quantization = PostTraining({name: network}, "absmax")
    with core.no_grad():
        network(core.to_tensor(inputs[:2]))
    quantization.convert(bias_correction=False)
    core.jit.save(network, f"{folder}/int8", specs)
    core.onnx.export(network, f"{folder}/int8", specs)
    kinds = ["float32", *["bfloat16"] * core.amp.is_bfloat16_supported(), "int8"]
    predictors = {kind: core.jit.Predictor(f"{folder}/{kind}") for kind in kinds}
    return {kind: lambda predictor=predictor: predictor.run(inputs) for kind, predictor in predictors.items()}


def openvino(name: str, batch: int, threads: int, folder: str) -> Steps:
    """Return the forward passes of the ONNX files; in 8 bits, of the one with QuantizeLinear and DequantizeLinear."""
    import openvino as library

    runtime, inputs = library.Core(), data(name, batch)
    steps = {}
    for kind, file, precision in (
        ("float32", "float32", "f32"),
        ("bfloat16", "float32", "bf16"),
        ("int8", "int8", "f32"),
    ):
        settings = {
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": precision,
            "PERFORMANCE_HINT": "LATENCY",
        }
        request = runtime.compile_model(f"{folder}/{file}.onnx", "CPU", settings).create_infer_request()
        steps[kind] = lambda request=request: request.infer([inputs])
    return steps
