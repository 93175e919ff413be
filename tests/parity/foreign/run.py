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
import tempfile
import traceback
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[2])]

from cases import CASES, TRAINED, Case, Training  # noqa: E402
from recipe import parameter, uniform  # noqa: E402
from stand_ins import Folder, StandIns  # noqa: E402
from wheels import unpacked  # noqa: E402

REFERENCES = HERE / "references"
SAMPLE = 2048  # numbers that are kept of a larger output

THIRD_PARTY = (
    "aistudio_sdk", "av", "blobfile", "colorlog", "datasets", "decord", "dill", "easydict", "faiss", "fastapi",
    "hyperopt", "imageio", "jieba", "keras", "lap", "librosa", "lmdb", "motmetrics",
    "multiprocess", "munch", "natsort", "onnxruntime", "paddle2onnx", "paddleslim", "pandas",
    "pgl.graph_kernel", "pkg_resources", "pycocotools", "regex", "rich", "seqeval", "shapely", "SimpleITK",
    "skimage", "tensorflow", "terminaltables", "tqdm", "typeguard", "ujson", "uvicorn", "visualdl",
)  # fmt: skip
"""What the packages import beside Paddle and their networks do not use; pgl.graph_kernel is compiled and samples."""

OTHER_VERSIONS = ("huggingface_hub",)
"""What the packages import of an earlier version, and their networks do not use."""

REMOVED = ("paddle.fluid",)
"""What packages written for an earlier Paddle import, and Paddle 2.6 itself lacks."""


def prepare(toolkit: str, implementation: str) -> StandIns:
    """Make a package's files importable."""
    root = unpacked(toolkit)
    if toolkit == "paddlepaddle":
        root /= "paddle/vision"
        sys.meta_path.insert(0, Folder("paddle.vision.models", root))
    else:
        sys.path[:0] = [str(root), str(unpacked("six"))]  # six makes classes of the toolkits, nothing stands in for it
    stand_ins = StandIns((*THIRD_PARTY, *(REMOVED if implementation == "paddle" else ())), OTHER_VERSIONS)
    sys.meta_path.insert(0, stand_ins)
    if toolkit == "paddleclas":
        importlib.import_module("ppcls.utils.logger").init_logger()
    if toolkit == "paddlenlp":
        importlib.import_module("setuptools")  # which cannot be imported after pip, and paddlenlp imports that first
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
        buffers = {key for key in ("_mean", "_variance") if hasattr(layer, key)}
        for key, tensor in layer.state_dict(include_sublayers=False).items():
            if key in buffers or tensor.name in trainable:
                tensor.set_value(parameter(prefix + key, tensor.shape, moments))
        if getattr(layer, "weight_orig", None) is not None and getattr(layer, "weight_u", None) is not None:
            converge(layer)

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
            if hasattr(layer, "_variance"):
                moments.setdefault(name, 1.0)  # the real Paddle did not run it either
            fill_one(layer, f"{name}." if name else "")
    if calibrate is not None:
        calibrate()
    for remover in hooks:
        remover.remove()


def converge(layer: Any) -> None:
    """Give a layer whose weight is divided by its largest singular value the vectors that training converges to."""
    weight, rows = layer.weight_orig.numpy(), layer.weight_u.shape[0]
    matrix = np.moveaxis(weight, 0 if weight.shape[0] == rows else 1, 0).reshape(rows, -1)
    left, _, right = np.linalg.svd(matrix.astype(np.float64), full_matrices=False)
    layer.weight_u.set_value(left[:, 0].astype(np.float32))
    layer.weight_v.set_value(right[0].astype(np.float32))


def leaves(outputs: Any) -> list[Any]:
    """Return the tensors in whatever a network returned."""
    if isinstance(outputs, dict):
        return [leaf for key in sorted(outputs) for leaf in leaves(outputs[key])]
    if isinstance(outputs, (list, tuple)):
        return [leaf for item in outputs for leaf in leaves(item)]
    return [outputs] if hasattr(outputs, "numpy") else []  # sizes and the like are no tensors


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
    outputs = leaves(case.run(network, *inputs))
    answers = {f"output{number}": sample(tensor.numpy(), str(number)) for number, tensor in enumerate(outputs)}
    answers["shapes"] = np.array([",".join(map(str, tensor.shape)) for tensor in outputs], "S")
    loss = sum(
        (tensor * paddle.to_tensor(uniform(f"factor {number}", tensor.shape, -1.0, 1.0))).sum()
        for number, tensor in enumerate(outputs)
    )
    loss.backward()
    receivers = dict(network.named_parameters())
    receivers.update((f"input {number}", tensor) for number, tensor in enumerate(inputs))
    answers.update(gradients(receivers))
    network.clear_gradients()
    if case.decode is not None:
        with paddle.no_grad():
            decoded = leaves(case.decode(network, *inputs))
        for number, tensor in enumerate(decoded):
            answers[f"decoded{number}"] = sample(tensor.numpy().astype(np.float64), f"decoded {number}")
        answers["decoded_shapes"] = np.array([",".join(map(str, tensor.shape)) for tensor in decoded], "S")
    return answers


