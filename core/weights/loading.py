"""Weights into a model: all of them fit, or nothing is loaded and one line says why; exceptions are asked for."""

from __future__ import annotations

import dataclasses
import difflib
import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional, Union

import numpy

from core.weights.atomic import PathLike
from core.weights.downloads.download import fetch
from core.weights.formats.bfloat16 import upcast
from core.weights.formats.pdparams import NAME_TABLE
from core.weights.manifest import WeightRecord
from core.weights.messages import shown
from core.weights.read import read_weights

Source = Union[PathLike, WeightRecord, Mapping[str, Any]]

_logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class LoadReport:
    """What :func:`load_weights` did; ``print(report)`` lists it.

    Attributes:
        source: the file, or "the dictionary".
        loaded: the parameters and buffers that took their value from the source.
        fresh: those that kept the value they had, with the reason.
        unused: the entries of the source that were not used, with the reason.
    """

    source: str
    loaded: tuple[str, ...]
    fresh: Mapping[str, str]
    unused: Mapping[str, str]

    def __str__(self) -> str:
        wanted = len(self.loaded) + len(self.fresh)
        lines = [f"{self.source}: {len(self.loaded)} of {wanted} entries of the model loaded"]
        lines += [f"  fresh: {name} ({reason})" for name, reason in self.fresh.items()]
        lines += [f"  unused: {shown(name)[1:-1]} ({reason})" for name, reason in self.unused.items()]
        return "\n".join(lines)


def load_weights(
    model: Any,
    source: Source,
    strict: bool = True,
    adapt_head: Union[bool, Sequence[str]] = False,
    rename: Optional[Callable[[Mapping[str, Any]], Mapping[str, Any]]] = None,
    names: Optional[Sequence[str]] = None,
) -> LoadReport:
    """Load weights into a model; nothing is written unless all of them fit.

    Args:
        model: a Layer.
        source: a ``.pdparams``, ``.safetensors`` or MXNet ``.params`` file, an address ``https://...`` of one, a record
            of the manifest, or a dictionary of arrays or Tensors.
        strict: False loads what fits by name and shape, and reports the rest in the log.
        adapt_head: True lets the model's head (the layers that its ``head_names`` lists) keep its fresh values where
            the source has other shapes or lacks them, as another count of classes brings; or the names of such layers.
            The log lists what changed.
        rename: is given the entries of the source and returns them under the model's names, where a file of older names
            is to fit.
        names: the names in a file of a static program that has no program beside it, in any order.

    Returns:
        What was loaded, what stayed fresh, what was not used.

    Raises:
        FileNotFoundError: there is no such file.
        ConnectionError: the file cannot be downloaded; the message says where to put it by hand.
        ValueError: the file cannot be read; or names, shapes or kinds of element differ; the line counts the
            differences, names the first and proposes the nearest names.
    """
    values, name = _read(source, names)
    if rename is not None:
        values = dict(rename(values))
    state = {key: tensor for key, tensor in model.state_dict().items() if hasattr(tensor, "shape")}
    misfit = _compare(state, values)
    adapted = _head(model, state, adapt_head)
    spared = {key for key in (*misfit.missing, *misfit.changed, *misfit.unknown) if _is_within(key, adapted)}
    rest = _Misfit(*[{key: why for key, why in part.items() if key not in spared} for part in misfit])
    if strict and any(rest):
        advice = _advice(model, rest, adapted)
        raise ValueError(f"{name} does not fit the model: {rest.describe(state, values)}{advice}")
    fitting = [key for key in state if key in values and key not in misfit.changed]
    if not fitting:
        raise ValueError(f"{name} has nothing that fits the model: {misfit.describe(state, values)}")
    for key in fitting:
        state[key].set_value(_value(values[key], state[key]))
    report = LoadReport(name, tuple(fitting), {**misfit.missing, **misfit.changed}, dict(misfit.unknown))
    if report.fresh or report.unused:
        _logger.warning("%s", report)
    return report


def _read(source: Source, names: Optional[Sequence[str]]) -> tuple[dict[str, Any], str]:
    """Return the entries of a source, and its name for messages."""
    if isinstance(source, Mapping):
        values = {key: value for key, value in source.items() if key != NAME_TABLE}
        for key, value in values.items():
            if not hasattr(value, "shape") or not hasattr(value, "dtype"):
                raise ValueError(f"the dictionary has a {type(value).__name__} under {shown(key)}, not an array")
        return values, "the dictionary"
    if isinstance(source, WeightRecord) or str(source).startswith(("http://", "https://")):
        path: PathLike = fetch(source)  # type: ignore[arg-type]  # a path that begins so is a string
    else:
        path = source
    return dict(read_weights(path, names)), repr(os.fspath(path))


