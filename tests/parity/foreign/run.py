"""Run the official toolkits' model files, on core or on the real Paddle, and write down what they answer.

    python tests/parity/foreign/run.py FOLDER core NAME ...      # answers of core, with the references' statistics
    python tests/parity/foreign/run.py FOLDER paddle NAME ...    # answers of the real Paddle: new references

One process runs models of one toolkit. What is written for each: every output, or a sample of it; the gradient of a sum
of the outputs with seeded factors, as the scalar product of each parameter's gradient with a seeded direction; and, by
the real Paddle, the statistics that the recipe needs and how far all this moves when every weight moves by one rounding
step (``noise``, ``gradient_noise``).
"""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path
from typing import Any, Optional

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[2])]

from cases import CASES, REFUSED, Case  # noqa: E402
from recipe import parameter, uniform  # noqa: E402
from stand_ins import Folder, StandIns  # noqa: E402
from wheels import WHEELS, unpacked  # noqa: E402

REFERENCES = HERE / "references"
SAMPLE = 2048  # numbers that are kept of a larger output

THIRD_PARTY = (
    "aistudio_sdk", "av", "colorlog", "datasets", "decord", "dill", "easydict", "faiss", "huggingface_hub", "imageio",
    "jieba", "lap", "librosa", "motmetrics", "multiprocess", "natsort", "paddle2onnx", "paddleslim", "pandas",
    "pkg_resources", "pycocotools", "rich", "seqeval", "shapely", "skimage", "terminaltables",
    "tqdm", "typeguard", "ujson", "visualdl",
)  # fmt: skip
"""What the toolkits import beside Paddle, and their networks do not use."""

BARE: dict[str, dict[str, Optional[str]]] = {
    "paddleclas": dict.fromkeys(("ppcls.arch", "ppcls.arch.backbone")),
    "ppgan": dict.fromkeys(("ppgan.models", "ppgan.models.generators", "ppgan.models.discriminators")),
    "ppvideo": dict.fromkeys(("paddlevideo.modeling", "paddlevideo.modeling.backbones", "paddlevideo.modeling.heads")),
    "paddlenlp": {"paddlenlp": None, "paddlenlp.transformers": "model_utils"},
}
"""Packages whose ``__init__`` imports the whole toolkit; here they are entered for a few files of theirs."""

UNUSED: dict[str, tuple[str, ...]] = {
    "pgl": ("pgl.graph_kernel",),
    "paddlenlp": ("paddlenlp.transformers.tokenizer_utils", "paddle.distributed.fleet.meta_parallel"),
}
"""Parts of Paddle that the files import for other uses than running a network, and compiled parts of a toolkit."""


def prepare(toolkit: str) -> StandIns:
    """Make a toolkit's files importable."""
    root = unpacked(toolkit)
    if toolkit == "paddlepaddle":
        root /= "paddle/vision"
        sys.meta_path.insert(0, Folder("paddle.vision.models", root))
    else:
        sys.path[:0] = [str(root), str(unpacked("six"))]  # six makes classes of the toolkits, nothing stands in for it
    stand_ins = StandIns((*THIRD_PARTY, *UNUSED.get(toolkit, ())), BARE.get(toolkit, {}), WHEELS[toolkit].version)
    sys.meta_path.insert(0, stand_ins)
    if toolkit == "paddleclas":
        importlib.import_module("ppcls.utils.logger").init_logger()
    return stand_ins


def fill(network: Any, moments: dict[str, float], calibrate: Any = None) -> None:
    """Give a network the recipe's weights.

    Args:
        network: any layer.
        moments: by name of a normalisation layer, the mean square of what it receives.
        calibrate: runs the network once, to find them; None where they are known.
    """
    hooks = []

    def fill_one(layer: Any, prefix: str) -> None:
        statistics = {key for key in ("_mean", "_variance") if hasattr(layer, key)}
        for key, tensor in layer.state_dict(include_sublayers=False).items():
            if key in statistics or tensor.name in trainable:
                tensor.set_value(parameter(prefix + key, tensor.shape, moments))

    def hook(name: str, layer: Any) -> None:
        def before(layer: Any, inputs: Any) -> None:
            moments[name] = float(np.square(inputs[0].numpy().astype(np.float64)).mean())
            fill_one(layer, f"{name}.")

        hooks.append(layer.register_forward_pre_hook(before))

    trainable = {tensor.name for tensor in network.parameters()}
    network.eval()
    for name, layer in network.named_sublayers(include_self=True):
        if hasattr(layer, "_variance") and calibrate is not None:
            hook(name, layer)
        else:
            fill_one(layer, f"{name}." if name else "")
    if calibrate is not None:
        calibrate()
    for remover in hooks:
        remover.remove()


def leaves(outputs: Any) -> list[Any]:
    """Return the tensors in whatever a network returned."""
    if isinstance(outputs, dict):
        return [leaf for key in sorted(outputs) for leaf in leaves(outputs[key])]
    if isinstance(outputs, (list, tuple)):
        return [leaf for item in outputs for leaf in leaves(item)]
    return [] if outputs is None else [outputs]


