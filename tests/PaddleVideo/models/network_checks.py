"""What every network promises, as functions that the tests of a family call: answers, gradients, files, programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Optional

import numpy as np

import core
from core.jit import to_static
from core.nn import functional as F
from core.static import InputSpec
from tests.parity.PaddleVideo.network_cases import CASES, FOLDER
from tests.parity.PaddleVideo.network_weights import calibrate, digest, fill, of_mode, shapes, thinned, without_dropout
from tests.parity.recipe import uniform
from tests.parity.stored import texts

TOLERANCE = 1e-4


def flat(outputs: Any) -> list[Any]:
    """Return the Tensors of nested lists and tuples in order."""
    if not isinstance(outputs, (list, tuple)):
        return [outputs]
    return [tensor for output in outputs for tensor in flat(output)]


def assert_near(found: np.ndarray, expected: np.ndarray, what: str, tolerance: float = TOLERANCE) -> None:
    """Assert that arrays are equal to a part of their largest number."""
    assert found.shape == expected.shape, what
    error = np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-6)
    assert error <= tolerance, f"{what}: relative error {error:.1e}"


def official_count(name: str) -> int:
    """Return how many trainable parameters ppvideo's network has."""
    return int(json.loads((FOLDER / "counts.json").read_text())[name])


def trainable_parameters(build: Callable[[], Any]) -> int:
    """Return how many trainable parameters a network has, which is built without numbers."""
    with core.LazyGuard():
        network = build()
    return sum(int(np.prod(one.shape)) for one in network.parameters() if not one.stop_gradient)


def check_official(
    name: str,
    network: Any,
    inputs: Sequence[np.ndarray],
    loss: Callable[..., Any] = F.cross_entropy,
    scores: Callable[[Any], Any] = lambda outputs: outputs,
    gradient_tolerance: float = TOLERANCE,
    tolerance: float = TOLERANCE,
) -> None:
    """Compare a network with the stored answers of ppvideo's: state, outputs and, of a case with targets, gradients.

    Args:
        name: of the case.
        network: ours.
        inputs: what it takes for those of the case.
        loss: returns the loss of its outputs and the case's targets.
        scores: returns, of its outputs in evaluation mode, what the official ones are.
        gradient_tolerance: relative, of the gradients.
        tolerance: relative, of the outputs in evaluation mode, which float32 computes.
    """
    case, stored = CASES[name], np.load(FOLDER / f"{name}.npz")
    assert shapes(network) == dict(zip(texts(stored["names"]), texts(stored["shapes"])))
    fill(network)
    network.train()
    without_dropout(network)
    with core.no_grad():
        given = [core.to_tensor(array) for array in inputs]
        calibrate(network, lambda: network(*given))
        found = flat(scores(network(*given)))
    for number, output in enumerate(found):
        assert_near(thinned(output.numpy()), stored[f"evaluation {number}"], f"{name} evaluation {number}", tolerance)
    if not case.targets:
        return
    fill(network)
    network.train()
    without_dropout(network)
    network.to(dtype="float64")
    given = [core.to_tensor(array, stop_gradient=array.dtype.kind != "f") for array in of_mode(inputs, "training")]
    outputs = network(*given)
    for number, output in enumerate(flat(outputs)):
        assert_near(thinned(output.numpy()), stored[f"training {number}"], f"{name} training {number}")
    total = loss(outputs, *[core.to_tensor(array) for array in of_mode(case.targets, "training")])
    np.testing.assert_allclose(total.numpy(), stored["loss"], rtol=1e-4)
    total.backward()
    gradients = {
        key: one.grad.numpy()
        for key, one in network.named_parameters()
        if not one.stop_gradient and one.grad is not None
    }
    keys = texts(stored["trained"])
    assert sorted(gradients) == keys
    expected, actual = stored["gradients"], digest(gradients)
    scale = expected[:, 0] + 1e-3 * expected[:, 0].max()  # what the next normalisation undoes is rounding
    for column, what in enumerate(("length", "projection")):
        error = np.abs(actual[:, column] - expected[:, column]) / scale
        worst = int(error.argmax())
        assert error[worst] <= gradient_tolerance, f"{name}, {what} of gradient {keys[worst]}: {error[worst]:.1e}"
    if [array.shape for array in inputs] == [array.shape for array in case.inputs]:  # else they are laid out otherwise
        for number, tensor in enumerate(given):
            if not tensor.stop_gradient:
                expected = stored[f"input gradient {number}"]
                assert_near(thinned(tensor.grad.numpy()), expected, f"input gradient {number}", gradient_tolerance)


