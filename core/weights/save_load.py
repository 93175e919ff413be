"""``core.save`` and ``core.load``: nested values of tensors in safetensors files, and in those that Paddle uses."""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Callable, Optional, Union

import numpy as np

from core.tensor import Tensor, given_name
from core.weights.atomic import PathLike
from core.weights.formats.native import TensorContent, read_native, write_native
from core.weights.formats.pdparams import NAME_TABLE, check_protocol, cut_slices, read_pickle, write_pickle
from core.weights.messages import shown
from core.weights.read import file_format, read_weights

_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic)


def save(obj: Any, path: Union[PathLike, BinaryIO], protocol: int = 4, **configs: Any) -> None:
    """Save tensors, arrays, numbers, strings and containers of them; crash-safe.

    A name that ends in ``.safetensors`` gives the native format: the fastest, and open to every tool. Any other name
    gives a file that Paddle reads: a dictionary of tensors alone (``layer.state_dict()``, ``optimizer.state_dict()``)
    becomes a ``.pdparams`` or ``.pdopt`` file as Paddle writes it, name to array and the table of global names; in any
    other value each tensor becomes the pair (name, array). Protocols 2 and 3 cut arrays of more than 1 GiB into slices,
    as Paddle does.

    Args:
        obj: what to save.
        path: a file name, whose missing directories are made; or a binary stream open for writing.
        protocol: pickle protocol, 2 to 4.
        **configs: ``use_binary_format=False`` is taken for Paddle's sake.

    Raises:
        TypeError: something in it is not of these kinds, such as a layer or a function.
        ValueError: the protocol, a config or the path cannot be.
        OSError: the disk is full or the place cannot be written; a file that was there is as it was.
    """
    _check_configs(configs, {"use_binary_format"})
    check_protocol(protocol)
    if configs.get("use_binary_format"):
        raise ValueError("use_binary_format=True is not supported; save the state_dict without it")
    if isinstance(path, (str, os.PathLike)) and os.fspath(path).endswith(".safetensors"):
        with _naming(path):
            write_native(obj, path, _content)
        return
    value = _state_dict_form(obj) if _is_state_dict(obj) else _plain(obj, "", _pair)
    if isinstance(path, (str, os.PathLike)):
        if not os.path.basename(os.fspath(path)):
            raise ValueError(f"save needs the name of a file, such as 'model.pdparams', not {os.fspath(path)!r}")
        with _naming(path):
            write_pickle(value, path, protocol)
    else:
        pickle.dump(cut_slices(value, protocol), path, protocol=protocol)


def load(path: Union[PathLike, BinaryIO], **configs: Any) -> Any:
    """Load what :func:`save` or Paddle's ``save`` wrote, a ``.safetensors`` or an MXNet ``.params`` file.

    Nothing in the file is ever run: it is refused where it asks for more than arrays and plain containers.

    Args:
        path: a file name, or a binary stream open for reading.
        **configs: ``return_numpy=True`` gives numpy arrays instead of Tensors; ``keep_name_table=True`` keeps the table
            of global names under ``StructuredToParameterName@@``.

    Returns:
        The saved value; bfloat16 tensors come as their bits in uint16 with ``return_numpy``.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is truncated, not of a known format, or asks for something else; or an unknown config.
    """
    _check_configs(configs, {"return_numpy", "keep_name_table"})
    as_tensors = not configs.get("return_numpy", False)
    kind = file_format(path) if isinstance(path, (str, os.PathLike)) else "paddle"
    if kind == "safetensors":
        return read_native(path, _tensor_of if as_tensors else lambda content: content.array)  # type: ignore[arg-type]  # the union of both functions is no callable to mypy
    value: Any = read_weights(path) if kind in ("mxnet", "pytorch") else read_pickle(path)  # type: ignore[arg-type]  # an open file is only ever "paddle"
    if isinstance(value, dict) and isinstance(value.get(NAME_TABLE), dict):
        table = value[NAME_TABLE] if configs.get("keep_name_table", False) else value.pop(NAME_TABLE)
        if as_tensors:
            tensor = _Tensors()
            value.update({key: tensor(value[key]) for key in table if isinstance(value.get(key), np.ndarray)})
        return value
    if _holds_pair(value):
        tensor = _Tensors()
        return _replace(value, _is_pair, lambda pair: tensor(pair[1], pair[0]) if as_tensors else pair[1])
    if as_tensors:
        return _replace(value, lambda part: isinstance(part, np.ndarray), _Tensors())
    return value


