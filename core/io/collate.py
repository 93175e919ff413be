"""From samples to a batch: numpy arrays first, Tensors only at the end and only in the parent process."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any, Callable

import numpy as np

from core.io.batch import Batch, HostList, NamedBatch


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """Stack samples field by field.

    Args:
        batch: B samples of one structure: an array or Tensor of shape S becomes an array of shape (B, *S), numbers an
            array of shape (B,), strings a list; tuples, lists and dicts are gone through field by field.

    Returns:
        The same structure, a list in place of each tuple or list, with numpy arrays inside.

    Raises:
        ValueError: the batch is empty, or samples differ in shape or in their number of fields.
        TypeError: a field is none of the above.
    """
    return collate(batch, np.empty)


def collate(batch: Sequence[Any], empty: Callable[[tuple[int, ...], np.dtype], np.ndarray]) -> Any:
    """Do what :func:`default_collate_fn` does, with arrays that ``empty(shape, dtype)`` makes."""
    if len(batch) == 0:
        raise ValueError("a batch cannot be made from no samples")
    first = batch[0]
    if isinstance(first, np.ndarray):
        return _stack(batch, empty)
    if is_tensor(first):
        return _stack([sample.numpy() for sample in batch], empty)
    if isinstance(first, (numbers.Number, np.generic)):
        return np.array(batch)
    if isinstance(first, (str, bytes)):
        return HostList(batch)
    if isinstance(first, Mapping):
        return {key: collate([sample[key] for sample in batch], empty) for key in first}
    if isinstance(first, Sequence):
        counts = {len(sample) for sample in batch}
        if len(counts) > 1:
            raise ValueError(f"the samples of one batch have different numbers of fields: {sorted(counts)}")
        return [collate(list(field), empty) for field in zip(*batch)]
    raise TypeError(
        f"a sample holds a {type(first).__name__}; a batch is made of arrays, Tensors, numbers, strings, "
        "and tuples, lists or dicts of these. Pass collate_fn= for anything else"
    )


def default_convert_fn(batch: Any) -> Any:
    """Leave one sample as it is, Tensors turned into numpy arrays; used when a loader makes no batches.

    Args:
        batch: one sample.

    Returns:
        The same structure.
    """
    if is_tensor(batch):
        return batch.numpy()
    if isinstance(batch, (str, bytes, np.ndarray, numbers.Number, np.generic)):
        return batch
    if isinstance(batch, Mapping):
        return {key: default_convert_fn(value) for key, value in batch.items()}
    if isinstance(batch, Sequence):
        return [default_convert_fn(value) for value in batch]
    return batch


def to_tensors(batch: Any) -> Any:
    """Turn the numeric arrays and numpy numbers of a batch into Tensors; everything else stays.

    This is the one place where data meets the engine. It must run in the parent process.

    Args:
        batch: what a collate function returned.

    Returns:
        The same structure with Tensors inside.
    """
    import core  # loads the engine, which not every process needs

    if isinstance(batch, (np.ndarray, np.generic)):
        return core.to_tensor(np.asarray(batch)) if batch.dtype.kind in "biufc" else batch
    if isinstance(batch, HostList):
        return batch
    if isinstance(batch, Mapping):
        named = {key: to_tensors(value) for key, value in batch.items()}
        return NamedBatch(named, batch.samples) if isinstance(batch, NamedBatch) else named
    if isinstance(batch, (list, tuple)):
        listed = [to_tensors(value) for value in batch]
        return Batch(listed, batch.samples) if isinstance(batch, Batch) else listed
    return batch


def is_tensor(value: Any) -> bool:
    """Tell a Tensor by what it can do, because asking for its class would import the engine."""
    return hasattr(value, "numpy") and hasattr(value, "stop_gradient")


def _stack(arrays: Sequence[np.ndarray], empty: Callable[[tuple[int, ...], np.dtype], np.ndarray]) -> np.ndarray:
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise ValueError(
            f"the samples of one batch have different shapes: {', '.join(map(str, sorted(shapes)))}; "
            "resize them alike, or pad them with collate_fn=Collate(...)"
        )
    kinds = {array.dtype for array in arrays}
    kind = kinds.pop() if len(kinds) == 1 else np.result_type(kinds.pop(), *kinds)
    return np.stack(arrays, axis=0, out=empty((len(arrays), *arrays[0].shape), kind))