def gradients(receivers: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return, for each tensor that has a gradient, its scalar product with a seeded direction, and its length."""
    names, products, norms = [], [], []
    for name, tensor in receivers.items():
        if tensor.stop_gradient or tensor.grad is None:
            continue
        gradient = tensor.grad.numpy().astype(np.float64)
        names.append(name)
        products.append(float((gradient * uniform(f"direction {name}", tensor.shape, -1.0, 1.0)).sum()))
        norms.append(float(np.sqrt(np.square(gradient).sum())))
    return {"receivers": np.array(names, "S"), "products": np.array(products), "norms": np.array(norms)}


def make_reference(name: str, case: Case) -> dict[str, Any]:
    """Return a reference: what the real Paddle answers, and how far rounding moves it."""
    import paddle

    moments: dict[str, float] = {}
    with paddle.utils.unique_name.guard():
        network = case.build()

    def calibrate() -> None:
        with paddle.no_grad():
            case.run(network, *[paddle.to_tensor(array) for array in case.arrays()])

    fill(network, moments, calibrate)
    answers = answer(network, case)
    move_by_rounding(network)
    moved = answer(network, case)
    outputs = [key for key in answers if key.startswith("output")]
    for key in answers:
        if key.startswith("decoded") and answers[key].dtype.kind == "f":
            error = np.abs(answers[key] - moved[key]).max(initial=0.0) / max(1.0, np.abs(answers[key]).max(initial=0.0))
            print(f"  {key}: {answers[key].size} numbers, noise {error:.2g} of the largest", flush=True)
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


def move_by_rounding(network: Any) -> None:
    """Move every weight by one rounding step, up or down."""
    import paddle

    for key, tensor in network.state_dict().items():
        if tensor.dtype == paddle.float32:
            towards = np.where(uniform(f"noise {key}", tensor.shape, -1, 1) < 0, -np.inf, np.inf)
            tensor.set_value(np.nextafter(tensor.numpy(), towards.astype(np.float32)))


def moments_of(reference: Any) -> dict[str, float]:
    """Return the statistics that are stored with a reference."""
    layers = [layer.decode() for layer in reference["normalisations"]]
    return dict(zip(layers, reference["second_moments"].tolist()))


def run(name: str, case: Case) -> dict[str, np.ndarray]:
    """Return what core answers."""
    network = case.build()
    fill(network, moments_of(np.load(REFERENCES / f"{name}.npz")))
    answers = answer(network, case)
    if case.compiles:
        answers.update(answer_compiled(network, case))
    if case.compiles and case.exports:
        answers.update(answer_exported(network, case))
    return answers


def answer_compiled(network: Any, case: Case) -> dict[str, np.ndarray]:
    """Return what a network answers as one compiled program."""
    import paddle

    program = paddle.jit.to_static(network)
    with paddle.no_grad():
        outputs = leaves(case.run(program, *[paddle.to_tensor(array) for array in case.arrays()]))
    return {f"compiled{number}": sample(tensor.numpy(), str(number)) for number, tensor in enumerate(outputs)}


def answer_exported(network: Any, case: Case) -> dict[str, np.ndarray]:
    """Return what a network answers after it was saved as a program and loaded."""
    import paddle

    inputs = [paddle.to_tensor(array) for array in case.arrays()]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/network"
        specifications = [paddle.static.InputSpec(tensor.shape, tensor.dtype) for tensor in inputs]
        paddle.jit.save(network if case.call is None else called(network, case), path, input_spec=specifications)
        outputs = leaves(paddle.jit.load(path)(*inputs))
    return {f"exported{number}": sample(tensor.numpy(), str(number)) for number, tensor in enumerate(outputs)}


def called(network: Any, case: Case) -> Any:
    """Return a layer that does what a case does with its network."""
    import paddle

    class Called(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, *inputs: Any) -> Any:
            return case.run(self.network, *inputs)

    return Called()


def train(network: Any, case: Training) -> dict[str, np.ndarray]:
    """Return the losses of three training steps, and the gradients of each."""
    import paddle

    optimizer = case.optimizer(network.parameters())
    network.train()
    answers: dict[str, np.ndarray] = {}
    losses = []
    for step in range(3):
        paddle.seed(step)
        loss = case.loss(network, *[paddle.to_tensor(array) for array in case.arrays()])
        loss.backward()
        losses.append(float(loss))
        found = gradients(dict(network.named_parameters()))
        answers.update({f"{key}{step}": values for key, values in found.items()})
        optimizer.step()
        optimizer.clear_grad()
    return {**answers, "losses": np.array(losses)}


def make_training_reference(name: str, case: Training) -> dict[str, Any]:
    """Return what the real Paddle computes in three training steps, and how far rounding moves it."""
    import paddle

    found = []
    for moved in (False, True):
        with paddle.utils.unique_name.guard():
            network = case.build()
        fill(network, {layer: 1.0 for layer, _ in network.named_sublayers(include_self=True)})
        if moved:
            move_by_rounding(network)
        found.append(train(network, case))
    noise = np.abs(found[0]["losses"] - found[1]["losses"]).max()
    print(f"{name}: losses {found[0]['losses']}, noise {noise:.2g}", flush=True)
    return {**found[0], "noise": np.float64(noise)}


def run_training(name: str, case: Training) -> dict[str, np.ndarray]:
    """Return what core computes in three training steps."""
    network = case.build()
    fill(network, {layer: 1.0 for layer, _ in network.named_sublayers(include_self=True)})
    return train(network, case)


def main(folder: Path, implementation: str, names: list[str]) -> None:
    """Run models of one package, and write one file for each: its answers, or the traceback of what went wrong."""
    (toolkit,) = {(TRAINED.get(name) or CASES[name]).toolkit for name in names}
    if implementation == "core":
        importlib.import_module("core").install_as_paddle()
    stand_ins = prepare(toolkit, implementation)
    for name in names:
        try:
            if name in TRAINED:
                answers = (run_training if implementation == "core" else make_training_reference)(name, TRAINED[name])
            else:
                answers = (run if implementation == "core" else make_reference)(name, CASES[name])
        except Exception:
            if implementation != "core":
                raise
            (folder / f"{name}.txt").write_text(traceback.format_exc(), encoding="utf-8")
        else:
            np.savez_compressed(folder / f"{name}.npz", **answers)
    print("stand-ins:", *sorted(stand_ins.used))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
