"""Store what paddlenlp's models say of small seeded texts: outputs, losses, gradients, and the loss after one step.

    REFERENCE_PYTHON tests/parity/PaddleNLP/make/models.py [--only FAMILY] [--sizes]

REFERENCE_PYTHON has paddlepaddle 2.6.2 and paddlenlp 2.8.1. For each family of ``PaddleNLP/model_cases.py`` it writes
``references/FAMILY.npz``, and ``references/FAMILY.pdparams``, the weights of one model as Paddle saves them. With
``--sizes`` it writes instead what paddlenlp's own list has: ``references/FAMILY.json``, of each checkpoint the number
of parameters, a sum over their names and shapes, the address, and the settings that no shape shows.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import json
import sys
import types
from pathlib import Path
from typing import Any

PARITY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PARITY.parents[1]))

import zlib  # noqa: E402, F401  # before paddle, which crashes after it

import numpy as np  # noqa: E402
import paddle  # noqa: E402
import scipy  # noqa: E402, F401  # likewise

sys.modules.setdefault("pip", types.ModuleType("pip"))
hub, errors = types.ModuleType("aistudio_sdk.hub"), types.ModuleType("aistudio_sdk.errors")
hub.download = hub.create_repo = hub.upload = None
errors.NotExistError = Exception
stubs = {"aistudio_sdk": types.ModuleType("aistudio_sdk"), "aistudio_sdk.hub": hub, "aistudio_sdk.errors": errors}
sys.modules.update(stubs)

from tests.parity.PaddleNLP import further_cases  # noqa: E402
from tests.parity.PaddleNLP import model_cases as cases  # noqa: E402


def build(name: str, task: str) -> paddle.nn.Layer:
    """Return an official model with seeded weights, in evaluation mode."""
    family = cases.FAMILIES[name]
    module = importlib.import_module(f"paddlenlp.transformers.{family.module}.modeling")
    configuration = importlib.import_module(f"paddlenlp.transformers.{family.module}.configuration")
    settings = {**family.settings, **family.official, "num_labels": cases.CLASSES, "num_choices": cases.CHOICES}
    settings.update(family.by_task.get(task, {}))
    config = getattr(configuration, f"{family.prefix}Config")(**settings)
    model = getattr(module, family.prefix + family.tasks[task])(config)
    with contextlib.suppress(AttributeError, NotImplementedError):
        model.tie_weights()
    model.set_state_dict(cases.weights(name, {key: value.shape for key, value in model.state_dict().items()}))
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


def mixed(outputs: Any) -> paddle.Tensor:
    """Return a sum over all results, where the official model has no loss."""
    every = enumerate(listed(outputs))
    return paddle.add_n([(one * paddle.to_tensor(cases.mixture(index, one.shape))).sum() for index, one in every])


def learned(model: paddle.nn.Layer, given: dict[str, paddle.Tensor], name: str, task: str, stored: dict) -> None:
    """Store the loss, the gradients, and the loss after a step of gradient descent."""
    family = cases.FAMILIES[name]
    names = family.labels.get(task, cases.LABELS.get(task, ()))
    nothing = family.ignored.get(task, -100)
    values = {key: np.where(value == -100, nothing, value) for key, value in zip(names, cases.labels(task))}
    given = {**given, **{name: paddle.to_tensor(value) for name, value in values.items()}}

    def loss_now() -> paddle.Tensor:
        return model(**given)[0] if names else mixed(model(**given))

    loss = loss_now()
    loss.backward()
    parameters = {name: one for name, one in model.named_parameters() if one.grad is not None}
    stored[f"{task} names"] = np.array(sorted(parameters))
    stored[f"{task} gradients"] = np.concatenate(
        [cases.sample(parameters[key].grad.numpy()) for key in sorted(parameters)]
    )
    optimizer = paddle.optimizer.SGD(cases.RATE, parameters=model.parameters())
    optimizer.step()
    stored[f"{task} losses"] = np.array([loss.item(), loss_now().item()])


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
            choices = [-1, cases.CHOICES] if task == "multiple_choice" else one.shape
            stored[f"{task} {index}"] = one.reshape(choices).numpy()
        if task != "encoder":
            learned(model, given, name, task, stored)
    last = build(name, task)
    paddle.save(last.state_dict(), str(cases.FOLDER / f"{name}.pdparams"))
    stored["saved task"] = np.array(task)
    encoder = build(name, "encoder")
    for way, arrays in cases.further(name).items():
        for index, one in enumerate(listed(encoder(**tensors(arrays, encoder)))):
            stored[f"encoder {way} {index}"] = one.numpy()
    for index, one in enumerate(remembered(name, encoder)):
        stored[f"encoder memory {index}"] = one.numpy()
    np.savez_compressed(cases.FOLDER / f"{name}.npz", **stored)


def remembered(name: str, encoder: paddle.nn.Layer) -> list[paddle.Tensor]:
    """Return what an encoder with a memory says of the second part of texts."""
    first, second = (
        {key: paddle.to_tensor(value) for key, value in part.items()} for part in further_cases.parts(name)
    )
    if name == "xlnet":  # with one stream the official code cannot read its memory
        memory = encoder(**first, use_mems_eval=True)[1]
        return [*listed(encoder(**second, mems=memory)), *(one.transpose([1, 0, 2]) for one in memory)]
    if name == "gpt":
        pairs = encoder(**first, use_cache=True)[1]
        return [encoder(**second, use_cache=True, past_key_values=pairs)[0], *pairs[-1]]
    return []


def pretrained_electra() -> None:
    """Write what ELECTRA's networks say together, and their gradients, with the generator's likeliest tokens."""
    from paddlenlp.transformers.electra import configuration, modeling

    arrays = further_cases.electra_inputs()
    names = ("input_ids", "token_type_ids", "raw_input_ids", "generator_labels")
    given = {name: paddle.to_tensor(arrays[name]) for name in names}
    stored = {}
    for way, (prefix, settings) in further_cases.ELECTRA.items():
        config = configuration.ElectraConfig(**settings, num_labels=128)
        model = getattr(modeling, f"{prefix}ForTotalPretraining")(config)
        model.tie_weights()
        model.set_state_dict(cases.weights(way, {key: one.shape for key, one in model.state_dict().items()}))
        model.use_softmax_sample = False
        model.eval()
        if way == "health":
            loss = model(**given)[0]
        else:
            scores, logits, replaced, kept = model(**given)
            loss = modeling.ElectraPretrainingCriterion(config)(scores, logits, given[names[3]], replaced, kept)
            stored.update(scores=cases.sample(scores.numpy()), logits=logits.numpy(), replaced=replaced.numpy())
        loss.backward()
        found = {name: one for name, one in model.named_parameters() if one.grad is not None}
        keys = [f"{key} {list(value.shape)}" for key, value in sorted(model.state_dict().items())]
        stored[f"{way} keys"], stored[f"{way} names"] = np.array(keys), np.array(sorted(found))
        stored[f"{way} loss"] = np.array(loss.item())
        stored[f"{way} gradients"] = np.concatenate([cases.sample(found[key].grad.numpy()) for key in sorted(found)])
    np.savez_compressed(cases.FOLDER / "electra_pretraining.npz", **stored)


def chained_skep() -> None:
    """Write SKEP's best paths through a chain of tags, with the losses and gradients of given ones."""
    from paddlenlp.transformers.skep import configuration, modeling

    still = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}  # Paddle's GRU learns in training only
    settings = {**cases.FAMILIES["skep"].settings, **still, "num_labels": cases.CLASSES}
    model = modeling.SkepCrfForTokenClassification(configuration.SkepConfig(**settings))
    model.set_state_dict(further_cases.chained({key: one.shape for key, one in model.state_dict().items()}))
    arrays, labels = further_cases.chain_inputs()
    given = {name: paddle.to_tensor(value) for name, value in arrays.items()}
    paths = model(**given)
    loss = model(**given, labels=paddle.to_tensor(labels))
    loss.mean().backward()
    found = {name: one for name, one in model.named_parameters() if one.grad is not None}
    stored = {
        "keys": np.array([f"{key} {list(value.shape)}" for key, value in sorted(model.state_dict().items())]),
        "paths": paths.numpy(),
        "losses": loss.numpy(),
        "names": np.array(sorted(found)),
        "gradients": np.concatenate([cases.sample(found[key].grad.numpy()) for key in sorted(found)]),
    }
    np.savez_compressed(cases.FOLDER / "skep_chain.npz", **stored)


