"""What an image can be: a PIL image, an array, or a Tensor; and what is said of one that is not.

* a PIL image of any mode;
* an array of shape (H, W) or (H, W, C);
* a floating-point array of shape (C, H, W) as :func:`to_tensor` makes it. Channels come first when the first axis has
  1, 3 or 4 entries and the last one has not; arrays of integers always have their channels last;
* a Tensor of shape (C, H, W), or (N, C, H, W) for a batch. A transform computes in numpy and gives a Tensor back;
  gradients do not flow through it, so a Tensor that needs one is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Callable, TypeVar, Union

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from typing_extensions import TypeGuard

Picture = Any
"""A PIL image, an array or a Tensor."""

Size = Union[int, Sequence[int]]
Fill = Union[float, Sequence[float]]

CHANNEL_COUNTS = (1, 3, 4)
OPENCV_TYPES = ("uint8", "int16", "uint16", "float32", "float64")

_Function = TypeVar("_Function", bound=Callable[..., Any])


def is_tensor(img: Any) -> bool:
    """Tell a Tensor by what it can do, because asking for its class would import the engine."""
    return hasattr(img, "numpy") and hasattr(img, "stop_gradient")


def channels_first(img: Picture) -> bool:
    """Tell whether an image's channels are its first axis."""
    if is_tensor(img):
        return True
    if not isinstance(img, np.ndarray) or img.ndim != 3 or img.dtype.kind != "f":
        return False
    return img.shape[0] in CHANNEL_COUNTS and img.shape[2] not in CHANNEL_COUNTS


def image_size(img: Picture) -> tuple[int, int]:
    """Return an image's (height, width).

    Args:
        img: a PIL image, an array of shape (H, W), (H, W, C) or, in floating point, (C, H, W), or a Tensor.

    Returns:
        Height and width in pixels.

    Raises:
        TypeError: it is none of these.
        ValueError: it has another number of axes, or no pixels.
    """
    if isinstance(img, Image.Image):
        height, width = img.height, img.width
    elif is_tensor(img):
        if len(img.shape) not in (3, 4):
            raise ValueError(f"an image Tensor has shape (C, H, W) or (N, C, H, W), not {tuple(img.shape)}")
        height, width = int(img.shape[-2]), int(img.shape[-1])
    elif isinstance(img, np.ndarray):
        if img.ndim not in (2, 3):
            raise ValueError(f"an image has shape (H, W) or (H, W, C), not {img.shape}")
        height, width = img.shape[1:] if channels_first(img) else img.shape[:2]
    else:
        raise TypeError(f"an image is a numpy array, a PIL image or a Tensor, not {type(img).__name__}")
    if height < 1 or width < 1:
        raise ValueError(f"an image needs at least one pixel; this one has {height} rows and {width} columns")
    return height, width


def channel_count(img: np.ndarray) -> int:
    """Return the number of channels of an array of shape (H, W) or (H, W, C)."""
    return 1 if img.ndim == 2 else img.shape[2]


def channels_last(function: _Function) -> _Function:
    """Let a function of a PIL image or an array (H, W[, C]) take every kind of image.

    The first argument is checked; an array with channels first, and each image of a Tensor, is shown to the function
    with its channels last, and turned back.

    Args:
        function: its first argument is the image, and so is its result.
    """

    @functools.wraps(function)
    def with_any_kind(img: Picture, *args: Any, **kwargs: Any) -> Picture:
        image_size(img)
        if is_tensor(img):
            return _through_numpy(function, img, *args, **kwargs)
        if channels_first(img):
            return _channels_to_front(function(np.ascontiguousarray(img.transpose(1, 2, 0)), *args, **kwargs))
        return function(img, *args, **kwargs)

    return with_any_kind  # type: ignore[return-value]  # functools.wraps keeps the signature


def pair(name: str, value: Size) -> tuple[int, int]:
    """Return one number as a pair of it, and a pair as it is.

    Args:
        name: what is asked for, for the message.
        value: a positive integer or two.

    Returns:
        (height, width).

    Raises:
        ValueError: it is neither.
    """
    numbers = [value, value] if is_integer(value) else list(value) if isinstance(value, (list, tuple)) else []
    if len(numbers) != 2 or not all(is_integer(number) and number > 0 for number in numbers):
        raise ValueError(f"{name} must be one positive number or (height, width), not {value!r}")
    return int(numbers[0]), int(numbers[1])


def is_integer(value: Any) -> TypeGuard[int]:
    """Tell whether a value is a whole number and not a truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[float]:
    """Tell whether a value is a real number and not a truth value."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def fill_values(name: str, fill: Any, channels: int) -> tuple[float, ...]:
    """Return one value for each channel.

    Args:
        name: the transform, for the message.
        fill: one number for all channels, or one for each.
        channels: how many there are.

    Returns:
        As many numbers as channels.

    Raises:
        ValueError: it is neither.
    """
    values = [fill] if is_number(fill) else list(fill) if isinstance(fill, (list, tuple)) else []
    if len(values) not in (1, channels) or not values or not all(map(is_number, values)):
        raise ValueError(
            f"{name}: fill must be one number or one for each of the image's {channels} channels, not {fill!r}"
        )
    return tuple(values) * channels if len(values) == 1 else tuple(values)


def check_opencv_type(name: str, img: np.ndarray, interpolation: str) -> None:
    """Refuse an array whose type OpenCV does not resample.

    Args:
        name: the transform, for the message.
        img: the array.
        interpolation: "nearest" takes int32 too, the type of label maps.

    Raises:
        TypeError: its type is not one of OpenCV's.
    """
    known = (*OPENCV_TYPES, "int32") if interpolation == "nearest" else OPENCV_TYPES
    if img.dtype.name not in known:
        raise TypeError(
            f"{name}: an image of type {img.dtype.name} cannot be resampled; convert it with astype to one of "
            f"{', '.join(known)}"
        )


def _through_numpy(function: Callable[..., Any], tensor: Any, *args: Any, **kwargs: Any) -> Any:
    if not tensor.stop_gradient:
        raise ValueError(
            "transforms are for data: this Tensor needs a gradient, and none flows through them; detach() it first"
        )
    import core  # a Tensor exists, so the engine is loaded

    values = tensor.numpy()
    images = values if values.ndim == 4 else values[None]
    turned = (np.ascontiguousarray(image.transpose(1, 2, 0)) for image in images)
    results = [_channels_to_front(function(image, *args, **kwargs)) for image in turned]
    return core.to_tensor(np.stack(results) if values.ndim == 4 else results[0])


def _channels_to_front(result: np.ndarray) -> np.ndarray:
    if result.ndim == 2:
        result = result[:, :, None]
    return np.ascontiguousarray(result.transpose(2, 0, 1))
