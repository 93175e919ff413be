"""The sides of benchmarks.core.bert: one encoder of BERT-base's size with the same weights in every framework.

BERT (Devlin et al. 2018, arXiv:1810.04805): word, place and kind of word are embedded and summed, twelve encoder
layers follow, and the first word's vector goes through a pooling layer. Paddle's interface is ours, so one definition
serves both.
"""

from __future__ import annotations

from typing import Any, Callable

from benchmarks.side import settled

Steps = dict[str, Callable[[], Any]]
WORDS, PLACES, KINDS, CLASSES = 30522, 512, 2, 2
SIZE, HEADS, INNER, LAYERS = 768, 12, 3072, 12


def data(batch: int, length: int) -> tuple[Any, Any]:
    """Return words (batch, length) and classes (batch,) as numpy arrays."""
    import numpy as np

    generator = np.random.default_rng(0)
    return generator.integers(0, WORDS, (batch, length)), generator.integers(0, CLASSES, batch)


def weights() -> dict[str, Any]:
    """Return the weights of every side as numpy arrays, named and shaped as Paddle has them."""
    import numpy as np

    generator = np.random.default_rng(1)
    named: dict[str, Any] = {}

    def matrix(name: str, *shape: int) -> None:
        named[name] = generator.standard_normal(shape, dtype="float32") * np.float32(0.05)

    def linear(name: str, inputs: int, outputs: int) -> None:
        matrix(f"{name}.weight", inputs, outputs)
        matrix(f"{name}.bias", outputs)

    def norm(name: str) -> None:
        named[f"{name}.weight"] = generator.uniform(0.5, 1.5, SIZE).astype("float32")
        matrix(f"{name}.bias", SIZE)

    for name, rows in (("words", WORDS), ("places", PLACES), ("kinds", KINDS)):
        matrix(f"{name}.weight", rows, SIZE)
    norm("norm")
    for layer in range(LAYERS):
        for part in ("q", "k", "v", "out"):
            linear(f"encoder.layers.{layer}.self_attn.{part}_proj", SIZE, SIZE)
        linear(f"encoder.layers.{layer}.linear1", SIZE, INNER)
        linear(f"encoder.layers.{layer}.linear2", INNER, SIZE)
        norm(f"encoder.layers.{layer}.norm1")
        norm(f"encoder.layers.{layer}.norm2")
    linear("pooler", SIZE, SIZE)
    linear("head", SIZE, CLASSES)
    return named


def model_of(framework: Any, dropout: float) -> Any:
    """Return the model in core or in Paddle."""
    nn = framework.nn

    class Bert(nn.Layer):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(WORDS, SIZE)
            self.places = nn.Embedding(PLACES, SIZE)
            self.kinds = nn.Embedding(KINDS, SIZE)
            self.norm = nn.LayerNorm(SIZE)
            self.dropout = nn.Dropout(dropout)
            layer = nn.TransformerEncoderLayer(SIZE, HEADS, INNER, dropout, "gelu", act_dropout=0.0)
            self.encoder = nn.TransformerEncoder(layer, LAYERS)
            self.pooler = nn.Linear(SIZE, SIZE)
            self.head = nn.Linear(SIZE, CLASSES)

        def forward(self, words: Any) -> Any:
            places = framework.arange(words.shape[1])
            kinds = framework.zeros_like(words)
            x = self.words(words) + self.places(places) + self.kinds(kinds)
            x = self.encoder(self.dropout(self.norm(x)))
            return self.head(framework.tanh(self.pooler(x[:, 0])))

    model = Bert()
    model.set_state_dict({name: framework.to_tensor(array) for name, array in weights().items()})
    return model


def ours(batch: int, length: int, dropout: float) -> Steps:
    """Return our forward pass and training step, eager and compiled."""
    import core
    import core.nn.functional as F
    from core.kernels.engine.engine import wait_all

    words, labels = (core.to_tensor(array) for array in data(batch, length))
    model = model_of(core, dropout)
    optimizer = core.optimizer.AdamW(1e-5, parameters=model.parameters())

    def loss(x: Any, y: Any) -> Any:
        return F.cross_entropy(model(x), y)

    def forward(function: Callable[[Any], Any]) -> Callable[[], Any]:
        def step() -> Any:
            model.eval()
            with core.no_grad():
                return function(words).numpy()

        return step

    def training(function: Callable[[Any, Any], Any]) -> Callable[[], float]:
        def step() -> float:
            model.train()
            value = function(words, labels)
            value.backward()
            optimizer.step()
            optimizer.clear_grad(set_to_zero=False)
            wait_all()
            return float(value.item())

        return step

    return {
        "forward, eager": forward(model),
        "forward, compiled": settled(forward(core.jit.to_static(lambda x: model(x)))),
        "training, eager": training(loss),
        "training, compiled": training(core.jit.to_static(loss)),
    }


def exported(batch: int, length: int, folder: str, file_wanted: bool) -> Steps:
    """Return one call of a Predictor of our export; other sides may want ``model.onnx`` beside it."""
    import core
    from core.static import InputSpec

    model = model_of(core, 0.0)
    model.eval()
    words, _ = data(batch, length)
    spec = [InputSpec([batch, length], "int64", name="words")]
    core.jit.save(model, f"{folder}/exported", spec)
    if file_wanted:
        core.onnx.export(model, f"{folder}/model", spec)
    del model
    predictor = core.jit.Predictor(f"{folder}/exported", warm_up=[[words.shape]])
    return {"forward": lambda: predictor.run(words)}


