"""The files of a checkpoint, in safetensors: a network's weights, an optimizer's state.

==============================  =======================================================================================
``model.safetensors``           the weights of the network "model", to predict with
``model.trained.safetensors``   only beside a moving average, which is then in the file above: the weights to train on
``fit.optimizer.safetensors``   what the optimizer of the phase "fit" remembers, by the parameters' paths
``fit.optimizer.json``          its learning-rate schedule
``callbacks.safetensors``       only where callbacks' states hold arrays: these, by their path
==============================  =======================================================================================
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.optimizer.optimizer import Optimizer
from core.tensor import Tensor
from core.weights.formats.safetensors_file import read_safetensors, write_safetensors

MASTERS = "master_weights"


class NotFiniteError(ArithmeticError):
    """A number that must be finite is not."""


def network_file(checkpoint: Path, name: str) -> Path:
    """Return the file of a network's weights, to predict with."""
    return checkpoint / f"{name}.safetensors"


def trained_file(checkpoint: Path, name: str) -> Path:
    """Return the file of a network's weights as they were trained, which is there beside a moving average."""
    return checkpoint / f"{name}.trained.safetensors"


def write_network(network: Any, file: Path) -> None:
    """Write weights and buffers.

    Args:
        network: the Layer.
        file: where to write.

    Raises:
        NotFiniteError: a parameter is infinite or not a number.
    """
    arrays = {key: tensor.numpy() for key, tensor in network.state_dict().items()}
    for key, _ in network.named_parameters():
        array = arrays.get(key)
        if array is not None and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise NotFiniteError(f"the weight {key!r} is infinite or not a number")
    write_safetensors(arrays, file)


def read_network(file: Path, network: Any) -> None:
    """Read weights and buffers; all must be there and fit.

    Args:
        file: what :func:`write_network` wrote.
        network: the Layer.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: names or shapes differ.
    """
    if not file.is_file():
        raise FileNotFoundError(f"no weights file {str(file)!r}")
    state = read_safetensors(file)
    wanted = network.state_dict()
    missing, unexpected = sorted(set(wanted) - set(state)), sorted(set(state) - set(wanted))
    if missing or unexpected:
        kind, key = ("lacks", missing[0]) if missing else ("has the unknown", unexpected[0])
        count = len(missing) + len(unexpected)
        raise ValueError(f"{str(file)!r} does not fit the network: it {kind} entry {key!r} ({count} such entries)")
    for key, tensor in wanted.items():
        if list(state[key].shape) != list(tensor.shape):
            raise ValueError(
                f"{str(file)!r} does not fit the network: {key!r} has shape {list(state[key].shape)}, "
                f"the network needs {list(tensor.shape)}"
            )
    network.set_state_dict({key: _tensor(value) for key, value in state.items()})


def write_optimizer(folder: Path, name: str, optimizer: Any, networks: Mapping[str, Any]) -> None:
    """Write an optimizer's state, its entries named after the parameters' paths.

    An optimizer names them after parameters' global names, which count the layers that a process has made.

    Args:
        folder: where to write.
        name: the phase's name.
        optimizer: the optimizer.
        networks: the networks, by name.
    """
    paths = {name: path for path, name in parameter_names(networks).items()}
    state = dict(optimizer.state_dict())
    masters = {f"{MASTERS}/{_renamed(key, paths)}": tensor for key, tensor in state.pop(MASTERS, {}).items()}
    tensors = {_renamed(key, paths): value for key, value in state.items() if isinstance(value, Tensor)}
    rest = {key: value for key, value in state.items() if not isinstance(value, Tensor)}
    arrays = {key: tensor.numpy() for key, tensor in {**tensors, **masters}.items()}
    write_safetensors(arrays, folder / f"{name}.optimizer.safetensors")
    with open(folder / f"{name}.optimizer.json", "w", encoding="utf-8") as stream:
        stream.write(json.dumps(rest, indent=1, default=_plain))
        stream.flush()
        os.fsync(stream.fileno())


def read_optimizer(folder: Path, name: str, optimizer: Any, networks: Mapping[str, Any]) -> None:
    """Read an optimizer's state.

    Args:
        folder: the checkpoint.
        name: the phase's name.
        optimizer: the optimizer.
        networks: the networks, by name.

    Raises:
        FileNotFoundError: the checkpoint holds no such state.
        ValueError: it is damaged, or the state of another kind of optimizer.
    """
    file = folder / f"{name}.optimizer.safetensors"
    if not file.is_file():
        raise FileNotFoundError(f"no optimizer state {str(file)!r}")
    names = parameter_names(networks)
    rest = folder / f"{name}.optimizer.json"
    try:
        state: dict[str, Any] = dict(json.loads(rest.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise ValueError(f"{str(rest)!r} is damaged; continue from another checkpoint by deleting this one") from None
    arrays = read_safetensors(file)
    _require_kinds(file, optimizer, [key for key in arrays if not key.startswith(f"{MASTERS}/")])
    for key, value in arrays.items():
        head, _, tail = key.partition("/")
        if head == MASTERS:
            state.setdefault(MASTERS, {})[_renamed(tail, names)] = _tensor(value)
        else:
            state[_renamed(key, names)] = _tensor(value)
    try:
        optimizer.set_state_dict(state)
    except (RuntimeError, TypeError) as error:  # of a schedule that no config describes
        raise ValueError(f"{str(rest)!r}: {error}") from None


def _require_kinds(file: Path, optimizer: Any, keys: Sequence[str]) -> None:
    """Refuse a state that an optimizer of this class has no use for, or that lacks what it remembers."""
    if not keys or type(optimizer).state_dict is not Optimizer.state_dict:  # it remembers in its own way
        return
    kinds = {kind.name for group in optimizer._param_groups for kind in optimizer._accumulator_kinds(group)}
    found = [{kind for kind in kinds if re.search(rf"_{re.escape(kind)}_\d+$", key)} for key in keys]
    if not all(found) or set().union(*found) != kinds:
        raise ValueError(
            f"{str(file)!r} is not the state of the optimizer {type(optimizer).__name__}: continue with the optimizer "
            "that the run began with, or start a new run"
        )


def parameter_names(networks: Mapping[str, Any]) -> dict[str, str]:
    """Return the global name of every parameter, by its path "network/structured name".

    Args:
        networks: the networks, by name.
    """
    return {
        f"{name}/{path}": parameter.name
        for name, network in networks.items()
        for path, parameter in network.named_parameters()
    }


def _renamed(key: str, names: Mapping[str, str]) -> str:
    """Return an entry "<parameter>" or "<parameter>_<what>" with the parameter's other name."""
    owner = key
    while owner and owner not in names:
        owner = owner.rpartition("_")[0]
    return names[owner] + key[len(owner) :] if owner else key


def _tensor(array: np.ndarray) -> Tensor:
    """Return an array as a Tensor; uint16 holds the bits of bfloat16."""
    return Tensor(array, "bfloat16" if array.dtype == np.uint16 else None)


def _plain(value: Any) -> Any:
    """Return a numpy number as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"an optimizer's state holds a {type(value).__name__}, which a checkpoint cannot")