def weighted_sum(outputs: Any) -> Any:
    """Return a sum of all outputs with fixed weights, 0-D."""
    terms = []
    for number, output in enumerate(flat(outputs)):
        weights = uniform(f"weights {number}", output.shape, -1.0, 1.0).astype(output.numpy().dtype)
        terms.append((output * core.to_tensor(weights)).sum())
    return core.add_n(terms)


def check_backward(network: Any, inputs: Sequence[np.ndarray], untrained: Sequence[str] = ()) -> None:
    """Assert that every trainable parameter gets a finite gradient, and each kernel one that is not 0.

    Args:
        network: in training mode.
        inputs: what it takes.
        untrained: names of parameters that the outputs do not depend on.
    """
    fill(network)
    weighted_sum(network(*[core.to_tensor(array) for array in inputs])).backward()
    for key, parameter in network.named_parameters():
        if parameter.stop_gradient or key in untrained:
            continue
        assert parameter.grad is not None, key
        gradient = parameter.grad.numpy()
        assert np.isfinite(gradient).all(), key
        if gradient.ndim > 1:  # shifts may be undone by the next normalisation
            assert np.abs(gradient).max() > 0, key


def check_file(build: Callable[[], Any], inputs: Sequence[np.ndarray], folder: Path) -> None:
    """Assert that weights and running statistics survive a file."""
    network = build()
    network(*[core.to_tensor(array) for array in inputs])  # moves the running statistics
    core.save(network.state_dict(), str(folder / "weights.pdparams"))
    core.seed(5)
    again = build()
    assert again.set_state_dict(core.load(str(folder / "weights.pdparams"))) == ([], [])
    network.eval()
    again.eval()
    with core.no_grad():
        given = [core.to_tensor(array) for array in inputs]
        for found, expected in zip(flat(again(*given)), flat(network(*given))):
            np.testing.assert_array_equal(found.numpy(), expected.numpy())


def check_compiled(network: Any, inputs: Sequence[np.ndarray], tolerance: float = 1e-7) -> None:
    """Assert that a compiled training step gives the outputs, gradients and statistics of an eager one, in float64."""
    found = []
    without_dropout(network)
    network.to(dtype="float64")
    inputs = of_mode(inputs, "training")
    for compiled in (False, True):
        fill(network)
        network.clear_gradients()
        call = to_static(lambda *given: network(*given)) if compiled else network
        outputs = call(*[core.to_tensor(array) for array in inputs])
        weighted_sum(outputs).backward()
        step = {f"output {number}": output.numpy() for number, output in enumerate(flat(outputs))}
        step.update({f"state {key}": tensor.numpy() for key, tensor in network.state_dict().items()})
        gradients = {
            key: one.grad.numpy()
            for key, one in network.named_parameters()
            if not one.stop_gradient and one.grad is not None
        }
        largest = max(np.abs(one).max() for one in gradients.values())
        step.update({f"gradient {key}": one / largest for key, one in gradients.items()})
        found.append(step)
    assert found[0].keys() == found[1].keys()
    for key, expected in found[0].items():
        error = np.abs(found[1][key] - expected).max() / max(1.0, np.abs(expected).max())
        assert error <= tolerance, f"{key}: {error:.1e}"


def check_export(
    network: Any,
    inputs: Sequence[np.ndarray],
    folder: Path,
    open_axes: Optional[Sequence[Sequence[int]]] = None,
    onnx: bool = False,
) -> None:
    """Assert that an exported program, for any number of videos, answers as the network does.

    Args:
        network: ours; it is set to evaluation mode.
        inputs: what it takes, two videos or more.
        folder: where to write.
        open_axes: axes of any size by input; the first of each when None.
        onnx: whether it is written for ONNX, too, whose export checks itself.
    """
    fill(network)
    network.eval()
    axes = open_axes if open_axes is not None else [(0,)] * len(inputs)
    specs = [
        InputSpec([None if axis in opened else size for axis, size in enumerate(array.shape)], str(array.dtype))
        for array, opened in zip(inputs, axes)
    ]
    core.jit.save(network, str(folder / "program"), specs)
    if onnx:
        examples = [[core.to_tensor(array) for array in inputs]]
        core.onnx.export(network, str(folder / "program"), specs, examples=examples)
        assert (folder / "program.onnx").stat().st_size > 0
    predictor = core.jit.Predictor(str(folder / "program"))
    for count in (len(inputs[0]), 1):
        arrays = [array[:count] for array in inputs]
        found = predictor.run(arrays if len(arrays) > 1 else arrays[0])
        with core.no_grad():
            expected = flat(network(*[core.to_tensor(array) for array in arrays]))
        for one, other in zip(found if isinstance(found, (list, tuple)) else [found], expected):
            assert_near(np.asarray(one), other.numpy(), "exported output", 1e-5)
