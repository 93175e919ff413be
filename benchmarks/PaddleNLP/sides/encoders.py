"""The sides of benchmarks.PaddleNLP.encoders: one ERNIE with the same weights and ids in every library."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable

from benchmarks.PaddleNLP.sides.torch_weights import torch_weights
from benchmarks.paddlenlp_import import let_import

Steps = Mapping[str, Callable[[], Any]]
Size = tuple[int, int]
"""How many texts, and of how many tokens."""

TOKENS, CLASSES = 18000, 2
FULL = (8, 128)
WEIGHTS = "weights.npz"


def data(size: Size) -> tuple[Any, Any]:
    """Return ids of tokens and of sentences, int64 (texts, tokens)."""
    import numpy as np

    random = np.random.default_rng(0)
    return random.integers(1, TOKENS, size), (np.arange(size[1]) >= size[1] // 2).astype("int64")[None].repeat(
        size[0], 0
    )


def named(size: Size) -> str:
    """Return the name of a size's step."""
    return "x".join(map(str, size))


def steps_of(sizes: Sequence[Size], call: Callable[[list[Any]], Any]) -> Steps:
    """Return a step for each size, which calls a function with that size's ids."""
    return {named(size): functools.partial(call, list(data(size))) for size in sizes}


def network() -> Any:
    """Return our network, with seeded weights."""
    import core
    import PaddleNLP

    core.seed(0)
    model = PaddleNLP.create_model("ernie-1.0", num_classes=CLASSES)
    model.eval()
    return model


def ours(sizes: Sequence[Size], folder: str, files: bool) -> Steps:
    """Return calls of a Predictor of our export; writes weights, and ``model.onnx`` where files are wanted."""
    import numpy as np

    import core
    from core.static import InputSpec

    model = network()
    np.savez(f"{folder}/{WEIGHTS}", **{name: array.numpy() for name, array in model.state_dict().items()})
    specs = [InputSpec([None, None], "int64", name=name) for name in ("input_ids", "token_type_ids")]
    core.jit.save(model, f"{folder}/program", specs)
    if files:
        core.onnx.export(model, f"{folder}/model", specs)
    del model
    predictor = core.jit.Predictor(f"{folder}/program")
    return steps_of(sizes, predictor.run)


def lengths(pairs: Sequence[tuple[str, str]], folder: str) -> Steps:
    """Return our reader on pairs in their order, and the program on texts of full length."""
    import numpy as np

    import core
    from core.static import InputSpec
    from core.text import ErnieTokenizer
    from PaddleNLP.readers.classification import ClassificationReader
    from PaddleNLP.readers.opening import PROGRAMS

    specs = [InputSpec([None, None], "int64", name=name) for name in ("input_ids", "token_type_ids")]
    core.jit.save(network(), f"{folder}/program", specs)
    predictor = core.jit.Predictor(f"{folder}/program", PROGRAMS)
    special = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]"]
    characters = sorted({character for pair in pairs for text in pair for character in text.lower() if character > " "})
    vocabulary = Path(folder) / "vocab.txt"
    vocabulary.write_text("\n".join([*special, *characters]) + "\n", encoding="utf-8")
    tokenizer = ErnieTokenizer(vocabulary)
    read: list[int] = []

    def run(columns: dict[str, np.ndarray]) -> list[np.ndarray]:
        read.append(int((columns["input_ids"] != tokenizer.pad_token_id).sum()))
        return [predictor.run([columns["input_ids"], columns["token_type_ids"]])]

    reader = ClassificationReader(folder, run, tokenizer, 128, ["0", "1"])

    def tokens() -> int:
        read.clear()
        reader.predict(pairs)
        return sum(read)

    given = list(data(FULL))
    return {"full": lambda: predictor.run(given), "pairs": lambda: reader.predict(pairs), "tokens of pairs": tokens}


def onnxruntime(sizes: Sequence[Size], folder: str, threads: int) -> Steps:
    """Return onnxruntime on our ONNX file."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options, ["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    return steps_of(sizes, lambda given: session.run(None, dict(zip(names, given)))[0])


def openvino(sizes: Sequence[Size], folder: str, threads: int) -> Steps:
    """Return OpenVINO on our ONNX file, in float32."""
    import openvino

    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    compiled = openvino.Core().compile_model(f"{folder}/model.onnx", "CPU", settings)
    return steps_of(sizes, lambda given: compiled(given)[0])


def pytorch(sizes: Sequence[Size], folder: str, threads: int, compiled: bool = False) -> Steps:
    """Return transformers' network in PyTorch."""
    import numpy as np
    import torch
    import transformers

    torch.set_num_threads(threads)
    config = transformers.ErnieConfig(
        vocab_size=TOKENS, max_position_embeddings=513, type_vocab_size=2, hidden_act="relu", layer_norm_eps=1e-12,
        num_labels=CLASSES,
    )  # fmt: skip
    model = transformers.ErnieForSequenceClassification(config)
    model.load_state_dict(torch_weights(np.load(f"{folder}/{WEIGHTS}")))
    model.eval()
    run = torch.compile(model, dynamic=False) if compiled else model

    def call(given: list[Any]) -> Any:
        words, kinds = map(torch.from_numpy, given)
        with torch.inference_mode():
            return run(input_ids=words, token_type_ids=kinds).logits.numpy()

    return steps_of(sizes, call)


def compile(sizes: Sequence[Size], folder: str, threads: int) -> Steps:
    """Return transformers' network through torch.compile, for each size of its own."""
    return pytorch(sizes, folder, threads, compiled=True)


def paddle(sizes: Sequence[Size], folder: str, threads: int) -> Steps:
    """Return Paddle's inference library with oneDNN on paddlenlp's network."""
    let_import()
    import numpy as np
    import paddle
    from paddle import inference
    from paddlenlp.transformers import ErnieConfig, ErnieForSequenceClassification

    config = ErnieConfig(
        vocab_size=TOKENS, max_position_embeddings=513, type_vocab_size=2, hidden_act="relu", num_labels=CLASSES
    )
    model = ErnieForSequenceClassification(config)
    model.set_state_dict({name: paddle.to_tensor(array) for name, array in np.load(f"{folder}/{WEIGHTS}").items()})
    model.eval()
    specs = [paddle.static.InputSpec([None, None], "int64", name=name) for name in ("input_ids", "token_type_ids")]
    paddle.jit.save(paddle.jit.to_static(model, input_spec=specs), f"{folder}/paddle")
    settings = inference.Config(f"{folder}/paddle.pdmodel", f"{folder}/paddle.pdiparams")
    settings.disable_gpu()
    settings.enable_mkldnn()
    settings.set_cpu_math_library_num_threads(threads)
    predictor = inference.create_predictor(settings)
    result = predictor.get_output_handle(predictor.get_output_names()[0])

    def call(given: list[Any]) -> Any:
        for name, array in zip(predictor.get_input_names(), given):
            predictor.get_input_handle(name).copy_from_cpu(array)
        predictor.run()
        return result.copy_to_cpu()

    return steps_of(sizes, call)