@contextlib.contextmanager
def _naming(path: PathLike) -> Iterator[None]:
    """Name the file in an error of the disk."""
    try:
        yield
    except OSError as error:
        if error.errno is None:  # says it all already
            raise
        text = f"cannot write {os.fspath(path)!r}: {error.strerror}; nothing there was changed"
        raise type(error)(error.errno, text) from None


def _check_configs(configs: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(set(configs) - known)
    if unknown:
        raise ValueError(f"unknown config {unknown[0]!r}; known are {sorted(known)}")


# saving


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_tensor(part) for part in value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(_holds_tensor(part) for part in value)
    return isinstance(value, Tensor)


def _is_state_dict(value: Any) -> bool:
    """Return whether Paddle would take a value for a state_dict: tensors, and dictionaries without tensors."""
    return isinstance(value, Mapping) and all(
        isinstance(part, Tensor) or (isinstance(part, Mapping) and not _holds_tensor(part)) for part in value.values()
    )


def _state_dict_form(state: Mapping[Any, Any]) -> dict[Any, Any]:
    names = {key: given_name(part) or str(key) for key, part in state.items() if isinstance(part, Tensor)}
    return {**_plain(state, "", lambda tensor: tensor.numpy()), NAME_TABLE: names}


def _pair(tensor: Tensor) -> tuple[str, np.ndarray]:
    return given_name(tensor) or "", tensor.numpy()


def _plain(value: Any, place: str, convert: Callable[[Tensor], Any]) -> Any:
    """Return a value with its tensors converted, after checking that all the rest can be saved."""
    if isinstance(value, Tensor):
        return convert(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufcSU":
        return np.asarray(value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        return {key: _plain(part, f"{place}[{key!r}]", convert) for key, part in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)([_plain(part, f"{place}[{index}]", convert) for index, part in enumerate(value)])
    what = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
    fix = "; save its state_dict()" if hasattr(value, "state_dict") else ""
    where = f" at {place}" if place else ""
    raise TypeError(f"save takes tensors, arrays, numbers, strings and containers, not {what}{where}{fix}")


def _content(value: Any) -> Optional[TensorContent]:
    """Return what a tensor holds; None for anything else."""
    if not isinstance(value, Tensor):
        return None
    return TensorContent(value.numpy(), given_name(value), value.dtype.name == "bfloat16")


# loading


def _tensor_of(content: TensorContent) -> Any:
    if content.array.dtype == np.uint16 and not content.is_bfloat16:
        return content.array
    return _tensor(content.array, content.name or "")


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], np.ndarray)
    )


def _holds_pair(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_pair(part) for part in value.values())
    return _is_pair(value) or (isinstance(value, (list, tuple)) and any(_holds_pair(part) for part in value))


def _replace(value: Any, chosen: Callable[[Any], bool], convert: Callable[[Any], Any]) -> Any:
    """Return a loaded value with the chosen parts converted."""
    if chosen(value):
        return convert(value)
    if isinstance(value, dict):
        return {key: _replace(part, chosen, convert) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_replace(part, chosen, convert) for part in value])
    return value


class _Tensors:
    """Makes one Tensor of each array, so that what a file shares stays shared and takes no more memory."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[np.ndarray, str, Any]] = {}

    def __call__(self, array: np.ndarray, name: str = "") -> Any:
        _, first, made = self._made.setdefault(id(array), (array, name, None))
        if first != name:
            raise ValueError(f"the tensors {shown(first)} and {shown(name)} share one array; save each with its own")
        if made is None:
            made = _tensor(array, name)
            self._made[id(array)] = array, name, made
        return made


def _tensor(array: np.ndarray, name: str = "") -> Any:
    """Return an array as a Tensor; uint16 holds the bits of bfloat16. A type that no Tensor has stays an array."""
    kinds = {"float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool", "uint16"}
    if array.dtype.name not in kinds:
        return array
    return Tensor(array, "bfloat16" if array.dtype == np.uint16 else None, name=name or None)
