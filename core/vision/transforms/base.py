"""Chaining transforms, and what every transform can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional


class Compose:
    """Several transforms, one after another.

    Neighbours that know a faster way to do both, such as :class:`ToTensor` and :class:`Normalize`, take it; the result
    is the same to the last bit.

    Args:
        transforms: functions of the sample.

    Raises:
        TypeError: one of them cannot be called.
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = list(transforms)
        for position, transform in enumerate(self.transforms):
            if not callable(transform):
                raise TypeError(f"Compose: transform {position} is a {type(transform).__name__}, not a function")

    def __call__(self, data: Any) -> Any:
        """Return ``data`` after all transforms, in order."""
        position = 0
        while position < len(self.transforms):
            transform = self.transforms[position]
            both = None
            if position + 1 < len(self.transforms) and isinstance(transform, BaseTransform):
                both = transform._together_with(self.transforms[position + 1], data)
            data = transform(data) if both is None else both(data)
            position += 1 if both is None else 2
        return data

    def __repr__(self) -> str:
        return f"Compose({', '.join(type(transform).__name__ for transform in self.transforms)})"


class BaseTransform:
    """A transform of some fields of a sample, which draws its random parameters once for all of them.

    Subclasses write ``_apply_image``, and ``_get_params`` when they draw; what it returns is ``self.params``. A kind of
    field of the subclass's own, say "points", needs a method ``_apply_points``.

    Args:
        keys: the kinds of the sample's fields, in order; each is transformed by the method of its name. Fields beyond
            these are passed on. None: ("image",).

    Raises:
        TypeError: ``keys`` is not a list or tuple.
        NotImplementedError: there is no method for a kind.
    """

    def __init__(self, keys: Optional[Sequence[str]] = None) -> None:
        if keys is not None and not isinstance(keys, (list, tuple)):
            raise TypeError(f"{type(self).__name__}: keys must be a list or tuple, not {keys!r}")
        self.keys = ("image",) if keys is None else tuple(keys)
        for key in self.keys:
            if not hasattr(self, f"_apply_{key}"):
                raise NotImplementedError(f"{type(self).__name__}: no method _apply_{key} for the key {key!r}")
        self.params: Any = None

    def __call__(self, inputs: Any) -> Any:
        """Transform one image, or the fields of a tuple."""
        fields = inputs if isinstance(inputs, tuple) else (inputs,)
        self.params = self._get_params(fields)
        outputs = [getattr(self, f"_apply_{key}")(field) for key, field in zip(self.keys, fields)]
        outputs += fields[len(self.keys) :]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def __repr__(self) -> str:
        settings = {name: value for name, value in vars(self).items() if name not in ("keys", "params")}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in settings.items())})"

    def _get_params(self, inputs: tuple[Any, ...]) -> Any:
        return None

    def _apply_image(self, image: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _apply_image(image)")

    def _apply_boxes(self, boxes: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not transform boxes; define _apply_boxes(boxes)")

    def _apply_mask(self, mask: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not transform masks; define _apply_mask(mask)")

    def _first_image(self, inputs: tuple[Any, ...]) -> Any:
        return inputs[self.keys.index("image")] if "image" in self.keys else inputs[0]

    def _together_with(self, following: Any, data: Any) -> Optional[Callable[[Any], Any]]:
        """Return a faster function that does to ``data`` what this transform and the next one do, if there is one."""
        return None
