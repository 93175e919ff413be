"""What is installed, and what is out of date."""

from __future__ import annotations

import functools
import importlib
import re
import warnings
from types import ModuleType
from typing import Any, Callable, Optional

from core import version
from core.kernels.engine.requirements import PackageError


def try_import(module_name: str, err_msg: Optional[str] = None) -> ModuleType:
    """Import a module that not everybody has.

    Args:
        module_name: its name.
        err_msg: what to say where it is missing.

    Returns:
        The module.

    Raises:
        PackageError: it is missing; the message says what to install.
    """
    try:
        return importlib.import_module(module_name)
    except ImportError:
        package = module_name.partition(".")[0]
        package = {"cv2": "opencv-python", "PIL": "pillow", "yaml": "pyyaml"}.get(package, package)
        message = err_msg or f"{module_name} is not installed, but this needs it: pip install {package}"
        raise PackageError(message) from None


def require_version(min_version: str, max_version: Optional[str] = None) -> None:
    """Check that Paddle's interface, as it is offered here, is of a version that a program needs.

    Args:
        min_version: the first version that serves, such as ``2.4``.
        max_version: the last one; any when it is None.

    Raises:
        TypeError: a version is no text.
        ValueError: a version is not made of one to four numbers.
        RuntimeError: the version is another.
    """
    limits = []
    for name, text in (("min_version", min_version), ("max_version", max_version)):
        if name == "max_version" and text is None:
            continue
        if not isinstance(text, str):
            raise TypeError(f"require_version: {name} must be text, not {type(text).__name__}")
        if re.fullmatch(r"\d+(\.\d+){0,3}", text) is None:
            raise ValueError(f"require_version: {name} must be one to four numbers such as 2.4.0, not {text!r}")
        limits.append(_numbers(text))
    if not limits[0] <= _numbers(version.full_version) <= limits[-1] and not (
        max_version is None and _numbers(version.full_version) >= limits[0]
    ):
        wanted = f"{min_version} or higher" if max_version is None else f"{min_version} to {max_version}"
        raise RuntimeError(f"Paddle {wanted} is required, but core offers the interface of {version.full_version}")


def _numbers(text: str) -> tuple[int, ...]:
    numbers = [int(number) for number in text.split(".")]
    return tuple(numbers + [0] * (4 - len(numbers)))


def deprecated(update_to: str = "", since: str = "", reason: str = "", level: int = 0) -> Callable[..., Any]:
    """Mark a function as out of date.

    Args:
        update_to: what to use instead.
        since: the version from which on.
        reason: why.
        level: 0 says nothing, 1 warns at each call, 2 refuses the call.

    Returns:
        A decorator.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        message = f"{function.__module__}.{function.__name__} is deprecated"
        message += f" since {since}" if since else ""
        message += f": {reason}" if reason else ""
        message += f"; use {update_to}" if update_to else ""

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if level == 2:
                raise RuntimeError(message)
            if level == 1:
                warnings.warn(message, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return wrapper

    return decorate
