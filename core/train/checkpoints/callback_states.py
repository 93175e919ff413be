"""What checkpoints hold of callbacks: plain values in progress.json, arrays in a file of safetensors."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.weights.formats.safetensors_file import read_safetensors, write_safetensors


def states_of(callbacks: Sequence[Any]) -> dict[str, Any]:
    """Return the states of those callbacks that have one, by :func:`callback_names`.

    Args:
        callbacks: the callbacks.
    """
    states = {name: callback.state_dict() for name, callback in zip(callback_names(callbacks), callbacks)}
    return {name: state for name, state in states.items() if state}


def callback_names(callbacks: Sequence[Any]) -> list[str]:
    """Return a name for each callback: its position among those of its class, and the class's name.

    Args:
        callbacks: the callbacks.
    """
    kinds = [type(callback).__name__ for callback in callbacks]
    return [f"{kinds[:position].count(kind)}:{kind}" for position, kind in enumerate(kinds)]


def split_arrays(states: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return callbacks' states without their arrays, and the arrays by their path "callback/key/...".

    Args:
        states: dicts within dicts.
    """
    plain: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for key, value in states.items():
        if isinstance(value, np.ndarray):
            arrays[key] = value
        elif isinstance(value, Mapping):
            plain[key], inner = split_arrays(value)
            arrays.update((f"{key}/{path}", array) for path, array in inner.items())
        else:
            plain[key] = value
    return plain, arrays


def with_arrays(plain: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return what :func:`split_arrays` took apart.

    Args:
        plain: the states without arrays.
        arrays: these, by their path.
    """
    states: dict[str, Any] = copy.deepcopy(dict(plain))
    for path, array in arrays.items():
        *outer, key = path.split("/")
        target = states
        for name in outer:
            target = target[name]
        target[key] = array
    return states


def write_callback_arrays(folder: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the arrays of callbacks' states, if there are any.

    Args:
        folder: where to write.
        arrays: by their path.
    """
    if arrays:
        write_safetensors(dict(arrays), folder / "callbacks.safetensors")


def read_callback_arrays(checkpoint: Path) -> dict[str, np.ndarray]:
    """Return what :func:`write_callback_arrays` wrote."""
    file = checkpoint / "callbacks.safetensors"
    return read_safetensors(file) if file.is_file() else {}