def sizes(name: str) -> None:
    """Write what the official list says of a family's checkpoints; their parameters have shapes, but no values."""
    family = cases.FAMILIES[name]
    module = importlib.import_module(f"paddlenlp.transformers.{family.module}.modeling")
    configuration = importlib.import_module(f"paddlenlp.transformers.{family.module}.configuration")
    encoder = getattr(module, f"{family.prefix}{family.tasks['encoder']}")
    encoder.init_weights = encoder._init_weights = lambda self, *_: None  # it would draw them
    paddle.Tensor.__setitem__ = lambda self, *_: None  # an embedding clears a row
    found = {}
    for checkpoint, settings in encoder.pretrained_init_configuration.items():
        config = getattr(configuration, f"{family.prefix}Config")(**settings)
        with paddle.LazyGuard():
            model = encoder(config)
        shapes = {key: list(value.shape) for key, value in model.state_dict().items()}
        hidden = {key: getattr(config, key) for key in cases.HIDDEN_SETTINGS if hasattr(config, key)}
        url = encoder.pretrained_resource_files_map["model_state"].get(checkpoint)
        count = int(sum(np.prod(parameter.shape) for parameter in model.parameters()))
        found[checkpoint] = {"count": count, "names": cases.checksum(shapes), "url": url, "settings": hidden}
    (cases.FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")


def main() -> None:
    """Write the files of all families, or of one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(cases.FAMILIES), action="append", help="a family; all by default")
    parser.add_argument("--sizes", action="store_true", help="what the official list says of checkpoints")
    arguments = parser.parse_args()
    for name in arguments.only or cases.FAMILIES:
        sizes(name) if arguments.sizes else make(name)
        if name == "electra" and not arguments.sizes:
            pretrained_electra()
        if name == "skep" and not arguments.sizes:
            chained_skep()


if __name__ == "__main__":
    main()