def sample(array: np.ndarray, name: str) -> np.ndarray:
    """Return an array's numbers, or as many of them as are kept."""
    flat = array.reshape(-1)
    if flat.size <= SAMPLE:
        return flat
    return flat[(uniform(f"sample {name}", (SAMPLE,), 0.0, 1.0).astype(np.float64) * flat.size).astype(np.int64)]


def answer(network: Any, case: Case) -> dict[str, np.ndarray]:
    """Return what a network answers, and the gradients of it."""
    import paddle

    inputs = [paddle.to_tensor(array) for array in case.arrays()]
    for tensor in inputs:
        tensor.stop_gradient = not tensor.is_floating_point()
    outputs = leaves(case.call(network, *inputs))
    answers = {f"output{number}": sample(tensor.numpy(), str(number)) for number, tensor in enumerate(outputs)}
    answers["shapes"] = np.array([",".join(map(str, tensor.shape)) for tensor in outputs], "S")
    loss = sum(
        (tensor * paddle.to_tensor(uniform(f"factor {number}", tensor.shape, -1.0, 1.0))).sum()
        for number, tensor in enumerate(outputs)
    )
    loss.backward()
    receivers = dict(network.named_parameters())
    receivers.update((f"input {number}", tensor) for number, tensor in enumerate(inputs))
    names, products, norms = [], [], []
    for name, tensor in receivers.items():
        if tensor.stop_gradient or tensor.grad is None:
            continue
        gradient = tensor.grad.numpy().astype(np.float64)
        names.append(name)
        products.append(float((gradient * uniform(f"direction {name}", tensor.shape, -1.0, 1.0)).sum()))
        norms.append(float(np.sqrt(np.square(gradient).sum())))
    network.clear_gradients()
    return {**answers, "receivers": np.array(names, "S"), "products": np.array(products), "norms": np.array(norms)}


def make_reference(name: str, case: Case) -> dict[str, Any]:
    """Return a reference: what the real Paddle answers, and how far rounding moves it."""
    import paddle

    moments: dict[str, float] = {}
    with paddle.utils.unique_name.guard():
        network = case.build()

    def calibrate() -> None:
        with paddle.no_grad():
            case.call(network, *[paddle.to_tensor(array) for array in case.arrays()])

    fill(network, moments, calibrate)
    answers = answer(network, case)
    for key, tensor in network.state_dict().items():
        if tensor.dtype == paddle.float32:
            towards = np.where(uniform(f"noise {key}", tensor.shape, -1, 1) < 0, -np.inf, np.inf)
            tensor.set_value(np.nextafter(tensor.numpy(), towards.astype(np.float32)))
    moved = answer(network, case)
    outputs = [key for key in answers if key.startswith("output")]
    largest = max(float(np.abs(answers[key]).max()) for key in outputs)
    noise = max(float(np.abs(answers[key] - moved[key]).max()) for key in outputs)
    scale = np.maximum(
        answers["norms"], 1e-3 * answers["norms"].max(initial=1e-30)
    )  # some gradients are rounding alone
    gradient_noise = float((np.abs(answers["products"] - moved["products"]) / scale).max(initial=0.0))
    parameters = sum(int(np.prod(tensor.shape)) for tensor in network.parameters())
    print(
        f"{name}: {parameters:,} parameters, output up to {largest:.3g}, noise {noise:.2g}, of gradients "
        f"{gradient_noise:.2g}",
        flush=True,
    )
    return {
        **answers,
        "normalisations": np.array(list(moments), "S"),
        "second_moments": np.array(list(moments.values()), np.float64),
        "noise": np.float64(noise),
        "gradient_noise": np.float64(gradient_noise),
    }


def run(name: str, case: Case) -> dict[str, np.ndarray]:
    """Return what core answers."""
    if name in REFUSED:
        return answer(case.build(), case)
    reference = np.load(REFERENCES / f"{name}.npz")
    layers = [layer.decode() for layer in reference["normalisations"]]
    network = case.build()
    fill(network, dict(zip(layers, reference["second_moments"].tolist())))
    answers = answer(network, case)
    if case.compiles:
        answers.update(answer_compiled(network, case))
    return answers


def answer_compiled(network: Any, case: Case) -> dict[str, np.ndarray]:
    """Return what a network answers as one compiled program."""
    import paddle

    program = paddle.jit.to_static(network)
    with paddle.no_grad():
        outputs = leaves(case.call(program, *[paddle.to_tensor(array) for array in case.arrays()]))
    return {f"compiled{number}": sample(tensor.numpy(), str(number)) for number, tensor in enumerate(outputs)}


def main(folder: Path, implementation: str, names: list[str]) -> None:
    """Run models of one toolkit, and write one file for each: its answers, or the traceback of what went wrong."""
    every = {**CASES, **REFUSED}
    (toolkit,) = {every[name].toolkit for name in names}
    if implementation == "core":
        importlib.import_module("core").install_as_paddle()
    stand_ins = prepare(toolkit)
    for name in names:
        try:
            answers = (run if implementation == "core" else make_reference)(name, every[name])
        except Exception:
            if implementation != "core":
                raise
            (folder / f"{name}.txt").write_text(traceback.format_exc(), encoding="utf-8")
        else:
            np.savez_compressed(folder / f"{name}.npz", **answers)
    print("stand-ins:", *sorted(stand_ins.used))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