def paddle(batch: int, length: int, dropout: float, threads: int) -> Steps:
    """Return Paddle's eager forward pass and training step."""
    import zlib  # noqa: F401  # some builds of Paddle crash where it is loaded later

    import paddle

    paddle.set_device("cpu")
    paddle.framework.core.set_num_threads(threads)
    words, labels = (paddle.to_tensor(array) for array in data(batch, length))
    model = model_of(paddle, dropout)
    optimizer = paddle.optimizer.AdamW(1e-5, parameters=model.parameters())

    def forward() -> Any:
        model.eval()
        with paddle.no_grad():
            return model(words).numpy()

    def training() -> float:
        model.train()
        value = paddle.nn.functional.cross_entropy(model(words), labels)
        value.backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)
        return float(value.item())

    return {"forward": forward, "training": training}


def paddle_inference(batch: int, length: int, threads: int, folder: str) -> Steps:
    """Return Paddle's inference library with oneDNN."""
    import zlib  # noqa: F401

    import paddle
    from paddle import inference

    model = model_of(paddle, 0.0)
    model.eval()
    spec = paddle.static.InputSpec([batch, length], "int64", name="words")
    paddle.jit.save(paddle.jit.to_static(model, input_spec=[spec]), f"{folder}/paddle")
    del model
    suffix = "json" if paddle.__version__.startswith("3") else "pdmodel"
    config = inference.Config(f"{folder}/paddle.{suffix}", f"{folder}/paddle.pdiparams")
    config.disable_gpu()
    config.enable_mkldnn()
    config.set_cpu_math_library_num_threads(threads)
    predictor = inference.create_predictor(config)
    words, _ = data(batch, length)
    entry = predictor.get_input_handle(predictor.get_input_names()[0])
    result = predictor.get_output_handle(predictor.get_output_names()[0])

    def forward() -> Any:
        entry.copy_from_cpu(words)
        predictor.run()
        return result.copy_to_cpu()

    return {"forward": forward}


def onnxruntime(batch: int, length: int, threads: int, folder: str) -> Steps:
    """Return onnxruntime on our ONNX file."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options, ["CPUExecutionProvider"])
    words, _ = data(batch, length)
    name = session.get_inputs()[0].name
    return {"forward": lambda: session.run(None, {name: words})[0]}


def openvino(batch: int, length: int, threads: int, folder: str) -> Steps:
    """Return OpenVINO on our ONNX file, in float32 as all others."""
    import openvino

    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    compiled = openvino.Core().compile_model(f"{folder}/model.onnx", "CPU", settings)
    words, _ = data(batch, length)
    return {"forward": lambda: compiled([words])[0]}


def pytorch(batch: int, length: int, dropout: float, threads: int, compiled: bool) -> Steps:
    """Return PyTorch's forward pass and training step, eager or through torch.compile."""
    import torch
    from torch import nn

    torch.set_num_threads(threads)

    class Bert(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(WORDS, SIZE)
            self.places = nn.Embedding(PLACES, SIZE)
            self.kinds = nn.Embedding(KINDS, SIZE)
            self.norm = nn.LayerNorm(SIZE)
            self.dropout = nn.Dropout(dropout)
            layer = nn.TransformerEncoderLayer(SIZE, HEADS, INNER, dropout, "gelu", batch_first=True)
            layer.dropout = nn.Identity()  # after the activation: BERT has none there
            self.encoder = nn.TransformerEncoder(layer, LAYERS)
            self.pooler = nn.Linear(SIZE, SIZE)
            self.head = nn.Linear(SIZE, CLASSES)

        def forward(self, words: Any) -> Any:
            places = torch.arange(words.shape[1])
            x = self.words(words) + self.places(places) + self.kinds(torch.zeros_like(words))
            x = self.encoder(self.dropout(self.norm(x)))
            return self.head(torch.tanh(self.pooler(x[:, 0])))

    model = Bert()
    model.load_state_dict(_pytorch_weights())
    words, labels = (torch.from_numpy(array) for array in data(batch, length))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-5, fused=True)
    run = torch.compile(model) if compiled else model

    def forward() -> Any:
        model.eval()
        with torch.inference_mode():
            return run(words).numpy()

    def training() -> float:
        model.train()
        optimizer.zero_grad()
        value = nn.functional.cross_entropy(run(words), labels)
        value.backward()
        optimizer.step()
        return float(value.item())

    return {"forward": forward, "training": training}


def _pytorch_weights() -> dict[str, Any]:
    """Return the weights as PyTorch names and lays them out: transposed, and three projections as one."""
    import numpy as np
    import torch

    given = weights()
    named: dict[str, Any] = {}
    for layer in range(LAYERS):
        place = f"encoder.layers.{layer}.self_attn"
        for kind in ("weight", "bias"):
            parts = [given.pop(f"{place}.{part}_proj.{kind}").T for part in ("q", "k", "v")]
            named[f"{place}.in_proj_{kind}"] = np.concatenate(parts)
    for name, array in given.items():
        projection = array.ndim == 2 and not name.startswith(("words", "places", "kinds"))
        named[name] = np.ascontiguousarray(array.T) if projection else array
    return {name: torch.from_numpy(array) for name, array in named.items()}
