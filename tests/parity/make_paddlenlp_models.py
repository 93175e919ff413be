"""Store what paddlenlp's models say of small seeded texts: outputs, losses, gradients, and the loss after one step.

    REFERENCE_PYTHON tests/parity/make_paddlenlp_models.py [--only FAMILY]

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddlenlp 2.8.1. For each family of ``PaddleNLP/model_cases.py`` it writes
``PaddleNLP/FAMILY.npz``, and ``PaddleNLP/FAMILY.pdparams``, the weights of one model as Paddle saves them.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
import types
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
import scipy  # noqa: E402, F401  # likewise

hub, errors = types.ModuleType("aistudio_sdk.hub"), types.ModuleType("aistudio_sdk.errors")
hub.download = hub.create_repo = hub.upload = None
errors.NotExistError = Exception
stubs = {"aistudio_sdk": types.ModuleType("aistudio_sdk"), "aistudio_sdk.hub": hub, "aistudio_sdk.errors": errors}
sys.modules.update(stubs)

from tests.parity.PaddleNLP import model_cases as cases  # noqa: E402


def build(name: str, task: str) -> paddle.nn.Layer:
    """Return an official model with seeded weights, in evaluation mode."""
    family = cases.FAMILIES[name]
    module = importlib.import_module(f"paddlenlp.transformers.{family.module}.modeling")
    configuration = importlib.import_module(f"paddlenlp.transformers.{family.module}.configuration")
    settings = {**family.settings, **family.official, "num_labels": cases.CLASSES, "num_choices": cases.CHOICES}
    config = getattr(configuration, f"{family.prefix}Config")(**settings)
    model = getattr(module, family.prefix + family.tasks[task])(config)
    model.set_state_dict(cases.weights(name, {key: value.shape for key, value in model.state_dict().items()}))
    if hasattr(model, "tie_weights"):
        model.tie_weights()
    model.eval()
    return model


def tensors(arrays: dict[str, np.ndarray], model: paddle.nn.Layer) -> dict[str, paddle.Tensor]:
    """Return inputs that the model's forward takes."""
    known = inspect.signature(model.forward).parameters
    return {name: paddle.to_tensor(value) for name, value in arrays.items() if name in known}


def listed(outputs: Any) -> list[paddle.Tensor]:
    """Return the tensors of a result."""
    every = outputs if isinstance(outputs, (tuple, list)) else [outputs]
    return [one for one in every if isinstance(one, paddle.Tensor)]


def learned(model: paddle.nn.Layer, given: dict[str, paddle.Tensor], task: str, names: Any, stored: dict) -> None:
    """Store the loss, the gradients, and the loss after a step of gradient descent."""
    values = dict(zip(names, cases.labels(task)))
    given = {**given, **{name: paddle.to_tensor(value) for name, value in values.items()}}
    loss = model(**given)[0]
    loss.backward()
    parameters = {name: one for name, one in model.named_parameters() if one.grad is not None}
    stored[f"{task} names"] = np.array(sorted(parameters))
    stored[f"{task} gradients"] = np.concatenate(
        [cases.sample(parameters[key].grad.numpy()) for key in sorted(parameters)]
    )
    optimizer = paddle.optimizer.SGD(cases.RATE, parameters=model.parameters())
    optimizer.step()
    stored[f"{task} losses"] = np.array([loss.item(), model(**given)[0].item()])


def make(name: str) -> None:
    """Write the files of one family."""
    stored: dict[str, np.ndarray] = {}
    family = cases.FAMILIES[name]
    for task in family.tasks:
        model = build(name, task)
        shapes = {key: list(value.shape) for key, value in model.state_dict().items()}
        stored[f"{task} keys"] = np.array([f"{key} {shape}" for key, shape in sorted(shapes.items())])
        given = tensors(cases.inputs(name, task), model)
        for index, one in enumerate(listed(model(**given))):
            stored[f"{task} {index}"] = one.numpy()
        names = family.labels.get(task, cases.LABELS.get(task, ()))
        if names:
            learned(model, given, task, names, stored)
    last = build(name, task)
    paddle.save(last.state_dict(), str(cases.FOLDER / f"{name}.pdparams"))
    stored["saved task"] = np.array(task)
    encoder = build(name, "encoder")
    for way, arrays in cases.further(name).items():
        for index, one in enumerate(listed(encoder(**tensors(arrays, encoder)))):
            stored[f"encoder {way} {index}"] = one.numpy()
    np.savez_compressed(cases.FOLDER / f"{name}.npz", **stored)


def main() -> None:
    """Write the files of all families, or of one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(cases.FAMILIES), action="append", help="a family; all by default")
    for name in parser.parse_args().only or cases.FAMILIES:
        make(name)


if __name__ == "__main__":
    main()