@dataclasses.dataclass(frozen=True)
class _Misfit:
    """How a source differs from a model: entry to reason."""

    missing: Mapping[str, str]
    changed: Mapping[str, str]
    unknown: Mapping[str, str]

    def __iter__(self) -> Any:
        return iter((self.missing, self.changed, self.unknown))

    def describe(self, state: Mapping[str, Any], values: Mapping[str, Any]) -> str:
        """Return the differences as one line: their counts, the first names, the nearest names."""
        problems = []
        if self.changed:
            changes = [f"{key} ({why})" for key, why in self.changed.items()]
            problems.append(f"{_count(len(changes), 'entry differs', 'entries differ')}: {_listed(changes)}")
        if self.missing:
            problems.append(f"it lacks {_count(len(self.missing), 'entry', 'entries')}: {_listed(list(self.missing))}")
        if self.unknown:
            keys = list(self.unknown)
            problems.append(f"the model has no {_listed([shown(key)[1:-1] for key in keys])}{_near(keys[0], self)}")
        prefix = _prefix(state, values)
        if prefix:
            problems.append(f"the names fit without their prefix {prefix!r}: load a dictionary without it")
        return "; ".join(problems)


def _compare(state: Mapping[str, Any], values: Mapping[str, Any]) -> _Misfit:
    found = {id(tensor) for key, tensor in state.items() if key in values}  # a tensor of two names needs one of them
    missing = {key: "not in the source" for key, tensor in state.items() if id(tensor) not in found}
    changed = {}
    for key, tensor in state.items():
        if key not in values:
            continue
        value = _value(values[key], tensor)
        if list(value.shape) != list(tensor.shape):
            changed[key] = f"{list(value.shape)} -> {list(tensor.shape)}"
        elif _kind(value) != _kind(tensor):
            changed[key] = f"{_type(value)} -> {_type(tensor)}"
    unknown = {key: "not in the model" for key in values if key not in state}
    return _Misfit(missing, changed, unknown)


def _value(value: Any, target: Any) -> Any:
    """Return a source's value ready for ``target.set_value``; arrays of uint16 hold the bits of bfloat16."""
    if isinstance(value, numpy.ndarray) and value.dtype == numpy.uint16 and target.dtype.is_floating:
        return upcast(value)
    return value


def _kind(value: Any) -> str:
    """Return the kind of element: f, i, u, b or c."""
    kind = str(value.dtype.kind)
    return "i" if kind == "u" else kind


def _type(value: Any) -> str:
    return str(getattr(value.dtype, "name", value.dtype))


def _head(model: Any, state: Mapping[str, Any], adapt_head: Union[bool, Sequence[str]]) -> tuple[str, ...]:
    """Return the names of the layers that may differ."""
    if adapt_head is False:
        return ()
    if adapt_head is True:
        names = tuple(getattr(model, "head_names", ()))
        if not names:
            raise ValueError(
                f"{type(model).__name__} does not say which of its layers are the head (it has no head_names);"
                " name them: adapt_head=['fc']"
            )
        return names
    names = (adapt_head,) if isinstance(adapt_head, str) else tuple(adapt_head)
    for name in names:
        if not any(_is_within(key, (name,)) for key in state):
            layers = sorted({key.rpartition(".")[0] for key in state} - {""})
            near = difflib.get_close_matches(str(name), layers, 1, 0) or list(state)[:1]
            raise ValueError(f"adapt_head names {name!r}, but the model has no such layer; the nearest is {near[0]!r}")
    return names


def _is_within(key: str, layers: Sequence[str]) -> bool:
    return any(key == layer or str(key).startswith(f"{layer}.") for layer in layers)


def _advice(model: Any, rest: _Misfit, adapted: Sequence[str]) -> str:
    """Return how to keep a fresh head, where nothing but the head differs."""
    head = tuple(getattr(model, "head_names", ()))
    differing = [key for part in rest for key in part]
    if not adapted and head and all(_is_within(key, head) for key in differing):
        return "; pass adapt_head=True to keep a fresh head"
    return ""


def _near(key: str, misfit: _Misfit) -> str:
    near = difflib.get_close_matches(str(key), list(misfit.missing), 1, 0.6)
    return f" (the nearest that it lacks is {near[0]})" if near else ""


def _prefix(state: Mapping[str, Any], values: Mapping[str, Any]) -> Optional[str]:
    """Return what precedes every name of the source and must go for most names to fit; None if nothing."""
    first = str(next(iter(values), ""))
    parts = first.split(".")
    for count in range(1, len(parts)):
        prefix = ".".join(parts[:count]) + "."
        stripped = [str(key)[len(prefix) :] for key in values if str(key).startswith(prefix)]
        if len(stripped) == len(values) and sum(key in state for key in stripped) * 2 > len(state):
            return prefix
    return None


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _listed(items: Sequence[str]) -> str:
    return ", ".join(items[:4]) + (f" and {len(items) - 4} more" if len(items) > 4 else "")
