"""Chaining transforms, and what every transform can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional


class Compose:
    """Several transforms, one after another.

    Args:
        transforms: functions of the sample.
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = list(transforms)

    def __call__(self, data: Any) -> Any:
        """Return ``data`` after all transforms, in order."""
        for transform in self.transforms:
            data = transform(data)
        return data

    def __repr__(self) -> str:
        return f"Compose({', '.join(type(transform).__name__ for transform in self.transforms)})"


class BaseTransform:
    """A transform of some fields of a sample, which draws its random parameters once for all of them.

    Subclasses write ``_apply_image``, and ``_get_params`` when they draw.

    Args:
        keys: the kinds of the sample's fields, in order: "image" is transformed, a kind without a method of its own is
            passed on, and so are fields beyond these. None: ("image",).

    Raises:
        TypeError: ``keys`` is not a list or tuple.
    """

    def __init__(self, keys: Optional[Sequence[str]] = None) -> None:
        if keys is not None and not isinstance(keys, (list, tuple)):
            raise TypeError(f"{type(self).__name__}: keys must be a list or tuple, not {keys!r}")
        self.keys = ("image",) if keys is None else tuple(keys)
        self.params: Any = None

    def __call__(self, inputs: Any) -> Any:
        """Transform one image, or the fields of a tuple."""
        fields = inputs if isinstance(inputs, tuple) else (inputs,)
        self.params = self._get_params(fields)
        outputs = []
        for position, field in enumerate(fields):
            key = self.keys[position] if position < len(self.keys) else None
            apply = getattr(self, f"_apply_{key}", None)
            outputs.append(field if apply is None else apply(field))
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _get_params(self, inputs: tuple[Any, ...]) -> Any:
        return None

    def _apply_image(self, image: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _apply_image(image)")

    def _first_image(self, inputs: tuple[Any, ...]) -> Any:
        return inputs[self.keys.index("image")] if "image" in self.keys else inputs[0]
