"""What the arrays of a batch do not say: how many samples it has, and which of its fields stay on the host."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class HostList(list):
    """A field with one entry per sample that is for Python alone, such as names of files or texts.

    A loader makes no Tensors of it, and a training step leaves it out of what it gives to a task's ``loss`` and
    ``predict``; evaluators and ``measure`` find it in the batch.
    """


class Batch(list):
    """The fields of a batch, in order, with the number of its samples.

    Args:
        fields: the fields.
        samples: how many samples they hold; of concatenated fields the first axis does not say it.
    """

    def __init__(self, fields: Iterable[Any], samples: int) -> None:
        super().__init__(fields)
        self.samples = samples

    def __reduce__(self) -> Any:
        return Batch, (list(self), self.samples)


class NamedBatch(dict):
    """The fields of a batch of dict samples, by name, with the number of its samples.

    Args:
        fields: the fields by name.
        samples: how many samples they hold.
    """

    def __init__(self, fields: Mapping[str, Any], samples: int) -> None:
        super().__init__(fields)
        self.samples = samples

    def __reduce__(self) -> Any:
        return NamedBatch, (dict(self), self.samples)


class SampleError(ValueError):
    """A sample does not go with the others of its batch.

    Args:
        position: which sample of the batch, from 0.
        text: what is wrong with it.
    """

    def __init__(self, position: int, text: str) -> None:
        super().__init__(position, text)
        self.position = position
        self.text = text

    def __str__(self) -> str:
        return f"sample {self.position} of the batch: {self.text}"


def device_fields(batch: Any) -> list[Any]:
    """Return the fields of a batch that a compiled function takes, in order: all but those for the host.

    Args:
        batch: what a loader gives: a sequence of fields, or a mapping, which counts as one field.

    Returns:
        The fields; what is for the host is left out of nested fields, too.
    """
    fields = [dict(batch)] if isinstance(batch, Mapping) else batch
    return [_without_host(field) for field in fields if not isinstance(field, HostList)]


def samples_of(batch: Any) -> int:
    """Return how many samples a batch has: what it says itself, else the first dimension of its first array.

    Args:
        batch: what a loader gives.

    Returns:
        The number; 1 where nothing gives it.
    """
    samples = getattr(batch, "samples", None)
    if isinstance(samples, int):
        return samples
    found = _first_dimension(batch)
    return 1 if found is None else found


def _without_host(field: Any) -> Any:
    if type(field) is dict:
        return {name: _without_host(part) for name, part in field.items() if not isinstance(part, HostList)}
    if type(field) in (list, tuple):
        return type(field)(_without_host(part) for part in field if not isinstance(part, HostList))
    return field


def _first_dimension(field: Any) -> Any:
    """Return the first dimension of the first array among some fields, or else among the fields inside them."""
    parts = list(field.values() if isinstance(field, Mapping) else field)
    for part in parts:
        if shape := getattr(part, "shape", None):
            return int(shape[0])
    inner = [part for part in parts if isinstance(part, (Mapping, list, tuple)) and not isinstance(part, HostList)]
    return next((found for part in inner if (found := _first_dimension(part)) is not None), None)

